//! The problem as scaled scalar rows, for all solvers.
//!
//! Each unknown force is a row `j` (12 numbers: its effect on two bodies) with
//! a force `f` and a response `a`:
//!
//! ```text
//!   a = A f + b,     A = J M⁻¹ Jᵀ        Baraff 1994, eq. 1 and 18
//! ```
//!
//! `A` is never formed. With `M⁻¹ = S Sᵀ` the rows are kept as `j S`; then
//! `A f` is one pass from forces to bodies and one back: `J (Jᵀ f)`, O(n).
//!
//! Rows are scaled per contact so that the largest diagonal entry of `A` at each contact is
//! one, and all together so that the largest free motion is one: results are the same in metres
//! or millimetres, grams or tonnes. Normal and tangent rows of a contact share one scale, so
//! cones stay round.

mod bodies;
mod sweep;

pub(crate) use bodies::Bodies;

use bodies::WIDTH;
use glam::DVec3;
use std::hash::{DefaultHasher, Hash, Hasher};
use stiction_contact::judge::Response;
use stiction_contact::{ContactForce, ContactProblem, Forces, Friction, Place, Row, Tangents};

/// Effect of a unit force on two bodies.
pub(crate) type Pair = [[f64; WIDTH]; 2];

/// Rows of one contact: the normal, then its tangents.
pub(crate) struct ContactRows {
    /// Index of the normal row.
    pub normal: usize,
    /// Number of tangent rows after it.
    pub tangents: usize,
    /// Friction coefficient of the tangent rows.
    pub friction: f64,
    /// World directions of the tangent rows.
    frame: [DVec3; 2],
    /// World direction and size of friction per unit normal force, if the contact already
    /// slides.
    drag: DVec3,
    /// Whether it slides: the column of the normal row then differs from the row.
    pub slides: bool,
    /// Response of the normal row to its own column.
    pub diagonal: f64,
}

pub(crate) struct Rows {
    /// `j S`, scaled.
    pub row: Vec<Pair>,
    /// The same as a column: differs where friction is tied to the normal force.
    pub column: Vec<Pair>,
    /// The two bodies of each row, as indices into the moving ones.
    pub bodies: Vec<[u32; 2]>,
    /// `b`
    pub bias: Vec<f64>,
    /// Size of the free motion at each row, which violations are compared with.
    pub local: Vec<f64>,
    /// Physical force per unit of scaled force.
    unit: Vec<f64>,
    /// Size of the free motion, the unit of all responses.
    size: f64,
    pub contacts: Vec<ContactRows>,
    /// First bilateral row.
    pub bilateral: usize,
    /// First bounded row.
    pub bounded: usize,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    /// Number of moving bodies, plus one that represents all fixed ones.
    pub body_count: usize,
    /// Whether every column equals its row.
    pub symmetric: bool,
}

/// A row before scaling.
#[derive(Clone, Copy)]
struct Raw {
    row: Pair,
    column: Pair,
    bodies: [u32; 2],
    bias: f64,
    /// Largest free motion of its bodies at this point.
    free: f64,
}

impl Raw {
    /// A row without effect.
    const NONE: Raw = Raw {
        row: [[0.0; WIDTH]; 2],
        column: [[0.0; WIDTH]; 2],
        bodies: [0; 2],
        bias: 0.0,
        free: 0.0,
    };
}

struct Builder<'a> {
    problem: &'a ContactProblem,
    /// Of the bodies that rows act on; zero for others.
    roots: Vec<[[f64; 6]; 6]>,
    /// Index of each body among the moving ones; `still` for the others.
    moving: Vec<u32>,
    still: u32,
}

