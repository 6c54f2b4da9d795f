//! The format `assembly-1`.

use super::draft::{self, RawBlock, RawTolerance};
use super::{FileError, Options, Source};
use crate::assembly::{Assembly, Block, FrictionTable, Interface, Knob, Load};
use glam::{DMat3, DVec3};
use serde::Deserialize;
use stiction_contact::file::parse_json;

/// The name of the format.
const FORMAT: &str = "assembly-1";

/// Gravity, if a file gives none (m/s²).
pub(super) const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

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
pub(super) fn parse(source: Source<'_>, options: &Options) -> Result<Assembly, FileError> {
    let file: File = parse_json(source.text, source.file)?;
    if file.format != FORMAT {
        let message = format!("is \"{}\", must be \"{FORMAT}\"", file.format);
        return Err(source.fault("format", message));
    }
    if options.unit.is_some_and(|unit| unit != 1.0) {
        return Err(source.fault("format", "is in metres; a unit of length does not apply"));
    }
    let reader = Reader { source, file: &file, options };
    let mut assembly = Assembly {
        name: file.name.clone().unwrap_or_else(|| source.file.to_owned()),
        gravity: options.gravity.or(file.gravity.map(DVec3::from)).unwrap_or(GRAVITY),
        blocks: reader.blocks()?,
        friction: reader.friction()?,
        ..Assembly::default()
    };
    assembly.load = reader.load(&assembly)?;
    assembly.knobs = reader.knobs(&assembly)?;
    let given = reader.interfaces(&assembly.friction)?;
    let fault = |field: &str, message: String| {
        source.fault(if field.is_empty() { "blocks" } else { field }, message)
    };
    draft::finish(assembly, given, reader.tolerance()?, options, fault)
}

struct Reader<'a> {
    source: Source<'a>,
    file: &'a File,
    options: &'a Options,
}

impl Reader<'_> {
    fn blocks(&self) -> Result<Vec<Block>, FileError> {
        if self.file.blocks.is_empty() {
            return Err(self.source.fault("blocks", "is empty"));
        }
        let block = |(index, it): (usize, &FileBlock)| {
            let raw = RawBlock {
                name: it.name.clone(),
                fixed: it.fixed,
                vertices: vectors(&it.vertices),
                faces: it.faces.clone(),
                density: it.density,
                mass: it.mass,
                centre: it.centre.map(DVec3::from),
                inertia: it.inertia.map(|rows| DMat3::from_cols_array_2d(&rows).transpose()),
            };
            raw.check(index, self.options, |field, message| {
                let whole = format!("blocks[{index}]");
                let place = if field.is_empty() { whole } else { format!("{whole}.{field}") };
                self.source.fault(&place, message)
            })
        };
        self.file.blocks.iter().enumerate().map(block).collect()
    }

    fn friction(&self) -> Result<FrictionTable, FileError> {
        self.not_negative("friction", self.file.friction)?;
        if let Some(general) = self.options.friction {
            return Ok(FrictionTable { general, pairs: Vec::new() });
        }
        let mut table = FrictionTable { general: self.file.friction, pairs: Vec::new() };
        for (index, pair) in self.file.pair_friction.iter().enumerate() {
            let field = format!("pair_friction[{index}]");
            self.pair(&field, pair.a, pair.b)?;
            self.not_negative(&format!("{field}.mu"), pair.mu)?;
            table.pairs.push((pair.a, pair.b, pair.mu));
        }
        Ok(table)
    }

    fn interfaces(&self, friction: &FrictionTable) -> Result<Option<Vec<Interface>>, FileError> {
        let Some(given) = &self.file.interfaces else { return Ok(None) };
        let interface = |(index, it): (usize, &FileInterface)| {
            let field = format!("interfaces[{index}]");
            self.pair(&field, it.a, it.b)?;
            let normal = self.direction(&format!("{field}.normal"), it.normal)?;
            if it.points.is_empty() {
                return Err(self.source.fault(&format!("{field}.points"), "is empty"));
            }
            let friction = friction.between(it.a, it.b);
            Ok(Interface { a: it.a, b: it.b, points: vectors(&it.points), normal, friction })
        };
        given.iter().enumerate().map(interface).collect::<Result<_, _>>().map(Some)
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
            self.not_negative(&format!("{field}.tension"), it.tension)?;
            if assembly.blocks[it.a].fixed && assembly.blocks[it.b].fixed {
                continue;
            }
            found.push(Knob {
                a: it.a,
                b: it.b,
                normal: self.direction(&format!("{field}.normal"), it.normal)?,
                centre: DVec3::from(it.centre),
                points: vectors(&it.points),
                tension: it.tension,
            });
        }
        Ok(found)
    }

    fn tolerance(&self) -> Result<RawTolerance, FileError> {
        let FileTolerance { gap, area, angle } = self.file.tolerance;
        for (field, value) in [("gap", gap), ("area", area), ("angle", angle)] {
            draft::positive(value)
                .map_err(|message| self.source.fault(&format!("tolerance.{field}"), message))?;
        }
        Ok(RawTolerance { gap, area, angle })
    }

    fn not_negative(&self, field: &str, value: f64) -> Result<(), FileError> {
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

fn vectors(points: &[[f64; 3]]) -> Vec<DVec3> {
    points.iter().copied().map(DVec3::from).collect()
}
