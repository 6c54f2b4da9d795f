//! The problems of Lloyd's experiments \[L04, §5.4\]: a peg in a hole, ten single bodies,
//! stacks of blocks.
//!
//! The paper gives the shapes, the numbers of contacts and bodies, friction coefficients
//! between 0.2 and 0.3, and 20 random loads each. It does not give dimensions, masses or the
//! sizes of the loads: we chose those. A load is a wrench on one body during a step; the answer
//! is the impulses of that step.
//!
//! All random numbers come from the name of a configuration and a seed, so the problems are the
//! same on every machine. Configurations of one experiment share their loads, so that their
//! times differ only by what is studied.

use super::Random;
use super::loads::Configuration;
pub use super::loads::Draw;
use super::{GRAVITY, UP, box_body};
use crate::problem::{Body, Contact, ContactProblem, Friction, Level, ProblemError};
use glam::{DMat3, DVec2, DVec3};
use std::f64::consts::{FRAC_PI_4, TAU};

/// Length of a step (s): our choice, common in simulation.
const STEP: f64 = 0.01;

/// Mass of every body (kg): our choice.
const MASS: f64 = 1.0;

/// Range of the friction coefficients, from the paper.
const FRICTION: [f64; 2] = [0.2, 0.3];

/// Sizes of random loads on bodies under gravity: force (N), torque (N·m). Our choice, comparable
/// with the weight of a body.
const PUSH: [f64; 2] = [6.0, 1.5];

/// A configuration whose loads act for one step.
fn configuration(bodies: Vec<Body>, contacts: Vec<Contact>, pushed: usize) -> Configuration {
    Configuration { bodies, contacts, pushed, level: Level::Velocity, time: STEP }
}

/// Adds the velocity gained in one step of free fall.
fn falling(body: Body) -> Body {
    body.with_free_response([0.0, 0.0, -GRAVITY * STEP, 0.0, 0.0, 0.0])
}

fn touch(a: usize, b: Option<usize>, point: DVec3, normal: DVec3, random: &mut Random) -> Contact {
    let law = Friction::coulomb(random.uniform(FRICTION[0], FRICTION[1]));
    Contact::new(a, b, point.to_array(), normal.to_array(), law)
}

/// Points of a horizontal ring, the first at angle `start`.
fn ring(count: usize, radius: f64, height: f64, start: f64) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |k| {
        let (sin, cos) = (start + TAU * k as f64 / count as f64).sin_cos();
        DVec3::new(radius * cos, radius * sin, height)
    })
}

/// A peg through a hole in a fixed block \[L04, fig. 4\], without gravity: half of
/// the contacts around each rim of the hole. One problem per load.
///
/// ```text
///         │   │
///   ┌─────┤   ├─────┐
///   │     │   │     │
///   └─────┤   ├─────┘
///         │   │
/// ```
///
/// # Errors
///
/// None are known: the numbers are in range.
pub fn peg(contacts: usize, draw: Draw) -> Result<Vec<ContactProblem>, ProblemError> {
    /// Radius of the peg (m).
    const RADIUS: f64 = 0.5;
    /// Half the depth of the hole (m).
    const HALF_DEPTH: f64 = 0.5;
    /// Length of the peg (m).
    const LENGTH: f64 = 3.0;
    /// Sizes of the loads: force (N), torque (N·m).
    const LOADS: [f64; 2] = [10.0, 5.0];
    let random = &mut Random::named(&format!("peg {contacts}"), draw.seed);
    let along = MASS * RADIUS * RADIUS / 2.0;
    let across = MASS / 12.0 * (3.0 * RADIUS * RADIUS + LENGTH * LENGTH);
    let inertia = DMat3::from_diagonal(DVec3::new(across, across, along));
    let start = random.uniform(0.0, TAU);
    let rims = [HALF_DEPTH, -HALF_DEPTH];
    let points = rims.into_iter().flat_map(|z| ring(contacts / 2, RADIUS, z, start));
    let contacts =
        points.map(|point| touch(0, None, point, -point.with_z(0.0).normalize(), random)).collect();
    let bodies = vec![Body::rigid(MASS, inertia.to_cols_array_2d(), [0.0; 3])];
    configuration(bodies, contacts, 0).under_loads("peg", LOADS, draw)
}

