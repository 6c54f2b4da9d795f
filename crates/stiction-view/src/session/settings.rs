//! Settings of a live run that pages can change.

use glam::DVec3;
use stiction::World;
use stiction::scene::{Scene, StepperKind};
use stiction_solvers::all::Choice;

/// A reset keeps them, a change of scene does not.
pub struct Settings {
    pub stepper: StepperKind,
    pub solver: Choice,
    pub gravity: DVec3,
    /// Factor of all friction coefficients.
    pub friction: f64,
}

impl Settings {
    /// The settings of a scene file.
    pub fn of(scene: &Scene) -> Self {
        let (stepper, solver) = (scene.run.stepper, scene.run.solver.clone());
        Settings { stepper, solver, gravity: scene.world.gravity, friction: 1.0 }
    }

    /// Sets gravity and friction of a world; `original` is the world of the scene file.
    pub fn apply(&self, world: &mut World, original: &World) {
        world.gravity = self.gravity;
        world.materials.clone_from(&original.materials);
        world.pairs.clone_from(&original.pairs);
        let pairs = world.pairs.iter_mut().map(|(_, material)| material);
        for material in world.materials.iter_mut().chain(pairs) {
            material.static_friction *= self.friction;
            material.dynamic_friction *= self.friction;
        }
    }

    /// The scene with these settings.
    pub fn on(&self, scene: &Scene) -> Scene {
        let mut changed = scene.clone();
        self.apply(&mut changed.world, &scene.world);
        changed.run.stepper = self.stepper;
        changed.run.solver = self.solver.clone();
        changed
    }
}
