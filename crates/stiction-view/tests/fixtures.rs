//! The frame that the tests of the page decode (`web/test/fixtures`): its bytes, and its values as
//! JSON. `STICTION_WRITE=1 cargo test --release -p stiction-view --test fixtures` writes them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::Path;
use stiction::glam::{DQuat, DVec3};
use stiction::scene::Scene;
use stiction::{Event, EventKind, Frame, Mode, Simulation, Uniqueness, Waypoint};

/// Two bodies that touch at one point, and a joint.
const SCENE: &str = r#"
    title = "A ball on the ground"
    [[body]]
    name = "ground"
    ground = true
    [[body]]
    name = "ball"
    ball = 0.5
    at = [0, 0, 0.5]
    mass = 2
    [[joint]]
    name = "pivot"
    type = "ball"
    a = "ball"
    anchor = [0, 0, 0.5]
"#;

const NAMES: [&str; 7] =
    ["contact", "overlap", "modes", "joints", "energy", "momentum", "uniqueness"];

/// A frame in which every number is another one.
fn frame() -> Frame {
    let scene = Scene::parse(SCENE, "fixture.toml").unwrap();
    let mut frame = Simulation::new(&scene).first();
    frame.index = 7;
    frame.residual = 2.5e-15;
    (frame.certified, frame.solves) = (true, 5);
    frame.state.time = 0.25;
    let ledger = &mut frame.ledger;
    (ledger.kinetic, ledger.potential, ledger.work) = (1.0, 2.0, 3.0);
    (ledger.friction, ledger.impacts, ledger.start, ledger.turnover) = (4.0, 5.0, 6.0, 7.0);
    frame.verdict.worst = [1e-12, 0.5, 0.0, 0.125, 1e-3, 1e-9, 1.0];
    frame.verdict.broken = [false, true, false, false, false, false, false];
    let (pose, twist) = (&mut frame.state.poses[1], &mut frame.state.twists[1]);
    (pose.position, pose.rotation) = (DVec3::new(1.0, 2.0, 3.0), DQuat::from_array([0.5; 4]));
    (twist.linear, twist.angular) = (DVec3::new(-1.0, -2.0, -3.0), DVec3::new(0.1, 0.2, 0.3));
    let joint = &mut frame.joints[0];
    (joint.force, joint.torque) = (DVec3::new(10.0, 11.0, 12.0), DVec3::new(13.0, 14.0, 15.0));
    (joint.drive, joint.coordinate, frame.state.turns[0]) = (16.0, Some(17.0), 18.0);
    assert_eq!(frame.contacts.len(), 1);
    let contact = &mut frame.contacts[0];
    (contact.point, contact.normal) = (DVec3::new(1.0, 2.0, 2.5), DVec3::Z);
    (contact.gap, contact.normal_force, contact.normal_impulse) = (-1e-9, 50.0, 0.5);
    contact.friction_force = DVec3::new(3.0, 4.0, 0.0);
    contact.friction_impulse = DVec3::new(0.1, 0.2, 0.0);
    contact.slip = DVec3::new(0.01, 0.02, 0.03);
    (contact.margin, contact.friction, contact.mode) = (Some(0.8), [0.5, 0.4], Mode::Slip);
    let key = contact.key;
    frame.unique = vec![Uniqueness::Undecided];
    let what = EventKind::Collision { contact: key, speed: 1.5, lost: 2.5 };
    frame.events = vec![Event { time: 0.2, what }];
    let (pose, before) = (frame.state.poses[1], frame.state.twists[1]);
    frame.waypoints = vec![Waypoint { body: key.a, time: 0.22, pose, before, after: before }];
    frame.answers = [("dantzig".to_owned(), 4), ("proximal".to_owned(), 1)].into();
    frame
}

/// The values of the frame as the page names them.
fn values(frame: &Frame) -> Value {
    let key = frame.contacts[0].key;
    let (a, b, feature) = (key.a.index(), key.b.index(), format!("{:x}", key.feature));
    let (pose, twist) = (frame.state.poses[1], frame.state.twists[1]);
    let laws: Vec<_> = NAMES
        .iter()
        .zip(frame.verdict.worst.iter().zip(frame.verdict.broken))
        .map(|(name, (worst, broken))| json!({"name": name, "worst": worst, "broken": broken}))
        .collect();
    json!({
        "index": 7, "time": 0.25, "hash": format!("{:x}", frame.state.hash()),
        "problems": 5, "certified": true, "residual": 2.5e-15, "laws": laws,
        "ledger": {"kinetic": 1.0, "potential": 2.0, "work": 3.0, "friction": 4.0, "impacts": 5.0,
            "start": 6.0, "turnover": 7.0},
        "body": {"position": pose.position.to_array(), "rotation": pose.rotation.to_array(),
            "velocity": twist.linear.to_array(), "angular": twist.angular.to_array()},
        "joints": [{"force": [10.0, 11.0, 12.0], "torque": [13.0, 14.0, 15.0], "drive": 16.0,
            "coordinate": 17.0, "turn": 18.0}],
        "contacts": [{"a": a, "b": b, "feature": feature, "key": format!("{a}/{b}/{feature}"),
            "point": [1.0, 2.0, 2.5], "normal": [0.0, 0.0, 1.0], "gap": -1e-9, "normalForce": 50.0,
            "friction": [3.0, 4.0, 0.0], "normalImpulse": 0.5, "frictionImpulse": [0.1, 0.2, 0.0],
            "slip": [0.01, 0.02, 0.03], "margin": 0.8, "muStatic": 0.5, "muDynamic": 0.4,
            "mode": "slips", "uniqueness": "undecided"}],
        "events": [{"time": 0.2, "kind": "collision", "joint": 0, "a": a, "b": b,
            "feature": feature, "numbers": [1.5, 2.5]}],
        "answers": [["dantzig", 4], ["proximal", 1]],
    })
}

#[test]
fn the_frame_that_the_page_decodes_is_one_of_ours() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/test/fixtures/frame.json");
    let frame = frame();
    let fixture = json!({"bytes": STANDARD.encode(frame.encode()), "values": values(&frame)});
    let text = format!("{fixture:#}\n");
    if std::env::var_os("STICTION_WRITE").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &text).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(known == text, "{} is out of date; this file says how to write it", file.display());
    assert_eq!(Frame::decode(&frame.encode()).unwrap().encode(), frame.encode());
}
