//! Collisions with restitution (Baraff 1989, §8): energy never grows, and rounds that are not
//! certified are refused.

#[path = "collisions/cases.rs"]
mod cases;
mod common;

use cases::{Case, FAMILIES, ball, case, problem_of, read, touch};
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;
use stiction_solvers::baraff1989::{
    Budget, Cause, Collision, CollisionEnd, CollisionError, LinearProgram, Model, Pivoting,
    collide, collide_with,
};
use stiction_solvers::gallery;
use stiction_solvers::{Body, ContactProblem, Forces, Place, judge};

/// Both collision models with their names.
const MODELS: [(Model, &str); 2] =
    [(Model::Simultaneous, "simultaneous"), (Model::Propagation, "propagation")];

/// Energy gain, relative to the energy before, that counts as rounding.
const GAINS: f64 = 1e-11;

/// `½ m v² + ½ ωᵀ I ω` of bodies made by `Body::rigid`, by their masses.
fn kinetic(problem: &ContactProblem, velocities: &[[f64; 6]]) -> f64 {
    let of = |(body, v): (&Body, &[f64; 6])| {
        if body.is_fixed() {
            return 0.0;
        }
        let inverse = |i: usize, j: usize| body.inverse_inertia()[3 + i][3 + j];
        let column = |j: usize| DVec3::new(inverse(0, j), inverse(1, j), inverse(2, j));
        let inertia = DMat3::from_cols(column(0), column(1), column(2)).inverse();
        let (linear, angular) = (DVec3::from_slice(&v[..3]), DVec3::from_slice(&v[3..]));
        0.5 * linear.length_squared() / body.inverse_inertia()[0][0]
            + 0.5 * angular.dot(inertia * angular)
    };
    problem.bodies().iter().zip(velocities).map(of).sum()
}

/// Checks what must hold for any collision, however it ended.
fn check(place: &str, case: &Case, collision: &Collision) {
    let Case { problem, velocities, .. } = case;
    let before = kinetic(problem, velocities);
    let after = kinetic(problem, &collision.after);
    assert!(after <= before * (1.0 + GAINS), "{place}: {before} J before, {after} J after");
    let reported = collision.kinetic;
    assert!((reported[0] - before).abs() <= 1e-9 * before, "{place}: {reported:?} for {before}");
    assert!((reported[1] - after).abs() <= 1e-9 * before, "{place}: {reported:?} for {after}");
    assert!(collision.work().abs() <= 1e-9 * before, "{place}: work without prescribed motion");
    for round in collision.joints.iter().chain(&collision.rounds) {
        assert!(round.residual <= judge::CERTIFIED, "{place}: {round:?}");
        let [before, after] = round.kinetic;
        assert!(after <= before * (1.0 + GAINS), "{place}: {round:?}");
    }
    // The impulses push, and cause the velocities.
    let impulse = &collision.impulse;
    assert!(impulse.contacts.iter().all(|j| j.normal >= 0.0), "{place}: {impulse:?}");
    let at_impact = problem.at_impact(velocities).expect("valid");
    let response = judge::response(&at_impact, impulse);
    let largest = collision.after.iter().chain(velocities).flatten();
    let speed = largest.fold(0.0_f64, |m, v| m.max(v.abs()));
    let total = impulse.contacts.iter().map(|j| j.normal).chain(impulse.bilateral.iter().copied());
    let heaviest = problem.bodies().iter().map(|b| b.inverse_inertia()[0][0]).fold(0.0, f64::max);
    let rounding = 1e-9 * speed + 1e-11 * heaviest * total.map(f64::abs).sum::<f64>();
    for (x, y) in response.bodies.iter().flatten().zip(collision.after.iter().flatten()) {
        assert!((x - y).abs() <= rounding, "{place}: {x} by the impulses, {y} m/s; {impulse:?}");
    }
    if collision.is_settled() {
        let after = problem.at_impact(&collision.after).expect("valid");
        let normal = judge::response(&after, &Forces::zeros(problem)).contacts;
        let slowest = normal.iter().fold(0.0_f64, |m, u| m.min(u.normal));
        assert!(slowest >= -1e-8 * speed, "{place}: approaches at {slowest} m/s");
    }
}

