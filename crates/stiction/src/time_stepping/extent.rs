//! How far and how fast bodies move in a piece.

use super::substep::Piece;
use crate::detect::Contact;
use crate::sweep::relative_motion;
use crate::world::{State, World};
use stiction_geometry::Twist;

/// Bodies that touch turn by at most this in a piece (rad): the laws are about its end, and forces
/// act in its middle.
const TURN: f64 = 0.1;

impl Piece {
    /// How far each body may have moved in it, the repair at its end included (m).
    pub(super) fn reach(&self, world: &World) -> Vec<f64> {
        let Piece { plan, solved, length, .. } = self;
        let reach = |i: usize| {
            let radius = world.bodies[i].bounding_radius();
            let speed = |t: &Twist| t.linear.length() + radius * t.angular.length();
            let (before, after) = (&plan.start.poses[i], &world.state.poses[i]);
            let turned = after.rotation.angle_between(before.rotation);
            let moved = after.position.distance(before.position) + radius * turned;
            let fastest = speed(&plan.start.twists[i]).max(speed(&solved.twists[i]));
            if world.bodies[i].is_free() { moved.max(length * fastest) } else { 0.0 }
        };
        (0..world.bodies.len()).map(reach).collect()
    }
}

/// The longest piece, up to a length (s), in which bodies that touch, or may, turn by no more than
/// [`TURN`].
pub(super) fn longest(world: &World, start: &State, contacts: &[Contact], length: f64) -> f64 {
    let rate = |i: usize| start.twists[i].angular.length();
    let twists = [&start.twists[..]; 2];
    let near = |c: &&Contact| {
        let motion = relative_motion(world, (c.a, c.b), twists, length);
        c.touch.geometry.gap <= motion + world.gravity.length() * length * length
    };
    let fastest = contacts.iter().filter(near).map(|c| rate(c.a).max(rate(c.b)));
    TURN / fastest.fold(TURN / length, f64::max)
}

/// The fastest motion of any point that can be expected in a piece (m/s).
pub(super) fn fastest(world: &World, state: &State, length: f64) -> f64 {
    let fall = world.gravity.length() * length;
    let moving = world.bodies.iter().zip(&state.twists).filter(|(_, twist)| **twist != Twist::ZERO);
    let speed = moving.map(|(body, twist)| {
        let reach = body.bounding_radius();
        let turning = twist.angular.length() * if reach.is_finite() { reach } else { 0.0 };
        twist.linear.length() + turning + body.force.length() / body.mass * length
    });
    speed.fold(0.0, f64::max) + fall + f64::MIN_POSITIVE
}
