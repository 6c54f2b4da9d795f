//! The thread of a session: waits, obeys, moves on, shows.

use super::pace::{Meter, Pace};
use super::pull::Held;
use super::{MOST_TROUBLES, Order, Shown};
use crate::catalogue::{Catalogue, CatalogueError};
use crate::command::{Command, CommandError, Pull};
use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use glam::DVec3;
use serde_json::json;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use stiction::scene::{Scene, StepperKind};
use stiction::{Frame, Simulation, uniqueness};
use stiction_solvers::all::Choice;
use tokio::sync::{broadcast, watch};

/// From one status message to the next when nothing changes.
const STATUS_EVERY: Duration = Duration::from_millis(500);
/// Orders obeyed between two frames: nobody stops the run by talking.
const MOST_AT_ONCE: usize = 64;
/// While a run plays, which forces are unique is asked as long as the answer takes no longer.
const CHEAP: Duration = Duration::from_millis(4);

/// Said when the state is not finite: nothing follows from it, and the run begins again.
const NOT_FINITE: &str = "the state was no longer finite: the run is back at its start";

/// What pages may change; it outlives a reset, not a change of scene.
struct Settings {
    stepper: StepperKind,
    solver: Choice,
    gravity: DVec3,
    friction: f64,
}

impl Settings {
    /// Those that a scene is written with.
    fn of(scene: &Scene) -> Self {
        let (stepper, solver) = (scene.run.stepper, scene.run.solver.clone());
        Settings { stepper, solver, gravity: scene.world.gravity, friction: 1.0 }
    }
}

/// A run and all who watch it.
pub struct Runner {
    catalogue: Catalogue,
    scene: Scene,
    simulation: Simulation,
    settings: Settings,
    playing: bool,
    pace: Pace,
    meter: Meter,
    /// How long it took last time to tell which forces are unique.
    asking: Duration,
    held: Option<Held>,
    shown: watch::Sender<Shown>,
    status: watch::Sender<Utf8Bytes>,
    troubles: broadcast::Sender<String>,
}

/// Where frames, status messages and troubles come out.
type Channels = (watch::Sender<Shown>, watch::Sender<Utf8Bytes>, broadcast::Sender<String>);

impl Runner {
    /// The first scene of a catalogue, at rest.
    ///
    /// # Errors
    ///
    /// [`CatalogueError`] if it cannot be shown.
    pub fn new(catalogue: Catalogue) -> Result<Self, CatalogueError> {
        let id = catalogue.first().to_owned();
        let scene = catalogue.find(&id)?;
        let shown = Shown { number: 0, scene: tell(&id, &scene), frame: first_frame(&scene) };
        let runner = Runner {
            simulation: Simulation::new(&scene),
            settings: Settings::of(&scene),
            catalogue,
            scene,
            playing: false,
            pace: Pace::new(),
            meter: Meter::new(),
            asking: Duration::ZERO,
            held: None,
            shown: watch::Sender::new(shown),
            status: watch::Sender::new(Utf8Bytes::default()),
            troubles: broadcast::Sender::new(MOST_TROUBLES),
        };
        runner.tell_status();
        Ok(runner)
    }

    /// Where frames, status messages and troubles come out.
    pub fn channels(&self) -> Channels {
        (self.shown.clone(), self.status.clone(), self.troubles.clone())
    }

