//! `<compiler>`: how numbers of a file are meant.

use crate::error::ModelError;
use crate::value::{Attr, Item};
use crate::xml::Element;
use glam::{DMat3, DQuat, DVec3};
use std::path::Path;

/// A degree (rad).
const DEGREE: f64 = std::f64::consts::PI / 180.0;

/// Settings of the file.
pub(crate) struct Compiler {
    /// Radians in a unit of angle.
    unit: f64,
    euler: [Turn; 3],
    pub auto_limits: bool,
    /// Whether masses come from geoms: always, never, or where none are given.
    pub inertia_from_geoms: Option<bool>,
    mesh_folder: String,
    strip_path: bool,
    pub inertia_groups: [i64; 2],
    pub least_mass: f64,
    pub least_inertia: f64,
    pub total_mass: Option<f64>,
    pub balance: bool,
}

/// About an axis of the frame as turned so far, or of the frame as it was.
#[derive(Clone, Copy)]
struct Turn {
    axis: DVec3,
    with_frame: bool,
}

impl Compiler {
    /// As files begin.
    fn usual() -> Self {
        let turn = |axis| Turn { axis, with_frame: true };
        Compiler {
            unit: DEGREE,
            euler: [turn(DVec3::X), turn(DVec3::Y), turn(DVec3::Z)],
            auto_limits: true,
            inertia_from_geoms: None,
            mesh_folder: String::new(),
            strip_path: false,
            inertia_groups: [0, 5],
            least_mass: 0.0,
            least_inertia: 0.0,
            total_mass: None,
            balance: false,
        }
    }

    /// All `<compiler>` elements below an element, in turn.
    pub(crate) fn read(root: &Element) -> Result<Self, ModelError> {
        let mut all = Compiler::usual();
        for element in root.each("compiler") {
            all.change(&Item::plain(element))?;
        }
        Ok(all)
    }

    fn change(&mut self, item: &Item<'_>) -> Result<(), ModelError> {
        if let Some(it) = item.get("coordinate") {
            it.choice(&[("local", ())]).map_err(|_| it.unfit("local"))?;
        }
        if let Some(it) = item.get("angle") {
            self.unit = it.choice(&[("degree", DEGREE), ("radian", 1.0)])?;
        }
        if let Some(it) = item.get("eulerseq") {
            self.euler = euler(&it)?;
        }
        self.auto_limits = item.flag("autolimits")?.unwrap_or(self.auto_limits);
        if let Some(it) = item.get("inertiafromgeom") {
            self.inertia_from_geoms =
                it.choice(&[("true", Some(true)), ("false", Some(false)), ("auto", None)])?;
        }
        for key in ["assetdir", "meshdir"] {
            if let Some(it) = item.get(key) {
                it.text.clone_into(&mut self.mesh_folder);
            }
        }
        self.strip_path = item.flag("strippath")?.unwrap_or(self.strip_path);
        if let Some(it) = item.get("inertiagrouprange") {
            let words: Vec<i64> =
                it.text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [least, most] = words[..] else { return Err(it.unfit("two whole numbers")) };
            self.inertia_groups = [least, most];
        }
        let not_negative = |key| item.get(key).map(|it| it.not_negative()).transpose();
        self.least_mass = not_negative("boundmass")?.unwrap_or(self.least_mass);
        self.least_inertia = not_negative("boundinertia")?.unwrap_or(self.least_inertia);
        if let Some(total) = item.number("settotalmass")? {
            self.total_mass = (total > 0.0).then_some(total);
        }
        self.balance = item.flag("balanceinertia")?.unwrap_or(self.balance);
        Ok(())
    }

    /// An angle in radians.
    pub(crate) fn angle(&self, angle: f64) -> f64 {
        angle * self.unit
    }

    /// The path of a file with a mesh, from the folder of the model.
    pub(crate) fn mesh_file(&self, name: &str) -> String {
        let name = name.replace('\\', "/");
        let last = Path::new(&name).file_name().and_then(|it| it.to_str());
        let name = if self.strip_path { last.unwrap_or(&name) } else { &name };
        Path::new(&self.mesh_folder).join(name).to_string_lossy().into_owned()
    }

    /// The orientation of an element, in one of five ways.
    pub(crate) fn orientation(&self, item: &Item<'_>) -> Result<Option<DQuat>, ModelError> {
        let keys = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
        let mut found: Option<Attr<'_>> = None;
        let mut turn = None;
        for key in keys {
            let Some(it) = item.get(key) else { continue };
            if found.is_some() {
                return Err(it.fault("is a second orientation of one element"));
            }
            found = Some(it);
            turn = Some(self.turn(key, &it)?);
        }
        Ok(turn)
    }

    fn turn(&self, key: &str, it: &Attr<'_>) -> Result<DQuat, ModelError> {
        match key {
            "quat" => {
                let [w, x, y, z] = it.array()?;
                unit(DQuat::from_xyzw(x, y, z, w)).ok_or_else(|| it.unfit("a rotation"))
            }
            "axisangle" => {
                let [x, y, z, angle] = it.array()?;
                let axis = DVec3::new(x, y, z).try_normalize();
                let axis = axis.ok_or_else(|| it.unfit("an axis and an angle"))?;
                Ok(DQuat::from_axis_angle(axis, self.angle(angle)))
            }
            "xyaxes" => {
                let [a, b, c, d, e, f] = it.array()?;
                let frame = || {
                    let x = DVec3::new(a, b, c).try_normalize()?;
                    let y = DVec3::new(d, e, f).reject_from_normalized(x).try_normalize()?;
                    Some(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
                };
                frame().ok_or_else(|| it.unfit("two axes"))
            }
            "zaxis" => Ok(to_axis(it.direction()?)),
            _ => {
                let angles: [f64; 3] = it.array()?;
                let mut turn = DQuat::IDENTITY;
                for (Turn { axis, with_frame }, angle) in self.euler.into_iter().zip(angles) {
                    let next = DQuat::from_axis_angle(axis, self.angle(angle));
                    turn = if with_frame { turn * next } else { next * turn };
                }
                Ok(turn.normalize())
            }
        }
    }
}

/// A sequence such as `xyz` or `XYZ`.
fn euler(it: &Attr<'_>) -> Result<[Turn; 3], ModelError> {
    let turn = |letter: char| {
        let axis = match letter.to_ascii_lowercase() {
            'x' => DVec3::X,
            'y' => DVec3::Y,
            'z' => DVec3::Z,
            _ => return None,
        };
        Some(Turn { axis, with_frame: letter.is_ascii_lowercase() })
    };
    let turns: Option<Vec<Turn>> = it.text.chars().map(turn).collect();
    match turns.as_deref() {
        Some([a, b, c]) => Ok([*a, *b, *c]),
        _ => Err(it.unfit("three of x, y, z, X, Y, Z")),
    }
}

/// A quaternion of length one, if it has a length.
fn unit(quat: DQuat) -> Option<DQuat> {
    let length = quat.length();
    (length > 0.0 && length.is_finite()).then(|| quat * (1.0 / length))
}

/// The least turn that takes z to a unit vector.
pub(crate) fn to_axis(z: DVec3) -> DQuat {
    /// Below this sine the axis of the turn is x.
    const PARALLEL: f64 = 1e-10;
    let across = DVec3::Z.cross(z);
    let sine = across.length();
    let axis = if sine < PARALLEL { DVec3::X } else { across / sine };
    DQuat::from_axis_angle(axis, sine.atan2(z.z))
}
