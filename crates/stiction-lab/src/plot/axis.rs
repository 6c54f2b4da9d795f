//! The range of an axis, and its ticks.

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From zero, unless all values are far from it.
    Linear,
    /// The same for counts: ticks at integers.
    Count,
    /// Equal ratios are equally far apart.
    Log,
}

/// An axis fitted to values, with a small margin at its ends.
pub struct Span {
    scale: Scale,
    first: f64,
    last: f64,
    ticks: Vec<f64>,
}

/// Approximate number of steps between ticks.
const STEPS: f64 = 7.0;

/// Margin beyond the values, relative to the range.
const MARGIN: f64 = 0.04;

/// Decades up to this many get ticks between them.
const DECADES_SPLIT: f64 = 2.0;

/// Smaller numbers are written with a power of ten.
const PLAIN: f64 = 1e-3;

impl Scale {
    /// The axis for these values; those that it cannot show are ignored.
    pub fn span(self, values: impl Iterator<Item = f64>) -> Span {
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        let seen = values.filter(|v| self.can_show(*v));
        let (least, most) = seen.fold(start, |(low, high), v| (low.min(v), high.max(v)));
        let (least, most) = if least <= most { (least, most) } else { (1.0, 1.0) };
        let (first, last) = self.ends(least, most);
        let ticks = match self {
            Scale::Linear => linear_ticks(first, last, 0.0),
            Scale::Count => linear_ticks(first, last, 1.0),
            Scale::Log => log_ticks(first, last),
        };
        Span { scale: self, first, last, ticks }
    }

    /// The ends of the axis, which are always different.
    fn ends(self, least: f64, most: f64) -> (f64, f64) {
        let alike = most - least <= 1e-9 * most.abs().max(least.abs());
        match self {
            Scale::Log if alike => (least / 3.0, most * 3.0),
            Scale::Log => {
                let margin = (most / least).powf(MARGIN);
                (least / margin, most * margin)
            }
            Scale::Linear | Scale::Count if least >= 0.0 && least < 0.7 * most => {
                (0.0, most * (1.0 + MARGIN))
            }
            Scale::Linear | Scale::Count if alike => {
                let margin = 0.5 * most.abs() + 0.5;
                (least - margin, most + margin)
            }
            Scale::Linear | Scale::Count => {
                let margin = MARGIN * (most - least);
                (least - margin, most + margin)
            }
        }
    }

    fn can_show(self, value: f64) -> bool {
        value.is_finite() && (self != Scale::Log || value > 0.0)
    }
}

impl Span {
    pub fn holds(&self, value: f64) -> bool {
        self.scale.can_show(value)
    }

    /// How far along the axis: 0 at its beginning, 1 at its end.
    pub fn part(&self, value: f64) -> f64 {
        let Span { first, last, .. } = *self;
        match self.scale {
            Scale::Linear | Scale::Count => (value - first) / (last - first),
            Scale::Log => (value / first).ln() / (last / first).ln(),
        }
    }

    /// Ticks with their numbers.
    pub fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        // On a linear axis all numbers have the digits of the step.
        let step = self.ticks.windows(2).map(|pair| pair[1] - pair[0]).next();
        self.ticks.iter().map(move |&tick| {
            let size = if self.scale == Scale::Log { tick } else { step.unwrap_or(tick) };
            let tiny = self.scale == Scale::Log && tick < 0.99 * PLAIN;
            (tick, if tiny { format!("{tick:.0e}") } else { format!("{tick:.0$}", decimals(size)) })
        })
    }
}

/// Digits after the point that a round number of this size needs.
fn decimals(size: f64) -> usize {
    let enough = |k: &u8| size.abs() * 10.0_f64.powi((*k).into()) > 0.999;
    (0..12).find(enough).unwrap_or(12).into()
}

/// Multiples of 1, 2 or 5 times a power of ten, `least` apart at least.
fn linear_ticks(first: f64, last: f64, least: f64) -> Vec<f64> {
    let rough = ((last - first) / STEPS).max(least);
    let power = 10.0_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|k| k * power);
    let step = steps.into_iter().find(|step| *step >= 0.8 * rough).unwrap_or(10.0 * power);
    let from = (first / step - 1e-9).ceil() as i64;
    let to = (last / step + 1e-9).floor() as i64;
    (from..=to).map(|k| k as f64 * step).collect()
}

/// Powers of ten, with 2 and 5 between if they are few.
fn log_ticks(first: f64, last: f64) -> Vec<f64> {
    let powers = first.log10().floor() as i32..=last.log10().ceil() as i32;
    let factors: &[f64] =
        if (last / first).log10() > DECADES_SPLIT { &[1.0] } else { &[1.0, 2.0, 5.0] };
    powers
        .flat_map(|power| factors.iter().map(move |k| k * 10.0_f64.powi(power)))
        .filter(|tick| (first..=last).contains(tick))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(scale: Scale, values: &[f64]) -> String {
        let span = scale.span(values.iter().copied());
        span.ticks().map(|(_, number)| number).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn linear_ticks_are_round_and_begin_at_zero_unless_far_from_it() {
        for (values, expected) in [
            ([8.0, 32.0], "0 5 10 15 20 25 30"),
            ([0.1, 0.55], "0.0 0.1 0.2 0.3 0.4 0.5"),
            ([95.0, 100.0], "95 96 97 98 99 100"),
            ([-1.0, 1.0], "-1.0 -0.5 0.0 0.5 1.0"),
        ] {
            assert_eq!(numbers(Scale::Linear, &values), expected);
        }
    }

    #[test]
    fn counts_have_no_ticks_between_whole_numbers() {
        assert_eq!(numbers(Scale::Count, &[1.0, 3.0]), "0 1 2 3");
        assert_eq!(numbers(Scale::Count, &[8.0, 32.0]), "0 5 10 15 20 25 30");
    }

    #[test]
    fn log_ticks_are_decades_or_their_parts() {
        for (values, expected) in [
            ([0.3, 20_000.0], "1 10 100 1000 10000"),
            ([0.07, 30.0], "0.1 1 10"),
            ([3.0, 60.0], "5 10 20 50"),
            ([7e-6, 0.02], "1e-5 1e-4 0.001 0.01"),
            ([1.0, 10.0], "1 2 5 10"),
        ] {
            assert_eq!(numbers(Scale::Log, &values), expected);
        }
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
