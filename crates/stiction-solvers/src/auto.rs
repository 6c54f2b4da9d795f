//! Islands first, side by side, each by the portfolio (`portfolio.rs`).
//!
//! Of all forces that cause the motion found, those of minimum norm are given (`selection.rs`).
//! What no method certifies comes back as the best forces that any of them found.
//!
//! A bare matrix gets a few sweeps of `gauss-seidel`, then `iterations`.

use crate::error::SolveError;
use crate::observer::Event;
use crate::portfolio::{self, Iterations, Request};
use crate::solver::{Call, ContactSolver, Searched};
use crate::work::Work;
use rayon::prelude::*;
use stiction_contact::judge::Cone;
use stiction_contact::{
    Candidate, ContactProblem, Effort, Forces, Found, Island, MatrixProblem, Route, Selection,
    Stage,
};

/// Contacts from which islands are worth the threads that solve them side by side.
const WORTH_THREADS: usize = 100;

/// Chooses by what the problem contains; the answer names who found it.
#[derive(Debug)]
pub struct Auto {
    /// Sides of the cones, if answers on pyramids are requested.
    pub pyramid: Option<usize>,
    /// Which of all forces that cause the same motion it gives.
    pub selection: Selection,
    /// Units of work of proximal points, in a sequence.
    sequence: Option<f64>,
    /// One per island, with what it keeps between calls.
    iterations: Vec<Iterations>,
}

impl Default for Auto {
    fn default() -> Self {
        let selection = Selection::default();
        Auto { pyramid: None, selection, sequence: None, iterations: Vec::new() }
    }
}

impl Auto {
    /// Such a selection among forces that cause the same motion.
    pub fn selecting(selection: Selection) -> Self {
        Auto { selection, ..Auto::default() }
    }

    /// For problems that come by the thousand, each like the one before it: the profile
    /// *sequence*, with at most this many units of work on proximal points.
    #[must_use]
    pub fn with_work_budget(mut self, units: f64) -> Self {
        self.sequence = Some(units);
        self
    }

    /// Answers on pyramids with this number of sides.
    pub fn on_pyramids(sides: usize) -> Self {
        Auto { pyramid: Some(sides), ..Auto::default() }
    }
}

impl ContactSolver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn search(&mut self, problem: &ContactProblem, call: Call<'_>) -> Searched {
        let Call { start, work, observer } = call;
        SolveError::for_start(start, problem)?;
        let islands = problem.islands();
        let Auto { pyramid, selection, sequence, .. } = *self;
        let request = Request { pyramid, selection, sequence };
        self.iterations.resize_with(islands.len().max(1), Iterations::default);
        // What bodies without contacts do is known: an island alone among them is split off, too.
        let alone = |island: &Island| island.problem.bodies().len() == problem.bodies().len();
        if islands.len() <= 1 && islands.first().is_none_or(alone) {
            let call = Call { start, work, observer };
            return portfolio::search(problem, request, &mut self.iterations[0], call);
        }
        let nothing = Found::Forces(Forces::zeros(problem));
        let whole = Candidate::new(nothing, Route::Direct, Effort::default());
        let selection = self.selection.with(start);
        let mut whole = Candidate { selection, ..whole };
        let (budget, whole_problem) = (*work, problem);
        let solve = |(island, iterations): (&Island, &mut Iterations)| {
            let start = start.map(|start| island.gather(start));
            let mut events = Vec::new();
            let mut record = |event: Event| events.push(event);
            let problem = &island.problem;
            let mut work = budget.for_island(problem, whole_problem);
            let start = start.as_ref();
            let call = Call { start, work: &mut work, observer: &mut record };
            let part = portfolio::search(problem, request, iterations, call);
            (part, work, events)
        };
        let parts: Vec<(Result<Candidate, SolveError>, Work, Vec<Event>)> =
            if problem.contacts().len() < WORTH_THREADS {
                islands.iter().zip(&mut self.iterations).map(solve).collect()
            } else {
                islands.par_iter().zip(&mut self.iterations).map(solve).collect()
            };
        for (island, (part, spent, events)) in islands.iter().zip(parts) {
            work.charge_part(&spent);
            for event in events {
                observer.event(event);
            }
            if !join(&mut whole, island, part?, problem) {
                break;
            }
        }
        Ok(whole)
    }

    fn search_matrix(&mut self, problem: &MatrixProblem, call: Call<'_>) -> Searched {
        portfolio::search_matrix(problem, call)
    }
}

/// Adds the answer of an island to that of the whole. `false` if it is a ray: one
/// island that needs an impulse is what the whole is about.
fn join(whole: &mut Candidate, island: &Island, part: Candidate, problem: &ContactProblem) -> bool {
    let (Found::Forces(all) | Found::Ray(all)) = &mut whole.found;
    whole.effort += part.effort;
    Stage::merge(&mut whole.stages, &part.stages);
    whole.shortfall = match (whole.shortfall, part.shortfall) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    };
    if part.route != Route::Direct {
        whole.route = part.route;
    }
    if part.cone != Cone::Round {
        whole.cone = part.cone;
    }
    whole.finish = whole.finish.max(part.finish);
    if part.selection == Selection::Any {
        whole.selection = Selection::Any;
    }
    whole.by =
        if whole.by.is_none_or(|by| part.by == Some(by)) { part.by } else { Some("several") };
    match part.found {
        Found::Forces(forces) => {
            island.scatter(&forces, all);
            true
        }
        Found::Ray(direction) => {
            let mut alone = Forces::zeros(problem);
            island.scatter(&direction, &mut alone);
            whole.found = Found::Ray(alone);
            false
        }
    }
}
