use super::{NOT_FINITE, Runner, SessionEvent};
use crate::catalogue::Catalogue;
use crate::command::Command;
use crate::session::CommandRequest;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;
use stiction::Frame;
use tokio::sync::mpsc;

/// Longest wait for a step.
const TIMEOUT: Duration = Duration::from_secs(20);

fn runner() -> (Runner, Receiver<SessionEvent>) {
    let (events, queue) = sync_channel(16);
    (Runner::new(Catalogue::default(), events).unwrap(), queue)
}

impl Runner {
    /// Sends a command; returns its error.
    fn command(&mut self, command: Command) -> Option<String> {
        let (errors, mut received) = mpsc::channel(1);
        self.receive(CommandRequest { command, errors });
        self.execute_waiting();
        received.try_recv().ok()
    }

    /// Waits until nothing is being computed.
    fn settle(&mut self, events: &Receiver<SessionEvent>) {
        while self.simulation.is_none() {
            self.process(events.recv_timeout(TIMEOUT).unwrap());
            self.execute_waiting();
        }
    }

    fn frame(&self) -> Frame {
        Frame::decode(&self.channels.latest.borrow().frame).unwrap()
    }
}

#[test]
fn a_solver_that_does_not_model_the_scene_stops_the_run_with_an_error() {
    let (mut runner, events) = runner();
    let mut failures = runner.channels().failures.subscribe();
    assert_eq!(runner.command(Command::Solver { name: "lp".into() }), None);
    runner.command(Command::Step);
    runner.settle(&events);
    let failure = failures.try_recv().unwrap();
    assert!(failure.starts_with("lp cannot take this problem: "), "{failure}");
    assert!(!runner.playing && runner.frame().index == 0);
    assert!(runner.command(Command::Solver { name: "lq".into() }).is_some());
}

#[test]
fn a_state_that_is_not_finite_is_reported_and_resets_the_run() {
    let (mut runner, events) = runner();
    let mut failures = runner.channels().failures.subscribe();
    runner.command(Command::Step);
    runner.settle(&events);
    assert!(failures.try_recv().is_err() && runner.frame().index == 1);
    let block = runner.scene.world.find_body("block.5").unwrap().index();
    let simulation = runner.simulation.as_mut().unwrap();
    simulation.world.state.poses[block].position.z = f64::NAN;
    runner.command(Command::Step);
    runner.settle(&events);
    assert_eq!(failures.try_recv().unwrap(), NOT_FINITE);
    assert!(!runner.playing && runner.frame().index == 0);
}

#[test]
fn a_step_can_be_abandoned() {
    let (mut runner, events) = runner();
    for _ in 0..3 {
        runner.command(Command::Step);
    }
    // The first step is being computed, two wait: a reset drops them.
    assert!(runner.simulation.is_none());
    let number = runner.worker.number;
    assert_eq!(runner.command(Command::Reset), None);
    assert_ne!(runner.worker.number, number);
    runner.settle(&events);
    assert_eq!(runner.frame().index, 0);
}

#[test]
fn a_run_returns_to_an_earlier_frame_and_repeats_itself() {
    let (mut runner, events) = runner();
    let latest = |runner: &Runner| runner.channels.latest.borrow().frame.clone();
    let (mut frames, mut bytes) = (vec![runner.frame()], vec![latest(&runner)]);
    for _ in 0..20 {
        runner.command(Command::Step);
        runner.settle(&events);
        frames.push(runner.frame());
        bytes.push(latest(&runner));
    }
    assert_eq!(runner.command(Command::Rewind { index: 7 }), None);
    assert_eq!(latest(&runner), bytes[7]);
    runner.command(Command::Step);
    runner.settle(&events);
    let again = runner.frame();
    assert_eq!(again.index, 8);
    for (pose, known) in again.state.poses.iter().zip(&frames[8].state.poses) {
        let distance = pose.position.distance(known.position);
        assert!(distance < 1e-6, "{distance} m from the frame before");
    }
    let forgotten = runner.command(Command::Rewind { index: 12 });
    assert_eq!(forgotten.as_deref(), Some("frame 12 is no longer known"));
}

/// The work of a pull is in the ledger before and after a return to the middle of the pull.
#[test]
fn the_ledger_of_a_pulled_run_closes_after_a_return() {
    let (mut runner, events) = runner();
    let body = runner.scene.world.find_body("block.5").unwrap().index();
    let pull = r#"{"do":"pull","body":BODY,"on":[0,0,0],"to":[0,0,0.9]}"#;
    let pull = Command::parse(&pull.replace("BODY", &body.to_string())).unwrap();
    assert_eq!(runner.command(pull), None);
    for _ in 0..10 {
        runner.command(Command::Step);
        runner.settle(&events);
    }
    assert_eq!(runner.command(Command::Rewind { index: 5 }), None);
    for _ in 0..5 {
        runner.command(Command::Step);
        runner.settle(&events);
    }
    // The spring of the pull holds several joules.
    let ledger = runner.frame().ledger;
    assert!(ledger.residual().abs() < 1e-2, "{ledger:?}");
}
