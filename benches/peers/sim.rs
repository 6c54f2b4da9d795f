//! The adapter for the side-by-side runs with other engines (`benches/peers/sim.py`):
//!
//! ```text
//! sim scene.json out_prefix time-stepping|event-driven budget
//! ```
//!
//! Reads a scene, writes its recorded states to `out_prefix.bin` and what it took, with
//! the contact forces at the end, to `out_prefix.json`.

use cpu_time::ProcessTime;
use glam::{DMat3, DQuat, DVec3};
use serde::Deserialize;
use std::error::Error;
use std::fs;
use stiction::joint::{Joint, JointKind};
use stiction::{
    Body, BodyId, EventDriven, EventKind, Material, Mode, Report, Stepper, TimeStepping, World,
};
use stiction_geometry::{MassProperties, Part, Polyhedron, Pose, Shape, Twist};

const DT: f64 = 1.0 / 240.0;

/// Steps at most.
const MOST: u32 = 1_000_000;

#[derive(Deserialize)]
struct Scene {
    gravity: [f64; 3],
    mu: f64,
    restitution: f64,
    #[serde(rename = "T")]
    until: f64,
    rec: f64,
    bodies: Vec<SceneBody>,
    joints: Vec<SceneJoint>,
}

#[derive(Deserialize)]
struct SceneBody {
    name: String,
    fixed: bool,
    mass: f64,
    inertia: [f64; 3],
    pos: [f64; 3],
    quat: [f64; 4],
    v: [f64; 3],
    w: [f64; 3],
    shapes: Vec<SceneShape>,
}

#[derive(Deserialize)]
struct SceneShape {
    #[serde(rename = "type")]
    kind: String,
    half: Option<[f64; 3]>,
    r: Option<f64>,
    verts: Option<Vec<[f64; 3]>>,
    pos: [f64; 3],
    quat: [f64; 4],
}

#[derive(Deserialize)]
struct SceneJoint {
    a: usize,
    b: usize,
    anchor: [f64; 3],
}

fn pose(position: [f64; 3], [w, x, y, z]: [f64; 4]) -> Pose {
    let rotation = DQuat::from_xyzw(x, y, z, w).normalize();
    Pose { position: DVec3::from_array(position), rotation }
}

fn part(shape: &SceneShape) -> Result<Part, Box<dyn Error>> {
    let made = match shape.kind.as_str() {
        "box" => Shape::Box { half: DVec3::from_array(shape.half.ok_or("half")?) },
        "sphere" => Shape::Ball { radius: shape.r.ok_or("r")? },
        "convex" => {
            let points = shape.verts.as_ref().ok_or("verts")?;
            let points: Vec<DVec3> = points.iter().copied().map(DVec3::from_array).collect();
            Shape::Polyhedron(Polyhedron::from_points(&points)?.into())
        }
        other => return Err(format!("shape {other}").into()),
    };
    Ok(Part::new(made, pose(shape.pos, shape.quat))?)
}

fn world(scene: &Scene) -> Result<World, Box<dyn Error>> {
    let mut world = World::new();
    world.gravity = DVec3::from_array(scene.gravity);
    world.materials = vec![Material::new(scene.mu).with_restitution(scene.restitution)];
    for body in &scene.bodies {
        let parts = body.shapes.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        let pose = pose(body.pos, body.quat);
        let made = if body.fixed {
            Body::fixed(&body.name, parts, pose)
        } else {
            let inertia = DMat3::from_diagonal(DVec3::from_array(body.inertia));
            let mass = MassProperties { mass: body.mass, centre: DVec3::ZERO, inertia };
            Body::with_mass(&body.name, parts, mass, pose)?
        };
        let index = world.add_body(made);
        if !body.fixed {
            let (linear, angular) = (DVec3::from_array(body.v), DVec3::from_array(body.w));
            world.set_twist(index, Twist { linear, angular });
        }
    }
    for (i, joint) in scene.joints.iter().enumerate() {
        let at = |i: usize| (BodyId::from_index(i), world.state.poses[i]);
        let (a, b) = (at(joint.b), at(joint.a));
        let anchor = DVec3::from_array(joint.anchor);
        let name = format!("joint {i}");
        let made =
            Joint::at(JointKind::Ball, name, (a.0, &a.1), Some((b.0, &b.1)), anchor, DVec3::Z)?;
        world.add_joint(made);
    }
    world.validate()?;
    Ok(world)
}

