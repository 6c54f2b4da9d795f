//! The linear system of the rows that hold: responses, independent rows, forces.

use super::independent::{Factors, independent};
use crate::world::{Mobility, State, World};
use faer::Mat;
use glam::DVec3;
use stiction_geometry::Twist;

/// One row of the linear system.
pub(super) struct Row {
    pub a: usize,
    pub b: Option<usize>,
    /// What its response is made of.
    pub on: [[DVec3; 2]; 2],
    /// What its force is made of.
    pub pushes: [[DVec3; 2]; 2],
    pub drift: f64,
    pub start: f64,
}

pub(super) fn mobilities(world: &World, state: &State) -> Vec<Mobility> {
    state.poses.iter().enumerate().map(|(i, pose)| world.mobility(i, pose)).collect()
}

fn along(on: &[DVec3; 2], twist: &Twist) -> f64 {
    on[0].dot(twist.linear) + on[1].dot(twist.angular)
}

/// The rows of one island that are independent of each other.
pub(super) type Basis = Vec<Vec<usize>>;

/// What the force of a row does to its bodies.
fn push_bodies(
    row: &Row,
    pushes: &[[DVec3; 2]; 2],
    force: f64,
    mobility: &[Mobility],
    to: &mut [Twist],
) {
    for (body, push) in [(Some(row.a), &pushes[0]), (row.b, &pushes[1])] {
        let Some(body) = body else { continue };
        to[body].linear += mobility[body].linear * (force * push[0]);
        to[body].angular += mobility[body].angular * (force * push[1]);
    }
}

/// The response of a row.
fn response(row: &Row, twists: &[Twist]) -> f64 {
    along(&row.on[0], &twists[row.a]) + row.b.map_or(0.0, |b| along(&row.on[1], &twists[b]))
}

/// `J M⁻¹ Wᵀ` among some rows, with `W` or with `J` in its place.
fn matrix(rows: &[Row], picked: &[usize], mobility: &[Mobility], symmetric: bool) -> Mat<f64> {
    let n = picked.len();
    let mut scratch = vec![Twist::ZERO; mobility.len()];
    let mut matrix = Mat::zeros(n, n);
    for (j, &column) in picked.iter().enumerate() {
        let row = &rows[column];
        let pushes = if symmetric { &row.on } else { &row.pushes };
        push_bodies(row, pushes, 1.0, mobility, &mut scratch);
        for (i, &other) in picked.iter().enumerate() {
            let other = &rows[other];
            let shares = |body: usize| body == other.a || Some(body) == other.b;
            if shares(row.a) || row.b.is_some_and(shares) {
                matrix[(i, j)] = response(other, &scratch);
            }
        }
        for body in [Some(row.a), row.b].into_iter().flatten() {
            scratch[body] = Twist::ZERO;
        }
    }
    matrix
}

/// `1/√` of the response of each row to itself.
fn scales(rows: &[Row], picked: &[usize], mobility: &[Mobility]) -> Vec<f64> {
    let mut scratch = vec![Twist::ZERO; mobility.len()];
    let scale = |&i: &usize| {
        let row = &rows[i];
        push_bodies(row, &row.on, 1.0, mobility, &mut scratch);
        let own = response(row, &scratch);
        for body in [Some(row.a), row.b].into_iter().flatten() {
            scratch[body] = Twist::ZERO;
        }
        if own > 0.0 { 1.0 / own.sqrt() } else { 0.0 }
    };
    picked.iter().map(scale).collect()
}

fn scaled(mut matrix: Mat<f64>, scale: &[f64]) -> Mat<f64> {
    for j in 0..scale.len() {
        for i in 0..scale.len() {
            matrix[(i, j)] *= scale[i] * scale[j];
        }
    }
    matrix
}

/// Independent rows of each island.
pub(super) fn basis(rows: &[Row], mobility: &[Mobility]) -> Basis {
    let pick = |island: Vec<usize>| {
        let scale = scales(rows, &island, mobility);
        let matrix = scaled(matrix(rows, &island, mobility, true), &scale);
        independent(&matrix).into_iter().map(|i| island[i]).collect()
    };
    islands(rows, mobility).into_iter().map(pick).collect()
}

/// Forces of all rows, and accelerations in place of the free ones. Rows that are not in the
/// basis keep the force they began with.
pub(super) fn solve(
    rows: &[Row],
    basis: &Basis,
    mobility: &[Mobility],
    accelerations: &mut [Twist],
) -> Vec<f64> {
    let mut forces: Vec<f64> = rows.iter().map(|row| row.start).collect();
    for (row, force) in rows.iter().zip(&forces) {
        push_bodies(row, &row.pushes, *force, mobility, accelerations);
    }
    for picked in basis {
        let scale = scales(rows, picked, mobility);
        let factors = Factors::new(&scaled(matrix(rows, picked, mobility, false), &scale));
        let wrong = |accelerations: &[Twist]| -> Vec<f64> {
            let each = |(&i, scale): (&usize, &f64)| {
                -scale * (response(&rows[i], accelerations) + rows[i].drift)
            };
            picked.iter().zip(&scale).map(each).collect()
        };
        // The second time takes away what rounding left the first time.
        for _ in 0..2 {
            let change = factors.solve(wrong(accelerations));
            for ((&i, scale), change) in picked.iter().zip(&scale).zip(change) {
                forces[i] += scale * change;
                push_bodies(&rows[i], &rows[i].pushes, scale * change, mobility, accelerations);
            }
        }
    }
    forces
}

/// The largest acceleration of a row outside the basis.
pub(super) fn broken(rows: &[Row], basis: &Basis, accelerations: &[Twist]) -> f64 {
    let mut implied = vec![true; rows.len()];
    basis.iter().flatten().for_each(|&i| implied[i] = false);
    let wrong = |row: &Row| (response(row, accelerations) + row.drift).abs();
    let rows = rows.iter().zip(&implied).filter(|(_, implied)| **implied);
    rows.map(|(row, _)| wrong(row)).fold(0.0, f64::max)
}

/// Rows that can feel each other, through bodies that move.
fn islands(rows: &[Row], mobility: &[Mobility]) -> Vec<Vec<usize>> {
    let is_free = |body: usize| {
        mobility[body].angular.x_axis.length_squared()
            + mobility[body].angular.y_axis.length_squared()
            + mobility[body].angular.z_axis.length_squared()
            > 0.0
    };
    let mut roots = stiction_solvers::UnionFind::new(mobility.len());
    for row in rows {
        if let Some(b) = row.b
            && is_free(row.a)
            && is_free(b)
        {
            roots.join(row.a, b);
        }
    }
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); mobility.len()];
    for (i, row) in rows.iter().enumerate() {
        let body = row.b.filter(|_| !is_free(row.a)).unwrap_or(row.a);
        parts[roots.of(body)].push(i);
    }
    parts.retain(|part| !part.is_empty());
    parts
}
