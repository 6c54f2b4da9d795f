//! Structures with known answers: arches at their limit, walls, overhanging stacks, a dome, a loaded pallet, a ladder,
//! a wedged peg, a table. The files of `corpus/assemblies` are written from them.

use crate::assembly::{Assembly, Block, FrictionTable, Interface, Load, Tolerance};
use crate::detect;
use crate::solid::{Solid, cells, cuboid, prism, ring_segment};
use glam::DVec3;
use std::f64::consts::PI;

/// Gravity of the gallery (m/s²).
const GRAVITY: f64 = 9.81;

/// The structures by name.
pub fn all() -> Vec<(&'static str, Assembly)> {
    let mut found = vec![
        // Least thickness over radius at high friction: 0.1067209 with 27 voussoirs; 0.107426 with very many
        // (Cocchetti and Rizzi 2020).
        ("arch_falls", arch(27, 0.1066, 1.0)),
        ("arch_holds", arch(27, 0.1068, 1.0)),
        ("stack_holds", overhang(10, -1e-6)),
        ("stack_falls", overhang(10, 1e-6)),
        ("dome", dome(5, 16)),
        ("pallet", pallet()),
        // It stands if tan 60° ≥ 1 / (2 μ), with a smooth wall.
        ("ladder_holds", ladder(0.3)),
        ("ladder_slips", ladder(0.28)),
        ("peg", peg()),
        ("table", table()),
    ];
    let names = ["wall_1", "wall_2", "wall_3", "wall_4", "wall_5", "wall_6"];
    found.extend(names.iter().enumerate().map(|(k, name)| (*name, wall(k + 1))));
    found
}

/// Blocks laid one after the other.
struct Site {
    assembly: Assembly,
}

impl Site {
    fn new(name: String, friction: f64) -> Self {
        let friction = FrictionTable { general: friction, pairs: Vec::new() };
        let gravity = DVec3::new(0.0, 0.0, -GRAVITY);
        Site { assembly: Assembly { name, gravity, friction, ..Assembly::default() } }
    }

    fn fix(&mut self, name: &str, solid: Solid) {
        self.lay(name.to_owned(), solid, 1.0);
        self.assembly.blocks.last_mut().expect("a block was laid").fixed = true;
    }

    fn lay(&mut self, name: String, (vertices, faces): Solid, density: f64) {
        let solid = crate::surface::solid(&vertices, &faces, density)
            .unwrap_or_else(|fault| panic!("{name}: {}", fault.message));
        self.assembly.blocks.push(Block {
            name,
            fixed: false,
            mass: solid.mass,
            centre: solid.centre,
            inertia: Some(solid.inertia),
            vertices,
            faces,
        });
    }

    /// Every block's weight along a direction as the live load.
    fn load(&mut self, direction: DVec3) {
        let free = self.assembly.blocks.iter().enumerate().filter(|(_, block)| !block.fixed);
        let load = |(k, block): (usize, &Block)| Load {
            block: k,
            force: direction * block.mass * GRAVITY,
            torque: DVec3::ZERO,
        };
        self.assembly.load = free.map(load).collect();
    }

