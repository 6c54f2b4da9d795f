//! COMPAS files written back with forces.

use super::super::{FileError, Source};
use super::{File, axes};
use crate::assembly::{Assembly, Interface, InterfaceSource};
use glam::DVec3;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use stiction_contact::file::parse_json;

/// The COMPAS file from which an assembly was read, with forces on the edges of its graph: for every corner of every
/// interface the components `c_np` (normal), `c_nn` (tension, always 0), `c_u` and `c_v` along the
/// axes of the frame of the interface. They act on the block into which its z axis points.
///
/// `forces` has the force (N) on the block `a` at every corner of every interface. Interfaces that were detected
/// replace those of the file; `unit` is the unit of length of the file (m).
///
/// # Errors
///
/// [`FileError`] if the text is not that of the assembly.
pub fn with_forces(
    text: &str,
    file: &str,
    assembly: &Assembly,
    unit: f64,
    forces: &[Vec<DVec3>],
) -> Result<String, FileError> {
    let source = Source { text, file };
    let mut value: Value = parse_json(text, file)?;
    let parts = File::new(&value, source)?;
    let (keys, edge_key) = (parts.keys()?, parts.edge_key);
    let interfaces = match assembly.source {
        InterfaceSource::Given => parts.given(assembly, forces)?,
        InterfaceSource::Detected(_) => detected(assembly, &keys, unit, forces, edge_key),
    };
    let Some(edges) = edges_of(&mut value) else {
        return Err(source.fault("data", "has no graph with edges"));
    };
    let lists = edges.values_mut().filter_map(Value::as_object_mut).flat_map(|it| it.values_mut());
    for edge in lists.filter_map(Value::as_object_mut) {
        edge.insert(edge_key.into(), Value::Null);
    }
    for ((u, v), list) in interfaces {
        let start = object(edges.entry(u).or_insert(Value::Null));
        object(start.entry(v).or_insert(Value::Null)).insert(edge_key.into(), Value::Array(list));
    }
    Ok(serde_json::to_string(&value).unwrap_or_default())
}

/// A value as an object, which replaces anything else.
fn object(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut().expect("it is an object")
}

/// The edges of the graph, by their first nodes.
fn edges_of(value: &mut Value) -> Option<&mut Map<String, Value>> {
    let graph = value.get_mut("data")?.get_mut("graph")?;
    let graph = if graph.get("dtype").is_some() { graph.get_mut("data")? } else { graph };
    graph.get_mut("edge")?.as_object_mut()
}

/// Interfaces by the nodes of their edge.
type Edges = BTreeMap<(String, String), Vec<Value>>;

impl File<'_> {
    /// The nodes in the order of the blocks.
    fn keys(&self) -> Result<Vec<String>, FileError> {
        let nodes = self.graph.need("node")?.members()?;
        Ok(nodes.into_iter().map(|(key, _)| key.to_owned()).collect())
    }

    /// The interfaces of the file with their forces.
    fn given(&self, assembly: &Assembly, forces: &[Vec<DVec3>]) -> Result<Edges, FileError> {
        let keys = self.keys()?;
        let numbers = keys.iter().enumerate().map(|(k, key)| (key.as_str(), k)).collect();
        let mut rest = assembly.interfaces.iter().zip(forces).peekable();
        let mut found = Edges::new();
        for edge in self.edges(&numbers)? {
            let list = found.entry((keys[edge.b].clone(), keys[edge.a].clone())).or_default();
            for node in &edge.interfaces {
                let mut value = node.value.clone();
                // Interfaces of two fixed blocks are not in the assembly.
                if let Some((interface, forces)) =
                    rest.next_if(|(it, _)| (it.a, it.b) == (edge.a, edge.b))
                {
                    let components = components(axes(node)?, interface, forces);
                    let inside =
                        if value.get("data").is_some() { &mut value["data"] } else { &mut value };
                    inside["forces"] = components;
                }
                list.push(value);
            }
        }
        Ok(found)
    }
}

/// Interfaces that the file does not have.
fn detected(
    assembly: &Assembly,
    keys: &[String],
    unit: f64,
    forces: &[Vec<DVec3>],
    edge_key: &str,
) -> Edges {
    let dtype = match edge_key {
        "contacts" => "compas_dem.interactions/FrictionContact",
        _ => "compas_assembly.datastructures/Interface",
    };
    let mut found = Edges::new();
    for (interface, forces) in assembly.interfaces.iter().zip(forces) {
        let middle = interface.points.iter().sum::<DVec3>() / interface.points.len() as f64;
        let [from, to] = [interface.a.min(interface.b), interface.a.max(interface.b)];
        let z = if to == interface.a { interface.normal } else { -interface.normal };
        let x = z.any_orthonormal_vector();
        let y = z.cross(x);
        let list = |p: DVec3| json!((p / unit).to_array());
        let frame = json!({
            "dtype": "compas.geometry/Frame",
            "data": {"point": list(middle), "xaxis": x.to_array(), "yaxis": y.to_array()},
        });
        let points: Vec<Value> = interface
            .points
            .iter()
            .map(|p| json!({"dtype": "compas.geometry/Point", "data": list(*p)}))
            .collect();
        let size = crate::surface::area_of(&interface.points).length() / (unit * unit);
        let data = json!({
            "points": points,
            "frame": frame,
            "size": size,
            "mesh": null,
            "forces": components([x, y, z], interface, forces),
        });
        let edge = (keys[from].clone(), keys[to].clone());
        found.entry(edge).or_default().push(json!({"dtype": dtype, "data": data}));
    }
    found
}

/// Forces along the axes of a frame, on the block into which its z axis points.
fn components([x, y, z]: [DVec3; 3], interface: &Interface, forces: &[DVec3]) -> Value {
    let side = z.dot(interface.normal).signum();
    let component = |force: &DVec3| {
        let on = *force * side;
        let normal = on.dot(z);
        json!({
            "c_np": normal.max(0.0),
            "c_nn": (-normal).max(0.0),
            "c_u": on.dot(x),
            "c_v": on.dot(y),
        })
    };
    forces.iter().map(component).collect()
}
