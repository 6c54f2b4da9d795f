//! Small problems with known answers, built by hand: the figures of the papers and standard
//! textbook problems of statics. [`lloyd`] holds the problems of Lloyd's experiments, [`piles`]
//! larger ones for Baraff's, which have no closed-form answer, and [`scenes`] structures of any
//! size.

pub mod lloyd;
mod loads;
pub mod piles;
mod random;
pub mod scenes;

pub use random::Random;

use crate::problem::{Body, Contact, ContactProblem, Friction, Level, ProblemError};
use glam::DVec3;

/// Standard gravity used in the gallery (m/s²), to three digits as in textbooks.
pub const GRAVITY: f64 = 9.81;

/// Upward normal.
const UP: [f64; 3] = [0.0, 0.0, 1.0];

fn falling(body: Body) -> Body {
    body.with_free_response([0.0, 0.0, -GRAVITY, 0.0, 0.0, 0.0])
}

fn box_body(mass: f64, [x, y, z]: [f64; 3], position: [f64; 3]) -> Body {
    let moment = |p: f64, q: f64| mass / 12.0 * (p * p + q * q);
    let inertia = [[moment(y, z), 0.0, 0.0], [0.0, moment(x, z), 0.0], [0.0, 0.0, moment(x, y)]];
    Body::rigid(mass, inertia, position)
}

/// The overbalanced stack of bricks of Baraff 1989, fig. 1, at its first instant: each brick
/// overhangs the one below until the upper ones tip. Planar, as drawn. (The paper has no
/// friction; `friction` may be zero.)
///
/// ```text
///               ┌──────────┐
///            ┌──┴───────┬──┘
///         ┌──┴───────┬──┘
///      ┌──┴───────┬──┘
///   ┌──┴───────┬──┘
///   └──────────┘
/// ══════════════════════════════
/// ```
///
/// # Errors
///
/// If `friction` is negative or not finite.
pub fn overbalanced_bricks(friction: f64) -> Result<ContactProblem, ProblemError> {
    /// Bricks drawn in the figure.
    const BRICKS: usize = 5;
    /// Length of a brick (m).
    const LENGTH: f64 = 0.2;
    /// Height of a brick (m).
    const HEIGHT: f64 = 0.06;
    /// Overhang of each brick over the one below (m); 0.06 of 0.2 is enough for the upper
    /// bricks to tip.
    const OVERHANG: f64 = 0.06;
    /// Mass of a brick (kg).
    const MASS: f64 = 2.4;
    let mut bodies = Vec::new();
    let mut contacts = Vec::new();
    for k in 0..BRICKS {
        let x = OVERHANG * k as f64;
        let bottom = HEIGHT * k as f64;
        let moment = MASS / 12.0 * (LENGTH * LENGTH + HEIGHT * HEIGHT);
        bodies.push(falling(planar_body(MASS, moment, [x, 0.0, bottom + HEIGHT / 2.0])));
        let left = x - LENGTH / 2.0;
        let right = x + LENGTH / 2.0 - if k > 0 { OVERHANG } else { 0.0 };
        for px in [left, right] {
            let contact =
                Contact::new(k, k.checked_sub(1), [px, 0.0, bottom], UP, static_law(friction));
            contacts.push(contact.planar([1.0, 0.0, 0.0]));
        }
    }
    ContactProblem::new(Level::Acceleration, bodies, contacts, vec![], vec![])
}

/// A body that moves along x and z and rotates about y.
fn planar_body(mass: f64, moment: f64, position: [f64; 3]) -> Body {
    let mut inverse = [[0.0; 6]; 6];
    inverse[0][0] = 1.0 / mass;
    inverse[2][2] = 1.0 / mass;
    inverse[4][4] = 1.0 / moment;
    Body::with_inverse_inertia(inverse, position)
}

fn static_law(friction: f64) -> Friction {
    if friction == 0.0 { Friction::Frictionless } else { Friction::Static { friction } }
}

/// A brick of mass `mass` on two feet, `left` and `right` metres from the point
/// under its centre of mass. The feet share the weight by the lever rule.
///
/// ```text
///        ┌───────────┐
///        │     ●     │
///        └▲─────────▲┘
///        −left    right
/// ```
///
/// # Errors
///
/// If a number is out of range.
pub fn brick_on_two_feet(mass: f64, left: f64, right: f64) -> Result<ContactProblem, ProblemError> {
    let body = falling(box_body(mass, [1.0, 1.0, 0.5], [0.0, 0.0, 0.25]));
    let foot = |x: f64| Contact::new(0, None, [x, 0.0, 0.0], UP, Friction::Frictionless);
    ContactProblem::new(
        Level::Acceleration,
        vec![body],
        vec![foot(-left), foot(right)],
        vec![],
        vec![],
    )
}

