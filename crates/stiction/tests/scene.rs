//! What scene files say arrives in the world.

use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};
use stiction::drive::Drive;
use stiction::joint::{JointKind, Motor};
use stiction::scene::{Scene, StepperKind};
use stiction::{BodyId, ImpactModel, JointId, Motion};
use stiction_geometry::{Shape, region};

/// A scene with every key but those that exclude each other.
const EVERYTHING: &str = include_str!("scenes/everything.toml");

fn scene(text: &str) -> Scene {
    match Scene::parse(text, "test.toml") {
        Ok(scene) => scene,
        Err(error) => panic!("{error}"),
    }
}

fn close(a: DVec3, b: DVec3) -> bool {
    (a - b).length() < 1e-12
}

#[test]
fn the_settings_of_a_scene_arrive() {
    let scene = scene(EVERYTHING);
    assert_eq!(scene.title, "Everything");
    assert_eq!(scene.look_for, "every key");
    assert_eq!(scene.figure, "none");
    assert_eq!(scene.run.until, 3.0);
    assert_eq!(scene.run.dt, 0.002);
    assert_eq!(scene.run.stepper, StepperKind::TimeStepping);
    assert_eq!(scene.run.solver.name(), "dantzig");
    let world = &scene.world;
    assert_eq!(world.gravity, DVec3::new(0.0, 0.0, -1.62));
    assert_eq!(world.impacts, ImpactModel::Propagation);
    world.validate().unwrap();
}

#[test]
fn materials_shapes_and_places_arrive_in_the_world() {
    let scene = scene(EVERYTHING);
    let world = &scene.world;
    let index = |name: &str| world.find_body(name).unwrap_or_else(|| panic!("no {name}"));
    let body = |name: &str| world.body(index(name));

    // Materials: the default one changed, an own one, a pair of its own.
    let ice = world.material(index("cup"), index("cup"));
    assert_eq!((ice.static_friction, ice.dynamic_friction), (0.1, 0.05));
    let mixed = world.material(index("cup"), index("crate"));
    assert_eq!((mixed.static_friction, mixed.restitution), (0.7, 0.25));
    let both = world.material(index("ground"), index("crate"));
    assert_eq!((both.static_friction, both.restitution), (0.4, 0.0));

    // Shapes and masses.
    let half = DVec3::new(0.1, 0.2, 0.3);
    assert!(matches!(body("crate").parts[0].shape(), Shape::Box { half: h } if close(*h, half)));
    assert!((body("crate").mass - 600.0 * 0.2 * 0.4 * 0.6).abs() < 1e-9);
    assert!((body("marble").mass - 1000.0 * 4.0 / 3.0 * PI * 0.008).abs() < 1e-6);
    assert_eq!(body("cup").mass, 2.0);
    assert_eq!(body("cup").inertia.x_axis.x, 0.01);
    assert!(matches!(body("pill").parts[0].shape(), Shape::Capsule { half_length, radius }
        if *half_length == 0.25 && *radius == 0.1));
    assert!(matches!(body("hat").parts[0].shape(), Shape::Cone { .. }));
    assert!(matches!(body("gem").parts[0].shape(), Shape::Polyhedron(_)));
    assert!((body("wedge").mass - 1000.0 * 0.5 * 0.25).abs() < 1e-9);
    assert_eq!(body("table").parts.len(), 2);
    assert!(body("ghost").parts.is_empty());
    assert!(matches!(body("hills").parts[0].shape(), Shape::HeightField(_)));

    // Places: `at` is where the frame of the shape is, the centre follows.
    let wedge = world.pose(index("wedge")).position;
    assert!(close(wedge, DVec3::new(5.0 + 2.0 / 3.0, 0.0, 1.0 / 3.0)), "{wedge}");
    let crate_pose = world.pose(index("crate"));
    assert!(close(crate_pose.position, DVec3::new(0.0, 0.0, 2.0)));
    assert!(close(crate_pose.rotation * DVec3::X, DVec3::Y));
    let cup = world.pose(index("cup")).position;
    assert!(close(cup, DVec3::new(2.0, 0.0, 1.1)), "centre = [0, 0, 0.1]: {cup}");
}

