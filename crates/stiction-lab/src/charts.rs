//! Energies, contact forces, certificates and events of a recording over time.

use crate::plot::{Axis, Marker, Plot, Scale, Series};
use std::collections::BTreeMap;
use stiction::{BodyId, Frame};
use stiction_solvers::judge::CERTIFIED;

/// Pairs of bodies whose force is drawn.
const PAIRS: usize = 6;

/// Longer curves are thinned to about this number of points; extremes are kept.
const POINTS: usize = 1200;

type Points = Vec<[f64; 2]>;

/// The curves, collected frame by frame.
#[derive(Default)]
pub struct Curves {
    /// Kinetic, potential since the start, work, friction, impacts (J).
    energies: [Points; 5],
    potential_at_start: f64,
    /// Largest relative energy error.
    error: f64,
    /// Sum of the normal forces of each pair of bodies (N).
    forces: BTreeMap<[usize; 2], Points>,
    times: Vec<f64>,
    certified: Points,
    uncertified: Points,
    /// Events so far, by kind.
    events: Vec<(&'static str, Points)>,
}

impl Curves {
    /// Adds a frame.
    pub fn add(&mut self, frame: &Frame) {
        let (time, ledger) = (frame.state.time, &frame.ledger);
        if self.times.is_empty() {
            self.potential_at_start = ledger.potential;
        }
        self.times.push(time);
        let potential = ledger.potential - self.potential_at_start;
        let values = [ledger.kinetic, potential, ledger.work, ledger.friction, ledger.impacts];
        self.energies.iter_mut().zip(values).for_each(|(curve, value)| curve.push([time, value]));
        self.error = self.error.max(ledger.error());
        self.add_forces(frame);
        let known = if frame.certified { &mut self.certified } else { &mut self.uncertified };
        known.push([time, frame.residual]);
        for event in &frame.events {
            let kind = event.what.name();
            let at = self.events.iter().position(|(known, _)| *known == kind);
            let at = at.unwrap_or_else(|| {
                self.events.push((kind, vec![[event.time, 0.0]]));
                self.events.len() - 1
            });
            // A step up at the time of the event.
            let curve = &mut self.events[at].1;
            let so_far = curve.last().map_or(0.0, |point| point[1]);
            curve.extend([[event.time, so_far], [event.time, so_far + 1.0]]);
        }
    }

    fn add_forces(&mut self, frame: &Frame) {
        let mut sums: BTreeMap<[usize; 2], f64> = BTreeMap::new();
        for contact in &frame.contacts {
            *sums.entry(contact.key.bodies().map(BodyId::index)).or_default() +=
                contact.normal_force;
        }
        for (pair, sum) in sums {
            self.forces.entry(pair).or_default().push([frame.state.time, sum]);
        }
    }

