//! Scalars and vectors with their rates of change.
//!
//! A formula written once in these types yields its value and its exact time
//! derivative (forward-mode differentiation). [`crate::FeaturePair`] uses them.

use std::ops::{Add, Mul, Neg, Sub};

use glam::DVec3;

use crate::{Pose, Twist};

/// A scalar and its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scalar {
    pub value: f64,
    pub rate: f64,
}

/// A vector and its rate, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moving {
    pub value: DVec3,
    pub rate: DVec3,
}

impl Scalar {
    pub fn fixed(value: f64) -> Self {
        Scalar { value, rate: 0.0 }
    }

    /// `1 / x`; infinite at zero.
    pub fn inverse(self) -> Self {
        let value = 1.0 / self.value;
        Scalar { value, rate: -self.rate * value * value }
    }

    /// `√x` of a positive number.
    pub fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        Scalar { value, rate: 0.5 * self.rate / value }
    }

    /// Sine and cosine.
    pub fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        (
            Scalar { value: sin, rate: cos * self.rate },
            Scalar { value: cos, rate: -sin * self.rate },
        )
    }
}

impl Add for Scalar {
    type Output = Scalar;
    fn add(self, other: Scalar) -> Scalar {
        Scalar { value: self.value + other.value, rate: self.rate + other.rate }
    }
}

impl Sub for Scalar {
    type Output = Scalar;
    fn sub(self, other: Scalar) -> Scalar {
        Scalar { value: self.value - other.value, rate: self.rate - other.rate }
    }
}

impl Mul for Scalar {
    type Output = Scalar;
    fn mul(self, other: Scalar) -> Scalar {
        Scalar {
            value: self.value * other.value,
            rate: self.rate * other.value + self.value * other.rate,
        }
    }
}

impl Moving {
    pub fn dot(self, other: Moving) -> Scalar {
        Scalar {
            value: self.value.dot(other.value),
            rate: self.rate.dot(other.value) + self.value.dot(other.rate),
        }
    }

    pub fn cross(self, other: Moving) -> Moving {
        Moving {
            value: self.value.cross(other.value),
            rate: self.rate.cross(other.value) + self.value.cross(other.rate),
        }
    }

    pub fn scale(self, by: Scalar) -> Moving {
        Moving { value: self.value * by.value, rate: self.rate * by.value + self.value * by.rate }
    }

    /// `|x|`; the rate is zero if the length is zero.
    pub fn length(self) -> Scalar {
        let value = self.value.length();
        let rate = if value > 0.0 { self.value.dot(self.rate) / value } else { 0.0 };
        Scalar { value, rate }
    }

    /// `x / |x|`, or `None` if the length is zero or not finite.
    pub fn unit(self) -> Option<Moving> {
        let length = self.length();
        (length.value > 0.0 && length.value.is_finite()).then(|| self.scale(length.inverse()))
    }
}

impl Add for Moving {
    type Output = Moving;
    fn add(self, other: Moving) -> Moving {
        Moving { value: self.value + other.value, rate: self.rate + other.rate }
    }
}

impl Sub for Moving {
    type Output = Moving;
    fn sub(self, other: Moving) -> Moving {
        Moving { value: self.value - other.value, rate: self.rate - other.rate }
    }
}

impl Mul<f64> for Moving {
    type Output = Moving;
    fn mul(self, by: f64) -> Moving {
        Moving { value: self.value * by, rate: self.rate * by }
    }
}

impl Neg for Moving {
    type Output = Moving;
    fn neg(self) -> Moving {
        Moving { value: -self.value, rate: -self.rate }
    }
}

/// A moving body frame: maps quantities of the body into the world.
pub(crate) struct Frame<'a> {
    pub pose: &'a Pose,
    pub twist: &'a Twist,
}

impl Frame<'_> {
    /// A point fixed in the body.
    pub fn point(&self, local: DVec3) -> Moving {
        let arm = self.pose.rotation * local;
        Moving {
            value: self.pose.position + arm,
            rate: self.twist.linear + self.twist.angular.cross(arm),
        }
    }

    /// A direction fixed in the body.
    pub fn direction(&self, local: DVec3) -> Moving {
        let value = self.pose.rotation * local;
        Moving { value, rate: self.twist.angular.cross(value) }
    }
}
