//! The judge: what any answer to a contact problem is worth.
//!
//! Takes a problem and forces from anywhere and recomputes the response from
//! the forces alone, in double-double arithmetic. It shares no code with any
//! solver, and it is nobody's friend.
//!
//! Two friction laws are tried. *Maximum dissipation* is Coulomb's law on the
//! round cone: friction at its limit points exactly against the slip.
//! *Opposition* is what Baraff (1994, eq. 15, 16 and 21) asks for: friction at
//! its limit points at least partly against the slip. An answer certified for
//! the first satisfies the second.
//!
//! # How the measures are made
//!
//! For a contact with force `f`, response `u` and friction `μ`, let
//! `û = u + μ|u_t| n` and `ρ` the contact's effective mass. The answer is right
//! exactly when `f = P(f − ρ û)` with `P` the projection on the friction cone;
//! `|f − P(f − ρ û)|` is the *natural map*, in units of force. Relative to what
//! is said in `judge/scale.rs`: masses and free response, never the answer itself,
//! or huge internal forces would make any residual look small.
//!
//! The *backward error* turns that into a statement without tolerance: the
//! forces `f' = P(f − ρ û)` are an exact answer of the same problem with its
//! contact responses shifted by at most so many m/s² (or m/s).
//!
//! # Where to start reading
//!
//! [`judge`] is the driver, `judge/laws.rs` holds one function per law.

mod determinacy;
mod double;
mod impulse;
mod laws;
mod matrix;
mod null_space;
mod pyramid;
mod report;
mod response;
mod scale;
mod watch;

pub use determinacy::{Determinacy, Motion, Uniqueness, determinacy};
pub use impulse::{ImpulseCertificate, judge_impulse};
pub use matrix::{MATRIX_CERTIFIED, MatrixCertificate, judge_matrix};
pub use pyramid::{PYRAMID_CERTIFIED, PyramidCertificate, judge_pyramid};
pub use report::{ContactReport, Mode, report};
pub use response::{ContactResponse, Response, response};
pub(crate) use watch::Watch;

use crate::problem::{ContactProblem, Level, Place};
use crate::solution::{ContactForce, Forces};
use glam::DVec3;
use laws::{ContactState, Partner, RoundLaw};
use serde::Serialize;
use std::fmt;

/// Largest relative residual of an answer that is called certified.
///
/// Well above what double precision leaves on bodies with wedged contacts
/// (about 1e-10), far below what anyone can measure: a tenth of a micrometre
/// per second squared for bodies under gravity.
pub const CERTIFIED: f64 = 1e-8;

/// A friction law an answer can be certified for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Friction at its limit points exactly against the slip.
    MaximumDissipation,
    /// The same with cones that have flat sides: Lloyd's complementarity problem.
    Pyramid,
    /// Friction at its limit points at least partly against the slip.
    Opposition,
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Law::MaximumDissipation => "maximum dissipation",
            Law::Pyramid => "maximum dissipation on pyramids",
            Law::Opposition => "opposition (Baraff's eq. 21)",
        })
    }
}

/// The shape of the friction cones of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cone {
    /// Coulomb's own.
    #[default]
    Round,
    /// With so many sides, the first towards the first tangent
    /// ([`Contact::frame`](crate::Contact::frame)).
    Pyramid {
        /// Sides: even, at least 4.
        directions: usize,
    },
}

/// How far an answer is from one law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Residual {
    /// Largest change of a force that the law asks for (N, or N·s).
    pub absolute: f64,
    /// The same, mass-weighted, relative to the free response of its island.
    pub relative: f64,
    /// Shift of the contact responses that makes a nearby answer exact (m/s², or m/s).
    pub backward_error: f64,
}

/// The judge's word on an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certificate {
    /// What the numbers are.
    pub level: Level,
    /// The strictest law that holds within [`CERTIFIED`], if any.
    pub certified: Option<Law>,
    /// Why not, if none.
    pub reason: Option<String>,
    /// Distance from maximum dissipation: the natural map.
    pub natural_map: Residual,
    /// Distance from Baraff's conditions.
    pub opposition: Residual,
    /// The same answer as a solution of Lloyd's complementarity problem, if its
    /// cones are pyramids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pyramid: Option<Box<PyramidCertificate>>,
    /// Most negative normal force, as a positive number.
    pub negative_force: f64,
    /// Most negative normal response, as a positive number.
    pub negative_response: f64,
    /// Largest normal force × normal response.
    pub normal_product: f64,
    /// Largest friction beyond its limit.
    pub cone_excess: f64,
    /// Largest unused friction × slip.
    pub slack_slip: f64,
    /// Largest angle between friction and the direction against the slip (degrees).
    pub misalignment_deg: f64,
    /// Largest violation of a bilateral row.
    pub bilateral: f64,
    /// Largest change of a bounded force that its law asks for.
    pub bounded: f64,
    /// Force that stops the free motion of the strongest body.
    pub force_scale: f64,
    /// Largest contact force over that scale: large when contacts are wedged.
    pub force_ratio: f64,
}

