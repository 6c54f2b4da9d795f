//! Moving worlds against closed forms of mechanics, worked out here.

mod common;

use common::{
    DT, G, body, cuboid, id, integral, near, on_ground, on_incline, part, run, runge_kutta,
    steppers, turn, watched, weighted,
};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;
use stiction::drive::Drive;
use stiction::joint::{Joint, JointKind, Motor};
use stiction::{
    Body, BodyId, EventDriven, EventKind, ImpactModel, Material, Motion, Spring, Stepper,
    TimeStepping, World,
};
use stiction_geometry::{MassProperties, Part, Polyhedron, Pose, Shape, Twist};

/// How far event-driven motion may be from a closed form (m, s, rad, m/s).
const EXACT: f64 = 1e-9;

/// A cube of edge 0.2 m on the ground that slides at this velocity: body 1.
fn sliding_cube(mut world: World, velocity: DVec3) -> World {
    let index = world.add_body(body("cube", cuboid(0.1, 0.1, 0.1), 1.0, DVec3::new(0.0, 0.0, 0.1)));
    world.set_velocity(index, velocity);
    world
}

/// v₀² / (2 μ g).
#[test]
fn straight_stop() {
    let (speed, friction) = (5.0, 0.5);
    let way = speed * speed / (2.0 * friction * G);
    let time = speed / (friction * G);
    let tolerances = [EXACT, friction * G * DT * DT / 8.0];
    for (mut stepper, tolerance) in steppers().into_iter().zip(tolerances) {
        let mut world = sliding_cube(on_ground(Material::new(friction)), speed * DVec3::X);
        let told = run(&mut *stepper, &mut world, 2.0, DT);
        assert!(told.certified && !told.fell_back(), "{:?}", told.events);
        let place = world.pose(id(1)).position;
        near(place.x, way, tolerance, "way");
        near(place.y, 0.0, tolerance, "aside");
        near(place.z, 0.1, EXACT, "height");
        near(world.twist(id(1)).linear.length(), 0.0, EXACT, "speed");
        if stepper.name() == "event-driven" {
            let stops = told.times(|what| matches!(what, EventKind::Sticks(_)));
            near(*stops.first().expect("it stops"), time, EXACT, "time");
        }
    }
}

/// On an incline of angle α, with φ the angle of the velocity from downhill, `u = tan(φ/2)`
/// and `k = μ / tan α`, the speed is `v = C u^k / sin φ` and `φ̇ = −g sin α sin φ / v`. So
/// `T = C/(2 g sin α) [u^(k−1)/(k−1) + u^(k+1)/(k+1)]`, and the ways downhill and across are
/// integrals of `v cos φ dt` and `v sin φ dt`.
#[test]
fn oblique_slide_on_an_incline() {
    let (incline, friction, speed) = (20_f64.to_radians(), 0.5, 3.0);
    let start = 75_f64.to_radians();
    let k = friction / incline.tan();
    let u = (start / 2.0).tan();
    let c = speed * start.sin() / u.powf(k);
    let pull = G * incline.sin();
    let time = c / (2.0 * pull) * (u.powf(k - 1.0) / (k - 1.0) + u.powf(k + 1.0) / (k + 1.0));
    // dt = −v dφ / (g sin α sin φ); in x = ln u the integrands are smooth: dφ = sin φ dx.
    let angle = |x: f64| 2.0 * x.exp().atan();
    let squared = |x: f64| {
        let v = c * (k * x).exp() / angle(x).sin();
        v * v / pull
    };
    let (from, to) = (u.ln() - 40.0, u.ln());
    let down = integral(|x| squared(x) * angle(x).cos(), from, to);
    let across = integral(|x| squared(x) * angle(x).sin(), from, to);
    near(time, 1.645_387_231_848, 1e-11, "time in print");
    near(down, 1.344_044_924_301, 1e-11, "way down in print");
    near(across, 1.189_451_680_857, 1e-11, "way across in print");
    for (mut stepper, tolerance) in steppers().into_iter().zip([EXACT, 1e-5]) {
        let velocity = speed * DVec3::new(start.cos(), start.sin(), 0.0);
        let mut world = sliding_cube(on_incline(Material::new(friction), incline), velocity);
        let told = run(&mut *stepper, &mut world, 2.5, DT);
        assert!(told.certified && !told.fell_back(), "{:?}", told.events);
        let place = world.pose(id(1)).position;
        near(place.x, down, tolerance, &format!("way down, {}", stepper.name()));
        near(place.y, across, tolerance, &format!("way across, {}", stepper.name()));
        if stepper.name() == "event-driven" {
            let stops = told.times(|what| matches!(what, EventKind::Sticks(_)));
            near(*stops.first().expect("it stops"), time, EXACT, "time");
        }
    }
}

/// A ball that slides without turning rolls after `2 v₀ / (7 μ g)` at `5 v₀ / 7`.
#[test]
fn bowling() {
    let (speed, friction, radius) = (8.0, 0.12, 0.108);
    let time = 2.0 * speed / (7.0 * friction * G);
    let way = speed * time - 0.5 * friction * G * time * time;
    for (mut stepper, tolerance) in steppers().into_iter().zip([EXACT, 1e-7]) {
        let mut world = on_ground(Material::new(friction));
        let ball = Shape::Ball { radius };
        let index = world.add_body(body("ball", ball, 7.0, DVec3::new(0.0, 0.0, radius)));
        world.set_velocity(index, speed * DVec3::X);
        let told = run(&mut *stepper, &mut world, 3.0, DT);
        let twist = world.twist(index);
        let rolls = 5.0 * speed / 7.0;
        near(twist.linear.x, rolls, tolerance, "speed");
        near(twist.angular.y, rolls / radius, tolerance / radius, "spin");
        let end = way + rolls * (3.0 - time);
        near(world.pose(index).position.x, end, tolerance, "way");
        if stepper.name() == "event-driven" {
            let sticks = told.times(|what| matches!(what, EventKind::Sticks(_)));
            assert_eq!(sticks.len(), 1, "{:?}", told.events);
            near(sticks[0], time, EXACT, "time");
        }
    }
}

