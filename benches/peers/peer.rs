//! Stiction as a peer in side-by-side runs on the same complementarity problems.
//!
//! ```text
//!   cargo build --release --example peer
//!   python run_peers.py --extra 'json:stiction=target/release/examples/peer reduced' …
//! ```
//!
//! Called as `peer METHOD PROBLEM.json OUTPUT SECONDS`, where METHOD is
//! `reduced`, `structural` or `standard`. Times are of the pivoting alone, in
//! microseconds of thread CPU time, as the other peers give theirs: laying out
//! the problem or forming its matrix is set-up. An answer counts as claimed only
//! if the judge certifies it.
//!
//! The output, little-endian: `int64` loads done and unknowns; then per load as
//! `double`: 1 if solved, microseconds, pivots, and `z` in the order θ, φ, λ.

use cpu_time::ThreadTime;
use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};
use stiction_solvers::file::ProblemFile;
use stiction_solvers::judge::judge_pyramid;
use stiction_solvers::lloyd2004::{DIRECTIONS, End, Path, Pyramid, Scope, Standard};
use stiction_solvers::{ContactProblem, Forces, LcpOutcome, NoObserver, solve_lcp};

/// Runs of one load: so many, or as many as fit in a fiftieth of a second, at least three.
const RUNS: usize = 25;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, method, problem, output, seconds] = &arguments[..] else {
        return Err("usage: peer METHOD PROBLEM.json OUTPUT SECONDS".into());
    };
    let budget = Duration::from_secs_f64(seconds.parse()?);
    let file = ProblemFile::open(problem.as_ref())?;
    let start = Instant::now();
    let mut records: Vec<Vec<f64>> = Vec::new();
    for load in 0..file.len() {
        records.push(record(&file.problem(load)?, file.directions(), method)?);
        if start.elapsed() > budget {
            break;
        }
    }
    let unknowns = records.first().map_or(0, |r| r.len() - 3);
    let mut out = std::io::BufWriter::new(std::fs::File::create(output)?);
    for count in [records.len(), unknowns] {
        out.write_all(&i64::try_from(count)?.to_le_bytes())?;
    }
    for number in records.iter().flatten() {
        out.write_all(&number.to_le_bytes())?;
    }
    Ok(out.flush()?)
}

/// One load: solved or not, time, pivots, `z`.
fn record(
    problem: &ContactProblem,
    directions: Option<usize>,
    method: &str,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let pyramid = Pyramid::new(problem, directions.unwrap_or(DIRECTIONS));
    let run = match method {
        "reduced" => walk(&pyramid, Scope::Pushing),
        "structural" => walk(&pyramid, Scope::All),
        "standard" => standard(&pyramid)?,
        _ => return Err(format!("{method} is not a method").into()),
    };
    let certificate =
        run.forces.map(|forces| judge_pyramid(problem, &forces, pyramid.directions()));
    let mut z = vec![0.0; problem.contacts().len() * (2 + pyramid.directions())];
    let mut solved = 0.0;
    if let Some(certificate) = certificate {
        solved = f64::from(u8::from(certificate.certified));
        z = certificate.z;
    }
    if directions.is_none() {
        // Without friction the problem has normal forces only.
        z.truncate(problem.contacts().len());
    }
    let mut record = vec![solved, run.us, run.pivots as f64];
    record.append(&mut z);
    Ok(record)
}

struct Run {
    forces: Option<Forces>,
    us: f64,
    pivots: usize,
}

fn walk(pyramid: &Pyramid, scope: Scope) -> Run {
    let mut path = Path::new(pyramid);
    let mut end = End::PivotLimit;
    let us = median_us(|| end = path.follow(scope, &mut NoObserver));
    Run { forces: (end == End::Solved).then(|| path.forces()), us, pivots: path.pivots }
}

fn standard(pyramid: &Pyramid) -> Result<Run, Box<dyn Error>> {
    let standard = Standard::new(pyramid)?;
    let mut outcome = LcpOutcome::PivotLimit { pivots: 0 };
    let us = median_us(|| outcome = solve_lcp(standard.lcp()));
    Ok(match outcome {
        LcpOutcome::Solved { z, pivots, .. } => {
            Run { forces: Some(standard.forces(&z)), us, pivots }
        }
        LcpOutcome::Ray { pivots, .. } | LcpOutcome::PivotLimit { pivots } => {
            Run { forces: None, us, pivots }
        }
    })
}

fn median_us(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut times = Vec::with_capacity(RUNS);
    while times.len() < RUNS && (times.len() < 3 || start.elapsed() < Duration::from_millis(20)) {
        let begin = ThreadTime::now();
        call();
        times.push(begin.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
