//! The length of a drive: the step to the first change of side [B94, `maxstep`].

use super::drive::Target;
use super::state::{Bound, Side, Slip, State};
use crate::observer::Driven;
use crate::settings::{NO_FORCE, ON_CONE, TIE};

/// What stops a drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Blocking {
    /// The driven response reached zero.
    Settled,
    /// The driven friction reached its cone.
    Limit,
    /// The driven force reached zero (or a bound).
    Emptied,
    /// A clamped normal force reached zero.
    Opens(usize),
    /// A separating contact touches again.
    Closes(usize),
    /// Sticking friction reached its cone.
    Slips(usize),
    /// Slip along the friction force vanished.
    Sticks(usize),
    /// A clamped bounded row reached its lower or upper bound.
    Bounds(usize, Bound),
    /// The response of a row at its bound returned to zero.
    Unbounds(usize),
}

/// The smallest step, and what blocks it.
///
/// Tie rule: the driver wins, otherwise the candidate with the larger rate. A drive that could
/// end must not end in an exchange instead: on rank-deficient problems that fails.
struct Least {
    step: f64,
    rate: f64,
    blocking: Option<Blocking>,
}

impl Least {
    fn offer(&mut self, step: f64, rate: f64, blocking: Blocking) {
        let step = step.max(0.0);
        let tie = TIE * step.max(1.0);
        let driver =
            matches!(self.blocking, Some(Blocking::Settled | Blocking::Limit | Blocking::Emptied));
        if step < self.step - tie || (step <= self.step + tie && !driver && rate > self.rate) {
            *self = Least { step, rate, blocking: Some(blocking) };
        }
    }
}

/// Rates below this, relative to the largest force change, are rounding of the unsymmetric inverse.
const FLAT: f64 = 1e-9;
/// The same for the symmetric factor.
const FLAT_SYMMETRIC: f64 = 1e-12;

/// Curvature of the cone condition above which touching the cone means leaving it.
const CURVED: f64 = 1e-6;
/// Relative curvature below which the condition is linear.
const LINEAR: f64 = 1e-14;