/// A square table on four legs, one more than needed: forces are not unique, but each pair of
/// neighbouring legs carries half the weight.
///
/// # Errors
///
/// If a number is out of range.
pub fn four_legged_table(mass: f64) -> Result<ContactProblem, ProblemError> {
    let body = falling(box_body(mass, [1.0, 1.0, 0.1], [0.0, 0.0, 0.7]));
    let leg = |x: f64, y: f64| Contact::new(0, None, [x, y, 0.0], UP, Friction::Frictionless);
    let legs = vec![leg(-0.5, -0.5), leg(0.5, -0.5), leg(0.5, 0.5), leg(-0.5, 0.5)];
    ContactProblem::new(Level::Acceleration, vec![body], legs, vec![], vec![])
}

/// A block on an incline of the given angle, rotated as a whole by `turn` about the incline's
/// normal before tilting. It sticks up to `tan angle = friction` and beyond that slides with `g
/// (sin angle − friction cos angle)`.
///
/// # Errors
///
/// If a number is out of range.
pub fn block_on_incline(
    angle: f64,
    friction: f64,
    turn: f64,
) -> Result<ContactProblem, ProblemError> {
    let tilt = glam::DQuat::from_rotation_y(angle);
    let place = |p: DVec3| (tilt * (glam::DQuat::from_rotation_z(turn) * p)).to_array();
    let normal = (tilt * DVec3::Z).to_array();
    // A cube has the same inertia about all axes. It stands on three feet inside its base, low
    // enough not to tip at any angle at which it sticks.
    let (mass, side, height) = (3.0, 1.0, 0.2);
    let body = falling(box_body(mass, [side; 3], place(DVec3::new(0.0, 0.0, height))));
    let law = Friction::Static { friction };
    let feet = (0..3)
        .map(|k| {
            let around = f64::from(k) * std::f64::consts::TAU / 3.0;
            let foot = DVec3::new(0.5 * around.cos(), 0.5 * around.sin(), 0.0);
            Contact::new(0, None, place(foot), normal, law)
        })
        .collect();
    ContactProblem::new(Level::Acceleration, vec![body], feet, vec![], vec![])
}

/// A box of mass `upper` on a box of mass `lower` on the floor, four contacts each: the floor
/// carries both weights at any mass ratio.
///
/// # Errors
///
/// If a number is out of range.
pub fn two_boxes(lower: f64, upper: f64, friction: f64) -> Result<ContactProblem, ProblemError> {
    let size = [1.0; 3];
    let bodies = vec![
        falling(box_body(lower, size, [0.0, 0.0, 0.5])),
        falling(box_body(upper, size, [0.0, 0.0, 1.5])),
    ];
    let law = static_law(friction);
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    let contacts = [(0, None, 0.0), (1, Some(0), 1.0)]
        .into_iter()
        .flat_map(|(a, b, z)| corners.map(|(x, y)| Contact::new(a, b, [x, y, z], UP, law)))
        .collect();
    ContactProblem::new(Level::Acceleration, bodies, contacts, vec![], vec![])
}

/// The sliding rod of Baraff 1991, fig. 1, with the numbers of its text: length 2, `tan θ = 3`,
/// `μ = 3/4`, `I = m/16`. Gravity acts on it, it rotates with `spin` (rad/s), and its tip
/// slides along x. With normal force `f` (fig. 2, eq. 2)
///
/// ```text
///              ╱ rod
///            ╱             a = −f/m + spin² sin θ − gravity
///     ─────╱───► slides
/// ══════════════════════
/// ```
///
/// # Errors
///
/// If a number is out of range.
pub fn spinning_rod(mass: f64, spin: f64, gravity: f64) -> Result<ContactProblem, ProblemError> {
    let (cos, sin) = (ROD_COS, ROD_SIN);
    // The tip is at r = (cos, 0, −sin) from the centre, its centripetal term −spin² r.
    let centripetal = [-spin * spin * cos, 0.0, spin * spin * sin];
    rod(mass, -gravity, centripetal)
}