    /// Runs until there is nobody left who could give an order.
    pub fn run(mut self, orders: &Receiver<Order>) {
        loop {
            let idle = STATUS_EVERY.saturating_sub(self.meter.age());
            let wait = if self.moves() { self.pace.wait().min(idle) } else { idle };
            match orders.recv_timeout(wait) {
                Ok(order) => self.obey_all(std::iter::once(order).chain(orders.try_iter())),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.moves() && self.pace.wait().is_zero() {
                self.advance();
            }
            if self.meter.age() >= STATUS_EVERY {
                self.meter.report();
                self.tell_status();
            }
        }
    }

    /// A run that nobody watches stands still.
    fn moves(&self) -> bool {
        self.playing && self.shown.receiver_count() > 0
    }

    fn obey_all(&mut self, orders: impl Iterator<Item = Order>) {
        for Order { command, complaints } in orders.take(MOST_AT_ONCE) {
            if let Err(error) = self.obey(command) {
                // A page that reads so slowly that complaints pile up misses some.
                let _ = complaints.try_send(error.to_string());
            }
        }
        self.tell_status();
    }

    fn obey(&mut self, command: Command) -> Result<(), CommandError> {
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
                self.settle();
            }
            Command::Friction { factor } => {
                self.settings.friction = factor;
                self.settle();
            }
            Command::Pull(pull) => self.hold(pull)?,
            Command::Release => self.release(),
        }
        Ok(())
    }

    fn play(&mut self) {
        self.playing = true;
        self.pace.restart();
    }

    /// One frame.
    fn advance(&mut self) {
        let (dt, begin) = (self.simulation.run().dt, Instant::now());
        if let Some(held) = self.held.as_ref().filter(|held| held.turns()) {
            held.apply(&mut self.simulation.world, &self.scene.world, dt);
        }
        let mut frame = self.simulation.advance();
        self.meter.count(begin.elapsed(), dt);
        self.pace.made(dt);
        if let Some(refusal) = self.simulation.refusal().map(ToString::to_string) {
            self.begin_again(refusal);
            return;
        }
        if !frame.state.is_finite() {
            self.begin_again(NOT_FINITE.into());
            return;
        }
        if !self.playing || self.asking < CHEAP {
            let begin = Instant::now();
            frame.unique = uniqueness(&self.simulation.world, &frame).forces;
            self.asking = begin.elapsed();
        }
        self.show(frame.encode().into());
    }

    /// Stops at the start, for a reason.
    fn begin_again(&mut self, why: String) {
        self.playing = false;
        self.reset();
        // Without a tab that listens no report is needed.
        let _ = self.troubles.send(why);
    }

    fn show(&self, frame: Bytes) {
        self.shown.send_modify(|shown| shown.frame = frame);
    }

    /// Back to the start, with the settings of now.
    fn reset(&mut self) {
        self.held = None;
        self.asking = Duration::ZERO;
        self.simulation = Simulation::new(&self.scene);
        self.simulation.change(self.settings.stepper, self.settings.solver.clone());
        self.settle();
        self.pace.restart();
        self.show(first_frame(&self.scene));
    }

    fn change_scene(&mut self, id: &str) -> Result<(), CommandError> {
        let scene = self.catalogue.find(id)?;
        let (message, frame) = (tell(id, &scene), first_frame(&scene));
        self.held = None;
        self.playing = false;
        self.asking = Duration::ZERO;
        self.simulation = Simulation::new(&scene);
        self.settings = Settings::of(&scene);
        self.scene = scene;
        self.shown.send_modify(|shown| {
            *shown = Shown { number: shown.number + 1, scene: message, frame };
        });
        Ok(())
    }

    /// Gives the world gravity and friction as they are set.
    fn settle(&mut self) {
        let (settings, written) = (&self.settings, &self.scene.world);
        self.simulation.alter(|world| {
            world.gravity = settings.gravity;
            world.materials.clone_from(&written.materials);
            world.pairs.clone_from(&written.pairs);
            let pairs = world.pairs.iter_mut().map(|(_, material)| material);
            for material in world.materials.iter_mut().chain(pairs) {
                material.static_friction *= settings.friction;
                material.dynamic_friction *= settings.friction;
            }
        });
    }

    fn hold(&mut self, pull: Pull) -> Result<(), CommandError> {
        let held = Held::new(&self.simulation.world, pull)?;
        let (before, written) = (self.held.take(), &self.scene.world);
        let dt = self.simulation.run().dt;
        self.simulation.alter(|world| {
            if let Some(before) = before {
                before.remove(world, written);
            }
            held.apply(world, written, dt);
        });
        self.held = Some(held);
        Ok(())
    }

    fn release(&mut self) {
        if let Some(held) = self.held.take() {
            self.simulation.alter(|world| held.remove(world, &self.scene.world));
        }
    }

    fn tell_status(&self) {
        let (settings, measured) = (&self.settings, self.meter.last);
        let held = self.held.as_ref();
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
            "pull": held.map(|held| held.describe(&self.simulation.world, self.simulation.run().dt)),
        });
        self.status.send_replace(status.to_string().into());
    }
}

/// The message that tells a scene.
fn tell(id: &str, scene: &Scene) -> Utf8Bytes {
    json!({"say": "scene", "id": id, "scene": scene.describe()}).to_string().into()
}

fn first_frame(scene: &Scene) -> Bytes {
    Frame::first(&scene.world).encode().into()
}

#[cfg(test)]
mod tests {
    use super::{NOT_FINITE, Runner};
    use crate::catalogue::Catalogue;
    use crate::command::Command;

    #[test]
    fn a_solver_that_does_not_model_the_scene_stops_the_run_and_is_told() {
        let mut runner = Runner::new(Catalogue::default()).unwrap();
        let (_, _, troubles) = runner.channels();
        let mut troubles = troubles.subscribe();
        runner.obey(Command::Solver { name: "lp".into() }).unwrap();
        runner.play();
        runner.advance();
        let told = troubles.try_recv().unwrap();
        assert!(told.starts_with("lp cannot take this problem: "), "{told}");
        assert!(!runner.playing && runner.simulation.world.state.time == 0.0);
        assert!(runner.obey(Command::Solver { name: "lq".into() }).is_err());
    }

    #[test]
    fn a_state_that_is_not_finite_is_told_and_the_run_begins_again() {
        let mut runner = Runner::new(Catalogue::default()).unwrap();
        let (_, _, troubles) = runner.channels();
        let mut troubles = troubles.subscribe();
        runner.play();
        runner.advance();
        assert!(troubles.try_recv().is_err() && runner.playing);
        let block = runner.scene.world.find_body("block.5").unwrap().index();
        runner.simulation.world.state.poses[block].position.z = f64::NAN;
        runner.advance();
        assert_eq!(troubles.try_recv().unwrap(), NOT_FINITE);
        assert!(!runner.playing && runner.simulation.world.state.time == 0.0);
    }
}
