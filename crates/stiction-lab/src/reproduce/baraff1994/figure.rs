//! The tables and plots: time against LU and a QP, and drives.

use super::{Column, DRIVES, FAMILIES, Row};
use crate::plot::{Axis, Marker, Plot, Scale, Series};
use std::fmt::Write as _;

/// Timed quantities: name, column, style.
const TIMES: [(&str, Column, Marker); 4] = [
    ("QP", |row| row.qp_us, Marker::Square),
    ("Dantzig, zero", |row| row.zero_us, Marker::Triangle),
    ("LU", |row| row.lu_us, Marker::Square),
    ("Dantzig, sweeps", |row| row.sweeps_us, Marker::Circle),
];

/// Empty if there is no number.
fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:.3}") } else { String::new() }
}

pub fn time_csv(rows: &[&Row]) -> String {
    let mut text = String::from(
        "family,contacts,problems,exact,dantzig_sweeps_us,dantzig_zero_us,lu_us,qp_us,qp_solved\n",
    );
    for row in rows {
        let [sweeps, zero, lu, qp] = [row.sweeps_us, row.zero_us, row.lu_us, row.qp_us].map(number);
        let Row { family, contacts, problems, exact, qp_solved, .. } = row;
        let _ = writeln!(
            text,
            "{family},{contacts},{problems},{exact},{sweeps},{zero},{lu},{qp},{qp_solved}"
        );
    }
    text
}

pub fn drives_csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "family,contacts,problems,exact,drives_sweeps,drives_zero,steps_zero,drives_friction,\
         friction_alone,friction_solved\n",
    );
    for row in rows {
        let Row { family, contacts, problems, exact, friction_alone, friction_solved, .. } = row;
        let numbers = [row.sweeps_drives, row.zero_drives, row.zero_steps, row.friction_drives];
        let numbers = numbers.map(number).join(",");
        let _ = writeln!(
            text,
            "{family},{contacts},{problems},{exact},{numbers},{friction_alone},{friction_solved}"
        );
    }
    text
}

pub fn time_plot(family: &str, rows: &[&Row]) -> Plot {
    let series = TIMES.into_iter().enumerate().map(|(colour, (label, of, marker))| {
        let points: Vec<[f64; 2]> = rows.iter().map(|row| [row.contacts as f64, of(row)]).collect();
        joined(label, colour, marker, points)
    });
    Plot {
        title: format!("Baraff 1994, §7: time on {family} without friction"),
        notes: vec![
            "The paper: two to three times Gaussian elimination, five to ten times faster than QP."
                .into(),
            "LU and QP are given the matrix; Dantzig is given bodies and contacts.".into(),
        ],
        x: Axis { label: "contacts".into(), scale: Scale::Log },
        y: Axis { label: "median time (µs)".into(), scale: Scale::Log },
        series: series.collect(),
    }
}

/// Drives from sweeps are often zero, which a logarithmic axis cannot show.
pub fn drives_plot(rows: &[Row]) -> Plot {
    let shown = DRIVES.into_iter().filter(|(drives, _)| *drives != "from sweeps");
    let mut series = Vec::new();
    for (colour, (drives, of)) in shown.enumerate() {
        for ((family, _), marker) in FAMILIES.into_iter().zip([Marker::Circle, Marker::Triangle]) {
            let rows = rows.iter().filter(|row| row.family == family);
            let points = rows.map(|row| [row.contacts as f64, of(row)]).collect();
            series.push(joined(&format!("{family}, {drives}"), colour, marker, points));
        }
    }
    let contacts = || rows.iter().map(|row| row.contacts);
    let ends = [contacts().min(), contacts().max()].into_iter().flatten();
    series.push(Series {
        label: "one per contact".into(),
        colour: 2,
        marker: Marker::Square,
        quoted: true,
        marks: Vec::new(),
        line: ends.map(|n| [n as f64; 2]).collect(),
    });
    Plot {
        title: "Baraff 1994, §7: calls to drive-to-zero from zero forces".into(),
        notes: vec![
            "The paper: about O(n) calls, with and without friction.".into(),
            "Medians; with friction, over the problems solved without a restart.".into(),
        ],
        x: Axis { label: "contacts".into(), scale: Scale::Log },
        y: Axis { label: "calls to drive-to-zero".into(), scale: Scale::Log },
        series,
    }
}

fn joined(label: &str, colour: usize, marker: Marker, points: Vec<[f64; 2]>) -> Series {
    let line = points.clone();
    Series { label: label.into(), colour, marker, quoted: false, marks: points, line }
}
