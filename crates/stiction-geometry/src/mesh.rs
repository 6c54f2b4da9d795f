//! Triangle meshes and height fields for fixed bodies.
//!
//! A mesh is a surface, not a solid: bodies touch its triangles from the side of
//! their normals. A side of a triangle is *sharp* if the surface is convex there or
//! has no neighbour; a vertex is sharp if it is an end of a sharp side. Bodies touch
//! only sharp sides and vertices, so a box slides over a flat mesh as over a plane.

use std::collections::BTreeMap;

use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb as ParryBox;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::Triangle;

use crate::Aabb;
use crate::shape::ShapeError;

/// Triangles with a height below this fraction of their longest side have no reliable normal and
/// are left out.
const SLIVER: f64 = 1e-9;

/// Sine of the angle between two triangles above which their convex edge is sharp. Below, rounding
/// of the vertices (1e-7 of the size in single precision) would make edges within a plane sharp.
const SHARP: f64 = 1e-5;

/// A triangle mesh.
#[derive(Clone, Debug)]
pub struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    normals: Vec<DVec3>,
    /// For each side the normal of the neighbouring triangle, if there is exactly one.
    beyond: Vec<[Option<DVec3>; 3]>,
    /// Of each vertex that is an end of a sharp side, unit directions along all sides that begin there; none of others.
    spokes: Vec<Vec<DVec3>>,
    tree: Bvh,
}

impl PartialEq for Mesh {
    fn eq(&self, other: &Self) -> bool {
        self.vertices == other.vertices && self.triangles == other.triangles
    }
}

