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

mod certificate;
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

pub use crate::settings::CERTIFIED;
pub use certificate::{Certificate, Cone, Law, Residual};
pub use determinacy::{Determinacy, Motion, OtherModes, Uniqueness, determinacy};
pub use impulse::{ImpulseCertificate, judge_impulse};
pub use matrix::{Exchange, answer_matrix, judge_matrix};
pub use monotone::has_one_motion;
pub use pyramid::{PyramidCertificate, judge_pyramid};
pub use ray::{RayCertificate, judge_ray};
pub use report::{ContactReport, Mode, report};
pub use response::{ContactResponse, Response, response};
pub use watch::{Residuals, Watch};

use crate::answer::{Answer, Candidate, Found, Provenance, Status};
use crate::forces::{ContactForce, Forces};
use crate::problem::{ContactProblem, Level, Place};
use glam::DVec3;
use laws::{ContactError, ContactState};
use scale::{Scale, Scales};
use std::cell::Cell;

/// Why an answer cannot be judged, if it cannot.
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
    /// How far each bounded row is from its law, relative to what matters to it.
    bounded: Vec<f64>,
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
        let (response, effects) = response::evaluate(problem, mobilities, forces, free);
        let scales = Scales::new(problem, mobilities, forces, &effects, free);
        let contacts = problem.contacts().iter().zip(&forces.contacts);
        let states = contacts
            .zip(response.contacts.iter().zip(&scales.contacts))
            .map(|((contact, force), (u, scale))| ContactState::new(contact, force, u, *scale))
            .collect();
        let rows = problem.bounded().iter().zip(&forces.bounded);
        let bounded = rows
            .zip(response.bounded.iter().zip(&scales.bounded))
            .map(|((row, &force), (&u, scale))| laws::bounded_error(row, force, u, *scale))
            .collect();
        Evaluation { response, states, scales, bounded }
    }

    /// The largest effect of the rounding of the data (`judge/scale.rs`).
    fn rounding(&self) -> Rounding {
        let mut most = Rounding { relative: 0.0, response: 0.0, place: None };
        let contacts = self.scales.contacts.iter().enumerate();
        let contacts = contacts.map(|(i, scale)| (Place::Contact(i), scale));
        let bilateral = self.scales.bilateral.iter().enumerate();
        let bilateral = bilateral.map(|(i, scale)| (Place::Bilateral(i), scale));
        let bounded = self.scales.bounded.iter().enumerate();
        let bounded = bounded.map(|(i, scale)| (Place::Bounded(i), scale));
        for (place, scale) in contacts.chain(bilateral).chain(bounded) {
            let relative = laws::over(scale.rounding, scale.response);
            let smaller = relative <= most.relative;
            if !smaller {
                most = Rounding { relative, response: scale.rounding, place: Some(place) };
            }
        }
        most
    }

    /// Distance from both laws, and where the weaker is broken most.
    fn residuals(&self) -> (Residual, Residual, Option<Place>) {
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
        for (i, (&error, scale)) in self.bounded.iter().zip(&self.scales.bounded).enumerate() {
            see(Place::Bounded(i), both(error), scale);
        }
        (dissipation, opposition, worst)
    }
}

/// The rounding of the data where it matters most.
struct Rounding {
    /// Relative to the scale there.
    relative: f64,
    /// As a change of the response.
    response: f64,
    place: Option<Place>,
}

impl Rounding {
    /// Whether the last bit of the data can turn the verdict.
    fn decides(&self) -> bool {
        // A value that is not a number decides.
        let harmless = self.relative <= CERTIFIED;
        !harmless
    }

    fn reason(&self, level: Level) -> Option<String> {
        let place = self.place.filter(|_| self.decides())?;
        Some(format!(
            "{place} depends on the last bit of the data: rounding its normals to 53 bits moves it by up to {:.2e} {}, {:.1e} relative to its scale",
            self.response,
            level.response_unit(),
            self.relative,
        ))
    }
}

thread_local! {
    static JUDGEMENTS: Cell<u64> = const { Cell::new(0) };
}

/// Certificates made by this thread so far, for tests that count them.
pub fn judgements() -> u64 {
    JUDGEMENTS.with(Cell::get)
}

