//! The thread of a session: executes commands, has the simulation stepped, publishes frames and
//! status.
//!
//! While the worker computes a step the simulation is not here. Commands that need it wait, in
//! their order; those that play, pause, reset, rewind or load act at once.

mod commands;
mod publish;

use super::pace::{Meter, Pace};
use super::pull::ActivePull;
use super::ring::{Known, Ring};
use super::settings::Settings;
use super::watched::Watched;
use super::worker::{Done, Task, Worker};
use super::{CommandRequest, Latest, MAX_FAILURES, SessionError, SessionEvent};
use crate::catalogue::Catalogue;
use crate::command::{Command, CommandError};
use crate::message::PullStatus;
use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use std::collections::VecDeque;
use std::sync::Weak;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use stiction::scene::Scene;
use stiction::{Simulation, uniqueness};
use tokio::sync::{broadcast, watch};

/// Interval of status messages while nothing changes.
const STATUS_INTERVAL: Duration = Duration::from_millis(500);
/// Interval of status messages while a step takes long.
const LONG_STEP_INTERVAL: Duration = Duration::from_millis(100);
/// Events processed between two frames: a flood of commands does not stop the run.
const MAX_EVENTS: usize = 64;
/// Commands that may wait for the end of a step.
const MAX_WAITING: usize = 4096;
/// Steps that may still be computed after the run was taken from them.
const MAX_ABANDONED: usize = 4;
/// While a run plays, uniqueness of the forces is checked if the last check was faster than this.
const UNIQUENESS_BUDGET: Duration = Duration::from_millis(4);

/// Reported when the state is not finite. The run cannot continue from it and is reset.
const NOT_FINITE: &str = "the state is not finite: the run was paused and reset to its start";
/// Reported when the thread of a step ended with an error of the program.
const STEP_FAILED: &str = "the step failed: the run was paused and reset to its start";

/// The simulation of a session and the channels to its tabs.
pub struct Runner {
    catalogue: Catalogue,
    id: String,
    scene: Scene,
    /// Not here while the worker has it.
    simulation: Option<Box<Simulation>>,
    worker: Worker,
    /// Begin of the present task.
    since: Instant,
    abandoned: Vec<JoinHandle<()>>,
    waiting: VecDeque<CommandRequest>,
    /// The description of a scene whose first frame is being computed.
    incoming: Option<Utf8Bytes>,
    settings: Settings,
    playing: bool,
    pace: Pace,
    meter: Meter,
    /// Duration of the last check of which forces are unique.
    uniqueness_time: Duration,
    pull: Option<ActivePull>,
    pull_status: Option<PullStatus>,
    ring: Ring,
    watched: Option<Watched>,
    channels: Channels,
}

/// The channels of events, frames, status messages and failures.
#[derive(Clone)]
pub struct Channels {
    pub events: SyncSender<SessionEvent>,
    pub latest: watch::Sender<Latest>,
    pub status: watch::Sender<Utf8Bytes>,
    pub failures: broadcast::Sender<String>,
}

impl Runner {
    /// A runner with the first scene of a catalogue, paused.
    ///
    /// # Errors
    ///
    /// [`SessionError`] if the scene cannot be shown or a thread cannot be started.
    pub fn new(
        catalogue: Catalogue,
        events: SyncSender<SessionEvent>,
    ) -> Result<Self, SessionError> {
        let id = catalogue.first().to_owned();
        let scene = catalogue.find(&id)?;
        let mut simulation = Simulation::new(&scene);
        let mut frame = simulation.first();
        frame.unique = uniqueness(&simulation.world, &frame).forces;
        let frame = Bytes::from(frame.encode());
        let message = publish::scene_message(&id, &scene);
        let latest = Latest { scene_number: 0, scene: message, frame: frame.clone() };
        let mut ring = Ring::default();
        ring.push(Known { index: 0, bytes: frame, pull: None });
        let mut runner = Runner {
            id,
            simulation: Some(Box::new(simulation)),
            worker: Worker::start(0, events.clone())?,
            since: Instant::now(),
            abandoned: Vec::new(),
            waiting: VecDeque::new(),
            incoming: None,
            settings: Settings::of(&scene),
            watched: catalogue.watched().map(Watched::new),
            catalogue,
            scene,
            playing: false,
            pace: Pace::new(),
            meter: Meter::new(),
            uniqueness_time: Duration::ZERO,
            pull: None,
            pull_status: None,
            ring,
            channels: Channels {
                events,
                latest: watch::Sender::new(latest),
                status: watch::Sender::new(Utf8Bytes::default()),
                failures: broadcast::Sender::new(MAX_FAILURES),
            },
        };
        runner.publish_status();
        Ok(runner)
    }

