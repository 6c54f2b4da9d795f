//! What all formats share: blocks as files give them, and the steps from them to an assembly.

use super::{FileError, Options};
use crate::assembly::{Assembly, Block, Interface, InterfaceSource, Tolerance};
use crate::detect;
use crate::surface::{self, SurfaceFault};
use glam::{DMat3, DVec3};

/// A block as a file gives it.
#[derive(Default)]
pub(super) struct RawBlock {
    pub name: Option<String>,
    pub fixed: bool,
    pub vertices: Vec<DVec3>,
    pub faces: Vec<Vec<usize>>,
    pub density: Option<f64>,
    pub mass: Option<f64>,
    pub centre: Option<DVec3>,
    pub inertia: Option<DMat3>,
}

impl RawBlock {
    /// The block, if it is sound; `fault` makes an error of a field of it, empty for the whole block.
    pub fn check(
        self,
        index: usize,
        options: &Options,
        fault: impl Fn(&str, String) -> FileError,
    ) -> Result<Block, FileError> {
        let surface_fault = |it: SurfaceFault| {
            fault(&it.face.map_or(String::new(), |face| format!("faces[{face}]")), it.message)
        };
        surface::check(&self.vertices, &self.faces).map_err(surface_fault)?;
        for (field, value) in [("density", self.density), ("mass", self.mass)] {
            positive(value).map_err(|message| fault(field, message))?;
        }
        if self.density.is_some() && self.mass.is_some() {
            return Err(fault("mass", "is given beside density: keep one of them".into()));
        }
        let name = self.name.unwrap_or_else(|| format!("block {index}"));
        let fixed = self.fixed || options.fixed.contains(&name);
        let density = self.density.or(options.density.filter(|_| self.mass.is_none()));
        if !fixed && density.is_none() && self.mass.is_none() {
            return Err(fault("", "has neither density nor mass".into()));
        }
        if self.faces.is_empty() && self.mass.is_none() && !fixed {
            let message =
                "has no faces, so that density does not give its mass; give mass and centre";
            return Err(fault("", message.into()));
        }
        let solid = if self.faces.is_empty() {
            None
        } else {
            let dense = density.unwrap_or(1.0);
            Some(surface::solid(&self.vertices, &self.faces, dense).map_err(surface_fault)?)
        };
        let solid = match (solid, self.mass) {
            (Some(solid), Some(mass)) => Some(solid.with_mass(mass)),
            _ => solid,
        };
        let mean = self.vertices.iter().sum::<DVec3>() / self.vertices.len().max(1) as f64;
        let centre = self.centre.or(solid.map(|it| it.centre)).unwrap_or(mean);
        if !centre.is_finite() {
            return Err(fault("centre", format!("is {centre}, must be finite")));
        }
        Ok(Block {
            name,
            fixed,
            mass: self.mass.or(solid.map(|it| it.mass)).unwrap_or(0.0),
            centre,
            inertia: self.inertia.or(solid.map(|it| it.inertia)),
            vertices: self.vertices,
            faces: self.faces,
        })
    }
}

/// The message about a value that is given and not positive.
pub(super) fn positive(value: Option<f64>) -> Result<(), String> {
    match value {
        Some(value) if !(value > 0.0 && value.is_finite()) => {
            Err(format!("is {value}, must be positive"))
        }
        _ => Ok(()),
    }
}

/// A tolerance as a file gives it.
#[derive(Clone, Copy, Default)]
pub(super) struct RawTolerance {
    pub gap: Option<f64>,
    pub area: Option<f64>,
    pub angle: Option<f64>,
}

/// Faces that differ by more than this are not said to touch (rad).
const MOST_ANGLE: f64 = 0.5;

/// Names supports, gives the assembly its interfaces and applies what the options override; `fault` makes an
/// error of a field.
pub(super) fn finish(
    mut assembly: Assembly,
    given: Option<Vec<Interface>>,
    tolerance: RawTolerance,
    options: &Options,
    fault: impl Fn(&str, String) -> FileError,
) -> Result<Assembly, FileError> {
    let names: Vec<&str> = assembly.blocks.iter().map(|block| block.name.as_str()).collect();
    if let Some(unknown) = options.fixed.iter().find(|name| !names.contains(&name.as_str())) {
        let hint = stiction_contact::nearest(unknown, &names)
            .map_or_else(String::new, |name| format!("; did you mean {name:?}?"));
        return Err(fault("", format!("there is no block {unknown:?} to fix{hint}")));
    }
    if !assembly.blocks.iter().any(|block| block.fixed) {
        return Err(fault("", "no block is fixed: the assembly has no support".into()));
    }
    let default = Tolerance::of(&assembly);
    let tolerance = Tolerance {
        gap: options.gap.or(tolerance.gap).unwrap_or(default.gap),
        area: options.area.or(tolerance.area).or(default.area),
        angle: options.angle.or(tolerance.angle).unwrap_or(default.angle),
    };
    for (name, value) in [("gap", tolerance.gap), ("area", tolerance.area.unwrap_or(1.0))] {
        positive(Some(value)).map_err(|message| fault("", format!("the {name} {message}")))?;
    }
    if !(tolerance.angle > 0.0 && tolerance.angle < MOST_ANGLE) {
        let message = format!(
            "the angle is {} rad, must be positive and below {MOST_ANGLE}",
            tolerance.angle
        );
        return Err(fault("", message));
    }
    match given.filter(|_| options.gap.is_none()) {
        Some(mut interfaces) => {
            let fixed = |k: usize| assembly.blocks[k].fixed;
            interfaces.retain(|it| !(fixed(it.a) && fixed(it.b)));
            assembly.interfaces = interfaces;
            assembly.source = InterfaceSource::Given;
            Ok(assembly)
        }
        None => detect::detect(assembly, &tolerance).map_err(|error| {
            fault(
                &error.block().map_or(String::new(), |k| format!("blocks[{k}]")),
                error.to_string(),
            )
        }),
    }
}

/// Notes that blocks of a file without densities have density 1; verdicts and margins do not depend on a density
/// that all blocks share.
pub(super) fn assume_density(assembly: &mut Assembly, options: &Options) {
    if options.density.is_none() {
        assembly.assumptions.push("density 1 kg/m³ for every block: the file has none".into());
    }
}
