//! Impulses where no force obeys the laws (Baraff 1991).

use super::course::Course;
use crate::assemble::{self, six};
use crate::detect::Contact;
use crate::impact::{self, Impulses};
use crate::report::{Event, EventKind, Reason};
use crate::world::World;
use stiction_solvers::{Answer, ContactProblem, baraff1991};

/// The velocities after an impulse where no force will do (Baraff 1991).
pub(super) fn take_impulse(
    world: &mut World,
    (touching, problem, ray): (&[Contact], &ContactProblem, &Answer),
    course: &mut Course,
) -> Result<(), Reason> {
    let before = world.kinetic_energy(&world.state);
    let velocities: Vec<[f64; 6]> = world.state.twists.iter().map(six).collect();
    let impact = baraff1991::impact(problem, ray, &velocities);
    let impact = impact.map_err(|_| Reason::NoImpulse)?;
    let after = impact.after.iter().map(assemble::twist).collect();
    let unstruck = std::mem::replace(&mut world.state.twists, after);
    let mut impulses = Impulses::new();
    for forces in [&impact.impulse, &impact.second] {
        course.report.journal.push_problem(problem, &world.state.poses, forces);
        for (contact, force) in touching.iter().zip(&forces.contacts) {
            impact::add(impulses.entry(contact.key()).or_default(), force);
        }
    }
    course.report.journal.jump(world, &unstruck, &world.state);
    let lost = before - world.kinetic_energy(&world.state);
    course.ledger.impacts += lost;
    let size = impulses.values().map(|impulse| impulse.normal).sum();
    let what = EventKind::Impulse { contact: touching[impact.sticks].key(), size, lost };
    course.report.events.push(Event { time: world.state.time, what });
    course.strike(&impulses);
    Ok(())
}
