//! Every solver by name, for the command line, tests and benches.

use crate::admm::Admm;
use crate::auto::Auto;
use crate::baraff1989::LinearProgram;
use crate::baraff1991::{ForcesOrImpulse, Signs, Threshold};
use crate::baraff1994::Dantzig;
use crate::faure1996::Energy;
use crate::gauss_seidel::GaussSeidel;
use crate::interior::Interior;
use crate::lloyd2004::{Lloyd, Method};
use crate::selection::{Selecting, Selection};
use crate::solver::ContactSolver;

/// Names that [`by_name`] knows, the default first.
pub const NAMES: &[&str] = &[
    "auto",
    "dantzig",
    "forces-or-impulse",
    "lloyd-reduced",
    "lloyd-structural",
    "lloyd-standard",
    "threshold",
    "signs",
    "lp",
    "energy",
    "energy-literal",
    "gauss-seidel",
    "admm",
    "interior",
];

/// The solver of that name with its default settings.
pub fn by_name(name: &str) -> Option<Box<dyn ContactSolver + Send>> {
    match name {
        "auto" => Some(Box::new(Auto::default())),
        "forces-or-impulse" => Some(Box::new(ForcesOrImpulse)),
        "threshold" => Some(Box::new(Threshold::default())),
        "signs" => Some(Box::new(Signs)),
        "energy" => Some(Box::new(Energy::default())),
        "energy-literal" => Some(Box::new(Energy::literal())),
        "interior" => Some(Box::new(Interior::default())),
        "admm" => Some(Box::new(Admm::default())),
        "gauss-seidel" => Some(Box::new(GaussSeidel::default())),
        "dantzig" => Some(Box::new(Dantzig::default())),
        "lp" => Some(Box::new(LinearProgram::default())),
        _ => Some(Box::new(Lloyd::new(method(name)?))),
    }
}

/// The solver of that name with such a selection among forces that cause the same motion.
pub fn selecting(name: &str, selection: Selection) -> Option<Box<dyn ContactSolver>> {
    if name == "auto" {
        return Some(Box::new(Auto::selecting(selection)));
    }
    Some(Box::new(Selecting { solver: by_name(name)?, selection }))
}

/// The solver of that name with answers on pyramids with so many sides, if it
/// knows pyramids.
pub fn on_pyramids(name: &str, directions: usize) -> Option<Box<dyn ContactSolver>> {
    if name == "auto" {
        return Some(Box::new(Auto::on_pyramids(directions)));
    }
    let lloyd = Lloyd { directions, round: false, ..Lloyd::new(method(name)?) };
    Some(Box::new(lloyd))
}

fn method(name: &str) -> Option<Method> {
    match name {
        "lloyd-reduced" => Some(Method::Reduced),
        "lloyd-structural" => Some(Method::Structural),
        "lloyd-standard" => Some(Method::Standard),
        _ => None,
    }
}
