//! The judge of motion refuses frames that break a law, by the name of the law.

use stiction::motion::{LawName, MotionJudge};
use stiction::prelude::*;
use stiction::scene::Scene;
use stiction::{Frame, Mode, Simulation};

/// A box slides down a fixed slope onto a floor and stays; a pendulum with a limit swings beside
/// it, and a ball bounces.
const SCENE: &str = r#"
title = "a little of everything"
[run]
until = 1.0
dt = 0.01
stepper = "event-driven"
[[material]]
name = "default"
friction = 0.6
[[body]]
name = "floor"
ground = true
[[body]]
name = "box"
box = [0.2, 0.2, 0.2]
at = [0, 0, 0.1]
mass = 2
[[body]]
name = "sled"
box = [0.2, 0.2, 0.1]
at = [2, 0, 0.05]
velocity = [1, 0, 0]
mass = 1
[[body]]
name = "ball"
ball = 0.1
at = [0, 2, 0.6]
mass = 1
[[body]]
name = "bob"
ball = 0.05
at = [0.5, -2, 1.5]
mass = 1
[[joint]]
name = "pivot"
type = "hinge"
a = "bob"
anchor = [0, -2, 1.5]
axis = [0, 1, 0]
"#;

fn scene() -> Scene {
    Scene::parse(SCENE, "test").expect("a scene")
}

fn frames(scene: &Scene) -> Vec<Frame> {
    let mut run = Simulation::new(scene);
    let mut frames = vec![run.first()];
    frames.extend((0..scene.run.last_frame()).map(|_| run.advance()));
    frames
}

/// The names of the laws that frames break.
fn broken(scene: &Scene, frames: &[Frame]) -> Vec<&'static str> {
    let mut judge = MotionJudge::new(&scene.world, &scene.run);
    for frame in frames {
        judge.see(frame);
    }
    let certificate = judge.certificate();
    let names = certificate.broken().map(|law| {
        println!("{law}");
        law.name.name()
    });
    names.collect()
}

/// Alters a good run; the judge must name this law, and may name others.
fn refused(law: LawName, alter: impl FnOnce(&Scene, &mut Vec<Frame>)) {
    let scene = scene();
    let mut all = frames(&scene);
    assert_eq!(broken(&scene, &all), [""; 0], "the run itself is good");
    alter(&scene, &mut all);
    let names = broken(&scene, &all);
    assert!(names.contains(&law.name()), "{} is not among {names:?}", law.name());
}

fn index(scene: &Scene, name: &str) -> usize {
    scene.world.find_body(name).expect("a body").index()
}

#[test]
fn a_body_in_another_is_refused() {
    refused(LawName::Overlap, |scene, frames| {
        let (a, b) = (index(scene, "box"), index(scene, "sled"));
        for frame in &mut frames[50..] {
            let place = frame.state.poses[a].position;
            frame.state.poses[b].position = place + DVec3::new(0.19, 0.0, -0.05);
        }
    });
}

#[test]
fn a_body_that_went_through_another_between_frames_is_refused() {
    refused(LawName::Overlap, |scene, frames| {
        // Both ends of its way are free of overlap; the box stands in the middle.
        let i = index(scene, "sled");
        for (k, frame) in frames.iter_mut().enumerate() {
            let x = if k < 50 { 1.0 } else { -1.0 };
            frame.state.poses[i].position = DVec3::new(x, 0.0, 0.05);
            let passing = k == 49 || k == 50;
            let speed = if passing { -200.0 } else { 0.0 };
            frame.state.twists[i].linear = DVec3::new(speed, 0.0, 0.0);
            frame.waypoints.retain(|point| point.body.index() != i);
        }
    });
}

#[test]
fn a_sticking_contact_that_slips_is_refused() {
    refused(LawName::Modes, |scene, frames| {
        let i = index(scene, "box");
        for (k, frame) in frames.iter_mut().enumerate() {
            let far = 1e-4 * k as f64;
            frame.state.poses[i].position.x += far;
            let its = frame.contacts.iter_mut().filter(|c| c.key.a.index() == i);
            its.for_each(|contact| contact.point.x += far);
        }
    });
}

#[test]
fn an_open_contact_that_carries_force_is_refused() {
    refused(LawName::Modes, |_, frames| {
        for contact in frames.iter_mut().skip(20).flat_map(|frame| &mut frame.contacts) {
            contact.mode = Mode::Open;
        }
    });
}

#[test]
fn friction_beyond_its_cone_is_refused() {
    refused(LawName::Modes, |_, frames| {
        for contact in frames.iter_mut().flat_map(|frame| &mut frame.contacts) {
            contact.friction_force = contact.friction_force * 1.5 + DVec3::Y * contact.normal_force;
        }
    });
}

