//! `[run]`, `[solver]` and `[bounds]`: how a scene is run.

use super::SceneError;
use super::source::{Table, Value};
use crate::motion::{Bounds, LawName};
use stiction_solvers::all::{self, Choice};
use stiction_solvers::parameters::{PARAMETERS, Parameters, Range};

/// The stepper of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepperKind {
    /// [`EventDriven`](crate::EventDriven).
    #[default]
    EventDriven,
    /// [`TimeStepping`](crate::TimeStepping).
    TimeStepping,
    /// [`FirstOrder`](crate::FirstOrder).
    FirstOrder,
}

impl StepperKind {
    /// All of them by name, the default first.
    pub const NAMES: [(&'static str, StepperKind); 3] = [
        ("event-driven", StepperKind::EventDriven),
        ("time-stepping", StepperKind::TimeStepping),
        ("first-order", StepperKind::FirstOrder),
    ];

    /// The one of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        StepperKind::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, scheme)| scheme)
    }

    /// Its name in scenes and on the command line.
    pub fn name(self) -> &'static str {
        StepperKind::NAMES[self as usize].0
    }
}

/// How long and by what means a scene is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// When it ends (s).
    pub until: f64,
    /// Step of time-stepping; between frames of the others (s).
    pub dt: f64,
    /// The stepper.
    pub stepper: StepperKind,
    /// The solver of contact problems, with parameters of its paper.
    pub solver: Choice,
    /// Bounds of the laws of motion, where they are not those of the stepper.
    pub bounds: Bounds,
}

impl Run {
    /// Number of the last frame: the first that is not before the end, but for rounding.
    #[allow(clippy::cast_sign_loss)] // both times are positive
    pub fn last_frame(&self) -> u64 {
        /// Part of a frame that rounding may add.
        const ROUNDING: f64 = 1e-9;
        let frames = self.until / self.dt;
        (frames * (1.0 - ROUNDING)).ceil() as u64
    }
}

impl Default for Run {
    fn default() -> Self {
        Run {
            until: 5.0,
            dt: 0.01,
            stepper: StepperKind::default(),
            solver: Choice::default(),
            bounds: Bounds::default(),
        }
    }
}

/// How the scene says that it is run.
pub(super) fn run(top: &Table<'_>) -> Result<Run, SceneError> {
    let mut run = Run::default();
    if let Some(table) = top.get("run") {
        let table = table.table()?;
        let solvers: Vec<_> = all::NAMES.iter().map(|name| (*name, *name)).collect();
        let solver = table.read("solver", |value| {
            let name = value.choice(&solvers)?;
            chosen(value, name, Parameters::default())
        })?;
        run = Run {
            until: table.read("until", Value::positive)?.unwrap_or(run.until),
            dt: table.read("dt", Value::positive)?.unwrap_or(run.dt),
            stepper: table
                .read("stepper", |it| it.choice(&StepperKind::NAMES))?
                .unwrap_or(run.stepper),
            solver: solver.unwrap_or(run.solver),
            bounds: run.bounds,
        };
        table.finish()?;
    }
    if let Some(table) = top.get("solver") {
        run.solver = parameters(table.table()?, run.solver)?;
    }
    if let Some(table) = top.get("bounds") {
        run.bounds = bounds(table.table()?)?;
    }
    Ok(run)
}

/// The bounds of the laws of motion.
fn bounds(table: Table<'_>) -> Result<Bounds, SceneError> {
    let mut bounds = Bounds::default();
    for law in LawName::ALL {
        let Some(value) = table.get(law.name()) else { continue };
        bounds.set(law, value.number()?).map_err(|fault| value.fault(fault))?;
    }
    table.finish()?;
    Ok(bounds)
}

/// The solver with the parameters of its table.
fn parameters(table: Table<'_>, mut solver: Choice) -> Result<Choice, SceneError> {
    for parameter in &PARAMETERS {
        let Some(value) = table.get(parameter.name) else { continue };
        let text = match parameter.range {
            Range::Words(_) => value.text()?.to_owned(),
            Range::Number(_) | Range::Count(_) => value.number()?.to_string(),
        };
        let parsed = parameter.parse(&text);
        let parsed = parsed.map_err(|_| value.unfit(&parameter.range.to_string()))?;
        let mut parameters = solver.parameters().clone();
        parameters.set(parameter, parsed);
        solver = chosen(&value, solver.name(), parameters)?;
    }
    table.finish()?;
    Ok(solver)
}

fn chosen(value: &Value<'_>, name: &str, parameters: Parameters) -> Result<Choice, SceneError> {
    Choice::new(name, parameters).map_err(|error| value.fault(error.to_string()))
}
