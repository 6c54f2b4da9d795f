//! Answers computed elsewhere: forces in JSON or CSV.
//!
//! JSON is the output of `stiction solve --json`, one object per load and line, of which
//! `normal`, `friction`, `bilateral` and `bounded` are read; or an object with `contacts`, each
//! with `normal` and `friction`. CSV has one line per contact: `normal, fx, fy, fz` (friction
//! in world axes), or `fx, fy, fz` (the total force). An optional first line names the columns.

use super::FileError;
use crate::forces::{ContactForce, Forces};
use crate::problem::ContactProblem;
use glam::DVec3;
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    load: usize,
    /// Read only if `normal` is missing: our own output uses this name for its reports.
    contacts: Option<serde_json::Value>,
    normal: Option<Vec<f64>>,
    friction: Option<Vec<[f64; 3]>>,
    #[serde(default)]
    bilateral: Vec<f64>,
    #[serde(default)]
    bounded: Vec<f64>,
}

/// Reads the forces of one load and checks their number against the problem.
///
/// # Errors
///
/// [`FileError`] names the file, the line, the field and the value.
pub fn read_answer(
    path: &Path,
    problem: &ContactProblem,
    load: usize,
) -> Result<Forces, FileError> {
    let text = super::read_text(path)?;
    parse_answer(&text, &path.display().to_string(), problem, load)
}

/// Parses the same from a text; errors name `file`.
///
/// # Errors
///
/// As [`read_answer`].
pub fn parse_answer(
    text: &str,
    file: &str,
    problem: &ContactProblem,
    load: usize,
) -> Result<Forces, FileError> {
    let is_json = text.trim_start().starts_with('{');
    let (forces, line) =
        if is_json { json(text, file, load)? } else { (csv(text, file, problem)?, 1) };
    if let Some((what, given, expected)) = forces.misfit(problem) {
        let message = format!("the answer has {given}, the problem {expected}");
        return Err(value(file, line, what, message));
    }
    Ok(forces)
}

fn value(file: &str, line: usize, field: &str, message: String) -> FileError {
    FileError::Value { file: file.into(), line, field: field.into(), message }
}

/// The forces in the object of the given load, or in the only object, and its line.
fn json(text: &str, file: &str, load: usize) -> Result<(Forces, usize), FileError> {
    let mut found: Vec<(Answer, usize)> = Vec::new();
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Answer>();
    loop {
        let at = text[..stream.byte_offset()].matches('\n').count() + 1;
        match stream.next() {
            None => break,
            Some(Ok(answer)) => found.push((answer, at)),
            Some(Err(error)) => {
                return Err(FileError::Syntax {
                    file: file.into(),
                    line: error.line(),
                    column: error.column(),
                    field: "answer".into(),
                    message: error.to_string(),
                });
            }
        }
    }
    let only = found.len() == 1;
    let of_load = |(answer, _): &(Answer, usize)| only || answer.load == load;
    let Some((answer, line)) = found.into_iter().find(of_load) else {
        return Err(value(file, 1, "load", format!("no answer to load {load}")));
    };
    let contacts = match (answer.contacts, answer.normal, answer.friction) {
        (_, Some(normal), Some(friction)) if normal.len() == friction.len() => {
            let pair = |(normal, friction)| ContactForce { normal, friction };
            normal.into_iter().zip(friction).map(pair).collect()
        }
        (_, Some(normal), Some(friction)) => {
            let message = format!("{} numbers, but {} normal forces", friction.len(), normal.len());
            return Err(value(file, line, "friction", message));
        }
        (Some(contacts), _, _) => serde_json::from_value(contacts)
            .map_err(|error| value(file, line, "contacts", error.to_string()))?,
        _ => {
            let message = "needs `contacts`, or `normal` and `friction`".into();
            return Err(value(file, line, "answer", message));
        }
    };
    let forces = Forces { contacts, bilateral: answer.bilateral, bounded: answer.bounded };
    Ok((forces, line))
}

fn csv(text: &str, file: &str, problem: &ContactProblem) -> Result<Forces, FileError> {
    let mut contacts = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split([',', ';']).map(str::trim).collect();
        let is_heading =
            contacts.is_empty() && fields.iter().all(|field| field.parse::<f64>().is_err());
        if line.trim().is_empty() || line.starts_with('#') || is_heading {
            continue;
        }
        let mut numbers = Vec::with_capacity(4);
        for field in fields {
            let number = field.parse::<f64>().ok().filter(|x| x.is_finite());
            let refuse = || value(file, k + 1, "force", format!("{field:?} is not a number"));
            numbers.push(number.ok_or_else(refuse)?);
        }
        let force = match numbers[..] {
            [normal, x, y, z] => ContactForce { normal, friction: [x, y, z] },
            [x, y, z] => {
                let Some(contact) = problem.contacts().get(contacts.len()) else {
                    let message = "more forces than contacts".into();
                    return Err(value(file, k + 1, "force", message));
                };
                let (force, n) = (DVec3::new(x, y, z), DVec3::from_array(contact.normal));
                let normal = force.dot(n);
                ContactForce { normal, friction: (force - normal * n).to_array() }
            }
            _ => {
                let message = format!("{} numbers; 3 or 4 are needed", numbers.len());
                return Err(value(file, k + 1, "force", message));
            }
        };
        contacts.push(force);
    }
    let bilateral = vec![0.0; problem.bilateral().len()];
    let bounded = vec![0.0; problem.bounded().len()];
    if !bilateral.is_empty() || !bounded.is_empty() {
        let message = "CSV has no place for forces of rows; use JSON".into();
        return Err(value(file, 1, "rows", message));
    }
    Ok(Forces { contacts, bilateral, bounded })
}
