//! Collisions at several contacts \[B89, §8\].
//!
//! All at once, impulses `j` and the velocities before and after them obey (29)
//!
//! ```text
//!   v⁺ + ε v⁻ ≥ 0,   j ≥ 0,   j (v⁺ + ε v⁻) = 0
//! ```
//!
//! which is the problem of resting contact again, and solved as such. One after
//! the other, each collision is the simple one, `v⁺ = −ε v⁻` (27), and changes the
//! velocities for the next.
//!
//! The two are different models of what happens, not two ways to compute it: a
//! billiard ball that hits two others stops by the one and bounces back by the
//! other ([`three_balls`](crate::gallery::three_balls)).
//!
//! # Departures from the paper
//!
//! - Contacts that part before the collision are left out, as in the paper; when
//!   they are hit by what follows, the next round is made here and not by the
//!   simulation.
//! - One after the other, the fastest approach goes first and ends when none is
//!   left that matters. The paper does not say.
//! - Bilateral rows keep the velocity they have in either model.

use super::{LinearProgram, equations};
use crate::error::SolveError;
use crate::judge::{self, Certificate};
use crate::problem::{ContactProblem, Place, ProblemError};
use crate::rows::Rows;
use crate::solution::{Forces, Outcome, Route, Solution};
use crate::solver::ContactSolver;

/// Approaches slower than this part of the fastest motion at a contact before
/// the collision are rest.
const APPROACHES: f64 = 1e-10;

/// Rounds of simultaneous collisions at most: each needs a contact that parted.
const ROUNDS: usize = 1000;

/// Single collisions at most. Fig. 12 takes 440 at a mass ratio of 9 and grows
/// with the ratio.
const SINGLE_COLLISIONS: usize = 100_000;

/// What happens at several contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// All at once.
    Simultaneous,
    /// One after the other.
    Propagation,
}

/// One solution of (29).
#[derive(Clone, Debug)]
pub struct Round {
    /// Impulses (N·s).
    pub impulse: Forces,
    /// The judge's word on them for (29).
    pub certificate: Certificate,
    /// How they were reached: [`Route::AddsEnergy`] if the guesses were wrong.
    pub route: Route,
}

/// What a collision does.
#[derive(Clone, Debug)]
pub struct Collision {
    /// `[linear; angular]` velocity of each body after it.
    pub after: Vec<[f64; 6]>,
    /// All impulses together (N·s).
    pub impulse: Forces,
    /// Kinetic energy gained (J): negative unless restitution is complete.
    pub energy: f64,
    /// Rounds, or single collisions.
    pub steps: usize,
    /// Whether no contact is approaching any more.
    pub settled: bool,
    /// The rounds of the simultaneous model, judged. The laws of contact say
    /// nothing about collisions that follow each other.
    pub rounds: Vec<Round>,
}