impl Certificate {
    /// Whether the answer obeys at least Baraff's conditions.
    pub fn is_certified(&self) -> bool {
        self.certified.is_some()
    }

    /// The relative residual of the law it was certified for, or of the weaker
    /// one if it was not.
    pub fn residual(&self) -> f64 {
        match self.certified {
            Some(Law::MaximumDissipation) => self.natural_map.relative,
            Some(Law::Pyramid) => self.pyramid.as_ref().map_or(f64::MAX, |p| p.relative),
            _ => self.opposition.relative,
        }
    }

    fn refused(level: Level, reason: String) -> Self {
        let worst = Residual { absolute: f64::MAX, relative: f64::MAX, backward_error: f64::MAX };
        Certificate {
            level,
            certified: None,
            reason: Some(reason),
            natural_map: worst,
            opposition: worst,
            pyramid: None,
            negative_force: 0.0,
            negative_response: 0.0,
            normal_product: 0.0,
            cone_excess: 0.0,
            slack_slip: 0.0,
            misalignment_deg: 0.0,
            bilateral: 0.0,
            bounded: 0.0,
            force_scale: 0.0,
            force_ratio: 0.0,
        }
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (force, response) = (self.level.force_unit(), self.level.response_unit());
        match (&self.certified, &self.reason) {
            (Some(law), _) => writeln!(f, "certified: {law}")?,
            (None, Some(reason)) => writeln!(f, "NOT CERTIFIED: {reason}")?,
            (None, None) => writeln!(f, "NOT CERTIFIED")?,
        }
        let line = |f: &mut fmt::Formatter<'_>, name: &str, r: &Residual| {
            writeln!(
                f,
                "  {name:<19} {:>9.2e} relative  {:>9.2e} {force:<4}  backward error {:.2e} {response}",
                r.relative, r.absolute, r.backward_error
            )
        };
        line(f, "maximum dissipation", &self.natural_map)?;
        line(f, "opposition", &self.opposition)?;
        if let Some(p) = &self.pyramid {
            writeln!(
                f,
                "  {:<19} {:>9.2e} relative  {:>9.2e}, with {} sides",
                "pyramid", p.relative, p.natural_map, p.directions
            )?;
        }
        writeln!(
            f,
            "  {:<19} force ≥ −{:.1e}  response ≥ −{:.1e}  product {:.1e}",
            "normal", self.negative_force, self.negative_response, self.normal_product
        )?;
        writeln!(
            f,
            "  {:<19} cone excess {:.1e}  slack × slip {:.1e}  misalignment {:.2}°",
            "friction", self.cone_excess, self.slack_slip, self.misalignment_deg
        )?;
        if self.bilateral > 0.0 || self.bounded > 0.0 {
            writeln!(
                f,
                "  {:<19} bilateral {:.1e}  bounded {:.1e}",
                "rows", self.bilateral, self.bounded
            )?;
        }
        write!(
            f,
            "  {:<19} largest force {:.3} × {:.3e} {force}, the scale of the free motion",
            "size", self.force_ratio, self.force_scale
        )
    }
}

/// The judge's word on a direction of unbounded growth.
///
/// Baraff (1991, §7.1): impulses push and lie in their cones, and wherever one
/// acts the bodies are not separating afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RayCertificate {
    /// Whether the direction is a valid contact impulse.
    pub certified: bool,
    /// Most negative normal impulse and largest breach of a friction law.
    pub force_violation: f64,
    /// Largest separation speed where an impulse acts, largest slip along static
    /// friction, largest violation of a bilateral row.
    pub response_violation: f64,
    /// Largest response: a ray that moves nothing is wedging, not an impulse.
    pub response: f64,
}

