//! The world: bodies with shape and mass, what acts on them, and their state.
//!
//! A [`World`] is what steppers do not change (bodies, joints, springs, gravity, materials) and a
//! [`State`], which they do. Users name bodies and joints by [`BodyId`] and [`JointId`].
//!
//! | file | what |
//! | --- | --- |
//! | `world/handle.rs` | [`BodyId`], [`JointId`] |
//! | `world/body.rs` | [`Body`], [`Motion`] |
//! | `world/material.rs` | [`Material`] |
//! | `world/state.rs` | [`State`] and its hash |
//! | `world/absorb.rs` | one world put into another |
//! | `world/edit.rs` | adding, removing and changing bodies, joints, springs and excluded pairs |
//! | `world/dynamics.rs` | mobilities, accelerations, energies, momenta |
//! | `world/validate.rs` | [`World::validate`], [`WorldError`] |
//! | `world/part.rs` | a part of a world, as a world |
//! | `world/overlap.rs` | [`World::overlaps`]: bodies that overlap |

mod absorb;
mod body;
mod dynamics;
mod edit;
mod handle;
mod material;
mod overlap;
mod part;
mod state;
mod validate;

pub use body::{Body, Motion};
pub(crate) use dynamics::Mobility;
pub use handle::{BodyId, JointId};
pub use material::Material;
pub(crate) use overlap::MOST_OVERLAPS;
pub use overlap::{
    BodyOverlap, SEPARABLE, SEPARABLE_FROM_FIXED, START_OVERLAP, START_OVERLAP_OF_THICKNESS,
};
pub use state::State;
/// What happens when several contacts collide at once.
pub use stiction_solvers::baraff1989::Model as ImpactModel;
pub use validate::WorldError;

use crate::joint::Joint;
use crate::spring::Spring;
use glam::DVec3;
use std::collections::BTreeSet;
use std::sync::Arc;
use stiction_geometry::{Pose, Twist};

/// Bodies, joints, what acts on them, and their state.
///
/// # Removal
///
/// [`World::remove_body`] and [`World::remove_joint`] empty a slot and never use it again. All
/// other handles keep naming what they named, and so do the indices in reports, frames and
/// recordings. An empty slot of a body is a fixed body without shape; one of a joint is a joint of
/// kind [`JointKind::Free`](crate::joint::JointKind::Free), which holds nothing. Each costs the
/// memory of a body or joint, but no solver time.
///
/// # Changes between steps
///
/// Whatever the methods of a world change, a stepper notices at its next step, and it then
/// forgets what it knew of contacts and rest. Its [`EnergyLedger`](crate::EnergyLedger) does not know the energy
/// that a change adds or takes away: use [`Simulation::alter`](crate::Simulation::alter), which books it as work, or
/// begin with a new stepper.
#[derive(Clone, Debug)]
pub struct World {
    /// One per slot.
    pub(crate) bodies: Vec<Body>,
    /// One per slot.
    pub(crate) joints: Vec<Joint>,
    /// The springs.
    pub(crate) springs: Vec<Spring>,
    /// Pairs of bodies that never touch, smaller handle first.
    pub(crate) excluded_pairs: Vec<[BodyId; 2]>,
    /// Materials that bodies refer to.
    pub materials: Vec<Material>,
    /// Pairs of materials with coefficients of their own, smaller index first.
    pub pairs: Vec<([usize; 2], Material)>,
    /// Gravity (m/s²).
    pub gravity: DVec3,
    /// Unit normal of the plane that bodies move in, for planar worlds.
    pub plane: Option<DVec3>,
    /// What happens when several contacts collide at once.
    pub impacts: ImpactModel,
    /// Time, poses and velocities. [`World::pose`] and [`World::twist`] read it by handle.
    pub state: State,
    removed: Removed,
    /// Another number after every change that the state does not show.
    revision: u64,
    /// Replaced when a body is added, removed or changed: worlds that share it have the same
    /// bodies.
    shapes: Arc<()>,
}

/// Empty slots.
#[derive(Clone, Debug, Default)]
struct Removed {
    bodies: BTreeSet<BodyId>,
    joints: BTreeSet<JointId>,
}

