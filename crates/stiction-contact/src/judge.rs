//! The judge: checks any answer to a contact problem and certifies it.
//!
//! It takes a problem and forces from any source, and recomputes the response from the forces
//! alone, in double-double arithmetic, with mass and inertia as given. It shares no code with
//! any solver.
//!
//! It checks two friction laws. *Maximum dissipation* is Coulomb's law on the round cone:
//! friction at its limit points exactly against the slip. *Opposition* is the condition of
//! Baraff (1994, eq. 15, 16 and 21): friction at its limit points at least partly against the
//! slip. An answer certified for the first satisfies the second.
//!
//! # How violations are measured
//!
//! A pair of force and response at a contact obeys a law, or has some distance from the nearest
//! pair that does. Distances are relative to the scale of that contact, given by its own two
//! bodies (`judge/scale.rs`), not to anything elsewhere and not to the size that forces between
//! wedged bodies happen to have. `judge/laws.rs` has the laws, `docs/certificates.md` the
//! reasoning.
//!
//! The *backward error* is the fraction by which every term of the response, each force and
//! each free motion, would have to change for the law to hold exactly.
//!
//! # Where to start reading
//!
//! [`judge`] is the driver, `judge/laws.rs` holds one function per law.

mod determinacy;
mod impulse;
mod islands;
mod laws;
mod matrix;
mod mobility;
mod monotone;
mod null_space;
mod pyramid;
mod ray;
mod report;
mod response;
mod scale;
mod watch;

pub use determinacy::{Determinacy, Motion, OtherModes, Uniqueness, determinacy};
pub use impulse::{ImpulseCertificate, judge_impulse};
pub use matrix::{MATRIX_CERTIFIED, MatrixCertificate, judge_matrix};
pub use monotone::has_one_motion;
pub use pyramid::{PYRAMID_CERTIFIED, PyramidCertificate, judge_pyramid};
pub use ray::{RayCertificate, judge_ray};
pub use report::{ContactReport, Mode, report};
pub use response::{ContactResponse, Response, response};
pub use watch::Watch;

use crate::answer::{Answer, Candidate, Found, Provenance, Status};
use crate::forces::{ContactForce, Forces};
use crate::problem::{ContactProblem, Level, Place};
use glam::DVec3;
use laws::{ContactError, ContactState};
use scale::{Scale, Scales};
use serde::Serialize;
use std::fmt;

/// Largest relative residual of a certified answer: a part in 1e8 of each contact's scale.
///
/// Well above the rounding of double precision for bodies with wedged contacts (about 1e-10),
/// far below anything measurable: a tenth of a micrometre per second squared for bodies under
/// gravity.
pub const CERTIFIED: f64 = 1e-8;

/// A friction law an answer can be certified for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Friction at its limit points exactly against the slip.
    MaximumDissipation,
    /// The same with friction pyramids: Lloyd's complementarity problem.
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
    /// A pyramid with this many sides, the first towards the first tangent
    /// ([`Contact::frame`](crate::Contact::frame)).
    Pyramid {
        /// Sides: even, at least 4.
        directions: usize,
    },
}

/// How far an answer is from one law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Residual {
    /// Largest change of a force that makes a contact or row satisfy its law (N, or N·s).
    pub force: f64,
    /// The same as a change of its response (m/s², or m/s).
    pub response: f64,
    /// The same relative to the scale of that contact or row.
    pub relative: f64,
    /// Largest fraction by which all terms of a response would have to change to satisfy the
    /// law.
    pub backward_error: f64,
}

impl Residual {
    const NONE: Residual =
        Residual { force: 0.0, response: 0.0, relative: 0.0, backward_error: 0.0 };
    const WORST: Residual = Residual {
        force: f64::MAX,
        response: f64::MAX,
        relative: f64::MAX,
        backward_error: f64::MAX,
    };

    /// Adds an error relative to a scale and returns whether it is the largest so far. A value
    /// that is not a number counts as the worst.
    fn see(&mut self, error: f64, scale: &Scale) -> bool {
        if error.is_nan() {
            let first = self.relative < f64::MAX;
            *self = Residual::WORST;
            return first;
        }
        let finite = |x: f64| x.min(f64::MAX);
        self.force = self.force.max(finite(error * scale.force));
        self.response = self.response.max(finite(error * scale.slip));
        let backward = laws::over(error * scale.slip, scale.terms);
        self.backward_error = self.backward_error.max(finite(backward));
        let worse = error > self.relative;
        self.relative = self.relative.max(finite(error));
        worse
    }
}

