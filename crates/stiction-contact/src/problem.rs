//! The contact problem: all the data a solver may use, and nothing else.
//!
//! It consists of bodies and the points where they push on each other. It has no shapes, no
//! joints and no time, so it can be saved, sent, fuzzed and solved by any program. See
//! `docs/notation.md` for frames, signs and units.
//!
//! ```text
//!   response of body      v  = free_response + inertia⁻¹ · Σ wrenches
//!   response at contact   u  = v_a(point) − v_b(point) + bias
//! ```
//!
//! The laws of contact are conditions on `u`: `u · normal ≥ 0` and so on. [`Level`] says
//! whether forces are forces or impulses, and responses accelerations or velocities; the
//! algebra is the same.

mod inertia;
mod islands;
mod validate;

pub use inertia::Inertia;
pub use islands::Island;
pub use validate::{Place, ProblemError};

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The quantities that forces and responses stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Forces (N) cause accelerations (m/s²): Baraff 1989–1994, Faure.
    Acceleration,
    /// Impulses (N·s) over a step cause end-of-step velocities (m/s): Lloyd.
    Velocity,
    /// Impulses (N·s) of a collision cause the velocities after it (m/s).
    Impact,
    /// Forces (N) cause velocities (m/s): dynamics without inertia.
    FirstOrder,
}

impl Level {
    /// The unit of a contact force at this level.
    pub fn force_unit(self) -> &'static str {
        match self {
            Level::Acceleration | Level::FirstOrder => "N",
            Level::Velocity | Level::Impact => "N·s",
        }
    }

    /// The unit of a response at this level.
    pub fn response_unit(self) -> &'static str {
        match self {
            Level::Acceleration => "m/s²",
            Level::Velocity | Level::Impact | Level::FirstOrder => "m/s",
        }
    }

    /// The name of a response at this level.
    pub fn response_name(self) -> &'static str {
        match self {
            Level::Acceleration => "acceleration",
            Level::Velocity | Level::Impact | Level::FirstOrder => "velocity",
        }
    }
}

/// A rigid body, described at its centre of mass in world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Centre of mass (m).
    pub position: [f64; 3],
    /// Its mass and inertia, as given.
    pub inertia: Inertia,
    /// `[linear; angular]` response when every constraint force is zero.
    pub free_response: [f64; 6],
}

impl Body {
    /// A free rigid body of the given mass (kg) and inertia (kg·m², world
    /// axes, about the centre of mass), with no free response yet.
    ///
    /// [`ContactProblem::new`] rejects a mass that is not positive and an inertia that is not
    /// positive definite.
    pub fn rigid(mass: f64, inertia: [[f64; 3]; 3], position: [f64; 3]) -> Self {
        Body { position, inertia: Inertia::Rigid { mass, inertia }, free_response: [0.0; 6] }
    }

    /// A body given by its response to a unit wrench `[force; torque]`, with no free response
    /// yet. The matrix is symmetric, positive semidefinite, and zero where the body cannot
    /// move.
    pub fn with_inverse_inertia(inverse: [[f64; 6]; 6], position: [f64; 3]) -> Self {
        Body { position, inertia: Inertia::Inverse(inverse), free_response: [0.0; 6] }
    }

    /// A body that no force moves.
    pub fn fixed(position: [f64; 3]) -> Self {
        Body { position, inertia: Inertia::Fixed, free_response: [0.0; 6] }
    }

    /// The same body with this free response.
    #[must_use]
    pub fn with_free_response(mut self, free_response: [f64; 6]) -> Self {
        self.free_response = free_response;
        self
    }

    /// Whether no force can move this body.
    pub fn is_fixed(&self) -> bool {
        self.inertia.is_fixed()
    }

    /// Response to a unit wrench `[force; torque]`.
    pub fn inverse_inertia(&self) -> [[f64; 6]; 6] {
        self.inertia.inverse()
    }
}

/// The friction law of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Friction {
    /// No friction.
    Frictionless,
    /// The bodies do not slip at present: the friction force lies in the cone and opposes the
    /// tangential response, at its limit if that is not zero.
    Static {
        /// Friction coefficient μ.
        friction: f64,
    },
    /// The bodies slip along `direction` at present: the friction force is `−friction · normal
    /// force · direction`, whatever the response.
    Sliding {
        /// Friction coefficient μ.
        friction: f64,
        /// Unit vector, tangent to the surface: velocity of `a` relative to `b`.
        direction: [f64; 3],
    },
    /// Coulomb's law on the response itself (the end-of-step velocity): sticks
    /// below the static limit, slips at the dynamic one.
    Coulomb {
        /// Limit of |friction| / normal force while sticking.
        static_friction: f64,
        /// Ratio of |friction| / normal force while slipping.
        dynamic_friction: f64,
    },
}

