//! The round friction cone `|t| ≤ μ n`.

/// Rows of a 3 × 3 matrix.
pub type Block = [[f64; 3]; 3];

const UNIT: Block = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The nearest point of the cone, and how it changes with the point it is nearest to.
///
/// Inside the cone the point itself; in the polar cone zero; else on the boundary,
///
/// ```text
///   a = (n + μ |t|) / (1 + μ²)        P = (a, μ a t/|t|)
/// ```
#[inline]
pub fn project_with_slope(friction: f64, [n, x, y]: [f64; 3]) -> ([f64; 3], Block) {
    let t = (x * x + y * y).sqrt();
    if friction * t <= -n {
        return ([0.0; 3], [[0.0; 3]; 3]);
    } else if t <= friction * n {
        return ([n, x, y], UNIT);
    }
    let inverse = 1.0 / (1.0 + friction * friction);
    let a = (n + friction * t) * inverse;
    let [p, q] = [x / t, y / t];
    // Along (1, μ t/|t|), and across it.
    let [once, twice] = [friction * inverse, friction * friction * inverse];
    let across = friction * a / t;
    let mixed = p * q * (twice - across);
    let slope = [
        [inverse, once * p, once * q],
        [once * p, twice * p * p + across * q * q, mixed],
        [once * q, mixed, twice * q * q + across * p * p],
    ];
    ([a, friction * a * p, friction * a * q], slope)
}

/// The nearest point of the cone.
#[inline]
pub fn project(friction: f64, [n, x, y]: [f64; 3]) -> [f64; 3] {
    let t = (x * x + y * y).sqrt();
    if friction * t <= -n {
        [0.0; 3]
    } else if t <= friction * n {
        [n, x, y]
    } else {
        let a = (n + friction * t) / (1.0 + friction * friction);
        let share = friction * a / t;
        [a, share * x, share * y]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rest is normal to the cone, and the slope is that of small differences.
    #[test]
    fn the_rest_is_normal_and_the_slope_is_that_of_differences() {
        let mu = 0.7;
        for point in [[1.0, 2.0, -1.0], [-0.2, 1.0, 0.4], [3.0, 0.5, 0.5], [-3.0, 0.5, 0.5]] {
            let (near, slope) = project_with_slope(mu, point);
            let rest: [f64; 3] = std::array::from_fn(|k| point[k] - near[k]);
            let product: f64 = rest.iter().zip(near).map(|(r, p)| r * p).sum();
            assert!(product.abs() < 1e-12, "{point:?}");
            for j in 0..3 {
                let step = 1e-6;
                let mut moved = point;
                moved[j] += step;
                let other = project(mu, moved);
                for i in 0..3 {
                    let difference = (other[i] - near[i]) / step;
                    assert!((difference - slope[i][j]).abs() < 1e-5, "{point:?} {i} {j}");
                }
            }
        }
    }
}