fn outcome(end: &CollisionEnd) -> &'static str {
    match end {
        CollisionEnd::Settled => "settled",
        CollisionEnd::Budget { .. } => "not settled",
        CollisionEnd::Refused(refusal) => match refusal.cause {
            Cause::Uncertified => "not certified",
            Cause::GainsEnergy { .. } => "gains energy",
            Cause::Squeezed => "squeezed",
            Cause::Breakdown(_) => "breakdown",
            _ => "other",
        },
    }
}

/// A thousand collisions by both models. All settle, except grooves that are nearly slots, where
/// bouncing continues for long, and rows of balls whose masses differ by a factor of a thousand.
#[test]
fn energy_never_grows() {
    let budget = Budget { single_collisions: 20_000, ..Budget::default() };
    let mut tally: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    let mut jammed = 0;
    for seed in 0..1000 {
        let family = FAMILIES[seed as usize % FAMILIES.len()];
        let case = case(family, seed);
        let Case { problem, velocities, restitution } = &case;
        for (model, name) in MODELS {
            let collision =
                collide_with(&mut Pivoting, budget, problem, velocities, restitution, model)
                    .expect("valid");
            let place = format!("{family}, seed {seed}, {name}, {}", collision.end);
            check(&place, &case, &collision);
            jammed += usize::from(!collision.jammed.is_empty());
            let result = outcome(&collision.end);
            if result != "settled" {
                println!("{place}");
            }
            *tally.entry((family, name, result)).or_default() += 1;
        }
    }
    for ((family, model, result), count) in &tally {
        println!("{family:<20} {model:<13} {result:<14} {count:>4}");
    }
    println!("jammed contacts in {jammed} of 2000");
    let of = |wanted: &str, but: &[&str]| -> usize {
        let counted = tally
            .iter()
            .filter(|((family, _, result), _)| *result == wanted && !but.contains(family));
        counted.map(|(_, count)| count).sum()
    };
    let settled = of("settled", &[]);
    let unsettled = of("not settled", &[]);
    assert!(settled >= 1960, "only {settled} of 2000 settled");
    // Wedges: one more since squeezing forces do not widen what a certificate allows.
    assert!(2000 - settled - unsettled <= 6, "refused: {tally:?}");
    assert_eq!(of("not settled", &["wedges", "cradle"]), 0);
    assert!(jammed > 100, "only {jammed}");
}

/// The guesses of the linear program are wrong here; exact solvers conserve the energy.
#[test]
fn wrong_guesses_end_the_collision() {
    let case = read("three_contacts");
    let Case { problem, velocities, restitution } = &case;
    for (model, name) in MODELS {
        let collision = collide(problem, velocities, restitution, model).expect("valid");
        assert!(collision.is_settled(), "{name}: {}", collision.end);
        check(name, &case, &collision);
        let gained = collision.energy / collision.kinetic[0];
        assert!(gained.abs() < 1e-14, "{name}: complete restitution gains {gained:e}");
    }
    let mut heuristic = LinearProgram::default();
    let model = Model::Simultaneous;
    let collision =
        collide_with(&mut heuristic, Budget::default(), problem, velocities, restitution, model)
            .expect("valid");
    let CollisionEnd::Refused(refusal) = &collision.end else { panic!("{}", collision.end) };
    assert_eq!((refusal.round, refusal.solver), (1, "lp"));
    assert!(matches!(refusal.cause, Cause::AddsEnergy { amount } if amount > 0.0), "{refusal}");
    assert!(refusal.residual > Some(judge::CERTIFIED), "{refusal}");
    assert!(matches!(refusal.place, Some(Place::Contact(_))), "{refusal}");
    assert_eq!(&collision.after, velocities, "as before the round that was refused");
}

/// Two bodies on a ball joint whose contacts leave no freedom between them: they move as one.
#[test]
fn jammed_contacts_act_as_joints() {
    let case = read("jammed_joint");
    let Case { problem, velocities, restitution } = &case;
    for (model, name) in MODELS {
        let collision = collide(problem, velocities, restitution, model).expect("valid");
        assert!(collision.is_settled(), "{name}: {}", collision.end);
        check(name, &case, &collision);
        assert_eq!(collision.jammed, [0, 1, 2, 3, 5, 6]);
        let [first, second] = &collision.after[..] else { panic!("two bodies") };
        for k in 3..6 {
            assert!((first[k] - second[k]).abs() < 1e-12, "{name}: {first:?}, {second:?}");
        }
    }
}

