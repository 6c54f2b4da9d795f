//! Writes a problem as a file.

use super::{FORMAT, FileBody, FileContact, FileLaw, FileRow, Origin, ProblemFile, round};
use crate::{Body, Contact, ContactProblem, Friction, Inertia, Row, Tangents};

impl ProblemFile {
    /// Writes a problem as a file without loads.
    pub fn from_problem(problem: &ContactProblem, name: &str) -> Self {
        let infinity = f64::INFINITY;
        let bilateral = problem.bilateral().iter();
        let bounded = problem.bounded().iter();
        ProblemFile {
            format: FORMAT.into(),
            family: None,
            name: Some(name.into()),
            seed: None,
            level: problem.level(),
            h: None,
            d: round(),
            bodies: problem.bodies().iter().map(FileBody::new).collect(),
            contacts: problem.contacts().iter().map(FileContact::new).collect(),
            bilateral: bilateral.map(|r| FileRow::new(r, infinity, infinity)).collect(),
            bounded: bounded.map(|r| FileRow::new(&r.row, r.lower, r.upper)).collect(),
            loads: Vec::new(),
            origin: Origin::default(),
        }
    }
}

/// The index of the other body in a file; −1 is the fixed world.
fn other(b: Option<usize>) -> i64 {
    b.map_or(-1, |b| i64::try_from(b).unwrap_or(-1))
}

impl FileBody {
    fn new(b: &Body) -> Self {
        let mut written = FileBody {
            position: b.position,
            free_response: Some(b.free_response),
            ..FileBody::default()
        };
        match b.inertia {
            Inertia::Fixed => written.fixed = true,
            Inertia::Inverse(inverse) => written.inverse_inertia = Some(inverse),
            Inertia::Rigid { mass, inertia } => {
                (written.mass, written.inertia) = (Some(mass), Some(inertia));
            }
        }
        written
    }
}

impl FileContact {
    fn new(c: &Contact) -> Self {
        let (law, mu, mu_dynamic, direction) = match c.friction {
            Friction::Frictionless => (FileLaw::Frictionless, 0.0, None, None),
            Friction::Static { friction } => (FileLaw::Static, friction, None, None),
            Friction::Sliding { friction, direction } => {
                (FileLaw::Sliding, friction, None, Some(direction))
            }
            Friction::Coulomb { static_friction, dynamic_friction } => {
                let other = (dynamic_friction != static_friction).then_some(dynamic_friction);
                (FileLaw::Coulomb, static_friction, other, None)
            }
        };
        FileContact {
            a: c.a,
            b: other(c.b),
            point: c.point,
            normal: c.normal,
            mu,
            mu_dynamic,
            law: Some(law),
            direction,
            tangent: match c.tangents {
                Tangents::Plane => None,
                Tangents::Line(tangent) => Some(tangent),
            },
            bias: (c.bias != [0.0; 3]).then_some(c.bias),
        }
    }
}

impl FileRow {
    fn new(r: &Row, lower: f64, upper: f64) -> Self {
        FileRow {
            a: r.a,
            b: other(r.b),
            on_a: r.on_a,
            on_b: r.on_b,
            bias: r.bias,
            lower: lower.is_finite().then_some(lower),
            upper: upper.is_finite().then_some(upper),
        }
    }
}
