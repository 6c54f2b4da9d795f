//! Models that are refused say where and why; none of them ends the program or takes long.

use std::path::{Path, PathBuf};
use stiction_models::{Shelf, read};

const HERE: Shelf<'static> = Shelf { folder: None, anywhere: false };

fn refusal(text: &str) -> String {
    match read(text, "m.xml", HERE) {
        Err(error) => error.to_string(),
        Ok(model) => panic!("{text}: was read: {model:?}"),
    }
}

/// A body of the world with this inside.
fn body(inside: &str) -> String {
    format!("<mujoco>\n<worldbody>\n<body name=\"b\">\n{inside}\n</body>\n</worldbody>\n</mujoco>")
}

/// What is in a body, and part of the refusal.
const FAULTS: &[(&str, &str)] = &[
    (
        "<freejoint/><geom size=\"x\"/>",
        "m.xml:4: geom.size: is \"x\", must be 1 to 3 finite numbers",
    ),
    ("<freejoint/><geom size=\"nan\"/>", "m.xml:4: geom.size: is \"nan\", must be 1 to 3 finite"),
    ("<freejoint/><geom size=\"0\"/>", "m.xml:4: geom: needs a positive size[0]"),
    (
        "<freejoint/><geom size=\"1\" density=\"-1\"/>",
        "geom.density: is \"-1\", must be zero or more",
    ),
    ("<freejoint/><geom type=\"hfield\"/>", "is of type \"hfield\", which is none of sphere"),
    (
        "<freejoint/><geom type=\"mesh\" mesh=\"m\"/>",
        "geom.mesh: is \"m\", a mesh that is not there",
    ),
    ("<freejoint/><geom class=\"c\" size=\"1\"/>", "is of the class \"c\", which is not defined"),
    (
        "<freejoint/><geom size=\"1\" quat=\"0 0 0 0\"/>",
        "geom.quat: is \"0 0 0 0\", must be a rotation",
    ),
    ("<freejoint/><geom size=\"1\" quat=\"1 0 0 0\" euler=\"1 0 0\"/>", "is a second orientation"),
    ("<freejoint/><geom type=\"box\" size=\"1 1\" fromto=\"1 1 1 1 1 1\"/>", "must be two points"),
    ("<freejoint/><geom size=\"1\" shellinertia=\"true\"/>", "shellinertia is not read"),
    ("<freejoint/>", "m.xml:3: body \"b\": moves, but has no mass"),
    (
        "<joint/><freejoint/><geom size=\"1\"/>",
        "belongs to bodies of the world without other joints",
    ),
    ("<joint axis=\"0 0 0\"/><geom size=\"1\"/>", "joint.axis: is \"0 0 0\", must be a direction"),
    (
        "<joint range=\"2 1\"/><geom size=\"1\"/>",
        "joint.range: is \"2 1\", must be two numbers, the least first",
    ),
    ("<joint type=\"screw\"/><geom size=\"1\"/>", "must be one of hinge, slide, ball, free"),
    (
        "<joint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 3\"/>",
        "are not those of a rigid body",
    ),
    ("<joint/><inertial pos=\"0 0 0\" mass=\"1\"/>", "inertial: needs diaginertia or fullinertia"),
    ("<joint/><geom size=\"1\"/><body name=\"b\"/>", "has the name of another body"),
    ("<composite type=\"cable\"/>", "composite: is not read: it changes what bodies there are"),
    ("<replicate count=\"3\"/>", "replicate: is not read"),
];

#[test]
fn faults_of_mjcf_name_line_element_and_value() {
    for (inside, expected) in FAULTS {
        let said = refusal(&body(inside));
        assert!(said.contains(expected), "{inside}: {said}");
    }
}

#[test]
fn faults_of_urdf_name_line_element_and_value() {
    let link = |name: &str| format!("<link name=\"{name}\"/>");
    let joint = |a: &str, b: &str| {
        format!(
            "<joint name=\"{a}{b}\" type=\"fixed\"><parent link=\"{a}\"/><child link=\"{b}\"/></joint>"
        )
    };
    let all = |parts: &[String]| format!("<robot name=\"r\">\n{}\n</robot>", parts.join("\n"));
    for (text, expected) in [
        (all(&[link("a"), link("a")]), "m.xml:3: link \"a\": has the name of another link"),
        (all(&[link("a"), joint("a", "b")]), "child.link: is \"b\", a link that is not there"),
        (all(&[link("a"), link("b")]), "needs one link that no joint holds"),
        (
            all(&[link("a"), link("b"), joint("a", "b"), joint("b", "a")]),
            "needs one link that no joint holds",
        ),
        (
            all(&[link("a"), link("b"), link("c"), joint("b", "c"), joint("c", "b")]),
            "some links hang from each other in a ring",
        ),
        (
            all(&[link("a"), link("b"), joint("a", "b"), joint("a", "b")]),
            "link \"b\" has two parents",
        ),
        (all(&[]), "needs one link"),
    ] {
        let said = refusal(&text);
        assert!(said.contains(expected), "{text}: {said}");
    }
}

