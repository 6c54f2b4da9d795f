//! `auto` solves islands separately, each by a suitable method.

mod common;

use common::{Recipe, random_problem};
use stiction_solvers::{
    Answer, Auto, Contact, ContactProblem, ContactSolver, Level, Row, SolveError, gallery,
};

/// Two problems of one level in one, not connected.
fn beside(one: ContactProblem, other: ContactProblem) -> ContactProblem {
    let (level, mut bodies, mut contacts, mut bilateral, mut bounded) = one.into_parts();
    let (_, more_bodies, more_contacts, more_rows, more_bounded) = other.into_parts();
    let shift = bodies.len();
    let row = |row: Row| Row { a: row.a + shift, b: row.b.map(|b| b + shift), ..row };
    bodies.extend(more_bodies);
    contacts.extend(more_contacts.into_iter().map(|c| Contact {
        a: c.a + shift,
        b: c.b.map(|b| b + shift),
        ..c
    }));
    bilateral.extend(more_rows.into_iter().map(row));
    bounded.extend(
        more_bounded.into_iter().map(|b| stiction_solvers::BoundedRow { row: row(b.row), ..b }),
    );
    ContactProblem::new(level, bodies, contacts, bilateral, bounded).expect("valid")
}

#[test]
fn islands_are_solved_separately_and_combined() {
    let rough = gallery::two_boxes(1.0, 3.0, 0.5).expect("valid");
    let smooth = gallery::brick_on_two_feet(2.0, 0.3, 0.7).expect("valid");
    let both = beside(rough.clone(), smooth.clone());
    let Ok(solution) = Auto::default().solve(&both) else { panic!("no forces") };
    assert!(solution.certificate.is_certified());
    assert_eq!(solution.provenance.solver, "several");
    let sum: f64 = solution.forces.contacts[..4].iter().map(|f| f.normal).sum();
    assert!((sum - 4.0 * 9.81).abs() < 1e-9, "{sum}");
    let feet: f64 = solution.forces.contacts[8..].iter().map(|f| f.normal).sum();
    assert!((feet - 2.0 * 9.81).abs() < 1e-9, "{feet}");
}

#[test]
fn an_impulse_of_one_island_is_an_impulse_of_the_whole() {
    let still = gallery::brick_on_two_feet(2.0, 0.3, 0.7).expect("valid");
    let rod = gallery::sliding_rod(1.0, -1.0).expect("valid");
    let alone = Auto::default().solve(&rod);
    assert!(alone.as_ref().is_ok_and(Answer::is_impulse), "{alone:?}");
    let both = beside(still, rod);
    let Ok(ray) = Auto::default().solve(&both) else { panic!("no ray") };
    assert!(ray.is_impulse() && ray.is_certified());
    assert!(ray.forces.contacts[..2].iter().all(|f| f.normal == 0.0));
}

#[test]
fn random_pairs_of_problems_are_certified() {
    let recipe = Recipe { friction: true, rows: true, ..Recipe::PLAIN };
    let (mut certified, mut consistent) = (0, 0);
    for seed in 0..400 {
        let [one, other] = [2 * seed, 2 * seed + 1].map(|seed| random_problem(seed, &recipe));
        let (_, bodies, contacts, rows, bounded) = other.into_parts();
        let other = ContactProblem::new(one.level(), bodies, contacts, rows, bounded);
        let both = beside(one, other.expect("valid"));
        match Auto::default().solve(&both) {
            Err(SolveError::Contradiction { .. }) => continue,
            Ok(answer) if answer.is_certified() => certified += 1,
            other => println!("pair {seed}: {other:?}"),
        }
        consistent += 1;
    }
    println!("{certified} of {consistent} pairs certified");
    assert!(f64::from(certified) >= 0.99 * f64::from(consistent));
}

#[test]
fn an_empty_problem_is_solved() {
    let empty = ContactProblem::new(Level::Velocity, vec![], vec![], vec![], vec![]);
    let outcome = Auto::default().solve(&empty.expect("valid"));
    assert!(outcome.is_ok_and(|answer| answer.is_certified() && !answer.is_impulse()));
}
