//! Builds the page with npm and puts it, the scenes of the picker and their pictures into tables
//! that `src/embedded.rs` includes.
//!
//! Nothing is written into the source tree: the page is built from a copy under `OUT_DIR`. Without
//! npm, or where its build fails, the tables say so and everything else works.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What the page is built from, under `web`.
const SOURCES: [&str; 7] = [
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    "vite.config.ts",
    "tsconfig.json",
];

/// Lines of npm's output that are worth a warning.
const TOLD: usize = 12;

type Tried<T> = Result<T, String>;

fn main() -> Tried<()> {
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
            // A path that never exists: the next build tries again.
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

/// Builds the page in a copy; gives the folder it was built into.
fn page(web: &Path, copy: &Path) -> Tried<PathBuf> {
    let there: Vec<_> =
        SOURCES.into_iter().filter(|name| watched(&web.join(name)).exists()).collect();
    if !there.contains(&"package.json") {
        return Err("its page is not among the sources".into());
    }
    if npm(Path::new("."), &["--version"]).is_err() {
        let why = "npm was not found when it was built; install Node ≥ 20 and build again";
        return Err(why.into());
    }
    for name in SOURCES {
        let stale = copy.join(name);
        let gone =
            if stale.is_dir() { fs::remove_dir_all(&stale) } else { fs::remove_file(&stale) };
        gone.or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(at(&stale, &error)),
        })?;
    }
    for name in there {
        copy_all(&web.join(name), &copy.join(name))?;
    }
    install(copy)?;
    npm(copy, &["run", "build"])?;
    Ok(copy.join("dist"))
}

/// Fetches what the page depends on, where the lock file is not the one it was fetched for.
fn install(copy: &Path) -> Tried<()> {
    let lock = fs::read(copy.join("package-lock.json")).unwrap_or_default();
    let stamp = copy.join("node_modules/.fetched-for");
    if fs::read(&stamp).is_ok_and(|fetched| fetched == lock) {
        return Ok(());
    }
    npm(copy, &["ci", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    fs::write(&stamp, lock).map_err(|error| at(&stamp, &error))
}

/// Runs npm in a folder; what it said where it fails.
fn npm(folder: &Path, arguments: &[&str]) -> Tried<()> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let ran = Command::new(program).args(arguments).current_dir(folder).output();
    let output = ran.map_err(|error| format!("npm: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let words = [output.stdout, output.stderr].concat();
    let words = String::from_utf8_lossy(&words);
    for line in words.lines().filter(|line| !line.starts_with("npm warn")).take(TOLD) {
        println!("cargo:warning={line}");
    }
    Err(format!("npm {} failed when it was built (Node ≥ 20 is needed)", arguments.join(" ")))
}

fn copy_all(from: &Path, to: &Path) -> Tried<()> {
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

/// Every file below a folder that ends so, with its name from there; none where there is no folder.
fn files(folder: &Path, ending: &str) -> Tried<Vec<(String, PathBuf)>> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop().filter(|_| folder.exists()) {
        for entry in entries(&next)? {
            if entry.is_dir() {
                open.push(entry);
            } else if ending.is_empty() || entry.extension().is_some_and(|end| end == ending) {
                let name = entry.strip_prefix(folder).map_err(|error| error.to_string())?;
                found.push((name.to_string_lossy().replace('\\', "/"), entry));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn entries(folder: &Path) -> Tried<Vec<PathBuf>> {
    let read = fs::read_dir(folder).map_err(|error| at(folder, &error))?;
    read.map(|entry| entry.map(|it| it.path()).map_err(|error| at(folder, &error))).collect()
}

/// A table of files by name, with their bytes.
fn table(to: &mut String, name: &str, files: &[(String, PathBuf)]) -> Tried<()> {
    let mut write = || -> std::fmt::Result {
        writeln!(to, "/// Files by name.\npub static {name}: &[(&str, &[u8])] = &[")?;
        for (name, path) in files {
            writeln!(to, "    ({name:?}, include_bytes!({:?})),", path.display().to_string())?;
        }
        writeln!(to, "];")
    };
    write().map_err(|error| error.to_string())
}

fn write_if_new(path: &Path, text: &str) -> Tried<()> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    fs::write(path, text).map_err(|error| at(path, &error))
}

fn at(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
