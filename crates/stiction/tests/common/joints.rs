//! Random joints, bodies that fly past each other, and differences in time.

use glam::{DQuat, DVec3};
use stiction::BodyId;
use stiction::joint::{Joint, JointKind, JointRow, RowRule};
use stiction_geometry::{Pose, Twist};

use super::id;

/// Step of the differences (s).
pub const STEP: f64 = 1e-3;

/// How far a fourth-order difference of functions of size 1 to 10, moving at
/// rates of about 1 to 10 per second, may be from the derivative: `h⁴` for
/// truncation, `1e-15 / h²` for rounding, each times about 100.
pub const DIFFERENCE: f64 = 1e-7;

/// Rounding in sums of a few numbers of size one.
pub const ROUNDING: f64 = 1e-12;

/// A pivot below this (of rows of size one) means dependent rows.
pub const RANK: f64 = 1e-6;

pub const KINDS: [JointKind; 7] = [
    JointKind::Ball,
    JointKind::Hinge,
    JointKind::Slider,
    JointKind::Universal,
    JointKind::Fixed,
    JointKind::Distance { length: 0.7 },
    JointKind::PointOnPlane,
];

/// Splitmix64: the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [−1, 1).
    pub fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    pub fn pose(&mut self) -> Pose {
        Pose { position: self.vector(), rotation: DQuat::from_scaled_axis(3.0 * self.vector()) }
    }

    pub fn twist(&mut self) -> Twist {
        Twist { linear: self.vector(), angular: 2.0 * self.vector() }
    }

    /// With anything at all as frames.
    pub fn joint(&mut self, kind: JointKind, b: Option<BodyId>) -> Joint {
        let (frame_a, frame_b) = (self.pose(), self.pose());
        let name = "random".to_owned();
        Joint {
            name,
            a: id(0),
            b,
            kind,
            frame_a,
            frame_b,
            limits: None,
            motor: None,
            friction: 0.0,
        }
    }

    /// From a random anchor and axis, with bodies where it is satisfied.
    pub fn satisfied(&mut self, kind: JointKind, a: &Pose, b: &Pose) -> Joint {
        let (point, other) = (self.vector(), self.vector());
        let joint = match kind {
            JointKind::Distance { .. } => {
                Joint::between("j", (id(0), a), Some((id(1), b)), point, other)
            }
            _ => Joint::at(kind, "j", (id(0), a), Some((id(1), b)), point, other),
        };
        joint.expect("random points and axes are fine")
    }
}

/// Two bodies with constant twists.
pub struct Flight {
    pub a: (Pose, Twist),
    pub b: (Pose, Twist),
}

impl Flight {
    pub fn random(random: &mut Random) -> Self {
        Flight { a: (random.pose(), random.twist()), b: (random.pose(), random.twist()) }
    }

    pub fn poses(&self, time: f64) -> (Pose, Pose) {
        (self.a.0.moved(&self.a.1, time), self.b.0.moved(&self.b.1, time))
    }

    pub fn rows(&self, joint: &Joint, time: f64, near: f64) -> Vec<JointRow> {
        let (a, b) = self.poses(time);
        let mut rows = Vec::new();
        joint.rows((&a, &self.a.1), (&b, &self.b.1), time, near, &mut rows);
        rows
    }

    pub fn rate(&self, joint: &Joint, time: f64) -> f64 {
        let (a, b) = self.poses(time);
        joint.coordinate_rate((&a, &self.a.1), (&b, &self.b.1)).expect("a coordinate")
    }

    /// Everything that must hold of `error`, `target` and `drift`.
    pub fn check(&self, joint: &Joint, time: f64, near: f64) {
        let now = self.rows(joint, time, near);
        let row = |shift: f64| self.rows(joint, time + shift, near);
        let samples = [row(-2.0 * STEP), row(-STEP), now.clone(), row(STEP), row(2.0 * STEP)];
        for (i, row) in now.iter().enumerate() {
            let label = format!("row {i} of {joint:?}");
            let excess = |r: &JointRow| r.velocity(&self.a.1, &self.b.1) - r.target;
            let speeds: [f64; 5] = std::array::from_fn(|k| excess(&samples[k][i]));
            assert_near(row.drift, first(&speeds), &format!("drift, {label}"));
            if matches!(row.rule, RowRule::Equal | RowRule::AtLeast) {
                let errors: [f64; 5] = std::array::from_fn(|k| samples[k][i].error);
                assert_near(excess(row), first(&errors), &format!("velocity, {label}"));
                assert!((row.drift - second(&errors)).abs() < 100.0 * DIFFERENCE, "drift, {label}");
            }
        }
    }
}

/// First derivative of five samples, to fourth order.
pub fn first(y: &[f64; 5]) -> f64 {
    (y[0] - 8.0 * y[1] + 8.0 * y[3] - y[4]) / (12.0 * STEP)
}

/// Second derivative of five samples, to fourth order.
pub fn second(y: &[f64; 5]) -> f64 {
    (-y[0] + 16.0 * y[1] - 30.0 * y[2] + 16.0 * y[3] - y[4]) / (12.0 * STEP * STEP)
}

pub fn assert_near(found: f64, expected: f64, what: &str) {
    let scale = 1.0 + expected.abs();
    assert!((found - expected).abs() < DIFFERENCE * scale, "{found} is not {expected}: {what}");
}

/// Whether a joint's functions are far from where they are not smooth: opposite
/// z axes and the cut at ±π of a hinge, meeting origins of a distance.
pub fn smooth(joint: &Joint, flight: &Flight) -> bool {
    let (a, b) = flight.poses(0.0);
    let b = if joint.b.is_some() { b } else { Pose::IDENTITY };
    let (a, b) = (a.compose(&joint.frame_a), b.compose(&joint.frame_b));
    match joint.kind {
        JointKind::Hinge => {
            let angle = joint.coordinate(&flight.a.0, &flight.b.0).expect("an angle");
            a.direction(DVec3::Z).dot(b.direction(DVec3::Z)) > -0.5 && angle.abs() < 3.0
        }
        JointKind::Distance { .. } => a.position.distance(b.position) > 0.3,
        _ => true,
    }
}
