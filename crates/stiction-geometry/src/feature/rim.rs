//! Rims of cylinders and cones on edges, sides and other rims.
//!
//! A rim is the boundary of a disc with centre `c`, axis `u` and radius `R`. Its lowest point
//! along `n` and the separation of the disc from another feature along `n` are
//!
//! ```text
//!   p(n) = c − R (n − x u)/k,    x = n·u,    k = √(1 − x²)
//!   h(n) = n·(c − q) − R k − …
//! ```
//!
//! The normal of the contact is where `h` is largest. It is found from samples and by Newton's
//! method; its rate follows from the condition that holds there, `∇h = 0`.

use glam::{DMat2, DVec2, DVec3};

use super::ruled::Ruled;
use super::{Feature, MovingContact, across};
use crate::moving::{Frame, Moving, Scalar};

/// Normals tried around an edge, a side or a rim. `h` has one maximum where bodies touch; its
/// second largest is far below.
const SAMPLES: u32 = 16;

/// Steps of Newton's method, halved steps included.
const STEPS: usize = 60;

/// Steps shorter than this (rad) are taken as they are: rounding hides whether `h` grows.
const NEAR: f64 = 1e-4;

/// The last step of Newton's method around an edge or a side (rad): its square is no longer seen.
const TURNED: f64 = 1e-12;

/// Heights nearer than this fraction of the size are the same.
const LEVEL: f64 = 1e-12;

/// Where the discs are nearest with a flat side, `h` has a peak along the axis of a rim, at which
/// the gap vector is not along the normal: larger angles between the two (relative) are no contact.
const ASKEW: f64 = 1e-9;

/// A moving rim.
pub(super) struct Rim {
    centre: Moving,
    axis: Moving,
    radius: f64,
}

impl Rim {
    pub fn new(feature: &Feature, frame: &Frame<'_>) -> Option<Self> {
        let &Feature::Circle { centre, axis, radius } = feature else { return None };
        Some(Rim { centre: frame.point(centre), axis: frame.direction(axis), radius })
    }

    /// The point that is farthest along `−n`: `c − R (n − (n·u)u)/|…|`.
    pub fn deepest(&self, n: Moving) -> Option<Moving> {
        Some(self.centre - across(n, self.axis).unit()? * self.radius)
    }

    /// The tangent at the lowest point along `n`, times the root of the radius over `k`: the rim
    /// curves away from its lowest point by `−(R/k) t tᵀ` as `n` turns.
    fn curvature(&self, n: DVec3) -> DVec3 {
        let across = n - self.axis.value * n.dot(self.axis.value);
        let k = across.length();
        self.axis.value.cross(across) * ((self.radius / k).sqrt() / k)
    }
}

/// A rim on an edge, a tube or the side of a cone, whose normals `n(φ)` are around its axis.
pub(super) fn rim_on_ruled(rim: &Rim, ruled: &Ruled) -> Option<MovingContact> {
    let around = Around::new(rim, ruled)?;
    let angle = around.highest()?;
    let bend = around.bend(angle);
    let slope = around.slope(Scalar::fixed(angle));
    let angle = Scalar { value: angle, rate: -slope.rate / bend };
    let (normal, _) = around.normal(angle);
    let low = rim.deepest(normal)?;
    let over = low - ruled.at;
    let gap = normal.dot(over) - Scalar::fixed(ruled.radius);
    let point = low - normal.scale(Scalar::fixed(0.5) * gap);
    (bend < 0.0).then(|| MovingContact {
        point,
        normal,
        gap,
        room: ruled.room(ruled.line(normal).dot(over)),
    })
}

/// The separation of a disc from the lines of a ruled surface, along its normals
///
/// ```text
///   n(φ) = s w + c (e₁ cos φ + e₂ sin φ)
///   h(φ) = n·d − R k,    h′ = n′·d + R x x′/k,    h″ = n″·d + R (x x″/k + x′²/k³)
/// ```
struct Around<'a> {
    rim: &'a Rim,
    ruled: &'a Ruled,
    apart: Moving,
    basis: [Moving; 2],
}

