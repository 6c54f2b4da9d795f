//! Files: formats and their faults.

use glam::DVec3;
use stiction_statics::read::{self, Options};
use stiction_statics::{Assembly, InterfaceSource};

fn corpus(name: &str) -> std::path::PathBuf {
    format!("{}/../../corpus/assemblies/{name}", env!("CARGO_MANIFEST_DIR")).into()
}

fn rough() -> Options {
    Options { friction: Some(0.6), ..Options::default() }
}

fn open(name: &str, options: &Options) -> Assembly {
    read::open(&corpus(name), options).unwrap_or_else(|error| panic!("{error}"))
}

fn fault(text: &str, file: &str, options: &Options) -> String {
    read::parse(text, file, options).unwrap_err().to_string()
}

const STACK: &str = r#"{
 "format": "assembly-1",
 "friction": 0.5,
 "blocks": [
  {"name": "ground", "fixed": true,
   "vertices": [[0,0,-1],[1,0,-1],[0,1,-1],[1,1,-1],[0,0,0],[1,0,0],[0,1,0],[1,1,0]],
   "faces": [[0,2,3,1],[4,5,7,6],[0,1,5,4],[2,6,7,3],[0,4,6,2],[1,3,7,5]]},
  {"name": "top", "density": 3,
   "vertices": [[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,2],[1,0,2],[0,1,2],[1,1,2]],
   "faces": [[0,2,3,1],[4,5,7,6],[0,1,5,4],[2,6,7,3],[0,4,6,2],[1,3,7,5]]}
 ],
 "load": [{"block": 1, "force": [1, 0, 0], "point": [0, 0, 2]}]
}"#;

#[test]
fn an_assembly_has_masses_inertias_and_loads() {
    let found = read::parse(STACK, "stack.json", &Options::default()).unwrap();
    let top = &found.blocks[1];
    let near = |one: f64, other: f64| (one - other).abs() < 1e-14;
    assert!(near(top.mass, 6.0) && top.centre.distance(DVec3::new(0.5, 0.5, 1.0)) < 1e-15);
    let inertia = top.inertia.unwrap();
    assert!(near(inertia.x_axis.x, 2.5) && near(inertia.z_axis.z, 1.0), "{inertia}");
    assert_eq!(found.gravity, DVec3::new(0.0, 0.0, -9.81));
    let load = found.load[0];
    assert_eq!((load.block, load.force), (1, DVec3::X));
    assert!(load.torque.distance(DVec3::new(0.0, 1.0, 0.5)) < 1e-15, "{}", load.torque);
}

#[test]
fn faults_name_file_line_field_and_value() {
    let cases: &[(&str, &str, &str)] = &[
        ("\"friction\": 0.5", "\"frction\": 0.5", "stack.json:3:10: frction: unknown field"),
        ("\"friction\": 0.5", "\"frction\": 0.5", "did you mean \"friction\"?"),
        ("\"friction\": 0.5", "\"friction\": -0.5", "stack.json:3: friction: is -0.5"),
        ("assembly-1", "assembly-2", "stack.json:2: format: is \"assembly-2\""),
        ("\"density\": 3", "\"density\": 0", "stack.json:8: blocks[1].density: is 0"),
        ("\"density\": 3", "\"density\": 3, \"mass\": 1", "blocks[1].mass: is given beside"),
        ("\"density\": 3,", "", "stack.json:8: blocks[1]: has neither density nor mass"),
        ("\"fixed\": true,", "\"density\": 1,", "blocks: no block is fixed"),
        ("[1,3,7,5]]}\n ]", "[5,7,3,1]]}\n ]", "blocks[1].faces[5]: passes along an edge"),
        ("[0,4,6,2],[1,3,7,5]]}\n ]", "[0,4,6,2]]}\n ]", "the surface is open"),
        ("[4,5,7,6]", "[4,5,7,9]", "stack.json:7: blocks[0].faces[1]: names vertex 9"),
        ("\"block\": 1", "\"block\": 2", "load[0].block: is 2, but there are 2 blocks"),
        (
            "[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,2]",
            "[0,0,-0.1],[1,0,-0.1],[0,1,-0.1],[1,1,-0.1],[0,0,2]",
            "overlap by 1.000e-1 m",
        ),
    ];
    for (from, to, expected) in cases {
        let text = STACK.replacen(from, to, 1);
        assert_ne!(text, STACK, "{from}");
        let message = fault(&text, "stack.json", &Options::default());
        assert!(message.contains(expected), "{expected}\n{message}");
    }
    let inward = STACK.replace(
        "[[0,2,3,1],[4,5,7,6],[0,1,5,4],[2,6,7,3],[0,4,6,2],[1,3,7,5]]}\n ]",
        "[[1,3,2,0],[6,7,5,4],[4,5,1,0],[3,7,6,2],[2,6,4,0],[5,7,3,1]]}\n ]",
    );
    let message = fault(&inward, "stack.json", &Options::default());
    assert!(message.contains("blocks[1]: has its faces inward"), "{message}");
}

