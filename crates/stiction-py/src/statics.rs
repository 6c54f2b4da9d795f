//! Assemblies, whether they stand, with what margin, and the proofs.

use crate::fault;
use crate::frame::{doubles, finite};
use crate::simulation::{Settings, Source};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use stiction::glam::DVec3;
use stiction_statics::check::{Certificate, Claim, Proof};
use stiction_statics::picture::Picture;
use stiction_statics::read::{self, Options};
use stiction_statics::{
    Answer, Assembly, InterfaceSource, Margin, Mechanism, Mode, Options as Question, Statics,
};

/// What files of assemblies lack, as Python gives it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Given {
    gap: Option<f64>,
    friction: Option<f64>,
    density: Option<f64>,
    gravity: Option<[f64; 3]>,
    unit: Option<String>,
    fixed: Vec<String>,
}

impl Given {
    fn options(self) -> PyResult<Options> {
        let unit = self.unit.map(|name| read::length(&name)).transpose();
        Ok(Options {
            gap: self.gap,
            friction: self.friction,
            density: self.density,
            gravity: self.gravity.map(DVec3::from),
            unit: unit.map_err(|error| fault::input(&format!("unit: {error}")))?,
            fixed: self.fixed,
            ..Options::default()
        })
    }
}

/// An assembly and what is prepared for questions about it.
#[pyclass(name = "Assembly", module = "stiction._core", frozen)]
pub struct PyAssembly {
    shared: Arc<Prepared>,
}

struct Prepared {
    assembly: Assembly,
    statics: Statics,
}

impl PyAssembly {
    fn new(assembly: Assembly) -> PyResult<Self> {
        if !assembly.knobs.is_empty() {
            let count = assembly.knobs.len();
            let message =
                format!("knobs: there are {count}, and joints that pull are not solved yet");
            return Err(fault::input(&message));
        }
        let statics = Statics::new(&assembly);
        Ok(PyAssembly { shared: Arc::new(Prepared { assembly, statics }) })
    }

    fn margin(&self, py: Python<'_>, of: impl Fn(&Statics) -> Margin + Send + Sync) -> PyMargin {
        let margin = py.detach(|| of(&self.shared.statics));
        PyMargin { margin, shared: Arc::clone(&self.shared) }
    }
}

#[pymethods]
impl PyAssembly {
    /// A text in any of the formats of assemblies; the ending of the name says which.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str, name: &str, given: Given) -> PyResult<Self> {
        let options = given.options()?;
        py.detach(|| {
            let assembly =
                read::parse(text, name, &options).map_err(|error| fault::file(&error))?;
            PyAssembly::new(assembly)
        })
    }

    /// The bodies of a scene at its first instant.
    #[staticmethod]
    fn of_scene(py: Python<'_>, text: String, settings: Settings, given: Given) -> PyResult<Self> {
        let options = given.options()?;
        py.detach(|| {
            let source = Source::read(text, &settings)?;
            let name = &source.origin.name;
            let made = read::of_scene(&source.scene, name, &options);
            PyAssembly::new(made.map_err(|error| fault::input(&error.to_string()))?)
        })
    }

    /// In the format `assembly-1`.
    fn text(&self, py: Python<'_>) -> String {
        py.detach(|| self.shared.assembly.to_json())
    }

    /// Blocks, interfaces and what was assumed, as JSON.
    fn description(&self, py: Python<'_>) -> String {
        py.detach(|| describe(&self.shared.assembly).to_string())
    }

    /// Of every contact: the blocks, as JSON; the point (3), the normal (3) and friction are doubles.
    fn contacts<'py>(&self, py: Python<'py>) -> (Vec<(usize, usize)>, Bound<'py, PyByteArray>) {
        let contacts = &self.shared.statics.model.contacts;
        let numbers = contacts
            .iter()
            .flat_map(|it| it.point.into_iter().chain(it.normal).chain([it.friction]));
        (contacts.iter().map(|it| (it.a, it.b)).collect(), doubles(py, numbers))
    }

    fn stands(&self, py: Python<'_>, must: bool, need_not: bool) -> PyVerdict {
        let question = Question { must, need_not };
        let answer = py.detach(|| self.shared.statics.stands(&question));
        PyVerdict { answer, shared: Arc::clone(&self.shared) }
    }

    fn load_factor(&self, py: Python<'_>) -> PyMargin {
        self.margin(py, Statics::load_factor)
    }

    fn limit_load(&self, py: Python<'_>) -> PyMargin {
        self.margin(py, Statics::limit_load)
    }

    fn least_friction(&self, py: Python<'_>) -> PyMargin {
        self.margin(py, Statics::least_friction)
    }

    fn tilt(&self, py: Python<'_>, direction: [f64; 3]) -> PyMargin {
        self.margin(py, |statics| statics.tilt(direction.into()))
    }

    /// The least and the largest sum of normal forces of an interface.
    fn force_range(&self, py: Python<'_>, interface: usize) -> PyResult<Option<[f64; 2]>> {
        let count = self.shared.assembly.interfaces.len();
        if interface >= count {
            return Err(fault::input(&format!("interface {interface}: there are {count}")));
        }
        Ok(py.detach(|| self.shared.statics.force_range(interface)))
    }

    /// Checks a certificate against this assembly: how many claims were accepted and the largest
    /// imbalance, or the refusal.
    fn check(&self, py: Python<'_>, certificate: &str) -> PyResult<(usize, f64)> {
        let checked = py.detach(|| {
            let certificate = Certificate::parse(certificate)?;
            certificate.check(&self.shared.statics.model)
        });
        let accepted = checked.map_err(|refusal| fault::input(&refusal.to_string()))?;
        Ok((accepted.claims, accepted.imbalance))
    }
}

