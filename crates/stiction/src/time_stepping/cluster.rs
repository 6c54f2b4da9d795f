//! Clusters: bodies whose paths may meet within a step, or that joints and springs hold together,
//! with the fixed and driven bodies beside them.
//!
//! What happens in one cluster does not depend on the others: each is a world of its own, with
//! pieces, collisions and repairs of its own. How far a body may move in a step is guessed from its
//! speed; where a cluster moved farther, and its bodies may have met those of another, both become
//! one, and the step is repeated for it.

use super::rest::Resting;
use super::runner::{Memory, Outcome, Prediction, Runner};
use crate::assemble::joint_rows;
use crate::detect::Detector;
use crate::islands::connected_pairs;
use crate::report::EnergyLedger;
use crate::solve::KnownForces;
use crate::touching::BESIDE;
use crate::world::{BodyId, World};
use std::collections::HashMap;
use std::sync::Arc;
use stiction_geometry::{Aabb, BroadPhase, Twist, aabb};

/// A body may become faster by this factor within a step before its cluster is looked at again.
const FASTER: f64 = 1.25;

/// A cluster and what it did in the last step.
#[derive(Debug)]
pub(super) struct Cluster {
    /// Its bodies and joints, ascending: those of the whole world.
    pub bodies: Vec<usize>,
    pub joints: Vec<usize>,
    /// The same as a world.
    pub world: World,
    memory: Memory,
    /// The forces found last: of steps, and of repairs.
    forces: [KnownForces; 2],
    /// What it did; nothing before a step.
    pub outcome: Option<Outcome>,
}

/// All clusters of a world.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    pub all: Vec<Cluster>,
    broad: BroadPhase,
    /// How far each body may move in the step (m).
    reach: Vec<f64>,
    /// What the clusters are parts of.
    whole: Option<Whole>,
}

/// What of a world does not change while it moves.
#[derive(Debug, PartialEq)]
struct Whole {
    constants: u64,
    shapes: Same,
    sizes: [usize; 2],
}

/// Equal if it is the very same.
#[derive(Debug)]
struct Same(Arc<()>);

impl PartialEq for Same {
    fn eq(&self, other: &Same) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Whole {
    fn of(world: &World) -> Self {
        Whole {
            constants: world.constants(),
            shapes: Same(Arc::clone(world.shapes())),
            sizes: [world.bodies.len(), world.joints.len()],
        }
    }
}

impl Clusters {
    /// The clusters of a step of this length: those of the last step where they are the same.
    pub(super) fn arrange(&mut self, world: &World, dt: f64) {
        let whole = Whole::of(world);
        let keeps = self.whole.as_ref() == Some(&whole);
        if self.whole.as_ref().is_none_or(|old| old.sizes != whole.sizes) {
            self.all.clear();
        }
        self.whole = Some(whole);
        self.reach = (0..world.bodies.len()).map(|i| reach(world, i, dt)).collect();
        let sets = self.sets(world);
        self.form(world, sets, keeps);
        self.all.iter_mut().for_each(|cluster| cluster.begin(world));
    }

    /// Whether all clusters of a step stayed apart. If not, those that may have met are one now.
    pub(super) fn stayed_apart(&mut self, world: &World) -> bool {
        let mut farther = false;
        for cluster in &self.all {
            let Some(outcome) = &cluster.outcome else { continue };
            for (&i, &moved) in cluster.bodies.iter().zip(&outcome.reach) {
                if moved > self.reach[i] {
                    self.reach[i] = FASTER * moved;
                    farther = true;
                }
            }
        }
        if !farther {
            return true;
        }
        let sets = self.sets(world);
        let count = self.all.len();
        let same = sets.len() == count && sets.iter().zip(&self.all).all(|(s, c)| *s == c.bodies);
        if !same {
            self.form(world, sets, true);
        }
        same
    }

