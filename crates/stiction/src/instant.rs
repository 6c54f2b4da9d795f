//! The contact problem of one instant, and its forces.
//!
//! ```text
//!   state ─→ contacts that touch, rows of joints ─→ accelerations and forces, whatever the stepper
//! ```
//!
//! Worlds without inertia have velocities in place of accelerations. Contacts that approach faster
//! than rounding collide and those that part carry nothing: neither has a finite force, and both are
//! left out. Where no forces hold the bodies apart (Baraff 1991), no contact has one.

use crate::assemble::{self, Assembled, JointEntry};
use crate::detect::{Contact, ContactKey, Detector};
use crate::event_driven::{Given, Rows, fastest_motion, force_problem, sort_rows};
use crate::first_order::{FirstOrder, Posed};
use crate::kinematics::{separation, slip};
use crate::report::{ContactRecord, Event, JointRecord, Report};
use crate::scene::{Run, StepperKind};
use crate::solve::{self, SolverSession, keys};
use crate::time_stepping::record_contact;
use crate::touching::{NEAR, near};
use crate::world::World;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::judge;
use stiction_solvers::{Answer, ContactForce, ContactProblem, Island, Level};

/// Speeds below this fraction of the fastest motion count as zero: what certified velocities leave is
/// less.
const REST: f64 = 1e-7;

/// The contact problem of one instant of a world.
pub struct Instant {
    assembled: Assembled,
    contacts: Vec<Contact>,
    rows: Vec<JointEntry>,
    /// Rows of motors and dry friction that give way, with their forces.
    given: Vec<Given>,
    /// Whether nothing moves.
    still: bool,
    /// The fastest motion (m/s).
    speed: f64,
}

impl Instant {
    /// The problem of a world as it stands, run like this; none if no finite forces act: a motor without a greatest
    /// force is off its speed.
    pub fn new(world: &World, run: &Run) -> Option<Self> {
        match run.stepper {
            StepperKind::FirstOrder => Instant::of_velocities(world, run.dt),
            _ => Instant::of_accelerations(world, run.solver.threshold()),
        }
    }

    fn of_velocities(world: &World, dt: f64) -> Option<Self> {
        let Posed { assembled, contacts, rows, margin } = FirstOrder::default().pose(world, dt);
        let (given, speed) = (Vec::new(), margin / dt);
        Some(Instant { assembled: assembled?, contacts, rows, given, still: false, speed })
    }

    fn of_accelerations(world: &World, threshold: Option<f64>) -> Option<Self> {
        let speed = fastest_motion(world);
        let rest = REST * speed;
        let contacts = touching(world, rest);
        let awake = vec![false; world.bodies.len()];
        let sorted = sort_rows(world, &world.state, rest, &awake);
        let least = vec![rest; contacts.len()];
        let (assembled, _) = force_problem(world, &contacts, &sorted, &least, None, threshold)?;
        let moves = |contact: &Contact| slip(contact, &world.state).length() > rest;
        let still = !contacts.iter().any(moves)
            && world.state.twists.iter().all(|t| t.linear.length().max(t.angular.length()) <= rest);
        let Rows { entries: rows, given, .. } = sorted;
        Some(Instant { assembled, contacts, rows, given, still, speed })
    }

    /// The problem. Its bodies are those of the world.
    pub fn problem(&self) -> &ContactProblem {
        &self.assembled.problem
    }

    /// It as a file, with names and velocities of the bodies; of one of its islands
    /// ([`ContactProblem::islands`]) if that is given.
    pub fn file(&self, world: &World, name: &str, island: Option<&Island>) -> ProblemFile {
        let all: Vec<usize> = (0..world.bodies.len()).collect();
        let (problem, bodies) = island.map_or((&self.assembled.problem, &all[..]), |island| {
            (&island.problem, island.bodies())
        });
        let names = bodies.iter().map(|&i| world.bodies[i].name.as_str());
        let file = ProblemFile::from_problem(problem, name).with_names(names);
        if problem.level() != Level::Acceleration {
            return file;
        }
        let velocities: Vec<_> =
            bodies.iter().map(|&i| assemble::six(&world.state.twists[i])).collect();
        file.with_velocities(&velocities)
    }

    /// Its contacts, in its order.
    pub fn contacts(&self) -> impl Iterator<Item = ContactKey> {
        self.contacts.iter().map(Contact::key)
    }

    /// Solves it and reports contacts and joints with their forces.
    pub(crate) fn report(&self, world: &World, session: &mut SolverSession) -> Report {
        let mut report = Report { certified: true, ..Report::default() };
        if self.assembled.problem.contacts().is_empty() && self.rows.is_empty() {
            return report;
        }
        let keys = keys(&self.contacts);
        let answer = if self.still {
            session.solve_at_rest(&self.assembled.problem, &keys, false)
        } else {
            session.solve(&self.assembled.problem, &keys, false)
        };
        if !answer.is_impulse() {
            session.used(answer.certificate.residual(), answer.is_certified());
            let time = world.state.time;
            report.events.extend(solve::mark(&answer).map(|what| Event { time, what }));
            report.contacts = self.contact_records(world, &answer);
            report.joints = self.joint_records(world, &answer);
        }
        Report {
            residual: session.residual,
            certified: session.certified,
            solves: session.solves,
            answers: session.answers().clone(),
            refusal: session.refusal.take(),
            ..report
        }
    }

    fn contact_records(&self, world: &World, answer: &Answer) -> Vec<ContactRecord> {
        let does = judge::report(&self.assembled.problem, &answer.forces);
        let forces = self.contacts.iter().zip(&answer.forces.contacts);
        let record = |((contact, force), does): ((&Contact, &ContactForce), _)| {
            let judge::ContactReport { mode, margin, .. } = does;
            let none = ContactForce::default();
            ContactRecord {
                mode,
                margin,
                ..record_contact(world, contact, *force, none, self.speed)
            }
        };
        forces.zip(does).map(record).collect()
    }

    fn joint_records(&self, world: &World, answer: &Answer) -> Vec<JointRecord> {
        let mut records = JointRecord::all(world);
        let forces = self.assembled.row_forces(&answer.forces);
        for (entry, force) in self.rows.iter().zip(forces) {
            records[entry.joint].add(world, entry, force);
        }
        for Given { entry, force } in &self.given {
            let entry = &self.rows[*entry];
            records[entry.joint].add(world, entry, *force);
        }
        records
    }
}

/// Contacts that touch and neither collide nor part.
fn touching(world: &World, rest: f64) -> Vec<Contact> {
    let mut detector = Detector::default();
    let largest = world.free().map(|(_, body)| body.bounding_radius()).fold(0.0, f64::max);
    let mut contacts = detector.detect(world, &world.state, NEAR * largest);
    contacts.retain(|contact| {
        near(world, contact)
            && separation(contact, &world.state).abs() <= rest
            && !detector.passes(world, &world.state, contact)
    });
    contacts
}
