//! Collisions at several contacts \[B89, §8\].
//!
//! Simultaneous impulses `j` and the velocities before and after them satisfy (29)
//!
//! ```text
//!   v⁺ + ε v⁻ ≥ 0,   j ≥ 0,   j (v⁺ + ε v⁻) = 0
//! ```
//!
//! which has the form of the resting contact problem and is solved as such. With propagation,
//! contacts collide one after the other: each collision is the simple one, `v⁺ = −ε v⁻` (27),
//! and changes the velocities for the next.
//!
//! These are two different physical models, not two ways to compute the same: a billiard ball
//! that hits two others stops in one model and bounces back in the other
//! ([`three_balls`](crate::gallery::three_balls)).
//!
//! # Energy
//!
//! Neither model gains energy, whatever the coefficients between 0 and 1. With (29) `j v⁺ = −ε
//! j v⁻`, and (27) is the same at one contact, so that
//!
//! ```text
//!   ΔE = ½ Σ j (v⁺ + v⁻) = ½ Σ (1 − ε) j v⁻ ≤ 0        for v⁻ ≤ 0
//! ```
//!
//! This needs `v⁻ ≤ 0`, so contacts that separate are left out; passive joints, which do no
//! work; and impulses that satisfy (29). The judge certifies the last, round by round, and the
//! energy is measured as well: the first round that fails either test ends the collision with
//! the velocities before it ([`CollisionEnd::Refused`]). A solution of (29) exists: contacts
//! that can be pressed without moving anything, `d ≥ 0` and `A d = 0`, have `dᵀv⁻ = 0`, hence
//! `v⁻ = 0` wherever `d > 0`, and nothing presses them. Only bodies with prescribed motion can
//! squeeze others; that is refused too.
//!
//! # Where to start reading
//!
//! [`collide_with`] is the driver, `simultaneous.rs` and `propagation.rs` the two models;
//! `part.rs` judges a round, `run.rs` holds the state and the energy.
//!
//! # Departures from the paper
//!
//! - Rounds are solved by an exact method, by default [`Pivoting`]. The paper's heuristic is
//!   one of the solvers that [`collide_with`] accepts.
//! - Contacts that separate before the collision are left out, as in the paper; if they are hit
//!   later, the next round is computed here and not by the simulation.
//! - Propagation resolves the fastest approach first and ends when no significant one remains.
//!   The paper does not specify this.
//! - In the paper bilateral rows keep their velocity, which is zero for joints. Velocities that
//!   violate joints would turn them into motors; here an impulse of the joints alone, which
//!   loses energy, stops them first ([`Collision::joints`]).
//! - Contacts that no motion can open would bounce for ever. They are treated as joints
//!   (`jammed.rs`).

mod jammed;
mod part;
mod propagation;
mod run;
mod simultaneous;

use crate::error::SolveError;
pub use crate::portfolio::Pivoting;
use crate::solver::ContactSolver;
use stiction_contact::{ContactProblem, Forces, Place, ProblemError};

use jammed::Freed;
use run::Run;
use std::fmt;

/// The model of a collision at several contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// All at once.
    Simultaneous,
    /// One after the other.
    Propagation,
}

/// The work after which a collision that has not settled is ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Most rounds of simultaneous collisions: each needs a contact that separated before. Rows
    /// of balls whose masses differ by a factor of a thousand take some thousand.
    pub rounds: usize,
    /// Most single collisions. Fig. 12 takes 440 at a mass ratio of 9, and more with the ratio.
    pub single_collisions: usize,
    /// Total units of work ([`Work`](crate::Work)).
    pub work: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { rounds: 20_000, single_collisions: 100_000, work: 2e9 }
    }
}

/// One round, or one single collision, that was certified and gains no energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// The contact, for a single collision.
    pub contact: Option<usize>,
    /// Contacts that took part.
    pub contacts: usize,
    /// The solver that found the impulses; `eq. 27` for a single collision.
    pub solver: &'static str,
    /// Relative residual by which the judge certified them.
    pub residual: f64,
    /// Kinetic energy before and after (J).
    pub kinetic: [f64; 2],
    /// Energy gained at contacts and joints (J): not positive but for rounding.
    pub gain: f64,
}

