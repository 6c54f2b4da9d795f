//! Families that are hostile by their bodies.

use super::super::draw::{Draw, unit};
use super::super::exact::is_inertia;
use super::super::given::{Given, GivenBody, GivenLoad, STEP};
use super::soup::{self, AXES, FEW, LEVELS, SMALL, any, contact, move_all, soup};
use stiction_solvers::Level;

/// Masses from 1e-6 to 1e6.
pub fn masses(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    for body in &mut given.bodies {
        let size = draw.decades(-0.3, 0.3);
        let mass = draw.decades(-6.0, 6.0);
        *body = soup::body(draw, mass, size, body.position);
    }
    move_all(draw, &mut given);
    given
}

/// Rods, plates and worse.
pub fn inertia(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    for body in &mut given.bodies {
        let mass = body.mass.unwrap_or(1.0);
        // Rounding makes some of them indefinite: another draw, of a milder one.
        for attempt in 0..12 {
            let most = 14.0 - f64::from(attempt);
            let least = draw.uniform(-most, 0.0);
            let mut moments = [(); 3].map(|()| 0.1 * mass * draw.decades(least, 0.0));
            moments[draw.count(0, 2)] = 0.1 * mass;
            let axes = if draw.chance(0.3) { AXES } else { draw.axes() };
            let inertia = soup::inertia(axes, moments);
            if is_inertia(&inertia) {
                body.inertia = Some(inertia);
                // A torque that the thin axes can bear.
                let least = moments.iter().fold(f64::INFINITY, |m, x| m.min(*x));
                if let Some(wrench) = &mut body.wrench
                    && draw.chance(0.5)
                {
                    (3..6).for_each(|k| wrench[k] *= least / mass);
                }
                break;
            }
        }
    }
    given
}

/// Bodies so thin that the last bit of a normal moves them visibly: one axis with 1e-8 to 1e-13
/// of the largest moment, and normals as far from unit length as files may give them without
/// being normalised.
pub fn last_bit(draw: &mut Draw) -> Given {
    let level = draw.pick(&LEVELS);
    let mut given = soup(draw, level, &FEW);
    for body in &mut given.bodies {
        let mass = body.mass.unwrap_or(1.0);
        let thin = draw.decades(-13.0, -8.0);
        let moments = [0.1, 0.1 * draw.decades(-3.0, 0.0), 0.1 * thin].map(|x| x * mass);
        let inertia = soup::inertia(draw.axes(), moments);
        if is_inertia(&inertia) {
            body.inertia = Some(inertia);
            // Only torques that the thin axis can bear.
            for motion in [&mut body.wrench, &mut body.velocity].into_iter().flatten() {
                (3..6).for_each(|k| motion[k] *= thin);
            }
        }
    }
    for contact in &mut given.contacts {
        let length = 1.0 + draw.sign() * 3.5 * f64::EPSILON;
        contact.normal = contact.normal.map(|x| x * length);
    }
    given
}

/// The same problem in other units of length: answers scale with it.
pub fn units(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    let length = draw.decades(-9.0, 6.0);
    scale_lengths(&mut given, length);
    given
}

fn scale_lengths(given: &mut Given, length: f64) {
    for body in &mut given.bodies {
        body.position = body.position.map(|x| x * length);
        body.inertia = body.inertia.map(|i| i.map(|row| row.map(|x| x * length * length)));
        if let Some(velocity) = &mut body.velocity {
            (0..3).for_each(|k| velocity[k] *= length);
        }
        if let Some(wrench) = &mut body.wrench {
            (0..3).for_each(|k| wrench[k] *= length);
            (3..6).for_each(|k| wrench[k] *= length * length);
        }
    }
    for contact in &mut given.contacts {
        contact.point = contact.point.map(|x| x * length);
    }
}

/// Squares of what a force does would overflow.
pub fn magnitudes(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    let factor = draw.pick(&[1e-60, 1e-40, 1e-20, 1e20, 1e40, 1e60]);
    for body in &mut given.bodies {
        body.mass = body.mass.map(|m| m * factor);
        body.inertia = body.inertia.map(|i| i.map(|row| row.map(|x| x * factor)));
        body.wrench = body.wrench.map(|w| w.map(|x| x * factor));
    }
    given
}

/// Positions that keep few digits.
pub fn far(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    let distance = draw.decades(3.0, 6.5);
    let away = draw.direction().map(|x| x * distance);
    let moved = |x: [f64; 3]| std::array::from_fn(|k| x[k] + away[k]);
    given.bodies.iter_mut().for_each(|body| body.position = moved(body.position));
    given.contacts.iter_mut().for_each(|contact| contact.point = moved(contact.point));
    given
}

