//! Families that are hostile by their joints, motors and bounds.

use super::super::draw::{Draw, cross, minus};
use super::super::given::{Given, GivenRow, WORLD};
use super::soup::{GRAVITY, UP, any};

/// A row that holds a point of two bodies together along a direction.
pub fn pin(given: &Given, a: usize, b: Option<usize>, at: [f64; 3], along: [f64; 3]) -> GivenRow {
    let on = |body: usize, sign: f64| {
        let force = along.map(|x| sign * x);
        let [p, q, r] = cross(minus(at, given.bodies[body].position), force);
        [force[0], force[1], force[2], p, q, r]
    };
    GivenRow {
        a,
        b: b.map_or(WORLD, |b| i64::try_from(b).unwrap_or(WORLD)),
        on_a: on(a, 1.0),
        on_b: b.map_or([0.0; 6], |b| on(b, -1.0)),
        bias: 0.0,
        lower: None,
        upper: None,
    }
}

/// A pin in a random place between random bodies, along a random direction.
fn somewhere(draw: &mut Draw, given: &Given) -> GivenRow {
    let a = draw.count(0, given.bodies.len() - 1);
    let b = draw.count(0, given.bodies.len() - 1);
    let at = given.bodies[a].position;
    let off = draw.vector(0.5);
    let at = std::array::from_fn(|k| at[k] + off[k]);
    let along = draw.direction();
    let mut row = pin(given, a, (a != b).then_some(b), at, along);
    if draw.chance(0.2) {
        // A torque alone: a hinge's axis.
        (0..3).for_each(|k| (row.on_a[k], row.on_b[k]) = (0.0, 0.0));
        (0..3).for_each(|k| row.on_a[3 + k] = along[k]);
        (0..3).for_each(|k| row.on_b[3 + k] = if row.b < 0 { 0.0 } else { -along[k] });
    }
    row
}

/// Joints, some of them twice or in another unit.
pub fn bilateral(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    for _ in 0..draw.count(1, 5) {
        let row = somewhere(draw, &given);
        given.bilateral.push(row);
    }
    if draw.chance(0.4) {
        let from = draw.count(0, given.bilateral.len() - 1);
        let factor = draw.decades(-6.0, 6.0) * draw.sign();
        let row = &given.bilateral[from];
        let copy = GivenRow {
            on_a: row.on_a.map(|x| x * factor),
            on_b: row.on_b.map(|x| x * factor),
            bias: row.bias * factor,
            ..row.clone()
        };
        given.bilateral.push(copy);
    }
    given
}

/// The same joint with two targets: by a little, by much, or by rounding.
pub fn contradictions(draw: &mut Draw) -> Given {
    let mut given = bilateral(draw);
    let from = draw.count(0, given.bilateral.len() - 1);
    let mut row = given.bilateral[from].clone();
    row.bias += draw.sign() * draw.decades(-16.0, 3.0);
    given.bilateral.push(row);
    given
}

/// Forces that are given: `lower = upper`.
pub fn equal_bounds(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    for _ in 0..draw.count(1, 4) {
        let mut row = somewhere(draw, &given);
        let force = if draw.chance(0.2) { 0.0 } else { draw.sign() * draw.decades(-6.0, 4.0) };
        (row.lower, row.upper) = (Some(force), Some(force));
        row.bias = draw.uniform(-1.0, 1.0);
        given.bounded.push(row);
    }
    given
}

/// Bounds of every width, on one side or both.
pub fn bounds(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    for _ in 0..draw.count(1, 4) {
        let mut row = somewhere(draw, &given);
        let middle = draw.sign() * draw.decades(-3.0, 3.0);
        let width = draw.decades(-12.0, 12.0);
        row.lower = (!draw.chance(0.3)).then_some(middle - width);
        row.upper = (!draw.chance(0.3)).then_some(middle + width);
        row.bias = draw.uniform(-1.0, 1.0);
        given.bounded.push(row);
    }
    given
}

/// Motors that want far more than they can, or can far more than is good.
pub fn motors(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    for _ in 0..draw.count(1, 3) {
        let mut row = somewhere(draw, &given);
        row.bias = draw.sign() * draw.decades(2.0, 12.0);
        let limit = draw.decades(-3.0, 9.0);
        if !draw.chance(0.2) {
            (row.lower, row.upper) = (Some(-limit), Some(limit));
        }
        given.bounded.push(row);
    }
    given
}

/// Two bodies pressed against each other by a force that dwarfs all others.
pub fn preload(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    let times = draw.decades(1.0, 9.0);
    let a = draw.count(0, given.bodies.len() - 1);
    let below = given.bodies[a].position;
    let foot = [below[0], below[1], below[2] - 0.5];
    for offset in [[0.3, 0.2], [-0.3, 0.2], [0.0, -0.3]] {
        let point = [foot[0] + offset[0], foot[1] + offset[1], foot[2]];
        let mu = draw.uniform(0.0, 1.0);
        given.contacts.push(super::soup::contact(a, WORLD, point, UP, mu));
    }
    let mut press = pin(&given, a, None, foot, [0.0, 0.0, -1.0]);
    let force = times * GRAVITY * given.bodies[a].mass.unwrap_or(1.0);
    (press.lower, press.upper) = (Some(force), Some(force));
    given.bounded.push(press);
    given
}