fn record(world: &World, frames: &mut Vec<u8>) {
    let mut put = |x: f64| frames.extend(x.to_le_bytes());
    put(world.state.time);
    for (pose, twist) in world.state.poses.iter().zip(&world.state.twists) {
        let q = pose.rotation;
        pose.position.to_array().into_iter().for_each(&mut put);
        [q.w, q.x, q.y, q.z].into_iter().for_each(&mut put);
        twist.linear.to_array().into_iter().for_each(&mut put);
        twist.angular.to_array().into_iter().for_each(&mut put);
    }
}

fn contacts(report: &Report) -> Vec<serde_json::Value> {
    let touching = report.contacts.iter().filter(|c| c.mode != Mode::Open);
    touching
        .map(|c| {
            let (p, n, f) = (c.point, c.normal, c.friction_force);
            serde_json::json!([
                c.key.a.index(),
                c.key.b.index(),
                p.x,
                p.y,
                p.z,
                n.x,
                n.y,
                n.z,
                -c.gap,
                c.normal_force,
                f.x,
                f.y,
                f.z
            ])
        })
        .collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, scene, out, variant, budget] = arguments.as_slice() else {
        return Err("usage: sim scene.json out_prefix time-stepping|event-driven budget".into());
    };
    let scene: Scene = serde_json::from_str(&fs::read_to_string(scene)?)?;
    let budget: f64 = budget.parse()?;
    let mut world = world(&scene)?;
    let mut stepper: Box<dyn Stepper> = match variant.as_str() {
        "event-driven" => Box::new(EventDriven::default()),
        _ => Box::new(TimeStepping::default()),
    };
    let count = |time: f64| (1..MOST).take_while(|&n| f64::from(n) * DT < time + 0.5 * DT).count();
    let (steps, every) = (count(scene.until), count(scene.rec).max(1));
    let mut frames = Vec::new();
    record(&world, &mut frames);
    let (mut note, mut done) = (String::new(), 0);
    let (mut worst, mut uncertified, mut fell_back, mut error) = (0.0_f64, 0, 0, 0.0_f64);
    let mut last = Report::default();
    let start = ProcessTime::now();
    while done < steps {
        last = stepper.step(&mut world, DT);
        done += 1;
        worst = worst.max(last.residual);
        uncertified += usize::from(!last.certified);
        error = error.max(last.ledger.error());
        let falls = |e: &&stiction::Event| matches!(e.what, EventKind::FellBack { .. });
        fell_back += last.events.iter().filter(falls).count();
        if done % every == 0 || done == steps {
            record(&world, &mut frames);
        }
        if start.elapsed().as_secs_f64() > budget {
            note =
                format!("stopped at wall budget, t={:.3} of {:.3}", world.state.time, scene.until);
            break;
        }
    }
    let wall = start.elapsed().as_secs_f64();
    fs::write(format!("{out}.bin"), frames)?;
    let report = serde_json::json!({
        "wall": wall, "steps": done, "dt": DT, "t_end": world.state.time, "note": note,
        "contacts": contacts(&last), "version": format!("stiction {}", env!("CARGO_PKG_VERSION")),
        "worst_residual": worst, "uncertified_steps": uncertified, "fell_back": fell_back,
        "book_error": error,
    });
    fs::write(format!("{out}.json"), report.to_string())?;
    Ok(())
}
