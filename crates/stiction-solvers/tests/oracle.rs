//! Dantzig compared with every combination of contact modes.

mod common;

use common::{Recipe, random_problem};
use stiction_solvers::baraff1994::Dantzig;
use stiction_solvers::judge::{self, Law};
use stiction_solvers::{Answer, ContactSolver, gallery, oracle};

/// Problems small enough to enumerate.
const SMALL: Recipe = Recipe { bodies: 3, duplicates: false, planar: true, ..Recipe::PLAIN };

/// Without friction the motion is unique: ours and the oracle's must agree.
#[test]
fn frictionless_motions_are_those_of_the_oracle() {
    for seed in 0..60 {
        let problem = random_problem(seed, &SMALL);
        let found = oracle::enumerate(&problem).expect("small enough");
        assert!(!found.is_empty(), "seed {seed}: frictionless problems have a solution");
        let ours = Dantzig::default().solve(&problem).ok().filter(Answer::is_certified);
        let Some(ours) = ours else {
            panic!("seed {seed}: no forces");
        };
        let motion = judge::response(&problem, &ours.forces).bodies;
        let expected = judge::response(&problem, &found[0]).bodies;
        for (p, q) in motion.as_flattened().iter().zip(expected.as_flattened()) {
            assert!((p - q).abs() < 1e-7, "seed {seed}: {p}, the oracle says {q}");
        }
    }
}

/// With friction in the plane there may be several answers or none: ours is one of them, and a
/// ray occurs only where forces may not exist.
#[test]
fn planar_friction_answers_exist_where_the_oracle_finds_them() {
    let recipe = Recipe { contacts: 5, friction: true, sliding: true, ..SMALL };
    let (mut solved, mut rays, mut several) = (0, 0, 0);
    for seed in 0..400 {
        let problem = random_problem(seed, &recipe);
        let found = oracle::enumerate(&problem).expect("small enough");
        several += usize::from(found.len() > 1);
        match Dantzig::default().solve(&problem) {
            Ok(ours) if !ours.is_impulse() => {
                assert_eq!(
                    ours.certificate.certified,
                    Some(Law::MaximumDissipation),
                    "seed {seed}"
                );
                assert!(!found.is_empty(), "seed {seed}: the oracle missed a certified answer");
                solved += 1;
            }
            Ok(ray) => {
                assert!(ray.is_certified(), "seed {seed}");
                rays += 1;
            }
            Err(error) => panic!("seed {seed}: {error}; the oracle finds {}", found.len()),
        }
    }
    println!("{solved} solved, {rays} impulses; {several} with more than one answer");
    assert!(solved > 350);
}

#[test]
fn the_sliding_rod_has_two_answers_or_none() {
    let mass = 2.5;
    let indeterminate = gallery::sliding_rod(mass, 1.0).expect("valid");
    let mut forces: Vec<f64> = oracle::enumerate(&indeterminate)
        .expect("small")
        .iter()
        .map(|f| f.contacts[0].normal)
        .collect();
    forces.sort_by(f64::total_cmp);
    assert_eq!(forces.len(), 2);
    assert!(forces[0].abs() < 1e-12 && (forces[1] - mass).abs() < 1e-12 * mass, "{forces:?}");

    let inconsistent = gallery::sliding_rod(mass, -1.0).expect("valid");
    assert!(oracle::enumerate(&inconsistent).expect("small").is_empty());
}

#[test]
fn round_cones_and_large_problems_are_refused() {
    let round = gallery::block_on_incline(0.1, 0.5, 0.0).expect("valid");
    assert!(matches!(
        oracle::enumerate(&round),
        Err(oracle::OracleError::RoundCone { contact: 0 })
    ));
    let many = Recipe { contacts: 60, ..SMALL };
    let large = (0..100).map(|seed| random_problem(seed, &many)).find(|p| p.contacts().len() > 40);
    let large = large.expect("there is one");
    assert!(matches!(oracle::enumerate(&large), Err(oracle::OracleError::TooLarge { .. })));
}
