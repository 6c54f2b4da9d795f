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
                let message = format!(
                    "passes from vertex {from} to {to}, as face {other} does: one of the two is the wrong way round"
                );
                return Err(fault(index, message));
            }
        }
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
