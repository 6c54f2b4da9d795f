//! Where a value falls below zero.

/// Steps of false position at most.
const ROUNDS: usize = 60;

/// Where a value that is positive at `low` and not at `high` falls below zero, to a width,
/// by false position (Illinois).
pub(crate) fn falls(
    mut low: (f64, f64),
    mut high: (f64, f64),
    width: f64,
    mut value: impl FnMut(f64) -> f64,
) -> f64 {
    let mut side = 0;
    for _ in 0..ROUNDS {
        if high.0 - low.0 <= width || high.1 == 0.0 {
            break;
        }
        let mut at = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
        if !(at > low.0 && at < high.0) {
            at = 0.5 * (low.0 + high.0);
        }
        let reached = value(at);
        if reached > 0.0 {
            low = (at, reached);
            high.1 *= if side == 1 { 0.5 } else { 1.0 };
            side = 1;
        } else {
            high = (at, reached);
            low.1 *= if side == -1 { 0.5 } else { 1.0 };
            side = -1;
        }
    }
    high.0
}
