//! The independent check of a run: from its frames, by code that shares nothing with steppers and judge.
//!
//! | file | law |
//! | --- | --- |
//! | `check/overlap.rs`, `check/solids.rs` | bodies at frames and between them, by parry's shapes and queries |
//! | `check/laws.rs` | energy, momentum, teleports, bodies that are fixed, from states |
//! | `check/joints.rs` | joints, from poses |
//!
//! Bounds are ten times those of the judge of motion (`docs/certificates.md`), so that what it finds is no
//! matter of rounding or of definitions.

mod joints;
mod laws;
mod overlap;
mod path;
mod solids;
#[cfg(test)]
mod tests;

use serde::Serialize;
use stiction::scene::StepperKind;
use stiction::{Frame, World};

/// How much looser this check is than the judge.
const LOOSER: f64 = 10.0;

/// A law that a run breaks.
#[derive(Clone, Debug, Serialize)]
pub struct Breach {
    pub law: &'static str,
    pub value: f64,
    pub bound: f64,
    pub time: f64,
    pub place: String,
}

/// The worst breach of every law.
#[derive(Default)]
struct Breaches(Vec<Breach>);

impl Breaches {
    /// Notes a value that is to be below a bound; NaN breaks it.
    fn note(
        &mut self,
        law: &'static str,
        value: f64,
        bound: f64,
        time: f64,
        place: impl FnOnce() -> String,
    ) {
        if value <= bound {
            return;
        }
        let breach = |place: String| Breach { law, value, bound, time, place };
        match self.0.iter_mut().find(|known| known.law == law) {
            Some(known) if known.value / known.bound >= value / bound => {}
            Some(known) => *known = breach(place()),
            None => self.0.push(breach(place())),
        }
    }
}

/// Checks the frames of a run of a world; the first is its start.
pub fn check(world: &World, frames: &[Frame], stepper: StepperKind) -> Vec<Breach> {
    let mut breaches = Breaches::default();
    if let Some(bad) = frames.iter().find(|frame| !frame.state.is_finite()) {
        breaches.note("finite", f64::NAN, 0.0, bad.state.time, String::new);
        return breaches.0;
    }
    let exact = stepper == StepperKind::EventDriven;
    overlap::see(world, frames, &mut breaches);
    laws::see(world, frames, exact, &mut breaches);
    joints::see(world, frames, &mut breaches);
    breaches.0
}
