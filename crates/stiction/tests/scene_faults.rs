//! Scenes that are refused: every message names line, field, value and what is wrong.

mod common;

use common::check_fault;
use stiction::scene::{Scene, SceneError};

/// Text of a scene, line of the fault, field, and a part of the message.
const FAULTS: &[(&str, usize, &str, &str)] = &[
    // Keys and types.
    ("tilte = \"a\"", 1, "tilte", "is not a key of this table"),
    ("\n[run]\nuntil = 1\nuntill = 2", 4, "run.untill", "dt, solver, stepper, until"),
    ("[[body]]\nname = \"a\"\nball = 1\ncolour = 3", 4, "body \"a\".colour", "is not a key"),
    ("title = 3", 1, "title", "is 3, must be text in quotes"),
    ("gravity = 9.81", 1, "gravity", "is 9.81, must be a list of 3 numbers"),
    ("gravity = [0, 0]", 1, "gravity", "must be a list of 3 numbers"),
    ("gravity = [0,\n0,\n\"x\"]", 3, "gravity[2]", "must be a finite number"),
    ("gravity = [0, 0, nan]", 1, "gravity[2]", "is nan, must be a finite number"),
    ("gravity = [0, 0, 1e999]", 1, "gravity[2]", "must be a finite number"),
    ("body = 3", 1, "body", "must be a list"),
    ("body = [3]", 1, "body[0]", "must be a table"),
    ("run = 3", 1, "run", "must be a table"),
    ("impacts = \"none\"", 1, "impacts", "one of \"simultaneous\", \"propagation\""),
    ("planar = \"zz\"", 1, "planar", "one of \"xz\", \"xy\", \"yz\""),
    ("planar = [0, 0, 0]", 1, "planar", "must be a direction"),
    ("[run]\nstepper = \"fast\"", 2, "run.stepper", "\"time-stepping\""),
    ("[run]\nsolver = \"magic\"", 2, "run.solver", "\"dantzig\""),
    ("[run]\nsolver = \"dantzg\"", 2, "run.solver", "did you mean \"dantzig\"?"),
    ("[run]\nsolvr = \"auto\"", 2, "run.solvr", "did you mean \"solver\"?"),
    // Parameters of the papers' methods.
    ("solver = \"auto\"", 1, "solver", "must be a table"),
    ("[solver]\nprecision = 1e-6", 2, "solver.precision", "auto has no parameter precision"),
    (
        "[run]\nsolver = \"energy\"\n[solver]\nprecision = 1e-6\nepsilon = 0.1",
        5,
        "solver.epsilon",
        "energy has no parameter epsilon; threshold has it",
    ),
    (
        "[run]\nsolver = \"energy\"\n[solver]\nprecision = 2",
        4,
        "solver.precision",
        "is 2, must be a number above 0, at most 1",
    ),
    (
        "[run]\nsolver = \"energy\"\n[solver]\nprecision = \"1e-3\"",
        4,
        "solver.precision",
        "must be a finite number",
    ),
    (
        "[run]\nsolver = \"energy\"\n[solver]\niterations = 2.5",
        4,
        "solver.iterations",
        "is 2.5, must be a whole number from 1 to 1000000",
    ),
    (
        "[run]\nsolver = \"energy\"\n[solver]\ntime = 0",
        4,
        "solver.time",
        "is 0, must be a number above 0",
    ),
    (
        "[run]\nsolver = \"lp\"\n[solver]\nnorm = \"three\"",
        4,
        "solver.norm",
        "is \"three\", must be one or two",
    ),
    (
        "[run]\nsolver = \"dantzig\"\n[solver]\ninitial = 0",
        4,
        "solver.initial",
        "must be text in quotes",
    ),
    (
        "[run]\nsolver = \"energy\"\n[solver]\nprecison = 1e-6",
        4,
        "solver.precison",
        "did you mean \"precision\"?",
    ),
    ("[run]\nuntil = -1", 2, "run.until", "is -1, must be positive"),
    ("[run]\ndt = 0", 2, "run.dt", "is 0, must be positive"),
    // Materials.
    ("[[material]]\nfriction = 1", 1, "material[0]", "needs name"),
    ("[[material]]\nname = \"a\"\nfriction = -1", 3, "material \"a\".friction", "zero or more"),
    ("[[material]]\nname = \"a\"\nrestitution = 2", 3, "material \"a\".restitution", "from 0 to 1"),
    (
        "[[material]]\nname = \"a\"\nfriction = 1\ndynamic_friction = 1",
        4,
        "material \"a\".dynamic_friction",
        "excludes friction",
    ),
    (
        "[[material]]\nname = \"a\"\nstatic_friction = 1\ndynamic_friction = 2",
        4,
        "material \"a\".dynamic_friction",
        "at most the static friction, 1",
    ),
    (
        "[[material]]\nname = \"a\"\n[[material]]\nname = \"a\"",
        4,
        "material \"a\".name",
        "as another is called",
    ),
    (
        "[[pair]]\nmaterials = [\"x\", \"default\"]",
        2,
        "pair[0].materials[0]",
        "an unknown material (defined: default",
    ),
    ("[[pair]]\nmaterials = [\"default\"]", 2, "pair[0].materials", "two materials"),
    // Bodies.
    ("[[body]]\nball = 1", 1, "body[0]", "needs name"),
    ("[[body]]\nname = \"\"\nball = 1", 2, "body[0].name", "must be a name"),
    (
        "[[body]]\nname = \"a\"\nball = 1\n[[body]]\nname = \"a\"\nball = 1",
        5,
        "body \"a\".name",
        "as another body is called",
    ),
    ("[[body]]\nname = \"a\"", 1, "body \"a\"", "so it needs mass and inertia"),
    ("[[body]]\nname = \"a\"\nmass = 2", 1, "body \"a\"", "has no shape"),
    ("[[body]]\nname = \"a\"\nball = 1\nbox = [1, 1, 1]", 3, "body \"a\".ball", "excludes box"),
    ("[[body]]\nname = \"a\"\nbox = [1, 1, -1]", 3, "body \"a\".box", "three positive sizes"),
    ("[[body]]\nname = \"a\"\nball = 0", 3, "body \"a\".ball", "must be positive"),
    ("[[body]]\nname = \"a\"\ncapsule = { length = 1 }", 3, "body \"a\".capsule", "needs radius"),
    (
        "[[body]]\nname = \"a\"\ncone = { length = 1, radius = 1, height = 2 }",
        3,
        "body \"a\".cone.height",
        "length, radius",
    ),
    ("[[body]]\nname = \"a\"\npoints = [[0, 0, 0], [1, 0, 0]]", 3, "body \"a\".points", ""),
    (
        "[[body]]\nname = \"a\"\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]",
        3,
        "body \"a\".points",
        "",
    ),
    (
        "[[body]]\nname = \"a\"\npolygon = [[0, 0], [1, 0], [0, 1]]",
        3,
        "body \"a\".polygon",
        "needs depth",
    ),
    (
        "depth = 1\n[[body]]\nname = \"a\"\npolygon = [[0, 0], [2, 0], [0.5, 0.5], [0, 2]]",
        4,
        "body \"a\".polygon",
        "convex",
    ),
    (
        "depth = 1\n[[body]]\nname = \"a\"\npolygon = [[0, 1], [0.6, -0.8], [-0.95, 0.3], [0.95, 0.3], [-0.6, -0.8]]",
        4,
        "body \"a\".polygon",
        "convex",
    ),
    ("depth = 1\n[[body]]\nname = \"a\"\npolygon = []", 4, "body \"a\".polygon", "convex"),
    (
        "depth = 1\nplanar = [1, 1, 0]\n[[body]]\nname = \"a\"\npolygon = [[0, 0], [1, 0], [0, 1]]",
        5,
        "body \"a\".polygon",
        "needs planar",
    ),
    ("[[body]]\nname = \"a\"\nball = 1\ndepth = 1", 4, "body \"a\".depth", "belongs to polygon"),
    ("[[body]]\nname = \"a\"\nparts = []", 3, "body \"a\".parts", "a list of shapes"),
    (
        "[[body]]\nname = \"a\"\nparts = [{ at = [0, 0, 0] }]",
        3,
        "body \"a\".parts[0]",
        "needs one of box",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\nparts = [{ ball = 1 }]",
        4,
        "body \"a\".parts",
        "excludes a shape",
    ),
    ("[[body]]\nname = \"a\"\nground = false", 3, "body \"a\".ground", "true, or be left out"),
    ("[[body]]\nname = \"a\"\nmesh = \"missing.obj\"", 3, "body \"a\".mesh", "missing.obj"),
    (
        "[[body]]\nname = \"a\"\nball = 1\nturn_deg = 30",
        4,
        "body \"a\".turn_deg",
        "the scene planar",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\nturn_deg = { angle = 30 }",
        4,
        "body \"a\".turn_deg",
        "needs axis",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\ndensity = 1\nmass = 1",
        5,
        "body \"a\".mass",
        "excludes density",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\nmass = -1",
        4,
        "body \"a\".mass",
        "is -1, must be positive",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\ninertia = [1, 0, 1]",
        4,
        "body \"a\".inertia",
        "three positive moments",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\nmaterial = \"x\"",
        4,
        "body \"a\".material",
        "an unknown material (defined: default",
    ),
    ("[[body]]\nname = \"a\"\nball = 1\nlevels = [0]", 4, "body \"a\".levels[0]", "from 1 to 64"),
    ("[[body]]\nname = \"a\"\nball = 1\nlevels = []", 4, "body \"a\".levels", "a list of levels"),
    ("[[body]]\nname = \"a\"\nball = 1\nfixed = 1", 4, "body \"a\".fixed", "true or false"),
    (
        "[[body]]\nname = \"a\"\nball = 1\nfixed = true\nvelocity = [1, 0, 0]",
        5,
        "body \"a\".velocity",
        "forces do not move",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\nfixed = true\ndrive = { position = 1, along = [1, 0, 0] }",
        5,
        "body \"a\".drive",
        "excludes fixed",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\nangular_velocity = [1, 0, 0]\nangular_velocity_deg = [1, 0, 0]",
        4,
        "body \"a\".angular_velocity",
        "excludes angular_velocity_deg",
    ),
    (
        "planar = \"xz\"\n[[body]]\nname = \"a\"\nball = 1\nvelocity = [0, 1, 0]",
        5,
        "body \"a\".velocity",
        "out of the plane",
    ),
    (
        "planar = \"xz\"\n[[body]]\nname = \"a\"\nball = 1\nangular_velocity = [1, 0, 0]",
        5,
        "body \"a\".angular_velocity",
        "not along the normal",
    ),
    (
        "planar = \"xz\"\n[[body]]\nname = \"a\"\nball = 1\nat = [0, 2, 0]",
        5,
        "body \"a\".at",
        "out of the plane",
    ),
    ("[[body]]\nname = \"a\"\nball = 1e200", 3, "body \"a\".ball", "radius"),
    (
        "[[body]]\nname = \"a\"\nheights = { spacing = [1, 1], rows = [[0, 0], [0, 0]] }",
        3,
        "body \"a\".heights",
        "fixed bodies",
    ),
    (
        "[[body]]\nname = \"a\"\nfixed = true\nheights = { spacing = [1, 1], rows = [[0, 0], [0]] }",
        4,
        "body \"a\".heights.rows",
        "different lengths",
    ),
    (
        "[[body]]\nname = \"a\"\nfixed = true\nheights = { spacing = [1, 0], rows = [[0, 0], [0, 0]] }",
        4,
        "body \"a\".heights",
        "",
    ),
    // Drives.
    (
        "[[body]]\nname = \"a\"\nball = 1\ndrive = {}",
        4,
        "body \"a\".drive",
        "needs position, angle_deg or angle",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\ndrive = { position = 1 }",
        4,
        "body \"a\".drive",
        "needs along",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\ndrive = { angle = {} }",
        4,
        "body \"a\".drive.angle",
        "a number or one of",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\ndrive = { axis = [0, 0, 1], angle = { ramp = { to = 1, start = 2, end = 1 } } }",
        4,
        "body \"a\".drive.angle",
        "ramp",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\ndrive = { axis = [0, 0, 1], angle = { table = { times = [0, 1], values = [0] } } }",
        4,
        "body \"a\".drive.angle",
        "table",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\ndrive = { axis = [0, 0, 1], angle = { sine = { amplitude = 1 } } }",
        4,
        "body \"a\".drive.angle.sine",
        "needs frequency",
    ),
    // Copies.
    (
        "[[body]]\nname = \"a\"\nball = 1\nrepeat = { count = 0, step = [1, 0, 0] }",
        4,
        "body \"a\".repeat.count",
        "from 1 to 10000",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\nrepeat = { count = 2 }",
        4,
        "body \"a\".repeat",
        "needs step",
    ),
    (
        "[[body]]\nname = \"a\"\nball = 1\nrepeat = [{ count = 999, step = [1, 0, 0] }, { count = 999, step = [1, 0, 0] }]",
        4,
        "body \"a\".repeat[1].count",
        "at most 10000 copies",
    ),
    // Springs.
    ("[[spring]]\nname = \"s\"\na = \"x\"", 3, "spring \"s\".a", "an unknown body"),
    (
        "[[body]]\nname = \"x\"\nball = 1\n[[spring]]\nname = \"s\"\na = \"x\"\nanchor = [0, 0, 0]\nanchor_b = [0, 0, 1]\nstiffness = -1",
        9,
        "spring \"s\".stiffness",
        "zero or more",
    ),
    (
        "[[body]]\nname = \"x\"\nball = 1\n[[spring]]\nname = \"s\"\na = \"x\"\nb = \"x\"",
        4,
        "spring \"s\"",
        "joins \"x\" to itself",
    ),
    // Who never touches.
    ("apart = [[\"a\", \"b\"]]", 1, "apart[0][0]", "an unknown body"),
    ("apart = [[\"a*\", \"b\"]]", 1, "apart[0][0]", "no body's name begins with \"a\""),
    ("apart = [[\"a\"]]", 1, "apart[0]", "two bodies"),
];

#[test]
fn every_fault_names_its_line_its_field_and_what_is_wrong() {
    for (text, line, field, part) in FAULTS {
        check_fault(text, *line, field, part);
    }
}

#[test]
fn broken_toml_names_its_line() {
    let error = Scene::parse("title = \"a\"\ngravity = [0,,0]\n", "test.toml").unwrap_err();
    assert!(matches!(&error, SceneError::Syntax { line: 2, .. }), "{error}");
    assert!(error.to_string().starts_with("test.toml:2: "), "{error}");
    let twice = Scene::parse("title = \"a\"\ntitle = \"b\"\n", "test.toml").unwrap_err();
    assert!(matches!(&twice, SceneError::Syntax { line: 2, .. }), "{twice}");
}

#[test]
fn a_missing_file_is_named() {
    let error = Scene::read(std::path::Path::new("no/such/scene.toml")).unwrap_err();
    assert!(matches!(error, SceneError::Io { .. }));
    assert!(error.to_string().starts_with("no/such/scene.toml: "), "{error}");
}
