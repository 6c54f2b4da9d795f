//! Families that are hostile by their contacts.

use super::super::draw::{Draw, cross};
use super::super::given::{Given, GivenBody, GivenLaw};
use super::soup::{self, LEVELS, SMALL, Size, UP, any, contact, move_all, soup, touch};
use stiction_solvers::Level;

pub fn friction(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    for contact in &mut given.contacts {
        contact.mu = match draw.count(0, 9) {
            0 | 1 => 0.0,
            2 => 1.0,
            _ => draw.decades(-6.0, 3.0),
        };
    }
    given
}

pub fn coefficients(draw: &mut Draw) -> Given {
    let level = draw.pick(&[Level::Velocity, Level::Impact]);
    let mut given = soup(draw, level, &SMALL);
    for contact in &mut given.contacts {
        contact.law = Some(GivenLaw::Coulomb);
        contact.mu_dynamic = Some(contact.mu * draw.pick(&[0.0, 0.5, 0.9, 0.999_999_9, 1.0]));
    }
    given
}

/// Slip that is there already, with friction up to 10: forces need not exist (Painlevé).
pub fn sliding(draw: &mut Draw) -> Given {
    let mut given = soup(draw, Level::Acceleration, &Size { bodies: [1, 3], contacts: [1, 5] });
    let all = draw.chance(0.5);
    for contact in &mut given.contacts {
        if all || draw.chance(0.6) {
            contact.law = Some(GivenLaw::Sliding);
            contact.mu = draw.decades(-2.0, 1.0);
            contact.direction = Some(draw.tangent(contact.normal));
        }
    }
    if draw.chance(0.4) {
        rod(draw, &mut given);
    }
    given
}

/// Painlevé's rod: its lower end slides on the floor and leans into its slip.
fn rod(draw: &mut Draw, given: &mut Given) {
    let (mass, length) = (draw.decades(-1.0, 1.0), draw.decades(-1.0, 1.0));
    let (sin, cos) = draw.uniform(0.1, 1.5).sin_cos();
    let moment = mass * length * length / 12.0;
    let across = [moment, moment * 1e-3, moment];
    let index = given.bodies.len();
    let at = [20.0, 0.0, 0.5 * length * sin];
    given.bodies.push(GivenBody {
        mass: Some(mass),
        inertia: Some(soup::inertia([[0.0, 1.0, 0.0], [cos, 0.0, sin], [-sin, 0.0, cos]], across)),
        position: at,
        wrench: Some([0.0, 0.0, -mass * soup::GRAVITY, 0.0, draw.uniform(-1.0, 1.0), 0.0]),
        ..GivenBody::default()
    });
    let end = [at[0] - 0.5 * length * cos, 0.0, 0.0];
    let mut foot = contact(index, -1, end, UP, draw.decades(-1.0, 1.0));
    foot.law = Some(GivenLaw::Sliding);
    foot.direction = Some([draw.sign(), 0.0, 0.0]);
    given.contacts.push(foot);
}

/// Several contacts of the same two bodies with nearly the same normal.
pub fn parallel(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    for _ in 0..draw.count(1, 4) {
        let from = draw.count(0, given.contacts.len() - 1);
        let mut near = given.contacts[from].clone();
        let angle = draw.decades(-15.0, -3.0);
        near.normal = draw.tilted(near.normal, angle);
        let spread = if draw.chance(0.4) { 0.0 } else { draw.decades(-15.0, -1.0) };
        let moved = draw.vector(spread);
        near.point = std::array::from_fn(|k| near.point[k] + moved[k]);
        if draw.chance(0.3) {
            // The same surface from the other side: squeezed by almost nothing.
            near.normal = near.normal.map(|x| -x);
        }
        given.contacts.push(near);
    }
    given
}

/// The same contact again and again: mostly a few times, sometimes thousands.
pub fn duplicates(draw: &mut Draw) -> Given {
    let level = draw.pick(&LEVELS);
    let mut given = soup(draw, level, &Size { bodies: [1, 3], contacts: [1, 5] });
    let copies = match draw.count(0, 199) {
        0 => draw.count(1000, 3000),
        1..=5 => draw.count(50, 300),
        _ => draw.count(2, 20),
    };
    let distinct = given.contacts.len();
    for k in 0..copies {
        let copy = given.contacts[k % distinct].clone();
        given.contacts.push(copy);
    }
    given
}

/// Bodies that race along a surface and hardly approach it.
pub fn tangential(draw: &mut Draw) -> Given {
    let level = draw.pick(&[Level::Velocity, Level::Impact]);
    let mut given = soup(draw, level, &Size { bodies: [1, 3], contacts: [1, 6] });
    let speed = draw.decades(2.0, 9.0);
    let along = draw.tangent(UP);
    let exactly = draw.chance(0.5);
    for contact in &mut given.contacts {
        if exactly && contact.b < 0 {
            contact.normal = UP;
        }
    }
    for body in &mut given.bodies {
        let mut velocity = body.velocity.unwrap_or_default();
        (0..3).for_each(|k| velocity[k] += speed * along[k]);
        body.velocity = Some(velocity);
    }
    given
}

/// One or two contacts with a bias that opens them at once, and others that matter.
pub fn bias(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    for _ in 0..draw.count(1, 2) {
        let body = draw.count(0, given.bodies.len() - 1);
        let other = draw.count(0, given.bodies.len() - 1);
        touch(draw, &mut given, body, (other != body).then_some(other));
        let Some(open) = given.contacts.last_mut() else { continue };
        let size = draw.decades(2.0, 12.0);
        open.bias = Some(open.normal.map(|x| size * x));
    }
    for contact in &mut given.contacts {
        if contact.bias.is_none() && draw.chance(0.3) {
            contact.bias = Some(draw.vector(0.3));
        }
    }
    given
}

/// Belts, drums and rams that nothing stops.
pub fn conveyors(draw: &mut Draw) -> Given {
    let level = draw.pick(&[Level::Velocity, Level::Impact]);
    let mut given = soup(draw, level, &SMALL);
    let free = given.bodies.len();
    for _ in 0..draw.count(1, 3) {
        let speed = draw.decades(-1.0, 9.0);
        let turn = if draw.chance(0.3) { speed } else { 0.0 };
        let mut velocity = draw.six(speed, turn);
        if draw.chance(0.6) {
            velocity[2] = 0.0;
        }
        let belt = given.bodies.len();
        given.bodies.push(GivenBody {
            fixed: true,
            position: draw.vector(2.0),
            velocity: Some(velocity),
            ..GivenBody::default()
        });
        for _ in 0..draw.count(1, 3) {
            let rider = draw.count(0, free - 1);
            touch(draw, &mut given, rider, Some(belt));
            let flat = draw.chance(0.6);
            let Some(contact) = given.contacts.last_mut() else { continue };
            if flat {
                contact.normal = UP;
            }
        }
    }
    given
}

/// No sliding contacts and one coefficient each: what pyramids are defined for.
pub fn pyramids(draw: &mut Draw) -> Given {
    let mut given = any(draw);
    if draw.chance(0.3) {
        for body in &mut given.bodies {
            let mass = draw.decades(-4.0, 4.0);
            *body = soup::body(draw, mass, 1.0, body.position);
        }
        move_all(draw, &mut given);
    }
    if draw.chance(0.2) {
        for contact in &mut given.contacts {
            let across = draw.direction();
            let tangent = super::super::draw::unit(cross(across, contact.normal));
            contact.tangent = tangent;
        }
    }
    given
}