/// A verdict and its proof.
#[pyclass(name = "Verdict", module = "stiction._core", frozen)]
pub struct PyVerdict {
    answer: Answer,
    shared: Arc<Prepared>,
}

#[pymethods]
impl PyVerdict {
    #[getter]
    fn name(&self) -> &'static str {
        self.answer.verdict.name()
    }

    /// Whether it can stand; none if that is open.
    #[getter]
    fn can(&self) -> Option<bool> {
        self.answer.verdict.can()
    }

    /// Forces on the first block of every contact (3), if the proof has some.
    fn forces<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyByteArray>> {
        let found = self.answer.claims.iter().find_map(|claim| forces(&self.shared.statics, claim));
        found.map(|forces| doubles(py, forces.into_iter().flatten()))
    }

    /// Velocities or accelerations of the blocks at their centres (6), if the proof has some.
    fn motion<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyByteArray>> {
        let found = self.answer.claims.iter().find_map(|claim| motion(&self.shared.statics, claim));
        found.map(|motion| doubles(py, motion.into_iter().flatten()))
    }

    /// A picture of forces and motion, with lines of text below it.
    fn svg(&self, py: Python<'_>, caption: Vec<String>) -> String {
        py.detach(|| {
            let Prepared { assembly, statics } = &*self.shared;
            let claims = &self.answer.claims;
            let forces = claims.iter().find_map(|claim| forces(statics, claim));
            let motion = claims.iter().find_map(|claim| motion(statics, claim));
            let forces: Option<Vec<DVec3>> =
                forces.map(|all| all.into_iter().map(DVec3::from).collect());
            let motion: Option<Vec<(DVec3, DVec3)>> = motion.map(|all| {
                let split =
                    |[x, y, z, a, b, c]: [f64; 6]| (DVec3::new(x, y, z), DVec3::new(a, b, c));
                all.into_iter().map(split).collect()
            });
            let (forces, motion) = (forces.as_deref(), motion.as_deref());
            Picture { assembly, forces, motion, caption: &caption }.svg()
        })
    }

    /// Which blocks move and what their interfaces do, as JSON.
    fn mechanism(&self) -> Option<String> {
        let prepared = &self.shared;
        let of = |claim: &Claim| prepared.statics.mechanism(&prepared.assembly, claim);
        let found = self.answer.claims.iter().find_map(of);
        found.map(|mechanism| named(&prepared.assembly, &mechanism).to_string())
    }

    /// The certificate of the verdict and margins of the same assembly.
    fn certificate(&self, py: Python<'_>, margins: Vec<Py<PyMargin>>) -> PyResult<String> {
        let margins: Vec<&PyMargin> = margins.iter().map(Py::get).collect();
        if margins.iter().any(|margin| !Arc::ptr_eq(&margin.shared, &self.shared)) {
            return Err(fault::input("margins: one is of another assembly"));
        }
        py.detach(|| {
            let margins: Vec<Margin> = margins.iter().map(|it| it.margin.clone()).collect();
            let Prepared { assembly, statics } = &*self.shared;
            let certificate = statics.certificate(assembly, &self.answer, &margins);
            let text = serde_json::to_string_pretty(&certificate);
            text.map_err(|error| fault::input(&error.to_string()))
        })
    }
}

