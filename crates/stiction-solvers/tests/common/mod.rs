//! Random problems and transformations that must not matter; the families' files; damage to
//! files.
#![allow(dead_code)] // each test uses its part

use glam::{DMat3, DQuat, DVec3};
use std::path::PathBuf;
use stiction_solvers::{
    Body, BoundedRow, Contact, ContactProblem, Friction, Inertia, Level, Row, Tangents,
};

/// Splitmix64: small, seeded, the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub fn chance(&mut self, p: f64) -> bool {
        self.between(0.0, 1.0) < p
    }

    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    pub fn unit(&mut self) -> DVec3 {
        loop {
            let v = self.vector(1.0);
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.unit(), self.between(0.0, std::f64::consts::TAU))
    }
}

/// What a random problem may contain.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools)] // a recipe is a list of yes and no
pub struct Recipe {
    pub bodies: usize,
    pub contacts: usize,
    /// Masses range over this many orders of magnitude.
    pub mass_orders: f64,
    pub friction: bool,
    pub sliding: bool,
    pub rows: bool,
    pub duplicates: bool,
    /// Friction along one line only.
    pub planar: bool,
}

impl Recipe {
    /// A few frictionless bodies of similar mass, some contacts duplicated.
    pub const PLAIN: Recipe = Recipe {
        bodies: 4,
        contacts: 10,
        mass_orders: 1.0,
        friction: false,
        sliding: false,
        rows: false,
        duplicates: true,
        planar: false,
    };
}

fn law(random: &mut Random, recipe: &Recipe, normal: DVec3) -> Friction {
    let mu = random.between(0.0, 1.0);
    match random.below(4) {
        1 if recipe.friction => Friction::Static { friction: mu },
        2 if recipe.friction => Friction::coulomb(mu),
        3 if recipe.sliding => {
            let direction = normal.cross(random.unit()).normalize().to_array();
            Friction::Sliding { friction: 0.4 * mu, direction }
        }
        _ => Friction::Frictionless,
    }
}

pub fn random_problem(seed: u64, recipe: &Recipe) -> ContactProblem {
    let random = &mut Random::new(seed);
    let level =
        [Level::Acceleration, Level::Velocity, Level::Impact, Level::FirstOrder][random.below(4)];
    let half = recipe.mass_orders / 2.0;
    let bodies: Vec<Body> =
        (0..=random.below(recipe.bodies)).map(|k| random_body(random, half, k)).collect();
    let contacts = random_contacts(random, recipe, &bodies);
    let (bilateral, bounded) =
        if recipe.rows { random_rows(random, &bodies) } else { (Vec::new(), Vec::new()) };
    ContactProblem::new(level, bodies, contacts, bilateral, bounded).expect("a valid problem")
}

/// A box of random size and orientation; its mass ranges over `±half` orders of magnitude.
fn random_body(random: &mut Random, half: f64, k: usize) -> Body {
    let mass = 10f64.powf(random.between(-half, half));
    let size = random.vector(0.5).abs() + DVec3::splat(0.3);
    let squares = size * size;
    let sum = squares.x + squares.y + squares.z;
    let moments = mass / 3.0 * (DVec3::splat(sum) - squares);
    let turn = DMat3::from_quat(random.rotation());
    let inertia = turn * DMat3::from_diagonal(moments) * turn.transpose();
    let inertia = 0.5 * (inertia + inertia.transpose());
    let position = random.vector(1.0) + DVec3::new(0.0, 0.0, k as f64);
    let push = random.vector(3.0);
    let turn = random.vector(2.0);
    Body::rigid(mass, inertia.to_cols_array_2d(), position.to_array()).with_free_response([
        push.x,
        push.y,
        push.z - 9.81,
        turn.x,
        turn.y,
        turn.z,
    ])
}

