//! The certificate of a verdict and its margins, and the check.

use crate::laws::{Broken, carries, moves, power, proves_not_carried, without_friction};
use crate::model::{Case, Model};
use serde::{Deserialize, Serialize};

/// The value of `format`.
pub const FORMAT: &str = "statics-certificate-1";
/// Relative difference between numbers of the certificate and of the model that rounding explains.
const SAME: f64 = 1e-12;

/// A verdict, margins, and what proves them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`FORMAT`]
    pub format: String,
    /// The name of the model.
    pub name: String,
    /// `cannot stand`, `can stand`, `need not stand`, `must stand`, `on the edge` or `undecided`.
    pub verdict: String,
    /// Largest gap between faces that were taken to touch (m); none if the model lists its interfaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// Blocks, contacts and loads as they were used.
    pub model: Model,
    /// What is proved.
    pub claims: Vec<Claim>,
    /// Margins that follow from two claims each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub margins: Vec<Bracket>,
    /// FNV-1a of the certificate as compact JSON with an empty digest, in hexadecimal: finds digits that were
    /// changed by accident. It proves nothing.
    pub digest: String,
}

/// One proof about one load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The load.
    #[serde(default)]
    pub case: Case,
    /// The witness.
    pub proof: Proof,
}

/// A witness and what it proves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Proof {
    /// Forces on the first block of every contact (N) that carry the load.
    Carried {
        /// One per contact.
        forces: Vec<[f64; 3]>,
    },
    /// A motion that proves that no forces carry the load.
    NotCarried {
        /// The point to which velocities refer (m).
        origin: [f64; 3],
        /// Velocity of the point of every block at `origin`, and spin.
        motion: Vec<[f64; 6]>,
    },
    /// Normal forces (N) that carry the load without friction: nothing can start to move.
    MustStand {
        /// One per contact.
        normal: Vec<f64>,
    },
    /// Forces and accelerations by Coulomb's law, from rest.
    Moves {
        /// One per contact.
        forces: Vec<[f64; 3]>,
        /// Acceleration of the centre of mass and angular acceleration of every block.
        accelerations: Vec<[f64; 6]>,
    },
}

/// A margin: its value lies in `[at_least, at_most]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bracket {
    /// `load factor`: largest multiple of the live load. `tilt`: largest tangent of the angle towards
    /// `direction`. `friction factor`: least multiple of all coefficients. `clamp factor`: least multiple of the
    /// live load. `limit load`: at the lower end it must stand, at the upper end it may move.
    pub what: String,
    /// Unit vector of a tilt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// Lower end; none if nothing bounds it.
    pub at_least: Option<f64>,
    /// Upper end; none if nothing bounds it.
    pub at_most: Option<f64>,
    /// The claims that prove the lower and the upper end.
    pub claims: [Option<usize>; 2],
}

