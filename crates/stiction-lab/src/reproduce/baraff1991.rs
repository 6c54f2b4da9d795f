//! Baraff (1991), §8: how often the two approximations of static friction succeed, up to
//! 60 contacts, and §7.2 on contacts that all slide.
//!
//! The problems are the gallery's piles and walls with friction. A success is an answer that the
//! judge certifies for the problem that the method solves.

mod figure;

use super::Output;
use super::page::{Claim, Figure, Folder, Page};
use serde::Serialize;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use stiction_solvers::baraff1991::{Signs, Threshold};
use stiction_solvers::gallery::piles::{Draw, pile, velocities, wall};
use stiction_solvers::judge::{judge, judge_ray};
use stiction_solvers::{ContactProblem, ContactSolver, Found, NoObserver, ProblemError};
use stiction_terminal::timing::{median, timed};
use stiction_terminal::{print_report, progress, refuse, say};

/// One method on piles or walls of one size.
#[derive(Serialize)]
struct Row {
    family: &'static str,
    contacts: usize,
    method: &'static str,
    problems: usize,
    /// Certified contact forces.
    forces: usize,
    /// Of these, those at which the sweeps alone converged.
    swept: usize,
    /// Certified contact impulses.
    impulses: usize,
    /// Of all runs (µs).
    median_us: f64,
}

impl Row {
    fn succeeded(&self) -> usize {
        self.forces + self.impulses
    }
}

#[derive(Serialize)]
struct Report {
    rows: Vec<Row>,
}

/// Friction coefficient of every contact.
const FRICTION: f64 = 0.5;

/// Numbers of contacts, up to 1.5 times the paper's limit.
const SIZES: [usize; 6] = [10, 20, 30, 40, 50, 60];

/// Seeds of the piles, and loads of each.
const SEEDS: u64 = 5;
const LOADS: usize = 2;

/// Up to this number of contacts the paper reports reasonable success with §8.2.
const PAPER_CONTACTS: usize = 40;

type Make = fn(usize, f64, Draw) -> Result<Vec<ContactProblem>, ProblemError>;

const FAMILIES: [(&str, Make); 2] = [("piles", pile), ("walls", wall)];

/// The methods.
#[derive(Clone, Copy)]
enum Method {
    /// §8.2.
    Signs,
    /// §8.1, with velocities of this multiple of the threshold speed.
    Threshold { times: f64 },
}

const METHODS: [(&str, Method); 3] = [
    ("threshold-creeping", Method::Threshold { times: 0.5 }),
    ("threshold-sliding", Method::Threshold { times: 1000.0 }),
    ("signs", Method::Signs),
];

/// The certified result of a run.
enum Ended {
    Forces { swept: bool },
    Impulse,
    Failed,
}

impl Method {
    fn run(self, problem: &ContactProblem, seed: u64) -> (Ended, f64) {
        match self {
            Method::Signs => judged(&mut Signs, problem, problem),
            Method::Threshold { times } => {
                let Threshold { speed, .. } = Threshold::default();
                let velocities = Some(velocities(problem, times * speed, seed));
                let mut solver = Threshold { speed, velocities };
                match solver.sliding(problem) {
                    Ok(sliding) => judged(&mut solver, problem, &sliding),
                    Err(_) => (Ended::Failed, f64::NAN),
                }
            }
        }
    }
}

/// Runs a method once and judges its answer as one of `promised`, the problem that the method
/// solves. Returns the time as well.
fn judged(
    solver: &mut dyn ContactSolver,
    problem: &ContactProblem,
    promised: &ContactProblem,
) -> (Ended, f64) {
    let (found, us) = timed(|| solver.candidate(problem, None, &mut NoObserver));
    let swept = found.as_ref().is_ok_and(|found| found.effort.stop.is_some());
    let ended = match found.map(|found| found.found) {
        Ok(Found::Forces(forces)) if judge(promised, &forces).is_certified() => {
            Ended::Forces { swept }
        }
        Ok(Found::Ray(ray)) if judge_ray(promised, &ray).certified => Ended::Impulse,
        _ => Ended::Failed,
    };
    (ended, us)
}

pub fn run(arguments: &Output) -> ExitCode {
    let report = match reproduce(arguments) {
        Ok(report) => report,
        Err(error) => return refuse(&error),
    };
    print_report(&report, arguments.json, || print(&report, &arguments.folder("baraff1991")));
    ExitCode::SUCCESS
}

fn reproduce(arguments: &Output) -> Result<Report, Box<dyn Error>> {
    let out = Folder::create(&arguments.folder("baraff1991"))?;
    let sizes = if arguments.quick { &SIZES[..2] } else { &SIZES };
    let count = FAMILIES.len() * sizes.len();
    let mut rows = Vec::new();
    for (family, make) in FAMILIES {
        for &contacts in sizes {
            let done = rows.len() / METHODS.len();
            progress::show(done + 1, count, &format!("{family} {contacts}"));
            let problems = problems(make, contacts, arguments.quick)?;
            rows.extend(METHODS.map(|(name, method)| row(family, name, method, &problems)));
        }
    }
    progress::clear();
    let report = Report { rows };
    out.figure("success", &figure::success_csv(&report.rows), &figure::success(&report))?;
    out.figure("time", &figure::time_csv(&report.rows), &figure::time(&report))?;
    out.write("README.md", &page(&report).markdown())?;
    Ok(report)
}

