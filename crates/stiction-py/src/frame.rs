//! One instant of a run, as bytes of arrays.

use crate::fault;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use serde_json::{Value, json};
use stiction::glam::DVec3;
use stiction::motion::LawName;
use stiction::{ContactRecord, EventKind, Frame, Mode, Uniqueness};

/// A frame of a simulation or recording.
#[pyclass(name = "Frame", module = "stiction._core", frozen)]
pub struct PyFrame {
    pub frame: Frame,
}

/// Doubles as bytes.
pub fn doubles(py: Python<'_>, numbers: impl IntoIterator<Item = f64>) -> Bound<'_, PyByteArray> {
    let bytes: Vec<u8> = numbers.into_iter().flat_map(f64::to_ne_bytes).collect();
    PyByteArray::new(py, &bytes)
}

#[pymethods]
impl PyFrame {
    /// A frame from its bytes.
    #[staticmethod]
    fn decode(bytes: &[u8]) -> PyResult<Self> {
        let frame = Frame::decode(bytes).map_err(|error| fault::input(&error.to_string()))?;
        Ok(PyFrame { frame })
    }

    /// The bytes that recordings hold.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.frame.encode())
    }

    #[getter]
    fn index(&self) -> u64 {
        self.frame.index
    }

    #[getter]
    fn time(&self) -> f64 {
        self.frame.state.time
    }

    #[getter]
    fn hash(&self) -> u64 {
        self.frame.state.hash()
    }

    /// Of every body: position (3), rotation (w x y z), velocity (3), angular velocity (3).
    fn states<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        let state = &self.frame.state;
        let bodies = state.poses.iter().zip(&state.twists).flat_map(|(pose, twist)| {
            let [x, y, z, w] = pose.rotation.to_array();
            let (p, v, a) = (pose.position, twist.linear, twist.angular);
            [p.x, p.y, p.z, w, x, y, z, v.x, v.y, v.z, a.x, a.y, a.z]
        });
        doubles(py, bodies)
    }

    /// Of every body: linear and angular impulse since the frame before.
    fn impulses<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        let bodies = self.frame.impulses.iter().take(self.frame.state.poses.len());
        doubles(py, bodies.flat_map(|it| [it.linear, it.angular].map(|v| v.to_array())).flatten())
    }

    /// Contacts, packed as `stiction._arrays.CONTACT`.
    fn contacts<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        let mut bytes = Vec::new();
        for (i, contact) in self.frame.contacts.iter().enumerate() {
            pack(contact, self.frame.unique.get(i), &mut bytes);
        }
        PyByteArray::new(py, &bytes)
    }

    /// Of every joint: force (3), torque (3), drive, coordinate, turn.
    fn joints<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        let turns = &self.frame.state.turns;
        let joints = self.frame.joints.iter().zip(turns).flat_map(|(joint, turn)| {
            let (f, t) = (joint.force, joint.torque);
            let coordinate = joint.coordinate.unwrap_or(f64::NAN);
            [f.x, f.y, f.z, t.x, t.y, t.z, joint.drive, coordinate, *turn]
        });
        doubles(py, joints)
    }

    /// Events since the frame before, as JSON.
    fn events(&self) -> String {
        let events: Vec<Value> = self.frame.events.iter().map(event).collect();
        Value::from(events).to_string()
    }

    /// The energy ledger, as JSON.
    fn energy(&self) -> String {
        let ledger = &self.frame.ledger;
        json!({
            "kinetic": ledger.kinetic, "potential": ledger.potential, "work": ledger.work,
            "friction": ledger.friction, "impacts": ledger.impacts, "start": ledger.start,
            "unaccounted": ledger.residual(), "error": ledger.error(),
        })
        .to_string()
    }

    /// What it is worth by the laws of motion, as JSON.
    fn verdict(&self) -> String {
        let verdict = &self.frame.verdict;
        let law = |(k, law): (usize, LawName)| {
            let worst = verdict.worst[k];
            (law.name().to_owned(), json!({"worst": finite(worst), "holds": !verdict.broken[k]}))
        };
        let laws: serde_json::Map<_, _> = LawName::ALL.into_iter().enumerate().map(law).collect();
        json!({
            "certified": self.frame.certified, "residual": finite(self.frame.residual),
            "solves": self.frame.solves, "answers": self.frame.answers, "laws": laws,
        })
        .to_string()
    }
}

/// A number, if JSON has it.
pub fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

fn pack(contact: &ContactRecord, unique: Option<&Uniqueness>, to: &mut Vec<u8>) {
    for body in contact.key.bodies() {
        to.extend((body.index() as u64).to_ne_bytes());
    }
    to.extend(contact.key.feature.to_ne_bytes());
    let mut put = |number: f64| to.extend(number.to_ne_bytes());
    let vector = |v: DVec3, put: &mut dyn FnMut(f64)| v.to_array().into_iter().for_each(put);
    vector(contact.point, &mut put);
    vector(contact.normal, &mut put);
    put(contact.gap);
    put(contact.normal_force);
    vector(contact.friction_force, &mut put);
    put(contact.normal_impulse);
    vector(contact.friction_impulse, &mut put);
    vector(contact.slip, &mut put);
    put(contact.margin.unwrap_or(f64::NAN));
    contact.friction.into_iter().for_each(&mut put);
    let mode: i64 = match contact.mode {
        Mode::Open => 0,
        Mode::Stick => 1,
        Mode::Slip => 2,
    };
    let unique: i64 = match unique {
        None => -1,
        Some(Uniqueness::Undecided) => 2,
        Some(Uniqueness::NotUnique) => 0,
        Some(Uniqueness::Unique) => 1,
    };
    to.extend(mode.to_ne_bytes());
    to.extend(unique.to_ne_bytes());
}

fn event(event: &stiction::Event) -> Value {
    let bodies = event.what.contact().map(|key| key.bodies().map(stiction::BodyId::index));
    let mut made = json!({"time": event.time, "kind": event.what.name(), "bodies": bodies});
    let more = match &event.what {
        EventKind::Collision { speed, lost, .. } => json!({"speed": speed, "lost": lost}),
        EventKind::Impulse { size, lost, .. } => json!({"impulse": size, "lost": lost}),
        EventKind::Joint(joint) => json!({"joint": joint.index()}),
        EventKind::RestitutionReduced { factor } => json!({"factor": factor}),
        EventKind::Uncertified { residual } => json!({"residual": finite(*residual)}),
        EventKind::FellBack { duration, reason } => {
            json!({"duration": duration, "reason": reason.to_string()})
        }
        _ => json!({}),
    };
    if let (Some(made), Some(more)) = (made.as_object_mut(), more.as_object()) {
        made.extend(more.clone());
    }
    made
}
