//! The papers' scenes run to what must come out of them: `scenes/README.md`.

use glam::DVec3;
use std::path::Path;
use stiction::scene::Scene;
use stiction::{BodyId, EventKind, Frame, Simulation, Stepper, World};

/// A scene that has been run to its end.
struct Played {
    world: World,
    /// One per step.
    frames: Vec<Frame>,
}

fn read(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    Scene::read(&path).unwrap_or_else(|error| panic!("{error}"))
}

fn simulation(name: &str) -> (Simulation, u64) {
    let scene = read(name);
    (Simulation::new(&scene), scene.run.last_frame())
}

/// Runs a scene with its own stepper and step; every answer is certified.
fn play(name: &str) -> Played {
    let (mut run, last) = simulation(name);
    let frames: Vec<Frame> = (0..last).map(|_| run.advance()).collect();
    for frame in &frames {
        assert!(frame.state.is_finite(), "{name} at {}", frame.state.time);
        assert!(frame.certified, "{name}: {:?}", frame.events);
    }
    Played { world: run.world, frames }
}

impl Played {
    fn body(&self, name: &str) -> BodyId {
        self.world.find_body(name).unwrap_or_else(|| panic!("no body {name}"))
    }

    fn position(&self, name: &str) -> DVec3 {
        self.world.pose(self.body(name)).position
    }

    fn velocity(&self, name: &str) -> DVec3 {
        self.world.twist(self.body(name)).linear
    }

    /// No step fell back to another stepper.
    fn without_fallback(self) -> Self {
        for frame in &self.frames {
            let fell = |e: &stiction::Event| matches!(e.what, EventKind::FellBack { .. });
            assert!(!frame.events.iter().any(fell), "{:?}", frame.events);
        }
        self
    }

    /// The energy ledger of the last step is closed.
    fn with_closed_ledger(self, error: f64) -> Self {
        let ledger = self.frames.last().map(|frame| frame.ledger).unwrap_or_default();
        assert!(ledger.error() <= error, "{} J of {ledger:?}", ledger.residual());
        self
    }

    /// The sum of kinetic and potential energy never rises, but for this fraction of the converted energy.
    fn without_gain(self, part: f64) -> Self {
        let energy = |frame: &Frame| frame.ledger.kinetic + frame.ledger.potential;
        let mut least = self.frames[0].ledger.start;
        for frame in &self.frames {
            let gained = energy(frame) - least;
            let turnover = frame.ledger.turnover.max(f64::MIN_POSITIVE);
            assert!(gained <= part * turnover, "{gained} J at {} s", frame.state.time);
            least = least.min(energy(frame));
        }
        self
    }

    /// The two sides of every joint have one place within this (m).
    fn held_together(self, within: f64) -> Self {
        for (_, joint) in self.world.joints() {
            let pose = |id: BodyId| self.world.pose(id);
            let a = pose(joint.a).point(joint.frame_a.position);
            let b =
                joint.b.map_or(joint.frame_b.position, |b| pose(b).point(joint.frame_b.position));
            assert!(a.distance(b) < within, "{} by {}", joint.name, a.distance(b));
        }
        self
    }

    /// Free bodies whose name begins so, with where they began and where they are.
    fn bodies<'a>(&'a self, stem: &'a str) -> impl Iterator<Item = (DVec3, DVec3)> + 'a {
        let named = self.world.free_bodies().filter(move |(_, body)| body.name.starts_with(stem));
        named.map(|(i, body)| (body.placed.position, self.world.pose(i).position))
    }

