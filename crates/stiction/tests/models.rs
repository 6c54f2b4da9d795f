//! Robot models beside what MuJoCo makes of them: masses, centres, inertias, poses and joints.
//!
//! `corpus/models/figures.py` computes the figures with MuJoCo.

use glam::{DMat3, DVec3};
use serde_json::Value;
use std::path::{Path, PathBuf};
use stiction::joint::JointKind;
use stiction::scene::Scene;

/// How far numbers may be apart, relative to the size of what they are about.
const NEAR: f64 = 1e-12;

/// The same for meshes, which MuJoCo keeps in single precision: a few units of its last digit.
const NEAR_MESHES: f64 = 5e-7;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/models")
}

/// The models that have figures.
fn models() -> Vec<(PathBuf, Value)> {
    let files =
        std::fs::read_dir(folder()).expect("the corpus").map(|it| it.expect("a file").path());
    let mut found: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| {
            let figures = std::fs::read_to_string(&path).expect("figures");
            (path.with_extension(""), serde_json::from_str(&figures).expect("JSON"))
        })
        .collect();
    found.sort_by(|x, y| x.0.cmp(&y.0));
    found
}

fn read(path: &Path) -> Scene {
    let text = std::fs::read_to_string(path).expect("a model");
    let permitted = stiction::scene::Permissions { files_anywhere: true, overlap: false };
    Scene::parse_with(&text, &path.display().to_string(), path.parent(), permitted)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|it| it.as_f64().expect("a number")).collect()
}

fn row_major(m: DMat3) -> Vec<f64> {
    m.transpose().to_cols_array().to_vec()
}

fn check(what: &str, found: &[f64], expected: &[f64], scale: f64, near: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() <= near * scale, "{what}: {found:?}, MuJoCo has {expected:?}");
    }
}

#[test]
fn bodies_are_those_of_mujoco() {
    let mut bodies = 0;
    for (path, figures) in models() {
        let near = if path.ends_with("meshes.xml") { NEAR_MESHES } else { NEAR };
        let world = read(&path).world;
        for (name, expected) in figures["bodies"].as_object().expect("bodies") {
            let what = |quantity: &str| format!("{}: {name}: {quantity}", path.display());
            let id = world.find_body(name).unwrap_or_else(|| panic!("{}", what("is missing")));
            let (body, pose) = (world.body(id), world.pose(id));
            let mass = expected["mass"].as_f64().expect("a mass");
            check(&what("mass"), &[body.mass], &[mass], mass, near);
            let centre = numbers(&expected["centre"]);
            let reach = DVec3::from_slice(&centre).length().max(1.0);
            check(&what("centre"), &pose.position.to_array(), &centre, reach, near);
            let turn = DMat3::from_quat(pose.rotation);
            check(&what("rotation"), &row_major(turn), &numbers(&expected["rotation"]), 1.0, near);
            let inertia = numbers(&expected["inertia"]);
            let greatest = inertia.iter().fold(0.0, |most: f64, it| most.max(it.abs()));
            let found = row_major(turn * body.inertia * turn.transpose());
            check(&what("inertia"), &found, &inertia, greatest, near);
            bodies += 1;
        }
    }
    assert!(bodies >= 30, "{bodies}");
}

#[test]
fn joints_are_those_of_mujoco() {
    let mut joints = 0;
    for (path, figures) in models() {
        let world = read(&path).world;
        for (name, expected) in figures["joints"].as_object().expect("joints") {
            let what = |quantity: &str| format!("{}: {name}: {quantity}", path.display());
            let id = world.find_joint(name).unwrap_or_else(|| panic!("{}", what("is missing")));
            let joint = world.joint(id);
            assert_eq!(joint.kind.name(), expected["kind"].as_str().expect("a kind"), "{name}");
            let frame = world.pose(joint.a).compose(&joint.frame_a);
            if joint.kind != JointKind::Slider {
                let anchor = numbers(&expected["anchor"]);
                check(&what("anchor"), &frame.position.to_array(), &anchor, 1.0, NEAR);
            }
            if joint.kind != JointKind::Ball {
                let axis = frame.direction(DVec3::Z).to_array();
                check(&what("axis"), &axis, &numbers(&expected["axis"]), 1.0, NEAR);
            }
            match (joint.limits, &expected["range"]) {
                (None, Value::Null) => {}
                (Some(limits), range) if range.is_array() => {
                    check(&what("range"), &limits, &numbers(range), 1.0, NEAR);
                }
                (limits, range) => panic!("{}: {limits:?}, MuJoCo has {range}", what("range")),
            }
            joints += 1;
        }
    }
    assert!(joints >= 20, "{joints}");
}

#[test]
fn what_touches_is_what_touches_in_mujoco() {
    let world = read(&folder().join("loop.xml")).world;
    let touch = |a: &str, b: &str| {
        let find = |name| world.find_body(name).unwrap_or_else(|| panic!("{name}"));
        world.may_touch(find(a), find(b))
    };
    // By contype and conaffinity: 2 and 2 of the sides, 4 and 5 of the bar, 1 and 1 of the rest.
    assert!(touch("left", "right") && touch("bar", "floor") && touch("bar", "bob"));
    assert!(!touch("left", "floor") && !touch("left", "bob") && !touch("left", "bar"));
    assert!(touch("bob", "floor") && touch("bob", "load"));
    assert!(!touch("bar", "right"), "excluded by name");
    // In a walker the parts touch the floor and nothing else.
    let world = read(&folder().join("walker.xml")).world;
    let find = |name| world.find_body(name).unwrap_or_else(|| panic!("{name}"));
    assert!(world.may_touch(find("foot"), find("floor")));
    assert!(!world.may_touch(find("foot"), find("torso")));
    // Friction is the greater of two coefficients.
    let with_floor = |name| world.material(find(name), find("floor")).static_friction;
    assert!((with_floor("foot") - 0.9).abs() < NEAR);
    assert!((with_floor("leg") - 0.7).abs() < NEAR);
}
