//! Links made into bodies.
//!
//! Links without joints are part of the body that carries them. Where several joints hold one link, carriers are put
//! between them: bodies without shape, one for every joint but the last, each with [`CARRIER`] of mass and
//! inertia of the body. Bodies of neighbouring links do not touch each other, as in MJCF.

mod touching;

use crate::error::{ModelError, Notes};
use crate::model::{Joint, Model, ModelBody};
use crate::tree::{Geom, Link, LinkJoint, Surface, Tree};
use glam::{DMat3, DVec3};
use std::collections::HashMap;
use stiction_geometry::{MassProperties, Part, Pose};

/// Mass and inertia of a carrier, as a fraction of those of the body that it carries: too little to be seen in its motion,
/// enough for well-conditioned equations.
const CARRIER: f64 = 1e-6;

/// Surfaces that differ, at most: every pair of them has a coefficient.
const MOST_SURFACES: usize = 128;

/// A model from its links.
pub(crate) fn assemble(tree: Tree, notes: Notes) -> Result<Model, ModelError> {
    let mut builder = Builder {
        root: roots(&tree.links),
        bodies: Vec::new(),
        joints: Vec::new(),
        of_link: vec![Vec::new(); tree.links.len()],
        surfaces: Vec::new(),
        kinds: Vec::new(),
        kind_of_body: Vec::new(),
        body_names: Names::default(),
        joint_names: Names::default(),
        notes,
        tree: &tree,
    };
    for (i, link) in tree.links.iter().enumerate() {
        match builder.root[i] {
            Some(root) if root == i => builder.moving(i, link)?,
            Some(_) => {}
            None => builder.still(i, link)?,
        }
    }
    builder.close_loops()?;
    builder.set_groups()?;
    let mut apart = builder.apart();
    apart.extend(builder.strangers()?);
    let pairs = builder.pairs();
    let Builder { bodies, joints, surfaces, notes, .. } = builder;
    let frictions = surfaces.iter().map(|it| it.alone()).collect();
    let ignored = notes.finish();
    let Tree { title, gravity, links, .. } = tree;
    let place = links[0].place.clone();
    Ok(Model { title, place, gravity, bodies, joints, frictions, pairs, apart, ignored })
}

/// The link that each is fixed to, itself if it moves; none for what is fixed to the world.
fn roots(links: &[Link]) -> Vec<Option<usize>> {
    let mut roots: Vec<Option<usize>> = Vec::with_capacity(links.len());
    for (i, link) in links.iter().enumerate() {
        roots.push(if link.moves() { Some(i) } else { roots.get(link.parent).copied().flatten() });
    }
    roots
}

/// Masks of the geoms of a body, sorted: bodies of a kind touch the same others.
type Kind = Vec<[u32; 2]>;

struct Builder<'t> {
    tree: &'t Tree,
    root: Vec<Option<usize>>,
    bodies: Vec<ModelBody>,
    joints: Vec<Joint>,
    /// Bodies of each link: the one of what moves, those of the shapes of what does not.
    of_link: Vec<Vec<usize>>,
    surfaces: Vec<Surface>,
    kinds: Vec<Kind>,
    kind_of_body: Vec<usize>,
    body_names: Names,
    joint_names: Names,
    notes: Notes,
}