#[test]
fn friction_along_the_slip_is_refused() {
    refused(LawName::Modes, |_, frames| {
        for contact in frames.iter_mut().flat_map(|frame| &mut frame.contacts) {
            contact.friction_force = -contact.friction_force;
        }
    });
}

#[test]
fn a_joint_that_comes_apart_is_refused() {
    refused(LawName::Joints, |scene, frames| {
        let i = index(scene, "bob");
        frames[40].state.poses[i].position.y += 1e-4;
    });
}

#[test]
fn a_fixed_body_that_moves_is_refused() {
    refused(LawName::Joints, |scene, frames| {
        let i = index(scene, "floor");
        frames[40..].iter_mut().for_each(|frame| frame.state.poses[i].position.z -= 1e-3);
    });
}

#[test]
fn heat_that_falls_is_refused() {
    for heat in [0, 1] {
        refused(LawName::Energy, |_, frames| {
            for frame in &mut frames[60..] {
                let ledger = &mut frame.ledger;
                let fallen = if heat == 0 { &mut ledger.friction } else { &mut ledger.impacts };
                *fallen -= 0.05;
                ledger.work -= 0.05;
            }
        });
    }
}

#[test]
fn kinetic_energy_from_nowhere_is_refused() {
    refused(LawName::Energy, |scene, frames| {
        let i = index(scene, "bob");
        frames[70..].iter_mut().for_each(|frame| frame.state.twists[i].linear *= 1.001);
    });
}

#[test]
fn work_without_a_source_is_refused() {
    refused(LawName::Energy, |_, frames| {
        for frame in &mut frames[60..] {
            (frame.ledger.work, frame.ledger.friction) =
                (frame.ledger.work + 0.1, frame.ledger.friction + 0.1);
        }
    });
}

#[test]
fn a_turnover_that_hides_an_error_is_refused() {
    refused(LawName::Energy, |_, frames| {
        frames[1..].iter_mut().for_each(|frame| frame.ledger.turnover += 1e9);
    });
}

#[test]
fn an_impulse_that_is_missing_is_refused() {
    refused(LawName::Momentum, |scene, frames| {
        let i = index(scene, "box");
        frames[30].impulses[i] = stiction::Impulse::default();
    });
}

#[test]
fn an_impulse_without_reaction_is_refused() {
    refused(LawName::Momentum, |scene, frames| {
        let floor = index(scene, "floor");
        frames[30].impulses[floor].linear.x += 0.1;
    });
}

#[test]
fn an_uncertified_answer_is_refused() {
    refused(LawName::Contact, |_, frames| frames[30].certified = false);
    refused(LawName::Contact, |_, frames| frames[30].residual = 1e-3);
}

#[test]
fn time_that_stands_still_is_refused() {
    refused(LawName::Momentum, |_, frames| frames[30].state.time = frames[29].state.time);
}

#[test]
fn numbers_that_are_none_are_refused() {
    refused(LawName::Overlap, |_, frames| frames[30].state.poses[1].position.x = f64::NAN);
}

#[test]
fn bounds_can_be_set() {
    let mut scene = scene();
    let all = frames(&scene);
    scene.run.bounds.set(LawName::Energy, 1e-300).expect("a bound");
    assert_eq!(broken(&scene, &all), ["energy"]);
    assert!(scene.run.bounds.set(LawName::Energy, -1.0).is_err());
    assert!(scene.run.bounds.set(LawName::Uniqueness, 1.0).is_err());
}

#[test]
fn the_verdict_of_a_frame_is_that_of_a_second_judge() {
    let scene = scene();
    let mut judge = MotionJudge::new(&scene.world, &scene.run);
    for frame in frames(&scene) {
        assert_eq!(judge.see(&frame), frame.verdict, "frame {}", frame.index);
    }
}

/// The judge shares no code with what it judges.
#[test]
fn the_judge_imports_nothing_of_the_steppers() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let steppers = [
        "assemble",
        "event_driven",
        "first_order",
        "impact",
        "islands",
        "ledger",
        "repair",
        "rotation",
        "solve",
        "stepper",
        "time_stepping",
        "detect::Detector",
        "detect::Contact}",
    ];
    let mut files = vec![source.join("motion.rs")];
    let mut folders = vec![source.join("motion")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one")) {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    assert!(files.len() > 8, "{files:?}");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            for stepper in steppers {
                let import = format!("crate::{stepper}");
                assert!(!line.contains(&import), "{}: {line}", file.display());
            }
            assert!(!line.contains("stiction_geometry::region"), "{}: {line}", file.display());
        }
    }
}
