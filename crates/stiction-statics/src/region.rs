//! Regions: horizontal accelerations that can be carried, and normal forces that an interface can have.

use crate::margin::Margin;
use crate::program::{ACCURATE, End, Program};
use crate::statics::Statics;
use crate::witness::Prover;
use glam::DVec3;
use stiction_check::Case;

impl Statics {
    /// How much horizontal acceleration, as a multiple of gravity, it carries in directions that go
    /// around once, from x (or y, if gravity is along x) on.
    ///
    /// What can be carried is convex: the polygon of the lower ends is carried entirely.
    pub fn accelerations(&self, directions: usize) -> Vec<Margin> {
        let up = -DVec3::from(self.model.gravity).normalize_or_zero();
        let first = if up.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
        let first = (first - up * first.dot(up)).normalize_or_zero();
        let second = up.cross(first);
        let around = |k: usize| {
            let angle = std::f64::consts::TAU * k as f64 / directions as f64;
            self.tilt(first * angle.cos() + second * angle.sin())
        };
        (0..directions).map(around).collect()
    }

    /// The least and the largest sum of normal forces (N) that an interface has among all forces that
    /// carry the weight; infinite if nothing bounds it, none if no forces were found.
    ///
    /// Forces with these sums exist: the checker accepted them. That no other sums exist holds to
    /// the accuracy of the program. Kinematics may narrow the range further.
    pub fn force_range(&self, interface: usize) -> Option<[f64; 2]> {
        let prover = Prover::new(&self.model, &self.structure);
        let case = Case::default();
        let load = self.structure.load(&self.model, &case);
        let member = |k: usize| self.structure.contacts[k].interface == interface;
        let sum = |forces: &[[f64; 3]]| -> f64 {
            let normal = |k: usize| DVec3::from(forces[k]).dot(self.structure.contacts[k].axes[0]);
            (0..forces.len()).filter(|&k| member(k)).map(normal).sum()
        };
        let end = |sign: f64| {
            let carry = Program::carry(&self.structure, &load);
            let of = |k: usize| if member(k) { [sign, 0.0, 0.0] } else { [0.0; 3] };
            let cost = (0..carry.cost.len()).map(of).collect();
            let program = Program { cost, accuracy: ACCURATE, ..carry };
            program.attempts().find_map(|solution| match solution.end {
                End::Unbounded => Some(f64::INFINITY),
                End::Solved => prover.carried(&case, &solution.forces).map(|forces| sum(&forces)),
                End::Infeasible | End::Stalled => None,
            })
        };
        Some([end(1.0)?, end(-1.0)?])
    }
}