impl Mesh {
    /// Builds a mesh from vertices and triangles, which are counter-clockwise seen from outside.
    /// Slivers are left out.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if a vertex is not finite or does not exist, or no triangle remains.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        if let Some(index) = vertices.iter().position(|v| !v.is_finite()) {
            return Err(ShapeError::NotFinite { what: "vertex", index });
        }
        let missing = |t: &[u32; 3]| t.iter().any(|&k| k as usize >= vertices.len());
        if let Some(index) = triangles.iter().position(missing) {
            return Err(ShapeError::NoVertex { triangle: index });
        }
        let (triangles, normals): (Vec<[u32; 3]>, Vec<DVec3>) = triangles
            .into_iter()
            .filter_map(|t| Some((t, normal(t.map(|k| vertices[k as usize]))?)))
            .unzip();
        if triangles.is_empty() {
            return Err(ShapeError::Flat { thickness: 0.0 });
        }
        let beyond = neighbours(&triangles, &normals);
        let boxes: Vec<ParryBox> =
            triangles.iter().map(|t| around(t.map(|k| vertices[k as usize]))).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        let spokes = vec![Vec::new(); vertices.len()];
        let mut mesh = Mesh { vertices, triangles, normals, beyond, spokes, tree };
        mesh.find_spokes();
        Ok(mesh)
    }

    fn find_spokes(&mut self) {
        let mut peaks = vec![false; self.vertices.len()];
        for (triangle, corners) in self.triangles.iter().enumerate() {
            let sides = self.sharp_sides(triangle as u32);
            for k in (0..3).filter(|&k| sides[k].is_some()) {
                peaks[corners[k] as usize] = true;
                peaks[corners[(k + 1) % 3] as usize] = true;
            }
        }
        for corners in &self.triangles {
            for [from, to] in [[0, 1], [1, 2], [2, 0], [1, 0], [2, 1], [0, 2]] {
                let [from, to] = [from, to].map(|k: usize| corners[k] as usize);
                if peaks[from] {
                    let along = self.vertices[to] - self.vertices[from];
                    self.spokes[from].push(along.normalize_or_zero());
                }
            }
        }
    }

    /// For each corner of a triangle, whether it is sharp.
    pub(crate) fn sharp_corners(&self, triangle: u32) -> [bool; 3] {
        self.triangles[triangle as usize].map(|k| !self.spokes[k as usize].is_empty())
    }

    /// Whether a direction is a possible normal of the mesh at a corner of a triangle: within `slack`, it points along no
    /// side that begins there.
    pub(crate) fn leans_at(&self, triangle: u32, corner: usize, normal: DVec3, slack: f64) -> bool {
        let spokes = &self.spokes[self.triangles[triangle as usize][corner] as usize];
        spokes.iter().all(|along| normal.dot(*along) <= slack)
    }

    /// Its vertices (m).
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Its triangles, as indices of vertices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of a triangle.
    pub(crate) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|k| self.vertices[k as usize])
    }

    /// The triangles whose bounding boxes overlap a box, in order.
    pub(crate) fn near(&self, region: &Aabb) -> Vec<u32> {
        let region = ParryBox { mins: region.low, maxs: region.high };
        let mut found: Vec<u32> = self.tree.intersect_aabb(&region).collect();
        found.sort_unstable();
        found
    }

    /// Whether every side of every triangle has exactly one neighbour: the surface of a solid.
    pub fn is_closed(&self) -> bool {
        self.beyond.iter().flatten().all(Option::is_some)
    }

    /// The volume that a closed mesh encloses (m³); negative if its triangles face inwards.
    pub(crate) fn volume(&self) -> f64 {
        let bounds = self.bounds();
        let middle = 0.5 * (bounds.low + bounds.high);
        let tetrahedra = (0..self.triangles.len() as u32).map(|k| {
            let [a, b, c] = self.corners(k).map(|corner| corner - middle);
            a.dot(b.cross(c)) / 6.0
        });
        tetrahedra.sum()
    }

    /// The same mesh with vertices at the same point made one: files often repeat them.
    pub(crate) fn welded(&self) -> Mesh {
        let corners: Vec<DVec3> =
            (0..self.triangles.len() as u32).flat_map(|k| self.corners(k)).collect();
        let (vertices, triangles) = crate::files::weld(&corners);
        Mesh::new(vertices, triangles).unwrap_or_else(|_| self.clone())
    }

    /// How often the surface goes around a point: 1 inside a closed mesh with outward normals, 0
    /// outside. The solid angles of the triangles (Van Oosterom and Strackee 1983), over 4π:
    ///
    /// ```text
    ///   tan(Ω/2) = a·(b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|)
    /// ```
    pub(crate) fn winding_number(&self, point: DVec3) -> f64 {
        let angles = (0..self.triangles.len() as u32).map(|k| {
            let [a, b, c] = self.corners(k).map(|corner| corner - point);
            let (u, v, w) = (a.length(), b.length(), c.length());
            let below = u * v * w + a.dot(b) * w + b.dot(c) * u + c.dot(a) * v;
            2.0 * a.dot(b.cross(c)).atan2(below)
        });
        angles.sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    /// Whether a triangle is straight above a point.
    pub(crate) fn is_below(&self, point: DVec3) -> bool {
        let column = Aabb { low: point, high: point.with_z(f64::MAX) };
        self.near(&column).into_iter().any(|triangle| {
            let corners = self.corners(triangle);
            let normal = self.normals[triangle as usize];
            let flat = corners.map(|corner| corner.with_z(0.0));
            let over = crate::feature::is_inside(&flat, DVec3::Z, point.with_z(0.0), 0.0);
            over && normal.dot(point - corners[0]) < 0.0
        })
    }

    /// Corners and normal of the triangle nearest to a point.
    pub(crate) fn nearest_triangle(&self, point: DVec3) -> Option<([DVec3; 3], DVec3)> {
        let distance = |k: u32| {
            let [a, b, c] = self.corners(k);
            let nearest = Triangle::new(a, b, c).project_local_point(point, false).point;
            nearest.distance_squared(point)
        };
        let nearest = (0..self.triangles.len() as u32)
            .map(|k| (k, distance(k)))
            .min_by(|x, y| x.1.total_cmp(&y.1))?;
        Some((self.corners(nearest.0), self.normals[nearest.0 as usize]))
    }

    /// The bounding box of the mesh.
    pub fn bounds(&self) -> Aabb {
        let root = self.tree.root_aabb();
        Aabb { low: root.mins, high: root.maxs }
    }

    /// For each convex side of a triangle that has a neighbour: the normal of the neighbour, and a point of it.
    pub(crate) fn convex_sides(&self, triangle: u32) -> [Option<(DVec3, DVec3)>; 3] {
        let known = self.beyond[triangle as usize];
        let (sides, corners) = (self.sharp_sides(triangle), self.corners(triangle));
        [0, 1, 2].map(|k| sides[k].filter(|_| known[k].is_some()).map(|n| (n, corners[k])))
    }

    /// For each sharp side of a triangle the normal on its other side: that of the neighbour, or
    /// the reversed normal if there is no neighbour. `None` for sides that are not sharp.
    pub(crate) fn sharp_sides(&self, triangle: u32) -> [Option<DVec3>; 3] {
        let here = self.normals[triangle as usize];
        let corners = self.corners(triangle);
        let mut sides = self.beyond[triangle as usize];
        for (k, side) in sides.iter_mut().enumerate() {
            let along = (corners[(k + 1) % 3] - corners[k]).normalize_or_zero();
            *side = match *side {
                None => Some(-here),
                Some(beyond) if here.cross(beyond).dot(along) > SHARP => Some(beyond),
                Some(_) => None,
            };
        }
        sides
    }
}

