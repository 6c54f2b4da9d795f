//! The laws that motion obeys, what a frame is worth by them, and what a run.

use crate::world::{BodyId, JointId, World};
use std::collections::BTreeMap;
use std::fmt;

/// A law of motion; `docs/certificates.md` says what each means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LawName {
    /// Every answer that was used is certified.
    Contact,
    /// Nothing is in anything else, at frames and between them.
    Overlap,
    /// Contacts do what their modes say.
    Modes,
    /// Joints hold.
    Joints,
    /// The energy ledger closes, and heat only grows.
    Energy,
    /// Momenta change by the impulses booked.
    Momentum,
    /// The motion is shown to be the only possible one; it has no bound.
    Uniqueness,
}

impl LawName {
    /// All of them, in the order of reports and frames.
    pub const ALL: [LawName; 7] = [
        LawName::Contact,
        LawName::Overlap,
        LawName::Modes,
        LawName::Joints,
        LawName::Energy,
        LawName::Momentum,
        LawName::Uniqueness,
    ];

    /// Its name in reports, scenes and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            LawName::Contact => "contact",
            LawName::Overlap => "overlap",
            LawName::Modes => "modes",
            LawName::Joints => "joints",
            LawName::Energy => "energy",
            LawName::Momentum => "momentum",
            LawName::Uniqueness => "uniqueness",
        }
    }

    /// The law of a name.
    pub fn of(name: &str) -> Option<LawName> {
        LawName::ALL.into_iter().find(|law| law.name() == name)
    }
}

/// What a frame is worth: for every law, in the order of [`LawName::ALL`], its worst value since
/// the frame before (NaN where it was not judged) and whether that breaks its bound.
#[derive(Clone, Copy, Debug)]
pub struct FrameVerdict {
    /// Worst values.
    pub worst: [f64; 7],
    /// Which bounds are broken.
    pub broken: [bool; 7],
}

impl Default for FrameVerdict {
    fn default() -> Self {
        FrameVerdict { worst: [f64::NAN; 7], broken: [false; 7] }
    }
}

/// Bit by bit: what was not judged is the same as what was not judged.
impl PartialEq for FrameVerdict {
    fn eq(&self, other: &Self) -> bool {
        self.worst.map(f64::to_bits) == other.worst.map(f64::to_bits) && self.broken == other.broken
    }
}

impl FrameVerdict {
    /// Whether no bound is broken.
    pub fn holds(&self) -> bool {
        self.broken == [false; 7]
    }

    /// The laws whose bounds are broken.
    pub fn broken(&self) -> impl Iterator<Item = LawName> + '_ {
        LawName::ALL.into_iter().zip(self.broken).filter_map(|(law, broken)| broken.then_some(law))
    }
}

/// What a run is worth by one law.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Law {
    /// Which.
    pub name: LawName,
    /// The worst value; NaN if the law does not apply to the run.
    pub worst: f64,
    /// The largest value that holds; infinite for laws that only inform.
    pub bound: f64,
    /// Whether the worst value is within the bound.
    pub holds: bool,
    /// When it was (s).
    pub time: f64,
    /// Where.
    pub place: String,
}

/// What a run is worth.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunCertificate {
    /// One per law.
    pub laws: Vec<Law>,
    /// The solver that was requested.
    pub requested: String,
    /// How many answers each method gave.
    pub answers: BTreeMap<String, u64>,
    /// Frames that were judged, and the bodies' moments that were measured.
    pub frames: u64,
}

impl RunCertificate {
    /// Whether every law holds.
    pub fn holds(&self) -> bool {
        self.laws.iter().all(|law| law.holds)
    }

    /// The laws that do not hold.
    pub fn broken(&self) -> impl Iterator<Item = &Law> {
        self.laws.iter().filter(|law| !law.holds)
    }
}

/// One sentence: what, where, when, and by how much.
impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Law { worst, bound, time, place, .. } = self;
        write!(f, "{} {worst:.2e} above {bound:.0e} at {time:.6} s: {place}", self.name.name())
    }
}

/// Where a value was found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Nowhere,
    /// What the ledger says of.
    Ledger(&'static str),
    Body(BodyId, &'static str),
    Bodies(BodyId, BodyId),
    Contact([BodyId; 2], &'static str),
    Joint(JointId, &'static str),
    World,
}

impl Place {
    pub(super) fn describe(self, world: &World) -> String {
        let body = |id: BodyId| world.bodies.get(id.index()).map_or("?", |b| b.name.as_str());
        match self {
            Place::Nowhere => String::new(),
            Place::Ledger(what) => what.to_owned(),
            Place::Body(a, what) => format!("{}: {what}", body(a)),
            Place::Bodies(a, b) => format!("{} and {}", body(a), body(b)),
            Place::Contact([a, b], what) => format!("{} on {}: {what}", body(a), body(b)),
            Place::Joint(joint, what) => {
                let name = world.joints.get(joint.index()).map_or("?", |j| j.name.as_str());
                format!("{name}: {what}")
            }
            Place::World => "all bodies together".to_owned(),
        }
    }
}

/// The worst value of a law so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worst {
    pub value: f64,
    pub time: f64,
    pub place: Place,
}

impl Worst {
    /// Nothing was judged.
    pub(super) const NONE: Worst = Worst { value: f64::NAN, time: f64::NAN, place: Place::Nowhere };

    /// Enters a value; what is not a number is the worst.
    pub(super) fn note(&mut self, value: f64, time: f64, place: impl FnOnce() -> Place) {
        let value = if value.is_nan() { f64::INFINITY } else { value.max(0.0) };
        if self.value.is_nan() || value > self.value {
            let place = if value > 0.0 { place() } else { Place::Nowhere };
            *self = Worst { value, time, place };
        }
    }

    /// Enters what another found.
    pub(super) fn join(&mut self, other: &Worst) {
        if !other.value.is_nan() {
            self.note(other.value, other.time, || other.place);
        }
    }
}
