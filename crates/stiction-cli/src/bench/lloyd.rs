//! Lloyd's three methods over his families of problems.
//!
//! Every answer is judged as a solution of the complementarity problem before it
//! is timed. Times are of the pivoting alone, as in the side-by-side runs with
//! other solvers: laying out the problem, or forming its matrix, is set-up.

use super::families::files;
use super::{median, median_us};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_solvers::file::{FileError, ProblemFile};
use stiction_solvers::judge::judge_pyramid;
use stiction_solvers::lloyd2004::{self, End, Lloyd, Method, Path, Pyramid, Scope, Standard};
use stiction_solvers::{Blind, ContactProblem, ContactSolver, LcpOutcome, Outcome, solve_lcp};

#[derive(clap::Args)]
pub struct Arguments {
    /// Folder of contact-1 files
    #[arg(long)]
    data: PathBuf,
    /// Only files whose name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// Skip problems with more contacts than this
    #[arg(long, default_value_t = 400)]
    most_contacts: usize,
    /// Leave the standard method out beyond so many unknowns
    #[arg(long, default_value_t = 400)]
    most_standard: usize,
    /// Update the inverse of reduced systems with more unknowns than this
    #[arg(long, value_name = "K")]
    crossover: Option<usize>,
    /// List every load that a method does not solve alone
    #[arg(long)]
    failures: bool,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// One method on one configuration.
#[derive(Default, Serialize)]
pub struct Tally {
    pub loads: usize,
    /// Solved by the method itself, certified by the judge.
    pub alone: usize,
    /// Certified with the methods it falls back to.
    pub certified: usize,
    /// Answers that were called certified and that the judge of the pyramid rejects.
    pub wrong: usize,
    pub worst_residual: f64,
    pub median_us: f64,
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
    let end = path.follow(scope, &mut Blind);
    let residual =
        (end == End::Solved).then(|| judge_pyramid(problem, &path.forces(), directions).relative);
    let pivots = path.pivots;
    let us = median_us(|| {
        std::hint::black_box(path.follow(scope, &mut Blind));
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
        let good = |residual: f64| residual <= stiction_solvers::judge::PYRAMID_CERTIFIED;
        if let Some(residual) = run.residual.filter(|r| good(*r)) {
            self.alone += 1;
            self.certified += 1;
            self.worst_residual = self.worst_residual.max(residual);
            return true;
        }
        let directions = pyramid.directions();
        let mut solver = Lloyd { directions, round: false, ..Lloyd::new(method) };
        if let Ok(Outcome::Solved(solution)) = solver.solve(problem) {
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

/// The part of a file's name that its seeds share.
pub fn configuration(name: &str) -> &str {
    name.rsplit_once("_s").map_or(name, |(head, _)| head)
}

fn measure(arguments: &Arguments) -> Result<BTreeMap<String, Configuration>, FileError> {
    let mut found: BTreeMap<String, Configuration> = BTreeMap::new();
    let paths = files(&arguments.data, &arguments.only)?;
    let count = paths.len();
    for (k, path) in paths.iter().enumerate() {
        let file = ProblemFile::open(path)?;
        if file.contact_count() > arguments.most_contacts {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        eprint!("\r{:>4} of {count} files  {name:<50}", k + 1);
        let entry = found.entry(configuration(&name).to_owned()).or_default();
        for load in 0..file.len() {
            let problem = file.problem(load)?;
            entry.contacts = problem.contacts().len();
            entry.bodies = problem.bodies().len();
            let directions = file.directions().unwrap_or(lloyd2004::DIRECTIONS);
            let pyramid = Pyramid::new(&problem, directions);
            for method in METHODS {
                if method == Method::Standard && pyramid.unknowns() > arguments.most_standard {
                    continue;
                }
                let tally = entry.methods.entry(method.name()).or_default();
                if !tally.count(&problem, &pyramid, method, arguments.crossover)
                    && arguments.failures
                {
                    eprintln!("\r{name} load {load}: {} alone does not solve it", method.name());
                }
            }
        }
    }
    eprintln!("\r{:70}\r", "");
    for tally in found.values_mut().flat_map(|c| c.methods.values_mut()) {
        tally.median_us = median(&mut tally.us);
        tally.median_pivots = median(&mut tally.pivots);
    }
    Ok(found)
}

/// How much longer a method takes at the larger of two configurations.
fn growth(
    found: &BTreeMap<String, Configuration>,
    from: &str,
    to: &str,
    method: &str,
) -> Option<f64> {
    let us = |name: &str| found.get(name)?.methods.get(method).map(|t| t.median_us);
    Some(us(to)? / us(from)?)
}

/// Growths that the paper and the project speak of.
const GROWTHS: [(&str, &str); 2] = [("peg_n008", "peg_n032"), ("peg_n032", "peg_n128")];

#[derive(Serialize)]
struct Report {
    configurations: BTreeMap<String, Configuration>,
    growth: Vec<Growth>,
}

#[derive(Serialize)]
struct Growth {
    from: &'static str,
    to: &'static str,
    method: &'static str,
    times: f64,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let configurations = match measure(arguments) {
        Ok(found) => found,
        Err(error) => return crate::refuse(&error),
    };
    let mut growths = Vec::new();
    for (from, to) in GROWTHS {
        for method in METHODS.map(Method::name) {
            if let Some(times) = growth(&configurations, from, to, method) {
                growths.push(Growth { from, to, method, times });
            }
        }
    }
    let report = Report { configurations, growth: growths };
    let wrong =
        report.configurations.values().flat_map(|c| c.methods.values()).any(|t| t.wrong > 0);
    if arguments.json {
        say!("{}", serde_json::to_string(&report).unwrap_or_default());
    } else {
        print(&report);
    }
    ExitCode::from(if wrong { crate::exit::NO } else { 0 })
}

fn print(report: &Report) {
    say!(
        "{:<38} {:>4} {:>3}  {:<10} {:>6} {:>8} {:>9} {:>6} {:>8} {:>10} {:>9}",
        "configuration",
        "n",
        "m",
        "method",
        "loads",
        "alone %",
        "in all %",
        "wrong",
        "pivots",
        "µs",
        "worst"
    );
    for (name, c) in &report.configurations {
        for (method, t) in &c.methods {
            let percent = |k: usize| 100.0 * k as f64 / t.loads as f64;
            say!(
                "{name:<38} {:>4} {:>3}  {method:<10} {:>6} {:>8.2} {:>9.2} {:>6} {:>8.0} {:>10.2} {:>9.1e}",
                c.contacts,
                c.bodies,
                t.loads,
                percent(t.alone),
                percent(t.certified),
                t.wrong,
                t.median_pivots,
                t.median_us,
                t.worst_residual
            );
        }
    }
    say!("");
    for method in METHODS.map(Method::name) {
        let all = || report.configurations.values().filter_map(|c| c.methods.get(method));
        let sum = |of: fn(&Tally) -> usize| all().map(of).sum::<usize>();
        let loads = sum(|t| t.loads);
        if loads > 0 {
            let worst = all().map(|t| t.worst_residual).fold(0.0, f64::max);
            say!(
                "{method:<10} {loads} loads: {} certified, {} of them after falling back, {} wrong, worst residual {worst:.1e}",
                sum(|t| t.certified),
                sum(|t| t.certified) - sum(|t| t.alone),
                sum(|t| t.wrong)
            );
        }
    }
    for g in &report.growth {
        say!("{:<10} {} → {}: {:.1} times as long", g.method, g.from, g.to, g.times);
    }
}
