//! The verdict again: at other tolerances, and after each block of a sequence.

use serde::Serialize;
use stiction_statics::{Assembly, InterfaceSource, Options, Statics, Verdict, detect};
use stiction_terminal::{count, say};

/// Factors on the tolerance at which the verdict is repeated.
const FACTORS: [f64; 2] = [0.1, 10.0];

/// Verdicts of the same model, computed again.
#[derive(Default, Serialize)]
pub(crate) struct Repeats {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tolerances: Vec<AtTolerance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<Sequence>,
}

/// The verdict at another tolerance.
#[derive(Serialize)]
struct AtTolerance {
    gap: f64,
    contacts: Option<usize>,
    /// The verdict, or why there is none.
    verdict: String,
    /// Whether it can stand as it can at the tolerance of the model.
    same: bool,
}

/// The order in which blocks are laid.
#[derive(Serialize)]
struct Sequence {
    steps: usize,
    /// The first step after which it cannot stand, and the block that is laid in it.
    falls: Option<(usize, String)>,
    /// Steps after which nothing could be proved.
    undecided: usize,
}

/// Verdicts only.
const QUICK: Options = Options { must: false, need_not: false };

impl Repeats {
    /// At a tenth and at ten times the tolerance, if interfaces were detected.
    pub(crate) fn tolerances(assembly: &Assembly, verdict: Verdict) -> Self {
        let InterfaceSource::Detected(tolerance) = assembly.source else { return Self::default() };
        let at = |factor: f64| {
            let other = tolerance.scaled(factor);
            let found = detect::detect(assembly.clone(), &other);
            let (contacts, verdict_there, same) = match found {
                Ok(found) => {
                    let there = Statics::new(&found).stands(&QUICK).verdict;
                    let same = there.can() == verdict.can();
                    (Some(found.contact_count()), there.name().to_owned(), same)
                }
                Err(error) => (None, error.to_string(), false),
            };
            AtTolerance { gap: other.gap, contacts, verdict: verdict_there, same }
        };
        Repeats { tolerances: FACTORS.map(at).into(), sequence: None }
    }

    /// After each block, in the order in which they are listed.
    pub(crate) fn add_sequence(&mut self, assembly: &Assembly) {
        let free = assembly.blocks.iter().filter(|block| !block.fixed);
        let mut sequence = Sequence { steps: 0, falls: None, undecided: 0 };
        for (k, block) in free.enumerate() {
            sequence.steps = k + 1;
            match Statics::new(&assembly.with_first(k + 1)).stands(&QUICK).verdict.can() {
                Some(true) => {}
                Some(false) => {
                    sequence.falls = Some((k + 1, block.name.clone()));
                    break;
                }
                None => sequence.undecided += 1,
            }
        }
        self.sequence = Some(sequence);
    }

    pub(crate) fn print(&self) {
        for at in &self.tolerances {
            let contacts = at.contacts.map_or_else(String::new, |it| {
                format!(" with {}", count(it, "contact point", "contact points"))
            });
            let differs = if at.same { "" } else { "  (differs)" };
            say!("  at gap {:.1e} m  {}{contacts}{differs}", at.gap, at.verdict);
        }
        if let Some(sequence) = &self.sequence {
            let undecided = match sequence.undecided {
                0 => String::new(),
                number => format!(", {number} of them undecided"),
            };
            match &sequence.falls {
                Some((step, name)) => say!(
                    "  sequence         cannot stand after step {step}, when \"{name}\" is laid{undecided}"
                ),
                None => say!(
                    "  sequence         can stand after each of {}{undecided}",
                    count(sequence.steps, "step", "steps")
                ),
            }
        }
    }
}
