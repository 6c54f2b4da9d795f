//! Edges, tubes and sides of cones: surfaces made of straight lines.
//!
//! The outward unit normals `n` of one of them make a fixed angle with its axis `w`, and at the
//! points with that normal the surface is a line along `g`:
//!
//! ```text
//!   n·w = s,    g = (s n − w)/c,    c² = 1 − s²
//! ```
//!
//! `s` is zero for edges and tubes, where `g` is the axis, and the sine of half the angle at the
//! tip for cones.

use super::{Feature, MovingContact, across, between_points};
use crate::moving::{Frame, Moving, Scalar};

/// A moving edge, tube or side of a cone.
pub(super) struct Ruled {
    /// A point of all its lines: the middle of an axis, or the tip.
    pub at: Moving,
    pub axis: Moving,
    pub sine: f64,
    pub cosine: f64,
    /// Positions of the ends of its lines, from `at` (m).
    ends: [f64; 2],
    pub radius: f64,
}

impl Ruled {
    pub fn new(feature: &Feature, frame: &Frame<'_>) -> Option<Self> {
        match *feature {
            Feature::Line { at, along, half_length, radius } => Some(Ruled {
                at: frame.point(at),
                axis: frame.direction(along),
                sine: 0.0,
                cosine: 1.0,
                ends: [-half_length, half_length],
                radius,
            }),
            Feature::Cone { tip, axis, sine, length } => Some(Ruled {
                at: frame.point(tip),
                axis: frame.direction(axis),
                sine,
                cosine: (1.0 - sine * sine).sqrt(),
                ends: [0.0, length],
                radius: 0.0,
            }),
            _ => None,
        }
    }

    /// The direction of the line where the outward normal is `n`.
    pub fn line(&self, n: Moving) -> Moving {
        if self.sine == 0.0 { self.axis } else { (n * self.sine - self.axis) * (1.0 / self.cosine) }
    }

    /// Distance of the position `t` along a line from the nearest end; positive inside.
    pub fn room(&self, t: Scalar) -> f64 {
        let [low, high] = self.ends;
        (t.value - low).min(high - t.value)
    }
}

/// A ball over a tube or the side of a cone.
///
/// A tube is touched by the ball around the foot `c + w (w·(p − c))`. The normal of a cone is in
/// the plane of its axis and the centre `p` of the ball: with `e` the direction from the axis to `p`
///
/// ```text
///   n = s w + c e,    gap = n·(p − tip) − r
/// ```
pub(super) fn on_ruled(p: Moving, radius: f64, ruled: &Ruled) -> Option<MovingContact> {
    let apart = p - ruled.at;
    if ruled.sine == 0.0 {
        let t = ruled.axis.dot(apart);
        let foot = ruled.at + ruled.axis.scale(t);
        return between_points(p, radius, foot, ruled.radius, ruled.room(t));
    }
    let normal = ruled.axis * ruled.sine + across(apart, ruled.axis).unit()? * ruled.cosine;
    let normal = normal.unit()?;
    let gap = normal.dot(apart) - Scalar::fixed(radius);
    let point = p - normal.scale(Scalar::fixed(radius) + Scalar::fixed(0.5) * gap);
    Some(MovingContact { point, normal, gap, room: ruled.room(ruled.line(normal).dot(apart)) })
}

/// Two edges, tubes or sides of cones, by the common perpendicular of two of their lines.
///
/// `facing` selects one of the two normals of both. The lines then run along `gₐ` and `g_b`; with
/// `m = gₐ × g_b` and `d = c_b − cₐ` the ends of the perpendicular are at
///
/// ```text
///   s = (d × g_b)·m / m²,    t = (d × gₐ)·m / m²
/// ```
pub(super) fn between_ruled(a: &Ruled, b: &Ruled, facing: f64) -> Option<MovingContact> {
    let normal = common_normal(a, b, facing)?;
    let (along_a, along_b) = (a.line(-normal), b.line(normal));
    let m = along_a.cross(along_b);
    let over = m.dot(m).inverse();
    let d = b.at - a.at;
    let s = d.cross(along_b).dot(m) * over;
    let t = d.cross(along_a).dot(m) * over;
    let on_b = b.at + along_b.scale(t);
    let gap = normal.dot(a.at + along_a.scale(s) - on_b) - Scalar::fixed(a.radius + b.radius);
    let point = on_b + normal.scale(Scalar::fixed(b.radius) + Scalar::fixed(0.5) * gap);
    Some(MovingContact { point, normal, gap, room: a.room(s).min(b.room(t)) })
}

/// The unit vector `n` that is a normal of `b`, and turned around one of `a`:
///
/// ```text
///   n·w_b = s_b,  n·wₐ = −sₐ:    n = α wₐ + β w_b ± γ wₐ × w_b
/// ```
fn common_normal(a: &Ruled, b: &Ruled, facing: f64) -> Option<Moving> {
    let across = a.axis.cross(b.axis);
    if a.sine == 0.0 && b.sine == 0.0 {
        return Some(across.unit()? * facing);
    }
    let (one, two) = (Scalar::fixed(1.0), Scalar::fixed(2.0));
    let (sine_a, sine_b) = (Scalar::fixed(-a.sine), Scalar::fixed(b.sine));
    let cosine = a.axis.dot(b.axis);
    let over = across.dot(across).inverse();
    let alpha = (sine_a - cosine * sine_b) * over;
    let beta = (sine_b - cosine * sine_a) * over;
    let rest = one - alpha * alpha - beta * beta - two * alpha * beta * cosine;
    let gamma = rest * over;
    if !(gamma.value > 0.0 && gamma.value.is_finite()) {
        return None;
    }
    let within = a.axis.scale(alpha) + b.axis.scale(beta);
    (within + across.scale(gamma.sqrt()) * facing).unit()
}
