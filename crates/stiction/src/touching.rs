//! What touching means. Lengths are fractions of the smaller body of a contact, by its bounding
//! radius: what holds for a pebble holds for a planet.
//!
//! | gap below | the contact | because |
//! | --- | --- | --- |
//! | −[`REPAIRED`] | is repaired | it grows with the cube of a piece: most pieces leave less |
//! | −[`OVERLAP`] | overlaps | rounding of poses is left alone |
//! | [`TOUCH`] | touches: it collides | a piece of time-stepping ends with bodies this near |
//! | [`NEAR`] | is in the problem from the start | bodies that rest on each other after a repair |
//! | [`BESIDE`] | must stay apart while others are repaired | a repair moves bodies by less |
//!
//! Each bound is far above the one before. Event-driven locates contacts more exactly and has
//! bounds of its own below [`TOUCH`].

use crate::assemble::JointEntry;
use crate::detect::Contact;
use crate::joint::RowRule;
use crate::world::World;

/// Overlap that is left alone. A move that is exact but for less is certified: what is repaired
/// may be little more than rounding. Also the drift of joints (m or rad) that is left alone.
pub(crate) const OVERLAP: f64 = 1e-10;

/// Overlap that is repaired, down to [`OVERLAP`]; drift of joints is from there on, as forces of joints
/// near a dead point turn a small drift into large motion.
pub(crate) const REPAIRED: f64 = 1e-8;

/// Nearer contacts collide.
pub(crate) const TOUCH: f64 = 1e-8;

/// Nearer contacts are in the problem of a piece from the start.
pub(crate) const NEAR: f64 = 1e-6;

/// Nearer contacts are kept apart while others are repaired.
pub(crate) const BESIDE: f64 = 1e-4;

/// The size of the smaller body of a contact (m).
pub(crate) fn size(world: &World, contact: &Contact) -> f64 {
    world.bodies[contact.a].bounding_radius().min(world.bodies[contact.b].bounding_radius())
}

/// Whether a gap of a contact (m) is overlap that has to be repaired.
pub(crate) fn overlaps(world: &World, contact: &Contact, gap: f64) -> bool {
    gap < -OVERLAP * size(world, contact)
}

/// Whether the bodies of a contact touch.
pub(crate) fn touches(world: &World, contact: &Contact) -> bool {
    contact.touch.geometry.gap <= TOUCH * size(world, contact)
}

/// Whether they are near enough to press on each other within a piece.
pub(crate) fn near(world: &World, contact: &Contact) -> bool {
    contact.touch.geometry.gap <= NEAR * size(world, contact)
}

/// How far a row of a joint is from where it should be (m or rad); motors have no place.
pub(crate) fn drift(entry: &JointEntry) -> f64 {
    match entry.row.rule {
        RowRule::Equal => entry.row.error.abs(),
        RowRule::AtLeast => -entry.row.error,
        RowRule::Motor { .. } | RowRule::Friction { .. } => 0.0,
    }
}
