//! `diagnose` compared with subset sums of integers and with the oracle.

mod common;

use common::{Recipe, random_problem};
use stiction_solvers::baraff1991::{IslandDiagnosis, Open, Verdict, diagnose, diagnose_within};
use stiction_solvers::gallery::{self, Random};
use stiction_solvers::judge::{self, Uniqueness};
use stiction_solvers::{ContactProblem, Forces, Friction, oracle};

/// Number of subsets of the numbers that sum to the target.
fn subsets(numbers: &[u32], target: u32) -> usize {
    let sum = |set: u32| {
        let chosen = numbers.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
        chosen.map(|(_, number)| number).sum::<u32>()
    };
    (0..1 << numbers.len()).filter(|&set| sum(set) == target).count()
}

fn subset_sum(numbers: &[u32], target: u32) -> ContactProblem {
    let numbers: Vec<f64> = numbers.iter().map(|&it| f64::from(it)).collect();
    gallery::subset_sum(&numbers, f64::from(target)).expect("valid")
}

/// Theorem 2 of Baraff 1991, and more: there are as many motions as subsets that sum to the
/// target.
#[test]
fn motions_are_subsets_that_add_up() {
    let mut random = Random::named("subset sums", 1);
    let mut seen = [0; 3];
    for case in 0..300 {
        let count = 1 + random.below(6);
        let most = [6, 20, 1000][case % 3];
        let numbers: Vec<u32> = (0..count).map(|_| 1 + random.below(most) as u32).collect();
        let total: u32 = numbers.iter().sum();
        let target = if case % 2 == 0 {
            random.below(total + 2) as u32
        } else {
            numbers.iter().filter(|_| random.below(2) == 1).sum()
        };
        let expected = subsets(&numbers, target);
        let problem = subset_sum(&numbers, target);
        assert!(problem.contacts().len() <= 12);
        let diagnosis = diagnose(&problem);
        let place = format!("{numbers:?}, target {target}");
        let verdict = match expected {
            0 => Verdict::Inconsistent,
            1 => Verdict::Unique,
            _ => Verdict::Indeterminate,
        };
        assert_eq!(diagnosis.verdict, verdict, "{place}");
        assert_eq!(diagnosis.motions, expected as f64, "{place}");
        assert_eq!(diagnosis.solutions.len(), expected, "{place}");
        for found in &diagnosis.solutions {
            assert_eq!(found.uniqueness, Uniqueness::NotUnique, "{place}: wedges hold a block");
            assert!(judge::judge(&problem, &found.forces).is_certified(), "{place}");
        }
        let island = &diagnosis.islands[0];
        assert_eq!(island.decided, island.combinations, "{place}");
        seen[expected.min(2)] += 1;
    }
    println!("none, one, more: {seen:?}");
    assert!(seen.iter().all(|&count| count > 40), "{seen:?}");
}

fn bodies_differ(problem: &ContactProblem, one: &Forces, other: &Forces) -> bool {
    let [one, other] = [one, other].map(|forces| judge::response(problem, forces).bodies);
    let pairs = one.as_flattened().iter().zip(other.as_flattened());
    pairs.into_iter().any(|(p, q)| (p - q).abs() > 1e-6 * (1.0 + p.abs()))
}

/// The same problem with all friction coefficients times a factor: with large ones there may be
/// several motions or none.
fn rougher(problem: ContactProblem, factor: f64) -> ContactProblem {
    let (level, bodies, mut contacts, bilateral, bounded) = problem.into_parts();
    for contact in &mut contacts {
        contact.friction = match contact.friction {
            Friction::Static { friction } => Friction::Static { friction: factor * friction },
            Friction::Coulomb { static_friction, .. } => {
                Friction::coulomb(factor * static_friction)
            }
            Friction::Sliding { friction, direction } => {
                Friction::Sliding { friction: factor * friction, direction }
            }
            Friction::Frictionless => Friction::Frictionless,
        };
    }
    ContactProblem::new(level, bodies, contacts, bilateral, bounded).expect("valid")
}

