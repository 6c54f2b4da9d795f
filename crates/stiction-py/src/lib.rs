//! The compiled part of the Python package `stiction`: numbers travel as bytes, which the Python
//! part (`python/stiction`) shows as NumPy arrays; what is small travels as JSON.
//!
//! | file | what |
//! | --- | --- |
//! | `simulation.rs` | a scene that is being run |
//! | `frame.rs` | one instant of a run, as arrays |
//! | `recording.rs` | runs in files |
//! | `problem.rs` | single contact problems, solved and judged |
//! | `statics.rs` | assemblies, verdicts, margins |
//! | `fault.rs` | exceptions |

// What comes from Python is owned.
#![allow(clippy::needless_pass_by_value)]

mod fault;
mod frame;
mod problem;
mod recording;
mod simulation;
mod statics;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("SOLVERS", stiction_solvers::all::NAMES.to_vec())?;
    let steppers = stiction::scene::StepperKind::NAMES.map(|(name, _)| name);
    module.add("STEPPERS", steppers.to_vec())?;
    module.add_class::<simulation::Run>()?;
    module.add_class::<frame::PyFrame>()?;
    module.add_class::<recording::PyRecording>()?;
    module.add_class::<problem::Problem>()?;
    module.add_class::<problem::PyAnswer>()?;
    module.add_function(wrap_pyfunction!(problem::solve_all, module)?)?;
    module.add_class::<statics::PyAssembly>()?;
    module.add_class::<statics::PyVerdict>()?;
    module.add_class::<statics::PyMargin>()?;
    module.add_function(wrap_pyfunction!(statics::stands_all, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::describe, module)?)?;
    Ok(())
}
