//! URDF, the robots of ROS.
//!
//! The root link is fixed to the world, unless a floating joint holds it. Axes and origins are in the frames that the
//! format gives them; the frame of a link is that of the joint above it.

use crate::compiler::Compiler;
use crate::error::{ModelError, Notes};
use crate::files::find;
use crate::meshes::{self, Change};
use crate::model::JointKind;
use crate::tree::{Geom, Link, LinkJoint, Neighbours, Surface, Tree};
use crate::value::{Attr, Item};
use crate::xml::Element;
use glam::{DMat3, DQuat, DVec3};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stiction_geometry::{MassProperties, Mesh, Pose, Shape, Shelf, convex_parts};

/// Friction of links that give none, as of scenes.
const FRICTION: f64 = 0.5;

/// A joint of the file.
struct Branch<'a> {
    element: &'a Element,
    parent: &'a str,
    child: &'a str,
}

struct Reader<'a> {
    shelf: Shelf<'a>,
    compiler: Compiler,
    links: Vec<Link>,
    notes: &'a mut Notes,
}

/// Reads a robot.
pub(crate) fn read(
    root: &Element,
    shelf: Shelf<'_>,
    notes: &mut Notes,
) -> Result<Tree, ModelError> {
    let mut elements = HashMap::new();
    for element in root.each("link") {
        let item = Item::plain(element);
        let name = item.need("name")?.text;
        if elements.insert(name, element).is_some() {
            return Err(element.fault("has the name of another link"));
        }
    }
    let branches = branches(root, &elements)?;
    let extension = root.child("mujoco").unwrap_or(root);
    let mut reader = Reader {
        shelf,
        compiler: Compiler::read(extension)?,
        links: vec![Link::world(root.place.clone())],
        notes,
    };
    reader.walk(root, &elements, &branches)?;
    Ok(Tree {
        title: root.get("name").unwrap_or_default().to_owned(),
        gravity: None,
        links: reader.links,
        loops: Vec::new(),
        apart: Vec::new(),
        neighbours: Neighbours::Apart,
        no_contact: false,
        greater_friction: false,
    })
}

/// The joints, each of two links that are there.
fn branches<'a>(
    root: &'a Element,
    links: &HashMap<&str, &Element>,
) -> Result<Vec<Branch<'a>>, ModelError> {
    let mut branches = Vec::new();
    for element in root.each("joint") {
        let end = |tag: &'static str| -> Result<&'a str, ModelError> {
            let child =
                element.child(tag).ok_or_else(|| element.fault(format!("needs <{tag}>")))?;
            let item = Item::plain(child);
            let name = item.need("link")?;
            if links.contains_key(name.text) {
                Ok(name.text)
            } else {
                Err(name.fault(format!("is {:?}, a link that is not there", name.text)))
            }
        };
        branches.push(Branch { element, parent: end("parent")?, child: end("child")? });
    }
    Ok(branches)
}

