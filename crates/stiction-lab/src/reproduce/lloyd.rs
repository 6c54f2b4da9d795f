//! Lloyd (2004), §5.4: the time of three methods against the number of contacts.
//!
//! Problems come from the gallery or from files; they are measured as in
//! `stiction bench lloyd`: judged first, then timed.

mod figure;
mod paper;

use super::page::{Claim, Figure, Folder, Page};
use crate::bench::lloyd::measure::{Batch, Configurations, METHODS, Settings, measure};
use crate::bench::{CONTACT_FILE, files};
use figure::Row;
use paper::{EXPERIMENTS, FIGURES};
use serde::Serialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiction_solvers::ContactProblem;
use stiction_solvers::file::FileError;
use stiction_solvers::gallery::lloyd::{Draw, Lie, Situation, peg, single, stack};
use stiction_solvers::lloyd2004::DIRECTIONS;
use stiction_terminal::{exit, print_report, refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// Folder for the plots (SVG) and tables (CSV)
    #[arg(long, default_value = "target/reproduce/lloyd")]
    out: PathBuf,
    /// Folder of contact-1 files to measure instead of the built-in problems
    #[arg(long)]
    data: Option<PathBuf>,
    /// The smallest and the largest problems only, with two loads each
    #[arg(long, conflicts_with = "data")]
    quick: bool,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// All measurements, figure by figure.
#[derive(Serialize)]
struct Report {
    figures: BTreeMap<String, Vec<Row>>,
    growth: Vec<Growth>,
}

impl Report {
    /// How many runs were solved by the method alone and certified.
    fn certified(&self) -> String {
        // Figures 6 and 8 show parts of 5 and 7.
        let whole = ["fig05", "fig07", "fig10"];
        let rows = || whole.iter().filter_map(|name| self.figures.get(*name)).flatten();
        let sum = |of: fn(&Row) -> usize| rows().map(of).sum::<usize>();
        let (loads, alone) = (sum(|row| row.loads), sum(|row| row.alone));
        format!(
            "{alone} of {loads} runs solved by the method alone and certified before they were timed"
        )
    }
}

/// Time of one method at both ends of the paper's range.
#[derive(Serialize)]
struct Growth {
    experiment: &'static str,
    method: &'static str,
    contacts: [usize; 2],
    us: [f64; 2],
    times: f64,
    paper_contacts: [usize; 2],
    paper_ms: [f64; 2],
    paper_times: f64,
}

/// Above the numbers of contacts in the paper and in our files.
const MOST_CONTACTS: usize = 36;

pub fn run(arguments: &Arguments) -> ExitCode {
    let (report, wrong) = match reproduce(arguments) {
        Ok(done) => done,
        Err(error) => return refuse(&error),
    };
    print_report(&report, arguments.json, || print(&report, &arguments.out));
    ExitCode::from(if wrong { exit::NO } else { 0 })
}

/// The report, and whether the judge rejects an answer that was reported as certified.
fn reproduce(arguments: &Arguments) -> Result<(Report, bool), Box<dyn Error>> {
    let out = Folder::create(&arguments.out)?;
    let found = match &arguments.data {
        Some(folder) => measure_files(folder)?,
        None => measure(gallery(arguments.quick)?.into_iter().map(Ok::<_, FileError>), &SETTINGS)?,
    };
    let mut figures = BTreeMap::new();
    for figure in &FIGURES {
        let name = format!("fig{:02}", figure.number);
        let Some(rows) = figure::rows(figure, &found) else {
            let missing = figure.experiment;
            let n = missing.ends[0].contacts;
            eprintln!("{name} left out: no {} with {n} contacts", missing.name);
            continue;
        };
        out.figure(&name, &figure::csv(&rows), &figure::plot(figure, &rows))?;
        figures.insert(name, rows);
    }
    if let (true, Some(folder)) = (figures.is_empty(), &arguments.data) {
        return Err(format!("{}: no figure can be made of what is there", folder.display()).into());
    }
    let wrong = found.values().flat_map(|c| c.methods.values()).any(|t| t.wrong > 0);
    let report = Report { figures, growth: growths(&found) };
    out.write("README.md", &page(arguments, &report).markdown())?;
    Ok((report, wrong))
}

const SETTINGS: Settings =
    Settings { contacts: MOST_CONTACTS, standard: usize::MAX, crossover: None, failures: false };

/// Files named as those of the paper's experiments.
fn measure_files(folder: &Path) -> Result<Configurations, FileError> {
    let mut paths = files(folder, "", &[CONTACT_FILE])?;
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        EXPERIMENTS.iter().any(|experiment| name.starts_with(experiment.prefix))
    });
    measure(paths.iter().map(|path| Batch::open(path)), &SETTINGS)
}