/// The judge's verdict on forces.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certificate {
    /// The level of the problem, which determines the units.
    pub level: Level,
    /// The least response that violations are compared with (m/s², or m/s); not zero in
    /// simulations.
    pub resolution: f64,
    /// The strictest law that holds within [`CERTIFIED`], if any.
    pub certified: Option<Law>,
    /// The reason, if it is not certified.
    pub reason: Option<String>,
    /// Distance from maximum dissipation: the natural map.
    pub natural_map: Residual,
    /// Distance from Baraff's conditions.
    pub opposition: Residual,
    /// The same answer as a solution of Lloyd's complementarity problem, if its cones are
    /// pyramids.
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
    /// Largest change of a bounded force that its law requires.
    pub bounded: f64,
    /// Largest force needed to stop the free motion at a contact.
    pub force_scale: f64,
    /// Largest contact force over that scale: large when contacts are wedged.
    pub force_ratio: f64,
}

impl Certificate {
    /// Whether the answer obeys at least Baraff's conditions.
    pub fn is_certified(&self) -> bool {
        self.certified.is_some()
    }

    /// The relative residual of the law it is certified for, or of opposition if it is not
    /// certified.
    pub fn residual(&self) -> f64 {
        match self.certified {
            Some(Law::MaximumDissipation) => self.natural_map.relative,
            Some(Law::Pyramid) => self.pyramid.as_ref().map_or(f64::MAX, |p| p.relative),
            _ => self.opposition.relative,
        }
    }

    /// The law that the forces are closest to.
    fn nearest(&self) -> Law {
        let weaker = self.opposition.relative < self.natural_map.relative;
        if weaker { Law::Opposition } else { Law::MaximumDissipation }
    }

