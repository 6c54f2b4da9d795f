//! Turns a ray into an impulse and computes the impact after it \[B91, §6.1, §7\].
//!
//! ```text
//!   velocities v ──s·z──► v'                 s: the first participating sliding contact sticks
//!                         v' ──impact──► v"  no contact approaches any longer
//! ```
//!
//! A ray is the limit of forces that grow without bound: friction opposes the sliding, stops it
//! instantly, and leaves the bodies approaching each other. That is an ordinary collision,
//! computed without restitution.
//!
//! Some participating contact must stick. With `z` the ray, `p` its impulses and `W` the
//! response to them, `pᵀ W p = Σ zᵢ ((A z)ᵢ − μᵢ dᵢ·Δuᵢ)` is positive and `(A z)ᵢ ≤ 0`, so the
//! slip along some `dᵢ` decreases.
//!
//! # Departures from the paper
//!
//! - Only contacts that take part in the impulse count: one that does not may come to rest on
//!   the way without changing the ray.
//! - In 3D, friction along a fixed direction may leave slip perpendicular to it. A contact
//!   *sticks* here when its slip along that direction ends; the remaining slip is left to the
//!   second impact.
//! - The second impact is inelastic. For a single contact it is Wang and Mason's: compression
//!   continues until the normal velocity is zero. In the plane the contact then sticks
//!   throughout, for `W_nn ≤ μ W_nt` (the ray) and `W_nt² ≤ W_nn W_tt` give `W_nt / W_tt ≤ μ`;
//!   their reversed sliding cannot follow a ray. In 3D it can; then, as for several contacts,
//!   the impact is simultaneous: Coulomb's law on the velocities after it.

use crate::auto::Auto;
use crate::error::SolveError;
use crate::solver::ContactSolver;
use faer::Mat;
use faer::linalg::solvers::Solve;
use glam::DVec3;
use serde::Serialize;
use stiction_contact::judge::{self, Certificate, ImpulseCertificate};
use stiction_contact::{
    Answer, ContactForce, ContactProblem, Forces, Friction, ProblemError, Tangents,
};

/// Impulses below this fraction of the largest are rounding: no impulse acts there.
const NO_IMPULSE: f64 = 1e-12;

/// A contact impulse and the impact after it.
#[derive(Clone, Debug)]
pub struct Impact {
    /// The ray, scaled (N·s).
    pub impulse: Forces,
    /// The contact that stops sliding.
    pub sticks: usize,
    /// The judge's verdict on it.
    pub impulse_certificate: ImpulseCertificate,
    /// `[linear; angular]` velocity of each body after the impulse.
    pub between: Vec<[f64; 6]>,
    /// Impulses of the second impact (N·s).
    pub second: Forces,
    /// How they were found.
    pub method: Secondary,
    /// The judge's verdict on them, as an inelastic impact with Coulomb friction.
    pub second_certificate: Certificate,
    /// Velocity of each body after both.
    pub after: Vec<[f64; 6]>,
}

/// How the second impact was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Secondary {
    /// A single contact that sticks until compression ends.
    WangMason,
    /// All contacts simultaneously.
    Simultaneous,
}

/// Why a ray could not be turned into an impulse.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum ImpactError {
    /// The velocities do not match the problem's bodies.
    #[error(transparent)]
    Velocities(#[from] ProblemError),
    /// The velocities contradict the law of a contact.
    #[error("contact {contact} slides by its law, but with {speed} m/s along its direction")]
    NotSliding { contact: usize, speed: f64 },
    /// No sliding contact slows down: the direction is not a ray.
    #[error("no contact slows down along this direction, it is not a valid impulse")]
    NeverSticks,
    /// The second impact was not solved.
    #[error("the impact after the impulse: {0}")]
    Second(SolveError),
    /// The second impact has a ray of its own.
    #[error("the impact after the impulse requires another impulse")]
    SecondRay,
}

/// Scales a ray until a contact sticks and computes the impact after it, for bodies with these
/// velocities (`[linear; angular]`, one per body).
///
/// ```
/// use stiction_solvers::baraff1991::{ForcesOrImpulse, impact};
/// use stiction_solvers::{ContactSolver, gallery};
///
/// // A rod of 2.5 kg that no force prevents from digging in, sliding with 3 m/s.
/// let rod = gallery::sliding_rod(2.5, -1.0)?;
/// let ray = ForcesOrImpulse.solve(&rod)?;
/// assert!(ray.is_impulse());
/// let impact = impact(&rod, &ray, &[[3.0, 0.0, 0.0, 0.0, 0.0, 0.0]])?;
///
/// assert_eq!(impact.sticks, 0);
/// assert!((impact.impulse.contacts[0].normal - 10.0 / 9.0).abs() < 1e-12);
/// assert!(impact.impulse_certificate.certified && impact.second_certificate.is_certified());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`ImpactError`] if velocities, contact laws and ray do not match each other, or the second
/// impact is not solved.
pub fn impact(
    problem: &ContactProblem,
    ray: &Answer,
    velocities: &[[f64; 6]],
) -> Result<Impact, ImpactError> {
    let moving = problem.at_impact(velocities)?;
    let mut direction = ray.forces.clone();
    direction.bounded.clear();
    let still = problem.at_impact(&vec![[0.0; 6]; velocities.len()])?;
    let (size, sticks) = first_to_stick(&moving, &still, &direction)?;
    let impulse = scaled(&direction, size);
    let between = judge::response(&moving, &impulse).bodies;
    let colliding = with_coulomb(&problem.at_impact(&between)?);
    let (second, method) = second_impact(&colliding)?;
    Ok(Impact {
        sticks,
        impulse_certificate: judge::judge_impulse(problem, velocities, &impulse)?,
        second_certificate: judge::judge(&colliding, &second),
        after: judge::response(&colliding, &second).bodies,
        impulse,
        between,
        second,
        method,
    })
}

