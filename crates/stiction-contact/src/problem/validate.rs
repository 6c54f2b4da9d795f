//! Validation: every number of a problem is checked once, here.

use super::{Body, BoundedRow, Contact, Friction, Inertia, Row, Tangents};
use crate::settings::{SYMMETRIC, UNIT};
use glam::DVec3;
use serde::Serialize;
use std::fmt;

/// A part of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// A body, by index.
    Body(usize),
    /// A contact, by index.
    Contact(usize),
    /// A bilateral row, by index.
    Bilateral(usize),
    /// A bounded row, by index.
    Bounded(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Body(i) => write!(f, "body {i}"),
            Place::Contact(i) => write!(f, "contact {i}"),
            Place::Bilateral(i) => write!(f, "bilateral row {i}"),
            Place::Bounded(i) => write!(f, "bounded row {i}"),
        }
    }
}

/// Why a problem is rejected: the place, the field and the value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum ProblemError {
    /// A NaN or an infinity.
    #[error("{place}: {field} is {value}, must be finite")]
    NotFinite { place: Place, field: &'static str, value: f64 },
    /// A body index past the end.
    #[error("{place}: {field} is {index}, but there are {count} bodies")]
    OutOfRange { place: Place, field: &'static str, index: usize, count: usize },
    /// A direction that is not a unit vector.
    #[error("{place}: {field} has length {length}, must be 1")]
    NotUnit { place: Place, field: &'static str, length: f64 },
    /// A tangent that is not in the tangent plane.
    #[error("{place}: {field} is not tangent: its component along the normal is {component}")]
    NotTangent { place: Place, field: &'static str, component: f64 },
    /// A quantity that must not be negative.
    #[error("{place}: {field} is {value}, must not be negative")]
    Negative { place: Place, field: &'static str, value: f64 },
    /// A quantity that must be positive.
    #[error("{place}: {field} is {value}, must be positive")]
    NotPositive { place: Place, field: &'static str, value: f64 },
    /// An inertia that differs from its transpose.
    #[error(
        "{place}: {field} is not symmetric: entries ({row}, {column}) are {value} and {mirror}"
    )]
    NotSymmetric {
        place: Place,
        field: &'static str,
        row: usize,
        column: usize,
        value: f64,
        mirror: f64,
    },
    /// An inertia with a negative (or, where mass is given, zero) eigenvalue.
    #[error("{place}: {field} is not positive definite (diagonal {diagonal:?})")]
    NotPositiveDefinite { place: Place, field: &'static str, diagonal: Vec<f64> },
    /// A constraint of a body with itself.
    #[error("{place}: a and b are both body {index}")]
    SameBody { place: Place, index: usize },
    /// A constraint between bodies that cannot move.
    #[error("{place}: neither of its bodies can move")]
    Immovable { place: Place },
    /// Bounds that exclude each other.
    #[error("{place}: lower bound {lower} is above upper bound {upper}")]
    EmptyBounds { place: Place, lower: f64, upper: f64 },
    /// The number of velocities is not that of the bodies.
    #[error("{given} velocities are given, but there are {count} bodies")]
    Velocities { given: usize, count: usize },
}

impl ProblemError {
    /// The place of the error.
    pub fn place(&self) -> Place {
        match *self {
            ProblemError::NotFinite { place, .. }
            | ProblemError::OutOfRange { place, .. }
            | ProblemError::NotUnit { place, .. }
            | ProblemError::NotTangent { place, .. }
            | ProblemError::Negative { place, .. }
            | ProblemError::NotPositive { place, .. }
            | ProblemError::NotSymmetric { place, .. }
            | ProblemError::NotPositiveDefinite { place, .. }
            | ProblemError::SameBody { place, .. }
            | ProblemError::Immovable { place }
            | ProblemError::EmptyBounds { place, .. } => place,
            ProblemError::Velocities { given, count } => Place::Body(given.min(count)),
        }
    }

    /// The field in error, if there is one.
    pub fn field(&self) -> Option<&'static str> {
        match *self {
            ProblemError::NotFinite { field, .. }
            | ProblemError::OutOfRange { field, .. }
            | ProblemError::NotUnit { field, .. }
            | ProblemError::NotTangent { field, .. }
            | ProblemError::Negative { field, .. }
            | ProblemError::NotPositive { field, .. }
            | ProblemError::NotSymmetric { field, .. }
            | ProblemError::NotPositiveDefinite { field, .. } => Some(field),
            ProblemError::SameBody { .. } | ProblemError::Immovable { .. } => Some("b"),
            ProblemError::EmptyBounds { .. } => Some("lower"),
            ProblemError::Velocities { .. } => Some("velocity"),
        }
    }
}

type Checked = Result<(), ProblemError>;

fn finite(place: Place, field: &'static str, values: &[f64]) -> Checked {
    match values.iter().find(|x| !x.is_finite()) {
        Some(&value) => Err(ProblemError::NotFinite { place, field, value }),
        None => Ok(()),
    }
}

pub(super) fn bodies(bodies: &[Body]) -> Checked {
    for (i, body) in bodies.iter().enumerate() {
        let place = Place::Body(i);
        finite(place, "position", &body.position)?;
        let (field, given) = match &body.inertia {
            Inertia::Fixed => {
                finite(place, "free_response", &body.free_response)?;
                continue;
            }
            Inertia::Inverse(inverse) => ("inverse_inertia", inverse.as_flattened()),
            Inertia::Rigid { mass, inertia } => {
                finite(place, "mass", &[*mass])?;
                if *mass <= 0.0 {
                    return Err(ProblemError::NotPositive { place, field: "mass", value: *mass });
                }
                ("inertia", inertia.as_flattened())
            }
        };
        finite(place, field, given)?;
        let size = if given.len() == 36 { 6 } else { 3 };
        symmetric(place, field, given, size)?;
        if is_dominant(&body.inertia) {
            finite(place, "free_response", &body.free_response)?;
            continue;
        }
        // A response that overflows is as useless as an infinite one.
        let inverse = body.inverse_inertia();
        if body.inertia.root().is_none() || inverse.as_flattened().iter().any(|x| !x.is_finite()) {
            let diagonal = (0..size).map(|k| given[k * (size + 1)]).collect();
            return Err(ProblemError::NotPositiveDefinite { place, field, diagonal });
        }
        finite(place, "free_response", &body.free_response)?;
    }
    Ok(())
}

/// Whether an inverse has a root for sure: every diagonal entry is larger than all others of its row
/// together (Gershgorin), twice as large for rounding. Most inverses of bodies are of this kind.
fn is_dominant(inertia: &Inertia) -> bool {
    let Inertia::Inverse(inverse) = inertia else { return false };
    inverse.iter().enumerate().all(|(i, row)| {
        let all = row.iter().map(|x| x.abs()).sum::<f64>();
        let others = all - row[i].abs();
        row[i] > 2.0 * others && all.is_finite()
    })
}

fn symmetric(place: Place, field: &'static str, given: &[f64], size: usize) -> Checked {
    let at = |i: usize, j: usize| given[i * size + j];
    for row in 0..size {
        for column in 0..row {
            let (value, mirror) = (at(row, column), at(column, row));
            let diagonal = at(row, row).abs().sqrt() * at(column, column).abs().sqrt();
            if (value - mirror).abs() > SYMMETRIC * diagonal {
                return Err(ProblemError::NotSymmetric {
                    place,
                    field,
                    row,
                    column,
                    value,
                    mirror,
                });
            }
        }
    }
    Ok(())
}

fn pair(place: Place, bodies: &[Body], a: usize, b: Option<usize>) -> Checked {
    let count = bodies.len();
    if a >= count {
        return Err(ProblemError::OutOfRange { place, field: "a", index: a, count });
    }
    if let Some(b) = b {
        if b >= count {
            return Err(ProblemError::OutOfRange { place, field: "b", index: b, count });
        }
        if a == b {
            return Err(ProblemError::SameBody { place, index: a });
        }
    }
    Ok(())
}

/// Normalises `direction`, and makes it tangent to `normal` if one is given.
fn direction(
    place: Place,
    field: &'static str,
    direction: &mut [f64; 3],
    normal: Option<DVec3>,
) -> Checked {
    finite(place, field, &direction[..])?;
    let given = DVec3::from_array(*direction);
    let length = given.length();
    if (length - 1.0).abs() > UNIT {
        return Err(ProblemError::NotUnit { place, field, length });
    }
    let mut unit = given;
    if let Some(normal) = normal {
        let component = given.dot(normal);
        if component.abs() > UNIT {
            return Err(ProblemError::NotTangent { place, field, component });
        }
        if component.abs() > 4.0 * f64::EPSILON {
            unit -= component * normal;
        }
    }
    if (unit.length() - 1.0).abs() > 4.0 * f64::EPSILON {
        unit = unit.normalize();
    }
    *direction = unit.to_array();
    Ok(())
}

fn coefficient(place: Place, field: &'static str, value: f64) -> Checked {
    finite(place, field, &[value])?;
    if value < 0.0 {
        return Err(ProblemError::Negative { place, field, value });
    }
    Ok(())
}

pub(super) fn contacts(bodies: &[Body], contacts: &mut [Contact]) -> Checked {
    for (i, contact) in contacts.iter_mut().enumerate() {
        let place = Place::Contact(i);
        pair(place, bodies, contact.a, contact.b)?;
        finite(place, "point", &contact.point)?;
        finite(place, "bias", &contact.bias)?;
        direction(place, "normal", &mut contact.normal, None)?;
        let normal = DVec3::from_array(contact.normal);
        if let Tangents::Line(tangent) = &mut contact.tangents {
            direction(place, "tangent", tangent, Some(normal))?;
        }
        match &mut contact.friction {
            Friction::Frictionless => {}
            Friction::Static { friction } => coefficient(place, "friction", *friction)?,
            Friction::Sliding { friction, direction: slip } => {
                coefficient(place, "friction", *friction)?;
                direction(place, "direction", slip, Some(normal))?;
            }
            Friction::Coulomb { static_friction, dynamic_friction } => {
                coefficient(place, "static_friction", *static_friction)?;
                coefficient(place, "dynamic_friction", *dynamic_friction)?;
            }
        }
        if bodies[contact.a].is_fixed() && contact.b.is_none_or(|b| bodies[b].is_fixed()) {
            return Err(ProblemError::Immovable { place });
        }
    }
    Ok(())
}

fn row(place: Place, bodies: &[Body], row: &Row) -> Checked {
    pair(place, bodies, row.a, row.b)?;
    finite(place, "on_a", &row.on_a)?;
    finite(place, "on_b", &row.on_b)?;
    finite(place, "bias", &[row.bias])
}

pub(super) fn bilateral(bodies: &[Body], rows: &[Row]) -> Checked {
    rows.iter().enumerate().try_for_each(|(i, r)| row(Place::Bilateral(i), bodies, r))
}

pub(super) fn bounded(bodies: &[Body], rows: &[BoundedRow]) -> Checked {
    for (i, bounded) in rows.iter().enumerate() {
        let place = Place::Bounded(i);
        row(place, bodies, &bounded.row)?;
        let (lower, upper) = (bounded.lower, bounded.upper);
        for (field, value) in [("lower", lower), ("upper", upper)] {
            if value.is_nan() {
                return Err(ProblemError::NotFinite { place, field, value });
            }
        }
        if lower > upper || lower == f64::INFINITY || upper == f64::NEG_INFINITY {
            return Err(ProblemError::EmptyBounds { place, lower, upper });
        }
    }
    Ok(())
}
