//! How far each law may be off.

use super::law::LawName;
use crate::scene::StepperKind;
use stiction_solvers::judge::CERTIFIED;

/// The bounds of the laws of motion, those of a stepper unless they are set; all relative, except
/// that of joints for angles (rad).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    set: [Option<f64>; 7],
}

impl Bounds {
    /// Sets the bound of a law.
    ///
    /// # Errors
    ///
    /// A sentence if the law has no bound, or the value is not a positive number.
    pub fn set(&mut self, law: LawName, bound: f64) -> Result<(), String> {
        if matches!(law, LawName::Uniqueness | LawName::Contact) {
            return Err(format!("the law of {} has no bound to set", law.name()));
        }
        if bound.is_nan() || bound <= 0.0 {
            return Err(format!(
                "the bound of {} must be a positive number, not {bound}",
                law.name()
            ));
        }
        self.set[law as usize] = Some(bound);
        Ok(())
    }

    /// The bounds that were set, by name.
    pub fn given(&self) -> impl Iterator<Item = (LawName, f64)> + '_ {
        LawName::ALL.into_iter().filter_map(|law| Some((law, self.set[law as usize]?)))
    }

    /// The bound of a law in runs of a stepper.
    pub fn of(&self, law: LawName, stepper: StepperKind) -> f64 {
        self.set[law as usize].unwrap_or_else(|| default(law, stepper))
    }
}

/// The defaults: `docs/certificates.md` says why.
fn default(law: LawName, stepper: StepperKind) -> f64 {
    let [exact, stepped] = match law {
        LawName::Contact => [CERTIFIED; 2],
        LawName::Overlap | LawName::Joints => [1e-6; 2],
        LawName::Energy => [1e-6, 2e-3],
        LawName::Modes | LawName::Momentum => [1e-6, 1e-3],
        LawName::Uniqueness => [f64::INFINITY; 2],
    };
    if stepper == StepperKind::EventDriven { exact } else { stepped }
}
