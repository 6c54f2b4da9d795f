//! Joints of scenes that are refused: every message names line, field, value and what is wrong.

mod common;

use common::check_fault;

/// The same for joints of two balls, whose tables come before.
const JOINT_FAULTS: &[(&str, usize, &str, &str)] = &[
    ("a = \"x\"", 2, "joint[0]", "needs name"),
    ("name = \"j\"\na = \"x\"\nanchor = [0, 0, 0]", 2, "joint \"j\"", "needs type"),
    ("name = \"j\"\ntype = \"glue\"", 4, "joint \"j\".type", "\"point-on-plane\""),
    ("name = \"j\"\ntype = \"ball\"\nanchor = [0, 0, 0]", 2, "joint \"j\"", "needs a"),
    (
        "name = \"j\"\ntype = \"ball\"\na = \"z\"\nanchor = [0, 0, 0]",
        5,
        "joint \"j\".a",
        "is \"z\", an unknown body",
    ),
    (
        "name = \"j\"\ntype = \"ball\"\na = \"x\"\nb = \"z\"\nanchor = [0, 0, 0]",
        6,
        "joint \"j\".b",
        "an unknown body",
    ),
    (
        "name = \"j\"\ntype = \"ball\"\na = \"x\"\nb = \"x\"\nanchor = [0, 0, 0]",
        2,
        "joint \"j\"",
        "joins \"x\" to itself",
    ),
    ("name = \"j\"\ntype = \"ball\"\na = \"x\"", 2, "joint \"j\"", "needs anchor"),
    (
        "name = \"j\"\ntype = \"hinge\"\na = \"x\"\nanchor = [0, 0, 0]",
        2,
        "joint \"j\"",
        "needs axis",
    ),
    (
        "name = \"j\"\ntype = \"hinge\"\na = \"x\"\nanchor = [0, 0, 0]\naxis = [0, 0, 0]",
        7,
        "joint \"j\".axis",
        "must be a direction",
    ),
    (
        "name = \"j\"\ntype = \"ball\"\na = \"x\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]",
        7,
        "joint \"j\".axis",
        "is not a key",
    ),
    (
        "name = \"j\"\ntype = \"ball\"\na = \"x\"\nanchor = [0, 0, 0]\nlimits = [0, 1]",
        7,
        "joint \"j\".limits",
        "cannot have limits",
    ),
    (
        "name = \"j\"\ntype = \"ball\"\na = \"x\"\nanchor = [0, 0, 0]\nmotor = { force = 1 }",
        7,
        "joint \"j\".motor",
        "cannot have a motor",
    ),
    (
        "name = \"j\"\ntype = \"ball\"\na = \"x\"\nanchor = [0, 0, 0]\nfriction = 1",
        2,
        "joint \"j\"",
        "cannot have friction",
    ),
    (
        "name = \"j\"\ntype = \"slider\"\na = \"x\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\nlimits_deg = [0, 1]",
        8,
        "joint \"j\".limits_deg",
        "belongs to hinges",
    ),
    (
        "name = \"j\"\ntype = \"slider\"\na = \"x\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\nlimits = [1, 0]",
        8,
        "joint \"j\".limits",
        "the least first",
    ),
    (
        "name = \"j\"\ntype = \"slider\"\na = \"x\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\nlimits = [inf, inf]",
        2,
        "joint \"j\"",
        "limits",
    ),
    (
        "name = \"j\"\ntype = \"slider\"\na = \"x\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = { speed_deg = 1 }",
        8,
        "joint \"j\".motor.speed_deg",
        "belongs to hinges",
    ),
    (
        "name = \"j\"\ntype = \"slider\"\na = \"x\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = { greatest = 1 }",
        8,
        "joint \"j\".motor",
        "needs one of speed",
    ),
    (
        "name = \"j\"\ntype = \"slider\"\na = \"x\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = { speed = 1, greatest = -1 }",
        8,
        "joint \"j\".motor.greatest",
        "zero or more",
    ),
    (
        "name = \"j\"\ntype = \"slider\"\na = \"x\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = { force = 1, greatest = 1 }",
        8,
        "joint \"j\".motor.greatest",
        "is not a key",
    ),
    (
        "name = \"j\"\ntype = \"distance\"\na = \"x\"\nb = \"y\"\nanchor = [0, 0, 0]",
        2,
        "joint \"j\"",
        "needs anchor_b",
    ),
    (
        "name = \"j\"\ntype = \"distance\"\na = \"x\"\nb = \"y\"\nanchor = [0, 0, 0]\nanchor_b = [0, 0, 0]",
        2,
        "joint \"j\"",
        "too short",
    ),
    (
        "name = \"j\"\ntype = \"distance\"\na = \"x\"\nb = \"y\"\nanchor = [0, 0, 0]\nanchor_b = [0, 0, 3]\nlength = 2",
        9,
        "joint \"j\".length",
        "the distance of its anchors, 3 m",
    ),
    (
        "name = \"j\"\ntype = \"universal\"\na = \"x\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\naxis_b = [0, 1, 1]",
        8,
        "joint \"j\".axis_b",
        "perpendicular",
    ),
    (
        "name = \"j\"\ntype = \"ball\"\na = \"x\"\nanchor = [0, 0, 0]\n[[joint]]\nname = \"j\"\ntype = \"ball\"\na = \"x\"\nanchor = [0, 0, 0]",
        8,
        "joint \"j\".name",
        "as another joint is called",
    ),
    (
        "name = \"j\"\ntype = \"ball\"\na = \"x.{i}\"\nanchor = [0, 0, 0]\nrepeat = { count = 2, step = [1, 0, 0] }",
        5,
        "joint \"j\".a",
        "is \"x.0\", an unknown body",
    ),
];

#[test]
fn every_fault_names_its_line_its_field_and_what_is_wrong() {
    let balls = "body = [{ name = \"x\", ball = 1 }, { name = \"y\", ball = 1 }]\n[[joint]]\n";
    for (text, line, field, part) in JOINT_FAULTS {
        check_fault(&format!("{balls}{text}"), *line, field, part);
    }
}
