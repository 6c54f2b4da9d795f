//! MJCF, the models of MuJoCo, as MuJoCo's compiler reads them.
//!
//! `mjcf/include.rs` puts included files in their places, `mjcf/classes.rs` finds defaults, `mjcf/body.rs` walks
//! down the bodies, `mjcf/geom.rs` reads their shapes, `mjcf/assets.rs` their meshes and `mjcf/contact.rs` what is kept apart
//! or held together.

mod assets;
mod body;
mod classes;
mod contact;
mod geom;
mod include;

pub(crate) use include::include;

use crate::compiler::Compiler;
use crate::error::{ModelError, Notes};
use crate::tree::{Link, Neighbours, Tree};
use crate::value::Item;
use crate::xml::Element;
use assets::Assets;
use classes::Classes;
use glam::DVec3;
use std::collections::HashMap;
use stiction_geometry::{Pose, Shelf};

/// What is known while a file is read.
struct Reader<'a> {
    compiler: Compiler,
    classes: Classes<'a>,
    assets: Assets<'a>,
    links: Vec<Link>,
    /// Links by name.
    names: HashMap<&'a str, usize>,
    /// Sites by name: the link, and the place in it.
    sites: HashMap<&'a str, (usize, Pose)>,
    notes: &'a mut Notes,
}

/// Reads a file whose includes are in their places.
pub(crate) fn read(
    root: &Element,
    shelf: Shelf<'_>,
    notes: &mut Notes,
) -> Result<Tree, ModelError> {
    refuse(root)?;
    let classes = Classes::read(root)?;
    let compiler = Compiler::read(root)?;
    let assets = Assets::read(root, &classes, shelf)?;
    let world = Link::world(root.place.clone());
    let mut reader = Reader {
        compiler,
        classes,
        assets,
        links: vec![world],
        names: HashMap::from([("world", 0)]),
        sites: HashMap::new(),
        notes,
    };
    for element in root.each("worldbody") {
        reader.world(element)?;
    }
    reader.set_masses();
    let mut tree = Tree {
        title: root.get("model").unwrap_or("MuJoCo Model").to_owned(),
        gravity: Some(DVec3::new(0.0, 0.0, -9.81)),
        links: Vec::new(),
        loops: Vec::new(),
        apart: Vec::new(),
        neighbours: Neighbours::TouchBase,
        no_contact: false,
        greater_friction: true,
    };
    options(root, &mut tree)?;
    tree.apart = reader.excluded(root)?;
    tree.loops = reader.loops(root)?;
    tree.links = reader.links;
    Ok(tree)
}

/// Refuses elements that change what bodies there are.
fn refuse(root: &Element) -> Result<(), ModelError> {
    let changes = |it: &&Element| it.tag == "deformable" || it.tag == "extension";
    match root.children.iter().find(changes) {
        Some(element) => Err(element.fault("is not read: it changes what bodies there are")),
        None => Ok(()),
    }
}

/// Gravity, and flags that say what touches.
fn options(root: &Element, tree: &mut Tree) -> Result<(), ModelError> {
    for element in root.each("option") {
        if let Some(gravity) = Item::plain(element).vector("gravity")? {
            tree.gravity = Some(gravity);
        }
        for flag in element.each("flag") {
            let item = Item::plain(flag);
            let disabled = |key| -> Result<bool, ModelError> {
                let choices = [("enable", false), ("disable", true)];
                Ok(item.get(key).map(|it| it.choice(&choices)).transpose()?.unwrap_or(false))
            };
            if disabled("gravity")? {
                tree.gravity = Some(DVec3::ZERO);
            }
            tree.no_contact |= disabled("contact")?;
            if disabled("filterparent")? {
                tree.neighbours = Neighbours::Touch;
            }
        }
    }
    Ok(())
}
