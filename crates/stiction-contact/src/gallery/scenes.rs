//! Structures of any size: walls, pyramids, towers, arches, piles; standing, hit or collapsing.
//!
//! Each is one step of a simulation at velocity level: bodies have their velocities plus the
//! effect of gravity over [`STEP`] seconds. Two boxes that touch share four contacts, the
//! corners of their common face.
//!
//! [`Scene::named`] builds a scene from a name such as `wall-1000`, `pyramid-hit-140` or
//! `pile-moving-100`; the number is the least number of bodies.

use super::Random;
use super::{GRAVITY, UP, box_body, static_law};
use crate::problem::{Body, Contact, ContactProblem, Level, ProblemError};
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// Length of a step (s).
pub const STEP: f64 = 0.01;

/// Density of all bodies (kg/m³): that of water.
const DENSITY: f64 = 1000.0;

/// Speed of a body that is hit (m/s).
const HIT: f64 = 3.0;

/// A structure and what happens to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scene {
    /// The arrangement of the bodies.
    pub structure: Structure,
    /// What happens to it.
    pub motion: Motion,
    /// Least number of bodies.
    pub bodies: usize,
    /// Friction coefficient of every contact.
    pub friction: f64,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// The arrangement of the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Bricks in a running bond, as high as long; their end faces touch too.
    Wall,
    /// Cubes in square layers, each on four below.
    Pyramid,
    /// Boxes on top of each other, in columns ten high.
    Tower,
    /// Rings of 20 voussoirs, side by side.
    Arch,
    /// Boxes in a heap.
    Pile,
    /// Boxes on an incline too steep for friction to hold them, touching each other.
    Chute,
}

/// The motion of the bodies before the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// At rest, under gravity.
    Standing,
    /// One or two bodies have a high speed.
    Hit,
    /// Every body has a random velocity.
    Moving,
    /// All bodies fall and rotate: the contacts must stop them.
    Collapsing,
}

/// Structures and their names.
const STRUCTURES: [(&str, Structure); 6] = [
    ("wall", Structure::Wall),
    ("pyramid", Structure::Pyramid),
    ("tower", Structure::Tower),
    ("arch", Structure::Arch),
    ("pile", Structure::Pile),
    ("chute", Structure::Chute),
];

/// Motions and their names.
const MOTIONS: [(&str, Motion); 4] = [
    ("standing", Motion::Standing),
    ("hit", Motion::Hit),
    ("moving", Motion::Moving),
    ("collapsing", Motion::Collapsing),
];

impl Scene {
    /// The scene of a name such as `wall-hit-1000`: structure, motion (standing if not given)
    /// and number of bodies; friction 0.5.
    pub fn named(name: &str) -> Option<Self> {
        let mut words = name.split('-');
        let find = |word: &str| STRUCTURES.iter().find(|(known, _)| *known == word);
        let structure = find(words.next()?)?.1;
        let mut word = words.next()?;
        let mut motion = Motion::Standing;
        if let Some((_, known)) = MOTIONS.iter().find(|(known, _)| *known == word) {
            motion = *known;
            word = words.next()?;
        }
        let bodies = word.parse().ok().filter(|n| *n > 0)?;
        let scene = Scene { structure, motion, bodies, friction: 0.5, seed: 0 };
        words.next().is_none().then_some(scene)
    }

    /// The name of the structure and its motion.
    pub fn name(&self) -> String {
        let structure = STRUCTURES.iter().find(|(_, s)| *s == self.structure).map_or("", |s| s.0);
        match MOTIONS.iter().find(|(_, m)| *m == self.motion) {
            Some((motion, m)) if *m != Motion::Standing => format!("{structure}-{motion}"),
            _ => structure.to_owned(),
        }
    }

    /// The problem.
    ///
    /// # Errors
    ///
    /// If the friction coefficient is negative or not finite.
    pub fn problem(&self) -> Result<ContactProblem, ProblemError> {
        let random = &mut Random::named(&self.name(), self.seed);
        let mut site = Site { friction: self.friction, ..Site::default() };
        match self.structure {
            Structure::Wall => site.wall(self.bodies),
            Structure::Pyramid => site.pyramid(self.bodies),
            Structure::Tower => site.towers(self.bodies),
            Structure::Arch => site.arches(self.bodies),
            Structure::Pile => site.pile(self.bodies, random),
            Structure::Chute => site.chute(self.bodies),
        }
        site.move_bodies(self.motion, random);
        let Site { bodies, contacts, .. } = site;
        ContactProblem::new(Level::Velocity, bodies, contacts, vec![], vec![])
    }
}