fn states(problem: &ContactProblem, forces: &Forces, response: &Response) -> Vec<ContactState> {
    problem
        .contacts()
        .iter()
        .zip(&forces.contacts)
        .zip(&response.contacts)
        .map(|((contact, force), u)| ContactState::new(problem, contact, force, u))
        .collect()
}

fn refusal(problem: &ContactProblem, forces: &Forces) -> Option<String> {
    if let Some((what, given, expected)) = forces.misfit(problem) {
        return Some(format!("the answer has {given} {what}, the problem {expected}"));
    }
    let finite =
        |f: &ContactForce| f.normal.is_finite() && f.friction.iter().all(|x| x.is_finite());
    if let Some(i) = forces.contacts.iter().position(|f| !finite(f)) {
        return Some(format!("the force of contact {i} is not finite"));
    }
    if forces.bilateral.iter().chain(&forces.bounded).any(|x| !x.is_finite()) {
        return Some("the force of a row is not finite".into());
    }
    None
}

/// Judges forces.
pub fn judge(problem: &ContactProblem, forces: &Forces) -> Certificate {
    if let Some(reason) = refusal(problem, forces) {
        return Certificate::refused(problem.level(), reason);
    }
    let response = response(problem, forces);
    let states = states(problem, forces, &response);
    let scale = scale::Scale::new(problem);

    let (natural_map, _) =
        residual(problem, forces, &response, &states, &scale, RoundLaw::MaximumDissipation);
    let (opposition, worst) =
        residual(problem, forces, &response, &states, &scale, RoundLaw::Opposition);
    let certified = if natural_map.relative <= CERTIFIED {
        Some(Law::MaximumDissipation)
    } else if opposition.relative <= CERTIFIED {
        Some(Law::Opposition)
    } else {
        None
    };
    let reason = match (certified, worst) {
        (None, Some(place)) => Some(format!(
            "{place} breaks its conditions by {:.2e} {} ({:.1e} relative)",
            opposition.absolute,
            problem.level().force_unit(),
            opposition.relative
        )),
        _ => None,
    };

    let max = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let largest = max(&mut states.iter().map(|s| s.force().length()));
    Certificate {
        level: problem.level(),
        certified,
        reason,
        natural_map,
        opposition,
        pyramid: None,
        negative_force: max(&mut states.iter().map(|s| -s.normal_force)),
        negative_response: max(&mut states.iter().map(|s| -s.normal_response)),
        normal_product: max(&mut states.iter().map(|s| (s.normal_force * s.normal_response).abs())),
        cone_excess: max(&mut states.iter().map(ContactState::cone_excess)),
        slack_slip: max(&mut states.iter().map(ContactState::slack_slip)),
        misalignment_deg: max(&mut states
            .iter()
            .enumerate()
            .map(|(i, s)| s.misalignment_deg(scale.of_contact(i)))),
        bilateral: max(&mut response.bilateral.iter().map(|u| u.abs())),
        bounded: max(&mut laws::bounded_residuals(problem, forces, &response).map(|r| r.residual)),
        force_scale: scale.force,
        force_ratio: if scale.force > 0.0 { largest / scale.force } else { 0.0 },
    }
}

/// Judges forces sought in cones of a given shape.
pub fn judge_in(problem: &ContactProblem, forces: &Forces, cone: Cone) -> Certificate {
    let mut certificate = judge(problem, forces);
    if let Cone::Pyramid { directions } = cone {
        let pyramid = judge_pyramid(problem, forces, directions);
        if pyramid.certified && certificate.certified != Some(Law::MaximumDissipation) {
            certificate.certified = Some(Law::Pyramid);
            certificate.reason = None;
        }
        certificate.pyramid = Some(Box::new(pyramid));
    }
    certificate
}

/// How far an answer is from one law, where most, and what the law would have.
struct Distance {
    absolute: f64,
    relative: f64,
    place: Option<Place>,
    partners: Vec<Partner>,
    bounded: Vec<laws::BoundedPartner>,
}

