//! Accelerations and forces while the contact modes stay as they are.
//!
//! With the modes fixed, the laws of contact are linear:
//!
//! ```text
//!   J (a_free + M⁻¹ Wᵀ λ) + J̇ v = 0
//! ```
//!
//! one row for the normal of every contact that carries force, two more for one that
//! sticks, one for every row of a joint that holds. `W` is `J` but for slipping
//! contacts, whose force is `n − μ d`, `d` the direction of slip. Forces that are not
//! unique (four legs of a table) begin where the certified answer had them:
//! `λ = λ₀ + δ`, with `δ` only at a largest set of independent rows.

use super::linear::{Basis, Row, basis, broken, mobilities, solve};
use crate::assemble::{JointEntry, add_motor_forces, halves, joint_rows, push_row};
use crate::detect::Contact;
use crate::journal::{Impulse, Journal};
use crate::kinematics::{self, slip};
use crate::world::{Material, State, World};
use glam::DVec3;
use stiction_geometry::{ContactGeometry, Twist};
use stiction_solvers::baraff1991::Threshold;

/// The direction of slip is taken as fixed while it is slower than this fraction of the fastest
/// motion: where slip ends it turns ever faster.
const FAINT: f64 = 1e-7;

/// What a contact that carries force does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mode {
    /// No slip.
    Stick,
    /// Slip, at first along this direction.
    Slip(DVec3),
    /// Slip so slow that it has just begun or is about to end: its direction means nothing or
    /// turns without end, and this one stands for it.
    Faint(DVec3),
    /// Slip at any speed, with friction in proportion to it below this one (m/s)
    /// \[Baraff 1991, §8.1\].
    Creep(f64),
}

/// A contact that carries force.
#[derive(Clone, Debug)]
pub(super) struct Carrying {
    pub contact: Contact,
    pub mode: Mode,
    /// A tangent at the beginning, which the contact's frame follows.
    pub tangent: DVec3,
    /// Force at the beginning: along the normal, and of sticking ones along both tangents.
    pub force: [f64; 3],
}

impl Carrying {
    /// Whether it moves faster than `rest` where its mode says that it does not.
    pub(super) fn moves(&self, state: &State, rest: f64) -> bool {
        let rubs = self.contact.material.static_friction > 0.0;
        let sticks = self.mode == Mode::Stick && rubs;
        kinematics::separation(&self.contact, state) > rest
            || sticks && slip(&self.contact, state).length() > rest
    }

    /// What the normal force is multiplied by for the friction that it causes, turned around.
    fn drag(&self, slip: DVec3, normal: DVec3) -> DVec3 {
        let material = &self.contact.material;
        match self.mode {
            Mode::Stick => DVec3::ZERO,
            Mode::Slip(_) | Mode::Faint(_) => {
                material.dynamic_friction * self.mode.direction(slip, normal)
            }
            Mode::Creep(speed) => creeping(material, slip, speed),
        }
    }

    /// The contact of bodies that sleep.
    pub(super) fn at_rest(&self, world: &World) -> Acts {
        let (a, b) = (&world.state.poses[self.contact.a], &world.state.poses[self.contact.b]);
        let geometry = self.contact.touch.geometry(a, b);
        let (t, _) = tangents(world, geometry.normal, self.tangent);
        let friction = t[0] * self.force[1] + t[1] * self.force[2];
        Acts { geometry, slip: DVec3::ZERO, normal: self.force[0], friction }
    }
}

/// A row of a joint that holds: which of all rows of the world's joints.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holding {
    pub entry: usize,
    /// Force at the beginning.
    pub force: f64,
}

/// A row of a joint whose force is given: a motor or dry friction at its limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub entry: usize,
    pub force: f64,
}

/// What stays as it is between events.
#[derive(Clone, Debug, Default)]
pub(super) struct Modes {
    pub carrying: Vec<Carrying>,
    pub holding: Vec<Holding>,
    pub given: Vec<Given>,
    /// Bodies that rest and stay at rest.
    pub asleep: Vec<bool>,
    /// Rows whose forces follow the motion, island by island; the others are implied by them
    /// and keep the force they began with.
    pub basis: Basis,
}

/// What happens in a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Happens {
    pub accelerations: Vec<Twist>,
    /// One per carrying contact.
    pub contacts: Vec<Acts>,
    /// One per row that holds.
    pub rows: Vec<f64>,
    /// All rows of joints.
    pub entries: Vec<JointEntry>,
    /// Heat per time from friction (W), work per time of motors and drives (W).
    pub power: [f64; 2],
    /// The largest acceleration of a row that the others should imply (m/s² or rad/s²): zero unless
    /// something driven makes them contradict each other.
    pub broken: f64,
    /// Gravity, or without it the largest acceleration without contacts and joints (m/s² or rad/s²).
    pub free: f64,
    /// What each body and the world outside receive per time (N, N·m).
    pub wrenches: Vec<Impulse>,
}

