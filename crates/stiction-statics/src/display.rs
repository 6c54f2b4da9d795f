//! One state of an assembly in a form that is easy to draw: forces, resultants, lines of thrust, use of the
//! interfaces, and a motion.
//!
//! Forces that are not unique are one state that the laws admit; their use belongs to that state.

use crate::assembly::Assembly;
use crate::mechanism::Mode;
use crate::picture::forces::{resultants, thrust, used, uses};
use crate::statics::Statics;
use crate::verdict::Answer;
use glam::DVec3;
use serde::Serialize;
use stiction_check::{Claim, Proof};

/// What a page or a picture needs. SI units, world axes.
#[derive(Clone, Debug, Serialize)]
pub struct Display {
    /// Acceleration of gravity.
    pub gravity: [f64; 3],
    /// The blocks, in the order of the model.
    pub blocks: Vec<DisplayBlock>,
    /// The interfaces, in the order of the model.
    pub interfaces: Vec<DisplayInterface>,
    /// Pieces of the lines of thrust.
    pub thrust: Vec<[[f64; 3]; 2]>,
}

/// A block.
#[derive(Clone, Debug, Serialize)]
pub struct DisplayBlock {
    /// Its name.
    pub name: String,
    /// A support.
    pub fixed: bool,
    /// Corners.
    pub vertices: Vec<[f64; 3]>,
    /// Faces as numbers of corners.
    pub faces: Vec<Vec<usize>>,
    /// Centre of mass.
    pub centre: [f64; 3],
    /// The largest use of its interfaces, 0 to 1.
    #[serde(rename = "use")]
    pub used: Option<f64>,
    /// Velocity of its centre and spin in the mechanism; only ratios matter.
    pub motion: Option<[f64; 6]>,
}

/// An interface.
#[derive(Clone, Debug, Serialize)]
pub struct DisplayInterface {
    /// The blocks: the normal and the forces point into the first.
    pub blocks: [usize; 2],
    /// Corners.
    pub points: Vec<[f64; 3]>,
    /// Unit normal.
    pub normal: [f64; 3],
    /// Coefficient of friction.
    pub friction: f64,
    /// Force at every corner (N).
    pub forces: Vec<[f64; 3]>,
    /// Sum of the forces, and the point through which it goes.
    pub resultant: Option<[[f64; 3]; 2]>,
    /// The larger of the use of friction and of the eccentricity of the resultant, 0 to 1.
    #[serde(rename = "use")]
    pub used: Option<f64>,
    /// What it does in the mechanism.
    pub mode: Option<Mode>,
}

impl Statics {
    /// The forces of a verdict and the motion of a mechanism, to be drawn: of the verdict, else of the first of
    /// other claims that have one.
    pub fn display(&self, assembly: &Assembly, answer: &Answer, others: &[&Claim]) -> Display {
        let forces = answer.claims.iter().find_map(|claim| self.forces_of(claim));
        let mut claims = answer.claims.iter().chain(others.iter().copied());
        let moving = claims.find(|claim| self.motion_of(claim).is_some());
        let motion = moving.and_then(|claim| self.motion_of(claim));
        let mechanism = moving.and_then(|claim| self.mechanism(assembly, claim));
        let results = forces.as_ref().map(|forces| resultants(assembly, forces));
        let of_blocks = results.as_ref().map(|results| uses(assembly, results));
        let array = |p: &DVec3| p.to_array();
        let block = |(k, block): (usize, &crate::Block)| DisplayBlock {
            name: block.name.clone(),
            fixed: block.fixed,
            vertices: block.vertices.iter().map(array).collect(),
            faces: block.faces.clone(),
            centre: block.centre.to_array(),
            used: of_blocks.as_ref().and_then(|uses| uses[k]).filter(|_| !block.fixed),
            motion: motion.as_ref().map(|motion| crate::structure::six(motion[k].0, motion[k].1)),
        };
        let mut next = 0;
        let mut interface = |(k, interface): (usize, &crate::Interface)| {
            let first = next;
            next += interface.points.len();
            let resultant = results.as_ref().and_then(|results| results[k]);
            let modes =
                mechanism.as_ref().map_or(&[][..], |mechanism| mechanism.interfaces.as_slice());
            DisplayInterface {
                blocks: [interface.a, interface.b],
                points: interface.points.iter().map(array).collect(),
                normal: interface.normal.to_array(),
                friction: interface.friction,
                forces: forces
                    .as_ref()
                    .map_or_else(Vec::new, |f| f[first..next].iter().map(array).collect()),
                resultant: resultant.map(|it| [it.force.to_array(), it.point.to_array()]),
                used: resultant.map(|it| used(interface, &it)),
                mode: modes.iter().find(|(number, _)| *number == k).map(|(_, mode)| *mode),
            }
        };
        let lines = results.as_ref().map_or_else(Vec::new, |results| thrust(assembly, results));
        Display {
            gravity: assembly.gravity.to_array(),
            blocks: assembly.blocks.iter().enumerate().map(block).collect(),
            interfaces: assembly.interfaces.iter().enumerate().map(&mut interface).collect(),
            thrust: lines.iter().map(|ends| ends.map(|p| p.to_array())).collect(),
        }
    }

    /// The force of a claim on the first block of every contact (N).
    pub fn forces_of(&self, claim: &Claim) -> Option<Vec<DVec3>> {
        match &claim.proof {
            Proof::Carried { forces } | Proof::Moves { forces, .. } => {
                Some(forces.iter().copied().map(DVec3::from).collect())
            }
            Proof::MustStand { normal } => {
                let force = |(contact, force): (&stiction_check::Contact, &f64)| {
                    DVec3::from(contact.normal) * *force
                };
                Some(self.model.contacts.iter().zip(normal).map(force).collect())
            }
            Proof::NotCarried { .. } => None,
        }
    }

    /// The velocity of the centre and the spin of every block in a claim; fixed blocks rest.
    pub fn motion_of(&self, claim: &Claim) -> Option<Vec<(DVec3, DVec3)>> {
        let split = |w: &[f64; 6]| (DVec3::new(w[0], w[1], w[2]), DVec3::new(w[3], w[4], w[5]));
        let (twists, origin) = match &claim.proof {
            Proof::NotCarried { origin, motion } => (motion, Some(DVec3::from(*origin))),
            Proof::Moves { accelerations, .. } => (accelerations, None),
            Proof::Carried { .. } | Proof::MustStand { .. } => return None,
        };
        let at_centre = |(block, w): (&stiction_check::Block, &[f64; 6])| {
            if block.fixed {
                return (DVec3::ZERO, DVec3::ZERO);
            }
            let (velocity, spin) = split(w);
            let arm = origin.map_or(DVec3::ZERO, |origin| DVec3::from(block.centre) - origin);
            (velocity + spin.cross(arm), spin)
        };
        Some(self.model.blocks.iter().zip(twists).map(at_centre).collect())
    }
}
