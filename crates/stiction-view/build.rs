//! Builds the page with npm and embeds it, the scenes of the picker and their thumbnails in tables
//! that `src/embedded.rs` includes.
//!
//! The source tree stays unchanged: the page is built from a copy under `OUT_DIR`. If npm is
//! missing or its build fails, the tables contain the reason and the rest of the crate still works.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// Files and folders under `web` that the page is built from.
const SOURCES: [&str; 7] = [
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    "vite.config.ts",
    "tsconfig.json",
];

/// Lines of npm's output shown as warnings when it fails.
const MAX_WARNINGS: usize = 12;

type BuildResult<T> = Result<T, String>;

fn main() -> BuildResult<()> {
    let out = PathBuf::from(env::var("OUT_DIR").map_err(|error| error.to_string())?);
    let home = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(|error| error.to_string())?);
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=PATH");
    let mut tables = String::new();
    match page(&home.join("web"), &out.join("web")) {
        Ok(dist) => {
            table(&mut tables, "PAGE", &files(&dist, "")?)?;
            tables.push_str("/// Why there is no page.\npub const MISSING: Option<&str> = None;\n");
        }
        Err(why) => {
            println!("cargo:warning=this build has no viewer: {why}");
            // Cargo reruns this script on the next build because this path never exists.
            println!("cargo:rerun-if-changed={}", out.join("try-again").display());
            table(&mut tables, "PAGE", &[])?;
            let why = why.lines().next().unwrap_or_default().to_owned();
            let line = format!(
                "/// Why there is no page.\npub const MISSING: Option<&str> = Some({why:?});\n"
            );
            tables.push_str(&line);
        }
    }
    let scenes = scenes(&home);
    table(&mut tables, "SCENES", &files(&watched(&scenes), "toml")?)?;
    let thumbnails = watched(&home.join("thumbnails"));
    table(&mut tables, "THUMBNAILS", &files(&thumbnails, "png")?)?;
    write_if_new(&out.join("tables.rs"), &tables)
}

/// The folder of scenes: the repository's, or in a published package the copy that was packed.
fn scenes(home: &Path) -> PathBuf {
    let shared = home.join("../../scenes");
    if shared.is_dir() { shared } else { home.join("scenes") }
}

/// Has cargo watch a path, if it is there: one that is not would count as changed every time.
fn watched(path: &Path) -> PathBuf {
    if path.exists() {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    path.to_owned()
}

/// Builds the page in a copy of its sources and returns the output folder.
fn page(web: &Path, copy: &Path) -> BuildResult<PathBuf> {
    let sources: Vec<_> =
        SOURCES.into_iter().filter(|name| watched(&web.join(name)).exists()).collect();
    if !sources.contains(&"package.json") {
        return Err("the sources of the page are missing".into());
    }
    if npm(Path::new("."), &["--version"]).is_err() {
        let why = "npm was not found at build time; install Node ≥ 20 and rebuild";
        return Err(why.into());
    }
    for name in SOURCES {
        let stale = copy.join(name);
        let removed =
            if stale.is_dir() { fs::remove_dir_all(&stale) } else { fs::remove_file(&stale) };
        removed.or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(at(&stale, &error)),
        })?;
    }
    for name in sources {
        copy_all(&web.join(name), &copy.join(name))?;
    }
    install(copy)?;
    npm(copy, &["run", "build"])?;
    Ok(copy.join("dist"))
}

/// Installs the dependencies of the page unless they were installed for this lock file before.
fn install(copy: &Path) -> BuildResult<()> {
    let lock = fs::read(copy.join("package-lock.json")).unwrap_or_default();
    let stamp = copy.join("node_modules/.fetched-for");
    if fs::read(&stamp).is_ok_and(|fetched| fetched == lock) {
        return Ok(());
    }
    npm(copy, &["ci", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    fs::write(&stamp, lock).map_err(|error| at(&stamp, &error))
}

/// Runs npm in a folder. On failure prints the first lines of its output as warnings.
fn npm(folder: &Path, arguments: &[&str]) -> BuildResult<()> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let result = Command::new(program).args(arguments).current_dir(folder).output();
    let output = result.map_err(|error| format!("npm: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let log = [output.stdout, output.stderr].concat();
    let log = String::from_utf8_lossy(&log);
    for line in log.lines().filter(|line| !line.starts_with("npm warn")).take(MAX_WARNINGS) {
        println!("cargo:warning={line}");
    }
    Err(format!("npm {} failed at build time (Node ≥ 20 is required)", arguments.join(" ")))
}

fn copy_all(from: &Path, to: &Path) -> BuildResult<()> {
    if from.is_dir() {
        fs::create_dir_all(to).map_err(|error| at(to, &error))?;
        for entry in entries(from)? {
            copy_all(&entry, &to.join(entry.file_name().unwrap_or_default()))?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
    }
    fs::copy(from, to).map(|_| ()).map_err(|error| at(from, &error))
}

/// All files below a folder with the given extension (any if empty), each with its path relative
/// to the folder. A missing folder has no files.
fn files(folder: &Path, extension: &str) -> BuildResult<Vec<(String, PathBuf)>> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop().filter(|_| folder.exists()) {
        for entry in entries(&next)? {
            if entry.is_dir() {
                open.push(entry);
            } else if extension.is_empty() || entry.extension().is_some_and(|end| end == extension)
            {
                let name = entry.strip_prefix(folder).map_err(|error| error.to_string())?;
                found.push((name.to_string_lossy().replace('\\', "/"), entry));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn entries(folder: &Path) -> BuildResult<Vec<PathBuf>> {
    let read = fs::read_dir(folder).map_err(|error| at(folder, &error))?;
    read.map(|entry| entry.map(|it| it.path()).map_err(|error| at(folder, &error))).collect()
}

/// Writes a table of files: name and bytes.
fn table(to: &mut String, name: &str, files: &[(String, PathBuf)]) -> BuildResult<()> {
    let mut write = || -> std::fmt::Result {
        writeln!(to, "/// Files by name.\npub static {name}: &[(&str, &[u8])] = &[")?;
        for (name, path) in files {
            writeln!(to, "    ({name:?}, include_bytes!({:?})),", path.display().to_string())?;
        }
        writeln!(to, "];")
    };
    write().map_err(|error| error.to_string())
}

fn write_if_new(path: &Path, text: &str) -> BuildResult<()> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    fs::write(path, text).map_err(|error| at(path, &error))
}

fn at(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
