//! Dantzig's algorithm with friction, after Baraff (1994).
//!
//! Contacts are added one at a time. Each starts with zero force. If its bodies would
//! accelerate into each other, its force is raised until they no longer do; then its friction
//! is raised until it sticks or slips. Contacts added before keep their conditions throughout;
//! when one is about to violate its own, it changes sides and the drive continues:
//!
//! ```text
//!              force reaches 0                     friction reaches its cone
//!   Clamped ─────────────────► Separating    Sticking ─────────────────► Slipping
//!   a = 0, f ≥ 0 ◄──────────── a ≥ 0, f = 0  a_t = 0 ◄─────────────── f_t = μ f_n d
//!              acceleration reaches 0              slip along d reaches 0
//! ```
//!
//! One change of side is one *pivot*.
//!
//! # Where to start reading
//!
//! [`Dantzig`] has the outer loop (`run`), `drive` one drive, `step` the ratio test, `state`
//! the sides, `clamped` the linear algebra.
//!
//! # Departures from the paper
//!
//! - `A` is not formed; responses are computed through the bodies in O(n). (The finish on the
//!   round cone forms it.)
//! - The most violated condition is driven first, all normal conditions before any friction:
//!   the paper takes any order. Steps within a narrow band are ties: the driving contact wins
//!   them, then the one with the fastest rate.
//! - In 3D friction is raised against the slip, with the perpendicular slip held at zero,
//!   instead of along x and then y: the answer does not depend on the axes of the tangent
//!   plane.
//! - A contact that closes again starts slipping against its slip. A contact whose slip along
//!   its friction vanishes holds its remaining perpendicular slip; if there is any, its
//!   friction is established again from zero.
//! - Redundant contacts are clamped without being factored (see `clamped`): with friction and
//!   rounding the paper's "A₁₁ is never singular" does not hold.
//! - Frictionless problems start from a guess made by a few Gauss–Seidel sweeps; any
//!   non-negative forces are a valid start. [`Dantzig::from_zero`] starts as the paper does.
//! - An unbounded drive is an impulse only if it moves a body. Forces in the null space of `A`
//!   are wedging, an error.
//! - A contact may be given up (§5.4) a bounded number of times; then the method reports that
//!   it oscillates.
//! - When the method ends without a valid answer, it restarts from the contact modes that
//!   Gauss–Seidel sweeps suggest, and reports it ([`Route::Restarted`]).
//! - In 3D the paper freezes the direction of friction when a contact begins to slip; its
//!   answers satisfy (21), not maximum dissipation. [`cone`] finishes them on the round cone;
//!   the answer reports it.
//! - Bounded rows are treated like friction in 2D with constant bounds.
//! - If static and dynamic friction differ ([`Friction::Coulomb`](crate::Friction::Coulomb)),
//!   contacts that slip get the dynamic coefficient and the problem is solved again.
//!
//! # Reference
//!
//! D. Baraff. *Fast contact force computation for nonpenetrating rigid bodies.*
//! SIGGRAPH 1994, pp. 23–34. Cited below as \[B94\].

mod clamped;
mod drive;
mod sets;
mod start;
mod state;
mod step;

use crate::coefficients::solve_with_one_each;
use crate::cone;
use crate::error::SolveError;
use crate::observer::{Driven, Event, Observer};
use crate::rows::Rows;
use crate::solver::{Call, ContactSolver, Searched};
use crate::work::Work;
use drive::{Stuck, Target};
use state::{Bound, Side, Slip, State};
use stiction_contact::judge::{self, Law, Watch};
use stiction_contact::{Candidate, ContactProblem, Forces, Found, Route};

/// Dantzig's algorithm with friction: exact, for small and medium problems.
#[derive(Clone, Copy, Debug)]
pub struct Dantzig {
    /// Restarts from Gauss–Seidel sweeps after the method itself has failed; restart `k` makes
    /// `10 k²` sweeps. Zero is Baraff's method alone.
    pub restarts: usize,
    /// Whether answers in which friction only partly opposes the slip are finished on the round
    /// cone. If not, they are Baraff's.
    pub round: bool,
    /// Starts of that finish: the answer itself, then the answer after more and more sweeps.
    pub starts: usize,
    /// Whether to start from zero forces as in the paper and ignore any given start. Restarts
    /// after a failure still use sweeps.
    pub from_zero: bool,
}

