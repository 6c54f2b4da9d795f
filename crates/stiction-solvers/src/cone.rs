//! The last mile to the round cone: Newton on the isotropic Coulomb law.
//!
//! Pyramids and frozen friction directions give answers whose friction does not
//! point exactly against the slip. Starting from such an answer, a semismooth
//! Newton iteration on the functions of Alart and Curnier (`alart_curnier.rs`) ends, in a
//! handful of steps, at one that does.
//!
//! Steps have minimum norm, since redundant contacts make the Jacobian singular.
//! When an iteration stalls, Gauss–Seidel sweeps move on and Newton tries again;
//! when nothing helps, the caller keeps the answer it had.

use crate::alart_curnier::{Functions, Radius, functions};
use crate::linalg::minimum_norm;
use crate::rows::{ContactRows, Rows};
use crate::settings::{DESCENT, NEAR, SOLVED};
use crate::space::Law;
use crate::work::Work;
use faer::Mat;
use stiction_contact::judge::{self, Watch};
use stiction_contact::{ContactProblem, Forces};

/// An answer on the round cone.
pub struct Finish {
    /// The forces.
    pub forces: Forces,
    /// Newton iterations in all.
    pub iterations: usize,
}

/// Natural map, relative, at which no other start is tried.
const ENOUGH: f64 = 1e-10;

/// Newton steps at each rank of the polish.
const POLISH_STEPS: usize = 4;

/// Iterations of one try.
const ITERATIONS: usize = 25;

/// Gauss–Seidel sweeps before each try; none before the first.
const SWEEPS: [usize; 6] = [0, 20, 40, 80, 160, 320];

/// All starts there are.
pub const STARTS: usize = SWEEPS.len();

/// Starts that are tried for the sake of digits alone.
const STARTS_FOR_DIGITS: usize = 4;

/// Singular directions of the Jacobian are cut below these parts of the
/// largest: coarse to get near, fine for the last digits.
const COARSE_RANK: f64 = 1e-8;
const FINE_RANKS: [f64; 3] = [1e-10, 1e-12, 1e-13];

const RADII: [Radius; 2] = [Radius::Force, Radius::Heading];

/// What is tried from each start: which radius, and whether steps are shortened
/// until the residual falls.
const TRIES: [(Radius, bool); 3] =
    [(Radius::Force, true), (Radius::Heading, true), (Radius::Heading, false)];

/// Rows up to which a finish is worth its dense factorisations: beyond, methods that go through
/// the bodies are quicker.
const MOST_ROWS: usize = 900;

/// Finishes an answer on the round cone, from it and from a given number of starts in all: certified
/// for maximum dissipation, or nothing.
pub fn finish(
    problem: &ContactProblem,
    start: &Forces,
    starts: usize,
    work: &mut Work,
) -> Option<Finish> {
    let rows = Rows::new(problem);
    if rows.len() > MOST_ROWS {
        return None;
    }
    let mut newton = Newton::new(problem, rows, work);
    let mut swept = vec![0.0; newton.rows.len()];
    newton.rows.scaled(start, &mut swept);
    for (start, sweeps) in SWEEPS.into_iter().enumerate().take(starts) {
        let enough = start >= STARTS_FOR_DIGITS && newton.best.0 <= judge::CERTIFIED;
        if enough || newton.work.is_spent() {
            break;
        }
        newton.work.charge(newton.rows.sweep_work(sweeps));
        newton.rows.sweep(&mut swept, sweeps);
        for (radius, careful) in TRIES {
            let force = newton.iterate(swept.clone(), radius, careful);
            let force = newton.polish(force);
            if newton.is_done(&force) {
                return newton.into_finish(&force);
            }
        }
    }
    let best = std::mem::take(&mut newton.best.1);
    newton.into_finish(&best)
}

