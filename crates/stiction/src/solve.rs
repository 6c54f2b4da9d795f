//! One solver for a whole run: warm starts, tallies, and a fallback that is never silent.

use crate::detect::{Contact, ContactKey};
use crate::report::EventKind;
use crate::world::World;
use glam::DVec3;
use std::collections::{BTreeMap, HashMap};
use stiction_solvers::gauss_seidel::GaussSeidel;
use stiction_solvers::portfolio::Iterations;
use stiction_solvers::{
    Answer, Auto, Call, Candidate, ContactForce, ContactProblem, ContactSolver, Effort, Forces,
    NoObserver, Selection, SolveError, Work, judge,
};

/// Forces that break the laws by more than this (relative) may be worse than none: where joints
/// contradict contacts, some methods return forces that grow without end. Sweeps do not.
const BROKEN: f64 = 0.1;

/// Units of work that proximal points may take for one answer.
const LONGEST: f64 = 2e8;

/// Velocities of a run are rounded to 1e-16 of the fastest it has had: where they have come down to
/// this part of it, a part in 1e8 is rounding.
const ROUNDED: f64 = 1e-6;

/// Work that all answers of a step may take together; then sweeps answer, within [`SWEPT`] each, and
/// the answers are hardly certified. A step never blocks for more than a few seconds.
const STEP: f64 = 4e9;
const SWEPT: f64 = 1e6;

/// The forces of an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownForces {
    contacts: HashMap<ContactKey, ContactForce>,
    /// Those of joint rows.
    rows: [Vec<f64>; 2],
}

impl KnownForces {
    /// Adds what another answer had, multiplied by a factor; rows only where it has no rows yet.
    pub(crate) fn take_over(&mut self, other: &KnownForces, factor: f64) {
        let scaled = |force: &ContactForce| ContactForce {
            normal: factor * force.normal,
            friction: force.friction.map(|x| factor * x),
        };
        self.contacts.extend(other.contacts.iter().map(|(key, force)| (*key, scaled(force))));
        if self.rows.iter().all(Vec::is_empty) {
            self.rows = other.rows.clone().map(|rows| rows.iter().map(|x| factor * x).collect());
        }
    }
}

/// A solver, the forces it found last, and what its answers were worth.
pub struct SolverSession {
    solver: Box<dyn ContactSolver + Send>,
    /// Forces of the last answer, to start the next from.
    known: KnownForces,
    /// Problems solved since the tally was taken.
    pub solves: usize,
    /// Newton steps, pivots and steps along a path since the tally was taken.
    pub iterations: usize,
    /// Worst relative residual since the tally was taken.
    pub residual: f64,
    /// Whether all since the tally was taken were certified.
    pub certified: bool,
    /// Work of all answers in this step of the caller.
    spent: f64,
    /// The fastest motion so far (m/s).
    fastest: f64,
    /// Velocity that gravity makes in a step, or what is left of the fastest motion (m/s).
    speed: f64,
    /// How many answers each method gave since the tally was taken.
    answers: BTreeMap<&'static str, usize>,
    /// What the solver does not model, the first time since this was taken.
    pub refusal: Option<SolveError>,
}

impl std::fmt::Debug for SolverSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SolverSession").field("solver", &self.solver.name()).finish_non_exhaustive()
    }
}

impl Default for SolverSession {
    fn default() -> Self {
        SolverSession::selecting(Selection::Any)
    }
}

impl SolverSession {
    /// With `auto`, and these of all forces that cause the same motion.
    pub(crate) fn selecting(selection: Selection) -> Self {
        let solver = Auto::selecting(selection).with_work_budget(LONGEST);
        SolverSession::new(Box::new(solver))
    }

    /// With this solver.
    pub fn new(solver: Box<dyn ContactSolver + Send>) -> Self {
        SolverSession {
            solver,
            known: KnownForces::default(),
            solves: 0,
            iterations: 0,
            residual: 0.0,
            certified: true,
            spent: 0.0,
            fastest: 0.0,
            speed: 0.0,
            answers: BTreeMap::new(),
            refusal: None,
        }
    }

    /// Exchanges the forces known for others.
    pub(crate) fn swap(&mut self, forces: &mut KnownForces) {
        std::mem::swap(&mut self.known, forces);
    }

