//! Every solver by name, for the command line, tests and benches.

use crate::baraff1991::ForcesOrImpulse;
use crate::baraff1994::Dantzig;
use crate::solver::ContactSolver;

/// Names that [`by_name`] knows, the default first.
pub const NAMES: &[&str] = &["dantzig", "forces-or-impulse"];

/// The solver of that name with its default settings.
pub fn by_name(name: &str) -> Option<Box<dyn ContactSolver>> {
    match name {
        "forces-or-impulse" => Some(Box::new(ForcesOrImpulse)),
        "dantzig" => Some(Box::new(Dantzig::default())),
        _ => None,
    }
}
