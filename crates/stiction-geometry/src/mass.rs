//! Mass, centre of mass and inertia of shapes of uniform density.

use glam::{DMat3, DQuat, DVec3};

use crate::polyhedron::Polyhedron;
use crate::shape::positive;
use crate::{Part, Pose, Shape, ShapeError};
use std::f64::consts::PI;

/// Mass, centre of mass and inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass in the frame of the shape or body (m).
    pub centre: DVec3,
    /// Inertia about the centre of mass, in the axes of that frame (kg m²).
    pub inertia: DMat3,
}

impl MassProperties {
    /// Mass properties of a shape of uniform density (kg/m³), in its own frame.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if the density or a size is not positive or the shape has no volume.
    pub fn of_shape(shape: &Shape, density: f64) -> Result<Self, ShapeError> {
        shape.validate()?;
        check_density(density)?;
        Ok(match *shape {
            Shape::Box { half } => cuboid(half, density),
            Shape::Ball { radius } => ball(radius, density),
            Shape::Capsule { half_length, radius } => capsule(half_length, radius, density),
            Shape::Cylinder { half_length, radius } => cylinder(half_length, radius, density),
            Shape::Cone { half_length, radius } => cone(half_length, radius, density),
            Shape::Polyhedron(ref hull) => polyhedron(hull, density),
            Shape::HalfSpace => return Err(ShapeError::NoMass { what: "a half-space" }),
            Shape::Mesh(_) | Shape::HeightField(_) => {
                return Err(ShapeError::NoMass { what: "a surface" });
            }
        })
    }

    /// Mass properties of a body, in the body frame; overlapping volumes count twice.
    ///
    /// # Errors
    ///
    /// As for [`Self::of_shape`]; also if there are no parts.
    pub fn of_parts(parts: &[Part], density: f64) -> Result<Self, ShapeError> {
        let mut sum: Option<MassProperties> = None;
        for part in parts {
            let one = Self::of_shape(part.shape(), density)?.placed(part.pose());
            sum = Some(sum.map_or(one, |sum| sum.joined(&one)));
        }
        sum.ok_or(ShapeError::NoMass { what: "a body without parts" })
    }

    /// Mass properties of what a closed surface of polygons encloses, counter-clockwise seen from outside. Polygons and solid
    /// need not be convex. A polygon of more than three corners is taken as triangles about the mean
    /// of its corners: exact if it is flat, a convention if it is warped.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if the density is not positive or the volume is not.
    ///
    /// # Panics
    ///
    /// If a face names a vertex that is not there.
    pub fn of_surface(
        vertices: &[DVec3],
        faces: &[Vec<usize>],
        density: f64,
    ) -> Result<Self, ShapeError> {
        check_density(density)?;
        let o = vertices.iter().sum::<DVec3>() / vertices.len().max(1) as f64;
        let found = tetrahedra(o, fans(vertices, faces), density);
        positive("volume", found.mass / density)?;
        Ok(found)
    }

    /// The same mass expressed in the frame in which `pose` is given: `c' = x + R c`,
    /// `I' = R I Rᵀ`.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Self {
        let turn = DMat3::from_quat(pose.rotation);
        MassProperties {
            mass: self.mass,
            centre: pose.point(self.centre),
            inertia: symmetric(turn * self.inertia * turn.transpose()),
        }
    }

    /// The sum of both (parallel axis theorem).
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        let centre = (self.mass * self.centre + other.mass * other.centre) / mass;
        let inertia = self.inertia
            + other.inertia
            + steiner(self.mass, self.centre - centre)
            + steiner(other.mass, other.centre - centre);
        MassProperties { mass, centre, inertia }
    }

    /// The same distribution with another mass: `I` scales with the mass.
    #[must_use]
    pub fn with_mass(&self, mass: f64) -> Self {
        MassProperties { mass, centre: self.centre, inertia: self.inertia * (mass / self.mass) }
    }

    /// Principal moments and the rotation from principal axes to the frame: `I = R diag(m) Rᵀ`.
    pub fn principal(&self) -> (DVec3, DQuat) {
        let (moments, mut axes) = jacobi(self.inertia);
        if axes.determinant() < 0.0 {
            axes.z_axis = -axes.z_axis;
        }
        (moments, DQuat::from_mat3(&axes).normalize())
    }
}

fn check_density(value: f64) -> Result<(), ShapeError> {
    let fine = value > 0.0 && value.is_finite();
    if fine { Ok(()) } else { Err(ShapeError::Size { what: "density", value }) }
}

/// Parallel axis term `m (d² 1 − d dᵀ)`.
fn steiner(mass: f64, d: DVec3) -> DMat3 {
    (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer(d, d)) * mass
}

/// `a bᵀ`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn symmetric(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

fn round(mass: f64, across: f64, along: f64) -> MassProperties {
    let inertia = DMat3::from_diagonal(DVec3::new(across, across, along));
    MassProperties { mass, centre: DVec3::ZERO, inertia }
}

/// `m = 8ρabc`, `I_x = m(b² + c²)/3`.
fn cuboid(half: DVec3, density: f64) -> MassProperties {
    let mass = density * 8.0 * half.x * half.y * half.z;
    let s = half * half;
    let moments = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 3.0);
    MassProperties { mass, centre: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
}

