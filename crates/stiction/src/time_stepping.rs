//! Time-stepping: one velocity problem per step, of second order, with the steps
//! split where bodies meet or stop.
//!
//! ```text
//!   v⁺ = v_free + M⁻¹ J_midᵀ λ        λ, J_end v⁺ obey the laws of contact
//!   x⁺ = x + h (v + v⁺) / 2
//! ```
//!
//! The problem has the contacts and joints of the predicted end of the step, so that it is
//! symmetric and any solver takes it; what forces do in the middle beyond that,
//! `M⁻¹ (J_mid − J_end)ᵀ λ`, is part of the free motion. Both are corrected with the
//! velocities and forces found (`plan/setting.rs`). Bodies that stick can do so at all
//! their contacts, however good the prediction. At a contact that slips from beginning
//! to end the law holds for the mean slip `(v_t + v_t⁺) / 2`, which is the direction of
//! friction to second order.
//!
//! A step in which bodies meet ends there, the collision follows, and the rest of the
//! step is planned again; so is the rest of a step in which a slipping contact stops. After
//! `MOST_SPLITS` of them, fewer in large clusters, the rest is one plain piece, at whose
//! beginning all bodies collide that meet in it.
//!
//! Overlap that rounding and curvature leave is repaired by moving bodies
//! (`repair.rs`), never by velocities: no energy comes from it.
//!
//! Bodies that cannot meet within a step do not share its pieces: each cluster of bodies
//! (`cluster.rs`) is a world of its own, with pieces, collisions and repairs of its own
//! (`runner.rs`).
//!
//! After Lloyd 2004 §2 and Anitescu and Potra; the second order is ours.

mod cluster;
mod extent;
mod plan;
mod record;
mod rest;
mod runner;
mod strikes;
mod substep;
mod unmoved;

pub(crate) use record::record_contact;

use crate::journal::Journal;
use crate::report::{EnergyLedger, Event, EventKind, JointRecord, Report};
use crate::solve::SolverSession;
use crate::stepper::Stepper;
use crate::world::{BodyId, JointId, State, World};
use cluster::{Cluster, Clusters};
use runner::{Outcome, Runner};
use unmoved::UnmovedWorld;

/// Velocity problems over fixed steps. Every field lives from step to step; what lives during one
/// is local to it.
#[derive(Debug, Default)]
pub struct TimeStepping {
    runner: Runner,
    clusters: Clusters,
    /// The last step, if nothing moved in it.
    unmoved: Option<UnmovedWorld>,
    ledger: Option<EnergyLedger>,
}

impl TimeStepping {
    /// With this solver; repairs are made with `auto`.
    pub fn with_solver(session: SolverSession) -> Self {
        TimeStepping { runner: Runner { session, ..Runner::default() }, ..TimeStepping::default() }
    }

    /// The same, with this solver for the repair of overlap and drift.
    #[must_use]
    pub fn repaired_by(self, repairing: SolverSession) -> Self {
        TimeStepping { runner: Runner { repairing, ..self.runner }, ..self }
    }
}

impl Stepper for TimeStepping {
    fn name(&self) -> &'static str {
        "time-stepping"
    }

    fn set_ledger(&mut self, ledger: EnergyLedger) {
        self.ledger = Some(ledger);
    }

    fn step(&mut self, world: &mut World, dt: f64) -> Report {
        let mut ledger = self.ledger.take().unwrap_or_else(|| EnergyLedger::open(world));
        self.renew_work();
        let report = self.go(world, dt, dt, &mut ledger);
        self.ledger = Some(ledger);
        report
    }
}

impl TimeStepping {
    /// Gives the answers of the next step of the caller their work.
    pub(crate) fn renew_work(&mut self) {
        self.runner.session.renew_work();
        self.runner.repairing.renew_work();
    }

    /// Whether the answers of this step of the caller have taken all the work they may.
    pub(crate) fn is_spent(&self) -> bool {
        self.runner.is_spent()
    }

    /// One step, part of a `frame` of the caller, entered into the caller's ledger.
    pub(crate) fn go(
        &mut self,
        world: &mut World,
        dt: f64,
        frame: f64,
        ledger: &mut EnergyLedger,
    ) -> Report {
        if let Some(report) = self.stay(world, [dt, frame], ledger) {
            return report;
        }
        let start = world.state.clone();
        self.runner.session.begin_step(world, frame);
        self.runner.repairing.begin_step(world, frame);
        self.clusters.arrange(world, dt);
        self.advance(world, [dt, frame], ledger, |_| true);
        while !self.clusters.stayed_apart(world) {
            self.advance(world, [dt, frame], ledger, |cluster| cluster.outcome.is_none());
        }
        let report = self.finish(world, dt, ledger);
        self.unmoved = UnmovedWorld::after(world, &start, [dt, frame], &report);
        report
    }

