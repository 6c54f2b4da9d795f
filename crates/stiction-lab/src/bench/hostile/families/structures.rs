//! Families that are hostile by how their bodies stand together.

use super::super::draw::{Draw, unit};
use super::super::given::{Given, GivenBody, GivenContact, GivenRow, WORLD};
use super::rows::pin;
use super::soup::{self, AXES, GRAVITY, LEVELS, Size, UP, contact, inertia, move_all, soup};
use super::{FAMILIES, Make};
use std::f64::consts::PI;
use stiction_solvers::Level;

/// A brick with its weight.
fn brick(level: Level, mass: f64, size: [f64; 3], position: [f64; 3]) -> GivenBody {
    let [x, y, z] = size.map(|s| s * s);
    let moments = [y + z, x + z, x + y].map(|s| mass * s / 12.0);
    let weight = [0.0, 0.0, -mass * GRAVITY, 0.0, 0.0, 0.0];
    let moves = matches!(level, Level::Velocity | Level::Impact);
    GivenBody {
        mass: Some(mass),
        inertia: Some(inertia(AXES, moments)),
        position,
        wrench: (level != Level::Impact).then_some(weight),
        velocity: moves.then_some([
            0.0,
            0.0,
            if level == Level::Impact { -1.0 } else { 0.0 },
            0.0,
            0.0,
            0.0,
        ]),
        ..GivenBody::default()
    }
}

fn index(body: usize) -> i64 {
    i64::try_from(body).unwrap_or(WORLD)
}

/// Four corners of a horizontal face.
fn face(a: usize, b: i64, size: [f64; 2], centre: [f64; 3], mu: f64) -> Vec<GivenContact> {
    let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let point = |[x, y]: [f64; 2]| [centre[0] + x * size[0], centre[1] + y * size[1], centre[2]];
    corners.map(|corner| contact(a, b, point(corner), UP, mu)).to_vec()
}

/// A push on one body.
fn push(draw: &mut Draw, given: &mut Given, times: f64) {
    let body = draw.count(0, given.bodies.len() - 1);
    let body = &mut given.bodies[body];
    let mass = body.mass.unwrap_or(1.0);
    let moved = draw.six(times, 0.1 * times);
    if let Some(wrench) = &mut body.wrench {
        (0..6).for_each(|k| wrench[k] += mass * moved[k]);
    } else if let Some(velocity) = &mut body.velocity {
        (0..6).for_each(|k| velocity[k] += moved[k]);
    }
}

