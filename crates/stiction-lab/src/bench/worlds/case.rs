//! One run: a scene generated, run by a stepper, judged, checked.

use super::campaign::SLOW;
use super::check::{self, Breach};
use super::scene::{Generated, generate};
use cpu_time::ThreadTime;
use std::io;
use std::path::Path;
use stiction::Simulation;
use stiction::scene::{Scene, StepperKind};

/// The result of a run.
#[derive(Default)]
pub struct Tried {
    /// Why the scene was refused.
    pub refused: Option<String>,
    /// The laws that the judge of motion found broken, worst value and place in words.
    pub broken: Vec<(&'static str, String)>,
    /// What the independent check found.
    pub breaches: Vec<Breach>,
    /// CPU time of the run without the check (s).
    pub seconds: f64,
    /// Whether it was ended because it took too long.
    pub cut: bool,
}

impl Tried {
    /// Whether the run would end with exit code 0.
    pub fn is_certified(&self) -> bool {
        self.refused.is_none() && self.broken.is_empty() && !self.cut
    }
}

/// Writes the scene of a number and its meshes into a folder.
pub fn write(folder: &Path, name: &str, made: &Generated) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (file, contents) in &made.files {
        std::fs::write(folder.join(file), contents)?;
    }
    std::fs::write(folder.join(name), &made.text)
}

/// Generates a scene, runs it and checks it. Meshes are written below `folder`.
pub fn attempt(folder: &Path, seed: u64, number: u64, stepper: StepperKind) -> Tried {
    let mut tried = Tried::default();
    let made = generate(seed, number);
    let home = folder.join(format!("{number}-{}", stepper.name()));
    if !made.files.is_empty()
        && let Err(error) = write(&home, "scene.toml", &made)
    {
        tried.refused = Some(error.to_string());
        return tried;
    }
    match Scene::parse_in(&made.text, "scene.toml", Some(&home)) {
        Ok(mut scene) => {
            scene.run.stepper = stepper;
            run(&scene, &mut tried);
        }
        Err(error) => tried.refused = Some(error.to_string()),
    }
    tried
}

fn run(scene: &Scene, tried: &mut Tried) {
    let began = ThreadTime::now();
    let mut simulation = Simulation::new(scene);
    let mut frames = vec![simulation.first()];
    while simulation.index() < scene.run.last_frame() {
        frames.push(simulation.advance());
        if let Some(why) = simulation.refusal() {
            tried.refused = Some(why.to_string());
            return;
        }
        tried.seconds = began.elapsed().as_secs_f64();
        if tried.seconds > SLOW {
            tried.cut = true;
            break;
        }
    }
    let laws = simulation.certificate().laws.into_iter().filter(|law| !law.holds);
    tried.broken = laws
        .map(|law| {
            let what = format!(
                "{:.1e} (bound {:.0e}) {} at {:.4} s",
                law.worst, law.bound, law.place, law.time
            );
            (law.name.name(), what)
        })
        .collect();
    tried.breaches = check::check(&scene.world, &frames, scene.run.stepper);
}