impl Friction {
    /// Coulomb's law with one coefficient.
    pub fn coulomb(friction: f64) -> Self {
        Friction::Coulomb { static_friction: friction, dynamic_friction: friction }
    }

    /// Largest |friction| / normal force that the law allows.
    pub fn limit(&self) -> f64 {
        match *self {
            Friction::Frictionless => 0.0,
            Friction::Static { friction } | Friction::Sliding { friction, .. } => friction,
            Friction::Coulomb { static_friction, .. } => static_friction,
        }
    }

    /// Whether the tangential force is an unknown of its own.
    pub fn has_tangent_unknowns(&self) -> bool {
        !matches!(self, Friction::Sliding { .. }) && self.limit() > 0.0
    }
}

/// The directions of friction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tangents {
    /// Anywhere in the tangent plane: the round cone.
    Plane,
    /// Only along this unit vector: planar scenes.
    Line([f64; 3]),
}

/// A point where two bodies touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// The body that the normal points into.
    pub a: usize,
    /// The other body; `None` is the fixed world.
    pub b: Option<usize>,
    /// Where they touch (m).
    pub point: [f64; 3],
    /// Unit vector from `b` into `a`.
    pub normal: [f64; 3],
    /// The friction law.
    pub friction: Friction,
    /// The directions of friction.
    pub tangents: Tangents,
    /// Added to the response of `a` relative to `b` (world axes): velocity-dependent terms, gap
    /// over step, restitution.
    pub bias: [f64; 3],
}

impl Contact {
    /// A contact of `a` with `b` under this friction law, in 3D, without bias.
    pub fn new(
        a: usize,
        b: Option<usize>,
        point: [f64; 3],
        normal: [f64; 3],
        friction: Friction,
    ) -> Self {
        Contact { a, b, point, normal, friction, tangents: Tangents::Plane, bias: [0.0; 3] }
    }

    /// The same contact with friction along one line only.
    #[must_use]
    pub fn planar(mut self, tangent: [f64; 3]) -> Self {
        self.tangents = Tangents::Line(tangent);
        self
    }

    /// The same contact with this bias.
    #[must_use]
    pub fn with_bias(mut self, bias: [f64; 3]) -> Self {
        self.bias = bias;
        self
    }

    /// Two unit vectors that complete the frame.
    ///
    /// `t₁` is the axis least aligned with the normal, projected onto the tangent plane (the
    /// smallest index on ties within 1e-12), `t₂ = n × t₁`. For planar contacts `t₁` is the
    /// given line. No answer may depend on this choice.
    pub fn frame(&self) -> [DVec3; 2] {
        let normal = DVec3::from_array(self.normal);
        let first = match self.tangents {
            Tangents::Line(tangent) => DVec3::from_array(tangent),
            Tangents::Plane => {
                let size = normal.abs();
                let least = size.min_element() + 1e-12;
                let axis = (0..3).find(|&k| size[k] <= least).unwrap_or(0);
                let axis = DVec3::AXES[axis];
                (axis - normal.dot(axis) * normal).normalize()
            }
        };
        [first, normal.cross(first)]
    }
}

/// One scalar constraint over at most two bodies.
///
/// Its response is `on_a · v_a + on_b · v_b + bias`; its force acts on the
/// bodies as the wrenches `force · on_a` and `force · on_b`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// First body.
    pub a: usize,
    /// `[force; torque]` on the first body per unit of this row's force.
    pub on_a: [f64; 6],
    /// Second body; `None` is the fixed world.
    pub b: Option<usize>,
    /// The same for the second body.
    pub on_b: [f64; 6],
    /// Added to the response (minus the target).
    pub bias: f64,
}

/// A row whose force keeps its response as near zero as its bounds allow:
/// motors, limits, dry friction in joints.
///
/// ```text
///   force = lower ⇒ response ≥ 0,   force = upper ⇒ response ≤ 0,   else response = 0
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundedRow {
    /// The constraint.
    pub row: Row,
    /// Least force, may be −∞.
    pub lower: f64,
    /// Greatest force, may be ∞.
    pub upper: f64,
}