/// A single body in contact with the fixed world: ten of them, as in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names are pictures
pub enum Situation {
    BallOnPlane,
    EdgeOnPlane,
    Tripod,
    BlockOnPlane,
    FaceOnFace,
    BlockInVGroove,
    OctagonOnFace,
    BlockInCorner,
    BallInRim,
    BlockInSlot,
}

impl Situation {
    /// All ten, from one contact to sixteen.
    pub const ALL: [Situation; 10] = [
        Situation::BallOnPlane,
        Situation::EdgeOnPlane,
        Situation::Tripod,
        Situation::BlockOnPlane,
        Situation::FaceOnFace,
        Situation::BlockInVGroove,
        Situation::OctagonOnFace,
        Situation::BlockInCorner,
        Situation::BallInRim,
        Situation::BlockInSlot,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Situation::BallOnPlane => "ball_on_plane",
            Situation::EdgeOnPlane => "edge_on_plane",
            Situation::Tripod => "tripod",
            Situation::BlockOnPlane => "block_on_plane",
            Situation::FaceOnFace => "face_on_face",
            Situation::BlockInVGroove => "block_in_vgroove",
            Situation::OctagonOnFace => "octagon_on_face",
            Situation::BlockInCorner => "block_in_corner",
            Situation::BallInRim => "ball_in_rim",
            Situation::BlockInSlot => "block_in_slot",
        }
    }

    /// Contact points on the untilted body, centred at the origin, and the normals into the
    /// body.
    fn places(self, random: &mut Random) -> Vec<(DVec3, DVec3)> {
        /// Radius of the rim that carries the ball (m); less than the radius of the ball.
        const RIM: f64 = 0.35;
        let on_floor = |points: Vec<DVec3>| points.into_iter().map(|p| (p, DVec3::Z)).collect();
        let in_faces = |out: &[DVec3]| out.iter().flat_map(|&out| face(out, 1.0)).collect();
        let mut start = || random.uniform(0.0, TAU);
        match self {
            Situation::BallOnPlane => on_floor(vec![-BALL * DVec3::Z]),
            Situation::EdgeOnPlane => {
                on_floor(vec![DVec3::new(-HALF.x, 0.0, -0.5), DVec3::new(HALF.x, 0.0, -0.5)])
            }
            Situation::Tripod => on_floor(ring(3, 0.5, -0.4, start()).collect()),
            Situation::FaceOnFace => {
                // A hexagon, longer than wide like the block.
                let hexagon = ring(6, 1.0, -1.0, start());
                on_floor(hexagon.map(|p| p * HALF).collect())
            }
            Situation::OctagonOnFace => on_floor(ring(8, 0.5, -HALF.z, start()).collect()),
            Situation::BallInRim => {
                let height = -(BALL * BALL - RIM * RIM).sqrt();
                ring(16, RIM, height, start()).map(|p| (p, -p / BALL)).collect()
            }
            Situation::BlockOnPlane => in_faces(&[-DVec3::Z]),
            Situation::BlockInVGroove => in_faces(&[-DVec3::Z, -DVec3::Y]),
            Situation::BlockInCorner => in_faces(&[-DVec3::Z, -DVec3::X, -DVec3::Y]),
            Situation::BlockInSlot => {
                let mut places: Vec<_> = in_faces(&[-DVec3::Z, -DVec3::Y, DVec3::Y]);
                // Four more on the floor, half as far apart.
                places.extend(face(-DVec3::Z, 0.5));
                places
            }
        }
    }

    /// Moments of inertia about the body's own axes.
    fn moments(self) -> DVec3 {
        if matches!(self, Situation::BallOnPlane | Situation::BallInRim) {
            return DVec3::splat(0.4 * MASS * BALL * BALL);
        }
        let square = HALF * HALF;
        MASS / 3.0 * (DVec3::splat(square.element_sum()) - square)
    }

    /// Orientation of the body: in the groove, whose walls rise at 45°, it stands on an edge.
    fn tilt(self) -> DMat3 {
        match self {
            Situation::BlockInVGroove => DMat3::from_rotation_x(FRAC_PI_4),
            _ => DMat3::IDENTITY,
        }
    }
}

