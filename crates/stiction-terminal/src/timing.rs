//! CPU time of calls, as medians: the machine may be shared, and single runs vary.

use std::sync::atomic::{AtomicU32, Ordering};

/// Runs of every measurement; 0 for as many as a good median needs.
static REPEATS: AtomicU32 = AtomicU32::new(0);

/// From now on every measurement makes this many runs, whatever time they take, so that two
/// programs do the same work and their instructions can be counted.
pub fn set_repeats(count: Option<u32>) {
    REPEATS.store(count.unwrap_or(0), Ordering::Relaxed);
}

/// Median thread CPU time of one call, in microseconds.
///
/// At least three runs, and about ten milliseconds in total, or as [`set_repeats`] says.
pub fn median_us(mut call: impl FnMut()) -> f64 {
    median_of(|| timed(&mut call).1)
}

/// Median of the times (µs) that repeated runs report, as many as in [`median_us`].
pub fn median_of(mut run: impl FnMut() -> f64) -> f64 {
    let mut times = Vec::new();
    let mut total = 0.0;
    let repeats = REPEATS.load(Ordering::Relaxed);
    let missing = |runs: usize, total: f64| match repeats {
        0 => runs < 3 || (total < 10_000.0 && runs < 1000),
        repeats => runs < repeats as usize,
    };
    while missing(times.len(), total) {
        let us = run();
        total += us;
        times.push(us);
    }
    median(&mut times)
}

/// The result of one call and its thread CPU time, in microseconds.
pub fn timed<T>(call: impl FnOnce() -> T) -> (T, f64) {
    let start = cpu_time::ThreadTime::now();
    let value = call();
    (value, start.elapsed().as_secs_f64() * 1e6)
}

/// The median; NaN of no values.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