/// A ball between two walls stops perpendicular to them and continues along them, for any
/// restitution: this is the limit of bouncing with ε < 1.
#[test]
fn a_ball_in_a_slot_stops() {
    let contacts = vec![touch(0, None, -DVec3::X, DVec3::X), touch(0, None, DVec3::X, -DVec3::X)];
    let problem = problem_of(vec![ball(2.0, DVec3::ZERO)], contacts);
    for restitution in [0.0, 0.3, 1.0] {
        for (model, name) in MODELS {
            let before = [[3.0, 1.0, 0.0, 0.0, 0.0, 0.0]];
            let collision = collide(&problem, &before, &[restitution; 2], model).expect("valid");
            assert!(collision.is_settled(), "{name}: {}", collision.end);
            assert_eq!(collision.jammed, [0, 1]);
            assert!(collision.after[0][0].abs() < 1e-15 && collision.after[0][1] == 1.0);
            let [left, right] = [0, 1].map(|i| collision.impulse.contacts[i].normal);
            assert!(left.abs() < 1e-14 && (right - 6.0).abs() < 1e-14, "{left}, {right}");
        }
    }
}

/// Newton's cradle by propagation: as many balls leave as arrive.
#[test]
fn newtons_cradle() {
    let bodies: Vec<Body> = (0..5).map(|k| ball(1.0, 2.0 * f64::from(k) * DVec3::X)).collect();
    let contact = |k: usize| touch(k, Some(k - 1), (2.0 * k as f64 - 1.0) * DVec3::X, DVec3::X);
    let problem = problem_of(bodies, (1..5).map(contact).collect());
    for moving in 1..5 {
        let mut before = vec![[0.0; 6]; 5];
        before[..moving].fill([2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let collision = collide(&problem, &before, &[1.0; 4], Model::Propagation).expect("valid");
        assert!(collision.is_settled(), "{}", collision.end);
        for (k, v) in collision.after.iter().enumerate() {
            let expected = if k >= 5 - moving { 2.0 } else { 0.0 };
            assert!((v[0] - expected).abs() < 1e-14, "{moving} moving, ball {k}: {v:?}");
        }
    }
}

/// Each contact has its own coefficient: a ball falls on a ball on the floor; (29) by hand with
/// masses 1 below and 2 above, speed 1.
///
/// ```text
///   floor  v₁⁺ ≥ 0,   balls  v₂⁺ − v₁⁺ ≥ ε         ⇒   v₁⁺ = 0,  v₂⁺ = ε
/// ```
#[test]
fn every_contact_has_its_own_restitution() {
    let balls = gallery::ball_on_ball(2.0, 1.0).expect("valid");
    let before: Vec<_> = balls.bodies().iter().map(|body| body.free_response).collect();
    for [floor, upper] in [[0.0, 0.5], [1.0, 0.5], [0.3, 0.0], [0.9, 1.0]] {
        let collision =
            collide(&balls, &before, &[floor, upper], Model::Simultaneous).expect("valid");
        let [lower, above] = [collision.after[0][2], collision.after[1][2]];
        assert!(lower.abs() < 1e-15 && (above - upper).abs() < 1e-15, "{lower}, {above}");
        let lost = 0.5 * 2.0 * (1.0 - upper * upper);
        assert!((collision.energy + lost).abs() < 1e-14, "{}", collision.energy);
    }
}

/// A moving wall adds energy by its work, and none at the contact.
#[test]
fn prescribed_motion_does_work() {
    let wall = Body::fixed([-2.0, 0.0, 0.0]);
    let problem = problem_of(
        vec![ball(1.0, DVec3::ZERO), wall],
        vec![touch(0, Some(1), -DVec3::X, DVec3::X)],
    );
    let before = [[0.0; 6], [3.0, 0.0, 0.0, 0.0, 0.0, 0.0]];
    for (model, name) in MODELS {
        let collision = collide(&problem, &before, &[1.0], model).expect("valid");
        assert!(collision.is_settled(), "{name}: {}", collision.end);
        assert!((collision.after[0][0] - 6.0).abs() < 1e-14, "{name}");
        assert!(collision.energy.abs() < 1e-14 && (collision.work() - 18.0).abs() < 1e-12);
    }
}

/// Walls that move towards each other squeeze the ball between them.
#[test]
fn squeezed_bodies_are_refused() {
    let walls = [-2.0, 2.0].map(|x| Body::fixed([x, 0.0, 0.0]));
    let [left, right] = walls;
    let problem = problem_of(
        vec![ball(1.0, DVec3::ZERO), left, right],
        vec![touch(0, Some(1), -DVec3::X, DVec3::X), touch(0, Some(2), DVec3::X, -DVec3::X)],
    );
    let before = [[0.0; 6], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0]];
    let collision = collide(&problem, &before, &[0.5; 2], Model::Simultaneous).expect("valid");
    let CollisionEnd::Refused(refusal) = &collision.end else { panic!("{}", collision.end) };
    assert_eq!(refusal.round, 1, "{refusal}");
    assert_eq!(collision.after, before);
    let collision = collide(&problem, &before, &[0.5; 2], Model::Propagation).expect("valid");
    assert!(!collision.is_settled(), "{}", collision.end);
}

/// Joints stop velocities that violate them, which loses energy.
#[test]
fn joints_stop_before_the_collision() {
    let mut seen = 0;
    for seed in 0..60 {
        let case = case("random with joints", seed);
        let Case { problem, velocities, restitution } = &case;
        for (model, name) in MODELS {
            let collision = collide(problem, velocities, restitution, model).expect("valid");
            let Some(joints) = collision.joints else { continue };
            assert!(joints.gain <= 0.0, "seed {seed}, {name}: {joints:?}");
            seen += 1;
            let (level, bodies, contacts, mut rows, bounded) = problem.clone().into_parts();
            for row in &mut rows {
                row.bias = 0.0;
            }
            let bodies = bodies.into_iter().zip(&collision.after);
            let bodies = bodies.map(|(body, v)| body.with_free_response(*v)).collect();
            let after = ContactProblem::new(level, bodies, contacts, rows, bounded).expect("valid");
            let response = judge::response(&after, &Forces::zeros(&after));
            for u in response.bilateral {
                assert!(u.abs() < 1e-9, "seed {seed}, {name}: a joint moves at {u} m/s");
            }
        }
    }
    assert!(seen > 20, "only {seen}");
}

/// The work budget ends a collision with the velocities so far, and reports it.
#[test]
fn collisions_that_do_not_settle_are_reported() {
    let balls = gallery::ball_on_ball(1e4, 1.0).expect("valid");
    let before: Vec<_> = balls.bodies().iter().map(|body| body.free_response).collect();
    for budget in [
        Budget { single_collisions: 50, ..Budget::default() },
        Budget { work: 500_000.0, ..Budget::default() },
    ] {
        let model = Model::Propagation;
        let collision =
            collide_with(&mut Pivoting, budget, &balls, &before, &[0.0; 2], model).expect("valid");
        let CollisionEnd::Budget { contact, speed } = collision.end else {
            panic!("{}", collision.end)
        };
        assert!(contact < 2 && speed > 0.0);
        assert_eq!(collision.steps, 50);
        assert!(collision.energy < 0.0);
    }
}

/// Extreme numbers give answers or errors, never a panic.
#[test]
fn extreme_numbers_are_refused_or_solved() {
    let balls = gallery::three_balls(1.0).expect("valid");
    for speed in [1e-300, 1e-160, 1e-20, 1e20, 1e150, 1e160, 1e300, f64::NAN, f64::INFINITY] {
        let mut before = vec![[0.0; 6]; 3];
        before[0][0] = speed;
        for (model, name) in MODELS {
            match collide(&balls, &before, &[1.0; 2], model) {
                Ok(collision) => {
                    assert!(collision.is_settled(), "{name}, {speed}: {}", collision.end);
                    let sum: f64 = collision.after.iter().map(|v| v[0] / speed).sum();
                    assert!((sum - 1.0).abs() < 1e-12, "{name}, {speed}: {:?}", collision.after);
                }
                Err(CollisionError::Energy { .. } | CollisionError::Velocities(_)) => {
                    assert!(speed.is_nan() || speed >= 1e155, "{name}, {speed}");
                }
                Err(error) => panic!("{name}, {speed}: {error}"),
            }
        }
    }
    let nothing = problem_of(vec![ball(1.0, DVec3::ZERO)], vec![]);
    let collision = collide(&nothing, &[[1.0; 6]], &[], Model::Simultaneous).expect("valid");
    assert!(collision.is_settled() && collision.steps == 0);
}
