//! Random bodies, as TOML text.

use super::draw::Draw;
use super::scene::Setting;
use std::fmt::Write as _;

/// What shape a body has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Box,
    Plate,
    Ball,
    Capsule,
    Cylinder,
    Cone,
    Hull,
    Heights,
    Mesh,
}

impl Kind {
    /// A shape that free bodies have and that needs no file.
    pub fn any(draw: &mut Draw) -> Kind {
        use Kind::{Ball, Box, Capsule, Cone, Cylinder, Hull, Plate};
        draw.pick(&[Box, Box, Plate, Ball, Capsule, Cylinder, Cone, Hull])
    }
}

/// A body before it is written down.
pub struct Body {
    pub name: String,
    kind: Kind,
    /// Its shape, in TOML.
    shape: String,
    /// Of a ball around its origin (m).
    pub radius: f64,
    /// Half its height as it stands (m).
    low: f64,
    pub at: [f64; 3],
    /// Axis and angle (°).
    pub turned: Option<([f64; 3], f64)>,
    pub velocity: [f64; 3],
    spin: [f64; 3],
    pub force: [f64; 3],
    /// Of extreme scenes (kg).
    pub mass: Option<f64>,
    pub fixed: bool,
    /// What moves it, in TOML.
    pub drive: Option<String>,
    /// Its mesh: name and contents.
    pub file: Option<(String, String)>,
}

impl Body {
    /// A body at the origin.
    pub fn draw(draw: &mut Draw, setting: Setting, kind: Kind, number: usize) -> Body {
        let name = format!("body{number}");
        let mut file = None;
        let (shape, radius, low) = match kind {
            Kind::Box | Kind::Plate => brick(draw, kind == Kind::Plate),
            Kind::Ball => {
                let radius = draw.uniform(0.03, 0.3);
                (format!("ball = {radius:?}"), radius, radius)
            }
            Kind::Capsule | Kind::Cylinder | Kind::Cone => turned(draw, kind),
            Kind::Hull => hull(draw, setting.planar),
            Kind::Heights => heights(draw),
            Kind::Mesh => {
                let (contents, radius, low) = mesh(draw);
                let path = format!("{name}.obj");
                file = Some((path.clone(), contents));
                (format!("mesh = \"{path}\""), radius, low)
            }
        };
        let mass = if setting.extreme {
            Some(draw.decades(-4.5, 4.5))
        } else {
            draw.chance(0.5).then(|| draw.decades(-1.0, 1.0))
        };
        Body {
            name,
            kind,
            shape,
            radius,
            low,
            at: [0.0; 3],
            turned: None,
            velocity: [0.0; 3],
            spin: [0.0; 3],
            force: [0.0; 3],
            mass,
            fixed: false,
            drive: None,
            file,
        }
    }

    /// Turns it by any angle, about any axis; in planar scenes about the normal.
    pub fn turn(&mut self, draw: &mut Draw, setting: Setting) {
        let axis = if setting.planar { [0.0, 1.0, 0.0] } else { draw.direction() };
        if draw.chance(0.7) {
            self.turned = Some((axis, draw.uniform(-180.0, 180.0)));
        }
    }

    /// Lets it spin, up to 200 rad/s.
    pub fn spin(&mut self, draw: &mut Draw, setting: Setting) {
        let size = draw.pick(&[0.0, 0.0, 1.0, 20.0, 100.0]);
        let spin = draw.direction().map(|x| x * size * draw.uniform(0.0, 2.0));
        self.spin = if setting.planar { [0.0, spin[1], 0.0] } else { spin };
    }

