//! After an event: collisions, then forces, then the modes that hold until the next one.

use super::EventDriven;
use super::course::Course;
use super::drift::remove_drift;
use super::impulse::take_impulse;
use super::problem::{Rows, problem, sort};
use super::system::{Carrying, Given, Happens, Holding, Mode, Modes, tangents};
use crate::assemble::{self, Assembled, JointEntry, RowIndex};
use crate::detect::{Contact, ContactKey};
use crate::impact::{Speeds, collide};
use crate::islands::connected;
use crate::joint::RowRule;
use crate::kinematics::{separation, slip};
use crate::report::Reason;
use crate::solve::keys;
use crate::touching::size;
use crate::world::{State, World};
use glam::DVec3;
use std::cmp::Ordering;
use stiction_geometry::Twist;
use stiction_solvers::judge::{self, Mode as Does};
use stiction_solvers::{Answer, ContactProblem};

/// Contacts nearer than this fraction of the smaller body touch.
pub(super) const TOUCH: f64 = 1e-9;

/// Speeds below this fraction of the fastest motion count as zero.
pub(super) const NO_SPEED: f64 = 1e-9;

/// A rebound below this speed (m/s) is ignored: the end of bouncing. The ball is at most
/// `v² / 2g` = 5e-12 m from where it would be. Contacts that part or begin to slip no faster,
/// because an impact elsewhere moves them a little, stay if the forces hold them: bodies that rock.
const NO_REBOUND: f64 = 1e-5;

/// Accelerations below this fraction of the free ones count as zero.
const NO_ACCELERATION: f64 = 1e-9;

/// What the modes make of the accelerations may differ from the certified ones by this
/// part of the free ones.
const SAME: f64 = 1e-7;

/// A sticking contact with less of its cone left (relative), or an idle one that separates
/// more slowly (m/s²), is on the edge.
const EDGE: f64 = 1e-6;

/// What is left of a cone whose limit was reached.
const AT_END: f64 = 5e-10;

/// A contact whose slip ended sticks if it is not faster than this multiple of what
/// counts as no speed: near its end slip turns fast.
const STOPPED: f64 = 200.0;

/// Maximum number of consecutive collisions and impulses.
const MOST_IMPACTS: usize = 40;

impl EventDriven {
    /// New modes for the present state, after the collisions and impulses it requires.
    ///
    /// # Errors
    ///
    /// Why no modes were found.
    pub(super) fn restart(
        &mut self,
        world: &mut World,
        course: &mut Course,
    ) -> Result<(Modes, Happens), Reason> {
        for _ in 0..MOST_IMPACTS {
            let speed = fastest(world);
            let rest = NO_SPEED * speed;
            let touching = self.touching(world);
            let before = self.strike(world, &touching, rest, course);
            let mut asleep = self.still_asleep(world, &touching);
            let touching: Vec<Contact> = touching
                .into_iter()
                .filter(|c| separation(c, &world.state) <= rest.max(NO_REBOUND))
                .filter(|c| !asleep[c.a] || !asleep[c.b] && world.bodies[c.b].is_free())
                .collect();
            let least: Vec<f64> =
                touching.iter().map(|c| self.no_slip(c, before.as_ref(), rest)).collect();
            let rows = sort(world, &world.state, rest, &asleep);
            let found = match self.forces(world, &touching, &rows, &least)? {
                Either::Forces(found) => found,
                Either::Impulse(ray, problem) => {
                    let given = (&touching[..], &problem, &ray);
                    take_impulse(world, given, course)?;
                    continue;
                }
            };
            if !found.answer.is_certified() {
                return Err(Reason::Uncertified);
            }
            self.session.used(found.answer.certificate.residual(), true);
            let modes = modes(world, &touching, &rows, &found, &least, self.threshold);
            let (free, bodies) = (&found.free, &found.answer.response.bodies);
            let scale = free.iter().map(size_of).fold(0.0, f64::max);
            let slept = asleep.clone();
            fall_asleep(world, &touching, bodies, scale, rest, &mut asleep);
            let modes = Modes { asleep, ..modes };
            let mut modes = self.without_resting(modes, &slept, &rows.entries);
            modes.choose_basis(world, &world.state);
            if modes.carrying.iter().any(|c| c.moves(&world.state, rest)) {
                let energy = world.kinetic_energy(&world.state);
                let unmoved = world.state.twists.clone();
                let journal = &mut course.report.journal;
                remove_drift(world, &modes, journal);
                journal.jump(world, &unmoved, &world.state);
                course.ledger.impacts += energy - world.kinetic_energy(&world.state);
                continue;
            }
            let happens = modes.happens(world, &world.state);
            if !agree(world, &modes, &happens, bodies, SAME * scale) {
                return Err(Reason::Modes);
            }
            self.asleep.clone_from(&modes.asleep);
            return Ok((modes, happens));
        }
        Err(Reason::Collisions)
    }

