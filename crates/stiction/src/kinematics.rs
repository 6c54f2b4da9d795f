//! How fast bodies move at a contact: velocity, separation, slip, and drift.
//!
//! ```text
//!   u = v_a(p) − v_b(p)        u_n = n · u        u_t = u − u_n n
//!   u̇ = (accelerations of both bodies at p) + drift
//! ```

use crate::detect::Contact;
use crate::world::State;
use glam::DVec3;
use stiction_geometry::{ContactGeometry, Pose, Twist};

/// Relative velocity of the first body of a contact where it is now (m/s).
pub(crate) fn relative(contact: &Contact, state: &State) -> DVec3 {
    velocity(contact, &contact.touch.geometry, &state.poses, &state.twists)
}

/// The same at another geometry of the contact, with other poses and velocities.
pub(crate) fn velocity(
    contact: &Contact,
    geometry: &ContactGeometry,
    poses: &[Pose],
    twists: &[Twist],
) -> DVec3 {
    let at = |i: usize| twists[i].at(&poses[i], geometry.point);
    at(contact.a) - at(contact.b)
}

/// Speed of separation (m/s).
pub(crate) fn separation(contact: &Contact, state: &State) -> f64 {
    contact.touch.geometry.normal.dot(relative(contact, state))
}

/// Tangential velocity at a contact (m/s).
pub(crate) fn slip(contact: &Contact, state: &State) -> DVec3 {
    tangential(contact.touch.geometry.normal, relative(contact, state))
}

/// The part of a vector across a normal.
pub(crate) fn tangential(normal: DVec3, vector: DVec3) -> DVec3 {
    vector - normal * normal.dot(vector)
}

/// What the acceleration at a contact is when no body accelerates (m/s²).
pub(crate) fn drift(contact: &Contact, state: &State) -> DVec3 {
    let (a, b) = (contact.a, contact.b);
    let (twist_a, twist_b) = (&state.twists[a], &state.twists[b]);
    let rates = contact.touch.rates(&state.poses[a], twist_a, &state.poses[b], twist_b);
    let drift = twist_a.angular.cross(rates.point - twist_a.linear)
        - twist_b.angular.cross(rates.point - twist_b.linear);
    drift + contact.touch.geometry.normal * rates.normal.dot(relative(contact, state))
}
