//! What a violation is compared with: what matters to that contact and its two bodies.
//!
//! At a contact between `a` and `b`, all sizes in units of response (m/s², or m/s):
//!
//! ```text
//!   own = |v_a(p)| + |v_b(p)| + |bias|     free motion of its own bodies
//!   q   = v_a(p) − v_b(p) + bias           relative free motion
//!   T   = Σ |change by one neighbour|      what the net wrench of each neighbour does here
//!   P   = Σ |every single term|            of which the response is the sum
//!
//!   U   = min(own, |q| + T) + κ P          κ = 1e-4
//! ```
//!
//! Nothing elsewhere in the island enters, so that a motor's target, the bias of another
//! contact, a conveyor or a heavy neighbour hide nothing. Two sizes are needed since each can be
//! large for no good reason: `own` where everything flies together, `T` where bodies are
//! squeezed. Forces of one neighbour count by their net wrench, so that squeezing a body between
//! two walls does not help. For the normal law `|q|` is that along the normal: fast sliding does
//! not excuse sinking in.
//!
//! `P` bounds the terms of the sum one by one. A violation of `ε P` is made exact by changing
//! each term by `ε` of itself (Oettli and Prager): the componentwise backward error. It has the
//! weight κ, so that a body that only passes on what its neighbours push needs twelve digits.
//!
//! Runs ask for less ([`ContactProblem::with_island_scale`]): there the free motion of the whole
//! island is added, weighted by masses (`judge/islands.rs`).
//!
//! A force is compared with `F = U / W`, `W` the response along the normal to a unit force.

use super::islands::IslandMotion;
use super::laws::length;
use super::mobility::Mobility;
use crate::problem::{Body, Contact, ContactProblem, Row};
use crate::solution::Forces;
use glam::DVec3;
use std::collections::HashMap;

/// Weight of single terms: with a tolerance of 1e-8 a part in 1e12 of them is allowed.
const TERM_WEIGHT: f64 = 1e-4;

/// A contact whose normal moves this part of what its bodies could, at most, moves by rounding:
/// planar bodies across their plane.
const ACROSS: f64 = 1e-12;

/// What matters to one contact or row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scale {
    /// Response along the normal, or of the row.
    pub response: f64,
    /// Response along the surface.
    pub slip: f64,
    /// Force.
    pub force: f64,
    /// Sum of the sizes of all terms of the response.
    pub terms: f64,
}

/// What matters to every contact and row.
pub(super) struct Scales {
    pub contacts: Vec<Scale>,
    pub bilateral: Vec<Scale>,
    pub bounded: Vec<Scale>,
    /// Largest force that stops the free motion of a contact's own bodies.
    pub free_force: f64,
}

/// Sizes of a linear and an angular change.
#[derive(Clone, Copy, Default)]
struct Size {
    linear: f64,
    angular: f64,
}

impl Size {
    fn of(change: &[f64; 6]) -> Self {
        let [linear, angular] = halves(change).map(length);
        Size { linear, angular }
    }

    fn add(&mut self, other: Size) {
        self.linear += other.linear;
        self.angular += other.angular;
    }

    /// Of a point at this distance from the centre of mass.
    fn at(&self, distance: f64) -> f64 {
        self.linear + self.angular * distance
    }

    /// Along the halves of a row.
    fn along(&self, on: &Size) -> f64 {
        self.linear * on.linear + self.angular * on.angular
    }
}

/// One body: how it answers, and what acts on it.
struct BodySize {
    inverse: [[f64; 6]; 6],
    fixed: bool,
    free: Size,
    /// Sum over neighbours of what the net wrench of each does.
    neighbours: Size,
    /// Sum over forces of what each does.
    forces: Size,
    /// Linear and angular response to a unit wrench, at most.
    most: Size,
}

impl BodySize {
    fn moved(&self, wrench: &[f64; 6]) -> [f64; 6] {
        self.inverse.map(|row| row.iter().zip(wrench).map(|(m, w)| m * w).sum())
    }
}