/// Judges forces.
pub fn judge(problem: &ContactProblem, forces: &Forces) -> Certificate {
    match refusal(problem, forces) {
        Some(reason) => Certificate::refused(problem, reason),
        None => {
            certify(&Evaluation::new(problem, forces, true), problem.level(), problem.resolution())
        }
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
    match &candidate.found {
        Found::Forces(forces) => {
            let (certificate, response) = judge_and_respond(problem, forces, candidate.cone);
            conclude(candidate, response, certificate, requested, approximates)
        }
        Found::Ray(direction) => {
            let impulse = Some(judge_ray(problem, direction));
            let response = response::response(problem, direction);
            let reason = "no force was found that keeps the bodies apart";
            let certificate = Certificate::refused(problem, reason.into());
            let answer = conclude(candidate, response, certificate, requested, approximates);
            Answer { status: Status::Impulse, impulse, ..answer }
        }
    }
}

/// A candidate with its certificate is an answer.
fn conclude(
    candidate: Candidate,
    response: Response,
    certificate: Certificate,
    requested: &'static str,
    approximates: bool,
) -> Answer {
    let Candidate { found, route, finish, cone, by, selection, stages, effort, .. } = candidate;
    let (Found::Forces(forces) | Found::Ray(forces)) = found;
    let solver = by.unwrap_or(requested);
    let provenance =
        Provenance { requested, solver, stages, route, finish, cone, selection, effort };
    let status = match certificate.certified {
        Some(law) => Status::Certified(law),
        None if approximates => Status::Approximate(certificate.nearest()),
        None => Status::Uncertified,
    };
    Answer { forces, response, status, certificate, impulse: None, provenance }
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
    let certificate = certify(&evaluation, problem.level(), problem.resolution());
    (on_cone(problem, forces, cone, certificate), evaluation.response)
}

/// The certificate of forces that fit the problem and are finite.
fn certify(evaluation: &Evaluation, level: Level, resolution: f64) -> Certificate {
    JUDGEMENTS.with(|count| count.set(count.get() + 1));
    let (natural_map, opposition, worst) = evaluation.residuals();
    let rounding = evaluation.rounding();
    let certified = if natural_map.relative <= CERTIFIED {
        Some(Law::MaximumDissipation)
    } else if opposition.relative <= CERTIFIED {
        Some(Law::Opposition)
    } else {
        None
    };
    let certified = certified.filter(|_| !rounding.decides());
    let reason = match (certified, worst) {
        _ if rounding.decides() && opposition.relative <= CERTIFIED => rounding.reason(level),
        (None, Some(place)) if opposition.relative == f64::MAX => {
            Some(format!("{place} cannot be judged: its numbers overflow or have no scale"))
        }
        (None, Some(place)) => Some(format!(
            "{place} violates its conditions by {:.1e} relative to its scale; the largest violations are {:.2e} {} and {:.2e} {}",
            opposition.relative,
            opposition.force,
            level.force_unit(),
            opposition.response,
            level.response_unit(),
        )),
        _ => None,
    };
    let Evaluation { response, states, scales, bounded } = evaluation;
    let finite = |x: f64| if x.is_nan() { f64::MAX } else { x.min(f64::MAX) };
    let max = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let largest = max(&mut states.iter().map(|s| s.force().length()));
    Certificate {
        level,
        resolution,
        certified,
        reason,
        natural_map,
        opposition,
        rounding: finite(rounding.relative),
        pyramid: None,
        exchange: None,
        negative_force: max(&mut states.iter().map(|s| -s.normal_force)),
        negative_response: max(&mut states.iter().map(|s| -s.normal_response)),
        normal_product: max(&mut states.iter().map(|s| (s.normal_force * s.normal_response).abs())),
        cone_excess: max(&mut states.iter().map(ContactState::cone_excess)),
        slack_slip: max(&mut states.iter().map(ContactState::slack_slip)),
        misalignment_deg: max(&mut states.iter().map(ContactState::misalignment_deg)),
        bilateral: max(&mut response.bilateral.iter().map(|u| u.abs())),
        bounded: max(&mut bounded
            .iter()
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
