//! The papers' scenes run to what must come out of them: `scenes/README.md`.

use std::path::Path;
use stiction::scene::{Scene, Scheme};
use stiction::{EventDriven, FirstOrder, Happening, Report, Stepper, TimeStepping, World};

/// A scene that has been run to its end.
struct Played {
    world: World,
    /// The report of every step.
    reports: Vec<Report>,
}

/// Runs a scene with the stepper and the step it asks for.
fn play(name: &str) -> Played {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    let scene = Scene::read(&path).unwrap_or_else(|error| panic!("{error}"));
    let mut stepper: Box<dyn Stepper> = match scene.run.stepper {
        Scheme::EventDriven => Box::new(EventDriven::default()),
        Scheme::TimeStepping => Box::new(TimeStepping::default()),
        Scheme::FirstOrder => Box::new(FirstOrder::default()),
    };
    let mut world = scene.world;
    let mut reports = Vec::new();
    while world.state.time < scene.run.until - 0.5 * scene.run.dt {
        reports.push(stepper.step(&mut world, scene.run.dt));
    }
    let played = Played { world, reports };
    assert!(played.world.state.is_finite());
    played
}

impl Played {
    fn body(&self, name: &str) -> usize {
        self.world.body(name).unwrap_or_else(|| panic!("no body {name}"))
    }

    fn position(&self, name: &str) -> glam::DVec3 {
        self.world.state.poses[self.body(name)].position
    }

    fn velocity(&self, name: &str) -> glam::DVec3 {
        self.world.state.twists[self.body(name)].linear
    }

    /// No step fell back to another stepper or is short of its certificate.
    fn without_a_word(self) -> Self {
        for report in &self.reports {
            assert!(report.certified, "{:?}", report.events);
            let fell = |e: &stiction::Event| matches!(e.what, Happening::FellBack { .. });
            assert!(!report.events.iter().any(fell), "{:?}", report.events);
        }
        self
    }

    /// The energy book of the last step is closed.
    fn with_closed_book(self, error: f64) -> Self {
        let book = self.reports.last().map(|report| report.book).unwrap_or_default();
        assert!(book.error() <= error, "{} J of {book:?}", book.residual());
        self
    }

    /// Nothing has moved since the beginning.
    fn at_rest(self) -> Self {
        for (i, body) in self.world.free() {
            let moved = self.world.state.poses[i].position.distance(body.placed.position);
            assert!(moved < 1e-9, "{} moved by {moved}", body.name);
        }
        self
    }
}

#[track_caller]
fn near(value: f64, wanted: f64, error: f64) {
    assert!((value - wanted).abs() <= error, "{value} is not {wanted} within {error}");
}

/// Bodies that forces move.
fn free(played: &Played) -> Vec<String> {
    played.world.free().map(|(_, body)| body.name.clone()).collect()
}

#[test]
fn baraff1989_fig07_slides_without_turning() {
    let played = play("baraff1989/fig07_incline.toml").without_a_word().with_closed_book(1e-6);
    let (i, body) = played.world.free().next().unwrap();
    let moved = played.world.state.poses[i].position.distance(body.placed.position);
    near(moved, 0.5 * 9.81 * 10_f64.to_radians().sin() * 4.0, 1e-9);
    near(played.world.state.twists[i].angular.length(), 0.0, 1e-9);
    let force = played.reports.last().unwrap().contacts[0].normal_force;
    let weight = played.world.bodies[i].mass * 9.81;
    near(force, weight * 10_f64.to_radians().cos(), 1e-9 * weight);
}

#[test]
fn baraff1989_fig08_rests_on_two_forces() {
    let played = play("baraff1989/fig08_block.toml").without_a_word().at_rest();
    let contacts = &played.reports.last().unwrap().contacts;
    let mut forces: Vec<f64> = contacts.iter().map(|c| c.normal_force).collect();
    forces.sort_by(f64::total_cmp);
    near(forces[0], 39.24, 1e-6);
    near(forces[forces.len() - 1], 58.86, 1e-6);
}

#[test]
fn baraff1989_fig09_tips_over_the_edge() {
    let played = play("baraff1989/fig09_vanishing.toml");
    let name = free(&played).remove(0);
    assert!(played.position(&name).z < -0.4, "{}", played.position(&name));
}