impl Scales {
    /// For an answer, or (`free` false) for a ray, to which free motion does not matter.
    pub(super) fn new(
        problem: &ContactProblem,
        mobilities: &[Mobility],
        forces: &Forces,
        free: bool,
    ) -> Self {
        let bodies = loads(problem, mobilities, forces, free);
        let motion = (free && problem.has_island_scale()).then(|| IslandMotion::new(problem));
        let added = |a: usize, b: Option<usize>, mobility: f64| {
            motion.as_ref().map_or(0.0, |motion| motion.of(a, b) * mobility.sqrt())
        };
        let row = |r: &Row| row_scale(problem, &bodies, r, free, &added);
        let mut free_force = 0.0_f64;
        let contacts = problem.contacts().iter().map(|contact| {
            let (scale, own) = contact_scale(problem, &bodies, contact, free, &added);
            free_force = free_force.max(own);
            scale
        });
        Scales {
            contacts: contacts.collect(),
            bilateral: problem.bilateral().iter().map(row).collect(),
            bounded: problem.bounded().iter().map(|b| row(&b.row)).collect(),
            free_force,
        }
    }
}

/// What acts on every body.
fn loads(
    problem: &ContactProblem,
    mobilities: &[Mobility],
    forces: &Forces,
    free: bool,
) -> Vec<BodySize> {
    let size = |(body, mobility): (&Body, &Mobility)| {
        let inverse = mobility.rounded();
        let trace = |from: usize| (from..from + 3).map(|k| inverse[k][k]).sum();
        BodySize {
            inverse,
            fixed: body.is_fixed(),
            free: if free { Size::of(&body.free_response) } else { Size::default() },
            neighbours: Size::default(),
            forces: Size::default(),
            most: Size { linear: trace(0), angular: trace(3) },
        }
    };
    let mut bodies: Vec<BodySize> = problem.bodies().iter().zip(mobilities).map(size).collect();
    let mut net = Neighbours::default();
    let mut act = |body: usize, other: Option<usize>, wrench: &[f64; 6]| {
        if bodies[body].fixed {
            return;
        }
        let change = bodies[body].moved(wrench);
        bodies[body].forces.add(Size::of(&change));
        // All that is fixed is one neighbour.
        net.add(body, other.filter(|&b| !bodies[b].fixed), wrench);
    };
    for (contact, force) in problem.contacts().iter().zip(&forces.contacts) {
        let push = super::total(force, DVec3::from_array(contact.normal));
        act(contact.a, contact.b, &wrench(problem, contact.a, contact, push));
        if let Some(b) = contact.b {
            act(b, Some(contact.a), &wrench(problem, b, contact, -push));
        }
    }
    let rows = problem.bilateral().iter().zip(&forces.bilateral);
    let bounded = problem.bounded().iter().map(|bounded| &bounded.row).zip(&forces.bounded);
    for (row, force) in rows.chain(bounded) {
        act(row.a, row.b, &row.on_a.map(|x| x * force));
        if let Some(b) = row.b {
            act(b, Some(row.a), &row.on_b.map(|x| x * force));
        }
    }
    for (body, wrench) in net.wrenches {
        let change = bodies[body].moved(&wrench);
        bodies[body].neighbours.add(Size::of(&change));
    }
    bodies
}

/// Net wrenches on bodies by those that exert them.
#[derive(Default)]
struct Neighbours {
    places: HashMap<(usize, Option<usize>), usize>,
    wrenches: Vec<(usize, [f64; 6])>,
}

impl Neighbours {
    fn add(&mut self, body: usize, other: Option<usize>, wrench: &[f64; 6]) {
        let place = *self.places.entry((body, other)).or_insert(self.wrenches.len());
        if place == self.wrenches.len() {
            self.wrenches.push((body, [0.0; 6]));
        }
        let sum = &mut self.wrenches[place].1;
        sum.iter_mut().zip(wrench).for_each(|(sum, x)| *sum += x);
    }
}