#[test]
fn options_override_the_file() {
    let options = Options {
        friction: Some(0.9),
        gravity: Some(DVec3::X),
        fixed: vec!["top".into()],
        ..Options::default()
    };
    let found = read::parse(STACK, "stack.json", &options).unwrap();
    assert_eq!((found.friction.between(0, 1), found.gravity), (0.9, DVec3::X));
    assert!(found.blocks[1].fixed && found.interfaces.is_empty());
    let options = Options { fixed: vec!["tap".into()], ..Options::default() };
    let message = fault(STACK, "stack.json", &options);
    assert!(message.contains("no block \"tap\" to fix; did you mean \"top\"?"), "{message}");
}

/// `steps_compas.json` was written by `compas_assembly` 0.7.1: four boxes, each 0.2 m beside the one below.
#[test]
fn a_compas_assembly_has_its_interfaces() {
    let found = open("steps_compas.json", &rough());
    assert_eq!((found.source, found.interfaces.len()), (InterfaceSource::Given, 3));
    let fixed: Vec<bool> = found.blocks.iter().map(|block| block.fixed).collect();
    assert_eq!(fixed, [true, false, false, false]);
    for (k, interface) in found.interfaces.iter().enumerate() {
        assert_eq!((interface.a, interface.b, interface.normal), (k + 1, k, DVec3::Z));
        assert!(interface.points.iter().all(|p| (p.z - 0.5 * (k + 1) as f64).abs() < 1e-15));
    }
    assert_eq!(found.assumptions.len(), 1, "{:?}", found.assumptions);
    let detected = open("steps_compas.json", &Options { gap: Some(1e-6), ..rough() });
    assert_eq!(detected.contact_count(), found.contact_count());
    let bare = fault(
        &std::fs::read_to_string(corpus("steps_compas.json")).unwrap(),
        "x.json",
        &Options::default(),
    );
    assert!(bare.contains("no coefficient of friction"), "{bare}");
}

/// `steps_blockmodel.json` was written by `compas_dem` 0.6.0: three boxes of limestone, each turned and moved by a
/// transformation.
#[test]
fn a_block_model_has_transformations_and_densities() {
    let found = open("steps_blockmodel.json", &rough());
    assert_eq!((found.source, found.interfaces.len()), (InterfaceSource::Given, 2));
    for (k, block) in found.blocks.iter().enumerate() {
        let centre = DVec3::new(0.2 * k as f64, 0.0, 0.25 + 0.5 * k as f64);
        assert!(block.centre.distance(centre) < 1e-12, "{}", block.centre);
        assert!((block.mass - 1100.0).abs() < 1e-9);
    }
    assert!(found.assumptions.is_empty());
    let detected = open("steps_blockmodel.json", &Options { gap: Some(1e-6), ..rough() });
    assert_eq!(detected.interfaces.len(), 2);
}

