//! The round cone `x₀ ≥ |(x₁, x₂)|`, which is its own dual, and the scaling of Nesterov and Todd.
//!
//! For a pair x, z inside the cone there is one symmetric W with `W z = W⁻¹ x = λ`; `H = W²`.

/// A point of a cone.
pub(super) type Point = [f64; 3];

/// `x₀² − |(x₁, x₂)|²`, without cancellation.
pub(super) fn determinant(x: &Point) -> f64 {
    let across = x[1].hypot(x[2]);
    (x[0] - across) * (x[0] + across)
}

/// Whether a point is strictly inside.
pub(super) fn inside(x: &Point) -> bool {
    x[0] > x[1].hypot(x[2])
}

/// `x ∘ z`, the product of the algebra of the cone.
pub(super) fn product(x: &Point, z: &Point) -> Point {
    [x[0] * z[0] + x[1] * z[1] + x[2] * z[2], x[0] * z[1] + z[0] * x[1], x[0] * z[2] + z[0] * x[2]]
}

/// The solution of `x ∘ q = d`.
pub(super) fn quotient(x: &Point, d: &Point) -> Point {
    let first = (x[0] * d[0] - x[1] * d[1] - x[2] * d[2]) / determinant(x);
    [first, (d[1] - first * x[1]) / x[0], (d[2] - first * x[2]) / x[0]]
}

/// The longest step up to 1 from a point inside that stays in the cone.
pub(super) fn step(x: &Point, d: &Point) -> f64 {
    let a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    let b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let discriminant = b * b - a * determinant(x);
    if discriminant < 0.0 {
        return 1.0;
    }
    let bottom = discriminant.sqrt() - b;
    if bottom > 0.0 { (determinant(x) / bottom).min(1.0) } else { 1.0 }
}

/// The scaling of one pair.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scaling {
    /// Of determinant one.
    w: Point,
    size: f64,
}

impl Scaling {
    /// Of a pair inside the cone.
    pub(super) fn new(x: &Point, z: &Point) -> Self {
        let (dx, dz) = (determinant(x).sqrt(), determinant(z).sqrt());
        let x = x.map(|x| x / dx);
        let z = z.map(|z| z / dz);
        let middle = ((1.0 + x[0] * z[0] + x[1] * z[1] + x[2] * z[2]) / 2.0).sqrt();
        let w = [x[0] + z[0], x[1] - z[1], x[2] - z[2]].map(|w| w / (2.0 * middle));
        Scaling { w, size: (dx / dz).sqrt() }
    }

    /// `W x`
    pub(super) fn apply(&self, x: &Point) -> Point {
        let [w0, w1, w2] = self.w;
        let along = w1 * x[1] + w2 * x[2];
        let factor = x[0] + along / (1.0 + w0);
        [
            self.size * (w0 * x[0] + along),
            self.size * (x[1] + factor * w1),
            self.size * (x[2] + factor * w2),
        ]
    }

    /// `W⁻¹ x`
    pub(super) fn undo(&self, x: &Point) -> Point {
        let [w0, w1, w2] = self.w;
        let along = w1 * x[1] + w2 * x[2];
        let factor = -x[0] + along / (1.0 + w0);
        [
            (w0 * x[0] - along) / self.size,
            (x[1] + factor * w1) / self.size,
            (x[2] + factor * w2) / self.size,
        ]
    }

    /// `H = W² = size² (2 w wᵀ − J)`
    pub(super) fn square(&self) -> [[f64; 3]; 3] {
        let (w, size) = (self.w, self.size * self.size);
        let sign = [-1.0, 1.0, 1.0];
        std::array::from_fn(|i| {
            std::array::from_fn(|j| size * (2.0 * w[i] * w[j] + if i == j { sign[i] } else { 0.0 }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scaling_maps_a_pair_to_one_point() {
        let (x, z) = ([2.0, 1.0, -0.5], [1.5, 0.2, 1.3]);
        let scaling = Scaling::new(&x, &z);
        let (one, other) = (scaling.apply(&z), scaling.undo(&x));
        let h = scaling.square();
        for k in 0..3 {
            assert!((one[k] - other[k]).abs() < 1e-14);
            let mapped: f64 = (0..3).map(|j| h[k][j] * z[j]).sum();
            assert!((mapped - x[k]).abs() < 1e-13);
        }
        let back = product(&one, &quotient(&one, &x));
        assert!((0..3).all(|k| (back[k] - x[k]).abs() < 1e-14));
    }

    #[test]
    fn a_step_ends_on_the_boundary() {
        let (x, d) = ([1.0, 0.2, 0.1], [-0.5, 0.4, 1.0]);
        let length = step(&x, &d);
        let end: Point = std::array::from_fn(|k| x[k] + length * d[k]);
        assert!(determinant(&end).abs() < 1e-14 && length < 1.0);
        assert_eq!(step(&x, &[1.0, 0.0, 0.0]), 1.0);
    }
}
