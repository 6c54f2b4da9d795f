//! Pictures of assemblies as SVG: forces, thrust lines, use of the interfaces, mechanisms; regions of accelerations.
//!
//! Plane structures are seen from the front, others from above and one side. Supports are grey.
//!
//! ```text
//!   resultant of an interface    R = Σ f, at Σ f_n p / Σ f_n       a line along R, its length as |R|
//!   thrust line                  between the resultants of blocks that two interfaces load
//!   use of an interface          the larger of |R_t| / (μ R_n) and the eccentricity of R: 0 in the middle, 1 at the edge
//! ```
//!
//! Forces that are not unique have no use of their own: what is drawn is that of the state of forces that is given, and
//! the caption should say so.

pub(crate) mod forces;
mod region;
mod svg;
mod view;

use crate::assembly::Assembly;
use forces::Resultant;
use glam::{DVec2, DVec3};
pub use region::region;
use svg::Svg;
use view::View;

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// The assembly.
    pub assembly: &'a Assembly,
    /// The force on the block `a` at every corner of every interface, in their order (N).
    pub forces: Option<&'a [DVec3]>,
    /// Velocity of the centre and spin of every block; only their ratios matter.
    pub motion: Option<&'a [(DVec3, DVec3)]>,
    /// Lines of text below the picture.
    pub caption: &'a [String],
}

/// Width of a picture.
const WIDTH: f64 = 900.0;
/// Largest height of what is drawn.
const HEIGHT: f64 = 700.0;
/// Blank border.
const BORDER: f64 = 40.0;
/// Height of a line of text.
const LINE: f64 = 20.0;
/// The longest resultant, and the largest displacement of a mechanism, as fractions of the picture.
const LONGEST: f64 = 0.1;

const SUPPORT: &str = "#c8ccd0";
const BLOCK: &str = "#eceff3";
const FORCE: &str = "#0b4f8a";
const THRUST: &str = "#d55e00";
const MOVED: &str = "#c2185b";

impl Picture<'_> {
    /// The picture as the text of an SVG file.
    pub fn svg(&self) -> String {
        let view = View::of(self.assembly);
        let shifts = self.shifts();
        let resultants = self.forces.map(|forces| forces::resultants(self.assembly, forces));
        let frame = Frame::new(self.points(&view, shifts.as_deref()), self.caption.len());
        let mut svg = Svg::new(WIDTH, frame.height);
        self.draw_blocks(&mut svg, &frame, &view, resultants.as_deref());
        if let Some(shifts) = &shifts {
            self.draw_mechanism(&mut svg, &frame, &view, shifts);
        }
        if let Some(resultants) = &resultants {
            self.draw_thrust(&mut svg, &frame, &view, resultants);
            draw_resultants(&mut svg, &frame, &view, resultants);
            draw_scale(&mut svg, frame.height);
        }
        self.draw_gravity(&mut svg, &view);
        for (k, line) in self.caption.iter().enumerate() {
            let below = frame.height - LINE * (self.caption.len() - k) as f64;
            svg.text(DVec2::new(BORDER, below), "#222", line);
        }
        svg.finish()
    }

    /// Where the corners of every block move, scaled to be seen.
    fn shifts(&self) -> Option<Vec<Vec<DVec3>>> {
        let motion = self.motion?;
        let shift = |(block, (velocity, spin)): (&crate::Block, &(DVec3, DVec3))| {
            let at = |p: &DVec3| *velocity + spin.cross(*p - block.centre);
            block.vertices.iter().map(at).collect::<Vec<DVec3>>()
        };
        let mut shifts: Vec<Vec<DVec3>> =
            self.assembly.blocks.iter().zip(motion).map(shift).collect();
        let largest = shifts.iter().flatten().map(|it| it.length()).fold(0.0, f64::max);
        if !(largest > 0.0 && largest.is_finite()) {
            return None;
        }
        let scale = LONGEST * self.assembly.size() / largest;
        shifts.iter_mut().flatten().for_each(|it| *it *= scale);
        Some(shifts)
    }

    /// Everything that must be inside the frame.
    fn points(&self, view: &View, shifts: Option<&[Vec<DVec3>]>) -> Vec<DVec2> {
        let blocks = &self.assembly.blocks;
        let corners = blocks.iter().flat_map(|block| block.vertices.iter());
        let moved = blocks.iter().zip(shifts.unwrap_or_default()).flat_map(|(block, shifts)| {
            block.vertices.iter().zip(shifts).map(|(p, shift)| *p + *shift)
        });
        let contacts = self.assembly.interfaces.iter().flat_map(|it| it.points.iter());
        corners.chain(contacts).copied().chain(moved).map(|p| view.flat(p)).collect()
    }

    fn draw_blocks(
        &self,
        svg: &mut Svg,
        frame: &Frame,
        view: &View,
        resultants: Option<&[Option<Resultant>]>,
    ) {
        let uses = resultants.map(|resultants| forces::uses(self.assembly, resultants));
        for (block, corners) in view.faces(self.assembly, None) {
            let it = &self.assembly.blocks[block];
            let usage = uses.as_ref().and_then(|uses| uses[block]);
            let colour = match usage {
                _ if it.fixed => SUPPORT.to_owned(),
                Some(usage) => svg::ramp(usage),
                None => BLOCK.to_owned(),
            };
            let title = match usage {
                Some(usage) if !it.fixed => format!("{}: use {usage:.3}", it.name),
                _ => it.name.clone(),
            };
            svg.polygon(&frame.all(&corners), &colour, "#5f6b7a", &title);
        }
    }

    fn draw_mechanism(&self, svg: &mut Svg, frame: &Frame, view: &View, shifts: &[Vec<DVec3>]) {
        let still = 1e-3 * LONGEST * self.assembly.size();
        let moves = |block: usize| shifts[block].iter().any(|shift| shift.length() > still);
        for (block, corners) in view.faces(self.assembly, Some(shifts)) {
            if moves(block) {
                svg.ghost(&frame.all(&corners), MOVED);
            }
        }
        for (block, shifts) in self.assembly.blocks.iter().zip(shifts) {
            let count = shifts.len().max(1) as f64;
            let (middle, shift) = (
                block.vertices.iter().sum::<DVec3>() / count,
                shifts.iter().sum::<DVec3>() / count,
            );
            if shift.length() > still {
                let ends = [middle, middle + shift].map(|p| frame.at(view.flat(p)));
                svg.arrow(ends, MOVED, 1.6);
            }
        }
    }

    /// Lines between the resultants of free blocks that two interfaces load.
    fn draw_thrust(
        &self,
        svg: &mut Svg,
        frame: &Frame,
        view: &View,
        resultants: &[Option<Resultant>],
    ) {
        for ends in forces::thrust(self.assembly, resultants) {
            svg.line(ends.map(|p| frame.at(view.flat(p))), THRUST, 2.2);
        }
    }

    /// The direction of gravity, at the upper left.
    fn draw_gravity(&self, svg: &mut Svg, view: &View) {
        let Some(down) = self.assembly.gravity.try_normalize() else { return };
        let along = view.flat(down);
        let start = DVec2::new(0.5 * BORDER, BORDER);
        let end = start + 24.0 * DVec2::new(along.x, -along.y);
        svg.arrow([start, end], "#444", 1.2);
        svg.text(start - DVec2::new(6.0, 8.0), "#444", "g");
    }
}

