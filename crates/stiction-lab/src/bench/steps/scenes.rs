//! The scenes, all as TOML: those of a few kinds of bodies as they are, structures written out.

use crate::bench::draw::Draw;
use std::f64::consts::PI;
use std::fmt::Write as _;
use stiction::scene::StepperKind;

/// A scene of the table.
pub struct Case {
    pub name: &'static str,
    /// It as TOML.
    pub text: fn() -> String,
    pub stepper: StepperKind,
    /// Step of time-stepping, time between frames of event-driven (s).
    pub dt: f64,
    /// Simulated time (s).
    pub until: f64,
}

/// The step of the scenes that other engines are measured on as well (s).
const DT: f64 = 1.0 / 240.0;

const fn stepped(name: &'static str, text: fn() -> String, until: f64) -> Case {
    Case { name, text, stepper: StepperKind::TimeStepping, dt: DT, until }
}

const fn driven(name: &'static str, text: fn() -> String, dt: f64, until: f64) -> Case {
    Case { name, text, stepper: StepperKind::EventDriven, dt, until }
}

/// All of them, in the order of the table.
pub const CASES: &[Case] = &[
    stepped("chain", || include_str!("chain.toml").into(), 5.0),
    stepped("dominoes", || include_str!("dominoes.toml").into(), 8.0),
    driven("dominoes-event", || include_str!("dominoes.toml").into(), DT, 8.0),
    stepped("pile-100-early", || pile(100, 4), 0.5),
    stepped("pile-100", || pile(100, 4), 3.0),
    stepped("pile-1000-early", || pile(1000, 8), 0.5),
    stepped("arch-falls", arch, 3.0),
    stepped("wall-104", || wall(9, 11, ""), 2.0),
    stepped("wall-1012", || wall(40, 25, ""), 2.0),
    stepped("wall-104-hit", || wall(9, 11, BALL), 0.5),
    stepped("wall-1012-hit", || wall(40, 25, BALL), 0.25),
    Case { dt: 0.005, ..stepped("feeder", feeder, 10.0) },
    Case { dt: 0.005, ..stepped("jack", jack, 6.0) },
    driven("jack-event", jack, 0.005, 6.0),
    stepped("ragdoll", || include_str!("ragdoll.toml").into(), 2.0),
    stepped("gripper", || include_str!("gripper.toml").into(), 2.5),
    stepped("conveyor", || include_str!("conveyor.toml").into(), 2.0),
    stepped("hopper", hopper, 1.0),
];

fn feeder() -> String {
    include_str!("../../../scenes/baraff1994/fig01_block_feeder.toml").into()
}

fn jack() -> String {
    include_str!("../../../scenes/baraff1994/fig02_jack.toml").into()
}

/// What strikes a wall, at the end of its text: 20 kg at 8 m/s, half-way up.
const BALL: &str = "
[[body]]
name = \"ball\"
ball = 0.15
at = [0.03, -0.3, 1.13]
mass = 20
velocity = [0, 8, 0]
";

/// The head of a scene: its friction and the ground.
fn head(title: &str, friction: f64) -> String {
    format!(
        "title = \"{title}\"\n\n[[material]]\nname = \"default\"\nfriction = {friction}\n\n\
         [[body]]\nname = \"ground\"\nground = true\n"
    )
}

fn fixed_box(text: &mut String, name: &str, edges: [f64; 3], at: [f64; 3], turn: &str) {
    let _ = write!(
        text,
        "\n[[body]]\nname = \"{name}\"\nbox = {edges:?}\nat = {at:?}\nfixed = true\n{turn}"
    );
}

/// Four walls around a square bin of this half width.
fn bin(text: &mut String, half: f64) {
    let (thick, high) = (1.0, 40.0);
    let (off, long) = (half + 0.5 * thick, 2.0 * half + 2.0);
    for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
        let x = [sign * off, 0.0, 0.5 * high];
        let y = [0.0, sign * off, 0.5 * high];
        fixed_box(text, &format!("wall{k}"), [thick, long, high], x, "");
        fixed_box(text, &format!("wall{}", k + 2), [long, thick, high], y, "");
    }
}

