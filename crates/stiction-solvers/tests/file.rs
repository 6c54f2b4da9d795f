//! Problem files: files are read as written, and errors are located.

mod common;

use common::{Recipe, mangle, random_problem};
use stiction_formats::parse_lcp;
use stiction_solvers::file::{ProblemFile, parse_answer};
use stiction_solvers::{
    Auto, Body, Contact, ContactProblem, ContactSolver, Friction, Inertia, Level, gallery, judge,
};

#[test]
fn a_problem_is_read_as_written() {
    let recipe = Recipe {
        contacts: 8,
        mass_orders: 6.0,
        friction: true,
        sliding: true,
        rows: true,
        planar: true,
        ..Recipe::PLAIN
    };
    for seed in 0..50 {
        let problem = random_problem(seed, &recipe);
        let text = ProblemFile::from_problem(&problem, "trip").to_json();
        let file = ProblemFile::parse(&text, "trip.json").expect("our own file");
        assert_eq!(file.name(), Some("trip"));
        assert_eq!(file.problem(0).expect("valid"), problem, "seed {seed}");
        assert_eq!(ProblemFile::parse(&file.to_json(), "again").expect("our own"), file);
    }
}

/// A valid file with one body, one contact and one load.
const GOOD: &str = r#"{
  "format": "contact-1", "h": 0.01, "d": 8,
  "bodies": [
    {"mass": 2.0, "inertia": [[1,0,0],[0,1,0],[0,0,1]], "position": [0,0,1],
     "velocity": [0,0,0,0,0,0],
     "wrench": [0,0,-19.62,0,0,0], "fixed": false}
  ],
  "contacts": [
    {"a": 0, "b": -1, "point": [0,0,0],
     "normal": [0,0,1],
     "mu": 0.5}
  ],
  "loads": [
    {"body": 0, "wrench": [1,0,0,0,0,0]}
  ]
}"#;

#[test]
fn a_good_file_is_read() {
    let problem = ProblemFile::parse(GOOD, "good.json").expect("good").problem(0).expect("valid");
    assert_eq!(problem.level(), Level::Velocity);
    let free = problem.bodies()[0].free_response;
    assert!((free[0] - 0.005).abs() < 1e-15 && (free[2] + 0.0981).abs() < 1e-15, "{free:?}");
    assert_eq!(problem.contacts()[0].friction, Friction::coulomb(0.5));
}

/// Each change makes the file invalid; the message names file, line, field and value.
#[test]
fn invalid_files_are_refused_with_their_place() {
    for (what, from, to, expected) in [
        ("truncated", "\"loads\"", "\"loads", "bad.json:"),
        ("wrong type", "\"mass\": 2.0", "\"mass\": \"two\"", "bad.json:4:"),
        ("unknown key", "\"mu\": 0.5", "\"mu_\": 0.5", "contacts[0]"),
        ("missing key", "\"point\": [0,0,0],", "", "contacts[0]"),
        ("too large", "\"mu\": 0.5", "\"mu\": 1e999", "contacts[0].mu"),
        (
            "negative friction",
            "\"mu\": 0.5",
            "\"mu\": -0.5",
            "bad.json:11: contacts[0].mu: static_friction is -0.5",
        ),
        (
            "negative mass",
            "\"mass\": 2.0",
            "\"mass\": -2.0",
            "bad.json:4: bodies[0].mass: mass is -2",
        ),
        (
            "not unit",
            "[0,0,1],\n     \"mu\"",
            "[0,0,2],\n     \"mu\"",
            "bad.json:10: contacts[0].normal: normal has length 2",
        ),
        ("no such body", "\"a\": 0", "\"a\": 7", "bad.json:9: contacts[0].a: a is 7"),
        ("strange body", "\"b\": -1", "\"b\": -3", "bad.json:9: contacts[0].b: is -3"),
        ("with itself", "\"b\": -1", "\"b\": 0", "both body 0"),
        (
            "asymmetric",
            "[[1,0,0],[0,1,0]",
            "[[1,0.5,0],[0,1,0]",
            "bodies[0].inertia: inertia is not symmetric",
        ),
        (
            "indefinite",
            "[[1,0,0],[0,1,0]",
            "[[-1,0,0],[0,1,0]",
            "bodies[0].inertia: inertia is not positive definite",
        ),
        ("format", "contact-1", "contact-9", "bad.json:2: format"),
        ("no step", "\"h\": 0.01, ", "", "h: is needed"),
        ("bad step", "\"h\": 0.01", "\"h\": -1", "bad.json:2: h: is -1"),
        ("load", "\"body\": 0", "\"body\": 5", "bad.json:14: loads[0].body: is 5"),
        ("fixed on world", "\"fixed\": false", "\"fixed\": true", "neither of its bodies can move"),
        ("rest", "}\n  ]\n}", "}\n  ]\n} x", "end of file"),
    ] {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{what}: nothing was changed");
        let error = ProblemFile::parse(&text, "bad.json").and_then(|file| file.problem(0));
        let message = error.expect_err(what).to_string();
        assert!(message.contains(expected), "{what}: {message}");
    }
}

#[test]
fn a_missing_load_is_an_error() {
    let file = ProblemFile::parse(GOOD, "good.json").expect("good");
    assert!(file.problem(1).expect_err("one load only").to_string().contains("load 1"));
    assert!(ProblemFile::open("/nowhere/at/all.json".as_ref()).is_err());
}

