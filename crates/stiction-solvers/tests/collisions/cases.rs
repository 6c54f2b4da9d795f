//! Random collisions of several families, and collisions from files.

use super::common::{Random, Recipe, random_problem};
use glam::{DMat3, DVec3};
use stiction_solvers::file::ProblemFile;
use stiction_solvers::gallery::lloyd::{Draw, Lie, stack};
use stiction_solvers::gallery::piles;
use stiction_solvers::{Body, Contact, ContactProblem, Friction, Level};

/// A collision: bodies, their velocities, restitution of the contacts.
pub struct Case {
    pub problem: ContactProblem,
    pub velocities: Vec<[f64; 6]>,
    pub restitution: Vec<f64>,
}

fn frictionless(problem: ContactProblem) -> ContactProblem {
    let (level, bodies, mut contacts, bilateral, _) = problem.into_parts();
    for contact in &mut contacts {
        contact.friction = Friction::Frictionless;
    }
    ContactProblem::new(level, bodies, contacts, bilateral, vec![]).expect("valid")
}

/// Random velocities of the bodies, some of them zero.
fn random_velocities(random: &mut Random, problem: &ContactProblem) -> Vec<[f64; 6]> {
    let still = random.between(0.0, 0.7);
    let body = |body: &Body| {
        if body.is_fixed() || random.chance(still) {
            return [0.0; 6];
        }
        let (v, w) = (random.vector(3.0), random.vector(2.0));
        [v.x, v.y, v.z - 1.0, w.x, w.y, w.z]
    };
    problem.bodies().iter().map(body).collect()
}

/// Coefficients of restitution: all zero, all one, one random value for all, or one per contact.
fn random_restitution(random: &mut Random, contacts: usize) -> Vec<f64> {
    match random.below(4) {
        0 => vec![0.0; contacts],
        1 => vec![1.0; contacts],
        2 => vec![random.between(0.0, 1.0); contacts],
        _ => (0..contacts).map(|_| [0.0, 1.0, random.between(0.0, 1.0)][random.below(3)]).collect(),
    }
}

pub fn ball(mass: f64, position: DVec3) -> Body {
    let moment = 0.4 * mass;
    let inertia = DMat3::from_diagonal(DVec3::splat(moment)).to_cols_array_2d();
    Body::rigid(mass, inertia, position.to_array())
}

pub fn touch(a: usize, b: Option<usize>, point: DVec3, normal: DVec3) -> Contact {
    Contact::new(a, b, point.to_array(), normal.to_array(), Friction::Frictionless)
}

pub fn problem_of(bodies: Vec<Body>, contacts: Vec<Contact>) -> ContactProblem {
    ContactProblem::new(Level::Impact, bodies, contacts, vec![], vec![]).expect("valid")
}

fn mass(random: &mut Random, orders: f64) -> f64 {
    10f64.powf(random.between(-orders / 2.0, orders / 2.0))
}

/// Balls in a row.
fn cradle(random: &mut Random) -> ContactProblem {
    let count = 2 + random.below(9);
    let equal = random.chance(0.5);
    let bodies = (0..count).map(|k| {
        let mass = if equal { 1.0 } else { mass(random, 3.0) };
        ball(mass, 2.0 * k as f64 * DVec3::X)
    });
    let bodies = bodies.collect();
    let contact = |k: usize| touch(k, Some(k - 1), (2.0 * k as f64 - 1.0) * DVec3::X, DVec3::X);
    problem_of(bodies, (1..count).map(contact).collect())
}

/// A ball or several, each touching some planes: grooves, corners, tight slots.
fn wedges(random: &mut Random) -> ContactProblem {
    let count = 1 + random.below(3);
    let bodies: Vec<Body> =
        (0..count).map(|k| ball(mass(random, 4.0), 2.0 * k as f64 * DVec3::Z)).collect();
    let mut contacts: Vec<Contact> = (1..count)
        .map(|k| touch(k, Some(k - 1), (2.0 * k as f64 - 1.0) * DVec3::Z, DVec3::Z))
        .collect();
    for _ in 0..=random.below(4) {
        let a = random.below(count);
        let centre = DVec3::from_array(bodies[a].position);
        let normal = random.unit();
        contacts.push(touch(a, None, centre - normal, normal));
        if random.chance(0.4) {
            // The other side of a slot, or of a groove that is nearly a slot.
            let lean = if random.chance(0.5) { 0.0 } else { 10f64.powf(random.between(-9.0, 0.0)) };
            let normal = (-normal + random.vector(lean)).normalize();
            contacts.push(touch(a, None, centre - normal, normal));
        }
    }
    problem_of(bodies, contacts)
}

fn random_contacts(random: &mut Random, seed: u64, rows: bool) -> ContactProblem {
    let recipe = Recipe {
        bodies: 1 + random.below(8),
        contacts: 1 + random.below(16),
        mass_orders: random.between(0.0, 6.0),
        rows,
        duplicates: random.chance(0.5),
        ..Recipe::PLAIN
    };
    let problem = frictionless(random_problem(seed, &recipe));
    // Half of them have normals in any direction instead of upwards: many contacts are jammed.
    if random.chance(0.5) {
        return problem;
    }
    let (level, bodies, mut contacts, bilateral, bounded) = problem.into_parts();
    for contact in &mut contacts {
        contact.normal = random.unit().to_array();
    }
    ContactProblem::new(level, bodies, contacts, bilateral, bounded).expect("valid")
}

fn stacked(random: &mut Random, seed: u64) -> ContactProblem {
    let lie = if random.chance(0.5) { Lie::Aligned } else { Lie::Rotated };
    let problems = stack(1 + random.below(6), lie, Draw { loads: 1, seed }).expect("valid");
    problems.into_iter().next().map(frictionless).expect("one load")
}

fn piled(random: &mut Random, seed: u64) -> ContactProblem {
    let contacts = [10, 20, 30][random.below(3)];
    let problems = piles::pile(contacts, 0.0, Draw { loads: 1, seed }).expect("valid");
    problems.into_iter().next().map(frictionless).expect("one load")
}

/// Families of random collisions.
pub const FAMILIES: [&str; 6] =
    ["random", "random with joints", "cradle", "wedges", "stack", "pile"];

/// One random collision of a family.
pub fn case(family: &str, seed: u64) -> Case {
    let random = &mut Random::new(seed ^ 0x5eed);
    let problem = match family {
        "random" => random_contacts(random, seed, false),
        "random with joints" => random_contacts(random, seed, true),
        "cradle" => cradle(random),
        "wedges" => wedges(random),
        "stack" => stacked(random, seed),
        _ => piled(random, seed),
    };
    let mut velocities = random_velocities(random, &problem);
    if family == "cradle" && random.chance(0.7) {
        // Along the row, as in Newton's cradle.
        let moving = 1 + random.below(velocities.len() - 1);
        velocities.fill([0.0; 6]);
        velocities[..moving].fill([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }
    let restitution = random_restitution(random, problem.contacts().len());
    Case { problem, velocities, restitution }
}

/// A collision from a file in `tests/collisions`, with complete restitution.
pub fn read(name: &str) -> Case {
    let path = format!("{}/tests/collisions/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let file = ProblemFile::open(path.as_ref()).expect("readable");
    let problem = file.problem(0).expect("valid");
    let velocities = file.velocities().expect("given");
    let restitution = vec![1.0; problem.contacts().len()];
    Case { problem, velocities, restitution }
}
