//! The plane of planar scenes, and turns.

use super::SceneError;
use super::source::{Table, Value};
use glam::{DQuat, DVec3};

/// How far from the plane, as a share of a vector's length or in metres, still counts as in it.
const IN_PLANE: f64 = 1e-9;

/// Where bodies may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Plane {
    /// Everywhere.
    Space,
    /// A plane of two axes of the world, with the unit normal.
    Named(DVec3),
    /// Any other, with the unit normal.
    Other(DVec3),
}

impl Plane {
    pub(super) fn read(value: &Value<'_>) -> Result<Self, SceneError> {
        if value.is_list() {
            return value.direction().map(Plane::Other);
        }
        let names = [("xz", DVec3::Y), ("xy", DVec3::Z), ("yz", DVec3::X)];
        value.choice(&names).map(Plane::Named)
    }

    pub(super) fn normal(self) -> Option<DVec3> {
        match self {
            Plane::Space => None,
            Plane::Named(normal) | Plane::Other(normal) => Some(normal),
        }
    }

    /// First and second coordinate of polygons and the direction across them.
    pub(super) fn axes(self) -> Option<[DVec3; 3]> {
        match self {
            Plane::Space | Plane::Named(DVec3::Y) => Some([DVec3::X, DVec3::Z, DVec3::Y]),
            Plane::Named(DVec3::Z) => Some([DVec3::X, DVec3::Y, DVec3::Z]),
            Plane::Named(_) => Some([DVec3::Y, DVec3::Z, DVec3::X]),
            Plane::Other(_) => None,
        }
    }

    /// Refuses a vector that leaves the plane.
    pub(super) fn check_along(self, value: &Value<'_>, vector: DVec3) -> Result<(), SceneError> {
        let out = self.normal().map_or(0.0, |normal| normal.dot(vector).abs());
        if out <= IN_PLANE * vector.length().max(1.0) {
            Ok(())
        } else {
            Err(value.fault("leads out of the plane of the scene"))
        }
    }

    /// Refuses an axis that is not the plane's normal.
    pub(super) fn check_across(self, value: &Value<'_>, vector: DVec3) -> Result<(), SceneError> {
        let out = self.normal().map_or(0.0, |normal| normal.cross(vector).length());
        if out <= IN_PLANE * vector.length().max(1.0) {
            Ok(())
        } else {
            Err(value.fault("is not along the normal of the scene's plane"))
        }
    }

    /// A vector about which things turn: three numbers, or in planar scenes one.
    pub(super) fn spin(self, value: &Value<'_>) -> Result<DVec3, SceneError> {
        match self.normal() {
            Some(normal) if !value.is_list() => Ok(value.number()? * normal),
            _ => {
                let vector = value.vector()?;
                self.check_across(value, vector)?;
                Ok(vector)
            }
        }
    }
}

/// Keys that give an orientation.
pub(super) const TURNS: &[&str] = &["turn_deg", "euler_deg", "quaternion"];

/// The orientation of a body or part: `turn_deg` as `{ axis, angle }`, or as an angle about the normal of a planar
/// scene; `euler_deg` as turns about x, y and z; `quaternion` as `[w, x, y, z]`.
pub(super) fn turn(table: &Table<'_>, plane: Plane) -> Result<DQuat, SceneError> {
    let Some((key, value)) = table.one_of(TURNS)? else { return Ok(DQuat::IDENTITY) };
    match key {
        "euler_deg" => {
            let [x, y, z] = value.vector()?.to_array();
            let turn = rotation(DVec3::Z, z) * rotation(DVec3::Y, y) * rotation(DVec3::X, x);
            in_plane(&value, turn.normalize(), plane)
        }
        "quaternion" => {
            let [w, x, y, z] = value.numbers()?;
            let turn = DQuat::from_xyzw(x, y, z, w);
            let length = turn.length();
            if !(length > 0.0 && length.is_finite()) {
                return Err(value.unfit("[w, x, y, z], not all zero"));
            }
            in_plane(&value, turn * (1.0 / length), plane)
        }
        _ => turn_deg(&value, plane),
    }
}

/// Refuses a turn out of the plane of a planar scene.
fn in_plane(value: &Value<'_>, turn: DQuat, plane: Plane) -> Result<DQuat, SceneError> {
    plane.check_across(value, turn.xyz())?;
    Ok(turn)
}

fn turn_deg(value: &Value<'_>, plane: Plane) -> Result<DQuat, SceneError> {
    if value.is_table() {
        let inner = value.table()?;
        let axis = inner.need("axis")?.direction()?;
        let angle = inner.need("angle")?.number()?;
        inner.finish()?;
        return Ok(rotation(axis, angle));
    }
    match plane.normal() {
        Some(normal) => Ok(rotation(normal, value.number()?)),
        None => Err(value.unfit("{ axis = …, angle = … }, or the scene planar")),
    }
}

/// By an angle in degrees about a unit axis.
fn rotation(axis: DVec3, degrees: f64) -> DQuat {
    DQuat::from_axis_angle(axis, degrees.rem_euclid(360.0).to_radians())
}
