//! The state of a world: what changes while it moves.

use super::BodyId;
use stiction_geometry::{Pose, Twist};

/// Where everything is and how it moves.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// One per body; [`BodyId::index`] is the index.
    pub poses: Vec<Pose>,
    /// One per body.
    pub twists: Vec<Twist>,
    /// One per joint: the angle of a hinge, counted beyond half turns (rad); 0 for others
    /// without a coordinate.
    pub turns: Vec<f64>,
}

impl State {
    /// Position of the centre of mass and orientation of a body.
    ///
    /// # Panics
    ///
    /// If there is no such body.
    pub fn pose(&self, id: BodyId) -> Pose {
        self.poses[id.index()]
    }

    /// Velocity of the centre of mass and angular velocity of a body.
    ///
    /// # Panics
    ///
    /// If there is no such body.
    pub fn twist(&self, id: BodyId) -> Twist {
        self.twists[id.index()]
    }

    /// Sixty-four bits that differ when anything of the state does (FNV-1a over the bits of all numbers).
    pub fn hash(&self) -> u64 {
        let bytes = self.moving().chain([self.time]).flat_map(|x| x.to_bits().to_le_bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// All its numbers but the time.
    pub(super) fn moving(&self) -> impl Iterator<Item = f64> {
        let poses = self.poses.iter().flat_map(|p| {
            let (x, q) = (p.position.to_array(), p.rotation.to_array());
            [x[0], x[1], x[2], q[0], q[1], q[2], q[3]]
        });
        let twists = self.twists.iter().flat_map(|t| {
            let (v, w) = (t.linear.to_array(), t.angular.to_array());
            [v[0], v[1], v[2], w[0], w[1], w[2]]
        });
        poses.chain(twists).chain(self.turns.iter().copied())
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.poses.iter().all(|p| p.position.is_finite() && p.rotation.is_finite())
            && self.twists.iter().all(|t| t.linear.is_finite() && t.angular.is_finite())
    }
}

/// Sixty-four bits that differ when any bit of these numbers does: a step for each number instead of
/// each byte.
pub(super) fn mix(hash: u64, numbers: impl Iterator<Item = f64>) -> u64 {
    numbers.fold(hash ^ 0xcbf2_9ce4_8422_2325, |hash, x| {
        let mixed = (hash ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 32)
    })
}
