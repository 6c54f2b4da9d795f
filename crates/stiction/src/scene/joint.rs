//! Joints: kind, bodies, place, limits, motor, friction.

use super::repeat::{Copy, copies};
use super::source::{Table, Value};
use super::{Reader, SceneError};
use crate::joint::{Joint, JointKind, Motor};
use crate::world::{BodyId, World};
use glam::{DMat3, DQuat, DVec3};
use stiction_geometry::Pose;

/// How far a given length may be from the distance of the points (m).
const LENGTH: f64 = 1e-9;

/// How far from perpendicular the axes of a universal joint may be.
const PERPENDICULAR: f64 = 1e-9;

const KINDS: &[(&str, JointKind)] = &[
    ("ball", JointKind::Ball),
    ("hinge", JointKind::Hinge),
    ("slider", JointKind::Slider),
    ("universal", JointKind::Universal),
    ("fixed", JointKind::Fixed),
    ("distance", JointKind::Distance { length: 0.0 }),
    ("point-on-plane", JointKind::PointOnPlane),
];

impl Reader<'_> {
    /// Adds a joint, and its copies.
    pub(super) fn joint(
        &mut self,
        mut table: Table<'_>,
        world: &mut World,
    ) -> Result<(), SceneError> {
        let name = table.named()?;
        for copy in copies(&table)? {
            let full = copy.name(name.text()?);
            if world.joints.iter().any(|joint| joint.name == full) {
                return Err(name.fault(format!("is {full:?}, as another joint is called")));
            }
            self.places.push((format!("joint {full:?}"), table.place()));
            self.one_joint(&table, &full, &copy, world)?;
        }
        table.finish()
    }

    fn one_joint(
        &self,
        table: &Table<'_>,
        name: &str,
        copy: &Copy,
        world: &mut World,
    ) -> Result<(), SceneError> {
        let kind = table.need("type")?.choice(KINDS)?;
        let a = self.find_body(&table.need("a")?, copy)?;
        let b = table.read("b", |value| self.find_body(value, copy))?;
        if b == Some(a) {
            return Err(table.fault(format!("joins {:?} to itself", world.body(a).name)));
        }
        let anchor = table.need("anchor")?.vector()? + copy.offset;
        let pose = |body: BodyId| (body, &world.state.poses[body.index()]);
        let bodies = (pose(a), b.map(pose));
        let mut joint = match kind {
            JointKind::Distance { .. } => distance(table, name, bodies, anchor, copy)?,
            JointKind::Universal => universal(table, name, bodies, anchor)?,
            _ => Joint::at(kind, name, bodies.0, bodies.1, anchor, self.axis(table, kind)?)
                .map_err(|error| table.fault(error.to_string()))?,
        };
        let unit = unit(table, kind)?;
        joint.limits = limits(table, kind, unit)?;
        joint.motor = table.read("motor", |value| motor(value, kind))?;
        joint.friction = table.read("friction", Value::not_negative)?.unwrap_or_default();
        joint.validate().map_err(|error| table.fault(without_name(&error.to_string())))?;
        let collide = table.read("collide", Value::boolean)?.unwrap_or(false);
        world.add_joint(joint);
        if let (false, Some(b)) = (collide, b) {
            world.exclude_pair(a, b);
        }
        Ok(())
    }

    fn axis(&self, table: &Table<'_>, kind: JointKind) -> Result<DVec3, SceneError> {
        match kind {
            JointKind::Ball | JointKind::Fixed => Ok(DVec3::Z),
            JointKind::Hinge => {
                let value = table.get("axis");
                match (value, self.workshop.plane.normal()) {
                    (Some(value), _) => {
                        let axis = value.direction()?;
                        self.workshop.plane.check_across(&value, axis)?;
                        Ok(axis)
                    }
                    (None, Some(normal)) => Ok(normal),
                    (None, None) => Err(table.fault("needs axis")),
                }
            }
            _ => table.need("axis")?.direction(),
        }
    }
}

