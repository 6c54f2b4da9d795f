//! Among all forces that cause the same motion, the smallest ones, or those nearest to
//! given ones.
//!
//! The motion of an answer says what each contact may do: nothing where the bodies
//! part, friction along one ray where they slip, anything in the cone where they
//! stick. These sets are convex, and so is the question
//!
//! ```text
//!   min |λ − c|²   with   C λ = C λ*,   λᵢ ∈ Tᵢ         C λ: the motion that forces make
//! ```
//!
//! which has one answer: `λ = P(c + Cᵀ ν)`, with a number in ν for every freedom of every
//! body, such that `C λ = C λ*`. Newton's method finds ν; its matrix `C P' Cᵀ` has the
//! blocks of all other large systems here (`space/bodies.rs`), one per pair of bodies.
//!
//! `|λ|²` is the sum of the squares of all contact forces, in newtons, whatever the bodies
//! weigh; of bilateral and bounded rows, which may have other units, in units of their own
//! response (`rows.rs`).

use crate::rows::Rows;
use crate::settings::DESCENT;
use crate::solver::{Call, ContactSolver, Searched};
use crate::space::{
    Block, BodySpace, Element, FactorCache, Law, MOTIONS, Space, UNIT, length, outer, residual,
    scaled, times,
};
use crate::work::Work;
use stiction_contact::cone::project_with_slope;
use stiction_contact::judge::{Cone, Watch};
use stiction_contact::{Candidate, ContactProblem, Forces, Found, Friction, Selection};

/// Responses below this many times the residual of the given forces are zero, within these
/// bounds, in units of the free motion.
const REST_RESIDUALS: f64 = 10.0;
const LEAST_REST: f64 = 1e-11;
const MOST_REST: f64 = 1e-8;

/// Newton steps, and how often one is halved.
const STEPS: usize = 30;
const HALVINGS: usize = 4;

/// What keeps the matrix regular, in a step only: the answer has no trace of it. So much
/// more after a step that failed.
const LEAST_DAMPING: f64 = 1e-12;
const MOST_DAMPING: f64 = 1e3;
const MORE: f64 = 100.0;

/// Largest error of the motion of a body, as a part of what forces change it by, at which
/// it has arrived, and at which what is left may be the error of the given forces
/// themselves.
const DONE: f64 = 1e-13;
const NEAR: f64 = 1e-8;

/// What counts as a little change of a body, as a part of the largest.
const LITTLE: f64 = 1e-9;

/// Steps that bring that down by less than half before it is taken for such.
const STALLS: usize = 3;

/// Natural map that selected forces must have, unless the given ones have more.
const PRECISION: f64 = 1e-9;

/// The forces an element may have with the motion it has.
#[derive(Clone, Copy)]
enum Possible {
    /// This one.
    Only(f64),
    /// These times any number that is not negative.
    Ray([f64; 3]),
    /// The cone of this coefficient.
    Cone(f64),
    /// Anything between bounds.
    Between(f64, f64),
}

impl Possible {
    /// `rest`: a response below it is none. `sliding`: the coefficient where it slips.
    fn new(
        element: &Element,
        [rest, sliding]: [f64; 2],
        force: [f64; 3],
        response: [f64; 3],
    ) -> Self {
        match element.law {
            Law::Bilateral => Possible::Between(f64::NEG_INFINITY, f64::INFINITY),
            Law::Bounded { lower, upper } => match response[0] {
                u if u > rest && force[0] - lower <= u => Possible::Only(lower),
                u if u < -rest && upper - force[0] <= -u => Possible::Only(upper),
                _ => Possible::Between(lower, upper),
            },
            Law::Contact { friction } => {
                let slip = length(response[1], response[2]);
                let slack = sliding * force[0] - length(force[1], force[2]);
                if response[0] > rest && response[0] >= force[0] {
                    Possible::Only(0.0)
                } else if element.rows == 1 || friction == 0.0 {
                    Possible::Ray([1.0, 0.0, 0.0])
                } else if slip > rest && slack <= slip {
                    // Opposed to the slip; the force has that direction to more digits if
                    // it is the larger one.
                    let along = sliding / slip;
                    let ray = [1.0, -along * response[1], -along * response[2]];
                    let ray = if force[0] > slip { force } else { ray };
                    let size = ray[0].hypot(length(ray[1], ray[2]));
                    Possible::Ray(ray.map(|x| x / size))
                } else {
                    Possible::Cone(friction)
                }
            }
        }
    }

    /// The nearest possible force, and how it changes.
    fn nearest(&self, x: [f64; 3]) -> ([f64; 3], Block) {
        let mut slope = [[0.0; 3]; 3];
        let force = match *self {
            Possible::Only(force) => [force, 0.0, 0.0],
            Possible::Between(lower, upper) => {
                slope[0][0] = if x[0] > lower && x[0] < upper { 1.0 } else { 0.0 };
                [x[0].clamp(lower, upper), 0.0, 0.0]
            }
            Possible::Ray(ray) => {
                let along: f64 = ray.iter().zip(x).map(|(r, x)| r * x).sum();
                if along > 0.0 {
                    slope = outer(ray, 1.0);
                }
                ray.map(|r| r * along.max(0.0))
            }
            Possible::Cone(friction) => return project_with_slope(friction, x),
        };
        (force, slope)
    }
}