fn random_contacts(random: &mut Random, recipe: &Recipe, bodies: &[Body]) -> Vec<Contact> {
    let mut contacts: Vec<Contact> = Vec::new();
    for _ in 0..=random.below(recipe.contacts) {
        if recipe.duplicates && !contacts.is_empty() && random.chance(0.3) {
            let mut copy = contacts[random.below(contacts.len())].clone();
            if random.chance(0.5) {
                let shift = random.vector(1e-9);
                copy.point = (DVec3::from_array(copy.point) + shift).to_array();
            }
            contacts.push(copy);
            continue;
        }
        let a = random.below(bodies.len());
        let b = (a > 0 && random.chance(0.6)).then(|| random.below(a));
        let point = DVec3::from_array(bodies[a].position) + random.vector(0.7);
        let normal = (DVec3::Z + random.vector(0.8)).normalize();
        let friction = law(random, recipe, normal);
        let mut contact = Contact::new(a, b, point.to_array(), normal.to_array(), friction);
        if recipe.planar {
            contact = contact.planar(normal.cross(random.unit()).normalize().to_array());
        }
        contacts.push(contact);
    }
    contacts
}

/// Joints, some of them duplicated, and motors.
fn random_rows(random: &mut Random, bodies: &[Body]) -> (Vec<Row>, Vec<BoundedRow>) {
    let mut bilateral: Vec<Row> = Vec::new();
    let mut bounded = Vec::new();
    for _ in 0..random.below(3) {
        let a = random.below(bodies.len());
        let b = (a > 0 && random.chance(0.5)).then(|| random.below(a));
        let point = DVec3::from_array(bodies[a].position) + random.vector(0.5);
        for axis in DVec3::AXES.into_iter().take(1 + random.below(3)) {
            bilateral.push(point_row(bodies, a, b, point, axis, 0.0));
        }
    }
    if !bilateral.is_empty() && random.chance(0.5) {
        bilateral.push(bilateral[random.below(bilateral.len())].clone());
    }
    for _ in 0..random.below(3) {
        let a = random.below(bodies.len());
        let axis = random.unit();
        let mut row = point_row(bodies, a, None, DVec3::from_array(bodies[a].position), axis, 0.0);
        row.bias = random.between(-1.0, 1.0);
        let weight = 10.0 / bodies[a].inverse_inertia()[0][0];
        let lower = random.between(-weight, 0.0);
        let upper = random.between(0.0, weight);
        bounded.push(BoundedRow { row, lower, upper });
    }
    (bilateral, bounded)
}

/// The row that holds `point` of `a` to `b` along an axis.
pub fn point_row(
    bodies: &[Body],
    a: usize,
    b: Option<usize>,
    point: DVec3,
    axis: DVec3,
    bias: f64,
) -> Row {
    let on = |body: usize, axis: DVec3| {
        let torque = (point - DVec3::from_array(bodies[body].position)).cross(axis);
        [axis.x, axis.y, axis.z, torque.x, torque.y, torque.z]
    };
    Row { a, on_a: on(a, axis), b, on_b: b.map_or([0.0; 6], |b| on(b, -axis)), bias }
}

/// The same problem in a rotated frame.
pub fn rotated(problem: &ContactProblem, turn: DQuat) -> ContactProblem {
    let spin = |v: [f64; 3]| (turn * DVec3::from_array(v)).to_array();
    let spin6 = |v: [f64; 6]| {
        let (p, q) = (spin([v[0], v[1], v[2]]), spin([v[3], v[4], v[5]]));
        [p[0], p[1], p[2], q[0], q[1], q[2]]
    };
    let (level, mut bodies, mut contacts, mut bilateral, mut bounded) =
        problem.clone().into_parts();
    for body in &mut bodies {
        body.position = spin(body.position);
        body.free_response = spin6(body.free_response);
        // R M Rᵀ: rotate the columns, then the rows.
        let columns: [[f64; 6]; 6] = body.inverse_inertia().map(spin6);
        let transposed: [[f64; 6]; 6] =
            std::array::from_fn(|i| spin6(std::array::from_fn(|j| columns[j][i])));
        body.inertia = Inertia::Inverse(std::array::from_fn(|i| {
            std::array::from_fn(|j| 0.5 * (transposed[i][j] + transposed[j][i]))
        }));
    }
    for contact in &mut contacts {
        contact.point = spin(contact.point);
        contact.normal = spin(contact.normal);
        contact.bias = spin(contact.bias);
        if let Tangents::Line(tangent) = &mut contact.tangents {
            *tangent = spin(*tangent);
        }
        if let Friction::Sliding { direction, .. } = &mut contact.friction {
            *direction = spin(*direction);
        }
    }
    for row in bilateral.iter_mut().chain(bounded.iter_mut().map(|b| &mut b.row)) {
        row.on_a = spin6(row.on_a);
        row.on_b = spin6(row.on_b);
    }
    ContactProblem::new(level, bodies, contacts, bilateral, bounded).expect("still valid")
}

