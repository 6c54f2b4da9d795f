//! Moving meshes are cut into convex parts exactly, or refused.

mod common;

use glam::{DQuat, DVec3};
use std::sync::Arc;
use stiction_geometry::{DecomposeError, MassProperties, Mesh, Polyhedron, Shape, convex_parts};

/// A prism over an outline in x and z, with its caps cut into triangles.
fn prism(outline: &[[f64; 2]], caps: &[[u32; 3]], depth: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let n = outline.len() as u32;
    let side = |y: f64| outline.iter().map(move |[x, z]| DVec3::new(*x, y, *z));
    let vertices = side(-depth / 2.0).chain(side(depth / 2.0)).collect();
    let front = caps.iter().copied();
    let back = caps.iter().map(|t| [t[2] + n, t[1] + n, t[0] + n]);
    let around = (0..n).flat_map(|k| {
        let next = (k + 1) % n;
        [[k, k + n, next + n], [k, next + n, next]]
    });
    let triangles = front.chain(back).chain(around).collect();
    (vertices, triangles)
}

fn volume(parts: &[Polyhedron]) -> f64 {
    let one = |part: &Polyhedron| {
        MassProperties::of_shape(&Shape::Polyhedron(Arc::new(part.clone())), 1.0)
    };
    parts.iter().map(|part| one(part).expect("a solid").mass).sum()
}

const L: [[f64; 2]; 6] = [[0.0, 0.0], [0.3, 0.0], [0.3, 0.1], [0.1, 0.1], [0.1, 0.3], [0.0, 0.3]];
const CAPS_OF_L: [[u32; 3]; 4] = [[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]];

#[test]
fn an_l_is_two_bars_however_it_is_turned_and_scaled() {
    let (vertices, triangles) = prism(&L, &CAPS_OF_L, 0.1);
    let mut random = common::Random(5);
    for round in 0..60 {
        let scale = 10_f64.powf(random.between(-6.0, 3.0));
        let turn = if round == 0 { DQuat::IDENTITY } else { random.rotation() };
        let shift = random.vector(scale);
        let placed = vertices.iter().map(|v| turn * (*v * scale) + shift).collect();
        let flipped =
            triangles.iter().map(|t| if round % 2 == 0 { *t } else { [t[2], t[1], t[0]] });
        let mesh = Mesh::new(placed, flipped.collect()).expect("a mesh");
        let parts = convex_parts(&mesh).expect("an L");
        assert_eq!(parts.len(), 2, "scale {scale}");
        let expected = 0.005 * scale.powi(3);
        assert!((volume(&parts) / expected - 1.0).abs() < 1e-6);
    }
}

#[test]
fn a_u_is_three_bars_and_a_convex_mesh_one_part() {
    let u = [
        [0.0, 0.0],
        [3.0, 0.0],
        [3.0, 2.0],
        [2.0, 2.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 2.0],
        [0.0, 2.0],
    ];
    let caps = [[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]];
    let (vertices, triangles) = prism(&u, &caps, 1.0);
    let parts = convex_parts(&Mesh::new(vertices, triangles).expect("a mesh")).expect("a U");
    assert!(parts.len() <= 3 && (volume(&parts) - 5.0).abs() < 1e-9, "{}", parts.len());
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let (vertices, triangles) = prism(&square, &[[0, 1, 2], [0, 2, 3]], 1.0);
    // Vertices that files repeat for every triangle.
    let repeated: Vec<DVec3> = triangles.iter().flatten().map(|k| vertices[*k as usize]).collect();
    let apart = (0..12).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let mesh = Mesh::new(repeated, apart).expect("a mesh");
    assert_eq!(convex_parts(&mesh).expect("a cube").len(), 1);
}

#[test]
fn a_hollow_cube_is_cut_around_its_hole() {
    // A block of 3 × 3 × 1 with a hole of 1 × 1 through it: eight walls at most.
    let outer = [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.0]];
    let inner = [[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]];
    let ring = |y: f64| outer.iter().chain(&inner).map(move |[x, z]| DVec3::new(*x, y, *z));
    let vertices: Vec<DVec3> = ring(0.0).chain(ring(1.0)).collect();
    let mut triangles = Vec::new();
    for k in 0..4_u32 {
        let next = (k + 1) % 4;
        let (i, j) = (k + 4, next + 4);
        triangles.extend([[k, next, j], [k, j, i]]);
        triangles.extend([[j + 8, next + 8, k + 8], [i + 8, j + 8, k + 8]]);
        triangles.extend([[k, k + 8, next + 8], [k, next + 8, next]]);
        triangles.extend([[j + 8, i + 8, i], [j, j + 8, i]]);
    }
    let parts = convex_parts(&Mesh::new(vertices, triangles).expect("a mesh")).expect("a frame");
    assert!(parts.len() <= 8 && (volume(&parts) - 8.0).abs() < 1e-9, "{}", parts.len());
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let (vertices, mut triangles) = prism(&L, &CAPS_OF_L, 0.1);
    triangles.pop();
    let open = Mesh::new(vertices, triangles).expect("a mesh");
    assert_eq!(convex_parts(&open), Err(DecomposeError::Open));
    // A bowl: the inside of its half sphere would need a part for every triangle.
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let (rows, columns) = (12_u32, 32_u32);
    for radius in [1.0, 0.8] {
        for row in 0..rows {
            for column in 0..columns {
                let down = std::f64::consts::FRAC_PI_2 * f64::from(row) / f64::from(rows);
                let around = std::f64::consts::TAU * f64::from(column) / f64::from(columns);
                let flat = radius * down.cos();
                vertices.push(DVec3::new(
                    flat * around.cos(),
                    flat * around.sin(),
                    -radius * down.sin(),
                ));
            }
        }
        vertices.push(DVec3::new(0.0, 0.0, -radius));
    }
    let shell = rows * columns + 1;
    for side in 0..2_u32 {
        let at = |row: u32, column: u32| side * shell + row * columns + column % columns;
        for column in 0..columns {
            let mut add =
                |t: [u32; 3]| triangles.push(if side == 0 { t } else { [t[2], t[1], t[0]] });
            for row in 0..rows - 1 {
                add([at(row, column), at(row + 1, column), at(row + 1, column + 1)]);
                add([at(row, column), at(row + 1, column + 1), at(row, column + 1)]);
            }
            add([at(rows - 1, column), side * shell + shell - 1, at(rows - 1, column + 1)]);
        }
    }
    for column in 0..columns {
        let next = (column + 1) % columns;
        triangles.extend([[column, next, shell + next], [column, shell + next, shell + column]]);
    }
    let bowl = Mesh::new(vertices, triangles).expect("a mesh");
    assert!(bowl.is_closed());
    assert_eq!(convex_parts(&bowl), Err(DecomposeError::TooMany));
}
