//! Convex polyhedra with polygonal faces.
//!
//! A face is the polygon of all vertices in one plane and may have any number of
//! corners: the contact region of two faces needs every corner once and no diagonals.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat3, DVec3};

use crate::hull::convex_hull;
use crate::shape::ShapeError;
use crate::{Feature, Pose};

/// A face of a convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: DVec3,
    /// `normal · x` for the points of the face (m).
    pub offset: f64,
    /// Indices of the corners, counter-clockwise seen from outside.
    pub vertices: Vec<u32>,
    /// `edges[k]` goes from corner `k` to the next.
    pub edges: Vec<u32>,
    /// The corners as points.
    pub boundary: Arc<[DVec3]>,
}

impl Face {
    /// The face as a feature.
    pub fn feature(&self) -> Feature {
        let boundary = Arc::clone(&self.boundary);
        Feature::Plane { at: boundary[0], normal: self.normal, boundary }
    }
}

/// An edge of a convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// First and second vertex.
    pub ends: [u32; 2],
    /// The face that contains the edge in this direction, and the face that contains it reversed.
    pub faces: [u32; 2],
    /// Its middle (m).
    pub middle: DVec3,
    /// Unit vector from the first end to the second.
    pub along: DVec3,
    /// Half its length (m).
    pub half_length: f64,
}

impl Edge {
    /// The edge as a feature.
    pub fn feature(&self) -> Feature {
        Feature::Line {
            at: self.middle,
            along: self.along,
            half_length: self.half_length,
            radius: 0.0,
        }
    }
}

/// Centre, axes and half sizes of a polyhedron that is a box, for faster code paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Brick {
    pub centre: DVec3,
    pub axes: DMat3,
    pub half: DVec3,
}

/// A convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    vertices: Vec<DVec3>,
    faces: Vec<Face>,
    edges: Vec<Edge>,
    centre: DVec3,
    radius: f64,
    pub(crate) brick: Option<Brick>,
}

impl Polyhedron {
    /// The convex hull of points.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if a coordinate is not finite or the points lie in one plane, or if no
    /// consistent hull is found.
    pub fn from_points(points: &[DVec3]) -> Result<Self, ShapeError> {
        let (vertices, polygons) = convex_hull(points)?;
        Self::from_faces(vertices, polygons)
    }

    /// A box with its centre at the origin.
    pub(crate) fn cuboid(half: DVec3) -> Result<Self, ShapeError> {
        let vertices = (0..8)
            .map(|k| {
                let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
                half * DVec3::new(sign(0), sign(1), sign(2))
            })
            .collect();
        let faces =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let mut cuboid =
            Self::from_faces(vertices, faces.iter().map(|face| face.to_vec()).collect())?;
        cuboid.brick = Some(Brick { centre: DVec3::ZERO, axes: DMat3::IDENTITY, half });
        Ok(cuboid)
    }

    /// A prism along z over a regular polygon, or with `apex` the pyramid with its tip at +z.
    pub(crate) fn rounded(
        corners: u32,
        radius: f64,
        half_length: f64,
        apex: bool,
    ) -> Result<Self, ShapeError> {
        let ring = |z: f64| {
            (0..corners).map(move |k| {
                let (sin, cos) =
                    (std::f64::consts::TAU * f64::from(k) / f64::from(corners)).sin_cos();
                DVec3::new(radius * cos, radius * sin, z)
            })
        };
        let mut vertices: Vec<DVec3> = ring(-half_length).collect();
        let mut faces: Vec<Vec<u32>> = vec![(0..corners).rev().collect()];
        if apex {
            vertices.push(DVec3::new(0.0, 0.0, half_length));
            faces.extend((0..corners).map(|k| vec![k, (k + 1) % corners, corners]));
        } else {
            vertices.extend(ring(half_length));
            faces.push((corners..2 * corners).collect());
            faces.extend((0..corners).map(|k| {
                let next = (k + 1) % corners;
                vec![k, next, next + corners, k + corners]
            }));
        }
        Self::from_faces(vertices, faces)
    }

    /// A triangle with its front as face 0. The other face of edge `k` has the normal `beyond[k]`,
    /// or the reversed normal of the front. It is not a closed body and serves only for contacts
    /// with face 0.
    pub(crate) fn sheet(corners: [DVec3; 3], beyond: [Option<DVec3>; 3]) -> Self {
        let vertices = corners.to_vec();
        let front = face(&vertices, vec![0, 1, 2], vec![0, 1, 2]);
        let side = |k: usize| {
            let normal = beyond[k].unwrap_or(-front.normal);
            let offset = normal.dot(corners[k]);
            Face { normal, offset, vertices: vec![], edges: vec![], boundary: Arc::from([]) }
        };
        let faces = vec![side(0), side(1), side(2)];
        let edges = (0..3).map(|k| edge(&vertices, [k, (k + 1) % 3], [0, k + 1])).collect();
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        let radius = corners.iter().map(|v| v.distance(centre)).fold(0.0, f64::max);
        let faces = std::iter::once(front).chain(faces).collect();
        Polyhedron { vertices, faces, edges, centre, radius, brick: None }
    }

