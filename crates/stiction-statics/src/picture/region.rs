//! The region of horizontal accelerations that an assembly carries.

use super::svg::Svg;
use glam::DVec2;

const SIZE: f64 = 560.0;
const BORDER: f64 = 60.0;

/// A plot of a convex region in the plane, in multiples of g: the polygon inside it whose corners are proved to be carried,
/// the polygon around it beyond which nothing is, and named points. Corners go around.
pub fn region(
    title: &str,
    inside: &[[f64; 2]],
    around: &[[f64; 2]],
    marks: &[(String, [f64; 2])],
) -> String {
    let mut svg = Svg::new(SIZE, SIZE + BORDER);
    let points = inside.iter().chain(around).chain(marks.iter().map(|mark| &mark.1));
    let largest = points.flatten().map(|it| it.abs()).filter(|it| it.is_finite());
    let step = tick(largest.fold(0.05, f64::max));
    let half = 0.5 * SIZE;
    let scale = (half - BORDER) / (5.0 * step);
    let at = |[x, y]: [f64; 2]| DVec2::new(half + x * scale, half - y * scale);
    let path = |polygon: &[[f64; 2]]| -> Vec<DVec2> { polygon.iter().map(|p| at(*p)).collect() };
    for k in -5..=5 {
        let value = step * f64::from(k);
        let colour = if k == 0 { "#888" } else { "#e4e6ea" };
        let reach = 5.0 * step;
        svg.line([at([value, -reach]), at([value, reach])], colour, 1.0);
        svg.line([at([-reach, value]), at([reach, value])], colour, 1.0);
        if k != 0 {
            svg.text(at([value, 0.0]) + DVec2::new(-12.0, 16.0), "#555", &number(value));
            svg.text(at([0.0, value]) + DVec2::new(5.0, 5.0), "#555", &number(value));
        }
    }
    svg.polygon(&path(around), "#f6d6c8", "#d55e00", "not carried beyond this");
    svg.polygon(&path(inside), "#cfe3f4", "#0b4f8a", "carried");
    for (name, point) in marks {
        svg.dot(at(*point), "#c2185b");
        svg.text(at(*point) + DVec2::new(6.0, -6.0), "#c2185b", name);
    }
    svg.text(DVec2::new(SIZE - 92.0, half - 8.0), "#222", "forward x / g");
    svg.text(DVec2::new(half + 8.0, 30.0), "#222", "sideways y / g");
    svg.text(DVec2::new(BORDER, SIZE + 6.0), "#222", title);
    let legend = "blue: carried, with forces as proof; orange: not known; outside: a motion proves that it is not carried";
    svg.text(DVec2::new(BORDER, SIZE + 28.0), "#222", legend);
    svg.finish()
}

/// The least of 1, 2 and 5 times a power of ten of which five reach a value.
fn tick(largest: f64) -> f64 {
    let power = 10_f64.powf((largest / 5.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| 5.0 * step >= largest).unwrap_or(10.0 * power)
}

fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').replace('-', "−")
}
