//! One element on the central path: its conditions, their linearisation, how far it
//! may step.
//!
//! Contact, with normal force g, friction b, and copies s of the normal response
//! and w of the slip, and a bound y on the speed of slip:
//!
//! ```text
//!   g s = κ,   (μ g, b) ∘ (y, w) = κ (1, 0):   μ g y + b·w = κ,   μ g w + y b = 0
//! ```
//!
//! At κ = 0 this is Coulomb's law as it is: y = |w| where there is force, and
//! friction is opposed to slip. Bounded row: two products, one for each bound.
//! Bilateral row: a compliance on the *change* of its force, which therefore leaves no
//! trace in the end; redundant rows share.

use crate::space::{Block, Element, Law, inverse, times};

/// Compliance of bilateral rows on the change of their force.
const COMPLIANCE: f64 = 1e-7;

/// Values of one element, and also their changes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    /// Normal force (or the force of a row) and friction.
    pub force: [f64; 3],
    /// Copies of normal response and slip; of a bounded row the responses that push
    /// from its lower and upper bound.
    pub response: [f64; 3],
    /// Bound on the speed of slip.
    pub speed: f64,
}

/// How one element answers in Newton's system: `dλ = h − D du`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Linear {
    pub d: Block,
    inner: Block,
}

impl Point {
    /// Where the path begins: everything of one size.
    pub(super) fn new(element: &Element, size: f64) -> Self {
        match element.law {
            Law::Contact { .. } => {
                Point { force: [size, 0.0, 0.0], response: [size, 0.0, 0.0], speed: size }
            }
            Law::Bilateral => Point::default(),
            Law::Bounded { lower, upper } => Point {
                force: [middle(lower, upper, size), 0.0, 0.0],
                response: [size, size, 0.0],
                speed: 0.0,
            },
        }
    }

    /// Near given forces and responses, so far inside as `size` says.
    pub(super) fn near(element: &Element, force: [f64; 3], response: [f64; 3], size: f64) -> Self {
        match element.law {
            Law::Contact { friction } => {
                let normal = force[0].max(0.0) + size;
                let (length, most) = (force[1].hypot(force[2]), friction * (normal - 0.5 * size));
                let shrink = if length > most { most / length } else { 1.0 };
                Point {
                    force: [normal, shrink * force[1], shrink * force[2]],
                    response: [response[0].max(0.0) + size, response[1], response[2]],
                    speed: response[1].hypot(response[2]) + size,
                }
            }
            Law::Bilateral => Point { force, ..Point::default() },
            Law::Bounded { lower, upper } => {
                let distance = (0.25 * (upper - lower)).min(size);
                Point {
                    force: [force[0].clamp(lower + distance, upper - distance), 0.0, 0.0],
                    response: [response[0].max(0.0) + size, (-response[0]).max(0.0) + size, 0.0],
                    speed: 0.0,
                }
            }
        }
    }

    /// Products that shall be κ: their sum and their number.
    pub(super) fn gap(&self, element: &Element) -> (f64, f64) {
        let Point { force, response, speed } = self;
        match element.law {
            Law::Contact { friction } => {
                let normal = force[0] * response[0];
                if element.rows == 1 || friction == 0.0 {
                    return (normal, 1.0);
                }
                let dot = force[1] * response[1] + force[2] * response[2];
                (normal + friction * force[0] * speed + dot, 2.0)
            }
            Law::Bilateral => (0.0, 0.0),
            Law::Bounded { lower, upper } => {
                let [low, high] = self.distances(lower, upper);
                let product = |distance: f64, push: f64| {
                    if distance.is_finite() { distance * push } else { 0.0 }
                };
                let count = f64::from(u8::from(low.is_finite()) + u8::from(high.is_finite()));
                (product(low, response[0]) + product(high, response[1]), count)
            }
        }
    }

    fn distances(&self, lower: f64, upper: f64) -> [f64; 2] {
        [self.force[0] - lower, upper - self.force[0]]
    }