#[test]
fn motions_and_copies_arrive_in_the_world() {
    let scene = scene(EVERYTHING);
    let world = &scene.world;
    let index = |name: &str| world.find_body(name).unwrap_or_else(|| panic!("no {name}"));
    let body = |name: &str| world.body(index(name));

    // Motions.
    let twist = world.twist(index("crate"));
    assert_eq!(twist.linear, DVec3::new(1.0, 2.0, 3.0));
    assert!(close(twist.angular, DVec3::new(0.0, 0.0, FRAC_PI_2)));
    assert_eq!(world.twist(index("marble")).angular, DVec3::X);
    assert_eq!(body("crate").force, DVec3::new(0.0, 0.0, 9.0));
    assert_eq!(body("crate").torque, DVec3::new(1.0, 0.0, 0.0));
    assert_eq!(body("crate").collision_groups, 0b101);
    assert_eq!(body("ground").motion, Motion::Fixed);
    let Motion::Driven { along, position, axis, angle } = &body("shaker").motion else {
        panic!("not driven");
    };
    assert_eq!((*along, *axis), (DVec3::X, DVec3::Z));
    let sine = Drive::Sine { mean: 0.0, amplitude: 0.1, frequency: 2.0, phase: FRAC_PI_2 };
    assert_eq!(*position, sine);
    assert_eq!(*angle, Drive::Linear { start: 0.0, rate: PI });

    // Copies.
    let last = world.pose(index("brick.1.2")).position;
    assert!(close(last, DVec3::new(10.0 + 0.3, 0.0, 0.05 + 0.2)), "{last}");
    assert_eq!(world.bodies().filter(|(_, b)| b.name.starts_with("brick.")).count(), 6);
}

#[test]
fn joints_springs_and_excluded_pairs_arrive_in_the_world() {
    let scene = scene(EVERYTHING);
    let world = &scene.world;
    let index = |name: &str| world.find_body(name).unwrap_or_else(|| panic!("no {name}"));

    // Joints.
    let joint = |name: &str| world.joint(world.find_joint(name).unwrap());
    let hinge = joint("hinge");
    assert_eq!(hinge.kind, JointKind::Hinge);
    assert_eq!((hinge.a, hinge.b), (index("link.0"), None));
    assert_eq!(hinge.limits, Some([-FRAC_PI_2, PI]));
    assert_eq!(hinge.friction, 0.5);
    let ramp = Drive::Ramp { from: 0.0, to: PI, start: 1.0, end: 2.0 };
    assert_eq!(hinge.motor, Some(Motor::Speed { target: ramp, greatest: 20.0 }));
    let slider = joint("slider");
    assert_eq!(slider.limits, Some([0.0, f64::INFINITY]));
    assert!(matches!(slider.motor, Some(Motor::Position { target: Drive::Table(_) })));
    assert_eq!(joint("rope").kind, JointKind::Distance { length: 0.5 });
    assert_eq!(joint("pin.1").a, index("link.2"));
    assert_eq!(joint("pin.1").b, Some(index("link.1")));
    let universal = joint("cardan");
    assert!(close(universal.frame_b.rotation * DVec3::X, DVec3::Y));

    // Springs.
    let [spring, damper] = world.springs() else { panic!("not two springs") };
    assert_eq!((spring.a, spring.b), (index("hat"), Some(index("pill"))));
    assert_eq!((spring.stiffness, spring.damping, spring.length), (50.0, 2.0, 0.8));
    assert!(close(spring.on_a, DVec3::new(-0.1, 0.0, 0.075)), "{}", spring.on_a);
    assert_eq!((damper.b, damper.on_b), (None, DVec3::new(4.0, 0.0, 3.0)));
    assert_eq!(damper.length, 2.0);

    // Who never touches: joined bodies unless they collide, and those named.
    let apart = |a: &str, b: &str| !world.may_touch(index(a), index(b));
    assert!(apart("link.0", "link.1") && apart("link.1", "link.2"));
    assert!(!apart("link.3", "link.4"), "collide = true");
    assert!(apart("ghost", "brick.0.0") && apart("ghost", "brick.1.2"));
}

#[test]
fn what_is_left_out_has_its_default() {
    let scene = scene("[[body]]\nname = \"a\"\nball = 0.5");
    assert_eq!(scene.run.solver.name(), "auto");
    assert_eq!(scene.run.stepper, StepperKind::EventDriven);
    assert_eq!((scene.run.until, scene.run.dt), (5.0, 0.01));
    assert_eq!(scene.world.gravity, DVec3::new(0.0, 0.0, -9.81));
    assert_eq!(scene.world.plane, None);
    let material = scene.world.materials[0];
    assert_eq!((material.static_friction, material.restitution), (0.5, 0.0));
    assert_eq!(scene.world.body(BodyId::from_index(0)).collision_groups, 1);
}