impl Default for Dantzig {
    fn default() -> Self {
        Dantzig { restarts: 6, round: true, starts: cone::STARTS, from_zero: false }
    }
}

/// Friction below this fraction of the load must oppose the slip within an absolute rather than
/// a relative tolerance.
const SMALL_FRICTION: f64 = 1e-3;

/// Most pivots of a run: per row, and at least. The paper reports about one per contact.
const RUN_PIVOTS: (usize, usize) = (12, 500);

impl ContactSolver for Dantzig {
    fn name(&self) -> &'static str {
        "dantzig"
    }

    fn search(&mut self, original: &ContactProblem, call: Call<'_>) -> Searched {
        let Call { start, work, observer } = call;
        SolveError::for_start(start, original)?;
        let this = *self;
        solve_with_one_each(original, |problem| this.solve_uniform(problem, start, work, observer))
    }
}

impl Dantzig {
    /// Solves a problem whose static and dynamic coefficients agree.
    fn solve_uniform(
        self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> Result<Candidate, SolveError> {
        let start = start.filter(|_| !self.from_zero);
        let mut state = State::new(Rows::new(problem), work, observer);
        let begun = match start {
            Some(forces) => state.start_from(forces),
            None => state.satisfy_bilateral(),
        };
        begun?;
        let guesses = start.is_none() && !self.from_zero && state.is_frictionless();
        if guesses {
            state.guess();
        }
        let mut last = match self.conclude(problem, &mut state, Route::Direct) {
            Ok(found) if found.shortfall.is_none() => {
                if guesses && state.effort.drives == 0 && !state.side.is_empty() {
                    state.see(Event::Guessed);
                }
                return Ok(found);
            }
            short => short,
        };
        for restart in 1..=self.restarts {
            if state.work.is_spent() {
                break;
            }
            let sweeps = 10 * restart * restart;
            let begun = state.start_from_sweeps(sweeps);
            state.see(Event::Restart { sweeps });
            begun?;
            last = match self.conclude(problem, &mut state, Route::Restarted { sweeps }) {
                Ok(found) if found.shortfall.is_none() => return Ok(found),
                short => short,
            };
        }
        last
    }

    /// Runs from the current start to forces that the judge certifies, or to a ray.
    fn conclude(
        self,
        problem: &ContactProblem,
        state: &mut State<'_>,
        route: Route,
    ) -> Result<Candidate, SolveError> {
        match run(state) {
            Ok(()) => {}
            Err(Stuck::Ray) => return Ok(ray(problem, state)),
            Err(Stuck::Error(error)) => return Err(error),
            Err(Stuck::Work) => {
                let best = state.rows.physical(&state.force);
                let residual = Watch::new(problem).residuals(&best).nearest();
                return Ok(Candidate::short(best, residual, state.effort));
            }
        }
        let forces = state.rows.physical(&state.force);
        let found = |forces, finish| {
            let attempt = Candidate::new(Found::Forces(forces), route, state.effort);
            Ok(Candidate { finish, ..attempt })
        };
        if state.is_frictionless() {
            return found(forces, None);
        }
        state.work.charge_look(problem);
        let residuals = Watch::new(problem).residuals(&forces);
        match residuals.law() {
            None => Ok(Candidate::short(forces, residuals.opposition, state.effort)),
            Some(Law::Opposition) if self.round => {
                match cone::finish(problem, &forces, self.starts, state.work) {
                    Some(finish) => found(finish.forces, Some(finish.iterations)),
                    None => found(forces, None),
                }
            }
            Some(_) => found(forces, None),
        }
    }
}

/// The outer loop [B94, `compute-forces`]: while a condition fails, drive it.
fn run(state: &mut State<'_>) -> Result<(), Stuck> {
    let limit = RUN_PIVOTS.0 * state.rows.len() + RUN_PIVOTS.1;
    let last = state.effort.pivots + limit;
    for _ in 0..limit {
        if state.work.is_spent() {
            return Err(Stuck::Work);
        }
        match state.most_violated() {
            None => {
                state.polish();
                return Ok(());
            }
            Some(Violated::Normal(target)) => {
                state.set_undecided(&target);
                state.drive(target)?;
            }
            Some(Violated::Friction(contact)) => state.establish_friction(contact)?,
        }
        state.restore();
        if state.effort.pivots > last {
            break;
        }
    }
    Err(SolveError::PivotLimit { limit }.into())
}

/// A condition that fails.
enum Violated {
    Normal(Target),
    Friction(usize),
}

impl State<'_> {
    /// The most violated normal condition, or if there is none the most
    /// violated friction condition.
    fn most_violated(&mut self) -> Option<Violated> {
        let mut worst = 0.0;
        let mut found = None;
        for contact in 0..self.side.len() {
            let row = self.rows.contacts[contact].normal;
            let (f, a, zero) = (self.force[row], self.response[row], self.tolerance[row]);
            let fails = a < -zero || a > zero && f > 0.0;
            if self.side[contact] != Side::Clamped {
                self.side[contact] =
                    if f == 0.0 && !fails { Side::Separating } else { Side::Undecided };
            }
            if self.side[contact] == Side::Undecided && fails && a.abs() > worst {
                worst = a.abs();
                found = Some(Target { row, contact, what: Driven::Normal, sign: -a.signum() });
            }
        }
        for k in 0..self.bound.len() {
            let row = self.rows.bounded + k;
            let (f, a, zero) = (self.force[row], self.response[row], self.tolerance[row]);
            let (lower, upper) = (self.rows.lower[k], self.rows.upper[k]);
            if self.bound[k] == Bound::Undecided && a.abs() > zero {
                if f <= lower && a > 0.0 {
                    self.bound[k] = Bound::Lower;
                } else if f >= upper && a < 0.0 {
                    self.bound[k] = Bound::Upper;
                }
            }
            let fails = match self.bound[k] {
                Bound::Clamped => false,
                Bound::Lower => a < -zero,
                Bound::Upper => a > zero,
                Bound::Undecided => a.abs() > zero,
            };
            if fails && a.abs() > worst {
                worst = a.abs();
                let contact = usize::MAX;
                found = Some(Target { row, contact, what: Driven::Normal, sign: -a.signum() });
            }
        }
        if let Some(target) = found {
            return Some(Violated::Normal(target));
        }
        let rubbing = (0..self.side.len()).filter(|&c| self.rows.contacts[c].tangents > 0);
        let mut worst = (0.0, None);
        for contact in rubbing {
            let [x, y] = self.tangent_response(contact);
            let slip = x.hypot(y);
            if slip >= worst.0 && self.friction_fails(contact) {
                worst = (slip, Some(contact));
            }
        }
        worst.1.map(Violated::Friction)
    }