    fn done(self) -> Assembly {
        let tolerance = Tolerance::of(&self.assembly);
        detect::detect(self.assembly, &tolerance).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// A semicircular arch of mean radius 1 m between two supports; the live load is the weight sideways.
pub fn arch(voussoirs: usize, thickness: f64, friction: f64) -> Assembly {
    let name =
        format!("semicircular arch of {voussoirs} voussoirs, thickness {thickness} of the radius");
    let mut site = Site::new(name, friction);
    let [inner, outer] = [1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness];
    let width = 0.3;
    for side in [-1.0, 1.0] {
        let (low, high) =
            if side < 0.0 { (-outer - 0.1, -inner + 0.1) } else { (inner - 0.1, outer + 0.1) };
        site.fix("support", cuboid(DVec3::new(low, 0.0, -0.1), DVec3::new(high, width, 0.0)));
    }
    let corner = |radius: f64, k: usize| {
        let (sin, cos) = (PI * k as f64 / voussoirs as f64).sin_cos();
        // The springings are exactly level.
        let sin = if k == 0 || k == voussoirs { 0.0 } else { sin };
        [radius * cos, radius * sin]
    };
    for k in 0..voussoirs {
        let outline =
            [corner(inner, k), corner(outer, k), corner(outer, k + 1), corner(inner, k + 1)];
        site.lay(format!("voussoir {k}"), prism(&outline, 0.0, width), 1.0);
    }
    site.load(DVec3::X);
    site.done()
}

/// Bricks one brick long laid with the most overhang ½ (1 + 1/2 + … + 1/n) from the edge of a table, and `shift` more.
pub fn overhang(bricks: usize, shift: f64) -> Assembly {
    let mut site = Site::new(format!("{bricks} bricks, overhang ½ H_{bricks} {shift:+e}"), 0.5);
    site.fix("table", cuboid(DVec3::new(-3.0, -0.5, -0.2), DVec3::new(0.0, 1.5, 0.0)));
    let half = |k: usize| 0.5 / k as f64;
    for k in 0..bricks {
        // Below brick k from the bottom are those that hold it out by 1/(2 n), …; above are n − k.
        let out: f64 = (bricks - k..=bricks).map(half).sum();
        let (left, low) = (out - 1.0 + shift, 0.3 * k as f64);
        let solid = cuboid(DVec3::new(left, 0.0, low), DVec3::new(left + 1.0, 1.0, low + 0.3));
        site.lay(format!("brick {k}"), solid, 1.0);
    }
    site.done()
}

/// The rows of the walls of Ferris and Tin-Loi (2001) in bricks, from below; negative for an opening.
fn rows(wall: usize) -> Vec<Vec<f64>> {
    let full = |n: usize| vec![1.0; n];
    let half = |n: usize| [vec![0.5], vec![1.0; n - 1], vec![0.5]].concat();
    let (even, odd, even_gap, odd_gap, order): (_, _, Vec<f64>, Vec<f64>, &str) = match wall {
        1 => (half(5), full(5), vec![], vec![], "eoeoeo"),
        2 => (half(5), full(5), vec![], vec![], "eoeoeoeoeo"),
        3 => {
            let gaps = (vec![1.0, 0.5, -1.0, 0.5, 1.0], vec![0.5, 1.0, -1.0, 1.0, 0.5]);
            (full(4), half(4), gaps.0, gaps.1, "eoeOEOEOeoe")
        }
        4 => {
            let gaps =
                (vec![0.5, 0.5, -1.0, 0.5, 0.5, -1.0, 0.5, 0.5], vec![1.0, -1.0, 1.0, -1.0, 1.0]);
            (half(5), full(5), gaps.0, gaps.1, "eoeOEOEOeoe")
        }
        5 => {
            let gaps = (vec![0.5, 0.5, -1.0, 0.5, 0.5], vec![1.0, -1.0, 1.0]);
            (half(3), full(3), gaps.0, gaps.1, "eoeOEOEOeoeOEOEOeoe")
        }
        _ => {
            let gaps = (
                vec![1.0, 0.5, -1.0, 0.5, 1.0, 0.5, -1.0, 0.5, 1.0],
                vec![0.5, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 0.5],
            );
            (half(7), full(7), gaps.0, gaps.1, "eoeoOEOEOoeoOEOEOoeoe")
        }
    };
    let row = |kind| match kind {
        'e' => even.clone(),
        'o' => odd.clone(),
        'E' => even_gap.clone(),
        _ => odd_gap.clone(),
    };
    order.chars().map(row).collect()
}

/// A wall of Ferris and Tin-Loi (Int. J. Mech. Sci. 43, 2001), 1 to 6: bricks of 0.4 m by 0.175 m, friction 0.65; the live
/// load is the weight sideways.
pub fn wall(number: usize) -> Assembly {
    let (length, height) = (0.4, 0.175);
    let rows = rows(number);
    let mut site = Site::new(format!("wall {number} of Ferris and Tin-Loi"), 0.65);
    let across: f64 = rows[0].iter().map(|brick| brick.abs()).sum();
    let (low, high) = (DVec3::new(-length, -1.0, -height), (across + 1.0) * length);
    site.fix("ground", cuboid(low, DVec3::new(high, 2.0, 0.0)));
    for (r, row) in rows.iter().enumerate() {
        let mut x = 0.0;
        for brick in row {
            if *brick > 0.0 {
                let low = DVec3::new(x * length, 0.0, r as f64 * height);
                let high = DVec3::new((x + brick) * length, 1.0, (r + 1) as f64 * height);
                site.lay(format!("row {r}, {x}"), cuboid(low, high), 1.0);
            }
            x += brick.abs();
        }
    }
    site.load(DVec3::X);
    site.done()
}

/// A dome of rings of voussoirs with an opening at its top, on a fixed ring.
pub fn dome(rings: usize, segments: usize) -> Assembly {
    let mut site = Site::new(format!("dome of {rings} rings of {segments} voussoirs"), 0.6);
    let radii = [4.7, 5.3];
    let top = 75_f64.to_radians();
    let height = |k: usize| top * k as f64 / rings as f64;
    for k in 0..segments {
        let turns = [k, k + 1].map(|k| 2.0 * PI * k as f64 / segments as f64);
        site.fix(&format!("base {k}"), ring_segment(radii, [-0.06, 0.0], turns));
    }
    for ring in 0..rings {
        for k in 0..segments {
            let turns = [k, k + 1].map(|k| 2.0 * PI * k as f64 / segments as f64);
            let solid = ring_segment(radii, [height(ring), height(ring + 1)], turns);
            site.lay(format!("ring {ring}, {k}"), solid, 2000.0);
        }
    }
    site.load(DVec3::X);
    site.done()
}

/// Boxes on a pallet in columns of four, bonded at no height; friction 0.5.
fn pallet() -> Assembly {
    let mut site = Site::new("pallet of 24 boxes in columns".into(), 0.5);
    let size = DVec3::new(0.4, 0.4, 0.3);
    site.fix("pallet", cuboid(DVec3::new(-0.05, -0.05, -0.144), DVec3::new(1.25, 0.85, 0.0)));
    for layer in 0..4 {
        for (x, y) in (0..6).map(|k| (k % 3, k / 3)) {
            let low = size * DVec3::new(f64::from(x), f64::from(y), f64::from(layer));
            site.lay(format!("box {x} {y} {layer}"), cuboid(low, low + size), 250.0);
        }
    }
    site.load(DVec3::X);
    site.done()
}

/// A ladder of 2 m at 60° on a floor and against a smooth wall, which it touches along edges.
fn ladder(friction: f64) -> Assembly {
    let (length, width, thickness) = (2.0, 0.4, 0.02);
    let (sin, cos) = 60_f64.to_radians().sin_cos();
    let (foot, head) = ([0.0, 0.0], [length * cos, length * sin]);
    let across = [-thickness * sin, thickness * cos];
    let outline = [foot, head, [head[0] + across[0], head[1] + across[1]], across];
    let mut site = Site::new(
        format!("ladder at 60° on a floor with friction {friction}, smooth wall"),
        friction,
    );
    site.fix("floor", cuboid(DVec3::new(-1.0, -0.5, -0.1), DVec3::new(head[0], 1.0, 0.0)));
    let beyond = DVec3::new(head[0] + 0.1, 1.0, 2.2);
    site.fix("wall", cuboid(DVec3::new(head[0], -0.5, 0.0), beyond));
    site.lay("ladder".into(), prism(&outline, 0.0, width), 700.0);
    let mut assembly = site.assembly;
    assembly.blocks[2].centre = DVec3::new(0.5 * head[0], 0.5 * width, 0.5 * head[1]);
    assembly.friction.pairs.push((1, 2, 0.0));
    let edge = |[x, z]: [f64; 2]| vec![DVec3::new(x, 0.0, z), DVec3::new(x, width, z)];
    let normals = [DVec3::Z, -DVec3::X];
    assembly.interfaces = [(foot, 0), (head, 1)]
        .map(|(at, b)| {
            let friction = assembly.friction.between(2, b);
            Interface { a: 2, b, points: edge(at), normal: normals[b], friction }
        })
        .to_vec();
    assembly
}

/// A peg between walls that open downwards at 20°, with friction 0.001 above tan 20°: wedged it holds, not wedged it falls.
fn peg() -> Assembly {
    let slope = 20_f64.to_radians().tan();
    let mut site = Site::new("peg wedged between walls that open downwards".into(), slope * 1.001);
    let [wide, narrow] = [0.5 + 0.5 * slope, 0.5 - 0.5 * slope];
    let left = [[-1.5, 0.0], [-wide, 0.0], [-narrow, 1.0], [-1.5, 1.0]];
    let right = [[wide, 0.0], [1.5, 0.0], [1.5, 1.0], [narrow, 1.0]];
    let key = [[-wide, 0.0], [wide, 0.0], [narrow, 1.0], [-narrow, 1.0]];
    site.fix("left wall", prism(&left, 0.0, 1.0));
    site.fix("right wall", prism(&right, 0.0, 1.0));
    site.lay("peg".into(), prism(&key, 0.0, 1.0), 1.0);
    site.done()
}

/// A table with four legs, pushed sideways at its top.
fn table() -> Assembly {
    let mut site = Site::new("table with four legs".into(), 0.4);
    site.fix("floor", cuboid(DVec3::new(-1.0, -1.0, -0.1), DVec3::new(2.2, 1.8, 0.0)));
    let (xs, ys, zs) = ([0.0, 0.1, 1.1, 1.2], [0.0, 0.1, 0.7, 0.8], [0.0, 0.7, 0.75]);
    let filled = |x: usize, y: usize, z: usize| z == 1 || (x != 1 && y != 1);
    site.lay("table".into(), cells(&xs, &ys, &zs, filled), 600.0);
    let mut assembly = site.done();
    let push = DVec3::new(100.0, 0.0, 0.0);
    let arm = DVec3::new(0.0, 0.4, 0.75) - assembly.blocks[1].centre;
    assembly.load = vec![Load { block: 1, force: push, torque: arm.cross(push) }];
    assembly
}
