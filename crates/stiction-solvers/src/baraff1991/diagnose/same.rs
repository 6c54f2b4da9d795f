//! Decides whether two sets of forces cause the same motion.

use crate::settings::SAME;
use glam::DVec3;
use stiction_contact::{Body, ContactForce, ContactProblem, Forces, judge};

/// Sizes of a linear and an angular response.
type Size = [f64; 2];

/// Whether every body moves in the same way, relative to all effects on it under either set of
/// forces: its free response and the response to every single force. Wedges squeeze a body with
/// forces that cancel up to rounding, and the rounding grows with the forces.
///
/// Rotation is also compared with all effects on the body, as the speed that it gives to the
/// contact farthest from the centre.
pub(super) fn is_same(problem: &ContactProblem, one: &Forces, other: &Forces) -> bool {
    let [first, second] = [one, other].map(|forces| judge::response(problem, forces).bodies);
    let [acting, also] = [one, other].map(|forces| terms(problem, forces));
    (0..problem.bodies().len()).all(|body| {
        let change = size(&std::array::from_fn(|k| first[body][k] - second[body][k]));
        let [linear, angular]: Size =
            std::array::from_fn(|part| acting[body][part].max(also[body][part]));
        let radius = contact_radius(problem, body);
        let turning = if radius > 0.0 { angular.max(linear / radius) } else { angular };
        change[0] <= SAME * linear && change[1] <= SAME * turning
    })
}

fn size(response: &[f64; 6]) -> Size {
    [DVec3::from_slice(&response[..3]).length(), DVec3::from_slice(&response[3..]).length()]
}

/// The sum of the sizes of all effects on each body.
fn terms(problem: &ContactProblem, forces: &Forces) -> Vec<Size> {
    let inverse: Vec<_> = problem.bodies().iter().map(Body::inverse_inertia).collect();
    let mut terms: Vec<Size> =
        problem.bodies().iter().map(|body| size(&body.free_response)).collect();
    let mut act = |body: usize, wrench: [f64; 6]| {
        let moved = inverse[body].map(|row| row.iter().zip(&wrench).map(|(m, w)| m * w).sum());
        terms[body].iter_mut().zip(size(&moved)).for_each(|(sum, x)| *sum += x);
    };
    for (contact, ContactForce { normal, friction }) in
        problem.contacts().iter().zip(&forces.contacts)
    {
        let push = *normal * DVec3::from_array(contact.normal) + DVec3::from_array(*friction);
        for body in [Some(contact.a), contact.b].into_iter().flatten() {
            let arm = arm(problem, body, contact.point);
            let torque = arm.cross(push);
            act(body, [push.x, push.y, push.z, torque.x, torque.y, torque.z]);
        }
    }
    let bounded = problem.bounded().iter().map(|bounded| &bounded.row);
    let rows = problem.bilateral().iter().chain(bounded);
    for (row, &force) in rows.zip(forces.bilateral.iter().chain(&forces.bounded)) {
        act(row.a, row.on_a.map(|x| x * force));
        if let Some(b) = row.b {
            act(b, row.on_b.map(|x| x * force));
        }
    }
    terms
}

fn arm(problem: &ContactProblem, body: usize, point: [f64; 3]) -> DVec3 {
    DVec3::from_array(point) - DVec3::from_array(problem.bodies()[body].position)
}

/// Distance of the farthest contact of a body from its centre (m).
fn contact_radius(problem: &ContactProblem, body: usize) -> f64 {
    let own = problem.contacts().iter().filter(|it| it.a == body || it.b == Some(body));
    own.map(|it| arm(problem, body, it.point).length()).fold(0.0, f64::max)
}
