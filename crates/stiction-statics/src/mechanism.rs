//! How a structure fails: which blocks move and what each interface does.

use crate::assembly::Assembly;
use crate::statics::Statics;
use glam::DVec3;
use serde::Serialize;
use stiction_check::{Claim, Proof};

/// Part of the fastest velocity below which a point counts as at rest.
const RESTS: f64 = 1e-6;

/// What the blocks on both sides of an interface do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Every corner slides: with `u_n = μ |u_t|` in a proof that no forces exist, with `u_n = 0` in a
    /// lawful motion.
    Slides,
    /// Some corners stay together.
    Hinges,
    /// Every corner parts.
    Opens,
}

/// A mechanism of collapse.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Mechanism {
    /// Blocks that move.
    pub moving: Vec<usize>,
    /// Interfaces whose blocks move against each other.
    pub interfaces: Vec<(usize, Mode)>,
}

impl Mechanism {
    /// How many interfaces are in a mode.
    pub fn count(&self, mode: Mode) -> usize {
        self.interfaces.iter().filter(|(_, m)| *m == mode).count()
    }
}

impl Statics {
    /// The mechanism of a claim whose witness is a motion.
    pub fn mechanism(&self, assembly: &Assembly, claim: &Claim) -> Option<Mechanism> {
        let motion = self.motion_of(claim)?;
        // A proof that no forces exist dilates where it slides, a lawful motion does not.
        let ratio = match claim.proof {
            Proof::NotCarried { .. } => claim.case.friction,
            _ => 0.0,
        };
        let velocity = |block: usize, at: DVec3| {
            let (velocity, spin) = motion[block];
            velocity + spin.cross(at - DVec3::from(self.model.blocks[block].centre))
        };
        let corners = |block: usize| assembly.blocks[block].vertices.iter().copied();
        let fastest_of = |block: usize| {
            let centre = DVec3::from(self.model.blocks[block].centre);
            corners(block).chain([centre]).map(|p| velocity(block, p).length()).fold(0.0, f64::max)
        };
        let speeds: Vec<f64> = (0..assembly.blocks.len()).map(fastest_of).collect();
        let fastest = speeds.iter().copied().fold(0.0, f64::max);
        let rests = RESTS * fastest;
        let moving = (0..speeds.len()).filter(|&k| speeds[k] > rests).collect();
        let mode = |interface: &crate::Interface| {
            let slip = |&p: &DVec3| velocity(interface.a, p) - velocity(interface.b, p);
            let slips: Vec<DVec3> = interface.points.iter().map(slip).collect();
            let still = slips.iter().filter(|u| u.length() <= rests).count();
            let normal = interface.normal.normalize();
            let along = |u: &DVec3| {
                let n = u.dot(normal);
                let dilation = interface.friction * ratio * (*u - normal * n).length();
                (n - dilation).abs() <= rests.max(RESTS * u.length())
            };
            if still == slips.len() {
                None
            } else if still > 0 {
                Some(Mode::Hinges)
            } else if slips.iter().all(along) {
                Some(Mode::Slides)
            } else {
                Some(Mode::Opens)
            }
        };
        let modes = assembly.interfaces.iter().enumerate();
        let interfaces = modes.filter_map(|(k, interface)| Some((k, mode(interface)?))).collect();
        Some(Mechanism { moving, interfaces })
    }
}
