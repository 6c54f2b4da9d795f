//! The response of all bodies, contacts and rows to given forces.

use super::mobility::Mobility;
use crate::double::{Dd, Dd3, add, cross, dot, dot_sparse, sub, unit, wide};
use crate::forces::Forces;
use crate::problem::{Body, Contact, ContactProblem, Row, Tangents};
use glam::DVec3;

/// The response to forces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// `[linear; angular]` of every body.
    pub bodies: Vec<[f64; 6]>,
    /// Relative response at every contact.
    pub contacts: Vec<ContactResponse>,
    /// Response of every bilateral row.
    pub bilateral: Vec<f64>,
    /// Response of every bounded row.
    pub bounded: Vec<f64>,
}

/// Response of `a` relative to `b` at a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactResponse {
    /// Along the normal, positive when the bodies separate.
    pub normal: f64,
    /// In the tangent plane (along the line for planar contacts), world axes.
    pub tangential: DVec3,
}

/// The response of all bodies and constraints to these forces.
///
/// The forces must match the problem in number.
pub fn response(problem: &ContactProblem, forces: &Forces) -> Response {
    evaluate(problem, &mobilities(problem), forces, true).0
}

/// What all forces together do to a body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effect {
    /// Change of its motion, `[linear; angular]`.
    pub change: [f64; 6],
    /// `cᵀ M c` of that change: its product with the wrench.
    pub energy: f64,
}

impl Effect {
    fn new(change: [f64; 6], wrench: &[Dd; 6]) -> Self {
        let energy = change.iter().zip(wrench).map(|(c, w)| c * w.value()).sum::<f64>();
        // Rounding may leave less than nothing; what is not a number stays so.
        Effect { change, energy: if energy < 0.0 { 0.0 } else { energy } }
    }
}

/// The mobility of every body; of those without contacts and rows, which nothing pushes, none.
pub(super) fn mobilities(problem: &ContactProblem) -> Vec<Mobility> {
    let mut mobilities: Vec<Mobility> = Vec::with_capacity(problem.bodies().len());
    mobilities.resize_with(problem.bodies().len(), Mobility::none);
    let contacts = problem.contacts().iter().map(|c| (c.a, c.b));
    let bounded = problem.bounded().iter().map(|bounded| &bounded.row);
    let rows = problem.bilateral().iter().chain(bounded).map(|row| (row.a, row.b));
    for (a, b) in contacts.chain(rows) {
        for body in [Some(a), b].into_iter().flatten() {
            if mobilities[body].is_none() {
                mobilities[body] = Mobility::new(&problem.bodies()[body].inertia);
            }
        }
    }
    mobilities
}

/// The response to these forces, with free response and biases or (for a ray) without, and their
/// effect on every body.
pub(super) fn evaluate(
    problem: &ContactProblem,
    mobilities: &[Mobility],
    forces: &Forces,
    free: bool,
) -> (Response, Vec<Effect>) {
    let normals: Vec<Dd3> = problem.contacts().iter().map(|c| unit(c.normal)).collect();
    let wrenches = wrenches(problem, &normals, forces);
    let bodies = problem.bodies().iter().zip(mobilities).zip(&wrenches);
    let (moved, effects): (Vec<[Dd; 6]>, Vec<Effect>) = bodies
        .map(|((body, mobility), wrench)| {
            let change = mobility.response(wrench);
            let start = |i: usize| if free { body.free_response[i] } else { 0.0 };
            let moved = std::array::from_fn(|i| Dd::from(start(i)) + change[i]);
            (moved, Effect::new(change.map(Dd::value), wrench))
        })
        .unzip();
    let at = |(contact, normal): (&Contact, &Dd3)| {
        contact_response(problem, &moved, contact, normal, free)
    };
    let along = |row: &Row| {
        let mut u = dot_sparse(&row.on_a, &moved[row.a]);
        if let Some(b) = row.b {
            u = u + dot_sparse(&row.on_b, &moved[b]);
        }
        (u + Dd::from(if free { row.bias } else { 0.0 })).value()
    };
    let response = Response {
        bodies: moved.iter().map(|v| v.map(Dd::value)).collect(),
        contacts: problem.contacts().iter().zip(&normals).map(at).collect(),
        bilateral: problem.bilateral().iter().map(along).collect(),
        bounded: problem.bounded().iter().map(|bounded| along(&bounded.row)).collect(),
    };
    (response, effects)
}

/// The wrench of all forces on each body, about its centre of mass.
fn wrenches(problem: &ContactProblem, normals: &[Dd3], forces: &Forces) -> Vec<[Dd; 6]> {
    let mut wrenches = vec![[Dd::default(); 6]; problem.bodies().len()];
    let mut act = |body: usize, wrench: [Dd; 6]| {
        wrenches[body] = std::array::from_fn(|k| wrenches[body][k] + wrench[k]);
    };
    let contacts = problem.contacts().iter().zip(normals).zip(&forces.contacts);
    for ((contact, normal), force) in contacts {
        let push = add(normal.map(|n| n * force.normal), wide(force.friction));
        let arm = |body: usize| arm(&problem.bodies()[body], contact);
        act(contact.a, join(push, cross(arm(contact.a), push)));
        if let Some(b) = contact.b {
            let back = push.map(|x| -x);
            act(b, join(back, cross(arm(b), back)));
        }
    }
    let rows = problem.bilateral().iter().zip(&forces.bilateral);
    let bounded = problem.bounded().iter().map(|bounded| &bounded.row).zip(&forces.bounded);
    for (row, &force) in rows.chain(bounded) {
        act(row.a, row.on_a.map(|x| Dd::from(x) * force));
        if let Some(b) = row.b {
            act(b, row.on_b.map(|x| Dd::from(x) * force));
        }
    }
    wrenches
}

fn arm(body: &Body, contact: &Contact) -> Dd3 {
    sub(wide(contact.point), wide(body.position))
}

fn join(a: Dd3, b: Dd3) -> [Dd; 6] {
    [a[0], a[1], a[2], b[0], b[1], b[2]]
}

fn contact_response(
    problem: &ContactProblem,
    moved: &[[Dd; 6]],
    contact: &Contact,
    normal: &Dd3,
    free: bool,
) -> ContactResponse {
    let point = |body: usize| {
        let v = &moved[body];
        let arm = arm(&problem.bodies()[body], contact);
        add([v[0], v[1], v[2]], cross([v[3], v[4], v[5]], arm))
    };
    let mut u = point(contact.a);
    if let Some(b) = contact.b {
        u = sub(u, point(b));
    }
    if free {
        u = add(u, wide(contact.bias));
    }
    let along = dot(&u, normal);
    let tangential = match contact.tangents {
        Tangents::Plane => sub(u, normal.map(|n| n * along)),
        Tangents::Line(tangent) => {
            let tangent = wide(tangent);
            let slip = dot(&u, &tangent);
            tangent.map(|t| t * slip)
        }
    };
    ContactResponse {
        normal: along.value(),
        tangential: DVec3::from_array(tangential.map(Dd::value)),
    }
}
