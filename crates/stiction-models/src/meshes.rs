//! Meshes as MJCF and URDF use them: scaled, moved, as hulls, with the mass of what they enclose.

use crate::error::ModelError;
use crate::value::Attr;
use glam::{DMat3, DQuat, DVec3};
use std::path::Path;
use std::sync::Arc;
use stiction_geometry::{MassProperties, Mesh, Polyhedron, Shape};

/// How the mass of a mesh is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solid {
    /// Of its convex hull.
    Convex,
    /// Of what it encloses.
    Exact,
    /// Of what it encloses, where every tetrahedron to its middle counts as positive: MJCF's own rule.
    Legacy,
}

/// What is done with the points of a mesh before all else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub scale: DVec3,
    pub moved: DVec3,
    pub turned: DQuat,
}

impl Default for Change {
    fn default() -> Self {
        Change { scale: DVec3::ONE, moved: DVec3::ZERO, turned: DQuat::IDENTITY }
    }
}

/// Reads a mesh.
pub(crate) fn load(path: &Path, change: &Change, from: &Attr<'_>) -> Result<Mesh, ModelError> {
    let mesh = Mesh::load(path).map_err(|why| from.fault(why.to_string()))?;
    changed(&mesh, change).map_err(|why| from.fault(why))
}

/// A mesh of points and triangles.
pub(crate) fn given(
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    change: &Change,
) -> Result<Mesh, String> {
    let mesh = Mesh::new(points, triangles).map_err(|why| why.to_string())?;
    changed(&mesh, change)
}

/// `S Rᵀ (x − x₀)`; a mirrored mesh has its triangles turned round, so that they face outwards.
fn changed(mesh: &Mesh, change: &Change) -> Result<Mesh, String> {
    let back = change.turned.conjugate();
    let point = |x: &DVec3| change.scale * (back * (*x - change.moved));
    let points = mesh.vertices().iter().map(point).collect();
    let mirrored = change.scale.x * change.scale.y * change.scale.z < 0.0;
    let triangle = |&[a, b, c]: &[u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
    Mesh::new(points, mesh.triangles().iter().map(triangle).collect())
        .map_err(|why| why.to_string())
}

/// The convex hull.
pub(crate) fn hull(mesh: &Mesh) -> Result<Shape, String> {
    let hull = Polyhedron::from_points(mesh.vertices()).map_err(|why| why.to_string())?;
    Ok(Shape::Polyhedron(Arc::new(hull)))
}

/// An ellipsoid as the convex hull of points on it.
pub(crate) fn ellipsoid(half: DVec3) -> Result<Shape, String> {
    /// Points round the equator, and circles from pole to pole: the hull is at most 2 % of the
    /// half axes inside.
    const ROUND: u32 = 24;
    const CIRCLES: u32 = 12;
    let mut points = vec![half * DVec3::Z, half * DVec3::NEG_Z];
    for k in 1..CIRCLES {
        let (across, up) = (std::f64::consts::PI * f64::from(k) / f64::from(CIRCLES)).sin_cos();
        for i in 0..ROUND {
            let (y, x) = (std::f64::consts::TAU * f64::from(i) / f64::from(ROUND)).sin_cos();
            points.push(half * DVec3::new(across * x, across * y, up));
        }
    }
    let hull = Polyhedron::from_points(&points).map_err(|why| why.to_string())?;
    Ok(Shape::Polyhedron(Arc::new(hull)))
}

/// Mass properties of a solid ellipsoid of density one: `m = 4π abc / 3`, `I_x = m (b² + c²) / 5`.
pub(crate) fn ellipsoid_mass(half: DVec3) -> MassProperties {
    let mass = 4.0 / 3.0 * std::f64::consts::PI * half.x * half.y * half.z;
    let s = half * half;
    let moments = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 5.0);
    MassProperties { mass, centre: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
}

/// Mass properties of a mesh of density one.
pub(crate) fn mass(mesh: &Mesh, solid: Solid) -> Result<MassProperties, String> {
    if solid == Solid::Convex {
        return MassProperties::of_shape(&hull(mesh)?, 1.0).map_err(|why| why.to_string());
    }
    let middle = middle(mesh).ok_or("its triangles have no area")?;
    let (volume, first, second) = tetrahedra(mesh, middle, solid);
    let offset = first / volume;
    let centre = middle + offset;
    let found = if solid == Solid::Legacy {
        // The rule looks at the tetrahedra from the middle of the surface for the centre, and from
        // there for mass and inertia.
        let (mass, _, second) = tetrahedra(mesh, centre, solid);
        MassProperties { mass, centre, inertia: inertia(second) }
    } else {
        let second = second - outer(offset) * volume;
        MassProperties { mass: volume, centre, inertia: inertia(second) }
    };
    let sound = found.mass > 0.0 && found.mass.is_finite();
    if sound {
        Ok(found)
    } else {
        Err("it encloses no volume; its mass has to be given".to_owned())
    }
}

/// The mean of the surface.
fn middle(mesh: &Mesh) -> Option<DVec3> {
    let (mut sum, mut area) = (DVec3::ZERO, 0.0);
    for [a, b, c] in corners(mesh) {
        let one = 0.5 * (b - a).cross(c - a).length();
        sum += one * (a + b + c) / 3.0;
        area += one;
    }
    (area > 0.0).then(|| sum / area)
}

fn corners(mesh: &Mesh) -> impl Iterator<Item = [DVec3; 3]> {
    mesh.triangles().iter().map(|it| it.map(|k| mesh.vertices()[k as usize]))
}

/// `x xᵀ`.
fn outer(x: DVec3) -> DMat3 {
    DMat3::from_cols(x * x.x, x * x.y, x * x.z)
}

/// From second moments: `tr(S) 1 − S`.
fn inertia(second: DMat3) -> DMat3 {
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    DMat3::from_diagonal(DVec3::splat(trace)) - second
}

/// Volume, first and second moments about a point, of the tetrahedra from it to the triangles: with `s = a + b + c`
/// and volume `V` they are `V s / 4` and `V (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 20`.
fn tetrahedra(mesh: &Mesh, from: DVec3, solid: Solid) -> (f64, DVec3, DMat3) {
    let (mut mass, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for [a, b, c] in corners(mesh).map(|it| it.map(|x| x - from)) {
        let volume = a.dot(b.cross(c)) / 6.0;
        let volume = if solid == Solid::Legacy { volume.abs() } else { volume };
        let s = a + b + c;
        mass += volume;
        first += s * (volume / 4.0);
        second += (outer(a) + outer(b) + outer(c) + outer(s)) * (volume / 20.0);
    }
    (mass, first, second)
}

/// The triangles of the convex hull of points, by the numbers of the points.
pub(crate) fn hull_triangles(points: &[DVec3]) -> Result<Vec<[u32; 3]>, String> {
    let hull = Polyhedron::from_points(points).map_err(|why| why.to_string())?;
    let nearest = |vertex: &DVec3| {
        let away = |k: &u32| (points[*k as usize] - *vertex).length_squared();
        (0..points.len() as u32).min_by(|i, k| away(i).total_cmp(&away(k))).unwrap_or(0)
    };
    let numbers: Vec<u32> = hull.vertices().iter().map(nearest).collect();
    let fan = |face: &stiction_geometry::Face| {
        let corners: Vec<u32> = face.vertices.iter().map(|&k| numbers[k as usize]).collect();
        let inner = 1..corners.len().saturating_sub(1);
        inner.map(move |k| [corners[0], corners[k], corners[k + 1]]).collect::<Vec<_>>()
    };
    Ok(hull.faces().iter().flat_map(fan).collect())
}