/// Boxes of 20 cm in any orientation fall into a bin, from a loose lattice as `wide` as that.
fn pile(count: usize, wide: usize) -> String {
    let mut text = head(&format!("Pile of {count} boxes"), 0.5);
    let mut draw = Draw::new("pile", 7, count as u64);
    let pitch = 0.36;
    bin(&mut text, 0.5 * pitch * wide as f64 + 0.05);
    let middle = 0.5 * (wide - 1) as f64;
    for k in 0..count {
        let (layer, rest) = (k / (wide * wide), k % (wide * wide));
        let (row, column) = (rest / wide, rest % wide);
        let x = (row as f64 - middle) * pitch;
        let y = (column as f64 - middle) * pitch;
        let z = 0.3 + 0.36 * layer as f64;
        let (axis, angle) = (draw.direction(), draw.uniform(0.0, 180.0));
        let _ = write!(
            text,
            "\n[[body]]\nname = \"box{k}\"\nbox = [0.2, 0.2, 0.2]\nmass = 1\nat = [{x}, {y}, {z}]\n\
             turn_deg = {{ axis = {axis:?}, angle = {angle} }}\n"
        );
    }
    text
}

/// Bricks of 40 × 20 × 20 cm in running bond with head joints of 1 mm; half bricks close every
/// second course.
fn wall(wide: usize, courses: usize, more: &str) -> String {
    let (length, height, joint) = (0.4, 0.2, 1e-3);
    let pitch = length + joint;
    let half = 0.5 * pitch - joint;
    let mut text = head("Wall in running bond", 0.6);
    let left = -0.5 * (wide - 1) as f64 * pitch;
    for course in 0..courses {
        let mut brick = |k: usize, x: f64, long: f64| {
            let (z, mass) = ((course as f64 + 0.5) * height, long / length);
            let _ = write!(
                text,
                "\n[[body]]\nname = \"brick{course}.{k}\"\nbox = [{long}, 0.2, {height}]\n\
                 at = [{x}, 0, {z}]\nmass = {mass}\n"
            );
        };
        if course % 2 == 0 {
            (0..wide).for_each(|k| brick(k, left + k as f64 * pitch, length));
        } else {
            let end = left - 0.5 * length + 0.5 * half;
            brick(0, end, half);
            (1..wide).for_each(|k| brick(k, left + (k as f64 - 0.5) * pitch, length));
            brick(wide, -end, half);
        }
    }
    text + more
}

/// A semicircular arch of 17 stones, at 0.98 of the least thickness at which it stands with a
/// friction of 0.8 (limit analysis of the same stones).
fn arch() -> String {
    const STONES: usize = 17;
    const THICKNESS: f64 = 0.103_353_262_877_547_8;
    let mut text = head("Arch that falls", 0.8);
    let at = |radius: f64, k: usize| {
        let angle = PI * k as f64 / STONES as f64;
        [radius * angle.cos(), radius * angle.sin()]
    };
    let (inner, outer) = (1.0 - 0.5 * THICKNESS, 1.0 + 0.5 * THICKNESS);
    for k in 0..STONES {
        let corners = [at(inner, k), at(outer, k), at(outer, k + 1), at(inner, k + 1)];
        let _ = write!(
            text,
            "\n[[body]]\nname = \"stone{k}\"\npolygon = {corners:?}\ndepth = 0.4\ndensity = 1000\n"
        );
    }
    text
}

/// Balls of 6 cm run out of a funnel of four plates into a bin.
fn hopper() -> String {
    let mut text = head("Hopper with 500 balls", 0.3);
    let mut draw = Draw::new("hopper", 7, 500);
    bin(&mut text, 0.6);
    for (k, [x, y]) in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]].into_iter().enumerate() {
        let turn = format!("turn_deg = {{ axis = [{}, {x}, 0], angle = -50 }}\n", -y);
        let edges = if x == 0.0 { [1.2, 0.8, 0.02] } else { [0.8, 1.2, 0.02] };
        let name = format!("plate{k}");
        fixed_box(&mut text, &name, edges, [0.36 * x, 0.36 * y, 1.0], &turn);
    }
    for k in 0..500 {
        let (layer, row, column) = (k / 49, k % 49 / 7, k % 7);
        let mut near =
            |cell: usize, middle: f64| 0.066 * (cell as f64 - middle) + draw.uniform(-0.002, 0.002);
        let (x, y, z) = (near(row, 3.0), near(column, 3.0), 1.22 + near(layer, 0.0));
        let _ = write!(
            text,
            "\n[[body]]\nname = \"ball{k}\"\nball = 0.03\ndensity = 2000\nat = [{x}, {y}, {z}]\n"
        );
    }
    text
}
