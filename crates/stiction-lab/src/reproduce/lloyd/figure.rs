//! One figure: its rows, their CSV, their plot.
//!
//! The machines are twenty years apart, so ratios are compared: all times are divided
//! by that of the reduced method at the smallest size for which the paper gives a
//! number, ours by ours and the paper's by the paper's. Times are means over the
//! loads, as in the paper.

use super::paper::{End, Experiment, Figure};
use crate::bench::lloyd::measure::{Configuration, Configurations};
use crate::plot::{Axis, Marker, Plot, Scale, Series};
use serde::Serialize;
use std::fmt::Write as _;
use stiction_solvers::lloyd2004::Method;

/// One method on one configuration, the paper's time beside ours.
#[derive(Serialize)]
pub struct Row {
    pub configuration: String,
    pub contacts: usize,
    pub bodies: usize,
    pub method: &'static str,
    pub loads: usize,
    /// Solved by the method itself and certified.
    pub alone: usize,
    pub mean_us: f64,
    pub median_us: f64,
    pub median_pivots: f64,
    /// Mean time over that of the reduced method at the smallest size compared.
    pub ratio: f64,
    pub paper_contacts: Option<usize>,
    pub paper_ms: Option<f64>,
    pub paper_ratio: Option<f64>,
}

/// Configurations of an experiment.
fn of<'a>(
    experiment: &Experiment,
    found: &'a Configurations,
) -> impl Iterator<Item = (&'a String, &'a Configuration)> {
    found.iter().filter(|(name, _)| name.starts_with(experiment.prefix))
}

/// The number of contacts here that corresponds to an end of the paper's range: the nearest
/// among the configurations with the same number of bodies, at most an eighth off.
/// (The paper does not describe the arrangement of its stacks.)
pub fn contacts_at(end: &End, experiment: &Experiment, found: &Configurations) -> Option<usize> {
    let off = |contacts: &usize| contacts.abs_diff(end.contacts);
    of(experiment, found)
        .filter(|(_, c)| c.bodies == end.bodies)
        .map(|(_, c)| c.contacts)
        .min_by_key(off)
        .filter(|contacts| 8 * off(contacts) <= end.contacts)
}

/// Time of a method at an end of the paper's range: the mean over all
/// configurations of that size (µs).
pub fn time_at(
    end: &End,
    method: Method,
    experiment: &Experiment,
    found: &Configurations,
) -> Option<f64> {
    let contacts = contacts_at(end, experiment, found)?;
    let is_there = |c: &Configuration| c.contacts == contacts && c.bodies == end.bodies;
    let there = of(experiment, found).filter(|(_, c)| is_there(c));
    mean(there.filter_map(|(_, c)| Some(c.methods.get(method.name())?.mean_us)))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// The figure's numbers, by number of contacts; `None` if the reference size is missing.
pub fn rows(figure: &Figure, found: &Configurations) -> Option<Vec<Row>> {
    let experiment = figure.experiment;
    let [first, _] = &experiment.ends;
    let base_us = time_at(first, Method::Reduced, experiment, found)?;
    let base_ms = first.ms(Method::Reduced);
    let mut rows = Vec::new();
    for (name, configuration) in of(experiment, found) {
        let Configuration { contacts, bodies, methods, .. } = configuration;
        let end = experiment.ends.iter().find(|end| {
            end.bodies == *bodies && contacts_at(end, experiment, found) == Some(*contacts)
        });
        for &method in figure.methods {
            let Some(tally) = methods.get(method.name()) else { continue };
            rows.push(Row {
                configuration: name.clone(),
                contacts: *contacts,
                bodies: *bodies,
                method: method.name(),
                loads: tally.loads,
                alone: tally.alone,
                mean_us: tally.mean_us,
                median_us: tally.median_us,
                median_pivots: tally.median_pivots,
                ratio: tally.mean_us / base_us,
                paper_contacts: end.map(|end| end.contacts),
                paper_ms: end.map(|end| end.ms(method)),
                paper_ratio: end.map(|end| end.ms(method) / base_ms),
            });
        }
    }
    rows.sort_by(|a, b| (a.contacts, &a.configuration).cmp(&(b.contacts, &b.configuration)));
    Some(rows)
}

/// The rows as comma-separated values, a header first.
pub fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "configuration,contacts,bodies,method,loads,solved_alone,mean_us,median_us,median_pivots,ratio,\
         paper_contacts,paper_ms,paper_ratio\n",
    );
    let or_empty = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:.4}"));
    for row in rows {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{:.3},{:.3},{},{:.4},{},{},{}",
            quoted(&row.configuration),
            row.contacts,
            row.bodies,
            row.method,
            row.loads,
            row.alone,
            row.mean_us,
            row.median_us,
            row.median_pivots,
            row.ratio,
            row.paper_contacts.map_or(String::new(), |n| n.to_string()),
            row.paper_ms.map_or(String::new(), |ms| ms.to_string()),
            or_empty(row.paper_ratio),
        );
    }
    text
}

