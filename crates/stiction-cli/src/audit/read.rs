//! Files in the format audit-1: bodies, contacts, and the forces that an engine says act there.

use glam::DVec3;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use stiction_contact::file::{FileError, ProblemFile, line_of, parse_json, read_text};
use stiction_solvers::{ContactForce, ContactProblem, Forces};

/// The only format.
const FORMAT: &str = "audit-1";

/// A file that was read.
pub struct Given {
    pub engine: Option<String>,
    pub scene: Option<String>,
    pub problem: ContactProblem,
    pub forces: Forces,
    pub bodies: Vec<Body>,
    pub contacts: Vec<Contact>,
}

/// The file; what it says besides is not interpreted.
#[derive(Deserialize)]
struct File {
    format: String,
    engine: Option<String>,
    scene: Option<String>,
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
}

/// A body: inertia in world axes about the centre of mass.
#[derive(Deserialize)]
pub struct Body {
    pub mass: f64,
    pub inertia: [[f64; 3]; 3],
    pub position: [f64; 3],
    pub wrench: [f64; 6],
    pub velocity: Option<[f64; 6]>,
    pub acceleration: Option<[f64; 6]>,
}

/// A contact: the normal and the force on `a`, −1 is the world.
#[derive(Deserialize)]
pub struct Contact {
    pub a: i64,
    pub b: i64,
    pub point: [f64; 3],
    pub normal: [f64; 3],
    pub mu: f64,
    pub force: [f64; 3],
    pub gap: Option<f64>,
    pub relative_velocity: Option<[f64; 3]>,
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Given, FileError> {
    let name = path.display().to_string();
    let text = read_text(path)?;
    let file: File = parse_json(&text, &name)?;
    let fault = |field: &str, message: String| FileError::Value {
        file: name.clone(),
        line: line_of(&text, field).unwrap_or(1),
        field: field.to_owned(),
        message,
    };
    if file.format != FORMAT {
        return Err(fault("format", format!("is {:?}, not {FORMAT:?}", file.format)));
    }
    for (k, contact) in file.contacts.iter().enumerate() {
        let known = contact.force.iter().chain(contact.gap.iter());
        let velocity = contact.relative_velocity.iter().flatten();
        if !known.chain(velocity).all(|x| x.is_finite()) {
            return Err(fault(&format!("contacts[{k}]"), "not all of it is finite".into()));
        }
    }
    let problem = ProblemFile::parse(&contact_1(&file).to_string(), &name)
        .and_then(|parsed| parsed.problem(0));
    // The places of this file, not of the one made of it.
    let problem = problem.map_err(|error| match error {
        FileError::Value { field, message, .. } | FileError::Syntax { field, message, .. } => {
            fault(&field, message)
        }
        other => other,
    })?;
    let forces = file.contacts.iter().zip(problem.contacts()).map(|(given, contact)| {
        let (force, normal) = (DVec3::from(given.force), DVec3::from(contact.normal));
        let along = force.dot(normal);
        ContactForce { normal: along, friction: (force - normal * along).to_array() }
    });
    let forces = Forces { contacts: forces.collect(), ..Forces::zeros(&problem) };
    let File { engine, scene, bodies, contacts, .. } = file;
    Ok(Given { engine, scene, problem, forces, bodies, contacts })
}

/// The problem in the format contact-1.
fn contact_1(file: &File) -> Value {
    let body = |body: &Body| {
        let mut made = json!({
            "mass": body.mass, "inertia": body.inertia, "position": body.position, "wrench": body.wrench,
        });
        if let Some(velocity) = body.velocity {
            made["velocity"] = json!(velocity);
        }
        made
    };
    let contact = |it: &Contact| json!({"a": it.a, "b": it.b, "point": it.point, "normal": it.normal, "mu": it.mu});
    json!({
        "format": "contact-1", "level": "acceleration",
        "bodies": file.bodies.iter().map(body).collect::<Vec<_>>(),
        "contacts": file.contacts.iter().map(contact).collect::<Vec<_>>(),
    })
}
