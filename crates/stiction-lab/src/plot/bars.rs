//! Bar charts on a logarithmic scale.

use super::axis::Scale;
use super::{FONT, PALETTE, escape, rule, text};
use std::fmt::Write as _;

/// A bar chart.
pub struct Bars {
    /// Heading.
    pub title: String,
    /// A line under it.
    pub note: String,
    /// Unit of the values.
    pub unit: String,
    /// From top to bottom; values that are not positive are left out.
    pub all: Vec<Bar>,
}

/// One bar.
pub struct Bar {
    /// Written to its left.
    pub label: String,
    /// Its length, in the unit of the chart.
    pub value: f64,
    /// Drawn as an outline.
    pub hollow: bool,
}

/// Start and end of the bars, and the width of the picture.
const LEFT: f64 = 230.0;
const RIGHT: f64 = 640.0;
const WIDTH: f64 = 760.0;

/// Height of the heading, and of a bar with its gap.
const TOP: f64 = 72.0;
const STEP: f64 = 28.0;

impl Bars {
    /// The chart as a complete SVG file.
    pub fn svg(&self) -> String {
        let shown: Vec<&Bar> = self.all.iter().filter(|bar| bar.value > 0.0).collect();
        let bottom = TOP + STEP * shown.len() as f64;
        let height = bottom + 56.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
             width=\"{WIDTH}\" height=\"{height}\" font-family=\"{FONT}\" font-size=\"13\">\n\
             <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            escape(&self.title)
        );
        svg += &text([24.0, 28.0], "font-size=\"17\" font-weight=\"bold\"", &self.title);
        svg += &text([24.0, 48.0], "fill=\"#555555\"", &self.note);
        // A decade below the least, so that every bar has a length.
        let least = shown.iter().map(|bar| bar.value / 10.0);
        let span = Scale::Log.span(shown.iter().map(|bar| bar.value).chain(least));
        let across = |value: f64| LEFT + (RIGHT - LEFT) * span.part(value);
        for (value, number) in span.ticks() {
            svg += &rule([across(value), TOP], [across(value), bottom], "#e4e4e4");
            svg += &text([across(value), bottom + 19.0], "text-anchor=\"middle\"", &number);
        }
        for (k, bar) in shown.iter().enumerate() {
            let top = TOP + STEP * k as f64;
            let (fill, line) = (if bar.hollow { "none" } else { PALETTE[0] }, PALETTE[0]);
            svg += &text([LEFT - 10.0, top + 18.0], "text-anchor=\"end\"", &bar.label);
            let (y, width) = (top + 5.0, across(bar.value) - LEFT);
            let _ = writeln!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.1}\" height=\"18\" fill=\"{fill}\" stroke=\"{line}\"/>"
            );
            let number = format!("{:.1} {}", bar.value, self.unit);
            svg += &text([across(bar.value) + 6.0, top + 18.0], "", &number);
        }
        svg += &rule([LEFT, TOP], [LEFT, bottom], "#333333");
        svg + "</svg>\n"
    }
}
