//! A world without inertia (Baraff 1994, §5): force is mass times velocity.
//!
//! ```text
//!   v = M⁻¹ (f + Jᵀ λ)        λ, v obey the laws of contact,   gap + h v ≥ 0
//! ```
//!
//! Bodies creep where forces push them and stop when these stop: mechanisms that are
//! positioned rather than thrown. A unit force moves a unit mass with one metre per
//! second; only directions and what touches what mean something. Energies are not kept.

use crate::assemble::{self, Assembled, ContactLaw, JointEntry, Laws, Snapshot, joint_rows};
use crate::detect::{Contact, Detector};
use crate::joint::RowRule;
use crate::repair::repair;
use crate::report::{EnergyLedger, Event, EventKind, JointRecord, Report};
use crate::solve::{self, SolverSession, keys};
use crate::stepper::Stepper;
use crate::time_stepping::record_contact;
use crate::touching;
use crate::world::{State, World};
use stiction_geometry::Twist;
use stiction_solvers::{ContactForce, Level};

/// Force problems over fixed steps, velocity proportional to force.
#[derive(Debug, Default)]
pub struct FirstOrder {
    session: SolverSession,
    repairing: SolverSession,
    detector: Detector,
}

impl FirstOrder {
    /// With this solver; repairs are made with `auto`.
    pub fn with_solver(session: SolverSession) -> Self {
        FirstOrder { session, ..FirstOrder::default() }
    }

    /// The same, with this solver for the repair of overlap and drift.
    #[must_use]
    pub fn repaired_by(self, repairing: SolverSession) -> Self {
        FirstOrder { repairing, ..self }
    }

    /// Velocities that forces cause freely; of driven bodies those they are given.
    fn free(world: &World, state: &State) -> Vec<Twist> {
        let mut free: Vec<Twist> = (0..world.bodies.len())
            .map(|i| {
                let still =
                    State { twists: vec![Twist::ZERO; world.bodies.len()], ..state.clone() };
                if world.bodies[i].is_free() {
                    world.free_acceleration(i, &still)
                } else {
                    world.driven_twist(i, state.time)
                }
            })
            .collect();
        assemble::add_motor_forces(world, state, &mut free);
        world.add_springs(state, &mut free);
        free
    }
}

impl Stepper for FirstOrder {
    fn name(&self) -> &'static str {
        "first-order"
    }

    /// Energies mean nothing without inertia: there is no ledger.
    fn set_ledger(&mut self, _ledger: EnergyLedger) {}

    fn step(&mut self, world: &mut World, dt: f64) -> Report {
        self.session.begin_step(world, dt);
        self.repairing.begin_step(world, dt);
        self.session.renew_work();
        self.repairing.renew_work();
        let mut events = Vec::new();
        let Posed { assembled, contacts, rows, margin } = self.pose(world, dt);
        let time = world.state.time;
        let mut report = Report { certified: true, ..Report::default() };
        let answer = assembled.map(|assembled| {
            let answer = self.session.solve(&assembled.problem, &keys(&contacts), true);
            (assembled, answer)
        });
        if let Some((assembled, found)) = answer.filter(|(_, answer)| solve::has_motion(answer)) {
            self.session.used(found.certificate.residual(), found.is_certified());
            events.extend(solve::mark(&found).map(|what| Event { time, what }));
            world.state.twists = found.response.bodies.iter().map(assemble::twist).collect();
            for (pose, twist) in world.state.poses.iter_mut().zip(&world.state.twists) {
                *pose = pose.moved(twist, dt);
            }
            report.contacts = contacts
                .iter()
                .zip(&found.forces.contacts)
                .map(|(c, f)| record_contact(world, c, *f, ContactForce::default(), margin / dt))
                .collect();
            report.joints = JointRecord::all(world);
            for (entry, force) in rows.iter().zip(assembled.row_forces(&found.forces)) {
                report.joints[entry.joint].add(world, entry, force);
            }
        } else {
            events.push(Event { time, what: EventKind::Uncertified { residual: f64::INFINITY } });
            self.session.used(f64::INFINITY, false);
        }
        world.state.time = time + dt;
        let mut state = world.state.clone();
        world.follow_drives(&mut state);
        world.state = state;
        world.follow_turns();
        let overlaps = |c: &Contact| {
            let geometry = c.touch.geometry(&world.state.poses[c.a], &world.state.poses[c.b]);
            touching::overlaps(world, c, geometry.gap)
        };
        if contacts.iter().any(overlaps) || !world.joints.is_empty() {
            let (detector, session) = (&mut self.detector, &mut self.repairing);
            events.extend(repair(world, detector, session, &mut EnergyLedger::default()));
        }
        Report {
            events,
            residual: self.session.residual.max(self.repairing.residual),
            certified: self.session.certified && self.repairing.certified,
            solves: self.session.solves + self.repairing.solves,
            iterations: self.session.iterations + self.repairing.iterations,
            detections: std::mem::take(&mut self.detector.detections),
            refusal: self.session.refusal.take(),
            answers: self.session.answers_with(&self.repairing),
            ..report
        }
    }
}

/// A step as a problem, with its contacts and rows of joints.
pub(crate) struct Posed {
    pub assembled: Option<Assembled>,
    pub contacts: Vec<Contact>,
    pub rows: Vec<JointEntry>,
    /// How far bodies may move towards each other (m).
    pub margin: f64,
}

impl FirstOrder {
    /// The problem of a step; none if its numbers are not finite.
    pub(crate) fn pose(&mut self, world: &World, dt: f64) -> Posed {
        let mut state = world.state.clone();
        state.twists = vec![Twist::ZERO; world.bodies.len()];
        let free = FirstOrder::free(world, &state);
        let fastest = free.iter().enumerate().map(|(i, twist)| {
            let radius = world.bodies[i].bounding_radius();
            let radius = if radius.is_finite() { radius } else { 0.0 };
            twist.linear.length() + radius * twist.angular.length()
        });
        let margin = 2.0 * dt * fastest.fold(0.0, f64::max);
        let contacts = self.detector.detect(world, &state, margin);
        let law = |c: &Contact| {
            let geometry = &c.touch.geometry;
            let bias = geometry.normal * geometry.gap.max(0.0) / dt;
            ContactLaw { friction: assemble::coulomb(c, false), bias }
        };
        let rows = joint_rows(world, &state);
        let bias = |entry: &JointEntry| match entry.row.rule {
            RowRule::AtLeast => entry.row.error.max(0.0) / dt,
            _ => -entry.row.target,
        };
        let laws = Laws {
            level: Level::FirstOrder,
            free: &free,
            resting: &[],
            contacts: contacts.iter().map(law).collect(),
            rows: rows.iter().map(|entry| Some(bias(entry))).collect(),
            duration: 1.0,
            resolution: 0.0,
        };
        let snapshot = Snapshot { state: &state, contacts: &contacts, rows: &rows };
        let assembled = assemble::assemble(world, &snapshot, &laws).ok();
        Posed { assembled, contacts, rows, margin }
    }
}
