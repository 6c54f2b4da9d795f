//! Geoms: shape, place, mass, what they touch and how they rub.

use super::Reader;
use super::body::Around;
use crate::compiler::to_axis;
use crate::error::ModelError;
use crate::meshes;
use crate::tree::{Geom, Surface};
use crate::value::Item;
use crate::xml::Element;
use glam::DVec3;
use stiction_geometry::{MassProperties, Pose, Shape};

/// Density of geoms that give neither density nor mass: water (kg/m³).
const DENSITY: f64 = 1000.0;

/// Friction of geoms that give none.
const FRICTION: f64 = 1.0;

/// A shape, and its mass at density one.
struct Formed {
    shape: Shape,
    mass: Option<MassProperties>,
}

impl<'a> Reader<'a> {
    pub(super) fn geom(&mut self, element: &'a Element, around: Around) -> Result<(), ModelError> {
        element.see();
        let item = self.classes.item(element, around.class)?;
        let masks = [mask(&item, "contype")?, mask(&item, "conaffinity")?];
        let touches = masks != [0, 0];
        let weight = self.weight(&item, around)?;
        let surface = self.surface(&item)?;
        if !touches {
            let why = "it touches nothing, and is not drawn";
            self.notes.add("<geom> with contype = conaffinity = 0", why, &element.place);
        }
        let kind = item.get("type").map_or("sphere", |it| it.text.trim());
        if !touches && weight.is_none() {
            // Nothing of it counts, so that its mesh need not be there.
            let _ = self.place(&item, kind)?;
            size_is_read(&item);
            return Ok(());
        }
        let (pose, length) = self.place(&item, kind)?;
        let pose = around.pose.compose(&pose);
        let formed = self.form(&item, kind, length, touches, weight.is_some())?;
        if let (Some(weight), Some(one)) = (weight, formed.mass) {
            let own = match weight {
                Weight::Density(density) => one.with_mass(one.mass * density),
                Weight::Mass(mass) => one.with_mass(mass),
            };
            self.add_mass(around.link, &own.placed(&pose));
        }
        if touches {
            self.links[around.link].geoms.push(Geom {
                name: element.get("name").map(str::to_owned),
                place: element.place.clone(),
                pose,
                shapes: vec![formed.shape],
                surface,
                masks,
            });
        }
        Ok(())
    }

    /// What it weighs; none if it does not count.
    fn weight(&self, item: &Item<'a>, around: Around) -> Result<Option<Weight>, ModelError> {
        let group = item.get("group").map(|it| it.whole()).transpose()?.unwrap_or(0);
        let [least, most] = self.compiler.inertia_groups;
        let mass = item.get("mass").map(|it| it.not_negative()).transpose()?;
        let density = item.get("density").map(|it| it.not_negative()).transpose()?;
        if item.flag("shellinertia")?.unwrap_or(false) {
            return Err(item.element.fault("shellinertia is not read: give the body an inertial"));
        }
        let counts = around.weighed && (least..=most).contains(&group);
        let weight = match (mass, density) {
            (Some(mass), _) => Weight::Mass(mass),
            (None, density) => Weight::Density(density.unwrap_or(DENSITY)),
        };
        let some = !matches!(weight, Weight::Mass(0.0) | Weight::Density(0.0));
        Ok((counts && some).then_some(weight))
    }

    fn surface(&mut self, item: &Item<'a>) -> Result<Surface, ModelError> {
        let dimensions = match item.get("condim") {
            Some(it) => it.choice(&[("1", 1), ("3", 3), ("4", 4), ("6", 6)])?,
            None => 3,
        };
        if dimensions > 3 {
            let why = "friction against spinning and rolling is not modelled";
            self.notes.add("geom.condim of 4 and 6", why, &item.element.place);
        }
        let priority = item.get("priority").map(|it| it.whole()).transpose()?.unwrap_or(0);
        let friction = match item.get("friction") {
            Some(it) => {
                let all = it.list(1, 3)?;
                if all.iter().any(|x| *x < 0.0) {
                    return Err(it.unfit("zero or more"));
                }
                all[0]
            }
            None => FRICTION,
        };
        Ok(Surface { friction, smooth: dimensions == 1, priority })
    }

