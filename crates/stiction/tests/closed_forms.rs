//! Sliding and rolling bodies against closed forms of mechanics, derived here.

mod common;

use common::{
    DT, EXACT, G, about_y, body, cuboid, id, integral, near, on_ground, on_incline, part, run,
    runge_kutta, steppers, weighted,
};
use glam::{DMat3, DVec3};
use stiction::drive::Drive;
use stiction::{
    Body, EventDriven, EventKind, Material, Motion, Spring, Stepper, TimeStepping, World,
};
use stiction_geometry::{MassProperties, Part, Polyhedron, Pose, Shape, Twist};

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
    let displacement = speed * speed / (2.0 * friction * G);
    let time = speed / (friction * G);
    let tolerances = [EXACT, friction * G * DT * DT / 8.0];
    for (mut stepper, tolerance) in steppers().into_iter().zip(tolerances) {
        let mut world = sliding_cube(on_ground(Material::new(friction)), speed * DVec3::X);
        let outcome = run(&mut *stepper, &mut world, 2.0, DT);
        assert!(outcome.certified && !outcome.fell_back(), "{:?}", outcome.events);
        let place = world.pose(id(1)).position;
        near(place.x, displacement, tolerance, "displacement");
        near(place.y, 0.0, tolerance, "aside");
        near(place.z, 0.1, EXACT, "height");
        near(world.twist(id(1)).linear.length(), 0.0, EXACT, "speed");
        if stepper.name() == "event-driven" {
            let stops = outcome.times(|what| matches!(what, EventKind::Sticks(_)));
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
    near(down, 1.344_044_924_301, 1e-11, "displacement down in print");
    near(across, 1.189_451_680_857, 1e-11, "displacement across in print");
    for (mut stepper, tolerance) in steppers().into_iter().zip([EXACT, 1e-5]) {
        let velocity = speed * DVec3::new(start.cos(), start.sin(), 0.0);
        let mut world = sliding_cube(on_incline(Material::new(friction), incline), velocity);
        let outcome = run(&mut *stepper, &mut world, 2.5, DT);
        assert!(outcome.certified && !outcome.fell_back(), "{:?}", outcome.events);
        let place = world.pose(id(1)).position;
        near(place.x, down, tolerance, &format!("displacement down, {}", stepper.name()));
        near(place.y, across, tolerance, &format!("displacement across, {}", stepper.name()));
        if stepper.name() == "event-driven" {
            let stops = outcome.times(|what| matches!(what, EventKind::Sticks(_)));
            near(*stops.first().expect("it stops"), time, EXACT, "time");
        }
    }
}

/// A ball that slides without turning rolls after `2 v₀ / (7 μ g)` at `5 v₀ / 7`.
#[test]
fn bowling() {
    let (speed, friction, radius) = (8.0, 0.12, 0.108);
    let time = 2.0 * speed / (7.0 * friction * G);
    let displacement = speed * time - 0.5 * friction * G * time * time;
    for (mut stepper, tolerance) in steppers().into_iter().zip([EXACT, 1e-7]) {
        let mut world = on_ground(Material::new(friction));
        let ball = Shape::Ball { radius };
        let index = world.add_body(body("ball", ball, 7.0, DVec3::new(0.0, 0.0, radius)));
        world.set_velocity(index, speed * DVec3::X);
        let outcome = run(&mut *stepper, &mut world, 3.0, DT);
        let twist = world.twist(index);
        let rolls = 5.0 * speed / 7.0;
        near(twist.linear.x, rolls, tolerance, "speed");
        near(twist.angular.y, rolls / radius, tolerance / radius, "spin");
        let end = displacement + rolls * (3.0 - time);
        near(world.pose(index).position.x, end, tolerance, "displacement");
        if stepper.name() == "event-driven" {
            let sticks = outcome.times(|what| matches!(what, EventKind::Sticks(_)));
            assert_eq!(sticks.len(), 1, "{:?}", outcome.events);
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

    /// The force on the rod across it, at angle, distance of the edge from the middle, and their rates:
    /// `f (1 + s²/I) = g cos θ − 2 ṡ θ̇`.
    fn force([angle, displacement, turning, slip]: &[f64; 4]) -> f64 {
        (G * angle.cos() - 2.0 * slip * turning) / (1.0 + displacement * displacement / INERTIA)
    }

    /// `θ̈ = s f / I`, `s̈ = s θ̇² + g sin θ − μ f`.
    fn slides(y: &[f64; 4]) -> [f64; 4] {
        let [angle, displacement, turning, slip] = *y;
        let f = force(y);
        let along = displacement * turning * turning + G * angle.sin() - FRICTION * f;
        [turning, slip, displacement * f / INERTIA, along]
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

#[test]
fn rod_over_an_edge() {
    let (slips, angle) = (rod::slip_time(), rod::slip_angle());
    near(angle.to_degrees(), 16.389_540_334_03, 1e-10, "angle in print");
    near(slips, 0.233_622_597_059_4, 1e-12, "time in print");
    let (lifts, lift_angle) = rod::lift_off();
    near(lifts, 0.423_809_308_34, 1e-10, "time of lifting off in print");
    near(lift_angle.to_degrees(), 51.8429, 1e-4, "angle of lifting off in print");

    let mut world = rod::world();
    let outcome = run(&mut EventDriven::default(), &mut world, slips, 1.0);
    near(about_y(&world, id(1)), angle, EXACT, "angle at which it slips");
    assert!(outcome.certified && !outcome.fell_back(), "{:?}", outcome.events);

    let mut world = rod::world();
    let outcome = run(&mut EventDriven::default(), &mut world, lifts, 1.0);
    near(about_y(&world, id(1)), lift_angle, EXACT, "angle at which it lifts off");
    assert!(outcome.certified && !outcome.fell_back(), "{:?}", outcome.events);

    let mut world = rod::world();
    let outcome = run(&mut EventDriven::default(), &mut world, 0.45, 1.0);
    let times = outcome.times(|what| matches!(what, EventKind::Slips(_)));
    assert_eq!(times.len(), 1, "{:?}", outcome.events);
    near(times[0], slips, EXACT, "when it slips");
    let times = outcome.times(|what| matches!(what, EventKind::Parts(_)));
    assert_eq!(times.len(), 1, "{:?}", outcome.events);
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

    pub fn displacement(time: f64) -> f64 {
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
            let held = |t: f64| place + displacement(t) - displacement(time);
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

/// The block, with its own kind of support, for 5 s.
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
    let displacements = times.iter().map(|t| belt::displacement(*t)).collect();
    belt.motion = Motion::Driven {
        along: DVec3::X,
        position: Drive::table(times, displacements).expect("a table"),
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
    let outcome = run(&mut EventDriven::default(), &mut world, 5.0, DT);
    assert!(outcome.certified && !outcome.fell_back(), "{:?}", outcome.events);
    let changes = |what: &EventKind| matches!(what, EventKind::Sticks(_) | EventKind::Slips(_));
    let mut times = outcome.times(changes);
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
    let outcome = run(&mut stepper, &mut world, sticks, DT);
    assert!(outcome.certified && !outcome.fell_back(), "{:?}", outcome.events);
    let place = world.pose(index).position;
    near(place.x, pose[0], EXACT, "x");
    near(place.y, pose[1], EXACT, "y");
    near(place.z, 0.0, EXACT, "z");
    near(world.twist(index).angular.z, pose[5], 1e-7, "spin");
    let more = run(&mut stepper, &mut world, 0.1, DT);
    let mut events = outcome.events.iter().chain(&more.events);
    let first = events.find(|e| matches!(e.what, EventKind::Sticks(_))).expect("a stick");
    near(first.time, sticks, EXACT, &format!("when foot {which} sticks"));
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