    /// Nothing has moved since the beginning.
    fn at_rest(self) -> Self {
        for (i, body) in self.world.free_bodies() {
            let moved = self.world.pose(i).position.distance(body.placed.position);
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
    played.world.free_bodies().map(|(_, body)| body.name.clone()).collect()
}

#[test]
fn baraff1989_fig07_slides_without_turning() {
    let played = play("baraff1989/fig07_incline.toml").without_fallback().with_closed_ledger(1e-6);
    let (i, body) = played.world.free_bodies().next().unwrap();
    let moved = played.world.pose(i).position.distance(body.placed.position);
    near(moved, 0.5 * 9.81 * 10_f64.to_radians().sin() * 4.0, 1e-9);
    near(played.world.twist(i).angular.length(), 0.0, 1e-9);
    let force = played.frames.last().unwrap().contacts[0].normal_force;
    let weight = played.world.body(i).mass * 9.81;
    near(force, weight * 10_f64.to_radians().cos(), 1e-9 * weight);
}

#[test]
fn baraff1989_fig08_rests_on_two_forces() {
    let played = play("baraff1989/fig08_block.toml").without_fallback().at_rest();
    let contacts = &played.frames.last().unwrap().contacts;
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
        let played = play(scene).without_fallback().with_closed_ledger(1e-9);
        for (name, wanted) in free(&played).iter().zip(wanted) {
            near(played.velocity(name).x, wanted, 1e-9);
        }
    }
}

#[test]
fn baraff1989_fig12_ends_at_rest() {
    for scene in ["baraff1989/fig12_propagation.toml", "baraff1989/fig12_simultaneous.toml"] {
        let played = play(scene).without_fallback();
        for name in free(&played) {
            near(played.velocity(&name).length(), 0.0, 1e-9);
        }
    }
}

#[test]
fn baraff1989_fig13_jumps_off_without_turning() {
    let played = play("baraff1989/fig13_struck.toml").with_closed_ledger(1e-6);
    let plank = played.body("A");
    let struck = |e: &&stiction::Event| matches!(e.what, EventKind::Collision { .. });
    let events = || played.frames.iter().flat_map(|r| r.events.iter());
    let speed = events().find(struck).map(|event| match event.what {
        EventKind::Collision { speed, .. } => speed,
        _ => 0.0,
    });
    near(speed.unwrap(), (16.0 - 2.0 * 9.81 * 0.45_f64).sqrt(), 1e-9);
    near(played.world.twist(plank).angular.length(), 0.0, 1e-9);
}

#[test]
fn baraff1991_fig04a_takes_an_impulse_at_once() {
    let played = play("baraff1991/fig04a_inconsistent.toml");
    let impulse = |e: &&stiction::Event| matches!(e.what, EventKind::Impulse { .. });
    let first = played.frames.iter().flat_map(|r| r.events.iter()).find(impulse).unwrap();
    near(first.time, 0.0, 1e-12);
    let ledger = played.frames.last().unwrap().ledger;
    assert!(ledger.kinetic + ledger.potential <= ledger.start);
}

#[test]
fn baraff1991_fig04b_skims_on() {
    let played = play("baraff1991/fig04b_skimming.toml").without_fallback();
    let (i, body) = played.world.free_bodies().next().unwrap();
    let moved = played.world.pose(i).position - body.placed.position;
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
    let lifted = played.world.pose(rack).position.z - played.world.body(rack).placed.position.z;
    near(lifted, 0.29, 0.04);
}

#[test]
fn faure1996_fig04_turns_about_the_right_support() {
    let played = play("faure1996/fig04_bar.toml");
    let contacts = &played.frames[0].contacts;
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
        play(scene).without_fallback().at_rest();
    }
}

#[test]
fn lloyd2004_fig04_the_peg_slides() {
    let played = play("lloyd2004/fig04_peg_slides.toml");
    let (i, body) = played.world.free_bodies().next().unwrap();
    let moved = played.world.pose(i).position.distance(body.placed.position);
    assert!(moved > 0.01, "{moved}");
}

#[test]
fn baraff1989_fig14a_bricks_fall_to_both_sides() {
    let played = play("baraff1989/fig14a_bricks.toml").without_gain(1e-6);
    let centre = played.bodies("brick").map(|(_, at)| at.x).sum::<f64>() / 5.0;
    near(centre, 0.12, 1e-6);
    let began = |name: &str| played.world.body(played.body(name)).placed.position;
    assert!(played.position("brick.4").z < began("brick.4").z);
    assert!(played.position("brick.4").x > began("brick.4").x);
    assert!(played.position("brick.0").x < began("brick.0").x);
}

#[test]
fn baraff1989_fig14b_every_domino_falls() {
    let played = play("baraff1989/fig14b_dominoes.toml").without_gain(1e-6);
    for (i, body) in played.world.free_bodies() {
        let up = played.world.pose(i).rotation * DVec3::Z;
        let tilt = up.x.atan2(up.z).to_degrees();
        assert!(tilt > 60.0, "{} tilts by {tilt}", body.name);
    }
}

#[test]
fn baraff1989_fig14c_the_chain_destroys_the_tower() {
    let played =
        play("baraff1989/fig14c_destructive_chain.toml").without_gain(1e-6).held_together(1e-6);
    let hit = |(from, to): &(DVec3, DVec3)| to.z < from.z - 0.05 || to.x > from.x + 0.2;
    assert!(played.bodies("brick").filter(hit).count() >= 4);
}

