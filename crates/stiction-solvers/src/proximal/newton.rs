//! Semismooth Newton on `u = (W + α) r + q − α c` with Coulomb's law.
//!
//! ```text
//!   z = r − u
//!   z_n ≤ 0          open     r = 0
//!   |z_t| ≤ ρ        stick    u = 0                          ρ = μ r_n
//!   otherwise        slip     u_n = 0,  r_t = ρ z_t/|z_t|
//! ```
//!
//! Open contacts leave the linear system: their step is known.

use crate::matrix::MatrixProblem;
use faer::Mat;
use faer::linalg::solvers::Solve;

/// Steps of one iteration.
const STEPS: usize = 40;

/// Residual, in units where `|q| = 1`, at which it has arrived.
const DONE: f64 = 1e-11;

/// Part of the predicted descent that a shortened step must reach (Armijo), and
/// how often it is halved.
const DESCENT: f64 = 1e-4;
const HALVINGS: usize = 12;

/// Steps in a row without descent before it gives up.
const STALLS: usize = 4;

/// Work of eliminating `n` unknowns, in units of a sweep's multiplications:
/// dense elimination is several times as fast.
fn elimination(n: usize) -> f64 {
    (n as f64).powi(3) / 20.0
}

pub(super) struct Newton<'a> {
    problem: &'a MatrixProblem,
    center: &'a [f64],
    shift: f64,
    pub(super) steps: usize,
    pub(super) work: f64,
}

/// The law a contact is under.
#[derive(Clone, Copy)]
enum Mode {
    Open,
    Stick,
    /// Unit vector of `z_t`, `ρ`, and `ρ/|z_t|`.
    Slip {
        unit: [f64; 2],
        limit: f64,
        ratio: f64,
    },
}

impl<'a> Newton<'a> {
    pub(super) fn new(problem: &'a MatrixProblem, center: &'a [f64], shift: f64) -> Self {
        Newton { problem, center, shift, steps: 0, work: 0.0 }
    }

    /// Iterates from given forces; says whether it arrived.
    pub(super) fn solve(&mut self, mut force: Vec<f64>) -> (Vec<f64>, bool) {
        let mut size = self.residual(&force).1;
        let mut best = (force.clone(), size);
        let mut stalls = 0;
        for _ in 0..STEPS {
            if best.1 <= DONE || stalls > STALLS {
                break;
            }
            self.steps += 1;
            let Some(step) = self.step(&force) else { break };
            (force, size) = self.search(&force, &step, size);
            if size < best.1 {
                stalls = if size < 0.9 * best.1 { 0 } else { stalls + 1 };
                best = (force.clone(), size);
            } else {
                stalls += 1;
            }
        }
        let arrived = best.1 <= DONE;
        (best.0, arrived)
    }

