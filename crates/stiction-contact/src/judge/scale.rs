//! The scale of a contact: what its violations are compared with.
//!
//! At a contact between `a` and `b`, all in units of response (m/s², or m/s):
//!
//! ```text
//!   own = |v_a(p)| + |v_b(p)| + |bias|     free motion of its own bodies
//!   q   = v_a(p) − v_b(p) + bias           relative free motion
//!   T   = |change of a| + |change of b|    effect of all forces together on each body here
//!   V   = |free motion of a| + |of b| + |bias|     its parts one by one
//!   P   = Σ |effect of every single force|
//!   I   = bound on the motion              by energy (`judge/islands.rs`)
//!
//!   U   = min(own, |q| + T) + κ (V + min(P, I))    κ = 1e-3
//! ```
//!
//! Nothing elsewhere in the island enters, so a motor's target, the bias of another contact, a
//! conveyor or a heavy neighbour hide nothing. Two sizes are needed since each can be large
//! without reason: `own` where all bodies move fast together, `T` where a body is struck from
//! elsewhere. Forces on a body are added first, so squeezing it does not increase the scale.
//! For the normal law `|q|` is the component along the normal: fast sliding does not excuse
//! penetration.
//!
//! `V + P` bounds the terms of the sum one by one. A violation of `ε` of it becomes exact by changing
//! each term by `ε` of itself (Oettli and Prager): the componentwise backward error. Its weight
//! is κ, so a body that only transmits forces between its neighbours needs eleven digits.
//! Bodies that wedge each other can make `P` arbitrarily large, but not `I`.
//!
//! A simulation adds its resolution, the same at every contact
//! ([`ContactProblem::with_resolution`]): bodies that stay at rest during an impact elsewhere
//! have velocities of rounding size, which are no scale. At a row with mobility `w` of bodies
//! with linear mobility `m` the resolution is multiplied by `√(w/m)`, which for a hinge gives
//! an angular velocity.
//!
//! A force is compared with `F = U / W`, where `W` is the response along the normal to a unit
//! force.
//!
//! # Rounding of the data
//!
//! A problem holds its unit normals in 53 bits, each component off by at most half its last bit,
//! `ε = 2⁻⁵³` of itself. A normal force `f_j` at a point with mobility `K_j` of its body is then
//! off by `ε a_j |f_j|`, with `a_j = min(1, 2 (sum of the two smaller components))`: normals along
//! an axis are exact. By Cauchy and Schwarz in the norm of the mass matrix this moves contact `i`
//! of that body by at most
//!
//! ```text
//!   ε √(tr K_i) Σ_j √(tr K_j) a_j |f_j|
//! ```
//!
//! Where this is more than a violation may be, the last bit of the data decides, and no answer
//! is certified.

use super::islands::IslandMotion;
use super::laws::length;
use super::mobility::Mobility;
use super::response::Effect;
use crate::forces::Forces;
use crate::problem::{Body, Contact, ContactProblem, Row};
use crate::settings::{ACROSS, HALF_ULP, TERM_WEIGHT};
use glam::DVec3;

/// The scale of one contact or row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scale {
    /// Response along the normal, or of the row.
    pub response: f64,
    /// Response along the surface.
    pub slip: f64,
    /// Force.
    pub force: f64,
    /// Force along the surface: the smaller of `force` and the force that stops the slip.
    pub friction: f64,
    /// Sum of the sizes of all terms of the response.
    pub terms: f64,
    /// Change of the response by the rounding of the data, at most.
    pub rounding: f64,
}

/// The scales of every contact and row.
pub(super) struct Scales {
    pub contacts: Vec<Scale>,
    pub bilateral: Vec<Scale>,
    pub bounded: Vec<Scale>,
    /// Largest force needed to stop the free motion of a contact's own bodies.
    pub free_force: f64,
}

impl Scales {
    /// Of contacts alone.
    pub(super) fn of_contacts(contacts: Vec<Scale>) -> Self {
        let free_force = contacts.iter().map(|scale| scale.force).fold(0.0, f64::max);
        Scales { contacts, bilateral: Vec::new(), bounded: Vec::new(), free_force }
    }
}

/// Sizes of a linear and an angular change.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    pub linear: f64,
    pub angular: f64,
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

    /// At a point at this distance from the centre of mass.
    fn at(&self, distance: f64) -> f64 {
        self.linear + self.angular * distance
    }

    /// Along the linear and angular parts of a row.
    fn along(&self, on: &Size) -> f64 {
        self.linear * on.linear + self.angular * on.angular
    }
}

/// One body: its mobility, and the sizes of what acts on it.
pub(super) struct BodySize {
    inverse: [[f64; 6]; 6],
    pub fixed: bool,
    free: Size,
    /// Effect of all forces together.
    change: [f64; 6],
    /// Sum over forces of the size of each effect.
    forces: Size,
    /// The part of it that comes from bodies that move.
    shared: Size,
    /// Bounds on the linear and angular response to a unit wrench.
    pub most: Size,
    /// `Σ √(tr K) a |f|` over all contact forces, `K` the mobility of the point where each acts.
    sensitivity: f64,
}