    /// Its frame in the one around it, and half its length if two points give it.
    fn place(&self, item: &Item<'a>, kind: &str) -> Result<(Pose, Option<f64>), ModelError> {
        let Some(ends) = item.get("fromto") else { return Ok((self.pose(item)?, None)) };
        if !["capsule", "cylinder", "box", "ellipsoid"].contains(&kind) {
            return Err(ends.fault(format!("does not belong to a {kind}")));
        }
        let [a, b, c, d, e, f] = ends.array()?;
        let (from, to) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
        let along = from - to;
        let Some(axis) = along.try_normalize() else { return Err(ends.unfit("two points")) };
        let pose = Pose { position: (from + to) / 2.0, rotation: to_axis(axis) };
        Ok((pose, Some(along.length() / 2.0)))
    }

    fn form(
        &mut self,
        item: &Item<'a>,
        kind: &str,
        length: Option<f64>,
        touches: bool,
        weighed: bool,
    ) -> Result<Formed, ModelError> {
        if kind == "mesh" {
            return self.mesh(item, touches, weighed);
        }
        if let Some(mesh) = item.get("mesh") {
            return Err(mesh.fault(format!("fits a {kind} to a mesh, which is not read")));
        }
        if kind == "plane" {
            let _ = item.get("size");
            return Ok(Formed { shape: Shape::HalfSpace, mass: None });
        }
        let given = item.get("size").map(|it| it.list(1, 3)).transpose()?.unwrap_or_default();
        let size = |k: usize| {
            let found = given.get(k).copied().filter(|it| *it > 0.0);
            found.ok_or_else(|| item.element.fault(format!("needs a positive size[{k}]")))
        };
        // Between two points a box or an ellipsoid is as wide as it is deep.
        let second = || if length.is_some() { size(0) } else { size(1) };
        let third = |k: usize| length.map_or_else(|| size(k), Ok);
        let shape = match kind {
            "sphere" => Shape::Ball { radius: size(0)? },
            "capsule" => Shape::Capsule { radius: size(0)?, half_length: third(1)? },
            "cylinder" => Shape::Cylinder { radius: size(0)?, half_length: third(1)? },
            "box" => Shape::Box { half: DVec3::new(size(0)?, second()?, third(2)?) },
            "ellipsoid" => {
                let half = DVec3::new(size(0)?, second()?, third(2)?);
                if touches {
                    let why = "touches as the convex hull of 266 of its points";
                    self.notes.add("<geom> of type ellipsoid", why, &item.element.place);
                }
                let shape = meshes::ellipsoid(half).map_err(|why| item.element.fault(why))?;
                return Ok(Formed { shape, mass: Some(meshes::ellipsoid_mass(half)) });
            }
            _ => {
                let wanted = "sphere, capsule, cylinder, box, ellipsoid, plane or mesh";
                return Err(item
                    .element
                    .fault(format!("is of type {kind:?}, which is none of {wanted}")));
            }
        };
        let mass = MassProperties::of_shape(&shape, 1.0);
        let mass = mass.map_err(|why| item.element.fault(why.to_string()))?;
        Ok(Formed { shape, mass: Some(mass) })
    }

    /// A mesh touches as its convex hull, as MJCF has it.
    fn mesh(
        &mut self,
        item: &Item<'a>,
        touches: bool,
        weighed: bool,
    ) -> Result<Formed, ModelError> {
        let name = item.need("mesh")?;
        let asset = self.assets.mesh(&name, &self.compiler)?;
        let mass = weighed.then(|| meshes::mass(&asset.mesh, asset.solid)).transpose();
        let mass = mass.map_err(|why| name.fault(why))?;
        let shape = if touches { meshes::hull(&asset.mesh) } else { Ok(Shape::HalfSpace) };
        Ok(Formed { shape: shape.map_err(|why| name.fault(why))?, mass })
    }
}

/// How heavy a geom is.
#[derive(Clone, Copy)]
enum Weight {
    /// kg/m³.
    Density(f64),
    /// kg.
    Mass(f64),
}

/// Bits of `contype` or `conaffinity`.
fn mask<'a>(item: &Item<'a>, key: &'a str) -> Result<u32, ModelError> {
    let Some(it) = item.get(key) else { return Ok(1) };
    #[allow(clippy::cast_sign_loss)] // bits, which MuJoCo keeps in a signed number
    i32::try_from(it.whole()?).map(|bits| bits as u32).map_err(|_| it.unfit("32 bits"))
}

/// Counts the keys of shapes that are left out as read.
fn size_is_read(item: &Item<'_>) {
    for key in ["size", "mesh", "hfield", "name"] {
        let _ = item.get(key);
    }
}