    /// Gives the answers of the next step of the caller their work.
    pub(crate) fn renew_work(&mut self) {
        self.spent = 0.0;
    }

    /// Starts a new tally for a step of this length.
    pub(crate) fn begin_step(&mut self, world: &World, dt: f64) {
        (self.solves, self.iterations) = (0, 0);
        (self.residual, self.certified) = (0.0, true);
        self.answers.clear();
        let moving = world.state.twists.iter().map(|twist| twist.linear.length());
        self.fastest = moving.fold(self.fastest, f64::max);
        self.speed = (world.gravity.length() * dt).max(ROUNDED * self.fastest);
    }

    /// The least velocity that a violation is compared with: what gravity makes in a step, so that
    /// a part in 1e8 of it is off by 1e-8 of the displacement of a free fall in a step; without
    /// gravity [`ROUNDED`] of the fastest motion so far.
    pub(crate) fn resolution(&self) -> f64 {
        self.speed
    }

    /// Solves, from the last answer if `keys` (one per contact of the problem) knows some of it.
    pub(crate) fn solve(
        &mut self,
        problem: &ContactProblem,
        keys: &[ContactKey],
        warm: bool,
    ) -> Answer {
        self.solves += 1;
        if self.is_spent() {
            let answer = last_resort(problem, &mut Work::new(SWEPT));
            self.count(&answer);
            return answer;
        }
        let start = warm.then(|| self.start(problem, keys)).flatten();
        let found = self.solver.solve_from(problem, start.as_ref(), &mut NoObserver);
        let mut answer = found.unwrap_or_else(|error| {
            self.note_refusal(error);
            last_resort(problem, &mut Work::for_problem(problem))
        });
        if answer.is_impulse() {
            self.count(&answer);
            return answer;
        }
        if answer.certificate.residual() > BROKEN {
            let swept = last_resort(problem, &mut Work::for_problem(problem));
            if swept.certificate.residual() < answer.certificate.residual() {
                answer = swept;
            }
        }
        self.count(&answer);
        self.keep(&answer.forces, keys);
        answer
    }

    /// Whether other methods may answer in the solver's place: none was chosen by name.
    pub(crate) fn is_auto(&self) -> bool {
        self.solver.name() == "auto"
    }

    /// Whether the answers of this step have taken all the work they may.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent > STEP
    }

    fn count(&mut self, answer: &Answer) {
        let effort = &answer.provenance.effort;
        self.spent += effort.work as f64;
        self.iterations += effort.pivots;
        *self.answers.entry(answer.provenance.solver).or_default() += 1;
    }

    /// How many answers each method gave since the tally was taken.
    pub(crate) fn answers(&self) -> &BTreeMap<&'static str, usize> {
        &self.answers
    }

    /// How many answers each method gave, here and in another session of the step.
    pub(crate) fn answers_with(&self, other: &SolverSession) -> BTreeMap<&'static str, usize> {
        let mut all = self.answers.clone();
        add_answers(&mut all, &other.answers);
        all
    }

    /// Remembers that the solver does not model a problem; breakdowns are answers of bad quality.
    fn note_refusal(&mut self, error: SolveError) {
        let name = self.solver.name();
        let refused = matches!(&error, SolveError::Unsupported { solver, .. } if *solver == name);
        if refused && self.refusal.is_none() {
            self.refusal = Some(error);
        }
    }

    /// The same for bodies at rest. Where the laws allow both motion and rest (a capsule held
    /// between two plates at one end of its line of contact, or at both), they stay at rest;
    /// but not by wedging themselves, with forces that press more in all. A solver that was
    /// chosen by name is not overruled.
    pub(crate) fn solve_at_rest(
        &mut self,
        problem: &ContactProblem,
        keys: &[ContactKey],
        warm: bool,
    ) -> Answer {
        let first = self.solve(problem, keys, warm);
        if first.is_impulse() || !self.is_auto() {
            return first;
        }
        let free = problem.bodies().iter().flat_map(|b| b.free_response);
        let least = AT_REST * free.fold(0.0, |m: f64, x| m.max(x.abs()));
        if motion(&first) <= least {
            return first;
        }
        self.solves += 1;
        let Ok(second) = Iterations::central(LONGEST).solve(problem) else { return first };
        self.count(&second);
        let presses_more = pressure(&second) > (1.0 + AT_REST) * pressure(&first);
        if !second.is_certified() || motion(&second) > least || presses_more {
            return first;
        }
        self.keep(&second.forces, keys);
        second
    }

    /// The forces of the last answer at these contacts.
    pub(crate) fn recall(&self, keys: &[ContactKey]) -> Vec<ContactForce> {
        keys.iter().map(|key| self.known.contacts.get(key).copied().unwrap_or_default()).collect()
    }

    /// Enters an answer that is used into the tally.
    pub(crate) fn used(&mut self, residual: f64, certified: bool) {
        self.residual = self.residual.max(residual);
        self.certified &= certified;
    }

    fn start(&self, problem: &ContactProblem, keys: &[ContactKey]) -> Option<Forces> {
        if self.known.contacts.is_empty() || keys.len() != problem.contacts().len() {
            return None;
        }
        let mut start = Forces::zeros(problem);
        let mut any = false;
        for (i, key) in keys.iter().enumerate() {
            if let Some(force) = self.known.contacts.get(key) {
                start.contacts[i] = along(&problem.contacts()[i], force);
                any = true;
            }
        }
        let rows = [&mut start.bilateral, &mut start.bounded];
        for (row, last) in rows.into_iter().zip(&self.known.rows) {
            if row.len() == last.len() {
                row.clone_from(last);
            }
        }
        any.then_some(start)
    }

    fn keep(&mut self, forces: &Forces, keys: &[ContactKey]) {
        let known = &mut self.known;
        known.contacts.clear();
        known.contacts.extend(keys.iter().copied().zip(forces.contacts.iter().copied()));
        known.rows = [forces.bilateral.clone(), forces.bounded.clone()];
    }

    /// Multiplies the forces kept, for a step of another length.
    pub(crate) fn scale(&mut self, factor: f64) {
        for force in self.known.contacts.values_mut() {
            force.normal *= factor;
            force.friction = force.friction.map(|x| x * factor);
        }
        self.known.rows.iter_mut().flatten().for_each(|x| *x *= factor);
    }
}

