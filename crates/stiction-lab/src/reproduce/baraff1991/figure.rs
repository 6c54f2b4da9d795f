//! The table and the plots: success and time against the number of contacts.

use super::{FAMILIES, Report, Row};
use crate::plot::{Axis, Marker, Plot, Scale, Series};
use std::fmt::Write as _;

/// Methods in the plots, with their names in the legend. The numbers of contacts that all slide
/// are in the tables.
const SHOWN: [(&str, &str); 2] = [("threshold-creeping", "§8.1"), ("signs", "§8.2")];

pub fn success_csv(rows: &[Row]) -> String {
    let mut text = String::from("family,contacts,method,problems,forces,swept,impulses,failed\n");
    for row in rows {
        let Row { family, contacts, method, problems, forces, swept, impulses, .. } = row;
        let failed = problems - row.succeeded();
        let _ = writeln!(
            text,
            "{family},{contacts},{method},{problems},{forces},{swept},{impulses},{failed}"
        );
    }
    text
}

pub fn time_csv(rows: &[Row]) -> String {
    let mut text = String::from("family,contacts,method,problems,median_us\n");
    for Row { family, contacts, method, problems, median_us, .. } in rows {
        let _ = writeln!(text, "{family},{contacts},{method},{problems},{median_us:.1}");
    }
    text
}

pub fn success(report: &Report) -> Plot {
    Plot {
        title: "Baraff 1991, §8: certified answers".into(),
        notes: vec![
            "The paper: §8.1 (threshold) is guaranteed to produce forces or impulses; §8.2 (signs) has".into(),
            "reasonable success with 40 contacts or less and sometimes breaks down for n ≈ 40.".into(),
        ],
        x: Axis { label: "contacts".into(), scale: Scale::Linear },
        y: Axis { label: "certified (%)".into(), scale: Scale::Linear },
        series: series(report, |row| 100.0 * row.succeeded() as f64 / row.problems as f64),
    }
}

pub fn time(report: &Report) -> Plot {
    Plot {
        title: "Baraff 1991, §8: time".into(),
        notes: vec!["Medians over all runs, those that fail included.".into()],
        x: Axis { label: "contacts".into(), scale: Scale::Linear },
        y: Axis { label: "median time (ms)".into(), scale: Scale::Log },
        series: series(report, |row| row.median_us / 1e3),
    }
}

/// One line per method and family.
fn series(report: &Report, of: fn(&Row) -> f64) -> Vec<Series> {
    let mut series = Vec::new();
    for (colour, (method, name)) in SHOWN.into_iter().enumerate() {
        for ((family, _), marker) in FAMILIES.into_iter().zip([Marker::Circle, Marker::Triangle]) {
            let rows = report.rows.iter();
            let rows = rows.filter(|row| row.family == family && row.method == method);
            let marks: Vec<[f64; 2]> = rows.map(|row| [row.contacts as f64, of(row)]).collect();
            let (label, line) = (format!("{name}, {family}"), marks.clone());
            series.push(Series { label, colour, marker, quoted: false, marks, line });
        }
    }
    series
}