impl Builder<'_> {
    /// A row from its wrenches on two bodies.
    fn raw(&self, a: usize, on_a: [f64; 6], b: Option<usize>, on_b: [f64; 6], bias: f64) -> Raw {
        let mut raw = Raw { bodies: [self.still; 2], bias, free: bias.abs(), ..Raw::NONE };
        for (side, body, on) in [(0, Some(a), on_a), (1, b, on_b)] {
            let Some(body) = body else { continue };
            raw.bodies[side] = self.moving[body];
            let root = &self.roots[body];
            for j in 0..6 {
                raw.row[side][j] = (j..6).map(|i| on[i] * root[i][j]).sum();
            }
            let free = &self.problem.bodies()[body].free_response;
            let moved: f64 = on.iter().zip(free).map(|(x, v)| x * v).sum();
            raw.bias += moved;
            raw.free = raw.free.max(moved.abs());
        }
        raw.column = raw.row;
        raw
    }

    /// The row of a contact along a direction.
    fn along(&self, contact: &stiction_contact::Contact, direction: DVec3) -> Raw {
        let on = |body: usize, direction: DVec3| {
            let arm = DVec3::from_array(contact.point)
                - DVec3::from_array(self.problem.bodies()[body].position);
            let torque = arm.cross(direction);
            [direction.x, direction.y, direction.z, torque.x, torque.y, torque.z]
        };
        let on_b = contact.b.map_or([0.0; 6], |b| on(b, -direction));
        let bias = DVec3::from_array(contact.bias).dot(direction);
        self.raw(contact.a, on(contact.a, direction), contact.b, on_b, bias)
    }
}

/// Product of a row with a column over the same bodies.
pub(crate) fn product(x: &Pair, y: &Pair) -> f64 {
    x.as_flattened().iter().zip(y.as_flattened()).map(|(x, y)| x * y).sum()
}

fn combine(p: f64, x: &Pair, q: f64, y: &Pair) -> Pair {
    std::array::from_fn(|i| std::array::from_fn(|k| p * x[i][k] + q * y[i][k]))
}

