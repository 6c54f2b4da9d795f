//! Shapes, by the key that names them.

use super::SceneError;
use super::place::{Plane, turn};
use super::source::{Table, Value};
use glam::{DVec2, DVec3};
use std::path::PathBuf;
use std::sync::Arc;
use stiction_geometry::{HeightField, Mesh, Part, Polyhedron, Pose, Shape, Shelf, convex_parts};

/// Keys that make a shape.
const SHAPES: &[&str] = &[
    "box", "ball", "capsule", "cylinder", "cone", "points", "polygon", "mesh", "heights", "ground",
];

/// What shapes are read with.
#[derive(Clone, Copy)]
pub(super) struct Workshop<'a> {
    /// The plane of a planar scene.
    pub(super) plane: Plane,
    /// Depth of polygons that give none (m).
    pub(super) depth: Option<f64>,
    /// Where the files of meshes may be.
    pub(super) files: Shelf<'a>,
}

/// The parts of a body and whether it cannot move because of them.
pub(super) struct Parts {
    pub(super) list: Vec<Part>,
    pub(super) immovable: bool,
}

impl Parts {
    fn new(list: Vec<Part>) -> Self {
        let immovable = list.iter().any(|part| matches!(part.shape(), Shape::HalfSpace));
        Parts { list, immovable }
    }
}

impl Workshop<'_> {
    /// The parts of a body: one shape, a list of them, or none.
    pub(super) fn parts(&self, body: &Table<'_>, fixed: bool) -> Result<Parts, SceneError> {
        let parts = body.get("parts");
        let mut list = Vec::new();
        if let Some((value, shapes)) = self.shapes(body, fixed)? {
            if let Some(parts) = parts {
                return Err(parts.fault("excludes a shape beside it"));
            }
            place(&value, shapes, Pose::IDENTITY, &mut list)?;
            return Ok(Parts::new(list));
        }
        for item in parts.as_ref().map_or(Ok(Vec::new()), Value::list)? {
            let table = item.table()?;
            let Some((value, shapes)) = self.shapes(&table, fixed)? else {
                return Err(table.fault(format!("needs one of {}", SHAPES.join(", "))));
            };
            let position = table.read("at", Value::vector)?.unwrap_or_default();
            let rotation = turn(&table, self.plane)?;
            place(&value, shapes, Pose { position, rotation }, &mut list)?;
            table.finish()?;
        }
        if let Some(parts) = parts.filter(|_| list.is_empty()) {
            return Err(parts.unfit("a list of shapes"));
        }
        Ok(Parts::new(list))
    }

    /// The shape that a table names; several for a moving mesh that is not convex.
    fn shapes<'t>(
        &self,
        table: &Table<'t>,
        fixed: bool,
    ) -> Result<Option<(Value<'t>, Vec<Shape>)>, SceneError> {
        let depth = table.get("depth");
        let Some((kind, value)) = table.one_of(SHAPES)? else { return Ok(None) };
        if let Some(depth) = depth.as_ref().filter(|_| kind != "polygon") {
            return Err(depth.fault("belongs to polygon"));
        }
        let shape = match kind {
            "box" => {
                let sizes = value.vector()?;
                if sizes.min_element() <= 0.0 {
                    return Err(value.unfit("three positive sizes"));
                }
                Shape::Box { half: sizes / 2.0 }
            }
            "ball" => Shape::Ball { radius: value.positive()? },
            "capsule" => {
                let [half_length, radius] = rod(&value)?;
                Shape::Capsule { half_length, radius }
            }
            "cylinder" => {
                let [half_length, radius] = rod(&value)?;
                Shape::Cylinder { half_length, radius }
            }
            "cone" => {
                let [half_length, radius] = rod(&value)?;
                Shape::Cone { half_length, radius }
            }
            "points" => {
                let points = value.list()?.iter().map(Value::vector).collect::<Result<Vec<_>, _>>();
                hull(&value, &points?)?
            }
            "polygon" => self.polygon(&value, depth.as_ref())?,
            "mesh" => {
                let shapes = self.mesh(&value, fixed)?;
                return Ok(Some((value, shapes)));
            }
            "heights" => heights(&value, fixed)?,
            _ if value.boolean()? => Shape::HalfSpace,
            _ => return Err(value.unfit("true, or be left out")),
        };
        Ok(Some((value, vec![shape])))
    }

    /// A convex polygon in the plane, extruded across it, half to each side.
    fn polygon(&self, value: &Value<'_>, depth: Option<&Value<'_>>) -> Result<Shape, SceneError> {
        let corners = value
            .list()?
            .iter()
            .map(|corner| corner.numbers::<2>().map(DVec2::from_array))
            .collect::<Result<Vec<_>, _>>()?;
        let Some(depth) = depth.map(Value::positive).transpose()?.or(self.depth) else {
            return Err(value.fault("needs depth beside it, or one for the scene"));
        };
        check_convex(value, &corners)?;
        let Some([u, v, across]) = self.plane.axes() else {
            return Err(value.fault("needs planar = \"xz\", \"xy\" or \"yz\""));
        };
        let place = |side: f64| {
            move |corner: &DVec2| corner.x * u + corner.y * v + side * 0.5 * depth * across
        };
        let points: Vec<DVec3> =
            corners.iter().map(place(-1.0)).chain(corners.iter().map(place(1.0))).collect();
        hull(value, &points)
    }

    /// The path of a file that the scene names.
    pub(super) fn find(&self, value: &Value<'_>) -> Result<PathBuf, SceneError> {
        let name = value.text()?;
        self.files.find(name).map_err(|_| {
            value.fault(format!(
                "is {name:?}, which is not below the folder of the scene; --allow-files-anywhere permits it"
            ))
        })
    }

    /// A mesh from a file: its convex parts for bodies that move, itself for fixed ones.
    fn mesh(&self, value: &Value<'_>, fixed: bool) -> Result<Vec<Shape>, SceneError> {
        let path = self.find(value)?;
        let mesh = Mesh::load(&path).map_err(|why| value.fault(why.to_string()))?;
        if fixed {
            return Ok(vec![Shape::Mesh(Arc::new(mesh))]);
        }
        let parts = convex_parts(&mesh).map_err(|why| {
            value.fault(format!(
                "a body with this mesh cannot move: {why}; give convex pieces as parts, or its convex hull \
                 as points, or say fixed = true"
            ))
        })?;
        Ok(parts.into_iter().map(|part| Shape::Polyhedron(Arc::new(part))).collect())
    }
}

