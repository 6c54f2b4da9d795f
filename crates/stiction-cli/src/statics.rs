//! `stiction static`: does it stand, with what margin, and what proves it.

pub(crate) mod check;
mod print;

use crate::statics::print::Report;
use glam::DVec3;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_statics::read::{self, FileError};
use stiction_statics::{Assembly, Margin, Options, Statics, Verdict};
use stiction_terminal::{exit, print_report, refuse};

/// A model and how to read it.
#[derive(clap::Args)]
pub(crate) struct Model {
    /// An assembly
    model: PathBuf,
    /// Largest gap between faces that touch, in metres; detects the interfaces again
    #[arg(long, value_name = "METRES")]
    tolerance: Option<f64>,
}

impl Model {
    fn read(&self, gap: Option<f64>) -> Result<Assembly, FileError> {
        read::open(
            &self.model,
            &read::Options { gap: self.tolerance.or(gap), ..Default::default() },
        )
    }
}

/// Arguments of `stiction static`.
#[derive(clap::Args)]
#[allow(clippy::struct_excessive_bools)] // one per flag
pub(crate) struct Arguments {
    #[command(flatten)]
    model: Model,
    /// The largest factor on the live load; shown anyway if the model has one
    #[arg(long)]
    load: bool,
    /// How far it can be tilted towards a horizontal direction, in degrees from x towards y; repeatable
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    tilt: Vec<f64>,
    /// The least friction with which it can stand
    #[arg(long)]
    friction: bool,
    /// Neither look for a proof that it must stand nor for a motion
    #[arg(long)]
    quick: bool,
    /// Write the certificate
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// Runs `stiction static`.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let assembly = match arguments.model.read(None) {
        Ok(assembly) => assembly,
        Err(error) => return refuse(&error),
    };
    let statics = Statics::new(&assembly);
    let answer = statics.stands(&Options { must: !arguments.quick, need_not: !arguments.quick });
    let margins = margins(arguments, &assembly, &statics);
    if let Some(path) = &arguments.certificate {
        let certificate = statics.certificate(&assembly, &answer, &margins);
        let text = serde_json::to_string_pretty(&certificate).unwrap_or_default();
        if let Err(error) = std::fs::write(path, text + "\n") {
            return refuse(&format_args!("{}: {error}", path.display()));
        }
    }
    let report = Report::new(&assembly, &statics, &answer, &margins);
    print_report(&report, arguments.json, || report.print());
    ExitCode::from(match answer.verdict {
        Verdict::Can | Verdict::Must => 0,
        Verdict::Cannot | Verdict::NeedNot => exit::NO,
        Verdict::Edge | Verdict::Undecided => exit::BREAKDOWN,
    })
}

/// The margins that were asked for.
fn margins(arguments: &Arguments, assembly: &Assembly, statics: &Statics) -> Vec<Margin> {
    let mut margins = Vec::new();
    if arguments.load || !assembly.load.is_empty() {
        margins.push(statics.load_factor());
        if !arguments.quick {
            margins.push(statics.limit_load());
        }
    }
    for degrees in &arguments.tilt {
        let angle = degrees.to_radians();
        margins.push(statics.tilt(DVec3::new(angle.cos(), angle.sin(), 0.0)));
    }
    if arguments.friction {
        margins.push(statics.least_friction());
    }
    margins
}
