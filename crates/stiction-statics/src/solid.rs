//! Simple solids: corners and faces.

use glam::DVec3;
use std::collections::BTreeMap;

/// Corners, and faces counter-clockwise seen from outside.
pub(crate) type Solid = (Vec<DVec3>, Vec<Vec<usize>>);

/// A box between two corners.
pub(crate) fn cuboid(low: DVec3, high: DVec3) -> Solid {
    let between = |axis: usize| [low[axis], high[axis]];
    cells(&between(0), &between(1), &between(2), |_, _, _| true)
}

/// A polygon in x and z, counter-clockwise seen from −y, swept along y.
pub(crate) fn prism(outline: &[[f64; 2]], from: f64, to: f64) -> Solid {
    let n = outline.len();
    let at = |y: f64| outline.iter().map(move |[x, z]| DVec3::new(*x, y, *z));
    let mut faces: Vec<Vec<usize>> = vec![(0..n).collect(), (n..2 * n).rev().collect()];
    faces.extend((0..n).map(|k| vec![k, n + k, n + (k + 1) % n, (k + 1) % n]));
    (at(from).chain(at(to)).collect(), faces)
}

/// A part of a spherical shell between two radii, two elevations and two azimuths (rad). All its faces are flat.
pub(crate) fn ring_segment(radii: [f64; 2], heights: [f64; 2], turns: [f64; 2]) -> Solid {
    let corner = |k: usize| {
        let (sin, cos) = heights[k >> 1 & 1].sin_cos();
        let (across, along) = turns[k >> 2].sin_cos();
        radii[k & 1] * DVec3::new(cos * along, cos * across, sin)
    };
    let vertices: Vec<DVec3> = (0..8).map(corner).collect();
    // Corner k: inner or outer, low or high, first or second azimuth. The faces of a box whose axes are these.
    let faces: [[usize; 4]; 6] =
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    (vertices, faces.iter().map(|face| face.to_vec()).collect())
}

/// The surface of the filled cells of a grid.
pub(crate) fn cells(
    xs: &[f64],
    ys: &[f64],
    zs: &[f64],
    filled: impl Fn(usize, usize, usize) -> bool,
) -> Solid {
    let counts = [xs.len() - 1, ys.len() - 1, zs.len() - 1];
    let is_filled = |cell: [usize; 3]| {
        // Below 0 an index wraps to the largest number.
        (0..3).all(|axis| cell[axis] < counts[axis]) && filled(cell[0], cell[1], cell[2])
    };
    let mut numbers: BTreeMap<[usize; 3], usize> = BTreeMap::new();
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for index in 0..counts.iter().product() {
        let cell =
            [index % counts[0], index / counts[0] % counts[1], index / (counts[0] * counts[1])];
        if !is_filled(cell) {
            continue;
        }
        for (axis, upper) in (0..6).map(|side| (side / 2, side % 2)) {
            let mut beside = cell;
            beside[axis] = if upper == 1 { cell[axis] + 1 } else { cell[axis].wrapping_sub(1) };
            if is_filled(beside) {
                continue;
            }
            let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
            let mut around = [[0, 0], [1, 0], [1, 1], [0, 1]];
            if upper == 0 {
                around.reverse();
            }
            let corner = |[du, dv]: [usize; 2]| {
                let mut at = cell;
                (at[axis], at[u], at[v]) = (cell[axis] + upper, cell[u] + du, cell[v] + dv);
                *numbers.entry(at).or_insert_with(|| {
                    vertices.push(DVec3::new(xs[at[0]], ys[at[1]], zs[at[2]]));
                    vertices.len() - 1
                })
            };
            faces.push(around.map(corner).to_vec());
        }
    }
    (vertices, faces)
}
