//! What the campaign counts, and how it is printed.

use super::campaign::{End, SLOW};
use super::case::Tried;
use serde::Serialize;
use std::collections::BTreeMap;
use stiction_terminal::say;

/// Counts of one stepper.
#[derive(Default, Serialize)]
pub struct Tally {
    pub scenes: usize,
    /// Runs whose laws all hold.
    pub certified: usize,
    /// Runs that say that a law is broken.
    pub not_certified: usize,
    /// Scenes that are no input: bodies inside each other, joints that contradict their anchors.
    pub refused: usize,
    pub slow: usize,
    pub panics: usize,
    /// Certified although the independent check finds a law broken.
    pub wrong: usize,
    /// How often each law is broken, by the judge of motion.
    pub laws: BTreeMap<&'static str, usize>,
    /// The largest CPU time of a run (s).
    pub slowest: f64,
}

/// A run worth a replay.
#[derive(Clone, Serialize)]
pub struct Finding {
    pub stepper: &'static str,
    pub number: u64,
    pub kind: &'static str,
    pub what: String,
}

/// All counts.
#[derive(Default, Serialize)]
pub struct Report {
    pub steppers: BTreeMap<&'static str, Tally>,
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether a run panicked, did not end, or is certified and wrong.
    pub fn has_faults(&self) -> bool {
        self.steppers.values().any(|tally| tally.wrong + tally.panics + tally.slow > 0)
    }

    /// Counts a run; returns whether it is worth keeping.
    pub fn see(&mut self, number: u64, stepper: &'static str, end: &End<Tried>) -> bool {
        let tally = self.steppers.entry(stepper).or_default();
        tally.scenes += 1;
        let before = self.findings.len();
        let mut find = |kind: &'static str, what: String| {
            self.findings.push(Finding { stepper, number, kind, what });
        };
        match end {
            End::Panicked(message) => {
                tally.panics += 1;
                find("panic", message.clone());
            }
            End::Unfinished(seconds) => {
                tally.slow += 1;
                find("slow", format!("still running after {seconds:.0} s"));
            }
            End::Tried(tried) => tally.count(tried, &mut find),
        }
        self.findings.len() > before
    }

    pub fn print(&self) {
        say!(
            "{:<14} {:>7} {:>8} {:>10} {:>6} {:>8} {:>5} {:>7} {:>6} {:>9}",
            "stepper",
            "scenes",
            "refused",
            "certified",
            "part",
            "says no",
            "slow",
            "panics",
            "WRONG",
            "slowest"
        );
        for (name, tally) in &self.steppers {
            tally.print(name);
        }
        for (name, tally) in &self.steppers {
            for (law, count) in &tally.laws {
                say!("{name}: the law of {law} is broken in {count}");
            }
        }
        for finding in &self.findings {
            let Finding { stepper, number, kind, what } = finding;
            say!("{kind:<8} --case {number} --stepper {stepper}: {what}");
        }
        let sum = |count: fn(&Tally) -> usize| self.steppers.values().map(count).sum::<usize>();
        let failed = sum(|tally| tally.wrong + tally.panics + tally.slow);
        say!("{} passed, {failed} failed", sum(|tally| tally.scenes) - failed);
    }
}

impl Tally {
    fn count(&mut self, tried: &Tried, find: &mut impl FnMut(&'static str, String)) {
        self.slowest = self.slowest.max(tried.seconds);
        if tried.refused.is_some() {
            self.refused += 1;
            return;
        }
        if tried.cut {
            self.slow += 1;
            find(
                "slow",
                format!("cut after {:.0} s of CPU time, more than {SLOW:.0}", tried.seconds),
            );
            return;
        }
        for (law, what) in &tried.broken {
            *self.laws.entry(law).or_default() += 1;
            find("says no", format!("{law} {what}"));
        }
        if !tried.is_certified() {
            self.not_certified += 1;
            return;
        }
        self.certified += 1;
        if !tried.breaches.is_empty() {
            self.wrong += 1;
        }
        for breach in &tried.breaches {
            let what = format!(
                "{} {:.1e} (bound {:.0e}) {} at {:.4} s",
                breach.law, breach.value, breach.bound, breach.place, breach.time
            );
            find("WRONG", what);
        }
    }

    fn print(&self, name: &str) {
        let ran = (self.scenes - self.refused).max(1);
        let part = 100.0 * self.certified as f64 / ran as f64;
        say!(
            "{name:<14} {:>7} {:>8} {:>10} {:>4.1} % {:>8} {:>5} {:>7} {:>6} {:>7.1} s",
            self.scenes,
            self.refused,
            self.certified,
            part,
            self.not_certified,
            self.slow,
            self.panics,
            self.wrong,
            self.slowest
        );
    }
}

/// The result of one run in full.
pub fn print_details(stepper: &str, end: &End<Tried>) {
    match end {
        End::Panicked(message) => say!("{stepper}: panicked: {message}"),
        End::Unfinished(seconds) => say!("{stepper}: still running after {seconds:.0} s"),
        End::Tried(tried) => {
            if let Some(why) = &tried.refused {
                return say!("{stepper}: refused: {why}");
            }
            let word = if tried.is_certified() { "certified" } else { "NOT CERTIFIED" };
            say!("{stepper}: {word}, {:.3} s", tried.seconds);
            for (law, what) in &tried.broken {
                say!("  judge: {law} {what}");
            }
            for breach in &tried.breaches {
                say!(
                    "  check: {} {:.1e} (bound {:.0e}) {} at {:.4} s",
                    breach.law,
                    breach.value,
                    breach.bound,
                    breach.place,
                    breach.time
                );
            }
        }
    }
}
