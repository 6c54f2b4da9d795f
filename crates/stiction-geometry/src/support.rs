//! Support functions of convex parts, for parry's GJK and EPA.

use glam::DVec3;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::Contact;
use parry3d_f64::query::contact::contact_support_map_support_map;
use parry3d_f64::shape::SupportMap;

use crate::{Part, Pose, Shape};

/// The core of a convex part in its body frame. The core is the whole part, except for balls and
/// capsules, where it is the centre or the axis; [`Core::radius`] is then added exactly.
#[derive(Clone, Copy)]
pub(crate) struct Core<'a>(&'a Part);

impl<'a> Core<'a> {
    /// `None` for half-spaces and surfaces, which have no support function here.
    pub fn new(part: &'a Part) -> Option<Self> {
        let convex = part.hull().is_some()
            || matches!(part.shape(), Shape::Ball { .. } | Shape::Capsule { .. });
        convex.then_some(Core(part))
    }

    pub fn radius(self) -> f64 {
        match *self.0.shape() {
            Shape::Ball { radius } | Shape::Capsule { radius, .. } => radius,
            _ => 0.0,
        }
    }

    /// The farthest point of the core along a direction of the body frame.
    pub fn farthest(self, along: DVec3) -> DVec3 {
        let (shape, hull) = (self.0.shape(), self.0.hull());
        if let (Shape::Box { .. } | Shape::Polyhedron(_), Some(hull)) = (shape, hull) {
            return hull.vertices()[hull.lowest_vertex(-along)];
        }
        self.0.pose().point(of_turned(shape, self.0.pose().local_direction(along)))
    }

    /// The minimum of `direction · x` over the part, including its radius.
    pub fn lowest(self, direction: DVec3) -> f64 {
        direction.dot(self.farthest(-direction)) - self.radius()
    }
}

/// The farthest point along `d` of the core of a shape with axis z.
fn of_turned(shape: &Shape, d: DVec3) -> DVec3 {
    let out = DVec3::new(d.x, d.y, 0.0).normalize_or_zero();
    match *shape {
        Shape::Capsule { half_length, .. } => DVec3::Z * half_length.copysign(d.z),
        Shape::Cylinder { half_length, radius } => {
            out * radius + DVec3::Z * half_length.copysign(d.z)
        }
        Shape::Cone { half_length, radius } => {
            let (tip, base) = (DVec3::Z * half_length, out * radius - DVec3::Z * half_length);
            if d.dot(tip) > d.dot(base) { tip } else { base }
        }
        _ => DVec3::ZERO,
    }
}

impl SupportMap for Core<'_> {
    fn local_support_point(&self, dir: DVec3) -> DVec3 {
        self.farthest(dir)
    }
}

/// The pose of the second body in the frame of the first, in parry's type.
pub(crate) fn relative(first: &Pose, second: &Pose) -> ParryPose {
    let back = first.rotation.conjugate();
    ParryPose::from_parts(back * (second.position - first.position), back * second.rotation)
}

/// parry's contact of two cores at most `margin` apart, in the frames of the bodies.
pub(crate) fn parry_contact(
    first: Core<'_>,
    here: &Pose,
    second: Core<'_>,
    there: &Pose,
    margin: f64,
) -> Option<Contact> {
    contact_support_map_support_map(&relative(here, there), &first, &second, margin)
}
