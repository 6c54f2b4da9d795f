//! The description of a scene for programs that draw frames: JSON, as in `docs/frames.md`.

use super::{Run, Scene};
use crate::joint::Joint;
use crate::settle::separate;
use crate::spring::Spring;
use crate::world::{Body, Motion};
use glam::{DMat3, DVec3};
use serde_json::{Value, json};
use stiction_geometry::{Part, Pose, Shape};

impl Scene {
    /// What does not change while the scene runs.
    pub fn describe(&self) -> Value {
        let Run { until, dt, stepper, solver, .. } = &self.run;
        let world = &self.world;
        json!({
            "format": "stiction-frames-2",
            "title": self.title,
            "look_for": self.look_for,
            "figure": self.figure,
            "separated": separate(&mut world.clone()).words(world).unwrap_or_default(),
            "run": {"until": until, "dt": dt, "stepper": stepper.name(), "solver": solver.name()},
            "gravity": vector(world.gravity),
            "plane": world.plane.map(vector),
            "bodies": world.bodies.iter().map(body).collect::<Vec<_>>(),
            "joints": world.joints.iter().map(joint).collect::<Vec<_>>(),
            "springs": world.springs.iter().map(spring).collect::<Vec<_>>(),
        })
    }
}

fn vector(vector: DVec3) -> Value {
    json!(vector.to_array())
}

fn matrix(matrix: DMat3) -> Value {
    json!(matrix.transpose().to_cols_array_2d())
}

fn pose(pose: &Pose) -> Value {
    json!({"position": pose.position.to_array(), "rotation": pose.rotation.to_array()})
}

fn body(body: &Body) -> Value {
    let motion = match body.motion {
        Motion::Free => "free",
        Motion::Fixed => "fixed",
        Motion::Driven { .. } => "driven",
    };
    json!({
        "name": body.name,
        "motion": motion,
        "mass": body.mass,
        "inertia": matrix(body.inertia),
        "force": vector(body.force),
        "torque": vector(body.torque),
        "levels": levels(body.collision_groups),
        "parts": body.parts.iter().map(part).collect::<Vec<_>>(),
    })
}

/// Levels counted from 1, of their bits.
fn levels(bits: u64) -> Vec<u32> {
    (1..=u64::BITS).filter(|level| bits >> (level - 1) & 1 == 1).collect()
}

fn part(part: &Part) -> Value {
    let mut described = pose(part.pose());
    described["shape"] = shape(part.shape());
    described
}

fn shape(shape: &Shape) -> Value {
    let round = |kind, half_length: f64, radius: f64| json!({"kind": kind, "half_length": half_length, "radius": radius});
    let surface = |points: &[DVec3], triangles: Vec<[u32; 3]>| {
        let points: Vec<_> = points.iter().map(DVec3::to_array).collect();
        json!({"kind": "triangles", "points": points, "triangles": triangles})
    };
    match shape {
        Shape::Box { half } => json!({"kind": "box", "half": half.to_array()}),
        Shape::Ball { radius } => json!({"kind": "ball", "radius": radius}),
        Shape::Capsule { half_length, radius } => round("capsule", *half_length, *radius),
        Shape::Cylinder { half_length, radius } => round("cylinder", *half_length, *radius),
        Shape::Cone { half_length, radius } => round("cone", *half_length, *radius),
        Shape::HalfSpace => json!({"kind": "half-space"}),
        Shape::Polyhedron(it) => {
            let fan = |corners: &[u32]| {
                let first = corners[0];
                let rest: Vec<_> = corners[1..].windows(2).map(|w| [first, w[0], w[1]]).collect();
                rest
            };
            let triangles = it.faces().iter().flat_map(|face| fan(&face.vertices)).collect();
            surface(it.vertices(), triangles)
        }
        Shape::Mesh(it) => surface(it.vertices(), it.triangles().to_vec()),
        Shape::HeightField(it) => surface(it.mesh().vertices(), it.mesh().triangles().to_vec()),
    }
}

fn joint(joint: &Joint) -> Value {
    json!({
        "name": joint.name,
        "kind": joint.kind.name(),
        "a": joint.a.index(),
        "b": joint.other(),
        "frame_a": pose(&joint.frame_a),
        "frame_b": pose(&joint.frame_b),
    })
}

fn spring(spring: &Spring) -> Value {
    json!({
        "name": spring.name,
        "a": spring.a.index(),
        "b": spring.other(),
        "on_a": vector(spring.on_a),
        "on_b": vector(spring.on_b),
        "length": spring.length,
        "stiffness": spring.stiffness,
        "damping": spring.damping,
    })
}