    /// The element's part of Newton's matrix.
    pub(super) fn linear(&self, element: &Element) -> Linear {
        let Point { force: [g, b1, b2], response: [s, w1, w2], speed: y } = *self;
        let mut linear = Linear::default();
        match element.law {
            Law::Contact { friction: mu } => {
                linear.d[0][0] = g / s;
                if element.rows > 1 && mu > 0.0 {
                    linear.inner = inverse(&[[mu * g, w1, w2], [b1, y, 0.0], [b2, 0.0, y]]);
                    let ratio = g / s;
                    let columns = [
                        [-mu * y * ratio, -mu * w1 * ratio, -mu * w2 * ratio],
                        [b1, mu * g, 0.0],
                        [b2, 0.0, mu * g],
                    ];
                    for (j, column) in columns.into_iter().enumerate().take(element.rows) {
                        let change = times(&linear.inner, column);
                        (1..element.rows).for_each(|i| linear.d[i][j] = change[i]);
                    }
                }
            }
            Law::Bilateral => linear.d[0][0] = 1.0 / COMPLIANCE,
            Law::Bounded { lower, upper } => {
                let [low, high] = self.distances(lower, upper);
                let stiffness = self.response[0] / low + self.response[1] / high;
                linear.d[0][0] = 1.0 / (stiffness + COMPLIANCE);
            }
        }
        linear
    }

    /// What the element's forces do besides `−D du`, for products of size κ and with
    /// the products of the changes `second`, if given.
    pub(super) fn aim(
        &self,
        element: &Element,
        linear: &Linear,
        u: [f64; 3],
        kappa: f64,
        second: Option<&Point>,
    ) -> [f64; 3] {
        let Point { force: [g, b1, b2], response: [s, w1, w2], speed: y } = *self;
        match element.law {
            Law::Contact { friction: mu } => {
                let a = second.copied().unwrap_or_default();
                let [dg, db1, db2] = a.force;
                let [ds, dw1, dw2] = a.response;
                let off = [u[0] - s, u[1] - w1, u[2] - w2];
                let normal = (kappa - g * s - dg * ds - g * off[0]) / s;
                if element.rows == 1 || mu == 0.0 {
                    return [normal, 0.0, 0.0];
                }
                let right = [
                    kappa
                        - (mu * g * y + b1 * w1 + b2 * w2)
                        - (mu * dg * a.speed + db1 * dw1 + db2 * dw2)
                        - mu * y * normal
                        - (b1 * off[1] + b2 * off[2]),
                    -(mu * g * w1 + y * b1)
                        - (mu * dg * dw1 + a.speed * db1)
                        - mu * w1 * normal
                        - mu * g * off[1],
                    -(mu * g * w2 + y * b2)
                        - (mu * dg * dw2 + a.speed * db2)
                        - mu * w2 * normal
                        - mu * g * off[2],
                ];
                let [_, x1, x2] = times(&linear.inner, right);
                [normal, x1, if element.rows > 2 { x2 } else { 0.0 }]
            }
            Law::Bilateral => [-u[0] / COMPLIANCE, 0.0, 0.0],
            Law::Bounded { lower, upper } => {
                let a = second.copied().unwrap_or_default();
                let [low, high] = self.distances(lower, upper);
                // u + du = p − q with p = (κ − dλ dp)/low − (p/low) dλ, and so for q;
                // an infinite bound does not push.
                let p = (kappa - a.force[0] * a.response[0]) / low;
                let q = (kappa + a.force[0] * a.response[1]) / high;
                [(p - q - u[0]) * linear.d[0][0], 0.0, 0.0]
            }
        }
    }

