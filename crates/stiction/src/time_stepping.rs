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
//! [`MOST_SPLITS`] of them the rest is one plain step of first order that keeps the
//! bodies apart (`gap + h v⁺ ≥ 0`).
//!
//! Overlap that rounding and curvature leave is repaired by moving bodies
//! (`repair.rs`), never by velocities: no energy comes from it.
//!
//! After Lloyd 2004 §2 and Anitescu and Potra; the second order is ours.

mod plan;
mod record;
mod rest;
mod substep;
mod unmoved;

pub(crate) use record::record_contact;

use crate::detect::Detector;
use crate::impact::Impulses;
use crate::journal::Journal;
use crate::report::{EnergyLedger, Event, Report};
use crate::solve::SolverSession;
use crate::stepper::Stepper;
use crate::world::{State, World};
use stiction_geometry::Twist;
use substep::{Care, Piece, SLIVER};
use unmoved::Unmoved;

/// Maximum number of splits of a step, at collisions and stops. After a step that needed more,
/// the next has half as many, and one more after every step that did not: among bodies that
/// chatter without end each impact matters little.
pub const MOST_SPLITS: usize = 8;

/// Maximum number of these at stops.
const MOST_STOPS: usize = 3;

/// Pieces into which joints, springs and energies may cut a step.
const MOST_PIECES: f64 = 512.0;

/// A piece of a step shorter than this fraction of it is not made.
const LEAST: f64 = 1e-12;

/// Velocity problems over fixed steps. Every field lives from step to step; what lives during one
/// is local to it.
#[derive(Debug, Default)]
pub struct TimeStepping {
    session: SolverSession,
    repairing: SolverSession,
    detector: Detector,
    prediction: Prediction,
    /// What rested after the last piece.
    resting: rest::Resting,
    /// A length of pieces in which joints hold and ledgers close (s); 0 before the first.
    trusted: f64,
    /// By how much fewer than [`MOST_SPLITS`] the next step may be split.
    withheld_splits: usize,
    /// The last step, if nothing moved in it.
    unmoved: Option<unmoved::Unmoved>,
    ledger: Option<EnergyLedger>,
}

/// What the next piece takes from the last.
#[derive(Debug, Default)]
struct Prediction {
    /// Acceleration of each body; none before the first piece.
    acceleration: Vec<Twist>,
    /// How long the piece was (s), for impulses to start from.
    length: f64,
    /// Impulses of the rows of joints in it.
    row_forces: Vec<f64>,
}

/// What a piece may do, decided before it begins.
#[derive(Clone, Copy, Debug)]
struct Allowance {
    /// The step that it is a piece of (s).
    step: f64,
    /// How long it may be, and how short joints and springs may make it (s).
    length: f64,
    shortest: f64,
    care: Care,
    /// Whether it may end where a contact stops.
    stops: bool,
}

/// A step on its way.
struct Step {
    length: f64,
    left: f64,
    splits: usize,
    most_splits: usize,
    events: Vec<Event>,
    impulses: Impulses,
    journal: Journal,
    last: Option<Piece>,
}

impl Step {
    fn take(&mut self, mut piece: Piece) {
        self.left -= piece.length;
        self.splits += usize::from(piece.cut);
        self.events.append(&mut piece.events);
        for (key, impulse) in &piece.impulses {
            crate::impact::add(self.impulses.entry(*key).or_default(), impulse);
        }
        self.journal.append(std::mem::take(&mut piece.journal));
        self.last = Some(piece);
    }
}

/// Whether directions or sizes of forces change with the motion, so that a piece may have to be
/// short for its setting to settle: joints, springs, motors of given force.
fn is_flexible(world: &World) -> bool {
    !world.joints.is_empty() || world.is_pulled()
}

impl TimeStepping {
    /// With this solver; repairs are made with `auto`.
    pub fn with_solver(session: SolverSession) -> Self {
        TimeStepping { session, ..TimeStepping::default() }
    }

    /// The same, with this solver for the repair of overlap and drift.
    #[must_use]
    pub fn repaired_by(self, repairing: SolverSession) -> Self {
        TimeStepping { repairing, ..self }
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
        self.session.renew_work();
        self.repairing.renew_work();
    }

    /// Whether the answers of this step of the caller have taken all the work they may.
    pub(crate) fn is_spent(&self) -> bool {
        self.session.is_spent() || self.repairing.is_spent()
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
        let mut step = self.begin(world, dt, frame);
        while step.left > LEAST * dt {
            let allowance = self.allow(&step);
            let piece = self.substep(world, &allowance, ledger);
            self.learn(&step, &piece);
            step.take(piece);
        }
        world.state.time = start.time + dt;
        let report = self.finish(world, step, &start, ledger);
        self.unmoved = Unmoved::after(world, &start, [dt, frame], &report);
        report
    }

    fn begin(&mut self, world: &World, dt: f64, frame: f64) -> Step {
        self.session.begin_step(world, frame);
        self.repairing.begin_step(world, frame);
        if self.trusted == 0.0 {
            self.trusted = dt;
        }
        Step {
            length: dt,
            left: dt,
            splits: 0,
            most_splits: MOST_SPLITS - self.withheld_splits,
            events: Vec::new(),
            impulses: Impulses::new(),
            journal: Journal::new(world),
            last: None,
        }
    }

    /// What the next piece may do.
    fn allow(&self, step: &Step) -> Allowance {
        let spent = self.is_spent();
        let splits = step.splits < step.most_splits && !spent;
        let whole = spent || step.left < self.trusted + SLIVER;
        Allowance {
            step: step.length,
            length: if whole { step.left } else { self.trusted },
            shortest: if spent { step.length } else { step.length / MOST_PIECES },
            care: if splits { Care::Split } else { Care::Plain },
            stops: step.splits < step.most_splits.min(MOST_STOPS),
        }
    }

    /// Joints hold and ledgers close in a piece of this length, perhaps in a longer one, too.
    fn learn(&mut self, step: &Step, piece: &Piece) {
        self.trusted =
            if piece.strained { piece.length } else { (2.0 * self.trusted).min(step.length) };
    }

    fn finish(
        &mut self,
        world: &mut World,
        mut step: Step,
        start: &State,
        ledger: &mut EnergyLedger,
    ) -> Report {
        self.withheld_splits = if step.splits > step.most_splits {
            MOST_SPLITS - step.most_splits / 2
        } else {
            self.withheld_splits.saturating_sub(1)
        };
        self.resting.see(world);
        world.follow_turns();
        ledger.close(world);
        step.journal.thin(world, start, &world.state);
        let resolution = self.session.resolution();
        let records =
            |piece: &Piece| piece.records(world, &step.impulses, &self.resting, resolution);
        let (contacts, joints) = step.last.as_ref().map(records).unwrap_or_default();
        Report {
            contacts,
            joints,
            events: step.events,
            residual: self.session.residual.max(self.repairing.residual),
            certified: self.session.certified && self.repairing.certified,
            solves: self.session.solves + self.repairing.solves,
            iterations: self.session.iterations + self.repairing.iterations,
            detections: std::mem::take(&mut self.detector.detections),
            refusal: self.session.refusal.take(),
            ledger: *ledger,
            journal: step.journal,
            answers: self.session.answers_with(&self.repairing),
        }
    }
}