/// The same rod, with all terms that do not depend on the force in one number:
///
/// ```text
///   a = −f/m + free
/// ```
///
/// `free = 1`: indeterminate, `f = 0` or `f = m` (fig. 3). `free = −1`: inconsistent; no force
/// stops the rod, only an impulse (fig. 4a). `free = 0`: the tip slides without load, `f = 0`
/// (fig. 4b).
///
/// # Errors
///
/// If a number is out of range.
pub fn sliding_rod(mass: f64, free: f64) -> Result<ContactProblem, ProblemError> {
    rod(mass, 0.0, [0.0, 0.0, free])
}

/// cos θ of the rod, tan θ = 3.
const ROD_COS: f64 = 0.316_227_766_016_837_94;
/// sin θ of the rod, tan θ = 3.
const ROD_SIN: f64 = 0.948_683_298_050_513_8;

/// Friction coefficient of the rod, from the text of Baraff 1991.
const ROD_FRICTION: f64 = 0.75;

fn rod(mass: f64, fall: f64, bias: [f64; 3]) -> Result<ContactProblem, ProblemError> {
    let body = planar_body(mass, mass / 16.0, [0.0, 0.0, ROD_SIN])
        .with_free_response([0.0, 0.0, fall, 0.0, 0.0, 0.0]);
    let law = Friction::Sliding { friction: ROD_FRICTION, direction: [1.0, 0.0, 0.0] };
    let tip =
        Contact::new(0, None, [ROD_COS, 0.0, 0.0], UP, law).planar([1.0, 0.0, 0.0]).with_bias(bias);
    ContactProblem::new(Level::Acceleration, vec![body], vec![tip], vec![], vec![])
}

/// The configuration of Baraff 1991, fig. 5: four fixed wedges let a block move along x only,
/// and on each side of it a rod slides up. Any acceleration of the block towards a rod is
/// inconsistent (fig. 4): forces exist, all zero, only if `push`, the force on the block, is
/// zero.
///
/// ```text
///             ▼             ▼
///        ▲ ╲┌─────────────────┐╱ ▲
///     E₁ │  ╲│      push ►     │╱  │ E₂
///           └─────────────────┘
///             ▲             ▲
/// ```
///
/// Contacts 0 and 1 are the side rods, 2 to 5 the wedges. Body 0 is the block.
///
/// # Errors
///
/// If a number is not finite.
pub fn wedged_block(push: f64) -> Result<ContactProblem, ProblemError> {
    block_with_rods(&[-1.0, 1.0], &[], push)
}

/// The configuration of Baraff 1991, fig. 10: the block of fig. 5 with a rod on its left side
/// and one of mass `mass` on top. Alone, the upper rod may press with force 0 or `mass`; but if
/// it presses, it drags the block into the left one, which is inconsistent. The only solution
/// is zero force everywhere.
///
/// Contact 0 is the side rod, 1 the upper one, 2 to 5 the wedges.
///
/// # Errors
///
/// If the mass is not positive or not finite.
pub fn dragged_block(mass: f64) -> Result<ContactProblem, ProblemError> {
    block_with_rods(&[-1.0], &[mass], 0.0)
}

/// The configuration of Baraff 1991, fig. 6: consistent exactly when a subset of the numbers
/// sums to the target.
///
/// On top of the block of fig. 5 a rod of mass `numbers[i]` slides for each
/// number, with normal force 0 or `numbers[i]` (fig. 3), dragging the block to
/// the left by friction. A force of `μ · target` pushes it to the right.
///
/// Contacts 0 and 1 are the side rods, followed by the numbers in order and the four wedges.
///
/// # Errors
///
/// If a number is not positive or not finite.
pub fn subset_sum(numbers: &[f64], target: f64) -> Result<ContactProblem, ProblemError> {
    block_with_rods(&[-1.0, 1.0], numbers, ROD_FRICTION * target)
}

