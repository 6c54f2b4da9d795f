//! The constraints of a joint, one row each.

use std::f64::consts::TAU;

use glam::DVec3;
use stiction_geometry::{Pose, Twist};

use super::scalar::{Carried, Scalar, cosine, distance, offset, relative_rotation, sine, turn};
use super::{Joint, JointKind, Motor};

/// Squared cosine of half a right angle: orientations further apart than a right
/// angle have a relative quaternion with a smaller squared scalar part.
const RIGHT_ANGLE: f64 = 0.5;

/// One scalar constraint of a joint.
///
/// A row reads a function `C` of the poses. Its velocity is
/// `on_a · (v_a, ω_a) + on_b · (v_b, ω_b)`; its force acts on the bodies as
/// the wrenches `force · on_a` and `force · on_b` about their centres of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRow {
    /// `[force; torque]` on the first body per unit of the row's force.
    pub on_a: [f64; 6],
    /// The same on the second body; zero if that is the world.
    pub on_b: [f64; 6],
    /// `C` (m, or rad to first order): zero when satisfied, the distance to a
    /// limit, zero for rows that know no position (speed motors, friction).
    /// Where there is one, its derivative is the velocity minus `target`.
    pub error: f64,
    /// The derivative of the velocity minus `target` while no body
    /// accelerates: `J̇·v` less the acceleration of what is prescribed.
    pub drift: f64,
    /// The wanted velocity: of a prescribed motion or a speed motor.
    pub target: f64,
    /// What its force may be.
    pub rule: RowRule,
}

/// What the force of a row may be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RowRule {
    /// `C = 0` with a force of either sign.
    Equal,
    /// `C ≥ 0` with force ≥ 0, one of them zero: a limit.
    AtLeast,
    /// Seeks the target velocity with a force of at most this size.
    Motor {
        /// N or N·m, may be infinite.
        greatest: f64,
    },
    /// Opposes the velocity with a force of at most this size.
    Friction {
        /// N or N·m.
        greatest: f64,
    },
}

impl JointRow {
    /// The row's velocity at these twists.
    pub fn velocity(&self, a: &Twist, b: &Twist) -> f64 {
        product(&self.on_a, a) + product(&self.on_b, b)
    }

    fn new(scalar: &Scalar, rule: RowRule) -> Self {
        let Scalar { on_a, on_b, value, drift } = *scalar;
        JointRow { on_a, on_b, error: value, drift, target: 0.0, rule }
    }
}

/// The angle that differs from `angle` by whole turns and is nearest to `near` (rad).
///
/// Of two that are equally near, the one with fewer turns.
pub fn unwrapped(angle: f64, near: f64) -> f64 {
    let turns = (near - angle) / TAU;
    angle + TAU * turns.signum() * (turns.abs() - 0.5).ceil()
}