struct Newton<'a> {
    problem: &'a ContactProblem,
    watch: Watch<'a>,
    rows: Rows,
    parts: Vec<Part>,
    /// Response of row `i` to the column of row `j`.
    a: Mat<f64>,
    iterations: usize,
    /// Whether responses have the judge's digits.
    exact: bool,
    work: &'a mut Work,
    /// The smallest natural map so far, and its forces.
    best: (f64, Vec<f64>),
}

impl<'a> Newton<'a> {
    fn new(problem: &'a ContactProblem, rows: Rows, work: &'a mut Work) -> Self {
        let n = rows.len();
        let a = Mat::from_fn(n, n, |i, j| rows.entry(i, j));
        let best = (f64::INFINITY, Vec::new());
        Newton {
            problem,
            watch: Watch::new(problem),
            parts: Part::all(&rows),
            rows,
            a,
            iterations: 0,
            exact: false,
            work,
            best,
        }
    }

    fn natural_map(&mut self, force: &[f64]) -> f64 {
        self.work.charge_look(self.problem);
        let forces = self.rows.physical(force);
        self.watch.natural_map(&forces)
    }

    fn is_done(&mut self, force: &[f64]) -> bool {
        let residual = self.natural_map(force);
        if residual < self.best.0 {
            self.best = (residual, force.to_vec());
        }
        residual <= ENOUGH
    }

    /// The last digits: the modes are right, so a few steps at each finer rank,
    /// kept where the judge sees them help.
    fn polish(&mut self, force: Vec<f64>) -> Vec<f64> {
        let mut best = (self.natural_map(&force), force);
        self.exact = true;
        for (cut, radius) in FINE_RANKS.into_iter().flat_map(|r| RADII.map(|radius| (r, radius))) {
            if best.0 <= ENOUGH || best.0 > NEAR || self.work.is_spent() {
                break;
            }
            let mut force = best.1.clone();
            for _ in 0..POLISH_STEPS {
                self.iterations += 1;
                let step = self.step(&force, radius, cut);
                let size = self.residual(&force, radius).squared_norm_l2();
                force = self.search(&force, &step, radius, size, 14).0;
                let natural = self.natural_map(&force);
                if natural < best.0 {
                    best = (natural, force.clone());
                }
            }
        }
        self.exact = false;
        best.1
    }

    /// The response to forces: in the judge's digits where the last ones are sought.
    fn response(&self, force: &[f64]) -> Vec<f64> {
        if self.exact {
            let response = judge::response(self.problem, &self.rows.physical(force));
            self.rows.scaled_response(&response)
        } else {
            self.rows.response(force)
        }
    }

    fn into_finish(self, force: &[f64]) -> Option<Finish> {
        if force.is_empty() {
            return None;
        }
        let forces = self.rows.physical(force);
        let certified = self.watch.natural_map(&forces) <= judge::CERTIFIED;
        certified.then_some(Finish { forces, iterations: self.iterations })
    }

    /// Newton from given forces: coarse steps until they stall, then finer ones.
    fn iterate(&mut self, mut force: Vec<f64>, radius: Radius, careful: bool) -> Vec<f64> {
        let mut ranks = std::iter::once(COARSE_RANK).chain(FINE_RANKS);
        let mut rank = ranks.next();
        let mut size = self.residual(&force, radius).squared_norm_l2();
        let mut best = (self.natural_map(&force), force.clone());
        for _ in 0..ITERATIONS {
            let Some(cut) = rank else { break };
            if best.0 <= SOLVED || self.work.is_spent() {
                break;
            }
            self.iterations += 1;
            let step = self.step(&force, radius, cut);
            let halvings = if careful { 14 } else { 1 };
            let (moved, new_size) = self.search(&force, &step, radius, size, halvings);
            let (stalls, falls) = (new_size > 0.25 * size, new_size < size);
            let natural = self.natural_map(&moved);
            if natural < best.0 {
                best = (natural, moved.clone());
            }
            if falls || !careful {
                (force, size) = (moved, new_size);
            }
            // Near the end a stall is a matter of digits, not of modes: finer steps.
            if stalls && best.0 <= NEAR {
                rank = ranks.next();
            } else if careful && !falls {
                break;
            }
        }
        best.1
    }

