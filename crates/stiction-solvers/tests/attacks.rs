//! Wrong answers made by hand to deceive the judge: none is certified.
//!
//! Each body of 1 kg rests on a floor, or should. The answer leaves out a known part of its
//! weight, or turns, adds or drops a force, and hides that behind something large: squeezing
//! forces, drives that push nothing, neighbours, speed, units.

use stiction_solvers::judge::{judge, judge_in, judge_matrix, judge_ray};
use stiction_solvers::{
    Body, BoundedRow, Contact, ContactForce, ContactProblem, Forces, Friction, Level,
    MatrixProblem, Row, Triplets, judge::Cone,
};

const G: f64 = 9.81;
const UP: [f64; 3] = [0.0, 0.0, 1.0];
const RIGHT: [f64; 3] = [1.0, 0.0, 0.0];
const LEFT: [f64; 3] = [-1.0, 0.0, 0.0];
const BACK: [f64; 3] = [0.0, 1.0, 0.0];

/// Far more than any body here weighs.
const SQUEEZE: f64 = 1e12;

fn diagonal(x: f64) -> [[f64; 3]; 3] {
    [[x, 0.0, 0.0], [0.0, x, 0.0], [0.0, 0.0, x]]
}

/// A body of this mass with its centre at `position`, with this free motion.
fn moving(mass: f64, position: [f64; 3], free: [f64; 6]) -> Body {
    Body::rigid(mass, diagonal(0.1 * mass), position).with_free_response(free)
}

/// One under gravity, pushed sideways.
fn pushed(mass: f64, position: [f64; 3], side: f64) -> Body {
    moving(mass, position, [side, 0.0, -G, 0.0, 0.0, 0.0])
}

fn block() -> Body {
    pushed(1.0, [0.0, 0.0, 0.5], 0.0)
}

/// A contact with the fixed world.
fn contact(point: [f64; 3], normal: [f64; 3], friction: f64) -> Contact {
    between(0, None, point, normal, friction)
}

fn between(
    a: usize,
    b: Option<usize>,
    point: [f64; 3],
    normal: [f64; 3],
    friction: f64,
) -> Contact {
    Contact::new(a, b, point, normal, Friction::Static { friction })
}

fn floor() -> Contact {
    contact([0.0; 3], UP, 0.5)
}

/// Two smooth walls, left and right of the block, at the height of its centre.
fn walls() -> [Contact; 2] {
    [contact([-0.5, 0.0, 0.5], RIGHT, 0.0), contact([0.5, 0.0, 0.5], LEFT, 0.0)]
}

fn motor(on_a: [f64; 6], bias: f64, (lower, upper): (f64, f64)) -> BoundedRow {
    BoundedRow { row: Row { a: 0, on_a, b: None, on_b: [0.0; 6], bias }, lower, upper }
}

fn normal(normal: f64) -> ContactForce {
    ContactForce { normal, friction: [0.0; 3] }
}

fn rubbing(normal: f64, x: f64, y: f64) -> ContactForce {
    ContactForce { normal, friction: [x, y, 0.0] }
}

/// A problem and an answer to it.
struct Attack {
    level: Level,
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
    bilateral: Vec<Row>,
    bounded: Vec<BoundedRow>,
    answer: Forces,
}

impl Attack {
    fn new(bodies: Vec<Body>, contacts: Vec<Contact>, answer: Vec<ContactForce>) -> Self {
        let answer = Forces { contacts: answer, bilateral: vec![], bounded: vec![] };
        let (bilateral, bounded) = (vec![], vec![]);
        Attack { level: Level::Acceleration, bodies, contacts, bilateral, bounded, answer }
    }

    /// The block between walls that squeeze it, on a floor that carries `carried` of it, beside
    /// something else.
    fn squeezed(carried: f64, others: Vec<Body>, contacts: Vec<Contact>, more: &[f64]) -> Self {
        let mut forces = vec![normal(G * carried), normal(SQUEEZE), normal(SQUEEZE)];
        forces.extend(more.iter().map(|&f| normal(f)));
        let bodies = [vec![block()], others].concat();
        Self::new(bodies, [vec![floor()], walls().to_vec(), contacts].concat(), forces)
    }

