//! Plots as SVG: axes, lines, marks and a legend.
//!
//! ```text
//!   title
//!   notes
//!   │    ╱ ○         ── series
//!   │  ╱ ○           -- series
//!   └────────
//!     x label
//! ```
//!
//! A [`Plot`] is data; [`Plot::svg`] draws it. Values that are not finite, or not
//! positive on a logarithmic axis, are left out, and lines are broken there.

mod axis;
pub mod bars;

pub use axis::Scale;

use axis::Span;

/// Two axes and the series between them.
pub struct Plot {
    pub title: String,
    /// Lines under the title, two at most.
    pub notes: Vec<String>,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
}

/// The quantity along an axis, with its unit.
pub struct Axis {
    pub label: String,
    pub scale: Scale,
}

/// A series: one line of the legend.
pub struct Series {
    pub label: String,
    /// Index into the palette, cyclic.
    pub colour: usize,
    pub marker: Marker,
    /// Hollow marks and a dashed line: values quoted from elsewhere, or secondary to others of the
    /// same colour.
    pub quoted: bool,
    /// Points marked.
    pub marks: Vec<[f64; 2]>,
    /// Points joined by a line.
    pub line: Vec<[f64; 2]>,
}

#[derive(Clone, Copy)]
pub enum Marker {
    Circle,
    Square,
    Triangle,
}

/// Safe for colour-blind readers: Okabe and Ito (2008).
const PALETTE: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

const SIZE: [f64; 2] = [760.0, 470.0];

/// The rectangle between the axes: left, top, right, bottom.
const FRAME: [f64; 4] = [76.0, 80.0, 580.0, 410.0];

/// Letters of the legend that fit; longer texts are written smaller.
const LEGEND: f64 = 18.0;

/// Half the size of a mark.
const MARK: f64 = 4.5;

const FONT: &str = "Helvetica, Arial, 'DejaVu Sans', sans-serif";

impl Plot {
    /// The plot as a complete SVG file.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|s| s.marks.iter().chain(&s.line));
        let x = self.x.scale.span(points().map(|p| p[0]));
        let y = self.y.scale.span(points().map(|p| p[1]));
        let [width, height] = SIZE;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" font-family=\"{FONT}\" font-size=\"13\">\n\
             <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            escape(&self.title)
        );
        let left = FRAME[0];
        svg += &text([left, 28.0], "font-size=\"17\" font-weight=\"bold\"", &self.title);
        for (k, note) in self.notes.iter().enumerate() {
            svg += &text([left, 48.0 + 17.0 * k as f64], "fill=\"#555555\"", note);
        }
        svg += &self.grid(&x, &y);
        for series in &self.series {
            svg += &series.draw(&x, &y);
        }
        svg += &self.legend();
        svg + "</svg>\n"
    }

    /// Grid lines, numbers and names of both axes.
    fn grid(&self, x: &Span, y: &Span) -> String {
        let [left, top, right, bottom] = FRAME;
        let mut svg = String::new();
        for (value, number) in x.ticks() {
            let at = across(x, value);
            svg += &rule([at, top], [at, bottom], "#e4e4e4");
            svg += &text([at, bottom + 19.0], "text-anchor=\"middle\"", &number);
        }
        for (value, number) in y.ticks() {
            let at = up(y, value);
            svg += &rule([left, at], [right, at], "#e4e4e4");
            svg += &text([left - 8.0, at + 4.5], "text-anchor=\"end\"", &number);
        }
        svg += &rule([left, bottom], [right, bottom], "#333333");
        svg += &rule([left, top], [left, bottom], "#333333");
        let middle = [f64::midpoint(left, right), f64::midpoint(top, bottom)];
        svg += &text([middle[0], bottom + 44.0], "text-anchor=\"middle\"", &self.x.label);
        let turned =
            format!("text-anchor=\"middle\" transform=\"rotate(-90 20 {y})\"", y = middle[1]);
        svg + &text([20.0, middle[1]], &turned, &self.y.label)
    }

    fn legend(&self) -> String {
        let left = FRAME[2] + 18.0;
        let mut svg = String::new();
        for (k, series) in self.series.iter().enumerate() {
            let y = FRAME[1] + 12.0 + 23.0 * k as f64;
            if !series.line.is_empty() {
                svg += &series.path(&[[left, y], [left + 30.0, y]]);
            }
            if !series.marks.is_empty() {
                svg += &series.mark([left + 15.0, y]);
            }
            let letters = series.label.chars().count() as f64;
            let size = if letters > LEGEND {
                format!("font-size=\"{:.1}\"", 13.0 * LEGEND / letters)
            } else {
                String::new()
            };
            svg += &text([left + 38.0, y + 4.5], &size, &series.label);
        }
        svg
    }
}

impl Series {
    fn draw(&self, x: &Span, y: &Span) -> String {
        let place =
            |[a, b]: &[f64; 2]| (x.holds(*a) && y.holds(*b)).then(|| [across(x, *a), up(y, *b)]);
        let line: Vec<Option<[f64; 2]>> = self.line.iter().map(place).collect();
        let pieces = line.split(Option::is_none);
        let path = |piece: &[Option<[f64; 2]>]| {
            let mut points: Vec<[f64; 2]> = piece.iter().flatten().copied().collect();
            // One point alone is a dot.
            if let [point] = points[..] {
                points.push(point);
            }
            self.path(&points)
        };
        let mut svg: String = pieces.map(path).collect();
        for at in self.marks.iter().filter_map(place) {
            svg += &self.mark(at);
        }
        svg
    }