/// Radius of the balls (m): our choice.
const BALL: f64 = 0.5;

/// Half the sides of the single blocks (m): our choice, three different sides.
const HALF: DVec3 = DVec3::new(0.5, 0.4, 0.3);

/// The corners of the block's face with outward normal `out`, scaled towards its centre by
/// `spread`, and the normals into the block.
fn face(out: DVec3, spread: f64) -> [(DVec3, DVec3); 4] {
    let (u, v) = out.any_orthonormal_pair();
    let sides = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    sides.map(|(x, y)| ((out + spread * (x * u + y * v)) * HALF, -out))
}

/// A single body under gravity \[L04, fig. 1, 7 and 8\]. One problem per load.
///
/// # Errors
///
/// None are known: the numbers are in range.
pub fn single(situation: Situation, draw: Draw) -> Result<Vec<ContactProblem>, ProblemError> {
    let random = &mut Random::named(situation.name(), draw.seed);
    let tilt = situation.tilt();
    let inertia = tilt * DMat3::from_diagonal(situation.moments()) * tilt.transpose();
    let body = falling(Body::rigid(MASS, inertia.to_cols_array_2d(), [0.0; 3]));
    let places = situation.places(random);
    let contacts =
        places.into_iter().map(|(p, n)| touch(0, None, tilt * p, tilt * n, random)).collect();
    configuration(vec![body], contacts, 0).under_loads("single", PUSH, draw)
}

/// Arrangement of the blocks of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Faces aligned, with a small offset: four contacts between two blocks.
    Aligned,
    /// Rotated by about 45° from block to block: eight contacts between two.
    ///
    /// In a stack of five the second block is aligned with the first: that makes 32 contacts,
    /// the most in the paper.
    Rotated,
}

impl Lie {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Lie::Aligned => "aligned",
            Lie::Rotated => "rotated",
        }
    }

    /// Angles of the blocks about the vertical, from the ground up.
    fn angles(self, blocks: usize, random: &mut Random) -> Vec<f64> {
        /// Largest random deviation of an angle (rad).
        const LOOSE: f64 = 0.15;
        if self == Lie::Aligned {
            return vec![0.0; blocks];
        }
        let squares = usize::from(blocks == 5);
        let mut angles: Vec<f64> = (0..blocks - squares)
            .map(|k| FRAC_PI_4 * (k % 2) as f64 + random.uniform(-LOOSE, LOOSE))
            .collect();
        if squares > 0 {
            angles.insert(0, angles[0]);
        }
        angles
    }
}

/// A stack of square blocks with a load on the top one \[L04, fig. 9\]. One problem per load.
///
/// # Errors
///
/// None are known: the numbers are in range.
pub fn stack(blocks: usize, lie: Lie, draw: Draw) -> Result<Vec<ContactProblem>, ProblemError> {
    /// Height of a block (m); its sides are 1 m.
    const HEIGHT: f64 = 0.5;
    /// Largest random offset of a block (m).
    const OFF: f64 = 0.05;
    let random = &mut Random::named(&format!("stack {blocks} {}", lie.name()), draw.seed);
    let (mut bodies, mut contacts) = (Vec::new(), Vec::new());
    let mut below: Option<[DVec2; 4]> = None;
    for (k, angle) in lie.angles(blocks, random).into_iter().enumerate() {
        let mut off = || if k > 0 { random.uniform(-OFF, OFF) } else { 0.0 };
        let centre = DVec2::new(off(), off());
        let base = square(centre, angle);
        let bottom = HEIGHT * k as f64;
        let position = centre.extend(bottom + HEIGHT / 2.0).to_array();
        bodies.push(falling(box_body(MASS, [1.0, 1.0, HEIGHT], position)));
        for corner in below.map_or(base.to_vec(), |below| common(&base, &below)) {
            contacts.push(touch(k, k.checked_sub(1), corner.extend(bottom), UP.into(), random));
        }
        below = Some(base);
    }
    let pushed = blocks.saturating_sub(1);
    configuration(bodies, contacts, pushed).under_loads("stack", PUSH, draw)
}