/// A thin rod of half length 0.5 m whose middle is `E` beyond a fixed edge.
mod rod {
    use super::{Body, cuboid, integral, part, runge_kutta};
    use super::{DMat3, DVec3, G, MassProperties, Material, Polyhedron, Pose, Shape, World};

    pub const E: f64 = 0.1;
    pub const FRICTION: f64 = 0.4;
    const LENGTH: f64 = 0.5;
    const INERTIA: f64 = LENGTH * LENGTH / 3.0;

    pub fn world() -> World {
        let mut world = World::new();
        world.plane = Some(DVec3::Y);
        world.materials = vec![Material::new(FRICTION)];
        let corner = |x, z| [DVec3::new(x, -0.1, z), DVec3::new(x, 0.1, z)];
        let corners = [corner(0.0, 0.0), corner(-0.5, -0.5), corner(0.0, -1.0)].concat();
        let wedge = Polyhedron::from_points(&corners).expect("a prism");
        let wedge = part(Shape::Polyhedron(wedge.into()), Pose::IDENTITY);
        world.add_body(Body::fixed("edge", vec![wedge], Pose::IDENTITY));
        // Its face of contact holds the centre of mass.
        let beam = part(cuboid(LENGTH, 0.05, 0.02), Pose::at(DVec3::new(0.0, 0.0, 0.02)));
        let inertia = DMat3::from_diagonal(DVec3::splat(INERTIA));
        let mass = MassProperties { mass: 1.0, centre: DVec3::ZERO, inertia };
        let place = Pose::at(DVec3::new(E, 0.0, 0.0));
        world.add_body(Body::with_mass("rod", vec![beam], mass, place).expect("a rod"));
        world
    }

    /// Angle at which it slips: `tan θ = μ (1 − k) / (1 + 2 k)`, `k = e² / (L²/3 + e²)`.
    pub fn slip_angle() -> f64 {
        let k = E * E / (INERTIA + E * E);
        (FRICTION * (1.0 - k) / (1.0 + 2.0 * k)).atan()
    }

    /// Until it slips it is a pendulum: `½ (I + e²) θ̇² = g e sin θ`.
    fn rate(angle: f64) -> f64 {
        (2.0 * G * E * angle.sin() / (INERTIA + E * E)).sqrt()
    }

    /// When it slips; with θ = s² the integrand is smooth.
    pub fn slip_time() -> f64 {
        let root =
            |s: f64| if s > 0.0 { 2.0 * s / rate(s * s) } else { 2.0 / (rate(1e-18) / 1e-9) };
        integral(root, 0.0, slip_angle().sqrt())
    }

    /// The force on the rod across it, at angle, way of the edge to the middle, and their rates:
    /// `f (1 + s²/I) = g cos θ − 2 ṡ θ̇`.
    fn force([angle, way, turning, slip]: &[f64; 4]) -> f64 {
        (G * angle.cos() - 2.0 * slip * turning) / (1.0 + way * way / INERTIA)
    }

    /// `θ̈ = s f / I`, `s̈ = s θ̇² + g sin θ − μ f`.
    fn slides(y: &[f64; 4]) -> [f64; 4] {
        let [angle, way, turning, slip] = *y;
        let f = force(y);
        let along = way * turning * turning + G * angle.sin() - FRICTION * f;
        [turning, slip, way * f / INERTIA, along]
    }

    /// When it lifts off, and at which angle.
    pub fn lift_off() -> (f64, f64) {
        let mut y = [slip_angle(), E, rate(slip_angle()), 0.0];
        let (mut time, mut h) = (slip_time(), 1e-4);
        while h > 1e-15 {
            let next = runge_kutta(&slides, &y, h);
            if force(&next) > 0.0 {
                (y, time) = (next, time + h);
            } else {
                h *= 0.5;
            }
        }
        (time, y[0])
    }
}

/// How far a body is turned about +y.
fn about_y(world: &World, body: BodyId) -> f64 {
    let x = world.pose(body).direction(DVec3::X);
    (-x.z).atan2(x.x)
}

#[test]
fn rod_over_an_edge() {
    let (slips, angle) = (rod::slip_time(), rod::slip_angle());
    near(angle.to_degrees(), 16.389_540_334_03, 1e-10, "angle in print");
    near(slips, 0.233_622_597_059_4, 1e-12, "time in print");
    let (lifts, lift_angle) = rod::lift_off();
    near(lifts, 0.423_809_308_34, 1e-10, "time of lifting off in print");
    near(lift_angle.to_degrees(), 51.8429, 1e-4, "angle of lifting off in print");

    let mut world = rod::world();
    let told = run(&mut EventDriven::default(), &mut world, slips, 1.0);
    near(about_y(&world, id(1)), angle, EXACT, "angle at which it slips");
    assert!(told.certified && !told.fell_back(), "{:?}", told.events);

    let mut world = rod::world();
    let told = run(&mut EventDriven::default(), &mut world, lifts, 1.0);
    near(about_y(&world, id(1)), lift_angle, EXACT, "angle at which it lifts off");
    assert!(told.certified && !told.fell_back(), "{:?}", told.events);

    let mut world = rod::world();
    let told = run(&mut EventDriven::default(), &mut world, 0.45, 1.0);
    let times = told.times(|what| matches!(what, EventKind::Slips(_)));
    assert_eq!(times.len(), 1, "{:?}", told.events);
    near(times[0], slips, EXACT, "when it slips");
    let times = told.times(|what| matches!(what, EventKind::Parts(_)));
    assert_eq!(times.len(), 1, "{:?}", told.events);
    near(times[0], lifts, EXACT, "when it lifts off");
}