impl<'a> Around<'a> {
    fn new(rim: &'a Rim, ruled: &'a Ruled) -> Option<Self> {
        let any = ruled.axis.value.any_orthonormal_vector();
        let first = across(Moving { value: any, rate: DVec3::ZERO }, ruled.axis).unit()?;
        let basis = [first, ruled.axis.cross(first)];
        Some(Around { rim, ruled, apart: rim.centre - ruled.at, basis })
    }

    /// The normal, and its change with the angle.
    fn normal(&self, angle: Scalar) -> (Moving, Moving) {
        let (sin, cos) = angle.sin_cos();
        let [first, second] = self.basis;
        let out = first.scale(cos) + second.scale(sin);
        let turned = second.scale(cos) - first.scale(sin);
        (self.ruled.axis * self.ruled.sine + out * self.ruled.cosine, turned * self.ruled.cosine)
    }

    fn height(&self, angle: f64) -> f64 {
        let n = self.normal(Scalar::fixed(angle)).0.value;
        n.dot(self.apart.value) - self.rim.radius * n.cross(self.rim.axis.value).length()
    }

    fn slope(&self, angle: Scalar) -> Scalar {
        let (n, turned) = self.normal(angle);
        let (x, change) = (n.dot(self.rim.axis), turned.dot(self.rim.axis));
        let k = across(n, self.rim.axis).length();
        turned.dot(self.apart) + Scalar::fixed(self.rim.radius) * x * change * k.inverse()
    }

    fn bend(&self, angle: f64) -> f64 {
        let (n, turned) = self.normal(Scalar::fixed(angle));
        let inward = self.ruled.axis.value * self.ruled.sine - n.value;
        let axis = self.rim.axis.value;
        let (x, change, k) =
            (n.value.dot(axis), turned.value.dot(axis), n.value.cross(axis).length());
        inward.dot(self.apart.value)
            + self.rim.radius * (x * inward.dot(axis) / k + change * change / k.powi(3))
    }

    /// The angle at which `h` is largest: from the best of samples, among them the normals along the
    /// axis of the rim, where `h` may be steep on both sides.
    fn highest(&self) -> Option<f64> {
        const APART: f64 = std::f64::consts::TAU / SAMPLES as f64;
        let [x, y] = self.basis.map(|e| e.value.dot(self.rim.axis.value));
        let upright = [y.atan2(x), (-y).atan2(-x)];
        let samples = (0..SAMPLES).map(|k| f64::from(k) * APART).chain(upright);
        let (start, height) =
            samples.map(|angle| (angle, self.height(angle))).max_by(|a, b| a.1.total_cmp(&b.1))?;
        let level = height - LEVEL * (self.apart.value.length() + self.rim.radius);
        let slope = |angle: f64| self.slope(Scalar::fixed(angle)).value;
        // Between these h first rises and then falls.
        let up = slope(start) >= 0.0;
        let (mut low, mut high) = if up { (start, start + APART) } else { (start - APART, start) };
        let mut angle = start;
        for _ in 0..STEPS {
            let change = slope(angle);
            let rises = if up {
                change > 0.0 && self.height(angle) >= level
            } else {
                change >= 0.0 || self.height(angle) < level
            };
            if rises {
                low = angle;
            } else {
                high = angle;
            }
            let step = -change / self.bend(angle);
            if step.abs() <= TURNED {
                return Some(angle + step);
            }
            let inside = low < angle + step && angle + step < high;
            angle = if inside { angle + step } else { 0.5 * (low + high) };
        }
        angle.is_finite().then_some(angle)
    }
}

/// Two rims.
///
/// The separation of their discs is `h(n) = n·g(n)` with `g` the vector from the farthest point
/// of `b` to the lowest of `a`. Where it is largest `g` is along `n`. Newton's step on the sphere is
///
/// ```text
///   (tₐtₐᵀ + t_bt_bᵀ + h) δ = g − h n        t: curvature of a rim
/// ```
pub(super) fn rim_on_rim(a: &Rim, b: &Rim) -> Option<MovingContact> {
    let n = highest(a, b)?;
    let still = Moving { value: n, rate: DVec3::ZERO };
    let gap = gap_vector(a, b, still)?;
    let height = gap.value.dot(n);
    let normal = Moving { value: n, rate: turn(a, b, n, height, gap.rate)? };
    let (on_a, on_b) = (a.deepest(normal)?, b.deepest(-normal)?);
    let gap = normal.dot(on_a - on_b);
    let point = on_b + normal.scale(Scalar::fixed(0.5) * gap);
    Some(MovingContact { point, normal, gap, room: f64::INFINITY })
}

