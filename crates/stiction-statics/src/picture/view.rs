//! From where an assembly is seen.

use crate::assembly::Assembly;
use crate::surface::middle_and_area;
use glam::{DVec2, DVec3};

/// Axes of the picture in the world: right, up, and towards the eye.
pub(super) struct View {
    right: DVec3,
    up: DVec3,
    eye: DVec3,
}

/// A direction across which no interface of a plane structure looks.
const ACROSS: f64 = 1e-6;

/// Azimuth and elevation of the eye for structures that are not plane (rad).
const ASIDE: [f64; 2] = [-1.05, 0.42];

impl View {
    /// From the front if no interface looks across the picture; else from above and one side.
    pub fn of(assembly: &Assembly) -> Self {
        let lies_in = |across: DVec3| {
            let flat = |normal: DVec3| normal.dot(across).abs() < ACROSS;
            assembly.interfaces.iter().all(|it| flat(it.normal))
        };
        if lies_in(DVec3::Y) {
            return View::from(-DVec3::Y, DVec3::Z);
        }
        if lies_in(DVec3::X) {
            return View::from(DVec3::X, DVec3::Z);
        }
        let [azimuth, elevation] = ASIDE;
        let (sin, cos) = elevation.sin_cos();
        View::from(DVec3::new(cos * azimuth.cos(), cos * azimuth.sin(), sin), DVec3::Z)
    }

    fn from(eye: DVec3, above: DVec3) -> Self {
        let right = above.cross(eye).normalize_or(DVec3::X);
        View { right, up: eye.cross(right), eye }
    }

    /// A point or direction in the picture, y up.
    pub fn flat(&self, p: DVec3) -> DVec2 {
        DVec2::new(p.dot(self.right), p.dot(self.up))
    }

    /// The faces that look at the eye with their blocks, from far to near; moved if requested.
    pub fn faces(
        &self,
        assembly: &Assembly,
        shifts: Option<&[Vec<DVec3>]>,
    ) -> Vec<(usize, Vec<DVec2>)> {
        let mut found = Vec::new();
        for (number, block) in assembly.blocks.iter().enumerate() {
            for face in &block.faces {
                let (middle, area) = middle_and_area(&block.vertices, face);
                if area.dot(self.eye) <= ACROSS * area.length() {
                    continue;
                }
                let corner = |&k: &usize| {
                    let shift = shifts.map_or(DVec3::ZERO, |shifts| shifts[number][k]);
                    self.flat(block.vertices[k] + shift)
                };
                found.push((middle.dot(self.eye), number, face.iter().map(corner).collect()));
            }
        }
        found.sort_by(|x, y| x.0.total_cmp(&y.0));
        found.into_iter().map(|(_, number, corners)| (number, corners)).collect()
    }
}