/// A contact in a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acts {
    pub geometry: ContactGeometry,
    /// Relative velocity, tangential.
    pub slip: DVec3,
    pub normal: f64,
    pub friction: DVec3,
}

/// The tangents of a contact, the first near a given one: one in planar worlds.
pub(super) fn tangents(world: &World, normal: DVec3, near: DVec3) -> ([DVec3; 2], usize) {
    if let Some(n) = world.plane {
        return ([n.cross(normal).normalize(), DVec3::ZERO], 1);
    }
    let first = (near - normal * normal.dot(near)).normalize();
    ([first, normal.cross(first)], 2)
}

impl Modes {
    /// Accelerations and forces in a state.
    pub(super) fn happens(&self, world: &World, state: &State) -> Happens {
        let mut free: Vec<Twist> =
            (0..world.bodies.len()).map(|i| world.free_acceleration(i, state)).collect();
        add_motor_forces(world, state, &mut free);
        world.add_springs(state, &mut free);
        let entries = joint_rows(world, state);
        let mobility = mobilities(world, state);
        for given in &self.given {
            push_row(world, state, &entries[given.entry], given.force, &mut free);
        }
        let size = |t: &Twist| t.linear.length().max(t.angular.length());
        let strongest = match world.gravity.length() {
            0.0 => free.iter().map(size).fold(0.0, f64::max),
            gravity => gravity,
        };
        let (rows, geometries) = self.rows(world, state, &entries);
        let forces = solve(&rows, &self.basis, &mobility, &mut free);
        let broken = broken(&rows, &self.basis, &free);
        for (i, sleeps) in self.asleep.iter().enumerate() {
            if *sleeps {
                free[i] = Twist::ZERO;
            }
        }
        Happens {
            broken,
            free: strongest,
            ..self.read(world, state, free, &geometries, &forces, entries)
        }
    }

    /// The rows in a state, and where each contact is and how it slips.
    fn rows(
        &self,
        world: &World,
        state: &State,
        entries: &[JointEntry],
    ) -> (Vec<Row>, Vec<(ContactGeometry, DVec3)>) {
        let mut rows = Vec::new();
        let contacts = self.carrying.iter();
        let geometries = contacts.map(|c| push_contact(world, state, c, &mut rows)).collect();
        for holding in &self.holding {
            let entry = &entries[holding.entry];
            let on = [halves(&entry.row.on_a), halves(&entry.row.on_b)];
            let (a, b, drift) = (entry.a, entry.b, entry.row.drift);
            rows.push(Row { a, b, on, pushes: on, drift, start: holding.force });
        }
        (rows, geometries)
    }

    /// Whether the direction of a slip is taken as fixed.
    pub(super) fn is_faint(&self) -> bool {
        self.carrying.iter().any(|c| matches!(c.mode, Mode::Faint(_)))
    }

    /// From now on rows that the others imply keep the forces that they have now.
    pub(super) fn keep_forces(&mut self, world: &World, now: &Happens) {
        for (carrying, acts) in self.carrying.iter_mut().zip(&now.contacts) {
            let (t, _) = tangents(world, acts.geometry.normal, carrying.tangent);
            carrying.force = [acts.normal, t[0].dot(acts.friction), t[1].dot(acts.friction)];
        }
        for (holding, force) in self.holding.iter_mut().zip(&now.rows) {
            holding.force = *force;
        }
    }

    /// Chooses the rows whose forces follow the motion.
    pub(super) fn choose_basis(&mut self, world: &World, state: &State) {
        let (rows, _) = self.rows(world, state, &joint_rows(world, state));
        self.basis = basis(&rows, &mobilities(world, state));
    }