/// Selects among the forces that cause the same motion as those of an attempt. What
/// cannot be selected stays as it is, and says so.
pub(crate) fn select(
    attempt: Candidate,
    problem: &ContactProblem,
    selection: Selection,
    start: Option<&Forces>,
    work: &mut Work,
) -> Candidate {
    let (Found::Forces(forces), Cone::Round) = (&attempt.found, attempt.cone) else {
        return attempt;
    };
    let selection = selection.with(start);
    let to = start.filter(|_| selection == Selection::Nearest);
    if selection == Selection::Any {
        return attempt;
    }
    match nearest_within(problem, forces, to, work) {
        Some(forces) => Candidate { found: Found::Forces(forces), selection, ..attempt },
        None => attempt,
    }
}

/// A solver, and a selection among the forces that cause the motion it finds.
pub struct Selecting {
    /// Who solves.
    pub solver: Box<dyn ContactSolver>,
    /// What is selected.
    pub selection: Selection,
}

impl ContactSolver for Selecting {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn approximation(&self) -> Option<&'static str> {
        self.solver.approximation()
    }

    fn set_velocities(&mut self, velocities: Option<&[[f64; 6]]>) {
        self.solver.set_velocities(velocities);
    }

    fn search(&mut self, problem: &ContactProblem, call: Call<'_>) -> Searched {
        let Call { start, work, observer } = call;
        let attempt = self.solver.search(problem, Call { start, work, observer })?;
        Ok(select(attempt, problem, self.selection, start, work))
    }
}

/// Among all forces that cause the same motion as these, those nearest to `to`, or the
/// smallest ones. Nothing if no way there is found, or if the judge likes them less. The
/// forces must fit the problem in number.
pub fn nearest(problem: &ContactProblem, forces: &Forces, to: Option<&Forces>) -> Option<Forces> {
    nearest_within(problem, forces, to, &mut Work::for_problem(problem))
}

/// The same, counted; it ends by its own limit of steps.
fn nearest_within(
    problem: &ContactProblem,
    forces: &Forces,
    to: Option<&Forces>,
    work: &mut Work,
) -> Option<Forces> {
    let mut rows = Rows::new(problem);
    let in_units = |forces: &Forces| {
        let mut force = vec![0.0; rows.len()];
        rows.scaled(forces, &mut force);
        force
    };
    let force = in_units(forces);
    let response = rows.response(&force);
    let center = to.map_or_else(|| vec![0.0; rows.len()], in_units);
    let elements = Element::all(&rows);
    let off = residual(&elements, &force, &response);
    let rest = (REST_RESIDUALS * off).clamp(LEAST_REST, MOST_REST);
    let sliding = problem.contacts().iter().map(|contact| match contact.friction {
        Friction::Coulomb { dynamic_friction, .. } => dynamic_friction,
        other => other.limit(),
    });
    // Rows come after the contacts and do not slide.
    let sliding = sliding.chain(std::iter::repeat(0.0));
    let possible = |(e, sliding): (&Element, f64)| {
        Possible::new(e, [rest, sliding], e.of(&force), e.of(&response))
    };
    let possible: Vec<Possible> = elements.iter().zip(sliding).map(possible).collect();
    let weights = weigh(&mut rows);
    let weighted =
        |x: Vec<f64>| -> Vec<f64> { x.iter().zip(&weights).map(|(x, w)| x * w).collect() };
    let mut kept = FactorCache::default();
    let space = BodySpace::new(&rows, &mut kept);
    let goal = space.motion(&weighted(force));
    let mut search = Search { space, possible, center: weighted(center), goal };
    let mut found = search.run(to.is_none(), work)?;
    found.iter_mut().zip(&weights).for_each(|(x, w)| *x /= w);
    let selected = rows.physical(&found);
    let watch = Watch::new(problem);
    let [before, after] = [forces, &selected].map(|forces| watch.natural_map(forces));
    (after <= before.max(PRECISION)).then_some(selected)
}

/// Gives all contacts the same unit of force, and makes rows of the columns: friction that
/// rides on a normal force is part of what that force does. What forces are multiplied by.
fn weigh(rows: &mut Rows) -> Vec<f64> {
    let unit = |r: usize| rows.physical_force(r, 1.0);
    let largest = (0..rows.bilateral).map(unit).fold(0.0, f64::max);
    let of_row = |r: usize| if r < rows.bilateral { unit(r) / largest } else { 1.0 };
    let weights: Vec<f64> = (0..rows.len()).map(of_row).collect();
    for (column, weight) in rows.column.iter_mut().zip(&weights) {
        *column = column.map(|side| side.map(|x| x / weight));
    }
    rows.row.clone_from(&rows.column);
    weights
}