/// A surface of heights over a grid, for fixed bodies.
fn heights(value: &Value<'_>, fixed: bool) -> Result<Shape, SceneError> {
    if !fixed {
        return Err(value.fault("belongs to fixed bodies"));
    }
    let table = value.table()?;
    let [dx, dy] = table.need("spacing")?.numbers()?;
    let rows = table.need("rows")?;
    let (mut columns, mut heights) = (0, Vec::new());
    for row in rows.list()? {
        let row = row.list()?.iter().map(Value::number).collect::<Result<Vec<_>, _>>()?;
        if !heights.is_empty() && row.len() != columns {
            return Err(rows.fault("has rows of different lengths"));
        }
        columns = row.len();
        heights.extend(row);
    }
    table.finish()?;
    let field = HeightField::new(columns, &heights, dx, dy);
    let field = field.map_err(|why| value.fault(why.to_string()))?;
    Ok(Shape::HeightField(Arc::new(field)))
}

/// Adds shapes at a pose of the body to its parts.
fn place(
    value: &Value<'_>,
    shapes: Vec<Shape>,
    pose: Pose,
    list: &mut Vec<Part>,
) -> Result<(), SceneError> {
    for shape in shapes {
        list.push(Part::new(shape, pose).map_err(|why| value.fault(why.to_string()))?);
    }
    Ok(())
}

/// `{ length, radius }` as half length and radius.
fn rod(value: &Value<'_>) -> Result<[f64; 2], SceneError> {
    let table = value.table()?;
    let length = table.need("length")?.positive()?;
    let radius = table.need("radius")?.positive()?;
    table.finish()?;
    Ok([length / 2.0, radius])
}

fn hull(value: &Value<'_>, points: &[DVec3]) -> Result<Shape, SceneError> {
    let hull = Polyhedron::from_points(points).map_err(|why| value.fault(why.to_string()))?;
    Ok(Shape::Polyhedron(Arc::new(hull)))
}

/// Refuses corners that a convex outline does not go through in turn.
fn check_convex(value: &Value<'_>, corners: &[DVec2]) -> Result<(), SceneError> {
    let count = corners.len();
    let side = |i: usize| corners[(i + 1) % count] - corners[i % count];
    let bends: Vec<f64> = (0..count).map(|i| side(i).perp_dot(side(i + 1))).collect();
    let turning: f64 = (0..count).map(|i| side(i).angle_to(side(i + 1))).sum();
    let once = turning.abs() < 1.5 * std::f64::consts::TAU;
    let one_way = bends.iter().all(|bend| *bend > 0.0) || bends.iter().all(|bend| *bend < 0.0);
    if count >= 3 && one_way && once {
        Ok(())
    } else {
        Err(value.fault("is not the outline of a convex polygon; use parts for others"))
    }
}
