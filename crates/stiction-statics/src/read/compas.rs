//! Assemblies of the COMPAS framework, version 2, read and written back with forces.
//!
//! | `dtype` ends with | blocks | interfaces |
//! | --- | --- | --- |
//! | `/Assembly`, `/CRA_Assembly` | `graph.node[k].block`, `is_support` | `graph.edge[u][v].interfaces` |
//! | `/BlockModel`, `/Model` | `elements[guid]`, its geometry and `is_support`; `graph.node[k].element` | `graph.edge[u][v].contacts` |
//!
//! Blocks are named by their nodes in the graph. If no edge has an interface they are detected. The normal of
//! an interface is the z axis of its frame, turned so that it points from `u` into `v`.
//!
//! Files have no coefficient of friction, and a density only where an element has a material.

mod node;
mod write;

use super::draft::{self, RawBlock, RawTolerance};
use super::{FileError, Options, Source, assembly1::GRAVITY};
use crate::assembly::{Assembly, Block, FrictionTable, Interface};
use glam::{DMat4, DVec3};
use node::Node;
use serde_json::Value;
use std::collections::BTreeMap;
use stiction_contact::file::parse_json;
pub use write::with_forces;

/// COMPAS writes a `dtype` into every object.
pub(super) fn is_compas(text: &str) -> bool {
    text.contains("\"dtype\"") && !text.contains("\"assembly-1\"")
}

/// Parses a text written by COMPAS.
pub(super) fn parse(source: Source<'_>, options: &Options) -> Result<Assembly, FileError> {
    let value: Value = parse_json(source.text, source.file)?;
    let file = File::new(&value, source)?;
    let mut assumptions = Vec::new();
    let Some(general) = options.friction else {
        let message = "files of COMPAS have no coefficient of friction: give one";
        return Err(source.fault("data", message));
    };
    let unit = options.unit.unwrap_or(1.0);
    let (blocks, numbers) = file.blocks(options, unit, &mut assumptions)?;
    let mut interfaces = Vec::new();
    for edge in file.edges(&numbers)? {
        for node in &edge.interfaces {
            interfaces.push(interface(node, &edge, &blocks, unit, general)?);
        }
    }
    let assembly = Assembly {
        name: source.file.to_owned(),
        gravity: options.gravity.unwrap_or(GRAVITY),
        blocks,
        friction: FrictionTable { general, pairs: Vec::new() },
        assumptions,
        ..Assembly::default()
    };
    let given = Some(interfaces).filter(|given| !given.is_empty());
    let fault = |field: &str, message: String| source.fault(place(field), message);
    draft::finish(assembly, given, RawTolerance::default(), options, fault)
}

/// The place of a fault of the whole, or of a block, in the file.
fn place(field: &str) -> &str {
    if field.is_empty() { "data" } else { field }
}

/// The parts of a file that matter here.
struct File<'a> {
    graph: Node<'a>,
    /// Elements by their identifier; only block models have them.
    elements: Option<Node<'a>>,
    materials: Option<Node<'a>>,
    /// Transformations of elements from the tree of a model, in its own frame.
    places: BTreeMap<&'a str, DMat4>,
    edge_key: &'static str,
}

/// An edge of the graph between blocks `b` and `a`.
struct Edge<'a> {
    a: usize,
    b: usize,
    interfaces: Vec<Node<'a>>,
}

impl<'a> File<'a> {
    fn new(value: &'a Value, source: Source<'a>) -> Result<Self, FileError> {
        let root = Node::new(value, source);
        let kind = root.raw("dtype").and_then(|it| it.value.as_str()).unwrap_or_default();
        let data = root.data();
        let graph = data.need("graph")?.data();
        match kind.rsplit('/').next().unwrap_or_default() {
            "Assembly" | "CRA_Assembly" => Ok(File {
                graph,
                elements: None,
                materials: None,
                places: BTreeMap::new(),
                edge_key: "interfaces",
            }),
            "BlockModel" | "Model" => {
                let elements = data.need("elements")?;
                let mut places = BTreeMap::new();
                let whole = transformation(data.get("transformation"))?;
                if let Some(tree) = data.get("tree") {
                    place_elements(&tree.data().need("root")?, whole, &elements, &mut places)?;
                }
                let materials = data.get("materials");
                let elements = Some(elements);
                Ok(File { graph, elements, materials, places, edge_key: "contacts" })
            }
            _ => {
                let message =
                    format!("is \"{kind}\"; an Assembly or a BlockModel can be read, not this");
                Err(source.fault("dtype", message))
            }
        }
    }

