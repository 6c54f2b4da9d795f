//! OBJ files: every object (`o`) or group (`g`) that has faces is a block.
//!
//! Corners with equal coordinates are one. Normals, textures and materials are skipped. The file gives
//! neither friction nor density nor supports.

use super::draft::{self, RawBlock, RawTolerance};
use super::{FileError, Options, Source, assembly1::GRAVITY};
use crate::assembly::{Assembly, FrictionTable};
use glam::DVec3;
use std::collections::{BTreeMap, btree_map::Entry};
use stiction_contact::UnionFind;

/// A face and where it is: its line, its corners as numbers in the file from 0.
struct Polygon {
    line: usize,
    corners: Vec<usize>,
}

/// Faces of one object or group.
struct Group<'a> {
    name: &'a str,
    line: usize,
    faces: Vec<Polygon>,
}

/// Parses the text of an OBJ file.
pub(super) fn parse(source: Source<'_>, options: &Options) -> Result<Assembly, FileError> {
    let (vertices, groups) = scan(source, options.unit.unwrap_or(1.0))?;
    let Some(general) = options.friction else {
        return Err(source.fault_at(1, "friction", "is not in an OBJ file: give a coefficient"));
    };
    let mut assembly = Assembly {
        name: source.file.to_owned(),
        gravity: options.gravity.unwrap_or(GRAVITY),
        friction: FrictionTable { general, pairs: Vec::new() },
        ..Assembly::default()
    };
    for group in groups.iter().filter(|group| !group.faces.is_empty()) {
        let mut raw = block(group, &vertices);
        if has_two_shells(&raw) {
            let message =
                "has separate surfaces: give every block an object (o) or group (g) of its own";
            return Err(source.fault_at(group.line, group.name, message));
        }
        raw.density = options.density.or(Some(1.0));
        let index = assembly.blocks.len();
        assembly.blocks.push(raw.check(index, options, |field, message| {
            let face = field.strip_prefix("faces[").and_then(|it| it.strip_suffix(']'));
            let face = face.and_then(|it| it.parse::<usize>().ok());
            let line = face.map_or(group.line, |face| group.faces[face].line);
            source.fault_at(line, group.name, message)
        })?);
    }
    if assembly.blocks.is_empty() {
        return Err(source.fault_at(1, "f", "is missing: the file has no faces"));
    }
    draft::assume_density(&mut assembly, options);
    let fault = |field: &str, message: String| source.fault_at(1, field, message);
    draft::finish(assembly, None, RawTolerance::default(), options, fault)
}

fn scan(source: Source<'_>, unit: f64) -> Result<(Vec<DVec3>, Vec<Group<'_>>), FileError> {
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut groups = vec![Group { name: "block", line: 1, faces: Vec::new() }];
    for (number, text) in source.text.lines().enumerate() {
        let line = number + 1;
        let mut words = text.split('#').next().unwrap_or_default().split_whitespace();
        match words.next() {
            Some("v") => {
                let mut vertex = [0.0; 3];
                for value in &mut vertex {
                    let word = words.next().unwrap_or_default();
                    let number = word.parse().ok().filter(|it: &f64| it.is_finite());
                    *value = number.ok_or_else(|| {
                        source.fault_at(line, "v", format!("has {word:?}, needs three numbers"))
                    })?;
                }
                vertices.push(DVec3::from(vertex) * unit);
            }
            Some("f") => {
                let corner = |word: &str| {
                    let number: i64 = word.split('/').next()?.parse().ok()?;
                    let index = if number < 0 {
                        vertices.len().checked_sub(usize::try_from(number.unsigned_abs()).ok()?)?
                    } else {
                        usize::try_from(number - 1).ok()?
                    };
                    (index < vertices.len()).then_some(index)
                };
                let read = |word: &str| {
                    corner(word).ok_or_else(|| {
                        let message = format!(
                            "names vertex {word:?}, but there are {} before it",
                            vertices.len()
                        );
                        source.fault_at(line, "f", message)
                    })
                };
                let corners = words.map(read).collect::<Result<_, _>>()?;
                if let Some(group) = groups.last_mut() {
                    group.faces.push(Polygon { line, corners });
                }
            }
            Some(kind @ ("o" | "g")) => {
                let name = text.trim_start().strip_prefix(kind).unwrap_or_default().trim();
                groups.push(Group { name, line, faces: Vec::new() });
            }
            _ => {}
        }
    }
    Ok((vertices, groups))
}

/// The corners that a group uses, equal ones as one.
fn block(group: &Group<'_>, vertices: &[DVec3]) -> RawBlock {
    let mut raw = RawBlock { name: Some(group.name.to_owned()), ..RawBlock::default() };
    let mut numbers: BTreeMap<[u64; 3], usize> = BTreeMap::new();
    for face in &group.faces {
        let mut corners = Vec::with_capacity(face.corners.len());
        for &corner in &face.corners {
            let place = vertices[corner] + DVec3::ZERO; // −0 is 0
            let next = raw.vertices.len();
            corners.push(match numbers.entry(place.to_array().map(f64::to_bits)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    raw.vertices.push(place);
                    *new.insert(next)
                }
            });
        }
        raw.faces.push(corners);
    }
    raw
}

/// Whether a block has two surfaces that enclose a volume each, and no edge in common.
fn has_two_shells(raw: &RawBlock) -> bool {
    let mut sets = UnionFind::new(raw.vertices.len());
    for (from, to) in raw.faces.iter().flat_map(|face| crate::surface::edges(face)) {
        sets.join(from, to);
    }
    let roots = sets.roots();
    let mut solid: BTreeMap<usize, Vec<Vec<usize>>> = BTreeMap::new();
    for face in raw.faces.iter().filter(|face| !face.is_empty()) {
        solid.entry(roots[face[0]]).or_default().push(face.clone());
    }
    let outward =
        |faces: &&Vec<Vec<usize>>| crate::surface::solid(&raw.vertices, faces, 1.0).is_ok();
    solid.len() > 1 && solid.values().filter(outward).count() > 1
}
