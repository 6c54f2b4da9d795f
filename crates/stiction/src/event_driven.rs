//! Event-driven motion (Baraff 1989, 1991, 1994): exact up to the tolerance of the
//! integrator.
//!
//! ```text
//!   restart:  collisions → forces, certified → modes: stick, slip or open (restart.rs)
//!   between:  modes fixed, a linear system per evaluation (system.rs), order five (integrate.rs)
//!   events:   a contact closes, lets go, sticks, slips or leaves its face; a limit (guards.rs)
//! ```
//!
//! Islands that rest with certified accelerations of zero sleep: they stay exactly where
//! they are until something touches them.
//!
//! Where no force holds the bodies apart, an impulse does (Baraff 1991). Rebounds below
//! `NO_REBOUND` (`restart.rs`) end a sequence of bounces. Where modes cannot be found or
//! events come without end, time-stepping advances the world for a short time, and the report
//! says so.

mod changes;
mod course;
mod drift;
mod fallback;
mod guards;
mod impulse;
mod independent;
mod integrate;
mod linear;
mod problem;
mod records;
mod restart;
mod system;

pub(crate) use problem::{Rows, problem as force_problem, sort as sort_rows};
pub(crate) use restart::fastest as fastest_motion;
pub(crate) use system::Given;

use crate::detect::{ContactKey, Detector};
use crate::report::{EnergyLedger, Event, EventKind, Reason, Report};
use crate::solve::{SolverSession, add_answers};
use crate::stepper::Stepper;
use crate::time_stepping::TimeStepping;
use crate::world::World;
use changes::{event_kind, is_still, is_true, refreshed};
use course::Course;
use drift::remove_drift;
use fallback::FALL_BACK;
use guards::{Guard, Now, first_event, first_overlap};
use integrate::Step;
use restart::fastest;
use stiction_solvers::portfolio::Iterations;
use system::{Carrying, Happens, Modes};

/// Error per step, of one metre, radian, metre or radian per second.
const TOLERANCE: f64 = 1e-11;

/// The longest step (s).
const LONGEST: f64 = 1.0 / 60.0;

/// A body moves at most by this fraction of its size in a step, so that no collision is missed.
const PART_OF_SIZE: f64 = 0.25;

/// The first step after an event is no shorter than this (s).
const FIRST: f64 = 1e-5;

/// The first step with a slip whose direction is taken as fixed (s).
const FIRST_SLIP: f64 = 1e-6;

/// After this number of steps of the integrator, rows whose forces follow the motion are chosen again.
const BASIS: usize = 10;

/// Steps shorter than this (s) are not made.
const SHORTEST: f64 = 1e-13;

/// Events in a row, each within [`CROWD`] of the one before, counted once for every contact that
/// carries: beyond this number time-stepping takes over. Bodies that chatter.
const MOST_EVENTS: usize = 2000;

/// By how much the event budget recovers with every step of the caller.
const REST: usize = 100;

/// False alarms in a step of the caller up to this number do not count: before a
/// body slips at several contacts, their forces reach their limits one after the other.
const MOST_ALARMS: usize = 100;

/// Events less than this apart (s) are a crowd.
const CROWD: f64 = 1e-4;

/// After this number of integrator steps without progress time-stepping takes over: at a very
/// slow slip the direction of friction turns without end.
const MOST_STEPS: usize = 200;

/// Steps make progress if they lead farther from the last event by this fraction.
const FARTHER: f64 = 0.05;

/// For forces in the middle of what the laws allow: units of work of proximal points.
const CENTRAL: f64 = 5e6;

/// Smooth motion between located events.
#[derive(Debug)]
pub struct EventDriven {
    /// Error per step, relative to one metre, radian, metre or radian per second.
    pub tolerance: f64,
    /// With a speed here (m/s) contacts do not stick: below it their friction is in proportion to
    /// their slip (Baraff 1991, §8.1). The slower, the stiffer the motion.
    pub threshold: Option<f64>,
    session: SolverSession,
    /// For forces well inside their cones, where there is a choice.
    central: SolverSession,
    detector: Detector,
    fallback: TimeStepping,
    /// Length of the last fallback (s), and the time at which it ends (s).
    fallback_length: f64,
    fallback_until: f64,
    asleep: Vec<bool>,
    /// Contacts among bodies that sleep, as they were certified.
    resting: Vec<Carrying>,
    /// Rows of their joints.
    resting_rows: Vec<Given>,
    modes: Option<(Modes, Happens)>,
    length: f64,
    ledger: Option<EnergyLedger>,
    hash: u64,
    /// The contact that reached the limit of its cone in the last event: it slips, though the
    /// forces may still be within rounding of holding it.
    slipped: Option<ContactKey>,
    /// The contact whose slip ended in the last event: it has stopped, though a little slip
    /// across may be left.
    stopped: Option<ContactKey>,
    /// What the last event seemed to be; reported if the forces after it agree.
    pending: Option<EventKind>,
    /// The progress of the integrator.
    progress: Progress,
    /// Events in a crowd before time-stepping takes over; halved after each time it did.
    event_budget: usize,
    /// Number of contacts that carry force, plus one.
    carries: usize,
}