/// The same motions as by enumerating every combination, where those are isolated.
#[test]
fn motions_are_those_of_the_oracle() {
    let planar = Recipe { bodies: 3, contacts: 5, planar: true, ..Recipe::PLAIN };
    let recipes = [
        Recipe { friction: true, sliding: true, duplicates: false, ..planar },
        Recipe { friction: true, sliding: true, ..planar },
        Recipe { sliding: true, contacts: 8, ..planar },
        Recipe { friction: true, rows: true, contacts: 4, ..planar },
    ];
    let (mut seen, mut undecided) = ([0; 4], 0);
    for (kind, recipe) in recipes.iter().enumerate() {
        for seed in 0..400 {
            let factor = [1.0, 8.0][seed as usize % 2];
            let problem = rougher(random_problem(seed, recipe), factor);
            let Ok(found) = oracle::enumerate(&problem) else { continue };
            let mut motions: Vec<Forces> = Vec::new();
            for forces in found {
                if motions.iter().all(|known| bodies_differ(&problem, known, &forces)) {
                    motions.push(forces);
                }
            }
            let diagnosis = diagnose(&problem);
            let place = format!("recipe {kind}, seed {seed}");
            if diagnosis.verdict == Verdict::Undecided {
                let open =
                    |it: &IslandDiagnosis| it.open.is_none() || it.open == Some(Open::Rounding);
                assert!(diagnosis.islands.iter().all(open), "{place}");
                undecided += 1;
                continue;
            }
            for found in &diagnosis.solutions {
                assert!(judge::judge(&problem, &found.forces).is_certified(), "{place}");
            }
            // The oracle skips duplicate joints.
            if motions.is_empty() && recipe.rows {
                continue;
            }
            if diagnosis.motions.is_infinite() {
                seen[3] += 1;
                assert!(!motions.is_empty(), "{place}");
                continue;
            }
            assert_eq!(diagnosis.motions, motions.len() as f64, "{place}");
            seen[motions.len().min(2)] += 1;
        }
    }
    println!("none, one, more, infinitely many motions: {seen:?}; undecided: {undecided}");
    assert!(undecided <= 5 && seen[0] > 0 && seen[1] > 300 && seen[2] > 0, "{seen:?}, {undecided}");
}

/// Two rods that are not connected: each lifts off or continues to slide.
#[test]
fn islands_multiply() {
    let rod = gallery::sliding_rod(2.0, 1.0).expect("valid");
    let (level, bodies, contacts, ..) = rod.into_parts();
    let mut twice = contacts.clone();
    twice.extend(contacts.into_iter().map(|it| stiction_solvers::Contact { a: 1, ..it }));
    let problem =
        ContactProblem::new(level, [bodies.clone(), bodies].concat(), twice, vec![], vec![]);
    let diagnosis = diagnose(&problem.expect("valid"));
    assert_eq!((diagnosis.verdict, diagnosis.motions), (Verdict::Indeterminate, 4.0));
    assert_eq!(diagnosis.solutions.len(), 4);
    let each: Vec<usize> = diagnosis.islands.iter().map(|it| it.solutions.len()).collect();
    assert_eq!(each, [2, 2]);
}

/// All numbers even, the target odd: only exhaustive search helps, and the budget ends it.
#[test]
fn a_budget_ends_the_search_and_partial_results_are_reported() {
    let numbers: Vec<u32> = (0..24).map(|i| 1000 + 2 * (i * i * 7 % 101)).collect();
    let problem = subset_sum(&numbers, 12_001);
    let mut parts = Vec::new();
    let diagnosis = diagnose_within(&problem, 20, &mut |progress| parts.push(progress.part));
    assert_eq!((diagnosis.verdict, diagnosis.motions), (Verdict::Undecided, 0.0));
    let island = &diagnosis.islands[0];
    assert_eq!(island.open, Some(Open::Budget { budget: 20 }));
    assert!(0.0 < island.decided && island.decided < island.combinations);
    assert!((20.0..21.0).contains(&island.work), "{}", island.work);
    assert!(parts.is_sorted() && !parts.is_empty());
    // The same on every machine and in every run.
    let again = diagnose_within(&problem, 20, &mut |_| {});
    assert_eq!(again.islands[0].decided, island.decided);
}
