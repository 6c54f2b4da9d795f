//! Triangles from OBJ and STL files.

use glam::DVec3;
use std::collections::HashMap;
use std::path::Path;

/// Corners, and the corners of each triangle.
pub(super) type Triangles = (Vec<DVec3>, Vec<[u32; 3]>);

/// Bytes before the triangles of a binary STL file, and of each triangle.
const STL_HEAD: usize = 84;
const STL_TRIANGLE: usize = 50;

/// Reads a file by its ending; what is wrong is told in words.
pub(super) fn read(path: &Path) -> Result<Triangles, String> {
    let ending = path.extension().and_then(|it| it.to_str()).map(str::to_ascii_lowercase);
    let bytes = || std::fs::read(path).map_err(|error| error.to_string());
    let (corners, triangles) = match ending.as_deref() {
        Some("obj") => obj(&String::from_utf8_lossy(&bytes()?))?,
        Some("stl") => stl(&bytes()?)?,
        _ => return Err("only .obj and .stl files are read".into()),
    };
    if triangles.is_empty() {
        return Err("has no triangles".into());
    }
    Ok((corners, triangles))
}

/// Vertices and faces of an OBJ text; faces of more corners become fans.
fn obj(text: &str) -> Result<Triangles, String> {
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let here = |what: &str| format!("line {}: {what}", number + 1);
        match words.next() {
            Some("v") => {
                let point = numbers(words).ok_or_else(|| here("a vertex needs three numbers"))?;
                corners.push(point);
            }
            Some("f") => {
                let face = words.map(|word| index(word, corners.len())).collect::<Option<Vec<_>>>();
                let face = face.filter(|face| face.len() >= 3);
                let face = face.ok_or_else(|| here("a face needs three vertices that exist"))?;
                triangles.extend(face[1..].windows(2).map(|pair| [face[0], pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    Ok((corners, triangles))
}

/// The vertex of `7/1/3` or `-1`, from 0.
fn index(word: &str, count: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let count = i64::try_from(count).ok()?;
    let index = if number < 0 { count.checked_add(number)? } else { number - 1 };
    (0..count).contains(&index).then_some(u32::try_from(index).ok()?)
}

fn numbers<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<DVec3> {
    let mut next = || words.next()?.parse::<f64>().ok().filter(|number| number.is_finite());
    Some(DVec3::new(next()?, next()?, next()?))
}

fn stl(bytes: &[u8]) -> Result<Triangles, String> {
    let count = bytes.get(STL_HEAD - 4..STL_HEAD).and_then(|it| it.try_into().ok());
    let count = count.map(u32::from_le_bytes).and_then(|it| usize::try_from(it).ok());
    let size = count.and_then(|it| it.checked_mul(STL_TRIANGLE)?.checked_add(STL_HEAD));
    if size == Some(bytes.len()) { binary_stl(bytes) } else { text_stl(bytes) }
}

fn binary_stl(bytes: &[u8]) -> Result<Triangles, String> {
    let mut merged = Merged::default();
    for (number, triangle) in bytes[STL_HEAD..].chunks_exact(STL_TRIANGLE).enumerate() {
        let (floats, _) = triangle[12..48].as_chunks::<4>();
        let floats: Vec<f64> = floats.iter().map(|it| f64::from(f32::from_le_bytes(*it))).collect();
        let points = floats.chunks_exact(3).map(DVec3::from_slice);
        if !floats.iter().all(|it| it.is_finite()) {
            return Err(format!("triangle {number} is not finite"));
        }
        points.for_each(|point| merged.push(point));
    }
    Ok(merged.triangles())
}

fn text_stl(bytes: &[u8]) -> Result<Triangles, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "neither binary nor text STL".to_string())?;
    if !text.trim_start().starts_with("solid") {
        return Err("neither binary nor text STL".into());
    }
    let mut merged = Merged::default();
    for (number, line) in text.lines().enumerate() {
        let Some(rest) = line.trim_start().strip_prefix("vertex") else { continue };
        let point = numbers(rest.split_whitespace());
        let point = point.ok_or_else(|| format!("line {}: needs three numbers", number + 1))?;
        merged.push(point);
    }
    Ok(merged.triangles())
}

/// Corners of triangles in turn, equal ones merged.
#[derive(Default)]
struct Merged {
    known: HashMap<[u64; 3], u32>,
    corners: Vec<DVec3>,
    order: Vec<u32>,
}

impl Merged {
    fn push(&mut self, point: DVec3) {
        let next = self.corners.len() as u32;
        let bits = (point + DVec3::ZERO).to_array().map(f64::to_bits);
        let index = *self.known.entry(bits).or_insert(next);
        if index == next {
            self.corners.push(point);
        }
        self.order.push(index);
    }

    fn triangles(self) -> Triangles {
        let (triangles, _) = self.order.as_chunks::<3>();
        let full = |corners: &&[u32; 3]| {
            corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0]
        };
        (self.corners, triangles.iter().filter(full).copied().collect())
    }
}
