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
use crate::world::{Body, Motion};
use glam::{DQuat, DVec3};
use stiction_geometry::{Pose, Twist};

/// A cubic describes a waypoint if it misses it by less than this fraction of the body's size, in
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

    /// Bounds, over the whole cubic, of the speed and of the acceleration of points within this
    /// distance of the centre of mass: control points of the slopes bound them, and a rotation
    /// vector changes no slower than the body turns.
    fn greatest(&self, radius: f64) -> Greatest {
        let h = self.duration;
        if h <= 0.0 {
            return Greatest::default();
        }
        let most = |all: &[DVec3]| all.iter().map(|v| v.length()).fold(0.0, f64::max);
        let speed =
            |[end, first, last]: [DVec3; 3]| most(&[first, 3.0 * end - first - last, last]) / h;
        let acceleration = |[end, first, last]: [DVec3; 3]| {
            let bends =
                [6.0 * end - 4.0 * first - 2.0 * last, 4.0 * last + 2.0 * first - 6.0 * end];
            most(&bends) / (h * h)
        };
        let turning = speed(self.turn);
        Greatest {
            speed: speed(self.place) + radius * turning,
            acceleration: acceleration(self.place)
                + radius * (acceleration(self.turn) + turning * turning),
            turning,
        }
    }

    fn part(&self, time: f64) -> f64 {
        if self.duration > 0.0 {
            ((time - self.start.time) / self.duration).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}

/// Bounds of speed (m/s), acceleration (m/s²) and angular speed (rad/s).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Greatest {
    pub speed: f64,
    pub acceleration: f64,
    pub turning: f64,
}

impl Greatest {
    /// Of the relative motion of two, seen from either.
    pub(crate) fn and(self, other: Greatest) -> Greatest {
        Greatest {
            speed: self.speed + other.speed,
            acceleration: self.acceleration
                + other.acceleration
                + 2.0 * (self.turning + other.turning) * (self.speed + other.speed),
            turning: self.turning + other.turning,
        }
    }

    /// How far a path can be from its chord in a time (s): `a h² / 8`.
    pub(crate) fn sagitta(self, duration: f64) -> f64 {
        self.acceleration * duration * duration / 8.0
    }
}

/// The path of a body from one frame to the next.
#[derive(Clone, Debug)]
pub(crate) struct Track<'a> {
    kind: Kind<'a>,
    /// The radius of its body (m); 0 if it is infinite, for bodies without end do not turn.
    pub radius: f64,
}

#[derive(Clone, Debug)]
enum Kind<'a> {
    Still(Pose),
    /// In order of time, without gaps.
    Cubics(Vec<Cubic>),
    Driven(&'a Body),
}

impl<'a> Track<'a> {
    /// The path of a body between two frames.
    pub(crate) fn new(body: &'a Body, from: &Knot, to: &Knot, waypoints: &[Waypoint]) -> Self {
        let radius = body.bounding_radius();
        let radius = if radius.is_finite() { radius } else { 0.0 };
        let rests = |knot: &Knot| knot.twist == Twist::ZERO && knot.pose == from.pose;
        let kind = if matches!(body.motion, Motion::Driven { .. }) {
            Kind::Driven(body)
        } else if waypoints.is_empty() && rests(from) && rests(to) {
            Kind::Still(to.pose)
        } else {
            let mut cubics = Vec::with_capacity(waypoints.len() + 1);
            let mut start = *from;
            for point in waypoints {
                cubics.push(Cubic::new(&start, &Knot::before(point)));
                start = Knot::after(point);
            }
            cubics.push(Cubic::new(&start, to));
            Kind::Cubics(cubics)
        };
        Track { kind, radius }
    }

    /// Whether it moves at all.
    pub(crate) fn moves(&self) -> bool {
        !matches!(self.kind, Kind::Still(_))
    }

    /// Where the body is at a time.
    pub(crate) fn pose(&self, time: f64) -> Pose {
        match &self.kind {
            Kind::Still(pose) => *pose,
            Kind::Cubics(cubics) => cubic_at(cubics, time).pose(time),
            Kind::Driven(body) => driven(body, time).0,
        }
    }

    /// How it moves at a time.
    pub(crate) fn twist(&self, time: f64) -> Twist {
        match &self.kind {
            Kind::Still(_) => Twist::ZERO,
            Kind::Cubics(cubics) => cubic_at(cubics, time).twist(time),
            Kind::Driven(body) => driven(body, time).1,
        }
    }

    /// Times at which its velocity may jump, between the frames.
    pub(crate) fn times(&self) -> impl Iterator<Item = f64> + '_ {
        let cubics: &[Cubic] = match &self.kind {
            Kind::Cubics(cubics) => cubics,
            Kind::Still(_) | Kind::Driven(_) => &[],
        };
        cubics.iter().skip(1).map(|cubic| cubic.start.time)
    }

    /// Bounds of the motion of its points at a time and near it.
    pub(crate) fn greatest(&self, from: f64, to: f64) -> Greatest {
        match &self.kind {
            Kind::Still(_) => Greatest::default(),
            Kind::Cubics(cubics) => cubic_at(cubics, 0.5 * (from + to)).greatest(self.radius),
            Kind::Driven(body) => {
                let [start, end] = [from, to].map(|time| {
                    let (pose, twist) = driven(body, time);
                    Knot { time, pose, twist }
                });
                Cubic::new(&start, &end).greatest(self.radius)
            }
        }
    }
}

fn cubic_at(cubics: &[Cubic], time: f64) -> &Cubic {
    let next = cubics.partition_point(|cubic| cubic.start.time <= time);
    &cubics[next.saturating_sub(1)]
}

/// Where a driven body is at a time, and how it moves.
pub(crate) fn driven(body: &Body, time: f64) -> (Pose, Twist) {
    let Motion::Driven { along, position, axis, angle } = &body.motion else {
        return (body.placed, Twist::ZERO);
    };
    let (line, turn) = (position.at(time), angle.at(time));
    let rotation = DQuat::from_axis_angle(*axis, turn.value) * body.placed.rotation;
    let position = body.placed.position + *along * line.value;
    let twist = Twist { linear: *along * line.rate, angular: *axis * turn.rate };
    (Pose { position, rotation: rotation.normalize() }, twist)
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