    /// Bodies that may meet within their reach, or that are held together, in ascending order: each
    /// set with the fixed and driven bodies beside it.
    fn sets(&mut self, world: &World) -> Vec<Vec<usize>> {
        let boxes: Vec<Aabb> = (world.bodies.iter().zip(&world.state.poses).zip(&self.reach))
            .map(|((body, pose), reach)| aabb(&body.parts, pose).inflated(*reach))
            .collect();
        let may =
            |i: usize, j: usize| world.may_touch(BodyId::from_index(i), BodyId::from_index(j));
        let pairs = self.broad.pairs(&boxes, 0.0).iter().map(|&(i, j)| (i as usize, j as usize));
        let pairs: Vec<(usize, usize)> = pairs.filter(|&(i, j)| may(i, j)).collect();
        let mut islands = connected_pairs(world, pairs.iter().copied());
        let mut sets: Vec<Vec<usize>> = vec![Vec::new(); world.bodies.len()];
        for (i, _) in world.free() {
            sets[islands.of(i)].push(i);
        }
        let joints = world.joints.iter().filter_map(|j| Some((j.a.index(), j.other()?)));
        let springs = world.springs.iter().filter_map(|s| Some((s.a.index(), s.other()?)));
        for (i, j) in pairs.into_iter().chain(joints).chain(springs) {
            match (world.bodies[i].is_free(), world.bodies[j].is_free()) {
                (true, false) => sets[islands.of(i)].push(j),
                (false, true) => sets[islands.of(j)].push(i),
                _ => {}
            }
        }
        sets.retain(|set| !set.is_empty());
        for set in &mut sets {
            set.sort_unstable();
            set.dedup();
        }
        sets
    }

    /// Clusters of these bodies: those that are there already, if they may be kept, and new ones,
    /// which take over what others knew of their bodies.
    fn form(&mut self, world: &World, sets: Vec<Vec<usize>>, keeps: bool) {
        let mut owners = vec![usize::MAX; world.bodies.len()];
        for (k, cluster) in self.all.iter().enumerate() {
            for &i in cluster.bodies.iter().filter(|&&i| world.bodies[i].is_free()) {
                owners[i] = k;
            }
        }
        let mut old: Vec<Option<Cluster>> =
            std::mem::take(&mut self.all).into_iter().map(Some).collect();
        for set in sets {
            let mut donors: Vec<usize> = set.iter().map(|&i| owners[i]).collect();
            donors.retain(|&k| k != usize::MAX);
            donors.sort_unstable();
            donors.dedup();
            let is_same = |k: usize| old[k].as_ref().is_some_and(|c| keeps && c.bodies == set);
            if let [k] = donors[..]
                && is_same(k)
            {
                self.all.extend(old[k].take());
            } else {
                for &k in &donors {
                    old[k].iter_mut().for_each(|donor| donor.begin(world));
                }
                let donors: Vec<&Cluster> =
                    donors.iter().filter_map(|&k| old[k].as_ref()).collect();
                self.all.push(Cluster::new(world, set, &donors, keeps));
            }
        }
    }
}

/// How far a body is expected to move in a step (m).
fn reach(world: &World, body: usize, dt: f64) -> f64 {
    let it = &world.bodies[body];
    let radius = if it.bounding_radius().is_finite() { it.bounding_radius() } else { 0.0 };
    let speed = |twist: &Twist| twist.linear.length() + radius * twist.angular.length();
    let now = speed(&world.state.twists[body]);
    let fall =
        dt * dt * (world.gravity.length() + it.force.length() / it.mass.max(f64::MIN_POSITIVE));
    if it.is_free() {
        FASTER * (dt * now + fall) + BESIDE * radius
    } else if world.is_driven(body) {
        let later = speed(&world.driven_twist(body, world.state.time + dt));
        FASTER * dt * now.max(later) + fall
    } else {
        0.0
    }
}

impl Cluster {
    /// Clusters that had these bodies leave what they knew, and what rested if the world is `same`
    /// otherwise.
    fn new(world: &World, bodies: Vec<usize>, donors: &[&Cluster], same: bool) -> Self {
        let (part, joints) = world.part(&bodies);
        let names = bodies.iter().map(|&i| BodyId::from_index(i)).collect();
        let detector = Detector::naming(names);
        let memory = Memory { detector, ..Memory::default() };
        let mut cluster = Cluster {
            bodies,
            joints,
            world: part,
            memory,
            forces: [KnownForces::default(), KnownForces::default()],
            outcome: None,
        };
        cluster.inherit(donors, same);
        cluster
    }