    /// Whether no frame was added.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The pictures, by name, as SVG files; `bodies` are the names of the bodies.
    pub fn pictures(&self, title: &str, bodies: &[String]) -> [(&'static str, String); 4] {
        [
            ("energies", self.energies(title)),
            ("forces", self.forces(title, bodies)),
            ("certificates", self.certificates(title)),
            ("events", self.events(title)),
        ]
        .map(|(name, plot)| (name, plot.svg()))
    }

    fn energies(&self, title: &str) -> Plot {
        let names = ["kinetic", "potential", "work of motors", "friction heat", "collision heat"];
        let curves = names.into_iter().zip(&self.energies).enumerate();
        let shown = curves.filter(|(_, (_, curve))| curve.iter().any(|point| point[1] != 0.0));
        let series = shown.map(|(k, (name, curve))| line(name.into(), k, curve)).collect();
        let note = format!(
            "potential energy relative to the start; energy error at most {:.1e} (relative)",
            self.error
        );
        plot(format!("{title}: energies"), vec![note], "energy / J", Scale::Linear, series)
    }

    /// The pairs with the largest mean force; zero while they do not touch.
    fn forces(&self, title: &str, bodies: &[String]) -> Plot {
        let sum = |curve: &Points| curve.iter().map(|point| point[1]).sum::<f64>();
        let mut pairs: Vec<_> = self.forces.iter().filter(|(_, curve)| sum(curve) > 0.0).collect();
        pairs.sort_by(|one, other| sum(other.1).total_cmp(&sum(one.1)));
        let count = pairs.len();
        pairs.truncate(PAIRS);
        let note = format!(
            "sum of the normal forces of two bodies; the largest {} of {count} pairs",
            pairs.len()
        );
        let scale = if peaks(pairs.iter().map(|pair| pair.1)) { Scale::Log } else { Scale::Linear };
        let series = pairs.iter().enumerate().map(|(k, (pair, curve))| {
            let [one, other] = pair.map(|body| bodies.get(body).map_or("", String::as_str));
            let name = format!("{one} on {other}");
            line(name, k, &self.with_gaps(curve))
        });
        plot(format!("{title}: contact forces"), vec![note], "force / N", scale, series.collect())
    }

    /// A curve with zeros at the times it has no point for.
    fn with_gaps(&self, curve: &Points) -> Points {
        let mut points = curve.iter().peekable();
        let at = |time: &f64| match points.next_if(|point| point[0] == *time) {
            Some(point) => *point,
            None => [*time, 0.0],
        };
        self.times.iter().map(at).collect()
    }

    fn certificates(&self, title: &str) -> Plot {
        let ends = [self.times.first(), self.times.last()].map(|time| time.copied().unwrap_or(0.0));
        let mut limit = line("limit".into(), 1, &ends.map(|time| [time, CERTIFIED]));
        limit.quoted = true;
        let mut series = vec![line("worst residual".into(), 0, &self.certified), limit];
        if !self.uncertified.is_empty() {
            let label = "not certified".to_owned();
            let marks = self.uncertified.clone();
            let (marker, line) = (Marker::Square, Vec::new());
            series.push(Series { label, colour: 3, marker, quoted: false, marks, line });
        }
        let frames = self.times.len();
        let note = format!(
            "worst relative residual of each frame, where anything was solved; {} of {frames} frames certified",
            frames - self.uncertified.len()
        );
        plot(format!("{title}: certificates"), vec![note], "residual", Scale::Log, series)
    }

    fn events(&self, title: &str) -> Plot {
        let end = self.times.last().copied().unwrap_or(0.0);
        let series = self.events.iter().enumerate().map(|(k, (kind, curve))| {
            let count = curve.last().map_or(0.0, |point| point[1]);
            let mut curve = curve.clone();
            curve.push([end, count]);
            line(format!("{kind} ({count})"), k, &curve)
        });
        let series: Vec<Series> = series.collect();
        let note = if series.is_empty() { "none" } else { "so far, by kind" };
        let notes = vec![note.to_owned()];
        plot(format!("{title}: events"), notes, "events", Scale::Count, series)
    }
}

/// Whether a few forces are so large that a linear axis would hide the others.
fn peaks<'a>(curves: impl Iterator<Item = &'a Points>) -> bool {
    /// The largest over the median.
    const STANDS_OUT: f64 = 20.0;
    let values = curves.flatten().map(|point| point[1]).filter(|value| *value > 0.0);
    let mut values: Vec<f64> = values.collect();
    let most = values.iter().copied().fold(0.0, f64::max);
    most > STANDS_OUT * stiction_terminal::timing::median(&mut values)
}

fn plot(title: String, notes: Vec<String>, label: &str, scale: Scale, series: Vec<Series>) -> Plot {
    let x = Axis { label: "time / s".into(), scale: Scale::Linear };
    Plot { title, notes, x, y: Axis { label: label.into(), scale }, series }
}

/// A curve; from the seventh on, colours repeat with dashed lines.
fn line(label: String, colour: usize, points: &[[f64; 2]]) -> Series {
    let line = thinned(points);
    Series { label, colour, marker: Marker::Circle, quoted: colour >= PAIRS, marks: vec![], line }
}

/// The lowest and the highest point of every segment of a long curve, in order.
fn thinned(points: &[[f64; 2]]) -> Points {
    if points.len() <= POINTS {
        return points.to_vec();
    }
    let pieces = points.chunks(points.len().div_ceil(POINTS / 2));
    let ends = |piece: &[[f64; 2]]| {
        let by_value = |one: &&[f64; 2], other: &&[f64; 2]| one[1].total_cmp(&other[1]);
        let low = piece.iter().min_by(by_value).copied();
        let high = piece.iter().max_by(by_value).copied();
        let mut both: Points = low.into_iter().chain(high).collect();
        both.sort_by(|one, other| one[0].total_cmp(&other[0]));
        both
    };
    pieces.flat_map(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_peaks_and_order() {
        let mut points: Points = (0..10_000).map(|k| [f64::from(k), 1.0]).collect();
        points[5_003][1] = 9.0;
        points[7_001][1] = -4.0;
        let thin = thinned(&points);
        assert!(thin.len() <= POINTS + 2, "{}", thin.len());
        assert!(thin.contains(&[5_003.0, 9.0]) && thin.contains(&[7_001.0, -4.0]));
        assert!(thin.windows(2).all(|pair| pair[0][0] <= pair[1][0]));
    }
}
