//! Reads meshes from OBJ and STL files.
//!
//! In OBJ files only `v` and `f` are read; polygons are split into triangles that
//! share their first corner. STL files may be text or binary; corners with equal
//! coordinates are merged.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use glam::DVec3;

use crate::{Mesh, ShapeError};

/// Why a file cannot be read as a mesh.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A line is invalid.
    #[error("{file}, line {line}: {reason}")]
    Line {
        /// The file.
        file: String,
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The file does not have the expected format.
    #[error("{file}: {reason}")]
    Format {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The mesh in the file is invalid.
    #[error("{file}: {source}")]
    Shape {
        /// The file.
        file: String,
        /// Why.
        source: ShapeError,
    },
}

/// Most bytes of a file with a mesh: five million triangles of binary STL.
const LARGEST: u64 = 1 << 28;

/// The bytes of a regular file of at most `most` bytes: no device, no pipe, no folder.
///
/// # Errors
///
/// An error that says which of these it is, or why it cannot be read.
pub fn read_file(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let about = std::fs::metadata(path)?;
    let refused = |why: String| Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, why));
    if !about.is_file() {
        return refused("is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return refused(format!("is longer than {most} bytes"));
    }
    Ok(bytes)
}

/// Where the files that another file names are sought.
#[derive(Clone, Copy, Debug)]
pub struct Shelf<'a> {
    /// The folder; without one the working directory.
    pub folder: Option<&'a Path>,
    /// Whether they may be outside of it.
    pub anywhere: bool,
}

/// A file is not below the folder of the file that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not below the folder")]
pub struct Outside;

impl Shelf<'_> {
    /// The path of a file, below the folder unless it may be anywhere.
    ///
    /// # Errors
    ///
    /// [`Outside`] for absolute paths, for paths with `..` and for symbolic links that lead out.
    pub fn find(self, name: &str) -> Result<PathBuf, Outside> {
        let name = Path::new(name);
        let path = self.folder.map_or_else(|| name.to_owned(), |folder| folder.join(name));
        if self.anywhere {
            return Ok(path);
        }
        let below =
            name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !below {
            return Err(Outside);
        }
        // Symbolic links may lead out of the folder; a file that is missing is reported later.
        let folder = self.folder.filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match (folder.canonicalize(), path.canonicalize()) {
            (Ok(folder), Ok(real)) if !real.starts_with(&folder) => Err(Outside),
            _ => Ok(path),
        }
    }
}

/// Corners and triangles.
type Triangles = (Vec<DVec3>, Vec<[u32; 3]>);

impl Mesh {
    /// Reads a file whose name ends in `.obj` or `.stl`.
    ///
    /// # Errors
    ///
    /// [`FileError`] names the file, and the line if it is known.
    pub fn load(path: &Path) -> Result<Mesh, FileError> {
        let file = path.display().to_string();
        let bytes = read_file(path, LARGEST)
            .map_err(|source| FileError::Read { file: file.clone(), source })?;
        let ending = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        match ending.as_ref().and_then(|e| e.to_str()) {
            Some("obj") => Mesh::from_obj(&file, &bytes),
            Some("stl") => Mesh::from_stl(&file, &bytes),
            _ => {
                let reason = "the file name must end in .obj or .stl".to_owned();
                Err(FileError::Format { file, reason })
            }
        }
    }

    /// Parses the content of an OBJ file; errors use the name `file`.
    ///
    /// # Errors
    ///
    /// [`FileError`] names the invalid line.
    pub fn from_obj(file: &str, bytes: &[u8]) -> Result<Mesh, FileError> {
        finish(file, obj(file, &String::from_utf8_lossy(bytes))?)
    }

    /// Parses the content of an STL file, binary or text; errors use the name `file`.
    ///
    /// # Errors
    ///
    /// [`FileError`] names the invalid line.
    pub fn from_stl(file: &str, bytes: &[u8]) -> Result<Mesh, FileError> {
        let corners = if is_binary(bytes) {
            binary_stl(bytes)
        } else if bytes.trim_ascii_start().starts_with(b"solid") {
            text_stl(file, &String::from_utf8_lossy(bytes))?
        } else {
            let reason = "neither text STL nor binary STL of the right length".to_owned();
            return Err(FileError::Format { file: file.to_owned(), reason });
        };
        finish(file, weld(&corners))
    }
}