/// When the last event was, when the integrator was last inspected, and its steps since.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    event: f64,
    seen: f64,
    steps: usize,
}

impl Default for EventDriven {
    fn default() -> Self {
        EventDriven::with_solver(SolverSession::default())
    }
}

impl EventDriven {
    /// With this solver.
    pub fn with_solver(session: SolverSession) -> Self {
        EventDriven::with_fallback(session, TimeStepping::default())
    }

    /// With this solver, and this stepper for intervals that it cannot integrate itself.
    pub fn with_fallback(session: SolverSession, fallback: TimeStepping) -> Self {
        EventDriven {
            tolerance: TOLERANCE,
            threshold: None,
            session,
            central: SolverSession::new(Box::new(Iterations::central(CENTRAL))),
            detector: Detector::default(),
            fallback,
            fallback_length: FALL_BACK,
            fallback_until: f64::NEG_INFINITY,
            asleep: Vec::new(),
            resting: Vec::new(),
            resting_rows: Vec::new(),
            modes: None,
            length: FIRST,
            ledger: None,
            hash: 0,
            slipped: None,
            stopped: None,
            pending: None,
            progress: Progress::default(),
            event_budget: MOST_EVENTS,
            carries: 0,
        }
    }

    /// New counts and budgets. If the world was changed between steps nothing known of it holds.
    fn begin_step(&mut self, world: &World, dt: f64) {
        for session in [&mut self.session, &mut self.central] {
            session.begin_step(world, dt);
            session.renew_work();
        }
        self.fallback.renew_work();
        if world.fingerprint() != self.hash {
            self.modes = None;
            self.asleep.clear();
            self.resting.clear();
            self.resting_rows.clear();
            self.fallback_until = f64::NEG_INFINITY;
        }
    }

    /// Advances the world to the next event or by a step of the integrator, not beyond `end`.
    ///
    /// # Errors
    ///
    /// Why it cannot.
    fn advance(&mut self, world: &mut World, end: f64, course: &mut Course) -> Result<(), Reason> {
        let (modes, happens) =
            if let Some(known) = self.modes.take() { known } else { self.begin(world, course)? };
        if !self.makes_progress(world.state.time) {
            return Err(Reason::Steps);
        }
        let left = end - world.state.time;
        if is_still(world, &modes) {
            self.book_resting(world, left, &mut course.report.journal);
            world.state.time = end;
            self.modes = Some((modes, happens));
            return Ok(());
        }
        let start = world.state.clone();
        let longest = left.min(EventDriven::longest(world, end));
        let mut step = self.accepted(world, (&modes, &happens), longest)?;
        if let Some(part) = first_overlap(world, &modes, &start, &step, &mut self.detector) {
            if part == 0.0 {
                return Ok(());
            }
            let length = part * step.length;
            step = Step::take(world, &modes, &start, length, &happens, self.tolerance);
        }
        let now = Now { state: &start, happens: &happens };
        let event = first_event(world, &modes, &now, &step, self.tolerance, &mut self.detector);
        let (step, guard) = event.map_or((step, None), |(step, guard)| (step, Some(guard)));
        // Far from where an event was expected, and where a contact is not defined, the motion is
        // not trusted.
        if step.error > 1.0 {
            self.length = 0.5 * step.length;
            self.modes = Some((modes, happens));
            return Ok(());
        }
        step.book(&mut course.report.journal);
        self.book_resting(world, step.length, &mut course.report.journal);
        world.state = step.state(world);
        if guard.is_none() && step.length == left {
            world.state.time = end;
        }
        let kink = world.next_kink(start.time).filter(|kink| kink - world.state.time < SHORTEST);
        if let Some(kink) = kink {
            world.state.time = world.state.time.max(kink);
        }
        self.arrive(world, modes, &step, guard, course);
        course.report.journal.pass(world, &world.state);
        if kink.is_some() {
            // What is driven accelerates at once: so do forces jump, and modes may change.
            self.modes = None;
        }
        Ok(())
    }

    /// Enters a step into the ledger, removes its drift, and remembers what ended it.
    fn arrive(
        &mut self,
        world: &mut World,
        modes: Modes,
        step: &Step,
        guard: Option<Guard>,
        course: &mut Course,
    ) {
        let [heat, work] = step.energies();
        course.ledger.friction += heat;
        course.ledger.work += work;
        world.follow_turns();
        remove_drift(world, &modes, &mut course.report.journal);
        if let Some(guard) = guard {
            let key = |i: usize| Some(modes.carrying[i].contact.key());
            (self.slipped, self.stopped) = match guard {
                Guard::Cone(i) => (key(i), None),
                Guard::Slip(i) => (None, key(i)),
                _ => (None, None),
            };
            self.pending = event_kind(&guard, &modes, step);
            return;
        }
        let was_faint = modes.is_faint();
        let rebase = self.progress.steps.is_multiple_of(BASIS);
        let (modes, happens) = refreshed(world, modes, rebase.then_some(&step.happens));
        if modes.is_faint() && !was_faint {
            self.length = self.length.min(FIRST_SLIP);
        }
        self.modes = Some((modes, happens));
    }