/// A block on a belt that slows down, held by a spring: `x = 0` at first, where the spring
/// is without force, and moving with the belt.
mod belt {
    use super::G;

    pub const STIFFNESS: f64 = 50.0;
    pub const STATIC: f64 = 0.5;
    pub const DYNAMIC: f64 = 0.3;
    const SLOWING: f64 = 0.2;

    pub fn way(time: f64) -> f64 {
        time - 0.5 * SLOWING * time * time
    }

    fn speed(time: f64) -> f64 {
        1.0 - SLOWING * time
    }

    /// The first time after `from` where `f` is no longer positive.
    fn fall(f: impl Fn(f64) -> f64, from: f64) -> f64 {
        let mut high = from + 1e-6;
        while f(high) > 0.0 {
            high += 1e-4;
        }
        let mut low = high - 1e-4;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            *(if f(middle) > 0.0 { &mut low } else { &mut high }) = middle;
        }
        0.5 * (low + high)
    }

    /// When it slips and sticks in turn until `end`, and where it is then.
    pub fn events(end: f64) -> (Vec<f64>, f64) {
        let omega = STIFFNESS.sqrt();
        let (mut time, mut place, mut found) = (0.0, 0.0, Vec::new());
        loop {
            let held = |t: f64| place + way(t) - way(time);
            let needed = |t: f64| (STIFFNESS * held(t) - SLOWING).abs();
            let slips = fall(|t| STATIC * G - needed(t), time);
            if slips > end {
                return (found, held(end));
            }
            found.push(slips);
            // Slower than the belt: pulled along by friction, about where the spring balances it.
            let (middle, start, pace) = (DYNAMIC * G / STIFFNESS, held(slips), speed(slips));
            let swings = |t: f64| {
                let (sin, cos) = (omega * (t - slips)).sin_cos();
                let off = start - middle;
                [middle + off * cos + pace / omega * sin, pace * cos - off * omega * sin]
            };
            let sticks = fall(|t| speed(t) - swings(t)[1], slips);
            if sticks > end {
                return (found, swings(end)[0]);
            }
            found.push(sticks);
            (time, place) = (sticks, swings(sticks)[0]);
            assert!((STIFFNESS * place - SLOWING).abs() < STATIC * G, "it can stick");
        }
    }
}

/// The block, standing on the belt in a way of its own, for 5 s.
fn on_a_slowing_belt(parts: Vec<Part>) {
    let (expected, place) = belt::events(5.0);
    // And an eleventh when the belt stops.
    assert_eq!(expected.len(), 10);
    near(expected[0], 0.103_164_287, 1e-9, "first event in print");

    let mut world = World::new();
    world.materials = vec![Material {
        static_friction: belt::STATIC,
        dynamic_friction: belt::DYNAMIC,
        restitution: 0.0,
    }];
    let slab = part(cuboid(20.0, 1.0, 0.5), Pose::at(DVec3::new(0.0, 0.0, -0.5)));
    let mut belt = Body::fixed("belt", vec![slab], Pose::IDENTITY);
    // A spline through a parabola is the parabola, away from the ends.
    let times: Vec<f64> = (-60..=120).map(|i| 0.1 * f64::from(i)).collect();
    let ways = times.iter().map(|t| belt::way(*t)).collect();
    belt.motion = Motion::Driven {
        along: DVec3::X,
        position: Drive::table(times, ways).expect("a table"),
        axis: DVec3::Z,
        angle: Drive::Constant(0.0),
    };
    world.add_body(belt);
    // The centre of mass is in the face of contact: friction does not tip it.
    let block = world.add_body(weighted("block", parts, 1.0, DVec3::splat(0.01), DVec3::ZERO));
    world.set_velocity(block, DVec3::X);
    world.add_spring(Spring {
        name: "spring".into(),
        a: block,
        b: None,
        on_a: DVec3::ZERO,
        on_b: DVec3::new(-10.0, 0.0, 0.0),
        length: 10.0,
        stiffness: belt::STIFFNESS,
        damping: 0.0,
    });
    let told = run(&mut EventDriven::default(), &mut world, 5.0, DT);
    assert!(told.certified && !told.fell_back(), "{:?}", told.events);
    let changes = |what: &EventKind| matches!(what, EventKind::Sticks(_) | EventKind::Slips(_));
    let mut times = told.times(changes);
    // The corners of a block change together.
    times.dedup_by(|x, y| (*x - *y).abs() < 1e-12);
    assert_eq!(times.len(), expected.len(), "{times:?} {expected:?}");
    for (time, wanted) in times.iter().zip(&expected) {
        near(*time, *wanted, EXACT, "event");
    }
    near(world.pose(block).position.x, place, EXACT, "place");
}

#[test]
fn foot_on_a_slowing_belt() {
    let foot = Shape::Ball { radius: 0.1 };
    on_a_slowing_belt(vec![part(foot, Pose::at(DVec3::new(0.0, 0.0, 0.1)))]);
}

#[test]
fn block_on_a_slowing_belt() {
    on_a_slowing_belt(vec![part(cuboid(0.1, 0.1, 0.1), Pose::at(DVec3::new(0.0, 0.0, 0.1)))]);
}

/// Three feet in the plane of the centre of mass carry a third of the weight each, however
/// they slide: a system of three degrees of freedom.
mod tripod {
    use super::{G, runge_kutta};
    use std::f64::consts::TAU;

