//! The linear-programming method: figures of Baraff 1989, and how often its guesses are right.

mod common;

use common::{Recipe, point_row, random_problem};
use glam::DVec3;
use std::collections::BTreeMap;
use stiction_solvers::baraff1989::{
    Collision, CollisionEnd, CollisionError, LinearProgram, Model, Norm, collide,
};
use stiction_solvers::baraff1994::Dantzig;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::gallery::lloyd::{Draw, Lie, peg, stack};
use stiction_solvers::{
    Answer, Body, ContactProblem, ContactSolver, Event, Forces, Friction, Level, Route, SolveError,
    gallery, judge,
};

/// The results of the guesses.
#[derive(Default, Debug)]
struct Tally {
    loads: usize,
    /// V = ∅ was right.
    empty: usize,
    /// The prediction was right.
    predicted: usize,
    /// Neither, but the least forces were certified themselves.
    least: usize,
    /// None of these: forces that add energy.
    adds_energy: usize,
    /// Contacts guessed wrong in that case, and their total number.
    missed: [usize; 2],
    /// Largest natural map of a certified answer.
    worst: f64,
}

impl Tally {
    fn see(&mut self, place: &str, problem: &ContactProblem) {
        self.loads += 1;
        let mut held = None;
        let mut watch = |event: Event| {
            if let Event::Guess { vanishing, holds: true } = event {
                held = Some(vanishing);
            }
        };
        let outcome = LinearProgram::default().solve_from(problem, None, &mut watch);
        let Ok(solution) = outcome else { panic!("{place}: {outcome:?}") };
        match solution.provenance.route {
            Route::AddsEnergy { amount } => {
                self.adds_energy += 1;
                assert!(held.is_none() && !solution.certificate.is_certified(), "{place}");
                // It guarantees that no contact pulls and no bodies approach (23).
                let scale = solution.certificate.force_scale;
                assert!(solution.certificate.negative_force <= 1e-9 * scale, "{place}");
                assert!(amount > 0.0, "{place}: {amount}");
                self.missed[0] += guessed_wrong(problem, &solution.forces);
                self.missed[1] += problem.contacts().len();
            }
            Route::Direct => {
                assert!(solution.certificate.is_certified(), "{place}");
                self.worst = self.worst.max(solution.certificate.natural_map.relative);
                match held {
                    Some(0) => self.empty += 1,
                    Some(_) => self.predicted += 1,
                    None => self.least += 1,
                }
            }
            other => panic!("{place}: {other:?}"),
        }
    }

    fn print(&self, name: &str) {
        let share = |k: usize, of: usize| 100.0 * k as f64 / of.max(1) as f64;
        println!(
            "{name}: {} loads, V = ∅ right in {:.1} %, the prediction in {:.1} % of the others, \
             {} by the least forces themselves, {} add energy ({:.0} % of the contacts wrong), worst natural map {:.1e}",
            self.loads,
            share(self.empty, self.loads),
            share(self.predicted, self.loads - self.empty),
            self.least,
            self.adds_energy,
            share(self.missed[0], self.missed[1]),
            self.worst
        );
    }
}

/// Contacts that separate under these forces and not under Dantzig's, or vice versa.
fn guessed_wrong(problem: &ContactProblem, forces: &Forces) -> usize {
    let right = Dantzig::default().solve(problem).ok().filter(Answer::is_certified);
    let Some(right) = right else { panic!("no forces") };
    let parts = |forces: &Forces| -> Vec<bool> {
        let normal = judge::response(problem, forces).contacts;
        let largest = normal.iter().fold(0.0_f64, |m, u| m.max(u.normal.abs()));
        normal.iter().map(|u| u.normal > 1e-7 * largest).collect()
    };
    parts(forces).iter().zip(parts(&right.forces)).filter(|(x, y)| *x != y).count()
}