/// `m = 4πρr³/3`, `I = 2mr²/5`.
fn ball(r: f64, density: f64) -> MassProperties {
    let mass = density * 4.0 / 3.0 * PI * r.powi(3);
    round(mass, 0.4 * mass * r * r, 0.4 * mass * r * r)
}

/// `m = 2πρr²h`, `I_z = mr²/2`, `I_x = m(r²/4 + h²/3)`, with `h` half the length.
fn cylinder(h: f64, r: f64, density: f64) -> MassProperties {
    let mass = density * PI * r * r * 2.0 * h;
    round(mass, mass * (0.25 * r * r + h * h / 3.0), 0.5 * mass * r * r)
}

/// A cylinder and two half balls, whose centres of mass are `3r/8` from their flat sides. The
/// parallel axis theorem moves their inertia to the centre: `m (h² + 2 h 3r/8)`.
fn capsule(h: f64, r: f64, density: f64) -> MassProperties {
    let tube = cylinder(h, r, density);
    let ends = ball(r, density);
    let about_flat = ends.inertia.x_axis.x;
    let offset_squared = h * h + 2.0 * h * 0.375 * r;
    round(
        tube.mass + ends.mass,
        tube.inertia.x_axis.x + about_flat + ends.mass * offset_squared,
        tube.inertia.z_axis.z + ends.inertia.z_axis.z,
    )
}

/// `m = πρr²H/3`, centre `H/4` above the base, `I_z = 3mr²/10`, `I_x = 3m(r²/20 + H²/80)`,
/// `H = 2h`.
fn cone(h: f64, r: f64, density: f64) -> MassProperties {
    let height = 2.0 * h;
    let mass = density * PI * r * r * height / 3.0;
    let across = 3.0 * mass * (r * r / 20.0 + height * height / 80.0);
    let centre = DVec3::new(0.0, 0.0, -0.5 * h);
    MassProperties { centre, ..round(mass, across, 0.3 * mass * r * r) }
}

/// Faces of a convex polyhedron as triangles from their first corners.
fn polyhedron(hull: &Polyhedron, density: f64) -> MassProperties {
    let fans = hull.faces().iter().flat_map(|face| {
        let corner = |k: usize| face.boundary[k];
        (1..face.boundary.len() - 1).map(move |k| [corner(0), corner(k), corner(k + 1)])
    });
    tetrahedra(hull.centre(), fans, density)
}

/// The faces of a surface as triangles; those of more than three corners about the mean of their corners.
fn fans<'a>(
    vertices: &'a [DVec3],
    faces: &'a [Vec<usize>],
) -> impl Iterator<Item = [DVec3; 3]> + 'a {
    faces.iter().flat_map(move |face| {
        let corner = move |k: usize| vertices[face[k % face.len()]];
        let middle = (0..face.len()).map(corner).sum::<DVec3>() / face.len() as f64;
        let triangles = if face.len() == 3 { 1 } else { face.len() };
        (0..triangles).map(move |k| {
            let apex = if triangles == 1 { corner(2) } else { middle };
            [apex, corner(k), corner(k + 1)]
        })
    })
}

/// Sum over the tetrahedra between a point `o` and the triangles of a closed surface. For corners
/// `a b c` relative to `o` the volume is `a·(b×c)/6`, and `∫ x xᵀ = V/20 (Σ v vᵀ + s sᵀ)`,
/// `s = a + b + c`.
fn tetrahedra(
    o: DVec3,
    triangles: impl Iterator<Item = [DVec3; 3]>,
    density: f64,
) -> MassProperties {
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| corner - o);
        let v = a.dot(b.cross(c)) / 6.0;
        let s = a + b + c;
        volume += v;
        first += s * (v / 4.0);
        second += (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s)) * (v / 20.0);
    }
    let centre = first / volume;
    let about = second - outer(centre, centre) * volume;
    let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
    let inertia = symmetric(DMat3::from_diagonal(DVec3::splat(trace)) - about) * density;
    MassProperties { mass: density * volume, centre: o + centre, inertia }
}

/// The volume of a polyhedron (m³).
pub(crate) fn volume(hull: &Polyhedron) -> f64 {
    polyhedron(hull, 1.0).mass
}

/// Eigenvalues and eigenvectors of a symmetric matrix by Jacobi rotations. For 3 × 3, five sweeps
/// reach rounding error; eight are made.
fn jacobi(m: DMat3) -> (DVec3, DMat3) {
    let mut a = symmetric(m).to_cols_array_2d();
    let mut v = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..8 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut v, p, q);
        }
    }
    (DVec3::new(a[0][0], a[1][1], a[2][2]), DMat3::from_cols_array_2d(&v))
}

/// One rotation in the plane `p q` that makes `a[p][q]` zero; columns of `v` are the axes.
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for k in 0..3 {
        let (x, y) = (a[k][p], a[k][q]);
        (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..3 {
        let (x, y) = (a[p][k], a[q][k]);
        (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
        let (x, y) = (v[p][k], v[q][k]);
        (v[p][k], v[q][k]) = (c * x - s * y, s * x + c * y);
    }
}
