//! Every scene of `scenes/README.md`: its energy ledger closes, its forces explain its motion, and it
//! is deterministic.

mod common;

use common::{steppers, unexplained};
use std::collections::BTreeSet;
use std::path::Path;
use stiction::Simulation;
use stiction::scene::{Scene, StepperKind};

fn read(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    Scene::read(&path).unwrap_or_else(|error| panic!("{error}"))
}

fn simulation(name: &str) -> (Simulation, u64) {
    let scene = read(name);
    (Simulation::new(&scene), scene.run.last_frame())
}

/// The scenes that `scenes/README.md` names.
fn every_scene() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let list = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let names = list.split('`').filter(|word| word.contains("/fig") && word.contains(".toml"));
    let names: BTreeSet<String> =
        names.map(|name| name.trim_start_matches("scenes/").to_owned()).collect();
    assert!(names.len() >= 30, "{names:?}");
    names
}

/// Runs scenes event-driven, whatever stepper they name: every answer certified, the ledger closed.
fn close_their_ledgers(names: impl IntoIterator<Item = String>) {
    for name in names {
        let mut scene = read(&name);
        scene.run.stepper = StepperKind::EventDriven;
        let (mut run, mut ledger) = (Simulation::new(&scene), stiction::EnergyLedger::default());
        for _ in 0..scene.run.last_frame() {
            let frame = run.advance();
            assert!(frame.certified, "{name}: {:?}", frame.events);
            ledger = frame.ledger;
        }
        println!("{name}: {:.1e} of the converted energy is not accounted for", ledger.error());
        assert!(ledger.error() < 1e-6, "{name}: {} J of {ledger:?}", ledger.residual());
    }
}

/// These have thousands of events and more.
const SLOW: [&str; 3] = [
    "baraff1994/fig01_block_feeder.toml",
    "baraff1991/fig11_complex.toml",
    "baraff1989/fig14f_many_blocks.toml",
];

#[test]
fn event_driven_ledgers_close() {
    let others = |name: &String| !SLOW.contains(&name.as_str());
    close_their_ledgers(every_scene().into_iter().filter(others));
}

#[test]
fn event_driven_ledger_of_the_feeder_closes() {
    close_their_ledgers([SLOW[0].to_owned()]);
}

#[test]
fn event_driven_ledger_of_the_chute_closes() {
    close_their_ledgers([SLOW[1].to_owned()]);
}

#[test]
fn event_driven_ledger_of_the_filled_chain_closes() {
    close_their_ledgers([SLOW[2].to_owned()]);
}

/// Newton's and Euler's laws, with the reported forces.
#[test]
fn reported_forces_explain_the_motion_of_every_scene() {
    const SHORT: f64 = 1e-6;
    for name in every_scene() {
        let scene = read(&name);
        if scene.run.stepper == StepperKind::FirstOrder {
            continue;
        }
        for mut stepper in steppers() {
            let mut world = scene.world.clone();
            for step in 0..60 {
                stepper.step(&mut world, 1.0 / 120.0);
                let before = world.state.twists.clone();
                let report = stepper.step(&mut world, SHORT);
                // More solves may be more than one piece, of which time-stepping reports the last.
                if report.certified && report.events.is_empty() && report.solves <= 1 {
                    let part = unexplained(&world, &before, SHORT, &report);
                    let whom = format!("{name}, {}, step {step}", stepper.name());
                    assert!(part < 1e-2, "{whom}: {part:e}");
                }
            }
        }
    }
}

/// The same bits twice, and with one thread or two.
#[test]
fn every_scene_is_deterministic() {
    for name in every_scene() {
        let hash = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut run, last) = simulation(&name);
                (0..last.min(40)).map(|_| run.advance().state.hash()).collect::<Vec<_>>()
            })
        };
        assert_eq!(hash(1), hash(2), "{name}");
    }
}