/// What sweeps make of a problem that broke the solver down: hardly certified, always finite.
fn last_resort(problem: &ContactProblem, work: &mut Work) -> Answer {
    let call = Call { start: None, work: &mut *work, observer: &mut NoObserver };
    let swept = GaussSeidel::default().search(problem, call).map(|mut candidate| {
        work.enter(&mut candidate.effort);
        candidate
    });
    let nothing = |_| Candidate::short(Forces::zeros(problem), f64::INFINITY, Effort::default());
    judge::answer(problem, swept.unwrap_or_else(nothing), "gauss-seidel", true)
}

/// Adds counts of answers.
pub(crate) fn add_answers(
    total: &mut BTreeMap<&'static str, usize>,
    more: &BTreeMap<&'static str, usize>,
) {
    for (name, count) in more {
        *total.entry(name).or_default() += count;
    }
}

/// What a step reports of an answer that is not certified.
pub(crate) fn mark(answer: &Answer) -> Option<EventKind> {
    let residual = answer.certificate.residual();
    (!answer.is_certified()).then_some(EventKind::Uncertified { residual })
}

/// The largest response of any body.
fn motion(answer: &Answer) -> f64 {
    answer.response.bodies.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// All normal forces together.
fn pressure(answer: &Answer) -> f64 {
    answer.forces.contacts.iter().map(|force| force.normal).sum()
}

/// Whether an answer says how bodies move: it is no impulse, and its forces are numbers.
pub(crate) fn has_motion(answer: &Answer) -> bool {
    !answer.is_impulse() && !answer.response.bodies.is_empty()
}

/// Responses below this fraction of the free ones are rest.
const AT_REST: f64 = 1e-7;

/// A force rotated into the tangent plane that its contact has now.
fn along(contact: &stiction_solvers::Contact, force: &ContactForce) -> ContactForce {
    let normal = DVec3::from_array(contact.normal);
    let friction = DVec3::from_array(force.friction);
    let friction = friction - normal * normal.dot(friction);
    ContactForce { friction: friction.to_array(), ..*force }
}

/// The keys of contacts.
pub(crate) fn keys<'a>(contacts: impl IntoIterator<Item = &'a Contact>) -> Vec<ContactKey> {
    contacts.into_iter().map(Contact::key).collect()
}
