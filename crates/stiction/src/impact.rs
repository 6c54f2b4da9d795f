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

use crate::assemble::{self, ContactLaw, JointEntry, Laws, Snapshot, joint_rows};
use crate::detect::{Contact, ContactKey};
use crate::islands::connected;
use crate::joint::RowRule;
use crate::journal::Journal;
use crate::kinematics::separation;
use crate::report::{Event, EventKind};
use crate::solve::{self, SolverSession, keys};
use crate::world::{ImpactModel, JointId, State, World};
use glam::DVec3;
use std::collections::HashMap;
use stiction_geometry::Twist;
use stiction_solvers::{ContactForce, Level};

/// Maximum number of rounds of simultaneous collisions: each needs a contact that separated. Then
/// all that touch collide at once, without restitution, after which none approaches.
const ROUNDS: usize = 50;

/// Maximum number of single collisions before the rest is solved at once.
const SINGLE_COLLISIONS: usize = 2000;

/// Trials of restitution factors at most, and how exact the factor or the energy, part of the kinetic
/// energy, has to be.
const REDUCTIONS: usize = 20;
const EXACT: f64 = 1e-6;

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
    /// Bodies that are apart collide before they meet: a gap may go on closing with this multiple of
    /// it (1/s). Zero where only contacts that touch collide.
    pub closing: f64,
    /// Rows of joints that are off by more are struck too: limits that are reached, drives whose
    /// speed jumps. Infinite where the problem of a step takes care of them.
    pub jolt: f64,
}

/// What collisions did.
#[derive(Default)]
pub(crate) struct Struck {
    /// By contact.
    pub impulses: Impulses,
    /// In order.
    pub events: Vec<Event>,
    /// Kinetic energy lost (J), and work of what is driven (J).
    pub heat: f64,
    pub work: f64,
}

impl Struck {
    /// Adds what others did.
    pub(crate) fn add(&mut self, more: Struck) {
        for (key, impulse) in &more.impulses {
            add(self.impulses.entry(*key).or_default(), impulse);
        }
        self.events.extend(more.events);
        self.heat += more.heat;
        self.work += more.work;
    }
}

/// Collisions at touching contacts until none approaches, island by island; enters what bodies
/// received into the journal.
pub(crate) fn collide(
    world: &World,
    state: &mut State,
    touching: &[Contact],
    speeds: Speeds,
    session: &mut SolverSession,
    journal: &mut Journal,
) -> Struck {
    let mut struck = Struck::default();
    let unstruck = state.twists.clone();
    let singles = match world.impacts {
        ImpactModel::Simultaneous => 0,
        ImpactModel::Propagation => SINGLE_COLLISIONS,
    };
    let joints = joint_rows(world, state);
    for round in 0..=singles + ROUNDS {
        // All joints of an island act in every round: after the first they are as they should be.
        let jolt = if round == 0 { speeds.jolt } else { f64::INFINITY };
        let last = round == singles + ROUNDS;
        let mut solved = false;
        for mut impact in impacts(world, state, (touching, &joints), Speeds { jolt, ..speeds }) {
            if round < singles {
                impact.keep_fastest(state);
            } else if last {
                impact.add_parting(touching);
            }
            solved |= impact.take(state, last, session, journal, &mut struck).is_some();
        }
        if !solved {
            break;
        }
    }
    journal.jump(world, &unstruck, state);
    struck
}

/// Whether a row of a joint must change its velocity at once: a limit that is reached, a joint or
/// drive whose bodies do not move as it wants.
fn is_jolted(entry: &JointEntry, state: &State, jolt: f64) -> bool {
    let speed = entry.rate(&state.twists) - entry.row.target;
    match entry.row.rule {
        RowRule::AtLeast => entry.row.error <= AT_LIMIT && speed < -jolt,
        RowRule::Equal => speed.abs() > jolt,
        RowRule::Motor { .. } | RowRule::Friction { .. } => false,
    }
}