impl BodySize {
    /// Adds the effect of a wrench, from a body that moves or from the fixed world.
    fn act(&mut self, wrench: &[f64; 6], other_moves: bool) {
        if !self.fixed {
            let size = Size::of(&self.moved(wrench));
            self.forces.add(size);
            if other_moves {
                self.shared.add(size);
            }
        }
    }

    fn moved(&self, wrench: &[f64; 6]) -> [f64; 6] {
        self.inverse.map(|row| row.iter().zip(wrench).map(|(m, w)| m * w).sum())
    }

    /// `tr K` of the point at the end of an arm: the sum of its responses to unit forces along
    /// three axes, each along itself.
    fn point_mobility(&self, arm: DVec3) -> f64 {
        let m = &self.inverse;
        let turned = |k: usize| arm.x * m[k][3] + arm.y * m[k][4] + arm.z * m[k][5];
        let along = arm.x * turned(3) + arm.y * turned(4) + arm.z * turned(5);
        let mixed =
            arm.x * (m[1][5] - m[2][4]) + arm.y * (m[2][3] - m[0][5]) + arm.z * (m[0][4] - m[1][3]);
        let trace = self.most.linear + self.most.angular * arm.length_squared();
        let sum = trace - along + 2.0 * mixed;
        // Rounding may leave less than nothing; what is not a number stays so.
        if sum < 0.0 { 0.0 } else { sum }
    }

    /// Whether forces move it: bodies without contacts and rows have no mobility here.
    pub(super) fn is_touched(&self) -> bool {
        self.most.linear > 0.0 || self.most.angular > 0.0
    }

    /// Response to a unit wrench along it.
    pub(super) fn mobility(&self, wrench: &[f64; 6]) -> f64 {
        self.moved(wrench).iter().zip(wrench).map(|(v, w)| v * w).sum()
    }
}

