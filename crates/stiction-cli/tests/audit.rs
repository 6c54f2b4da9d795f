//! `stiction audit` finds the figures of a plain recomputation (shared/data/assemblies/audit).

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

/// The figures of the files, and ours.
const NAMES: [(&str, &str); 14] = [
    ("imbalance_force_static", "imbalance_force"),
    ("imbalance_torque_static", "imbalance_torque"),
    ("imbalance_force_with_acceleration", "imbalance_force_moving"),
    ("imbalance_torque_with_acceleration", "imbalance_torque_moving"),
    ("cone_violation", "cone_violation"),
    ("tension", "tension"),
    ("max_friction_use", "friction_use"),
    ("contacts_beyond_the_cone", "contacts_beyond_the_cone"),
    ("max_normal", "largest_normal_force"),
    ("penetration_m", "penetration"),
    ("normal_force_times_gap_Nm", "normal_force_times_gap"),
    ("max_slip_m_s", "creep"),
    ("slipping_contacts_off_the_cone", "slipping_contacts_off_the_cone"),
    ("friction_power_W", "friction_power"),
];

fn audit(file: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.arg("audit").arg(file).args(more).output().expect("the program")
}

fn same(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= 1e-9 + 1e-6 * theirs.abs()
}

#[test]
fn known_violations_are_found_with_their_figures() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/assemblies/audit");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("skipped: {} is not there", folder.display());
        return;
    };
    let mut seen = 0;
    for file in files {
        let path = file.expect("a file").path();
        let expected: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).expect("a text")).expect("JSON");
        let done = audit(&path, &["--json", "--quick"]);
        let found: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        for (theirs, ours) in NAMES {
            let Some(wanted) = expected["expected"][theirs].as_f64() else { continue };
            let figure = found["figures"][ours].as_f64().expect("a figure");
            assert!(same(figure, wanted), "{}: {ours}: {figure}, not {wanted}", path.display());
            seen += 1;
        }
        let certified = found["certified"].as_bool().expect("a verdict");
        assert_eq!(done.status.code(), Some(i32::from(!certified)));
    }
    assert!(seen > 150, "only {seen} figures");
}

/// Two boxes of 2 and 1 kg on each other; forces by statics.
fn stack() -> Value {
    let body = |mass: f64, z: f64| {
        let inertia = [[0.01, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, 0.0, 0.01]];
        json!({"mass": mass, "inertia": inertia, "position": [0, 0, z], "wrench": [0, 0, -9.81 * mass, 0, 0, 0]})
    };
    let corners = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]];
    let contact = |a: i64, b: i64, z: f64, carried: f64| {
        corners.map(|[x, y]| {
            json!({"a": a, "b": b, "point": [x, y, z], "normal": [0, 0, 1], "mu": 0.5, "force": [0, 0, 9.81 * carried / 4.0]})
        })
    };
    let contacts = [contact(0, -1, 0.0, 3.0), contact(1, 0, 0.2, 1.0)].concat();
    json!({"format": "audit-1", "bodies": [body(2.0, 0.1), body(1.0, 0.3)], "contacts": contacts})
}

#[test]
fn exact_forces_pass_and_others_are_named() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stack.json");
    let write = |value: &Value| std::fs::write(&file, format!("{value:#}")).expect("a file");
    write(&stack());
    let done = audit(&file, &[]);
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success() && said.contains("certified: relative residual"), "{said}");
    let mut tampered = stack();
    tampered["contacts"][0]["force"] = json!([0, 0, -5]);
    write(&tampered);
    let done = audit(&file, &["--json"]);
    assert_eq!(done.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    // 5 N of a mean weight of 1.5 × 9.81 N, and that much more is missing from the balance.
    assert!(same(found["figures"]["tension"].as_f64().expect("it"), 5.0 / (1.5 * 9.81)));
    assert!(same(found["balance"][0][2].as_f64().expect("it"), -5.0 - 9.81 * 0.75));
    assert_eq!(found["exact"]["certified"], true);
    for (spoil, words) in [
        ("/format", "\"audit-1\""),
        ("/contacts/3/force", "contacts[3]"),
        ("/bodies/1/mass", "bodies[1]"),
        ("/contacts/0/a", "contacts[0]"),
    ] {
        let mut spoilt = stack();
        *spoilt.pointer_mut(spoil).expect("it") = json!("x");
        write(&spoilt);
        let done = audit(&file, &[]);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code() == Some(2) && said.contains(words), "{spoil}: {said}");
    }
}
