//! Random scenes, as TOML text.
//!
//! | arrangement | what |
//! | --- | --- |
//! | scattered | bodies in the air that fly at each other |
//! | resting | bodies side by side on the ground, some with others on top, some pushed |
//! | jointed | a chain or a tree of bodies, held by joints of all kinds, motors, limits, springs |
//! | shot | a fast body at a thin plate |
//! | landing | bodies that fall on a fixed mesh or height field |
//! | driven | a driven plate below or beside bodies |
//!
//! Some starts are impossible on purpose: bodies inside each other, joints that contradict their anchors or
//! each other.

use super::body::{Body, Kind};
use super::draw::Draw;
use super::joints;
use std::fmt::Write as _;

/// A scene and the mesh files beside it.
pub struct Generated {
    pub text: String,
    /// Name and contents.
    pub files: Vec<(String, String)>,
}

/// What is decided before any body is placed.
#[derive(Clone, Copy)]
pub struct Setting {
    pub planar: bool,
    pub gravity: f64,
    /// Whether masses differ by up to 1e9.
    pub extreme: bool,
}

/// A scene under construction.
pub struct Plot {
    pub setting: Setting,
    pub bodies: Vec<Body>,
    /// Joints and springs, as text.
    pub links: String,
    pub ground: bool,
    pub files: Vec<(String, String)>,
}

/// Part of the scenes in which one body is put into another.
const INSIDE: f64 = 0.04;

/// The scene of a number.
pub fn generate(seed: u64, number: u64) -> Generated {
    let draw = &mut Draw::new("worlds", seed, number);
    let planar = draw.chance(0.2);
    let gravity = if draw.chance(0.7) { 9.81 } else { 0.0 };
    let setting = Setting { planar, gravity, extreme: draw.chance(0.15) };
    let mut plot = Plot {
        setting,
        bodies: Vec::new(),
        links: String::new(),
        ground: false,
        files: Vec::new(),
    };
    let arrange = [scatter, rest, rest, joints::connect, joints::connect, shoot, land, push];
    draw.pick::<fn(&mut Plot, &mut Draw)>(&arrange)(&mut plot, draw);
    if plot.bodies.len() > 1 && draw.chance(INSIDE) {
        let [from, to] = [0, plot.bodies.len() - 1];
        let off = plot.vector(draw, 0.3 * plot.bodies[from].radius);
        plot.bodies[to].at = std::array::from_fn(|k| plot.bodies[from].at[k] + off[k]);
    }
    let text = plot.text(draw, number, seed);
    Generated { text, files: plot.files }
}

/// Bodies around the first one, some of which fly at it.
fn scatter(plot: &mut Plot, draw: &mut Draw) {
    plot.ground = plot.setting.gravity > 0.0 && draw.chance(0.7);
    let count = draw.count(1, 8);
    for k in 0..count {
        let kind = Kind::any(draw);
        let mut body = Body::draw(draw, plot.setting, kind, k);
        body.turn(draw, plot.setting);
        let start = if plot.ground { 1.05 * body.radius + draw.uniform(0.0, 0.3) } else { 0.0 };
        body.at = [0.0, 0.0, start];
        for _ in 0..50 {
            if plot.has_room(&body) {
                break;
            }
            let middle = plot.bodies[draw.count(0, k - 1)].at;
            let off = plot.vector(draw, 0.5);
            body.at = std::array::from_fn(|i| middle[i] + off[i]);
            body.at[2] = if plot.ground { body.at[2].max(start) } else { body.at[2] };
        }
        if !plot.has_room(&body) {
            break;
        }
        let speed = draw.pick(&[0.0, 1.0, 10.0, 100.0]) * draw.uniform(0.0, 1.0);
        let aim = plot.vector(draw, 0.2);
        body.velocity = unit_towards(body.at, aim).map(|x| x * speed);
        body.spin(draw, plot.setting);
        plot.bodies.push(body);
    }
}

/// Columns of bodies at rest on the ground, and what pushes them.
fn rest(plot: &mut Plot, draw: &mut Draw) {
    (plot.ground, plot.setting.gravity) = (true, 9.81);
    let columns = draw.count(1, 4);
    let mut x = 0.0;
    for _ in 0..columns {
        let (mut top, mut widest) = (0.0, 0.0_f64);
        let mut column = Vec::new();
        for _ in 0..draw.count(1, if columns > 2 { 2 } else { 4 }) {
            let number = plot.bodies.len() + column.len();
            let kind = Kind::any(draw);
            let mut body = Body::draw(draw, plot.setting, kind, number);
            let low = body.lay(plot.setting);
            body.at = [0.0, 0.0, top + low];
            top += 2.0 * low;
            widest = widest.max(body.radius);
            let ends = !body.has_flat_top();
            column.push(body);
            if ends {
                break;
            }
        }
        let slide = if draw.chance(0.5) { plot.vector(draw, 2.0) } else { [0.0; 3] };
        x += widest;
        for body in &mut column {
            body.at[0] = x;
            body.velocity = [slide[0], slide[1], 0.0];
            if draw.chance(0.2) {
                body.force = plot.vector(draw, 3.0 * body.mass.unwrap_or(1.0));
            }
        }
        x += widest * draw.pick(&[1.0, 1.0 + 1e-9, 1.2]);
        plot.bodies.extend(column);
    }
}

