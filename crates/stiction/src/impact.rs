//! Collisions: velocities jump, poses do not.
//!
//! At all touching contacts at once (Baraff 1989, (29), with Coulomb's law for the
//! tangential velocity after it)
//!
//! ```text
//!   v⁺ + ε v⁻ ≥ 0,   j ≥ 0,   j (v⁺ + ε v⁻) = 0
//! ```
//!
//! or one contact after the other, the fastest approach first.
//!
//! With friction this law can gain energy for ε > 0 (Kane's pendulum). Then ε is
//! reduced, the same factor for all contacts, to the largest for which it does not;
//! ε = 0 never gains: `ΔE = jᵀv⁺ − ½ jᵀA j ≤ 0`. Nor need there be a solution for ε > 0: a body on
//! a slider that meets a rough slope is held by friction more than the normal impulse can push.

use crate::assemble::{self, JointEntry, joint_rows};
use crate::detect::{Contact, ContactKey};
use crate::islands::connected;
use crate::journal::Journal;
use crate::report::{Event, EventKind};
use crate::solve::{self, SolverSession, keys};
use crate::world::{ImpactModel, State, World};
use glam::DVec3;
use std::collections::HashMap;
use stiction_geometry::Twist;
use stiction_solvers::{ContactForce, Level};

/// Maximum number of rounds of simultaneous collisions: each needs a contact that separated. Then
/// all that touch collide at once, without restitution, after which none approaches.
const ROUNDS: usize = 50;

/// Maximum number of single collisions before the rest is solved at once.
const SINGLE_COLLISIONS: usize = 2000;

/// Halvings of the interval of restitution factors.
const REDUCTIONS: usize = 20;

/// Energy that rounding may gain, of the kinetic energy before.
const ROUNDING: f64 = 1e-12;

/// Impulses of collisions by contact (N·s).
pub(crate) type Impulses = HashMap<ContactKey, ContactForce>;

/// Speeds that decide what a collision is (m/s).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speeds {
    /// Slower approach is rest.
    pub rest: f64,
    /// Slower rebounds are ignored: the end of bouncing.
    pub rebound: f64,
}

/// Relative velocity of the first body of a contact where it is now.
pub(crate) fn relative(contact: &Contact, state: &State) -> DVec3 {
    let point = contact.touch.geometry.point;
    let at = |i: usize| state.twists[i].at(&state.poses[i], point);
    at(contact.a) - at(contact.b)
}

/// Speed of separation.
pub(crate) fn separation(contact: &Contact, state: &State) -> f64 {
    contact.touch.geometry.normal.dot(relative(contact, state))
}

/// Collisions at touching contacts until none approaches. Gives impulses, events,
/// and the kinetic energy lost; enters what bodies received into the journal.
pub(crate) fn collide(
    world: &World,
    state: &mut State,
    touching: &[Contact],
    speeds: Speeds,
    session: &mut SolverSession,
    journal: &mut Journal,
) -> (Impulses, Vec<Event>, f64) {
    let (mut impulses, mut events) = (Impulses::new(), Vec::new());
    let before = world.kinetic_energy(state);
    let unstruck = state.twists.clone();
    let singles = match world.impacts {
        ImpactModel::Simultaneous => 0,
        ImpactModel::Propagation => SINGLE_COLLISIONS,
    };
    for round in 0..=singles + ROUNDS {
        let Some((fastest, speed)) = fastest(touching, state, speeds.rest) else { break };
        let last = round == singles + ROUNDS;
        let meeting: Vec<&Contact> = if round < singles {
            vec![&touching[fastest]]
        } else if last {
            touching.iter().collect()
        } else {
            involved(world, state, touching, speeds.rest)
        };
        let energy = world.kinetic_energy(state);
        let impact = Impact { world, meeting: &meeting, speeds, joints: joint_rows(world, state) };
        let done = if last {
            impact.solve(state, 0.0, session).map(|done| Solved { reduced: Some(0.0), ..done })
        } else {
            impact.solve_without_gain(state, session)
        };
        let Some(done) = done else { break };
        impact.book(state, &done, journal);
        state.twists = done.twists;
        session.used(done.residual, done.mark.is_none());
        for (contact, force) in meeting.iter().zip(&done.impulses) {
            add(impulses.entry(contact.key()).or_default(), force);
        }
        let lost = energy - world.kinetic_energy(state);
        let contact = touching[fastest].key();
        events.push(EventKind::Collision { contact, speed, lost });
        events.extend(done.reduced.map(|factor| EventKind::RestitutionReduced { factor }));
        events.extend(done.mark);
    }
    journal.jump(world, &unstruck, state);
    let lost = before - world.kinetic_energy(state);
    let time = state.time;
    (impulses, events.into_iter().map(|what| Event { time, what }).collect(), lost)
}

/// The contacts that do not part, of bodies that feel one that approaches.
fn involved<'a>(
    world: &World,
    state: &State,
    touching: &'a [Contact],
    rest: f64,
) -> Vec<&'a Contact> {
    let meets = |c: &&Contact| separation(c, state) <= rest;
    let meeting: Vec<&Contact> = touching.iter().filter(meets).collect();
    let mut islands = connected(world, meeting.iter().copied());
    let mut struck = vec![false; world.bodies.len()];
    for contact in &meeting {
        struck[islands.of(contact.a)] |= separation(contact, state) < -rest;
    }
    meeting.into_iter().filter(|c| struck[islands.of(c.a)]).collect()
}

