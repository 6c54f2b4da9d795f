//! Lemke's algorithm made nearly linear, after Lloyd (2004).
//!
//! Friction cones are pyramids with `d` sides; the contact problem is then a
//! linear complementarity problem with a particular structure:
//!
//! ```text
//!   ⎛ν⎞   ⎛NᵀN  NᵀD  0⎞ ⎛θ⎞   ⎛Nᵀk⎞
//!   ⎜σ⎟ = ⎜DᵀN  DᵀD  E⎟ ⎜φ⎟ + ⎜Dᵀk⎟ ,    all ≥ 0,  ν ⟂ θ, σ ⟂ φ, γ ⟂ λ      eq. 8
//!   ⎝γ⎠   ⎝ μ   −Eᵀ  0⎠ ⎝λ⎠   ⎝ 0 ⎠
//! ```
//!
//! θ are normal forces, φ friction forces along `d` directions, λ slip speeds.
//! Three methods solve it:
//!
//! - *standard* forms the matrix and passes it to [`lemke`](crate::lemke);
//! - *structural* follows the same path, but solves in each pivot a system whose size is
//!   bounded by the degrees of freedom of the bodies, not by the contacts;
//! - *reduced* also leaves out the friction of contacts that do not push.
//!
//! # Where to start reading
//!
//! [`Lloyd`] tries the methods in turn; `path` is one path, `state` records which variables are
//! basic, `system` holds the reduced equations, `ratio` finds the blocking variable, `standard`
//! is the large problem.
//!
//! # Departures from the paper
//!
//! - *Reduced* does not extend the covering vector (appendix D), which can make the method
//!   leave its path and loop. Its covering vector is `c = 1` on ν and σ and `0` on γ from the
//!   start. Then a contact with `θ = 0` has `φ = 0` whatever its slip, so it has no influence
//!   on the path at all: the method follows the structural path for this `c`, without the
//!   pivots inside idle contacts. A contact that begins to push gets the friction variables
//!   that its slip requires (`φ_x` and `λ` basic, if it is faster than `z₀`), one that stops
//!   pushing loses them.
//! - A point on that path is the exact answer of a problem in which all contacts separate
//!   faster by `z₀` and slip slower than `z₀` is ignored: `z₀ = 0` is the problem itself.
//! - Bilateral rows are unknowns that never block; rows implied by others are found first and
//!   left out.
//! - Contacts that already slide (a friction force tied to the normal force) and planar
//!   contacts (two directions) are handled like any others.
//! - Ties are broken by the largest rate; `z₀` wins them, and at a contact without a covered
//!   friction limit the normal force wins against its own friction.
//! - A repeated basis is detected (Brent's method) and the next method tried: reduced,
//!   structural, standard. The answer reports it ([`Route::Fallback`]).
//! - The path ends when `z₀` is negligible, not when it leaves the basis: the last exchange may
//!   be singular.
//! - The answer is finished on the round cone by [`cone`] unless the pyramid is requested.
//!
//! # Reference
//!
//! J. E. Lloyd. *Fast implementation of Lemke's algorithm for rigid body contact
//! simulation.* ICRA 2005, pp. 4538–4543; here the longer text of 2004. Cited as
//! \[L04\].

mod lu;
mod path;
mod pyramid;
mod ratio;
mod standard;
mod state;
mod system;
mod updated;

pub use path::{End, Path, Scope};
pub use pyramid::Pyramid;
pub use standard::Standard;

use crate::coefficients::solve_with_one_each;
use crate::cone;
use crate::error::SolveError;
use crate::observer::{Event, Observer};
use crate::solver::{Call, ContactSolver, Searched};
use crate::work::Work;
use serde::Serialize;
use standard::StandardEnd;
use stiction_contact::judge::{self, Cone, Law, PyramidCertificate, Watch};
use stiction_contact::{Candidate, ContactProblem, Effort, Forces, Found, Route};

/// One of the three methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The large matrix, formed.
    Standard,
    /// The structure of the matrix used \[L04, §5.1\].
    Structural,
    /// Friction only where contacts push \[L04, §5.3\].
    Reduced,
}