/// A block between wedges, a rod of one kilogram on each of the given sides (−1 is left) and
/// one of each given mass on top.
fn block_with_rods(
    sides: &[f64],
    masses: &[f64],
    push: f64,
) -> Result<ContactProblem, ProblemError> {
    /// Mass of the block (kg): heavy compared with the rods.
    const BLOCK: f64 = 100.0;
    let (half, top) = (masses.len() as f64 / 2.0 + 1.0, 1.0);
    let moment = BLOCK / 3.0 * (half * half + top * top);
    let mut block = planar_body(BLOCK, moment, [0.0; 3]);
    block.free_response[0] = push / BLOCK;
    let mut bodies = vec![block];
    let mut contacts = Vec::new();
    // A rod that leans in the direction of its slip, given in the frame of its contact.
    let mut rod = |mass: f64, point: DVec3, normal: DVec3, slip: DVec3, free: f64| {
        let centre = point + ROD_SIN * normal - ROD_COS * slip;
        let law = Friction::Sliding { friction: ROD_FRICTION, direction: slip.to_array() };
        let contact = Contact::new(bodies.len(), Some(0), point.to_array(), normal.to_array(), law)
            .planar(slip.to_array())
            .with_bias((free * normal).to_array());
        contacts.push(contact);
        bodies.push(planar_body(mass, mass / 16.0, centre.to_array()));
    };
    for &side in sides {
        rod(1.0, DVec3::new(side * half, 0.0, 0.0), side * DVec3::X, DVec3::Z, 0.0);
    }
    for (i, &mass) in masses.iter().enumerate() {
        let x = i as f64 - (masses.len() - 1) as f64 / 2.0;
        rod(mass, DVec3::new(x, 0.0, top), DVec3::Z, -DVec3::X, 1.0);
    }
    for (x, z) in [(-half, -top), (half, -top), (-half, top), (half, top)] {
        let normal = [0.0, 0.0, -z.signum()];
        contacts.push(Contact::new(0, None, [x, 0.0, z], normal, Friction::Frictionless));
    }
    ContactProblem::new(Level::Acceleration, bodies, contacts, vec![], vec![])
}

/// A ball of radius 1 at a point of an axis, moving along the axis: the start of a collision.
fn moving_ball(mass: f64, position: DVec3, velocity: DVec3) -> Body {
    let inertia = glam::DMat3::from_diagonal(DVec3::splat(0.4 * mass)).to_cols_array_2d();
    let DVec3 { x, y, z } = velocity;
    Body::rigid(mass, inertia, position.to_array()).with_free_response([x, y, z, 0.0, 0.0, 0.0])
}

/// Frictionless contacts along an axis: the bodies and the points where they touch.
fn collision(
    bodies: Vec<Body>,
    axis: DVec3,
    touching: &[(usize, Option<usize>, f64)],
) -> Result<ContactProblem, ProblemError> {
    let contact = |&(a, b, place): &(usize, Option<usize>, f64)| {
        Contact::new(a, b, (place * axis).to_array(), axis.to_array(), Friction::Frictionless)
    };
    let contacts = touching.iter().map(contact).collect();
    ContactProblem::new(Level::Impact, bodies, contacts, vec![], vec![])
}

/// Three equal billiard balls in a row; the first hits the others with `speed` (Baraff 1989,
/// fig. 11). Free responses are the velocities before the collision. Without loss, propagation
/// gives `(0, 0, v)`, the simultaneous law `(−v/3, 2v/3, 2v/3)`.
///
/// ```text
///   v ►
///   ●●●
/// ```
///
/// # Errors
///
/// If the speed is not finite.
pub fn three_balls(speed: f64) -> Result<ContactProblem, ProblemError> {
    let ball = |x: f64, v: f64| moving_ball(1.0, x * DVec3::X, v * DVec3::X);
    let balls = vec![ball(0.0, speed), ball(2.0, 0.0), ball(4.0, 0.0)];
    collision(balls, DVec3::X, &[(1, Some(0), 1.0), (2, Some(1), 3.0)])
}

/// A ball `ratio` times as heavy falls with `speed` on one of a kilogram that lies on the floor
/// (Baraff 1989, fig. 12). Without restitution both come to rest; propagation takes longer the
/// larger the ratio.
///
/// # Errors
///
/// If the ratio is not positive, or a number is not finite.
pub fn ball_on_ball(ratio: f64, speed: f64) -> Result<ContactProblem, ProblemError> {
    let lower = moving_ball(1.0, DVec3::Z, DVec3::ZERO);
    let upper = moving_ball(ratio, 3.0 * DVec3::Z, -speed * DVec3::Z);
    collision(vec![lower, upper], DVec3::Z, &[(0, None, 0.0), (1, Some(0), 2.0)])
}

/// Ball A lies on the fixed ball B and is struck from below by C with `speed`, through a hole
/// (Baraff 1989, fig. 13). A is pushed away from B: their contact, contact 0, has no impulse.
///
/// # Errors
///
/// If the speed is not finite.
pub fn pushed_away(speed: f64) -> Result<ContactProblem, ProblemError> {
    let a = moving_ball(1.0, DVec3::Z, DVec3::ZERO);
    let c = moving_ball(1.0, -DVec3::Z, speed * DVec3::Z);
    let b = Body::fixed([0.0; 3]);
    collision(vec![a, b, c], DVec3::Z, &[(0, Some(1), 0.0), (0, Some(2), 0.0)])
}