impl Rows {
    /// Hash of everything except the free motion: rows, columns and the bodies they act on.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.bodies.hash(&mut hasher);
        for pair in self.row.iter().chain(self.column.iter().filter(|_| !self.symmetric)) {
            for number in pair.as_flattened() {
                hasher.write_u64(number.to_bits());
            }
        }
        hasher.finish()
    }

    pub(crate) fn new(problem: &ContactProblem) -> Self {
        let builder = builder(problem);
        let most =
            3 * problem.contacts().len() + problem.bilateral().len() + problem.bounded().len();
        let mut rows = Rows {
            row: Vec::with_capacity(most),
            column: Vec::with_capacity(most),
            bodies: Vec::with_capacity(most),
            bias: Vec::with_capacity(most),
            local: Vec::with_capacity(most),
            unit: Vec::with_capacity(most),
            contacts: Vec::with_capacity(problem.contacts().len()),
            bilateral: 0,
            bounded: 0,
            lower: Vec::new(),
            upper: Vec::new(),
            body_count: builder.still as usize + 1,
            symmetric: true,
            size: 1.0,
        };
        for contact in problem.contacts() {
            rows.push_contact(&builder, contact);
        }
        rows.bilateral = rows.row.len();
        let raw = |row: &Row| builder.raw(row.a, row.on_a, row.b, row.on_b, row.bias);
        problem.bilateral().iter().for_each(|row| rows.push(&[raw(row)]));
        rows.bounded = rows.row.len();
        for bounded in problem.bounded() {
            rows.push(&[raw(&bounded.row)]);
            rows.lower.push(bounded.lower);
            rows.upper.push(bounded.upper);
        }
        rows.set_unit();
        rows
    }

    /// Adds the rows of a contact: the normal, then its tangents.
    fn push_contact(&mut self, builder: &Builder<'_>, contact: &stiction_contact::Contact) {
        let normal = DVec3::from_array(contact.normal);
        let tangents = match contact.tangents {
            _ if !contact.friction.has_tangent_unknowns() => 0,
            Tangents::Line(_) => 1,
            Tangents::Plane => 2,
        };
        let frame = if tangents == 0 { [DVec3::ZERO; 2] } else { contact.frame() };
        let mut raws = [Raw::NONE; 3];
        raws[0] = builder.along(contact, normal);
        for k in 0..tangents {
            raws[1 + k] = builder.along(contact, frame[k]);
        }
        let mut drag = DVec3::ZERO;
        if let Friction::Sliding { friction, direction } = contact.friction {
            drag = -friction * DVec3::from_array(direction);
            raws[0].column = builder.along(contact, normal + drag).row;
            self.symmetric &= friction == 0.0;
        }
        self.contacts.push(ContactRows {
            normal: self.row.len(),
            tangents,
            friction: contact.friction.limit(),
            frame,
            drag,
            slides: drag != DVec3::ZERO,
            diagonal: 1.0,
        });
        self.push(&raws[..=tangents]);
        if let Some(last) = self.contacts.last_mut() {
            let r = last.normal;
            last.diagonal = product(&self.row[r], &self.column[r]);
        }
    }

    /// Scales and stores the rows of one contact.
    fn push(&mut self, raws: &[Raw]) {
        let largest = raws.iter().map(|raw| product(&raw.row, &raw.row)).fold(0.0, f64::max);
        let scale = if largest > 0.0 { largest.sqrt().recip() } else { 1.0 };
        let free = raws.iter().map(|raw| raw.free).fold(0.0, f64::max);
        for raw in raws {
            self.row.push(raw.row.map(|side| side.map(|x| x * scale)));
            self.column.push(raw.column.map(|side| side.map(|x| x * scale)));
            self.bodies.push(raw.bodies);
            self.bias.push(raw.bias * scale);
            self.local.push(free * scale);
            self.unit.push(scale);
        }
    }

    /// Divides everything by the size of the free motion.
    fn set_unit(&mut self) {
        let size = self.local.iter().copied().fold(0.0, f64::max);
        let size = if size > 0.0 { size } else { 1.0 };
        self.size = size;
        for r in 0..self.row.len() {
            self.bias[r] /= size;
            self.local[r] /= size;
            self.unit[r] *= size;
        }
        for (k, r) in (self.bounded..self.row.len()).enumerate() {
            self.lower[k] /= self.unit[r];
            self.upper[k] /= self.unit[r];
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.row.len()
    }

    /// A response in these units.
    pub(crate) fn scaled_response(&self, response: &Response) -> Vec<f64> {
        let mut values = vec![0.0; self.len()];
        let unit = |r: usize| self.unit[r] / (self.size * self.size);
        for (contact, u) in self.contacts.iter().zip(&response.contacts) {
            values[contact.normal] = u.normal * unit(contact.normal);
            for k in 0..contact.tangents {
                let r = contact.normal + 1 + k;
                values[r] = u.tangential.dot(contact.frame[k]) * unit(r);
            }
        }
        for (k, u) in response.bilateral.iter().chain(&response.bounded).enumerate() {
            let r = self.bilateral + k;
            values[r] = u * unit(r);
        }
        values
    }

    /// Rotates the tangent frame of a contact so that its first tangent is `cos t₁ + sin t₂`,
    /// and `values` (per row) with it. The rows must not be in the clamped block.
    pub(crate) fn turn(&mut self, contact: usize, cos: f64, sin: f64, values: &mut [&mut [f64]]) {
        let ContactRows { normal, tangents, frame, .. } = &mut self.contacts[contact];
        let (x, y) = (*normal + 1, *normal + 2);
        if *tangents == 1 {
            frame[0] *= cos;
            self.row[x] = combine(cos, &self.row[x], 0.0, &self.row[x]);
            self.bias[x] *= cos;
            for v in values {
                v[x] *= cos;
            }
        } else {
            let turned = |u: f64, v: f64| (cos * u + sin * v, cos * v - sin * u);
            *frame = [cos * frame[0] + sin * frame[1], cos * frame[1] - sin * frame[0]];
            (self.row[x], self.row[y]) = (
                combine(cos, &self.row[x], sin, &self.row[y]),
                combine(cos, &self.row[y], -sin, &self.row[x]),
            );
            (self.bias[x], self.bias[y]) = turned(self.bias[x], self.bias[y]);
            for v in values {
                (v[x], v[y]) = turned(v[x], v[y]);
            }
            self.column[y] = self.row[y];
        }
        self.column[x] = self.row[x];
    }

    /// Ties the first tangent force of a contact to its normal force, `f_t = μ f_n`, or unties
    /// it.
    pub(crate) fn tie(&mut self, contact: usize, tied: bool) {
        let ContactRows { normal, friction, .. } = self.contacts[contact];
        self.column[normal] = if tied {
            combine(1.0, &self.row[normal], friction, &self.row[normal + 1])
        } else {
            self.row[normal]
        };
    }

    /// The contact or row of the problem that a row belongs to.
    pub(crate) fn place(&self, row: usize) -> Place {
        if row >= self.bounded {
            Place::Bounded(row - self.bounded)
        } else if row >= self.bilateral {
            Place::Bilateral(row - self.bilateral)
        } else {
            Place::Contact(self.contacts.partition_point(|c| c.normal <= row) - 1)
        }
    }

    /// One entry of `A`: response of `row` to the column of `other`.
    pub(crate) fn entry(&self, row: usize, other: usize) -> f64 {
        let mut sum = 0.0;
        for (r, &body) in self.row[row].iter().zip(&self.bodies[row]) {
            for (c, &with) in self.column[other].iter().zip(&self.bodies[other]) {
                if body == with {
                    sum += r.iter().zip(c).map(|(r, c)| r * c).sum::<f64>();
                }
            }
        }
        sum
    }

    /// The response of every row to scaled forces, through the bodies. Friction tied to a
    /// normal force is part of its column.
    pub(crate) fn response(&self, force: &[f64]) -> Vec<f64> {
        let mut bodies = Bodies::at_rest(self.body_count);
        for (r, &f) in force.iter().enumerate() {
            if f != 0.0 {
                bodies.push(self, r, &self.column[r], f);
            }
        }
        (0..self.len()).map(|r| bodies.response(self, r) + self.bias[r]).collect()
    }

    /// A scaled response of a row as a physical one.
    pub(crate) fn physical_response(&self, row: usize, response: f64) -> f64 {
        response * self.size * self.size / self.unit[row]
    }

    /// A scaled force of a row as a physical one.
    pub(crate) fn physical_force(&self, row: usize, force: f64) -> f64 {
        force * self.unit[row]
    }

    /// A scaled product of force and response as a physical one.
    pub(crate) fn physical_work(&self, work: f64) -> f64 {
        work * self.size * self.size
    }

    /// Scaled row forces as physical ones.
    pub(crate) fn physical(&self, force: &[f64]) -> Forces {
        let value = |r: usize| force[r] * self.unit[r];
        let contact = |c: &ContactRows| {
            let normal = value(c.normal);
            let mut friction = normal * c.drag;
            for k in 0..c.tangents {
                friction += value(c.normal + 1 + k) * c.frame[k];
            }
            ContactForce { normal, friction: friction.to_array() }
        };
        Forces {
            contacts: self.contacts.iter().map(contact).collect(),
            bilateral: (self.bilateral..self.bounded).map(value).collect(),
            bounded: (self.bounded..self.len()).map(value).collect(),
        }
    }

    /// Physical forces as scaled row forces.
    pub(crate) fn scaled(&self, forces: &Forces, into: &mut [f64]) {
        for (c, force) in self.contacts.iter().zip(&forces.contacts) {
            into[c.normal] = force.normal / self.unit[c.normal];
            for k in 0..c.tangents {
                let r = c.normal + 1 + k;
                into[r] = DVec3::from_array(force.friction).dot(c.frame[k]) / self.unit[r];
            }
        }
        for (k, force) in forces.bilateral.iter().chain(&forces.bounded).enumerate() {
            into[self.bilateral + k] = force / self.unit[self.bilateral + k];
        }
    }
}

fn builder(problem: &ContactProblem) -> Builder<'_> {
    let mut moving = Vec::with_capacity(problem.bodies().len());
    let mut count = 0;
    for body in problem.bodies() {
        moving.push(if body.is_fixed() { u32::MAX } else { count });
        count += u32::from(!body.is_fixed());
    }
    let mut acted = vec![false; moving.len()];
    let contacts = problem.contacts().iter().map(|c| (c.a, c.b));
    let bounded = problem.bounded().iter().map(|bounded| &bounded.row);
    let rows = problem.bilateral().iter().chain(bounded).map(|row| (row.a, row.b));
    for (a, b) in contacts.chain(rows) {
        [Some(a), b].into_iter().flatten().for_each(|body| acted[body] = true);
    }
    let root = |(body, acted): (&stiction_contact::Body, &bool)| {
        acted.then(|| body.inertia.root()).flatten().unwrap_or_default()
    };
    let roots = problem.bodies().iter().zip(&acted).map(root).collect();
    let moving = moving.iter().map(|&m| m.min(count)).collect();
    Builder { problem, roots, moving, still: count }
}
