//! A body that turns freely.
//!
//! In body axes the angular momentum `L` obeys `L̇ = L × I⁻¹ L`. The energy is a sum
//! of one term per principal axis, and each term alone turns `L` about its axis at a
//! constant rate: five turns, forth and back, are a symmetric second-order step that
//! keeps `|L|` to rounding. Suzuki's composition of five such steps is of order four.

use glam::{DMat3, DQuat, DVec3};
use stiction_geometry::MassProperties;

/// Suzuki's first fraction, `1 / (4 − ∛4)`.
const FRACTION: f64 = 0.414_490_771_794_375_7;

/// A step turns the body by at most this (rad): its energy is then kept to 1e-6.
const TURN: f64 = 0.1;

/// Steps at most: a hundred radians. Beyond that energy is kept less well, which the run reports.
const MOST_STEPS: f64 = 1000.0;

/// Principal axes of an inertia, and the moments about them.
#[derive(Clone, Copy, Debug)]
pub struct Principal {
    /// Turns vectors of the principal frame into those of the body frame.
    pub axes: DQuat,
    /// Moments of inertia (kg·m²).
    pub moments: DVec3,
}

impl Principal {
    /// Of a symmetric inertia.
    pub fn of(inertia: &DMat3) -> Self {
        let unit = MassProperties { mass: 1.0, centre: DVec3::ZERO, inertia: *inertia };
        let (moments, axes) = unit.principal();
        Principal { axes, moments }
    }
}

/// Orientation and angular velocity (world axes) of a body that turned freely for a time (s).
pub fn turn_freely(
    principal: &Principal,
    rotation: DQuat,
    angular: DVec3,
    time: f64,
) -> (DQuat, DVec3) {
    let mut q = rotation * principal.axes;
    let mut l = principal.moments * (q.conjugate() * angular);
    let middle = 1.0 - 4.0 * FRACTION;
    let fastest = l.length() / principal.moments.min_element();
    let steps = (time.abs() * fastest / TURN).ceil().clamp(1.0, MOST_STEPS);
    let mut made = 0.0;
    while made < steps {
        made += 1.0;
        for fraction in [FRACTION, FRACTION, middle, FRACTION, FRACTION] {
            strang(&principal.moments, &mut q, &mut l, fraction * time / steps);
        }
    }
    let angular = q * (l / principal.moments);
    ((q * principal.axes.conjugate()).normalize(), angular)
}

/// Half turns about the first and second axes, a whole one about the third, and back.
fn strang(moments: &DVec3, q: &mut DQuat, l: &mut DVec3, time: f64) {
    for (axis, part) in [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)] {
        let angle = part * time * l[axis] / moments[axis];
        let turn = DQuat::from_axis_angle(DVec3::AXES[axis], angle);
        *q = (*q * turn).normalize();
        *l = turn.conjugate() * *l;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_turns_in_one_step_keep_energy_and_momentum() {
        let principal = Principal::of(&DMat3::from_diagonal(DVec3::new(0.1, 0.2, 0.3)));
        let (q, w) = (DQuat::IDENTITY, DVec3::new(300.0, 2000.0, -700.0));
        let (turned, spin) = turn_freely(&principal, q, w, 0.01);
        let local = turned.conjugate() * spin;
        let (before, after) = (principal.moments * w, turned * (principal.moments * local));
        assert!((after - before).length() < 1e-9 * before.length());
        let energy = |w: DVec3| w.dot(principal.moments * w);
        assert!((energy(local) / energy(w) - 1.0).abs() < 1e-6, "{}", energy(local) / energy(w));
        let (again, _) = turn_freely(&principal, turned, -spin, 0.01);
        assert!(again.angle_between(q) < 1e-9);
    }

    #[test]
    fn free_rotation_keeps_energy_and_momentum() {
        let inertia = DMat3::from_diagonal(DVec3::new(0.1, 0.2, 0.3));
        let skew = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.3, -0.8, 0.5)));
        let inertia = skew * inertia * skew.transpose();
        let principal = Principal::of(&inertia);
        let (mut q, mut w) = (DQuat::IDENTITY, DVec3::new(0.05, 5.0, 0.02));
        let momentum = |q: DQuat, w: DVec3| q * (inertia * (q.conjugate() * w));
        let (l, e) = (momentum(q, w), w.dot(momentum(q, w)));
        for _ in 0..2400 {
            (q, w) = turn_freely(&principal, q, w, 1.0 / 240.0);
        }
        let (l_end, e_end) = (momentum(q, w), w.dot(momentum(q, w)));
        assert!((l_end - l).length() / l.length() < 1e-11);
        assert!((e_end - e).abs() / e < 1e-9, "{:e}", (e_end - e).abs() / e);
    }
}
