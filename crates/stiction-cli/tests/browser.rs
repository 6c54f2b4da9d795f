//! The viewer end to end: this program and its page in headless Chromium; and the types, linter,
//! format and unit tests of the page.
//!
//! The checks in the browser are `crates/stiction-view/web/test/browser.mjs`. They run in a copy of the page's
//! folder under the target directory, where npm puts what they need.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../stiction-view/web");
const SCENES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
/// Names of the Chromium executable.
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

#[test]
fn the_page_does_what_it_should_in_a_browser() {
    let chromium = match npm().and_then(|()| chromium()) {
        Ok(chromium) => chromium,
        Err(why) => {
            println!("skipped: {why}");
            return;
        }
    };
    let status = Command::new("node")
        .args(["test/browser.mjs", env!("CARGO_BIN_EXE_stiction")])
        .env("CHROMIUM", chromium)
        .env("STICTION_SCENES", SCENES)
        .current_dir(web())
        .status()
        .unwrap();
    assert!(status.success(), "the checks above failed");
}

#[test]
fn the_page_passes_its_types_linter_format_and_unit_tests() {
    if let Err(why) = npm() {
        println!("skipped: {why}");
        return;
    }
    let status = Command::new("npm").args(["test"]).current_dir(web()).status().unwrap();
    assert!(status.success(), "the checks above failed");
}

/// The copy of the page's folder, with what npm puts into it.
fn web() -> &'static Path {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    COPY.get_or_init(|| {
        let web = Path::new(env!("CARGO_TARGET_TMPDIR")).join("web");
        for stale in ["src", "test"] {
            // They are not there the first time.
            let _ = fs::remove_dir_all(web.join(stale));
        }
        copy(Path::new(WEB), &web);
        install(&web);
        web
    })
}

/// An error if npm cannot be run.
fn npm() -> Result<(), String> {
    ["node", "npm"]
        .iter()
        .try_for_each(|name| find(name).map(|_| ()).ok_or_else(|| format!("{name} was not found")))
}

/// Where Chromium is, or what is missing.
fn chromium() -> Result<PathBuf, String> {
    if let Some(why) = stiction_view::missing() {
        return Err(why);
    }
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from).filter(|path| path.exists());
    let chromium = named.or_else(|| CHROMIUM.into_iter().find_map(find));
    chromium.ok_or_else(|| "Chromium was not found (on Debian: apt install chromium)".into())
}

/// A program by its name.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The folder of the page, without what npm or a build left there.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (name, path) = (entry.file_name(), entry.path());
        if ["node_modules", "dist", "shots"].iter().any(|skipped| name == *skipped) {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// Installs what the checks need with npm, unless it is there.
fn install(web: &Path) {
    let lock = fs::read(web.join("package-lock.json")).unwrap();
    let stamp = web.join("node_modules/.fetched-for");
    if fs::read(&stamp).is_ok_and(|fetched| fetched == lock) {
        return;
    }
    let status = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(web)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "npm ci failed");
    fs::write(stamp, lock).unwrap();
}