/// How a collision ended.
#[derive(Clone, Debug, PartialEq)]
pub enum CollisionEnd {
    /// No contact approaches any longer.
    Settled,
    /// The work budget is used up.
    Budget {
        /// The contact that approaches fastest.
        contact: usize,
        /// Its speed (m/s).
        speed: f64,
    },
    /// The next round has no certified impulses, or they gain energy. The
    /// velocities are those before it.
    Refused(Refusal),
}

impl fmt::Display for CollisionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CollisionEnd::Settled => write!(f, "settled"),
            CollisionEnd::Budget { contact, speed } => write!(
                f,
                "not settled within the work budget: contact {contact} still approaches at {speed:.3e} m/s"
            ),
            CollisionEnd::Refused(refusal) => refusal.fmt(f),
        }
    }
}

/// A round that was refused, and the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Its number, from 1; 0 is the impulse that stops the joints.
    pub round: usize,
    /// The solver that was to compute it.
    pub solver: &'static str,
    /// Where the laws are violated most, or the contact that approaches fastest.
    pub place: Option<Place>,
    /// The relative violation, if impulses were found.
    pub residual: Option<f64>,
    /// The reason.
    pub cause: Cause,
}

/// Why a round was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The impulses violate (29).
    #[error("the impulses violate the laws of contact")]
    Uncertified,
    /// The linear program guessed wrong \[B89, §6.5\].
    #[error(
        "the separating contacts were guessed wrong: impulse × velocity is {amount:.3e} J, not 0"
    )]
    AddsEnergy {
        /// `Σ j (v⁺ + ε v⁻)` (J).
        amount: f64,
    },
    /// They satisfy it within the judge's tolerance, but gain energy.
    #[error("the impulses gain {gain:.3e} J")]
    GainsEnergy {
        /// The gain (J).
        gain: f64,
    },
    /// The solver found that no impulses keep the bodies apart.
    #[error("no impulses were found that keep the bodies apart")]
    Squeezed,
    /// The solver broke down.
    #[error("{0}")]
    Breakdown(SolveError),
    /// Velocities that overflow.
    #[error("{0}")]
    NotFinite(ProblemError),
}

impl Refusal {
    fn not_finite(round: usize, solver: &'static str, error: ProblemError) -> Self {
        Refusal { round, solver, place: None, residual: None, cause: Cause::NotFinite(error) }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.round {
            0 => write!(f, "refused before round 1, where the joints are stopped")?,
            round => write!(f, "refused in round {round}")?,
        }
        if let Some(place) = self.place {
            write!(f, ", {place}")?;
        }
        write!(f, ": {}", self.cause)?;
        if let Some(residual) = self.residual {
            write!(f, ", residual {residual:.1e}")?;
        }
        write!(f, " (solver {})", self.solver)
    }
}

/// The result of a collision.
#[derive(Clone, Debug)]
pub struct Collision {
    /// `[linear; angular]` velocity of each body after it.
    pub after: Vec<[f64; 6]>,
    /// Sum of all impulses (N·s).
    pub impulse: Forces,
    /// Kinetic energy before and after (J), of bodies that forces can move.
    pub kinetic: [f64; 2],
    /// Energy gained at contacts and joints (J): negative unless restitution is complete. The
    /// rest of the change is the work of bodies with prescribed motion.
    pub energy: f64,
    /// Rounds, or single collisions.
    pub steps: usize,
    /// How it ended.
    pub end: CollisionEnd,
    /// The impulse that stopped joints violated by the initial velocities.
    pub joints: Option<Round>,
    /// All rounds, each certified.
    pub rounds: Vec<Round>,
    /// Contacts that no motion can open: they are held, without restitution.
    pub jammed: Vec<usize>,
}

impl Collision {
    /// Whether no contact approaches any longer.
    pub fn is_settled(&self) -> bool {
        self.end == CollisionEnd::Settled
    }

