//! What a session publishes: scenes, frames and its status.

use super::{LONG_STEP_INTERVAL, Runner};
use crate::message::{Message, Status};
use crate::session::Latest;
use crate::session::ring::Known;
use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use std::time::Duration;
use stiction::scene::{Scene, StepperKind};

impl Runner {
    /// Publishes a frame, and the scene before its first frame.
    pub(super) fn publish(&mut self, index: u64, frame: Bytes) {
        self.ring.push(Known { index, bytes: frame.clone(), pull: self.pull.clone() });
        let incoming = self.incoming.take();
        self.channels.latest.send_modify(|latest| {
            if let Some(scene) = incoming {
                *latest = Latest { scene_number: latest.scene_number + 1, scene, frame };
            } else {
                latest.frame = frame;
            }
        });
    }

    /// How long the present task has been computed, if that is long.
    pub(super) fn computing(&self) -> Option<Duration> {
        let time = self.since.elapsed();
        (self.simulation.is_none() && time >= LONG_STEP_INTERVAL).then_some(time)
    }

    pub(super) fn publish_status(&mut self) {
        if let Some(simulation) = &self.simulation {
            let dt = simulation.run().dt;
            let describe = |pull: &super::ActivePull| pull.describe(&simulation.world, dt);
            self.pull_status = self.pull.as_ref().map(describe);
        }
        let (settings, measured) = (&self.settings, self.meter.last);
        let status = Status {
            playing: self.playing,
            speed: self.pace.speed,
            stepper: settings.stepper.name().to_owned(),
            solver: settings.solver.name().to_owned(),
            gravity: settings.gravity.to_array(),
            friction: settings.friction,
            real_time_factor: measured.real_time_factor,
            step_ms: measured.step_ms,
            computing_ms: self.computing().map(|time| 1e3 * time.as_secs_f64()),
            oldest: self.ring.oldest(),
            solvers: stiction_solvers::all::NAMES.iter().map(|&name| name.to_owned()).collect(),
            steppers: StepperKind::NAMES.map(|(name, _)| name.to_owned()).to_vec(),
            live: true,
            pull: self.pull_status.clone(),
        };
        let text = Message::Status(Box::new(status)).text();
        self.channels.status.send_replace(text.into());
    }
}

/// The message with the description of a scene.
pub fn scene_message(id: &str, scene: &Scene) -> Utf8Bytes {
    Message::Scene { id: id.to_owned(), scene: scene.describe() }.text().into()
}