    /// Builds a polyhedron from vertices and faces that form a closed surface.
    fn from_faces(vertices: Vec<DVec3>, polygons: Vec<Vec<u32>>) -> Result<Self, ShapeError> {
        if polygons.len() < 4 || polygons.iter().any(|polygon| polygon.len() < 3) {
            return Err(ShapeError::NoHull);
        }
        let (edges, of_face) = join(&vertices, &polygons)?;
        let faces = polygons
            .into_iter()
            .zip(of_face)
            .map(|(corners, edges)| face(&vertices, corners, edges))
            .collect();
        let centre = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
        let radius = vertices.iter().map(|v| v.distance(centre)).fold(0.0, f64::max);
        Ok(Polyhedron { vertices, faces, edges, centre, radius, brick: None })
    }

    /// Its vertices (m).
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Its faces.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Its edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The mean of the vertices (m), a point inside.
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// The distance of the farthest vertex from the centre (m). Tolerances are relative to it.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Half its least extent along the normal of a face (m).
    pub fn half_thickness(&self) -> f64 {
        let extent = |face: &Face| face.offset - self.lowest(face.normal);
        0.5 * self.faces.iter().map(extent).fold(f64::INFINITY, f64::min)
    }

    /// The same polyhedron expressed in the frame in which `pose` is given.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Polyhedron {
        let vertices: Vec<DVec3> = self.vertices.iter().map(|&v| pose.point(v)).collect();
        let faces = self
            .faces
            .iter()
            .map(|f| face(&vertices, f.vertices.clone(), f.edges.clone()))
            .collect();
        let edges = self.edges.iter().map(|e| edge(&vertices, e.ends, e.faces)).collect();
        let brick = self.brick.map(|brick| Brick {
            centre: pose.point(brick.centre),
            axes: DMat3::from_quat(pose.rotation) * brick.axes,
            half: brick.half,
        });
        let centre = pose.point(self.centre);
        Polyhedron { vertices, faces, edges, centre, radius: self.radius, brick }
    }

    /// The minimum of `direction · x` over the body.
    pub(crate) fn lowest(&self, direction: DVec3) -> f64 {
        match &self.brick {
            Some(brick) => direction.dot(brick.centre) - brick.half_extent(direction),
            None => self.vertices.iter().map(|v| direction.dot(*v)).fold(f64::INFINITY, f64::min),
        }
    }

    /// The vertex with the smallest `direction · x`; the first if there are several.
    pub(crate) fn lowest_vertex(&self, direction: DVec3) -> usize {
        let heights = self.vertices.iter().map(|v| direction.dot(*v));
        argmin(heights).map_or(0, |(index, _)| index)
    }
}

impl Brick {
    /// Half the extent of the box along a direction.
    pub fn half_extent(&self, direction: DVec3) -> f64 {
        (self.axes.transpose() * direction).abs().dot(self.half)
    }
}

/// Index and value of the first minimum; NaNs are ignored.
pub(crate) fn argmin(values: impl Iterator<Item = f64>) -> Option<(usize, f64)> {
    values.enumerate().fold(None, |best, (index, value)| match best {
        Some((_, least)) if least <= value => best,
        _ if value.is_nan() => best,
        _ => Some((index, value)),
    })
}

/// A face with Newell's normal: exact for planar polygons, an average for others.
fn face(vertices: &[DVec3], corners: Vec<u32>, edges: Vec<u32>) -> Face {
    let boundary: Arc<[DVec3]> = corners.iter().map(|&k| vertices[k as usize]).collect();
    let origin = boundary[0];
    let area: DVec3 =
        boundary.windows(2).map(|pair| (pair[0] - origin).cross(pair[1] - origin)).sum();
    let normal = area.normalize_or_zero();
    let offset = boundary.iter().map(|v| normal.dot(*v)).sum::<f64>() / boundary.len() as f64;
    Face { normal, offset, vertices: corners, edges, boundary }
}

fn edge(vertices: &[DVec3], ends: [u32; 2], faces: [u32; 2]) -> Edge {
    let [from, to] = ends.map(|k| vertices[k as usize]);
    let span = to - from;
    let half_length = 0.5 * span.length();
    Edge { ends, faces, middle: 0.5 * (from + to), along: span.normalize_or_zero(), half_length }
}

/// The edges of a closed surface, and the indices of the edges of each face.
fn join(
    vertices: &[DVec3],
    polygons: &[Vec<u32>],
) -> Result<(Vec<Edge>, Vec<Vec<u32>>), ShapeError> {
    let mut owner = BTreeMap::new();
    for (face, polygon) in polygons.iter().enumerate() {
        for (k, &from) in polygon.iter().enumerate() {
            let to = polygon[(k + 1) % polygon.len()];
            if owner.insert((from, to), face as u32).is_some() {
                return Err(ShapeError::NoHull);
            }
        }
    }
    let mut edges = Vec::new();
    let mut number = BTreeMap::new();
    for (&(from, to), &face) in &owner {
        let &other = owner.get(&(to, from)).ok_or(ShapeError::NoHull)?;
        if from < to {
            number.insert((from, to), edges.len() as u32);
            edges.push(edge(vertices, [from, to], [face, other]));
        }
    }
    let of_face = polygons
        .iter()
        .map(|polygon| {
            let next = |k: usize| polygon[(k + 1) % polygon.len()];
            let ends = |k: usize| (polygon[k].min(next(k)), polygon[k].max(next(k)));
            (0..polygon.len()).map(|k| number[&ends(k)]).collect()
        })
        .collect();
    Ok((edges, of_face))
}
