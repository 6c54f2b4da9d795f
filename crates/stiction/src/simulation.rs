//! A run: a scene, its world at the present time, and the stepper that advances it.

use crate::event_driven::EventDriven;
use crate::first_order::FirstOrder;
use crate::frame::Frame;
use crate::instant::Instant;
use crate::motion::{MotionJudge, RunCertificate};
use crate::report::{EnergyLedger, Report};
use crate::scene::{Run, Scene, StepperKind};
use crate::settle::{Separation, separate};
use crate::solve::SolverSession;
use crate::stepper::Stepper;
use crate::time_stepping::TimeStepping;
use crate::world::World;
use stiction_solvers::all::Choice;
use stiction_solvers::{Selection, SolveError};

/// Frames from one checkpoint to the next. There the stepper forgets its caches,
/// so that a run resumed from a checkpoint has the same bits as one that was
/// never interrupted: it depends on the state and the ledger of that frame only.
pub const CHECKPOINT: u64 = 256;

/// Times that differ by less than this fraction of the time between frames are the same.
const SAME_TIME: f64 = 1e-9;

/// What the frames of a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Problems solved.
    pub solves: usize,
    /// Newton steps, pivots and steps along a path in all of them.
    pub iterations: usize,
    /// How often contacts of the whole world were detected.
    pub detections: usize,
}

/// A scene that is being run.
pub struct Simulation {
    /// The world at the present time.
    pub world: World,
    run: Run,
    stepper: Box<dyn Stepper + Send>,
    index: u64,
    ledger: EnergyLedger,
    counts: Counts,
    refusal: Option<SolveError>,
    judge: MotionJudge,
    separated: Separation,
}

impl Simulation {
    /// A scene at its start. Bodies that overlap are moved apart first ([`Simulation::separated`]).
    pub fn new(scene: &Scene) -> Self {
        let (mut world, run) = (scene.world.clone(), scene.run.clone());
        let separated = separate(&mut world);
        let ledger = EnergyLedger::open(&world);
        let judge = MotionJudge::new(&world, &run);
        let (stepper, counts) = (stepper(&run), Counts::default());
        Simulation {
            world,
            run,
            stepper,
            index: 0,
            ledger,
            counts,
            refusal: None,
            judge,
            separated,
        }
    }

    /// What overlapped in the scene and was moved apart before the run began.
    pub fn separated(&self) -> &Separation {
        &self.separated
    }

