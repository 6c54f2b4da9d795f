//! Regions: horizontal accelerations that can be carried, and normal forces that an interface can have.

use crate::margin::Margin;
use crate::program::{ACCURATE, End, Program};
use crate::statics::{Decision, Statics};
use crate::witness::Prover;
use glam::{DVec2, DVec3};
use serde::Serialize;
use stiction_check::{Case, Proof};

/// Half of the square in which a region is shown, relative to the largest acceleration that bounds it.
const SHOWN: f64 = 1.5;

/// The horizontal accelerations that are carried, as multiples of gravity along two axes. It is convex.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Region {
    /// The axes: x (or y, if gravity is along x), and the horizontal direction to the left of it.
    pub axes: [[f64; 3]; 2],
    /// Limits in directions that go around once.
    #[serde(skip)]
    pub margins: Vec<Margin>,
    /// Corners of a polygon that is carried: forces prove each of them.
    pub inside: Vec<[f64; 2]>,
    /// Corners of the polygon beyond which nothing is carried: a motion proves each of its sides.
    pub around: Vec<[f64; 2]>,
}

/// An acceleration that a standard asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// What it is for.
    pub what: &'static str,
    /// Direction, in degrees from the first axis to the second.
    pub degrees: f64,
    /// Multiple of gravity.
    pub acceleration: f64,
}

/// EN 12195-1 on the road, forward along the first axis, as accelerations of the load against
/// the vehicle. The larger one sideways is for loads that may tip. No lashing is modelled.
pub const EN12195_ROAD: [Demand; 6] = [
    Demand { what: "forward", degrees: 0.0, acceleration: 0.8 },
    Demand { what: "rearward", degrees: 180.0, acceleration: 0.5 },
    Demand { what: "to the left", degrees: 90.0, acceleration: 0.5 },
    Demand { what: "to the right", degrees: -90.0, acceleration: 0.5 },
    Demand { what: "to the left, if it may tip", degrees: 90.0, acceleration: 0.6 },
    Demand { what: "to the right, if it may tip", degrees: -90.0, acceleration: 0.6 },
];

impl Demand {
    /// Whether a limit in its direction meets it; none if that is open.
    pub fn met(&self, margin: &Margin) -> Option<bool> {
        if margin.unbounded || margin.at_least.is_some_and(|low| low >= self.acceleration) {
            return Some(true);
        }
        margin.at_most.filter(|high| *high <= self.acceleration).map(|_| false)
    }
}

impl Statics {
    /// Which horizontal accelerations are carried, from their limits in so many directions.
    pub fn accelerations(&self, directions: usize) -> Region {
        let axes = self.axes();
        let around = |k: usize| std::f64::consts::TAU * k as f64 / directions as f64;
        let limit = |k: usize| self.tilt(axes[0] * around(k).cos() + axes[1] * around(k).sin());
        let margins: Vec<Margin> = (0..directions).map(limit).collect();
        let ends = margins.iter().flat_map(|margin| [margin.at_least, margin.at_most]);
        let largest = ends.flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
        let half = if largest > 0.0 { SHOWN * largest } else { 1.0 };
        let reached = |(k, margin): (usize, &Margin)| {
            let size = if margin.unbounded { half } else { margin.at_least? };
            Some((DVec2::from_angle(around(k)) * size).to_array())
        };
        let inside = margins.iter().enumerate().filter_map(reached).collect();
        let corners = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
        let mut polygon: Vec<DVec2> = corners.map(|c| DVec2::from(c) * half).into();
        for (normal, bound) in margins.iter().filter_map(|margin| self.side(margin, axes)) {
            polygon = cut(&polygon, normal, bound);
        }
        Region {
            axes: axes.map(|axis| axis.to_array()),
            margins,
            inside,
            around: polygon.iter().map(DVec2::to_array).collect(),
        }
    }

    /// How far it can be accelerated or tilted in a direction, in degrees from the first horizontal
    /// axis to the second.
    pub fn tilt_degrees(&self, degrees: f64) -> Margin {
        let [first, second] = self.axes();
        let angle = degrees.to_radians();
        self.tilt(first * angle.cos() + second * angle.sin())
    }

