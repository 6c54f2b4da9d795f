//! A problem as in its file (`docs/contact-1.md`): the input of the checks.

use serde::Serialize;
use stiction_solvers::{Forces, Level};

/// Time step of problems at velocity level (s).
pub const STEP: f64 = 0.01;

/// The contents of a contact-1 file.
#[derive(Clone, Debug, Serialize)]
pub struct Given {
    format: &'static str,
    pub name: String,
    pub level: Level,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub h: Option<f64>,
    pub bodies: Vec<GivenBody>,
    pub contacts: Vec<GivenContact>,
    pub bilateral: Vec<GivenRow>,
    pub bounded: Vec<GivenRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<GivenLoad>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct GivenBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inertia: Option<[[f64; 3]; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inverse_inertia: Option<[[f64; 6]; 6]>,
    pub position: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 6]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrench: Option<[f64; 6]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_response: Option<[f64; 6]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GivenLaw {
    Frictionless,
    Static,
    Sliding,
    Coulomb,
}

#[derive(Clone, Debug, Serialize)]
pub struct GivenContact {
    pub a: usize,
    pub b: i64,
    pub point: [f64; 3],
    pub normal: [f64; 3],
    pub mu: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mu_dynamic: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub law: Option<GivenLaw>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tangent: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias: Option<[f64; 3]>,
}

#[derive(Clone, Debug, Serialize)]
pub struct GivenRow {
    pub a: usize,
    pub b: i64,
    pub on_a: [f64; 6],
    pub on_b: [f64; 6],
    pub bias: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct GivenLoad {
    pub body: usize,
    pub wrench: [f64; 6],
}

/// The fixed world, as files name it.
pub const WORLD: i64 = -1;

impl Given {
    pub fn new(level: Level) -> Self {
        Given {
            format: "contact-1",
            name: String::new(),
            level,
            h: (level == Level::Velocity).then_some(STEP),
            bodies: Vec::new(),
            contacts: Vec::new(),
            bilateral: Vec::new(),
            bounded: Vec::new(),
            loads: Vec::new(),
        }
    }

    /// Whether bodies have velocities at this level.
    pub fn moves(&self) -> bool {
        matches!(self.level, Level::Velocity | Level::Impact)
    }

    /// Whether any contact has static and dynamic friction that differ.
    pub fn has_two_coefficients(&self) -> bool {
        self.contacts.iter().any(|c| c.mu_dynamic.is_some_and(|mu| mu != c.mu))
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl GivenContact {
    /// The law of a contact without an explicit one.
    pub fn law(&self, level: Level) -> GivenLaw {
        self.law.unwrap_or(match level {
            Level::Acceleration | Level::FirstOrder => GivenLaw::Static,
            Level::Velocity | Level::Impact => GivenLaw::Coulomb,
        })
    }
}

/// Forces as `stiction verify` reads them.
pub fn answer_json(forces: &Forces) -> String {
    let answer = serde_json::json!({
        "normal": forces.contacts.iter().map(|f| f.normal).collect::<Vec<_>>(),
        "friction": forces.contacts.iter().map(|f| f.friction).collect::<Vec<_>>(),
        "bilateral": forces.bilateral,
        "bounded": forces.bounded,
    });
    answer.to_string()
}
