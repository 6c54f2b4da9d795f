//! Bodies: shape, place, mass, what acts on them.

use super::place::{Plane, turn};
use super::repeat::{copies, vector};
use super::source::{Table, Value};
use super::{Reader, SceneError};
use crate::drive::Drive;
use crate::world::{Body, BodyId, Motion, World};
use glam::{DMat3, DVec3};
use stiction_geometry::{MassProperties, Part, Pose, Twist};

/// Density of bodies that give neither density nor mass: water (kg/m³).
const DENSITY: f64 = 1000.0;

/// Highest level.
const LEVELS: usize = 64;

impl Reader<'_> {
    /// Adds a body, and its copies.
    pub(super) fn body(
        &mut self,
        mut table: Table<'_>,
        world: &mut World,
    ) -> Result<(), SceneError> {
        let name = table.named()?;
        let copies = copies(&table)?;
        let (body, twist) = self.one_body(&table)?;
        let body = Body { material: self.material(&table)?, ..body };
        for copy in &copies {
            let mut copied = body.clone();
            copied.name = copy.name(name.text()?);
            copied.placed.position += copy.offset;
            self.lower(&table, &mut copied, world)?;
            self.name_body(&name, &copied.name, BodyId::from_index(world.bodies.len()))?;
            self.places.push((format!("body {:?}", copied.name), table.place()));
            if body.is_free() {
                let at = table.get("at").unwrap_or_else(|| name.clone());
                self.workshop.plane.check_along(&at, copied.placed.position)?;
            }
            let id = world.add_body(copied);
            if body.is_free() {
                world.set_twist(id, twist);
            }
        }
        table.finish()
    }

    pub(super) fn name_body(
        &mut self,
        value: &Value<'_>,
        name: &str,
        id: BodyId,
    ) -> Result<(), SceneError> {
        match self.bodies.insert(name.to_owned(), id) {
            None => Ok(()),
            Some(_) => Err(value.fault(format!("is {name:?}, as another body is called"))),
        }
    }

    fn one_body(&self, table: &Table<'_>) -> Result<(Body, Twist), SceneError> {
        let plane = self.workshop.plane;
        let motion = motion(table, plane)?;
        let parts = self.workshop.parts(table, motion != Motion::Free)?;
        let motion = match motion {
            Motion::Free if parts.immovable => Motion::Fixed,
            motion => motion,
        };
        let pose = Pose { position: vector(table, "at")?, rotation: turn(table, plane)? };
        let mass = mass(table, &parts.list)?;
        let body = match motion {
            Motion::Free => {
                let Some(mass) = mass else {
                    return Err(
                        table.fault("has no shape with a volume, so it needs mass and inertia")
                    );
                };
                Body::with_mass("", parts.list, mass, pose)
                    .map_err(|why| table.fault(why.to_string()))?
            }
            motion => Body { motion, ..Body::fixed("", parts.list, pose) },
        };
        let twist = twist(table, plane)?;
        if let (false, Some(key)) = (body.is_free(), twist.1) {
            return Err(key.fault("is of no use: forces do not move this body"));
        }
        let force = table.read("force", Value::vector)?.unwrap_or_default();
        let torque = table.read("torque", |it| plane.spin(it))?.unwrap_or_default();
        let levels = table.read("levels", levels)?.unwrap_or(1);
        Ok((Body { collision_groups: levels, force, torque, ..body }, twist.0))
    }

    fn material(&self, table: &Table<'_>) -> Result<usize, SceneError> {
        match table.get("material") {
            Some(value) => self.find_material(&value),
            None => Ok(0),
        }
    }
}

/// What moves the body, as far as `fixed` and `drive` say.
fn motion(table: &Table<'_>, plane: Plane) -> Result<Motion, SceneError> {
    let fixed = table.read("fixed", Value::boolean)?.unwrap_or(false);
    let Some(value) = table.get("drive") else {
        return Ok(if fixed { Motion::Fixed } else { Motion::Free });
    };
    if fixed {
        return Err(value.fault("excludes fixed"));
    }
    let inner = value.table()?;
    let position = inner.read("position", |it| super::drive::drive(it, 1.0))?;
    let angle = match inner.one_of(&["angle_deg", "angle"])? {
        Some(("angle_deg", it)) => Some(super::drive::drive(&it, 1_f64.to_radians())?),
        Some((_, it)) => Some(super::drive::drive(&it, 1.0)?),
        None => None,
    };
    if position.is_none() && angle.is_none() {
        return Err(value.fault("needs position, angle_deg or angle"));
    }
    let direction = |key, wanted: bool, usual: Option<DVec3>| match inner.get(key) {
        Some(it) => it.direction(),
        None if wanted => usual.ok_or_else(|| value.fault(format!("needs {key}"))),
        None => Ok(DVec3::Z),
    };
    let along = direction("along", position.is_some(), None)?;
    let axis = direction("axis", angle.is_some(), plane.normal())?;
    inner.finish()?;
    let none = Drive::Constant(0.0);
    Ok(Motion::Driven {
        along,
        position: position.unwrap_or_else(|| none.clone()),
        axis,
        angle: angle.unwrap_or(none),
    })
}

/// Mass, centre and inertia in the frame of the parts; none if nothing gives them.
fn mass(table: &Table<'_>, parts: &[Part]) -> Result<Option<MassProperties>, SceneError> {
    let given = table.one_of(&["density", "mass"])?;
    let inertia = table.read("inertia", |value| {
        let moments = value.vector()?;
        if moments.min_element() > 0.0 {
            Ok(DMat3::from_diagonal(moments))
        } else {
            Err(value.unfit("three positive moments"))
        }
    })?;
    let centre = table.read("centre", Value::vector)?;
    let of_shape = |density: f64| MassProperties::of_parts(parts, density).ok();
    let mut mass = match &given {
        Some(("density", value)) => of_shape(value.positive()?),
        Some((_, value)) => {
            let mass = value.positive()?;
            match (of_shape(1.0), inertia) {
                (Some(unit), _) => Some(unit.with_mass(mass)),
                (None, Some(inertia)) => {
                    Some(MassProperties { mass, centre: DVec3::ZERO, inertia })
                }
                (None, None) => None,
            }
        }
        None => of_shape(DENSITY),
    };
    if let Some(mass) = &mut mass {
        mass.inertia = inertia.unwrap_or(mass.inertia);
        mass.centre = centre.unwrap_or(mass.centre);
    }
    Ok(mass)
}

/// Velocities, and the value of one that was given.
fn twist<'a>(table: &Table<'a>, plane: Plane) -> Result<(Twist, Option<Value<'a>>), SceneError> {
    let linear = table.get("velocity");
    let angular = table.one_of(&["angular_velocity_deg", "angular_velocity"])?;
    let mut twist = Twist::ZERO;
    if let Some(value) = &linear {
        twist.linear = value.vector()?;
        plane.check_along(value, twist.linear)?;
    }
    if let Some((key, value)) = &angular {
        let unit = if *key == "angular_velocity" { 1.0 } else { 1_f64.to_radians() };
        twist.angular = plane.spin(value)? * unit;
    }
    Ok((twist, linear.or(angular.map(|(_, value)| value))))
}

/// Bits of levels counted from 1.
fn levels(value: &Value<'_>) -> Result<u64, SceneError> {
    let mut bits = 0;
    for item in value.list()? {
        bits |= 1_u64 << (item.count(1, LEVELS)? - 1);
    }
    if bits == 0 { Err(value.unfit("a list of levels")) } else { Ok(bits) }
}