    pub const RADIUS: f64 = 0.1;
    pub const FRICTION: f64 = 0.3;
    /// About the vertical, for a mass of 1 kg.
    pub const INERTIA: f64 = 0.005;

    /// A foot and its velocity.
    fn foot(y: &[f64; 6], index: usize) -> [f64; 4] {
        let (sin, cos) = (y[2] + TAU / 3.0 * index as f64).sin_cos();
        let (x, z) = (RADIUS * cos, RADIUS * sin);
        [x, z, y[3] - y[5] * z, y[4] + y[5] * x]
    }

    fn slides(y: &[f64; 6]) -> [f64; 6] {
        let mut rate = [y[3], y[4], y[5], 0.0, 0.0, 0.0];
        for index in 0..3 {
            let [x, z, u, v] = foot(y, index);
            let force = -FRICTION * G / 3.0 / u.hypot(v);
            rate[3] += force * u;
            rate[4] += force * v;
            rate[5] += force * (x * v - z * u) / INERTIA;
        }
        rate
    }

    /// When the first foot sticks, and the pose then.
    pub fn first_stick() -> (f64, usize, [f64; 6]) {
        let (mut y, mut time) = ([0.0, 0.0, 0.0, 1.0, 0.0, 10.0], 0.0);
        loop {
            let speed = |index: usize| {
                let [_, _, u, v] = foot(&y, index);
                u.hypot(v)
            };
            let slowest = (0..3).min_by(|a, b| speed(*a).total_cmp(&speed(*b))).expect("three");
            let left = speed(slowest);
            let h = (0.02 * left / (FRICTION * G)).min(1e-4);
            let next = runge_kutta(&slides, &y, h);
            if left < 1e-11 {
                return (time, slowest, y);
            }
            (y, time) = (next, time + h);
            assert!(time < 2.0, "no foot sticks");
        }
    }
}

#[test]
fn spinning_tripod() {
    let (sticks, which, pose) = tripod::first_stick();
    let mut world = on_ground(Material::new(tripod::FRICTION));
    let ball = |index: i32| {
        let (sin, cos) = (std::f64::consts::TAU / 3.0 * f64::from(index)).sin_cos();
        let centre = DVec3::new(tripod::RADIUS * cos, tripod::RADIUS * sin, 0.01);
        part(Shape::Ball { radius: 0.01 }, Pose::at(centre))
    };
    let inertia = DVec3::new(0.003, 0.003, tripod::INERTIA);
    let index =
        world.add_body(weighted("tripod", (0..3).map(ball).collect(), 1.0, inertia, DVec3::ZERO));
    world.set_twist(index, Twist { linear: DVec3::X, angular: 10.0 * DVec3::Z });
    let mut stepper = EventDriven::default();
    let told = run(&mut stepper, &mut world, sticks, DT);
    assert!(told.certified && !told.fell_back(), "{:?}", told.events);
    let place = world.pose(index).position;
    near(place.x, pose[0], EXACT, "x");
    near(place.y, pose[1], EXACT, "y");
    near(place.z, 0.0, EXACT, "z");
    near(world.twist(index).angular.z, pose[5], 1e-7, "spin");
    let more = run(&mut stepper, &mut world, 0.1, DT);
    let mut events = told.events.iter().chain(&more.events);
    let first = events.find(|e| matches!(e.what, EventKind::Sticks(_))).expect("a stick");
    near(first.time, sticks, EXACT, &format!("when foot {which} sticks"));
}

/// A ball that bounces with restitution ε rests after `√(2h/g) (1 + ε) / (1 − ε)`.
#[test]
fn bounces_without_number_come_to_rest() {
    let (height, restitution, radius) = (1.0, 0.5, 0.1);
    let time = (2.0 * height / G).sqrt() * (1.0 + restitution) / (1.0 - restitution);
    let mut world = on_ground(Material::new(0.5).with_restitution(restitution));
    let start = DVec3::new(0.0, 0.0, radius + height);
    let ball = world.add_body(body("ball", Shape::Ball { radius }, 1.0, start));
    let told = run(&mut EventDriven::default(), &mut world, 2.0, DT);
    assert!(told.certified && !told.fell_back(), "{:?}", told.events);
    let bounces = told.times(|what| matches!(what, EventKind::Collision { .. }));
    let last = *bounces.last().expect("it bounces");
    // A rebound below 1e-5 m/s is none: what is left out lasts 2 v / (g (1 − ε)) at most.
    let left_out = 2.0 * 1e-5 / (G * (1.0 - restitution));
    assert!(last <= time + EXACT && last >= time - left_out, "{last} is not {time}");
    let speed = (2.0 * G * height).sqrt();
    let mut left = 1.0; // of the speed before the first bounce
    for bounce in &bounces {
        let gone = (1.0 - left) / (1.0 - restitution);
        let expected = (2.0 * height / G).sqrt() + 2.0 * speed / G * restitution * gone;
        // A gap of 1e-12 m is passed in this time.
        near(*bounce, expected, EXACT.max(1e-12 / (speed * left)), "bounce");
        left *= restitution;
    }
    near(world.pose(ball).position.z, radius, 1e-11, "height");
    assert_eq!(world.twist(ball), Twist::ZERO);
}

