//! Robot models as scenes: `stiction-models` reads them, a [`World`] is made of what it found.
//!
//! Models are made for engines whose contacts are soft: their bodies may overlap at the start, as with `overlap = "allow"`.

use super::{Permissions, Run, Scene, SceneError};
use crate::joint::{Joint, JointKind};
use crate::world::{Body, BodyId, Material, World};
use std::path::Path;
use stiction_geometry::Shelf;
use stiction_models::{self as models, Model, ModelBody, ModelError, Place};

/// Reads a model in MJCF or URDF; it is run as scenes are that say nothing about it.
pub(super) fn read(
    text: &str,
    name: &str,
    folder: Option<&Path>,
    permitted: Permissions,
) -> Result<Scene, SceneError> {
    let shelf = Shelf { folder, anywhere: permitted.files_anywhere };
    let model = models::read(text, name, shelf)?;
    let world = world(&model)?;
    Ok(Scene {
        title: model.title,
        look_for: String::new(),
        figure: String::new(),
        run: Run::default(),
        world,
        ignored: model.ignored.iter().map(ToString::to_string).collect(),
    })
}

fn world(model: &Model) -> Result<World, SceneError> {
    let mut world = World::new();
    world.gravity = model.gravity.unwrap_or(world.gravity);
    // Materials follow the one of bodies that touch nothing.
    world.materials.extend(model.frictions.iter().map(|friction| Material::new(*friction)));
    for ([a, b], friction) in &model.pairs {
        world.pair(a + 1, b + 1, Material::new(*friction));
    }
    for it in &model.bodies {
        world.add_body(body(it)?);
    }
    for it in &model.joints {
        let joint = joint(&world, it)?;
        world.add_joint(joint);
    }
    let pair = |[a, b]: &[usize; 2]| {
        let [a, b] = [a, b].map(|it| BodyId::from_index(*it));
        [a.min(b), a.max(b)]
    };
    world.excluded_pairs = model.apart.iter().map(pair).collect();
    world.excluded_pairs.sort_unstable();
    world.excluded_pairs.dedup();
    world.validate().map_err(|error| {
        let subject = super::subject(&error);
        let bodies = model.bodies.iter().map(|it| (format!("body {:?}", it.name), &it.place));
        let joints = model.joints.iter().map(|it| (format!("joint {:?}", it.name), &it.place));
        let named = bodies.chain(joints).find(|(name, _)| *name == subject);
        let place = named.map_or(&model.place, |(_, place)| place);
        fault(place, subject, error.to_string())
    })?;
    Ok(world)
}

fn body(it: &ModelBody) -> Result<Body, SceneError> {
    let body = match it.mass {
        Some(mass) => Body::with_mass(&it.name, it.parts.clone(), mass, it.pose)
            .map_err(|why| fault(&it.place, format!("body {:?}", it.name), why.to_string()))?,
        None => Body::fixed(&it.name, it.parts.clone(), it.pose),
    };
    let material = if it.parts.is_empty() { 0 } else { it.friction + 1 };
    Ok(Body { material, collision_groups: it.groups, ..body })
}

fn joint(world: &World, it: &models::Joint) -> Result<Joint, SceneError> {
    let kind = match it.kind {
        models::JointKind::Hinge => JointKind::Hinge,
        models::JointKind::Slide => JointKind::Slider,
        models::JointKind::Ball => JointKind::Ball,
        models::JointKind::Fixed => JointKind::Fixed,
    };
    let end = |body: usize| {
        let id = BodyId::from_index(body);
        (id, &world.state.poses[body])
    };
    let (a, b) = (end(it.a), it.b.map(end));
    let joint = Joint::at(kind, it.name.as_str(), a, b, it.anchor, it.axis);
    let joint = joint.map(|joint| Joint { limits: it.limits, friction: it.friction, ..joint });
    let checked = joint.and_then(|joint| joint.validate().map(|()| joint));
    checked.map_err(|why| fault(&it.place, format!("joint {:?}", it.name), why.to_string()))
}

fn fault(place: &Place, field: String, message: String) -> SceneError {
    SceneError::Value { file: place.file.to_string(), line: place.line, field, message }
}

impl From<ModelError> for SceneError {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Io { path, source } => SceneError::Io { path, source },
            ModelError::Syntax { place, message } => {
                SceneError::Syntax { file: place.file.to_string(), line: place.line, message }
            }
            ModelError::Value { place, field, message } => fault(&place, field, message),
        }
    }
}
