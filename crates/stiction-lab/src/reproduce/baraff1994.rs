//! Baraff (1994), §7: the time of Dantzig's algorithm against LU of the same
//! matrix and against a QP solver, and how often `drive-to-zero` is called.
//!
//! Problems are the gallery's piles and walls, measured as in `stiction bench
//! speed`: judged first, then timed.

mod figure;

use super::Output;
use super::page::{Claim, Figure, Folder, Page};
use crate::bench::speed::measure::{dantzig, given_the_matrix};
use serde::Serialize;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use stiction_solvers::baraff1994::Dantzig;
use stiction_solvers::gallery::piles::{Draw, pile, wall};
use stiction_solvers::{ContactProblem, ContactSolver, Forces, ProblemError};
use stiction_terminal::timing::median;
use stiction_terminal::{print_report, progress, refuse, say};

/// Piles or walls of one size. Times are medians (µs).
#[derive(Serialize)]
struct Row {
    family: &'static str,
    contacts: usize,
    problems: usize,
    /// Solved exactly, without a restart, from sweeps and from zero forces.
    exact: usize,
    /// Dantzig from sweeps, as the solver starts.
    sweeps_us: f64,
    /// Dantzig from zero forces, as the paper starts.
    zero_us: f64,
    lu_us: f64,
    qp_us: f64,
    /// Problems that the QP solver reports as solved.
    qp_solved: usize,
    sweeps_drives: f64,
    zero_drives: f64,
    /// Steps of all drives from zero forces.
    zero_steps: f64,
    /// With friction, from zero forces, where the method succeeds alone.
    friction_drives: f64,
    /// Those with friction solved and certified without a restart.
    friction_alone: usize,
    /// Those solved with or without restarts.
    friction_solved: usize,
}

/// How a count grows with the number of contacts.
#[derive(Serialize)]
struct Growth {
    family: &'static str,
    drives: &'static str,
    /// Exponent of the fitted power law, if there are drives at every size.
    exponent: Option<f64>,
    /// Per contact, over the sizes: least and most.
    per_contact: [f64; 2],
}

#[derive(Serialize)]
struct Report {
    rows: Vec<Row>,
    growth: Vec<Growth>,
}

/// Friction coefficient where there is friction.
const FRICTION: f64 = 0.5;

type Make = fn(usize, f64, Draw) -> Result<Vec<ContactProblem>, ProblemError>;

const FAMILIES: [(&str, Make); 2] = [("piles", pile), ("walls", wall)];

/// Numbers of contacts, up to the paper's largest.
const SIZES: [usize; 8] = [10, 20, 30, 50, 75, 100, 125, 150];

/// Seeds of the piles, and loads of each.
const SEEDS: u64 = 4;
const LOADS: usize = 4;

pub fn run(arguments: &Output) -> ExitCode {
    faer::set_global_parallelism(faer::Par::Seq);
    let report = match reproduce(arguments) {
        Ok(report) => report,
        Err(error) => return refuse(&error),
    };
    print_report(&report, arguments.json, || print(&report, &arguments.folder("baraff1994")));
    ExitCode::SUCCESS
}

fn reproduce(arguments: &Output) -> Result<Report, Box<dyn Error>> {
    let out = Folder::create(&arguments.folder("baraff1994"))?;
    let sizes = if arguments.quick { &SIZES[..2] } else { &SIZES };
    let mut rows = Vec::new();
    for (family, make) in FAMILIES {
        for &contacts in sizes {
            progress::show(
                rows.len() + 1,
                FAMILIES.len() * sizes.len(),
                &format!("{family} {contacts}"),
            );
            rows.push(row(family, contacts, make, arguments.quick)?);
        }
    }
    progress::clear();
    let report = Report { growth: growths(&rows), rows };
    for (family, _) in FAMILIES {
        let rows: Vec<&Row> = report.rows.iter().filter(|row| row.family == family).collect();
        let plot = figure::time_plot(family, &rows);
        out.figure(&format!("time_{family}"), &figure::time_csv(&rows), &plot)?;
    }
    let plot = figure::drives_plot(&report.rows);
    out.figure("drives", &figure::drives_csv(&report.rows), &plot)?;
    out.write("README.md", &page(&report).markdown())?;
    Ok(report)
}