impl Joint {
    /// Appends its rows for bodies at these poses with these twists.
    ///
    /// First the rows of its kind (those of the origin before those of orientation),
    /// then along the free coordinate: motor, lower limit, upper limit,
    /// friction. Limits are always among them; whether one is near enough to
    /// matter its `error` says. `near` is the last known unwrapped angle of a
    /// hinge, so that motors and limits work beyond half a turn; other kinds
    /// do not use it. If b is the world, what is given for it is not used.
    pub fn rows(
        &self,
        a: (&Pose, &Twist),
        b: (&Pose, &Twist),
        time: f64,
        near: f64,
        out: &mut Vec<JointRow>,
    ) {
        let (a, b) = self.carried(a, b);
        let first = out.len();
        let mut hold = |scalar: Scalar| out.push(JointRow::new(&scalar, RowRule::Equal));
        match self.kind {
            JointKind::Ball => meet(&a, &b, &mut hold),
            JointKind::Hinge => {
                meet(&a, &b, &mut hold);
                hold(cosine(&a, DVec3::X, &b, DVec3::Z));
                hold(cosine(&a, DVec3::Y, &b, DVec3::Z));
            }
            JointKind::Slider => {
                hold(offset(&a, &b, DVec3::X));
                hold(offset(&a, &b, DVec3::Y));
                agree(&a, &b, &mut hold);
            }
            JointKind::Universal => {
                meet(&a, &b, &mut hold);
                hold(cosine(&a, DVec3::Z, &b, DVec3::X));
            }
            JointKind::Fixed => {
                meet(&a, &b, &mut hold);
                agree(&a, &b, &mut hold);
            }
            JointKind::Distance { length } if self.limits.is_none() => {
                let apart = distance(&a, &b);
                hold(Scalar { value: apart.value - length, ..apart });
            }
            JointKind::Distance { .. } | JointKind::Free => {}
            JointKind::PointOnPlane => hold(offset(&a, &b, DVec3::Z)),
        }
        if let Some(coordinate) = self.along(&a, &b, near) {
            self.drive_rows(&coordinate, time, out);
            self.limit_rows(&coordinate, out);
            self.friction_rows(&coordinate, out);
        }
        if self.b.is_none() {
            for row in &mut out[first..] {
                row.on_b = [0.0; 6];
            }
        }
    }

    /// The wrenches `[force; torque]` on a and b of a motor that exerts a
    /// given force; on b zero if that is the world.
    pub fn applied(&self, a: &Pose, b: &Pose, time: f64) -> Option<([f64; 6], [f64; 6])> {
        let Some(Motor::Force { value }) = &self.motor else { return None };
        let (a, b) = self.carried((a, &Twist::ZERO), (b, &Twist::ZERO));
        let coordinate = self.driven(&a, &b)?;
        let force = value.at(time).value;
        let on_b = if self.b.is_some() { coordinate.on_b } else { [0.0; 6] };
        Some((coordinate.on_a.map(|x| force * x), on_b.map(|x| force * x)))
    }

    /// Where it stands: the angle of a hinge in (−π, π], the length of a
    /// slider, how far the origins of a distance are apart. The others have
    /// no such number.
    pub fn coordinate(&self, a: &Pose, b: &Pose) -> Option<f64> {
        self.coordinate_near(a, b, 0.0)
    }

    /// The same with the angle of a hinge unwrapped to be nearest to `near`.
    pub fn coordinate_near(&self, a: &Pose, b: &Pose, near: f64) -> Option<f64> {
        let (a, b) = self.carried((a, &Twist::ZERO), (b, &Twist::ZERO));
        self.along(&a, &b, near).map(|coordinate| coordinate.value)
    }

    /// How fast the coordinate grows (rad/s or m/s).
    pub fn coordinate_rate(&self, a: (&Pose, &Twist), b: (&Pose, &Twist)) -> Option<f64> {
        let (carried_a, carried_b) = self.carried(a, b);
        let coordinate = self.along(&carried_a, &carried_b, 0.0)?;
        let of_b = if self.b.is_some() { product(&coordinate.on_b, b.1) } else { 0.0 };
        Some(product(&coordinate.on_a, a.1) + of_b)
    }

    /// Whether its orientation is beyond a right angle from where it belongs.
    ///
    /// The rows of orientation vanish also half a turn away: a joint that starts
    /// there would be held upside down.
    pub fn turned_over(&self, a: &Pose, b: &Pose) -> bool {
        let (a, b) = self.carried((a, &Twist::ZERO), (b, &Twist::ZERO));
        match self.kind {
            JointKind::Hinge => a.axis(DVec3::Z).value.dot(b.axis(DVec3::Z).value) < 0.0,
            JointKind::Slider | JointKind::Fixed => {
                relative_rotation(&a, &b).w.powi(2) < RIGHT_ANGLE
            }
            _ => false,
        }
    }

