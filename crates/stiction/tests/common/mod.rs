//! Small builders that the tests of simulations share.
#![allow(dead_code)] // each test file uses some of them

pub mod joints;

use glam::{DMat3, DQuat, DVec3};
use stiction::scene::Scene;
use stiction::{
    Body, BodyId, Event, EventDriven, EventKind, Material, Report, Stepper, TimeStepping, World,
};
use stiction_geometry::{MassProperties, Part, Pose, Shape, Twist};

/// Acceleration of free fall in [`World::new`] (m/s²).
pub const G: f64 = 9.81;

/// The usual step of time-stepping (s).
pub const DT: f64 = 1.0 / 240.0;

/// How far event-driven motion may be from a closed form (m, s, rad, m/s).
pub const EXACT: f64 = 1e-9;

/// The body of a number.
pub fn id(index: usize) -> BodyId {
    BodyId::from_index(index)
}

/// A part in the frame of its body.
pub fn part(shape: Shape, pose: Pose) -> Part {
    Part::new(shape, pose).expect("a shape with positive sizes")
}

/// A box by half its edges.
pub fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box { half: DVec3::new(x, y, z) }
}

/// A free body of uniform density and this mass.
pub fn body(name: &str, shape: Shape, mass: f64, position: DVec3) -> Body {
    let uniform = MassProperties::of_shape(&shape, 1.0).expect("a solid").with_mass(mass);
    let parts = vec![part(shape, Pose::IDENTITY)];
    Body::with_mass(name, parts, uniform, Pose::at(position)).expect("a finite centre")
}

/// A free body with its mass and inertia as given, centre at the origin of its parts.
pub fn weighted(name: &str, parts: Vec<Part>, mass: f64, inertia: DVec3, position: DVec3) -> Body {
    let inertia = DMat3::from_diagonal(inertia);
    let mass = MassProperties { mass, centre: DVec3::ZERO, inertia };
    Body::with_mass(name, parts, mass, Pose::at(position)).expect("a finite centre")
}

/// A world of one material on a fixed half-space below z = 0, which is body 0.
pub fn on_ground(material: Material) -> World {
    let mut world = World::new();
    world.materials = vec![material];
    world.add_ground();
    world
}

/// The same, tilted about y so that +x runs downhill along the ground.
pub fn on_incline(material: Material, angle: f64) -> World {
    let mut world = on_ground(material);
    world.gravity = G * DVec3::new(angle.sin(), 0.0, -angle.cos());
    world
}

/// Both steppers with inertia.
pub fn steppers() -> [Box<dyn Stepper>; 2] {
    [Box::new(EventDriven::default()), Box::new(TimeStepping::default())]
}

/// What a run reported.
pub struct Outcome {
    /// Of the last step.
    pub last: Report,
    /// Of all steps.
    pub events: Vec<Event>,
    /// Whether every step was certified.
    pub certified: bool,
}

impl Outcome {
    /// When something of a kind happened (s).
    pub fn times(&self, wanted: impl Fn(&EventKind) -> bool) -> Vec<f64> {
        self.events.iter().filter(|event| wanted(&event.what)).map(|event| event.time).collect()
    }

    /// Whether time-stepping had to help.
    pub fn fell_back(&self) -> bool {
        self.events.iter().any(|event| matches!(event.what, EventKind::FellBack { .. }))
    }
}

/// Steps a world for this time in equal steps no longer than `dt`, `watch` after each.
pub fn watched(
    stepper: &mut dyn Stepper,
    world: &mut World,
    time: f64,
    dt: f64,
    mut watch: impl FnMut(&World, &Report),
) -> Outcome {
    world.validate().expect("a world that can be simulated");
    let count = (time / dt - 1e-9).ceil().max(1.0);
    let mut outcome = Outcome { last: Report::default(), events: Vec::new(), certified: true };
    let mut made = 0.0;
    while made < count {
        outcome.last = stepper.step(world, time / count);
        outcome.events.extend(outcome.last.events.iter().cloned());
        outcome.certified &= outcome.last.certified;
        watch(world, &outcome.last);
        made += 1.0;
    }
    outcome
}

/// Steps a world for this time in equal steps no longer than `dt`.
pub fn run(stepper: &mut dyn Stepper, world: &mut World, time: f64, dt: f64) -> Outcome {
    watched(stepper, world, time, dt, |_, _| ())
}

/// Two numbers that must agree.
#[track_caller]
pub fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= tolerance, "{what}: {found} is not {expected}, off by {error:e}");
}

/// A turn about an axis.
pub fn turn(axis: DVec3, angle: f64) -> DQuat {
    DQuat::from_axis_angle(axis, angle)
}

/// Simpson's rule with many intervals, for smooth integrands.
pub fn integral(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const HALVES: u32 = 20_000;
    let h = (to - from) / f64::from(2 * HALVES);
    let at = |i: u32| f(from + h * f64::from(i));
    let inner: f64 =
        (1..2 * HALVES).map(|i| if i % 2 == 1 { 4.0 * at(i) } else { 2.0 * at(i) }).sum();
    h / 3.0 * (at(0) + inner + at(2 * HALVES))
}