    /// Lays it down so that it rests; returns the height of its origin.
    pub fn lay(&mut self, setting: Setting) -> f64 {
        if self.kind == Kind::Capsule {
            let axis = if setting.planar { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
            self.turned = Some((axis, 90.0));
        }
        self.low
    }

    /// Whether another body can stand on it.
    pub fn has_flat_top(&self) -> bool {
        matches!(self.kind, Kind::Box | Kind::Plate | Kind::Cylinder)
    }

    pub fn write(&self, text: &mut String, draw: &mut Draw) {
        let _ = writeln!(text, "\n[[body]]\nname = \"{}\"\n{}", self.name, self.shape);
        let _ = writeln!(text, "at = {:?}", self.at);
        if let Some((axis, angle)) = self.turned {
            let _ = writeln!(text, "turn_deg = {{ axis = {axis:?}, angle = {angle:?} }}");
        }
        if draw.chance(0.3) {
            *text += "material = \"other\"\n";
        }
        if let Some(drive) = &self.drive {
            let _ = writeln!(text, "drive = {drive}");
            return;
        }
        if self.fixed {
            *text += "fixed = true\n";
            return;
        }
        if let Some(mass) = self.mass {
            let _ = writeln!(text, "mass = {mass:?}");
        }
        for (key, value) in
            [("velocity", self.velocity), ("angular_velocity", self.spin), ("force", self.force)]
        {
            if value != [0.0; 3] {
                let _ = writeln!(text, "{key} = {value:?}");
            }
        }
    }
}

fn length(edges: [f64; 3]) -> f64 {
    edges.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn brick(draw: &mut Draw, thin: bool) -> (String, f64, f64) {
    let mut edges = [(); 3].map(|()| draw.uniform(0.05, 0.6));
    if thin {
        edges = [draw.uniform(0.5, 1.2), draw.uniform(0.5, 1.2), draw.decades(-3.0, -1.5)];
    }
    (format!("box = {edges:?}"), 0.5 * length(edges), 0.5 * edges[2])
}

fn turned(draw: &mut Draw, kind: Kind) -> (String, f64, f64) {
    let (length, radius) = (draw.uniform(0.05, 0.5), draw.uniform(0.03, 0.2));
    let (name, reach, low) = match kind {
        Kind::Capsule => ("capsule", 0.5 * length + radius, radius),
        Kind::Cone => ("cone", (0.5 * length).hypot(radius), 0.5 * length),
        _ => ("cylinder", (0.5 * length).hypot(radius), 0.5 * length),
    };
    (format!("{name} = {{ length = {length:?}, radius = {radius:?} }}"), reach, low)
}

/// The hull of points on a triangle in the plane z = −low and of some above it; in planar scenes also of
/// their mirror images, so that its centre is in the plane.
fn hull(draw: &mut Draw, planar: bool) -> (String, f64, f64) {
    let low = draw.uniform(0.03, 0.2);
    let mut points = vec![[-0.2, -0.15, -low], [0.2, -0.15, -low], [0.0, 0.25, -low]];
    for _ in 0..draw.count(1, 7) {
        points.push([draw.uniform(-0.2, 0.2), draw.uniform(-0.2, 0.2), draw.uniform(0.0, low)]);
    }
    points[3][2] = low;
    if planar {
        points.extend(points.clone().into_iter().map(|[x, y, z]| [x, -y, z]));
    }
    let radius = points.iter().map(|point| length(*point)).fold(0.0, f64::max);
    (format!("points = {points:?}"), radius, low)
}

/// A grid of heights around the origin; its frame begins at a corner or in the middle, both are fine.
fn heights(draw: &mut Draw) -> (String, f64, f64) {
    let size = draw.count(4, 8);
    let wild = draw.pick(&[0.0, 0.02, 0.1]);
    let rows: Vec<Vec<f64>> =
        (0..size).map(|_| (0..size).map(|_| wild * draw.uniform(-1.0, 1.0)).collect()).collect();
    (format!("heights = {{ spacing = [0.4, 0.4], rows = {rows:?} }}"), wild, wild)
}

/// A step: a prism over the profile of an L in x and z, closed; its six corners and triangles are listed
/// around it.
fn mesh(draw: &mut Draw) -> (String, f64, f64) {
    let (width, height) = (draw.uniform(0.2, 0.6), draw.uniform(0.1, 0.3));
    let (inner, step) = (draw.uniform(-0.1, 0.1), draw.uniform(0.02, 0.08));
    let profile = [
        [-width, -height],
        [width, -height],
        [width, -step],
        [inner, -step],
        [inner, height],
        [-width, height],
    ];
    let mut text = String::new();
    for y in [-width, width] {
        for [x, z] in profile {
            let _ = writeln!(text, "v {x:?} {y:?} {z:?}");
        }
    }
    // The profile counter-clockwise in x and z shows its front towards −y.
    for [a, b, c] in [[1, 2, 3], [1, 3, 4], [1, 4, 5], [1, 5, 6]] {
        let _ = writeln!(text, "f {a} {b} {c}\nf {} {} {}", c + 6, b + 6, a + 6);
    }
    for k in 1..=6 {
        let next = k % 6 + 1;
        let _ = writeln!(text, "f {k} {} {next}\nf {next} {} {}", k + 6, k + 6, next + 6);
    }
    (text, (2.0 * width * width + height * height).sqrt(), height)
}
