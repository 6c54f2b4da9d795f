//! Where a body was between two frames: cubic curves through frames and waypoints.

use std::f64::consts::TAU;
use stiction::geometry::{Pose, Twist};
use stiction::glam::{DQuat, DVec3};
use stiction::{BodyId, Frame};

/// From one knot to the next.
pub struct Piece {
    pub times: [f64; 2],
    pub poses: [Pose; 2],
    pub twists: [Twist; 2],
    /// Rotation vector from the first orientation to the second.
    turn: DVec3,
}

/// The path of a body from one frame to the next.
pub struct Path(pub Vec<Piece>);

impl Path {
    pub fn new(before: &Frame, after: &Frame, id: BodyId) -> Path {
        let knot = |frame: &Frame| {
            let twist = frame.state.twist(id);
            (frame.state.time, frame.state.pose(id), twist, twist)
        };
        let mut knots = vec![knot(before)];
        let inside = after.waypoints.iter().filter(|point| point.body == id);
        let mut inside: Vec<_> =
            inside.map(|point| (point.time, point.pose, point.before, point.after)).collect();
        inside.sort_by(|p, q| p.0.total_cmp(&q.0));
        knots.extend(inside);
        knots.push(knot(after));
        let pieces = knots.windows(2).map(|pair| {
            let (from, to) = (&pair[0], &pair[1]);
            Piece::new([from.0, to.0], [from.1, to.1], [from.3, to.2])
        });
        Path(pieces.collect())
    }

    /// The pose at a time; the last piece that begins before it counts.
    pub fn pose(&self, time: f64) -> Pose {
        let piece = self.0.iter().rev().find(|piece| piece.times[0] <= time).or(self.0.first());
        piece.map_or(Pose::IDENTITY, |piece| piece.pose(time))
    }

    /// How far a point at this distance from the centre travels at most (m), and the largest angle of a
    /// piece (rad).
    pub fn travel(&self, radius: f64) -> (f64, f64) {
        let long = |piece: &Piece| {
            let chord = (piece.poses[1].position - piece.poses[0].position).length();
            let radius = if radius.is_finite() { radius } else { 0.0 };
            chord + radius * piece.turn.length()
        };
        let angle = self.0.iter().map(|piece| piece.turn.length()).fold(0.0, f64::max);
        (self.0.iter().map(long).sum(), angle)
    }
}

impl Piece {
    fn new(times: [f64; 2], poses: [Pose; 2], twists: [Twist; 2]) -> Piece {
        let expected = 0.5 * (times[1] - times[0]) * (twists[0].angular + twists[1].angular);
        let mut relative = poses[1].rotation * poses[0].rotation.conjugate();
        if relative.w < 0.0 {
            relative = -relative;
        }
        let turn = relative.to_scaled_axis();
        let axis =
            if turn.length() > 1e-12 { turn.normalize() } else { expected.normalize_or_zero() };
        let turns = ((expected.dot(axis) - turn.length()) / TAU).round();
        Piece { times, poses, twists, turn: turn + TAU * turns * axis }
    }

    fn pose(&self, time: f64) -> Pose {
        let duration = self.times[1] - self.times[0];
        if duration <= 0.0 {
            return self.poses[1];
        }
        let s = ((time - self.times[0]) / duration).clamp(0.0, 1.0);
        let curve = |from: DVec3, to: DVec3, rates: [DVec3; 2]| {
            let (r, [p, q]) = (1.0 - s, rates.map(|rate| rate * duration));
            from * (r * r * (1.0 + 2.0 * s)) + to * (s * s * (3.0 - 2.0 * s)) + p * (s * r * r)
                - q * (s * s * r)
        };
        let [a, b] = self.poses;
        let position = curve(a.position, b.position, self.twists.map(|twist| twist.linear));
        let turn = curve(DVec3::ZERO, self.turn, self.twists.map(|twist| twist.angular));
        Pose { position, rotation: (DQuat::from_scaled_axis(turn) * a.rotation).normalize() }
    }
}
