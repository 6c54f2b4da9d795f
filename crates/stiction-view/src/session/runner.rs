//! The thread of a session: executes commands, steps the simulation, publishes frames and status.

use super::pace::{Meter, Pace};
use super::pull::ActivePull;
use super::{CommandRequest, Latest, MAX_FAILURES};
use crate::catalogue::{Catalogue, CatalogueError};
use crate::command::{Command, CommandError, Pull};
use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use glam::DVec3;
use serde_json::json;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use stiction::scene::{Scene, StepperKind};
use stiction::{Simulation, uniqueness};
use stiction_solvers::all::Choice;
use tokio::sync::{broadcast, watch};

/// Interval of status messages while nothing changes.
const STATUS_INTERVAL: Duration = Duration::from_millis(500);
/// Commands executed between two frames: a flood of commands does not stop the run.
const MAX_COMMANDS: usize = 64;
/// While a run plays, uniqueness of the forces is checked if the last check was faster than this.
const UNIQUENESS_BUDGET: Duration = Duration::from_millis(4);

/// Reported when the state is not finite. The run cannot continue from it and is reset.
const NOT_FINITE: &str = "the state is not finite: the run was paused and reset to its start";

/// Settings that pages can change. A reset keeps them, a change of scene does not.
struct Settings {
    stepper: StepperKind,
    solver: Choice,
    gravity: DVec3,
    friction: f64,
}

impl Settings {
    /// The settings of a scene file.
    fn of(scene: &Scene) -> Self {
        let (stepper, solver) = (scene.run.stepper, scene.run.solver.clone());
        Settings { stepper, solver, gravity: scene.world.gravity, friction: 1.0 }
    }
}

/// The simulation of a session and the channels to its tabs.
pub struct Runner {
    catalogue: Catalogue,
    scene: Scene,
    simulation: Simulation,
    settings: Settings,
    playing: bool,
    pace: Pace,
    meter: Meter,
    /// Duration of the last check of which forces are unique.
    uniqueness_time: Duration,
    pull: Option<ActivePull>,
    latest: watch::Sender<Latest>,
    status: watch::Sender<Utf8Bytes>,
    failures: broadcast::Sender<String>,
}

/// The channels of frames, status messages and failures.
type Channels = (watch::Sender<Latest>, watch::Sender<Utf8Bytes>, broadcast::Sender<String>);

impl Runner {
    /// A runner with the first scene of a catalogue, paused.
    ///
    /// # Errors
    ///
    /// [`CatalogueError`] if the scene cannot be shown.
    pub fn new(catalogue: Catalogue) -> Result<Self, CatalogueError> {
        let id = catalogue.first().to_owned();
        let scene = catalogue.find(&id)?;
        let mut simulation = Simulation::new(&scene);
        let latest = Latest {
            scene_number: 0,
            scene: scene_message(&id, &scene),
            frame: first_frame(&mut simulation),
        };
        let runner = Runner {
            simulation,
            settings: Settings::of(&scene),
            catalogue,
            scene,
            playing: false,
            pace: Pace::new(),
            meter: Meter::new(),
            uniqueness_time: Duration::ZERO,
            pull: None,
            latest: watch::Sender::new(latest),
            status: watch::Sender::new(Utf8Bytes::default()),
            failures: broadcast::Sender::new(MAX_FAILURES),
        };
        runner.publish_status();
        Ok(runner)
    }

    /// The channels of frames, status messages and failures.
    pub fn channels(&self) -> Channels {
        (self.latest.clone(), self.status.clone(), self.failures.clone())
    }