/// Energy and angular momentum of a body that nothing touches.
#[test]
fn torque_free_rotation() {
    for mut stepper in steppers() {
        let mut world = World::new();
        world.gravity = DVec3::ZERO;
        let inertia = DVec3::new(0.1, 0.2, 0.3);
        let parts = vec![part(cuboid(0.3, 0.2, 0.1), Pose::IDENTITY)];
        let index = world.add_body(weighted("body", parts, 1.0, inertia, DVec3::ZERO));
        let rotation = turn(DVec3::new(0.6, 0.0, 0.8), 0.7);
        world.set_pose(index, Pose { rotation, ..Pose::IDENTITY });
        // About the middle axis, nearly: it tumbles.
        let spin = world.pose(index).direction(DVec3::new(0.05, 5.0, 0.02));
        world.set_angular_velocity(index, spin);
        let energy = world.kinetic_energy(&world.state);
        let [_, momentum] = world.momentum(&world.state);
        let mut tumbled = false;
        watched(&mut *stepper, &mut world, 10.0, DT, |world, _| {
            let local = world.pose(index).local_direction(world.twist(index).angular);
            tumbled |= local.y < 0.0;
            let now = world.kinetic_energy(&world.state);
            near(now / energy, 1.0, EXACT, "energy");
            let [_, turned] = world.momentum(&world.state);
            near((turned - momentum).length() / momentum.length(), 0.0, EXACT, "momentum");
        });
        assert!(tumbled);
    }
}

/// A box that hangs from a ball joint at the middle of one end and spins.
fn spinning_pendulum() -> World {
    let mut world = World::new();
    let place = DVec3::new(0.3, 0.0, 0.0);
    let index = world.add_body(body("box", cuboid(0.3, 0.1, 0.05), 1.0, place));
    let pose = world.pose(index);
    let joint = Joint::at(JointKind::Ball, "joint", (index, &pose), None, DVec3::ZERO, DVec3::Z);
    world.add_joint(joint.expect("a joint"));
    let angular = DVec3::new(3.0, 1.0, 2.0);
    world.set_twist(index, Twist { linear: angular.cross(place), angular });
    world
}

fn energy(world: &World) -> f64 {
    world.kinetic_energy(&world.state) + world.potential_energy(&world.state)
}

/// Event-driven motion keeps the energy, and the moment of momentum about the vertical.
#[test]
fn spinning_pendulum_keeps_its_energy() {
    let mut world = spinning_pendulum();
    let (start, [_, momentum]) = (energy(&world), world.momentum(&world.state));
    let told = watched(&mut EventDriven::default(), &mut world, 2.0, DT, |world, _| {
        near(energy(world), start, EXACT, "energy");
        near(world.momentum(&world.state)[1].z, momentum.z, EXACT, "momentum");
        near(world.pose(id(0)).point(DVec3::new(-0.3, 0.0, 0.0)).length(), 0.0, EXACT, "joint");
    });
    assert!(told.certified && !told.fell_back(), "{:?}", told.events);
    near(told.last.ledger.residual(), 0.0, EXACT, "ledger");
}

/// What hangs on something driven wakes when that begins to move, also if its joint or spring
/// names the driven body first.
#[test]
fn what_rests_beside_a_drive_wakes() {
    for spring in [true, false] {
        for mut stepper in steppers() {
            let mut world = on_ground(Material::new(0.1));
            let parts = vec![part(cuboid(0.1, 0.1, 0.1), Pose::IDENTITY)];
            let mut hand = Body::fixed("hand", parts, Pose::at(DVec3::new(1.0, 0.0, 0.2)));
            hand.motion = Motion::Driven {
                along: DVec3::X,
                position: Drive::Ramp { from: 0.0, to: 0.5, start: 0.1, end: 0.6 },
                axis: DVec3::Z,
                angle: Drive::Constant(0.0),
            };
            let hand = world.add_body(hand);
            let block = world.add_body(body("block", cuboid(0.1, 0.1, 0.1), 1.0, DVec3::Z * 0.1));
            let distance = DVec3::new(1.0, 0.0, 0.1).length();
            if spring {
                let (on_a, on_b) = (DVec3::ZERO, DVec3::ZERO);
                let (name, length) = ("spring".into(), distance);
                let (stiffness, damping) = (100.0, 0.0);
                let b = Some(block);
                world.add_spring(Spring {
                    name,
                    a: hand,
                    b,
                    on_a,
                    on_b,
                    length,
                    stiffness,
                    damping,
                });
            } else {
                let [(a, to), (b, from)] = [hand, block].map(|i| (i, world.pose(i)));
                let ends = (to.position, from.position);
                let joint = Joint::between("rod", (a, &to), Some((b, &from)), ends.0, ends.1);
                world.add_joint(joint.expect("a joint"));
            }
            run(&mut *stepper, &mut world, 0.7, DT);
            let way = world.pose(block).position.x;
            assert!(way > 0.1, "{}: {way}, {spring}", stepper.name());
        }
    }
}

/// A ball on a slider meets a slope whose friction holds it by more than the slope can push: no
/// impulse makes it rebound, and it stays.
#[test]
fn a_wedged_ball_does_not_rebound() {
    let (radius, lean) = (0.1, 10_f64.to_radians());
    for mut stepper in steppers() {
        let mut world = on_ground(Material::new(1.0).with_restitution(0.8));
        world.gravity = DVec3::ZERO;
        let slope = Pose { rotation: turn(DVec3::Y, -lean), ..Pose::IDENTITY };
        world.set_pose(id(0), slope);
        let ball = world.add_body(body("ball", Shape::Ball { radius }, 1.0, -DVec3::X));
        world.set_velocity(ball, DVec3::X);
        let pose = world.pose(ball);
        let rail = Joint::at(JointKind::Slider, "rail", (ball, &pose), None, -DVec3::X, DVec3::X);
        world.add_joint(rail.expect("a joint"));
        let told = run(&mut *stepper, &mut world, 1.0, DT);
        assert!(told.certified, "{}: {:?}", stepper.name(), told.events);
        near(world.pose(ball).position.x, -radius / lean.sin(), 1e-9, stepper.name());
        near(world.twist(ball).linear.length(), 0.0, 1e-9, stepper.name());
    }
}