/// Interfaces that carry less than this fraction of the largest resultant are not drawn.
const UNLOADED: f64 = 1e-6;

fn draw_resultants(svg: &mut Svg, frame: &Frame, view: &View, resultants: &[Option<Resultant>]) {
    let size = |it: &Resultant| it.force.length();
    let largest = resultants.iter().flatten().map(size).fold(0.0, f64::max);
    let longest = LONGEST * (WIDTH - 2.0 * BORDER);
    for resultant in resultants.iter().flatten().filter(|it| size(it) > UNLOADED * largest) {
        let middle = frame.at(view.flat(resultant.point));
        let along = view.flat(resultant.force) / largest;
        let half = 0.5 * longest * DVec2::new(along.x, -along.y);
        svg.line([middle - half, middle + half], FORCE, 1.6);
        svg.dot(middle, FORCE);
    }
}

/// What the colours mean, at the lower right.
fn draw_scale(svg: &mut Svg, height: f64) {
    let (steps, width) = (20, 160.0);
    let start = DVec2::new(WIDTH - BORDER - width, height - 1.6 * LINE);
    let step = DVec2::new(width / f64::from(steps), 0.0);
    for k in 0..steps {
        let low = start + step * f64::from(k);
        let corners =
            [low, low + step, low + step + DVec2::new(0.0, 8.0), low + DVec2::new(0.0, 8.0)];
        let colour = svg::ramp((f64::from(k) + 0.5) / f64::from(steps));
        svg.polygon(&corners, &colour, &colour, "");
    }
    svg.text(start - DVec2::new(0.0, 5.0), "#222", "use of interfaces: 0 to 1");
}

/// From the plane of the view to the picture.
struct Frame {
    low: DVec2,
    scale: f64,
    drawn: f64,
    /// Height of the whole picture.
    height: f64,
}

impl Frame {
    fn new(points: Vec<DVec2>, lines: usize) -> Self {
        let first = points.first().copied().unwrap_or_default();
        let (low, high) =
            points.into_iter().fold((first, first), |(low, high), p| (low.min(p), high.max(p)));
        let size = high - low;
        // A point is drawn as large as anything else.
        let largest = if size.max_element() > 0.0 { size.max_element() } else { 1.0 };
        let size = size.max(DVec2::splat(1e-3 * largest));
        let scale = ((WIDTH - 2.0 * BORDER) / size.x).min(HEIGHT / size.y);
        let drawn = scale * size.y;
        let aside = 0.5 * (WIDTH - 2.0 * BORDER - scale * size.x) / scale;
        let low = low - DVec2::new(aside, 0.0);
        Frame { low, scale, drawn, height: drawn + 2.0 * BORDER + LINE * (lines as f64 + 1.0) }
    }

    fn at(&self, p: DVec2) -> DVec2 {
        let up = (p - self.low) * self.scale;
        DVec2::new(BORDER + up.x, BORDER + self.drawn - up.y)
    }

    fn all(&self, points: &[DVec2]) -> Vec<DVec2> {
        points.iter().map(|p| self.at(*p)).collect()
    }
}