    /// Runs until the session handle is dropped.
    pub fn run(mut self, requests: &Receiver<CommandRequest>) {
        loop {
            let idle = STATUS_INTERVAL.saturating_sub(self.meter.age());
            let wait = if self.is_running() { self.pace.wait().min(idle) } else { idle };
            match requests.recv_timeout(wait) {
                Ok(first) => self.execute_all(std::iter::once(first).chain(requests.try_iter())),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.is_running() && self.pace.wait().is_zero() {
                self.advance();
            }
            if self.meter.age() >= STATUS_INTERVAL {
                self.meter.report();
                self.publish_status();
            }
        }
    }

    /// Whether the run plays; it pauses while no tab is connected.
    fn is_running(&self) -> bool {
        self.playing && self.latest.receiver_count() > 0
    }

    fn execute_all(&mut self, requests: impl Iterator<Item = CommandRequest>) {
        for CommandRequest { command, errors } in requests.take(MAX_COMMANDS) {
            if let Err(error) = self.execute(command) {
                // A tab that does not read its errors misses some.
                let _ = errors.try_send(error.to_string());
            }
        }
        self.publish_status();
    }

    fn execute(&mut self, command: Command) -> Result<(), CommandError> {
        match command {
            Command::Play => self.play(),
            Command::Pause => self.playing = false,
            Command::Step => {
                self.playing = false;
                self.advance();
            }
            Command::Speed { factor } => {
                self.pace.speed = factor;
                self.pace.restart();
            }
            Command::Reset => self.reset(),
            Command::Scene { id } => self.change_scene(&id)?,
            Command::Stepper { name } => {
                let unknown = || CommandError::Name { what: "stepper", name: name.clone() };
                self.settings.stepper = StepperKind::by_name(&name).ok_or_else(unknown)?;
                self.simulation.change(self.settings.stepper, self.settings.solver.clone());
            }
            Command::Solver { name } => {
                let parameters = self.scene.run.solver.parameters().of(&name);
                let unknown = |_| CommandError::Name { what: "solver", name: name.clone() };
                self.settings.solver = Choice::new(&name, parameters).map_err(unknown)?;
                self.simulation.change(self.settings.stepper, self.settings.solver.clone());
            }
            Command::Gravity { value } => {
                self.settings.gravity = DVec3::from_array(value);
                self.apply_settings();
            }
            Command::Friction { factor } => {
                self.settings.friction = factor;
                self.apply_settings();
            }
            Command::Pull(pull) => self.start_pull(pull)?,
            Command::Release => self.end_pull(),
        }
        Ok(())
    }

    fn play(&mut self) {
        self.playing = true;
        self.pace.restart();
    }

    /// Computes and publishes the next frame.
    fn advance(&mut self) {
        let (dt, begin) = (self.simulation.run().dt, Instant::now());
        if let Some(pull) = self.pull.as_ref().filter(|pull| pull.is_torque()) {
            pull.apply(&mut self.simulation.world, &self.scene.world, dt);
        }
        let mut frame = self.simulation.advance();
        self.meter.count(begin.elapsed(), dt);
        self.pace.advance(dt);
        if let Some(refusal) = self.simulation.refusal().map(ToString::to_string) {
            self.stop_and_reset(refusal);
            return;
        }
        if !frame.state.is_finite() {
            self.stop_and_reset(NOT_FINITE.into());
            return;
        }
        if !self.playing || self.uniqueness_time < UNIQUENESS_BUDGET {
            let begin = Instant::now();
            frame.unique = uniqueness(&self.simulation.world, &frame).forces;
            self.uniqueness_time = begin.elapsed();
        }
        self.publish(frame.encode().into());
    }

    /// Pauses and resets the run and reports the reason to every tab.
    fn stop_and_reset(&mut self, reason: String) {
        self.playing = false;
        self.reset();
        // Sending fails only if no tab is connected.
        let _ = self.failures.send(reason);
    }

    fn publish(&self, frame: Bytes) {
        self.latest.send_modify(|latest| latest.frame = frame);
    }

    /// Resets the run to its start; keeps the settings.
    fn reset(&mut self) {
        self.pull = None;
        self.uniqueness_time = Duration::ZERO;
        self.simulation = Simulation::new(&self.scene);
        self.simulation.change(self.settings.stepper, self.settings.solver.clone());
        self.apply_settings();
        self.pace.restart();
        let frame = first_frame(&mut self.simulation);
        self.publish(frame);
    }

    fn change_scene(&mut self, id: &str) -> Result<(), CommandError> {
        let scene = self.catalogue.find(id)?;
        self.pull = None;
        self.playing = false;
        self.uniqueness_time = Duration::ZERO;
        self.simulation = Simulation::new(&scene);
        let (message, frame) = (scene_message(id, &scene), first_frame(&mut self.simulation));
        self.settings = Settings::of(&scene);
        self.scene = scene;
        self.latest.send_modify(|latest| {
            *latest = Latest { scene_number: latest.scene_number + 1, scene: message, frame };
        });
        Ok(())
    }

    /// Applies the settings of gravity and friction to the world.
    fn apply_settings(&mut self) {
        let (settings, original) = (&self.settings, &self.scene.world);
        self.simulation.alter(|world| {
            world.gravity = settings.gravity;
            world.materials.clone_from(&original.materials);
            world.pairs.clone_from(&original.pairs);
            let pairs = world.pairs.iter_mut().map(|(_, material)| material);
            for material in world.materials.iter_mut().chain(pairs) {
                material.static_friction *= settings.friction;
                material.dynamic_friction *= settings.friction;
            }
        });
    }

    fn start_pull(&mut self, pull: Pull) -> Result<(), CommandError> {
        let pull = ActivePull::new(&self.simulation.world, pull)?;
        let (previous, original) = (self.pull.take(), &self.scene.world);
        let dt = self.simulation.run().dt;
        self.simulation.alter(|world| {
            if let Some(previous) = previous {
                previous.remove(world, original);
            }
            pull.apply(world, original, dt);
        });
        self.pull = Some(pull);
        Ok(())
    }

    fn end_pull(&mut self) {
        if let Some(pull) = self.pull.take() {
            self.simulation.alter(|world| pull.remove(world, &self.scene.world));
        }
    }

    fn publish_status(&self) {
        let (settings, measured) = (&self.settings, self.meter.last);
        let (pull, dt) = (self.pull.as_ref(), self.simulation.run().dt);
        let status = json!({
            "say": "status",
            "playing": self.playing,
            "speed": self.pace.speed,
            "stepper": settings.stepper.name(),
            "solver": settings.solver.name(),
            "gravity": settings.gravity.to_array(),
            "friction": settings.friction,
            "real_time_factor": measured.real_time_factor,
            "step_ms": measured.step_ms,
            "solvers": stiction_solvers::all::NAMES,
            "steppers": StepperKind::NAMES.map(|(name, _)| name),
            "live": true,
            "pull": pull.map(|pull| pull.describe(&self.simulation.world, dt)),
        });
        self.status.send_replace(status.to_string().into());
    }
}

/// The message with the description of a scene.
fn scene_message(id: &str, scene: &Scene) -> Utf8Bytes {
    json!({"say": "scene", "id": id, "scene": scene.describe()}).to_string().into()
}

/// The frame of the start, and which of its forces are unique.
fn first_frame(simulation: &mut Simulation) -> Bytes {
    let mut frame = simulation.first();
    frame.unique = uniqueness(&simulation.world, &frame).forces;
    frame.encode().into()
}

#[cfg(test)]
mod tests {
    use super::{NOT_FINITE, Runner};
    use crate::catalogue::Catalogue;
    use crate::command::Command;