/// `arch_compas.json` was written by `compas_assembly` 0.7.1, without interfaces.
#[test]
fn interfaces_that_a_compas_file_lacks_are_detected() {
    let found = open("arch_compas.json", &rough());
    assert!(matches!(found.source, InterfaceSource::Detected(_)));
    assert_eq!((found.blocks.len(), found.interfaces.len(), found.contact_count()), (15, 14, 56));
}

#[test]
fn compas_files_are_written_back_with_forces() {
    for (name, gap) in [
        ("steps_compas.json", None),
        ("steps_blockmodel.json", None),
        ("steps_compas.json", Some(1e-6)),
        ("arch_compas.json", None),
    ] {
        let options = Options { gap, ..rough() };
        let found = open(name, &options);
        let text = std::fs::read_to_string(corpus(name)).unwrap();
        // On every corner its own multiple of the normal, and 0.5 N along x.
        let number = |k: usize, j: usize| 1.0 + (10 * k + j) as f64;
        let forces: Vec<Vec<DVec3>> = found
            .interfaces
            .iter()
            .enumerate()
            .map(|(k, it)| {
                (0..it.points.len()).map(|j| it.normal * number(k, j) + 0.5 * DVec3::X).collect()
            })
            .collect();
        let written = read::with_forces(&text, name, &found, 1.0, &forces).unwrap();
        let again = read::parse(&written, name, &rough()).unwrap();
        assert_eq!(again.source, InterfaceSource::Given);
        assert_eq!(again.contact_count(), found.contact_count(), "{name}");
        let value: serde_json::Value = serde_json::from_str(&written).unwrap();
        let mut sum = 0.0;
        components(&value, &mut sum);
        let expected: f64 = found
            .interfaces
            .iter()
            .zip(&forces)
            .flat_map(|(it, forces)| forces.iter().map(|force| force.dot(it.normal)))
            .sum();
        assert!((sum - expected).abs() < 1e-9 * expected, "{name}: {sum} is not {expected}");
    }
}

/// The sum of all normal components in a file.
fn components(value: &serde_json::Value, sum: &mut f64) {
    match value {
        serde_json::Value::Object(members) => {
            *sum += members.get("c_np").and_then(serde_json::Value::as_f64).unwrap_or(0.0);
            members.values().for_each(|member| components(member, sum));
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| components(item, sum)),
        _ => {}
    }
}

const OBJ: &str = "# two boxes
o ground
v 0 0 -1\nv 1 0 -1\nv 0 1 -1\nv 1 1 -1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0
f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6
g top box
v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1
f -8/1/1 -6 -5 -7\nf 13//2 14 16 15\nf 9 10 14 13\nf 11 15 16 12\nf 9 13 15 11\nf 10 12 16 14
";

#[test]
fn obj_groups_are_blocks() {
    let options = Options { fixed: vec!["ground".into()], unit: Some(0.001), ..rough() };
    let found = read::parse(OBJ, "two.obj", &options).unwrap();
    let names: Vec<&str> = found.blocks.iter().map(|block| block.name.as_str()).collect();
    assert_eq!((names, found.contact_count()), (vec!["ground", "top box"], 4));
    assert!((found.blocks[1].mass - 1e-9).abs() < 1e-20);
    for (from, to, expected) in [
        ("f 1 3 4 2", "f 1 3 4 99", "two.obj:11: f: names vertex \"99\", but there are 8"),
        ("v 1 1 0\nf", "v 1 x 0\nf", "two.obj:10: v: has \"x\", needs three numbers"),
        ("f 1 5 7 3\n", "", "two.obj:11: ground: has an edge"),
        (
            "g top box\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n",
            "v 0 0 0.5\nv 1 0 0.5\nv 0 1 0.5\nv 1 1 0.5\n",
            "two.obj:2: ground: has separate surfaces",
        ),
    ] {
        let text = OBJ.replacen(from, to, 1);
        assert_ne!(text, OBJ);
        let message = fault(&text, "two.obj", &options);
        assert!(message.contains(expected), "{expected}\n{message}");
    }
}

