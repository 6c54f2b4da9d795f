//! A run: a scene, the world it has become, and the stepper that moves it.

use crate::event_driven::EventDriven;
use crate::first_order::FirstOrder;
use crate::frame::Frame;
use crate::report::EnergyLedger;
use crate::scene::{Run, Scene, StepperKind};
use crate::solve::SolverSession;
use crate::stepper::Stepper;
use crate::time_stepping::TimeStepping;
use crate::world::World;
use stiction_solvers::SolveError;
use stiction_solvers::all::Choice;

/// Frames from one checkpoint to the next. There the stepper forgets what it keeps to be
/// fast, so that a run that goes on from a checkpoint makes the same bits as one that was
/// never interrupted: state and ledger of that frame are all that matters after it.
pub const CHECKPOINT: u64 = 256;

/// A scene on its way.
pub struct Simulation {
    /// Where everything is now.
    pub world: World,
    run: Run,
    stepper: Box<dyn Stepper + Send>,
    index: u64,
    ledger: EnergyLedger,
    refusal: Option<SolveError>,
}

impl Simulation {
    /// A scene at its start.
    pub fn new(scene: &Scene) -> Self {
        let (world, run) = (scene.world.clone(), scene.run.clone());
        let ledger = EnergyLedger::open(&world);
        Simulation { stepper: stepper(&run), world, run, index: 0, ledger, refusal: None }
    }

    /// A scene as a frame left it. Frames that are checkpoints go on bit by bit as the run
    /// that they are from. `None` if the frame is of another scene.
    pub fn resume(scene: &Scene, frame: &Frame) -> Option<Self> {
        let mut simulation = Simulation::new(scene);
        let (ours, theirs) = (&simulation.world.state, &frame.state);
        let fits = ours.poses.len() == theirs.poses.len() && ours.turns.len() == theirs.turns.len();
        simulation.world.state = theirs.clone();
        (simulation.index, simulation.ledger) = (frame.index, frame.ledger);
        simulation.begin_anew();
        (fits && theirs.is_finite()).then_some(simulation)
    }

    /// How it is run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Number of the frame it is at.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// What the chosen solver does not model, if the last frame had any of it: Gauss–Seidel
    /// sweeps stood in there, and the frame is not what was asked for.
    pub fn refusal(&self) -> Option<&SolveError> {
        self.refusal.as_ref()
    }

    /// Changes stepper or solver on the way.
    pub fn change(&mut self, stepper: StepperKind, solver: Choice) {
        (self.run.stepper, self.run.solver) = (stepper, solver);
        self.begin_anew();
    }

    /// Changes the world from outside, as a hand does. What that adds to its energy is booked
    /// as work.
    pub fn alter(&mut self, change: impl FnOnce(&mut World)) {
        let energy = |world: &World| {
            world.kinetic_energy(&world.state) + world.potential_energy(&world.state)
        };
        let before = energy(&self.world);
        change(&mut self.world);
        self.ledger.work += energy(&self.world) - before;
        self.begin_anew();
    }

    /// Moves on by one frame.
    pub fn advance(&mut self) -> Frame {
        if self.index > 0 && self.index.is_multiple_of(CHECKPOINT) {
            self.begin_anew();
        }
        let report = self.stepper.step(&mut self.world, self.run.dt);
        self.index += 1;
        self.ledger = report.ledger;
        self.refusal.clone_from(&report.refusal);
        Frame::capture(self.index, &self.world, report)
    }

    /// Forgets all but the state of the world and the ledger.
    pub fn begin_anew(&mut self) {
        self.stepper = stepper(&self.run);
        self.stepper.keep_book(self.ledger);
    }
}

fn stepper(run: &Run) -> Box<dyn Stepper + Send> {
    match run.stepper {
        StepperKind::EventDriven => {
            let fallback = TimeStepping::with_solver(session(&run.solver));
            let mut stepper = EventDriven::with_fallback(session(&run.solver), fallback);
            stepper.threshold = run.solver.threshold();
            Box::new(stepper)
        }
        StepperKind::TimeStepping => Box::new(TimeStepping::with_solver(session(&run.solver))),
        StepperKind::FirstOrder => Box::new(FirstOrder::with_solver(session(&run.solver))),
    }
}

/// The solver that was chosen; for `auto` as steppers like it best.
fn session(choice: &Choice) -> SolverSession {
    match choice.name() {
        "auto" => SolverSession::default(),
        _ => SolverSession::new(choice.solver()),
    }
}
