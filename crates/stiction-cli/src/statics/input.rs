//! The model of a command of statics, and how to read it.

use glam::DVec3;
use std::ffi::OsStr;
use std::path::PathBuf;
use stiction::scene::Scene;
use stiction_statics::read::{self, Options};
use stiction_statics::{Assembly, Load};

/// A model and how to read it.
#[derive(clap::Args)]
pub(crate) struct Model {
    /// An assembly, a COMPAS file, OBJ groups, a list of boxes (CSV, JSON) or a scene (TOML, MJCF, URDF)
    #[arg(value_name = "MODEL")]
    pub file: PathBuf,
    /// Largest gap between faces that touch, in metres; detects the interfaces again
    #[arg(long, value_name = "METRES")]
    pub tolerance: Option<f64>,
    /// Coefficient of friction of all pairs
    #[arg(long, value_name = "COEFFICIENT")]
    mu: Option<f64>,
    /// Density of blocks for which the file gives none (kg/m³)
    #[arg(long)]
    density: Option<f64>,
    /// Unit of length of the file: m, dm, cm, mm, in, ft
    #[arg(long, value_parser = read::length)]
    unit: Option<f64>,
    /// Name of a block that is a support; repeatable
    #[arg(long, value_name = "BLOCK")]
    fix: Vec<String>,
    /// A live load instead of that of the file: a force at the centre of a block (N), as BLOCK=x,y,z; repeatable
    #[arg(long, value_name = "BLOCK=X,Y,Z", value_parser = push, allow_hyphen_values = true)]
    push: Vec<(String, DVec3)>,
    /// Gravity (m/s²), as x,y,z
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    gravity: Option<DVec3>,
}

impl Model {
    /// Reads the model; `gap` counts if no tolerance is given.
    pub fn read(&self, gap: Option<f64>) -> Result<Assembly, String> {
        let options = Options {
            gap: self.tolerance.or(gap),
            friction: self.mu,
            density: self.density,
            unit: self.unit,
            fixed: self.fix.clone(),
            gravity: self.gravity,
            ..Options::default()
        };
        let is_scene =
            |ending: &OsStr| ["toml", "xml", "mjcf", "urdf"].iter().any(|it| ending == *it);
        if self.file.extension().is_some_and(is_scene) {
            let scene = Scene::read(&self.file).map_err(|error| error.to_string())?;
            crate::input::say_ignored(&scene);
            let name = self.file.display().to_string();
            let mut assembly =
                read::of_scene(&scene, &name, &options).map_err(|error| error.to_string())?;
            self.push(&mut assembly)?;
            return Ok(assembly);
        }
        let mut assembly = read::open(&self.file, &options).map_err(|error| error.to_string())?;
        self.push(&mut assembly)?;
        if assembly.knobs.is_empty() {
            return Ok(assembly);
        }
        let (file, count) = (self.file.display(), assembly.knobs.len());
        Err(format!("{file}: knobs: there are {count}, and joints that pull are not solved yet"))
    }

    /// The live load that the command gives instead of that of the file.
    fn push(&self, assembly: &mut Assembly) -> Result<(), String> {
        let load = |(name, force): &(String, DVec3)| {
            let block =
                assembly.blocks.iter().position(|block| block.name == *name && !block.fixed);
            let block = block.ok_or_else(|| {
                format!("--push: {} has no free block \"{name}\"", self.file.display())
            })?;
            Ok(Load { block, force: *force, torque: DVec3::ZERO })
        };
        let loads = self.push.iter().map(load).collect::<Result<Vec<_>, String>>()?;
        if !loads.is_empty() {
            assembly.load = loads;
        }
        Ok(())
    }

    /// The unit of length of the file (m).
    pub fn unit(&self) -> f64 {
        self.unit.unwrap_or(1.0)
    }
}

fn push(text: &str) -> Result<(String, DVec3), String> {
    let (name, force) = text.split_once('=').ok_or("needs a block and a force, as BLOCK=x,y,z")?;
    Ok((name.to_owned(), vector(force)?))
}

fn vector(text: &str) -> Result<DVec3, String> {
    let parts: Vec<Option<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok().filter(|x: &f64| x.is_finite()))
        .collect();
    match parts[..] {
        [Some(x), Some(y), Some(z)] => Ok(DVec3::new(x, y, z)),
        _ => Err("needs three numbers with commas between them".into()),
    }
}
