//! The energy ledger closes, heat only grows, and work has a source.
//!
//! Kinetic and potential energy are computed from the states by the textbook,
//!
//! ```text
//!   K = Σ ½ m v² + ½ ω · I ω        U = −Σ (m g + f) · x + Σ ½ k (l − l₀)²
//! ```
//!
//! heat and work are those of the ledger. What is missing is compared with the largest amount of
//! energy that changed form so far.

use super::Worst;
use super::law::Place;
use crate::report::EnergyLedger;
use crate::world::{Body, Motion, State, World};
use stiction_geometry::Pose;

/// Change of energies that rounding makes, part of their size.
const ROUNDING: f64 = 1e-13;

/// The least turnover that errors are compared with, part of what lifts the heaviest body by its
/// radius: in a world at rest nothing changes form.
const LEAST: f64 = 1e-3;

/// Turnover of a ledger beyond this multiple of what frames show is made up: within a frame there
/// may be more kinetic energy than at its ends.
const TURNOVER: f64 = 2.0;

/// What was seen of the energy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Energy {
    /// The ledger of the first and of the last frame seen.
    first: Option<EnergyLedger>,
    last: EnergyLedger,
    /// The largest heat of friction and of collisions so far.
    heat: [f64; 2],
    /// The largest energy that changed form so far, if frame 0 was seen.
    turnover: Option<f64>,
}

impl Energy {
    /// The world was exchanged; the ledger continues.
    pub(super) fn restart(&mut self) {
        self.first = None;
    }

    /// Begins with a ledger that is not judged.
    pub(super) fn begin(&mut self, ledger: &EnergyLedger) {
        (self.first, self.last, self.turnover) = (Some(*ledger), *ledger, None);
        self.forget();
    }

    /// Heat is compared with that of the last frame alone.
    pub(super) fn forget(&mut self) {
        self.heat = [self.last.friction, self.last.impacts];
    }

    /// Judges the ledger of a state; `index` is the number of its frame.
    pub(super) fn see(
        &mut self,
        world: &World,
        state: &State,
        ledger: &EnergyLedger,
        index: u64,
        worst: &mut Worst,
    ) {
        let (kinetic, potential) = (kinetic(world, state), potential(world, state));
        let EnergyLedger { work, friction, impacts, start, .. } = *ledger;
        if self.first.is_none() {
            self.begin(ledger);
            self.turnover = (index == 0).then_some(0.0);
        }
        let first = self.first.unwrap_or_default();
        let booked = friction.abs().max(impacts.abs()).max(work.abs());
        let turnover = ledger.turnover.max(booked).max(LEAST * heaviest(world));
        let least = ROUNDING * (kinetic.abs() + potential.abs() + start.abs());
        let mut note = |energy: f64, what| {
            let share = energy.abs() / turnover.max(least);
            worst.note(if energy.abs() <= least { 0.0 } else { share }, state.time, || {
                Place::Ledger(what)
            });
        };
        let missing = kinetic + potential + friction + impacts - work - start;
        note(missing, "the ledger does not close");
        note(start - first.start, "the energy at the start changes");
        note(kinetic - ledger.kinetic, "kinetic energy is not that of the state");
        note(potential - ledger.potential, "potential energy is not that of the state");
        note((self.heat[0] - friction).max(0.0), "heat of friction falls");
        note((self.heat[1] - impacts).max(0.0), "heat of collisions falls");
        if !does_work(world) {
            note(work - first.work, "work without motor, drive or torque");
        }
        if let Some(largest) = &mut self.turnover {
            *largest = largest.max(kinetic).max((potential - start).abs());
            note((ledger.turnover - TURNOVER * *largest).max(0.0), "turnover is made up");
        }
        self.heat = [self.heat[0].max(friction), self.heat[1].max(impacts)];
        self.last = *ledger;
    }
}

/// Whether anything in the world can do work that the potential does not count.
fn does_work(world: &World) -> bool {
    let body = |body: &Body| {
        matches!(body.motion, Motion::Driven { .. }) || body.torque != glam::DVec3::ZERO
    };
    world.bodies.iter().any(body) || world.joints.iter().any(|joint| joint.motor.is_some())
}

/// What lifts the heaviest body by its radius (J).
fn heaviest(world: &World) -> f64 {
    let bodies = world.bodies.iter().filter(|body| body.is_free());
    let lift =
        |body: &Body| (body.mass * world.gravity + body.force).length() * body.bounding_radius();
    bodies.map(lift).fold(0.0, f64::max)
}

fn kinetic(world: &World, state: &State) -> f64 {
    let energy = |(body, (pose, twist)): (&Body, (&Pose, &stiction_geometry::Twist))| {
        let spin = pose.rotation.conjugate() * twist.angular;
        0.5 * body.mass * twist.linear.length_squared() + 0.5 * spin.dot(body.inertia * spin)
    };
    let states = state.poses.iter().zip(&state.twists);
    world.bodies.iter().zip(states).filter(|(body, _)| body.is_free()).map(energy).sum()
}

fn potential(world: &World, state: &State) -> f64 {
    let lifted =
        |(body, pose): (&Body, &Pose)| -(body.mass * world.gravity + body.force).dot(pose.position);
    let bodies = world.bodies.iter().zip(&state.poses).filter(|(body, _)| body.is_free());
    let stretched = |spring: &crate::spring::Spring| {
        let end = |body: Option<usize>, point: glam::DVec3| {
            body.map_or(point, |i| state.poses[i].position + state.poses[i].rotation * point)
        };
        let apart = end(Some(spring.a.index()), spring.on_a) - end(spring.other(), spring.on_b);
        0.5 * spring.stiffness * (apart.length() - spring.length).powi(2)
    };
    bodies.map(lifted).sum::<f64>() + world.springs.iter().map(stretched).sum::<f64>()
}
