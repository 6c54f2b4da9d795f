//! The time at which the next frame is due, and the measured speed of the run.

use std::time::{Duration, Instant};

/// Largest delay that a run catches up on. A run that cannot reach the requested speed drops the
/// delay beyond this.
const MAX_DELAY: Duration = Duration::from_millis(250);
/// Longest interval between two frames (s); it also prevents an overflow in the time arithmetic.
const MAX_INTERVAL: f64 = 3600.0;

/// Schedules the frames of a run in real time.
pub struct Pace {
    due: Instant,
    /// Simulated seconds per second.
    pub speed: f64,
}

impl Pace {
    /// Starts now, in real time.
    pub fn new() -> Self {
        Pace { due: Instant::now(), speed: 1.0 }
    }

    /// Makes the next frame due now.
    pub fn restart(&mut self) {
        self.due = Instant::now();
    }

    /// Time until the next frame is due.
    pub fn wait(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// Schedules the next frame after one that spans `dt` simulated seconds.
    pub fn advance(&mut self, dt: f64) {
        let interval = Duration::from_secs_f64((dt / self.speed).clamp(0.0, MAX_INTERVAL));
        let now = Instant::now();
        let oldest = now.checked_sub(MAX_DELAY).unwrap_or(now);
        self.due = (self.due + interval).max(oldest);
    }
}

/// Measures the speed of a run from one report to the next.
pub struct Meter {
    since: Instant,
    steps: u32,
    busy: Duration,
    simulated: f64,
    /// The last report.
    pub last: Measured,
}

/// Measured speeds; `None` if the run made no step.
#[derive(Clone, Copy, Default)]
pub struct Measured {
    /// Simulated seconds per second.
    pub real_time_factor: Option<f64>,
    /// Mean time to compute one frame (ms).
    pub step_ms: Option<f64>,
}

impl Meter {
    pub fn new() -> Self {
        let (since, busy, last) = (Instant::now(), Duration::ZERO, Measured::default());
        Meter { since, steps: 0, busy, simulated: 0.0, last }
    }

    /// Records a frame of `dt` simulated seconds that took `took` to compute.
    pub fn count(&mut self, took: Duration, dt: f64) {
        self.steps += 1;
        self.busy += took;
        self.simulated += dt;
    }

    /// Time since the last report.
    pub fn age(&self) -> Duration {
        self.since.elapsed()
    }

    /// Stores the measurement in `last` and starts the next one.
    pub fn report(&mut self) {
        let stepped = self.steps > 0;
        let step_ms = 1e3 * self.busy.as_secs_f64() / f64::from(self.steps.max(1));
        let factor = self.simulated / self.age().as_secs_f64().max(f64::MIN_POSITIVE);
        let last = Measured {
            real_time_factor: stepped.then_some(factor),
            step_ms: stepped.then_some(step_ms),
        };
        *self = Meter { last, ..Meter::new() };
    }
}