impl Reader<'_> {
    /// All links from the root on, parents first.
    fn walk(
        &mut self,
        root: &Element,
        elements: &HashMap<&str, &Element>,
        branches: &[Branch<'_>],
    ) -> Result<(), ModelError> {
        let mut above: HashMap<&str, &Branch<'_>> = HashMap::new();
        let mut below: HashMap<&str, Vec<&Branch<'_>>> = HashMap::new();
        for branch in branches {
            if above.insert(branch.child, branch).is_some() {
                return Err(branch
                    .element
                    .fault(format!("link {:?} has two parents", branch.child)));
            }
            below.entry(branch.parent).or_default().push(branch);
        }
        let mut tops =
            root.each("link").filter_map(|it| it.get("name")).filter(|it| !above.contains_key(it));
        let (Some(top), None) = (tops.next(), tops.next()) else {
            return Err(root.fault("needs one link that no joint holds, and has none or several"));
        };
        let mut waiting = vec![(top, 0_usize, None)];
        while let Some((name, parent, branch)) = waiting.pop() {
            let link = self.link(elements[name], name, parent, branch)?;
            let children = below.get(name).into_iter().flatten().rev();
            waiting.extend(children.map(|it| (it.child, link, Some(*it))));
        }
        if self.links.len() - 1 < elements.len() {
            return Err(root.fault("some links hang from each other in a ring"));
        }
        Ok(())
    }

    fn link(
        &mut self,
        element: &Element,
        name: &str,
        parent: usize,
        branch: Option<&Branch<'_>>,
    ) -> Result<usize, ModelError> {
        let local = branch.map_or(Ok(Pose::IDENTITY), |it| origin(it.element))?;
        let mut link = Link {
            name: name.to_owned(),
            place: element.place.clone(),
            parent,
            pose: self.links[parent].pose.compose(&local),
            ..Link::world(element.place.clone())
        };
        if let Some(branch) = branch {
            self.joint(branch.element, &mut link)?;
        } else if name != "world" {
            let why = "the root of the tree is fixed to the world";
            self.notes.add(format!("motion of link {name:?}"), why, &element.place);
        }
        link.mass = inertial(element)?;
        let surface = surface(element)?;
        for collision in element.each("collision") {
            let geom = self.collision(collision, surface, name)?;
            link.geoms.push(geom);
        }
        for visual in element.children.iter().filter(|it| it.tag == "visual") {
            visual.see_all();
            self.notes.add("<visual>", "collision shapes are drawn", &visual.place);
        }
        self.links.push(link);
        Ok(self.links.len() - 1)
    }

    fn joint(&mut self, element: &Element, link: &mut Link) -> Result<(), ModelError> {
        let item = Item::plain(element);
        let kind = item.need("type")?;
        let kind = kind.choice(&[
            ("revolute", Kind::Hinge { limited: true }),
            ("continuous", Kind::Hinge { limited: false }),
            ("prismatic", Kind::Slide),
            ("fixed", Kind::Fixed),
            ("floating", Kind::Free),
            ("planar", Kind::Planar),
        ])?;
        let name = element.get("name");
        let axis = match element.child("axis") {
            Some(child) => match Item::plain(child).get("xyz") {
                Some(it) if kind != Kind::Fixed && kind != Kind::Free => it.direction()?,
                _ => DVec3::X,
            },
            None => DVec3::X,
        };
        let friction = self.dynamics(element)?;
        let one = |kind, axis, limits, friction| LinkJoint {
            name: name.map(str::to_owned),
            place: element.place.clone(),
            kind,
            anchor: DVec3::ZERO,
            axis,
            limits,
            friction,
        };
        match kind {
            Kind::Fixed => {}
            Kind::Free => {
                let mut above = link.parent;
                while above != 0 && !self.links[above].moves() {
                    above = self.links[above].parent;
                }
                if above != 0 {
                    return Err(element.fault("a floating joint belongs to a link that is fixed"));
                }
                link.free = true;
            }
            Kind::Hinge { limited } => {
                let limits = if limited { self.limits(element)? } else { None };
                link.joints.push(one(JointKind::Hinge, axis, limits, friction));
            }
            Kind::Slide => {
                let limits = self.limits(element)?;
                link.joints.push(one(JointKind::Slide, axis, limits, friction));
            }
            Kind::Planar => {
                let x = axis.any_orthonormal_vector();
                link.joints.push(one(JointKind::Slide, x, None, 0.0));
                link.joints.push(one(JointKind::Slide, axis.cross(x), None, 0.0));
                link.joints.push(one(JointKind::Hinge, axis, None, friction));
            }
        }
        Ok(())
    }

    /// Dry friction of a joint.
    fn dynamics(&mut self, element: &Element) -> Result<f64, ModelError> {
        let Some(child) = element.child("dynamics") else { return Ok(0.0) };
        let item = Item::plain(child);
        let damping = item.get("damping").map(|it| it.not_negative()).transpose()?;
        if damping.is_some_and(|it| it > 0.0) {
            self.notes.add("dynamics.damping", "joints have no viscous friction", &child.place);
        }
        let friction = item.get("friction").map(|it| it.not_negative()).transpose()?;
        Ok(friction.unwrap_or(0.0))
    }

    fn limits(&mut self, element: &Element) -> Result<Option<[f64; 2]>, ModelError> {
        let Some(child) = element.child("limit") else { return Ok(None) };
        let item = Item::plain(child);
        let least = item.number("lower")?.unwrap_or(0.0);
        let greatest = item.number("upper")?.unwrap_or(0.0);
        for key in ["effort", "velocity"] {
            if item.get(key).is_some() {
                let why = "nothing drives the joint";
                self.notes.add(format!("limit.{key}"), why, &child.place);
            }
        }
        if least > greatest {
            return Err(child.fault(format!("lower {least} is above upper {greatest}")));
        }
        // Both left out, or both zero, are no limits in MuJoCo, which is what such files mean.
        Ok((least < greatest).then_some([least, greatest]))
    }

    fn collision(
        &mut self,
        element: &Element,
        surface: Surface,
        link: &str,
    ) -> Result<Geom, ModelError> {
        let geometry =
            element.child("geometry").ok_or_else(|| element.fault("needs <geometry>"))?;
        let Some(shape) = geometry.children.first() else {
            return Err(geometry.fault("needs a shape"));
        };
        shape.see();
        let item = Item::plain(shape);
        let rod = || -> Result<[f64; 2], ModelError> {
            let radius = item.need("radius")?.positive()?;
            Ok([item.need("length")?.positive()? / 2.0, radius])
        };
        let shapes = match shape.tag.as_str() {
            "box" => {
                let size = item.need("size")?;
                let half = DVec3::from_array(size.array()?) / 2.0;
                if half.min_element() <= 0.0 {
                    return Err(size.unfit("three positive sizes"));
                }
                vec![Shape::Box { half }]
            }
            "sphere" => vec![Shape::Ball { radius: item.need("radius")?.positive()? }],
            "cylinder" => {
                let [half_length, radius] = rod()?;
                vec![Shape::Cylinder { half_length, radius }]
            }
            "capsule" => {
                let [half_length, radius] = rod()?;
                vec![Shape::Capsule { half_length, radius }]
            }
            "plane" => vec![Shape::HalfSpace],
            "mesh" => self.mesh(&item, link)?,
            _ => return Err(shape.fault("is none of box, sphere, cylinder, capsule, plane, mesh")),
        };
        Ok(Geom {
            name: element.get("name").map(str::to_owned),
            place: element.place.clone(),
            pose: origin(element)?,
            shapes,
            surface,
            masks: [1, 1],
        })
    }

    /// The convex parts of a mesh; its hull where it has none.
    fn mesh(&mut self, item: &Item<'_>, link: &str) -> Result<Vec<Shape>, ModelError> {
        let file = item.need("filename")?;
        let scale = match item.get("scale") {
            Some(it) if it.list(1, 3)?.len() == 1 => DVec3::splat(it.number()?),
            Some(it) => DVec3::from_array(it.array()?),
            None => DVec3::ONE,
        };
        if scale.to_array().contains(&0.0) {
            return Err(item.element.fault("its scale is zero"));
        }
        let path = self.path(&file)?;
        let mesh = meshes::load(&path, &Change { scale, ..Change::default() }, &file)?;
        match convex_parts(&mesh) {
            Ok(parts) => Ok(parts.into_iter().map(|it| Shape::Polyhedron(Arc::new(it))).collect()),
            Err(_) => self.hull(&mesh, &file, link),
        }
    }

    fn hull(&mut self, mesh: &Mesh, file: &Attr<'_>, link: &str) -> Result<Vec<Shape>, ModelError> {
        self.notes.add(
            format!("hollows of the mesh of link {link:?}"),
            "it has no few convex parts and touches as its convex hull",
            file.place(),
        );
        Ok(vec![meshes::hull(mesh).map_err(|why| file.fault(why))?])
    }

    /// The path of a mesh: `package://name/…` is sought in the folders above the file.
    fn path(&self, file: &Attr<'_>) -> Result<PathBuf, ModelError> {
        let name = file.text.trim().trim_start_matches("file://");
        let Some(rest) = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://"))
        else {
            return find(self.shelf, &self.compiler.mesh_file(name), file.place(), "mesh.filename");
        };
        // Beside the file first, then with and without the name of the package in the folders above.
        let inner = rest.split_once('/').map_or(rest, |(_, inner)| inner);
        let folder = self.shelf.folder.unwrap_or(Path::new("."));
        let mut up = PathBuf::new();
        for _ in folder.ancestors() {
            for tail in [inner, rest] {
                let wanted = up.join(tail);
                if folder.join(&wanted).is_file() {
                    let wanted = wanted.to_string_lossy().into_owned();
                    return find(self.shelf, &wanted, file.place(), "mesh.filename");
                }
            }
            up.push("..");
        }
        Err(file.fault(format!("is {name:?}, which is in no folder at or above the model")))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Hinge { limited: bool },
    Slide,
    Fixed,
    Free,
    Planar,
}

/// `<origin xyz rpy>`: roll about x, pitch about y and yaw about z, all of the frame around.
fn origin(element: &Element) -> Result<Pose, ModelError> {
    let Some(child) = element.child("origin") else { return Ok(Pose::IDENTITY) };
    let item = Item::plain(child);
    let position = item.vector("xyz")?.unwrap_or_default();
    let [roll, pitch, yaw] = item.vector("rpy")?.unwrap_or_default().to_array();
    let rotation =
        DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll);
    Ok(Pose { position, rotation: rotation.normalize() })
}

