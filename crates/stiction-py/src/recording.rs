//! Runs in files. The file is locked without the interpreter's lock, as runs are.

use crate::fault;
use crate::frame::PyFrame;
use crate::simulation::certificate;
use pyo3::prelude::*;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use stiction::motion::MotionJudge;
use stiction::recording::Recording;

/// A recording that is read.
#[pyclass(name = "Recording", module = "stiction._core", frozen)]
pub struct PyRecording {
    inner: Mutex<Recording>,
}

#[pymethods]
impl PyRecording {
    #[new]
    fn new(py: Python<'_>, path: &str) -> PyResult<Self> {
        let opened = py.detach(|| Recording::open(Path::new(path)));
        let recording = opened.map_err(|error| fault::recording(&error))?;
        Ok(PyRecording { inner: Mutex::new(recording) })
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().len() as usize)
    }

    /// One frame.
    fn frame(&self, py: Python<'_>, index: u64) -> PyResult<PyFrame> {
        let frame = py.detach(|| self.lock().frame(index));
        Ok(PyFrame { frame: frame.map_err(|error| fault::recording(&error))? })
    }

    /// The scene it is of, for programs that draw it, as JSON.
    fn description(&self, py: Python<'_>) -> String {
        py.detach(|| self.lock().description().to_string())
    }

    /// The text of its scene.
    fn text(&self, py: Python<'_>) -> String {
        py.detach(|| self.lock().origin().text.clone())
    }

    /// What of the file cannot be read, and where.
    fn faults(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.lock().faults())
    }

    /// Its motion judged from its frames and its scene alone, as JSON.
    fn certificate(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            let recording = self.lock();
            let scene = recording.scene().map_err(|error| fault::recording(&error))?;
            let mut judge = MotionJudge::new(&scene.world, &scene.run);
            for frame in recording.frames() {
                judge.see(&frame.map_err(|error| fault::recording(&error))?);
            }
            Ok(certificate(&judge.certificate()).to_string())
        })
    }
}

impl PyRecording {
    fn lock(&self) -> MutexGuard<'_, Recording> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
