//! One world put into another.

use super::{Body, BodyId, Motion, World};
use crate::joint::Joint;
use crate::spring::Spring;
use stiction_geometry::{Pose, Twist};

impl World {
    /// Adds all of another world, moved to a pose, under other names. Gravity, plane and impacts of the other are
    /// not taken over; its bodies keep their materials among themselves.
    pub(crate) fn absorb(&mut self, other: World, place: &Pose, rename: impl Fn(&str) -> String) {
        let (bodies, materials) = (self.bodies.len(), self.materials.len());
        let moved = |id: BodyId| BodyId::from_index(id.index() + bodies);
        let turn = |vector| place.direction(vector);
        self.materials.extend(other.materials);
        for ([a, b], material) in other.pairs {
            self.pairs.push(([a + materials, b + materials], material));
        }
        for (body, twist) in other.bodies.into_iter().zip(&other.state.twists) {
            let motion = match body.motion {
                Motion::Driven { along, position, axis, angle } => {
                    Motion::Driven { along: turn(along), position, axis: turn(axis), angle }
                }
                motion => motion,
            };
            let id = self.add_body(Body {
                name: rename(&body.name),
                motion,
                material: body.material + materials,
                force: turn(body.force),
                torque: turn(body.torque),
                placed: place.compose(&body.placed),
                ..body
            });
            if self.bodies[id.index()].is_free() {
                let (linear, angular) = (turn(twist.linear), turn(twist.angular));
                self.set_twist(id, Twist { linear, angular });
            }
        }
        for joint in other.joints {
            let frame_b = match joint.b {
                Some(_) => joint.frame_b,
                None => place.compose(&joint.frame_b),
            };
            let (name, a, b) = (rename(&joint.name), moved(joint.a), joint.b.map(moved));
            self.add_joint(Joint { name, a, b, frame_b, ..joint });
        }
        for spring in other.springs {
            let on_b = if spring.b.is_some() { spring.on_b } else { place.point(spring.on_b) };
            let (name, a, b) = (rename(&spring.name), moved(spring.a), spring.b.map(moved));
            self.add_spring(Spring { name, a, b, on_b, ..spring });
        }
        for [a, b] in other.excluded_pairs {
            self.excluded_pairs.push([moved(a), moved(b)]);
        }
    }
}
