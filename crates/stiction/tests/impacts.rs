//! Collisions and impulses against closed forms of mechanics, derived here.

mod common;

use common::{
    DT, EXACT, G, about_y, body, cuboid, energy, id, integral, near, on_ground, part, run,
    steppers, turn, watched, weighted,
};
use glam::DVec3;
use std::f64::consts::PI;
use stiction::drive::Drive;
use stiction::joint::{Joint, JointKind, Motor};
use stiction::{EventDriven, EventKind, ImpactModel, Material, TimeStepping, World};
use stiction_geometry::{Pose, Shape, Twist};

/// A ball that bounces with restitution ε rests after `√(2h/g) (1 + ε) / (1 − ε)`.
#[test]
fn bounces_without_number_come_to_rest() {
    let (height, restitution, radius) = (1.0, 0.5, 0.1);
    let time = (2.0 * height / G).sqrt() * (1.0 + restitution) / (1.0 - restitution);
    let mut world = on_ground(Material::new(0.5).with_restitution(restitution));
    let start = DVec3::new(0.0, 0.0, radius + height);
    let ball = world.add_body(body("ball", Shape::Ball { radius }, 1.0, start));
    let outcome = run(&mut EventDriven::default(), &mut world, 2.0, DT);
    assert!(outcome.certified && !outcome.fell_back(), "{:?}", outcome.events);
    let bounces = outcome.times(|what| matches!(what, EventKind::Collision { .. }));
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
        let outcome = run(&mut *stepper, &mut world, 1.0, DT);
        assert!(outcome.certified, "{}: {:?}", stepper.name(), outcome.events);
        near(world.pose(ball).position.x, -radius / lean.sin(), 1e-9, stepper.name());
        near(world.twist(ball).linear.length(), 0.0, 1e-9, stepper.name());
    }
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
            let outcome = watched(&mut stepper, &mut world, 3.0, DT, |world, _| {
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
            assert!(outcome.certified, "{label}");
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
        let outcome = run(&mut *stepper, &mut world, DT, DT);
        let reduced = outcome.times(|what| matches!(what, EventKind::RestitutionReduced { .. }));
        assert_eq!(reduced, [0.0], "{}: {:?}", stepper.name(), outcome.events);
        near(outcome.last.ledger.impacts, 0.0, 1e-6, stepper.name());
        assert!(outcome.certified && outcome.last.ledger.impacts >= 0.0, "{:?}", outcome.events);
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
        let outcome = run(&mut stepper, &mut world, DT, DT);
        assert!(outcome.certified, "{gap}");
        let height = world.pose(cube).position.z;
        assert!((0.1 - 1e-15..=start.z).contains(&height), "{gap}: {height:e}");
        near(outcome.last.ledger.impacts, 0.5, 1e-12, "lost");
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
    let outcome = run(&mut stepper, &mut world, 0.025, DT);
    let impulses = outcome.times(|what| matches!(what, EventKind::Impulse { .. }));
    assert_eq!(impulses, [0.0], "{:?}", outcome.events);
    assert!(outcome.certified && !outcome.fell_back(), "{:?}", outcome.events);
    let [angle, rate] = painleve::after(0.025);
    // A turn from x to z is one about −y.
    near(-world.twist(rod).angular.y, rate, EXACT, "rate");
    near(-about_y(&world, rod), angle - painleve::angle(), EXACT, "angle");
}
