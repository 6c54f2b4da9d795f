//! Builds the problem of one load from a file, and reports errors with their lines.

use super::{FileError, FileLaw, FileRow, ProblemFile, locate};
use crate::{
    Body, BoundedRow, Contact, ContactProblem, Friction, Level, Place, ProblemError, Row, Tangents,
};

impl ProblemFile {
    /// The problem under load `load`.
    ///
    /// # Errors
    ///
    /// [`FileError`] with the line of an invalid value.
    pub fn problem(&self, load: usize) -> Result<ContactProblem, FileError> {
        if load >= self.len() {
            let (file, count) = (self.origin.file.clone(), self.len());
            return Err(FileError::NoSuchLoad { file, load, count });
        }
        let added = self.loads.get(load);
        if let Some(load_entry) = added {
            let field = format!("loads[{load}].body");
            if load_entry.body >= self.bodies.len() {
                let message =
                    format!("is {}, but there are {} bodies", load_entry.body, self.bodies.len());
                return Err(self.fault(&field, message));
            }
        }
        let bodies = (0..self.bodies.len())
            .map(|i| self.body(i, added.filter(|l| l.body == i).map(|l| &l.wrench)))
            .collect::<Result<Vec<_>, _>>()?;
        let contacts =
            (0..self.contacts.len()).map(|i| self.contact(i)).collect::<Result<Vec<_>, _>>()?;
        let row = |list: &str, i: usize, r: &FileRow| {
            Ok(Row {
                a: r.a,
                on_a: r.on_a,
                b: self.other(&format!("{list}[{i}].b"), r.b)?,
                on_b: r.on_b,
                bias: r.bias,
            })
        };
        let bilateral = self.bilateral.iter().enumerate();
        let bilateral = bilateral
            .map(|(i, r)| row("bilateral", i, r))
            .collect::<Result<Vec<_>, FileError>>()?;
        let bounded = self.bounded.iter().enumerate();
        let bounded = bounded
            .map(|(i, r)| {
                Ok(BoundedRow {
                    row: row("bounded", i, r)?,
                    lower: r.lower.unwrap_or(f64::NEG_INFINITY),
                    upper: r.upper.unwrap_or(f64::INFINITY),
                })
            })
            .collect::<Result<Vec<_>, FileError>>()?;
        ContactProblem::new(self.level, bodies, contacts, bilateral, bounded)
            .map_err(|error| self.problem_fault(&error))
    }

    /// A body with the wrench of the load added, at the file's level:
    ///
    /// ```text
    ///   acceleration, first-order   free = M⁻¹ wrench
    ///   velocity                    free = velocity + h M⁻¹ wrench
    ///   impact                      free = velocity + M⁻¹ wrench
    /// ```
    fn body(&self, i: usize, added: Option<&[f64; 6]>) -> Result<Body, FileError> {
        let given = &self.bodies[i];
        let field = |name: &str| format!("bodies[{i}].{name}");
        let mut body = match (given.fixed, given.inverse_inertia, given.mass, given.inertia) {
            (true, ..) => Body::fixed(given.position),
            (_, Some(inverse), None, None) => Body::with_inverse_inertia(inverse, given.position),
            (_, None, Some(mass), Some(inertia)) => Body::rigid(mass, inertia, given.position),
            _ => {
                let message = "needs mass and inertia, or inverse_inertia, or \"fixed\": true";
                return Err(self.fault(&format!("bodies[{i}]"), message.into()));
            }
        };
        let step = match self.level {
            Level::Velocity => match self.h {
                Some(h) if h > 0.0 && h.is_finite() => h,
                Some(h) => return Err(self.fault("h", format!("is {h}, must be positive"))),
                None if given.wrench.is_none() && added.is_none() => 0.0,
                None => return Err(self.fault("h", "is needed at velocity level".into())),
            },
            _ => 1.0,
        };
        let moves = matches!(self.level, Level::Velocity | Level::Impact);
        let wrench = given.wrench.unwrap_or_default();
        let added = added.copied().unwrap_or_default();
        let start = given.velocity.filter(|_| moves).unwrap_or_default();
        let pushed = body.inertia.response(&std::array::from_fn(|k| wrench[k] + added[k]));
        body.free_response = std::array::from_fn(|row| start[row] + step * pushed[row]);
        if let Some(free) = given.free_response {
            if given.wrench.is_some() || moves && given.velocity.is_some() {
                let message =
                    if moves { "excludes velocity and wrench" } else { "excludes wrench" };
                let message = message.into();
                return Err(self.fault(&field("free_response"), message));
            }
            body.free_response = std::array::from_fn(|k| body.free_response[k] + free[k]);
        }
        Ok(body)
    }

    fn contact(&self, i: usize) -> Result<Contact, FileError> {
        let given = &self.contacts[i];
        let field = |name: &str| format!("contacts[{i}].{name}");
        let law = given.law.unwrap_or(match self.level {
            _ if self.d == 0 => FileLaw::Frictionless,
            Level::Acceleration | Level::FirstOrder => FileLaw::Static,
            Level::Velocity | Level::Impact => FileLaw::Coulomb,
        });
        let friction = match law {
            FileLaw::Frictionless => Friction::Frictionless,
            FileLaw::Static => Friction::Static { friction: given.mu },
            FileLaw::Sliding => Friction::Sliding {
                friction: given.mu,
                direction: given.direction.ok_or_else(|| {
                    self.fault(
                        &format!("contacts[{i}]"),
                        "a sliding contact needs a direction".into(),
                    )
                })?,
            },
            FileLaw::Coulomb => Friction::Coulomb {
                static_friction: given.mu,
                dynamic_friction: given.mu_dynamic.unwrap_or(given.mu),
            },
        };
        Ok(Contact {
            a: given.a,
            b: self.other(&field("b"), given.b)?,
            point: given.point,
            normal: given.normal,
            friction,
            tangents: given.tangent.map_or(Tangents::Plane, Tangents::Line),
            bias: given.bias.unwrap_or_default(),
        })
    }

    fn other(&self, field: &str, b: i64) -> Result<Option<usize>, FileError> {
        match usize::try_from(b) {
            Ok(b) => Ok(Some(b)),
            Err(_) if b == -1 => Ok(None),
            Err(_) => Err(self.fault(field, format!("is {b}, must be a body or -1 for the world"))),
        }
    }

    fn problem_fault(&self, error: &ProblemError) -> FileError {
        let path = match error.place() {
            Place::Body(i) => format!("bodies[{i}]"),
            Place::Contact(i) => format!("contacts[{i}]"),
            Place::Bilateral(i) => format!("bilateral[{i}]"),
            Place::Bounded(i) => format!("bounded[{i}]"),
        };
        let name = match error.field() {
            Some("friction" | "static_friction") => "mu",
            Some("dynamic_friction") => "mu_dynamic",
            Some(field) => field,
            None => "",
        };
        let full = format!("{path}.{name}");
        let message = error.to_string();
        let message = message.split_once(": ").map_or(message.as_str(), |(_, rest)| rest);
        // A field that the file does not contain is reported at the line of the object it
        // belongs to.
        let found = locate::line(&self.origin.text, &full).is_some();
        self.fault(if found { &full } else { &path }, message.to_owned())
    }
}