fn fastest(touching: &[Contact], state: &State, rest: f64) -> Option<(usize, f64)> {
    let approach = touching.iter().map(|c| -separation(c, state)).enumerate();
    approach
        .filter(|(_, speed)| *speed > rest)
        .max_by(|x, y| x.1.total_cmp(&y.1).then(y.0.cmp(&x.0)))
}

/// Adds an impulse.
pub(crate) fn add(total: &mut ContactForce, more: &ContactForce) {
    total.normal += more.normal;
    for (total, more) in total.friction.iter_mut().zip(more.friction) {
        *total += more;
    }
}

/// One solution of (29).
struct Impact<'a> {
    world: &'a World,
    meeting: &'a [&'a Contact],
    speeds: Speeds,
    joints: Vec<JointEntry>,
}

struct Solved {
    twists: Vec<Twist>,
    impulses: Vec<ContactForce>,
    /// One per row of a joint that acts.
    rows: Vec<f64>,
    reduced: Option<f64>,
    residual: f64,
    mark: Option<EventKind>,
}

impl Impact<'_> {
    /// With the largest part of the restitution that gains no energy; with none where a body that
    /// joints wedge at a rough contact cannot part from it.
    fn solve_without_gain(&self, state: &State, session: &mut SolverSession) -> Option<Solved> {
        let kinetic = |twists: &[Twist]| {
            let after = State { twists: twists.to_vec(), ..state.clone() };
            self.world.kinetic_energy(&after)
        };
        let most = kinetic(&state.twists) * (1.0 + ROUNDING);
        let gains = |solved: &Solved| kinetic(&solved.twists) > most;
        let certified = |solved: &Solved| solved.mark.is_none();
        let full = self.solve(state, 1.0, session);
        if full.as_ref().is_some_and(|full| certified(full) && !(gains(full) && self.is_still())) {
            return full;
        }
        let mut best = self.solve(state, 0.0, session)?;
        if !full.as_ref().is_some_and(certified) {
            let dull = Solved { reduced: Some(0.0), ..best };
            return if certified(&dull) { Some(dull) } else { full.or(Some(dull)) };
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..REDUCTIONS {
            let factor = 0.5 * (low + high);
            let tried = self.solve(state, factor, session)?;
            if gains(&tried) {
                high = factor;
            } else {
                (low, best) = (factor, tried);
            }
        }
        Some(Solved { reduced: Some(low), ..best })
    }

    /// Enters what bodies received.
    fn book(&self, state: &State, done: &Solved, journal: &mut Journal) {
        for (contact, force) in self.meeting.iter().zip(&done.impulses) {
            let geometry = &contact.touch.geometry;
            let impulse = force.normal * geometry.normal + DVec3::from_array(force.friction);
            let bodies = (contact.a, Some(contact.b));
            journal.push(&state.poses, bodies, [geometry.point; 2], impulse);
        }
        for (entry, impulse) in self.joints.iter().filter(|e| acts(e)).zip(&done.rows) {
            journal.push_row(entry, *impulse);
        }
    }

    /// Whether nothing that acts is driven, joint or body: drives may add energy.
    fn is_still(&self) -> bool {
        self.joints.iter().filter(|entry| acts(entry)).all(|entry| entry.row.target == 0.0)
            && self.meeting.iter().all(|contact| !self.world.is_driven(contact.b))
    }

    fn solve(&self, state: &State, factor: f64, session: &mut SolverSession) -> Option<Solved> {
        let contact = |c: &&Contact| {
            let normal = c.touch.geometry.normal;
            let speed = separation(c, state).min(0.0);
            let recoil = factor * c.material.restitution * speed;
            let recoil = if -recoil > self.speeds.rebound { recoil } else { 0.0 };
            let law = assemble::coulomb(c, false);
            assemble::contact(self.world, c, &c.touch.geometry, law, normal * recoil)
        };
        let contacts = self.meeting.iter().map(contact).collect();
        let bodies = assemble::bodies(self.world, &state.poses, &state.twists);
        // Motors and dry friction of joints have no time to act; limits hold.
        let acting: Vec<JointEntry> =
            self.joints.iter().filter(|entry| acts(entry)).cloned().collect();
        let biases: Vec<f64> = acting.iter().map(|entry| -entry.row.target).collect();
        let (bilateral, bounded, places) = assemble::sort_rows(&acting, &biases, 0.0);
        let (rows, resolution) = ((bilateral, bounded), session.resolution());
        let problem = assemble::problem(Level::Impact, bodies, contacts, rows, resolution).ok()?;
        let keys = keys(self.meeting.iter().copied());
        let answer = session.solve(&problem, &keys, false);
        (!answer.is_impulse()).then(|| Solved {
            twists: answer.response.bodies.iter().map(assemble::twist).collect(),
            residual: answer.certificate.residual(),
            mark: solve::mark(&answer),
            rows: places.iter().map(|place| place.force(&answer.forces)).collect(),
            impulses: answer.forces.contacts,
            reduced: None,
        })
    }
}

/// Joint limits nearer than this (m or rad) hold in a collision.
pub(crate) const AT_LIMIT: f64 = 1e-9;

/// Whether a row of a joint acts in a collision.
fn acts(entry: &JointEntry) -> bool {
    use crate::joint::RowRule;
    match entry.row.rule {
        RowRule::Equal => true,
        RowRule::AtLeast => entry.row.error <= AT_LIMIT,
        RowRule::Motor { .. } | RowRule::Friction { .. } => false,
    }
}
