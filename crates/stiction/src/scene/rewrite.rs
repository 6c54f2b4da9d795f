//! The text of a scene with bodies in other places.

use super::SceneError;
use super::expression::Parameters;
use super::place::{Plane, TURNS, turn};
use super::repeat::vector;
use super::source::{Source, Table, Value};
use crate::world::World;
use stiction_geometry::Pose;
use toml::de::DeTable;

/// Turns below this are not written (rad).
const TURNED: f64 = 1e-12;

/// The text of a scene in which bodies of these names have moved, each from its first to its second
/// pose. `world` is the one that the text describes.
///
/// # Errors
///
/// [`SceneError`] names the body that cannot be moved in the text: a copy made by `repeat`, or one
/// with joints or springs, whose anchors are given in the world.
pub fn with_poses(
    text: &str,
    name: &str,
    world: &World,
    moved: &[(String, [Pose; 2])],
) -> Result<String, SceneError> {
    let none = Parameters::new();
    let source = Source { name, text, parameters: &none };
    let entries = DeTable::parse(text).map_err(|error| source.syntax(&error))?;
    let parameters = super::parameters::read(&Table::top(source, entries.get_ref()))?;
    let source = Source { parameters: &parameters, ..source };
    let top = Table::top(source, entries.get_ref());
    let plane = top.read("planar", Plane::read)?.unwrap_or(Plane::Space);
    let mut tables = Vec::new();
    for mut table in top.tables("body")? {
        let name = table.named()?;
        tables.push((name, table));
    }
    let mut edits = Vec::new();
    for (body, poses) in moved {
        let found = tables.iter().find(|(name, _)| name.text().is_ok_and(|text| text == body));
        let Some((name, table)) = found else {
            let stem = body.split('.').next().unwrap_or_default();
            let copied = tables.iter().find(|(name, _)| name.text().is_ok_and(|it| it == stem));
            let why = format!("copy {body:?} has to move by itself: write it out, without repeat");
            return Err(match copied {
                Some((_, table)) => table.fault(why),
                None => top.fault(why),
            });
        };
        if let Some(other) = held(world, body) {
            return Err(table.fault(format!("has to move, but {other} holds it: move both")));
        }
        place(table, name, plane, poses, &mut edits)?;
    }
    edits.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    let mut text = text.to_owned();
    for (start, end, replacement) in edits {
        text.replace_range(start..end, &replacement);
    }
    Ok(text)
}

/// A joint or spring of a body.
fn held(world: &World, body: &str) -> Option<String> {
    let id = world.find_body(body)?;
    let joint = world.joints().find(|(_, joint)| joint.a == id || joint.b == Some(id));
    let spring = world.springs().iter().find(|spring| spring.a == id || spring.b == Some(id));
    let joint = joint.map(|(_, joint)| format!("joint {:?}", joint.name));
    joint.or_else(|| spring.map(|spring| format!("spring {:?}", spring.name)))
}

/// Replaces `at` and `turn_deg` of a body, or writes them after its name.
fn place(
    table: &Table<'_>,
    name: &Value<'_>,
    plane: Plane,
    [from, to]: &[Pose; 2],
    edits: &mut Vec<(usize, usize, String)>,
) -> Result<(), SceneError> {
    let position = to.point(from.local_point(vector(table, "at")?));
    let [x, y, z] = position.to_array();
    let mut write = |key: &str, old: Option<Value<'_>>, value: String| match old {
        Some(old) => edits.push((old.entry().start, old.entry().end, format!("{key} = {value}"))),
        None => edits.push((name.span().end, name.span().end, format!("\n{key} = {value}"))),
    };
    write("at", table.get("at"), format!("[{x:?}, {y:?}, {z:?}]"));
    let turned = to.rotation * from.rotation.conjugate();
    if turned.xyz().length() > TURNED {
        let (axis, angle) = (turned * turn(table, plane)?).normalize().to_axis_angle();
        let ([x, y, z], angle) = (axis.to_array(), angle.to_degrees());
        let value = format!("{{ axis = [{x:?}, {y:?}, {z:?}], angle = {angle:?} }}");
        write("turn_deg", table.one_of(TURNS)?.map(|(_, old)| old), value);
    }
    Ok(())
}
