//! Closed meshes cut into convex parts, exactly.
//!
//! The hull of the mesh is cut by the planes of the triangles that go through it, and so is each
//! piece, until no triangle goes through any. Every piece is then wholly inside the mesh or wholly
//! outside, and those inside are the parts:
//!
//! ```text
//!   ┌──┐            ┌──┐
//!   │  │   hull     │ 1│╲      plane of a   ┌──┐
//!   │  └───┐  →     ├──┴──╲    triangle →   │ 1│   outside is dropped
//!   └──────┘        └──────┘                ├──┴───┐
//!                                           └──────┘ 2
//! ```
//!
//! Neighbours whose union is convex are joined again. Nothing is approximated: the volumes of the
//! parts must add up to that of the mesh. What needs too many pieces is refused.

use glam::DVec3;

use crate::mass::volume;
use crate::mesh::Mesh;
use crate::polyhedron::{Face, Polyhedron};

/// Pieces into which a mesh is cut at most, before neighbours are joined; and parts at most.
/// Meshes of curved hollows need a piece for every triangle.
const PIECES: usize = 256;
const PARTS: usize = 64;

/// Distances below this fraction of the size are zero: the accuracy of coordinates in single
/// precision.
const NEAR: f64 = 1e-7;

/// How far the volumes of parts may be from that of the mesh, relative to the hull's.
const VOLUME: f64 = 1e-5;

/// Why a mesh has no convex parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecomposeError {
    /// Some triangle has no neighbour, or more than one, at a side.
    #[error("its surface is not closed, so that it has no inside")]
    Open,
    /// The triangles enclose no volume or cross each other.
    #[error("its triangles do not enclose a solid: they cross each other or face different ways")]
    NoSolid,
    /// It is not convex, and would need too many parts.
    #[error("it is not convex and needs more than {PARTS} convex parts")]
    TooMany,
}

/// Convex polyhedra that together fill a closed mesh; one if it is convex.
///
/// # Errors
///
/// [`DecomposeError`] if the mesh is not the surface of a solid, or needs too many parts.
pub fn convex_parts(mesh: &Mesh) -> Result<Vec<Polyhedron>, DecomposeError> {
    let mesh = mesh.welded();
    let hull = Polyhedron::from_points(mesh.vertices()).map_err(|_| DecomposeError::NoSolid)?;
    let whole = volume(&hull);
    let inside = mesh.volume();
    if mesh.is_closed() && (inside.abs() - whole).abs() <= VOLUME * whole {
        return Ok(vec![hull]);
    }
    if !mesh.is_closed() {
        return Err(DecomposeError::Open);
    }
    let cutter = Cutter { mesh: &mesh, near: NEAR * hull.radius() };
    let pieces = cutter.cut(hull)?;
    let filled: f64 = pieces.iter().map(volume).sum();
    if (filled - inside.abs()).abs() > VOLUME * whole {
        return Err(DecomposeError::NoSolid);
    }
    let parts = joined(pieces);
    if parts.len() > PARTS { Err(DecomposeError::TooMany) } else { Ok(parts) }
}

struct Cutter<'a> {
    mesh: &'a Mesh,
    near: f64,
}