/// A mass on a spring, ω = 20 per second, and a wheel under a torque that swings: exact in
/// event-driven motion, and of second order in time-stepping, where the spring keeps its energy.
#[test]
fn springs_and_given_forces_are_of_second_order() {
    let run_to = |stepper: &mut dyn Stepper, dt: f64| {
        let mut world = World::new();
        world.gravity = DVec3::ZERO;
        let mass = world.add_body(body("mass", Shape::Ball { radius: 0.1 }, 1.0, 1.5 * DVec3::X));
        let (on_a, on_b) = (DVec3::ZERO, DVec3::ZERO);
        let (name, length, stiffness, damping) = ("spring".into(), 1.0, 400.0, 0.0);
        world.add_spring(Spring { name, a: mass, b: None, on_a, on_b, length, stiffness, damping });
        let wheel = Shape::Cylinder { half_length: 0.05, radius: 0.2 };
        let wheel = world.add_body(body("wheel", wheel, 2.0, -DVec3::X));
        let inertia = world.body(wheel).inertia.z_axis.z;
        let pose = world.pose(wheel);
        let axle = Joint::at(JointKind::Hinge, "axle", (wheel, &pose), None, -DVec3::X, DVec3::Z);
        let mut axle = axle.expect("a joint");
        let (mean, amplitude, frequency, phase) = (0.0, 1.0, 5.1, 0.0);
        let value = Drive::Sine { mean, amplitude, frequency, phase };
        axle.motor = Some(Motor::Force { value });
        world.add_joint(axle);
        let told = run(stepper, &mut world, 5.0, dt);
        let way = world.pose(mass).position.x - 1.0 - 0.5 * (20.0_f64 * 5.0).cos();
        let turns = 2.0 * PI * frequency;
        let speed = (1.0 - (turns * 5.0).cos()) / (turns * inertia);
        let spin = world.twist(wheel).angular.z - speed;
        [way, spin, told.last.ledger.residual()].map(f64::abs)
    };
    let exact = run_to(&mut EventDriven::default(), DT);
    assert!(exact[0].max(exact[1]) < EXACT && exact[2] < 1e-7, "{exact:?}");
    let [coarse, fine] = [DT, DT / 2.0].map(|dt| run_to(&mut TimeStepping::default(), dt));
    assert!(coarse[0] / fine[0] > 3.5 && coarse[1] / fine[1] > 3.5, "{coarse:?} {fine:?}");
    assert!(coarse[2] < 1e-5, "{coarse:?}");
}

/// A wheel under a given torque: the joint tells of it, and `ω = M t / I`.
#[test]
fn a_given_torque_is_told() {
    for mut stepper in steppers() {
        let mut world = World::new();
        let wheel =
            body("wheel", Shape::Cylinder { half_length: 0.05, radius: 0.2 }, 2.0, DVec3::ZERO);
        let inertia = wheel.inertia.z_axis.z;
        let wheel = world.add_body(wheel);
        let pose = world.pose(wheel);
        let axle = Joint::at(JointKind::Hinge, "axle", (wheel, &pose), None, DVec3::ZERO, DVec3::Z);
        let mut axle = axle.expect("a joint");
        axle.motor = Some(Motor::Force { value: Drive::Constant(0.3) });
        world.add_joint(axle);
        let told = run(&mut *stepper, &mut world, 1.0, DT);
        let joint = &told.last.joints[0];
        near(joint.drive, 0.3, EXACT, "drive");
        near(joint.torque.z, 0.3, EXACT, "torque");
        near(joint.force.z, 2.0 * G, EXACT, "weight");
        near(world.twist(wheel).angular.z, 0.3 / inertia, EXACT, "speed");
    }
}

/// A shelf fixed to a block that stands: the joint carries its weight, first and last.
#[test]
fn a_joint_at_rest_keeps_its_force() {
    for mut stepper in steppers() {
        let mut world = on_ground(Material::new(0.5));
        let block = world.add_body(body("block", cuboid(0.2, 0.2, 0.2), 10.0, DVec3::Z * 0.2));
        let shelf = DVec3::new(0.35, 0.0, 0.35);
        let shelf = world.add_body(body("shelf", cuboid(0.1, 0.1, 0.02), 1.0, shelf));
        let at = |id: BodyId| (id, world.pose(id));
        let (a, b) = (at(shelf), at(block));
        let anchor = DVec3::new(0.2, 0.0, 0.35);
        let (a, b) = ((a.0, &a.1), Some((b.0, &b.1)));
        let joint = Joint::at(JointKind::Fixed, "weld", a, b, anchor, DVec3::X);
        world.add_joint(joint.expect("a joint"));
        for step in 0..10 {
            let report = stepper.step(&mut world, DT);
            assert!(report.certified, "{}, step {step}", stepper.name());
            let weight = report.joints[0].force - DVec3::Z * G;
            assert!(weight.length() < 1e-9, "{}, step {step}: {weight}", stepper.name());
        }
    }
}

/// Half the step, a quarter of the error.
#[test]
fn time_stepping_of_a_spinning_pendulum_is_of_second_order() {
    let error = |dt: f64| {
        let mut world = spinning_pendulum();
        let start = energy(&world);
        run(&mut TimeStepping::default(), &mut world, 0.4, dt);
        (energy(&world) - start).abs()
    };
    let ratio = error(DT) / error(DT / 2.0);
    assert!(ratio > 3.0, "{ratio}");
}