    /// The blocks in the order of their nodes, and their numbers by node.
    fn blocks(
        &self,
        options: &Options,
        unit: f64,
        assumptions: &mut Vec<String>,
    ) -> Result<(Vec<Block>, BTreeMap<&'a str, usize>), FileError> {
        let nodes = self.graph.need("node")?;
        let default = self.graph.get("default_node_attributes");
        let support = default.and_then(|it| it.get("is_support"));
        let mut blocks = Vec::new();
        let mut numbers = BTreeMap::new();
        let mut without_density = 0;
        for (key, node) in nodes.members()? {
            let mut raw = match &self.elements {
                None => RawBlock {
                    fixed: node
                        .get("is_support")
                        .or(support.clone())
                        .is_some_and(|it| it.is_true()),
                    ..surface(&node.need("block")?)?
                },
                Some(elements) => self.element(elements, &node)?,
            };
            raw.name = Some(key.to_owned());
            raw.vertices.iter_mut().for_each(|vertex| *vertex *= unit);
            if raw.density.or(options.density).is_none() {
                raw.density = Some(1.0);
                without_density += 1;
            }
            let place = &node;
            blocks.push(raw.check(blocks.len(), options, |field, message| {
                let message = if field.is_empty() { message } else { format!("{field} {message}") };
                place.fault(message)
            })?);
            numbers.insert(key, numbers.len());
        }
        if without_density > 0 {
            assumptions.push(format!(
                "density 1 kg/m³ for {without_density} of {} blocks, for which the file has none",
                blocks.len()
            ));
        }
        Ok((blocks, numbers))
    }

    /// The block of a node that names an element.
    fn element(&self, elements: &Node<'a>, node: &Node<'a>) -> Result<RawBlock, FileError> {
        let key = node.need("element")?.text()?;
        let Some(element) = elements.get(key) else {
            return Err(node.fault(format!("names element \"{key}\", which is not there")));
        };
        let data = element.data();
        let mut raw = surface(&data.need("geometry")?)?;
        let matrix = match self.places.get(key) {
            Some(matrix) => *matrix,
            None => transformation(data.get("transformation"))?,
        };
        raw.vertices.iter_mut().for_each(|vertex| *vertex = matrix.transform_point3(*vertex));
        raw.fixed = data.get("is_support").is_some_and(|it| it.is_true());
        let material = data.get("material").and_then(|it| it.value.as_str());
        let material = material.and_then(|name| self.materials.as_ref()?.get(name));
        if let Some(density) = material.and_then(|it| it.data().get("density")) {
            raw.density = Some(density.number()?);
        }
        Ok(raw)
    }

    /// The edges that have interfaces.
    fn edges(&self, numbers: &BTreeMap<&str, usize>) -> Result<Vec<Edge<'a>>, FileError> {
        let Some(edges) = self.graph.get("edge") else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (u, others) in edges.members()? {
            for (v, edge) in others.members()? {
                let Some(list) = edge.get(self.edge_key) else { continue };
                let number = |key: &str| {
                    let missing = || edge.fault(format!("there is no node \"{key}\""));
                    numbers.get(key).copied().ok_or_else(missing)
                };
                found.push(Edge { a: number(v)?, b: number(u)?, interfaces: list.items()? });
            }
        }
        Ok(found)
    }
}

/// The surface of a mesh or a polyhedron.
fn surface(node: &Node<'_>) -> Result<RawBlock, FileError> {
    let kind = node.raw("dtype").and_then(|it| it.value.as_str()).unwrap_or("Mesh");
    let data = node.data();
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    if kind.ends_with("/Polyhedron") {
        for vertex in data.need("vertices")?.items()? {
            vertices.push(vertex.vector()?);
        }
        for face in data.need("faces")?.items()? {
            faces.push(face.items()?.iter().map(Node::index).collect::<Result<_, _>>()?);
        }
    } else if let (Some(vertex), Some(face)) = (data.get("vertex"), data.get("face")) {
        let mut numbers = BTreeMap::new();
        for (key, place) in vertex.members()? {
            let coordinate = |name| place.need(name)?.number();
            vertices.push(DVec3::new(coordinate("x")?, coordinate("y")?, coordinate("z")?));
            numbers.insert(key, numbers.len());
        }
        for (_, corners) in face.members()? {
            let corner = |node: &Node<'_>| {
                let key = node.key()?;
                let missing = || node.fault(format!("is {key}, and there is no such vertex"));
                numbers.get(key.as_str()).copied().ok_or_else(missing)
            };
            faces.push(corners.items()?.iter().map(corner).collect::<Result<_, _>>()?);
        }
    } else {
        return Err(
            node.fault(format!("is a \"{kind}\"; a Mesh or a Polyhedron can be read, not this"))
        );
    }
    Ok(RawBlock { vertices, faces, ..RawBlock::default() })
}