#[test]
fn bombs_are_refused() {
    let laughs = "<!DOCTYPE m [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]><mujoco>&b;</mujoco>";
    assert!(refusal(laughs).contains("m.xml:1: is not XML that is read"), "{}", refusal(laughs));
    let outside = "<!DOCTYPE m [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><mujoco model=\"&a;\"/>";
    assert!(refusal(outside).contains("is not XML that is read"));
    let deep =
        format!("<mujoco>{}{}</mujoco>", "<body>".repeat(300_000), "</body>".repeat(300_000));
    assert!(refusal(&deep).contains("more than 200 elements are inside each other"));
    let deeper = format!("<mujoco>{}", "<body>".repeat(1_000_000));
    assert!(refusal(&deeper).contains("is not XML that is read"));
    let many = format!("<mujoco>{}</mujoco>", "<camera/>".repeat(1_000_001));
    assert!(refusal(&many).contains("is not XML that is read"));
    for broken in ["<", "<mujoco", "<mujoco><a></mujoco>", "<a/><b/>", "", "<sdf/>", "<mujoco \0/>"]
    {
        let _ = refusal(broken);
    }
}

/// A folder of its own for files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("stiction-models-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("a file");
    }
    folder
}

fn refused_in(folder: &Path, text: &str) -> String {
    let shelf = Shelf { folder: Some(folder), anywhere: false };
    read(text, "m.xml", shelf).expect_err("a refusal").to_string()
}

#[test]
fn files_are_below_the_folder_and_included_once() {
    let folder = folder(
        "include",
        &[
            ("self.xml", "<mujoco><include file=\"self.xml\"/></mujoco>"),
            ("a.xml", "<mujoco><include file=\"b.xml\"/></mujoco>"),
            ("b.xml", "<mujoco>\n<include file=\"a.xml\"/></mujoco>"),
            ("twice.xml", "<mujoco><size/></mujoco>"),
        ],
    );
    let include = |name: &str| format!("<mujoco><include file=\"{name}\"/></mujoco>");
    for (text, expected) in [
        (include("self.xml"), "self.xml:1: include: is \"self.xml\", which is included already"),
        (include("a.xml"), "b.xml:2: include: is \"a.xml\", which is included already"),
        (include("none.xml"), "m.xml:1: include: is \"none.xml\": No such file"),
        (
            include("/etc/passwd"),
            "m.xml:1: include.file: is \"/etc/passwd\", which is not below the folder",
        ),
        (
            include("../x.xml"),
            "which is not below the folder of the model; --allow-files-anywhere permits it",
        ),
        (include("."), "is not a regular file"),
        (
            format!("<mujoco>{0}{0}</mujoco>", "<include file=\"twice.xml\"/>"),
            "is included already",
        ),
    ] {
        let said = refused_in(&folder, &text);
        assert!(said.contains(expected), "{text}: {said}");
    }
    std::fs::remove_dir_all(folder).expect("a folder");
}

#[test]
fn what_is_ignored_is_listed_with_its_lines() {
    let text = "<mujoco model=\"m\">\n<visual><map znear=\"1\"/></visual>\n<option timestep=\"0.01\"/>\n\
                <worldbody>\n<body>\n<freejoint/>\n<geom size=\"1\" rgba=\"1 0 0 1\" solref=\"0.1 1\"/>\n\
                <geom size=\"1\" rgba=\"1 0 0 1\" condim=\"6\"/><camera/>\n</body>\n</worldbody>\n\
                <actuator><motor joint=\"j\"/></actuator></mujoco>";
    let model = read(text, "m.xml", HERE).expect("a model");
    let said: Vec<String> = model.ignored.iter().map(ToString::to_string).collect();
    let expected = [
        "geom.condim of 4 and 6 (m.xml, line 8): friction against spinning and rolling is not modelled",
        "<visual> (m.xml, line 2)",
        "<map> (m.xml, line 2)",
        "option.timestep (m.xml, line 3)",
        "geom.rgba (m.xml, lines 7, 8)",
        "geom.solref (m.xml, line 7)",
        "<camera> (m.xml, line 8)",
        "<actuator> (m.xml, line 11)",
        "<motor> (m.xml, line 11)",
    ];
    assert_eq!(said, expected);
}

#[test]
fn a_chain_of_bodies_may_be_long() {
    let link = "<body pos=\"0 0 -0.1\"><joint axis=\"0 1 0\"/><geom size=\"0.04\"/>";
    let text = format!(
        "<mujoco><worldbody>{}{}</worldbody></mujoco>",
        link.repeat(180),
        "</body>".repeat(180)
    );
    let model = read(&text, "m.xml", HERE).expect("a model");
    assert_eq!(model.bodies.len(), 180);
    assert_eq!(model.apart.len(), 179, "neighbours do not touch; the first hangs from the world");
}

#[test]
fn a_joint_that_begins_outside_its_range_is_listed() {
    let inside = "<joint name=\"j\" axis=\"0 1 0\" range=\"-90 -10\"/><geom size=\"1\"/>";
    let model = read(&body(inside), "m.xml", HERE).expect("a model");
    let said: Vec<String> = model.ignored.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["range of joint \"j\" (m.xml, line 4): it is not met at the start"]);
}
