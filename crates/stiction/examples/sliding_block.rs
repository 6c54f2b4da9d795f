//! A block slides to a stop on a rough floor, with both steppers.
//!
//! Shows how to build a world, name a body by its handle, step, and read poses and contact forces.
//! With initial speed `v` and friction `μ` the block stops after `v / (μ g)` at a displacement of
//! `v² / (2 μ g)`; meanwhile friction is `μ m g`.
//!
//! Run it with `cargo run --release -p stiction --example sliding_block`.

use std::error::Error;
use stiction::prelude::*;

const GRAVITY: f64 = 9.81;

/// A block on the floor that moves along x.
fn block_on_floor(friction: f64, speed: f64) -> Result<(World, BodyId), Box<dyn Error>> {
    let mut world = World::new();
    world.materials[0] = Material::new(friction);
    world.add_ground();
    let shape = Shape::Box { half: DVec3::new(0.2, 0.1, 0.1) };
    let block = world.add_body(Body::new("block", shape, 500.0, 0.1 * DVec3::Z)?);
    world.set_velocity(block, speed * DVec3::X);
    world.validate()?;
    Ok((world, block))
}

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let (friction, speed, dt) = (0.4, 2.0, 1.0 / 240.0);
    let expected = speed * speed / (2.0 * friction * GRAVITY);
    // Event-driven motion is exact; time-stepping locates the stop to within a part of a step.
    let steppers: [(Box<dyn Stepper>, f64); 2] = [
        (Box::new(EventDriven::default()), 1e-9),
        (Box::new(TimeStepping::default()), friction * GRAVITY * dt * dt),
    ];
    for (mut stepper, tolerance) in steppers {
        let (mut world, block) = block_on_floor(friction, speed)?;
        let weight = world.body(block).mass * GRAVITY;
        while world.state.time < 1.0 {
            let report = stepper.step(&mut world, dt);
            assert!(report.certified, "every answer is certified");
            if world.twist(block).linear.x > 0.1 {
                let force = report.contact_force(block);
                let expected = weight * DVec3::new(-friction, 0.0, 1.0);
                assert!(force.distance(expected) < 1e-6 * weight, "{force} N");
            }
        }
        let displacement = world.pose(block).position.x;
        println!("{:>13}: {displacement:.9} m, closed form {expected:.9} m", stepper.name());
        assert!((displacement - expected).abs() < tolerance);
        assert!(world.twist(block).linear.length() < 1e-9, "it rests");
    }
    Ok(())
}
