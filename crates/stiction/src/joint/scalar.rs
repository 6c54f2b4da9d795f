//! Scalar functions of two joint frames, with Jacobian and drift.
//!
//! Each is exact in every configuration, satisfied or not, and blind to
//! motions of the pair as one body: its forces keep momentum and angular
//! momentum even where the joint has drifted apart. With `u, w` directions
//! carried by a and b, `n` one carried by b, `d = p_a − p_b` between the
//! origins of the frames, and `r` from a body's centre of mass to a frame's
//! origin:
//!
//! ```text
//!   C = u·w          Ċ = ω_a·(u × w) + ω_b·(w × u)
//!   C = d·n          Ċ = (v_a + ω_a × r_a − v_b − ω_b × r_b)·n + d·(ω_b × n)
//!   C = |d|          Ċ = ḋ·n,   n = d/|d|
//!   C = turn         Ċ = (ω_a − ω_b)·(z_a + z_b) / (1 + z_a·z_b)
//! ```
//!
//! The turn is the angle of the twist about z in the relative rotation (its
//! quaternion's `2 atan2(z, w)`). The drift is `C̈` while both twists are
//! constant: what is left when no body accelerates.

use glam::{DQuat, DVec3};
use stiction_geometry::{Pose, Twist};

/// Origins nearer than this (m) have no direction between them: the z axis of
/// frame b is taken.
const NO_DIRECTION: f64 = 1e-12;

/// Below this `1 + z_a·z_b` the z axes are opposite to within 2e-6 rad, the
/// turn about them is undefined and its rate is taken about z of b.
const OPPOSITE_AXES: f64 = 1e-12;

/// A joint frame carried along by its body.
pub(super) struct Carried {
    /// The joint frame in the world.
    pub frame: Pose,
    /// From the body's centre of mass to the frame's origin, in the world.
    arm: DVec3,
    twist: Twist,
}

impl Carried {
    pub fn new(body: &Pose, twist: &Twist, local: &Pose) -> Self {
        let arm = body.direction(local.position);
        Carried { frame: body.compose(local), arm, twist: *twist }
    }

    /// Its origin.
    fn origin(&self) -> Moving {
        let swing = self.carry(self.arm);
        Moving { value: self.frame.position, rate: self.twist.linear + swing.rate, ..swing }
    }

    /// A direction of the frame.
    pub fn axis(&self, local: DVec3) -> Moving {
        self.carry(self.frame.direction(local))
    }

    /// A vector of the world that turns with the body.
    fn carry(&self, value: DVec3) -> Moving {
        let omega = self.twist.angular;
        let rate = omega.cross(value);
        Moving { value, rate, acceleration: omega.cross(rate) }
    }
}

/// A vector with its derivatives at constant twist.
#[derive(Clone, Copy)]
pub(super) struct Moving {
    pub value: DVec3,
    rate: DVec3,
    acceleration: DVec3,
}

impl Moving {
    fn minus(&self, other: &Moving) -> Moving {
        Moving {
            value: self.value - other.value,
            rate: self.rate - other.rate,
            acceleration: self.acceleration - other.acceleration,
        }
    }

    /// Second derivative of the scalar product.
    fn dot_acceleration(&self, other: &Moving) -> f64 {
        self.acceleration.dot(other.value)
            + 2.0 * self.rate.dot(other.rate)
            + self.value.dot(other.acceleration)
    }
}

/// A function `C` of the two frames.
#[derive(Clone, Copy)]
pub(super) struct Scalar {
    /// `Ċ` per unit of the twist of a.
    pub on_a: [f64; 6],
    /// `Ċ` per unit of the twist of b.
    pub on_b: [f64; 6],
    /// `C`.
    pub value: f64,
    /// `C̈` at constant twists.
    pub drift: f64,
}

impl Scalar {
    /// `−C`.
    pub fn negated(&self) -> Scalar {
        Scalar {
            on_a: self.on_a.map(|x| -x),
            on_b: self.on_b.map(|x| -x),
            value: -self.value,
            drift: -self.drift,
        }
    }

