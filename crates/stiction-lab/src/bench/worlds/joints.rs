//! Random mechanisms: joints of all kinds, motors, limits, springs.

use super::body::{Body, Kind};
use super::draw::Draw;
use super::scene::Plot;
use std::fmt::Write as _;

/// Part of the joints that contradict their anchors, or have a second one that contradicts them.
const INCONSISTENT: f64 = 0.04;

/// Bodies in a tree, each held by the one before or by the world.
pub fn connect(plot: &mut Plot, draw: &mut Draw) {
    let count = draw.count(1, 6);
    let height = draw.pick(&[0.5, 2.0]);
    plot.ground = plot.setting.gravity > 0.0 && draw.chance(0.5);
    let held = draw.chance(0.7);
    let moving = draw.chance(0.5);
    for k in 0..count {
        let kind = Kind::any(draw);
        let mut body = Body::draw(draw, plot.setting, kind, k);
        body.turn(draw, plot.setting);
        let parent = (k > 0).then(|| draw.count(0, k - 1));
        body.at = [0.0, 0.0, height + body.radius];
        if let Some(parent) = parent {
            for _ in 0..50 {
                let direction = plot.vector(draw, 1.0);
                let direction = super::draw::unit(direction).unwrap_or([1.0, 0.0, 0.0]);
                let other = &plot.bodies[parent];
                let apart = 1.05 * (other.radius + body.radius);
                body.at = std::array::from_fn(|i| other.at[i] + apart * direction[i]);
                body.at[2] = body.at[2].max(if plot.ground { 1.05 * body.radius } else { -1e3 });
                if plot.has_room(&body) {
                    break;
                }
            }
            if !plot.has_room(&body) {
                return;
            }
        }
        if moving && draw.chance(0.3) {
            body.velocity = plot.vector(draw, 2.0);
            body.spin(draw, plot.setting);
        }
        plot.bodies.push(body);
        if k > 0 || held {
            link(plot, draw, k, parent);
        }
    }
}

/// One joint or spring between a body and its parent, or the world.
fn link(plot: &mut Plot, draw: &mut Draw, body: usize, parent: Option<usize>) {
    let start = plot.bodies[body].at;
    let off = plot.vector(draw, 0.5 * plot.bodies[body].radius);
    let end = match parent {
        Some(parent) => plot.bodies[parent].at,
        None => [start[0], start[1], start[2] + 1.0],
    };
    let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (start[k] + end[k]) + 0.2 * off[k]);
    let b = parent.map_or(String::new(), |p| format!("b = \"{}\"\n", plot.bodies[p].name));
    let ends = format!("a = \"{}\"\n{b}", plot.bodies[body].name);
    let name = format!("link{body}");
    if draw.chance(0.2) {
        spring(
            plot,
            draw,
            body,
            &format!("name = \"{name}\"\n{ends}anchor = {start:?}\nanchor_b = {end:?}\n"),
        );
        return;
    }
    let kinds: &[&str] = if plot.setting.planar {
        &["hinge", "hinge", "slider", "fixed", "distance", "point-on-plane"]
    } else {
        &["ball", "hinge", "slider", "universal", "fixed", "distance", "point-on-plane"]
    };
    let kind = draw.pick(kinds);
    let anchor = if kind == "distance" { start } else { middle };
    let _ = write!(
        plot.links,
        "\n[[joint]]\nname = \"{name}\"\ntype = \"{kind}\"\n{ends}anchor = {anchor:?}\n"
    );
    let axis = plot.vector(draw, 1.0);
    let axis = super::draw::unit(axis).unwrap_or([1.0, 0.0, 0.0]);
    match kind {
        "distance" => distance(plot, draw, start, end),
        "universal" => {
            let second = draw.tangent(axis);
            let _ = writeln!(plot.links, "axis = {axis:?}\naxis_b = {second:?}");
        }
        "slider" | "point-on-plane" => {
            let _ = writeln!(plot.links, "axis = {axis:?}");
        }
        "hinge" if !plot.setting.planar => {
            let _ = writeln!(plot.links, "axis = {axis:?}");
        }
        _ => {}
    }
    if matches!(kind, "hinge" | "slider") {
        coordinate(&mut plot.links, draw, kind == "slider");
    }
    if draw.chance(0.2) {
        plot.links += "collide = true\n";
    }
    if draw.chance(INCONSISTENT) {
        let _ = write!(
            plot.links,
            "\n[[joint]]\nname = \"second{body}\"\ntype = \"fixed\"\n{ends}anchor = {start:?}\n"
        );
    }
}

/// A spring from its frequency (Hz) with the body alone, and its damping as part of the critical one.
fn spring(plot: &mut Plot, draw: &mut Draw, body: usize, ends: &str) {
    let mass = plot.bodies[body].mass.unwrap_or(10.0);
    let rate = std::f64::consts::TAU * draw.pick(&[0.5, 2.0, 10.0, 50.0]) * draw.uniform(0.5, 2.0);
    let (stiffness, ratio) = (mass * rate * rate, draw.pick(&[0.0, 0.05, 1.0]));
    let damping = 2.0 * ratio * mass * rate;
    let _ = write!(
        plot.links,
        "\n[[spring]]\n{ends}stiffness = {stiffness:?}\ndamping = {damping:?}\n"
    );
}

/// A rod, a rope or a strut.
fn distance(plot: &mut Plot, draw: &mut Draw, start: [f64; 3], end: [f64; 3]) {
    let apart = super::draw::minus(start, end);
    let length = super::draw::dot(apart, apart).sqrt();
    let _ = writeln!(plot.links, "anchor_b = {end:?}");
    if draw.chance(0.4) {
        let rope = [0.0, length * draw.pick(&[1.0, 1.05])];
        let _ = writeln!(plot.links, "limits = {rope:?}");
    } else if draw.chance(INCONSISTENT) {
        let _ = writeln!(plot.links, "length = {:?}", 1.2 * length);
    }
}

/// Limits, motor and friction of a hinge or slider.
fn coordinate(text: &mut String, draw: &mut Draw, slider: bool) {
    if draw.chance(0.3) {
        let span = if slider { 0.2 } else { 0.8 };
        let limits = [-span * draw.uniform(0.0, 1.0), span * draw.uniform(0.0, 1.0)];
        let _ = writeln!(text, "limits = {limits:?}");
    }
    if draw.chance(0.2) {
        let _ = writeln!(text, "friction = {:?}", draw.decades(-1.0, 1.0));
    }
    if draw.chance(0.3) {
        let motor = match draw.count(0, 2) {
            0 => format!(
                "speed = {:?}, greatest = {:?}",
                draw.uniform(-5.0, 5.0),
                draw.decades(0.0, 3.0)
            ),
            1 => format!(
                "position = {{ sine = {{ amplitude = {:?}, frequency = {:?} }} }}",
                draw.uniform(0.02, 0.2),
                draw.uniform(0.5, 4.0)
            ),
            _ => format!("force = {:?}", draw.uniform(-20.0, 20.0)),
        };
        let _ = writeln!(text, "motor = {{ {motor} }}");
    }
}
