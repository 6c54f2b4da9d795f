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

pub(crate) use plan::{size, slip};
pub(crate) use record::record_contact;

use crate::detect::Detector;
use crate::impact::Impulses;
use crate::journal::Journal;
use crate::report::{EnergyLedger, Event, Report};
use crate::solve::SolverSession;
use crate::stepper::Stepper;
use crate::world::World;
use stiction_geometry::Twist;
use substep::{Care, SLIVER};

/// Maximum number of splits of a step, at collisions and stops. After a step that needed more,
/// the next has half as many, and one more after every step that did not: among bodies that
/// chatter without end each impact matters little.
pub const MOST_SPLITS: usize = 8;

/// Maximum number of these at stops.
const MOST_STOPS: usize = 3;

/// Pieces into which joints and springs may cut a step.
const MOST_PIECES: f64 = 512.0;

/// A piece of a step shorter than this fraction of it is not made.
const LEAST: f64 = 1e-12;

/// Velocity problems over fixed steps.
#[derive(Debug, Default)]
pub struct TimeStepping {
    pub(crate) session: SolverSession,
    pub(crate) repairing: SolverSession,
    pub(crate) detector: Detector,
    /// Acceleration of each body over the last piece, to predict the next.
    pub(crate) acceleration: Vec<Twist>,
    /// How long the last piece was (s), for impulses to start from.
    pub(crate) last_piece: f64,
    /// Impulses of the rows of joints in it.
    row_forces: Vec<f64>,
    /// What rested after the last piece.
    resting: rest::Resting,
    /// The step being made (s).
    whole: f64,
    /// A length of pieces in which joints hold, and the least they are cut to (s).
    trusted: f64,
    shortest: f64,
    /// Whether a stop may cut the present piece.
    stops: bool,
    /// By how much fewer than [`MOST_SPLITS`] the next step may be split.
    withheld_splits: usize,
    ledger: Option<EnergyLedger>,
}

/// Whether directions or sizes of forces change with the motion, so that a piece may have to be
/// short for its setting to settle: joints, springs, motors of given force.
fn is_flexible(world: &World) -> bool {
    !world.joints.is_empty() || world.is_pulled()
}

impl TimeStepping {
    /// With this solver.
    pub fn with_solver(session: SolverSession) -> Self {
        TimeStepping { session, ..TimeStepping::default() }
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
        self.session.begin_step(world, frame);
        self.repairing.begin_step(world, frame);
        let end = world.state.time + dt;
        let mut events: Vec<Event> = Vec::new();
        let mut impulses = Impulses::new();
        let (start, mut journal) = (world.state.clone(), Journal::new(world));
        let mut left = dt;
        self.whole = dt;
        let flexible = is_flexible(world);
        let fresh = !flexible || self.trusted == 0.0;
        self.trusted = if fresh { dt } else { self.trusted };
        let most = MOST_SPLITS - self.withheld_splits;
        let mut splits = 0;
        let mut last = None;
        while left > LEAST * dt {
            let spent = self.is_spent();
            let care = if splits < most && !spent { Care::Split } else { Care::Plain };
            self.stops = splits < most.min(MOST_STOPS);
            self.shortest = if spent { dt } else { dt / MOST_PIECES };
            let whole = spent || left < self.trusted + SLIVER;
            let length = if whole { left } else { self.trusted };
            let mut piece = self.substep(world, length, care, ledger);
            left -= piece.length;
            splits += usize::from(piece.cut);
            if flexible {
                self.trusted = piece.length * if piece.strained { 1.0 } else { 2.0 };
            }
            events.extend(piece.events.iter().cloned());
            for (key, impulse) in &piece.impulses {
                crate::impact::add(impulses.entry(*key).or_default(), impulse);
            }
            journal.append(std::mem::take(&mut piece.journal));
            last = Some(piece);
        }
        self.withheld_splits = if splits > most {
            MOST_SPLITS - most / 2
        } else {
            self.withheld_splits.saturating_sub(1)
        };
        world.state.time = end;
        self.resting.see(world);
        world.follow_turns();
        ledger.close(world);
        journal.thin(world, &start, &world.state);
        let (contacts, joints) = last
            .map_or_else(Default::default, |piece| piece.records(world, &impulses, &self.resting));
        Report {
            contacts,
            joints,
            events,
            residual: self.session.residual.max(self.repairing.residual),
            certified: self.session.certified && self.repairing.certified,
            solves: self.session.solves + self.repairing.solves,
            refusal: self.session.refusal.take(),
            ledger: *ledger,
            journal,
            answers: self.session.answers_with(&self.repairing),
        }
    }
}