fn around(corners: [DVec3; 3]) -> ParryBox {
    let [a, b, c] = corners;
    ParryBox { mins: a.min(b).min(c), maxs: a.max(b).max(c) }
}

/// The unit normal, or `None` if the triangle is a sliver.
fn normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let area = (b - a).cross(c - a);
    let longest =
        (b - a).length_squared().max((c - a).length_squared()).max((c - b).length_squared());
    let fine = area.length() > SLIVER * longest && longest.is_finite();
    if fine { area.try_normalize() } else { None }
}

/// The normals of the neighbours at the sides of each triangle. An edge of three or more triangles,
/// or of two with opposite orientation, has no neighbour.
fn neighbours(triangles: &[[u32; 3]], normals: &[DVec3]) -> Vec<[Option<DVec3>; 3]> {
    let mut owners: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (index, t) in triangles.iter().enumerate() {
        for k in 0..3 {
            owners.entry((t[k], t[(k + 1) % 3])).or_default().push(index);
        }
    }
    let beyond = |from: u32, to: u32| match owners.get(&(to, from)).map(Vec::as_slice) {
        Some(&[other]) if owners[&(from, to)].len() == 1 => Some(normals[other]),
        _ => None,
    };
    triangles.iter().map(|t| [0, 1, 2].map(|k| beyond(t[k], t[(k + 1) % 3]))).collect()
}

/// Heights over a grid, as a mesh of two triangles per cell.
///
/// ```text
///   height(i, j) is at x = i·dx, y = j·dy;   stored row by row: heights[j·columns + i]
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    mesh: Mesh,
}

impl HeightField {
    /// Builds a height field from rows of heights (m) and the spacing of columns and rows (m).
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if the heights do not fill a grid of at least 2 × 2 points or are not finite,
    /// or if the spacing is not positive.
    pub fn new(columns: usize, heights: &[f64], dx: f64, dy: f64) -> Result<Self, ShapeError> {
        crate::shape::positive("dx", dx)?;
        crate::shape::positive("dy", dy)?;
        let rows = heights.len() / columns.max(1);
        if columns < 2 || rows < 2 || rows * columns != heights.len() {
            return Err(ShapeError::Grid { columns, heights: heights.len() });
        }
        let vertices = heights
            .iter()
            .enumerate()
            .map(|(k, &z)| DVec3::new((k % columns) as f64 * dx, (k / columns) as f64 * dy, z))
            .collect();
        let mut triangles = Vec::with_capacity(2 * (rows - 1) * (columns - 1));
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                let at = |i: usize, j: usize| (j * columns + i) as u32;
                triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
        Ok(HeightField { mesh: Mesh::new(vertices, triangles)? })
    }

    /// The field as a mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }
}
