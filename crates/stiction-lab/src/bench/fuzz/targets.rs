//! Who reads what, and what is done with what was read.

use super::seeds;
use std::io;
use std::path::{Path, PathBuf};
use stiction::Simulation;
use stiction::recording::Recording;
use stiction::scene::Scene;
use stiction_contact::judge;
use stiction_formats::{is_friction, parse_contactbench, parse_fclib, parse_friction, parse_lcp};
use stiction_geometry::{Mesh, convex_parts};
use stiction_solvers::file::ProblemFile;
use stiction_solvers::{Auto, ContactSolver, Forces, NoObserver, Work};
use stiction_statics::read::{Options, parse};

/// A reader.
pub(super) struct Target {
    pub name: &'static str,
    /// Of files with its inputs.
    pub ending: &'static str,
    pub seeds: fn(&Path) -> io::Result<Vec<Vec<u8>>>,
    /// Whether the input was read.
    pub read: fn(&[u8]) -> bool,
}

/// All of them.
pub(super) const TARGETS: [Target; 18] = [
    Target { name: "scene", ending: "toml", seeds: seeds::scenes, read: scene },
    Target { name: "run", ending: "toml", seeds: seeds::scenes, read: run },
    Target { name: "mjcf", ending: "xml", seeds: seeds::mjcf, read: scene },
    Target { name: "run-mjcf", ending: "xml", seeds: seeds::mjcf, read: run },
    Target { name: "urdf", ending: "urdf", seeds: seeds::urdf, read: scene },
    Target { name: "contact-1", ending: "json", seeds: seeds::problems, read: problem },
    Target { name: "judge", ending: "json", seeds: seeds::problems, read: judged },
    Target { name: "solve", ending: "json", seeds: seeds::problems, read: solved },
    Target { name: "siconos", ending: "dat", seeds: seeds::siconos, read: siconos },
    Target { name: "solve-bare", ending: "dat", seeds: seeds::siconos, read: solved_bare },
    Target { name: "fclib", ending: "hdf5", seeds: seeds::fclib, read: fclib },
    Target { name: "npz", ending: "npz", seeds: seeds::npz, read: npz },
    Target { name: "assembly", ending: "json", seeds: seeds::assemblies, read: assembly },
    Target { name: "boxes", ending: "csv", seeds: seeds::lists, read: boxes },
    Target { name: "groups", ending: "obj", seeds: seeds::groups, read: groups },
    Target { name: "obj", ending: "obj", seeds: seeds::meshes, read: obj },
    Target { name: "stl", ending: "stl", seeds: seeds::stl, read: stl },
    Target { name: "recording", ending: "stiction", seeds: seeds::recordings, read: recording },
];

/// Bodies of a scene that is run, at most, and frames.
const MOST_BODIES: usize = 12;
const FRAMES: u64 = 3;

/// Budget of a solver (units of work): a tenth of a second or so.
const BUDGET: f64 = 1e8;

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// A scene whose files are sought where none are.
fn read_scene(bytes: &[u8]) -> Option<Scene> {
    Scene::parse_in(&text(bytes), "fuzz", Some(Path::new("corpus/models"))).ok()
}

fn scene(bytes: &[u8]) -> bool {
    read_scene(bytes).is_some_and(|scene| scene.world.validate().is_ok())
}

fn run(bytes: &[u8]) -> bool {
    let Some(scene) = read_scene(bytes) else { return false };
    if scene.world.free_bodies().count() <= MOST_BODIES {
        let mut simulation = Simulation::new(&scene);
        simulation.first();
        for _ in 0..FRAMES.min(scene.run.last_frame()) {
            simulation.advance();
        }
        let _ = simulation.certificate();
    }
    true
}

fn problem(bytes: &[u8]) -> bool {
    ProblemFile::parse(&text(bytes), "fuzz").is_ok_and(|file| file.problem(0).is_ok())
}

fn judged(bytes: &[u8]) -> bool {
    let file = ProblemFile::parse(&text(bytes), "fuzz");
    let Ok(problem) = file.and_then(|file| file.problem(0)) else { return false };
    let mut forces = Forces::zeros(&problem);
    let _ = judge::judge(&problem, &forces);
    for (force, normal) in
        forces.contacts.iter_mut().zip([1e40, 1e20, 1.0, 1e-20, -1e40].iter().cycle())
    {
        force.normal = *normal;
    }
    let _ = judge::judge(&problem, &forces);
    true
}

fn solved(bytes: &[u8]) -> bool {
    let file = ProblemFile::parse(&text(bytes), "fuzz");
    let Ok(problem) = file.and_then(|file| file.problem(0)) else { return false };
    let _ = Auto::default().solve_within(&problem, None, &mut Work::new(BUDGET), &mut NoObserver);
    true
}

fn siconos(bytes: &[u8]) -> bool {
    let text = text(bytes);
    if is_friction(&text) {
        parse_friction(&text, "fuzz").is_ok()
    } else {
        parse_lcp(&text, "fuzz").is_ok()
    }
}

fn solved_bare(bytes: &[u8]) -> bool {
    let Ok(problem) = parse_friction(&text(bytes), "fuzz") else { return false };
    let _ = Auto::default().solve_matrix(&problem, &mut Work::new(BUDGET));
    true
}

fn fclib(bytes: &[u8]) -> bool {
    parse_fclib(bytes.to_vec(), "fuzz").is_ok()
}

fn npz(bytes: &[u8]) -> bool {
    parse_contactbench(bytes, "fuzz").is_ok()
}

/// What files of blocks lack.
fn options() -> Options {
    let fixed = vec!["first".to_owned()];
    Options { fixed, density: Some(2000.0), friction: Some(0.5), ..Options::default() }
}

fn assembly(bytes: &[u8]) -> bool {
    parse(&text(bytes), "fuzz.json", &Options::default()).is_ok()
}

fn boxes(bytes: &[u8]) -> bool {
    parse(&text(bytes), "fuzz.csv", &Options { fixed: Vec::new(), ..options() }).is_ok()
}

fn groups(bytes: &[u8]) -> bool {
    parse(&text(bytes), "fuzz.obj", &options()).is_ok()
}

fn cut(mesh: Option<Mesh>) -> bool {
    mesh.is_some_and(|mesh| {
        let _ = convex_parts(&mesh);
        true
    })
}

fn obj(bytes: &[u8]) -> bool {
    cut(Mesh::from_obj("fuzz", bytes).ok())
}

fn stl(bytes: &[u8]) -> bool {
    cut(Mesh::from_stl("fuzz", bytes).ok())
}

/// A file that no other thread uses.
pub(super) fn own_file(name: &str) -> PathBuf {
    let thread = format!("{:?}", std::thread::current().id());
    let letters: String = thread.chars().filter(char::is_ascii_digit).collect();
    std::env::temp_dir().join(format!("stiction-fuzz-{}-{letters}-{name}", std::process::id()))
}

fn recording(bytes: &[u8]) -> bool {
    let path = own_file("recording");
    if std::fs::write(&path, bytes).is_err() {
        return false;
    }
    let read = Recording::open(&path).is_ok_and(|recording| {
        let _ = (recording.scene(), recording.faults(), recording.fault());
        recording.frames().filter_map(Result::ok).count() > 0
    });
    let _ = std::fs::remove_file(&path);
    read
}