impl Default for World {
    fn default() -> Self {
        World {
            bodies: Vec::new(),
            joints: Vec::new(),
            springs: Vec::new(),
            excluded_pairs: Vec::new(),
            materials: vec![Material::new(0.5)],
            pairs: Vec::new(),
            gravity: DVec3::new(0.0, 0.0, -9.81),
            plane: None,
            impacts: ImpactModel::Simultaneous,
            state: State { time: 0.0, poses: vec![], twists: vec![], turns: vec![] },
            removed: Removed::default(),
            revision: 0,
            shapes: Arc::default(),
        }
    }
}

impl World {
    /// An empty world with gravity and one material of friction 0.5.
    pub fn new() -> Self {
        World::default()
    }

    /// Whether a handle names a body of this world that was not removed.
    pub fn contains(&self, body: BodyId) -> bool {
        body.index() < self.bodies.len() && !self.removed.bodies.contains(&body)
    }

    /// Whether a handle names a joint of this world that was not removed.
    pub fn contains_joint(&self, joint: JointId) -> bool {
        joint.index() < self.joints.len() && !self.removed.joints.contains(&joint)
    }

    /// A body.
    ///
    /// # Panics
    ///
    /// If there is no such body, or it was removed; see [`World::contains`].
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[self.slot(id)]
    }

    /// A joint.
    ///
    /// # Panics
    ///
    /// If there is no such joint, or it was removed; see [`World::contains_joint`].
    pub fn joint(&self, id: JointId) -> &Joint {
        &self.joints[self.joint_slot(id)]
    }

    /// Position of the centre of mass and orientation of a body.
    ///
    /// # Panics
    ///
    /// As [`World::body`].
    pub fn pose(&self, id: BodyId) -> Pose {
        self.state.poses[self.slot(id)]
    }

    /// Velocity of the centre of mass and angular velocity of a body.
    ///
    /// # Panics
    ///
    /// As [`World::body`].
    pub fn twist(&self, id: BodyId) -> Twist {
        self.state.twists[self.slot(id)]
    }

    /// The bodies, without removed ones, in the order of addition.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        let all = self.bodies.iter().enumerate().map(|(i, body)| (BodyId::from_index(i), body));
        all.filter(|(id, _)| !self.removed.bodies.contains(id))
    }

    /// The bodies that forces move.
    pub fn free_bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.bodies().filter(|(_, body)| body.is_free())
    }

    /// The joints, without removed ones, in the order of addition.
    pub fn joints(&self) -> impl Iterator<Item = (JointId, &Joint)> {
        let all = self.joints.iter().enumerate().map(|(i, joint)| (JointId::from_index(i), joint));
        all.filter(|(id, _)| !self.removed.joints.contains(id))
    }

    /// The springs.
    pub fn springs(&self) -> &[Spring] {
        &self.springs
    }

    /// Pairs of bodies that never touch, smaller handle first.
    pub fn excluded_pairs(&self) -> &[[BodyId; 2]] {
        &self.excluded_pairs
    }

    /// The handle of body number `index`, as in frames and recordings; `None` if there is no such
    /// body, or it was removed.
    pub fn body_id(&self, index: usize) -> Option<BodyId> {
        let id = (index < self.bodies.len()).then(|| BodyId::from_index(index));
        id.filter(|&id| self.contains(id))
    }

    /// The handle of joint number `index`, as in frames and recordings; `None` if there is no such
    /// joint, or it was removed.
    pub fn joint_id(&self, index: usize) -> Option<JointId> {
        let id = (index < self.joints.len()).then(|| JointId::from_index(index));
        id.filter(|&id| self.contains_joint(id))
    }

    /// The body of a name.
    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        self.bodies().find(|(_, body)| body.name == name).map(|(id, _)| id)
    }

    /// The joint of a name.
    pub fn find_joint(&self, name: &str) -> Option<JointId> {
        self.joints().find(|(_, joint)| joint.name == name).map(|(id, _)| id)
    }

    /// Whether two bodies may touch.
    pub fn may_touch(&self, a: BodyId, b: BodyId) -> bool {
        let [first, second] = [a, b].map(|id| &self.bodies[id.index()]);
        (first.is_free() || second.is_free())
            && first.collision_groups & second.collision_groups != 0
            && !self.excluded_pairs.contains(&[a.min(b), a.max(b)])
    }

    #[track_caller]
    fn slot(&self, id: BodyId) -> usize {
        assert!(self.contains(id), "{id} was removed, or is of another world");
        id.index()
    }

    #[track_caller]
    fn joint_slot(&self, id: JointId) -> usize {
        assert!(self.contains_joint(id), "{id} was removed, or is of another world");
        id.index()
    }
}