    #[test]
    fn a_solver_that_does_not_model_the_scene_stops_the_run_with_an_error() {
        let mut runner = Runner::new(Catalogue::default()).unwrap();
        let (_, _, failures) = runner.channels();
        let mut failures = failures.subscribe();
        runner.execute(Command::Solver { name: "lp".into() }).unwrap();
        runner.play();
        runner.advance();
        let failure = failures.try_recv().unwrap();
        assert!(failure.starts_with("lp cannot take this problem: "), "{failure}");
        assert!(!runner.playing && runner.simulation.world.state.time == 0.0);
        assert!(runner.execute(Command::Solver { name: "lq".into() }).is_err());
    }

    #[test]
    fn a_state_that_is_not_finite_is_reported_and_resets_the_run() {
        let mut runner = Runner::new(Catalogue::default()).unwrap();
        let (_, _, failures) = runner.channels();
        let mut failures = failures.subscribe();
        runner.play();
        runner.advance();
        assert!(failures.try_recv().is_err() && runner.playing);
        let block = runner.scene.world.find_body("block.5").unwrap().index();
        runner.simulation.world.state.poses[block].position.z = f64::NAN;
        runner.advance();
        assert_eq!(failures.try_recv().unwrap(), NOT_FINITE);
        assert!(!runner.playing && runner.simulation.world.state.time == 0.0);
    }
}
