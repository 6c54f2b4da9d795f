//! Rules of the architecture that the compiler does not check: one place per decision, and
//! steppers whose fields live from step to step.

use std::path::{Path, PathBuf};

/// Fields, and why they are kept.
type Reasons = &'static [(&'static str, &'static str)];

/// What each field of a stepper is kept for from one step to the next. What lives only during a
/// step belongs to a local variable or to a type that the step makes.
const KEPT: [(&str, &str, Reasons); 5] = [
    (
        "time_stepping.rs",
        "TimeStepping",
        &[
            ("runner", "solvers"),
            ("clusters", "bodies that met or may meet, and what is known of them"),
            ("unmoved", "a step in which nothing moved is the next one, too"),
            ("ledger", "the energy ledger of the run"),
        ],
    ),
    (
        "time_stepping/cluster.rs",
        "Cluster",
        &[
            ("bodies", "which cluster it is"),
            ("joints", "the same"),
            ("world", "shapes and masses, copied once"),
            ("memory", "what its next step starts from"),
            ("forces", "the last answers, from which the next start"),
            ("outcome", "a step in which nothing moved is the next one, too"),
        ],
    ),
    (
        "time_stepping/runner.rs",
        "Memory",
        &[
            ("detector", "what was found of pairs that do not move"),
            ("prediction", "accelerations and forces of joints, from which pieces start"),
            ("resting", "islands that rest, and their certified forces"),
            ("trusted", "a length of pieces in which joints hold and ledgers close"),
            ("wait", "pieces before a longer one is tried"),
            ("patience", "how many after the next that fails"),
            ("withheld_splits", "bodies that chatter get fewer splits in the next step"),
            ("unmoved", "a step in which nothing moved is the next one, too"),
        ],
    ),
    (
        "event_driven.rs",
        "EventDriven",
        &[
            ("tolerance", "a setting"),
            ("threshold", "a setting"),
            ("session", "forces of the last answers, from which the next start"),
            ("central", "the same for forces well inside their cones"),
            ("detector", "buffers of the broad phase"),
            ("fallback", "time-stepping, with what it keeps"),
            ("fallback_length", "intervals that it takes over grow if they follow each other"),
            ("fallback_until", "such an interval may go on in the next step"),
            ("asleep", "bodies that rest"),
            ("resting", "their contacts, as they were certified"),
            ("resting_rows", "rows of their joints"),
            ("modes", "smooth motion that continues in the next step"),
            ("length", "of the next step of the integrator"),
            ("ledger", "the energy ledger of the run"),
            ("hash", "whether the world was changed between steps"),
            ("slipped", "an event may end a step: what slipped in it"),
            ("stopped", "what stopped in it"),
            ("pending", "what it seemed to be"),
            ("progress", "of the integrator since the last event"),
            ("event_budget", "recovers from step to step"),
            ("carries", "contacts that carry force, which an event counts for"),
        ],
    ),
    (
        "first_order.rs",
        "FirstOrder",
        &[
            ("session", "forces of the last answers, from which the next start"),
            ("repairing", "the same for repairs"),
            ("detector", "buffers of the broad phase"),
        ],
    ),
];

/// Where a `ContactProblem` is made: for steppers in one place, and by the judges of motion and of
/// uniqueness, which share nothing with steppers.
const MAKERS: [&str; 3] = ["assemble.rs", "motion/unique.rs", "unique.rs"];

/// What a contact does is computed in one file.
const KINEMATICS: [&str; 5] =
    ["fn relative(", "fn separation(", "fn slip(", "fn tangential(", "fn drift("];

fn source(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path);
    std::fs::read_to_string(&path).expect("a source file")
}

/// Every file of the crate, named from `src`.
fn files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut found): (Vec<PathBuf>, Vec<_>) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(&root).expect("below src").display().to_string();
                found.push((name, std::fs::read_to_string(&path).expect("text")));
            }
        }
    }
    found.sort();
    found
}

/// The fields of a struct in a source text, in order.
fn fields(text: &str, name: &str) -> Vec<String> {
    let start = text.find(&format!("struct {name} {{")).expect("the struct");
    let body = text[start..].lines().skip(1).take_while(|line| *line != "}");
    let code = body.map(str::trim).filter(|line| !line.starts_with("//"));
    let field = |line: &str| {
        let (name, _) = line.split_once(':')?;
        Some(name.rsplit(' ').next()?.to_owned())
    };
    code.filter_map(field).collect()
}

#[test]
fn fields_of_steppers_live_from_step_to_step() {
    for (file, stepper, kept) in KEPT {
        let expected: Vec<&str> = kept.iter().map(|(field, _)| *field).collect();
        let found = fields(&source(file), stepper);
        assert_eq!(
            found, expected,
            "{stepper}: say what a new field is kept for, or make it local"
        );
        assert!(kept.iter().all(|(_, reason)| !reason.is_empty()));
    }
}

#[test]
fn problems_are_made_in_one_place() {
    let makes = |text: &str| text.contains("ContactProblem::new(");
    let makers: Vec<String> =
        files().into_iter().filter(|(_, text)| makes(text)).map(|(name, _)| name).collect();
    assert_eq!(makers, MAKERS);
    assert_eq!(source("assemble.rs").matches("ContactProblem::new(").count(), 1);
}

#[test]
fn kinematics_of_contacts_are_in_one_file() {
    for (name, text) in files() {
        let of_the_judge = name.starts_with("motion/") || name == "motion.rs";
        let of_joints = name.starts_with("joint/");
        if of_the_judge || of_joints || ["kinematics.rs", "touching.rs"].contains(&name.as_str()) {
            continue;
        }
        for function in KINEMATICS {
            let defines = |line: &str| {
                let line = line.trim_start();
                let line = line.trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
                line.starts_with(function)
            };
            assert!(!text.lines().any(defines), "{name} defines {function}: see kinematics.rs");
        }
    }
}

/// The tolerances that say what touches stand together, below one another.
#[test]
fn touching_is_defined_in_one_place() {
    let touching = source("touching.rs");
    let value = |name: &str| -> f64 {
        let line = touching.lines().find(|line| line.contains(&format!("const {name}: f64")));
        let text = line.and_then(|line| line.split(" = ").nth(1)).expect("a constant");
        text.trim_end_matches(';').parse().expect("a number")
    };
    let bounds = ["OVERLAP", "TOUCH", "NEAR", "BESIDE"].map(value);
    assert!(bounds.windows(2).all(|pair| 50.0 * pair[0] <= pair[1]), "{bounds:?}");
    for (name, text) in files() {
        let event_driven = name.starts_with("event_driven/");
        let free = name.starts_with("motion") || name == "touching.rs" || event_driven;
        for constant in ["OVERLAP", "TOUCH", "NEAR", "BESIDE"] {
            let defined = text.contains(&format!("const {constant}: f64"));
            assert!(free || !defined, "{name} defines {constant}: see touching.rs");
        }
    }
}