    fn at(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    fn driven(mut self, row: BoundedRow, force: f64) -> Self {
        self.bounded.push(row);
        self.answer.bounded.push(force);
        self
    }

    fn joined(mut self, on_a: [f64; 6], bias: f64, force: f64) -> Self {
        self.bilateral.push(Row { a: 0, on_a, b: None, on_b: [0.0; 6], bias });
        self.answer.bilateral.push(force);
        self
    }

    fn problem(&self) -> ContactProblem {
        let (bilateral, bounded) = (self.bilateral.clone(), self.bounded.clone());
        let contacts = self.contacts.clone();
        ContactProblem::new(self.level, self.bodies.clone(), contacts, bilateral, bounded)
            .expect("valid")
    }

    fn is_refused(&self, name: &str) {
        let certificate = judge(&self.problem(), &self.answer);
        assert!(!certificate.is_certified(), "{name} was certified:\n{certificate}");
        assert!(certificate.reason.is_some(), "{name} was refused without a reason");
    }
}

/// The same answers without their fault are certified: the attacks fail for the right reason.
#[test]
fn without_a_fault_they_are_certified() {
    let right = [
        ("squeezed", Attack::squeezed(1.0, vec![], vec![], &[])),
        ("weak motor", weak_motor(1.0)),
        ("conveyor", smooth_conveyor(1.0)),
        ("falling anvil", beside_an_anvil(1.0, 1e12, false)),
        ("resting anvil", beside_an_anvil(1.0, 1e12, true)),
        ("feather", feather(1.0)),
        ("fast conveyor", on_a_conveyor(1.0, 1.0)),
    ];
    for (name, attack) in &right {
        let certificate = judge(&attack.problem(), &attack.answer);
        assert!(certificate.is_certified(), "{name}:\n{certificate}");
    }
}

/// A motor with a huge target and next to no force.
fn weak_motor(carried: f64) -> Attack {
    Attack::squeezed(carried, vec![], vec![], &[])
        .driven(motor([0.0, 1.0, 0.0, 0.0, 0.0, 0.0], -1e12, (0.0, 1e-12)), 1e-12)
}

/// A smooth wall behind the block that moves with this velocity.
fn moving_wall(carried: f64, velocity: [f64; 3]) -> Attack {
    let [x, y, z] = velocity;
    let wall = Body::fixed([0.0, 1.0, 0.0]).with_free_response([x, y, z, 0.0, 0.0, 0.0]);
    let touch = between(0, Some(1), [0.0, 0.5, 0.5], [0.0, -1.0, 0.0], 0.0);
    Attack::squeezed(carried, vec![wall], vec![touch], &[0.0])
}

fn smooth_conveyor(carried: f64) -> Attack {
    moving_wall(carried, [0.0, 0.0, 1e12])
}

/// Drives that push nothing, and squeezing: each alone is nothing, and so are both together.
#[test]
fn powerless_drives_hide_nothing() {
    for part in [0.5, 1e-3, 1e-5, 1e-6] {
        let carried = 1.0 - part;
        let away = contact([0.0, 0.5, 0.5], BACK, 0.0).with_bias([0.0, 1e12, 0.0]);
        let powerless = motor([0.0, 1.0, 0.0, 0.0, 0.0, 0.0], -1e12, (0.0, 0.0));
        let squeezed = || Attack::squeezed(carried, vec![], vec![], &[]);
        squeezed().is_refused("squeezing");
        squeezed().driven(powerless, 0.0).is_refused("a powerless motor");
        weak_motor(carried).is_refused("a weak motor");
        Attack::squeezed(carried, vec![], vec![away], &[0.0]).is_refused("an open contact");
        smooth_conveyor(carried).is_refused("a smooth conveyor");
        moving_wall(carried, [0.0, 1e12, 0.0]).is_refused("a wall that leaves");
    }
}

/// An anvil beside the block, with no force between them: it falls, or rests on the floor.
fn beside_an_anvil(carried: f64, mass: f64, rests: bool) -> Attack {
    let anvil = pushed(mass, [0.0, 2.0, 0.5], 0.0);
    let mut contacts = vec![between(1, Some(0), [0.0, 1.0, 0.5], BACK, 0.0)];
    let mut forces = vec![0.0];
    if rests {
        contacts.push(between(1, None, [0.0, 2.0, 0.0], UP, 0.5));
        forces.push(G * mass);
    }
    Attack::squeezed(carried, vec![anvil], contacts, &forces)
}

/// A feather between walls and beside an anvil that rests: what the anvil carries moves no
/// feather.
fn feather(carried: f64) -> Attack {
    let mass = 1e-9;
    let anvil = pushed(1e6, [0.0, 2.0, 0.5], 0.0);
    let touch = between(1, Some(0), [0.0, 1.0, 0.5], BACK, 0.0);
    let base = between(1, None, [0.0, 2.0, 0.0], UP, 0.5);
    let contacts = [vec![floor()], walls().to_vec(), vec![touch, base]].concat();
    let forces = [G * mass * carried, SQUEEZE, SQUEEZE, 0.0, 1e6 * G].map(normal).to_vec();
    Attack::new(vec![pushed(mass, [0.0, 0.0, 0.5], 0.0), anvil], contacts, forces)
}

#[test]
fn heavy_neighbours_hide_nothing() {
    for part in [1e-3, 1e-6, 3e-7] {
        for (mass, rests) in [(1e6, false), (1e6, true), (1e12, false), (1e12, true)] {
            let attack = beside_an_anvil(1.0 - part, mass, rests);
            attack.is_refused(&format!("an anvil of {mass:e} kg, {part:e} missing"));
        }
        feather(1.0 - part).is_refused("a feather");
    }
}

/// A block dragged by a conveyor at 100 m/s.
fn on_a_conveyor(carried: f64, rubbed: f64) -> Attack {
    let step = 0.01;
    let block = moving(1.0, [0.0, 0.0, 0.5], [0.0, 0.0, -G * step, 0.0, 0.0, 0.0]);
    let belt = Body::fixed([0.0, 0.0, -1.0]).with_free_response([100.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let touch = between(0, Some(1), [0.0, 0.0, 0.5], UP, 0.5);
    let push = G * step;
    let force = rubbing(push * carried, 0.5 * push * rubbed, 0.0);
    Attack::new(vec![block, belt], vec![touch], vec![force]).at(Level::Velocity)
}

#[test]
fn speed_hides_nothing() {
    on_a_conveyor(1.0, 0.0).is_refused("no friction on a fast conveyor");
    on_a_conveyor(1.0, 1.0 - 1e-5).is_refused("friction short on a fast conveyor");
    on_a_conveyor(1.0 - 1e-5, 1.0 - 1e-5).is_refused("sinking into a fast conveyor");
    let step = 0.01;
    let fast = |mass, z| moving(mass, [0.0, 0.0, z], [100.0, 0.0, -G * step, 0.0, 0.0, 0.0]);
    let contacts = vec![between(0, Some(1), UP, UP, 0.5), between(1, None, [0.0; 3], UP, 0.0)];
    for part in [1e-2, 1e-5] {
        let forces = vec![normal(G * step * (1.0 - part)), normal(11.0 * G * step)];
        let train = Attack::new(vec![fast(1.0, 1.5), fast(10.0, 0.5)], contacts.clone(), forces);
        train.at(Level::Velocity).is_refused("a load sinks into a fast train");
    }
}

#[test]
fn friction_obeys_its_law() {
    let slides = |friction, force| {
        let touch = contact([0.0, 0.0, 0.5], UP, friction);
        Attack::new(vec![pushed(1.0, [0.0, 0.0, 0.5], 20.0)], vec![touch], vec![force])
    };
    let limit = 0.5 * G;
    slides(0.5, rubbing(G, limit, 0.0)).is_refused("along the slip");
    slides(0.5, rubbing(G, 0.0, 0.0)).is_refused("missing");
    slides(0.5, rubbing(G, -limit * (1.0 + 1e-6), 0.0)).is_refused("beyond the cone");
    slides(0.5, rubbing(G, -limit * (1.0 - 1e-6), 0.0)).is_refused("short of the cone");
    slides(1e3, rubbing(G, -20.0 + 1e-5, 0.0)).is_refused("a rough contact slips");
    slides(1e3, rubbing(-1e-5, -20.0, 0.0)).is_refused("a rough contact pulls");
    slides(0.0, rubbing(G, -20.0, 0.0)).is_refused("friction without a coefficient");
    let leaning = ContactForce { normal: G - 1e-3, friction: [-limit, 0.0, 1.1e-3] };
    slides(0.5, leaning).is_refused("friction with a normal part");

    let one = |touch: Contact, force| Attack::new(vec![block()], vec![touch], vec![force]);
    let sliding = Friction::Sliding { friction: 0.5, direction: RIGHT };
    let tied = || Contact::new(0, None, [0.0, 0.0, 0.5], UP, sliding);
    one(tied(), rubbing(G, 0.0, -limit)).is_refused("sliding friction turned");
    one(tied(), rubbing(G, -limit * (1.0 - 1e-6), 0.0)).is_refused("sliding friction short");
    let planar = contact([0.0, 0.0, 0.5], UP, 0.5).planar(RIGHT);
    one(planar, rubbing(G, 0.0, -1e-5)).is_refused("friction off the line");
    let two = Friction::Coulomb { static_friction: 0.6, dynamic_friction: 0.3 };
    let touch = Contact::new(0, None, [0.0, 0.0, 0.5], UP, two);
    let slip = moving(1.0, [0.0, 0.0, 0.5], [5.0, 0.0, -G, 0.0, 0.0, 0.0]);
    Attack::new(vec![slip], vec![touch], vec![rubbing(G / 2.0, -0.3 * G, 0.0)])
        .is_refused("slip at the static limit");
}

/// Small and large units, from a force of the smallest numbers on.
#[test]
fn units_and_sizes_hide_nothing() {
    for unit in [1e-300, 1e-12, 1e-9, 1e6, 1e12, 1e150] {
        let body = |free: f64| moving(1.0, [0.0, 0.0, 0.5], [0.0, 0.0, free * unit, 0.0, 0.0, 0.0]);
        for level in [Level::Acceleration, Level::Velocity, Level::Impact, Level::FirstOrder] {
            let one = |free: f64, force: f64| {
                let forces = vec![normal(force * unit)];
                Attack::new(vec![body(free)], vec![floor()], forces).at(level)
            };
            one(-1.0, 1.0 - 1e-6).is_refused("it sinks");
            one(-1.0, 1.0 + 1e-6).is_refused("it is thrown up");
            one(-1.0, 0.0).is_refused("nothing holds it");
            one(1.0, 1e-6).is_refused("pushed while it leaves");
            one(1.0, -1.0).is_refused("glued");
        }
    }
    for huge in [1e300, f64::MAX] {
        let mut attack = Attack::squeezed(0.5, vec![], vec![], &[]);
        attack.answer.contacts[1].normal = huge;
        attack.answer.contacts[2].normal = huge;
        attack.is_refused("forces that overflow");
    }
    let feet = |x: f64| contact([x, 0.0, 0.0], UP, 0.5);
    let tips = vec![normal(G * (0.5 + 1e-6)), normal(G * (0.5 - 1e-6))];
    Attack::new(vec![block()], vec![feet(-1.0), feet(1.0)], tips).is_refused("it tips over");
}

#[test]
fn rows_obey_their_laws() {
    let up = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let hung = || Attack::new(vec![block()], vec![], vec![]);
    let limited = |(lower, upper), force| hung().driven(motor(up, 0.0, (lower, upper)), force);
    hung().joined(up, 0.0, G * (1.0 - 1e-6)).is_refused("a joint drifts");
    limited((0.0, 5.0), 5.0 + 1e-5).is_refused("a motor beyond its bound");
    limited((0.0, 5.0), 5.0 - 1e-5).is_refused("a motor short of its bound");
    limited((-3.0, 5.0), -3.0).is_refused("a motor at the wrong bound");
    limited((5.0, 5.0), 5.0 + 1e-5).is_refused("a given force that is another");
    limited((-1e15, 1e15), G - 1e-3).is_refused("a motor that could do more");
    let down = up.map(|x| -x);
    let squeezed = hung().joined(up, 0.0, SQUEEZE + G * (1.0 - 1e-3)).joined(down, 0.0, SQUEEZE);
    squeezed.is_refused("redundant joints squeeze");
    let sinks = Attack::new(vec![block()], vec![floor()], vec![normal(G * (1.0 - 1e-4))]);
    let across = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    sinks.joined(across, -1e9, 1e9).is_refused("a joint with a huge target beside");
}

#[test]
fn pyramids_hide_nothing() {
    let body = moving(1.0, [0.0, 0.0, 0.5], [20.0, 7.0, -G, 0.0, 0.0, 0.0]);
    let touch = contact([0.0, 0.0, 0.5], UP, 0.5);
    let limit = 0.5 * G;
    for directions in [4, 8] {
        for force in [
            rubbing(G, limit, 0.0),
            rubbing(G, -limit, -limit),
            rubbing(G * (1.0 - 1e-5), -limit * (1.0 - 1e-5), 0.0),
        ] {
            let attack = Attack::new(vec![body.clone()], vec![touch.clone()], vec![force]);
            let cone = Cone::Pyramid { directions };
            let certificate = judge_in(&attack.problem(), &attack.answer, cone);
            assert!(!certificate.is_certified(), "{force:?} on {directions}:\n{certificate}");
        }
    }
}

/// Directions that are no impulses: they pull, leave their cones, drive into a contact that does
/// nothing, separate where they act, move nothing, or use a motor that has no such force.
#[test]
fn invalid_impulses_are_refused() {
    let touches = || vec![floor(), walls()[0].clone(), walls()[1].clone()];
    let ray = |forces: Vec<ContactForce>| Attack::new(vec![block()], touches(), forces);
    let cases = [
        ("it pulls", ray(vec![normal(-1.0), normal(0.0), normal(0.0)])),
        ("it separates", ray(vec![normal(1.0), normal(0.0), normal(0.0)])),
        ("it leaves its cone", ray(vec![rubbing(1.0, 0.6, 0.0), normal(0.0), normal(0.0)])),
        ("it drives into a wall", ray(vec![normal(0.0), normal(1.0), normal(0.0)])),
        ("it squeezes", ray(vec![normal(0.0), normal(1.0), normal(1.0)])),
        ("it is nothing", ray(vec![normal(0.0), normal(0.0), normal(0.0)])),
        ("it is not a number", ray(vec![normal(f64::NAN), normal(0.0), normal(0.0)])),
        (
            "a motor with bounds",
            ray(vec![normal(0.0); 3])
                .driven(motor([0.0, 0.0, -1.0, 0.0, 0.0, 0.0], 0.0, (0.0, 5.0)), 1.0),
        ),
    ];
    for (name, attack) in &cases {
        let verdict = judge_ray(&attack.problem(), &attack.answer);
        assert!(!verdict.certified, "{name}: {verdict:?}");
    }
}

/// The block of 1 kg between tilted walls and beside a contact that leaves fast, as a matrix:
/// contacts of directions `n`, `W = n nᵀ`, planar.
#[test]
fn squeezing_hides_nothing_in_a_matrix() {
    let tilted = (0.8, 0.6);
    let normals = [(0.0, 1.0), tilted, (-tilted.0, -tilted.1), (0.6, 0.8)];
    let axes = normals.map(|(x, z)| [(x, z), (z, -x)]);
    let axes: Vec<(f64, f64)> = axes.into_iter().flatten().collect();
    let mut w = Triplets { rows: 8, columns: 8, entries: vec![] };
    for (i, p) in axes.iter().enumerate() {
        for (j, q) in axes.iter().enumerate() {
            w.entries.push((i, j, p.0 * q.0 + p.1 * q.1));
        }
    }
    let of = |leaving: f64, unit: f64, carried: f64, squeeze: f64| {
        let mut q: Vec<f64> = axes.iter().map(|(_, z)| -G * z * unit).collect();
        q[6] = leaving * unit;
        let mut w = w.clone();
        w.entries.iter_mut().for_each(|entry| entry.2 *= unit);
        let problem = MatrixProblem::new(2, &w, q, vec![0.0; 4]).expect("valid");
        let force = [G * carried, 0.0, squeeze, 0.0, squeeze, 0.0, 0.0, 0.0];
        judge_matrix(&problem, &force)
    };
    for unit in [1e-12, 1.0, 1e9] {
        for leaving in [1.0, 1e6, 1e12] {
            assert!(of(leaving, unit, 1.0, 0.0).is_certified(), "{}", of(leaving, unit, 1.0, 0.0));
            for squeeze in [0.0, 1e3, 1e9] {
                for part in [1e-2, 1e-6] {
                    let certificate = of(leaving, unit, 1.0 - part, squeeze);
                    assert!(!certificate.is_certified(), "{part:e} missing:\n{certificate}");
                }
            }
        }
    }
}