#[test]
fn baraff1989_fig14d_the_chain_curls_about_the_drum() {
    let played =
        play("baraff1989/fig14d_curling_chain.toml").without_gain(2e-2).held_together(1e-6);
    let end = played.body("link.11");
    assert!(played.frames.iter().any(|frame| frame.state.pose(end).position.x < -0.15));
}

#[test]
fn baraff1989_fig14e_the_chain_catches_two_blocks() {
    let played = play("baraff1989/fig14e_two_blocks.toml").without_gain(1e-2).held_together(1e-6);
    for (_, at) in played.bodies("block") {
        assert!(at.x.abs() < 0.6 && at.z > 0.2, "{at}");
    }
}

#[test]
fn baraff1989_fig14f_the_chain_catches_many_blocks() {
    let played = play("baraff1989/fig14f_many_blocks.toml").without_gain(1e-2).held_together(1e-6);
    let caught = played.bodies("block").filter(|(_, at)| at.x.abs() < 0.65 && at.z > 0.0);
    assert!(caught.count() >= 8);
    assert!(played.bodies("link").all(|(_, at)| at.z > 0.2));
}

#[test]
fn baraff1991_fig01_stays_or_lifts() {
    let played = play("baraff1991/fig01_indeterminate.toml").with_closed_ledger(1e-6);
    let force = played.frames[0].contacts.first().map_or(0.0, |c| c.normal_force);
    let time = played.frames[0].state.time;
    assert!(force == 0.0 || (force - 1.0).abs() < 3.0 * time, "{force} N after {time} s");
}

#[test]
fn baraff1991_fig06_and_fig10_rest_or_take_an_impulse() {
    for name in ["baraff1991/fig06_subset_sum.toml", "baraff1991/fig10_one_force.toml"] {
        let played = play(name).with_closed_ledger(1e-6);
        let b = played.body("B");
        // At the first instant: later the rods have turned, and press otherwise.
        let mut world = Simulation::new(&read(name)).world;
        let first = stiction::EventDriven::default().step(&mut world, 1e-6);
        let speed = world.twist(b).linear.length();
        let impulse = |e: &stiction::Event| matches!(e.what, EventKind::Impulse { .. });
        assert!(first.certified, "{name}: {:?}", first.events);
        assert!(first.events.iter().any(impulse) || speed < 1e-9, "{name}: {speed} m/s");
    }
}

#[test]
fn baraff1991_fig11_slides_down_and_comes_to_rest() {
    let played = play("baraff1991/fig11_complex.toml").without_gain(1e-2);
    for (i, body) in played.world.free_bodies() {
        let at = played.world.pose(i).position;
        assert!(at.x > -0.4 && at.x < 2.4 && at.z > 0.0 && at.z < 0.7, "{} at {at}", body.name);
        assert!(played.velocity(&body.name).length() < 0.05, "{}", body.name);
    }
}

#[test]
fn faure1996_fig05_the_dark_ball_holds_longest() {
    let played = play("faure1996/fig05_four_balls.toml");
    let still = played.frames.iter().take_while(|frame| frame.state.time < 1.3);
    let solid = played.body("frame");
    let (first, last) = (&played.frames[0].state, &played.frames.last().unwrap().state);
    for frame in still {
        let slips = frame.contacts.iter().map(|c| c.slip.length()).fold(0.0, f64::max);
        assert!(slips < 1e-6, "{slips} m/s at {}", frame.state.time);
    }
    assert!(last.pose(solid).position.distance(first.pose(solid).position) > 0.3);
}

#[test]
fn lloyd2004_fig09_the_top_block_is_pushed_off() {
    let played = play("lloyd2004/fig09_stack_pushed.toml").with_closed_ledger(1e-4);
    let top = played.body("block.4");
    let begun = &played.frames[29];
    let displacement =
        (begun.state.pose(top).position - played.world.body(top).placed.position).length();
    near(displacement, 0.5 * 3.095 * begun.state.time.powi(2), 1e-4);
    for below in ["block.0", "block.1", "block.2"] {
        let (from, to) = (
            played.world.body(played.body(below)).placed.position,
            begun.state.pose(played.body(below)).position,
        );
        near(from.distance(to), 0.0, 1e-9);
    }
}
