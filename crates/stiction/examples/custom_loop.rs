//! A loop of one's own: it watches events and certificates, and changes the world on the way.
//!
//! A ball is dropped onto a plate. With restitution `e` it meets the plate at `t₁ = √(2h/g)`, and
//! again after flights of `2 eᵏ v/g`, `v = g t₁`. At the third collision the loop removes the plate:
//! the ball falls on. Handles of what is left stay valid.
//!
//! Run it with `cargo run --release -p stiction --example custom_loop`.

use std::error::Error;
use stiction::prelude::*;

const GRAVITY: f64 = 9.81;

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let (radius, height, restitution) = (0.1, 1.0, 0.6_f64);
    let mut world = World::new();
    world.materials[0] = Material::new(0.3).with_restitution(restitution);
    let plate = Part::new(Shape::Box { half: DVec3::new(1.0, 1.0, 0.1) }, Pose::IDENTITY)?;
    let plate = world.add_body(Body::fixed("plate", vec![plate], Pose::at(-0.1 * DVec3::Z)));
    let place = (radius + height) * DVec3::Z;
    let ball = world.add_body(Body::new("ball", Shape::Ball { radius }, 1000.0, place)?);
    world.validate()?;

    let mut stepper = EventDriven::default();
    let (mut collisions, mut worst) = (Vec::new(), 0.0_f64);
    while collisions.len() < 3 {
        let report = stepper.step(&mut world, 0.01);
        assert!(report.certified, "residual {:e}", report.residual);
        worst = worst.max(report.residual);
        for event in &report.events {
            if let EventKind::Collision { contact, speed, lost } = &event.what {
                assert!(contact.bodies() == [ball, plate]);
                println!("{:.9} s: {speed:.6} m/s, {lost:.3} J lost", event.time);
                collisions.push(event.time);
            }
        }
    }
    let first = (2.0 * height / GRAVITY).sqrt();
    let mut expected = first;
    for (k, time) in (1..).zip(&collisions) {
        assert!((time - expected).abs() < 1e-9, "{time} s, not {expected} s");
        expected += 2.0 * restitution.powi(k) * first;
    }
    println!("worst residual of all answers: {worst:.1e}");

    world.remove_body(plate);
    let (start, speed) = (world.pose(ball).position.z, world.twist(ball).linear.z);
    let report = stepper.step(&mut world, 1.0);
    assert!(report.contacts.is_empty() && !world.contains(plate));
    let fallen = start + speed - 0.5 * GRAVITY - world.pose(ball).position.z;
    assert!(fallen.abs() < 1e-9, "nothing stops the ball");
    Ok(())
}
