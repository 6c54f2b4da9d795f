//! The text of an SVG file.

use glam::DVec2;
use std::fmt::Write as _;

/// A picture in the making; y goes down.
pub(super) struct Svg {
    text: String,
}

impl Svg {
    pub fn new(width: f64, height: f64) -> Self {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"14\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        Svg { text }
    }

    fn path(points: &[DVec2]) -> String {
        let corners: Vec<String> =
            points.iter().map(|p| format!("{:.2},{:.2}", p.x, p.y)).collect();
        corners.join(" ")
    }

    /// A filled polygon; its title is shown by browsers.
    pub fn polygon(&mut self, points: &[DVec2], fill: &str, stroke: &str, title: &str) {
        let path = Svg::path(points);
        let _ = write!(
            self.text,
            "<polygon points=\"{path}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"0.8\" stroke-linejoin=\"round\""
        );
        let _ = if title.is_empty() {
            writeln!(self.text, "/>")
        } else {
            writeln!(self.text, "><title>{}</title></polygon>", escaped(title))
        };
    }

    /// The outline of something that has moved.
    pub fn ghost(&mut self, points: &[DVec2], colour: &str) {
        let path = Svg::path(points);
        let _ = writeln!(
            self.text,
            "<polygon points=\"{path}\" fill=\"{colour}\" fill-opacity=\"0.08\" stroke=\"{colour}\" stroke-width=\"1\" stroke-dasharray=\"4 3\"/>"
        );
    }

    pub fn line(&mut self, [from, to]: [DVec2; 2], colour: &str, width: f64) {
        let _ = writeln!(
            self.text,
            "<line x1=\"{:.2}\" y1=\"{:.2}\" x2=\"{:.2}\" y2=\"{:.2}\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linecap=\"round\"/>",
            from.x, from.y, to.x, to.y
        );
    }

    pub fn arrow(&mut self, [from, to]: [DVec2; 2], colour: &str, width: f64) {
        self.line([from, to], colour, width);
        let Some(along) = (to - from).try_normalize() else { return };
        let (back, side) = (to - 6.0 * along, 2.6 * along.perp());
        self.polygon(&[to, back + side, back - side], colour, colour, "");
    }

    pub fn dot(&mut self, at: DVec2, colour: &str) {
        let _ = writeln!(
            self.text,
            "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"2.2\" fill=\"{colour}\"/>",
            at.x, at.y
        );
    }

    pub fn text(&mut self, at: DVec2, colour: &str, text: &str) {
        let _ = writeln!(
            self.text,
            "<text x=\"{:.2}\" y=\"{:.2}\" fill=\"{colour}\">{}</text>",
            at.x,
            at.y,
            escaped(text)
        );
    }

    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The colour of a number from 0 (pale) to 1 (dark red), in even steps of lightness.
pub(super) fn ramp(value: f64) -> String {
    const COLOURS: [[f64; 3]; 4] =
        [[237.0, 243.0, 248.0], [253.0, 219.0, 150.0], [240.0, 130.0, 80.0], [178.0, 24.0, 43.0]];
    let along = value.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let k = (0..COLOURS.len() - 2).filter(|k| along >= (k + 1) as f64).count();
    let part = along - k as f64;
    let mix = |c: usize| COLOURS[k][c] * (1.0 - part) + COLOURS[k + 1][c] * part;
    format!("rgb({:.0},{:.0},{:.0})", mix(0), mix(1), mix(2))
}