    /// `(C − other) / 2`.
    fn half_difference(&self, other: &Scalar) -> Scalar {
        let half = |x: &[f64; 6], y: &[f64; 6]| std::array::from_fn(|i| 0.5 * (x[i] - y[i]));
        Scalar {
            on_a: half(&self.on_a, &other.on_a),
            on_b: half(&self.on_b, &other.on_b),
            value: 0.5 * (self.value - other.value),
            drift: 0.5 * (self.drift - other.drift),
        }
    }
}

/// `u·w` of two directions, given in their frames.
pub(super) fn cosine(a: &Carried, u: DVec3, b: &Carried, w: DVec3) -> Scalar {
    let (u, w) = (a.axis(u), b.axis(w));
    let normal = u.value.cross(w.value);
    Scalar {
        on_a: wrench(DVec3::ZERO, normal),
        on_b: wrench(DVec3::ZERO, -normal),
        value: u.value.dot(w.value),
        drift: u.dot_acceleration(&w),
    }
}

/// How far a is turned from b: the sine of the angle times a component of the
/// axis, `(u_a·w_b − w_a·u_b) / 2` about `u × w`.
pub(super) fn sine(a: &Carried, b: &Carried, u: DVec3, w: DVec3) -> Scalar {
    cosine(a, u, b, w).half_difference(&cosine(a, w, b, u))
}

/// `d·n` with `n` a direction of frame b: `ṅ = ω_b × n` lengthens the arm of b
/// by `d`.
pub(super) fn offset(a: &Carried, b: &Carried, n: DVec3) -> Scalar {
    let d = a.origin().minus(&b.origin());
    let n = b.axis(n);
    Scalar {
        on_a: wrench(n.value, a.arm.cross(n.value)),
        on_b: wrench(-n.value, -(b.arm + d.value).cross(n.value)),
        value: d.value.dot(n.value),
        drift: d.dot_acceleration(&n),
    }
}

/// `|d|`.
///
/// Its second derivative is `n·d̈ + |ḋ − n (n·ḋ)|² / |d|`. Origins that meet
/// have no direction; there z of b serves, and the second part is dropped.
pub(super) fn distance(a: &Carried, b: &Carried) -> Scalar {
    let d = a.origin().minus(&b.origin());
    let length = d.value.length();
    let (n, swing) = if length > NO_DIRECTION {
        let n = d.value / length;
        (n, d.rate.reject_from_normalized(n).length_squared() / length)
    } else {
        (b.frame.direction(DVec3::Z), 0.0)
    };
    Scalar {
        on_a: wrench(n, a.arm.cross(n)),
        on_b: wrench(-n, -b.arm.cross(n)),
        value: length,
        drift: d.acceleration.dot(n) + swing,
    }
}

/// The angle of a about z seen from b, in (−π, π].
pub(super) fn turn(a: &Carried, b: &Carried) -> Scalar {
    let (za, zb) = (a.axis(DVec3::Z), b.axis(DVec3::Z));
    let relative = a.twist.angular - b.twist.angular;
    let scale = 1.0 + za.value.dot(zb.value);
    let (axis, axis_rate) = if scale > OPPOSITE_AXES {
        let axis = (za.value + zb.value) / scale;
        let scale_rate = za.rate.dot(zb.value) + za.value.dot(zb.rate);
        (axis, (za.rate + zb.rate - axis * scale_rate) / scale)
    } else {
        (zb.value, DVec3::ZERO)
    };
    Scalar {
        on_a: wrench(DVec3::ZERO, axis),
        on_b: wrench(DVec3::ZERO, -axis),
        value: turn_angle(relative_rotation(a, b)),
        drift: relative.dot(axis_rate),
    }
}

/// The orientation of frame a in frame b.
pub(super) fn relative_rotation(a: &Carried, b: &Carried) -> DQuat {
    b.frame.rotation.conjugate() * a.frame.rotation
}

/// `2 atan2(z, w)` brought to (−π, π], the same for `q` and `−q`.
fn turn_angle(q: DQuat) -> f64 {
    let angle = (2.0 * q.z * q.w).atan2(q.w * q.w - q.z * q.z);
    if angle <= -std::f64::consts::PI { std::f64::consts::PI } else { angle }
}

/// `[force; torque]`.
fn wrench(force: DVec3, torque: DVec3) -> [f64; 6] {
    [force.x, force.y, force.z, torque.x, torque.y, torque.z]
}