fn without_friction(problem: ContactProblem) -> ContactProblem {
    let (level, bodies, mut contacts, bilateral, bounded) = problem.into_parts();
    for contact in &mut contacts {
        contact.friction = Friction::Frictionless;
    }
    ContactProblem::new(level, bodies, contacts, bilateral, bounded).expect("valid")
}

/// Piles and walls of `../shared/data/lloyd`, if it exists.
#[test]
fn guesses_on_piles_and_walls() {
    let folder = std::env::var("STICTION_LLOYD")
        .unwrap_or_else(|_| format!("{}/../../../shared/data/lloyd", env!("CARGO_MANIFEST_DIR")));
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: {folder} does not exist");
        return;
    };
    let mut paths: Vec<_> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    // By family and size: `pile_n050_s2.json` belongs to `pile_n050`.
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for path in &paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (Some((group, _)), true) = (name.rsplit_once("_s"), name.ends_with(".json")) else {
            continue;
        };
        let Some(family) = ["pile", "wall"].into_iter().find(|f| name.starts_with(f)) else {
            continue;
        };
        let file = ProblemFile::open(path).expect("readable");
        for load in 0..file.len() {
            let problem = file.problem(load).expect("valid");
            for group in [family, group] {
                let tally = tallies.entry(group.to_owned()).or_default();
                tally.see(&format!("{name} load {load}"), &problem);
            }
        }
    }
    for (group, tally) in &tallies {
        tally.print(group);
        assert!(tally.worst <= 1e-10, "{:e}", tally.worst);
    }
}

#[test]
fn guesses_on_pegs_stacks_and_random_problems() {
    let draw = Draw { loads: 20, seed: 3 };
    let mut pegs = Tally::default();
    for contacts in [8, 16, 32, 64] {
        for (load, problem) in peg(contacts, draw).expect("valid").into_iter().enumerate() {
            pegs.see(&format!("peg of {contacts}, load {load}"), &without_friction(problem));
        }
    }
    pegs.print("pegs");
    let mut stacks = Tally::default();
    for blocks in [1, 2, 5, 10] {
        for lie in [Lie::Aligned, Lie::Rotated] {
            for (load, problem) in stack(blocks, lie, draw).expect("valid").into_iter().enumerate()
            {
                let place = format!("stack of {blocks}, load {load}");
                stacks.see(&place, &without_friction(problem));
            }
        }
    }
    stacks.print("stacks");
    let mut random = Tally::default();
    for seed in 0..2000 {
        random.see(&format!("seed {seed}"), &random_problem(seed, &Recipe::PLAIN));
    }
    random.print("random");
    for tally in [&pegs, &stacks, &random] {
        assert!(tally.worst <= 1e-8, "{:e}", tally.worst);
        assert!(tally.empty + tally.predicted > tally.loads / 2, "{tally:?}");
    }
}

/// Where the answer is certified, the motion is the one that Dantzig's method finds.
#[test]
fn certified_answers_cause_the_motion_of_dantzigs() {
    let mut compared = 0;
    for seed in 0..300 {
        let problem = random_problem(seed, &Recipe { duplicates: false, ..Recipe::PLAIN });
        let Ok(ours) = LinearProgram::default().solve(&problem) else { panic!() };
        let theirs = Dantzig::default().solve(&problem).ok().filter(Answer::is_certified);
        let Some(theirs) = theirs else { panic!("seed {seed}: no forces") };
        if ours.provenance.route != Route::Direct {
            continue;
        }
        let motion = |forces| judge::response(&problem, forces).bodies;
        let (ours, theirs) = (motion(&ours.forces), motion(&theirs.forces));
        for (x, y) in ours.iter().flatten().zip(theirs.iter().flatten()) {
            assert!((x - y).abs() < 1e-6, "seed {seed}: {x}, {y}");
        }
        compared += 1;
    }
    assert!(compared > 150, "only {compared}");
}

