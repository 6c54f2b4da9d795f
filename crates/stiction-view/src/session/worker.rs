//! The thread that steps. A step can take long: the runner never waits for it.
//!
//! The simulation travels to the worker with a task and back with the frame. A runner that no
//! longer wants the step drops the worker: its thread ends with the step, and what it returns then
//! is ignored.

use super::SessionEvent;
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use stiction::{Frame, Simulation, uniqueness};

/// What to compute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// The frame of the start.
    First,
    /// The next frame.
    Advance,
}

/// A simulation, the task, and whether to examine which forces are unique.
struct Job {
    simulation: Box<Simulation>,
    task: Task,
    examine: bool,
}

/// A task that was carried out.
pub struct Done {
    /// Number of the worker.
    pub worker: u64,
    pub task: Task,
    pub simulation: Box<Simulation>,
    pub frame: Box<Frame>,
    /// Computing time of the frame.
    pub took: Duration,
    /// Computing time of the examination, if there was one.
    pub examined: Option<Duration>,
}

/// The handle of the thread.
pub struct Worker {
    /// Tells workers apart.
    pub number: u64,
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts a thread that returns what it computed as events.
    ///
    /// # Errors
    ///
    /// That of the operating system.
    pub fn start(number: u64, events: SyncSender<SessionEvent>) -> std::io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let thread = std::thread::Builder::new().name("step".into()).spawn(move || {
            while let Ok(job) = queue.recv() {
                let done = job.carry_out(number);
                if events.send(SessionEvent::Done(done)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Worker { number, jobs, thread })
    }

    /// Sends a simulation to the thread; lost if the thread has ended, see [`Worker::has_ended`].
    pub fn begin(&self, simulation: Box<Simulation>, task: Task, examine: bool) {
        let _ = self.jobs.send(Job { simulation, task, examine });
    }

    /// Whether the thread has ended, with the simulation that it had.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// The thread alone: it ends after its present task.
    pub fn abandon(self) -> JoinHandle<()> {
        self.thread
    }
}

impl Job {
    fn carry_out(self, worker: u64) -> Done {
        let Job { mut simulation, task, examine } = self;
        let begin = Instant::now();
        let mut frame = match task {
            Task::First => simulation.first(),
            Task::Advance => simulation.advance(),
        };
        let took = begin.elapsed();
        let sound = simulation.refusal().is_none() && frame.state.is_finite();
        let examined = (examine && sound).then(|| {
            let begin = Instant::now();
            frame.unique = uniqueness(&simulation.world, &frame).forces;
            begin.elapsed()
        });
        Done { worker, task, simulation, frame: Box::new(frame), took, examined }
    }
}