/// What was accepted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accepted {
    /// Claims.
    pub claims: usize,
    /// Largest imbalance, relative to the load of a block.
    pub imbalance: f64,
}

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum Refusal {
    /// Not a certificate.
    #[error("{0}")]
    Syntax(String),
    /// A format that is not known.
    #[error("format {0:?} (expected {FORMAT:?})")]
    Format(String),
    /// Changed after it was written.
    #[error("the digest does not match: the certificate was changed after it was written")]
    Digest,
    /// The certificate is about something else.
    #[error("the certificate is about another model: {0}")]
    Model(String),
    /// A claim whose witness proves nothing.
    #[error("claim {claim}: {broken}")]
    Claim { claim: usize, broken: Broken },
    /// A margin that does not follow.
    #[error("margin {margin} ({what}): {reason}")]
    Margin { margin: usize, what: String, reason: &'static str },
    /// A verdict that does not follow.
    #[error("the verdict {verdict:?} does not follow from the claims: {reason}")]
    Verdict { verdict: String, reason: &'static str },
}

/// The digest of a certificate.
pub fn digest(certificate: &Certificate) -> String {
    let bare = Certificate { digest: String::new(), ..certificate.clone() };
    let text = serde_json::to_string(&bare).unwrap_or_default();
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

impl Certificate {
    /// Parses a certificate.
    ///
    /// # Errors
    ///
    /// [`Refusal::Syntax`] with line and column.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        serde_json::from_str(text).map_err(|error| Refusal::Syntax(error.to_string()))
    }

    /// Checks a certificate against the model that it should be about.
    ///
    /// # Errors
    ///
    /// The first thing that is not as it should be.
    pub fn check(&self, model: &Model) -> Result<Accepted, Refusal> {
        if self.format != FORMAT {
            return Err(Refusal::Format(self.format.clone()));
        }
        if self.digest != digest(self) {
            return Err(Refusal::Digest);
        }
        same_model(&self.model, model).map_err(Refusal::Model)?;
        let mut accepted = Accepted { claims: self.claims.len(), imbalance: 0.0 };
        for (number, claim) in self.claims.iter().enumerate() {
            let imbalance =
                claim.check(model).map_err(|broken| Refusal::Claim { claim: number, broken })?;
            accepted.imbalance = accepted.imbalance.max(imbalance);
        }
        for (number, margin) in self.margins.iter().enumerate() {
            self.follows(margin, model).map_err(|reason| Refusal::Margin {
                margin: number,
                what: margin.what.clone(),
                reason,
            })?;
        }
        let verdict = self.verdict.clone();
        self.verdict_follows(model).map_err(|reason| Refusal::Verdict { verdict, reason })?;
        Ok(accepted)
    }

    /// Whether a margin follows from its claims.
    fn follows(&self, margin: &Bracket, model: &Model) -> Result<(), &'static str> {
        let least_friction = margin.what == "friction factor";
        let least = least_friction || margin.what == "clamp factor";
        for (end, value) in [margin.at_least, margin.at_most].into_iter().enumerate() {
            let Some(number) = margin.claims[end] else {
                // No claim: the end is open, or a factor that cannot be less than zero.
                let trivial = value.is_none() || (least && end == 0 && value == Some(0.0));
                if trivial {
                    continue;
                }
                return Err("an end without a claim");
            };
            let claim = self.claims.get(number).ok_or("a claim that is not there")?;
            // An open upper end is proved by forces that carry the load alone, without weight.
            let (value, weight) = value.map_or((1.0, 0.0), |value| (value, 1.0));
            let expected = Case { weight, ..case_of(margin, value, model)? };
            if !same_case(&claim.case, &expected) {
                return Err("a claim about another load");
            }
            let carried = (end == 0) != least || weight == 0.0;
            let limit = margin.what == "limit load";
            match (&claim.proof, carried) {
                (Proof::MustStand { .. }, true) | (Proof::Moves { .. }, false) if limit => {}
                (Proof::Carried { .. } | Proof::MustStand { .. }, true) if !limit => {}
                (Proof::NotCarried { origin, motion }, false) if !limit => {
                    // What is carried is an interval: on which side of the value does it lie?
                    let other = if end == 0 { margin.at_most } else { margin.at_least };
                    let known = other.is_some() && margin.claims[1 - end].is_some();
                    let away = if end == 0 { -1.0 } else { 1.0 };
                    if !least_friction && !known {
                        let alone = Case { weight: 0.0, ..case_of(margin, 1.0, model)? };
                        if away * power(model, &alone, *origin, motion) < 0.0 {
                            return Err("a motion that bounds the other side");
                        }
                    }
                }
                _ => return Err("a claim of the other kind"),
            }
        }
        match (margin.at_least, margin.at_most) {
            (Some(low), Some(high)) if low > high => Err("the ends are the wrong way round"),
            _ => Ok(()),
        }
    }

    fn verdict_follows(&self, model: &Model) -> Result<(), &'static str> {
        let about_weight = |claim: &&Claim| claim.case == Case::default();
        let some = |proof: fn(&Proof) -> bool| {
            self.claims.iter().filter(about_weight).any(|claim| proof(&claim.proof))
        };
        let carried =
            some(|proof| matches!(proof, Proof::Carried { .. } | Proof::MustStand { .. }));
        let not_carried = some(|proof| matches!(proof, Proof::NotCarried { .. }));
        let moving = some(|proof| matches!(proof, Proof::Moves { .. }));
        let must = some(|proof| matches!(proof, Proof::MustStand { .. }));
        let nudged = self.claims.iter().any(|claim| {
            let nudge = length(&claim.case.acceleration) / length(&model.gravity);
            let pure = Case { acceleration: [0.0; 3], ..claim.case.clone() } == Case::default();
            pure && nudge <= EDGE && matches!(claim.proof, Proof::NotCarried { .. })
        });
        match self.verdict.as_str() {
            "cannot stand" if !not_carried => Err("no claim that the weight is not carried"),
            "can stand" | "need not stand" | "on the edge" if !carried => {
                Err("no claim that the weight is carried")
            }
            "need not stand" if !moving => Err("no claim that it moves"),
            "must stand" if !must => Err("no claim that it must stand"),
            "on the edge" if !nudged => Err("no claim that a nudge is not carried"),
            "cannot stand" | "can stand" | "need not stand" | "must stand" | "on the edge"
            | "undecided" => Ok(()),
            _ => Err("unknown verdict"),
        }
    }
}