impl Distance {
    fn new(
        problem: &ContactProblem,
        forces: &Forces,
        response: &Response,
        states: &[ContactState],
        scale: &scale::Scale,
        law: RoundLaw,
    ) -> Self {
        let partners: Vec<Partner> = states.iter().map(|s| s.partner(law)).collect();
        let bounded: Vec<_> = laws::bounded_residuals(problem, forces, response).collect();
        let mut worst = (0.0, None);
        let mut absolute = 0.0_f64;
        let mut see = |place: Place, residual: f64, mass: f64, scale: f64| {
            absolute = absolute.max(residual);
            let weighted = residual / mass.sqrt();
            let relative = if weighted == 0.0 { 0.0 } else { (weighted / scale).min(f64::MAX) };
            if relative > worst.0 {
                worst = (relative, Some(place));
            }
        };
        for (i, (state, partner)) in states.iter().zip(&partners).enumerate() {
            see(Place::Contact(i), partner.residual, state.mass, scale.of_contact(i));
        }
        for (i, row) in problem.bilateral().iter().enumerate() {
            let mass = laws::row_mass(problem, row);
            // A row that moves nothing has no force to correct: its violation counts as it is.
            let residual = response.bilateral[i].abs() * if mass.is_finite() { mass } else { 1.0 };
            let mass = if mass.is_finite() { mass } else { 1.0 };
            see(Place::Bilateral(i), residual, mass, scale.of_bilateral(i));
        }
        for (i, row) in bounded.iter().enumerate() {
            see(Place::Bounded(i), row.residual, row.mass, scale.of_bounded(i));
        }
        let (relative, place) = worst;
        Distance { absolute, relative, place, partners, bounded }
    }
}

/// Distance of an answer from one law, and where it is largest.
fn residual(
    problem: &ContactProblem,
    forces: &Forces,
    response: &Response,
    states: &[ContactState],
    scale: &scale::Scale,
    law: RoundLaw,
) -> (Residual, Option<Place>) {
    let Distance { absolute, relative, place, partners, bounded } =
        Distance::new(problem, forces, response, states, scale, law);

    // The partner forces answer exactly the problem whose responses are shifted
    // by the difference between what they cause and what they would need.
    let nearby = Forces {
        contacts: partners.iter().map(Partner::world_force).collect(),
        bilateral: forces.bilateral.clone(),
        bounded: bounded.iter().map(|row| row.force).collect(),
    };
    let caused = response::response(problem, &nearby);
    let at_contacts =
        states.iter().zip(&partners).zip(&caused.contacts).map(|((s, p), u)| s.shift(p, u));
    let at_rows = caused.bilateral.iter().map(|u| u.abs());
    let at_bounds = bounded.iter().zip(&caused.bounded).map(|(row, u)| (row.response - u).abs());
    let backward_error = at_contacts.chain(at_rows).chain(at_bounds).fold(0.0, f64::max);
    (Residual { absolute, relative, backward_error }, place)
}

/// Judges a direction of unbounded growth.
pub fn judge_ray(problem: &ContactProblem, direction: &Forces) -> RayCertificate {
    /// Rounding allowed on a ray whose largest impulse is one, relative to the
    /// response it causes.
    const RAY_TOLERANCE: f64 = 1e-9;
    if refusal(problem, direction).is_some() {
        return RayCertificate {
            certified: false,
            force_violation: f64::MAX,
            response_violation: f64::MAX,
            response: 0.0,
        };
    }
    let response = response::response_without_free(problem, direction);
    let states = states(problem, direction, &response);
    let size = states.iter().map(|s| s.force().length()).fold(0.0, f64::max);
    let moved =
        states.iter().map(|s| s.normal_response.abs().max(s.slip.length())).fold(0.0, f64::max);
    let mut force_violation = 0.0_f64;
    let mut response_violation = 0.0_f64;
    for state in &states {
        force_violation =
            force_violation.max(-state.normal_force).max(state.cone_excess()).max(state.stray);
        if state.normal_force > RAY_TOLERANCE * size {
            response_violation = response_violation.max(state.normal_response);
        }
        // Where nothing slides yet, friction does not drive the slip.
        if state.friction.has_tangent_unknowns() {
            let along = state.friction_force.normalize_or_zero().dot(state.slip);
            response_violation = response_violation.max(along);
        }
    }
    for u in &response.bilateral {
        response_violation = response_violation.max(u.abs());
    }
    RayCertificate {
        certified: size > 0.0
            && moved > 0.0
            && force_violation <= RAY_TOLERANCE * size
            && response_violation <= RAY_TOLERANCE * moved,
        force_violation,
        response_violation,
        response: moved,
    }
}

/// World vector of a contact force.
pub(crate) fn total(force: &ContactForce, normal: DVec3) -> DVec3 {
    force.normal * normal + DVec3::from_array(force.friction)
}