/// A margin and its proof.
#[pyclass(name = "Margin", module = "stiction._core", frozen)]
pub struct PyMargin {
    margin: Margin,
    shared: Arc<Prepared>,
}

#[pymethods]
impl PyMargin {
    /// What it is of, its direction, both ends, whether nothing bounds it, the mechanism at the
    /// limit: as JSON.
    fn text(&self) -> String {
        let Prepared { assembly, statics } = &*self.shared;
        let margin = &self.margin;
        let claims = margin.claims.iter().flatten();
        let mechanism = claims.into_iter().find_map(|claim| statics.mechanism(assembly, claim));
        json!({
            "what": margin.what, "direction": margin.direction,
            "at_least": margin.at_least.and_then(finite), "at_most": margin.at_most.and_then(finite),
            "nothing_is_carried": margin.at_least == Some(f64::NEG_INFINITY),
            "unbounded": margin.unbounded,
            "mechanism": mechanism.map(|it| named(assembly, &it)),
        })
        .to_string()
    }
}

/// Verdicts on many assemblies, on all cores.
#[pyfunction]
pub fn stands_all(
    py: Python<'_>,
    assemblies: Vec<Py<PyAssembly>>,
    must: bool,
    need_not: bool,
) -> Vec<PyVerdict> {
    let question = Question { must, need_not };
    let assemblies: Vec<&PyAssembly> = assemblies.iter().map(Py::get).collect();
    let one = |assembly: &&PyAssembly| {
        let shared = Arc::clone(&assembly.shared);
        PyVerdict { answer: shared.statics.stands(&question), shared }
    };
    py.detach(|| assemblies.par_iter().map(one).collect())
}

fn describe(assembly: &Assembly) -> Value {
    let block = |block: &stiction_statics::Block| {
        json!({
            "name": block.name, "fixed": block.fixed, "mass": finite(block.mass),
            "centre": block.centre.to_array(),
            "vertices": block.vertices.iter().map(DVec3::to_array).collect::<Vec<_>>(),
            "faces": block.faces,
        })
    };
    let interface = |it: &stiction_statics::Interface| {
        json!({
            "a": it.a, "b": it.b, "normal": it.normal.to_array(), "friction": it.friction,
            "points": it.points.iter().map(DVec3::to_array).collect::<Vec<_>>(),
        })
    };
    let gap = match assembly.source {
        InterfaceSource::Detected(tolerance) => Some(tolerance.gap),
        InterfaceSource::Given => None,
    };
    json!({
        "name": assembly.name, "gravity": assembly.gravity.to_array(), "gap": gap,
        "blocks": assembly.blocks.iter().map(block).collect::<Vec<_>>(),
        "interfaces": assembly.interfaces.iter().map(interface).collect::<Vec<_>>(),
        "assumptions": assembly.assumptions, "floating": assembly.floating(),
    })
}

fn named(assembly: &Assembly, mechanism: &Mechanism) -> Value {
    let names = mechanism.moving.iter().map(|&k| &assembly.blocks[k].name);
    json!({
        "moving": names.collect::<Vec<_>>(), "interfaces": mechanism.interfaces,
        "slides": mechanism.count(Mode::Slides), "hinges": mechanism.count(Mode::Hinges),
        "opens": mechanism.count(Mode::Opens),
    })
}

fn forces(statics: &Statics, claim: &Claim) -> Option<Vec<[f64; 3]>> {
    match &claim.proof {
        Proof::Carried { forces } | Proof::Moves { forces, .. } => Some(forces.clone()),
        Proof::MustStand { normal } => {
            let contacts = statics.model.contacts.iter().zip(normal);
            Some(contacts.map(|(contact, force)| contact.normal.map(|x| x * force)).collect())
        }
        Proof::NotCarried { .. } => None,
    }
}

fn motion(statics: &Statics, claim: &Claim) -> Option<Vec<[f64; 6]>> {
    match &claim.proof {
        Proof::NotCarried { origin, motion } => {
            let at_centre = |(block, twist): (&stiction_statics::check::Block, &[f64; 6])| {
                let [x, y, z, a, b, c] = *twist;
                let arm = DVec3::from(block.centre) - DVec3::from(*origin);
                let velocity = DVec3::new(x, y, z) + DVec3::new(a, b, c).cross(arm);
                [velocity.x, velocity.y, velocity.z, a, b, c]
            };
            Some(statics.model.blocks.iter().zip(motion).map(at_centre).collect())
        }
        Proof::Moves { accelerations, .. } => Some(accelerations.clone()),
        Proof::Carried { .. } | Proof::MustStand { .. } => None,
    }
}