/// The transformations of the elements below a node of the tree of a model.
fn place_elements<'a>(
    node: &Node<'a>,
    above: DMat4,
    elements: &Node<'a>,
    places: &mut BTreeMap<&'a str, DMat4>,
) -> Result<(), FileError> {
    let mut here = above;
    if let Some(key) = node.get("element") {
        let key = key.text()?;
        if let Some(element) = elements.get(key) {
            here = above * transformation(element.data().get("transformation"))?;
            places.insert(key, here);
        }
    }
    let children = node.get("children").map_or(Ok(Vec::new()), |it| it.items())?;
    children.iter().try_for_each(|child| place_elements(child, here, elements, places))
}

/// The matrix of a transformation, or none.
fn transformation(node: Option<Node<'_>>) -> Result<DMat4, FileError> {
    let Some(node) = node else { return Ok(DMat4::IDENTITY) };
    let rows = node.data().need("matrix")?.items()?;
    let mut matrix = [[0.0; 4]; 4];
    for (row, values) in rows.iter().enumerate().take(4) {
        for (column, value) in values.items()?.iter().enumerate().take(4) {
            matrix[column][row] = value.number()?;
        }
    }
    let matrix = DMat4::from_cols_array_2d(&matrix);
    if rows.len() == 4 && matrix.row(3) == DVec3::ZERO.extend(1.0) {
        Ok(matrix)
    } else {
        Err(node.fault("needs a matrix of four rows, the last of them 0, 0, 0, 1".into()))
    }
}

/// The axes of the frame of an interface: x, y and their normal.
fn axes(node: &Node<'_>) -> Result<[DVec3; 3], FileError> {
    let frame = node.data().need("frame")?;
    let axis = |name| frame.data().need(name)?.vector();
    let (x, y) = (axis("xaxis")?, axis("yaxis")?);
    let (Some(x), Some(z)) = (x.try_normalize(), x.cross(y).try_normalize()) else {
        return Err(frame.fault("has axes that are zero or parallel".into()));
    };
    Ok([x, z.cross(x), z])
}

fn interface(
    node: &Node<'_>,
    edge: &Edge<'_>,
    blocks: &[Block],
    unit: f64,
    friction: f64,
) -> Result<Interface, FileError> {
    let points = node.data().need("points")?.items()?;
    let points: Vec<DVec3> =
        points.iter().map(|it| it.vector().map(|p| p * unit)).collect::<Result<_, _>>()?;
    if points.is_empty() {
        return Err(node.fault("has no points".into()));
    }
    let [_, _, z] = axes(node)?;
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let normal = if points_into_a(z, middle, &blocks[edge.a], &blocks[edge.b]) { z } else { -z };
    Ok(Interface { a: edge.a, b: edge.b, points, normal, friction })
}

/// Least cosine of the angle between an interface and the face of a block it lies in.
const ALONG: f64 = 0.9;

/// Whether an axis points from `b` into `a`: the nearest face of either block that is nearly parallel decides.
fn points_into_a(axis: DVec3, at: DVec3, a: &Block, b: &Block) -> bool {
    let mut nearest = (f64::INFINITY, true);
    for (block, inward) in [(a, -1.0), (b, 1.0)] {
        for face in &block.faces {
            let (middle, area) = crate::surface::middle_and_area(&block.vertices, face);
            let Some(normal) = area.try_normalize() else { continue };
            let along = normal.dot(axis);
            // Of faces in one plane, the one whose middle is nearer.
            let away = (at - middle).dot(normal).abs() + 0.01 * (at - middle).length();
            if along.abs() > ALONG && away < nearest.0 {
                nearest = (away, along * inward > 0.0);
            }
        }
    }
    nearest.1
}