    /// Backtracking on the size of the residual.
    fn search(
        &mut self,
        force: &[f64],
        step: &Mat<f64>,
        radius: Radius,
        size: f64,
        halvings: usize,
    ) -> (Vec<f64>, f64) {
        let mut best = (force.to_vec(), f64::INFINITY);
        let mut length = 1.0;
        for _ in 0..halvings {
            let moved: Vec<f64> =
                force.iter().enumerate().map(|(i, f)| f + length * step[(i, 0)]).collect();
            if self.exact {
                self.work.charge_look(self.problem);
            }
            let new = self.residual(&moved, radius).squared_norm_l2();
            if new < best.1 {
                best = (moved, new);
            }
            if new <= (1.0 - DESCENT * length) * size {
                break;
            }
            length *= 0.5;
        }
        best
    }

    fn residual(&self, force: &[f64], radius: Radius) -> Mat<f64> {
        let response = self.response(force);
        let mut value = Mat::zeros(force.len(), 1);
        for part in &self.parts {
            let f = part.functions(radius, force, &response);
            (0..part.rows).for_each(|k| value[(part.first + k, 0)] = f.value[k]);
        }
        value
    }

    /// The Newton step `−J⁺ F`, of minimum norm: `J = B + A_u W` with the slopes of the functions
    /// by forces `B` and by responses `A_u`.
    fn step(&mut self, force: &[f64], radius: Radius, rank: f64) -> Mat<f64> {
        let n = force.len();
        // A factorisation of minimum norm makes two triangles.
        self.work.charge_dense(n);
        self.work.charge_dense(n);
        let response = self.response(force);
        let mut value: Mat<f64> = Mat::zeros(n, 1);
        let mut jacobian: Mat<f64> = Mat::zeros(n, n);
        for part in &self.parts {
            let f = part.functions(radius, force, &response);
            let pairs = (0..part.rows).flat_map(|k| (0..part.rows).map(move |l| (k, l)));
            for (k, l) in pairs {
                let (row, column) = (part.first + k, part.first + l);
                jacobian[(row, column)] += f.by_force[k][l];
                let slope = f.by_response[k][l];
                if slope != 0.0 {
                    (0..n).for_each(|j| jacobian[(row, j)] += slope * self.a[(column, j)]);
                }
            }
            (0..part.rows).for_each(|k| value[(part.first + k, 0)] = f.value[k]);
        }
        let mut step = minimum_norm(jacobian.as_ref(), value.as_ref(), rank);
        for i in 0..n {
            step[(i, 0)] = -step[(i, 0)];
        }
        step
    }
}

/// The rows of a contact, or one other row.
struct Part {
    first: usize,
    rows: usize,
    law: Law,
}

impl Part {
    fn all(rows: &Rows) -> Vec<Part> {
        let contact = |it: &ContactRows| {
            let law = Law::Contact { friction: it.friction };
            Part { first: it.normal, rows: 1 + it.tangents, law }
        };
        let bilateral = (rows.bilateral..rows.bounded).map(|first| Part {
            first,
            rows: 1,
            law: Law::Bilateral,
        });
        let bounded = (rows.bounded..rows.len()).enumerate().map(|(k, first)| {
            let law = Law::Bounded { lower: rows.lower[k], upper: rows.upper[k] };
            Part { first, rows: 1, law }
        });
        rows.contacts.iter().map(contact).chain(bilateral).chain(bounded).collect()
    }

    fn functions(&self, radius: Radius, force: &[f64], response: &[f64]) -> Functions {
        let own = |x: &[f64]| {
            let mut own = [0.0; 3];
            own[..self.rows].copy_from_slice(&x[self.first..self.first + self.rows]);
            own
        };
        functions(self.law, radius, own(force), own(response))
    }
}
