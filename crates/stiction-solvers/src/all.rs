//! All solvers by name, for the command line, tests and benchmarks.

use crate::admm::Admm;
use crate::auto::Auto;
use crate::baraff1989::{LinearProgram, Norm};
use crate::baraff1991::{ForcesOrImpulse, Signs, Threshold};
use crate::baraff1994::Dantzig;
use crate::faure1996::Energy;
use crate::gauss_seidel::GaussSeidel;
use crate::interior::Interior;
use crate::lloyd2004::{Lloyd, Method};
use crate::parameters::{ParameterError, Parameters};
use crate::portfolio::Iterations;
use crate::proximal::Proximal;
use crate::selection::Selecting;
use crate::solver::ContactSolver;
use std::fmt;
use std::time::Duration;
use stiction_contact::{Selection, nearest};

/// Names accepted by [`by_name`], the default first.
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
    "proximal",
    "iterations",
];

/// Those that take problems without bodies too ([`ContactSolver::search_matrix`]).
pub const BARE: &[&str] = &["auto", "proximal", "interior", "iterations", "admm", "gauss-seidel"];

/// A solver's name with parameters of its paper that it has; defaults for the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    name: &'static str,
    parameters: Parameters,
}

impl Default for Choice {
    fn default() -> Self {
        Choice { name: NAMES[0], parameters: Parameters::default() }
    }
}

impl Choice {
    /// The solver of that name with these parameters.
    ///
    /// # Errors
    ///
    /// [`ParameterError`] for an unknown solver name, and for a parameter that this solver does
    /// not have.
    pub fn new(name: &str, parameters: Parameters) -> Result<Self, ParameterError> {
        let Some(name) = NAMES.iter().find(|known| **known == name) else {
            let nearest = nearest(name, NAMES);
            return Err(ParameterError::Solver { name: name.to_owned(), nearest });
        };
        parameters.check(name)?;
        Ok(Choice { name, parameters })
    }

    /// The name, one of [`NAMES`].
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The parameters that were given.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The speed ε (m/s) below which contacts creep instead of sticking, for the method that
    /// uses one \[Baraff 1991, §8.1\].
    pub fn threshold(&self) -> Option<f64> {
        let usual = Threshold::default().speed;
        (self.name == "threshold").then(|| self.parameters.number("epsilon").unwrap_or(usual))
    }

    /// The solver.
    pub fn solver(&self) -> Box<dyn ContactSolver + Send> {
        let parameters = &self.parameters;
        match self.name {
            "forces-or-impulse" => Box::new(ForcesOrImpulse),
            "threshold" => {
                let usual = Threshold::default();
                Box::new(Threshold { speed: self.threshold().unwrap_or(usual.speed), ..usual })
            }
            "signs" => Box::new(Signs),
            "energy" => Box::new(energy(Energy::default(), parameters)),
            "energy-literal" => Box::new(energy(Energy::literal(), parameters)),
            "interior" => Box::new(Interior::default()),
            "iterations" => Box::new(Iterations::default()),
            "proximal" => Box::new(Proximal::default()),
            "admm" => Box::new(Admm::default()),
            "gauss-seidel" => Box::new(GaussSeidel::default()),
            "dantzig" => Box::new(Dantzig {
                from_zero: parameters.word("initial") == Some("zero"),
                ..Dantzig::default()
            }),
            "lp" => Box::new(LinearProgram {
                compromise: parameters.word("norm").map(|word| match word {
                    "one" => Norm::One,
                    _ => Norm::Two,
                }),
            }),
            name => match method(name) {
                Some(method) => Box::new(Lloyd::new(method)),
                None => Box::new(Auto::default()),
            },
        }
    }
}

/// `dantzig`, or `energy (precision 1e-6, iterations 20)`.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if self.parameters.is_empty() { Ok(()) } else { write!(f, " ({})", self.parameters) }
    }
}

fn energy(usual: Energy, parameters: &Parameters) -> Energy {
    Energy {
        precision: parameters.number("precision").unwrap_or(usual.precision),
        iterations: parameters.count("iterations").unwrap_or(usual.iterations),
        time: parameters.number("time").map(Duration::from_secs_f64).or(usual.time),
        ..usual
    }
}

/// The solver of that name with its default settings.
pub fn by_name(name: &str) -> Option<Box<dyn ContactSolver + Send>> {
    Choice::new(name, Parameters::default()).ok().map(|choice| choice.solver())
}

/// A solver with the given selection among forces that cause the same motion.
pub fn selecting(choice: &Choice, selection: Selection) -> Box<dyn ContactSolver> {
    if choice.name == "auto" {
        return Box::new(Auto::selecting(selection));
    }
    Box::new(Selecting { solver: choice.solver(), selection })
}

/// The solver of that name with answers on pyramids with this many sides, if it supports
/// pyramids.
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