/// Ten links of 1 kg carry 1000 kg: the load must not shake them. Energy that came or went, part of
/// what the swing turns over.
#[test]
fn light_links_carry_a_heavy_ball_in_time_stepping() {
    let mut world = World::new();
    let along = DVec3::new(0.5, 0.0, -0.75_f64.sqrt());
    let mut before: Option<(BodyId, Pose)> = None;
    for i in 0..11 {
        let (mass, radius) = if i < 10 { (1.0, 0.05) } else { (1000.0, 0.2) };
        let inertia = DVec3::splat(0.4 * mass * radius * radius);
        let place = 0.2 * f64::from(i + 1) * along;
        let link = world.add_body(weighted(&format!("link {i}"), Vec::new(), mass, inertia, place));
        let anchor = if before.is_some() { place - 0.1 * along } else { DVec3::ZERO };
        let pose = world.pose(link);
        let b = before.as_ref().map(|(id, pose)| (*id, pose));
        let joint = Joint::at(JointKind::Ball, format!("{i}"), (link, &pose), b, anchor, DVec3::Z);
        world.add_joint(joint.expect("a joint"));
        before = Some((link, pose));
    }
    let start = energy(&world);
    let swing = 1000.0 * G * 2.2 * (1.0 - 0.75_f64.sqrt());
    let told = watched(&mut TimeStepping::default(), &mut world, 1.0, DT, |world, _| {
        near(energy(world), start, 1e-4 * swing, "energy");
    });
    assert!(told.certified);
}

/// What the ledger of a pendulum does not account for is its energy that came or went.
#[test]
#[ignore = "repair of joints enters what it lifts"]
fn book_of_a_pendulum_in_time_stepping() {
    let mut world = spinning_pendulum();
    world.set_twist(id(0), Twist::ZERO);
    let start = energy(&world);
    let told = run(&mut TimeStepping::default(), &mut world, 0.4, DT);
    near(told.last.ledger.residual(), energy(&world) - start, EXACT, "ledger");
}

/// Dropped cubes neither sink nor gain energy; bounces reach `ε² h`.
#[test]
fn drops_in_time_stepping() {
    for restitution in [0.0_f64, 0.5, 0.9] {
        for height in [0.9, 0.95, 1.0, 1.05, 1.1] {
            let mut world = on_ground(Material::new(0.5).with_restitution(restitution));
            let start = DVec3::new(0.0, 0.0, 0.1 + height);
            let cube = world.add_body(body("cube", cuboid(0.1, 0.1, 0.1), 1.0, start));
            let start_energy = energy(&world);
            let (mut lowest, mut gain, mut risen) = (0.1_f64, 0.0_f64, 0.0_f64);
            let falls = (2.0 * height / G).sqrt();
            let mut stepper = TimeStepping::default();
            let told = watched(&mut stepper, &mut world, 3.0, DT, |world, _| {
                let state = &world.state;
                let now = energy(world);
                lowest = lowest.min(state.pose(cube).position.z);
                gain = gain.max((now - start_energy) / start_energy);
                let first = state.time > falls && state.time < falls * (1.0 + 2.0 * restitution);
                if first {
                    risen = risen.max(state.pose(cube).position.z - 0.1);
                }
            });
            let label = format!("restitution {restitution}, height {height}");
            assert!(told.certified, "{label}");
            near(lowest, 0.1, 1e-14, &label);
            assert!(gain < 1e-14, "{label}: gain {gain:e}");
            // The top lies between two steps: at most g dt² / 8 above the higher.
            let top = restitution * restitution * height;
            near(risen, top, G * DT * DT / 8.0 + 1e-12, &label);
        }
    }
}

/// A rod that leans strikes the ground with its tip. Friction that stops the tip turns the rod, and
/// with Newton's restitution of one that gains energy: `½ p_t u_t`, `p = B (−u_t, −2 u_n)`, 0.11 J.
/// So the restitution is reduced; a motor elsewhere is no reason not to.
#[test]
fn restitution_gains_nothing_beside_a_motor() {
    let (sin, cos) = (0.25 * PI).sin_cos();
    for mut stepper in steppers() {
        let mut world = on_ground(Material::new(1.0).with_restitution(1.0));
        world.gravity = DVec3::ZERO;
        let tip = part(Shape::Ball { radius: 1e-3 }, Pose::at(DVec3::new(-cos, 0.0, -sin)));
        let place = DVec3::new(0.0, 0.0, sin + 1e-3);
        let rod = world.add_body(weighted("rod", vec![tip], 1.0, DVec3::splat(1.0 / 3.0), place));
        world.set_velocity(rod, DVec3::new(0.6, 0.0, -1.0));
        let wheel =
            world.add_body(body("wheel", cuboid(0.1, 0.1, 0.1), 1.0, DVec3::new(9.0, 0.0, 9.0)));
        let (place, pose) = (DVec3::new(9.0, 0.0, 9.0), world.pose(wheel));
        let axle = Joint::at(JointKind::Hinge, "axle", (wheel, &pose), None, place, DVec3::Z);
        let mut axle = axle.expect("a joint");
        axle.motor = Some(Motor::Speed { target: Drive::Constant(5.0), greatest: 1e-3 });
        world.add_joint(axle);
        let told = run(&mut *stepper, &mut world, DT, DT);
        let reduced = told.times(|what| matches!(what, EventKind::RestitutionReduced { .. }));
        assert_eq!(reduced, [0.0], "{}: {:?}", stepper.name(), told.events);
        near(told.last.ledger.impacts, 0.0, 1e-6, stepper.name());
        assert!(told.certified && told.last.ledger.impacts >= 0.0, "{:?}", told.events);
    }
}

