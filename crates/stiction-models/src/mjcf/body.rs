//! Bodies, frames, joints and masses.

use super::Reader;
use crate::error::ModelError;
use crate::model::JointKind;
use crate::tree::{Link, LinkJoint};
use crate::value::Item;
use crate::xml::Element;
use glam::{DMat3, DVec3};
use stiction_geometry::{MassProperties, Pose};

/// Geoms of less mass (kg) weigh nothing, as in MuJoCo.
const LEAST_MASS: f64 = 1e-14;

/// Where an element stands: its link, the frame around it in the link, the class around it, and whether
/// shapes give the link its mass.
#[derive(Clone, Copy)]
pub(super) struct Around {
    pub link: usize,
    pub pose: Pose,
    pub class: usize,
    pub weighed: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn world(&mut self, element: &'a Element) -> Result<(), ModelError> {
        let around = Around { link: 0, pose: Pose::IDENTITY, class: 0, weighed: false };
        self.inside(element, around)
    }

    /// What is in a body or in a frame of it.
    fn inside(&mut self, element: &'a Element, around: Around) -> Result<(), ModelError> {
        for child in &element.children {
            match child.tag.as_str() {
                "body" => self.body(child, around)?,
                "frame" => {
                    child.see();
                    let item = Item::plain(child);
                    let class = self.class_inside(child, around.class)?;
                    let pose = around.pose.compose(&self.pose(&item)?);
                    self.inside(child, Around { pose, class, ..around })?;
                }
                "geom" => self.geom(child, around)?,
                "joint" => self.joint(child, around)?,
                "freejoint" => {
                    child.see();
                    let _ = child.get("name");
                    self.free(child, around.link)?;
                }
                "inertial" => self.inertial(child, around)?,
                "site" => {
                    if let Some(name) = child.get("name") {
                        let pose = around
                            .pose
                            .compose(&self.pose(&self.classes.item(child, around.class)?)?);
                        self.sites.insert(name, (around.link, pose));
                    }
                }
                "composite" | "flexcomp" | "flex" | "attach" | "replicate" | "plugin" => {
                    return Err(child.fault("is not read: it changes what bodies there are"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn body(&mut self, element: &'a Element, around: Around) -> Result<(), ModelError> {
        element.see();
        let item = Item::plain(element);
        let class = self.class_inside(element, around.class)?;
        let local = around.pose.compose(&self.pose(&item)?);
        let pose = self.links[around.link].pose.compose(&local);
        if !pose.position.is_finite() {
            return Err(element.fault("is not at a finite place"));
        }
        let link = self.links.len();
        let name = match element.get("name") {
            Some(name) => {
                if self.names.insert(name, link).is_some() {
                    return Err(element.fault("has the name of another body"));
                }
                name.to_owned()
            }
            None => format!("body.{link}"),
        };
        if item.flag("mocap")?.unwrap_or(false) {
            self.notes.add("body.mocap", "the body is fixed", &element.place);
        }
        let given = element.children.iter().any(|it| it.tag == "inertial");
        let weighed = self.compiler.inertia_from_geoms.unwrap_or(!given);
        self.links.push(Link {
            name,
            place: element.place.clone(),
            parent: around.link,
            pose,
            free: false,
            joints: Vec::new(),
            mass: None,
            geoms: Vec::new(),
        });
        self.inside(element, Around { link, pose: Pose::IDENTITY, class, weighed })
    }

    fn class_inside(&self, element: &'a Element, around: usize) -> Result<usize, ModelError> {
        match element.get("childclass") {
            Some(name) => self.classes.find(name, element),
            None => Ok(around),
        }
    }

    /// `pos` and one of the orientations.
    pub(super) fn pose(&self, item: &Item<'_>) -> Result<Pose, ModelError> {
        let position = item.vector("pos")?.unwrap_or_default();
        let rotation = self.compiler.orientation(item)?.unwrap_or_default();
        Ok(Pose { position, rotation })
    }

    fn free(&mut self, element: &Element, link: usize) -> Result<(), ModelError> {
        let it = &mut self.links[link];
        if link == 0 || it.parent != 0 || it.moves() {
            return Err(element.fault("belongs to bodies of the world without other joints"));
        }
        it.free = true;
        Ok(())
    }

    fn joint(&mut self, element: &'a Element, around: Around) -> Result<(), ModelError> {
        element.see();
        let item = self.classes.item(element, around.class)?;
        let kinds = [
            ("hinge", Some(JointKind::Hinge)),
            ("slide", Some(JointKind::Slide)),
            ("ball", Some(JointKind::Ball)),
            ("free", None),
        ];
        let kind = item.get("type").map(|it| it.choice(&kinds)).transpose()?;
        let Some(kind) = kind.unwrap_or(Some(JointKind::Hinge)) else {
            return self.free(element, around.link);
        };
        if around.link == 0 || self.links[around.link].free {
            return Err(element.fault("belongs to bodies that are not free"));
        }
        let axis = match item.get("axis") {
            Some(it) if kind != JointKind::Ball => it.direction()?,
            _ => DVec3::Z,
        };
        let joint = LinkJoint {
            name: element.get("name").map(str::to_owned),
            place: element.place.clone(),
            kind,
            anchor: around.pose.point(item.vector("pos")?.unwrap_or_default()),
            axis: around.pose.direction(axis),
            limits: self.limits(&item, kind)?,
            friction: self.dry_friction(&item, kind)?,
        };
        self.inertia_less(&item)?;
        self.links[around.link].joints.push(joint);
        Ok(())
    }

    /// The range, seen from where the joint begins.
    fn limits(&mut self, item: &Item<'a>, kind: JointKind) -> Result<Option<[f64; 2]>, ModelError> {
        let choices = [("true", Some(true)), ("false", Some(false)), ("auto", None)];
        let limited = item.get("limited").map(|it| it.choice(&choices)).transpose()?.flatten();
        let start = item.number("ref")?.unwrap_or(0.0);
        let Some(range) = item.get("range") else { return Ok(None) };
        if limited.is_none() && !self.compiler.auto_limits {
            return Err(range.fault("needs limited, because autolimits is false"));
        }
        if limited == Some(false) {
            return Ok(None);
        }
        if kind == JointKind::Ball {
            let why = "the angle of a ball joint is not limited";
            self.notes.add("joint.range of type ball", why, &item.element.place);
            return Ok(None);
        }
        let unit = |x: f64| if kind == JointKind::Hinge { self.compiler.angle(x) } else { x };
        let [least, greatest] = range.bounds()?.map(unit);
        Ok(Some([least - unit(start), greatest - unit(start)]))
    }

    fn dry_friction(&mut self, item: &Item<'a>, kind: JointKind) -> Result<f64, ModelError> {
        let friction = item.get("frictionloss").map(|it| it.not_negative()).transpose()?;
        if kind == JointKind::Ball && friction.is_some_and(|it| it > 0.0) {
            let why = "ball joints have no friction";
            self.notes.add("joint.frictionloss of type ball", why, &item.element.place);
            return Ok(0.0);
        }
        Ok(friction.unwrap_or(0.0))
    }

    /// What a joint has that rigid bodies held by joints do not.
    fn inertia_less(&mut self, item: &Item<'a>) -> Result<(), ModelError> {
        let said = [
            ("stiffness", "joints have no springs"),
            ("damping", "joints have no viscous friction"),
            ("armature", "the inertia of rotors is not part of a rigid body"),
        ];
        for (key, why) in said {
            let Some(it) = item.get(key) else { continue };
            if it.list(1, 3)?.iter().any(|x| *x != 0.0) {
                self.notes.add(format!("joint.{key}"), why, &item.element.place);
            }
        }
        Ok(())
    }

    fn inertial(&mut self, element: &'a Element, around: Around) -> Result<(), ModelError> {
        element.see();
        let item = Item::plain(element);
        if around.link == 0 || around.weighed {
            for key in ["pos", "mass", "diaginertia", "fullinertia"] {
                if item.get(key).is_some() {
                    let why = "masses come from shapes";
                    self.notes.add(format!("inertial.{key}"), why, &element.place);
                }
            }
            return Ok(());
        }
        let pose = around.pose.compose(&self.pose(&item)?);
        let mass = item.need("mass")?.not_negative()?;
        let inertia = match (item.get("fullinertia"), item.get("diaginertia")) {
            (Some(it), None) => {
                let [xx, yy, zz, xy, xz, yz] = it.array()?;
                DMat3::from_cols(
                    DVec3::new(xx, xy, xz),
                    DVec3::new(xy, yy, yz),
                    DVec3::new(xz, yz, zz),
                )
            }
            (None, Some(it)) => DMat3::from_diagonal(DVec3::from_array(it.array()?)),
            (Some(it), Some(_)) => return Err(it.fault("excludes diaginertia")),
            (None, None) => return Err(element.fault("needs diaginertia or fullinertia")),
        };
        let own = MassProperties { mass, centre: DVec3::ZERO, inertia };
        self.links[around.link].mass = Some(own.placed(&pose));
        Ok(())
    }

    /// Adds the mass of a geom to its link.
    pub(super) fn add_mass(&mut self, link: usize, mass: &MassProperties) {
        if mass.mass < LEAST_MASS {
            return;
        }
        let sum = &mut self.links[link].mass;
        *sum = Some(sum.map_or(*mass, |sum| sum.joined(mass)));
    }

    /// What the compiler does to masses when all are known.
    pub(super) fn set_masses(&mut self) {
        let compiler = &self.compiler;
        for link in self.links.iter_mut().skip(1) {
            let nothing = MassProperties { mass: 0.0, centre: DVec3::ZERO, inertia: DMat3::ZERO };
            let changes =
                compiler.least_mass > 0.0 || compiler.least_inertia > 0.0 || compiler.balance;
            if !changes {
                continue;
            }
            let mass = link.mass.get_or_insert(nothing);
            mass.mass = mass.mass.max(compiler.least_mass);
            let (moments, axes) = mass.principal();
            let mut moments = moments.max(DVec3::splat(compiler.least_inertia));
            let sum = moments.element_sum();
            if compiler.balance && 2.0 * moments.max_element() > sum {
                moments = DVec3::splat(sum / 3.0);
            }
            let turn = DMat3::from_quat(axes);
            mass.inertia = turn * DMat3::from_diagonal(moments) * turn.transpose();
        }
        if let Some(wanted) = compiler.total_mass {
            let whole: f64 = self.links.iter().filter_map(|it| Some(it.mass?.mass)).sum();
            let masses = self.links.iter_mut().filter_map(|it| it.mass.as_mut());
            for mass in masses.filter(|_| whole > 0.0) {
                *mass = mass.with_mass(mass.mass * (wanted / whole));
            }
        }
    }
}