#[test]
fn a_planar_scene_turns_about_its_normal_from_z_to_x() {
    let scene = scene(
        "planar = \"xz\"\ndepth = 0.1\n\
         [[body]]\nname = \"a\"\npolygon = [[0, 0], [1, 0], [0, 1]]\nturn_deg = 90\n\
         angular_velocity_deg = 180\nvelocity = [1, 0, 0]\ntorque = 2\n\
         [[joint]]\nname = \"pivot\"\ntype = \"hinge\"\na = \"a\"\nanchor = [0, 0, 0]",
    );
    let (world, third) = (&scene.world, 1.0 / 3.0);
    assert_eq!(world.plane, Some(DVec3::Y));
    assert!((world.body(BodyId::from_index(0)).mass - 1000.0 * 0.5 * 0.1).abs() < 1e-9);
    // The centre at (1/3, 1/3) of the shape is turned to (1/3, −1/3).
    let pose = world.state.poses[0];
    assert!(close(pose.position, DVec3::new(third, 0.0, -third)), "{}", pose.position);
    assert!(close(pose.rotation * DVec3::Z, DVec3::X));
    assert!(close(world.state.twists[0].angular, PI * DVec3::Y));
    assert!(close(world.body(BodyId::from_index(0)).torque, 2.0 * DVec3::Y));
    let axis = pose.rotation * (world.joint(JointId::from_index(0)).frame_a.rotation * DVec3::Z);
    assert!(close(axis, DVec3::Y));
}

#[test]
fn other_planes_have_other_normals() {
    for (name, normal) in
        [("\"xy\"", DVec3::Z), ("\"yz\"", DVec3::X), ("[0, 3, 4]", DVec3::new(0.0, 0.6, 0.8))]
    {
        let scene = scene(&format!("planar = {name}"));
        assert!(close(scene.world.plane.unwrap(), normal));
    }
}

