//! `<asset>`: meshes, read when a geom needs them.

use super::classes::Classes;
use crate::compiler::Compiler;
use crate::error::ModelError;
use crate::files::find;
use crate::meshes::{self, Change, Solid};
use crate::value::{Attr, Item};
use crate::xml::Element;
use glam::{DQuat, DVec3};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use stiction_geometry::{Mesh, Shelf};

/// Meshes by name.
pub(super) struct Assets<'a> {
    meshes: HashMap<String, Item<'a>>,
    loaded: HashMap<String, Asset>,
    shelf: Shelf<'a>,
}

/// A mesh that was read.
#[derive(Clone)]
pub(super) struct Asset {
    pub mesh: Rc<Mesh>,
    pub solid: Solid,
}

impl<'a> Assets<'a> {
    pub(super) fn read(
        root: &'a Element,
        classes: &Classes<'a>,
        shelf: Shelf<'a>,
    ) -> Result<Self, ModelError> {
        let mut meshes = HashMap::new();
        for assets in root.each("asset") {
            for element in assets.each("mesh") {
                let item = classes.item(element, 0)?;
                let stem = |it: Attr<'_>| {
                    let stem = Path::new(it.text).file_stem()?.to_str()?.to_owned();
                    Some(stem)
                };
                let name = match element.get("name") {
                    Some(name) => name.to_owned(),
                    None => item
                        .get("file")
                        .and_then(stem)
                        .ok_or_else(|| element.fault("needs name or file"))?,
                };
                if meshes.insert(name.clone(), item).is_some() {
                    return Err(element.fault(format!("mesh {name:?} is there already")));
                }
            }
        }
        Ok(Assets { meshes, loaded: HashMap::new(), shelf })
    }

    /// The mesh of a name.
    pub(super) fn mesh(
        &mut self,
        from: &Attr<'_>,
        compiler: &Compiler,
    ) -> Result<Asset, ModelError> {
        if let Some(known) = self.loaded.get(from.text) {
            return Ok(known.clone());
        }
        let Some(item) = self.meshes.get(from.text) else {
            return Err(from.fault(format!("is {:?}, a mesh that is not there", from.text)));
        };
        let asset = load(item, compiler, self.shelf)?;
        self.loaded.insert(from.text.to_owned(), asset.clone());
        Ok(asset)
    }
}

fn load(item: &Item<'_>, compiler: &Compiler, shelf: Shelf<'_>) -> Result<Asset, ModelError> {
    let quat = |it: Attr<'_>| {
        let [w, x, y, z] = it.array()?;
        let quat = DQuat::from_xyzw(x, y, z, w);
        let length = quat.length();
        if length > 0.0 { Ok(quat * (1.0 / length)) } else { Err(it.unfit("a rotation")) }
    };
    let change = Change {
        scale: item.vector("scale")?.unwrap_or(DVec3::ONE),
        moved: item.vector("refpos")?.unwrap_or_default(),
        turned: item.get("refquat").map(quat).transpose()?.unwrap_or(DQuat::IDENTITY),
    };
    if change.scale.to_array().contains(&0.0) {
        return Err(item.element.fault("its scale is zero"));
    }
    let solid = match item.get("inertia") {
        Some(it) => it.choice(&[
            ("legacy", Solid::Legacy),
            ("exact", Solid::Exact),
            ("convex", Solid::Convex),
        ])?,
        None => Solid::Legacy,
    };
    let mesh = match (item.get("file"), item.get("vertex")) {
        (Some(file), _) => {
            let name = compiler.mesh_file(file.text);
            let path = find(shelf, &name, &item.element.place, "mesh.file")?;
            meshes::load(&path, &change, &file)?
        }
        (None, Some(vertex)) => inline(item, &vertex, &change)?,
        (None, None) => return Err(item.element.fault("needs file or vertex")),
    };
    Ok(Asset { mesh: Rc::new(mesh), solid })
}

/// A mesh whose points stand in the file; without faces it is their hull.
fn inline(item: &Item<'_>, vertex: &Attr<'_>, change: &Change) -> Result<Mesh, ModelError> {
    let numbers = vertex.list(12, usize::MAX)?;
    if numbers.len() % 3 != 0 {
        return Err(vertex.unfit("three numbers a point"));
    }
    let points: Vec<DVec3> = numbers.chunks_exact(3).map(DVec3::from_slice).collect();
    let triangles = match item.get("face") {
        Some(face) => {
            let all = face.list(3, usize::MAX)?;
            let known = |x: &f64| *x >= 0.0 && x.fract() == 0.0 && *x < points.len() as f64;
            if all.len() % 3 != 0 || !all.iter().all(known) {
                return Err(face.unfit("three numbers of points a face"));
            }
            #[allow(clippy::cast_sign_loss)] // checked above
            all.chunks_exact(3).map(|it| [it[0] as u32, it[1] as u32, it[2] as u32]).collect()
        }
        None => meshes::hull_triangles(&points).map_err(|why| vertex.fault(why))?,
    };
    meshes::given(points, triangles, change).map_err(|why| vertex.fault(why))
}