fn inertial(element: &Element) -> Result<Option<MassProperties>, ModelError> {
    let Some(child) = element.child("inertial") else { return Ok(None) };
    let pose = origin(child)?;
    let value =
        |tag: &'static str| child.child(tag).ok_or_else(|| child.fault(format!("needs <{tag}>")));
    let mass = Item::plain(value("mass")?).need("value")?.not_negative()?;
    let inertia = Item::plain(value("inertia")?);
    let moment = |key: &'static str| Ok::<f64, ModelError>(inertia.number(key)?.unwrap_or(0.0));
    let (xx, yy, zz) = (moment("ixx")?, moment("iyy")?, moment("izz")?);
    let (xy, xz, yz) = (moment("ixy")?, moment("ixz")?, moment("iyz")?);
    let inertia =
        DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
    let own = MassProperties { mass, centre: DVec3::ZERO, inertia };
    Ok(Some(own.placed(&pose)))
}

/// Bullet's `<contact><lateral_friction value="…"/></contact>`.
fn surface(element: &Element) -> Result<Surface, ModelError> {
    let mut friction = FRICTION;
    if let Some(value) = element.child("contact").and_then(|it| it.child("lateral_friction")) {
        friction = Item::plain(value).need("value")?.not_negative()?;
    }
    Ok(Surface { friction, smooth: false, priority: 0 })
}