/// A cube that is nearly there, nearer than what counts as apart, and comes on: it strikes, and
/// its motion is lost. Were it slowed down over the step instead, it would sink in, be lifted,
/// and stones that rock would rock for ever.
#[test]
fn what_nearly_touches_strikes() {
    for gap in [2e-9, 1e-8, 5e-8] {
        let mut world = on_ground(Material::new(0.5));
        world.gravity = DVec3::ZERO;
        let start = DVec3::new(0.0, 0.0, 0.1 + gap);
        let cube = world.add_body(body("cube", cuboid(0.1, 0.1, 0.1), 1.0, start));
        world.set_velocity(cube, DVec3::NEG_Z);
        let mut stepper = TimeStepping::default();
        let told = run(&mut stepper, &mut world, DT, DT);
        assert!(told.certified, "{gap}");
        let height = world.pose(cube).position.z - 0.1;
        assert!((-1e-15..=gap).contains(&height), "{gap}: {height:e}");
        near(told.last.ledger.impacts, 0.5, 1e-12, "lost");
    }
}

/// Steps whose lengths differ by rounding are one piece each.
#[test]
fn steps_leave_no_slivers() {
    let mut world = sliding_cube(on_ground(Material::new(0.3)), DVec3::X);
    let mut stepper = TimeStepping::default();
    let first = stepper.step(&mut world, DT);
    for k in 1..9 {
        let report = stepper.step(&mut world, DT * (1.0 + f64::from(k) * 1e-11));
        assert!(report.certified && report.solves <= first.solves, "{k}: {}", report.solves);
    }
}

/// Three balls in a row, two at rest and touching, struck without loss. At once (Baraff 1989):
/// `2 j₁ − j₂ = 2`, `2 j₂ − j₁ = 0`. One after the other: the last flies.
#[test]
fn three_touching_balls() {
    let expected = [
        (ImpactModel::Simultaneous, [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        (ImpactModel::Propagation, [0.0, 0.0, 1.0]),
    ];
    for (model, speeds) in expected {
        for mut stepper in steppers() {
            let mut world = World::new();
            world.gravity = DVec3::ZERO;
            world.materials = vec![Material::new(0.0).with_restitution(1.0)];
            world.impacts = model;
            for (name, x) in [("first", -0.7), ("second", 0.0), ("third", 0.5)] {
                world.add_body(body(
                    name,
                    Shape::Ball { radius: 0.25 },
                    1.0,
                    DVec3::new(x, 0.0, 0.0),
                ));
            }
            world.set_velocity(id(0), DVec3::X);
            run(&mut *stepper, &mut world, 0.5, DT);
            for (index, speed) in speeds.iter().enumerate() {
                let label = format!("{model:?}, ball {index}, {}", stepper.name());
                near(world.twist(id(index)).linear.x, *speed, EXACT, &label);
            }
        }
    }
}

/// A rod that slides with its tip ahead so that no force holds it (Baraff 1991, figure 4a).
mod painleve {
    use super::{G, integral};

    /// Of the round tip (m).
    pub const TIP: f64 = 1e-3;
    pub const SPEED: f64 = 2.0;
    pub const INERTIA: f64 = 1.0 / 3.0;

    pub fn angle() -> f64 {
        2_f64.atan()
    }

    /// Rate of turning that the impulse leaves: the point of contact, `r` from the middle of the
    /// rod, stops. `J = K⁻¹ (v₀, 0)`, `ω = r × J / I`.
    pub fn rate() -> f64 {
        let (sin, cos) = angle().sin_cos();
        let (x, z) = (-cos, -(sin + TIP));
        let (a, b, c) = (1.0 + z * z / INERTIA, -x * z / INERTIA, 1.0 + x * x / INERTIA);
        let [jx, jz] = [c * SPEED / (a * c - b * b), -b * SPEED / (a * c - b * b)];
        (x * jz - z * jx) / INERTIA
    }

    /// Then the tip rolls: `½ J(θ) θ̇² + g sin θ` stays, `J = I + 1 + r² + 2 r sin θ`.
    fn rolls(angle: f64) -> f64 {
        let about = |angle: f64| INERTIA + 1.0 + TIP * TIP + 2.0 * TIP * angle.sin();
        let start = self::angle();
        let kinetic = about(start) * rate().powi(2) - 2.0 * G * (angle.sin() - start.sin());
        (kinetic / about(angle)).sqrt()
    }

    /// Angle and rate after a time.
    pub fn after(time: f64) -> [f64; 2] {
        let start = angle();
        let (mut low, mut high) = (start, start + 2.0 * time * rate());
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            let taken = integral(|angle| 1.0 / rolls(angle), start, middle);
            *(if taken < time { &mut low } else { &mut high }) = middle;
        }
        [low, rolls(low)]
    }
}

#[test]
fn painleve_rod_gets_one_impulse() {
    let (sin, cos) = painleve::angle().sin_cos();
    let mut world = on_ground(Material::new(2.0));
    let tip = |side: f64| {
        let centre = side * DVec3::new(cos, 0.0, sin);
        part(Shape::Ball { radius: painleve::TIP }, Pose::at(centre))
    };
    let place = DVec3::new(cos, 0.0, sin + painleve::TIP);
    let inertia = DVec3::splat(painleve::INERTIA);
    let rod = world.add_body(weighted("rod", vec![tip(-1.0), tip(1.0)], 1.0, inertia, place));
    world.set_velocity(rod, -painleve::SPEED * DVec3::X);
    let mut stepper = EventDriven::default();
    let told = run(&mut stepper, &mut world, 0.025, DT);
    let impulses = told.times(|what| matches!(what, EventKind::Impulse { .. }));
    assert_eq!(impulses, [0.0], "{:?}", told.events);
    assert!(told.certified && !told.fell_back(), "{:?}", told.events);
    let [angle, rate] = painleve::after(0.025);
    // A turn from x to z is one about −y.
    near(-world.twist(rod).angular.y, rate, EXACT, "rate");
    near(-about_y(&world, rod), angle - painleve::angle(), EXACT, "angle");
}
