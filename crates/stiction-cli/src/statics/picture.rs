//! Pictures and files made of the witnesses of an answer.

use super::input::Model;
use glam::DVec3;
use std::path::Path;
use stiction_check::{Claim, Proof};
use stiction_statics::picture::Picture;
use stiction_statics::{Answer, Assembly, Margin, read};

/// Forces and a motion, as far as claims have them.
struct Witness {
    forces: Option<Vec<DVec3>>,
    motion: Option<Vec<(DVec3, DVec3)>>,
}

impl Witness {
    /// The forces of the verdict, and its motion, else that at the limit of the first margin that has one.
    fn of(assembly: &Assembly, answer: &Answer, margins: &[Margin]) -> Self {
        let limits = margins.iter().flat_map(|margin| margin.claims.iter().flatten());
        let motion = answer.claims.iter().chain(limits).find_map(|claim| motion(assembly, claim));
        Witness { forces: answer.claims.iter().find_map(|claim| forces(assembly, claim)), motion }
    }
}

/// The force on the first block of every contact.
fn forces(assembly: &Assembly, claim: &Claim) -> Option<Vec<DVec3>> {
    match &claim.proof {
        Proof::Carried { forces } | Proof::Moves { forces, .. } => {
            Some(forces.iter().copied().map(DVec3::from).collect())
        }
        Proof::MustStand { normal } => {
            let normals =
                assembly.interfaces.iter().flat_map(|it| it.points.iter().map(|_| it.normal));
            Some(normals.zip(normal).map(|(n, force)| n * *force).collect())
        }
        Proof::NotCarried { .. } => None,
    }
}

/// Velocity of the centre and spin of every block.
fn motion(assembly: &Assembly, claim: &Claim) -> Option<Vec<(DVec3, DVec3)>> {
    let split = |w: &[f64; 6]| (DVec3::new(w[0], w[1], w[2]), DVec3::new(w[3], w[4], w[5]));
    match &claim.proof {
        Proof::NotCarried { origin, motion } => {
            let at_centre = |(block, w): (&stiction_statics::Block, &[f64; 6])| {
                let (velocity, spin) = split(w);
                (velocity + spin.cross(block.centre - DVec3::from(*origin)), spin)
            };
            Some(assembly.blocks.iter().zip(motion).map(at_centre).collect())
        }
        Proof::Moves { accelerations, .. } => Some(accelerations.iter().map(split).collect()),
        Proof::Carried { .. } | Proof::MustStand { .. } => None,
    }
}

/// Writes a picture; `lines` go below it.
pub(crate) fn write(
    path: &Path,
    assembly: &Assembly,
    answer: &Answer,
    margins: &[Margin],
    mut lines: Vec<String>,
) -> Result<(), String> {
    let witness = Witness::of(assembly, answer, margins);
    if witness.forces.is_some() {
        lines.push("forces: one state that the laws admit; others may exist".into());
    }
    if witness.motion.is_some() {
        lines.push("dashed: the motion that proves the limit, not to scale".into());
    }
    let picture = Picture {
        assembly,
        forces: witness.forces.as_deref(),
        motion: witness.motion.as_deref(),
        caption: &lines,
    };
    write_text(path, &picture.svg())
}

/// Writes the COMPAS file of the model with the forces of the answer.
pub(crate) fn write_compas(
    path: &Path,
    model: &Model,
    assembly: &Assembly,
    answer: &Answer,
) -> Result<(), String> {
    let Some(forces) = answer.claims.iter().find_map(|claim| forces(assembly, claim)) else {
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
