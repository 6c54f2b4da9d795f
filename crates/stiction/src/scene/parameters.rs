//! `[parameters]`: numbers with names, which formulas use.

use super::SceneError;
use super::expression::{Parameters, unknown};
use super::source::{Table, Value};
use std::collections::BTreeMap;

/// Names that formulas use for themselves.
const TAKEN: [&str; 1] = ["pi"];

/// Parameters that need each other, one after the other, at most.
const LONGEST: usize = 64;

/// The parameters of a scene; each may be a formula of the others, in any order.
pub(super) fn read(top: &Table<'_>) -> Result<Parameters, SceneError> {
    let Some(table) = top.get("parameters") else { return Ok(Parameters::new()) };
    let table = table.table()?;
    let given: BTreeMap<&str, Value<'_>> = table.all().collect();
    let mut found = Parameters::new();
    for (name, value) in &given {
        let mut letters = name.chars();
        let first = letters.next().is_some_and(|it| it.is_alphabetic() || it == '_');
        let rest = letters.all(|it| it.is_alphanumeric() || it == '_');
        if !first || !rest || TAKEN.contains(name) {
            return Err(value.fault("needs a name of letters, digits and _ that is not pi"));
        }
    }
    for name in given.keys() {
        evaluate(name, &given, &mut found, 0)?;
    }
    Ok(found)
}

/// The value of a parameter, which is then among those found.
fn evaluate(
    name: &str,
    given: &BTreeMap<&str, Value<'_>>,
    found: &mut Parameters,
    depth: usize,
) -> Result<f64, SceneError> {
    if let Some(value) = found.get(name) {
        return Ok(*value);
    }
    let value = &given[name];
    if depth > LONGEST {
        return Err(value.fault("needs itself, or too many others one after the other"));
    }
    let number = match value.text() {
        Ok(text) if text.starts_with('=') => {
            let mut fault = None;
            let result = value.formula_of(text, &mut |other| {
                if !given.contains_key(other) {
                    return Err(unknown(other, given.keys().copied()));
                }
                evaluate(other, given, found, depth + 1).map_err(|error| {
                    let said = error.to_string();
                    fault = Some(error);
                    said
                })
            });
            // What is wrong with another is said of that one.
            match fault {
                Some(fault) => return Err(fault),
                None => result?,
            }
        }
        _ => value.number()?,
    };
    found.insert(name.to_owned(), number);
    Ok(number)
}