    /// The steps of some clusters. Each may miss as large a part of what the ledger may as it has
    /// of the energy of motion.
    fn advance(
        &mut self,
        world: &World,
        lengths: [f64; 2],
        ledger: &EnergyLedger,
        which: impl Fn(&Cluster) -> bool,
    ) {
        let kinetic = world.kinetic_energy(&world.state);
        let energy = kinetic + world.potential_energy(&world.state);
        let missing = energy + ledger.friction + ledger.impacts - ledger.work - ledger.start;
        let least = 1.0 / self.clusters.all.len() as f64;
        for cluster in self.clusters.all.iter_mut().filter(|cluster| which(cluster)) {
            let own = cluster.world.kinetic_energy(&cluster.world.state);
            let share = if kinetic > 0.0 { (own / kinetic).max(least) } else { least };
            cluster.advance(&mut self.runner, lengths, (ledger, missing, share));
        }
    }

    /// Writes what all clusters did into the world and the ledger.
    fn finish(&mut self, world: &mut World, dt: f64, ledger: &mut EnergyLedger) -> Report {
        let mut state = world.state.clone();
        state.time += dt;
        for cluster in &self.clusters.all {
            cluster.write(world, &mut state);
        }
        world.follow_drives(&mut state);
        world.state = state;
        world.follow_turns();
        let mut report = Report { joints: JointRecord::all(world), ..Report::default() };
        report.journal = Journal::new(world);
        for cluster in &self.clusters.all {
            cluster.report(&mut report, ledger);
        }
        report.events.sort_by(|x, y| x.time.total_cmp(&y.time));
        report.journal.waypoints.sort_by_key(|point| point.body);
        ledger.close(world);
        let Runner { session, repairing, .. } = &mut self.runner;
        Report {
            residual: session.residual.max(repairing.residual),
            certified: session.certified && repairing.certified,
            solves: session.solves + repairing.solves,
            iterations: session.iterations + repairing.iterations,
            refusal: session.refusal.take(),
            ledger: *ledger,
            answers: session.answers_with(repairing),
            ..report
        }
    }
}

impl Cluster {
    /// Writes where its bodies are.
    fn write(&self, world: &World, state: &mut State) {
        for (k, &i) in self.bodies.iter().enumerate().filter(|(_, i)| world.bodies[**i].is_free()) {
            state.poses[i] = self.world.state.poses[k];
            state.twists[i] = self.world.state.twists[k];
        }
    }

    /// Adds what it did to the report of the whole world.
    fn report(&self, report: &mut Report, ledger: &mut EnergyLedger) {
        let Some(outcome) = &self.outcome else { return };
        let Outcome { contacts, joints, events, journal, booked, detections, .. } = outcome;
        let [friction, impacts, work] = booked;
        ledger.friction += friction;
        ledger.impacts += impacts;
        ledger.work += work;
        report.detections += detections;
        report.contacts.extend_from_slice(contacts);
        for (&k, joint) in self.joints.iter().zip(joints) {
            report.joints[k] = joint.clone();
        }
        report.events.extend(events.iter().map(|event| self.named(event)));
        let outside = report.journal.impulses.len() - 1;
        for (&i, impulse) in self.bodies.iter().chain([&outside]).zip(&journal.impulses) {
            report.journal.impulses[i].linear += impulse.linear;
            report.journal.impulses[i].angular += impulse.angular;
        }
        let named = journal.waypoints.iter().map(|point| {
            let body = BodyId::from_index(self.bodies[point.body.index()]);
            crate::journal::Waypoint { body, ..*point }
        });
        report.journal.waypoints.extend(named);
    }

    /// An event with the joint that the whole world knows; contacts are named as there already.
    fn named(&self, event: &Event) -> Event {
        let what = match &event.what {
            EventKind::Joint(joint) => {
                EventKind::Joint(JointId::from_index(self.joints[joint.index()]))
            }
            other => other.clone(),
        };
        Event { time: event.time, what }
    }
}