    /// The channels of events, frames, status messages and failures.
    pub fn channels(&self) -> Channels {
        self.channels.clone()
    }

    /// Runs until the session handle is dropped.
    pub fn run(mut self, events: &Receiver<SessionEvent>, session: &Weak<()>) {
        while session.strong_count() > 0 {
            match events.recv_timeout(self.longest_wait()) {
                Ok(first) => {
                    for event in std::iter::once(first).chain(events.try_iter()).take(MAX_EVENTS) {
                        self.process(event);
                    }
                    self.execute_waiting();
                    self.publish_status();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.simulation.is_none() && self.worker.has_ended() {
                self.stop_and_reset(STEP_FAILED.into());
            }
            if self.is_running() && self.simulation.is_some() && self.pace.wait().is_zero() {
                self.launch(Task::Advance);
            }
            if self.meter.age() >= STATUS_INTERVAL {
                self.reload_if_saved();
                self.meter.report();
                self.publish_status();
            } else if self.computing().is_some() {
                self.publish_status();
            }
        }
    }

    /// Time until something must be done without an event.
    fn longest_wait(&self) -> Duration {
        let idle = STATUS_INTERVAL.saturating_sub(self.meter.age());
        if self.simulation.is_none() {
            idle.min(LONG_STEP_INTERVAL)
        } else if self.is_running() {
            self.pace.wait().min(idle)
        } else {
            idle
        }
    }

    /// Whether the run advances by itself: it plays, or is pulled. It pauses while no tab is
    /// connected.
    fn is_running(&self) -> bool {
        (self.playing || self.pull.is_some()) && self.channels.latest.receiver_count() > 0
    }

    fn process(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::Request(request) => self.receive(request),
            SessionEvent::Done(done) if done.worker == self.worker.number => self.finish(done),
            // A step that the run was taken from.
            SessionEvent::Done(_) => {}
        }
    }

    /// Executes a command, or has it wait for the end of the step.
    fn receive(&mut self, CommandRequest { command, errors }: CommandRequest) {
        let result = match command {
            Command::Play => {
                self.play();
                Ok(())
            }
            Command::Pause => {
                self.playing = false;
                Ok(())
            }
            Command::Speed { factor } => {
                self.pace.speed = factor;
                self.pace.restart();
                Ok(())
            }
            Command::Reset => self.reset(),
            Command::Rewind { index } => self.rewind(index),
            Command::Scene { id } => self.change_scene(id),
            Command::Load { name, text } => self.load(name, &text),
            command => self.enqueue(CommandRequest { command, errors: errors.clone() }),
        };
        if let Err(error) = result {
            // A tab that does not read its errors misses some.
            let _ = errors.try_send(error.to_string());
        }
    }

    /// Appends a command to those that wait. A pull replaces the pull before it.
    fn enqueue(&mut self, request: CommandRequest) -> Result<(), CommandError> {
        if let (Command::Pull(_), Some(last)) = (&request.command, self.waiting.back_mut())
            && matches!(last.command, Command::Pull(_))
        {
            *last = request;
            return Ok(());
        }
        if self.waiting.len() >= MAX_WAITING {
            return Err(CommandError::Busy);
        }
        self.waiting.push_back(request);
        Ok(())
    }

    /// Executes the commands that wait until one of them starts a step.
    fn execute_waiting(&mut self) {
        while let Some(simulation) = self.simulation.as_mut()
            && let Some(CommandRequest { command, errors }) = self.waiting.pop_front()
        {
            let result = match command {
                Command::Step => {
                    self.playing = false;
                    self.launch(Task::Advance);
                    Ok(())
                }
                command => {
                    let mut world = commands::Here {
                        simulation,
                        scene: &self.scene,
                        settings: &mut self.settings,
                        pull: &mut self.pull,
                    };
                    let paused = !self.playing && world.pull.is_none();
                    let result = world.execute(command);
                    if paused && self.pull.is_some() {
                        self.pace.restart();
                    }
                    result
                }
            };
            if let Err(error) = result {
                let _ = errors.try_send(error.to_string());
            }
        }
    }

    fn play(&mut self) {
        self.playing = true;
        self.pace.restart();
    }

    /// Sends the simulation to the worker.
    fn launch(&mut self, task: Task) {
        let Some(mut simulation) = self.simulation.take() else { return };
        let dt = simulation.run().dt;
        if let Some(pull) = self.pull.as_ref().filter(|pull| pull.is_torque()) {
            pull.apply(&mut simulation.world, &self.scene.world, dt);
        }
        let still = task == Task::First || (!self.playing && self.pull.is_none());
        self.since = Instant::now();
        self.worker.begin(simulation, task, still || self.uniqueness_time < UNIQUENESS_BUDGET);
    }

    /// Takes the simulation back and publishes its frame.
    fn finish(&mut self, done: Done) {
        let Done { task, simulation, frame, took, examined, .. } = done;
        self.uniqueness_time = examined.unwrap_or(self.uniqueness_time);
        if task == Task::Advance {
            let dt = simulation.run().dt;
            self.meter.count(took, dt);
            self.pace.advance(dt);
            let refusal = simulation.refusal().map(ToString::to_string);
            let fault = refusal.or_else(|| (!frame.state.is_finite()).then(|| NOT_FINITE.into()));
            if let Some(fault) = fault {
                self.simulation = Some(simulation);
                self.stop_and_reset(fault);
                return;
            }
        }
        self.simulation = Some(simulation);
        self.publish(frame.index, frame.encode().into());
    }

    /// Pauses and resets the run and reports the reason to every tab.
    fn stop_and_reset(&mut self, reason: String) {
        self.playing = false;
        // Nothing is being computed, so that there is nothing to abandon.
        let _ = self.reset();
        self.fail(reason);
    }

    /// Reports a failure to every tab.
    fn fail(&self, reason: String) {
        // Sending fails only if no tab is connected.
        let _ = self.channels.failures.send(reason);
    }

    /// Takes the run from a step that is being computed.
    fn abandon(&mut self) -> Result<(), CommandError> {
        self.abandoned.retain(|thread| !thread.is_finished());
        if self.simulation.is_none() && !self.worker.has_ended() {
            if self.abandoned.len() >= MAX_ABANDONED {
                return Err(CommandError::Busy);
            }
        } else if !self.worker.has_ended() {
            return Ok(());
        }
        let fresh = Worker::start(self.worker.number + 1, self.channels.events.clone());
        let old = std::mem::replace(&mut self.worker, fresh.map_err(|_| CommandError::Busy)?);
        self.abandoned.push(old.abandon());
        Ok(())
    }

    /// Starts a simulation over: what waited for the old one is dropped.
    fn restart(&mut self, simulation: Simulation) {
        self.simulation = Some(Box::new(simulation));
        self.waiting.clear();
        (self.pull, self.pull_status) = (None, None);
        self.uniqueness_time = Duration::ZERO;
        self.pace.restart();
    }
}

#[cfg(test)]
mod tests;