/// Why a collision could not be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum CollisionError {
    /// The velocities are not those of the problem's bodies.
    #[error(transparent)]
    Velocities(#[from] ProblemError),
    /// Not one coefficient per contact.
    #[error("{given} coefficients of restitution for {count} contacts")]
    Restitutions { given: usize, count: usize },
    /// A coefficient that no material has.
    #[error("the restitution of contact {contact} is {value}, not between 0 and 1")]
    Restitution { contact: usize, value: f64 },
    /// No impulses were found.
    #[error("the impulses: {0}")]
    Impulses(#[from] SolveError),
}

/// The collision of bodies with these velocities (`[linear; angular]`, one per
/// body) and these coefficients of restitution, one per contact.
///
/// ```
/// use stiction_solvers::baraff1989::{Model, collide};
/// use stiction_solvers::gallery;
///
/// // The first of three equal balls in a row hits the second with 3 m/s (fig. 11).
/// let balls = gallery::three_balls(3.0)?;
/// let before: Vec<_> = balls.bodies().iter().map(|ball| ball.free_response).collect();
/// let speeds = |model| -> Result<Vec<f64>, _> {
///     collide(&balls, &before, &[1.0; 2], model).map(|c| c.after.iter().map(|v| v[0]).collect())
/// };
/// let close = |x: &[f64], y: [f64; 3]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12);
/// assert!(close(&speeds(Model::Propagation)?, [0.0, 0.0, 3.0]));
/// assert!(close(&speeds(Model::Simultaneous)?, [-1.0, 2.0, 2.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`CollisionError`] if the numbers do not fit, a contact has friction, or no
/// impulses keep the bodies apart.
pub fn collide(
    problem: &ContactProblem,
    velocities: &[[f64; 6]],
    restitution: &[f64],
    model: Model,
) -> Result<Collision, CollisionError> {
    let before = problem.at_impact(velocities)?;
    check(&before, restitution)?;
    let ended = match model {
        Model::Simultaneous => all_at_once(&before, velocities, restitution)?,
        Model::Propagation => one_by_one(&before, velocities, restitution)?,
    };
    let energy = energy(&before, &ended)?;
    Ok(Collision { energy, ..ended })
}

fn check(problem: &ContactProblem, restitution: &[f64]) -> Result<(), CollisionError> {
    let (given, count) = (restitution.len(), problem.contacts().len());
    if given != count {
        return Err(CollisionError::Restitutions { given, count });
    }
    if let Some(contact) = restitution.iter().position(|e| !(0.0..=1.0).contains(e)) {
        return Err(CollisionError::Restitution { contact, value: restitution[contact] });
    }
    super::refuse(problem)?;
    Ok(())
}

/// Normal velocities at the contacts.
fn approach(problem: &ContactProblem) -> Vec<f64> {
    let response = judge::response(problem, &Forces::none(problem));
    response.contacts.iter().map(|u| u.normal).collect()
}

/// The speed that counts as rest.
fn rest(normal: &[f64]) -> f64 {
    APPROACHES * normal.iter().fold(0.0, |m: f64, u| m.max(u.abs()))
}

/// Kinetic energy gained: `½ Σ j (v⁺ + v⁻)` over contacts and bilateral rows.
fn energy(before: &ContactProblem, ended: &Collision) -> Result<f64, CollisionError> {
    let after = approach(&before.at_impact(&ended.after)?);
    let contacts = ended.impulse.contacts.iter().zip(approach(before)).zip(after);
    let contacts: f64 = contacts.map(|((j, u), v)| 0.5 * j.normal * (u + v)).sum();
    // The bias of a bilateral row is minus the velocity it keeps.
    let rows = ended.impulse.bilateral.iter().zip(before.bilateral());
    Ok(contacts - rows.map(|(j, row)| j * row.bias).sum::<f64>())
}

fn add(total: &mut Forces, impulse: &Forces, size: f64) {
    for (total, impulse) in total.contacts.iter_mut().zip(&impulse.contacts) {
        total.normal += size * impulse.normal;
    }
    for (total, impulse) in total.bilateral.iter_mut().zip(&impulse.bilateral) {
        *total += size * impulse;
    }
}

/// Rounds of (29), until no contact that was left out approaches.
fn all_at_once(
    before: &ContactProblem,
    velocities: &[[f64; 6]],
    restitution: &[f64],
) -> Result<Collision, CollisionError> {
    let mut now = before.clone();
    let mut normal = approach(before);
    let rest = rest(&normal);
    let mut after = velocities.to_vec();
    let mut total = Forces::none(before);
    let mut rounds = Vec::new();
    let mut collides = normal.iter().any(|u| *u < -rest);
    while collides && rounds.len() < ROUNDS {
        let parts: Vec<bool> = normal.iter().map(|u| *u > rest).collect();
        let (round, moved) = round(&now, &normal, &parts, restitution)?;
        add(&mut total, &round.impulse, 1.0);
        rounds.push(round);
        after = moved;
        now = before.at_impact(&after)?;
        normal = approach(&now);
        collides = normal.iter().zip(parts).any(|(u, parted)| parted && *u < -rest);
    }
    let steps = rounds.len();
    Ok(Collision { after, impulse: total, energy: 0.0, steps, settled: !collides, rounds })
}

/// One solution of (29) at the contacts that do not part, and the velocities
/// after it.
fn round(
    now: &ContactProblem,
    normal: &[f64],
    parts: &[bool],
    restitution: &[f64],
) -> Result<(Round, Vec<[f64; 6]>), CollisionError> {
    let (level, bodies, contacts, bilateral, bounded) = now.clone().into_parts();
    let meeting: Vec<usize> = (0..parts.len()).filter(|&i| !parts[i]).collect();
    let contact = |&i: &usize| {
        let recoil = restitution[i] * normal[i].min(0.0);
        let contact = contacts[i].clone();
        let bias = contact.normal.map(|n| recoil * n);
        contact.with_bias(bias)
    };
    let contacts = meeting.iter().map(contact).collect();
    let law = ContactProblem::new(level, bodies, contacts, bilateral, bounded)?;
    let solution = match LinearProgram::default().solve(&law)? {
        Outcome::Solved(solution) => solution,
        // The method has no rays.
        Outcome::NeedsImpulse(ray) => {
            return Err(SolveError::PivotLimit { limit: ray.effort.pivots }.into());
        }
    };
    let after = judge::response(&law, &solution.forces).bodies;
    let mut impulse = Forces { bilateral: solution.forces.bilateral, ..Forces::none(now) };
    for (&i, &force) in meeting.iter().zip(&solution.forces.contacts) {
        impulse.contacts[i] = force;
    }
    let Solution { certificate, route, .. } = solution;
    Ok((Round { impulse, certificate, route }, after))
}

/// What a unit impulse at one contact does, joints reacting.
struct Blow {
    impulse: Forces,
    bodies: Vec<[f64; 6]>,
    normal: Vec<f64>,
}

fn blows(before: &ContactProblem) -> Result<Vec<Blow>, CollisionError> {
    let still = before.at_impact(&vec![[0.0; 6]; before.bodies().len()])?;
    let rows = Rows::new(&still);
    let joints: Vec<usize> = (rows.bilateral..rows.len()).collect();
    let blow = |i: usize| {
        let mut force = vec![0.0; rows.len()];
        force[i] = 1.0;
        equations::settle(&rows, &joints, &mut force)
            .ok_or(SolveError::SingularBasis { pivots: 0 })?;
        let impulse = rows.physical(&force);
        let response = judge::response(&still, &impulse);
        let normal = response.contacts.iter().map(|u| u.normal).collect();
        Ok(Blow { impulse, bodies: response.bodies, normal })
    };
    (0..rows.bilateral).map(blow).collect()
}

/// Single collisions (27), the fastest approach first, of equals the first.
fn one_by_one(
    before: &ContactProblem,
    velocities: &[[f64; 6]],
    restitution: &[f64],
) -> Result<Collision, CollisionError> {
    let blows = blows(before)?;
    let mut normal = approach(before);
    let rest = rest(&normal);
    let mut after = velocities.to_vec();
    let mut total = Forces::none(before);
    let mut steps = 0;
    let fastest = |normal: &[f64]| {
        let approaching = (0..normal.len()).filter(|&i| normal[i] < -rest);
        approaching.min_by(|&i, &j| normal[i].total_cmp(&normal[j]))
    };
    while let Some(i) = fastest(&normal)
        && steps < SINGLE_COLLISIONS
    {
        let blow = &blows[i];
        let size = -(1.0 + restitution[i]) * normal[i] / blow.normal[i];
        if !(blow.normal[i] > 0.0 && size.is_finite()) {
            return Err(SolveError::Wedged { place: Place::Contact(i) }.into());
        }
        add(&mut total, &blow.impulse, size);
        for (v, change) in after.iter_mut().flatten().zip(blow.bodies.iter().flatten()) {
            *v += size * change;
        }
        for (u, change) in normal.iter_mut().zip(&blow.normal) {
            *u += size * change;
        }
        steps += 1;
    }
    let settled = fastest(&normal).is_none();
    Ok(Collision { after, impulse: total, energy: 0.0, steps, settled, rounds: Vec::new() })
}
