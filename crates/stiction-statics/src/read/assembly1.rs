//! The format `assembly-1`.

use super::{FileError, Options, Source};
use crate::assembly::{
    Assembly, Block, FrictionTable, Interface, InterfaceSource, Knob, Load, Tolerance,
};
use crate::detect;
use crate::surface::{self, SurfaceFault};
use glam::{DMat3, DVec3};
use serde::Deserialize;
use stiction_contact::file::parse_json;

/// The name of the format.
const FORMAT: &str = "assembly-1";

/// Standard gravity of the format if a file gives none (m/s²).
const GRAVITY: [f64; 3] = [0.0, 0.0, -9.81];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    name: Option<String>,
    #[serde(rename = "notes")]
    _notes: Option<serde_json::Value>,
    #[serde(rename = "origin")]
    _origin: Option<serde_json::Value>,
    gravity: Option<[f64; 3]>,
    friction: f64,
    #[serde(default)]
    pair_friction: Vec<FilePair>,
    blocks: Vec<FileBlock>,
    interfaces: Option<Vec<FileInterface>>,
    #[serde(default)]
    tolerance: FileTolerance,
    #[serde(default)]
    load: Vec<FileLoad>,
    #[serde(default)]
    knobs: Vec<FileKnob>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FilePair {
    a: usize,
    b: usize,
    mu: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileBlock {
    name: Option<String>,
    #[serde(default)]
    fixed: bool,
    vertices: Vec<[f64; 3]>,
    #[serde(default)]
    faces: Vec<Vec<usize>>,
    density: Option<f64>,
    mass: Option<f64>,
    centre: Option<[f64; 3]>,
    inertia: Option<[[f64; 3]; 3]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileInterface {
    a: usize,
    b: usize,
    points: Vec<[f64; 3]>,
    normal: [f64; 3],
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTolerance {
    gap: Option<f64>,
    area: Option<f64>,
    angle: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileLoad {
    block: usize,
    #[serde(default)]
    force: [f64; 3],
    #[serde(default)]
    torque: [f64; 3],
    point: Option<[f64; 3]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileKnob {
    a: usize,
    b: usize,
    normal: [f64; 3],
    centre: [f64; 3],
    points: Vec<[f64; 3]>,
    tension: f64,
}

/// Parses a text in the format `assembly-1`.
pub(super) fn parse(source: &Source<'_>, options: &Options) -> Result<Assembly, FileError> {
    let file: File = parse_json(source.text, source.file)?;
    if file.format != FORMAT {
        let message = format!("is \"{}\", must be \"{FORMAT}\"", file.format);
        return Err(source.fault("format", message));
    }
    let reader = Reader { source, file: &file };
    let mut assembly = Assembly {
        name: file.name.clone().unwrap_or_else(|| source.file.to_owned()),
        gravity: DVec3::from(file.gravity.unwrap_or(GRAVITY)),
        blocks: reader.blocks()?,
        friction: reader.friction()?,
        ..Assembly::default()
    };
    assembly.load = reader.load(&assembly)?;
    assembly.knobs = reader.knobs(&assembly)?;
    if !assembly.blocks.iter().any(|block| block.fixed) {
        return Err(source.fault("blocks", "none is fixed: the assembly has no support"));
    }
    let tolerance = reader.tolerance(&assembly, options)?;
    match &file.interfaces {
        Some(given) if options.gap.is_none() => {
            assembly.interfaces = reader.interfaces(&assembly, given)?;
            assembly.source = InterfaceSource::Given;
        }
        _ => {
            assembly.interfaces = detect::interfaces(&assembly, &tolerance);
            assembly.source = InterfaceSource::Detected(tolerance);
        }
    }
    Ok(assembly)
}

struct Reader<'a> {
    source: &'a Source<'a>,
    file: &'a File,
}

impl Reader<'_> {
    fn blocks(&self) -> Result<Vec<Block>, FileError> {
        if self.file.blocks.is_empty() {
            return Err(self.source.fault("blocks", "is empty"));
        }
        self.file.blocks.iter().enumerate().map(|(index, it)| self.block(index, it)).collect()
    }

    fn block(&self, index: usize, it: &FileBlock) -> Result<Block, FileError> {
        let at = |field: &str| format!("blocks[{index}].{field}");
        let vertices: Vec<DVec3> = it.vertices.iter().copied().map(DVec3::from).collect();
        let surface_fault = |fault: SurfaceFault| {
            let field = match fault.face {
                Some(face) => format!("blocks[{index}].faces[{face}]"),
                None => format!("blocks[{index}]"),
            };
            self.source.fault(&field, fault.message)
        };
        surface::check(&vertices, &it.faces).map_err(surface_fault)?;
        for (field, value) in [("density", it.density), ("mass", it.mass)] {
            self.positive(&at(field), value.unwrap_or(1.0))?;
        }
        if it.density.is_some() && it.mass.is_some() {
            return Err(self
                .source
                .fault(&at("mass"), "is given beside density: keep one of them"));
        }
        if !it.fixed && it.density.is_none() && it.mass.is_none() {
            return Err(self
                .source
                .fault(&format!("blocks[{index}]"), "has neither density nor mass"));
        }
        let solid = if it.faces.is_empty() {
            None
        } else {
            let density = it.density.unwrap_or(1.0);
            Some(surface::solid(&vertices, &it.faces, density).map_err(surface_fault)?)
        };
        if solid.is_none() && it.density.is_some() {
            return Err(self.source.fault(&at("density"), "needs faces; give mass and centre"));
        }
        let solid = solid.map(|solid| match it.mass {
            Some(mass) => solid.with_mass(mass),
            None => solid,
        });
        let mean = vertices.iter().sum::<DVec3>() / vertices.len().max(1) as f64;
        let centre = it.centre.map_or(solid.map_or(mean, |it| it.centre), DVec3::from);
        let given = it.inertia.map(|rows| DMat3::from_cols_array_2d(&rows).transpose());
        Ok(Block {
            name: it.name.clone().unwrap_or_else(|| format!("block {index}")),
            fixed: it.fixed,
            mass: it.mass.or(solid.map(|it| it.mass)).unwrap_or(0.0),
            centre,
            inertia: given.or(solid.map(|it| it.inertia)),
            vertices,
            faces: it.faces.clone(),
        })
    }

    fn friction(&self) -> Result<FrictionTable, FileError> {
        self.coefficient("friction", self.file.friction)?;
        let mut table = FrictionTable { general: self.file.friction, pairs: Vec::new() };
        for (index, pair) in self.file.pair_friction.iter().enumerate() {
            let field = format!("pair_friction[{index}]");
            self.pair(&field, pair.a, pair.b)?;
            self.coefficient(&format!("{field}.mu"), pair.mu)?;
            table.pairs.push((pair.a, pair.b, pair.mu));
        }
        Ok(table)
    }

    fn interfaces(
        &self,
        assembly: &Assembly,
        given: &[FileInterface],
    ) -> Result<Vec<Interface>, FileError> {
        let mut found = Vec::new();
        for (index, it) in given.iter().enumerate() {
            let field = format!("interfaces[{index}]");
            self.pair(&field, it.a, it.b)?;
            let normal = self.direction(&format!("{field}.normal"), it.normal)?;
            if it.points.is_empty() {
                return Err(self.source.fault(&format!("{field}.points"), "is empty"));
            }
            if assembly.blocks[it.a].fixed && assembly.blocks[it.b].fixed {
                continue;
            }
            let points = it.points.iter().copied().map(DVec3::from).collect();
            let friction = assembly.friction.between(it.a, it.b);
            found.push(Interface { a: it.a, b: it.b, points, normal, friction });
        }
        Ok(found)
    }

    fn load(&self, assembly: &Assembly) -> Result<Vec<Load>, FileError> {
        let load = |(index, it): (usize, &FileLoad)| {
            self.block_index(&format!("load[{index}].block"), it.block)?;
            let (force, torque) = (DVec3::from(it.force), DVec3::from(it.torque));
            let centre = assembly.blocks[it.block].centre;
            let arm = it.point.map_or(DVec3::ZERO, |point| DVec3::from(point) - centre);
            Ok(Load { block: it.block, force, torque: torque + arm.cross(force) })
        };
        self.file.load.iter().enumerate().map(load).collect()
    }

    fn knobs(&self, assembly: &Assembly) -> Result<Vec<Knob>, FileError> {
        let mut found = Vec::new();
        for (index, it) in self.file.knobs.iter().enumerate() {
            let field = format!("knobs[{index}]");
            self.pair(&field, it.a, it.b)?;
            self.coefficient(&format!("{field}.tension"), it.tension)?;
            if assembly.blocks[it.a].fixed && assembly.blocks[it.b].fixed {
                continue;
            }
            found.push(Knob {
                a: it.a,
                b: it.b,
                normal: self.direction(&format!("{field}.normal"), it.normal)?,
                centre: DVec3::from(it.centre),
                points: it.points.iter().copied().map(DVec3::from).collect(),
                tension: it.tension,
            });
        }
        Ok(found)
    }

    fn tolerance(&self, assembly: &Assembly, options: &Options) -> Result<Tolerance, FileError> {
        let given = &self.file.tolerance;
        for (field, value) in [("gap", given.gap), ("area", given.area), ("angle", given.angle)] {
            self.positive(&format!("tolerance.{field}"), value.unwrap_or(1.0))?;
        }
        let default = Tolerance::of(assembly);
        Ok(Tolerance {
            gap: options.gap.or(given.gap).unwrap_or(default.gap),
            area: given.area.or(default.area),
            angle: given.angle.unwrap_or(default.angle),
        })
    }

    fn positive(&self, field: &str, value: f64) -> Result<(), FileError> {
        let fine = value > 0.0 && value.is_finite();
        fine.then_some(())
            .ok_or_else(|| self.source.fault(field, format!("is {value}, must be positive")))
    }

    fn coefficient(&self, field: &str, value: f64) -> Result<(), FileError> {
        let fine = value >= 0.0 && value.is_finite();
        fine.then_some(())
            .ok_or_else(|| self.source.fault(field, format!("is {value}, must not be negative")))
    }

    fn direction(&self, field: &str, value: [f64; 3]) -> Result<DVec3, FileError> {
        let unit = DVec3::from(value).try_normalize();
        unit.ok_or_else(|| self.source.fault(field, format!("is {value:?}, must not be zero")))
    }

    fn block_index(&self, field: &str, index: usize) -> Result<(), FileError> {
        let count = self.file.blocks.len();
        (index < count).then_some(()).ok_or_else(|| {
            self.source.fault(field, format!("is {index}, but there are {count} blocks (from 0)"))
        })
    }

    fn pair(&self, field: &str, a: usize, b: usize) -> Result<(), FileError> {
        self.block_index(&format!("{field}.a"), a)?;
        self.block_index(&format!("{field}.b"), b)?;
        let same = || self.source.fault(&format!("{field}.b"), format!("is {b}, as is a"));
        (a != b).then_some(()).ok_or_else(same)
    }
}
