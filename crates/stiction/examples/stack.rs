//! A stack of three boxes at rest: its contact forces, and which of them are unique.
//!
//! Each face rests on four corners, one more than needed, so that the weight can be shared in many
//! ways: no single force is unique, but the sum at each face is the weight above it. Stiction
//! returns the minimum-norm forces, which share it equally.
//!
//! Run it with `cargo run --release -p stiction --example stack`.

use std::error::Error;
use stiction::prelude::*;
use stiction::uniqueness;

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let mut world = World::new();
    let mut below = world.add_ground();
    let mut pairs = Vec::new();
    for i in 0..3 {
        let shape = Shape::Box { half: DVec3::splat(0.1) };
        let place = DVec3::new(0.0, 0.0, 0.1 + 0.2 * f64::from(i));
        let box_i = world.add_body(Body::new(&format!("box {i}"), shape, 500.0, place)?);
        pairs.push((box_i, below));
        below = box_i;
    }
    world.validate()?;
    let weight = world.body(below).mass * 9.81;

    let report = EventDriven::default().step(&mut world, 0.1);
    assert!(report.certified && report.events.is_empty(), "the stack rests");
    let frame = Frame::capture(1, &world, report);
    let unique = uniqueness(&world, &frame);

    for (above, (top, bottom)) in (1..=3).rev().zip(pairs) {
        let (top_name, bottom_name) = (&world.body(top).name, &world.body(bottom).name);
        let mut sum = 0.0;
        for (contact, verdict) in frame.contacts.iter().zip(&unique.forces) {
            if contact.key.bodies() == [top, bottom] || contact.key.bodies() == [bottom, top] {
                println!("{top_name} on {bottom_name}: {:.3} N, {verdict:?}", contact.normal_force);
                assert_eq!(*verdict, Uniqueness::NotUnique);
                assert!((contact.normal_force - f64::from(above) * weight / 4.0).abs() < 1e-6);
                sum += contact.normal_force;
            }
        }
        println!("  together {sum:.6} N: the weight of {above}");
        assert!((sum - f64::from(above) * weight).abs() < 1e-9 * weight);
    }
    Ok(())
}