struct Search<'a> {
    space: BodySpace<'a>,
    possible: Vec<Possible>,
    /// c
    center: Vec<f64>,
    /// `C λ*`
    goal: Vec<f64>,
}

/// Where a search is.
struct Place {
    /// ν
    pull: Vec<f64>,
    force: Vec<f64>,
    slope: Vec<Block>,
    /// `C λ − C λ*`
    off: Vec<f64>,
    /// What Newton's method descends: its gradient is `off`.
    height: f64,
}

impl Search<'_> {
    /// `afar`: to begin with as if there were no cones.
    fn run(&mut self, afar: bool, work: &mut Work) -> Option<Vec<f64>> {
        let mut here = self.place(vec![0.0; self.goal.len()]);
        for (slope, possible) in here.slope.iter_mut().zip(&self.possible).filter(|_| afar) {
            *slope = match possible {
                Possible::Only(_) => [[0.0; 3]; 3],
                Possible::Ray(ray) => outer(*ray, 1.0),
                _ => UNIT,
            };
        }
        let (mut damping, mut stalls) = (LEAST_DAMPING, 0);
        for _ in 0..STEPS {
            let size = self.error(&here);
            if size <= DONE || damping > MOST_DAMPING {
                break;
            }
            self.space.charge_step(work);
            let Some(there) = self.step(&here, damping) else {
                damping *= MORE;
                continue;
            };
            damping = (damping / MORE).max(LEAST_DAMPING);
            here = there;
            // What is left may be what the given forces lack themselves.
            if size < NEAR && self.error(&here) > 0.5 * size {
                stalls += 1;
                if stalls == STALLS {
                    break;
                }
            }
        }
        if self.error(&here) > NEAR {
            return None;
        }
        self.correct(&mut here)?;
        Some(here.force)
    }

    /// Forces are small differences of ν where masses are far apart: what rounding has done
    /// to them is mended in the forces themselves.
    fn correct(&mut self, here: &mut Place) -> Option<()> {
        let pull = self.newton(here, LEAST_DAMPING)?;
        let felt = self.space.felt(&pull);
        for (element, slope) in self.space.elements().iter().zip(&here.slope) {
            let (force, change) = (element.of(&here.force), times(slope, element.of(&felt)));
            element.set(&mut here.force, [0, 1, 2].map(|k| force[k] + change[k]));
        }
        Some(())
    }

    /// The largest error of a body. One that forces hardly change counts as one that
    /// they change a little.
    fn error(&self, place: &Place) -> f64 {
        let little = LITTLE * largest(&self.goal);
        let bodies = place.off.chunks_exact(MOTIONS).zip(self.goal.chunks_exact(MOTIONS));
        bodies.map(|(off, goal)| largest(off) / largest(goal).max(little)).fold(0.0, f64::max)
    }

    fn place(&self, pull: Vec<f64>) -> Place {
        let mut force = self.space.felt(&pull);
        let mut slope = Vec::with_capacity(self.possible.len());
        let mut height = 0.0;
        for (element, possible) in self.space.elements().iter().zip(&self.possible) {
            let (c, f) = (element.of(&self.center), element.of(&force));
            let x = [0, 1, 2].map(|k| c[k] + f[k]);
            let (nearest, slopes) = possible.nearest(x);
            for k in 0..3 {
                height += nearest[k] * (x[k] - 0.5 * nearest[k]);
            }
            element.set(&mut force, nearest);
            slope.push(slopes);
        }
        let mut off = self.space.motion(&force);
        off.iter_mut().zip(&self.goal).for_each(|(x, g)| *x -= g);
        height -= pull.iter().zip(&self.goal).map(|(x, g)| x * g).sum::<f64>();
        Place { pull, force, slope, off, height }
    }

    /// Newton's step; nothing if its matrix has no factor.
    fn newton(&mut self, here: &Place, damping: f64) -> Option<Vec<f64>> {
        let d: Vec<Block> = here.slope.iter().map(|slope| scaled(slope, 1.0 / damping)).collect();
        if !self.space.factor(&d) {
            return None;
        }
        let mut step: Vec<f64> = here.off.iter().map(|x| -x / damping).collect();
        self.space.solve_motion(&mut step);
        Some(step)
    }

    /// A step down; nothing if there is none.
    fn step(&mut self, here: &Place, damping: f64) -> Option<Place> {
        let step = self.newton(here, damping)?;
        let descent: f64 = step.iter().zip(&here.off).map(|(s, g)| s * g).sum();
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let pull = here.pull.iter().zip(&step).map(|(x, s)| x + length * s).collect();
            let there = self.place(pull);
            let lower = there.height <= here.height + DESCENT * length * descent;
            if lower || self.error(&there) < 0.5 * self.error(here) {
                return Some(there);
            }
            length *= 0.5;
        }
        None
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}