/// All problems of one size.
fn problems(make: Make, contacts: usize, friction: f64, quick: bool) -> Problems {
    let (seeds, loads) = if quick { (1, 1) } else { (SEEDS, LOADS) };
    let of = |seed| make(contacts, friction, Draw { loads, seed });
    Ok((0..seeds).map(of).collect::<Result<Vec<_>, _>>()?.concat())
}

type Problems = Result<Vec<ContactProblem>, ProblemError>;

/// Numbers of one size, problem by problem.
#[derive(Default)]
struct Lists {
    sweeps_us: Vec<f64>,
    zero_us: Vec<f64>,
    lu_us: Vec<f64>,
    qp_us: Vec<f64>,
    sweeps_drives: Vec<f64>,
    zero_drives: Vec<f64>,
    zero_steps: Vec<f64>,
}

impl Lists {
    fn measure(&mut self, problem: &ContactProblem) -> Result<(), String> {
        let sweeps = dantzig(problem, None)?;
        let zero = dantzig(problem, Some(&Forces::zeros(problem)))?;
        let given = given_the_matrix(problem);
        self.sweeps_us.push(sweeps.us);
        self.zero_us.push(zero.us);
        self.lu_us.push(given.lu_us);
        self.qp_us.extend(given.qp_us);
        self.sweeps_drives.push(sweeps.effort.drives as f64);
        self.zero_drives.push(zero.effort.drives as f64);
        self.zero_steps.push(zero.effort.pivots as f64);
        Ok(())
    }
}

fn row(family: &'static str, n: usize, make: Make, quick: bool) -> Result<Row, ProblemError> {
    let frictionless = problems(make, n, 0.0, quick)?;
    let mut lists = Lists::default();
    for problem in &frictionless {
        if let Err(reason) = lists.measure(problem) {
            eprintln!("\r{family} {n}: a problem is not timed: {reason}");
        }
    }
    let rough = problems(make, n, FRICTION, quick)?;
    let (with_drives, rest): (Vec<_>, Vec<_>) = rough
        .iter()
        .map(|problem| (problem, drives_alone(problem)))
        .partition(|(_, d)| d.is_some());
    let mut alone: Vec<f64> = with_drives.into_iter().filter_map(|(_, drives)| drives).collect();
    let restarted = rest.into_iter().filter(|(problem, _)| solves(problem)).count();
    Ok(Row {
        family,
        contacts: n,
        problems: frictionless.len(),
        exact: lists.sweeps_us.len(),
        sweeps_us: median(&mut lists.sweeps_us),
        zero_us: median(&mut lists.zero_us),
        lu_us: median(&mut lists.lu_us),
        qp_solved: lists.qp_us.len(),
        qp_us: median(&mut lists.qp_us),
        sweeps_drives: median(&mut lists.sweeps_drives),
        zero_drives: median(&mut lists.zero_drives),
        zero_steps: median(&mut lists.zero_steps),
        friction_alone: alone.len(),
        friction_solved: alone.len() + restarted,
        friction_drives: median(&mut alone),
    })
}

/// The method of the paper: no restart, no finish on the round cone.
const ALONE: Dantzig = Dantzig { restarts: 0, round: false, starts: 0, from_zero: false };

/// Drives of the method without restarts, if its forces are certified for the paper's own
/// conditions.
fn drives_alone(problem: &ContactProblem) -> Option<f64> {
    match { ALONE }.solve(problem) {
        Ok(answer) if answer.certificate.is_certified() => {
            Some(answer.provenance.effort.drives as f64)
        }
        _ => None,
    }
}

/// Whether it is solved, restarts included.
fn solves(problem: &ContactProblem) -> bool {
    let outcome = Dantzig { round: false, ..Dantzig::default() }.solve(problem);
    outcome.is_ok_and(|answer| answer.certificate.is_certified())
}

/// One number of a row.
type Column = fn(&Row) -> f64;