/// Bodies and constraints with unknown forces, checked when built.
///
/// Built by [`ContactProblem::new`] and immutable afterwards: its numbers are finite, its
/// indices in range and its normals unit vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactProblem {
    level: Level,
    resolution: f64,
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
    bilateral: Vec<Row>,
    bounded: Vec<BoundedRow>,
}

impl ContactProblem {
    /// Checks and stores the parts of a problem.
    ///
    /// Normals, tangents and slip directions within `1e-6` of unit length are normalised (and
    /// made tangent); anything farther off is rejected.
    ///
    /// # Errors
    ///
    /// [`ProblemError`] names the body, contact or row, the field and the value.
    pub fn new(
        level: Level,
        bodies: Vec<Body>,
        mut contacts: Vec<Contact>,
        bilateral: Vec<Row>,
        bounded: Vec<BoundedRow>,
    ) -> Result<Self, ProblemError> {
        validate::bodies(&bodies)?;
        validate::contacts(&bodies, &mut contacts)?;
        validate::bilateral(&bodies, &bilateral)?;
        validate::bounded(&bodies, &bounded)?;
        Ok(ContactProblem { level, resolution: 0.0, bodies, contacts, bilateral, bounded })
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The same problem with a resolution: the least response (m/s², or m/s) that violations
    /// are compared with. Steppers give the acceleration of gravity, or the velocity it
    /// produces in one step. A value that is not a positive number means no resolution.
    #[must_use]
    pub fn with_resolution(mut self, response: f64) -> Self {
        self.resolution = if response > 0.0 && response.is_finite() { response } else { 0.0 };
        self
    }

    /// The least response that violations are compared with (m/s², or m/s).
    pub fn resolution(&self) -> f64 {
        self.resolution
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The contacts.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Rows whose response must be zero, with a force of any sign.
    pub fn bilateral(&self) -> &[Row] {
        &self.bilateral
    }

    /// Rows with bounded force.
    pub fn bounded(&self) -> &[BoundedRow] {
        &self.bounded
    }

    /// The same problem with other friction laws, one per contact.
    #[must_use]
    pub fn with_friction(&self, law: impl Fn(usize, &Contact) -> Friction) -> Self {
        let mut problem = self.clone();
        for (i, contact) in problem.contacts.iter_mut().enumerate() {
            contact.friction = law(i, &self.contacts[i]);
        }
        problem
    }

    /// The collision of the same bodies with these velocities, one per body: impulses instead
    /// of forces, velocities instead of accelerations.
    ///
    /// Contacts and bilateral rows stay. Acceleration terms are replaced by velocities:
    /// contacts lose their bias, and a bilateral row keeps its current velocity. Bounded rows
    /// are dropped, since finite forces have no impulse. A body with prescribed motion keeps
    /// that motion.
    ///
    /// # Errors
    ///
    /// [`ProblemError`] if a velocity is not finite, or their number is not that of the bodies.
    pub fn at_impact(&self, velocities: &[[f64; 6]]) -> Result<Self, ProblemError> {
        let (given, count) = (velocities.len(), self.bodies.len());
        if given != count {
            return Err(ProblemError::Velocities { given, count });
        }
        let bodies = self.bodies.iter().zip(velocities);
        let bodies = bodies.map(|(body, &v)| body.clone().with_free_response(v)).collect();
        let contacts = self.contacts.iter().cloned().map(|c| c.with_bias([0.0; 3])).collect();
        let along = |on: &[f64; 6], body: usize| -> f64 {
            on.iter().zip(&velocities[body]).map(|(x, v)| x * v).sum()
        };
        let row = |row: &Row| {
            let speed = along(&row.on_a, row.a) + row.b.map_or(0.0, |b| along(&row.on_b, b));
            Row { bias: -speed, ..row.clone() }
        };
        let bilateral = self.bilateral.iter().map(row).collect();
        ContactProblem::new(Level::Impact, bodies, contacts, bilateral, vec![])
    }

    /// The parts, to build another problem from.
    pub fn into_parts(self) -> (Level, Vec<Body>, Vec<Contact>, Vec<Row>, Vec<BoundedRow>) {
        (self.level, self.bodies, self.contacts, self.bilateral, self.bounded)
    }
}
