//! Measures Lloyd's three methods, for all commands that time them.
//!
//! Every answer is judged as a solution of the complementarity problem before it
//! is timed. Times are of the pivoting alone, as in the side-by-side runs with
//! other solvers: laying out the problem, or forming its matrix, is set-up.

use serde::Serialize;
use std::collections::BTreeMap;
use stiction_solvers::file::{FileError, ProblemFile};
use stiction_solvers::judge::judge_pyramid;
use stiction_solvers::lloyd2004::{self, End, Lloyd, Method, Path, Pyramid, Scope, Standard};
use stiction_solvers::{ContactProblem, ContactSolver, LcpOutcome, NoObserver, solve_lcp};
use stiction_terminal::progress;
use stiction_terminal::timing::{median, median_us};

/// Problems that are measured together.
pub struct Batch {
    /// Name of the file or the like, for the progress line.
    pub name: String,
    /// Batches of the same configuration are counted as one.
    pub configuration: String,
    /// Sides of the friction pyramids.
    pub directions: usize,
    pub problems: Vec<ContactProblem>,
}

impl Batch {
    /// All loads of a file. Seeds of one configuration differ in the end of their
    /// names, `_s0`, `_s1`, …
    pub fn open(path: &std::path::Path) -> Result<Self, FileError> {
        let file = ProblemFile::open(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let configuration = name.rsplit_once("_s").map_or(name.as_str(), |(head, _)| head);
        Ok(Batch {
            configuration: configuration.to_owned(),
            directions: file.directions().unwrap_or(lloyd2004::DIRECTIONS),
            problems: (0..file.len()).map(|load| file.problem(load)).collect::<Result<_, _>>()?,
            name,
        })
    }
}

/// Limits, and what is printed.
pub struct Settings {
    /// Skip problems with more contacts than this.
    pub contacts: usize,
    /// Skip the standard method for more unknowns than this.
    pub standard: usize,
    /// Update the inverse of reduced systems with more unknowns than this.
    pub crossover: Option<usize>,
    /// Print every load that a method does not solve alone.
    pub failures: bool,
}

/// One method on one configuration.
#[derive(Default, Serialize)]
pub struct Tally {
    pub loads: usize,
    /// Solved by the method itself, certified by the judge.
    pub alone: usize,
    /// Certified with the methods it falls back to.
    pub certified: usize,
    /// Answers reported as certified that the judge of the pyramid rejects.
    pub wrong: usize,
    pub worst_residual: f64,
    pub median_us: f64,
    pub mean_us: f64,
    pub median_pivots: f64,
    #[serde(skip)]
    us: Vec<f64>,
    #[serde(skip)]
    pivots: Vec<f64>,
}

/// One configuration, all its seeds and loads.
#[derive(Default, Serialize)]
pub struct Configuration {
    pub contacts: usize,
    pub bodies: usize,
    /// The method that `auto` chooses on pyramids.
    pub auto: Option<Method>,
    pub methods: BTreeMap<&'static str, Tally>,
}

pub const METHODS: [Method; 3] = [Method::Standard, Method::Structural, Method::Reduced];

/// One run of a method alone, judged and then timed.
struct Alone {
    residual: Option<f64>,
    pivots: usize,
    us: f64,
}

fn alone(
    problem: &ContactProblem,
    pyramid: &Pyramid,
    method: Method,
    crossover: Option<usize>,
) -> Alone {
    let directions = pyramid.directions();
    let scope = match method {
        Method::Standard => return alone_standard(problem, pyramid),
        Method::Structural => Scope::All,
        Method::Reduced => Scope::Pushing,
    };
    let mut path =
        crossover.map_or_else(|| Path::new(pyramid), |k| Path::with_crossover(pyramid, k));
    let end = path.follow(scope, &mut NoObserver);
    let residual =
        (end == End::Solved).then(|| judge_pyramid(problem, &path.forces(), directions).relative);
    let pivots = path.pivots;
    let us = median_us(|| {
        std::hint::black_box(path.follow(scope, &mut NoObserver));
    });
    Alone { residual, pivots, us }
}

fn alone_standard(problem: &ContactProblem, pyramid: &Pyramid) -> Alone {
    let Ok(standard) = Standard::new(pyramid) else {
        return Alone { residual: None, pivots: 0, us: f64::NAN };
    };
    let (residual, pivots) = match solve_lcp(standard.lcp()) {
        LcpOutcome::Solved { z, pivots, .. } => {
            let forces = standard.forces(&z);
            let residual = judge_pyramid(problem, &forces, pyramid.directions()).relative;
            (Some(residual), pivots)
        }
        LcpOutcome::Ray { pivots, .. } | LcpOutcome::PivotLimit { pivots } => (None, pivots),
    };
    let us = median_us(|| {
        std::hint::black_box(solve_lcp(standard.lcp()));
    });
    Alone { residual, pivots, us }
}

impl Tally {
    /// Whether the method solved the load alone.
    fn count(
        &mut self,
        problem: &ContactProblem,
        pyramid: &Pyramid,
        method: Method,
        crossover: Option<usize>,
    ) -> bool {
        let run = alone(problem, pyramid, method, crossover);
        self.loads += 1;
        self.us.push(run.us);
        self.pivots.push(run.pivots as f64);
        let good = |residual: f64| residual <= stiction_solvers::judge::CERTIFIED;
        if let Some(residual) = run.residual.filter(|r| good(*r)) {
            self.alone += 1;
            self.certified += 1;
            self.worst_residual = self.worst_residual.max(residual);
            return true;
        }
        let directions = pyramid.directions();
        let mut solver = Lloyd { directions, round: false, ..Lloyd::new(method) };
        if let Ok(solution) = solver.solve(problem)
            && !solution.is_impulse()
        {
            let residual = judge_pyramid(problem, &solution.forces, directions).relative;
            if good(residual) {
                self.certified += 1;
                self.worst_residual = self.worst_residual.max(residual);
            } else {
                self.wrong += usize::from(solution.certificate.is_certified());
            }
        }
        false
    }
}

pub type Configurations = BTreeMap<String, Configuration>;

/// Runs every method on every problem, with progress on stderr.
pub fn measure<E>(
    batches: impl ExactSizeIterator<Item = Result<Batch, E>>,
    settings: &Settings,
) -> Result<Configurations, E> {
    let mut found = Configurations::new();
    let count = batches.len();
    for (k, batch) in batches.enumerate() {
        let batch = batch?;
        if batch.problems.iter().any(|p| p.contacts().len() > settings.contacts) {
            continue;
        }
        progress::show(k + 1, count, &batch.name);
        let entry = found.entry(batch.configuration.clone()).or_default();
        for (load, problem) in batch.problems.iter().enumerate() {
            entry.contacts = problem.contacts().len();
            entry.bodies = problem.bodies().len();
            entry.auto = Some(Method::for_problem(problem));
            entry.count(problem, batch.directions, settings, |method| {
                if settings.failures {
                    let name = &batch.name;
                    eprintln!("\r{name} load {load}: {} alone does not solve it", method.name());
                }
            });
        }
    }
    progress::clear();
    for tally in found.values_mut().flat_map(|c| c.methods.values_mut()) {
        tally.median_us = median(&mut tally.us);
        tally.mean_us = tally.us.iter().sum::<f64>() / tally.us.len() as f64;
        tally.median_pivots = median(&mut tally.pivots);
    }
    Ok(found)
}

impl Configuration {
    /// Runs every method on one more problem; returns those that do not solve it alone.
    fn count(
        &mut self,
        problem: &ContactProblem,
        directions: usize,
        settings: &Settings,
        mut unsolved: impl FnMut(Method),
    ) {
        let pyramid = Pyramid::new(problem, directions);
        for method in METHODS {
            if method == Method::Standard && pyramid.unknowns() > settings.standard {
                continue;
            }
            let tally = self.methods.entry(method.name()).or_default();
            if !tally.count(problem, &pyramid, method, settings.crossover) {
                unsolved(method);
            }
        }
    }
}