/// The least size whose capacity is at least this number of bodies.
fn least(bodies: usize, capacity: impl Fn(usize) -> usize) -> usize {
    (1..=bodies).find(|&size| capacity(size) >= bodies).unwrap_or(1)
}

/// A scene under construction.
#[derive(Default)]
struct Site {
    friction: f64,
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
    /// Bodies that are hit, and the direction of the hit.
    struck: Vec<(usize, DVec3)>,
    /// Direction of gravity; vertical if not given.
    down: Option<DVec3>,
}

impl Site {
    fn add_box(&mut self, sides: DVec3, at: DVec3) -> usize {
        let mass = DENSITY * sides.element_product();
        self.bodies.push(box_body(mass, sides.to_array(), at.to_array()));
        self.bodies.len() - 1
    }

    fn touch(&mut self, a: usize, b: Option<usize>, at: DVec3, normal: DVec3) {
        let law = static_law(self.friction);
        self.contacts.push(Contact::new(a, b, at.to_array(), normal.to_array(), law));
    }

    /// Four contacts at the corners of a rectangle perpendicular to the axis `normal`, given by
    /// two opposite corners.
    fn face(&mut self, a: usize, b: Option<usize>, [low, high]: [DVec3; 2], normal: DVec3) {
        let across: Vec<usize> = (0..3).filter(|&k| normal[k] == 0.0).collect();
        for pick in 0..4 {
            let mut corner = low;
            corner[across[0]] = if pick % 2 == 0 { low } else { high }[across[0]];
            corner[across[1]] = if pick < 2 { low } else { high }[across[1]];
            self.touch(a, b, corner, normal);
        }
    }

    /// Box `a` stands on box `b` or on the ground: contacts at the corners of their common
    /// face.
    fn stand(&mut self, a: usize, b: Option<usize>, sides: DVec3) {
        let centre = |body: usize| DVec3::from_array(self.bodies[body].position);
        let (top, half) = (centre(a), 0.5 * sides);
        let height = top.z - half.z;
        let [mut low, mut high] = [(top - half).with_z(height), (top + half).with_z(height)];
        if let Some(b) = b {
            low = low.max((centre(b) - half).with_z(height));
            high = high.min((centre(b) + half).with_z(height));
        }
        if (high - low).truncate().min_element() > 1e-9 {
            self.face(a, b, [low, high], DVec3::Z);
        }
    }

    fn wall(&mut self, bodies: usize) {
        let length = least(bodies, |n| n * n);
        let rows = bodies.div_ceil(length);
        let sides = DVec3::new(1.0, 0.5, 0.5);
        for row in 0..rows {
            let shift = if row % 2 == 1 { 0.5 } else { 0.0 };
            for k in 0..length {
                let at = DVec3::new(k as f64 + shift, 0.0, 0.25 + 0.5 * row as f64);
                let brick = self.add_box(sides, at);
                if row == 0 {
                    self.stand(brick, None, sides);
                } else {
                    let first = if row % 2 == 1 { k } else { k.wrapping_sub(1) };
                    for below in [first, first.wrapping_add(1)] {
                        if below < length {
                            self.stand(brick, Some((row - 1) * length + below), sides);
                        }
                    }
                }
                if k > 0 {
                    let at = at - DVec3::new(0.5, 0.0, 0.0);
                    let half = DVec3::new(0.0, 0.25, 0.25);
                    self.face(brick, Some(brick - 1), [at - half, at + half], DVec3::X);
                }
            }
        }
        let middle = rows / 2 * length + length / 2;
        self.struck = vec![(middle, DVec3::Y), ((rows - 1) * length, DVec3::X)];
    }

