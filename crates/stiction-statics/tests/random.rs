//! Random assemblies close to their limits, against another solver.
//!
//! The reference states balance and cones in SI units with its own code and solves with clarabel.
//! Each assembly is tilted to its limit by the reference, and by 0.1 % less and more. The number of
//! assemblies is `STICTION_STATICS_CASES`, 300 by default.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, SecondOrderConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};
use glam::DVec3;
use stiction_statics::{Assembly, Block, Interface, Options, Statics, Verdict};

/// Numbers from a seed (xorshift), between 0 and 1.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, count: u64) -> usize {
        self.next();
        (self.0 % count) as usize
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

fn brick(fixed: bool, low: DVec3, high: DVec3, density: f64) -> Block {
    let size = high - low;
    let corner =
        |k: usize| low + size * DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
    Block {
        fixed,
        mass: size.element_product() * density,
        centre: (low + high) / 2.0,
        vertices: (0..8).map(corner).collect(),
        ..Block::default()
    }
}

/// Courses of bricks of random lengths on a slab, every course with the same depth; bed joints
/// everywhere, head joints between neighbours that touch.
// Long: one brick after the other, with what it touches; no part of it is of use alone.
fn wall(draw: &mut Draw) -> Assembly {
    let courses = 1 + draw.below(5);
    let density = 10_f64.powf(draw.between(-2.0, 3.4));
    let scale = 10_f64.powf(draw.between(-3.0, 3.0));
    let friction = draw.between(0.05, 1.2);
    let mut blocks = vec![brick(
        true,
        DVec3::new(-50.0, -50.0, -1.0) * scale,
        DVec3::new(50.0, 50.0, 0.0) * scale,
        1.0,
    )];
    let mut interfaces = Vec::new();
    let mut below = vec![0];
    let (mut z, width) = (0.0, draw.between(1.0, 4.0));
    for _ in 0..courses {
        let height = draw.between(0.2, 0.8);
        let mut x = draw.between(-0.3, 0.3);
        let end = x + width;
        let first = blocks.len();
        let mut neighbour: Option<usize> = None;
        while x < end {
            let length = draw.between(0.4, 1.5);
            let (low, high) = (DVec3::new(x, -0.25, z), DVec3::new(x + length, 0.25, z + height));
            let number = blocks.len();
            blocks.push(brick(false, low * scale, high * scale, density * draw.between(0.5, 1.5)));
            for &other in &below {
                let of = |k: usize| (blocks[k].vertices[0], blocks[k].vertices[7]);
                let ((low_a, high_a), (low_b, high_b)) = (of(number), of(other));
                let (from, to) = (low_a.x.max(low_b.x), high_a.x.min(high_b.x));
                if to - from > 0.01 * scale {
                    let at = |x: f64, y: f64| DVec3::new(x, y, low_a.z);
                    let (front, back) = (low_a.y, high_a.y);
                    let points = vec![at(from, front), at(to, front), at(to, back), at(from, back)];
                    interfaces.push(Interface {
                        a: number,
                        b: other,
                        points,
                        normal: DVec3::Z,
                        friction,
                    });
                }
            }
            if let Some(last) = neighbour {
                let (low, high) = (blocks[number].vertices[0], blocks[number].vertices[7]);
                let at = |y: f64, z: f64| DVec3::new(low.x, y, z);
                let points = vec![
                    at(low.y, low.z),
                    at(high.y, low.z),
                    at(high.y, high.z),
                    at(low.y, high.z),
                ];
                interfaces.push(Interface {
                    a: number,
                    b: last,
                    points,
                    normal: DVec3::X,
                    friction,
                });
            }
            // A gap, or a head joint.
            let gap = if draw.next() < 0.5 { 0.0 } else { draw.between(0.05, 0.3) };
            neighbour = (gap == 0.0).then_some(number);
            x += length + gap;
        }
        below = (first..blocks.len()).collect();
        z += height;
    }
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    Assembly { name: "random wall".into(), gravity, blocks, interfaces, ..Assembly::default() }
}