fn finish(file: &str, (vertices, triangles): Triangles) -> Result<Mesh, FileError> {
    Mesh::new(vertices, triangles)
        .map_err(|source| FileError::Shape { file: file.to_owned(), source })
}

fn wrong(file: &str, index: usize, reason: impl Into<String>) -> FileError {
    FileError::Line { file: file.to_owned(), line: index + 1, reason: reason.into() }
}

fn obj(file: &str, text: &str) -> Result<Triangles, FileError> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => vertices.push(
                coordinates(words).ok_or_else(|| wrong(file, index, "v needs three numbers"))?,
            ),
            Some("f") => {
                let corners: Option<Vec<u32>> = words
                    .take_while(|w| !w.starts_with('#'))
                    .map(|w| corner(w, vertices.len()))
                    .collect();
                let corners = corners.ok_or_else(|| {
                    wrong(file, index, "f refers to a vertex that does not exist")
                })?;
                if corners.len() < 3 {
                    return Err(wrong(file, index, "f needs three vertices"));
                }
                triangles
                    .extend(corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    Ok((vertices, triangles))
}

/// Three finite numbers; any further words are ignored.
fn coordinates<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<DVec3> {
    let mut next = || words.next()?.parse::<f64>().ok().filter(|x| x.is_finite());
    Some(DVec3::new(next()?, next()?, next()?))
}

/// The vertex index, from 0, of a word such as `7`, `7/1/3` or `-1` (the last vertex).
fn corner(word: &str, count: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let distance = usize::try_from(number.unsigned_abs()).ok()?;
    let index = if number < 0 { count.checked_sub(distance)? } else { distance.checked_sub(1)? };
    if index < count { u32::try_from(index).ok() } else { None }
}

/// Bytes of the header of binary STL, including the triangle count, and of one triangle.
const HEADER: usize = 84;
const RECORD: usize = 50;

fn is_binary(bytes: &[u8]) -> bool {
    let count = |b: &[u8; 4]| u64::from(u32::from_le_bytes(*b));
    bytes
        .get(80..HEADER)
        .and_then(<[u8]>::first_chunk)
        .is_some_and(|b| bytes.len() as u64 == HEADER as u64 + RECORD as u64 * count(b))
}

/// The corners of all triangles, three per triangle.
fn binary_stl(bytes: &[u8]) -> Vec<DVec3> {
    let mut corners = Vec::new();
    for record in bytes[HEADER..].chunks_exact(RECORD) {
        for corner in record[12..48].chunks_exact(12) {
            let mut numbers = corner
                .chunks_exact(4)
                .map(|b| f64::from(b.first_chunk().map_or(f32::NAN, |b| f32::from_le_bytes(*b))));
            let mut next = || numbers.next().unwrap_or(f64::NAN);
            corners.push(DVec3::new(next(), next(), next()));
        }
    }
    corners
}

fn text_stl(file: &str, text: &str) -> Result<Vec<DVec3>, FileError> {
    let mut corners = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("vertex") => corners.push(
                coordinates(words)
                    .ok_or_else(|| wrong(file, index, "vertex needs three numbers"))?,
            ),
            Some("endloop") if corners.len() % 3 != 0 => {
                return Err(wrong(file, index, "a facet must have three vertices"));
            }
            _ => {}
        }
    }
    if corners.len() % 3 != 0 {
        return Err(wrong(file, text.lines().count(), "the last facet is incomplete"));
    }
    Ok(corners)
}

/// Merges corners with the same coordinates.
pub(crate) fn weld(corners: &[DVec3]) -> Triangles {
    let mut known = BTreeMap::new();
    let mut vertices = Vec::new();
    let mut number = |p: &DVec3| {
        // Adding zero turns −0 into 0.
        let bits = (*p + 0.0).to_array().map(f64::to_bits);
        *known.entry(bits).or_insert_with(|| {
            vertices.push(*p);
            vertices.len() as u32 - 1
        })
    };
    let triangles =
        corners.chunks_exact(3).map(|t| [number(&t[0]), number(&t[1]), number(&t[2])]).collect();
    (vertices, triangles)
}
