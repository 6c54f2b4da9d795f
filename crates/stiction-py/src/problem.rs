//! Single contact problems: read, solved, judged.

use crate::fault;
use crate::frame::{doubles, finite};
use crate::simulation::{choice, read_parameters};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use stiction::Choice;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::{
    Answer, Call, ContactForce, ContactProblem, Event, Forces, Level, NoObserver, Observer,
    Snapshot, Status, Work, judge,
};

/// A contact problem.
#[pyclass(module = "stiction._core", frozen)]
pub struct Problem {
    text: String,
    load: usize,
    shared: Arc<ContactProblem>,
    velocities: Option<Vec<[f64; 6]>>,
}

/// An answer, as the judge sees it.
#[pyclass(name = "Answer", module = "stiction._core", frozen)]
pub struct PyAnswer {
    answer: Answer,
    problem: Arc<ContactProblem>,
}

impl Problem {
    /// One load of a file.
    pub fn of(file: &ProblemFile, load: usize) -> PyResult<Self> {
        let problem = file.problem(load).map_err(|error| fault::file(&error))?;
        let velocities = file.velocities().filter(|_| problem.level() == Level::Acceleration);
        let (text, problem) = (file.to_json(), Arc::new(problem));
        Ok(Problem { text, load, shared: problem, velocities })
    }

    fn solve_by(&self, choice: &Choice, budget: Option<f64>) -> Result<PyAnswer, String> {
        self.solve_watched(choice, budget, &mut NoObserver)
    }

    fn solve_watched(
        &self,
        choice: &Choice,
        budget: Option<f64>,
        observer: &mut dyn Observer,
    ) -> Result<PyAnswer, String> {
        let mut solver = choice.solver();
        solver.set_velocities(self.velocities.as_deref());
        let problem = &*self.shared;
        let mut work = budget.map_or_else(|| Work::for_problem(problem), Work::new);
        let call = Call { start: None, work: &mut work, observer };
        let mut candidate = solver.search(problem, call).map_err(|error| error.to_string())?;
        work.enter(&mut candidate.effort);
        let approximates = solver.approximation().is_some();
        let answer = judge::answer(problem, candidate, solver.name(), approximates);
        Ok(PyAnswer { answer, problem: Arc::clone(&self.shared) })
    }
}

#[pymethods]
impl Problem {
    /// A `contact-1` text.
    #[new]
    fn new(py: Python<'_>, text: &str, name: &str, load: usize) -> PyResult<Self> {
        py.detach(|| {
            let file = ProblemFile::parse(text, name).map_err(|error| fault::file(&error))?;
            Problem::of(&file, load)
        })
    }

    /// The `contact-1` text, and which of its loads.
    fn text(&self) -> (String, usize) {
        (self.text.clone(), self.load)
    }

    /// Bodies, contacts, rows of joints, islands, and the level.
    fn sizes(&self) -> (usize, usize, usize, usize, &'static str) {
        let problem = &self.shared;
        let rows = problem.bilateral().len() + problem.bounded().len();
        let islands = problem.islands().len();
        let level = problem.level().response_name();
        (problem.bodies().len(), problem.contacts().len(), rows, islands, level)
    }

    /// Forces by a solver.
    fn solve(
        &self,
        py: Python<'_>,
        solver: &str,
        parameters: BTreeMap<String, String>,
        budget: Option<f64>,
    ) -> PyResult<PyAnswer> {
        let choice = choice(solver, read_parameters(&parameters)?)?;
        py.detach(|| self.solve_by(&choice, budget)).map_err(|why| fault::solver(&why))
    }

    /// Forces by a solver, or why it found nothing, and what the solver did: events, with its index sets
    /// and forces after them if `inspect`, as JSON.
    fn trace(
        &self,
        py: Python<'_>,
        solver: &str,
        parameters: BTreeMap<String, String>,
        budget: Option<f64>,
        inspect: bool,
    ) -> PyResult<(Option<PyAnswer>, Option<String>, String)> {
        let choice = choice(solver, read_parameters(&parameters)?)?;
        let mut trace = Trace { events: Vec::new(), inspect };
        let solved = py.detach(|| self.solve_watched(&choice, budget, &mut trace));
        let events = Value::from(trace.events).to_string();
        Ok(match solved {
            Ok(answer) => (Some(answer), None, events),
            Err(reason) => (None, Some(reason), events),
        })
    }