    /// Takes the state at the beginning of a step.
    fn begin(&mut self, world: &World) {
        self.world.take_part(world, &self.bodies, &self.joints);
    }

    /// One step of this length, part of a frame. The part of what the whole world's ledger may miss
    /// is `share`.
    pub(super) fn advance(
        &mut self,
        runner: &mut Runner,
        lengths: [f64; 2],
        (ledger, missing, share): (&EnergyLedger, f64, f64),
    ) {
        let mut own = EnergyLedger::open(&self.world);
        own.start -= share * missing;
        let turnover = [ledger.friction, ledger.impacts, ledger.work.abs()];
        own.turnover = share * turnover.into_iter().fold(ledger.turnover, f64::max);
        runner.swap(&mut self.memory, &mut self.forces);
        let known = self.outcome.take();
        self.outcome = Some(runner.advance(&mut self.world, lengths, own, known));
        runner.swap(&mut self.memory, &mut self.forces);
    }

    /// The joint, of the whole world, of each row of joints, and which of its rows it is.
    fn rows(&self) -> Vec<(usize, usize)> {
        let mut count = vec![0; self.joints.len()];
        let row = |joint: usize| {
            count[joint] += 1;
            (self.joints[joint], count[joint])
        };
        joint_rows(&self.world, &self.world.state)
            .iter()
            .map(|entry| entry.joint)
            .map(row)
            .collect()
    }

    /// Takes over what other clusters knew of these bodies, joints and contacts.
    fn inherit(&mut self, donors: &[&Cluster], same: bool) {
        let begun = |donor: &&Cluster| donor.memory.prediction.knows(donor.bodies.len());
        if !donors.iter().any(begun) {
            return;
        }
        let length = donors.iter().map(|d| d.memory.prediction.length).fold(0.0, f64::max);
        let mut past = Prediction { length, ..Prediction::default() };
        past.acceleration = vec![Twist::ZERO; self.bodies.len()];
        let (mut rows, mut rest) = (HashMap::new(), Resting::default());
        let rests = same && donors.iter().all(|donor| donor.memory.resting.is_of(&donor.world));
        let place = |i: usize| self.bodies.binary_search(&i).ok();
        for donor in donors {
            let Memory { prediction, resting, .. } = &donor.memory;
            let factor =
                if prediction.length > 0.0 { past.length / prediction.length } else { 1.0 };
            for (&i, acceleration) in donor.bodies.iter().zip(&prediction.acceleration) {
                if let Some(k) = place(i) {
                    past.acceleration[k] = *acceleration;
                }
            }
            let names = donor.rows();
            let force = |k: usize| prediction.row_forces.get(k).map_or(0.0, |x| factor * x);
            let held = |k: usize| resting.rows.get(k).copied().unwrap_or_default();
            rows.extend(names.iter().enumerate().map(|(k, name)| (*name, [force(k), held(k)])));
            for (known, theirs) in self.forces.iter_mut().zip(&donor.forces) {
                known.take_over(theirs, factor);
            }
            rest.take_over(resting, (&self.bodies, &donor.bodies));
            let trusted = donor.memory.trusted;
            let shortest = if self.memory.trusted > 0.0 { self.memory.trusted } else { trusted };
            self.memory.trusted = shortest.min(trusted);
            self.memory.withheld_splits =
                self.memory.withheld_splits.max(donor.memory.withheld_splits);
        }
        let names = self.rows();
        let of = |k: usize| {
            names.iter().map(|name| rows.get(name).map_or(0.0, |x| x[k])).collect::<Vec<f64>>()
        };
        (past.row_forces, rest.rows) = (of(0), of(1));
        if rests {
            rest.see(&self.world);
            self.memory.resting = rest;
        }
        self.memory.prediction = past;
    }
}