/// The same problem in other units: `length`, `mass` and `rate` (response per length) are the
/// factors of the conversion.
pub fn rescaled(problem: &ContactProblem, length: f64, mass: f64, rate: f64) -> ContactProblem {
    let (level, mut bodies, mut contacts, mut bilateral, mut bounded) =
        problem.clone().into_parts();
    let unit = |k: usize| if k < 3 { length } else { 1.0 };
    for body in &mut bodies {
        body.position = body.position.map(|x| x * length);
        body.free_response = std::array::from_fn(|k| body.free_response[k] * unit(k) * rate);
        let inverse = body.inverse_inertia();
        body.inertia = Inertia::Inverse(std::array::from_fn(|i| {
            std::array::from_fn(|j| inverse[i][j] * unit(i) * unit(j) / (length * length * mass))
        }));
    }
    for contact in &mut contacts {
        contact.point = contact.point.map(|x| x * length);
        contact.bias = contact.bias.map(|x| x * length * rate);
    }
    let arm = |on: [f64; 6]| std::array::from_fn(|k| on[k] * length / unit(k));
    for row in bilateral.iter_mut().chain(bounded.iter_mut().map(|b| &mut b.row)) {
        row.on_a = arm(row.on_a);
        row.on_b = arm(row.on_b);
        row.bias *= length * rate;
    }
    for b in &mut bounded {
        b.lower *= mass * length * rate;
        b.upper *= mass * length * rate;
    }
    ContactProblem::new(level, bodies, contacts, bilateral, bounded).expect("still valid")
}

/// The same problem with its contacts in another order.
pub fn reordered(problem: &ContactProblem, random: &mut Random) -> (ContactProblem, Vec<usize>) {
    let (level, bodies, contacts, bilateral, bounded) = problem.clone().into_parts();
    let mut order: Vec<usize> = (0..contacts.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i + 1));
    }
    let contacts = order.iter().map(|&i| contacts[i].clone()).collect();
    let problem = ContactProblem::new(level, bodies, contacts, bilateral, bounded);
    (problem.expect("still valid"), order)
}

/// Problem files whose name matches; none, with a printed reason, if the folder does not exist.
pub fn files(matches: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let folder = std::env::var("STICTION_LLOYD")
        .unwrap_or_else(|_| format!("{}/../../../shared/data/lloyd", env!("CARGO_MANIFEST_DIR")));
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: {folder} does not exist");
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.retain(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".json") && matches(&name)
    });
    paths.sort();
    paths
}

/// A small generator: the same damage every time.
pub fn noise(seed: u64) -> impl FnMut() -> usize {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits")
    }
}

/// Cuts, flips and overwrites bytes: reading gives an error or a problem, never a panic.
pub fn mangle(bytes: &[u8], rounds: usize, mut read: impl FnMut(Vec<u8>)) {
    let mut next = noise(bytes.len() as u64);
    for round in 0..rounds {
        let mut mangled = bytes.to_vec();
        if round % 4 == 0 {
            mangled.truncate(next() % bytes.len());
        } else {
            for _ in 0..=next() % 4 {
                let at = next() % bytes.len();
                mangled[at] = if round % 2 == 0 { 0xFF } else { next().to_le_bytes()[0] };
            }
        }
        read(mangled);
    }
}
