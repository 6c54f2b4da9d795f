//! Parameters of the papers' methods that the user can set, by name.
//!
//! [`PARAMETERS`] is the only table of names, units, ranges and defaults. The command line,
//! scenes and recordings all set [`Parameters`] through it; a [`Choice`](crate::all::Choice) is
//! a solver's name with its parameters.
//!
//! ```
//! use stiction_solvers::{Parameters, all::Choice};
//!
//! let rough = Parameters::default().with("precision", "1e-4")?;
//! let choice = Choice::new("energy", rough.clone())?;
//! assert_eq!(choice.to_string(), "energy (precision 0.0001)");
//! assert_eq!(choice.solver().name(), "energy");
//! let refused = Choice::new("dantzig", rough).unwrap_err();
//! assert_eq!(
//!     refused.to_string(),
//!     "dantzig has no parameter precision; energy and energy-literal have it"
//! );
//! # Ok::<(), stiction_solvers::ParameterError>(())
//! ```

use crate::all;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;
use stiction_contact::nearest;

/// A parameter of one or several methods.
#[derive(Debug, PartialEq)]
pub struct Parameter {
    /// The key in scenes, and the flag on the command line.
    pub name: &'static str,
    /// Its meaning, and its place in the paper.
    pub meaning: &'static str,
    /// Its SI unit, empty for plain numbers.
    pub unit: &'static str,
    /// The allowed values.
    pub range: Range,
    /// The default, in words.
    pub default: &'static str,
    /// The solvers that have it.
    pub solvers: &'static [&'static str],
}

/// The allowed values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// A number above zero, at most this.
    Number(f64),
    /// A whole number from one to this.
    Count(usize),
    /// One of these words.
    Words(&'static [&'static str]),
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range::Number(most) => write!(f, "a number above 0, at most {most}"),
            Range::Count(most) => write!(f, "a whole number from 1 to {most}"),
            Range::Words(words) => write!(f, "{}", words.join(" or ")),
        }
    }
}

/// Every parameter.
pub const PARAMETERS: [Parameter; 6] = [
    Parameter {
        name: "precision",
        meaning: "where the iteration stops: the relative natural map, with energy-literal the \
                  largest inconsistent value over the free motion (Faure 1996, figure 3)",
        unit: "",
        range: Range::Number(1.0),
        default: "1e-10",
        solvers: &["energy", "energy-literal"],
    },
    Parameter {
        name: "iterations",
        meaning: "iterations allowed (Faure 1996, §3.2)",
        unit: "",
        range: Range::Count(1_000_000),
        default: "300",
        solvers: &["energy", "energy-literal"],
    },
    Parameter {
        name: "time",
        meaning: "wall-clock time allowed; the current iteration is completed (Faure 1996, conclusion)",
        unit: "s",
        range: Range::Number(86_400.0),
        default: "none",
        solvers: &["energy", "energy-literal"],
    },
    Parameter {
        name: "epsilon",
        meaning: "ε, the sliding speed below which friction is proportional to it (Baraff 1991, \
                  §8.1)",
        unit: "m/s",
        range: Range::Number(1000.0),
        default: "1e-3",
        solvers: &["threshold"],
    },
    Parameter {
        name: "norm",
        meaning: "what is minimised where joints contradict each other: the 1-norm of their \
                  violation, or by least squares the 2-norm (Baraff 1989, appendix B)",
        unit: "",
        range: Range::Words(&["one", "two"]),
        default: "none, they are refused",
        solvers: &["lp"],
    },
    Parameter {
        name: "initial",
        meaning: "the forces that the method starts from: a guess by Gauss–Seidel sweeps where \
                  there is no friction, or zero as in the paper (Baraff 1994, §4.1)",
        unit: "",
        range: Range::Words(&["sweeps", "zero"]),
        default: "sweeps",
        solvers: &["dantzig"],
    },
];

impl Parameter {
    /// The parameter of that name.
    ///
    /// # Errors
    ///
    /// [`ParameterError::Unknown`] with the nearest name.
    pub fn find(name: &str) -> Result<&'static Parameter, ParameterError> {
        PARAMETERS.iter().find(|known| known.name == name).ok_or_else(|| {
            let names: Vec<_> = PARAMETERS.iter().map(|known| known.name).collect();
            ParameterError::Unknown { name: name.to_owned(), nearest: nearest(name, &names) }
        })
    }

    /// Parses a value.
    ///
    /// # Errors
    ///
    /// [`ParameterError::Value`] with the text and the range.
    pub fn parse(&self, text: &str) -> Result<Value, ParameterError> {
        let found = match self.range {
            Range::Number(most) => {
                let fits = |x: &f64| *x > 0.0 && *x <= most;
                text.parse().ok().filter(fits).map(Value::Number)
            }
            Range::Count(most) => {
                text.parse().ok().filter(|n| (1..=most).contains(n)).map(Value::Count)
            }
            Range::Words(words) => {
                words.iter().find(|word| **word == text).map(|word| Value::Word(word))
            }
        };
        found.ok_or_else(|| ParameterError::Value {
            name: self.name,
            value: text.to_owned(),
            range: self.range,
        })
    }

    /// Meaning, range, default and solvers in a sentence or two.
    pub fn description(&self) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" ({})", self.unit) };
        let solvers = self.solvers.join(" and ");
        format!("{solvers}: {}; {}{unit} [default: {}]", self.meaning, self.range, self.default)
    }
}