    /// A scene resumed from a frame. From a checkpoint the run continues with the same bits as
    /// the run that the frame is from. `None` if the frame is of another scene.
    pub fn resume(scene: &Scene, frame: &Frame) -> Option<Self> {
        let mut simulation = Simulation::new(scene);
        let (ours, theirs) = (&simulation.world.state, &frame.state);
        let fits = ours.poses.len() == theirs.poses.len() && ours.turns.len() == theirs.turns.len();
        simulation.world.state = theirs.clone();
        (simulation.index, simulation.ledger) = (frame.index, frame.ledger);
        simulation.restart_stepper();
        if frame.index == 0 {
            simulation.judge.see(frame);
        } else {
            simulation.judge.begin(frame);
        }
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

    /// What the frames took that this advanced by.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// What the chosen solver does not model, if the last frame had any of it: Gauss–Seidel
    /// sweeps replaced it there, and the frame is not an answer of that solver.
    pub fn refusal(&self) -> Option<&SolveError> {
        self.refusal.as_ref()
    }

    /// Changes stepper or solver during the run.
    pub fn change(&mut self, stepper: StepperKind, solver: Choice) {
        (self.run.stepper, self.run.solver) = (stepper, solver);
        self.judge.run_by(&self.run);
        self.restart_stepper();
    }

    /// Changes the world from outside. The energy that this adds is entered into the ledger as
    /// work.
    pub fn alter(&mut self, change: impl FnOnce(&mut World)) {
        let energy = |world: &World| {
            world.kinetic_energy(&world.state) + world.potential_energy(&world.state)
        };
        let before = energy(&self.world);
        change(&mut self.world);
        self.ledger.work += energy(&self.world) - before;
        self.judge.altered(&self.world);
        self.restart_stepper();
    }

    /// The frame of the start with the forces that act there, judged: where the laws leave a choice the
    /// minimum-norm forces, unless another solver was chosen. They are found by a session of their own: the first step
    /// starts from none of them.
    pub fn first(&mut self) -> Frame {
        let mut session = match self.run.solver.name() {
            "auto" => SolverSession::selecting(Selection::Smallest),
            _ => session(&self.run.solver),
        };
        session.begin_step(&self.world, self.run.dt);
        let instant = Instant::new(&self.world, &self.run);
        let none = || Report { certified: true, ..Report::default() };
        let report = instant.map_or_else(none, |it| it.report(&self.world, &mut session));
        self.refusal.clone_from(&report.refusal);
        let report = Report { ledger: self.ledger, ..report };
        let mut frame = Frame::capture(0, &self.world, report);
        frame.verdict = self.judge.see(&frame);
        frame
    }

    /// Takes a frame of the same run that was judged before it was resumed into the certificate.
    pub fn recall(&mut self, frame: &Frame) {
        self.judge.recall(frame);
    }

    /// What the run is worth so far by the laws of motion: all frames since its start, or since the
    /// frame it was resumed from.
    pub fn certificate(&self) -> RunCertificate {
        self.judge.certificate()
    }

    /// Advances by one frame.
    pub fn advance(&mut self) -> Frame {
        if self.index == 0 && !self.judge.has_begun() {
            self.first();
        }
        if self.index > 0 && self.index.is_multiple_of(CHECKPOINT) {
            self.restart_stepper();
        }
        let report = self.stepper.step(&mut self.world, self.run.dt);
        self.index += 1;
        self.ledger = report.ledger;
        self.refusal.clone_from(&report.refusal);
        self.counts.solves += report.solves;
        self.counts.iterations += report.iterations;
        self.counts.detections += report.detections;
        let mut frame = Frame::capture(self.index, &self.world, report);
        frame.verdict = self.judge.see(&frame);
        frame
    }

    /// The world at a later time (s): after whole frames, and a step of what is left.
    ///
    /// # Errors
    ///
    /// What the chosen solver does not model.
    pub fn world_at(mut self, time: f64) -> Result<World, SolveError> {
        let left = |simulation: &Simulation| time - simulation.world.state.time;
        let dt = self.run.dt;
        while self.refusal.is_none() && left(&self) > (1.0 - SAME_TIME) * dt {
            self.advance();
        }
        if self.refusal.is_none() && left(&self) > SAME_TIME * dt {
            let rest = left(&self);
            self.refusal = self.stepper.step(&mut self.world, rest).refusal;
        }
        self.refusal.map_or(Ok(self.world), Err)
    }

    /// Starts with a new stepper: keeps the state of the world and the ledger only.
    pub fn restart_stepper(&mut self) {
        self.stepper = stepper(&self.run);
        self.stepper.set_ledger(self.ledger);
    }
}

fn stepper(run: &Run) -> Box<dyn Stepper + Send> {
    let session = || session(&run.solver);
    let time_stepping = || TimeStepping::with_solver(session()).repaired_by(session());
    match run.stepper {
        StepperKind::EventDriven => {
            let mut stepper = EventDriven::with_fallback(session(), time_stepping());
            stepper.threshold = run.solver.threshold();
            Box::new(stepper)
        }
        StepperKind::TimeStepping => Box::new(time_stepping()),
        StepperKind::FirstOrder => {
            Box::new(FirstOrder::with_solver(session()).repaired_by(session()))
        }
    }
}

/// The chosen solver; `auto` with the settings for steppers.
fn session(choice: &Choice) -> SolverSession {
    match choice.name() {
        "auto" => SolverSession::default(),
        _ => SolverSession::new(choice.solver()),
    }
}
