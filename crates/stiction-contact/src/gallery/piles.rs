//! Piles and walls with any number of contacts, for the experiments of Baraff \[B89, B91,
//! B94\], whose scenes are not published.
//!
//! Bodies at rest under gravity, with a random wrench on the last one. Many contacts are
//! redundant: several points share a face. All random numbers come from the name of a
//! configuration and a seed, so the problems are the same on every machine.

pub use super::loads::Draw;

use super::Random;
use super::loads::Configuration;
use super::{UP, box_body, falling, static_law};
use crate::problem::{Body, Contact, ContactProblem, Level, ProblemError};
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::TAU;

/// Sizes of the random loads: force (N), torque (N·m). As for Lloyd's stacks.
const PUSH: [f64; 2] = [6.0, 1.5];

/// Height of the first body of a pile (m).
const FIRST: f64 = 0.5;
/// How much higher each next body lies (m).
const RISE: f64 = 0.25;

/// Bodies of a pile lie within this distance of the middle, along x and y (m).
const HALF_WIDTH: f64 = 2.0;

/// Boxes of random sizes and orientations in a heap: each lies on the floor, on one or two
/// earlier ones, or on both. Two that touch share a small face with three to five contacts. One
/// problem per load, with this friction coefficient at every contact (zero for none).
///
/// # Errors
///
/// If `friction` is negative or not finite.
pub fn pile(
    contacts: usize,
    friction: f64,
    draw: Draw,
) -> Result<Vec<ContactProblem>, ProblemError> {
    let random = &mut Random::named(&format!("pile {contacts}"), draw.seed);
    let (mut bodies, mut found) = (Vec::new(), Vec::new());
    while found.len() < contacts {
        let k = bodies.len();
        bodies.push(random_box(k, random));
        for below in supports(&bodies, random) {
            let face = Face::between(&bodies, k, below, random);
            let points = random.below(3) + 3;
            let left = contacts - found.len();
            for point in (0..points.min(left)).map(|_| face.point(random)) {
                let normal = face.normal.to_array();
                found.push(Contact::new(k, below, point.to_array(), normal, static_law(friction)));
            }
        }
    }
    under_loads("pile", bodies, found, draw)
}

/// Bodies with a load on the last one.
fn under_loads(
    experiment: &str,
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
    draw: Draw,
) -> Result<Vec<ContactProblem>, ProblemError> {
    let (pushed, level) = (bodies.len().saturating_sub(1), Level::Acceleration);
    Configuration { bodies, contacts, pushed, level, time: 1.0 }.under_loads(experiment, PUSH, draw)
}

/// Random velocities of the bodies: every component is normally distributed with this standard
/// deviation (m/s, rad/s).
pub fn velocities(problem: &ContactProblem, speed: f64, seed: u64) -> Vec<[f64; 6]> {
    let random = &mut Random::named("velocities", seed);
    problem.bodies().iter().map(|_| std::array::from_fn(|_| speed * random.normal())).collect()
}

/// The `k`-th body of a pile: a box in a random orientation.
fn random_box(k: usize, random: &mut Random) -> Body {
    let turn = DQuat::from_array(std::array::from_fn(|_| random.normal())).normalize();
    let turn = DMat3::from_quat(turn);
    let mass = random.uniform(0.5, 2.0);
    let sides = DVec3::from_array(std::array::from_fn(|_| random.uniform(0.4, 1.0)));
    let square = sides * sides;
    let moments = mass / 12.0 * (DVec3::splat(square.element_sum()) - square);
    let inertia = turn * DMat3::from_diagonal(moments) * turn.transpose();
    let mut aside = || random.uniform(-HALF_WIDTH, HALF_WIDTH);
    let position = [aside(), aside(), FIRST + RISE * k as f64];
    falling(Body::rigid(mass, inertia.to_cols_array_2d(), position))
}