impl State<'_> {
    /// The largest step along the current direction, and what limits it.
    pub(super) fn longest_step(&self, target: &Target) -> Option<(f64, Blocking)> {
        let largest = self.force_change.iter().fold(1.0_f64, |m, f| m.max(f.abs()));
        let flat = if self.rows.symmetric && self.clamped.is_symmetric() {
            FLAT_SYMMETRIC * largest
        } else {
            FLAT * largest
        };
        let mut least = Least { step: f64::INFINITY, rate: 0.0, blocking: None };
        self.offer_driver(target, flat, &mut least);
        for contact in 0..self.side.len() {
            self.offer_contact(target, contact, flat, &mut least);
        }
        for (k, &bound) in self.bound.iter().enumerate() {
            self.offer_bounded(target, k, bound, flat, &mut least);
        }
        least.blocking.map(|blocking| (least.step, blocking))
    }

    fn offer_driver(&self, target: &Target, flat: f64, least: &mut Least) {
        let r = target.row;
        let (f, a) = (self.force[r], self.response[r]);
        let (df, da) = (self.force_change[r], self.response_change[r]);
        if target.what != Driven::Release && da * df > flat {
            least.offer(-a / da, da.abs(), Blocking::Settled);
        }
        match target.what {
            Driven::Friction => {
                if let Some((step, rate)) = self.cone_step(target.contact, flat) {
                    least.offer(step, rate, Blocking::Limit);
                }
            }
            Driven::Release => least.offer(f / -df, 1.0, Blocking::Emptied),
            Driven::Normal => {
                let (lower, upper) = self.limits(r);
                let end = if df > 0.0 { upper } else { lower };
                if end.is_finite() {
                    least.offer((end - f) / df, 1.0, Blocking::Emptied);
                }
            }
        }
    }

    /// Bounds of a normal or bounded force.
    pub(super) fn limits(&self, row: usize) -> (f64, f64) {
        if row >= self.rows.bounded {
            let k = row - self.rows.bounded;
            (self.rows.lower[k], self.rows.upper[k])
        } else {
            (0.0, f64::INFINITY)
        }
    }

    fn offer_contact(&self, target: &Target, contact: usize, flat: f64, least: &mut Least) {
        let rows = &self.rows.contacts[contact];
        let r = rows.normal;
        match self.side[contact] {
            Side::Undecided => {}
            Side::Separating => {
                let da = self.response_change[r];
                if da < -flat {
                    least.offer(self.response[r] / -da, -da, Blocking::Closes(contact));
                }
            }
            Side::Clamped => {
                let df = self.force_change[r];
                if df < -flat {
                    least.offer(self.force[r] / -df, -df, Blocking::Opens(contact));
                }
                if rows.tangents == 0 || (target.contact == contact && target.is_friction()) {
                    return;
                }
                match self.slip[contact] {
                    Slip::Undecided => {}
                    Slip::Sticking => {
                        if let Some((step, rate)) = self.cone_step(contact, flat) {
                            least.offer(step, rate, Blocking::Slips(contact));
                        }
                    }
                    Slip::Slipping => {
                        let da = self.response_change[r + 1];
                        if da > flat {
                            least.offer(-self.response[r + 1] / da, da, Blocking::Sticks(contact));
                        }
                    }
                }
            }
        }
    }

    fn offer_bounded(&self, target: &Target, k: usize, bound: Bound, flat: f64, least: &mut Least) {
        let r = self.rows.bounded + k;
        if target.row == r {
            return;
        }
        let (df, da) = (self.force_change[r], self.response_change[r]);
        let (f, a) = (self.force[r], self.response[r]);
        match bound {
            Bound::Clamped if df < -flat => {
                least.offer((self.rows.lower[k] - f) / df, -df, Blocking::Bounds(k, Bound::Lower));
            }
            Bound::Clamped if df > flat => {
                least.offer((self.rows.upper[k] - f) / df, df, Blocking::Bounds(k, Bound::Upper));
            }
            Bound::Lower if da < -flat => least.offer(a / -da, -da, Blocking::Unbounds(k)),
            Bound::Upper if da > flat => least.offer(-a / da, da, Blocking::Unbounds(k)),
            Bound::Undecided | Bound::Clamped | Bound::Lower | Bound::Upper => {}
        }
    }

    /// Step at which the friction of a contact leaves its cone [B94, eq. 23]:
    ///
    /// ```text
    ///   |f_t + s Δf_t| = μ (f_n + s Δf_n),   the least s ≥ 0
    /// ```
    ///
    /// and the rate of leaving. `None` if it never does.
    fn cone_step(&self, contact: usize, flat: f64) -> Option<(f64, f64)> {
        let rows = &self.rows.contacts[contact];
        let mu = rows.friction;
        let [fx, fy] = self.tangent_part(contact, &self.force);
        let [gx, gy] = self.tangent_part(contact, &self.force_change);
        let (fn_, gn) = (self.force[rows.normal], self.force_change[rows.normal]);
        let (ft, gt) = (fx.hypot(fy), gx.hypot(gy));
        let (limit, limit_rate) = (mu * fn_, mu * gn);
        let rate = (gt - limit_rate).abs();
        // s² a + 2 s b + c = 0
        let a = gt * gt - limit_rate * limit_rate;
        let b = fx * gx + fy * gy - limit * limit_rate;
        let c = (ft - limit) * (ft + limit);

        let on_cone = limit - ft <= ON_CONE * limit.abs().max(1e-3);
        if on_cone {
            let outward = if ft > NO_FORCE { (fx * gx + fy * gy) / ft } else { gt } - limit_rate;
            return if outward > flat || (outward > -flat && a > CURVED) {
                Some((0.0, rate))
            } else if a > flat && b < 0.0 {
                Some((-2.0 * b / a, rate))
            } else {
                None
            };
        }
        let roots = if a.abs() <= LINEAR * (gt * gt + limit_rate * limit_rate) {
            if b <= 0.0 {
                return None;
            }
            [-c / (2.0 * b), f64::INFINITY]
        } else {
            let root = (b * b - a * c).max(0.0).sqrt();
            if b * b - a * c < 0.0 {
                return None;
            }
            if b >= 0.0 {
                [-c / (b + root), (-b - root) / a]
            } else {
                [(root - b) / a, c / (root - b)]
            }
        };
        let step = roots.into_iter().filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
        // The other nappe of the cone does not count: the contact has opened before it.
        (step.is_finite() && fn_ + step * gn >= -ON_CONE).then_some((step, rate))
    }
}