/// A small fast body at a thin plate, free or fixed.
fn shoot(plot: &mut Plot, draw: &mut Draw) {
    plot.setting.gravity *= draw.pick(&[0.0, 1.0]);
    let mut plate = Body::draw(draw, plot.setting, Kind::Plate, 0);
    plate.fixed = draw.chance(0.5);
    plot.bodies.push(plate);
    for k in 1..=draw.count(1, 3) {
        let kind = Kind::any(draw);
        let mut bullet = Body::draw(draw, plot.setting, kind, k);
        bullet.turn(draw, plot.setting);
        bullet.at = [draw.uniform(-0.2, 0.2), 0.0, 0.6 + 0.9 * k as f64];
        let speed = draw.decades(0.5, 2.0);
        let side = plot.vector(draw, 0.1);
        bullet.velocity = [side[0] * speed, side[1] * speed, -speed];
        bullet.spin(draw, plot.setting);
        plot.bodies.push(bullet);
    }
}

/// Bodies that fall on a surface.
fn land(plot: &mut Plot, draw: &mut Draw) {
    plot.setting = Setting { planar: false, gravity: 9.81, ..plot.setting };
    let kind = if draw.chance(0.5) { Kind::Heights } else { Kind::Mesh };
    let mut surface = Body::draw(draw, plot.setting, kind, 0);
    surface.fixed = true;
    plot.files.extend(surface.file.take());
    plot.bodies.push(surface);
    for k in 1..=draw.count(1, 4) {
        let kind = if draw.chance(0.15) { Kind::Mesh } else { Kind::any(draw) };
        let mut body = Body::draw(draw, plot.setting, kind, k);
        plot.files.extend(body.file.take());
        body.turn(draw, plot.setting);
        let side = [draw.uniform(-0.3, 0.3), draw.uniform(-0.3, 0.3)];
        let before = plot.bodies.last().map_or(0.0, |body| body.at[2] + body.radius);
        body.at = [side[0], side[1], before + body.radius + draw.decades(-3.0, -1.0)];
        body.velocity = [0.0, 0.0, -draw.pick(&[0.0, 1.0, 10.0, 50.0])];
        body.spin(draw, plot.setting);
        plot.bodies.push(body);
    }
}

/// Bodies on the ground, or in the air, and a driven plate that comes at them.
fn push(plot: &mut Plot, draw: &mut Draw) {
    rest(plot, draw);
    let mut plate = Body::draw(draw, plot.setting, Kind::Plate, plot.bodies.len());
    let across =
        if plot.setting.planar { ([0.0, 1.0, 0.0], 90.0) } else { ([0.0, 1.0, 0.0], 80.0) };
    plate.turned = Some(across);
    plate.at = [-plate.radius - 0.1, 0.0, 1.1 * plate.radius];
    let function = match draw.count(0, 2) {
        0 => format!("{{ linear = {{ rate = {:?} }} }}", draw.uniform(0.1, 5.0)),
        1 => {
            let (amplitude, frequency) = (draw.uniform(0.05, 0.5), draw.uniform(0.5, 3.0));
            format!("{{ sine = {{ amplitude = {amplitude:?}, frequency = {frequency:?} }} }}")
        }
        _ => format!("{{ ramp = {{ to = {:?}, end = {:?} }} }}", draw.uniform(0.1, 0.6), 0.2),
    };
    plate.drive = Some(format!("{{ along = [1, 0, 0], position = {function} }}"));
    plot.bodies.push(plate);
}

fn unit_towards(from: [f64; 3], to: [f64; 3]) -> [f64; 3] {
    super::draw::unit(super::draw::minus(to, from)).unwrap_or([0.0; 3])
}

impl Plot {
    /// A random vector of this size; in planar scenes in the plane.
    pub fn vector(&self, draw: &mut Draw, size: f64) -> [f64; 3] {
        let [x, y, z] = draw.vector(size);
        if self.setting.planar { [x, 0.0, z] } else { [x, y, z] }
    }

    /// Whether a body is clear of all others by their balls.
    pub fn has_room(&self, body: &Body) -> bool {
        self.bodies.iter().all(|other| {
            let apart = super::draw::minus(body.at, other.at);
            super::draw::dot(apart, apart).sqrt() > 1.01 * (body.radius + other.radius)
        })
    }

    fn text(&self, draw: &mut Draw, number: u64, seed: u64) -> String {
        let mut text = format!("title = \"Random scene {number}, seed {seed}\"\n");
        let _ = writeln!(text, "gravity = [0, 0, {:?}]", -self.setting.gravity);
        if self.setting.planar {
            text += "planar = \"xz\"\n";
        }
        if draw.chance(0.2) {
            text += "impacts = \"propagation\"\n";
        }
        let until = draw.uniform(0.1, 0.5);
        let dt = 1.0 / draw.pick(&[50.0, 60.0, 100.0, 120.0, 240.0, 480.0]);
        let _ = writeln!(text, "\n[run]\nuntil = {until:?}\ndt = {dt:?}");
        for name in ["default", "other"] {
            let friction = draw.pick(&[0.0, 0.2, 0.5, 1.0, 2.0]) * draw.pick(&[1.0, 0.7]);
            let restitution = draw.pick(&[0.0, 0.0, 0.3, 0.7, 1.0]);
            let _ =
                writeln!(text, "\n[[material]]\nname = \"{name}\"\nrestitution = {restitution:?}");
            if draw.chance(0.2) {
                let _ = writeln!(
                    text,
                    "static_friction = {friction:?}\ndynamic_friction = {:?}",
                    0.8 * friction
                );
            } else {
                let _ = writeln!(text, "friction = {friction:?}");
            }
        }
        if self.ground {
            text += "\n[[body]]\nname = \"ground\"\nground = true\n";
        }
        for body in &self.bodies {
            body.write(&mut text, draw);
        }
        text + &self.links
    }
}