/// What supports the last body: one or two of its neighbours, the floor, or both.
fn supports(bodies: &[Body], random: &mut Random) -> Vec<Option<usize>> {
    /// Probability that a body lies on others.
    const ON_OTHERS: f64 = 0.8;
    /// Probability that it touches the floor as well.
    const ON_FLOOR_TOO: f64 = 0.4;
    let Some((last, others)) = bodies.split_last() else { return Vec::new() };
    let distance =
        |k: &usize| DVec3::from(others[*k].position).distance_squared(DVec3::from(last.position));
    let mut supports = Vec::new();
    if !others.is_empty() && random.uniform(0.0, 1.0) < ON_OTHERS {
        let mut near: Vec<usize> = (0..others.len()).collect();
        near.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        supports.extend(near.into_iter().take(random.below(2) + 1).map(Some));
    }
    if supports.is_empty() || random.uniform(0.0, 1.0) < ON_FLOOR_TOO {
        supports.push(None);
    }
    supports
}

/// The face between a body and the one below it, or the floor.
struct Face {
    centre: DVec3,
    /// Unit vector into the upper body.
    normal: DVec3,
    tangents: (DVec3, DVec3),
}

impl Face {
    fn between(bodies: &[Body], above: usize, below: Option<usize>, random: &mut Random) -> Self {
        /// Standard deviation of a random tilt of the face, as a fraction of the unit normal.
        const ROUGH: f64 = 0.2;
        let position = |k: usize| DVec3::from(bodies[k].position);
        let (centre, normal) = match below {
            None => (position(above) - FIRST * DVec3::Z, DVec3::Z),
            Some(below) => {
                let rough = DVec3::from_array(std::array::from_fn(|_| ROUGH * random.normal()));
                let normal = (position(above) - position(below) + rough).normalize();
                (position(above).midpoint(position(below)), carrying(normal, random))
            }
        };
        Face { centre, normal, tangents: normal.any_orthonormal_pair() }
    }

    fn point(&self, random: &mut Random) -> DVec3 {
        let (sin, cos) = random.uniform(0.0, TAU).sin_cos();
        let (u, v) = self.tangents;
        self.centre + random.uniform(0.1, 0.35) * (cos * u + sin * v)
    }
}

/// Raises a normal that is too horizontal to carry load.
fn carrying(normal: DVec3, random: &mut Random) -> DVec3 {
    /// Least vertical component of a normal that carries load.
    const STEEPEST: f64 = 0.2;
    if normal.z >= STEEPEST {
        return normal;
    }
    normal.with_z(random.uniform(STEEPEST, STEEPEST + 0.3)).normalize()
}

/// A wall of bricks in alternating rows of four and three, with four contacts between two
/// bricks that touch, built from the ground up until it has the given number of contacts. One
/// problem per load, with this friction coefficient at every contact (zero for none).
///
/// ```text
///      ┌─────┬─────┬─────┐
///   ┌──┴──┬──┴──┬──┴──┬──┴──┐
///   │     │     │     │     │
/// ══╧═════╧═════╧═════╧═════╧══
/// ```
///
/// # Errors
///
/// If `friction` is negative or not finite.
pub fn wall(
    contacts: usize,
    friction: f64,
    draw: Draw,
) -> Result<Vec<ContactProblem>, ProblemError> {
    let mut bricks: Vec<Brick> = Vec::new();
    let mut found = Vec::new();
    for brick in Brick::all() {
        if found.len() >= contacts {
            break;
        }
        for (below, place) in brick.supports(&bricks) {
            let left = contacts - found.len();
            for point in brick.corners_on(&place).into_iter().take(left) {
                found.push(Contact::new(bricks.len(), below, point, UP, static_law(friction)));
            }
        }
        bricks.push(brick);
    }
    under_loads("wall", bricks.iter().map(Brick::body).collect(), found, draw)
}

/// The place of a brick: its row from the ground up, and its centre (m).
#[derive(Clone, Copy)]
struct Brick {
    row: usize,
    x: f64,
}

impl Brick {
    /// Length, depth, height (m): our choice.
    const SIZE: [f64; 3] = [1.0, 0.5, 0.4];

