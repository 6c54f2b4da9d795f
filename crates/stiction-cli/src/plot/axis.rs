//! Where an axis begins and ends, and its ticks.

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From zero, unless all values are far from it.
    Linear,
    /// Equal ratios are equally far apart.
    Log,
}

/// An axis fitted to values: it begins and ends at a tick.
pub struct Span {
    scale: Scale,
    ticks: Vec<f64>,
}

/// About so many steps between ticks.
const STEPS: f64 = 6.0;

/// Whole decades get ticks between them up to this many.
const DECADES_SPLIT: i32 = 3;

impl Scale {
    /// The axis that shows all these values, those that it can.
    pub fn span(self, values: impl Iterator<Item = f64>) -> Span {
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        let seen = values.filter(|v| self.can_show(*v));
        let (least, most) = seen.fold(start, |(low, high), v| (low.min(v), high.max(v)));
        let (least, most) = if least <= most { (least, most) } else { (1.0, 1.0) };
        let ticks = match self {
            Scale::Linear => linear_ticks(least, most),
            Scale::Log => log_ticks(least, most),
        };
        Span { scale: self, ticks }
    }

    fn can_show(self, value: f64) -> bool {
        value.is_finite() && (self == Scale::Linear || value > 0.0)
    }
}

impl Span {
    pub fn holds(&self, value: f64) -> bool {
        self.scale.can_show(value)
    }

    /// How far along the axis: 0 at its beginning, 1 at its end.
    pub fn part(&self, value: f64) -> f64 {
        let (first, last) = (self.ticks[0], self.ticks[self.ticks.len() - 1]);
        match self.scale {
            Scale::Linear => (value - first) / (last - first),
            Scale::Log => (value / first).ln() / (last / first).ln(),
        }
    }

    /// Ticks with their numbers.
    pub fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        let decimals = match self.scale {
            Scale::Linear => decimals(self.ticks[1] - self.ticks[0]),
            Scale::Log => 0,
        };
        self.ticks.iter().map(move |&tick| {
            let decimals = if self.scale == Scale::Log { self::decimals(tick) } else { decimals };
            (tick, format!("{tick:.decimals$}"))
        })
    }
}

/// Digits after the point that a round number of this size needs.
fn decimals(size: f64) -> usize {
    (0..12).find(|&k| size * 10.0_f64.powi(k) > 0.999).unwrap_or(12).unsigned_abs() as usize
}

/// Multiples of 1, 2 or 5 times a power of ten around the values, two at least.
fn linear_ticks(least: f64, most: f64) -> Vec<f64> {
    let (mut least, mut most) = (least, most);
    if least >= 0.0 && least <= 0.7 * most {
        least = 0.0;
    }
    if most - least <= 1e-9 * most.abs().max(least.abs()) {
        (least, most) = (least - 0.5 * least.abs() - 0.5, most + 0.5 * most.abs() + 0.5);
    }
    let rough = (most - least) / STEPS;
    let power = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|s| *s >= 0.999 * rough);
    let step = step.unwrap_or(10.0 * power);
    let first = (least / step + 1e-9).floor() as i64;
    let last = (most / step - 1e-9).ceil() as i64;
    (first..=last.max(first + 1)).map(|k| k as f64 * step).collect()
}

/// Powers of ten around the values, with 2 and 5 between if they are few.
fn log_ticks(least: f64, most: f64) -> Vec<f64> {
    let (low, high) = (least.log10().floor() as i32, most.log10().ceil() as i32);
    let high = high.max(low + 1);
    if high - low > DECADES_SPLIT {
        return (low..=high).map(|power| 10.0_f64.powi(power)).collect();
    }
    let all: Vec<f64> =
        (low..=high).flat_map(|power| [1.0, 2.0, 5.0].map(|k| k * 10.0_f64.powi(power))).collect();
    let first = all.iter().rposition(|t| *t <= least * (1.0 + 1e-9)).unwrap_or(0);
    let last = all.iter().position(|t| *t >= most * (1.0 - 1e-9)).unwrap_or(all.len() - 1);
    all[first..=last.max(first + 1).min(all.len() - 1)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(scale: Scale, values: &[f64]) -> Vec<String> {
        scale.span(values.iter().copied()).ticks().map(|(_, number)| number).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_begin_at_zero_unless_far_from_it() {
        assert_eq!(numbers(Scale::Linear, &[8.0, 32.0]), ["0", "10", "20", "30", "40"]);
        assert_eq!(
            numbers(Scale::Linear, &[0.1, 0.55]),
            ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"]
        );
        assert_eq!(numbers(Scale::Linear, &[95.0, 100.0]), ["95", "96", "97", "98", "99", "100"]);
        assert_eq!(numbers(Scale::Linear, &[-1.0, 1.0]), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
    }

    #[test]
    fn log_ticks_are_decades_or_their_parts() {
        assert_eq!(
            numbers(Scale::Log, &[0.3, 20_000.0]),
            ["0.1", "1", "10", "100", "1000", "10000", "100000"]
        );
        assert_eq!(numbers(Scale::Log, &[3.0, 60.0]), ["2", "5", "10", "20", "50", "100"]);
        assert_eq!(numbers(Scale::Log, &[1.0, 10.0]), ["1", "2", "5", "10"]);
    }

    #[test]
    fn a_single_value_still_makes_an_axis() {
        for scale in [Scale::Linear, Scale::Log] {
            for value in [0.01, 1.0, 10.0, 12345.0] {
                let span = scale.span([value].into_iter());
                assert!(span.ticks().count() >= 2, "{scale:?} {value}");
                assert!((0.0..=1.0).contains(&span.part(value)), "{scale:?} {value}");
            }
        }
        assert!(Scale::Linear.span([0.0].into_iter()).part(0.0).is_finite());
    }
}
