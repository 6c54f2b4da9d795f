//! Scenes in which runs were certified and wrong: bodies passed through each other, were not lifted,
//! or energy came or went. Each must now be right, and certified by every law of the run.

use glam::DVec3;
use std::path::{Path, PathBuf};
use stiction::scene::{Scene, StepperKind};
use stiction::{EnergyLedger, Simulation};

const STEPPERS: [StepperKind; 2] = [StepperKind::EventDriven, StepperKind::TimeStepping];

/// A run: where its bodies were in every frame, and the ledgers.
struct Trusted {
    label: String,
    names: Vec<String>,
    places: Vec<Vec<DVec3>>,
    times: Vec<f64>,
    ledgers: Vec<EnergyLedger>,
}

impl Trusted {
    /// Runs a scene of the folder `trust`, with another step or end where they are given.
    fn run(name: &str, stepper: StepperKind, dt: Option<f64>, until: Option<f64>) -> Trusted {
        let path: PathBuf =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trust").join(format!("{name}.toml"));
        let mut scene = Scene::read(&path).expect("a scene");
        scene.run.stepper = stepper;
        scene.run.dt = dt.unwrap_or(scene.run.dt);
        scene.run.until = until.unwrap_or(scene.run.until);
        let mut simulation = Simulation::new(&scene);
        let label = format!("{name}, {}, dt {}", stepper.name(), scene.run.dt);
        let names = scene.world.bodies().map(|(_, body)| body.name.clone()).collect();
        let (places, times, ledgers) = (Vec::new(), Vec::new(), Vec::new());
        let mut run = Trusted { label, names, places, times, ledgers };
        let mut frame = simulation.first();
        loop {
            run.places.push(frame.state.poses.iter().map(|pose| pose.position).collect());
            run.times.push(frame.state.time);
            run.ledgers.push(frame.ledger);
            if frame.index >= scene.run.last_frame() {
                break;
            }
            frame = simulation.advance();
        }
        let certificate = simulation.certificate();
        let broken: Vec<_> = certificate.broken().collect();
        assert!(broken.is_empty(), "{}: {broken:?}", run.label);
        run
    }

    fn end(&self, body: &str) -> DVec3 {
        let index = self.names.iter().position(|name| name == body).expect("a body");
        self.places.last().expect("a frame")[index]
    }

    fn is(&self, right: bool, what: &str) {
        assert!(right, "{}: {what}", self.label);
    }
}

#[test]
fn nothing_passes_through_anything() {
    for stepper in STEPPERS {
        for dt in [None, Some(0.01), Some(0.003)] {
            let run = Trusted::run("tunnel_force_wall", stepper, dt, None);
            run.is(run.end("box").x < 0.081, "the wall stops the box");
            let run = Trusted::run("tunnel_head_on", stepper, dt, None);
            run.is(run.end("left").x < run.end("right").x, "the boxes meet");
            let run = Trusted::run("tunnel_gravity", stepper, dt, None);
            run.is(run.end("down").z > run.end("up").z, "the cubes meet");
        }
    }
}

#[test]
fn a_thin_rod_that_turns_does_not_pass_a_post() {
    for stepper in STEPPERS {
        for dt in [None, Some(0.01)] {
            let run = Trusted::run("rod_and_post", stepper, dt, None);
            run.is(run.end("rod").length() > 1e-2, "the post throws it back");
        }
    }
}

#[test]
fn a_gripper_lifts_its_box() {
    for stepper in STEPPERS {
        for dt in [0.01, 0.002] {
            for name in ["gripper_drive", "gripper"] {
                let run = Trusted::run(name, stepper, Some(dt), None);
                run.is(run.end("box").z > 0.3, "the box is lifted");
                let falls = |pair: &[EnergyLedger]| pair[1].friction < pair[0].friction - 1e-9;
                run.is(!run.ledgers.windows(2).any(falls), "heat of friction never falls");
            }
        }
    }
}

#[test]
fn boxes_stay_on_caps_of_cylinders() {
    for stepper in STEPPERS {
        let run = Trusted::run("box_on_disc", stepper, None, None);
        run.is((run.end("box").x - 0.3).abs() < 1e-6, "the box stays");
        let run = Trusted::run("crate_on_turning_disc", stepper, None, None);
        let crate_at = run.end("crate");
        run.is((crate_at.z - 0.15).abs() < 1e-6, "the crate stays on the disc");
        run.is((crate_at.truncate().length() - 0.4).abs() < 1e-3, "and on its circle");
        let run = Trusted::run("turntable", stepper, None, None);
        run.is((run.end("block").z - 0.575).abs() < 1e-6, "the block stays on the table");
    }
}

#[test]
fn energy_is_accounted_for() {
    for stepper in STEPPERS {
        for name in ["fourbar", "joint_limit_impact", "fast_spin", "stiff_springs", "slow_springs"]
        {
            let run = Trusted::run(name, stepper, None, None);
            run.is(run.ledgers.last().is_some_and(|l| l.error() < 2e-3), "the ledger closes");
        }
    }
}

#[test]
fn books_between_bookends_are_certified() {
    Trusted::run("bookend", StepperKind::EventDriven, None, None);
}

#[test]
fn an_elastic_ball_does_not_feel_a_pendulum() {
    for dt in [0.005, 0.01] {
        let run = Trusted::run("ball_and_pendulum", StepperKind::TimeStepping, Some(dt), Some(6.0));
        let ball = run.names.iter().position(|name| name == "ball").expect("a ball");
        let late = run.times.iter().zip(&run.places).filter(|(time, _)| **time > 4.0);
        let apex = late.map(|(_, places)| places[ball].z).fold(0.0, f64::max);
        run.is((apex - 1.0).abs() < 1e-3, "it returns to its height");
        let run = Trusted::run("pendulum2", StepperKind::TimeStepping, Some(dt), Some(20.0));
        run.is(run.ledgers.last().is_some_and(|l| l.impacts.abs() < 1e-9), "no heat of collisions");
    }
}