    /// Work done by bodies with prescribed motion (J).
    pub fn work(&self) -> f64 {
        self.kinetic[1] - self.kinetic[0] - self.energy
    }

    /// Largest relative residual of all rounds.
    pub fn residual(&self) -> f64 {
        self.joints.iter().chain(&self.rounds).fold(0.0, |m: f64, round| m.max(round.residual))
    }
}

/// Why the data of a collision are invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum CollisionError {
    /// The velocities do not match the problem's bodies.
    #[error(transparent)]
    Velocities(#[from] ProblemError),
    /// Velocities whose kinetic energy overflows.
    #[error("velocity: the kinetic energy of body {body} is {value} J, must be finite")]
    Energy { body: usize, value: f64 },
    /// The number of coefficients is not that of the contacts.
    #[error("restitution: {given} coefficients for {count} contacts")]
    Restitutions { given: usize, count: usize },
    /// A coefficient out of range.
    #[error("restitution of contact {contact} is {value}, not between 0 and 1")]
    Restitution { contact: usize, value: f64 },
    /// Something that the model does not contain.
    #[error("{place}: {reason}")]
    Unsupported { place: Place, reason: &'static str },
}

/// The collision of bodies with these velocities (`[linear; angular]`, one per
/// body) and these coefficients of restitution, one per contact; by [`Pivoting`]
/// and with the default budget.
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
/// [`CollisionError`] if the numbers do not match, a contact has friction, or a bounded row has
/// no bound.
pub fn collide(
    problem: &ContactProblem,
    velocities: &[[f64; 6]],
    restitution: &[f64],
    model: Model,
) -> Result<Collision, CollisionError> {
    collide_with(&mut Pivoting, Budget::default(), problem, velocities, restitution, model)
}

/// The same with a given solver and budget. Single collisions are one equation each and need no
/// solver, except to stop joints.
///
/// # Errors
///
/// As [`collide`].
pub fn collide_with(
    solver: &mut dyn ContactSolver,
    budget: Budget,
    problem: &ContactProblem,
    velocities: &[[f64; 6]],
    restitution: &[f64],
    model: Model,
) -> Result<Collision, CollisionError> {
    validate(problem, restitution)?;
    let before = problem.at_impact(velocities)?;
    let freed = Freed::new(&before, velocities)?;
    let open: Vec<f64> = freed.open.iter().map(|&i| restitution[i]).collect();
    let mut run = Run::new(&freed.problem, velocities, &open, budget)?;
    let end = run.stop_joints(solver).and_then(|()| match model {
        Model::Simultaneous => simultaneous::resolve(&mut run, solver),
        Model::Propagation => propagation::resolve(&mut run),
    });
    let collision = run.into_collision(end.unwrap_or_else(CollisionEnd::Refused));
    Ok(freed.into_whole(collision))
}

fn validate(problem: &ContactProblem, restitution: &[f64]) -> Result<(), CollisionError> {
    let (given, count) = (restitution.len(), problem.contacts().len());
    if given != count {
        return Err(CollisionError::Restitutions { given, count });
    }
    if let Some(contact) = restitution.iter().position(|e| !(0.0..=1.0).contains(e)) {
        return Err(CollisionError::Restitution { contact, value: restitution[contact] });
    }
    let unsupported = |place, reason| Err(CollisionError::Unsupported { place, reason });
    if let Some(i) = problem.contacts().iter().position(|c| c.friction.limit() > 0.0) {
        return unsupported(Place::Contact(i), "has friction, which collisions here do not model");
    }
    // Finite forces have no impulse; those of a hard limit are not finite.
    let endless = |lower: f64, upper: f64| !(lower.is_finite() && upper.is_finite());
    if let Some(i) = problem.bounded().iter().position(|r| endless(r.lower, r.upper)) {
        let reason = "has no bound on one side, which collisions here do not model";
        return unsupported(Place::Bounded(i), reason);
    }
    Ok(())
}