impl Scales {
    /// For an answer or, with `free` false, for a ray, where free motion is left out.
    pub(super) fn new(
        problem: &ContactProblem,
        mobilities: &[Mobility],
        forces: &Forces,
        effects: &[Effect],
        free: bool,
    ) -> Self {
        let bodies = loads(problem, mobilities, forces, effects, free);
        let motion = free.then(|| IslandMotion::new(problem, &bodies, forces, effects));
        let motion = motion.as_ref();
        let row = |r: &Row| row_scale(problem, &bodies, r, motion);
        let mut free_force = 0.0_f64;
        let contacts = problem.contacts().iter().map(|contact| {
            let (scale, own) = contact_scale(problem, &bodies, contact, motion);
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

/// The sizes of all effects on every body.
fn loads(
    problem: &ContactProblem,
    mobilities: &[Mobility],
    forces: &Forces,
    effects: &[Effect],
    free: bool,
) -> Vec<BodySize> {
    let size = |((body, mobility), effect): ((&Body, &Mobility), &Effect)| {
        let inverse = mobility.rounded;
        let trace = |from: usize| (from..from + 3).map(|k| inverse[k][k]).sum();
        BodySize {
            inverse,
            fixed: body.is_fixed(),
            free: if free { Size::of(&body.free_response) } else { Size::default() },
            change: effect.change,
            forces: Size::default(),
            shared: Size::default(),
            most: Size { linear: trace(0), angular: trace(3) },
            sensitivity: 0.0,
        }
    };
    let given = problem.bodies().iter().zip(mobilities).zip(effects);
    let mut bodies: Vec<BodySize> = given.map(size).collect();
    for (contact, force) in problem.contacts().iter().zip(&forces.contacts) {
        let normal = DVec3::from_array(contact.normal);
        let push = super::total(force, normal);
        let doubtful = (force.normal * askew(normal)).abs();
        let shared = both_move(&bodies, contact.a, contact.b);
        for (body, push) in [(Some(contact.a), push), (contact.b, -push)] {
            let Some(body) = body.filter(|&body| !bodies[body].fixed) else { continue };
            let arm = arm(problem, body, contact);
            let body = &mut bodies[body];
            body.act(&wrench(arm, push), shared);
            if doubtful != 0.0 {
                body.sensitivity += body.point_mobility(arm).sqrt() * doubtful;
            }
        }
    }
    let rows = problem.bilateral().iter().zip(&forces.bilateral);
    let bounded = problem.bounded().iter().map(|bounded| &bounded.row).zip(&forces.bounded);
    for (row, force) in rows.chain(bounded) {
        let shared = both_move(&bodies, row.a, row.b);
        bodies[row.a].act(&row.on_a.map(|x| x * force), shared);
        if let Some(b) = row.b {
            bodies[b].act(&row.on_b.map(|x| x * force), shared);
        }
    }
    bodies
}

fn both_move(bodies: &[BodySize], a: usize, b: Option<usize>) -> bool {
    !bodies[a].fixed && b.is_some_and(|b| !bodies[b].fixed)
}

/// The scale of a contact, and the force that stops the free motion of its bodies. For a ray,
/// without the motion of islands.
fn contact_scale(
    problem: &ContactProblem,
    bodies: &[BodySize],
    contact: &Contact,
    motion: Option<&IslandMotion<'_>>,
) -> (Scale, f64) {
    let free = motion.is_some();
    let normal = DVec3::from_array(contact.normal);
    let bias = if free { DVec3::from_array(contact.bias) } else { DVec3::ZERO };
    let (mut own, mut relative) = (length(bias), bias);
    let (mut changed, mut free_terms, mut terms, mut alone) = (0.0, length(bias), 0.0, 0.0);
    let (mut along, mut most, mut rounding) = (0.0, 0.0, 0.0);
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
        let [v, w] = halves(&size.change);
        changed += length(v + w.cross(arm));
        free_terms += size.free.at(distance);
        terms += size.forces.at(distance);
        along += size.mobility(&wrench(arm, normal));
        if size.sensitivity != 0.0 {
            rounding += HALF_ULP * size.point_mobility(arm).sqrt() * size.sensitivity;
        }
        // A point moves by the whole force, not only by its normal component.
        let mobility = size.most.linear + size.most.angular * distance * distance;
        most += mobility;
        alone += size.shared.at(distance) + motion.map_or(0.0, |m| m.of_body(body, mobility));
    }
    let mobility = if along > ACROSS * most { along } else { most };
    let least = |relative: f64| if free { own.min(relative + changed) } else { changed };
    let resolved = if free { problem.resolution() } else { 0.0 };
    let counted = motion.map_or(terms, |m| m.limit(terms, (contact.a, contact.b), most, alone));
    let common = resolved + TERM_WEIGHT * (free_terms + counted);
    let response = least(relative.dot(normal).abs()) + common;
    let slip = least(length(relative)) + common;
    let force = response / mobility;
    let friction = force.min(3.0 * slip / most);
    let terms = free_terms + terms;
    (Scale { response, slip, force, friction, terms, rounding }, own / mobility)
}

fn row_scale(
    problem: &ContactProblem,
    bodies: &[BodySize],
    row: &Row,
    motion: Option<&IslandMotion<'_>>,
) -> Scale {
    let free = motion.is_some();
    let bias = if free { row.bias } else { 0.0 };
    let (mut own, mut relative) = (bias.abs(), bias);
    let (mut changed, mut free_terms, mut terms, mut alone) = (0.0, bias.abs(), 0.0, 0.0);
    let (mut mobility, mut linear, mut rounding) = (0.0, 0.0, 0.0);
    for (body, on) in [(Some(row.a), &row.on_a), (row.b, &row.on_b)] {
        let Some(body) = body else { continue };
        let size = &bodies[body];
        let halves = Size::of(on);
        if free {
            let velocity = &problem.bodies()[body].free_response;
            own += size.free.along(&halves);
            relative += on.iter().zip(velocity).map(|(x, v)| x * v).sum::<f64>();
        }
        changed += on.iter().zip(&size.change).map(|(x, v)| x * v).sum::<f64>().abs();
        free_terms += size.free.along(&halves);
        terms += size.forces.along(&halves);
        let along = size.mobility(on);
        mobility += along;
        alone += size.shared.along(&halves) + motion.map_or(0.0, |m| m.of_body(body, along));
        rounding += HALF_ULP * along.max(0.0).sqrt() * size.sensitivity;
        linear += size.most.linear / 3.0;
    }
    let resolved =
        if free && linear > 0.0 { problem.resolution() * (mobility / linear).sqrt() } else { 0.0 };
    let least = if free { own.min(relative.abs() + changed) } else { changed };
    let counted = motion.map_or(terms, |m| m.limit(terms, (row.a, row.b), mobility, alone));
    let response = least + resolved + TERM_WEIGHT * (free_terms + counted);
    let terms = free_terms + terms;
    // For a row that moves nothing, only its bounds give a force scale.
    let force = if mobility > 0.0 { response / mobility } else { 0.0 };
    Scale { response, slip: response, force, friction: force, terms, rounding }
}

/// The rounding of a unit normal, in units of ε: zero along an axis.
fn askew(normal: DVec3) -> f64 {
    let parts = normal.abs();
    (2.0 * (parts.element_sum() - parts.max_element())).min(1.0)
}

pub(super) fn arm(problem: &ContactProblem, body: usize, contact: &Contact) -> DVec3 {
    DVec3::from_array(contact.point) - DVec3::from_array(problem.bodies()[body].position)
}

fn wrench(arm: DVec3, push: DVec3) -> [f64; 6] {
    let torque = arm.cross(push);
    [push.x, push.y, push.z, torque.x, torque.y, torque.z]
}

pub(super) fn halves(six: &[f64; 6]) -> [DVec3; 2] {
    [DVec3::from_slice(&six[..3]), DVec3::from_slice(&six[3..])]
}