    /// Whether a demand is met: by the limit in its direction, else by the verdict under its acceleration.
    pub fn meets(&self, demand: &Demand, margin: &Margin) -> Option<bool> {
        let verdict = || {
            let [first, second] = self.axes();
            let angle = demand.degrees.to_radians();
            let size = demand.acceleration * DVec3::from(self.model.gravity).length();
            let acceleration = (first * angle.cos() + second * angle.sin()) * size;
            let case = Case { acceleration: acceleration.to_array(), ..Case::default() };
            match self.decide(&case) {
                Decision::Carried(_) => Some(true),
                Decision::NotCarried(_) => Some(false),
                Decision::Open => None,
            }
        };
        demand.met(margin).or_else(verdict)
    }

    /// Two horizontal axes.
    fn axes(&self) -> [DVec3; 2] {
        let up = -DVec3::from(self.model.gravity).normalize_or_zero();
        let first = if up.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
        let first = (first - up * first.dot(up)).normalize_or_zero();
        [first, up.cross(first)]
    }

    /// The half-plane `normal · a ≤ bound` that the motion of a limit proves: on accelerations beyond it
    /// the power of the loads, momentum · (gravity + a), is positive.
    fn side(&self, margin: &Margin, axes: [DVec3; 2]) -> Option<(DVec2, f64)> {
        let Proof::NotCarried { origin, motion } = &margin.claims[1].as_ref()?.proof else {
            return None;
        };
        let momentum = |(block, w): (&stiction_check::Block, &[f64; 6])| {
            let arm = DVec3::from(block.centre) - DVec3::from(*origin);
            let velocity = DVec3::new(w[0], w[1], w[2]) + DVec3::new(w[3], w[4], w[5]).cross(arm);
            velocity * if block.fixed { 0.0 } else { block.mass }
        };
        let momentum: DVec3 = self.model.blocks.iter().zip(motion).map(momentum).sum();
        let gravity = DVec3::from(self.model.gravity);
        let normal = DVec2::from(axes.map(|axis| axis.dot(momentum))) * gravity.length();
        Some((normal, -momentum.dot(gravity)))
    }

    /// The least and the largest sum of normal forces (N) that an interface has among all forces that
    /// carry the weight; infinite if nothing bounds it, none if no forces were found.
    ///
    /// Forces with these sums exist: the checker accepted them. That no other sums exist holds to
    /// the accuracy of the program. Kinematics may narrow the range further.
    pub fn force_range(&self, interface: usize) -> Option<[f64; 2]> {
        let prover = Prover::new(&self.model, &self.structure);
        let case = Case::default();
        let load = self.structure.load(&self.model, &case);
        let member = |k: usize| self.structure.contacts[k].interface == interface;
        let sum = |forces: &[[f64; 3]]| -> f64 {
            let normal = |k: usize| DVec3::from(forces[k]).dot(self.structure.contacts[k].axes[0]);
            (0..forces.len()).filter(|&k| member(k)).map(normal).sum()
        };
        let end = |sign: f64| {
            let carry = Program::carry(&self.structure, &load);
            let of = |k: usize| if member(k) { [sign, 0.0, 0.0] } else { [0.0; 3] };
            let cost = (0..carry.cost.len()).map(of).collect();
            let program = Program { cost, accuracy: ACCURATE, ..carry };
            program.attempts().find_map(|solution| match solution.end {
                End::Unbounded => Some(f64::INFINITY),
                End::Solved => prover.carried(&case, &solution.forces).map(|forces| sum(&forces)),
                End::Infeasible | End::Stalled => None,
            })
        };
        Some([end(1.0)?, end(-1.0)?])
    }
}

/// The part of a convex polygon with `normal · p ≤ bound`.
fn cut(polygon: &[DVec2], normal: DVec2, bound: f64) -> Vec<DVec2> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, &p) in polygon.iter().enumerate() {
        let q = polygon[(k + 1) % polygon.len()];
        let (here, next) = (bound - normal.dot(p), bound - normal.dot(q));
        if here >= 0.0 {
            kept.push(p);
        }
        if (here >= 0.0) != (next >= 0.0) {
            kept.push(p + (q - p) * (here / (here - next)));
        }
    }
    kept
}