    /// The impacts of contacts that touch; the state before them, if there were any.
    fn strike(
        &mut self,
        world: &mut World,
        touching: &[Contact],
        rest: f64,
        course: &mut Course,
    ) -> Option<State> {
        let jolt = rest.max(NO_REBOUND);
        let speeds = Speeds { rest, rebound: NO_REBOUND, closing: 0.0, jolt };
        let mut state = world.state.clone();
        let (session, journal) = (&mut self.session, &mut course.report.journal);
        let struck = collide(world, &mut state, touching, speeds, session, journal);
        course.ledger.strike(&struck);
        let collided = !struck.events.is_empty();
        if collided {
            self.asleep.clear();
        }
        course.report.events.extend(struck.events);
        course.strike(&struck.impulses);
        let before = std::mem::replace(&mut world.state, state);
        collided.then_some(before)
    }

    /// Modes without the contacts and joints of sleeping bodies, which are stored separately; those
    /// of bodies that slept and were not in the problem stay as they are.
    fn without_resting(
        &mut self,
        mut modes: Modes,
        slept: &[bool],
        entries: &[JointEntry],
    ) -> Modes {
        let asleep = &modes.asleep;
        self.resting.retain(|c| slept[c.contact.a]);
        self.resting_rows.retain(|row| entries[row.entry].is_of(slept));
        let (resting, moving) = modes.carrying.into_iter().partition(|c| asleep[c.contact.a]);
        self.resting.extend::<Vec<Carrying>>(resting);
        modes.carrying = moving;
        let sleeps = |entry: usize| entries[entry].is_of(asleep);
        let held = modes.holding.iter().map(|&Holding { entry, force }| Given { entry, force });
        let rows = held.chain(modes.given.iter().copied()).filter(|row| sleeps(row.entry));
        self.resting_rows.extend(rows);
        modes.holding.retain(|row| !sleeps(row.entry));
        modes.given.retain(|row| !sleeps(row.entry));
        modes
    }

    /// Every contact that touches.
    fn touching(&mut self, world: &World) -> Vec<Contact> {
        let largest = world.free().map(|(_, body)| body.bounding_radius()).fold(0.0, f64::max);
        let mut contacts = self.detector.detect(world, &world.state, TOUCH * largest);
        contacts.retain(|c| {
            c.touch.geometry.gap <= TOUCH * size(world, c)
                && !self.detector.passes(world, &world.state, c)
        });
        contacts
    }

    /// Slower slip (m/s) of a contact is ignored; `before` is the state before an impact.
    fn no_slip(&self, contact: &Contact, before: Option<&State>, rest: f64) -> f64 {
        if self.stopped == Some(contact.key()) {
            STOPPED * rest
        } else if before.is_some_and(|before| slip(contact, before).length() <= rest) {
            rest.max(NO_REBOUND)
        } else {
            rest
        }
    }

    /// Bodies that slept and that nothing new touches.
    fn still_asleep(&self, world: &World, touching: &[Contact]) -> Vec<bool> {
        let count = world.bodies.len();
        if self.asleep.len() != count {
            return vec![false; count];
        }
        let mut islands = connected(world, touching);
        let mut awake = vec![false; count];
        for (i, _) in world.free() {
            if !self.asleep[i] {
                awake[islands.of(i)] = true;
            }
        }
        (0..count).map(|i| world.bodies[i].is_free() && !awake[islands.of(i)]).collect()
    }

