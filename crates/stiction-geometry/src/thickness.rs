//! How thick a body is where it is thinnest.

use crate::{Part, Shape};

/// The smallest width of any part of a body (m): a body of this thickness cannot pass through
/// another one without overlapping it on the way for about this distance. Infinite for half-spaces,
/// zero for surfaces and for a body without parts.
pub fn thickness(parts: &[Part]) -> f64 {
    let thinnest = parts.iter().map(of_part).fold(f64::INFINITY, f64::min);
    if parts.is_empty() { 0.0 } else { thinnest }
}

fn of_part(part: &Part) -> f64 {
    match part.shape() {
        Shape::Box { half } => 2.0 * half.min_element(),
        Shape::Ball { radius } | Shape::Capsule { radius, .. } => 2.0 * radius,
        Shape::Cylinder { half_length, radius } => 2.0 * half_length.min(*radius),
        // The ball inscribed in the cone.
        Shape::Cone { half_length, radius } => {
            let height = 2.0 * half_length;
            2.0 * radius * height / (radius + radius.hypot(height))
        }
        Shape::Polyhedron(hull) => 2.0 * hull.half_thickness(),
        Shape::HalfSpace => f64::INFINITY,
        Shape::Mesh(_) | Shape::HeightField(_) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::thickness;
    use crate::{Part, Polyhedron, Pose, Shape};
    use glam::DVec3;
    use std::sync::Arc;

    fn of(shape: Shape) -> f64 {
        thickness(&[Part::new(shape, Pose::IDENTITY).unwrap()])
    }

    #[test]
    fn the_thinnest_extent_counts() {
        assert_eq!(of(Shape::Box { half: DVec3::new(1.0, 0.01, 2.0) }), 0.02);
        assert_eq!(of(Shape::Capsule { half_length: 1.0, radius: 0.1 }), 0.2);
        assert_eq!(of(Shape::HalfSpace), f64::INFINITY);
        assert_eq!(thickness(&[]), 0.0);
        let brick: Vec<DVec3> = (0..8)
            .map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), 0.1 * f64::from(k >> 2)))
            .collect();
        let hull = Arc::new(Polyhedron::from_points(&brick).unwrap());
        assert!((of(Shape::Polyhedron(hull)) - 0.1).abs() < 1e-12);
    }
}