/// All problems of one size, each with a seed for its velocities.
fn problems(make: Make, contacts: usize, quick: bool) -> Result<Vec<Seeded>, ProblemError> {
    let seeds = if quick { 1 } else { SEEDS };
    let mut problems = Vec::new();
    for seed in 0..seeds {
        let loads = make(contacts, FRICTION, Draw { loads: LOADS, seed })?;
        problems.extend(loads.into_iter().map(|problem| Seeded { problem, seed }));
    }
    Ok(problems)
}

struct Seeded {
    problem: ContactProblem,
    seed: u64,
}

fn row(family: &'static str, name: &'static str, method: Method, problems: &[Seeded]) -> Row {
    let contacts = problems.first().map_or(0, |p| p.problem.contacts().len());
    let (mut forces, mut swept, mut impulses, mut times) = (0, 0, 0, Vec::new());
    for Seeded { problem, seed } in problems {
        let (ended, us) = method.run(problem, *seed);
        times.push(us);
        match ended {
            Ended::Forces { swept: alone } => {
                forces += 1;
                swept += usize::from(alone);
            }
            Ended::Impulse => impulses += 1,
            Ended::Failed => {}
        }
    }
    let (problems, median_us) = (problems.len(), median(&mut times));
    Row { family, contacts, method: name, problems, forces, swept, impulses, median_us }
}

impl Report {
    /// Runs of a method on a family, up to the paper's limit or beyond.
    fn counted(&self, family: &str, method: &str, within: bool) -> String {
        let rows = || {
            let limit = |row: &&Row| (row.contacts <= PAPER_CONTACTS) == within;
            let of = move |row: &&Row| row.family == family && row.method == method;
            self.rows.iter().filter(of).filter(limit)
        };
        let sum = |of: fn(&Row) -> usize| rows().map(of).sum::<usize>();
        let named = |count: usize, what: &str| match count {
            0 => String::new(),
            some => format!(" ({some} {what})"),
        };
        let impulses = named(sum(|row| row.impulses), "impulses");
        let swept = named(sum(|row| row.swept), "by sweeps alone");
        format!("{family} {} of {}{impulses}{swept}", sum(Row::succeeded), sum(|row| row.problems))
    }

    fn claims(&self) -> Vec<Claim> {
        let claim = |place: &str, paper: &str, method: &str, within| Claim {
            place: format!(
                "{place}, {} {PAPER_CONTACTS} contacts",
                if within { "up to" } else { "more than" }
            ),
            paper: paper.into(),
            here: FAMILIES.map(|(family, _)| self.counted(family, method, within)).join("; "),
        };
        let sure = "guaranteed to produce a result: forces or impulses";
        let mut claims = Vec::new();
        for within in [true, false] {
            claims.push(claim("§8.1, creeping", sure, "threshold-creeping", within));
        }
        for within in [true, false] {
            claims.push(claim("§7.2, sliding", sure, "threshold-sliding", within));
        }
        claims.push(claim("§8.2", "reasonable success with 40 contacts or less", "signs", true));
        claims.push(claim("§8.2", "sometimes breaks down for n ≈ 40", "signs", false));
        claims
    }
}

/// The page beside the plots.
fn page(report: &Report) -> Page {
    let about = [
        "The problems are built in: piles of boxes and walls of bricks under gravity, the last \
         body pushed by a random wrench, with static friction (coefficient 0.5) at every contact. \
         The paper does not describe its own test problems.",
        "A run is a success if the judge certifies the answer for the problem that the method \
         solves. For §8.2 the answer is contact forces that obey the laws of static friction. For \
         §8.1 it is contact forces or a contact impulse of the problem in which every contact \
         slides with the friction of eq. 14 or 15. These forces hold no body at rest; this is a \
         limitation of the method and does not count as a failure here.",
        "The velocities that §8.1 needs are random, and only their tangential component counts. \
         Their standard deviation is half the threshold (creeping) or a thousand times the \
         threshold (sliding). When sliding, friction is dynamic and the method is that of §7.2.",
        "Our `signs` does more than the paper describes: after a failure it repeats the sweeps \
         and the programs with more sweeps. If the sweeps themselves converge, their result is \
         the answer, as in the paper (`docs/papers/baraff1991.md`).",
    ];
    let figure = |name: &str, caption: &str| Figure { name: name.into(), caption: caption.into() };
    Page {
        title: "Baraff 1991: success of two approximations of static friction".into(),
        command: "cargo run --release -- reproduce baraff1991 --out docs/figures/baraff1991".into(),
        about: about.map(str::to_owned).into(),
        claims: report.claims(),
        figures: vec![
            figure("success", "Success rate against the number of contacts"),
            figure("time", "Time against the number of contacts"),
        ],
    }
}

fn print(report: &Report, out: &Path) {
    say!(
        "{:<8} {:>3}  {:<20} {:>8} {:>8} {:>8} {:>8} {:>8} {:>11}",
        "family",
        "n",
        "method",
        "problems",
        "forces",
        "swept",
        "impulses",
        "failed",
        "median µs"
    );
    for row in &report.rows {
        say!(
            "{:<8} {:>3}  {:<20} {:>8} {:>8} {:>8} {:>8} {:>8} {:>11.0}",
            row.family,
            row.contacts,
            row.method,
            row.problems,
            row.forces,
            row.swept,
            row.impulses,
            row.problems - row.succeeded(),
            row.median_us
        );
    }
    say!("");
    for Claim { place, paper, here } in report.claims() {
        say!("{place}\n  paper  {paper}\n  here   {here}");
    }
    say!("");
    say!("success, time as SVG and CSV in {}", out.display());
}