/// A value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of [`Range::Number`].
    Number(f64),
    /// Of [`Range::Count`].
    Count(usize),
    /// Of [`Range::Words`].
    Word(&'static str),
}

/// Parameters that were set, all in range, in the order of [`PARAMETERS`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    given: Vec<(&'static Parameter, Value)>,
}

impl Parameters {
    /// The same with one parameter added or changed.
    ///
    /// # Errors
    ///
    /// [`ParameterError`] for an unknown name and for a value out of range.
    pub fn with(mut self, name: &str, text: &str) -> Result<Self, ParameterError> {
        let parameter = Parameter::find(name)?;
        self.set(parameter, parameter.parse(text)?);
        Ok(self)
    }

    /// Adds or changes one parameter.
    pub fn set(&mut self, parameter: &'static Parameter, value: Value) {
        self.given.retain(|(known, _)| *known != parameter);
        self.given.push((parameter, value));
        self.given.sort_by_key(|(known, _)| PARAMETERS.iter().position(|it| it == *known));
    }

    /// Adds and changes all parameters of `others`.
    pub fn extend(&mut self, others: &Parameters) {
        others.given.iter().for_each(|&(parameter, value)| self.set(parameter, value));
    }

    /// Whether none is set.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// The parameters that a solver has.
    #[must_use]
    pub fn of(&self, solver: &str) -> Self {
        let given = self.given.iter().filter(|(known, _)| known.solvers.contains(&solver));
        Parameters { given: given.copied().collect() }
    }

    /// Rejects parameters that a solver does not have.
    ///
    /// # Errors
    ///
    /// [`ParameterError::Foreign`], which names the solvers that have it.
    pub fn check(&self, solver: &str) -> Result<(), ParameterError> {
        let foreign = self.given.iter().find(|(known, _)| !known.solvers.contains(&solver));
        foreign.map_or(Ok(()), |(parameter, _)| {
            Err(ParameterError::Foreign { solver: solver.to_owned(), parameter })
        })
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(|value| if let Value::Number(x) = value { Some(x) } else { None })
    }

    pub(crate) fn count(&self, name: &str) -> Option<usize> {
        self.get(name).and_then(|value| if let Value::Count(n) = value { Some(n) } else { None })
    }

    pub(crate) fn word(&self, name: &str) -> Option<&'static str> {
        self.get(name)
            .and_then(|value| if let Value::Word(word) = value { Some(word) } else { None })
    }

    fn get(&self, name: &str) -> Option<Value> {
        self.given.iter().find(|(known, _)| known.name == name).map(|(_, value)| *value)
    }
}

/// `precision 1e-6, iterations 20`; empty if none is set.
impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (parameter, value)) in self.given.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{} {value}", parameter.name)?;
        }
        Ok(())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(x) => write!(f, "{x:?}"),
            Value::Count(n) => write!(f, "{n}"),
            Value::Word(word) => write!(f, "{word}"),
        }
    }
}

/// An object of names and values.
impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.given.len()))?;
        for (parameter, value) in &self.given {
            match value {
                Value::Number(x) => map.serialize_entry(parameter.name, x)?,
                Value::Count(n) => map.serialize_entry(parameter.name, n)?,
                Value::Word(word) => map.serialize_entry(parameter.name, word)?,
            }
        }
        map.end()
    }
}

/// Why a solver with these parameters does not exist.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// No solver of that name.
    #[error("there is no solver {name:?}{}; there are {}", suggestion(*nearest), all::NAMES.join(", "))]
    #[allow(missing_docs)]
    Solver { name: String, nearest: Option<&'static str> },
    /// No parameter of that name.
    #[error("there is no parameter {name:?}{}", suggestion(*nearest))]
    #[allow(missing_docs)]
    Unknown { name: String, nearest: Option<&'static str> },
    /// A parameter of other solvers.
    #[error("{solver} has no parameter {}; {}", parameter.name, owners(parameter))]
    #[allow(missing_docs)]
    Foreign { solver: String, parameter: &'static Parameter },
    /// A value out of range.
    #[error("{name} is {value}, must be {range}")]
    #[allow(missing_docs)]
    Value { name: &'static str, value: String, range: Range },
}

fn owners(parameter: &Parameter) -> String {
    let has = if parameter.solvers.len() == 1 { "has" } else { "have" };
    format!("{} {has} it", parameter.solvers.join(" and "))
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(", did you mean {name:?}?"))
}
