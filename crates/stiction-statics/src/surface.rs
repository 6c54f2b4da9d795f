//! The surface of a block: closed, every face the right way round.

use glam::DVec3;
use std::collections::BTreeMap;
use stiction_geometry::MassProperties;

/// What is wrong with a surface, and in which face.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SurfaceFault {
    /// The face, if one can be named.
    pub face: Option<usize>,
    /// What is wrong.
    pub message: String,
}

fn fault(face: impl Into<Option<usize>>, message: String) -> SurfaceFault {
    SurfaceFault { face: face.into(), message }
}

/// Checks that faces name corners, and that every edge belongs to two faces that pass along it in opposite directions.
pub(crate) fn check(vertices: &[DVec3], faces: &[Vec<usize>]) -> Result<(), SurfaceFault> {
    if let Some(index) = vertices.iter().position(|v| !v.is_finite()) {
        return Err(fault(None, format!("vertex {index} is not finite")));
    }
    let mut sides: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut clashes: Vec<[usize; 2]> = Vec::new();
    for (index, face) in faces.iter().enumerate() {
        if face.len() < 3 {
            return Err(fault(index, format!("has {} corners, needs 3 or more", face.len())));
        }
        if let Some(corner) = face.iter().find(|&&corner| corner >= vertices.len()) {
            let message =
                format!("names vertex {corner}, but there are {} (from 0)", vertices.len());
            return Err(fault(index, message));
        }
        for (from, to) in edges(face) {
            if from == to {
                return Err(fault(index, format!("repeats vertex {from}")));
            }
            if let Some(other) = sides.insert((from, to), index) {
                clashes.push([other, index]);
            }
        }
    }
    if let Some(first) = clashes.first() {
        let count = |face: usize| clashes.iter().flatten().filter(|&&it| it == face).count();
        let [one, other] = *first;
        let (wrong, right) = if count(one) > count(other) { (one, other) } else { (other, one) };
        let message = format!(
            "passes along an edge in the direction in which face {right} does: it is the wrong way round"
        );
        return Err(fault(wrong, message));
    }
    let open = sides.iter().find(|((from, to), _)| !sides.contains_key(&(*to, *from)));
    match open {
        Some(((from, to), &face)) => {
            let message = format!(
                "has an edge from vertex {from} to {to} that belongs to no other face: the surface is open"
            );
            Err(fault(face, message))
        }
        None => Ok(()),
    }
}

/// Mass properties of the solid inside a surface that passed [`check`].
pub(crate) fn solid(
    vertices: &[DVec3],
    faces: &[Vec<usize>],
    density: f64,
) -> Result<MassProperties, SurfaceFault> {
    MassProperties::of_surface(vertices, faces, density).map_err(|error| {
        let inside_out: Vec<Vec<usize>> =
            faces.iter().map(|face| face.iter().rev().copied().collect()).collect();
        let inward = MassProperties::of_surface(vertices, &inside_out, density).is_ok();
        fault(
            None,
            if inward {
                "has its faces inward: list their corners counter-clockwise seen from outside"
                    .into()
            } else {
                error.to_string()
            },
        )
    })
}

/// The directed edges of a polygon.
pub(crate) fn edges(face: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..face.len()).map(|k| (face[k], face[(k + 1) % face.len()]))
}

/// The mean of the corners of a face, and its area times its outward normal.
pub(crate) fn middle_and_area(vertices: &[DVec3], face: &[usize]) -> (DVec3, DVec3) {
    let corners: Vec<DVec3> = face.iter().map(|&k| vertices[k]).collect();
    (corners.iter().sum::<DVec3>() / corners.len() as f64, area_of(&corners))
}

/// The area of a polygon times its normal (Newell); of a warped polygon, that of its shadow along the mean normal.
pub(crate) fn area_of(corners: &[DVec3]) -> DVec3 {
    let count = corners.len();
    let middle = corners.iter().sum::<DVec3>() / count.max(1) as f64;
    let side = |k: usize| (corners[k] - middle).cross(corners[(k + 1) % count] - middle);
    0.5 * (0..count).map(side).sum::<DVec3>()
}