/// The islands in which a contact approaches or a joint is jolted.
fn impacts<'a>(
    world: &'a World,
    state: &State,
    (touching, joints): (&[Contact], &[JointEntry]),
    speeds: Speeds,
) -> Vec<Impact<'a>> {
    let meets = |c: &&Contact| -speeds.approach(c, state) <= speeds.rest;
    let meeting: Vec<&Contact> = touching.iter().filter(meets).collect();
    let mut islands = connected(world, meeting.iter().copied());
    // The body of a row that forces move determines its island.
    let mover = |entry: &JointEntry| match entry.b {
        Some(b) if !world.bodies[entry.a].is_free() => b,
        _ => entry.a,
    };
    let approaching =
        meeting.iter().filter(|c| speeds.approach(c, state) > speeds.rest).map(|c| c.a);
    let jolted = joints.iter().filter(|entry| is_jolted(entry, state, speeds.jolt)).map(mover);
    let mut struck: Vec<usize> = approaching.chain(jolted).map(|i| islands.of(i)).collect();
    struck.sort_unstable();
    struck.dedup();
    let impact = |root: usize| Impact {
        world,
        meeting: meeting.iter().filter(|c| islands.of(c.a) == root).copied().cloned().collect(),
        joints: joints
            .iter()
            .filter(|e| acts(e) && islands.of(mover(e)) == root)
            .cloned()
            .collect(),
        bodies: world.free().map(|(i, _)| i).filter(|&i| islands.of(i) == root).collect(),
        speeds,
    };
    struck.into_iter().map(impact).collect()
}

impl Speeds {
    /// How fast a contact may go on approaching (m/s).
    fn allowed(&self, contact: &Contact) -> f64 {
        self.closing * contact.touch.geometry.gap.max(0.0)
    }

    /// How much faster than that it approaches (m/s).
    fn approach(&self, contact: &Contact, state: &State) -> f64 {
        -separation(contact, state) - self.allowed(contact)
    }
}

/// Adds an impulse.
pub(crate) fn add(total: &mut ContactForce, more: &ContactForce) {
    total.normal += more.normal;
    for (total, more) in total.friction.iter_mut().zip(more.friction) {
        *total += more;
    }
}