/// What matters to a contact, and the force that stops the free motion of its bodies.
fn contact_scale(
    problem: &ContactProblem,
    bodies: &[BodySize],
    contact: &Contact,
    free: bool,
    added: &dyn Fn(usize, Option<usize>, f64) -> f64,
) -> (Scale, f64) {
    let normal = DVec3::from_array(contact.normal);
    let bias = if free { DVec3::from_array(contact.bias) } else { DVec3::ZERO };
    let (mut own, mut relative) = (length(bias), bias);
    let (mut transmitted, mut terms) = (0.0, [length(bias), 0.0]);
    let (mut along, mut most) = (0.0, 0.0);
    for (body, sign) in [(Some(contact.a), 1.0), (contact.b, -1.0)] {
        let Some(body) = body else { continue };
        let size = &bodies[body];
        let arm = arm(problem, body, contact);
        let distance = length(arm);
        if free {
            let [v, w] = halves(&problem.bodies()[body].free_response);
            let velocity = v + w.cross(arm);
            own += length(velocity);
            relative += sign * velocity;
        }
        transmitted += size.neighbours.at(distance);
        terms[0] += size.free.at(distance);
        terms[1] += size.forces.at(distance);
        let unit = wrench(problem, body, contact, normal);
        along += size.moved(&unit).iter().zip(&unit).map(|(v, w)| v * w).sum::<f64>();
        most += size.most.linear + size.most.angular * distance * distance;
    }
    let mobility = if along > ACROSS * most { along } else { most };
    let least = |relative: f64| if free { own.min(relative + transmitted) } else { transmitted };
    let island = added(contact.a, contact.b, mobility);
    let size = |relative: f64| with_terms(least(relative) + island, terms);
    let response = size(relative.dot(normal).abs());
    let slip = size(length(relative));
    let force = response / mobility;
    (Scale { response, slip, force, terms: terms[0] + terms[1] }, own / mobility)
}

fn row_scale(
    problem: &ContactProblem,
    bodies: &[BodySize],
    row: &Row,
    free: bool,
    added: &dyn Fn(usize, Option<usize>, f64) -> f64,
) -> Scale {
    let bias = if free { row.bias } else { 0.0 };
    let (mut own, mut relative) = (bias.abs(), bias);
    let (mut transmitted, mut terms) = (0.0, [bias.abs(), 0.0]);
    let mut mobility = 0.0;
    for (body, on) in [(Some(row.a), &row.on_a), (row.b, &row.on_b)] {
        let Some(body) = body else { continue };
        let size = &bodies[body];
        let halves = Size::of(on);
        if free {
            let velocity = &problem.bodies()[body].free_response;
            own += size.free.along(&halves);
            relative += on.iter().zip(velocity).map(|(x, v)| x * v).sum::<f64>();
        }
        transmitted += size.neighbours.along(&halves);
        terms[0] += size.free.along(&halves);
        terms[1] += size.forces.along(&halves);
        mobility += size.moved(on).iter().zip(on).map(|(v, w)| v * w).sum::<f64>();
    }
    let least = if free { own.min(relative.abs() + transmitted) } else { transmitted };
    let response = with_terms(least + added(row.a, row.b, mobility), terms);
    // A row that moves nothing has no scale of force but its bounds.
    let force = if mobility > 0.0 { response / mobility } else { 0.0 };
    Scale { response, slip: response, force, terms: terms[0] + terms[1] }
}

/// A size with the terms of the response it belongs to, those of free motion and of forces: by
/// their weight.
pub(super) fn with_terms(size: f64, [free, forces]: [f64; 2]) -> f64 {
    size + TERM_WEIGHT * (free + forces)
}

fn arm(problem: &ContactProblem, body: usize, contact: &Contact) -> DVec3 {
    DVec3::from_array(contact.point) - DVec3::from_array(problem.bodies()[body].position)
}

fn wrench(problem: &ContactProblem, body: usize, contact: &Contact, push: DVec3) -> [f64; 6] {
    let torque = arm(problem, body, contact).cross(push);
    [push.x, push.y, push.z, torque.x, torque.y, torque.z]
}

fn halves(six: &[f64; 6]) -> [DVec3; 2] {
    [DVec3::from_slice(&six[..3]), DVec3::from_slice(&six[3..])]
}
