//! Random bodies that touch each other and the world: what most families begin with.

use super::super::draw::{Draw, minus, unit};
use super::super::given::{Given, GivenBody, GivenContact, GivenLaw, WORLD};
use stiction_solvers::Level;

pub const GRAVITY: f64 = 9.81;
pub const UP: [f64; 3] = [0.0, 0.0, 1.0];
pub const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], UP];
pub const LEVELS: [Level; 4] =
    [Level::Acceleration, Level::Velocity, Level::Impact, Level::FirstOrder];

/// Smallest and largest numbers of bodies and contacts.
pub struct Size {
    pub bodies: [usize; 2],
    pub contacts: [usize; 2],
}

pub const SMALL: Size = Size { bodies: [1, 6], contacts: [1, 12] };
pub const FEW: Size = Size { bodies: [1, 2], contacts: [1, 3] };

/// `Σ momentᵢ axisᵢ axisᵢᵀ`, symmetric to the last bit.
pub fn inertia(axes: [[f64; 3]; 3], moments: [f64; 3]) -> [[f64; 3]; 3] {
    let mut inertia = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..=i {
            let entry = (0..3).map(|k| moments[k] * axes[k][i] * axes[k][j]).sum();
            inertia[i][j] = entry;
            inertia[j][i] = entry;
        }
    }
    inertia
}

/// A rough ball or brick of this mass and size.
pub fn body(draw: &mut Draw, mass: f64, size: f64, position: [f64; 3]) -> GivenBody {
    let moment = 0.1 * mass * size * size;
    let moments = [(); 3].map(|()| moment * draw.uniform(0.6, 1.4));
    let axes = draw.axes();
    GivenBody {
        mass: Some(mass),
        inertia: Some(inertia(axes, moments)),
        position,
        ..GivenBody::default()
    }
}

/// A contact with the law that its level means.
pub fn contact(a: usize, b: i64, point: [f64; 3], normal: [f64; 3], mu: f64) -> GivenContact {
    GivenContact {
        a,
        b,
        point,
        normal,
        mu,
        mu_dynamic: None,
        law: None,
        direction: None,
        tangent: None,
        bias: None,
    }
}

/// Bodies of about a metre, each above or beside another one or on the floor.
pub fn soup(draw: &mut Draw, level: Level, size: &Size) -> Given {
    let mut given = Given::new(level);
    let bodies = draw.count(size.bodies[0], size.bodies[1]);
    for _ in 0..bodies {
        let mass = draw.decades(-0.5, 0.7);
        let position = draw.vector(1.0);
        given.bodies.push(body(draw, mass, 1.0, position));
    }
    for body in 0..bodies {
        let other =
            if body == 0 || draw.chance(0.3) { None } else { Some(draw.count(0, body - 1)) };
        touch(draw, &mut given, body, other);
    }
    let contacts = draw.count(size.contacts[0], size.contacts[1]);
    while given.contacts.len() < contacts {
        let (a, b) = (draw.count(0, bodies - 1), draw.count(0, bodies - 1));
        touch(draw, &mut given, a, (a != b).then_some(b));
    }
    move_all(draw, &mut given);
    given
}

/// A contact between two bodies, or with the floor under one.
pub fn touch(draw: &mut Draw, given: &mut Given, a: usize, b: Option<usize>) {
    let here = given.bodies[a].position;
    let noise = draw.vector(0.2);
    let mu = if draw.chance(0.15) { 0.0 } else { draw.uniform(0.0, 1.2) };
    let lean = draw.uniform(0.0, 0.3);
    let (point, along, other) = match b {
        Some(b) => {
            let there = given.bodies[b].position;
            let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (here[k] + there[k]));
            (middle, unit(minus(here, there)).unwrap_or(UP), i64::try_from(b).unwrap_or(WORLD))
        }
        None => ([here[0], here[1], here[2] - 0.5], UP, WORLD),
    };
    let point = std::array::from_fn(|k| point[k] + noise[k]);
    let normal = draw.tilted(along, lean);
    let mut contact = contact(a, other, point, normal, mu);
    contact.law = (mu == 0.0 && draw.chance(0.5)).then_some(GivenLaw::Frictionless);
    given.contacts.push(contact);
}

/// Weight, and forces and velocities as the level has them.
pub fn move_all(draw: &mut Draw, given: &mut Given) {
    let (moves, level) = (given.moves(), given.level);
    for body in &mut given.bodies {
        let mass = body.mass.unwrap_or(1.0);
        if level != Level::Impact {
            let mut wrench = draw.six(3.0 * mass, mass);
            wrench[2] -= mass * GRAVITY;
            body.wrench = Some(wrench);
        }
        if moves {
            let mut velocity = draw.six(0.5, 1.0);
            velocity[2] -= if level == Level::Impact { 1.0 } else { 0.0 };
            body.velocity = Some(velocity);
        }
    }
}

/// A soup of the usual size at any level.
pub fn any(draw: &mut Draw) -> Given {
    let level = draw.pick(&LEVELS);
    soup(draw, level, &SMALL)
}