impl Builder<'_> {
    /// A body of a link that moves and all that is fixed to it.
    fn moving(&mut self, index: usize, link: &Link) -> Result<(), ModelError> {
        let fixed = (index..self.tree.links.len()).filter(|&k| self.root[k] == Some(index));
        let fixed: Vec<&Link> = fixed.map(|k| &self.tree.links[k]).collect();
        let seen = |other: &Link| {
            if std::ptr::eq(other, link) {
                Pose::IDENTITY
            } else {
                seen_from(&link.pose, &other.pose)
            }
        };
        let masses = fixed
            .iter()
            .filter_map(|it| Some(it.mass?.placed(&seen(it))))
            .filter(|it| it.mass > 0.0);
        let mass = masses.reduce(|sum, it| sum.joined(&it));
        let mass = mass.ok_or_else(|| fault(link, "moves, but has no mass".to_owned()))?;
        check_inertia(link, &mass)?;
        let mut parts = Vec::new();
        let mut geoms = Vec::new();
        for other in fixed {
            for geom in &other.geoms {
                parts.append(&mut placed(geom, &seen(other))?);
                geoms.push(geom);
            }
        }
        let friction = self.surface_of(link, &geoms)?;
        let name = self.body_names.unique(&link.name);
        let b = self.carriers(link, &mass);
        let body = ModelBody {
            name,
            place: link.place.clone(),
            pose: link.pose,
            parts,
            mass: Some(mass),
            friction,
            groups: 1,
        };
        let a = self.add(body, geoms.iter().map(|it| it.masks).collect());
        self.of_link[index].push(a);
        if let Some(joint) = link.joints.last() {
            self.joint(link, joint, a, b);
        }
        Ok(())
    }

    /// The bodies between the joints of a link; the one that its last joint starts from.
    fn carriers(&mut self, link: &Link, mass: &MassProperties) -> Option<usize> {
        let parent = self.root[link.parent].and_then(|root| self.of_link[root].first().copied());
        let mut b = parent;
        let Some((_, between)) = link.joints.split_last() else { return b };
        for joint in between {
            let anchor = joint.anchor;
            let away = mass.centre - anchor;
            let columns = mass.inertia.to_cols_array();
            let greatest = columns[0].max(columns[4]).max(columns[8]);
            let moment = greatest + mass.mass * away.length_squared();
            let own = MassProperties {
                mass: CARRIER * mass.mass,
                centre: anchor,
                inertia: DMat3::from_diagonal(DVec3::splat(CARRIER * moment)),
            };
            self.notes.add(
                format!("{} between its joints", title(link)),
                "there is a body of a millionth of its mass for every joint but one",
                &joint.place,
            );
            let wanted = joint.name.as_deref().unwrap_or("joint");
            let body = ModelBody {
                name: self.body_names.unique(&format!("{}.{wanted}", link.name)),
                place: joint.place.clone(),
                pose: link.pose,
                parts: Vec::new(),
                mass: Some(own),
                friction: 0,
                groups: 1,
            };
            let a = self.add(body, Vec::new());
            self.joint(link, joint, a, b);
            b = Some(a);
        }
        b
    }

    fn joint(&mut self, link: &Link, joint: &LinkJoint, a: usize, b: Option<usize>) {
        let wanted = joint.name.clone().unwrap_or_else(|| format!("{}.joint", link.name));
        if joint.limits.is_some_and(|[least, greatest]| least > 0.0 || greatest < 0.0) {
            let why = "it is not met at the start";
            self.notes.add(format!("range of joint {wanted:?}"), why, &joint.place);
        }
        self.joints.push(Joint {
            name: self.joint_names.unique(&wanted),
            place: joint.place.clone(),
            kind: joint.kind,
            a,
            b,
            anchor: link.pose.point(joint.anchor),
            axis: link.pose.direction(joint.axis).normalize(),
            limits: joint.limits,
            friction: joint.friction,
            touch: true,
        });
    }

    /// A fixed body for every shape of a link that does not move.
    fn still(&mut self, index: usize, link: &Link) -> Result<(), ModelError> {
        for geom in &link.geoms {
            let friction = self.surface(geom)?;
            let alone = Geom { pose: Pose::IDENTITY, ..copy(geom) };
            let wanted = geom.name.clone().unwrap_or_else(|| format!("{}.geom", link.name));
            let body = ModelBody {
                name: self.body_names.unique(&wanted),
                place: geom.place.clone(),
                pose: link.pose.compose(&geom.pose),
                parts: placed(&alone, &Pose::IDENTITY)?,
                mass: None,
                friction,
                groups: 1,
            };
            let body = self.add(body, vec![geom.masks]);
            self.of_link[index].push(body);
        }
        Ok(())
    }

    fn add(&mut self, body: ModelBody, mut kind: Kind) -> usize {
        kind.sort_unstable();
        kind.dedup();
        let known = self.kinds.iter().position(|it| *it == kind);
        self.kind_of_body.push(known.unwrap_or(self.kinds.len()));
        if known.is_none() {
            self.kinds.push(kind);
        }
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    fn surface(&mut self, geom: &Geom) -> Result<usize, ModelError> {
        if let Some(known) = self.surfaces.iter().position(|it| *it == geom.surface) {
            return Ok(known);
        }
        if self.surfaces.len() == MOST_SURFACES {
            return Err(ModelError::Value {
                place: geom.place.clone(),
                field: "friction".to_owned(),
                message: format!("there are more than {MOST_SURFACES} different surfaces"),
            });
        }
        self.surfaces.push(geom.surface);
        Ok(self.surfaces.len() - 1)
    }

    /// The surface of a body: that of its shape with the greatest friction.
    fn surface_of(&mut self, link: &Link, geoms: &[&Geom]) -> Result<usize, ModelError> {
        let roughest = geoms.iter().max_by(|x, y| x.surface.alone().total_cmp(&y.surface.alone()));
        let Some(roughest) = roughest else { return Ok(0) };
        if geoms.iter().any(|it| it.surface != roughest.surface) {
            self.notes.add(
                format!("friction of {}", title(link)),
                "its shapes differ; all have the greatest of their coefficients",
                &link.place,
            );
        }
        self.surface(roughest)
    }

    fn close_loops(&mut self) -> Result<(), ModelError> {
        for it in &self.tree.loops {
            let [a, b] = it
                .links
                .map(|link| self.root[link].and_then(|root| self.of_link[root].first().copied()));
            let wanted = it.name.clone().unwrap_or_else(|| "equality".to_owned());
            let refuse = |message: &str| ModelError::Value {
                place: it.place.clone(),
                field: format!("equality {wanted:?}"),
                message: message.to_owned(),
            };
            let (a, b) = match (a, b) {
                (Some(a), b) if b != Some(a) => (a, b),
                (None, Some(b)) => (b, None),
                _ => return Err(refuse("holds together what is one body")),
            };
            self.joints.push(Joint {
                name: self.joint_names.unique(&wanted),
                place: it.place.clone(),
                kind: it.kind,
                a,
                b,
                anchor: it.anchor,
                axis: DVec3::Z,
                limits: None,
                friction: 0.0,
                touch: true,
            });
        }
        Ok(())
    }
}