    fn colour(&self) -> &'static str {
        PALETTE[self.colour % PALETTE.len()]
    }

    fn path(&self, points: &[[f64; 2]]) -> String {
        if points.len() < 2 {
            return String::new();
        }
        let dashes = if self.quoted { " stroke-dasharray=\"6 4\"" } else { "" };
        let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" \
             stroke-linecap=\"round\"{dashes}/>\n",
            points.join(" "),
            self.colour()
        )
    }

    fn mark(&self, [x, y]: [f64; 2]) -> String {
        let fill = if self.quoted { "#ffffff" } else { self.colour() };
        let paint = format!("fill=\"{fill}\" stroke=\"{}\" stroke-width=\"1.6\"", self.colour());
        match self.marker {
            Marker::Circle => {
                format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{MARK}\" {paint}/>\n")
            }
            Marker::Square => format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{side}\" height=\"{side}\" {paint}/>\n",
                x - MARK,
                y - MARK,
                side = 2.0 * MARK
            ),
            Marker::Triangle => {
                let (half, low, top) = (1.2 * MARK, y + MARK, y - 1.2 * MARK);
                format!(
                    "<polygon points=\"{x:.1},{top:.1} {:.1},{low:.1} {:.1},{low:.1}\" {paint}/>\n",
                    x + half,
                    x - half
                )
            }
        }
    }
}

/// Place of a value along the x axis.
fn across(span: &Span, value: f64) -> f64 {
    FRAME[0] + span.part(value) * (FRAME[2] - FRAME[0])
}

/// Place of a value along the y axis.
fn up(span: &Span, value: f64) -> f64 {
    FRAME[3] - span.part(value) * (FRAME[3] - FRAME[1])
}

fn rule([x1, y1]: [f64; 2], [x2, y2]: [f64; 2], colour: &str) -> String {
    format!(
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>\n"
    )
}

fn text([x, y]: [f64; 2], attributes: &str, words: &str) -> String {
    let space = if attributes.is_empty() { "" } else { " " };
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\"{space}{attributes}>{}</text>\n", escape(words))
}

/// Text escaped for XML. Control characters, which XML does not allow, become spaces.
fn escape(words: &str) -> String {
    let mut escaped = String::new();
    for letter in words.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            _ if letter.is_control() => escaped.push(' '),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(label: &str, points: &[[f64; 2]], scale: Scale) -> Plot {
        let series = |quoted, marker| Series {
            label: label.into(),
            colour: 7,
            marker,
            quoted,
            marks: points.to_vec(),
            line: points.to_vec(),
        };
        Plot {
            title: label.into(),
            notes: vec![label.into(); 2],
            x: Axis { label: label.into(), scale: Scale::Linear },
            y: Axis { label: label.into(), scale },
            series: vec![
                series(false, Marker::Circle),
                series(true, Marker::Square),
                series(false, Marker::Triangle),
            ],
        }
    }

    /// Checks that tags nest, attributes are quoted and every `&` begins an entity.
    fn check_xml(text: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            check_words(&rest[..start]);
            let end = start + rest[start..].find('>').expect("a tag ends");
            let tag = &rest[start + 1..end];
            rest = &rest[end + 1..];
            assert!(!tag.contains('<'), "{tag}");
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            let name = tag.split([' ', '/']).find(|w| !w.is_empty()).expect("a name");
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "left open: {open:?}");
        assert!(rest.trim().is_empty(), "after the end: {rest}");
    }

    fn check_words(words: &str) {
        for after in words.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;"].iter().any(|e| after.starts_with(e));
            assert!(known, "&{after}");
        }
    }

    #[test]
    fn pictures_are_well_formed_whatever_the_words() {
        let points = [[8.0, 1.0], [32.0, 400.0]];
        for label in ["time / µs", "<b> & \"c\" > d", "line\nbreak\u{0}", ""] {
            for scale in [Scale::Linear, Scale::Log] {
                check_xml(&plot(label, &points, scale).svg());
            }
        }
    }

    #[test]
    fn values_that_have_no_place_are_left_out() {
        let points = [[1.0, 10.0], [f64::NAN, 1.0], [2.0, f64::INFINITY], [3.0, -1.0], [4.0, 20.0]];
        let svg = plot("", &points, Scale::Log).svg();
        // Two of five marked, and one in the legend.
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        for none in [&[][..], &[[f64::NAN; 2]]] {
            let svg = plot("", none, Scale::Linear).svg();
            check_xml(&svg);
            assert!(!svg.contains("NaN"));
        }
    }

    #[test]
    fn larger_values_stand_higher_and_inside_the_frame() {
        for scale in [Scale::Linear, Scale::Log] {
            let y = scale.span([3.0, 70.0].into_iter());
            let [_, top, _, bottom] = FRAME;
            assert!(up(&y, 70.0) < up(&y, 3.0));
            assert!(top <= up(&y, 70.0) && up(&y, 3.0) <= bottom);
        }
    }
}
