//! The files that are damaged: those of the corpus, and binary ones made of them.

use std::fs::read_dir;
use std::io;
use std::path::{Path, PathBuf};
use stiction::Simulation;
use stiction::recording::{Origin, Recorder};
use stiction_formats::{fclib_bytes, is_friction, parse_friction};

/// Longer files are left out: damage to them seldom meets what matters.
const LONGEST: u64 = 1 << 15;

/// The files in a folder and below with one of these endings, in order.
fn files(folder: &Path, endings: &[&str]) -> io::Result<Vec<PathBuf>> {
    let fault =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for entry in read_dir(folder).map_err(fault)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, endings)?);
        } else if path.extension().is_some_and(|it| endings.iter().any(|known| it == *known)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn read(folder: &Path, endings: &[&str]) -> io::Result<Vec<Vec<u8>>> {
    let small = |path: &PathBuf| path.metadata().is_ok_and(|it| it.len() <= LONGEST);
    files(folder, endings)?.into_iter().filter(small).map(std::fs::read).collect()
}

pub(super) fn scenes(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut all = read(&root.join("scenes"), &["toml"])?;
    all.extend(read(&root.join("crates/stiction/tests/scenes"), &["toml"])?);
    Ok(all)
}

pub(super) fn mjcf(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    read(&root.join("corpus/models"), &["xml"])
}

pub(super) fn urdf(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    read(&root.join("corpus/models"), &["urdf"])
}

pub(super) fn meshes(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    read(&root.join("corpus/models"), &["obj"])
}

pub(super) fn stl(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut all = read(&root.join("corpus/models"), &["stl"])?;
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    all.push(format!("solid s\n{}endsolid s\n", facet.repeat(2)).into_bytes());
    Ok(all)
}

pub(super) fn problems(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    read(&root.join("corpus/problems"), &["json"])
}

pub(super) fn siconos(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    read(&root.join("corpus/problems"), &["dat"])
}

pub(super) fn assemblies(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut all = read(&root.join("corpus/assemblies"), &["json"])?;
    all.push(br#"[{"name": "a", "size": [1, 1, 1], "position": [0, 0, 0.5], "mass": 2}]"#.to_vec());
    Ok(all)
}

pub(super) fn lists(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    read(&root.join("corpus/fuzz"), &["csv"])
}

pub(super) fn groups(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut all = meshes(root)?;
    for bytes in &mut all {
        bytes.splice(0..0, b"o first\n".iter().copied());
    }
    Ok(all)
}

/// The Siconos problems as HDF5.
pub(super) fn fclib(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    let texts = siconos(root)?.into_iter().filter_map(|it| String::from_utf8(it).ok());
    let problems =
        texts.filter(|it| is_friction(it)).filter_map(|it| parse_friction(&it, "seed").ok());
    Ok(problems.filter_map(|it| fclib_bytes(&it, "seed", None).ok()).collect())
}

pub(super) fn npz(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    read(&root.join("corpus/fuzz"), &["npz"])
}

/// A short run of a small scene.
pub(super) fn recordings(_: &Path) -> io::Result<Vec<Vec<u8>>> {
    const SCENE: &str = "[run]\nuntil = 0.1\n[[body]]\nname = \"g\"\nground = true\n\
                         [[body]]\nname = \"b\"\nbox = [1, 1, 1]\nat = [0, 0, 0.5]\n";
    let origin = Origin::built_in("fuzz", SCENE);
    let scene = origin.scene().map_err(io::Error::other)?;
    let path = super::targets::own_file("seed");
    let mut recorder = Recorder::create(&path, &origin, &scene).map_err(io::Error::other)?;
    let mut simulation = Simulation::new(&scene);
    recorder.append(&simulation.first()).map_err(io::Error::other)?;
    for _ in 0..4 {
        recorder.append(&simulation.advance()).map_err(io::Error::other)?;
    }
    drop(recorder);
    let bytes = std::fs::read(&path);
    std::fs::remove_file(&path)?;
    bytes.map(|it| vec![it])
}
