//! Random numbers, poses and shapes for the tests.
#![allow(dead_code)] // each test file uses only some of them

use glam::{DQuat, DVec3};
use std::sync::Arc;
use stiction_geometry::{FeaturePair, Part, Polyhedron, Pose, Shape, Twist, region};

/// splitmix64: small, and reproducible on every platform.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn below(&mut self, count: u64) -> u64 {
        self.bits() % count
    }

    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector(1.0);
            if v.length_squared() > 0.01 && v.length_squared() < 1.0 {
                return v.normalize();
            }
        }
    }

    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.between(0.0, 3.1))
    }

    pub fn pose(&mut self, size: f64) -> Pose {
        Pose { position: self.vector(size), rotation: self.rotation() }
    }

    pub fn twist(&mut self) -> Twist {
        Twist { linear: self.vector(1.0), angular: self.vector(1.0) }
    }
}

pub fn part(shape: Shape) -> Part {
    Part::new(shape, Pose::IDENTITY).expect("a valid shape")
}

pub fn cuboid(x: f64, y: f64, z: f64) -> Vec<Part> {
    vec![part(Shape::Box { half: DVec3::new(x, y, z) })]
}

pub fn hull(points: &[DVec3]) -> Vec<Part> {
    vec![part(Shape::Polyhedron(Arc::new(Polyhedron::from_points(points).expect("a hull"))))]
}

/// The hull of random points on a sphere: every point is a corner.
pub fn rock(random: &mut Random, corners: usize) -> Vec<Part> {
    let points: Vec<DVec3> = (0..corners).map(|_| random.direction()).collect();
    hull(&points)
}

pub fn contacts(a: &[Part], pa: &Pose, b: &[Part], pb: &Pose, margin: f64) -> Vec<FeaturePair> {
    let mut out = Vec::new();
    region(a, pa, b, pb, margin, &mut out);
    out
}

pub fn least_gap(contacts: &[FeaturePair]) -> f64 {
    contacts.iter().map(|t| t.geometry.gap).fold(f64::INFINITY, f64::min)
}

/// An arbitrary motion.
pub const SPIN: Twist =
    Twist { linear: DVec3::new(0.1, 0.2, -0.3), angular: DVec3::new(1.0, -0.5, 0.7) };
