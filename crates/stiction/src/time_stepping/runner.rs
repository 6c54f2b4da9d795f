//! One step of one cluster, piece by piece.

use super::rest::Resting;
use super::substep::{Care, Piece, SLIVER};
use super::unmoved::Unmoved;
use crate::detect::Detector;
use crate::impact::Impulses;
use crate::journal::Journal;
use crate::report::{ContactRecord, EnergyLedger, Event, JointRecord};
use crate::solve::{KnownForces, SolverSession};
use crate::world::{State, World};
use stiction_geometry::Twist;

/// Maximum number of splits of a step, at collisions and stops. After a step that needed more,
/// the next has half as many, and one more after every step that did not: among bodies that
/// chatter without end each impact matters little.
const MOST_SPLITS: usize = 8;

/// Free bodies of all pieces of a step: larger clusters have fewer pieces.
const MOST_BODIES: usize = 64;

/// Maximum number of these at stops.
pub(super) const MOST_STOPS: usize = 3;

/// Pieces into which joints, springs and energies may cut a step.
const MOST_PIECES: f64 = 512.0;

/// Pieces of a length that was found by halving, before a longer one is tried, at most.
const MOST_PATIENCE: usize = 31;

/// A piece of a step shorter than this fraction of it is not made.
const LEAST: f64 = 1e-12;

/// What makes the steps of clusters: solvers, and what is known of the cluster it is at.
#[derive(Debug, Default)]
pub(super) struct Runner {
    pub session: SolverSession,
    pub repairing: SolverSession,
    pub memory: Memory,
}

/// What is known of a cluster from step to step.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub detector: Detector,
    pub prediction: Prediction,
    /// What rested after the last piece.
    pub resting: Resting,
    /// A length of pieces in which joints hold and ledgers close (s); 0 before the first.
    pub trusted: f64,
    /// Pieces of that length before a longer one is tried, and how many after the next that fails.
    pub wait: usize,
    pub patience: usize,
    /// By how much fewer than [`MOST_SPLITS`] the next step may be split.
    pub withheld_splits: usize,
    /// The last step, if nothing moved in it.
    pub unmoved: Option<Unmoved>,
}

/// What the next piece takes from the last.
#[derive(Debug, Default)]
pub(super) struct Prediction {
    /// Acceleration of each body; none before the first piece.
    pub acceleration: Vec<Twist>,
    /// How long the piece was (s), for impulses to start from.
    pub length: f64,
    /// Impulses of the rows of joints in it.
    pub row_forces: Vec<f64>,
}

impl Prediction {
    /// Whether there was a piece before, of this number of bodies.
    pub(super) fn knows(&self, bodies: usize) -> bool {
        self.acceleration.len() == bodies
    }
}

/// What a cluster did in a step.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub contacts: Vec<ContactRecord>,
    pub joints: Vec<JointRecord>,
    pub events: Vec<Event>,
    pub journal: Journal,
    /// What the step added to friction, collisions and work (J).
    pub booked: [f64; 3],
    /// How far each body may have moved (m).
    pub reach: Vec<f64>,
    /// How often contacts were detected.
    pub detections: usize,
}

/// What a piece may do, decided before it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// The step that it is a piece of (s).
    pub step: f64,
    /// How long it may be, and how short joints and springs may make it (s).
    pub length: f64,
    pub shortest: f64,
    pub care: Care,
    /// Whether it may end where a contact stops.
    pub stops: bool,
    /// Whether bodies that meet in it may collide before it.
    pub strikes: bool,
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
    reach: Vec<f64>,
    last: Option<Piece>,
}

impl Step {
    fn take(&mut self, world: &World, mut piece: Piece) {
        self.left -= piece.length;
        self.splits += usize::from(piece.cut);
        self.events.append(&mut piece.events);
        for (key, impulse) in &piece.impulses {
            crate::impact::add(self.impulses.entry(*key).or_default(), impulse);
        }
        self.journal.append(std::mem::take(&mut piece.journal));
        for (total, more) in self.reach.iter_mut().zip(piece.reach(world)) {
            *total += more;
        }
        self.last = Some(piece);
    }
}

/// How often a step of a cluster may be split: the less the more bodies its pieces have.
fn most_splits(world: &World) -> usize {
    MOST_SPLITS.min(MOST_BODIES / world.free().count().max(1)).max(1)
}

