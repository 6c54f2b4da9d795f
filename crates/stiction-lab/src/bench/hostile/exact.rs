//! Checks answers in 300 bits from the data of the file, without the judge or anything else of
//! the library.
//!
//! ```text
//!   v = v_free + M⁻¹ Σ wrenches          u = v_a(p) − v_b(p) + bias
//! ```
//!
//! A residual at a contact is relative to (`laws.rs`):
//!
//! ```text
//!   least  = min(own, |q| + T)
//!   own    = |v_free,a(p)| + |v_free,b(p)| + |bias|
//!   q      = v_free,a(p) − v_free,b(p) + bias, its normal part for the normal law
//!   T      = |velocity change of a at p by all forces| + |that of b|
//!   forces = Σ |velocity change at p by one force|, but at most what lawful forces can cause (`most.rs`),
//!            and |linear| + |angular| |p − x| of the free motion and |bias|
//! ```
//!
//! Rows likewise, with `|on_linear| |linear| + |on_angular| |angular|` in place of `|v(p)|`.

mod most;
mod parts;

pub use parts::is_inertia;

use super::given::Given;
use super::laws::{Local, LocalRow, Scale};
use super::number::{Real, Vector, across, difference, dot, length, sum, times, values, vector};
use most::Most;
use parts::{Body, Contact, Row, Six, total};
use stiction_solvers::Forces;

/// A problem in 300 bits.
pub struct Exact {
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
    rows: Vec<Row>,
    bilateral: usize,
    /// Twice the energy of the free motion of every body.
    energy: Vec<f64>,
}

/// Every contact and row with its exact force and response.
pub struct Checked {
    pub contacts: Vec<Local>,
    pub rows: Vec<LocalRow>,
}

/// The effect of forces on one body.
#[derive(Default)]
struct Pushes {
    /// Motion caused by all forces together.
    all: [f64; 6],
    /// Twice the energy of that motion.
    energy: f64,
    /// Motion caused by every single force.
    single: Vec<[f64; 6]>,
}

impl Exact {
    /// The problem of a file; none if an inertia is not positive definite.
    pub fn new(given: &Given) -> Option<Self> {
        let load = given.loads.first();
        let nothing = [0.0; 6];
        let added = |i: usize| load.filter(|l| l.body == i).map_or(&nothing, |l| &l.wrench);
        let step = given.h.unwrap_or(0.0);
        let bodies = given.bodies.iter().enumerate();
        let bodies: Option<Vec<Body>> =
            bodies.map(|(i, body)| Body::new(body, given.level, step, added(i))).collect();
        let contacts = given.contacts.iter();
        let contacts = contacts.map(|c| Contact::new(c, given.level, &given.bodies)).collect();
        let rows = given.bilateral.iter().map(|row| Row::new(row, false));
        let rows = rows.chain(given.bounded.iter().map(|row| Row::new(row, true))).collect();
        let bilateral = given.bilateral.len();
        let bodies = bodies?;
        let energy = bodies.iter().map(most::energy).collect();
        Some(Exact { bodies, contacts, rows, bilateral, energy })
    }

    fn moves(&self, body: usize) -> bool {
        !self.bodies[body].is_fixed()
    }

    /// The sum of the effects of single forces, limited to what lawful forces can cause; without
    /// limit for a direction of impulses.
    fn counted(
        &self,
        forces: f64,
        pair: &[Option<usize>; 2],
        mobility: f64,
        most: Option<&Most>,
    ) -> f64 {
        most.map_or(forces, |most| forces.min(most.at(pair, self, mobility)))
    }

    /// Number of bilateral rows, which come first.
    pub fn bilateral(&self) -> usize {
        self.bilateral
    }

    /// Every contact and row under these forces, which must be finite and fit in number; without
    /// the free motion for a direction of impulses.
    pub fn check(&self, forces: &Forces, free: bool) -> Checked {
        let (motion, pushes) = self.motion(forces, free);
        let most = free.then(|| Most::new(self, forces, &pushes));
        let most = most.as_ref();
        let contacts = self.contacts.iter().zip(&forces.contacts).map(|(contact, force)| {
            let total = total(contact, force.normal, &force.friction);
            self.local(contact, &total, &motion, &pushes, most)
        });
        let rows = self.rows.iter().zip(forces.bilateral.iter().chain(&forces.bounded));
        let rows = rows.map(|(row, force)| self.local_row(row, *force, &motion, &pushes, most));
        Checked { contacts: contacts.collect(), rows: rows.collect() }
    }

    /// The motion of every body, by cause.
    fn motion(&self, forces: &Forces, free: bool) -> (Vec<Six>, Vec<Pushes>) {
        let zero = || [0.0; 6].map(Real::new);
        let mut nets: Vec<Six> = self.bodies.iter().map(|_| zero()).collect();
        let mut pushes: Vec<Pushes> = self.bodies.iter().map(|_| Pushes::default()).collect();
        let mut push = |bodies: &[Option<usize>; 2], side: usize, wrench: Six| {
            let Some(body) = bodies[side].filter(|&body| !self.bodies[body].is_fixed()) else {
                return;
            };
            let single = values(&self.bodies[body].response(&wrench));
            if single.iter().any(|x| *x != 0.0) {
                pushes[body].single.push(single);
            }
            nets[body] = std::array::from_fn(|k| &nets[body][k] + &wrench[k]);
        };
        for (contact, force) in self.contacts.iter().zip(&forces.contacts) {
            let force = total(contact, force.normal, &force.friction);
            for side in 0..2 {
                push(&contact.bodies, side, contact.wrench(side, &force));
            }
        }
        for (row, force) in self.rows.iter().zip(forces.bilateral.iter().chain(&forces.bounded)) {
            let force = Real::new(*force);
            for side in 0..2 {
                push(&row.bodies, side, std::array::from_fn(|k| &row.on[side][k] * &force));
            }
        }
        let motion = self.bodies.iter().zip(nets).zip(&mut pushes).map(|((body, net), pushes)| {
            let motion = if free { body.free.clone() } else { zero() };
            let change = body.response(&net);
            pushes.all = values(&change);
            pushes.energy = dot(&change, &net).value();
            std::array::from_fn(|k| &motion[k] + &change[k])
        });
        (motion.collect(), pushes)
    }