/// Every prefix and every single-byte change of a file gives an error or a problem, never a
/// panic.
#[test]
fn mangled_files_do_not_panic() {
    for end in 0..GOOD.len() {
        let _ = ProblemFile::parse(&GOOD[..end], "cut.json").and_then(|file| file.problem(0));
    }
    for at in 0..GOOD.len() {
        for byte in *b"09-eE.,:{}[]\"x \n" {
            let mut bytes = GOOD.as_bytes().to_vec();
            bytes[at] = byte;
            let text = String::from_utf8(bytes).expect("ascii");
            let _ = ProblemFile::parse(&text, "mangled.json").and_then(|file| file.problem(0));
        }
    }
}

/// Makes the parts of a problem invalid.
type Change<'a> = &'a dyn Fn(&mut Vec<Body>, &mut Vec<Contact>);

/// The same errors when problems are built directly.
#[test]
fn errors_name_the_place_and_the_value() {
    let refused = |change: Change<'_>| {
        let problem = gallery::two_boxes(1.0, 1.0, 0.5).expect("valid");
        let (level, mut bodies, mut contacts, bilateral, bounded) = problem.into_parts();
        change(&mut bodies, &mut contacts);
        ContactProblem::new(level, bodies, contacts, bilateral, bounded)
            .expect_err("bad")
            .to_string()
    };
    let cases: [(&str, Change<'_>); 6] = [
        ("body 1: position is NaN", &|b, _| b[1].position[2] = f64::NAN),
        ("body 0: free_response is inf", &|b, _| b[0].free_response[0] = f64::INFINITY),
        ("contact 3: normal has length 0.5", &|_, c| c[3].normal = [0.0, 0.0, 0.5]),
        ("contact 2: friction is -1", &|_, c| c[2].friction = Friction::Static { friction: -1.0 }),
        ("contact 7: b is 9, but there are 2 bodies", &|_, c| c[7].b = Some(9)),
        ("body 0: inverse_inertia is not positive definite", &|b, _| {
            let mut inverse = b[0].inverse_inertia();
            inverse[0][0] = -1.0;
            b[0].inertia = Inertia::Inverse(inverse);
        }),
    ];
    for (expected, change) in cases {
        let message = refused(change);
        assert!(message.contains(expected), "{message}, expected {expected}");
    }
}

/// At acceleration level a velocity gives the sliding speed and changes nothing else; where it
/// is part of the free response, only one of the two may be given.
#[test]
fn velocities_are_kept_in_addition_to_a_free_response() {
    let rod = stiction_solvers::gallery::sliding_rod(2.0, -1.0).expect("valid");
    let file = ProblemFile::from_problem(&rod, "rod");
    assert_eq!(file.velocities(), None);
    let velocities = [[3.0, 0.0, 0.0, 0.0, 0.0, 0.0]];
    let text = file.with_velocities(&velocities).to_json();
    let read = ProblemFile::parse(&text, "rod.json").expect("valid");
    assert_eq!(read.velocities().as_deref(), Some(&velocities[..]));
    assert_eq!(read.problem(0).expect("valid"), rod);
    let moving = text.replacen("\"acceleration\"", "\"impact\"", 1);
    let error = ProblemFile::parse(&moving, "rod.json").expect("valid").problem(0);
    assert!(error.expect_err("refused").to_string().contains("excludes velocity"));
}

/// Damaged texts give errors or problems, never a panic; those that are still problems are
/// solved or refused.
#[test]
fn mangled_texts_do_not_panic() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/problems");
    for name in ["rod_spinning", "peg_n008_s0", "four_legged_table", "overbalanced_bricks"] {
        let text = std::fs::read_to_string(format!("{folder}/{name}.json")).expect(name);
        mangle(text.as_bytes(), 2000, |bytes| {
            let read = ProblemFile::parse(&String::from_utf8_lossy(&bytes), "mangled");
            if let Ok(problem) = read.and_then(|file| file.problem(0)) {
                let _ = Auto::default().solve(&problem);
            }
        });
    }
    let table = gallery::four_legged_table(3.0).expect("valid");
    let answers = [
        "normal,fx,fy,fz\n1,0,0,0\n2,0,0,0\n3,0.5,0,0\n4,0,1e-3,0\n",
        r#"{"load":0,"normal":[1,2,3,4],"friction":[[0,0,0],[0,0,0],[0,0,0],[0,0,0]]}"#,
        r#"{"contacts":[{"normal":1,"friction":[0,0,0]}],"bilateral":[],"bounded":[]}"#,
    ];
    for answer in answers {
        mangle(answer.as_bytes(), 4000, |bytes| {
            let text = String::from_utf8_lossy(&bytes);
            if let Ok(forces) = parse_answer(&text, "mangled", &table, 0) {
                let _ = judge::judge(&table, &forces);
            }
        });
    }
    for lcp in ["2\n2 1\n1 2\n-5 -6\n", "2 0 2 2 2 2 1 0 0 1 -1 -1"] {
        mangle(lcp.as_bytes(), 4000, |bytes| {
            drop(parse_lcp(&String::from_utf8_lossy(&bytes), "mangled"));
        });
    }
}