/// Acceleration, relative to gravity, that something on the edge does not carry.
pub const EDGE: f64 = 1e-8;

impl Claim {
    /// Checks the witness; the imbalance it leaves.
    fn check(&self, model: &Model) -> Result<f64, Broken> {
        match &self.proof {
            Proof::Carried { forces } => carries(model, &self.case, forces).map(|r| r.relative),
            Proof::NotCarried { origin, motion } => {
                proves_not_carried(model, &self.case, *origin, motion).map(|_| 0.0)
            }
            Proof::MustStand { normal } => {
                without_friction(model, &self.case, normal).map(|r| r.relative)
            }
            Proof::Moves { forces, accelerations } => {
                moves(model, &self.case, forces, accelerations).map(|_| 0.0)
            }
        }
    }
}

/// The load at which a margin has a value.
fn case_of(margin: &Bracket, value: f64, model: &Model) -> Result<Case, &'static str> {
    match (margin.what.as_str(), margin.direction) {
        ("load factor" | "clamp factor" | "limit load", None) => {
            Ok(Case { live: value, ..Case::default() })
        }
        ("friction factor", None) => Ok(Case { friction: value, ..Case::default() }),
        ("tilt", Some(direction)) => {
            let along = length(&direction);
            let down = direction.iter().zip(&model.gravity).map(|(d, g)| d * g).sum::<f64>();
            if (along - 1.0).abs() > SAME || down.abs() > 1e-9 * length(&model.gravity) {
                return Err("its direction is not a horizontal unit vector");
            }
            let size = value * length(&model.gravity);
            Ok(Case { acceleration: direction.map(|d| d * size), ..Case::default() })
        }
        _ => Err("unknown, or its direction is missing or not expected"),
    }
}

fn length(v: &[f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs())
}

fn all_near(a: &[f64], b: &[f64], scale: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * scale)
}

fn same_case(a: &Case, b: &Case) -> bool {
    let size = length(&a.acceleration).max(length(&b.acceleration));
    near(a.friction, b.friction)
        && near(a.live, b.live)
        && a.weight == b.weight
        && all_near(&a.acceleration, &b.acceleration, size)
        && a.wrenches == b.wrenches
}

/// What differs between the model of a certificate and the model it should be about.
fn same_model(one: &Model, other: &Model) -> Result<(), String> {
    if !all_near(&one.gravity, &other.gravity, length(&other.gravity)) {
        return Err("gravity".into());
    }
    if one.blocks.len() != other.blocks.len() {
        return Err(format!("{} blocks, the model has {}", one.blocks.len(), other.blocks.len()));
    }
    let points =
        || other.contacts.iter().map(|c| c.point).chain(other.blocks.iter().map(|b| b.centre));
    let size = points().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    for (k, (a, b)) in one.blocks.iter().zip(&other.blocks).enumerate() {
        let alike =
            a.fixed == b.fixed && near(a.mass, b.mass) && all_near(&a.centre, &b.centre, size);
        if !alike {
            return Err(format!("block {k} ({})", b.name));
        }
    }
    if one.contacts.len() != other.contacts.len() {
        let (given, expected) = (one.contacts.len(), other.contacts.len());
        return Err(format!("{given} contacts, the model has {expected}"));
    }
    for (k, (a, b)) in one.contacts.iter().zip(&other.contacts).enumerate() {
        let alike = (a.a, a.b) == (b.a, b.b)
            && all_near(&a.point, &b.point, size)
            && all_near(&a.normal, &b.normal, 1.0)
            && near(a.friction, b.friction);
        if !alike {
            return Err(format!("contact {k}"));
        }
    }
    let live = |model: &Model, k: usize| model.live.get(k).copied().unwrap_or_default();
    for k in 0..other.blocks.len() {
        let (a, b) = (live(one, k), live(other, k));
        if !a.iter().zip(&b).all(|(a, b)| near(*a, *b)) {
            return Err(format!("the live load of block {k}"));
        }
    }
    Ok(())
}
