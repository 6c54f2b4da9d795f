//! What the end of a stretch of smooth motion means: the event, and modes that follow the motion.

use super::guards::Guard;
use super::integrate::Step;
use super::restart::fastest;
use super::system::{Happens, Mode, Modes};
use crate::detect::ContactKey;
use crate::report::EventKind;
use crate::world::{JointId, World};

/// Whether nothing moves and nothing will.
pub(super) fn is_still(world: &World, modes: &Modes) -> bool {
    (0..world.bodies.len())
        .all(|i| if world.bodies[i].is_free() { modes.asleep[i] } else { !world.is_driven(i) })
}

/// What a guard that fell means, joints included.
pub(super) fn event_kind(guard: &Guard, modes: &Modes, step: &Step) -> Option<EventKind> {
    let joint = |entry: usize| {
        Some(EventKind::Joint(JointId::from_index(step.happens.entries[entry].joint)))
    };
    match guard {
        Guard::Row(i) => joint(modes.holding[*i].entry),
        Guard::Given(i) => joint(modes.given[*i].entry),
        Guard::Limit(entry) => joint(*entry),
        _ => guard.event_kind(modes),
    }
}

/// Whether contacts do what a guard that fell made expect: where the laws leave a choice of
/// forces, another choice may hold on.
pub(super) fn is_true(what: &EventKind, modes: &Modes) -> bool {
    let mode = |key: &ContactKey| {
        modes.carrying.iter().find(|c| c.contact.key() == *key).map(|carrying| carrying.mode)
    };
    match what {
        EventKind::Parts(key) => mode(key).is_none(),
        EventKind::Sticks(key) => mode(key).is_none_or(|mode| mode == Mode::Stick),
        EventKind::Slips(key) => mode(key).is_some_and(|mode| mode != Mode::Stick),
        _ => true,
    }
}

/// The same modes with the directions of slip that contacts have now. Given the present forces,
/// rows whose forces follow the motion are chosen again, and the others keep what they have now.
pub(super) fn refreshed(
    world: &World,
    mut modes: Modes,
    rebase: Option<&Happens>,
) -> (Modes, Happens) {
    let speed = fastest(world);
    if let Some(now) = rebase {
        modes.keep_forces(world, now);
        modes.choose_basis(world, &world.state);
    }
    let happens = modes.happens(world, &world.state);
    for (carrying, acts) in modes.carrying.iter_mut().zip(&happens.contacts) {
        if matches!(carrying.mode, Mode::Slip(_) | Mode::Faint(_)) {
            let now = carrying.mode.direction(acts.slip, acts.geometry.normal);
            carrying.mode = Mode::slipping(acts.slip, now, speed);
        }
    }
    (modes, happens)
}
