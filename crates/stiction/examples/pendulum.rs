//! A pendulum on a hinge with dry friction, and the energy ledger.
//!
//! The rod is released at rest from the horizontal. Of the energy `m g h` that it loses in height,
//! the hinge turns `τ |θ|` to heat, with `τ` its dry friction and `|θ|` the angle it has turned
//! through; the rest is kinetic energy, `½ I θ̇²` about the hinge. The ledger accounts for all of it.
//!
//! Run it with `cargo run --release -p stiction --example pendulum`.

use std::error::Error;
use stiction::prelude::*;

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let (half_length, friction) = (0.5, 0.05);
    let mut world = World::new();
    let shape = Shape::Box { half: DVec3::new(half_length, 0.02, 0.02) };
    let rod = world.add_body(Body::new("rod", shape, 1000.0, half_length * DVec3::X)?);
    let pose = world.pose(rod);
    let mut hinge =
        Joint::at(JointKind::Hinge, "pivot", (rod, &pose), None, DVec3::ZERO, DVec3::Y)?;
    hinge.friction = friction;
    let hinge = world.add_joint(hinge);
    world.validate()?;

    let body = world.body(rod);
    let (mass, inertia) = (body.mass, body.inertia.y_axis.y + body.mass * half_length.powi(2));
    let (mut stepper, mut angle, mut turned) = (EventDriven::default(), 0.0_f64, 0.0);
    while world.state.time < 2.0 {
        let report = stepper.step(&mut world, 0.001);
        assert!(report.certified);
        let now = report.joint(hinge).coordinate.unwrap_or_default();
        turned += (now - angle).abs();
        angle = now;

        let height = -world.pose(rod).position.z;
        let kinetic = 0.5 * inertia * world.twist(rod).angular.y.powi(2);
        let expected = mass * 9.81 * height - friction * turned;
        // A swing that turns back within a step turns a little farther than its ends say.
        assert!((kinetic - expected).abs() < 1e-5, "{kinetic} J, not {expected} J");
        assert!((report.ledger.friction - friction * turned).abs() < 1e-5);
        assert!(report.ledger.error() < 1e-9, "{:?}", report.ledger);
    }
    let ledger = EnergyLedger::open(&world);
    println!("after 2 s: angle {angle:.6} rad, {turned:.3} rad turned through");
    println!("kinetic {:.6} J, heat {:.6} J", ledger.kinetic, friction * turned);
    Ok(())
}