/// A body in a groove, walls steep or nearly so: with friction it holds itself by any force.
pub fn wedges(draw: &mut Draw) -> Given {
    let level = draw.pick(&LEVELS);
    let mut given = Given::new(level);
    let steep = if draw.chance(0.4) { 0.0 } else { draw.decades(-9.0, 0.0) };
    let (sin, cos) = steep.sin_cos();
    let mu = draw.uniform(0.0, 2.0);
    let count = draw.count(1, 4);
    for body in 0..count {
        let mass = draw.decades(-2.0, 2.0);
        let z = body as f64;
        given.bodies.push(brick(level, mass, [1.0, 1.0, 1.0], [0.0, 0.0, z]));
        for side in [-1.0, 1.0] {
            for y in [-0.4, 0.4] {
                let normal = [-side * cos, 0.0, sin];
                given.contacts.push(contact(body, WORLD, [0.5 * side, y, z], normal, mu));
            }
        }
        if body > 0 {
            let under = [0.0, 0.0, z - 0.5];
            given.contacts.extend(face(body, index(body - 1), [0.8, 0.8], under, mu));
        }
    }
    if draw.chance(0.5) {
        // Pressed in by a force along the groove's width.
        let mut squeeze = pin(&given, 0, None, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let force = draw.decades(0.0, 6.0);
        (squeeze.lower, squeeze.upper) = (Some(force), Some(force));
        given.bounded.push(squeeze);
    }
    if draw.chance(0.6) {
        push(draw, &mut given, 3.0);
    }
    given
}

/// Light under heavy, heavy under light, light between heavy.
pub fn feathers(draw: &mut Draw) -> Given {
    let level = draw.pick(&LEVELS);
    let mut given = Given::new(level);
    let ratio = draw.decades(2.0, 12.0);
    let heavy = draw.decades(-3.0, 3.0);
    let order: &[bool] = draw.pick(&[
        &[false, true][..],
        &[true, false],
        &[true, false, true],
        &[false, true, false],
    ]);
    let mu = draw.uniform(0.0, 1.0);
    for (body, &is_heavy) in order.iter().enumerate() {
        let mass = if is_heavy { heavy } else { heavy / ratio };
        let z = body as f64 + 0.5;
        given.bodies.push(brick(level, mass, [1.0, 1.0, 1.0], [0.0, 0.0, z]));
        let below = if body == 0 { WORLD } else { index(body - 1) };
        given.contacts.extend(face(body, below, [0.9, 0.9], [0.0, 0.0, z - 0.5], mu));
    }
    let times = draw.decades(-3.0, 1.0);
    push(draw, &mut given, times);
    given
}

/// A row of bodies without weight between a push and a wall, some of them ajar.
pub fn transmission(draw: &mut Draw) -> Given {
    let level = draw.pick(&LEVELS);
    let mut given = Given::new(level);
    let count = draw.count(2, 8);
    let mu = draw.uniform(0.0, 1.0);
    let along = [-1.0, 0.0, 0.0];
    for body in 0..count {
        let mass = draw.decades(-2.0, 2.0);
        let x = body as f64;
        let mut still = soup::body(draw, mass, 1.0, [x, 0.0, 0.0]);
        if body == 0 {
            let force = draw.decades(-3.0, 6.0);
            let off = draw.uniform(-0.2, 0.2);
            let pushed = [force, 0.0, 0.0, 0.0, off * force, 0.0];
            if level == Level::Impact {
                still.velocity = Some(pushed.map(|x| x / mass));
            } else {
                still.wrench = Some(pushed);
            }
        }
        given.bodies.push(still);
    }
    for body in 0..count {
        let after = if body + 1 == count { WORLD } else { index(body + 1) };
        for corner in [[-0.3, -0.3], [0.3, -0.3], [0.0, 0.3]] {
            let point = [body as f64 + 0.5, corner[0], corner[1]];
            given.contacts.push(contact(body, after, point, along, mu));
        }
    }
    given
}

/// A stack of bricks, some of it askew, hit or not.
pub fn stacks(draw: &mut Draw) -> Given {
    let level = draw.pick(&LEVELS);
    let mut given = Given::new(level);
    let height = if draw.chance(0.02) { draw.count(20, 50) } else { draw.count(3, 9) };
    let mu = draw.uniform(0.1, 1.0);
    let askew = if draw.chance(0.5) { 0.0 } else { draw.decades(-9.0, -1.0) };
    let mut x = 0.0;
    for body in 0..height {
        let z = body as f64 + 0.5;
        let mass = draw.decades(-0.5, 0.5);
        let before = x;
        x += askew * draw.uniform(-1.0, 1.0);
        given.bodies.push(brick(level, mass, [1.0, 1.0, 1.0], [x, 0.0, z]));
        let below = if body == 0 { WORLD } else { index(body - 1) };
        let middle = if body == 0 { x } else { 0.5 * (x + before) };
        let width = if body == 0 { 1.0 } else { 1.0 - (x - before).abs() };
        given.contacts.extend(face(body, below, [width, 1.0], [middle, 0.0, z - 0.5], mu));
    }
    if draw.chance(0.6) {
        let times = draw.decades(-3.0, 2.0);
        push(draw, &mut given, times);
    }
    given
}

/// Half a ring of stones on two springers.
pub fn arches(draw: &mut Draw) -> Given {
    let level = draw.pick(&LEVELS);
    let mut given = Given::new(level);
    let stones = draw.count(3, 9);
    let (inner, outer) = (1.0, draw.uniform(1.1, 1.6));
    let mu = draw.uniform(0.2, 1.5);
    let angle = |k: usize| PI * k as f64 / stones as f64;
    for stone in 0..stones {
        let mass = draw.decades(-0.3, 0.3);
        let (sin, cos) = (0.5 * (angle(stone) + angle(stone + 1))).sin_cos();
        let middle = 0.5 * (inner + outer);
        let size = [outer - inner, 0.5, middle * PI / stones as f64];
        given.bodies.push(brick(level, mass, size, [middle * cos, 0.0, middle * sin]));
    }
    for joint in 0..=stones {
        let (sin, cos) = angle(joint).sin_cos();
        // Every joint pushes the stone after it onwards; the last one pushes the last stone back.
        let last = joint == stones;
        let (a, b) = if last { (stones - 1, WORLD) } else { (joint, index(joint) - 1) };
        let sign = if last { -1.0 } else { 1.0 };
        let normal = unit([-sign * sin, 0.0, sign * cos]).unwrap_or(UP);
        for radius in [inner, outer] {
            for y in [-0.25, 0.25] {
                given.contacts.push(contact(a, b, [radius * cos, y, radius * sin], normal, mu));
            }
        }
    }
    if draw.chance(0.5) {
        let times = draw.decades(-2.0, 2.0);
        push(draw, &mut given, times);
    }
    given
}

/// Links pinned together, some of which lie on the floor.
pub fn chains(draw: &mut Draw) -> Given {
    let level = draw.pick(&LEVELS);
    let mut given = Given::new(level);
    let links = draw.count(2, 8);
    let hangs = draw.chance(0.5);
    for link in 0..links {
        let mass = draw.decades(-1.0, 1.0);
        given.bodies.push(brick(level, mass, [0.9, 0.1, 0.1], [link as f64, 0.0, 0.05]));
    }
    for link in 0..links {
        let before = link.checked_sub(1);
        if link > 0 || hangs {
            for axis in AXES {
                let row = pin(&given, link, before, [link as f64 - 0.5, 0.0, 0.05], axis);
                given.bilateral.push(row);
            }
        }
        if draw.chance(0.7) {
            let mu = draw.uniform(0.0, 1.0);
            given.contacts.extend(face(link, WORLD, [0.9, 0.1], [link as f64, 0.0, 0.0], mu));
        }
    }
    for link in 1..links {
        if draw.chance(0.3) {
            // Dry friction in the joint.
            let most = draw.decades(-3.0, 1.0);
            let (on_a, on_b) = ([0.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, -1.0, 0.0]);
            let (lower, upper) = (Some(-most), Some(most));
            let b = index(link) - 1;
            given.bounded.push(GivenRow { a: link, b, on_a, on_b, bias: 0.0, lower, upper });
        }
    }
    let times = draw.decades(-2.0, 1.0);
    push(draw, &mut given, times);
    given
}

/// Problems of other families side by side; what one is must not matter to another.
pub fn islands(draw: &mut Draw) -> Given {
    let level = draw.pick(&LEVELS);
    let mut given = soup(draw, level, &Size { bodies: [1, 2], contacts: [1, 4] });
    for _ in 0..draw.count(1, 4) {
        let family = &FAMILIES[draw.count(0, FAMILIES.len() - 1)];
        let Make::Bodies(make) = family.make else { continue };
        if family.name == "islands" {
            continue;
        }
        let other = make(draw);
        let fits = other.level == level && other.h == given.h && other.loads.is_empty();
        if fits && other.contacts.len() < 100 {
            merge(&mut given, other);
        }
    }
    if draw.chance(0.2) {
        move_all(draw, &mut given);
        given.bodies.iter_mut().filter(|body| body.fixed).for_each(|body| body.wrench = None);
        given.bodies.iter_mut().for_each(|body| body.free_response = None);
    }
    given
}

/// The bodies of another problem, touching none of these.
fn merge(given: &mut Given, other: Given) {
    let offset = given.bodies.len();
    let moved = |b: i64| if b < 0 { b } else { b + index(offset) };
    given.bodies.extend(other.bodies);
    given.contacts.extend(other.contacts.into_iter().map(|c| GivenContact {
        a: c.a + offset,
        b: moved(c.b),
        ..c
    }));
    let row = |row: GivenRow| GivenRow { a: row.a + offset, b: moved(row.b), ..row };
    given.bilateral.extend(other.bilateral.into_iter().map(row));
    given.bounded.extend(other.bounded.into_iter().map(row));
}