/// From the farthest point of the second rim to the lowest of the first.
fn gap_vector(a: &Rim, b: &Rim, n: Moving) -> Option<Moving> {
    Some(a.deepest(n)? - b.deepest(-n)?)
}

/// By how much the normal turns where the gap vector changes by `by`; none unless `h` is largest
/// there.
fn turn(a: &Rim, b: &Rim, n: DVec3, height: f64, by: DVec3) -> Option<DVec3> {
    let (x, y) = n.any_orthonormal_pair();
    let [s, t] = [a, b].map(|rim| rim.curvature(n)).map(|t| DVec2::new(t.dot(x), t.dot(y)));
    let matrix = DMat2::from_cols(s * s.x + t * t.x, s * s.y + t * t.y)
        + DMat2::from_diagonal(DVec2::splat(height));
    let definite = matrix.determinant() > 0.0 && matrix.x_axis.x + matrix.y_axis.y > 0.0;
    let step = matrix.inverse() * DVec2::new(by.dot(x), by.dot(y));
    (definite && step.is_finite()).then_some(x * step.x + y * step.y)
}

/// The normal along which the discs of two rims are farthest apart, no axis of a rim.
fn highest(a: &Rim, b: &Rim) -> Option<DVec3> {
    let height = |n: DVec3| {
        let reach = |rim: &Rim| rim.radius * n.cross(rim.axis.value).length();
        n.dot(a.centre.value - b.centre.value) - reach(a) - reach(b)
    };
    let mut n = samples(a, b).max_by(|x, y| height(*x).total_cmp(&height(*y)))?;
    let mut best = height(n);
    let scale = a.radius + b.radius;
    for _ in 0..STEPS {
        let gap = gap_vector(a, b, Moving { value: n, rate: DVec3::ZERO })?.value;
        let across = gap - n * n.dot(gap);
        // Where h is not curved downwards, along its slope.
        let step = turn(a, b, n, best, across).unwrap_or(across / scale);
        let mut size = 0.5_f64.min(step.length());
        let along = step.normalize_or_zero();
        let mut next = (n + along * size).normalize();
        while size > NEAR && height(next) < best {
            size *= 0.5;
            next = (n + along * size).normalize();
        }
        (n, best) = (next, height(next));
        if size <= 2.0 * f64::EPSILON {
            break;
        }
    }
    let gap = gap_vector(a, b, Moving { value: n, rate: DVec3::ZERO })?.value;
    (gap.reject_from_normalized(n).length() <= ASKEW * scale).then_some(n)
}

/// Normals across tangents of both rims, and some beside their axes.
fn samples(a: &Rim, b: &Rim) -> impl Iterator<Item = DVec3> {
    let tangents = |rim: &Rim| {
        let (x, y) = rim.axis.value.any_orthonormal_pair();
        (0..SAMPLES).map(move |k| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(SAMPLES)).sin_cos();
            x * cos + y * sin
        })
    };
    let (of_a, of_b): (Vec<DVec3>, Vec<DVec3>) = (tangents(a).collect(), tangents(b).collect());
    let tilt = a.axis.value.cross(b.axis.value).length().max(1e-9);
    let beside = [a, b].map(|rim| rim.axis.value).into_iter().zip([of_a.clone(), of_b.clone()]);
    let beside: Vec<DVec3> = beside
        .flat_map(|(axis, tangents)| {
            tangents.into_iter().flat_map(move |t| [axis + t * tilt, t * tilt - axis])
        })
        .map(DVec3::normalize)
        .collect();
    let across = of_a.into_iter().flat_map(move |s| {
        of_b.clone().into_iter().filter_map(move |t| s.cross(t).try_normalize())
    });
    across.flat_map(|n| [n, -n]).chain(beside)
}