    fn pyramid(&mut self, bodies: usize) {
        let layers = least(bodies, |n| n * (n + 1) * (2 * n + 1) / 6);
        let mut below = 0;
        for layer in 0..layers {
            let side = layers - layer;
            let first = self.bodies.len();
            for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
                let (x, y) = (i as f64 + 0.5 * layer as f64, j as f64 + 0.5 * layer as f64);
                let cube = self.add_box(DVec3::ONE, DVec3::new(x, y, 0.5 + layer as f64));
                if layer == 0 {
                    self.stand(cube, None, DVec3::ONE);
                }
                for (di, dj) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    if layer > 0 {
                        let on = below + (i + di) * (side + 1) + j + dj;
                        self.stand(cube, Some(on), DVec3::ONE);
                    }
                }
            }
            below = first;
        }
        self.struck = vec![(self.bodies.len() / 2, DVec3::X)];
    }

    fn towers(&mut self, bodies: usize) {
        let (height, sides) = (10, DVec3::new(1.0, 1.0, 0.5));
        for k in 0..bodies {
            let (tower, level) = (k / height, k % height);
            // Columns lean left and right by a tenth.
            let lean = 0.1 * [0.0, 1.0, 0.0, -1.0][level % 4];
            let at = DVec3::new(2.0 * tower as f64 + lean, 0.0, 0.25 + 0.5 * level as f64);
            let slab = self.add_box(sides, at);
            self.stand(slab, (level > 0).then(|| slab - 1), sides);
        }
        self.struck = vec![(bodies / 2, DVec3::X)];
    }

    /// Half rings between abutments, with joints along the radii.
    fn arches(&mut self, bodies: usize) {
        /// Voussoirs per ring.
        const VOUSSOIRS: usize = 20;
        let (inner, outer, depth) = (4.0, 5.0, 1.0);
        let angle = PI / VOUSSOIRS as f64;
        let radial = |at: f64| DVec3::new(-at.cos(), 0.0, at.sin());
        for arch in 0..bodies.div_ceil(VOUSSOIRS) {
            let aside = DVec3::new(0.0, 1.5 * arch as f64, 0.0);
            for k in 0..=VOUSSOIRS {
                let joint = angle * k as f64;
                if k < VOUSSOIRS {
                    let sides = DVec3::new(angle * 0.5 * (inner + outer), depth, outer - inner);
                    let middle = radial(joint + 0.5 * angle) * 0.5 * (inner + outer);
                    self.add_box(sides, middle + aside);
                }
                // The normal points along the arch, out of the previous voussoir.
                let normal = DVec3::new(joint.sin(), 0.0, joint.cos());
                let last = self.bodies.len() - 1;
                let (a, b, normal) = match k {
                    0 => (last, None, normal),
                    VOUSSOIRS => (last, None, -normal),
                    _ => (last, Some(last - 1), normal),
                };
                for radius in [inner, outer] {
                    for y in [-0.5 * depth, 0.5 * depth] {
                        let at = radial(joint) * radius + DVec3::new(0.0, y, 0.0) + aside;
                        self.touch(a, b, at, normal);
                    }
                }
            }
        }
        self.struck = vec![(VOUSSOIRS / 2, DVec3::NEG_Z)];
    }

    /// Boxes of random sizes near the points of a lattice. Neighbours share a small square face
    /// whose normal is roughly along the line between their centres.
    fn pile(&mut self, bodies: usize, random: &mut Random) {
        let side = least(bodies, |n| n * n * n);
        for k in 0..bodies {
            let (x, y, z) = (k % side, k / side % side, k / (side * side));
            let shift = if z % 2 == 1 { 0.5 } else { 0.0 };
            let mut around = |x: f64, by: f64| x + random.uniform(-by, by);
            let at = DVec3::new(
                around(x as f64 + shift, 0.22),
                around(y as f64 + shift, 0.22),
                around(0.5 + 0.75 * z as f64, 0.15),
            );
            let sides = DVec3::new(around(0.8, 0.16), around(0.8, 0.16), around(0.8, 0.16));
            self.add_box(sides, at);
        }
        for [a, b] in self.near(1.0) {
            let [from, to] = [b, a].map(|body| DVec3::from_array(self.bodies[body].position));
            let rough = DVec3::from_array(std::array::from_fn(|_| random.uniform(-0.15, 0.15)));
            let normal = ((to - from).normalize() + rough).normalize();
            self.patch(a, Some(b), from.midpoint(to), normal, random);
        }
        for body in 0..bodies {
            let at = DVec3::from_array(self.bodies[body].position);
            if at.z < 0.7 {
                self.patch(body, None, at.with_z(0.0), DVec3::Z, random);
            }
        }
        self.struck = vec![(bodies / 2, DVec3::X)];
    }

    /// Four contacts on a circle.
    fn patch(&mut self, a: usize, b: Option<usize>, at: DVec3, normal: DVec3, random: &mut Random) {
        let (u, v) = normal.any_orthonormal_pair();
        let first = random.uniform(0.0, TAU);
        for k in 0..4 {
            let direction = DVec2::from_angle(first + TAU * f64::from(k) / 4.0);
            self.touch(a, b, at + 0.2 * (direction.x * u + direction.y * v), normal);
        }
    }

    /// Pairs of bodies whose centres are closer than this, the later one first.
    fn near(&self, distance: f64) -> Vec<[usize; 2]> {
        let cell = |at: DVec3| (at / distance).floor().to_array().map(|x| x as i64);
        let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
        let mut pairs = Vec::new();
        for (i, body) in self.bodies.iter().enumerate() {
            let at = DVec3::from_array(body.position);
            for step in 0..27 {
                let [x, y, z] = cell(at);
                let beside = [x + step % 3 - 1, y + step / 3 % 3 - 1, z + step / 9 - 1];
                for &j in cells.get(&beside).into_iter().flatten() {
                    if at.distance(DVec3::from_array(self.bodies[j].position)) < distance {
                        pairs.push([i, j]);
                    }
                }
            }
            cells.entry(cell(at)).or_default().push(i);
        }
        pairs.sort_unstable();
        pairs
    }

    /// A layer of cubes, every other row shifted by half a cube, on a plane too steep for
    /// friction to hold them. The plane is level and gravity tilted.
    fn chute(&mut self, bodies: usize) {
        let length = least(bodies, |n| n * n);
        let row_of = |row: usize, k: usize| row * length + k;
        for body in 0..bodies {
            let (row, k) = (body / length, body % length);
            let shift = if row % 2 == 1 { 0.5 } else { 0.0 };
            let at = DVec3::new(row as f64, k as f64 + shift, 0.5);
            let cube = self.add_box(DVec3::ONE, at);
            self.stand(cube, None, DVec3::ONE);
            let first = if row % 2 == 1 { k } else { k.wrapping_sub(1) };
            for behind in [first, first.wrapping_add(1)] {
                if row > 0 && behind < length {
                    let other = row_of(row - 1, behind);
                    let y = DVec3::from_array(self.bodies[other].position).y;
                    let [low, high] = [at.y.max(y) - 0.5, at.y.min(y) + 0.5];
                    let x = at.x - 0.5;
                    let face = [DVec3::new(x, low, 0.0), DVec3::new(x, high, 1.0)];
                    self.face(cube, Some(other), face, DVec3::X);
                }
            }
        }
        let slope = self.friction.atan() + 0.15;
        self.down = Some(DVec3::new(slope.sin(), 0.0, -slope.cos()));
        self.struck = vec![(bodies / 2, DVec3::Y)];
    }

    /// Gives every body its velocity plus the effect of gravity.
    fn move_bodies(&mut self, motion: Motion, random: &mut Random) {
        let down = self.down.unwrap_or(-DVec3::from_array(UP));
        let fall = GRAVITY * STEP * down;
        for (i, body) in self.bodies.iter_mut().enumerate() {
            let mut velocity = [0.0; 6];
            match motion {
                Motion::Standing => {}
                Motion::Hit => {
                    for (_, direction) in self.struck.iter().filter(|(struck, _)| *struck == i) {
                        (0..3).for_each(|k| velocity[k] += HIT * direction[k]);
                        velocity[4] += 0.5 * HIT * direction.x;
                    }
                }
                Motion::Moving => velocity = std::array::from_fn(|_| random.uniform(-0.1, 0.1)),
                Motion::Collapsing => {
                    velocity = std::array::from_fn(|_| random.uniform(-0.5, 0.5));
                    velocity[2] -= 1.0;
                }
            }
            (0..3).for_each(|k| velocity[k] += fall[k]);
            *body = body.clone().with_free_response(velocity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_scenes_with_at_least_the_given_number_of_bodies() {
        for (name, bodies, contacts) in [
            ("wall-100", 100, 1084),
            ("pyramid-hit-140", 140, 1652),
            ("tower-20", 20, 80),
            ("arch-hit-20", 20, 84),
            ("chute-moving-9", 9, 76),
        ] {
            let scene = Scene::named(name).expect(name);
            let problem = scene.problem().expect(name);
            assert_eq!(
                (problem.bodies().len(), problem.contacts().len()),
                (bodies, contacts),
                "{name}"
            );
            assert!(name.starts_with(&scene.name()), "{name}");
        }
        let pile = Scene::named("pile-collapsing-64").expect("known").problem().expect("valid");
        assert_eq!(pile.bodies().len(), 64);
        assert!(pile.contacts().len() > 250, "{}", pile.contacts().len());
        for bad in ["wall", "wall-0", "wall-hit", "hall-3", "wall-hit-3-4", "wall-flying-3"] {
            assert_eq!(Scene::named(bad), None, "{bad}");
        }
    }
}