#[test]
fn meshes_are_hulls_of_free_bodies_and_themselves_for_fixed_ones() {
    let folder = std::env::temp_dir().join(format!("stiction-scene-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let obj =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1/1/1 4/1/1 3/1/1\nf -3 -2 -1\n";
    std::fs::write(folder.join("corner.obj"), obj).unwrap();
    let vertex = |x: [f64; 3]| format!("vertex {} {} {}\n", x[0], x[1], x[2]);
    let [o, x, y, z] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let faces = [[o, y, x], [o, x, z], [o, z, y], [x, y, z]];
    let text: String = faces.iter().map(|f| f.map(vertex).concat()).collect();
    std::fs::write(folder.join("corner.stl"), format!("solid corner\n{text}endsolid")).unwrap();
    let mut binary = vec![0_u8; 80];
    binary.extend(4_u32.to_le_bytes());
    for face in faces {
        binary.extend([0; 12]);
        binary.extend(face.concat().iter().flat_map(|it| (*it as f32).to_le_bytes()));
        binary.extend([0; 2]);
    }
    std::fs::write(folder.join("binary.stl"), binary).unwrap();
    for file in ["corner.obj", "corner.stl", "binary.stl"] {
        let text = format!(
            "[[body]]\nname = \"a\"\nmesh = \"{file}\"\n\
             [[body]]\nname = \"b\"\nmesh = \"{file}\"\nfixed = true\n"
        );
        std::fs::write(folder.join("scene.toml"), text).unwrap();
        let scene = Scene::read(&folder.join("scene.toml")).unwrap();
        assert!(
            (scene.world.body(BodyId::from_index(0)).mass - 1000.0 / 6.0).abs() < 1e-6,
            "{file}"
        );
        assert!(
            matches!(scene.world.body(BodyId::from_index(1)).parts[0].shape(), Shape::Mesh(_)),
            "{file}"
        );
    }
    for (file, content, why) in [
        ("bad.obj", "v 0 0\n", "bad.obj"),
        ("bad.obj", "v 0 0 0\nf 1 2 3\n", "bad.obj"),
        ("bad.obj", "", "bad.obj"),
        ("bad.stl", "nonsense", "bad.stl"),
        ("bad.ply", "", "bad.ply"),
    ] {
        std::fs::write(folder.join(file), content).unwrap();
        let text = format!("[[body]]\nname = \"a\"\nmesh = \"{file}\"\n");
        std::fs::write(folder.join("scene.toml"), text).unwrap();
        let error = Scene::read(&folder.join("scene.toml")).unwrap_err().to_string();
        assert!(
            error.contains("scene.toml:3: body \"a\".mesh: ") && error.contains(why),
            "{error}"
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn parameters_of_the_solver_are_read() {
    for (solver, table, words) in [
        (
            "energy",
            "precision = 1e-6\niterations = 20\ntime = 0.5",
            "energy (precision 1e-6, iterations 20, time 0.5)",
        ),
        ("energy-literal", "precision = 0.01", "energy-literal (precision 0.01)"),
        ("threshold", "epsilon = 0.01", "threshold (epsilon 0.01)"),
        ("lp", "norm = \"two\"", "lp (norm two)"),
        ("dantzig", "initial = \"zero\"", "dantzig (initial zero)"),
        ("dantzig", "", "dantzig"),
    ] {
        // The tables may come in any order.
        let text = format!("[solver]\n{table}\n[run]\nsolver = \"{solver}\"\n");
        let scene = Scene::parse(&text, "scene.toml").unwrap();
        assert_eq!(scene.run.solver.to_string(), words);
    }
}

#[test]
fn turns_keep_the_frame_of_the_shape_where_at_says() {
    let scene = scene(
        "[[body]]\nname = \"a\"\nat = [1, 2, 3]\nturn_deg = { axis = [0, 0, 2], angle = 90 }\n\
         parts = [{ ball = 0.1, at = [1, 0, 0] }, { box = [0.1, 0.1, 0.1], at = [3, 0, 0], turn_deg = { axis = [1, 0, 0], angle = 45 } }]",
    );
    let pose = scene.world.state.poses[0];
    let parts = &scene.world.body(BodyId::from_index(0)).parts;
    assert!(close(pose.compose(parts[0].pose()).position, DVec3::new(1.0, 3.0, 3.0)));
    let second = pose.compose(parts[1].pose());
    assert!(close(second.position, DVec3::new(1.0, 5.0, 3.0)));
    let expected = DQuat::from_rotation_z(FRAC_PI_2) * DQuat::from_rotation_x(PI / 4.0);
    assert!(second.rotation.dot(expected).abs() > 1.0 - 1e-12);
}

#[test]
fn the_examples_of_the_manual_are_scenes() {
    let manual = include_str!("../../../docs/scene.md");
    let folder = std::env::temp_dir().join(format!("stiction-manual-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut examples = Vec::new();
    for (before, rest) in manual.match_indices("```toml\n").map(|(at, fence)| {
        let (before, rest) = manual.split_at(at);
        (before, &rest[fence.len()..])
    }) {
        let example = rest.split("```").next().expect("an example");
        // Examples may include those that have a name.
        let name = before.trim_end().lines().last().and_then(|line| {
            line.strip_prefix("<!-- file: ").and_then(|name| name.strip_suffix(" -->"))
        });
        if let Some(name) = name {
            std::fs::write(folder.join(name), example).expect("a file");
        }
        examples.push(example);
    }
    assert!(examples.len() >= 5, "{}", examples.len());
    for example in examples {
        let read = Scene::parse_in(example, "test.toml", Some(&folder));
        assert!(read.is_ok(), "{:?}", read.err());
    }
    std::fs::remove_dir_all(folder).expect("a folder");
}

/// Depth (m) to which bodies of a scene may overlap at first: rounding.
const OVERLAP: f64 = 1e-9;

/// Gap (m) up to which bodies are looked at.
const NEAR: f64 = 1e-4;

fn gallery() -> Vec<std::path::PathBuf> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let list = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let folders = list(&root).into_iter().filter(|path| path.is_dir());
    let mut files: Vec<_> = folders.flat_map(|folder| list(&folder)).collect();
    files.sort();
    files
}

#[test]
fn every_scene_of_the_papers_is_valid_and_nothing_overlaps_in_it() {
    let files = gallery();
    assert!(files.len() >= 30, "only {} scenes", files.len());
    for file in files {
        let name = file.display();
        let scene = Scene::read(&file).unwrap_or_else(|error| panic!("{error}"));
        assert!(!scene.title.is_empty() && !scene.figure.is_empty(), "{name}");
        assert!(scene.look_for.ends_with('.'), "{name}: what to look for is a sentence");
        let world = &scene.world;
        world.validate().unwrap_or_else(|error| panic!("{name}: {error}"));
        let ids: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
        let pairs = ids.iter().flat_map(|&a| ids.iter().map(move |&b| (a, b)));
        for (a, b) in pairs.filter(|(a, b)| a < b) {
            if !world.may_touch(a, b) {
                continue;
            }
            let parts = |id: BodyId| &world.body(id).parts;
            let mut touches = Vec::new();
            region(parts(a), &world.pose(a), parts(b), &world.pose(b), NEAR, &mut touches);
            let gap = touches.iter().map(|touch| touch.geometry.gap).fold(NEAR, f64::min);
            let (first, second) = (&world.body(a).name, &world.body(b).name);
            assert!(gap > -OVERLAP, "{name}: {first} and {second} overlap by {} m", -gap);
            let unclear = touches.iter().map(|touch| touch.geometry.gap).find(|gap| *gap > OVERLAP);
            assert!(unclear.is_none(), "{name}: {first} and {second} neither touch nor are clear");
        }
    }
}

#[test]
fn the_list_of_scenes_is_complete() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let list = std::fs::read_to_string(root.join("README.md")).unwrap();
    for file in gallery() {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        assert!(list.contains(&format!("`{name}`")), "{name} is not in scenes/README.md");
    }
    for name in list.split('`').filter(|word| word.contains("/fig")) {
        assert!(root.join(name).exists(), "{name} is in scenes/README.md only");
    }
}
