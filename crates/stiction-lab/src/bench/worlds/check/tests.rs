//! The check is broken on purpose: frames altered in each law are found.

use super::check;
use stiction::glam::DVec3;
use stiction::scene::Scene;
use stiction::{Frame, Simulation};

const FALLING: &str = r#"
[run]
until = 0.1
stepper = "event-driven"
[[body]]
name = "ground"
ground = true
[[body]]
name = "can"
cylinder = { length = 0.2, radius = 0.1 }
at = [0, 0, 0.1]
[[body]]
name = "ball"
ball = 0.1
at = [0.5, 0, 1]
"#;

const FLOATING: &str = r#"
gravity = [0, 0, 0]
[run]
until = 0.1
stepper = "event-driven"
[[body]]
name = "rod"
box = [0.4, 0.1, 0.1]
velocity = [1, 0, 0]
[[body]]
name = "arm"
box = [0.4, 0.1, 0.1]
at = [0.5, 0, 0]
velocity = [1, 0, 0]
[[joint]]
name = "elbow"
type = "ball"
a = "arm"
b = "rod"
anchor = [0.25, 0, 0]
"#;

/// The laws that the check finds broken in a run whose last frame was altered.
fn broken(text: &str, alter: impl FnOnce(&mut Frame)) -> Vec<&'static str> {
    let scene = Scene::parse(text, "test.toml").expect("a scene");
    let mut simulation = Simulation::new(&scene);
    let mut frames = vec![simulation.first()];
    while simulation.index() < scene.run.last_frame() {
        frames.push(simulation.advance());
    }
    assert!(simulation.certificate().laws.iter().all(|law| law.holds));
    alter(frames.last_mut().expect("frames"));
    check(&scene.world, &frames, scene.run.stepper).iter().map(|breach| breach.law).collect()
}

#[test]
fn runs_that_are_right_pass() {
    assert!(broken(FALLING, |_| ()).is_empty());
    assert!(broken(FLOATING, |_| ()).is_empty());
}

#[test]
fn bodies_in_each_other_are_found() {
    let sunk = |depth: f64| {
        broken(FALLING, |frame| frame.state.poses[1].position.z -= depth).contains(&"overlap")
    };
    assert!(sunk(1e-5) && !sunk(1e-7));
}

#[test]
fn bodies_that_jump_are_found() {
    let laws = broken(FALLING, |frame| frame.state.poses[2].position.x += 0.1);
    assert!(laws.contains(&"teleport"), "{laws:?}");
    let laws = broken(FALLING, |frame| frame.state.poses[0].position.x += 0.1);
    assert!(laws.contains(&"fixed"), "{laws:?}");
}

#[test]
fn energy_and_flight_are_found() {
    let laws = broken(FALLING, |frame| frame.state.twists[2].linear.z *= 1.001);
    assert!(laws.contains(&"energy") && laws.contains(&"flight"), "{laws:?}");
}

#[test]
fn momentum_and_joints_are_found() {
    let laws = broken(FLOATING, |frame| frame.state.twists[0].linear.y += 1e-3);
    assert!(laws.contains(&"momentum"), "{laws:?}");
    let laws = broken(FLOATING, |frame| frame.state.poses[0].position += DVec3::Y * 1e-4);
    assert!(laws.contains(&"joints"), "{laws:?}");
}

#[test]
fn what_is_not_finite_is_found() {
    let laws = broken(FALLING, |frame| frame.state.twists[2].linear.x = f64::NAN);
    assert_eq!(laws, ["finite"]);
}