impl Runner {
    /// Exchanges what is known of a cluster, and the forces last found there, for those of another.
    pub(super) fn swap(&mut self, memory: &mut Memory, [answers, repairs]: &mut [KnownForces; 2]) {
        std::mem::swap(&mut self.memory, memory);
        self.session.swap(answers);
        self.repairing.swap(repairs);
    }

    /// One step, part of a `frame` of the caller, entered into a ledger. `known` is what the cluster
    /// did in the last step.
    pub(super) fn advance(
        &mut self,
        world: &mut World,
        [dt, frame]: [f64; 2],
        mut ledger: EnergyLedger,
        known: Option<Outcome>,
    ) -> Outcome {
        if let Some(outcome) = self.stay(world, [dt, frame], known) {
            return outcome;
        }
        let (start, solves) = (world.state.clone(), self.solves());
        let before = ledger;
        let mut step = self.begin(world, dt);
        while step.left > LEAST * dt {
            let allowance = self.allow(&step);
            let piece = self.substep(world, &allowance, &mut ledger);
            self.learn(&step, &piece);
            step.take(world, piece);
        }
        world.state.time = start.time + dt;
        let mut outcome = self.finish(world, step, &start);
        outcome.booked = [
            ledger.friction - before.friction,
            ledger.impacts - before.impacts,
            ledger.work - before.work,
        ];
        self.memory.unmoved = (self.solves() == solves)
            .then(|| Unmoved::after(world, &start, [dt, frame], &outcome))
            .flatten();
        outcome
    }

    /// Problems solved so far.
    fn solves(&self) -> usize {
        self.session.solves + self.repairing.solves
    }

    /// Whether the answers of this step of the caller have taken all the work they may.
    pub(super) fn is_spent(&self) -> bool {
        self.session.is_spent() || self.repairing.is_spent()
    }

    fn begin(&mut self, world: &World, dt: f64) -> Step {
        if self.memory.trusted == 0.0 {
            self.memory.trusted = dt;
        }
        Step {
            length: dt,
            left: dt,
            splits: 0,
            most_splits: most_splits(world).saturating_sub(self.memory.withheld_splits),
            events: Vec::new(),
            impulses: Impulses::new(),
            journal: Journal::new(world),
            reach: vec![0.0; world.bodies.len()],
            last: None,
        }
    }

    /// What the next piece may do.
    fn allow(&self, step: &Step) -> Allowance {
        let spent = self.is_spent();
        let splits = step.splits < step.most_splits && !spent;
        let whole = spent || step.left < self.memory.trusted + SLIVER;
        Allowance {
            step: step.length,
            length: if whole { step.left } else { self.memory.trusted },
            shortest: if spent { step.length } else { step.length / MOST_PIECES },
            care: if splits { Care::Split } else { Care::Plain },
            stops: step.splits < step.most_splits.min(MOST_STOPS),
            strikes: false,
        }
    }

    /// Joints hold and ledgers close in a piece of this length; after some of them perhaps in a
    /// longer one, too.
    fn learn(&mut self, step: &Step, piece: &Piece) {
        let memory = &mut self.memory;
        if piece.strained {
            memory.trusted = piece.length;
            if !piece.plan.joints.is_empty() {
                memory.patience = (2 * memory.patience + 1).min(MOST_PATIENCE);
                memory.wait = memory.patience;
            }
        } else if memory.wait > 0 {
            memory.wait -= 1;
        } else if memory.trusted < step.length {
            memory.trusted = (2.0 * memory.trusted).min(step.length);
        } else {
            memory.patience = 0;
        }
    }

    fn finish(&mut self, world: &mut World, mut step: Step, start: &State) -> Outcome {
        self.memory.withheld_splits = if step.splits > step.most_splits {
            most_splits(world) - step.most_splits / 2
        } else {
            self.memory.withheld_splits.saturating_sub(1)
        };
        let mut state = world.state.clone();
        world.follow_drives(&mut state);
        world.state = state;
        world.follow_turns();
        self.memory.resting.see(world);
        step.journal.thin(world, start, &world.state);
        let resolution = self.session.resolution();
        let resting = &self.memory.resting;
        let records = |piece: &Piece| piece.records(world, &step.impulses, resting, resolution);
        let (contacts, joints) = step.last.as_ref().map(records).unwrap_or_default();
        Outcome {
            contacts,
            joints,
            events: step.events,
            journal: step.journal,
            booked: [0.0; 3],
            reach: step.reach,
            detections: std::mem::take(&mut self.memory.detector.detections),
        }
    }
}