/// Every way to write a body down.
pub fn forms(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    for body in &mut given.bodies {
        if draw.chance(0.4) {
            body.inverse_inertia = Some(inverse_inertia(draw));
            (body.mass, body.inertia) = (None, None);
        }
        if draw.chance(0.3) {
            (body.velocity, body.wrench) = (None, None);
            body.free_response = Some(draw.six(2.0, 2.0));
        }
    }
    if draw.chance(0.4) {
        let body = draw.count(0, given.bodies.len() - 1);
        given.loads.push(GivenLoad { body, wrench: draw.six(5.0, 2.0) });
    }
    if given.level == Level::Velocity {
        given.h = Some(STEP * draw.decades(-2.0, 2.0));
    }
    given
}

/// `Σ x xᵀ` of random vectors: a body whose axes mix, symmetric to the last bit.
fn inverse_inertia(draw: &mut Draw) -> [[f64; 6]; 6] {
    let mut inverse = [[0.0; 6]; 6];
    for _ in 0..draw.count(6, 9) {
        let x = draw.six(0.7, 1.5);
        for i in 0..6 {
            for j in 0..=i {
                inverse[i][j] += x[i] * x[j];
                inverse[j][i] = inverse[i][j];
            }
        }
    }
    inverse
}

/// Bodies in a vertical plane, friction along one line.
pub fn planar(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    let plane = [0.0, 1.0, 0.0];
    for body in &mut given.bodies {
        let mass = draw.decades(-1.0, 1.0);
        let mut inverse = [[0.0; 6]; 6];
        inverse[0][0] = 1.0 / mass;
        inverse[2][2] = 1.0 / mass;
        inverse[4][4] = 10.0 / mass;
        (body.mass, body.inertia) = (None, None);
        body.inverse_inertia = Some(inverse);
        body.position[1] = 0.0;
        for motion in [&mut body.velocity, &mut body.wrench].into_iter().flatten() {
            (motion[1], motion[3], motion[5]) = (0.0, 0.0, 0.0);
        }
    }
    for contact in &mut given.contacts {
        contact.point[1] = 0.0;
        let [x, _, z] = contact.normal;
        let normal = unit([x, 0.0, z]).unwrap_or([0.0, 0.0, 1.0]);
        contact.normal = normal;
        contact.tangent = Some(super::super::draw::cross(plane, normal));
    }
    given
}

/// Nothing moves, or everything moves together.
pub fn rest(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    let together = given.moves() && draw.chance(0.5);
    let speed = draw.decades(-3.0, 6.0);
    let [x, y, z] = draw.vector(speed);
    for body in &mut given.bodies {
        body.wrench = draw.chance(0.5).then_some([0.0; 6]);
        body.velocity = together.then_some([x, y, z, 0.0, 0.0, 0.0]);
    }
    if together {
        given.contacts.retain(|contact| contact.b >= 0);
    }
    given
}

/// Heavy bodies that move fast and one grain that does not matter to them.
pub fn grain(draw: &mut Draw) -> Given {
    let level = draw.pick(&LEVELS);
    let mut given = soup(draw, level, &SMALL);
    let heavy = draw.decades(2.0, 5.0);
    for body in &mut given.bodies {
        *body = GivenBody {
            wrench: body.wrench.map(|w| w.map(|x| x * heavy)),
            velocity: body.velocity,
            ..soup::body(draw, heavy, 1.0, body.position)
        };
    }
    let (size, mass) = (draw.decades(-4.0, -1.0), draw.decades(-9.0, -2.0));
    let at: [f64; 3] = given.contacts[0].point;
    let under = given.contacts[0].a;
    let mut grain = soup::body(draw, mass, size, [at[0], at[1], at[2] + 1.0]);
    let slow = draw.decades(-6.0, 0.0);
    if level != Level::Impact {
        grain.wrench = Some([0.0, 0.0, -mass * slow, 0.0, 0.0, 0.0]);
    }
    if given.moves() {
        grain.velocity = given.bodies[under].velocity;
    }
    let grain_index = given.bodies.len();
    let on = i64::try_from(under).unwrap_or(-1);
    for _ in 0..draw.count(1, 4) {
        let [x, y, _] = draw.vector(size);
        let point = [at[0] + x, at[1] + y, at[2] + 1.0 - 0.5 * size];
        let mu = draw.uniform(0.0, 1.0);
        given.contacts.push(contact(grain_index, on, point, soup::UP, mu));
    }
    given.bodies.push(grain);
    given
}
