//! Pictures and files made of the witnesses of an answer.

use super::input::Model;
use super::print::Report;
use super::region::Accelerations;
use std::path::Path;
use stiction_statics::picture::Picture;
use stiction_statics::{Answer, Assembly, Margin, Statics, picture, read};

/// Writes a picture; `lines` go below it. The motion is that of the verdict, else that at the limit of the first
/// margin that has one.
pub(crate) fn write(
    path: &Path,
    assembly: &Assembly,
    statics: &Statics,
    answer: &Answer,
    margins: &[Margin],
    mut lines: Vec<String>,
) -> Result<(), String> {
    let limits = margins.iter().flat_map(|margin| margin.claims.iter().flatten());
    let motion = answer.claims.iter().chain(limits).find_map(|claim| statics.motion_of(claim));
    let forces = answer.claims.iter().find_map(|claim| statics.forces_of(claim));
    if forces.is_some() {
        lines.push("forces: one state that the laws admit; others may exist".into());
    }
    if motion.is_some() {
        lines.push("dashed: the motion that proves the limit, not to scale".into());
    }
    let picture =
        Picture { assembly, forces: forces.as_deref(), motion: motion.as_deref(), caption: &lines };
    write_text(path, &picture.svg())
}

/// Writes a plot of the accelerations that are carried.
pub(crate) fn write_region(path: &Path, found: &Accelerations, title: &str) -> Result<(), String> {
    let marks = found.marks();
    write_text(path, &picture::region(title, &found.region.inside, &found.region.around, &marks))
}

/// Writes a page that shows a report.
pub(crate) fn write_page(path: &Path, report: &Report) -> Result<(), String> {
    let object = serde_json::to_string(report).unwrap_or_default();
    // A name may not end the script.
    let object = object.replace("</", "<\\/");
    write_text(path, &include_str!("page.html").replace("/*REPORT*/null", &object))
}

/// Writes the COMPAS file of the model with the forces of the answer.
pub(crate) fn write_compas(
    path: &Path,
    model: &Model,
    assembly: &Assembly,
    statics: &Statics,
    answer: &Answer,
) -> Result<(), String> {
    let Some(forces) = answer.claims.iter().find_map(|claim| statics.forces_of(claim)) else {
        return Err(format!("{}: the verdict has no forces to write", path.display()));
    };
    let mut rest = &forces[..];
    let mut of_interface = Vec::with_capacity(assembly.interfaces.len());
    for interface in &assembly.interfaces {
        let (mine, others) = rest.split_at(interface.points.len());
        of_interface.push(mine.to_vec());
        rest = others;
    }
    let file = model.file.display().to_string();
    let text = std::fs::read_to_string(&model.file).map_err(|error| format!("{file}: {error}"))?;
    let written = read::with_forces(&text, &file, assembly, model.unit(), &of_interface)
        .map_err(|error| error.to_string())?;
    write_text(path, &written)
}

/// Writes a file.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