    fn is_frictionless(&self) -> bool {
        self.rows.symmetric && self.rows.contacts.iter().all(|c| c.tangents == 0)
    }

    /// Whether the static friction conditions [B94, eq. 14, 16, 21] fail.
    fn friction_fails(&self, contact: usize) -> bool {
        let rows = &self.rows.contacts[contact];
        let normal = self.force[rows.normal];
        let zero = self.tolerance[rows.normal];
        let [fx, fy] = self.tangent_force(contact);
        let [ax, ay] = self.tangent_response(contact);
        let (force, slip) = (fx.hypot(fy), ax.hypot(ay));
        let slack = rows.friction * normal - force;
        if slack < -zero {
            return true;
        }
        if (normal <= zero && force <= zero) || slip <= zero {
            return false;
        }
        slack > zero || fx * ax + fy * ay > zero * force.max(SMALL_FRICTION)
    }

    /// Removes a row about to be driven from the index sets.
    fn set_undecided(&mut self, target: &Target) {
        if target.row >= self.rows.bounded {
            self.bound[target.row - self.rows.bounded] = Bound::Undecided;
        } else {
            self.side[target.contact] = Side::Undecided;
            if self.slip[target.contact] != Slip::Undecided {
                self.loosen(target.contact);
            }
        }
    }
}

/// The direction of an unbounded drive as an impulse, if it is valid.
fn ray(problem: &ContactProblem, state: &State<'_>) -> Candidate {
    let direction = state.rows.physical(&state.force_change).into_unit();
    let certificate = judge::judge_ray(problem, &direction);
    if certificate.is_impulse_of(problem) {
        Candidate::new(Found::Ray(direction), Route::Direct, state.effort)
    } else {
        let residual = certificate.response_violation.max(certificate.approach);
        Candidate::short(state.rows.physical(&state.force), residual, state.effort)
    }
}