const BOXES: &str =
    "name, size_x_mm, size_y_mm, size_z_mm, corner_x, corner_y, corner_z, mass, fixed
pallet, 1200, 800, 144, 0, 0, -0.144, , yes
a, 600, 400, 300, 0, 0, 0, 12.5,
b, 600, 400, 300, 0, 0, 0.3, 3,
";

#[test]
fn lists_of_boxes_are_read() {
    let found = read::parse(BOXES, "load.csv", &rough()).unwrap();
    assert_eq!((found.blocks.len(), found.contact_count()), (3, 8));
    assert_eq!((found.blocks[1].mass, found.blocks[0].fixed), (12.5, true));
    let list = r#"[{"name": "pallet", "size": [12, 8, 1], "corner": [0, 0, -1], "fixed": true},
        {"name": "a", "size": [6, 4, 3], "centre": [3, 2, 1.5], "mass": 12.5}]"#;
    let found = read::parse(list, "list.json", &Options { unit: Some(0.1), ..rough() }).unwrap();
    assert_eq!(found.contact_count(), 4);
    assert!(found.blocks[1].centre.distance(DVec3::new(0.3, 0.2, 0.15)) < 1e-15);
    for (from, to, expected) in [
        ("size_x_mm", "size_x_mmm", "load.csv:1: size_x_mmm: \"mmm\" is not a unit of length"),
        ("size_x_mm", "size_x_mmm", "did you mean \"mm\"?"),
        ("corner_x", "x", "load.csv:1: x: may be the corner or the centre"),
        ("corner_z, ", "", "corner_z: is missing in the header"),
        ("fixed", "fxed", "fxed: is not a column"),
        ("12.5", "heavy", "load.csv:3: mass: is \"heavy\", must be a number"),
        ("12.5", "0", "load.csv:3: mass: is 0, must be positive"),
        ("12.5", "", "load.csv:3: : has neither density nor mass"),
        ("a, 600", "a, -600", "load.csv:3: size: is [-0.6, 0.4, 0.3]"),
        ("a, 600,", "a,", "load.csv:3: line: has 8 cells, the header 9"),
        (", yes", "20, no", "no block is fixed"),
        ("0.3, 3", "0.2, 3", "overlap by 1.000e-1 m"),
    ] {
        let text = BOXES.replacen(from, to, 1);
        assert_ne!(text, BOXES);
        let message = fault(&text, "load.csv", &Options { density: None, ..rough() });
        assert!(message.contains(expected), "{expected}\n{message}");
    }
}

#[test]
fn scenes_are_assemblies_of_their_first_instant() {
    let scene = |text: &str| stiction::scene::Scene::parse(text, "scene").unwrap();
    let pile = "
        [[body]]\nname = 'ground'\nground = true
        [[body]]\nname = 'box'\nbox = [1, 1, 1]\nat = [0, 0, 0.5]\ndensity = 2
        [[body]]\nname = 'drum'\ncylinder = { radius = 0.3, length = 1 }\nat = [0, 0, 1.5]\ndensity = 2";
    let found = read::of_scene(&scene(pile), "pile", &rough()).unwrap();
    assert_eq!(found.blocks.len(), 3);
    assert!(found.floating().is_empty());
    assert!(found.interfaces.iter().all(|it| it.friction == 0.6 && it.normal.z.abs() > 0.999));
    let joint = "[[joint]]\nname = 'string'\ntype = 'distance'\na = 'box'\nanchor = [0, 0, 0.5]\nanchor_b = [0, 0, 9]";
    let hung = scene(&format!("{pile}\n{joint}"));
    let message = read::of_scene(&hung, "pile", &rough()).unwrap_err().to_string();
    assert!(message.contains("joint \"string\": statics has no joints"), "{message}");
}