    /// Certified forces, well inside their cones where there is a choice; or an impulse.
    fn forces(
        &mut self,
        world: &World,
        touching: &[Contact],
        rows: &Rows,
        least: &[f64],
    ) -> Result<Either, Reason> {
        let rest = NO_SPEED * fastest(world);
        let still = world.state.twists.iter().all(|twist| size_of(twist) <= rest);
        let mut slips = None;
        loop {
            let Some((assembled, free)) =
                problem(world, touching, rows, least, slips, self.threshold)
            else {
                return Err(Reason::NotFinite);
            };
            let Assembled { problem, places } = assembled;
            let keys = keys(touching);
            let mut answer = if still {
                self.session.solve_at_rest(&problem, &keys, false)
            } else {
                self.session.solve(&problem, &keys, false)
            };
            if answer.is_impulse() {
                return Ok(Either::Impulse(answer, problem));
            }
            if let Some(slip) =
                self.slipped.take().and_then(|key| begins(&problem, &answer, &keys, key))
            {
                slips = Some(slip);
                continue;
            }
            self.centre(&problem, &mut answer);
            self.stopped = None;
            return Ok(Either::Forces(Found { problem, places, free, answer, slips }));
        }
    }

    /// Forces well inside their cones, where the laws leave a choice and the given ones are
    /// on the boundary: guards then fall when something happens, not when a choice of
    /// forces reaches a limit. A solver that was chosen by name is not overruled.
    fn centre(&mut self, problem: &ContactProblem, answer: &mut Answer) {
        if !self.session.is_auto() {
            return;
        }
        let report = judge::report(problem, &answer.forces);
        let edge = |contact: &judge::ContactReport| match contact.mode {
            Does::Stick => contact.margin.is_some_and(|margin| margin < EDGE),
            Does::Open => contact.normal_response.abs() < EDGE,
            Does::Slip => false,
        };
        if !report.iter().any(edge) {
            return;
        }
        let keys: Vec<_> = (0..problem.contacts().len()).map(|i| ContactKey::of(i, i, 0)).collect();
        let central = self.central.solve(problem, &keys, false);
        if central.is_impulse() {
            return;
        }
        let (given, other) = (&answer.response.bodies, &central.response.bodies);
        let scale = given.iter().flatten().fold(1.0, |m: f64, x| m.max(x.abs()));
        let pairs = given.iter().flatten().zip(other.iter().flatten());
        let differ = pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        if central.is_certified() && differ < SAME * scale {
            *answer = central;
        }
    }
}

/// Whether modes cause the accelerations that were certified, within a tolerance.
fn agree(
    world: &World,
    modes: &Modes,
    happens: &Happens,
    certified: &[[f64; 6]],
    within: f64,
) -> bool {
    let differ = |(i, _): (usize, &crate::world::Body)| {
        let (x, y) = (&happens.accelerations[i], &assemble::twist(&certified[i]));
        let difference = (x.linear - y.linear).length().max((x.angular - y.angular).length());
        !modes.asleep[i] && difference > within
    };
    !world.free().any(differ)
}

/// Marks islands that are at rest and stay so.
fn fall_asleep(
    world: &mut World,
    touching: &[Contact],
    accelerations: &[[f64; 6]],
    scale: f64,
    rest: f64,
    asleep: &mut [bool],
) {
    let mut islands = connected(world, touching);
    let mut moves = vec![false; world.bodies.len()];
    for (i, _) in world.free() {
        let change = size_of(&assemble::twist(&accelerations[i]));
        let speed = size_of(&world.state.twists[i]);
        if !asleep[i] && (change > NO_ACCELERATION * scale || speed > rest) {
            moves[islands.of(i)] = true;
        }
    }
    for contact in touching {
        let driven = !world.bodies[contact.b].is_free() && world.is_driven(contact.b);
        moves[islands.of(contact.a)] |= driven;
    }
    for body in world.agitated() {
        moves[islands.of(body)] = true;
    }
    let free: Vec<usize> = world.free().map(|(i, _)| i).collect();
    for i in free {
        if !moves[islands.of(i)] {
            asleep[i] = true;
            world.state.twists[i] = Twist::ZERO;
        }
    }
}

/// What the laws of contact say of a state.
struct Found {
    problem: ContactProblem,
    /// Which of its rows each row of a joint became.
    places: Vec<Option<RowIndex>>,
    free: Vec<Twist>,
    answer: Answer,
    /// A contact that begins to slip though its forces could hold, and where to.
    slips: Option<(usize, DVec3)>,
}

/// Forces, or an impulse.
enum Either {
    Forces(Found),
    Impulse(Answer, ContactProblem),
}