/// The collision of one island.
struct Impact<'a> {
    world: &'a World,
    /// Contacts that do not part.
    meeting: Vec<Contact>,
    /// Rows of joints that act.
    joints: Vec<JointEntry>,
    /// Bodies that forces move.
    bodies: Vec<usize>,
    speeds: Speeds,
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
    /// The contact that approaches fastest, and how fast (m/s).
    fn fastest(&self, state: &State) -> Option<(&Contact, f64)> {
        let meeting = self.meeting.iter();
        let fast = meeting.filter(|c| self.speeds.approach(c, state) > self.speeds.rest);
        let approach = fast.map(|c| (c, -separation(c, state))).enumerate();
        let first = approach.max_by(|x, y| x.1.1.total_cmp(&y.1.1).then(y.0.cmp(&x.0)));
        first.map(|(_, contact)| contact)
    }

    /// Only the contact that approaches fastest collides.
    fn keep_fastest(&mut self, state: &State) {
        if let Some((fastest, _)) = self.fastest(state) {
            self.meeting = vec![fastest.clone()];
        }
    }

    /// Contacts of the island that part take part, too.
    fn add_parting(&mut self, touching: &[Contact]) {
        let inside = |c: &&Contact| self.bodies.contains(&c.a) || self.bodies.contains(&c.b);
        self.meeting = touching.iter().filter(inside).cloned().collect();
    }

    /// Solves, changes the velocities and enters what happened; `dull` for no restitution.
    fn take(
        &self,
        state: &mut State,
        dull: bool,
        session: &mut SolverSession,
        journal: &mut Journal,
        struck: &mut Struck,
    ) -> Option<()> {
        let fastest = self.fastest(state);
        let done = if dull {
            self.solve(state, 0.0, session).map(|done| Solved { reduced: Some(0.0), ..done })
        } else {
            self.solve_without_gain(state, session)
        }?;
        let (before, work) = (self.kinetic(state, &state.twists), self.work(state, &done));
        self.book(state, &done, journal);
        for &i in &self.bodies {
            state.twists[i] = done.twists[i];
        }
        session.used(done.residual, done.mark.is_none());
        for (contact, force) in self.meeting.iter().zip(&done.impulses) {
            add(struck.impulses.entry(contact.key()).or_default(), force);
        }
        let lost = before - self.kinetic(state, &state.twists) + work;
        (struck.heat, struck.work) = (struck.heat + lost, struck.work + work);
        let mut events = Vec::new();
        if let Some((contact, speed)) = fastest {
            events.push(EventKind::Collision { contact: contact.key(), speed, lost });
        } else {
            let jolted = self.joints.first().map(|entry| JointId::from_index(entry.joint));
            events.extend(jolted.map(EventKind::Joint));
        }
        events.extend(done.reduced.map(|factor| EventKind::RestitutionReduced { factor }));
        events.extend(done.mark);
        let time = state.time;
        struck.events.extend(events.into_iter().map(|what| Event { time, what }));
        Some(())
    }

    /// Kinetic energy of the island's bodies, if they move so (J).
    fn kinetic(&self, state: &State, twists: &[Twist]) -> f64 {
        let energy = |&i: &usize| self.world.kinetic_energy_of(i, &state.poses[i], &twists[i]);
        self.bodies.iter().map(energy).sum()
    }

    /// Work that driven bodies and joints do in it (J).
    fn work(&self, state: &State, done: &Solved) -> f64 {
        let mut work = 0.0;
        for (contact, force) in self.meeting.iter().zip(&done.impulses) {
            if self.world.is_driven(contact.b) {
                let geometry = &contact.touch.geometry;
                let impulse = force.normal * geometry.normal + DVec3::from_array(force.friction);
                let (pose, twist) = (&state.poses[contact.b], &state.twists[contact.b]);
                work += impulse.dot(twist.at(pose, geometry.point));
            }
        }
        for (entry, impulse) in self.joints.iter().zip(&done.rows) {
            work += impulse * (entry.row.target - entry.carried(self.world, &state.twists));
        }
        work
    }

    /// With the largest part of the restitution that gains no energy; with none where a body that
    /// joints wedge at a rough contact cannot part from it.
    fn solve_without_gain(&self, state: &State, session: &mut SolverSession) -> Option<Solved> {
        let most = self.kinetic(state, &state.twists) * (1.0 + ROUNDING);
        let gain =
            |solved: &Solved| self.kinetic(state, &solved.twists) - self.work(state, solved) - most;
        let certified = |solved: &Solved| solved.mark.is_none();
        let full = self.solve(state, 1.0, session);
        let gained = full.as_ref().map_or(0.0, &gain);
        if full.as_ref().is_some_and(certified) && gained <= 0.0 {
            return full;
        }
        let mut best = self.solve(state, 0.0, session)?;
        if !full.as_ref().is_some_and(certified) {
            let dull = Solved { reduced: Some(0.0), ..best };
            return if certified(&dull) { Some(dull) } else { full.or(Some(dull)) };
        }
        // False position: the gain is continuous, and quadratic while the modes stay. An end that
        // stays counts half from then on.
        let (mut low, mut lost) = (0.0, -gain(&best).min(0.0));
        let (mut high, mut gained) = (1.0, gained);
        let mut left = lost;
        for _ in 0..REDUCTIONS {
            if high - low <= EXACT || left <= EXACT * most {
                break;
            }
            let factor = low + (high - low) * (lost / (lost + gained)).clamp(0.01, 0.99);
            let tried = self.solve(state, factor, session)?;
            let more = gain(&tried);
            if more > 0.0 {
                (high, gained, lost) = (factor, more, 0.5 * lost);
            } else {
                (low, lost, left, gained) = (factor, -more, -more, 0.5 * gained);
                best = tried;
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
        for (entry, impulse) in self.joints.iter().zip(&done.rows) {
            journal.push_row(entry, *impulse);
        }
    }

    fn solve(&self, state: &State, factor: f64, session: &mut SolverSession) -> Option<Solved> {
        let law = |c: &Contact| {
            let speed = separation(c, state).min(0.0);
            let recoil = factor * c.material.restitution * speed;
            let rebounds = -recoil > self.speeds.rebound;
            let bias = if rebounds { recoil } else { self.speeds.allowed(c) };
            let bias = c.touch.geometry.normal * bias;
            ContactLaw { friction: assemble::coulomb(c, false), bias }
        };
        let snapshot = Snapshot { state, contacts: &self.meeting, rows: &self.joints };
        let laws = Laws {
            level: Level::Impact,
            free: &state.twists,
            resting: &[],
            contacts: self.meeting.iter().map(law).collect(),
            rows: self.joints.iter().map(|entry| Some(-entry.row.target)).collect(),
            // Motors and dry friction of joints have no time to act; limits hold.
            duration: 0.0,
            resolution: session.resolution(),
        };
        let assembled = assemble::assemble(self.world, &snapshot, &laws).ok()?;
        let keys = keys(&self.meeting);
        let answer = session.solve(&assembled.problem, &keys, false);
        solve::has_motion(&answer).then(|| Solved {
            twists: answer.response.bodies.iter().map(assemble::twist).collect(),
            residual: answer.certificate.residual(),
            mark: solve::mark(&answer),
            rows: assembled.row_forces(&answer.forces),
            impulses: answer.forces.contacts,
            reduced: None,
        })
    }
}

/// Joint limits nearer than this (m or rad) hold in a collision.
pub(crate) const AT_LIMIT: f64 = 1e-9;

/// Whether a row of a joint acts in a collision.
fn acts(entry: &JointEntry) -> bool {
    match entry.row.rule {
        RowRule::Equal => true,
        RowRule::AtLeast => entry.row.error <= AT_LIMIT,
        RowRule::Motor { .. } | RowRule::Friction { .. } => false,
    }
}