    /// All bricks from the ground up and from left to right, without end.
    fn all() -> impl Iterator<Item = Brick> {
        /// Bricks in the lowest row.
        const LOWEST: usize = 4;
        (0..).flat_map(|row| {
            let odd = row % 2;
            (0..LOWEST - odd).map(move |j| Brick { row, x: j as f64 + 0.5 * odd as f64 })
        })
    }

    fn body(&self) -> Body {
        let [_, _, height] = Self::SIZE;
        falling(box_body(1.0, Self::SIZE, [self.x, 0.0, height * (self.row as f64 + 0.5)]))
    }

    /// The bricks below this one, or the ground, treated as a brick of equal length.
    fn supports(self, bricks: &[Brick]) -> Vec<(Option<usize>, Brick)> {
        let Some(row) = self.row.checked_sub(1) else { return vec![(None, self)] };
        let carries = |b: &Brick| b.row == row && (b.x - self.x).abs() < Self::SIZE[0];
        let all = bricks.iter().copied().enumerate();
        all.filter(|(_, b)| carries(b)).map(|(k, b)| (Some(k), b)).collect()
    }

    /// Corners of the intersection of its lower face with the brick below.
    fn corners_on(self, below: &Brick) -> [[f64; 3]; 4] {
        let [length, depth, height] = Self::SIZE;
        let left = self.x.max(below.x) - length / 2.0;
        let right = self.x.min(below.x) + length / 2.0;
        let (front, back, z) = (-depth / 2.0, depth / 2.0, height * self.row as f64);
        [[left, front, z], [right, front, z], [right, back, z], [left, back, z]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Friction;

    /// Numbers of contacts of the tested piles and walls.
    const SIZES: [usize; 4] = [1, 10, 60, 150];

    #[test]
    fn piles_and_walls_have_the_given_number_of_contacts() {
        let draw = Draw { loads: 2, seed: 3 };
        for n in SIZES {
            for problems in [pile(n, 0.0, draw), wall(n, 0.0, draw)] {
                let problems = problems.expect("valid");
                assert_eq!(problems.len(), 2);
                for problem in &problems {
                    assert_eq!(problem.contacts().len(), n);
                    assert_eq!(problem.level(), Level::Acceleration);
                }
            }
        }
    }

    /// Each body lies on earlier ones, is pushed upwards, and has at least one contact.
    #[test]
    fn every_body_lies_on_earlier_ones_or_on_the_floor() {
        for n in SIZES {
            for problems in [pile(n, 0.5, Draw::default()), wall(n, 0.5, Draw::default())] {
                let problem = &problems.expect("valid")[0];
                for contact in problem.contacts() {
                    assert!(contact.b.is_none_or(|below| below < contact.a), "{contact:?}");
                    assert!(contact.normal[2] > 0.15, "{contact:?}");
                    assert_eq!(contact.friction, Friction::Static { friction: 0.5 });
                }
                for k in 0..problem.bodies().len() {
                    assert!(problem.contacts().iter().any(|c| c.a == k), "body {k} of {n}");
                }
            }
        }
    }

    /// Rows of four and three: on the ground 4 × 4 contacts, above 3 × 2 × 4.
    #[test]
    fn bricks_lie_across_the_joints_below() {
        let problem = &wall(16 + 24, 0.0, Draw { loads: 1, seed: 0 }).expect("valid")[0];
        assert_eq!(problem.bodies().len(), 7);
        let of = |k: usize| problem.contacts().iter().filter(move |c| c.a == k);
        assert_eq!(of(4).map(|c| c.b).collect::<Vec<_>>(), [[Some(0); 4], [Some(1); 4]].concat());
        assert_eq!(of(4).next().map(|c| c.point), Some([0.0, -0.25, 0.4]));
    }

    #[test]
    fn the_same_seed_gives_the_same_problems() {
        let of = |seed| pile(30, 0.3, Draw { loads: 2, seed }).expect("valid");
        assert_eq!(of(5), of(5));
        assert_ne!(of(5), of(6));
        assert_ne!(of(5)[0], of(5)[1]);
    }
}
