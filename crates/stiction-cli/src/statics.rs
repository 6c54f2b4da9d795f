//! `stiction static`: does it stand, with what margin, and what proves it.

pub(crate) mod check;
pub(crate) mod input;
mod picture;
mod print;
mod region;
mod repeat;

use crate::statics::input::Model;
use crate::statics::print::Report;
use crate::statics::region::{Accelerations, Preset, Radius};
use crate::statics::repeat::Repeats;
use glam::DVec3;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_statics::{Answer, Assembly, Margin, Options, Statics, Verdict};
use stiction_terminal::{exit, print_report, refuse};

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
    /// Which horizontal accelerations it carries, in every direction
    #[arg(long)]
    accelerations: bool,
    /// Whether it carries the accelerations that a standard asks for, forward along x
    #[arg(long, value_name = "STANDARD")]
    preset: Option<Preset>,
    /// The least friction with which it can stand
    #[arg(long)]
    friction: bool,
    /// The least factor on the live load, as a clamp, with which it can stand
    #[arg(long)]
    clamp: bool,
    /// The least and largest normal force of every interface, among all that carry the weight
    #[arg(long)]
    ranges: bool,
    /// How large disturbances on single blocks may be
    #[arg(long)]
    robustness: bool,
    /// Neither look for a proof that it must stand nor for a motion
    #[arg(long)]
    quick: bool,
    /// Write the certificate
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Write a picture of forces and mechanism
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a page to look at in a browser: forces, use, mechanism, and tilts that turn the verdict
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Write a plot of the accelerations that it carries
    #[arg(long, value_name = "FILE")]
    region: Option<PathBuf>,
    /// Write the COMPAS file of the model with forces on the edges
    #[arg(long, value_name = "FILE")]
    compas: Option<PathBuf>,
    /// Whether it can stand after each block, in the order in which they are listed
    #[arg(long)]
    sequence: bool,
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
    let mut answer =
        statics.stands(&Options { must: !arguments.quick, need_not: !arguments.quick });
    let margins = margins(arguments, &assembly, &statics);
    let mut report = Report::new(&assembly, &statics, &answer, &margins);
    if !arguments.quick {
        report.repeats = Repeats::tolerances(&assembly, answer.verdict);
    }
    if arguments.sequence {
        report.repeats.add_sequence(&assembly);
    }
    let region = arguments.region.is_some() || arguments.page.is_some();
    if arguments.accelerations || arguments.preset.is_some() || region {
        report.accelerations = Some(Accelerations::new(&statics, arguments.preset));
    }
    if arguments.ranges {
        report.ranges = region::ranges(&assembly, &statics);
    }
    if arguments.robustness {
        let found = statics.robustness();
        report.robustness = Some(Radius::new(&assembly, &found));
        answer.claims.extend(found.claims);
    }
    if arguments.json || arguments.page.is_some() {
        report.show(&assembly, &statics, &answer, &margins);
    }
    if let Err(error) = write_files(arguments, &assembly, &statics, &answer, &margins, &report) {
        return refuse(&error);
    }
    print_report(&report, arguments.json, || report.print());
    ExitCode::from(match answer.verdict {
        Verdict::Can | Verdict::Must => 0,
        Verdict::Cannot | Verdict::NeedNot => exit::NO,
        Verdict::Edge | Verdict::Undecided => exit::BREAKDOWN,
    })
}

/// Certificate, picture and COMPAS file, as far as they were requested.
fn write_files(
    arguments: &Arguments,
    assembly: &Assembly,
    statics: &Statics,
    answer: &Answer,
    margins: &[Margin],
    report: &Report,
) -> Result<(), String> {
    if let Some(path) = &arguments.certificate {
        let limits = report.accelerations.as_ref().map_or(&[][..], Accelerations::margins);
        let certificate = statics.certificate(assembly, answer, &[margins, limits].concat());
        let text = serde_json::to_string_pretty(&certificate).unwrap_or_default();
        picture::write_text(path, &(text + "\n"))?;
    }
    if let Some(path) = &arguments.svg {
        picture::write(path, assembly, statics, answer, margins, report.caption())?;
    }
    if let (Some(path), Some(found)) = (&arguments.region, &report.accelerations) {
        picture::write_region(path, found, &assembly.name)?;
    }
    if let Some(path) = &arguments.page {
        picture::write_page(path, report)?;
    }
    if let Some(path) = &arguments.compas {
        picture::write_compas(path, &arguments.model, assembly, statics, answer)?;
    }
    Ok(())
}

/// The margins that were requested.
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
    if arguments.clamp {
        margins.push(statics.clamp());
    }
    if arguments.friction {
        margins.push(statics.least_friction());
    }
    margins
}