/// Corners of a unit square, counter-clockwise.
fn square(centre: DVec2, angle: f64) -> [DVec2; 4] {
    let turn = DVec2::from_angle(angle);
    [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
        .map(|(x, y)| centre + turn.rotate(DVec2::new(x, y)))
}

/// Corners of the intersection of two convex polygons: the first, clipped by the line of every
/// side of the second. Both counter-clockwise.
fn common(first: &[DVec2], second: &[DVec2]) -> Vec<DVec2> {
    let mut corners = first.to_vec();
    for (from, to) in sides(second) {
        let height = |p: DVec2| (to - from).perp_dot(p - from);
        let mut kept = Vec::new();
        for (p, q) in sides(&corners) {
            let (here, there) = (height(p), height(q));
            if here >= 0.0 {
                kept.push(p);
            }
            if here * there < 0.0 {
                kept.push(p.lerp(q, here / (here - there)));
            }
        }
        corners = kept;
    }
    corners
}

/// The sides of a polygon: each corner with the next.
fn sides(corners: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(problems: &[ContactProblem]) -> [usize; 3] {
        [problems.len(), problems[0].bodies().len(), problems[0].contacts().len()]
    }

    #[test]
    fn numbers_of_contacts_are_those_of_the_paper() {
        let draw = Draw::default();
        for n in (8..=32).step_by(4) {
            assert_eq!(counts(&peg(n, draw).expect("valid")), [20, 1, n]);
        }
        let singles = [1, 2, 3, 4, 6, 8, 8, 12, 16, 16];
        for (situation, n) in Situation::ALL.into_iter().zip(singles) {
            assert_eq!(counts(&single(situation, draw).expect("valid")), [20, 1, n]);
        }
        for seed in 0..20 {
            let draw = Draw { loads: 1, seed };
            for (m, n) in [(1, 4), (2, 12), (3, 20), (4, 28), (5, 32)] {
                let aligned = stack(m, Lie::Aligned, draw).expect("valid");
                assert_eq!(counts(&aligned), [1, m, 4 * m], "seed {seed}");
                let rotated = stack(m, Lie::Rotated, draw).expect("valid");
                assert_eq!(counts(&rotated), [1, m, n], "seed {seed}");
            }
        }
    }

    /// A normal that pointed out of a body would pull on it: seen from the centre of a convex
    /// body every normal points inwards.
    #[test]
    fn normals_point_into_the_body() {
        let draw = Draw { loads: 1, seed: 0 };
        let singles = Situation::ALL.map(|situation| single(situation, draw).expect("valid"));
        for problem in singles.iter().flatten().chain(&peg(16, draw).expect("valid")) {
            for contact in problem.contacts() {
                let inwards = -DVec3::from(contact.point).dot(contact.normal.into());
                assert!(inwards > 0.1, "{contact:?}");
                assert!((0.2..0.3).contains(&contact.friction.limit()));
            }
        }
    }

    /// Two unit squares about one centre, one rotated by 45°, intersect in a regular octagon of
    /// inradius 1/2, area 2 (√2 − 1).
    #[test]
    fn squares_rotated_by_45_degrees_share_an_octagon() {
        let octagon = common(&square(DVec2::ZERO, FRAC_PI_4), &square(DVec2::ZERO, 0.0));
        assert_eq!(octagon.len(), 8);
        let area: f64 = sides(&octagon).map(|(p, q)| p.perp_dot(q) / 2.0).sum();
        assert!((area - 2.0 * (2.0_f64.sqrt() - 1.0)).abs() < 1e-12, "{area}");
    }

    #[test]
    fn the_same_seed_gives_the_same_problems() {
        let of = |seed| stack(3, Lie::Rotated, Draw { loads: 2, seed }).expect("valid");
        assert_eq!(of(5), of(5));
        assert_ne!(of(5), of(6));
        assert_ne!(of(5)[0], of(5)[1]);
    }
}
