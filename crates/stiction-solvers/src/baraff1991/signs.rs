//! Static friction by guessing its signs and solving a quadratic program
//! \[B91, §8.2\].
//!
//! ```text
//!   sweeps ──► friction ──► signs ──► program (16)–(19) ──► friction ──► …
//! ```
//!
//! An iterative method without guaranteed convergence guesses the direction of each friction
//! force. If it converges, that is the answer. If not, the signs leave the quadratic program of
//! `program.rs`, which yields forces if the guess was right.
//!
//! # Departures from the paper
//!
//! - The sweeps are projected Gauss–Seidel on the round cone, `rows/sweep.rs`.
//! - In 3D each tangent frame is rotated so that its first axis lies along the guessed
//!   friction, "so either f_x or f_y is zero" (§8.2), and again after each program. The sign
//!   along the second axis is then useless and is not imposed: only `|f_y| ≤ μ f`, and among
//!   solutions the program prefers a small `f_y`.
//! - If the program does not yield forces that the judge accepts, more sweeps follow, four
//!   times as many each time: the paper does not give a number. In the end the best forces are
//!   returned, uncertified.

use super::bilateral::Reduced;
use super::program::Program;
use crate::convex;
use crate::error::SolveError;
use crate::rows::Rows;
use crate::solver::{Call, ContactSolver, Searched};
use crate::work::Work;
use stiction_contact::judge::{self, Law, Watch};
use stiction_contact::{Candidate, ContactProblem, Effort, Forces, Found, Friction, Route, Stop};

/// Number of sweeps before each try: piles with many contacts need thousands.
const SWEEPS: [usize; 6] = [20, 80, 320, 1280, 5120, 20480];

/// Most programs of one try, each with frames rotated to the friction of the last.
const TURNS: usize = 15;

/// A try ends after this many programs in a row that did not reduce the natural map by [`FALLS`].
const STALLS: usize = 3;
/// Factor by which a program must reduce the natural map to count as progress.
const FALLS: f64 = 0.9;

/// Guesses the signs of friction by sweeps, then solves a quadratic program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signs;

impl ContactSolver for Signs {
    fn name(&self) -> &'static str {
        "signs"
    }

    fn approximation(&self) -> Option<&'static str> {
        Some(
            "friction is bounded along each tangent axis with guessed signs, and a wrong guess \
             may find no forces where there are some (Baraff 1991, §8.2)",
        )
    }

    fn search(&mut self, problem: &ContactProblem, call: Call<'_>) -> Searched {
        let Call { work, .. } = call;
        convex::require(self.name())?;
        self.refuse(problem)?;
        let rows = Rows::new(problem);
        let swept = vec![0.0; rows.len()];
        let best = (f64::INFINITY, Forces::zeros(problem));
        let mut search = Search { problem, rows, swept, best, effort: Effort::default(), work };
        for sweeps in SWEEPS {
            if search.guess_and_solve(sweeps)? || search.work.is_spent() {
                break;
            }
        }
        let Search { best: (residual, forces), effort, .. } = search;
        if residual <= judge::CERTIFIED {
            return Ok(Candidate::new(Found::Forces(forces), Route::Direct, effort));
        }
        Ok(Candidate::short(forces, residual, effort))
    }
}

struct Search<'a> {
    problem: &'a ContactProblem,
    rows: Rows,
    /// Forces of the sweeps alone.
    swept: Vec<f64>,
    /// The smallest residual so far, and its forces.
    best: (f64, Forces),
    effort: Effort,
    work: &'a mut Work,
}

impl Search<'_> {
    /// Runs more sweeps and, unless they converge, programs with frames rotated in between;
    /// returns whether the judge certifies the result.
    fn guess_and_solve(&mut self, sweeps: usize) -> Result<bool, SolveError> {
        self.work.charge(self.rows.sweep_work(sweeps));
        self.rows.sweep(&mut self.swept, sweeps);
        let mut force = self.swept.clone();
        let (done, mut least) = self.judge(&force);
        if done {
            self.effort.stop = Some(Stop::Precision);
            return Ok(true);
        }
        let mut stalls = 0;
        for _ in 0..TURNS {
            align(&mut self.rows, &mut force, &mut self.swept);
            let program = Program::new(&self.rows, Reduced::new(&self.rows)?, &force);
            let Some(found) = program.solve(&self.rows, &force) else { break };
            self.effort.pivots += found.iterations;
            (0..found.iterations).for_each(|_| self.work.charge_dense(self.rows.len()));
            force = found.force;
            let (done, residual) = self.judge(&force);
            if done {
                return Ok(true);
            }
            stalls = if residual < FALLS * least { 0 } else { stalls + 1 };
            least = least.min(residual);
            if stalls == STALLS || self.work.is_spent() {
                break;
            }
        }
        Ok(false)
    }

    /// Keeps the forces if they are the best so far. Returns whether they obey maximum
    /// dissipation, and their distance from it.
    fn judge(&mut self, force: &[f64]) -> (bool, f64) {
        self.work.charge_look(self.problem);
        let forces = self.rows.physical(force);
        let residuals = Watch::new(self.problem).residuals(&forces);
        let done = residuals.law() == Some(Law::MaximumDissipation);
        if done || residuals.opposition < self.best.0 {
            self.best = (residuals.opposition, forces);
        }
        (done, residuals.natural_map)
    }
}

impl Signs {
    fn refuse(self, problem: &ContactProblem) -> Result<(), SolveError> {
        let unsupported = |reason: String| SolveError::Unsupported { solver: self.name(), reason };
        let differs = |friction: &Friction| {
            matches!(friction, Friction::Coulomb { static_friction, dynamic_friction }
                if static_friction != dynamic_friction)
        };
        if let Some(i) = problem.contacts().iter().position(|c| differs(&c.friction)) {
            return Err(unsupported(format!("contact {i} has two friction coefficients")));
        }
        if !problem.bounded().is_empty() {
            return Err(unsupported("it has bounded rows".into()));
        }
        Ok(())
    }
}

/// Rotates each tangent frame so that friction, minus the slip it should oppose, lies along its
/// first axis.
fn align(rows: &mut Rows, force: &mut [f64], swept: &mut [f64]) {
    let response = rows.response(force);
    for contact in 0..rows.contacts.len() {
        if rows.contacts[contact].tangents < 2 {
            continue;
        }
        let t = rows.contacts[contact].normal + 1;
        let [x, y] = [t, t + 1].map(|r| force[r] - response[r]);
        let length = x.hypot(y);
        if length > 0.0 {
            rows.turn(contact, x / length, y / length, &mut [&mut *force, &mut *swept]);
        }
    }
}