/// The columns of drives.
const DRIVES: [(&str, Column); 3] = [
    ("from zero", |row| row.zero_drives),
    ("with friction", |row| row.friction_drives),
    ("from sweeps", |row| row.sweeps_drives),
];

fn growths(rows: &[Row]) -> Vec<Growth> {
    let mut growths = Vec::new();
    for (family, _) in FAMILIES {
        for (drives, of) in DRIVES {
            let rows = rows.iter().filter(|row| row.family == family);
            let points: Vec<[f64; 2]> = rows.map(|row| [row.contacts as f64, of(row)]).collect();
            let per_contact = range(points.iter().map(|[n, drives]| drives / n));
            growths.push(Growth { family, drives, exponent: exponent(&points), per_contact });
        }
    }
    growths
}

/// The smallest and the largest value.
fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::NAN; 2], |[low, high], v| [v.min(low), v.max(high)])
}

/// Exponent of the power law through these points, by least squares of the
/// logarithms. Points that are not numbers are left out; none if a value is zero.
fn exponent(points: &[[f64; 2]]) -> Option<f64> {
    let logs = || points.iter().filter(|[_, y]| y.is_finite()).map(|[x, y]| [x.ln(), y.ln()]);
    let count = logs().count() as f64;
    let mean = |k: usize| logs().map(|p| p[k]).sum::<f64>() / count;
    let (x, y) = (mean(0), mean(1));
    let about_mean = |k: usize, centre: f64| logs().map(move |p| (p[0] - x) * (p[k] - centre));
    let slope = about_mean(1, y).sum::<f64>() / about_mean(0, x).sum::<f64>();
    slope.is_finite().then_some(slope)
}

impl Report {
    /// The range of a ratio over the sizes of a family, and at the largest.
    fn ratio(&self, family: &str, of: Column) -> String {
        let rows = || self.rows.iter().filter(|row| row.family == family);
        let [low, high] = range(rows().map(of));
        let last = rows().next_back();
        let (n, at_last) = last.map_or((0, f64::NAN), |row| (row.contacts, of(row)));
        format!("{family} {low:.2} to {high:.2}, {at_last:.2} at n = {n}")
    }

    fn claims(&self) -> Vec<Claim> {
        let both = |of: Column| FAMILIES.map(|(family, _)| self.ratio(family, of)).join("; ");
        let lu = "without friction, two to three times the time of Gaussian elimination on A x = b";
        let qp = "five to ten times faster than the best QP methods, up to n = 150";
        let claim = |what: &str, paper: &str, here| Claim {
            place: format!("§7, {what}"),
            paper: paper.into(),
            here,
        };
        let mut claims = vec![
            claim("from zero, time ÷ LU", lu, both(|row| row.zero_us / row.lu_us)),
            claim("from sweeps, time ÷ LU", lu, both(|row| row.sweeps_us / row.lu_us)),
            claim("from zero, QP ÷ time", qp, both(|row| row.qp_us / row.zero_us)),
            claim("from sweeps, QP ÷ time", qp, both(|row| row.qp_us / row.sweeps_us)),
        ];
        for (drives, _) in DRIVES {
            let growth = self.growth.iter().filter(|growth| growth.drives == drives);
            let words = growth.map(|g| {
                let [low, high] = g.per_contact;
                let power = g.exponent.map_or(String::new(), |p| format!(" about n^{p:.2},"));
                format!("{}{power} {low:.2} to {high:.2} per contact", g.family)
            });
            claims.push(claim(
                &format!("drives {drives}"),
                "about O(n) calls to drive-to-zero, with and without friction",
                words.collect::<Vec<_>>().join("; "),
            ));
        }
        claims
    }

    /// How many problems were solved.
    fn solved(&self) -> String {
        let sum = |of: fn(&Row) -> usize| self.rows.iter().map(of).sum::<usize>();
        format!(
            "Of {all} problems without friction, {} were solved exactly from either start and then timed; \
             the QP solver reports {} of these as solved. Of {all} problems with friction, {} were solved \
             and certified, {} of them without a restart",
            sum(|row| row.exact),
            sum(|row| row.qp_solved),
            sum(|row| row.friction_solved),
            sum(|row| row.friction_alone),
            all = sum(|row| row.problems),
        )
    }
}