impl Cutter<'_> {
    /// The pieces of a polyhedron that are inside the mesh.
    fn cut(&self, hull: Polyhedron) -> Result<Vec<Polyhedron>, DecomposeError> {
        let (mut waiting, mut inside) = (vec![hull], Vec::new());
        let mut pieces = 1;
        while let Some(piece) = waiting.pop() {
            if let Some((normal, offset)) = self.plane_through(&piece) {
                let halves =
                    [1.0, -1.0].map(|side| self.half(&piece, normal * side, offset * side));
                pieces += 1;
                if pieces > PIECES {
                    return Err(DecomposeError::TooMany);
                }
                waiting.extend(halves.into_iter().flatten());
            } else if self.mesh.winding_number(piece.centre()).abs() > 0.5 {
                inside.push(piece);
            }
        }
        Ok(inside)
    }

    /// The plane of the largest triangle that goes through the inside of a piece.
    fn plane_through(&self, piece: &Polyhedron) -> Option<(DVec3, f64)> {
        let through = |k: u32| {
            let corners = self.mesh.corners(k);
            let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let normal = area.normalize_or_zero();
            let offset = normal.dot(corners[0]);
            let heights = piece.vertices().iter().map(|v| normal.dot(*v) - offset);
            let (low, high) =
                heights.fold((0.0, 0.0), |(low, high): (f64, f64), h| (low.min(h), high.max(h)));
            let splits = low < -self.near && high > self.near;
            (splits && self.clipped_area(&corners, piece) > 0.0).then_some((
                area.length(),
                normal,
                offset,
            ))
        };
        let found = (0..self.mesh.triangles().len() as u32).filter_map(through);
        found.max_by(|x, y| x.0.total_cmp(&y.0)).map(|(_, normal, offset)| (normal, offset))
    }

    /// The area of a triangle inside a piece, but for a layer of the accuracy of the coordinates.
    fn clipped_area(&self, corners: &[DVec3; 3], piece: &Polyhedron) -> f64 {
        let mut polygon = corners.to_vec();
        for face in piece.faces() {
            polygon = clip(&polygon, face, self.near);
            if polygon.len() < 3 {
                return 0.0;
            }
        }
        let fan = polygon[1..].windows(2).map(|w| (w[0] - polygon[0]).cross(w[1] - polygon[0]));
        0.5 * fan.sum::<DVec3>().length()
    }

    /// The half of a piece on the side `normal · x ≤ offset`; none if it has no volume.
    fn half(&self, piece: &Polyhedron, normal: DVec3, offset: f64) -> Option<Polyhedron> {
        let height = |v: DVec3| normal.dot(v) - offset;
        let kept = piece.vertices().iter().copied().filter(|v| height(*v) <= self.near);
        let crossings = piece.edges().iter().filter_map(|edge| {
            let [from, to] = edge.ends.map(|k| piece.vertices()[k as usize]);
            let (h, k) = (height(from), height(to));
            let crosses = h.abs() > self.near && k.abs() > self.near && (h > 0.0) != (k > 0.0);
            crosses.then(|| from + (to - from) * (h / (h - k)))
        });
        let points: Vec<DVec3> = kept.chain(crossings).collect();
        Polyhedron::from_points(&points).ok()
    }
}

/// A polygon without what is outside a face, or less than `near` inside it.
fn clip(polygon: &[DVec3], face: &Face, near: f64) -> Vec<DVec3> {
    let height = |v: DVec3| face.normal.dot(v) - face.offset + near;
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    let mut from = polygon[polygon.len() - 1];
    for &to in polygon {
        let (h, k) = (height(from), height(to));
        if (h > 0.0) != (k > 0.0) {
            kept.push(from + (to - from) * (h / (h - k)));
        }
        if k <= 0.0 {
            kept.push(to);
        }
        from = to;
    }
    kept
}

/// Pieces, with those joined whose union is convex: whose hull has no more volume than both.
fn joined(mut pieces: Vec<Polyhedron>) -> Vec<Polyhedron> {
    let mut i = 0;
    // A piece that grew is tried with all others again.
    while i < pieces.len() {
        let union = (i + 1..pieces.len()).find_map(|j| {
            let both = [&pieces[i], &pieces[j]].map(volume).iter().sum::<f64>();
            let points = [pieces[i].vertices(), pieces[j].vertices()].concat();
            let hull = Polyhedron::from_points(&points).ok()?;
            (volume(&hull) <= both * (1.0 + VOLUME)).then_some((j, hull))
        });
        match union {
            Some((j, hull)) => {
                pieces[i] = hull;
                pieces.swap_remove(j);
            }
            None => i += 1,
        }
    }
    pieces
}
