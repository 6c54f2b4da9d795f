//! One contact problem, solved, and judged by hand.
//!
//! A table of 3 kg stands on four legs and is pushed sideways. The problem is written down as bodies
//! and contacts, without shapes or time; a solver finds the forces, and the judge, which shares
//! no code with solvers, says what they are worth. Forces that were tampered with are not certified.
//!
//! Run it with `cargo run --release -p stiction --example contact_problem`.

use std::error::Error;
use stiction::solvers::{
    Auto, Body, Contact, ContactProblem, ContactSolver, Friction, Level, Status, judge,
};

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    // A push of 6 N at the centre of mass: 2 m/s² sideways if nothing held the table.
    let (mass, gravity, push) = (3.0, 9.81, 2.0);
    let inertia = [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.5]];
    let table = Body::rigid(mass, inertia, [0.0, 0.0, 0.7])
        .with_free_response([push, 0.0, -gravity, 0.0, 0.0, 0.0]);
    let legs = [[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]];
    let law = Friction::Static { friction: 0.5 };
    let contacts = legs.map(|foot| Contact::new(0, None, foot, [0.0, 0.0, 1.0], law));
    let bodies = vec![table];
    let problem =
        ContactProblem::new(Level::Acceleration, bodies, contacts.to_vec(), vec![], vec![])?;

    let answer = Auto::default().solve(&problem)?;
    println!("{:?} by {}", answer.status, answer.provenance.solver);
    assert!(matches!(answer.status, Status::Certified(_)));
    let normals: Vec<f64> = answer.forces.contacts.iter().map(|force| force.normal).collect();
    println!("normal forces {normals:.3?} N");
    // The push at height h tips the table: the two legs in front carry more, by m a h / b each pair.
    let (front, back) = (normals[1] + normals[2], normals[0] + normals[3]);
    assert!((front + back - mass * gravity).abs() < 1e-9);
    assert!((front - back - 2.0 * mass * push * 0.7).abs() < 1e-9);

    // The judge recomputes the motion from the forces alone.
    let certificate = judge::judge(&problem, &answer.forces);
    assert!(certificate.is_certified() && certificate.residual() < 1e-12);
    let mut tampered = answer.forces.clone();
    tampered.contacts[0].normal += 0.001;
    let certificate = judge::judge(&problem, &tampered);
    println!("one newton in a thousand more: residual {:.1e}", certificate.residual());
    assert!(!certificate.is_certified());

    // How the legs share the weight is not determined; that together they carry it is.
    let determinacy = judge::determinacy(&problem, &answer.forces);
    println!("{} independent shifts of forces change no motion", determinacy.freedom);
    assert!(determinacy.freedom > 0 && determinacy.sum_is_unique(&[1.0; 4]));
    Ok(())
}
