//! Momenta change by the impulses booked.
//!
//! ```text
//!   m Δv = J + (m g + f) Δt        Δ(I ω) = L + τ Δt
//! ```
//!
//! for every body that forces move, in a planar world along the plane and about its normal; and what
//! all bodies and the world outside receive from each other adds up to nothing. What is missing adds
//! up over the run and is compared with the largest momentum that the body, or what pushed it, had.

use super::Worst;
use super::law::Place;
use crate::journal::Impulse;
use crate::world::{Body, BodyId, State, World};
use glam::{DMat3, DVec3};

/// Momentum that is rounding, part of the largest of any body: a body that joints hold at rest receives
/// pushes of that size, which cancel.
const ROUNDING: f64 = 1e-12;

/// What was seen of the momenta.
#[derive(Clone, Debug, Default)]
pub(super) struct Momentum {
    bodies: Vec<Account>,
}

/// What is missing of a body's momentum and angular momentum, and the largest of them so far.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    missing: [DVec3; 2],
    largest: [f64; 2],
}

impl Momentum {
    /// The change from one state to the next against the impulses between them.
    pub(super) fn see(
        &mut self,
        world: &World,
        before: &State,
        after: &State,
        impulses: &[Impulse],
        worst: &mut Worst,
    ) {
        let duration = after.time - before.time;
        self.bodies.resize(world.bodies.len(), Account::default());
        let mut heaviest = [0.0_f64; 2];
        for (i, body) in world.bodies.iter().enumerate().filter(|(_, body)| body.is_free()) {
            let given = impulses.get(i).copied().unwrap_or_default();
            let [start, end] = [before, after].map(|state| momenta(world, body, state, i));
            let pull = (body.mass * world.gravity + body.force) * duration;
            let received =
                held(world, [given.linear + pull, given.angular + body.torque * duration]);
            let account = &mut self.bodies[i];
            let radius = body.bounding_radius();
            for k in 0..2 {
                account.missing[k] += end[k] - start[k] - received[k];
            }
            let largest = given.linear.length().max(pull.length());
            let largest = largest.max(start[0].length()).max(end[0].length());
            account.largest[0] = account.largest[0].max(largest);
            let turning = start[1].length().max(end[1].length()).max(received[1].length());
            account.largest[1] = account.largest[1].max(turning).max(radius * account.largest[0]);
            for k in 0..2 {
                heaviest[k] = heaviest[k].max(account.largest[k]);
            }
        }
        for (i, account) in self.bodies.iter().enumerate() {
            for (k, what) in [(0, "momentum"), (1, "angular momentum")] {
                let missing = account.missing[k].length();
                let rounding = missing <= ROUNDING * heaviest[k];
                let off = if rounding { 0.0 } else { share(missing, account.largest[k]) };
                worst.note(off, after.time, || Place::Body(BodyId::from_index(i), what));
            }
        }
        let sum: DVec3 = impulses.iter().map(|impulse| impulse.linear).sum();
        let largest =
            impulses.iter().map(|impulse| impulse.linear.length()).fold(heaviest[0], f64::max);
        worst.note(share(sum.length(), largest), after.time, || Place::World);
    }
}

fn share(missing: f64, largest: f64) -> f64 {
    if missing == 0.0 { 0.0 } else { missing / largest }
}

/// Momentum, and angular momentum about the centre of mass.
fn momenta(world: &World, body: &Body, state: &State, i: usize) -> [DVec3; 2] {
    let (pose, twist) = (&state.poses[i], &state.twists[i]);
    let turn = DMat3::from_quat(pose.rotation);
    let spin = turn * (body.inertia * (turn.transpose() * twist.angular));
    held(world, [body.mass * twist.linear, spin])
}

/// What a planar world leaves of a momentum: along the plane, about its normal.
fn held(world: &World, [linear, angular]: [DVec3; 2]) -> [DVec3; 2] {
    match world.plane {
        None => [linear, angular],
        Some(n) => [linear - n * n.dot(linear), n * n.dot(angular)],
    }
}