/// Contacts without friction up to which the matrix is formed: for them it is as small as the
/// reduced system, and a tableau is faster.
const FRICTIONLESS_STANDARD: usize = 100;

impl Method {
    /// The one with the least pivoting time (`stiction bench lloyd`).
    pub fn for_problem(problem: &ContactProblem) -> Self {
        let rubs = problem.contacts().iter().any(|c| c.friction.has_tangent_unknowns());
        let many = problem.contacts().len() > FRICTIONLESS_STANDARD;
        if rubs || many { Method::Reduced } else { Method::Standard }
    }

    /// Its name in texts and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Standard => "standard",
            Method::Structural => "structural",
            Method::Reduced => "reduced",
        }
    }
}

/// Lemke's algorithm on pyramids, by one of three methods and its fallbacks.
#[derive(Clone, Copy, Debug)]
pub struct Lloyd {
    /// The method tried first.
    pub method: Method,
    /// Friction directions per contact: even, at least 4.
    pub directions: usize,
    /// Whether the answer is finished on the round cone.
    pub round: bool,
}

/// Default number of friction directions, as in the paper.
pub const DIRECTIONS: usize = 8;

/// Unknowns of the large problem beyond which it is not used as a fallback: its inverse alone
/// would fill the memory of small machines.
const MOST_STANDARD: usize = 2500;

impl Lloyd {
    /// A method with the paper's eight directions, finished on the round cone.
    pub fn new(method: Method) -> Self {
        Lloyd { method, directions: DIRECTIONS, round: true }
    }

    fn methods(self) -> &'static [Method] {
        match self.method {
            Method::Standard => &[Method::Standard],
            Method::Structural => &[Method::Structural, Method::Standard],
            Method::Reduced => &[Method::Reduced, Method::Structural, Method::Standard],
        }
    }

    /// What the methods do not support.
    fn unsupported(self, problem: &ContactProblem) -> Option<String> {
        if self.directions < 4 || self.directions % 2 == 1 || self.directions > 1000 {
            let d = self.directions;
            return Some(format!(
                "{d} friction directions; an even number from 4 to 1000 is needed"
            ));
        }
        (!problem.bounded().is_empty()).then(|| "it has bounded rows".into())
    }

    /// Tries the methods in turn until an answer is certified.
    fn solve_uniform(
        self,
        problem: &ContactProblem,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> Result<Candidate, SolveError> {
        let pyramid = Pyramid::new(problem, self.directions);
        pyramid.check_bilateral()?;
        let mut effort = Effort::default();
        let mut failure = Err(SolveError::PivotLimit { limit: 0 });
        for &method in self.methods() {
            if work.is_spent() {
                break;
            }
            let other = (method != self.method).then(|| Lloyd { method, ..self }.name());
            if let Some(solver) = other {
                observer.event(Event::Fallback { solver });
            }
            let route = if other.is_some() { Route::Fallback } else { Route::Direct };
            match run(&pyramid, method, &mut effort, work, observer) {
                Ok(PathEnd::Forces(candidates)) => {
                    work.charge_look(problem);
                    let Some((forces, certificate)) = self.best(problem, candidates) else {
                        continue;
                    };
                    if certificate.certified {
                        let attempt = self.conclude(problem, forces, route, effort, work);
                        return Ok(Candidate { by: other, ..attempt });
                    }
                    failure = Ok(Candidate::short(forces, certificate.relative, effort));
                }
                Ok(PathEnd::Ray(direction)) => {
                    if judge::judge_ray(problem, &direction).is_impulse_of(problem) {
                        return Ok(Candidate::new(Found::Ray(direction), route, effort));
                    }
                }
                Err(error) => {
                    // A bad answer contains more information than a limit.
                    if failure.is_err() {
                        failure = Err(error);
                    }
                }
            }
        }
        failure
    }

    /// The candidate that solves the complementarity problem best.
    fn best(
        self,
        problem: &ContactProblem,
        candidates: Vec<Forces>,
    ) -> Option<(Forces, PyramidCertificate)> {
        let judged = candidates.into_iter().map(|forces| {
            let certificate = judge::judge_pyramid(problem, &forces, self.directions);
            (forces, certificate)
        });
        judged.min_by(|(_, a), (_, b)| a.relative.total_cmp(&b.relative))
    }

    /// Finishes a certified pyramid answer on the round cone, if requested and possible.
    fn conclude(
        self,
        problem: &ContactProblem,
        forces: Forces,
        route: Route,
        effort: Effort,
        work: &mut Work,
    ) -> Candidate {
        let is_round = |forces: &Forces| {
            Watch::new(problem).residuals(forces).law() == Some(Law::MaximumDissipation)
        };
        let pyramid = Cone::Pyramid { directions: self.directions };
        if !self.round {
            return Candidate {
                cone: pyramid,
                ..Candidate::new(Found::Forces(forces), route, effort)
            };
        }
        if is_round(&forces) {
            return Candidate::new(Found::Forces(forces), route, effort);
        }
        match cone::finish(problem, &forces, cone::STARTS, work) {
            Some(finish) => {
                let attempt = Candidate::new(Found::Forces(finish.forces), route, effort);
                Candidate { finish: Some(finish.iterations), ..attempt }
            }
            None => {
                Candidate { cone: pyramid, ..Candidate::new(Found::Forces(forces), route, effort) }
            }
        }
    }
}