/// The page beside the plots.
fn page(report: &Report) -> Page {
    let about = [
        "The problems are built in: piles of boxes and walls of bricks under gravity, the last \
         body pushed by a random wrench. The paper does not describe its own test problems. Many \
         contacts are redundant and A is singular, so elimination gives no valid forces; only its \
         time is compared.",
        "Times are medians of thread CPU time on one thread. Our time is that of the whole \
         solver, from bodies and contacts to forces; it never forms A. LU (faer, partial \
         pivoting, one solve) and the QP (Clarabel, min ½ fᵀA f + bᵀf, f ≥ 0) receive A. The \
         paper's program (5) is a different one with the same solutions. On a shared machine \
         times vary from run to run. LU times from n = 100 on vary by a factor of up to three, so \
         ratios to LU are rough there.",
        "The paper starts from zero forces. Without friction our solver starts from a guess by a \
         few Gauss–Seidel sweeps; both starts are shown. With friction (coefficient 0.5) it \
         starts from zero, as the paper does. Drives are counted in problems solved without a \
         restart; a size at which no problem is solved this way is omitted. A drive takes one or \
         more steps: `steps_zero` in the table of drives counts them.",
    ];
    let mut about: Vec<String> = about.map(str::to_owned).into();
    about.push(format!("{}.", report.solved()));
    let figure = |name: &str, caption: &str| Figure { name: name.into(), caption: caption.into() };
    Page {
        title: "Baraff 1994: time against LU and a QP, calls to drive-to-zero".into(),
        command: "cargo run --release -- reproduce baraff1994 --out docs/figures/baraff1994".into(),
        about,
        claims: report.claims(),
        figures: vec![
            figure("time_piles", "Time against the number of contacts, piles"),
            figure("time_walls", "Time against the number of contacts, walls"),
            figure("drives", "Calls to drive-to-zero against the number of contacts"),
        ],
    }
}

fn print(report: &Report, out: &Path) {
    say!("{:<14} {:<36}    {:<26}    steps", "", "median µs", "median drives");
    say!(
        "{:<8} {:>4}  {:>8} {:>8} {:>8} {:>9}    {:>8} {:>8} {:>8} {:>8}",
        "family",
        "n",
        "sweeps",
        "zero",
        "LU",
        "QP",
        "sweeps",
        "zero",
        "friction",
        "zero"
    );
    for row in &report.rows {
        say!(
            "{:<8} {:>4}  {:>8.1} {:>8.1} {:>8.1} {:>9.1}    {:>8} {:>8} {:>8} {:>8}",
            row.family,
            row.contacts,
            row.sweeps_us,
            row.zero_us,
            row.lu_us,
            row.qp_us,
            row.sweeps_drives,
            row.zero_drives,
            row.friction_drives,
            row.zero_steps
        );
    }
    say!("");
    for Claim { place, paper, here } in report.claims() {
        say!("{place}\n  paper  {paper}\n  here   {here}");
    }
    say!("");
    say!("{}.", report.solved());
    say!("time_piles, time_walls, drives as SVG and CSV in {}", out.display());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_power_laws() {
        let square = [1.0_f64, 2.0, 5.0, 9.0].map(|x| [x, 3.0 * x * x]);
        assert!((exponent(&square).expect("a number") - 2.0).abs() < 1e-12);
        let with_a_hole = [[1.0, 2.0], [3.0, f64::NAN], [4.0, 8.0]];
        assert!((exponent(&with_a_hole).expect("a number") - 1.0).abs() < 1e-12);
        assert_eq!(exponent(&[[1.0, 2.0], [3.0, 0.0], [4.0, 8.0]]), None);
        assert_eq!(exponent(&[]), None);
    }

    #[test]
    fn ranges_hold_the_smallest_and_the_largest() {
        let [low, high] = range([3.0, f64::NAN, 1.0, 2.0].into_iter());
        assert!((low, high) == (1.0, 3.0), "{low} {high}");
        assert!(range([].into_iter())[0].is_nan());
    }
}
