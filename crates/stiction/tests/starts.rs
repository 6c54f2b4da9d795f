//! Scenes that begin with bodies in each other are refused, allowed or moved apart, and scenes read
//! only what they may.

use std::path::Path;
use stiction::scene::{Permissions, Scene, with_poses};
use stiction::{Simulation, settle};

const TWO: &str = r#"
[[body]]
name = "floor"
ground = true
[[body]]
name = "b"
box = [1, 1, 1]
at = [0, 0, 0.5]
[[body]]
name = "c"
box = [1, 1, 1]
at = [0, 0.2, 0.5]
"#;

fn refusal(text: &str) -> String {
    Scene::parse(text, "start.toml").err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn overlaps_are_refused_with_pair_depth_and_place() {
    let why = refusal(TWO);
    assert!(
        why.starts_with("start.toml:9: body \"c\": overlaps body \"b\" by 8.000e-1 m at ["),
        "{why}"
    );
    assert!(why.contains("stiction settle") && why.contains("overlap = \"allow\""), "{why}");
    let buried = refusal(&TWO.replace("[0, 0.2, 0.5]", "[0, 2, 0.3]"));
    assert!(buried.contains("overlaps body \"floor\" by 2.000e-1 m"), "{buried}");
    let copies = refusal(&TWO.replace(
        "at = [0, 0.2, 0.5]",
        "at = [0, 3, 0.5]\nrepeat = { count = 3000, step = [0, 0, 0] }",
    ));
    assert!(copies.contains("by 1.000e0 m") && copies.contains("99 other pairs"), "{copies}");
}

#[test]
fn little_overlap_and_allowed_overlap_begin() {
    assert_eq!(refusal(&format!("overlap = \"allow\"\n{TWO}")), "");
    let strictly = |text: &str| refusal(&format!("overlap = \"refuse\"\n{text}"));
    // A part in 200 of the bounding radius, 0.866 m.
    assert_eq!(strictly(&TWO.replace("[0, 0.2, 0.5]", "[0, 0.996, 0.5]")), "");
    let why = strictly(&TWO.replace("[0, 0.2, 0.5]", "[0, 0.995, 0.5]"));
    assert!(why.contains("stiction settle") && why.contains("\"separate\" or \"allow\""), "{why}");
    // A sheet of 2 mm: a tenth of half its thickness.
    let sheet = |y: f64| {
        TWO.replace(
            "box = [1, 1, 1]\nat = [0, 0.2, 0.5]",
            &format!("box = [1, 0.002, 1]\nat = [0, {y}, 0.5]"),
        )
    };
    assert_eq!(strictly(&sheet(0.50095)), "");
    assert!(strictly(&sheet(0.5008)).contains("overlaps"));
    // Moved apart up to 0.4 of the thickness of free bodies, 0.1 on what does not move.
    assert_eq!(refusal(&sheet(0.5003)), "");
    assert!(refusal(&sheet(0.5001)).contains("overlaps body \"b\" by 9.0"));
    let on_floor = |z: f64| TWO.replace("[0, 0.2, 0.5]", &format!("[0, 3, {z}]"));
    assert_eq!(refusal(&on_floor(0.41)), "");
    assert!(refusal(&on_floor(0.39)).contains("overlaps body \"floor\" by 1.1"));
    // Bodies that are kept apart by their levels or by name do not touch.
    assert_eq!(refusal(&format!("apart = [[\"b\", \"c\"]]\n{TWO}")), "");
}

#[test]
fn settling_moves_bodies_apart_and_writes_where_they_are() {
    let permitted = Permissions { overlap: true, ..Permissions::default() };
    let mut scene = Scene::parse_with(TWO, "start.toml", None, permitted).expect("a scene");
    let settled = settle(&mut scene.world);
    assert!(settled.left.is_empty() && settled.moved.len() == 2, "{settled:?}");
    let far: f64 = settled.displacements().map(|(_, by, _)| by.length()).sum();
    assert!((far - 0.8).abs() < 1e-9, "{far}");
    let named = |(id, poses): &(_, _)| (scene.world.body(*id).name.clone(), *poses);
    let poses: Vec<_> = settled.moved.iter().map(named).collect();
    let text = with_poses(TWO, "start.toml", &scene.world, &poses).expect("a text");
    let again = Scene::parse(&text, "settled.toml").expect("a scene that begins");
    for (id, [_, to]) in &settled.moved {
        assert!(again.world.pose(*id).position.distance(to.position) < 1e-12);
    }
}

/// Three boxes in a row, the outer ones 0.3 m in the one between them, which is five times as heavy, and a plate of
/// 1 mm just beside: the outer ones give way, none goes through the plate, nothing overlaps.
#[test]
fn bodies_are_moved_apart_before_a_run_and_the_run_says_so() {
    let body = |name: &str, x: f64, wide: f64, mass: f64| {
        format!(
            "[[body]]\nname = {name:?}\nbox = [{wide}, 1, 1]\nat = [{x}, 0, 0]\nmass = {mass}\n"
        )
    };
    let row = [
        body("left", -0.7, 1.0, 1.0),
        body("middle", 0.0, 1.0, 5.0),
        body("right", 0.7, 1.0, 1.0),
        body("plate", 1.202, 0.001, 1.0),
    ];
    let text = format!("gravity = [0, 0, 0]\n{}", row.join("\n"));
    let scene = Scene::parse(&text, "row.toml").expect("a scene");
    let mut simulation = Simulation::new(&scene);
    assert!(simulation.world.overlaps().is_empty());
    let x = |k: usize| simulation.world.state.poses[k].position.x;
    assert!(x(0) < -1.0 + 1e-6 && x(1).abs() < 0.11 && x(2) - x(1) > 1.0 - 1e-6, "{}", x(1));
    assert!(x(3) - x(2) > 0.5005 - 1e-6, "through the plate: {} {}", x(2), x(3));
    let separation = simulation.separated();
    assert_eq!((separation.pairs, separation.deep.len()), (2, 2));
    assert!((separation.deepest.expect("a pair").1 - 0.3).abs() < 1e-9);
    let words = separation.words(&simulation.world).expect("a sentence");
    assert!(
        words.starts_with("2 pairs of bodies overlapped at the start, the deepest by 300.0 mm: "),
        "{words}"
    );
    assert!(words.contains("; 4 bodies were moved by at most "), "{words}");
    assert_eq!(scene.describe()["separated"], words.as_str());
    simulation.advance();
    assert!(simulation.certificate().holds());
}

#[test]
fn meshes_are_read_below_the_folder_of_the_scene_only() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("below");
    std::fs::create_dir_all(folder.join("inner")).expect("a folder");
    let outside = folder.with_file_name("outside.obj");
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("inner/t.obj"), tetrahedron).expect("written");
    std::fs::write(&outside, tetrahedron).expect("written");
    let read = |mesh: &str, files_anywhere: bool| {
        let text = format!("[[body]]\nname = \"b\"\nmesh = {mesh:?}\n");
        let permitted = Permissions { files_anywhere, overlap: false };
        let scene = Scene::parse_with(&text, "s.toml", Some(&folder), permitted);
        scene.err().map_or_else(String::new, |error| error.to_string())
    };
    assert_eq!(read("inner/t.obj", false), "");
    assert_eq!(read("./inner/t.obj", false), "");
    for path in ["../outside.obj", outside.to_str().expect("a path"), "inner/../../outside.obj"] {
        let why = read(path, false);
        assert!(
            why.contains("s.toml:3") && why.contains("--allow-files-anywhere"),
            "{path}: {why}"
        );
        assert_eq!(read(path, true), "", "{path}");
    }
    #[cfg(unix)]
    {
        let link = folder.join("link.obj");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(&outside, &link).expect("a link");
        assert!(read("link.obj", false).contains("--allow-files-anywhere"));
        assert!(read("/dev/zero", true).contains("not a regular file"));
    }
}