    fn local(
        &self,
        contact: &Contact,
        force: &Vector,
        motion: &[Six],
        pushes: &[Pushes],
        most: Option<&Most>,
    ) -> Local {
        let free = most.is_some();
        let bias = if free { contact.bias.clone() } else { vector([0.0; 3]) };
        let along_line = |v: Vector| match &contact.line {
            Some(line) => times(line, &dot(&v, line)),
            None => v,
        };
        let u = sum(&contact.relative(|body| &motion[body]), &bias);
        let tangential = across(force, &contact.normal);
        let friction = along_line(tangential.clone());
        let (normal_scale, slip_scale) = self.scales(contact, &bias, pushes, most);
        let reach = (0..2).filter_map(|side| {
            let arm = length(&values(&contact.arms[side]));
            Some(self.bodies[contact.bodies[side]?].reach(arm))
        });
        let reach = reach.sum::<f64>() / 3.0;
        let mobility = (0..2).filter_map(|side| {
            let wrench = contact.wrench(side, &contact.normal);
            Some(dot(&self.bodies[contact.bodies[side]?].response(&wrench), &wrench).value())
        });
        Local {
            friction: contact.friction,
            normal_force: dot(force, &contact.normal).value(),
            stray: length(&values(&difference(&tangential, &friction))),
            friction_force: values(&friction),
            normal_response: dot(&u, &contact.normal).value(),
            slip: values(&along_line(across(&u, &contact.normal))),
            normal_scale,
            slip_scale,
            mobility: mobility.sum(),
            reach,
            frame: contact.frame,
        }
    }

    /// The scales of the normal response and of the slip of a contact.
    fn scales(
        &self,
        contact: &Contact,
        bias: &Vector,
        pushes: &[Pushes],
        most: Option<&Most>,
    ) -> (Scale, Scale) {
        let free = most.is_some();
        let (mut own, mut passed) = (length(&values(bias)), 0.0);
        let (mut forces, mut moving, mut mobility) = (0.0, own, 0.0);
        for (side, body) in contact.bodies.iter().enumerate() {
            let Some(body) = *body else { continue };
            let arm = values(&contact.arms[side]);
            if free {
                let motion = &self.bodies[body].free;
                own += length(&values(&contact.at_point(side, motion)));
                let motion = values(motion);
                moving += length(&motion[..3]) + length(&motion[3..]) * length(&arm);
            }
            let speed = |motion: &[f64; 6]| length(&at_arm(motion, &arm));
            passed += speed(&pushes[body].all);
            forces += pushes[body].single.iter().map(speed).sum::<f64>();
            mobility += self.bodies[body].reach(length(&arm));
        }
        let forces = self.counted(forces, &contact.bodies, mobility, most) + moving;
        let scale = |q: f64| Scale { least: own.min(q + passed), forces };
        if !free {
            let scale = Scale { least: passed, forces };
            return (scale, scale);
        }
        let q = sum(&contact.relative(|body| &self.bodies[body].free), bias);
        let normal = dot(&q, &contact.normal).value().abs();
        (scale(normal), scale(length(&values(&q))))
    }

    fn local_row(
        &self,
        row: &Row,
        force: f64,
        motion: &[Six],
        pushes: &[Pushes],
        most: Option<&Most>,
    ) -> LocalRow {
        let free = most.is_some();
        let bias = if free { row.bias.clone() } else { Real::zero() };
        let (mut own, mut passed) = (bias.value().abs(), 0.0);
        let (mut forces, mut mobility) = (0.0, 0.0);
        for (body, on) in row.bodies.iter().zip(&row.on) {
            let Some(body) = *body else { continue };
            let weights = values(on);
            let weights = [length(&weights[..3]), length(&weights[3..])];
            let size = |motion: &[f64; 6]| {
                weights[0] * length(&motion[..3]) + weights[1] * length(&motion[3..])
            };
            if free {
                own += size(&values(&self.bodies[body].free));
            }
            let change = values(on).into_iter().zip(pushes[body].all).map(|(x, v)| x * v);
            passed += change.sum::<f64>().abs();
            forces += pushes[body].single.iter().map(size).sum::<f64>();
            mobility += dot(&self.bodies[body].response(on), on).value();
        }
        let forces = self.counted(forces, &row.bodies, mobility, most) + own;
        let least = if free {
            let q = &row.along(|body| &self.bodies[body].free) + &bias;
            own.min(q.value().abs() + passed)
        } else {
            passed
        };
        LocalRow {
            force,
            response: (&row.along(|body| &motion[body]) + &bias).value(),
            bounds: row.bounds,
            scale: Scale { least, forces },
            mobility,
        }
    }
}

/// Velocity at the end of a lever arm.
fn at_arm(motion: &[f64; 6], arm: &[f64; 3]) -> [f64; 3] {
    let [x, y, z, p, q, r] = *motion;
    [x + q * arm[2] - r * arm[1], y + r * arm[0] - p * arm[2], z + p * arm[1] - q * arm[0]]
}

#[cfg(test)]
mod tests;
