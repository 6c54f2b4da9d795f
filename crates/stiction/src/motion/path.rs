//! The path of a body between two known moments: the cubic that has their poses and velocities.
//!
//! With `h` the time between them and `s` from 0 to 1
//!
//! ```text
//!   x(s) = (2s³ − 3s² + 1) x₀ + (s³ − 2s² + s) h v₀ + (3s² − 2s³) x₁ + (s³ − s²) h v₁
//! ```
//!
//! A body whose acceleration is constant follows it exactly. Orientations go the same way as
//! rotation vectors from the first one, whose rates at both ends are those of the angular
//! velocities: `θ̇ = J⁻¹(θ) ω`.

use crate::journal::Waypoint;
use glam::{DQuat, DVec3};
use stiction_geometry::{Pose, Twist};

/// A cubic tells a waypoint if it misses it by less than this fraction of the body's size, in
/// place and at its rim.
const MISSED: f64 = 1e-8;

/// A moment of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Knot {
    /// When (s).
    pub time: f64,
    /// Where.
    pub pose: Pose,
    /// How fast.
    pub twist: Twist,
}

impl Knot {
    /// A waypoint as the end of what was before it.
    pub(crate) fn before(point: &Waypoint) -> Knot {
        Knot { time: point.time, pose: point.pose, twist: point.before }
    }

    /// A waypoint as the beginning of what follows.
    pub(crate) fn after(point: &Waypoint) -> Knot {
        Knot { time: point.time, pose: point.pose, twist: point.after }
    }
}

/// The cubic between two moments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cubic {
    start: Knot,
    duration: f64,
    /// Ends and rates of position and of the rotation vector: `[x₁ − x₀, h v₀, h v₁]`.
    place: [DVec3; 3],
    turn: [DVec3; 3],
}

impl Cubic {
    /// The cubic from one moment to another.
    pub(crate) fn new(from: &Knot, to: &Knot) -> Cubic {
        let duration = to.time - from.time;
        let relative = to.pose.rotation * from.pose.rotation.conjugate();
        let expected = 0.5 * duration * (from.twist.angular + to.twist.angular);
        let turned = near(rotation_vector(relative), expected);
        let rate = inverse_jacobian(turned, to.twist.angular);
        Cubic {
            start: *from,
            duration,
            place: [
                to.pose.position - from.pose.position,
                duration * from.twist.linear,
                duration * to.twist.linear,
            ],
            turn: [turned, duration * from.twist.angular, duration * rate],
        }
    }

    /// When it begins (s).
    pub(crate) fn begins(&self) -> f64 {
        self.start.time
    }

    /// When it ends (s).
    pub(crate) fn ends(&self) -> f64 {
        self.start.time + self.duration
    }

    /// Where the body is at a time.
    pub(crate) fn pose(&self, time: f64) -> Pose {
        let s = self.part(time);
        Pose {
            position: self.start.pose.position + value(&self.place, s),
            rotation: (DQuat::from_scaled_axis(value(&self.turn, s)) * self.start.pose.rotation)
                .normalize(),
        }
    }

    /// How it moves at a time.
    pub(crate) fn twist(&self, time: f64) -> Twist {
        if self.duration <= 0.0 {
            return self.start.twist;
        }
        let s = self.part(time);
        let turned = value(&self.turn, s);
        Twist {
            linear: slope(&self.place, s) / self.duration,
            angular: jacobian(turned, slope(&self.turn, s) / self.duration),
        }
    }

    /// A speed that no point within this distance of the centre of mass exceeds: control points
    /// of the cubics' slopes bound them.
    pub(crate) fn greatest_speed(&self, radius: f64) -> f64 {
        if self.duration <= 0.0 {
            return 0.0;
        }
        let greatest = |[end, first, last]: [DVec3; 3]| {
            let middle = 3.0 * end - first - last;
            // A rotation vector changes no slower than the body turns.
            first.length().max(middle.length()).max(last.length())
        };
        (greatest(self.place) + radius * greatest(self.turn)) / self.duration
    }

    fn part(&self, time: f64) -> f64 {
        if self.duration > 0.0 {
            ((time - self.start.time) / self.duration).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}

/// Whether the cubic from one moment to another passes through these waypoints; `size` is the
/// radius of the body.
pub(crate) fn fits(from: &Knot, to: &Knot, points: &[Waypoint], size: f64) -> bool {
    if points.is_empty() {
        return true;
    }
    let cubic = Cubic::new(from, to);
    points.iter().all(|point| {
        let pose = cubic.pose(point.time);
        let turn = rotation_vector(pose.rotation * point.pose.rotation.conjugate()).length();
        let off = (pose.position - point.pose.position).length() + size * turn;
        off <= MISSED * size
    })
}

fn value([end, first, last]: &[DVec3; 3], s: f64) -> DVec3 {
    let t = s * s * (3.0 - 2.0 * s);
    *end * t + *first * (s * (1.0 - s) * (1.0 - s)) - *last * (s * s * (1.0 - s))
}

fn slope([end, first, last]: &[DVec3; 3], s: f64) -> DVec3 {
    *end * (6.0 * s * (1.0 - s))
        + *first * ((1.0 - s) * (1.0 - 3.0 * s))
        + *last * (s * (3.0 * s - 2.0))
}

/// The rotation vector of a rotation, at most half a turn long (rad).
pub(crate) fn rotation_vector(rotation: DQuat) -> DVec3 {
    let q = if rotation.w < 0.0 { -rotation } else { rotation };
    let v = DVec3::new(q.x, q.y, q.z);
    let sine = v.length();
    if sine < 1e-9 { 2.0 * v } else { v * (2.0 * sine.atan2(q.w) / sine) }
}

/// The rotation vector of the same rotation, by whole turns more or less, nearest to one that is
/// expected: a body may turn more than once.
fn near(turned: DVec3, expected: DVec3) -> DVec3 {
    let angle = turned.length();
    let axis = turned.try_normalize().or_else(|| expected.try_normalize()).unwrap_or(DVec3::Z);
    let turns = ((axis.dot(expected) - angle) / std::f64::consts::TAU).round();
    axis * (angle + turns * std::f64::consts::TAU)
}

/// Angular velocity of a rotation vector that changes at a rate:
/// `ω = θ̇ + (1 − cos θ)/θ² θ × θ̇ + (θ − sin θ)/θ³ θ × (θ × θ̇)`.
fn jacobian(turned: DVec3, rate: DVec3) -> DVec3 {
    let angle = turned.length();
    let (one, two) = if angle < 1e-4 {
        (0.5, 1.0 / 6.0)
    } else {
        ((1.0 - angle.cos()) / angle.powi(2), (angle - angle.sin()) / angle.powi(3))
    };
    rate + one * turned.cross(rate) + two * turned.cross(turned.cross(rate))
}

/// The rate of a rotation vector at an angular velocity:
/// `θ̇ = ω − ½ θ × ω + (1/θ² − (1 + cos θ)/(2θ sin θ)) θ × (θ × ω)`.
///
/// At a whole turn it has a pole; there the axis is taken as fixed.
fn inverse_jacobian(turned: DVec3, omega: DVec3) -> DVec3 {
    let angle = turned.length();
    let two = if angle < 1e-4 {
        1.0 / 12.0
    } else if angle.sin().abs() < 1e-3 && angle.cos() > 0.0 {
        let axis = turned / angle;
        return axis * axis.dot(omega);
    } else {
        let half = 0.5 * angle;
        (1.0 - half * half.cos() / half.sin()) / angle.powi(2)
    };
    omega - 0.5 * turned.cross(omega) + two * turned.cross(turned.cross(omega))
}