    /// Judges forces: normal ones and friction of contacts, forces of bilateral and bounded rows, as
    /// bytes of doubles. The result is JSON, with the response of bodies and contacts.
    fn judge(
        &self,
        py: Python<'_>,
        normal: &[u8],
        friction: &[u8],
        bilateral: &[u8],
        bounded: &[u8],
    ) -> PyResult<String> {
        let (normal, friction) = (numbers(normal), numbers(friction));
        let (bilateral, bounded) = (numbers(bilateral), numbers(bounded));
        let problem = &*self.shared;
        let counts = [normal.len(), friction.len(), bilateral.len(), bounded.len()];
        let contacts = problem.contacts().len();
        let expected = [contacts, 3 * contacts, problem.bilateral().len(), problem.bounded().len()];
        if counts != expected {
            return Err(fault::input(&format!(
                "forces: {counts:?} numbers of normal and friction forces, bilateral and bounded rows were given, and the problem has {expected:?}"
            )));
        }
        let all = [&normal, &friction, &bilateral, &bounded];
        if all.into_iter().flatten().any(|force| !force.is_finite()) {
            return Err(fault::input("forces: not all of them are finite"));
        }
        let friction = friction.as_chunks::<3>().0.iter();
        let force = |(normal, friction): (&f64, &[f64; 3])| ContactForce {
            normal: *normal,
            friction: *friction,
        };
        let contacts = normal.iter().zip(friction).map(force).collect();
        let forces = Forces { contacts, bilateral, bounded };
        Ok(py.detach(|| judged(problem, &forces)))
    }
}

/// Keeps what a solver does.
struct Trace {
    events: Vec<Value>,
    inspect: bool,
}

impl Observer for Trace {
    fn event(&mut self, event: Event) {
        let mut entry = json!(event);
        entry["sentence"] = event.to_string().into();
        self.events.push(entry);
    }

    fn snapshot(&mut self, snapshot: &Snapshot) {
        let Some(last) = self.events.last_mut() else { return };
        let sets = snapshot.sets.iter().map(|set| (set.name.to_owned(), json!(set.members)));
        last["sets"] = sets.collect::<serde_json::Map<_, _>>().into();
        last["forces"] = json!(snapshot.forces);
    }

    fn inspects(&self) -> bool {
        self.inspect
    }
}

/// Doubles from bytes.
fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect()
}

fn judged(problem: &ContactProblem, forces: &Forces) -> String {
    let certificate = judge::judge(problem, forces);
    let response = judge::response(problem, forces);
    let (normal, slip): (Vec<f64>, Vec<[f64; 3]>) =
        response.contacts.iter().map(|it| (it.normal, it.tangential.to_array())).unzip();
    json!({
        "certified": certificate.is_certified(),
        "residual": finite(certificate.residual()),
        "certificate": certificate,
        "contacts": judge::report(problem, forces),
        "bodies": response.bodies,
        "separation": normal,
        "slip": slip,
    })
    .to_string()
}

#[pymethods]
impl PyAnswer {
    /// `certified`, `approximate`, `uncertified` or `impulse`.
    #[getter]
    fn status(&self) -> &'static str {
        match self.answer.status {
            Status::Certified(_) => "certified",
            Status::Approximate(_) => "approximate",
            Status::Uncertified => "uncertified",
            Status::Impulse => "impulse",
        }
    }

    #[getter]
    fn certified(&self) -> bool {
        self.answer.is_certified()
    }

    #[getter]
    fn residual(&self) -> f64 {
        self.answer.certificate.residual()
    }

    /// The method that answered.
    #[getter]
    fn solver(&self) -> &'static str {
        self.answer.provenance.solver
    }

    fn normal<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        doubles(py, self.answer.forces.contacts.iter().map(|force| force.normal))
    }

    fn friction<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        doubles(py, self.answer.forces.contacts.iter().flat_map(|force| force.friction))
    }

    fn bilateral<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        doubles(py, self.answer.forces.bilateral.iter().copied())
    }

    fn bounded<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        doubles(py, self.answer.forces.bounded.iter().copied())
    }

    /// The response of bodies: linear (3), angular (3).
    fn response<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        doubles(py, self.answer.response.bodies.iter().flatten().copied())
    }

    /// Modes, margins and certificate, as JSON.
    fn report(&self, py: Python<'_>) -> String {
        py.detach(|| judged(&self.problem, &self.answer.forces))
    }

    /// Which forces are unique, as JSON.
    fn uniqueness(&self, py: Python<'_>) -> String {
        let found = || judge::determinacy(&self.problem, &self.answer.forces);
        serde_json::to_string(&py.detach(found)).unwrap_or_default()
    }
}

/// Problems solved on all cores: each has an answer, or the reason why there is none.
#[pyfunction]
pub fn solve_all(
    py: Python<'_>,
    problems: Vec<Py<Problem>>,
    solver: &str,
    parameters: BTreeMap<String, String>,
    budget: Option<f64>,
) -> PyResult<Vec<(Option<PyAnswer>, Option<String>)>> {
    let choice = choice(solver, read_parameters(&parameters)?)?;
    let problems: Vec<&Problem> = problems.iter().map(Py::get).collect();
    let solved = |problem: &&Problem| match problem.solve_by(&choice, budget) {
        Ok(answer) => (Some(answer), None),
        Err(reason) => (None, Some(reason)),
    };
    Ok(py.detach(|| problems.par_iter().map(solved).collect()))
}