/// Whether bodies whose contact reached the limit of its cone are still at a limit, there or, if
/// it carries no force now, where they have least left: the contact, and the direction in which
/// it slips.
fn begins(
    problem: &ContactProblem,
    answer: &Answer,
    keys: &[ContactKey],
    last: ContactKey,
) -> Option<(usize, DVec3)> {
    let report = judge::report(problem, &answer.forces);
    let left = |i: &usize| match report[*i].mode {
        Does::Stick => report[*i].margin,
        Does::Slip | Does::Open => None,
    };
    let same = (0..keys.len()).filter(|&i| keys[i].bodies() == last.bodies() && left(&i).is_some());
    let index = same.min_by(|i, j| {
        let other = |i: &usize| keys[*i].feature != last.feature;
        other(i).cmp(&other(j)).then(left(i).partial_cmp(&left(j)).unwrap_or(Ordering::Equal))
    })?;
    let friction = DVec3::from_array(answer.forces.contacts[index].friction);
    let along = -friction.normalize_or_zero();
    (left(&index) < Some(AT_END) && along != DVec3::ZERO).then_some((index, along))
}

/// What contacts and joints do, from forces that were certified.
fn modes(
    world: &World,
    touching: &[Contact],
    rows: &Rows,
    found: &Found,
    least: &[f64],
    threshold: Option<f64>,
) -> Modes {
    let speed = fastest(world);
    let (problem, forces) = (&found.problem, &found.answer.forces);
    let response = judge::response(problem, forces);
    let report = judge::report(problem, forces);
    let mut carrying = Vec::new();
    for (i, contact) in touching.iter().enumerate() {
        if report[i].mode == Does::Open {
            continue;
        }
        let geometry = &contact.touch.geometry;
        let near = geometry.normal.any_orthonormal_vector();
        let (t, _) = tangents(world, geometry.normal, near);
        let friction = DVec3::from_array(forces.contacts[i].friction);
        let slip = slip(contact, &world.state);
        let mode = if contact.material.static_friction == 0.0 {
            Mode::Stick
        } else if let Some(speed) = threshold {
            Mode::Creep(speed)
        } else if slip.length() > least[i] {
            Mode::slipping(slip, slip.normalize(), speed)
        } else if report[i].mode == Does::Slip {
            Mode::Faint(response.contacts[i].tangential.normalize())
        } else if let Some((_, along)) = found.slips.filter(|(slips, _)| *slips == i) {
            Mode::Faint(along)
        } else {
            Mode::Stick
        };
        let force = [forces.contacts[i].normal, t[0].dot(friction), t[1].dot(friction)];
        carrying.push(Carrying { contact: contact.clone(), mode, tangent: t[0], force });
    }
    let row_forces = assemble::row_forces(&found.places, forces);
    let (mut holding, mut given) = (Vec::new(), rows.given.clone());
    for &entry in &rows.acting {
        let force = row_forces[entry];
        match rows.entries[entry].row.rule {
            RowRule::Equal => holding.push(Holding { entry, force }),
            RowRule::AtLeast if force > 0.0 => holding.push(Holding { entry, force }),
            RowRule::AtLeast => {}
            RowRule::Motor { greatest } | RowRule::Friction { greatest } => {
                if force.abs() < greatest {
                    holding.push(Holding { entry, force });
                } else {
                    given.push(Given { entry, force });
                }
            }
        }
    }
    Modes { carrying, holding, given, ..Modes::default() }
}

fn size_of(twist: &Twist) -> f64 {
    twist.linear.length().max(twist.angular.length())
}

/// The fastest motion (m/s), or a small speed where nothing moves.
pub(crate) fn fastest(world: &World) -> f64 {
    fastest_of(world, &world.state.twists)
}

/// The same of bodies with these velocities.
pub(super) fn fastest_of(world: &World, twists: &[Twist]) -> f64 {
    let speed = |(i, body): (usize, &crate::world::Body)| {
        let twist = &twists[i];
        let reach = if body.bounding_radius().is_finite() { body.bounding_radius() } else { 0.0 };
        twist.linear.length() + reach * twist.angular.length()
    };
    let scale = 1e-2 * world.gravity.length() + 1e-9;
    world.bodies.iter().enumerate().map(speed).fold(scale, f64::max)
}
