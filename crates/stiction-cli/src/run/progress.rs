//! The progress of a run, on a terminal.

use super::summary::Summary;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};
use stiction::Frame;

/// Time between updates.
const EVERY: Duration = Duration::from_millis(100);

/// A bar on stderr; nothing if that is not a terminal.
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    shown: Instant,
}

impl Progress {
    pub fn new(frames: u64) -> Self {
        let bar = ProgressBar::new(frames);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3} %  {wide_msg}") {
            bar.set_style(style);
        }
        let now = Instant::now();
        Progress { bar, begun: now, shown: now }
    }

    /// Shows a frame; `simulated` is the time (s) simulated so far.
    pub fn show(&mut self, frame: &Frame, summary: &Summary, simulated: f64) {
        if self.shown.elapsed() < EVERY {
            return;
        }
        self.shown = Instant::now();
        let pace = simulated / self.begun.elapsed().as_secs_f64();
        self.bar.set_position(frame.index);
        self.bar.set_message(format!(
            "{:.2} s  {pace:.2} × real time  {} contacts  worst residual {:.1e}",
            frame.state.time,
            frame.contacts.len(),
            summary.certificate.worst.max(frame.residual)
        ));
    }

    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}
