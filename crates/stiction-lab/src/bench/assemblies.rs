//! Assemblies of blocks: verdicts and margins of every file of a folder, beside those of a reference and
//! of compas_cra, with CPU times.

use super::{CONTACT_FILE, files};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiction::glam::DVec3;
use stiction_statics::read;
use stiction_statics::{Assembly, Margin, Options, Statics, Verdict};
use stiction_terminal::timing::timed;
use stiction_terminal::{exit, refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// Folder of assemblies
    #[arg(long)]
    data: PathBuf,
    /// Only files with this in their name
    #[arg(long, default_value = "")]
    only: String,
    /// Table of a reference: file, verdict, load, tan_tilt_+x, tan_tilt_-x, stand_s
    #[arg(long, value_name = "CSV")]
    reference: Option<PathBuf>,
    /// Table of other solvers: file, solver, status, s
    #[arg(long, value_name = "CSV")]
    peers: Option<PathBuf>,
    /// Verdicts alone
    #[arg(long)]
    verdicts: bool,
    /// A table in Markdown on stdout
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// One JSON object per file on stdout
    #[arg(long)]
    json: bool,
}

/// Margins agree if they differ by less than this, relative to the larger of them and 1: the reference has seven digits.
const SAME: f64 = 3e-7;

/// What was found for one file.
#[derive(Serialize)]
struct Row {
    file: String,
    blocks: usize,
    points: usize,
    verdict: &'static str,
    /// Thread CPU time of whether it can stand, of whether it must, and of the first margin.
    verdict_ms: f64,
    must_ms: f64,
    margin_ms: Option<f64>,
    margins: Vec<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference_ms: Option<f64>,
    /// What other solvers say, and in what time (ms).
    peers: Vec<(String, String, f64)>,
    /// Disagreements with the reference.
    differs: Vec<String>,
}

#[derive(Serialize)]
struct Shown {
    what: String,
    at_least: Option<f64>,
    at_most: Option<f64>,
    /// Whether it is proved that there is no limit.
    unbounded: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<f64>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let tables = [&arguments.reference, &arguments.peers].map(|path| match path {
        Some(path) => table(path),
        None => Ok(Vec::new()),
    });
    let [reference, peers] = match tables {
        [Ok(reference), Ok(peers)] => [reference, peers],
        [Err(error), _] | [_, Err(error)] => return refuse(&error),
    };
    let paths = match files(&arguments.data, &arguments.only, &[CONTACT_FILE]) {
        Ok(paths) => paths,
        Err(error) => return refuse(&error),
    };
    if arguments.markdown {
        say!("| file | points | verdict | margins | ms | reference | ms | others |");
        say!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    }
    let (mut differ, mut undecided, mut knobs) = (0, 0, 0);
    let count = paths.len();
    for path in &paths {
        let assembly = match read::open(path, &read::Options::default()) {
            Ok(assembly) => assembly,
            Err(error) => return refuse(&error),
        };
        if !assembly.knobs.is_empty() {
            knobs += 1;
            continue;
        }
        let row = row(path, &assembly, &reference, &peers, arguments.verdicts);
        differ += usize::from(!row.differs.is_empty());
        undecided += usize::from(row.verdict == Verdict::Undecided.name());
        if arguments.json {
            say!("{}", serde_json::to_string(&row).unwrap_or_default());
        } else if arguments.markdown {
            row.print_markdown();
        } else {
            row.print();
        }
    }
    if !arguments.json {
        say!("");
        let judged = count - knobs;
        say!("{judged} assemblies: {undecided} undecided, {differ} not as the reference");
        if knobs > 0 {
            say!("{knobs} left out: they have knobs, which are not solved");
        }
    }
    ExitCode::from(if differ > 0 { exit::NO } else { 0 })
}

fn row(
    path: &Path,
    assembly: &Assembly,
    reference: &[Record],
    peers: &[Record],
    verdicts: bool,
) -> Row {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let of_file = |record: &&Record| record.get("file").is_some_and(|name| *name == file);
    let known = reference.iter().find(of_file);
    let cell = |key: &str| known.and_then(|record| record.get(key)).filter(|it| !it.is_empty());
    let number = |key: &str| cell(key).and_then(|it| it.parse::<f64>().ok());
    // The question that the reference answers; then whether it must, which the reference does not ask.
    let ((statics, first), verdict_us) = timed(|| {
        let statics = Statics::new(assembly);
        let answer = statics.stands(&Options { must: false, need_not: false });
        (statics, answer)
    });
    let (answer, must_us) = timed(|| match first.verdict {
        Verdict::Cannot => first,
        _ => statics.stands(&Options { must: true, need_not: false }),
    });
    let mut row = Row {
        blocks: assembly.blocks.len(),
        points: assembly.contact_count(),
        verdict: answer.verdict.name(),
        verdict_ms: verdict_us / 1e3,
        must_ms: must_us / 1e3,
        margin_ms: None,
        margins: Vec::new(),
        reference: cell("verdict").cloned(),
        reference_ms: number("stand_s").map(|seconds| seconds * 1e3),
        peers: peers.iter().filter(of_file).map(peer).collect(),
        differs: Vec::new(),
        file,
    };
    row.compare_verdict(answer.verdict);
    if !verdicts {
        let requested: &[(&str, &str, DVec3)] = if assembly.load.is_empty() {
            &[("tilt +x", "tan_tilt_+x", DVec3::X), ("tilt −x", "tan_tilt_-x", DVec3::NEG_X)]
        } else {
            &[("load", "load", DVec3::ZERO)]
        };
        for (what, key, direction) in requested {
            let tilts = *direction != DVec3::ZERO;
            let (margin, us) =
                timed(|| if tilts { statics.tilt(*direction) } else { statics.load_factor() });
            row.margin_ms.get_or_insert(us / 1e3);
            row.add_margin(what, &margin, number(key));
        }
    }
    row
}

