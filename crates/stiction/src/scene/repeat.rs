//! Copies of bodies and joints in rows and grids.

use super::SceneError;
use super::source::{Table, Value};
use glam::DVec3;

/// Most copies of one body or joint.
const MOST: usize = 10_000;

/// One copy.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Copy {
    /// How far it is moved (m).
    pub(super) offset: DVec3,
    /// Its number in each row; empty without `repeat`.
    pub(super) indices: Vec<usize>,
}

impl Copy {
    /// `brick` of the copy 3 is `brick.3`.
    pub(super) fn name(&self, name: &str) -> String {
        self.indices.iter().fold(name.to_owned(), |name, index| format!("{name}.{index}"))
    }

    /// A name with `{i}`, `{i+1}`, `{i-1}` (or `j`, `k` for the second and third
    /// row) replaced by the number of the copy.
    pub(super) fn fill(&self, name: &str) -> String {
        let mut filled = name.to_owned();
        for (letter, &index) in ["i", "j", "k"].iter().zip(&self.indices) {
            filled = filled.replace(&format!("{{{letter}}}"), &index.to_string());
            filled = filled.replace(&format!("{{{letter}+1}}"), &(index + 1).to_string());
            if let Some(before) = index.checked_sub(1) {
                filled = filled.replace(&format!("{{{letter}-1}}"), &before.to_string());
            }
        }
        filled
    }
}

/// The copies given by `repeat`; without it one, not moved.
pub(super) fn copies(table: &Table<'_>) -> Result<Vec<Copy>, SceneError> {
    let mut copies = vec![Copy { offset: DVec3::ZERO, indices: Vec::new() }];
    for row in table.one_or_more("repeat")? {
        let count = row.need("count")?;
        let number = count.count(1, MOST)?;
        let step = row.need("step")?;
        let step = step.vector()?;
        row.finish()?;
        if copies.len() * number > MOST {
            return Err(count.unfit(&format!("so that there are at most {MOST} copies")));
        }
        let along = |copy: &Copy, index: usize| Copy {
            offset: copy.offset + index as f64 * step,
            indices: copy.indices.iter().copied().chain([index]).collect(),
        };
        copies = copies
            .iter()
            .flat_map(|copy| (0..number).map(move |index| along(copy, index)))
            .collect();
    }
    Ok(copies)
}

/// Three numbers, none if the key is missing.
pub(super) fn vector(table: &Table<'_>, key: &'static str) -> Result<DVec3, SceneError> {
    Ok(table.read(key, Value::vector)?.unwrap_or_default())
}