    /// A step of the integrator from here, of a given maximum length (s), whose error is small
    /// enough.
    ///
    /// # Errors
    ///
    /// If there is none.
    fn accepted(
        &mut self,
        world: &World,
        (modes, happens): (&Modes, &Happens),
        longest: f64,
    ) -> Result<Step, Reason> {
        let mut length = self.length.min(longest);
        loop {
            let step = Step::take(world, modes, &world.state, length, happens, self.tolerance);
            let factor = (0.9 * step.error.powf(-0.2)).clamp(0.2, 5.0);
            if step.error <= 1.0 {
                if length < longest || factor < 1.0 {
                    self.length = length * factor;
                }
                return Ok(step);
            }
            length *= if step.error.is_finite() { factor } else { 0.2 };
            if length < SHORTEST {
                return Err(Reason::Steps);
            }
        }
    }

    /// Counts steps; whether the last ones made progress: far, or farther from the last event by a
    /// fraction, as they do where slip begins.
    fn makes_progress(&mut self, time: f64) -> bool {
        let Progress { event, seen, steps } = &mut self.progress;
        *steps += 1;
        if *steps <= MOST_STEPS {
            return true;
        }
        let far = time - *seen > CROWD.min(FARTHER * (*seen - *event));
        (*seen, *steps) = (time, 0);
        far
    }

    /// Modes after an event, and what kind of event it was.
    fn begin(
        &mut self,
        world: &mut World,
        course: &mut Course,
    ) -> Result<(Modes, Happens), Reason> {
        let (modes, happens) = self.restart(world, course)?;
        let time = world.state.time;
        self.progress = Progress { event: time, seen: time, steps: 0 };
        let seemed = self.pending.take();
        course.false_alarm = seemed.as_ref().is_some_and(|what| !is_true(what, &modes));
        let happened = seemed.filter(|_| !course.false_alarm).map(|what| Event { time, what });
        let events = &mut course.report.events;
        events.extend(happened.filter(|event| !events.contains(event)));
        self.carries = 1 + modes.carrying.len();
        self.length = if modes.is_faint() { FIRST_SLIP } else { self.length.max(FIRST) };
        Ok((modes, happens))
    }

    /// The longest step from here: to the next kink of a drive, and no farther than a part
    /// of a body's size.
    fn longest(world: &World, end: f64) -> f64 {
        let time = world.state.time;
        let kink = world.next_kink(time).map_or(end, |kink| kink.min(end)) - time;
        let radii =
            world.free().map(|(_, body)| body.bounding_radius()).filter(|radius| *radius > 0.0);
        let smallest = radii.fold(f64::INFINITY, f64::min);
        kink.min(LONGEST).min(PART_OF_SIZE * smallest / fastest(world))
    }
}

impl Stepper for EventDriven {
    fn name(&self) -> &'static str {
        "event-driven"
    }

    fn set_ledger(&mut self, ledger: EnergyLedger) {
        self.ledger = Some(ledger);
    }

    fn step(&mut self, world: &mut World, dt: f64) -> Report {
        self.begin_step(world, dt);
        let end = world.state.time + dt;
        let ledger = self.ledger.take().unwrap_or_else(|| EnergyLedger::open(world));
        let start = world.state.clone();
        let mut course = Course::new(world, ledger);
        self.event_budget = (self.event_budget + REST).min(MOST_EVENTS);
        while world.state.time + SHORTEST < end {
            if world.state.time + SHORTEST < self.fallback_until {
                self.fallback_step(world, (end, dt), &mut course);
                continue;
            }
            let done = if course.crowd > self.event_budget {
                Err(Reason::Events)
            } else {
                self.advance(world, end, &mut course)
            };
            course.count(world.state.time, self.modes.is_none(), self.carries);
            if let Err(reason) = done {
                let (time, duration) = (world.state.time, self.begin_fallback(world.state.time));
                let what = EventKind::FellBack { duration, reason };
                course.report.events.push(Event { time, what });
                course.crowd = 0;
            }
        }
        world.state.time = end;
        let Course { mut ledger, report: mut total, impulses, .. } = course;
        ledger.close(world);
        total.journal.thin(world, &start, &world.state);
        self.hash = world.fingerprint();
        self.ledger = Some(ledger);
        let records = self.records(world, &impulses);
        let (contacts, joints) = records.unwrap_or((total.contacts, total.joints));
        let mut answers = self.session.answers_with(&self.central);
        add_answers(&mut answers, &total.answers);
        Report {
            contacts,
            joints,
            residual: self.session.residual.max(total.residual),
            certified: total.certified && self.session.certified,
            solves: self.session.solves + self.central.solves + total.solves,
            iterations: self.session.iterations + self.central.iterations + total.iterations,
            detections: std::mem::take(&mut self.detector.detections) + total.detections,
            refusal: self.session.refusal.take().or(total.refusal),
            answers,
            ledger,
            ..total
        }
    }
}
