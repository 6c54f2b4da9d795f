//! What parts of bodies are to the judge of motion, and boxes around them.

use crate::motion::path::Track;
use crate::motion::solid::Solid;
use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb as ParryBox;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use stiction_geometry::{Mesh, Part, Pose, Shape};

/// A part of a body.
pub(super) enum Obstacle {
    /// A convex solid.
    Solid(Solid),
    /// `z ≤ 0` of this pose in the body.
    HalfSpace(Pose),
    /// Triangles of a surface.
    Surface {
        /// In the frame of the body.
        triangles: Vec<Solid>,
        /// The box around all of them.
        whole: Box<Solid>,
        /// Boxes around each, in the frame of the body.
        tree: Box<Bvh>,
    },
}

/// A box along the axes of the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swept {
    pub low: DVec3,
    pub high: DVec3,
}

impl Swept {
    pub(super) const EMPTY: Swept = Swept { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    const ALL: Swept = Swept { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };

    pub(super) fn union(&self, other: &Swept) -> Swept {
        Swept { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    pub(super) fn inflated(&self, margin: f64) -> Swept {
        Swept { low: self.low - margin, high: self.high + margin }
    }

    fn meets(&self, other: &Swept) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

/// Pairs of boxes that meet, by sorting them along x; the smaller index first.
pub(super) fn sweep(boxes: &[Swept]) -> Vec<[usize; 2]> {
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&i, &j| boxes[i].low.x.total_cmp(&boxes[j].low.x).then(i.cmp(&j)));
    let mut pairs = Vec::new();
    for (rank, &i) in order.iter().enumerate() {
        for &j in &order[rank + 1..] {
            if boxes[j].low.x > boxes[i].high.x {
                break;
            }
            if boxes[i].meets(&boxes[j]) {
                pairs.push([i.min(j), i.max(j)]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The parts of a body.
pub(super) fn obstacles(parts: &[Part]) -> Vec<Obstacle> {
    let obstacle = |part: &Part| match part.shape() {
        Shape::HalfSpace => Obstacle::HalfSpace(*part.pose()),
        shape => match (Solid::new(shape, *part.pose()), shape.surface()) {
            (Some(solid), _) => Obstacle::Solid(solid),
            (None, Some(mesh)) => surface(mesh, part.pose()),
            (None, None) => Obstacle::HalfSpace(*part.pose()),
        },
    };
    parts.iter().map(obstacle).collect()
}

fn surface(mesh: &Mesh, pose: &Pose) -> Obstacle {
    let corners = |t: &[u32; 3]| t.map(|k| pose.point(mesh.vertices()[k as usize]));
    let around = |points: [DVec3; 3]| ParryBox {
        mins: points[0].min(points[1]).min(points[2]),
        maxs: points[0].max(points[1]).max(points[2]),
    };
    let all: Vec<[DVec3; 3]> = mesh.triangles().iter().map(corners).collect();
    let boxes: Vec<ParryBox> = all.iter().map(|points| around(*points)).collect();
    let low = boxes.iter().fold(DVec3::INFINITY, |low, b| low.min(b.mins));
    let high = boxes.iter().fold(DVec3::NEG_INFINITY, |high, b| high.max(b.maxs));
    Obstacle::Surface {
        triangles: all.into_iter().map(Solid::triangle).collect(),
        whole: Box::new(Solid::brick(low, high)),
        tree: Box::new(Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes)),
    }
}

impl Obstacle {
    /// The box around it, its body at a pose.
    pub(super) fn around(&self, body: &Pose) -> Swept {
        match self {
            Obstacle::Solid(solid) => around(solid, body),
            Obstacle::HalfSpace(_) => Swept::ALL,
            Obstacle::Surface { whole, .. } => around(whole, body),
        }
    }

    /// The triangles of a surface that a solid may meet at these times and between them.
    pub(super) fn near(
        &self,
        ground: &Track<'_>,
        solid: &Solid,
        track: &Track<'_>,
        times: &[f64],
    ) -> Vec<usize> {
        let Obstacle::Surface { tree, .. } = self else { return Vec::new() };
        let local = |time: f64| {
            let (body, at) = (ground.pose(time), track.pose(time));
            let back = body.rotation.conjugate();
            let position = back * (at.position - body.position);
            around(solid, &Pose { position, rotation: back * at.rotation })
        };
        let mut all = local(times[0]);
        for pair in times.windows(2) {
            let greatest = track.greatest(pair[0], pair[1]).and(ground.greatest(pair[0], pair[1]));
            let sagitta = greatest.sagitta(pair[1] - pair[0]);
            all = all.union(&local(pair[1])).inflated(sagitta);
        }
        let region = ParryBox { mins: all.low, maxs: all.high };
        let mut found: Vec<usize> = tree.intersect_aabb(&region).map(|k| k as usize).collect();
        found.sort_unstable();
        found
    }
}

fn around(solid: &Solid, body: &Pose) -> Swept {
    let extent = |axis: DVec3| solid.extent(body, axis);
    Swept {
        low: -DVec3::from_array(DVec3::AXES.map(|axis| extent(-axis))),
        high: DVec3::from_array(DVec3::AXES.map(extent)),
    }
}