/// The length of the ray until a participating contact stops sliding, and that contact:
///
/// ```text
///   d·(u + s Δu) = 0,     s = min −d·u / d·Δu  over d·Δu < 0
/// ```
fn first_to_stick(
    moving: &ContactProblem,
    still: &ContactProblem,
    direction: &Forces,
) -> Result<(f64, usize), ImpactError> {
    if direction.misfit(moving).is_some() {
        return Err(ImpactError::NeverSticks);
    }
    let before = judge::response(moving, &Forces::zeros(moving)).contacts;
    let change = judge::response(still, direction).contacts;
    let largest = direction.contacts.iter().fold(0.0_f64, |m, f| m.max(f.normal));
    let mut first: Option<(f64, usize)> = None;
    for (i, contact) in moving.contacts().iter().enumerate() {
        let Friction::Sliding { friction, direction: d } = contact.friction else { continue };
        if friction == 0.0 || direction.contacts[i].normal <= NO_IMPULSE * largest {
            continue;
        }
        let d = DVec3::from_array(d);
        let speed = before[i].tangential.dot(d);
        if speed <= 0.0 {
            return Err(ImpactError::NotSliding { contact: i, speed });
        }
        let slows = -change[i].tangential.dot(d);
        let size = speed / slows;
        if slows > 0.0 && size.is_finite() && first.is_none_or(|(least, _)| size < least) {
            first = Some((size, i));
        }
    }
    first.ok_or(ImpactError::NeverSticks)
}

fn scaled(forces: &Forces, size: f64) -> Forces {
    let contact = |f: &ContactForce| ContactForce {
        normal: size * f.normal,
        friction: f.friction.map(|x| size * x),
    };
    Forces {
        contacts: forces.contacts.iter().map(contact).collect(),
        bilateral: forces.bilateral.iter().map(|f| size * f).collect(),
        bounded: vec![],
    }
}

/// The same contacts with Coulomb friction on the velocities after the impact.
fn with_coulomb(moving: &ContactProblem) -> ContactProblem {
    moving.with_friction(|_, contact| match contact.friction {
        Friction::Static { friction } | Friction::Sliding { friction, .. } => {
            Friction::coulomb(friction)
        }
        other => other,
    })
}

/// A sticking impact if a single contact can stick; otherwise a simultaneous impact, by any
/// method that solves it.
fn second_impact(colliding: &ContactProblem) -> Result<(Forces, Secondary), ImpactError> {
    if let Some(forces) = sticking_impact(colliding) {
        return Ok((forces, Secondary::WangMason));
    }
    match Auto::default().solve(colliding) {
        Ok(answer) if answer.is_impulse() => Err(ImpactError::SecondRay),
        Ok(answer) => Ok((answer.forces, Secondary::Simultaneous)),
        Err(error) => Err(ImpactError::Second(error)),
    }
}

/// The impulse that stops a single contact, `W p = −u`, if its friction suffices.
fn sticking_impact(colliding: &ContactProblem) -> Option<Forces> {
    let [contact] = colliding.contacts() else { return None };
    if !colliding.bilateral().is_empty() {
        return None;
    }
    let normal = DVec3::from_array(contact.normal);
    let [first, across] = contact.frame();
    let axes = match contact.tangents {
        Tangents::Line(_) => vec![normal, first],
        Tangents::Plane => vec![normal, first, across],
    };
    let force = |p: DVec3| {
        let along = p.dot(normal);
        let friction = (p - along * normal).to_array();
        Forces { contacts: vec![ContactForce { normal: along, friction }], ..Forces::default() }
    };
    let respond = |p: DVec3| {
        let u = judge::response(colliding, &force(p)).contacts[0];
        u.normal * normal + u.tangential
    };
    let u = respond(DVec3::ZERO);
    let columns: Vec<DVec3> = axes.iter().map(|&axis| respond(axis) - u).collect();
    let w = Mat::from_fn(axes.len(), axes.len(), |i, j| axes[i].dot(columns[j]));
    let p = w.partial_piv_lu().solve(Mat::from_fn(axes.len(), 1, |i, _| -axes[i].dot(u)));
    let p: DVec3 = axes.iter().enumerate().map(|(k, &axis)| p[(k, 0)] * axis).sum();
    let forces = force(p);
    judge::judge(colliding, &forces).is_certified().then_some(forces)
}
