//! The same sweeps through the bodies: the matrix is never formed.
//!
//! Each contact sees the motion of its two bodies without its own force, solves
//! its law exactly and passes the difference on: 12 numbers per row. A bilateral
//! row gets the force that stops it, a bounded row that force within its bounds.

use super::local::Block;
use super::{GaussSeidel, SWEEPS_PER_LOOK};
use crate::coefficients::solve_with_one_each;
use crate::error::SolveError;
use crate::observer::{Event, Observer};
use crate::rows::{Bodies, ContactRows, Rows};
use crate::solver::ContactSolver;
use crate::work::Work;
use stiction_contact::ContactProblem;
use stiction_contact::Forces;
use stiction_contact::judge;
use stiction_contact::{Candidate, Found};
use stiction_contact::{Effort, Route, Stop};

/// Units of work of a row in a sweep: its products with two bodies, there and back.
const ROW_WORK: f64 = 60.0;

/// Relative natural map at which it stops, as the other solvers do.
const PRECISION: f64 = 1e-10;

impl ContactSolver for GaussSeidel {
    fn name(&self) -> &'static str {
        "gauss-seidel"
    }

    fn approximation(&self) -> Option<&'static str> {
        Some("an iteration that may end before it settles, and says what ended it")
    }

    fn search(
        &mut self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> Result<Candidate, SolveError> {
        SolveError::for_start(start, problem)?;
        let this = *self;
        solve_with_one_each(problem, |problem| Ok(this.run(problem, start, work, observer)))
    }
}

impl GaussSeidel {
    /// Sweeps until the judge is content or the sweeps are used up.
    fn run(
        self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> Candidate {
        let rows = Rows::new(problem);
        let mut force = vec![0.0; rows.len()];
        if let Some(start) = start {
            rows.scaled(start, &mut force);
        }
        let mut sweeps = BodySweeps::new(&rows, force);
        let mut best = (f64::INFINITY, Forces::zeros(problem));
        let mut count = 0;
        let stop = loop {
            let forces = rows.physical(&sweeps.force);
            work.charge_look(problem);
            let residual = judge::judge(problem, &forces).natural_map.relative;
            observer.event(Event::Sweeps { count, residual });
            if residual < best.0 {
                best = (residual, forces);
            }
            if residual <= PRECISION {
                break Stop::Precision;
            } else if count >= self.limit {
                break Stop::Iterations;
            } else if work.is_spent() {
                break Stop::Work;
            }
            (0..SWEEPS_PER_LOOK).for_each(|_| sweeps.sweep(work));
            count += SWEEPS_PER_LOOK;
        };
        let effort = Effort { pivots: count, stop: Some(stop), ..Effort::default() };
        Candidate::new(Found::Forces(best.1), Route::Direct, effort)
    }
}

/// Forces, and the motion they make.
pub(crate) struct BodySweeps<'a> {
    rows: &'a Rows,
    pub(crate) force: Vec<f64>,
    bodies: Bodies,
    /// Blocks of the contacts that have tangents.
    own: Vec<Option<Block>>,
}

impl<'a> BodySweeps<'a> {
    /// Sweeps from scaled forces.
    pub(crate) fn new(rows: &'a Rows, force: Vec<f64>) -> Self {
        let mut bodies = Bodies::at_rest(rows.body_count);
        for (r, &f) in force.iter().enumerate() {
            bodies.push(rows, r, &rows.column[r], f);
        }
        let own = rows.contacts.iter().map(|contact| block(rows, contact)).collect();
        BodySweeps { rows, force, bodies, own }
    }

    pub(crate) fn sweep(&mut self, work: &mut Work) {
        work.charge(ROW_WORK * self.force.len() as f64);
        for i in 0..self.own.len() {
            if self.own[i].is_some() {
                self.rubbing(i, work);
            } else {
                self.smooth(i);
            }
        }
        for r in self.rows.bilateral..self.rows.len() {
            let diagonal = self.rows.entry(r, r);
            if diagonal > 0.0 {
                let asked = self.force[r] - self.response(r) / diagonal;
                let within = |k: usize| asked.clamp(self.rows.lower[k], self.rows.upper[k]);
                self.set(r, r.checked_sub(self.rows.bounded).map_or(asked, within));
            }
        }
    }

    fn response(&self, row: usize) -> f64 {
        self.bodies.response(self.rows, row) + self.rows.bias[row]
    }

    fn set(&mut self, row: usize, force: f64) {
        let change = force - self.force[row];
        self.bodies.push(self.rows, row, &self.rows.column[row], change);
        self.force[row] = force;
    }

    /// A contact with a normal force alone. If pushing does not part its bodies,
    /// as can be while it slides, nothing can be done here.
    fn smooth(&mut self, contact: usize) {
        let ContactRows { normal, diagonal, .. } = self.rows.contacts[contact];
        if diagonal > 0.0 {
            self.set(normal, (self.force[normal] - self.response(normal) / diagonal).max(0.0));
        }
    }

    /// A contact with friction: what its bodies would do without its force, and
    /// the force for that.
    fn rubbing(&mut self, contact: usize, work: &mut Work) {
        let ContactRows { normal, tangents, .. } = self.rows.contacts[contact];
        let mut last = [0.0; 3];
        last[..=tangents].copy_from_slice(&self.force[normal..=normal + tangents]);
        (normal..=normal + tangents).for_each(|r| self.set(r, 0.0));
        let mut bias = [0.0; 3];
        for (k, b) in bias[..=tangents].iter_mut().enumerate() {
            *b = self.response(normal + k);
        }
        if let Some(own) = &self.own[contact] {
            let force = own.solve(bias, last, work);
            (0..=tangents).for_each(|k| self.set(normal + k, force[k]));
        }
    }
}

/// The contact's own part of the matrix, if it has tangents.
fn block(rows: &Rows, contact: &ContactRows) -> Option<Block> {
    let ContactRows { normal, tangents, friction, .. } = *contact;
    let entry = |i: usize, j: usize| {
        let inside = i <= tangents && j <= tangents;
        if inside { rows.entry(normal + i, normal + j) } else { 0.0 }
    };
    let a = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
    (tangents > 0).then(|| Block::new(a, friction, tangents + 1))
}