#[test]
fn baraff1989_fig11_by_both_models() {
    for (scene, wanted) in [
        ("baraff1989/fig11_propagation.toml", [0.0, 0.0, 1.0]),
        ("baraff1989/fig11_simultaneous.toml", [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
    ] {
        let played = play(scene).without_a_word().with_closed_book(1e-9);
        for (name, wanted) in free(&played).iter().zip(wanted) {
            near(played.velocity(name).x, wanted, 1e-9);
        }
    }
}

#[test]
fn baraff1989_fig12_ends_at_rest() {
    for scene in ["baraff1989/fig12_propagation.toml", "baraff1989/fig12_simultaneous.toml"] {
        let played = play(scene).without_a_word();
        for name in free(&played) {
            near(played.velocity(&name).length(), 0.0, 1e-9);
        }
    }
}

#[test]
fn baraff1989_fig13_jumps_off_without_turning() {
    let played = play("baraff1989/fig13_struck.toml").with_closed_book(1e-6);
    let plank = played.world.bodies.iter().position(|b| b.name == "A").unwrap();
    let struck = |e: &&stiction::Event| matches!(e.what, Happening::Collision { .. });
    let events = || played.reports.iter().flat_map(|r| r.events.iter());
    let speed = events().find(struck).map(|event| match event.what {
        Happening::Collision { speed, .. } => speed,
        _ => 0.0,
    });
    near(speed.unwrap(), (16.0 - 2.0 * 9.81 * 0.45_f64).sqrt(), 1e-9);
    near(played.world.state.twists[plank].angular.length(), 0.0, 1e-9);
}

#[test]
fn baraff1991_fig04a_takes_an_impulse_at_once() {
    let played = play("baraff1991/fig04a_inconsistent.toml");
    let impulse = |e: &&stiction::Event| matches!(e.what, Happening::Impulse { .. });
    let first = played.reports.iter().flat_map(|r| r.events.iter()).find(impulse).unwrap();
    near(first.time, 0.0, 1e-12);
    let book = played.reports.last().unwrap().book;
    assert!(book.kinetic + book.potential <= book.start);
}

#[test]
fn baraff1991_fig04b_skims_on() {
    let played = play("baraff1991/fig04b_skimming.toml").without_a_word();
    let (i, body) = played.world.free().next().unwrap();
    let moved = played.world.state.poses[i].position - body.placed.position;
    near(moved.x, -2.0, 1e-9);
    near(moved.length(), 2.0, 1e-9);
}

#[test]
fn baraff1994_fig01_feeds_a_block_per_turn() {
    let played = play("baraff1994/fig01_block_feeder.toml");
    for fed in ["block.0", "block.1", "block.2", "block.3"] {
        assert!(played.position(fed).x > 0.16, "{fed} at {}", played.position(fed));
    }
    for waits in ["block.4", "block.5"] {
        near(played.position(waits).x, 0.0, 0.01);
    }
}

#[test]
fn baraff1994_fig02_lifts_the_rack() {
    let played = play("baraff1994/fig02_jack.toml");
    let rack = played.body("rack");
    let lifted =
        played.world.state.poses[rack].position.z - played.world.bodies[rack].placed.position.z;
    near(lifted, 0.29, 0.04);
}

#[test]
fn faure1996_fig04_turns_about_the_right_support() {
    let played = play("faure1996/fig04_bar.toml");
    let contacts = &played.reports[0].contacts;
    let carrying: Vec<f64> = contacts.iter().map(|c| c.normal_force).filter(|f| *f > 0.0).collect();
    assert_eq!(carrying.len(), 1);
}

#[test]
fn lloyd2004_what_is_held_rests() {
    for scene in [
        "lloyd2004/fig01_block_in_corner.toml",
        "lloyd2004/fig01_face_on_face.toml",
        "lloyd2004/fig04_peg_holds.toml",
        "lloyd2004/fig09_stack_rests.toml",
    ] {
        play(scene).without_a_word().at_rest();
    }
}

#[test]
fn lloyd2004_fig04_the_peg_slides() {
    let played = play("lloyd2004/fig04_peg_slides.toml");
    let (i, body) = played.world.free().next().unwrap();
    let moved = played.world.state.poses[i].position.distance(body.placed.position);
    assert!(moved > 0.01, "{moved}");
}