    /// All changes, when the responses change by `du` and the forces by `force`.
    pub(super) fn change(
        &self,
        element: &Element,
        [u, du]: [[f64; 3]; 2],
        force: [f64; 3],
        kappa: f64,
        second: Option<&Point>,
    ) -> Point {
        let a = second.copied().unwrap_or_default();
        match element.law {
            Law::Contact { friction: mu } => {
                let response = [0, 1, 2].map(|k| u[k] + du[k] - self.response[k]);
                let Point { force: [g, b1, b2], response: [_, w1, w2], speed: y } = *self;
                let mut speed = 0.0;
                if element.rows > 1 && mu > 0.0 {
                    // The first row of the friction system.
                    let right = kappa
                        - (mu * g * y + b1 * w1 + b2 * w2)
                        - (mu * a.force[0] * a.speed
                            + a.force[1] * a.response[1]
                            + a.force[2] * a.response[2])
                        - mu * y * force[0]
                        - (b1 * response[1] + b2 * response[2])
                        - (w1 * force[1] + w2 * force[2]);
                    speed = right / (mu * g);
                }
                Point { force, response, speed }
            }
            Law::Bilateral => Point { force, ..Point::default() },
            Law::Bounded { lower, upper } => {
                let [low, high] = self.distances(lower, upper);
                let [p, q, _] = self.response;
                let dp = (kappa - a.force[0] * a.response[0] - p * force[0]) / low - p;
                let dq = (kappa + a.force[0] * a.response[1] + q * force[0]) / high - q;
                Point { force, response: [dp, dq, 0.0], speed: 0.0 }
            }
        }
    }

    /// How far along a change everything stays positive and in its cone.
    pub(super) fn distance(&self, element: &Element, change: &Point) -> f64 {
        let straight = |x: f64, d: f64| if d < 0.0 { -x / d } else { f64::INFINITY };
        match element.law {
            Law::Contact { friction: mu } => {
                let distance = straight(self.force[0], change.force[0])
                    .min(straight(self.response[0], change.response[0]));
                if element.rows == 1 || mu == 0.0 {
                    return distance;
                }
                let cone = |p: &Point| [mu * p.force[0], p.force[1], p.force[2]];
                let slip = |p: &Point| [p.speed, p.response[1], p.response[2]];
                distance
                    .min(to_cone(cone(self), cone(change)))
                    .min(to_cone(slip(self), slip(change)))
            }
            Law::Bilateral => f64::INFINITY,
            Law::Bounded { lower, upper } => {
                let [low, high] = self.distances(lower, upper);
                straight(low, change.force[0])
                    .min(straight(high, -change.force[0]))
                    .min(if low.is_finite() {
                        straight(self.response[0], change.response[0])
                    } else {
                        f64::INFINITY
                    })
                    .min(if high.is_finite() {
                        straight(self.response[1], change.response[1])
                    } else {
                        f64::INFINITY
                    })
            }
        }
    }

    pub(super) fn step(&mut self, change: &Point, length: f64) {
        for k in 0..3 {
            self.force[k] += length * change.force[k];
            self.response[k] += length * change.response[k];
        }
        self.speed += length * change.speed;
    }
}

/// A force between bounds, as far as `size` inside where only one is finite.
fn middle(lower: f64, upper: f64, size: f64) -> f64 {
    match (lower.is_finite(), upper.is_finite()) {
        (true, true) => f64::midpoint(lower, upper),
        (true, false) => lower + size,
        (false, true) => upper - size,
        (false, false) => 0.0,
    }
}

/// How far from `x` inside the cone `|(x₁, x₂)| ≤ x₀` along `d` its surface is.
fn to_cone(x: [f64; 3], d: [f64; 3]) -> f64 {
    let form = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    let (a, b, c) = (form(d, d), form(x, d), form(x, x).max(0.0));
    let mut distance = if d[0] < 0.0 { -x[0] / d[0] } else { f64::INFINITY };
    let discriminant = b * b - a * c;
    if a == 0.0 {
        if b < 0.0 {
            distance = distance.min(-0.5 * c / b);
        }
    } else if discriminant >= 0.0 {
        let q = if b >= 0.0 { -b - discriminant.sqrt() } else { -b + discriminant.sqrt() };
        for root in [q / a, if q == 0.0 { f64::INFINITY } else { c / q }] {
            if root > 0.0 {
                distance = distance.min(root);
            }
        }
    }
    distance
}