    fn read(
        &self,
        world: &World,
        state: &State,
        accelerations: Vec<Twist>,
        geometries: &[(ContactGeometry, DVec3)],
        forces: &[f64],
        entries: Vec<JointEntry>,
    ) -> Happens {
        let mut k = 0;
        let mut power = [0.0; 2];
        let mut journal = Journal::new(world);
        let mut contacts = Vec::with_capacity(geometries.len());
        for (carrying, (geometry, slip)) in self.carrying.iter().zip(geometries) {
            let normal = forces[k];
            k += 1;
            let friction = match carrying.mode {
                Mode::Slip(_) | Mode::Faint(_) | Mode::Creep(_) => {
                    -normal * carrying.drag(*slip, geometry.normal)
                }
                Mode::Stick if carrying.contact.material.static_friction > 0.0 => {
                    let (t, count) = tangents(world, geometry.normal, carrying.tangent);
                    let friction = (0..count).map(|c| t[c] * forces[k + c]).sum();
                    k += count;
                    friction
                }
                Mode::Stick => DVec3::ZERO,
            };
            power[0] -= friction.dot(*slip);
            let b = carrying.contact.b;
            if !world.bodies[b].is_free() {
                let surface = state.twists[b].at(&state.poses[b], geometry.point);
                power[1] += (friction + normal * geometry.normal).dot(surface);
            }
            let force = friction + normal * geometry.normal;
            let bodies = (carrying.contact.a, Some(b));
            journal.push(&state.poses, bodies, [geometry.point; 2], force);
            contacts.push(Acts { geometry: *geometry, slip: *slip, normal, friction });
        }
        let rows = forces[k..].to_vec();
        let held = self.holding.iter().zip(&rows).map(|(h, f)| (h.entry, *f));
        for (entry, force) in held.chain(self.given.iter().map(|g| (g.entry, g.force))) {
            let entry = &entries[entry];
            journal.push_row(entry, force);
            let work = force * entry.rate(&state.twists);
            power[1] -= force * entry.carried(world, &state.twists);
            match entry.row.rule {
                crate::joint::RowRule::Friction { .. } => power[0] -= work,
                _ => power[1] += work,
            }
        }
        for (i, body) in world.free() {
            power[1] += body.torque.dot(state.twists[i].angular);
        }
        power[1] += crate::assemble::motor_power(world, state);
        power[0] += world.spring_loss(state);
        journal.push_pulls(world, state, 1.0);
        let wrenches = journal.impulses;
        Happens { accelerations, contacts, rows, entries, power, wrenches, ..Happens::default() }
    }
}

impl Mode {
    /// Slip, or faint slip along a direction; `speed` is the fastest motion.
    pub(super) fn slipping(slip: DVec3, along: DVec3, speed: f64) -> Mode {
        if slip.length() > FAINT * speed {
            Mode::Slip(slip.normalize())
        } else {
            Mode::Faint(along)
        }
    }

    /// The direction of slip: as it is, or the one that stands for it.
    pub(super) fn direction(self, slip: DVec3, normal: DVec3) -> DVec3 {
        let flat = |first: DVec3| (first - normal * normal.dot(first)).normalize_or(first);
        match self {
            Mode::Slip(first) if slip.dot(first) > 0.0 => slip.normalize_or(first),
            Mode::Slip(first) | Mode::Faint(first) => flat(first),
            Mode::Stick | Mode::Creep(_) => DVec3::ZERO,
        }
    }
}

/// Friction over the normal force of a contact that creeps, along its slip, with a threshold of
/// this speed (m/s).
pub(super) fn creeping(material: &Material, slip: DVec3, speed: f64) -> DVec3 {
    let threshold = Threshold { speed, velocities: None };
    let coefficients = [material.static_friction, material.dynamic_friction];
    threshold.coefficient(coefficients, slip.length()) * slip.normalize_or_zero()
}

/// The rows of a contact; gives where it is and how it slips.
pub(super) fn push_contact(
    world: &World,
    state: &State,
    carrying: &Carrying,
    rows: &mut Vec<Row>,
) -> (ContactGeometry, DVec3) {
    let contact = &carrying.contact;
    let (a, b) = (contact.a, contact.b);
    let (pose_a, pose_b) = (&state.poses[a], &state.poses[b]);
    let (twist_a, twist_b) = (&state.twists[a], &state.twists[b]);
    let geometry = contact.touch.geometry(pose_a, pose_b);
    let rates = contact.touch.rates(pose_a, twist_a, pose_b, twist_b);
    let p = geometry.point;
    let u = twist_a.at(pose_a, p) - twist_b.at(pose_b, p);
    let slip = u - geometry.normal * geometry.normal.dot(u);
    // d/dt (v_a(p) − v_b(p)) with the twists constant: the contact point moves.
    let drift = twist_a.angular.cross(rates.point - twist_a.linear)
        - twist_b.angular.cross(rates.point - twist_b.linear);
    let wrench =
        |f: DVec3| [[f, (p - pose_a.position).cross(f)], [-f, -(p - pose_b.position).cross(f)]];
    let normal = wrench(geometry.normal);
    let pushes = wrench(geometry.normal - carrying.drag(slip, geometry.normal));
    let closing = geometry.normal.dot(drift) + rates.normal.dot(u);
    let b = Some(b);
    rows.push(Row { a, b, on: normal, pushes, drift: closing, start: carrying.force[0] });
    if carrying.mode == Mode::Stick && contact.material.static_friction > 0.0 {
        let (t, count) = tangents(world, geometry.normal, carrying.tangent);
        for c in 0..count {
            let on = wrench(t[c]);
            let (drift, start) = (t[c].dot(drift), carrying.force[1 + c]);
            rows.push(Row { a, b, on, pushes: on, drift, start });
        }
    }
    (geometry, slip)
}
