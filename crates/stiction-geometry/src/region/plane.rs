//! Contacts of any part with a half-space.
//!
//! Vertices, ends and rims against the plane, each with its own gap. Fixed points
//! of the rim carry a cylinder that stands on its flat end.

use glam::DVec3;

use super::{FACE, Numbered, ROUND, Sink, VERTEX};
use crate::polyhedron::Polyhedron;
use crate::shape::RIM_POINTS;
use crate::{Feature, Part, Pose, Shape};

/// Tilt (rad) up to which a flat round end also has contacts at its fixed rim points, besides the
/// deepest one: a cylinder that rocks by less is about to stand. Any value from 1e-3 to 1e-1 works.
const STANDING: f64 = 1e-2;

/// Tilt (rad) below which rounding dominates the deepest point of a rim, which is then not
/// reported.
pub(super) const FLAT_RIM: f64 = 1e-9;

/// Contacts of `first` with the half-space `second`.
pub(super) fn on_half_space(first: &Part, second: &Part, sink: &mut Sink<'_>) {
    let pose = second.pose();
    let ground = Ground {
        feature: Feature::unbounded(pose.position, pose.direction(DVec3::Z)),
        id: FACE,
        normal: pose.direction(DVec3::Z),
        at: pose.position,
    };
    on_ground(first, &ground, sink);
}

/// A plane of the second body and the feature that represents it.
pub(super) struct Ground {
    pub feature: Feature,
    pub id: u64,
    pub normal: DVec3,
    pub at: DVec3,
}

impl Ground {
    fn numbered(&self) -> Numbered {
        Numbered { feature: self.feature.clone(), id: self.id }
    }

    /// Height of a point of the first body above the plane.
    fn height(&self, point: DVec3, sink: &Sink<'_>) -> f64 {
        let normal = sink.second().direction(self.normal);
        normal.dot(sink.first().point(point) - sink.second().point(self.at))
    }

    fn add(&self, at: DVec3, radius: f64, id: u64, sink: &mut Sink<'_>) {
        if self.height(at, sink) - radius <= sink.margin {
            let first = Numbered { feature: Feature::Point { at, radius }, id };
            sink.add(first, self.numbered(), 1.0);
        }
    }
}

pub(super) fn on_ground(first: &Part, ground: &Ground, sink: &mut Sink<'_>) {
    let pose = first.pose();
    match (first.shape(), first.hull()) {
        (&Shape::Ball { radius }, _) => ground.add(pose.position, radius, ROUND, sink),
        (&Shape::Capsule { half_length, radius }, _) => {
            for (id, z) in [(0, -half_length), (1, half_length)] {
                ground.add(pose.point(DVec3::new(0.0, 0.0, z)), radius, ROUND | id, sink);
            }
        }
        (&Shape::Cylinder { half_length, radius }, Some(hull)) => {
            rim(hull, pose, -half_length, radius, ground, sink);
            rim(hull, pose, half_length, radius, ground, sink);
        }
        (&Shape::Cone { half_length, radius }, Some(hull)) => {
            rim(hull, pose, -half_length, radius, ground, sink);
            let tip = pose.point(DVec3::new(0.0, 0.0, half_length));
            ground.add(tip, 0.0, VERTEX | u64::from(RIM_POINTS), sink);
        }
        (_, Some(hull)) => {
            for (k, &vertex) in hull.vertices().iter().enumerate() {
                ground.add(vertex, 0.0, VERTEX | k as u64, sink);
            }
        }
        _ => {}
    }
}

/// The rim at height `z`: its deepest point, and its fixed points if it lies nearly flat.
fn rim(hull: &Polyhedron, pose: &Pose, z: f64, radius: f64, ground: &Ground, sink: &mut Sink<'_>) {
    let axis = pose.direction(DVec3::Z);
    let tilt = sink.first().direction(axis).cross(sink.second().direction(ground.normal)).length();
    let centre = pose.point(DVec3::new(0.0, 0.0, z));
    if ground.height(centre, sink) - radius * tilt > sink.margin {
        return;
    }
    if tilt > FLAT_RIM {
        let circle = Feature::Circle { centre, axis, radius };
        let id = ROUND | u64::from(z > 0.0);
        sink.add(Numbered { feature: circle, id }, ground.numbered(), 1.0);
    }
    if tilt <= STANDING {
        let from = if z > 0.0 { RIM_POINTS as usize } else { 0 };
        for k in from..from + RIM_POINTS as usize {
            ground.add(hull.vertices()[k], 0.0, VERTEX | k as u64, sink);
        }
    }
}