/// The largest t with `gravity + t push` carried, and whether it is bounded.
// Long: the whole program in the order of its rows, so that it can be read against the laws.
fn reference(assembly: &Assembly, push: DVec3) -> Option<f64> {
    let free: Vec<usize> =
        (0..assembly.blocks.len()).filter(|&k| !assembly.blocks[k].fixed).collect();
    let row = |block: usize| free.iter().position(|&k| k == block).map(|k| 6 * k);
    let size = assembly.size();
    let weight =
        free.iter().map(|&k| assembly.blocks[k].mass).sum::<f64>() / free.len() as f64 * 9.81;
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut contacts = 0;
    for interface in &assembly.interfaces {
        for &point in &interface.points {
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            for (k, axis) in axes.into_iter().enumerate() {
                for (block, sign) in [(interface.a, 1.0), (interface.b, -1.0)] {
                    let Some(row) = row(block) else { continue };
                    let torque = ((point - assembly.blocks[block].centre) / size).cross(axis);
                    for (i, value) in
                        axis.to_array().into_iter().chain(torque.to_array()).enumerate()
                    {
                        if value != 0.0 {
                            rows.push(row + i);
                            columns.push(3 * contacts + k);
                            values.push(sign * value);
                        }
                    }
                }
            }
            contacts += 1;
        }
    }
    let (unknown, balance) = (3 * contacts, 6 * free.len());
    let mut right = vec![0.0; balance + 3 * contacts];
    for (k, &block) in free.iter().enumerate() {
        for i in 0..3 {
            right[6 * k + i] = -assembly.blocks[block].mass * assembly.gravity[i] / weight;
            rows.push(6 * k + i);
            columns.push(unknown);
            values.push(assembly.blocks[block].mass * push[i] * 9.81 / weight);
        }
    }
    // Friction: (μ f_n, f_t) in the cone, f_t along the two other axes of the normal, which is one of x, y, z.
    let mut contact = 0;
    let mut cones: Vec<SupportedConeT<f64>> = vec![ZeroConeT(balance)];
    for interface in &assembly.interfaces {
        let axis = if interface.normal.x.abs() > 0.5 { 0 } else { 2 };
        for _ in &interface.points {
            for (k, component) in [axis, (axis + 1) % 3, (axis + 2) % 3].into_iter().enumerate() {
                rows.push(balance + 3 * contact + k);
                columns.push(3 * contact + component);
                values.push(if k == 0 {
                    -interface.friction * interface.normal[axis]
                } else {
                    -1.0
                });
            }
            cones.push(SecondOrderConeT(3));
            contact += 1;
        }
    }
    let count = unknown + 1;
    let matrix = CscMatrix::new_from_triplets(right.len(), count, rows, columns, values);
    let mut cost = vec![0.0; count];
    cost[unknown] = -1.0;
    let tolerance = 1e-9;
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: tolerance,
        tol_gap_rel: tolerance,
        tol_feas: tolerance,
        ..DefaultSettings::default()
    };
    let zero = CscMatrix::zeros((count, count));
    let mut solver = DefaultSolver::new(&zero, &cost, &matrix, &right, &cones, settings).ok()?;
    solver.solve();
    (solver.solution.status == SolverStatus::Solved).then(|| solver.solution.x[unknown])
}

#[test]
fn random_walls_are_decided_a_thousandth_from_their_limit() {
    let cases: u64 =
        std::env::var("STICTION_STATICS_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let (mut decided, mut undecided, mut left_out) = (0, 0, 0);
    for seed in 0..cases {
        let mut draw = Draw(0x9e37_79b9_7f4a_7c15 ^ (seed + 1).wrapping_mul(0xd134_2543_de82_ef95));
        let mut assembly = wall(&mut draw);
        let angle = draw.between(0.0, std::f64::consts::TAU);
        let push = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let Some(limit) = reference(&assembly, push).filter(|limit| (1e-2..1e3).contains(limit))
        else {
            left_out += 1;
            continue;
        };
        let gravity = assembly.gravity;
        for (factor, carried) in [(-1e-3, true), (1e-3, false)] {
            let tangent = limit + factor * limit.abs().max(1e-2);
            assembly.gravity = gravity + push * (9.81 * tangent);
            let answer = Statics::new(&assembly).stands(&Options { must: false, need_not: false });
            match answer.verdict {
                Verdict::Undecided => undecided += 1,
                verdict => {
                    // Below its limit only if it stands at all at some tilt.
                    let stands = verdict != Verdict::Cannot;
                    assert_eq!(
                        stands, carried,
                        "seed {seed}: {verdict:?} at {tangent}, limit {limit}"
                    );
                    decided += 1;
                }
            }
        }
    }
    println!(
        "{decided} decided, {undecided} undecided, {left_out} without a limit by the reference"
    );
    assert!(100 * undecided <= decided, "{undecided} undecided of {}", decided + undecided);
}