/// The result of one method.
enum PathEnd {
    /// Forces at the end of the path, and polished ones.
    Forces(Vec<Forces>),
    Ray(Forces),
}

/// One method on one pyramid.
fn run(
    pyramid: &Pyramid,
    method: Method,
    effort: &mut Effort,
    work: &mut Work,
    observer: &mut dyn Observer,
) -> Result<PathEnd, SolveError> {
    let scope = match method {
        Method::Standard => return run_standard(pyramid, effort, work),
        Method::Structural => Scope::All,
        Method::Reduced => Scope::Pushing,
    };
    let mut path = Path::new(pyramid);
    path.work = *work;
    let end = path.follow(scope, observer);
    *work = path.work;
    effort.pivots += path.pivots;
    effort.refreshes += path.refreshes();
    match end {
        End::Solved => Ok(PathEnd::Forces(
            [Some(path.forces()), path.polished()].into_iter().flatten().collect(),
        )),
        End::Ray => Ok(PathEnd::Ray(path.ray().into_unit())),
        End::Loop => Err(SolveError::Cycle { pivots: path.pivots }),
        End::Singular => Err(SolveError::SingularBasis { pivots: path.pivots }),
        End::PivotLimit => Err(SolveError::PivotLimit { limit: path.pivots }),
    }
}

fn run_standard(
    pyramid: &Pyramid,
    effort: &mut Effort,
    work: &mut Work,
) -> Result<PathEnd, SolveError> {
    let solver = "lloyd-standard";
    let size = pyramid.unknowns();
    if size > MOST_STANDARD {
        let reason = format!("{size} unknowns, at most {MOST_STANDARD} are formed");
        return Err(SolveError::Unsupported { solver, reason });
    }
    let standard = Standard::new(pyramid)
        .map_err(|error| SolveError::Unsupported { solver, reason: error.to_string() })?;
    let (end, pivots) = standard.solve(work);
    effort.pivots += pivots;
    match end {
        StandardEnd::Solved(candidates) => Ok(PathEnd::Forces(candidates)),
        StandardEnd::Ray(direction) => Ok(PathEnd::Ray(direction.into_unit())),
        StandardEnd::PivotLimit => Err(SolveError::PivotLimit { limit: pivots }),
    }
}

impl ContactSolver for Lloyd {
    fn name(&self) -> &'static str {
        match self.method {
            Method::Standard => "lloyd-standard",
            Method::Structural => "lloyd-structural",
            Method::Reduced => "lloyd-reduced",
        }
    }

    /// A warm start is checked and not used: a path begins at its ray.
    fn search(&mut self, problem: &ContactProblem, call: Call<'_>) -> Searched {
        let Call { start, work, observer } = call;
        SolveError::for_start(start, problem)?;
        if let Some(reason) = self.unsupported(problem) {
            return Err(SolveError::Unsupported { solver: self.name(), reason });
        }
        let this = *self;
        solve_with_one_each(problem, |problem| this.solve_uniform(problem, work, observer))
    }
}