#[test]
fn friction_and_bounded_rows_are_refused() {
    let rough = gallery::two_boxes(1.0, 1.0, 0.5).expect("valid");
    let refused = |outcome: &Result<Answer, SolveError>| {
        matches!(outcome, Err(SolveError::Unsupported { solver: "lp", .. }))
    };
    assert!(refused(&LinearProgram::default().solve(&rough)));
    let outcome = collide(&rough, &[[0.0; 6]; 2], &[0.0; 8], Model::Propagation);
    assert!(matches!(outcome, Err(CollisionError::Unsupported { .. })));
}

/// §7: holonomic rows are equalities with forces of any sign.
#[test]
fn joints_are_equalities() {
    let mut seen = 0;
    for seed in 0..200 {
        let problem = random_problem(seed, &Recipe { rows: true, ..Recipe::PLAIN });
        let (level, bodies, contacts, bilateral, _) = problem.into_parts();
        if bilateral.is_empty() {
            continue;
        }
        let problem =
            ContactProblem::new(level, bodies, contacts, bilateral, vec![]).expect("valid");
        match LinearProgram::default().solve(&problem) {
            Ok(solution) if !solution.is_impulse() => {
                let added = matches!(solution.provenance.route, Route::AddsEnergy { .. });
                assert_ne!(solution.certificate.is_certified(), added, "seed {seed}");
                seen += usize::from(!added);
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(seen > 50, "only {seen}");
}

/// Appendix B: three rows prescribe the acceleration of a body along x: 0, 0 and 3. The 1-norm
/// gives the median, least squares the mean.
#[test]
fn contradicting_joints_are_resolved_by_the_chosen_norm() {
    let inertia = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let body =
        Body::rigid(2.0, inertia, [0.0; 3]).with_free_response([1.0, 0.0, -9.81, 0.0, 0.0, 0.0]);
    let row = |bias| point_row(std::slice::from_ref(&body), 0, None, DVec3::ZERO, DVec3::X, bias);
    let rows = vec![row(0.0), row(0.0), row(-3.0)];
    let floor =
        stiction_solvers::Contact::new(0, None, [0.0; 3], [0.0, 0.0, 1.0], Friction::Frictionless);
    let problem =
        ContactProblem::new(Level::Acceleration, vec![body.clone()], vec![floor], rows, vec![])
            .expect("valid");
    let refused = LinearProgram::default().solve(&problem);
    assert!(matches!(refused, Err(SolveError::Contradiction { .. })), "{refused:?}");
    for (norm, expected, left) in [(Norm::One, 0.0, 3.0), (Norm::Two, 1.0, 2.0)] {
        let outcome = LinearProgram { compromise: Some(norm) }.solve(&problem);
        let Ok(solution) = outcome else { panic!("{norm:?}: {outcome:?}") };
        let moved = judge::response(&problem, &solution.forces).bodies[0];
        assert!((moved[0] - expected).abs() < 1e-6, "{norm:?}: {moved:?}");
        assert!(moved[2].abs() < 1e-9, "the floor holds: {moved:?}");
        let Route::Compromise { residual } = solution.provenance.route else {
            panic!("{:?}", solution.provenance.route)
        };
        assert!((residual - left).abs() < 1e-6, "{norm:?}: {residual}");
        assert!(!solution.certificate.is_certified(), "no forces satisfy these rows");
    }
}

fn velocities(problem: &ContactProblem) -> Vec<[f64; 6]> {
    problem.bodies().iter().map(|body| body.free_response).collect()
}

fn collision(problem: &ContactProblem, restitution: f64, model: Model) -> Collision {
    let restitution = vec![restitution; problem.contacts().len()];
    let collision = collide(problem, &velocities(problem), &restitution, model).expect("valid");
    assert!(collision.is_settled(), "{}", collision.end);
    collision
}

#[test]
fn billiard_balls_in_a_row() {
    let v = 3.7;
    let balls = gallery::three_balls(v).expect("valid");
    for (model, expected) in [
        (Model::Propagation, [0.0, 0.0, v]),
        (Model::Simultaneous, [-v / 3.0, 2.0 * v / 3.0, 2.0 * v / 3.0]),
    ] {
        let collision = collision(&balls, 1.0, model);
        for (after, expected) in collision.after.iter().zip(expected) {
            assert!((after[0] - expected).abs() < 1e-12, "{model:?}: {after:?}");
        }
        assert!(collision.energy.abs() < 1e-12, "nothing is lost: {}", collision.energy);
    }
}

#[test]
fn a_heavy_ball_on_a_light_one_comes_to_rest_at_once() {
    let v = 2.0;
    for exponent in 0..=9 {
        let ratio = if exponent == 0 { 9.0 } else { 10_f64.powi(exponent) };
        let balls = gallery::ball_on_ball(ratio, v).expect("valid");
        let collision = collision(&balls, 0.0, Model::Simultaneous);
        assert_eq!(collision.steps, 1, "one solve at {ratio}");
        let fastest = collision.after.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        println!("1 : {ratio:e}: fastest after {fastest:e}");
        assert!(fastest <= 1e-12 * v * ratio.max(100.0), "{ratio}: {fastest:e}");
        assert!((collision.energy / (0.5 * ratio * v * v) + 1.0).abs() < 1e-9);
    }
    // Propagation keeps 0.9 of the speed each time, and ends when 1e-10 is left.
    let balls = gallery::ball_on_ball(9.0, v).expect("valid");
    let slow = collision(&balls, 0.0, Model::Propagation);
    let pairs = (1e-10_f64.ln() / 0.9_f64.ln()).ceil();
    assert!((slow.steps as f64 - 2.0 * pairs).abs() <= 2.0, "{} steps", slow.steps);
}

#[test]
fn a_contact_that_is_pushed_open_has_no_impulse() {
    let v = 2.0;
    let balls = gallery::pushed_away(v).expect("valid");
    for model in [Model::Simultaneous, Model::Propagation] {
        for restitution in [0.0, 0.5, 1.0] {
            let collision = collision(&balls, restitution, model);
            assert_eq!(collision.impulse.contacts[0].normal, 0.0, "{model:?}");
            let expected = 0.5 * (1.0 + restitution) * v;
            assert!((collision.after[0][2] - expected).abs() < 1e-12, "{model:?}");
        }
    }
}

/// §8: kinetic energy is conserved when every coefficient is 1, in either model.
#[test]
fn complete_restitution_conserves_energy() {
    for seed in 0..100 {
        let recipe = Recipe { bodies: 3, contacts: 4, duplicates: false, ..Recipe::PLAIN };
        let problem = random_problem(seed, &recipe);
        let before = velocities(&problem);
        let restitution = vec![1.0; problem.contacts().len()];
        let kinetic: f64 = problem
            .bodies()
            .iter()
            .zip(&before)
            .map(|(body, v)| {
                v[..3].iter().map(|x| x * x).sum::<f64>() / body.inverse_inertia()[0][0]
            })
            .sum();
        for model in [Model::Simultaneous, Model::Propagation] {
            let collision = collide(&problem, &before, &restitution, model).expect("valid");
            assert!(!matches!(collision.end, CollisionEnd::Refused(_)), "{}", collision.end);
            let gained = collision.energy / kinetic;
            assert!(gained.abs() < 1e-12, "seed {seed}, {model:?}: {gained:e}");
        }
    }
}

#[test]
fn invalid_collisions_are_refused() {
    let balls = gallery::three_balls(1.0).expect("valid");
    let before = velocities(&balls);
    let refused = |velocities: &[[f64; 6]], restitution: &[f64]| {
        collide(&balls, velocities, restitution, Model::Simultaneous).expect_err("refused")
    };
    assert!(matches!(refused(&before[1..], &[1.0; 2]), CollisionError::Velocities(_)));
    assert_eq!(refused(&before, &[1.0]), CollisionError::Restitutions { given: 1, count: 2 });
    for value in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(
            refused(&before, &[1.0, value]),
            CollisionError::Restitution { contact: 1, .. }
        ));
    }
}