type Ends<'p> = ((BodyId, &'p Pose), Option<(BodyId, &'p Pose)>);

fn distance(
    table: &Table<'_>,
    name: &str,
    (a, b): Ends<'_>,
    anchor: DVec3,
    copy: &Copy,
) -> Result<Joint, SceneError> {
    let end = table.need("anchor_b")?.vector()? + copy.offset;
    let apart = (anchor - end).length();
    if let Some(value) = table.get("length")
        && (value.positive()? - apart).abs() > LENGTH
    {
        return Err(value.unfit(&format!("the distance of its anchors, {apart} m")));
    }
    Joint::between(name, a, b, anchor, end)
        .map_err(|error| table.fault(without_name(&error.to_string())))
}

/// Turns about `axis`, fixed to the first body, and `axis_b`, fixed to the second.
fn universal(
    table: &Table<'_>,
    name: &str,
    (a, b): Ends<'_>,
    anchor: DVec3,
) -> Result<Joint, SceneError> {
    let z = table.need("axis")?.direction()?;
    let second = table.need("axis_b")?;
    let x = second.direction()?;
    if x.dot(z).abs() > PERPENDICULAR {
        return Err(second.unfit("perpendicular to axis"));
    }
    let mut joint = Joint::at(JointKind::Universal, name, a, b, anchor, z)
        .map_err(|error| table.fault(without_name(&error.to_string())))?;
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
    let seen = |pose: &Pose| (pose.rotation.conjugate() * rotation).normalize();
    joint.frame_a.rotation = seen(a.1);
    joint.frame_b.rotation = b.map_or(rotation.normalize(), |(_, pose)| seen(pose));
    Ok(joint)
}

/// What the free coordinate is measured in: refuses keys of the wrong unit.
fn unit(table: &Table<'_>, kind: JointKind) -> Result<f64, SceneError> {
    match (table.get("limits_deg"), kind) {
        (Some(value), kind) if kind != JointKind::Hinge => {
            Err(value.fault(format!("belongs to hinges, not to {} joints", kind.name())))
        }
        (Some(_), _) => Ok(1_f64.to_radians()),
        (None, _) => Ok(1.0),
    }
}

fn limits(table: &Table<'_>, kind: JointKind, unit: f64) -> Result<Option<[f64; 2]>, SceneError> {
    let Some((_, value)) = table.one_of(&["limits", "limits_deg"])? else { return Ok(None) };
    let has = matches!(kind, JointKind::Hinge | JointKind::Slider | JointKind::Distance { .. });
    if !has {
        return Err(value.fault(format!("a {} joint cannot have limits", kind.name())));
    }
    let bounds = value.list()?.iter().map(Value::bound).collect::<Result<Vec<_>, _>>()?;
    match bounds[..] {
        [least, greatest] if least <= greatest => Ok(Some([unit * least, unit * greatest])),
        _ => Err(value.unfit("two numbers, the least first")),
    }
}

fn motor(value: &Value<'_>, kind: JointKind) -> Result<Motor, SceneError> {
    if !matches!(kind, JointKind::Hinge | JointKind::Slider) {
        return Err(value.fault(format!("a {} joint cannot have a motor", kind.name())));
    }
    let table = value.table()?;
    let keys = ["speed", "speed_deg", "position", "position_deg", "force"];
    let Some((key, target)) = table.one_of(&keys)? else {
        return Err(value.fault(format!("needs one of {}", keys.join(", "))));
    };
    if key.ends_with("_deg") && kind != JointKind::Hinge {
        return Err(target.fault("belongs to hinges, not to sliders"));
    }
    let unit = if key.ends_with("_deg") { 1_f64.to_radians() } else { 1.0 };
    let drive = super::drive::drive(&target, unit)?;
    let motor = match key {
        "speed" | "speed_deg" => {
            let greatest = table.read("greatest", Value::not_negative)?;
            Motor::Speed { target: drive, greatest: greatest.unwrap_or(f64::INFINITY) }
        }
        "force" => Motor::Force { value: drive },
        _ => Motor::Position { target: drive },
    };
    table.finish()?;
    Ok(motor)
}

/// Messages name the joint already.
fn without_name(message: &str) -> &str {
    let rest = message.strip_prefix("joint \"").and_then(|rest| rest.split_once("\": "));
    rest.map_or(message, |(_, rest)| rest)
}