/// The problems of the paper's three experiments.
fn gallery(quick: bool) -> Result<Vec<Batch>, Box<dyn Error>> {
    let draw = if quick { Draw { loads: 2, ..Draw::default() } } else { Draw::default() };
    let mut batches = Vec::new();
    let mut add = |name: String, problems: Vec<ContactProblem>| {
        batches.push(Batch { configuration: name.clone(), name, directions: DIRECTIONS, problems });
    };
    for n in (8..=32).step_by(if quick { 24 } else { 4 }) {
        add(format!("peg_n{n:03}"), peg(n, draw)?);
    }
    for situation in Situation::ALL {
        let problems = single(situation, draw)?;
        let n = problems.first().map_or(0, |problem| problem.contacts().len());
        add(format!("single_{}_n{n:03}", situation.name()), problems);
    }
    for m in (1..=5).step_by(if quick { 4 } else { 1 }) {
        for lie in [Lie::Aligned, Lie::Rotated] {
            let problems = stack(m, lie, draw)?;
            let n = problems.first().map_or(0, |problem| problem.contacts().len());
            add(format!("stack_m{m:02}_{}_n{n:03}", lie.name()), problems);
        }
    }
    Ok(batches)
}

/// How every method's time grows over the paper's ranges.
fn growths(found: &Configurations) -> Vec<Growth> {
    let mut growths = Vec::new();
    for experiment in EXPERIMENTS {
        let [from, to] = &experiment.ends;
        let contacts = |end| figure::contacts_at(end, experiment, found);
        let (Some(fewest), Some(most)) = (contacts(from), contacts(to)) else { continue };
        let contacts = [fewest, most];
        for method in METHODS {
            let at = |end| figure::time_at(end, method, experiment, found);
            let (Some(first), Some(last)) = (at(from), at(to)) else { continue };
            let paper_ms = [from.ms(method), to.ms(method)];
            growths.push(Growth {
                experiment: experiment.name,
                method: method.name(),
                contacts,
                us: [first, last],
                times: last / first,
                paper_contacts: [from.contacts, to.contacts],
                paper_ms,
                paper_times: paper_ms[1] / paper_ms[0],
            });
        }
    }
    growths
}

/// The page beside the plots.
fn page(arguments: &Arguments, report: &Report) -> Page {
    let problems = match &arguments.data {
        Some(folder) => format!("The problems are the files of `{}`.", folder.display()),
        None => "The problems are built in. The paper states shapes, numbers of contacts and friction \
                 coefficients, but not dimensions, masses and the magnitudes of the loads; these are our \
                 own. In the stack of five rotated blocks, the second block lies aligned on the first, \
                 which gives 32 contacts, the largest number in the paper."
            .to_owned(),
    };
    let [scale, marks] = [
        "Times are divided by the time of the reduced method at the smallest size for which the \
         paper gives a number, because the paper's times are from a 1 GHz Pentium III-M under \
         Java. On a shared machine the growth factors vary by some tens of per cent from run to \
         run.",
        "A mark is the mean over the random loads of one configuration; a line joins the means \
         over equal numbers of contacts. Hollow marks are the paper's numbers, which its text \
         gives for two sizes. The dashed power law between them is a guide to the eye, not data.",
    ]
    .map(str::to_owned);
    let claim = |g: &Growth| Claim {
        place: format!("§5.4, {}, {}", g.experiment, g.method),
        paper: format!(
            "{} → {} contacts: {} → {} ms, {:.1} times",
            g.paper_contacts[0], g.paper_contacts[1], g.paper_ms[0], g.paper_ms[1], g.paper_times
        ),
        here: format!(
            "{} → {}: {:.1} → {:.1} µs, {:.1} times",
            g.contacts[0], g.contacts[1], g.us[0], g.us[1], g.times
        ),
    };
    let caption = |name: &String| {
        format!("Figure {}", name.trim_start_matches("fig").trim_start_matches('0'))
    };
    let figures =
        report.figures.keys().map(|name| Figure { caption: caption(name), name: name.clone() });
    Page {
        title: "Lloyd 2004: compute times of three methods".into(),
        command: "cargo run --release -- reproduce lloyd --out docs/figures/lloyd2004".into(),
        about: vec![problems, scale, marks, format!("{}.", report.certified())],
        claims: report.growth.iter().map(claim).collect(),
        figures: figures.collect(),
    }
}

fn print(report: &Report, out: &Path) {
    say!("{:<28}  here{:37}  paper", "", "");
    let titles = |unit: &str| format!("{:>8} {:>20}  {:>7}", "contacts", unit, "growth");
    say!("{:<17} {:<10}  {}   {}", "experiment", "method", titles("mean µs"), titles("mean ms"));
    for g in &report.growth {
        let range = |[from, to]: [usize; 2]| format!("{from}–{to}");
        say!(
            "{:<17} {:<10}  {:>8} {:>9.1} → {:>8.1}  {:>7.1}   {:>8} {:>9} → {:>8}  {:>7.1}",
            g.experiment,
            g.method,
            range(g.contacts),
            g.us[0],
            g.us[1],
            g.times,
            range(g.paper_contacts),
            g.paper_ms[0],
            g.paper_ms[1],
            g.paper_times
        );
    }
    say!("");
    say!("{}", report.certified());
    let names: Vec<&str> = report.figures.keys().map(String::as_str).collect();
    say!("{} as SVG and CSV in {}", names.join(", "), out.display());
}
