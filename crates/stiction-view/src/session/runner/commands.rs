//! What the commands of pages do.

use super::{Runner, Task, publish};
use crate::command::{Command, CommandError, Pull};
use crate::session::pull::ActivePull;
use crate::session::ring::Known;
use crate::session::settings::Settings;
use crate::session::watched::Watched;
use glam::DVec3;
use stiction::scene::{Scene, StepperKind};
use stiction::{Frame, Simulation};
use stiction_solvers::all::Choice;

/// Everything that commands change which wait for the end of a step.
pub struct Here<'a> {
    pub simulation: &'a mut Simulation,
    pub scene: &'a Scene,
    pub settings: &'a mut Settings,
    pub pull: &'a mut Option<ActivePull>,
}

impl Here<'_> {
    /// Executes a command; those that act at once and steps are executed by the runner.
    pub fn execute(&mut self, command: Command) -> Result<(), CommandError> {
        match command {
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
            _ => {}
        }
        Ok(())
    }

    /// Applies the settings of gravity and friction to the world.
    fn apply_settings(&mut self) {
        let (settings, original) = (&*self.settings, &self.scene.world);
        self.simulation.alter(|world| settings.apply(world, original));
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
        *self.pull = Some(pull);
        Ok(())
    }

    fn end_pull(&mut self) {
        if let Some(pull) = self.pull.take() {
            let original = &self.scene.world;
            self.simulation.alter(|world| pull.remove(world, original));
        }
    }
}

impl Runner {
    /// Resets the run to its start; keeps the settings.
    pub(super) fn reset(&mut self) -> Result<(), CommandError> {
        self.abandon()?;
        let mut simulation = Simulation::new(&self.scene);
        simulation.change(self.settings.stepper, self.settings.solver.clone());
        let (settings, original) = (&self.settings, &self.scene.world);
        simulation.alter(|world| settings.apply(world, original));
        self.restart(simulation);
        self.launch(Task::First);
        Ok(())
    }

    /// Returns to an earlier frame and pauses there; keeps the settings.
    pub(super) fn rewind(&mut self, index: u64) -> Result<(), CommandError> {
        let known = self.ring.take(index).ok_or(CommandError::Forgotten(index))?;
        if let Err(busy) = self.abandon() {
            self.ring.push(known);
            return Err(busy);
        }
        let Known { bytes, pull, .. } = known;
        // The energy of the frame is that of a world with the settings and the pull.
        let mut scene = self.settings.on(&self.scene);
        if let Some(pull) = &pull {
            pull.apply(&mut scene.world, &self.scene.world, scene.run.dt);
        }
        let frame = Frame::decode(&bytes).ok();
        let resumed = frame.and_then(|frame| Simulation::resume(&scene, &frame));
        let mut simulation = resumed.ok_or(CommandError::Forgotten(index))?;
        if let Some(pull) = &pull {
            simulation.alter(|world| pull.remove(world, &self.scene.world));
        }
        self.playing = false;
        self.restart(simulation);
        self.publish(index, bytes);
        Ok(())
    }

    /// Shows another scene from its start, paused.
    pub(super) fn change_scene(&mut self, id: String) -> Result<(), CommandError> {
        let scene = self.catalogue.find(&id)?;
        self.show(id, scene)?;
        self.playing = false;
        Ok(())
    }

    /// Shows a scene that a page sent.
    pub(super) fn load(&mut self, name: String, text: &str) -> Result<(), CommandError> {
        let scene = self.catalogue.read(&name, text)?;
        self.show(name, scene)?;
        self.playing = false;
        Ok(())
    }

    fn show(&mut self, id: String, scene: Scene) -> Result<(), CommandError> {
        self.abandon()?;
        let simulation = Simulation::new(&scene);
        self.incoming = Some(publish::scene_message(&id, &scene));
        self.settings = Settings::of(&scene);
        (self.id, self.scene) = (id, scene);
        self.restart(simulation);
        self.launch(Task::First);
        Ok(())
    }

    /// Shows the scene of the file again if it was saved and is on display.
    pub(super) fn reload_if_saved(&mut self) {
        let saved = self.watched.as_mut().is_some_and(Watched::was_saved);
        let Some(watched) = self.watched.as_ref().filter(|_| saved) else { return };
        let read = self.catalogue.read_again(watched.path());
        match read {
            Ok(_) if self.id != self.catalogue.first() => {}
            Ok(scene) => {
                // A run that cannot be restarted now shows the file when it is saved again.
                if let Err(error) = self.show(self.id.clone(), scene) {
                    self.fail(error.to_string());
                }
            }
            Err(error) => self.fail(error.to_string()),
        }
    }
}