/// Quotes a name, which may come from any file.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// The picture: our times, and the paper's where the text gives them.
pub fn plot(figure: &Figure, rows: &[Row]) -> Plot {
    let [first, _] = &figure.experiment.ends;
    let mut series = Vec::new();
    for &method in figure.methods {
        let of_method = || rows.iter().filter(move |row| row.method == method.name());
        let marks: Vec<[f64; 2]> = of_method().map(|r| [r.contacts as f64, r.ratio]).collect();
        let line = if figure.joined { means(&marks) } else { Vec::new() };
        series.push(Series {
            label: method.name().into(),
            quoted: false,
            ..styled(method, marks, line)
        });
    }
    for &method in figure.methods {
        let base = first.ms(Method::Reduced);
        let ends = &figure.experiment.ends;
        let marks = ends.each_ref().map(|end| [end.contacts as f64, end.ms(method) / base]);
        let label = format!("{}, 2004", method.name());
        let line = power_law(marks[0], marks[1]);
        series.push(Series { label, quoted: true, ..styled(method, marks.to_vec(), line) });
    }
    let n = first.contacts;
    let base_us = rows.first().map_or(f64::NAN, |row| row.mean_us / row.ratio);
    Plot {
        title: format!("Lloyd 2004, fig. {}. {}", figure.number, figure.title),
        notes: vec![
            format!(
                "Unit: the reduced method at {n} contacts, {base_us:.1} µs here, {} ms in the paper.",
                first.ms(Method::Reduced)
            ),
            "Dashed: power laws through the two sizes for which its text gives times.".into(),
        ],
        x: Axis { label: "contacts".into(), scale: Scale::Linear },
        y: Axis { label: format!("time / time of reduced at {n} contacts"), scale: figure.scale },
        series,
    }
}

/// The style of a method, the same in all figures.
fn styled(method: Method, marks: Vec<[f64; 2]>, line: Vec<[f64; 2]>) -> Series {
    let (colour, marker) = match method {
        Method::Standard => (0, Marker::Square),
        Method::Structural => (1, Marker::Triangle),
        Method::Reduced => (2, Marker::Circle),
    };
    Series { label: String::new(), colour, marker, quoted: false, marks, line }
}

/// Mean height of the points over each abscissa; the points go from left to right.
fn means(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let columns = points.chunk_by(|p, q| p[0] == q[0]);
    columns.filter_map(|c| Some([c[0][0], mean(c.iter().map(|p| p[1]))?])).collect()
}

/// Points of the curve `y = c xᵖ` through two points.
fn power_law(from: [f64; 2], to: [f64; 2]) -> Vec<[f64; 2]> {
    const STEPS: u32 = 24;
    let between = |a: f64, b: f64, part: f64| a * (b / a).powf(part);
    let parts = (0..=STEPS).map(|k| f64::from(k) / f64::from(STEPS));
    parts.map(|part| [between(from[0], to[0], part), between(from[1], to[1], part)]).collect()
}