    fn refused(problem: &ContactProblem, reason: String) -> Self {
        Certificate {
            level: problem.level(),
            resolution: problem.resolution(),
            certified: None,
            reason: Some(reason),
            natural_map: Residual::WORST,
            opposition: Residual::WORST,
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
                "  {name:<19} {:>9.2e} relative  {:>9.2e} {force:<4} {:>9.2e} {response:<5} backward error {:.2e}",
                r.relative, r.force, r.response, r.backward_error
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

/// Forces with the response they cause and the scales it is compared with.
struct Evaluation {
    response: Response,
    states: Vec<ContactState>,
    scales: Scales,
}

impl Evaluation {
    /// Evaluates an answer or, with `free` false, a ray. The forces must match the problem in
    /// number.
    fn new(problem: &ContactProblem, forces: &Forces, free: bool) -> Self {
        Self::with(problem, &response::mobilities(problem), forces, free)
    }

    fn with(
        problem: &ContactProblem,
        mobilities: &[mobility::Mobility],
        forces: &Forces,
        free: bool,
    ) -> Self {
        let response = response::evaluate(problem, mobilities, forces, free);
        let scales = Scales::new(problem, mobilities, forces, free);
        let contacts = problem.contacts().iter().zip(&forces.contacts);
        let states = contacts
            .zip(response.contacts.iter().zip(&scales.contacts))
            .map(|((contact, force), (u, scale))| ContactState::new(contact, force, u, *scale))
            .collect();
        Evaluation { response, states, scales }
    }

    /// Distance from both laws, and the place where opposition is violated most.
    fn residuals(
        &self,
        problem: &ContactProblem,
        forces: &Forces,
    ) -> (Residual, Residual, Option<Place>) {
        let (mut dissipation, mut opposition) = (Residual::NONE, Residual::NONE);
        let mut worst = None;
        let mut see = |place: Place, error: ContactError, scale: &Scale| {
            dissipation.see(error.dissipation, scale);
            if opposition.see(error.opposition, scale) {
                worst = Some(place);
            }
        };
        for (i, state) in self.states.iter().enumerate() {
            see(Place::Contact(i), state.error(), &state.scale);
        }
        let both = |error: f64| ContactError { dissipation: error, opposition: error };
        let bilateral = self.response.bilateral.iter().zip(&self.scales.bilateral);
        for (i, (u, scale)) in bilateral.enumerate() {
            let scale_is_sound = scale.response.is_finite();
            let error = if scale_is_sound { laws::over(u.abs(), scale.response) } else { f64::NAN };
            see(Place::Bilateral(i), both(error), scale);
        }
        for (i, error) in self.bounded_errors(problem, forces).enumerate() {
            see(Place::Bounded(i), both(error), &self.scales.bounded[i]);
        }
        (dissipation, opposition, worst)
    }

    fn bounded_errors<'a>(
        &'a self,
        problem: &'a ContactProblem,
        forces: &'a Forces,
    ) -> impl Iterator<Item = f64> + 'a {
        problem.bounded().iter().enumerate().map(|(i, row)| {
            let (force, response) = (forces.bounded[i], self.response.bounded[i]);
            laws::bounded_error(row, force, response, self.scales.bounded[i])
        })
    }
}

/// Judges forces.
pub fn judge(problem: &ContactProblem, forces: &Forces) -> Certificate {
    match refusal(problem, forces) {
        Some(reason) => Certificate::refused(problem, reason),
        None => certify(problem, forces, &Evaluation::new(problem, forces, true)),
    }
}

/// Makes an answer of the candidate that a solver returned. Answers are made nowhere else.
///
/// `requested` is the name of the solver that was called; `approximates` says whether it
/// departs from the laws on purpose.
pub fn answer(
    problem: &ContactProblem,
    candidate: Candidate,
    requested: &'static str,
    approximates: bool,
) -> Answer {
    let Candidate { found, route, finish, cone, by, selection, stages, effort, .. } = candidate;
    let solver = by.unwrap_or(requested);
    let provenance =
        Provenance { requested, solver, stages, route, finish, cone, selection, effort };
    match found {
        Found::Forces(forces) => {
            let (certificate, response) = judge_and_respond(problem, &forces, cone);
            let status = match certificate.certified {
                Some(law) => Status::Certified(law),
                None if approximates => Status::Approximate(certificate.nearest()),
                None => Status::Uncertified,
            };
            Answer { forces, response, status, certificate, impulse: None, provenance }
        }
        Found::Ray(direction) => Answer {
            response: response::response(problem, &direction),
            status: Status::Impulse,
            certificate: Certificate::refused(
                problem,
                "no force was found that keeps the bodies apart".into(),
            ),
            impulse: Some(judge_ray(problem, &direction)),
            forces: direction,
            provenance,
        },
    }
}

/// The certificate for cones of a given shape, and the response it is based on.
fn judge_and_respond(
    problem: &ContactProblem,
    forces: &Forces,
    cone: Cone,
) -> (Certificate, Response) {
    if let Some(reason) = refusal(problem, forces) {
        let certificate = Certificate::refused(problem, reason);
        return (certificate, Response::default());
    }
    let evaluation = Evaluation::new(problem, forces, true);
    let certificate = certify(problem, forces, &evaluation);
    (on_cone(problem, forces, cone, certificate), evaluation.response)
}

/// The certificate of finite forces that match the problem in number.
fn certify(problem: &ContactProblem, forces: &Forces, evaluation: &Evaluation) -> Certificate {
    let (natural_map, opposition, worst) = evaluation.residuals(problem, forces);
    let certified = if natural_map.relative <= CERTIFIED {
        Some(Law::MaximumDissipation)
    } else if opposition.relative <= CERTIFIED {
        Some(Law::Opposition)
    } else {
        None
    };
    let reason = match (certified, worst) {
        (None, Some(place)) if opposition.relative == f64::MAX => {
            Some(format!("{place} cannot be judged: its numbers overflow or have no scale"))
        }
        (None, Some(place)) => Some(format!(
            "{place} violates its conditions by {:.1e} relative to its scale; the largest violations are {:.2e} {} and {:.2e} {}",
            opposition.relative,
            opposition.force,
            problem.level().force_unit(),
            opposition.response,
            problem.level().response_unit(),
        )),
        _ => None,
    };
    let Evaluation { response, states, scales } = evaluation;
    let max = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let largest = max(&mut states.iter().map(|s| s.force().length()));
    Certificate {
        level: problem.level(),
        resolution: problem.resolution(),
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
        misalignment_deg: max(&mut states.iter().map(ContactState::misalignment_deg)),
        bilateral: max(&mut response.bilateral.iter().map(|u| u.abs())),
        bounded: max(&mut evaluation
            .bounded_errors(problem, forces)
            .zip(&scales.bounded)
            .map(|(error, scale)| error * scale.force)),
        force_scale: scales.free_force,
        force_ratio: if scales.free_force > 0.0 { largest / scales.free_force } else { 0.0 },
    }
}

/// Judges forces for cones of a given shape.
pub fn judge_in(problem: &ContactProblem, forces: &Forces, cone: Cone) -> Certificate {
    on_cone(problem, forces, cone, judge(problem, forces))
}

/// Adds the certificate on pyramids, if the forces were computed for those.
fn on_cone(
    problem: &ContactProblem,
    forces: &Forces,
    cone: Cone,
    mut certificate: Certificate,
) -> Certificate {
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

/// World vector of a contact force.
pub fn total(force: &ContactForce, normal: DVec3) -> DVec3 {
    force.normal * normal + DVec3::from_array(force.friction)
}