    /// Its frames on their bodies; the world rests at the origin.
    fn carried(&self, a: (&Pose, &Twist), b: (&Pose, &Twist)) -> (Carried, Carried) {
        let b = if self.b.is_some() { b } else { (&Pose::IDENTITY, &Twist::ZERO) };
        (Carried::new(a.0, a.1, &self.frame_a), Carried::new(b.0, b.1, &self.frame_b))
    }

    /// The coordinate that limits bound.
    fn along(&self, a: &Carried, b: &Carried, near: f64) -> Option<Scalar> {
        match self.kind {
            JointKind::Hinge => {
                let turn = turn(a, b);
                Some(Scalar { value: unwrapped(turn.value, near), ..turn })
            }
            JointKind::Distance { .. } => Some(distance(a, b)),
            _ => self.driven(a, b),
        }
    }

    /// The coordinate that motors drive.
    fn driven(&self, a: &Carried, b: &Carried) -> Option<Scalar> {
        match self.kind {
            JointKind::Hinge => Some(turn(a, b)),
            JointKind::Slider => Some(offset(a, b, DVec3::Z)),
            _ => None,
        }
    }

    /// Whether motors and friction act along the coordinate.
    pub(super) fn has_drive(&self) -> bool {
        matches!(self.kind, JointKind::Hinge | JointKind::Slider)
    }

    fn drive_rows(&self, coordinate: &Scalar, time: f64, out: &mut Vec<JointRow>) {
        if !self.has_drive() {
            return;
        }
        match &self.motor {
            Some(Motor::Position { target }) => {
                let motion = target.at(time);
                let mut row = JointRow::new(coordinate, RowRule::Equal);
                row.error -= motion.value;
                row.target = motion.rate;
                row.drift -= motion.acceleration;
                out.push(row);
            }
            Some(Motor::Speed { target, greatest }) => {
                let motion = target.at(time);
                let mut row = JointRow::new(coordinate, RowRule::Motor { greatest: *greatest });
                row.error = 0.0;
                row.target = motion.value;
                row.drift -= motion.rate;
                out.push(row);
            }
            Some(Motor::Force { .. }) | None => {}
        }
    }

    /// `C = x − least` and `C = greatest − x`. A distance is never negative,
    /// so that a least one of zero needs no row.
    fn limit_rows(&self, coordinate: &Scalar, out: &mut Vec<JointRow>) {
        let Some([least, greatest]) = self.limits else { return };
        let always = matches!(self.kind, JointKind::Distance { .. }) && least <= 0.0;
        if least.is_finite() && !always {
            let mut row = JointRow::new(coordinate, RowRule::AtLeast);
            row.error -= least;
            out.push(row);
        }
        if greatest.is_finite() {
            let mut row = JointRow::new(&coordinate.negated(), RowRule::AtLeast);
            row.error += greatest;
            out.push(row);
        }
    }

    fn friction_rows(&self, coordinate: &Scalar, out: &mut Vec<JointRow>) {
        if self.has_drive() && self.friction > 0.0 {
            let rule = RowRule::Friction { greatest: self.friction };
            out.push(JointRow { error: 0.0, ..JointRow::new(coordinate, rule) });
        }
    }
}

/// The origins of the frames meet: 3 rows along the axes of frame b.
fn meet(a: &Carried, b: &Carried, hold: &mut impl FnMut(Scalar)) {
    for axis in DVec3::AXES {
        hold(offset(a, b, axis));
    }
}

/// The orientations of the frames agree: 3 rows about x, y and z.
fn agree(a: &Carried, b: &Carried, hold: &mut impl FnMut(Scalar)) {
    hold(sine(a, b, DVec3::Y, DVec3::Z));
    hold(sine(a, b, DVec3::Z, DVec3::X));
    hold(sine(a, b, DVec3::X, DVec3::Y));
}

fn product(on: &[f64; 6], twist: &Twist) -> f64 {
    DVec3::from_slice(&on[..3]).dot(twist.linear) + DVec3::from_slice(&on[3..]).dot(twist.angular)
}
