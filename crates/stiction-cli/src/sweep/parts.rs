//! Results on disk, a file for every case, until all are there.
//!
//! The folder is the table's name with `.parts` behind. `cases.json` lists the files of all cases in their order;
//! each is named after its number and its parameters, so that results of other parameters do not count. Python's
//! sweeps write the same.

use super::case::ERROR;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The value of `format`.
const FORMAT: &str = "sweep-1";

/// Names and values in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row(Vec<(String, Value)>);

impl Row {
    pub fn push(&mut self, name: &str, value: Value) {
        self.0.push((name.to_owned(), value));
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Row;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
                let mut row = Row::default();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    row.push(&name, value);
                }
                Ok(row)
            }
        }
        from.deserialize_map(Entries)
    }
}

/// What `cases.json` says.
#[derive(Serialize, Deserialize)]
struct Manifest {
    format: String,
    cases: Vec<String>,
}

/// The folder and the files of all cases.
pub struct Parts {
    folder: PathBuf,
    files: Vec<String>,
    fault: Option<String>,
}

impl Parts {
    /// The folder of a sweep that begins or continues.
    pub fn begin<'a>(out: &Path, cases: impl Iterator<Item = &'a Row>) -> Result<Self, String> {
        let name = |(k, row): (usize, &Row)| {
            let text = serde_json::to_string(row).unwrap_or_default();
            format!("{k:08}-{:016x}.json", fnv(text.as_bytes()))
        };
        let (folder, files) = (folder(out), cases.enumerate().map(name).collect());
        std::fs::create_dir_all(&folder).map_err(|error| at(&folder, &error))?;
        let manifest = Manifest { format: FORMAT.into(), cases: files };
        let text = serde_json::to_string(&manifest).unwrap_or_default();
        replace(&folder.join("cases.json"), text.as_bytes())?;
        Ok(Parts { folder, files: manifest.cases, fault: None })
    }

    /// The folder of a sweep that was run.
    pub fn of(out: &Path) -> Self {
        let folder = folder(out);
        let path = folder.join("cases.json");
        let read = std::fs::read_to_string(&path).map_err(|error| at(&path, &error));
        let manifest = read.and_then(|text| {
            serde_json::from_str::<Manifest>(&text).map_err(|error| at(&path, &error))
        });
        match manifest {
            Ok(manifest) if manifest.format == FORMAT => {
                Parts { folder, files: manifest.cases, fault: None }
            }
            Ok(manifest) => {
                let fault =
                    format!("{}: format is {:?}, not {FORMAT:?}", path.display(), manifest.format);
                Parts { folder, files: Vec::new(), fault: Some(fault) }
            }
            Err(fault) => Parts { folder, files: Vec::new(), fault: Some(fault) },
        }
    }

    /// Whether a case has a result; one that failed is run again.
    pub fn is_done(&self, case: usize) -> bool {
        self.read(case).is_ok_and(|row| row.get(ERROR).is_none())
    }

    fn read(&self, case: usize) -> Result<Row, String> {
        let path = self.folder.join(&self.files[case]);
        let text = std::fs::read_to_string(&path).map_err(|error| at(&path, &error))?;
        serde_json::from_str(&text).map_err(|error| at(&path, &error))
    }

    pub fn keep(&self, case: usize, row: &Row) -> Result<(), String> {
        let text = serde_json::to_string(row).unwrap_or_default();
        replace(&self.folder.join(&self.files[case]), text.as_bytes())
    }

    /// All rows, in the order of the cases.
    pub fn rows(&self) -> Result<Vec<Row>, String> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let rows: Vec<_> = (0..self.files.len()).map(|k| self.read(k)).collect();
        let missing = rows.iter().filter(|row| row.is_err()).count();
        rows.into_iter().collect::<Result<_, _>>().map_err(|first| {
            format!(
                "{}: {missing} of {} cases are missing; the first: {first}",
                self.folder.display(),
                self.files.len()
            )
        })
    }

    pub fn remove(&self) -> Result<(), String> {
        std::fs::remove_dir_all(&self.folder).map_err(|error| at(&self.folder, &error))
    }
}

fn folder(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".parts");
    out.with_file_name(name)
}

fn at(path: &Path, error: &dyn fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

/// Writes a file whole or not at all.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), String> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{number}.new", std::process::id()));
    let unfinished = path.with_file_name(name);
    let written =
        std::fs::write(&unfinished, bytes).and_then(|()| std::fs::rename(&unfinished, path));
    written.map_err(|error| at(path, &error))
}

/// FNV-1a of some bytes: differs where parameters differ.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