fn copy(geom: &Geom) -> Geom {
    Geom {
        name: None,
        place: geom.place.clone(),
        pose: geom.pose,
        shapes: geom.shapes.clone(),
        surface: geom.surface,
        masks: geom.masks,
    }
}

/// A frame of the world in another.
pub(crate) fn seen_from(base: &Pose, frame: &Pose) -> Pose {
    Pose {
        position: base.local_point(frame.position),
        rotation: (base.rotation.conjugate() * frame.rotation).normalize(),
    }
}

fn placed(geom: &Geom, link: &Pose) -> Result<Vec<Part>, ModelError> {
    let pose = link.compose(&geom.pose);
    let part = |shape: &stiction_geometry::Shape| {
        Part::new(shape.clone(), pose).map_err(|why| ModelError::Value {
            place: geom.place.clone(),
            field: "geom".to_owned(),
            message: why.to_string(),
        })
    };
    geom.shapes.iter().map(part).collect()
}

fn title(link: &Link) -> String {
    format!("body {:?}", link.name)
}

fn fault(link: &Link, message: String) -> ModelError {
    ModelError::Value { place: link.place.clone(), field: title(link), message }
}

/// Refuses what no rigid body has: moments that are not positive, or one above the sum of the others.
fn check_inertia(link: &Link, mass: &MassProperties) -> Result<(), ModelError> {
    /// Part of the greatest moment that rounding of the file may take or add.
    const ROUNDING: f64 = 1e-6;
    let finite = mass.mass.is_finite()
        && mass.centre.is_finite()
        && mass.inertia.to_cols_array().iter().all(|it| it.is_finite());
    if !finite {
        return Err(fault(link, "its mass is not finite".to_owned()));
    }
    let (moments, _) = mass.principal();
    let mut moments = moments.to_array();
    moments.sort_by(f64::total_cmp);
    let [least, middle, greatest] = moments;
    if least > 0.0 && least + middle >= greatest * (1.0 - ROUNDING) {
        return Ok(());
    }
    Err(fault(
        link,
        format!(
            "its principal moments {least:e}, {middle:e} and {greatest:e} kg·m² are not those of a rigid body"
        ),
    ))
}

/// Names that are given once.
#[derive(Default)]
struct Names(HashMap<String, usize>);

impl Names {
    fn unique(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while self.0.contains_key(&name) {
            let count = self.0.entry(wanted.to_owned()).or_insert(1);
            *count += 1;
            name = format!("{wanted}.{count}");
        }
        self.0.insert(name.clone(), 1);
        name
    }
}
