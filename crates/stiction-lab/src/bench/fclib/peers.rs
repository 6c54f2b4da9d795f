//! Results of other solvers on the same problems, from a table (CSV) with the
//! columns `case`, `solver`, `ok`, `natmap_rel`, `best_s` (the quickest of several
//! runs) and `cpu_s` (of one), in any order.

use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use stiction_solvers::file::FileError;

/// One solver on one problem.
#[derive(Clone, Serialize)]
pub struct Run {
    pub solver: String,
    pub certified: bool,
    /// Relative natural map of its answer; none if it crashed or ran out of time.
    pub natural_map: Option<f64>,
    pub time_s: Option<f64>,
}

/// All runs by the file name of their problem.
pub type Peers = BTreeMap<String, Vec<Run>>;

const COLUMNS: [&str; 6] = ["case", "solver", "ok", "natmap_rel", "best_s", "cpu_s"];

pub fn read(path: &Path) -> Result<Peers, FileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| FileError::Io { path: path.to_owned(), source })?;
    let fault = |line: usize, field: &str, message: String| FileError::Value {
        file: path.display().to_string(),
        line: line + 1,
        field: field.to_owned(),
        message,
    };
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> =
        lines.next().map_or_else(Vec::new, |(_, line)| line.split(',').collect());
    let mut at = [0; 6];
    for (at, column) in at.iter_mut().zip(COLUMNS) {
        *at = header
            .iter()
            .position(|word| *word == column)
            .ok_or_else(|| fault(0, column, "no column has this name".into()))?;
    }
    let mut peers = Peers::new();
    for (number, line) in lines {
        let words: Vec<&str> = line.split(',').collect();
        if words.len() != header.len() {
            let message = format!("{} fields under {} titles", words.len(), header.len());
            return Err(fault(number, "line", message));
        }
        let optional = |k: usize| match words[at[k]] {
            "" => Ok(None),
            word => word
                .parse()
                .map(Some)
                .map_err(|error| fault(number, COLUMNS[k], format!("{word}: {error}"))),
        };
        peers.entry(words[at[0]].to_owned()).or_default().push(Run {
            solver: words[at[1]].to_owned(),
            certified: words[at[2]] == "1",
            natural_map: optional(3)?,
            time_s: optional(4)?.or(optional(5)?),
        });
    }
    Ok(peers)
}

/// The fastest certified run, or the run with the smallest residual.
pub fn best(runs: &[Run]) -> Option<&Run> {
    let time = |run: &&Run| run.time_s.unwrap_or(f64::INFINITY);
    let rest = |run: &&Run| run.natural_map.unwrap_or(f64::INFINITY);
    let certified = runs.iter().filter(|run| run.certified);
    certified
        .min_by(|a, b| time(a).total_cmp(&time(b)))
        .or_else(|| runs.iter().min_by(|a, b| rest(a).total_cmp(&rest(b))))
}