    /// Backtracking; the best length if none descends enough.
    fn search(&self, force: &[f64], step: &[f64], size: f64) -> (Vec<f64>, f64) {
        let mut best = (Vec::new(), f64::INFINITY);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let moved: Vec<f64> = force.iter().zip(step).map(|(f, s)| f + length * s).collect();
            let new = self.residual(&moved).1;
            if new < best.1 || best.0.is_empty() {
                best = (moved, new);
            }
            if new <= (1.0 - DESCENT * length) * size {
                break;
            }
            length *= 0.5;
        }
        best
    }

    fn response(&self, force: &[f64]) -> Vec<f64> {
        let mut response = self.problem.response(force);
        for (u, (r, c)) in response.iter_mut().zip(force.iter().zip(self.center)) {
            *u += self.shift * (r - c);
        }
        response
    }

    fn mode(&self, contact: usize, r: &[f64], u: &[f64]) -> Mode {
        if r[0] - u[0] <= 0.0 {
            return Mode::Open;
        }
        let mut z = [0.0; 2];
        (1..r.len()).for_each(|k| z[k - 1] = r[k] - u[k]);
        let length = z[0].hypot(z[1]);
        let limit = self.problem.friction()[contact] * r[0].max(0.0);
        if length <= limit {
            return Mode::Stick;
        }
        Mode::Slip { unit: [z[0] / length, z[1] / length], limit, ratio: limit / length }
    }

    /// The functions of Alart and Curnier and their norm.
    fn residual(&self, force: &[f64]) -> (Vec<f64>, f64) {
        let d = self.problem.dimension();
        let response = self.response(force);
        let mut value = vec![0.0; force.len()];
        let contacts = value.chunks_exact_mut(d).enumerate();
        for (i, value) in contacts {
            let (r, u) = (&force[i * d..(i + 1) * d], &response[i * d..(i + 1) * d]);
            match self.mode(i, r, u) {
                Mode::Open => value.copy_from_slice(r),
                Mode::Stick => value.copy_from_slice(u),
                Mode::Slip { unit, limit, .. } => {
                    value[0] = u[0];
                    (1..d).for_each(|k| value[k] = r[k] - limit * unit[k - 1]);
                }
            }
        }
        let size = value.iter().map(|x| x * x).sum::<f64>().sqrt();
        (value, size)
    }

    /// The Newton step.
    fn step(&mut self, force: &[f64]) -> Option<Vec<f64>> {
        let d = self.problem.dimension();
        let response = self.response(force);
        let (value, _) = self.residual(force);
        let part = |x: &'_ [f64], i: usize| -> [f64; 3] {
            let mut part = [0.0; 3];
            part[..d].copy_from_slice(&x[i * d..(i + 1) * d]);
            part
        };
        let modes: Vec<Mode> = (0..self.problem.contacts())
            .map(|i| self.mode(i, &part(force, i)[..d], &part(&response, i)[..d]))
            .collect();
        let mut place = vec![None; modes.len()];
        let mut closed = 0;
        for (place, _) in place.iter_mut().zip(&modes).filter(|(_, m)| !matches!(m, Mode::Open)) {
            *place = Some(closed);
            closed += d;
        }
        let mut matrix: Mat<f64> = Mat::zeros(closed, closed);
        let mut right: Mat<f64> = Mat::zeros(closed, 1);
        for (i, mode) in modes.iter().enumerate() {
            let Some(row) = place[i] else { continue };
            (0..d).for_each(|k| right[(row + k, 0)] = -value[i * d + k]);
            let weights = self.weights(i, mode, force[i * d]);
            for (j, block) in self.problem.block_row(i) {
                let mut rows = [[0.0; 3]; 3];
                for (rows, values) in rows.iter_mut().zip(block.chunks_exact(d)) {
                    rows[..d].copy_from_slice(values);
                }
                weights.add(&rows, d, |k, l, x| match place[j] {
                    Some(column) => matrix[(row + k, column + l)] += x,
                    // An open contact's step is −r.
                    None => right[(row + k, 0)] += x * force[j * d + l],
                });
            }
            let mut own = [[0.0; 3]; 3];
            (0..d).for_each(|k| own[k][k] = self.shift);
            weights.add(&own, d, |k, l, x| matrix[(row + k, row + l)] += x);
            for k in 0..d {
                (0..d).for_each(|l| matrix[(row + k, row + l)] += weights.direct[k][l]);
            }
        }
        self.work += elimination(closed);
        let solved = matrix.partial_piv_lu().solve(&right);
        let mut step: Vec<f64> = force.iter().map(|r| -r).collect();
        for (i, place) in place.iter().enumerate().filter_map(|(i, p)| p.map(|p| (i, p))) {
            (0..d).for_each(|k| step[i * d + k] = solved[(place + k, 0)]);
        }
        step.iter().all(|x| x.is_finite()).then_some(step)
    }

    /// How the functions of a contact change with `u` and with `r` itself.
    fn weights(&self, contact: usize, mode: &Mode, normal: f64) -> Weights {
        let unit_matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut weights = Weights { response: unit_matrix, direct: [[0.0; 3]; 3] };
        if let Mode::Slip { unit, ratio, .. } = mode {
            // r_t − ρ z_t/|z_t|,  dz = dr − du
            let mu = if normal > 0.0 { self.problem.friction()[contact] } else { 0.0 };
            for k in 0..2 {
                weights.direct[k + 1][0] = -mu * unit[k];
                for l in 0..2 {
                    let same = if k == l { 1.0 } else { 0.0 };
                    let across = ratio * (same - unit[k] * unit[l]);
                    weights.response[k + 1][l + 1] = across;
                    weights.direct[k + 1][l + 1] = same - across;
                }
            }
        }
        weights
    }
}

struct Weights {
    response: [[f64; 3]; 3],
    direct: [[f64; 3]; 3],
}

impl Weights {
    /// Gives every entry of `response × block`.
    fn add(&self, block: &[[f64; 3]; 3], d: usize, mut give: impl FnMut(usize, usize, f64)) {
        for k in 0..d {
            for l in 0..d {
                give(k, l, (0..d).map(|m| self.response[k][m] * block[m][l]).sum());
            }
        }
    }
}
