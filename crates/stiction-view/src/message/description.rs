//! The description of a scene (`docs/frames.md`), field by field, for the types of the page.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

type Vec3 = [f64; 3];
type Quat = [f64; 4];

/// Everything about a scene that does not change while it runs.
#[derive(Deserialize, Serialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SceneDescription {
    format: String,
    title: String,
    look_for: String,
    figure: String,
    /// Bodies that overlapped and were moved apart before the run; empty if none.
    separated: String,
    run: RunInfo,
    gravity: Vec3,
    /// Normal of the plane of a planar scene.
    plane: Option<Vec3>,
    bodies: Vec<BodyInfo>,
    joints: Vec<JointInfo>,
    springs: Vec<SpringInfo>,
}

#[derive(Deserialize, Serialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RunInfo {
    until: f64,
    dt: f64,
    stepper: String,
    solver: String,
}

#[derive(Deserialize, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Motion {
    Free,
    Fixed,
    Driven,
}

#[derive(Deserialize, Serialize, TS)]
#[serde(deny_unknown_fields)]
pub struct BodyInfo {
    name: String,
    motion: Motion,
    /// Mass (kg); null if infinite.
    mass: Option<f64>,
    /// In the body frame (kg·m²).
    inertia: [[f64; 3]; 3],
    /// Applied force (N) and torque (N·m), world axes.
    force: Vec3,
    torque: Vec3,
    /// Levels of the body, counted from 1; bodies without a common level do not touch.
    levels: Vec<u32>,
    parts: Vec<PartInfo>,
}

#[derive(Deserialize, Serialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PartInfo {
    position: Vec3,
    rotation: Quat,
    shape: ShapeInfo,
}

#[derive(Deserialize, Serialize, TS)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ShapeInfo {
    Box { half: Vec3 },
    Ball { radius: f64 },
    Capsule { half_length: f64, radius: f64 },
    Cylinder { half_length: f64, radius: f64 },
    Cone { half_length: f64, radius: f64 },
    HalfSpace,
    Triangles { points: Vec<Vec3>, triangles: Vec<[u32; 3]> },
}

#[derive(Deserialize, Serialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    position: Vec3,
    rotation: Quat,
}

#[derive(Deserialize, Serialize, TS)]
#[serde(deny_unknown_fields)]
pub struct JointInfo {
    name: String,
    kind: String,
    a: usize,
    b: Option<usize>,
    frame_a: Placement,
    frame_b: Placement,
}

#[derive(Deserialize, Serialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SpringInfo {
    name: String,
    a: usize,
    b: Option<usize>,
    on_a: Vec3,
    on_b: Vec3,
    length: f64,
    stiffness: f64,
    damping: f64,
}

/// The types describe what the engine writes: reading a description and writing it again changes
/// nothing.
#[test]
fn scenes_are_described_as_the_types_say() {
    use crate::catalogue::Catalogue;
    use crate::embedded;
    let catalogue = Catalogue::default();
    let mut count = 0;
    for id in embedded::scene_ids() {
        let described = catalogue.find(id).unwrap().describe();
        let typed: SceneDescription = serde_json::from_value(described.clone())
            .unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(serde_json::to_value(typed).unwrap(), described, "{id}");
        count += 1;
    }
    assert!(count >= 30, "{count} scenes");
}
