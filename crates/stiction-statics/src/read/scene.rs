//! Scenes of the simulator: where their bodies touch at the first instant.
//!
//! Contacts with one normal between two bodies are an interface. Scenes with joints, springs, given forces or
//! motions are refused: statics knows weights and contacts.

use super::Options;
use crate::assembly::{Assembly, Block, FrictionTable, Interface, Tolerance};
use crate::solid::cuboid;
use glam::DMat3;
use stiction::scene::Scene;
use stiction::{Body, BodyId, Motion, World};
use stiction_geometry::{Face, Shape, aabb, candidates, region};

/// Why a scene is not an assembly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{scene}: {what}")]
pub struct SceneFault {
    scene: String,
    what: String,
}

/// Normals nearer than this are one.
const SAME_NORMAL: f64 = 1e-9;

/// The assembly of the bodies of a scene at its first instant.
///
/// # Errors
///
/// [`SceneFault`] names what statics cannot take into account.
pub fn of_scene(scene: &Scene, name: &str, options: &Options) -> Result<Assembly, SceneFault> {
    let world = &scene.world;
    let fault = |what: String| SceneFault { scene: name.to_owned(), what };
    refuse(world).map_err(fault)?;
    let mut assembly = Assembly {
        name: if scene.title.is_empty() { name.to_owned() } else { scene.title.clone() },
        gravity: options.gravity.unwrap_or(world.gravity),
        blocks: world.bodies().map(|(id, body)| block(world, id, body)).collect(),
        friction: FrictionTable::default(),
        ..Assembly::default()
    };
    if !assembly.blocks.iter().any(|block| block.fixed) {
        return Err(fault("no body is fixed: the assembly has no support".into()));
    }
    let gap = options.gap.unwrap_or(Tolerance::of(&assembly).gap);
    assembly.interfaces = interfaces(world, gap, options.friction);
    let mut pairs: Vec<(usize, usize, f64)> =
        assembly.interfaces.iter().map(|it| (it.a, it.b, it.friction)).collect();
    pairs.dedup_by_key(|pair| (pair.0, pair.1));
    assembly.friction = FrictionTable { general: options.friction.unwrap_or_default(), pairs };
    assembly
        .assumptions
        .push(format!("bodies of the scene touch where they are within {gap:.3e} m"));
    Ok(assembly)
}

fn refuse(world: &World) -> Result<(), String> {
    if let Some((_, joint)) = world.joints().next() {
        return Err(format!("joint \"{}\": statics has no joints", joint.name));
    }
    if !world.springs().is_empty() {
        return Err("statics has no springs".into());
    }
    for (_, body) in world.bodies() {
        if matches!(body.motion, Motion::Driven { .. }) {
            return Err(format!("body \"{}\" is driven: statics has no motion", body.name));
        }
        if body.force.length() + body.torque.length() > 0.0 {
            return Err(format!(
                "body \"{}\" has a given force: statics has weights only",
                body.name
            ));
        }
    }
    Ok(())
}

/// A body where it is. Its corners and faces, for its size and for pictures, are those of its polyhedra; of round
/// parts it has the corners of a box around them.
fn block(world: &World, id: BodyId, body: &Body) -> Block {
    let pose = world.pose(id);
    let turn = DMat3::from_quat(pose.rotation);
    let mut block = Block {
        name: body.name.clone(),
        fixed: !body.is_free(),
        mass: body.mass,
        centre: pose.position,
        inertia: Some(turn * body.inertia * turn.transpose()),
        ..Block::default()
    };
    for part in body.parts.iter().filter(|part| !matches!(part.shape(), Shape::HalfSpace)) {
        let first = block.vertices.len();
        let place = pose.compose(part.pose());
        let Some(hull) = part.hull() else {
            let ends = aabb(std::slice::from_ref(part), &pose);
            block.vertices.extend(cuboid(ends.low, ends.high).0);
            continue;
        };
        block.vertices.extend(hull.vertices().iter().map(|vertex| place.point(*vertex)));
        let corners = |face: &Face| face.vertices.iter().map(|&k| first + k as usize).collect();
        block.faces.extend(hull.faces().iter().map(corners));
    }
    block
}

/// Where bodies are nearer than the gap.
fn interfaces(world: &World, gap: f64, friction: Option<f64>) -> Vec<Interface> {
    let bodies: Vec<(BodyId, &Body)> = world.bodies().collect();
    let boxes: Vec<_> =
        bodies.iter().map(|(id, body)| aabb(&body.parts, &world.pose(*id))).collect();
    let mut found: Vec<Interface> = Vec::new();
    let mut touches = Vec::new();
    for (a, b) in candidates(&boxes, gap) {
        let (a, b) = (a as usize, b as usize);
        let ((id_a, body_a), (id_b, body_b)) = (bodies[a], bodies[b]);
        if !(body_a.is_free() || body_b.is_free()) || !world.may_touch(id_a, id_b) {
            continue;
        }
        touches.clear();
        let (pose_a, pose_b) = (world.pose(id_a), world.pose(id_b));
        region(&body_a.parts, &pose_a, &body_b.parts, &pose_b, gap, &mut touches);
        let friction = friction.unwrap_or_else(|| world.material(id_a, id_b).static_friction);
        let first = found.len();
        for geometry in touches.iter().map(|touch| touch.geometry) {
            let same = |it: &&mut Interface| (it.normal - geometry.normal).length() < SAME_NORMAL;
            match found[first..].iter_mut().find(same) {
                Some(interface) => interface.points.push(geometry.point),
                None => found.push(Interface {
                    a,
                    b,
                    points: vec![geometry.point],
                    normal: geometry.normal,
                    friction,
                }),
            }
        }
    }
    found
}