/// One step of the classical Runge–Kutta method.
pub fn runge_kutta<const N: usize>(
    rate: &impl Fn(&[f64; N]) -> [f64; N],
    y: &[f64; N],
    h: f64,
) -> [f64; N] {
    let ahead = |k: &[f64; N], part: f64| std::array::from_fn(|i| y[i] + part * h * k[i]);
    let a = rate(y);
    let b = rate(&ahead(&a, 0.5));
    let c = rate(&ahead(&b, 0.5));
    let d = rate(&ahead(&c, 1.0));
    std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]))
}

/// Splitmix64: the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `count`.
    pub fn index(&mut self, count: u64) -> u64 {
        self.bits() % count
    }

    /// In [low, high).
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Each coordinate in [−1, 1).
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0))
    }

    /// Any attitude.
    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_scaled_axis(3.0 * self.vector())
    }
}

/// By how much the forces and torques in a report differ from what moves each body in
/// a step this short, `m (v⁺ − v) / dt − m g` and its like about the centre of mass, as parts of
/// the largest force and torque there is, or of 1e-6 N and N·m.
pub fn unexplained(world: &World, before: &[Twist], dt: f64, report: &Report) -> f64 {
    let mut reported = vec![Twist::ZERO; world.state.poses.len()];
    let mut push = |body: BodyId, point: DVec3, force: DVec3, torque: DVec3| {
        reported[body.index()].linear += force;
        reported[body.index()].angular += torque + (point - world.pose(body).position).cross(force);
    };
    for contact in &report.contacts {
        let force = contact.normal * contact.normal_force + contact.friction_force;
        push(contact.key.a, contact.point, force, DVec3::ZERO);
        push(contact.key.b, contact.point, -force, DVec3::ZERO);
    }
    for ((_, joint), record) in world.joints().zip(&report.joints) {
        let centre = world.pose(joint.a).position;
        push(joint.a, centre, record.force, record.torque);
        joint.b.into_iter().for_each(|b| push(b, centre, -record.force, -record.torque));
    }
    for spring in world.springs() {
        let b = spring.b.map_or((Pose::IDENTITY, Twist::ZERO), |b| (world.pose(b), world.twist(b)));
        let a = (world.pose(spring.a), world.twist(spring.a));
        let ends = [a.0.point(spring.on_a), b.0.point(spring.on_b)];
        let along = (ends[0] - ends[1]).normalize_or_zero();
        let rate = along.dot(a.1.at(&a.0, ends[0]) - b.1.at(&b.0, ends[1]));
        let stretch = (ends[0] - ends[1]).length() - spring.length;
        let pull = -(spring.stiffness * stretch + spring.damping * rate) * along;
        push(spring.a, ends[0], pull, DVec3::ZERO);
        spring.b.into_iter().for_each(|b| push(b, ends[1], -pull, DVec3::ZERO));
    }
    // Forces that hold bodies in the plane of a planar world are not reported.
    let in_plane = |v: DVec3| world.plane.map_or(v, |n| v - n * n.dot(v));
    let about = |v: DVec3| world.plane.map_or(v, |n| n * n.dot(v));
    let (mut worst, mut scale) = ([0.0_f64; 2], [1e-6_f64; 2]);
    for (id, body) in world.free_bodies() {
        let i = id.index();
        let (old, new) = (&before[i], &world.twist(id));
        let turn = DMat3::from_quat(world.pose(id).rotation);
        let inertia = turn * body.inertia * turn.transpose();
        let spin = 0.5 * (old.angular + new.angular);
        let weight = body.mass * world.gravity + body.force;
        let force = body.mass * (new.linear - old.linear) / dt;
        let torque = inertia * ((new.angular - old.angular) / dt) + spin.cross(inertia * spin);
        worst[0] = worst[0].max(in_plane(force - weight - reported[i].linear).length());
        worst[1] = worst[1].max(about(torque - body.torque - reported[i].angular).length());
        scale[0] = scale[0].max(weight.length() + reported[i].linear.length());
        scale[1] =
            scale[1].max(body.bounding_radius() * weight.length() + reported[i].angular.length());
    }
    (worst[0] / scale[0]).max(worst[1] / scale[1])
}

/// Rotation of a body about +y (rad).
pub fn about_y(world: &World, body: BodyId) -> f64 {
    let x = world.pose(body).direction(DVec3::X);
    (-x.z).atan2(x.x)
}

/// Kinetic and potential energy (J).
pub fn energy(world: &World) -> f64 {
    world.kinetic_energy(&world.state) + world.potential_energy(&world.state)
}

/// A scene that is refused with this line and field, and a message that contains this part.
#[track_caller]
pub fn check_fault(text: &str, line: usize, field: &str, part: &str) {
    let Err(error) = Scene::parse(text, "test.toml") else { panic!("no fault found in\n{text}") };
    let shown = error.to_string();
    let start = format!("test.toml:{line}: {field}: ");
    assert!(
        shown.starts_with(&start) && shown.contains(part),
        "{text}\n{shown}\nnot {start}{part}"
    );
}
