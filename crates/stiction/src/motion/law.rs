//! The laws that motion obeys, and what a frame is worth by them.

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
