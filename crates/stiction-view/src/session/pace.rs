//! When the next frame is due, and how fast the run really is.

use std::time::{Duration, Instant};

/// How far a run may be behind its time and still catch up. A run that is slower than asked
/// falls back further and further; beyond this it is forgiven.
const MOST_DEBT: Duration = Duration::from_millis(250);
/// Longest wait for a frame (s); also keeps the arithmetic of times from overflowing.
const LONGEST: f64 = 3600.0;

/// The clock of a run.
pub struct Pace {
    due: Instant,
    /// Simulated seconds per second.
    pub speed: f64,
}

impl Pace {
    /// One second per second.
    pub fn new() -> Self {
        Pace { due: Instant::now(), speed: 1.0 }
    }

    /// Begins to count now.
    pub fn restart(&mut self) {
        self.due = Instant::now();
    }

    /// How long until the next frame.
    pub fn wait(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// A frame of such a duration (s) was made: the next one is due when it has been seen.
    pub fn made(&mut self, dt: f64) {
        let interval = Duration::from_secs_f64((dt / self.speed).clamp(0.0, LONGEST));
        let now = Instant::now();
        let oldest = now.checked_sub(MOST_DEBT).unwrap_or(now);
        self.due = (self.due + interval).max(oldest);
    }
}

/// Measures a run from one report to the next.
pub struct Meter {
    since: Instant,
    steps: u32,
    busy: Duration,
    simulated: f64,
    /// What was measured last.
    pub last: Measured,
}

/// Speeds of a run; `None` where it did not move.
#[derive(Clone, Copy, Default)]
pub struct Measured {
    /// Simulated seconds per second.
    pub real_time_factor: Option<f64>,
    /// Time to make one frame (ms).
    pub step_ms: Option<f64>,
}

impl Meter {
    pub fn new() -> Self {
        let (since, busy, last) = (Instant::now(), Duration::ZERO, Measured::default());
        Meter { since, steps: 0, busy, simulated: 0.0, last }
    }

    /// One frame was made.
    pub fn count(&mut self, took: Duration, dt: f64) {
        self.steps += 1;
        self.busy += took;
        self.simulated += dt;
    }

    /// Time since the last report.
    pub fn age(&self) -> Duration {
        self.since.elapsed()
    }

    /// Closes one span of measurement and begins the next.
    pub fn report(&mut self) {
        let moved = self.steps > 0;
        let step_ms = 1e3 * self.busy.as_secs_f64() / f64::from(self.steps.max(1));
        let factor = self.simulated / self.age().as_secs_f64().max(f64::MIN_POSITIVE);
        let last = Measured {
            real_time_factor: moved.then_some(factor),
            step_ms: moved.then_some(step_ms),
        };
        *self = Meter { last, ..Meter::new() };
    }
}