impl Row {
    fn compare_verdict(&mut self, verdict: Verdict) {
        let Some(reference) = &self.reference else { return };
        let can = match reference.as_str() {
            "can" => Some(true),
            "cannot" => Some(false),
            _ => None,
        };
        if let (Some(found), Some(known)) = (verdict.can(), can)
            && found != known
        {
            self.differs.push(format!("verdict {reference}"));
        }
    }

    fn add_margin(&mut self, what: &str, margin: &Margin, reference: Option<f64>) {
        let (low, high) = (margin.at_least, margin.at_most);
        if let Some(known) = reference {
            let slack = SAME * known.abs().max(1.0);
            let above = low.is_some_and(|low| low > known + slack);
            let below = high.is_some_and(|high| high < known - slack);
            if known.is_finite() && (above || below) {
                self.differs.push(format!("{what} {known}"));
            }
        }
        self.margins.push(Shown {
            what: what.to_owned(),
            at_least: low,
            at_most: high,
            unbounded: margin.unbounded,
            reference,
        });
    }

    fn print(&self) {
        let margins: Vec<String> = self.margins.iter().map(Shown::text).collect();
        let differs = if self.differs.is_empty() {
            String::new()
        } else {
            format!("  reference: {}", self.differs.join(", "))
        };
        say!(
            "{:<34} {:>5} points  {:<15} {:>9.2} ms  {}{differs}",
            self.file,
            self.points,
            self.verdict,
            self.verdict_ms,
            margins.join(", ")
        );
    }

    fn print_markdown(&self) {
        let margins: Vec<String> = self.margins.iter().map(Shown::text).collect();
        let known: Vec<String> = self
            .margins
            .iter()
            .filter_map(|shown| Some(format!("{} {}", shown.what, shown.reference?)))
            .collect();
        let others: Vec<String> = self
            .peers
            .iter()
            .map(|(solver, status, ms)| format!("{solver} {status} ({ms:.0} ms)"))
            .collect();
        let times =
            [Some(self.verdict_ms), Some(self.must_ms), self.margin_ms].into_iter().flatten();
        let times: Vec<String> = times.map(|ms| format!("{ms:.1}")).collect();
        say!(
            "| `{}` | {} | {} | {} | {} | {} {} | {} | {} |",
            self.file.trim_end_matches(".json"),
            self.points,
            self.verdict,
            margins.join("; "),
            times.join(", "),
            self.reference.as_deref().unwrap_or_default(),
            known.join("; "),
            self.reference_ms.map_or_else(String::new, |ms| format!("{ms:.1}")),
            others.join(", "),
        );
    }
}

impl Shown {
    fn text(&self) -> String {
        match (self.at_least, self.at_most) {
            (Some(low), Some(high)) => {
                format!(
                    "{} {:.9} (± {:.0e})",
                    self.what,
                    0.5 * (low + high),
                    0.5 * (high - low).abs()
                )
            }
            (Some(_), None) if self.unbounded => format!("{} no limit", self.what),
            (Some(low), None) => format!("{} at least {low:.9}", self.what),
            (None, Some(high)) => format!("{} at most {high:.9}", self.what),
            (None, None) => format!("{} open", self.what),
        }
    }
}

/// The answer of another solver.
fn peer(record: &Record) -> (String, String, f64) {
    let text = |key: &str| record.get(key).cloned().unwrap_or_default();
    let seconds: f64 = text("s").parse().unwrap_or(f64::NAN);
    (text("solver"), text("status"), seconds * 1e3)
}

/// A line of a table by the names of its columns.
type Record = BTreeMap<String, String>;

/// The lines of a table with a header. Cells are taken up to the first quoted one: what follows it is not used.
fn table(path: &Path) -> Result<Vec<Record>, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut lines = text.lines();
    let header: Vec<String> =
        lines.next().unwrap_or_default().split(',').map(str::to_owned).collect();
    let record = |line: &str| -> Record {
        let cells = line.split(',').take_while(|cell| !cell.starts_with('"')).map(str::to_owned);
        header.iter().cloned().zip(cells).collect()
    };
    Ok(lines.map(record).collect())
}
