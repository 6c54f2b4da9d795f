//! Accelerations that are carried, and what a standard asks for; forces that interfaces can have; disturbances.

use clap::ValueEnum;
use serde::Serialize;
use stiction_statics::{Assembly, Demand, EN12195_ROAD, Margin, Region, Robustness, Statics};
use stiction_terminal::say;

/// Directions in which accelerations are tried.
const DIRECTIONS: usize = 16;

/// Accelerations that a standard asks for.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Preset {
    /// EN 12195-1 on the road: 0.8 g forward, 0.5 g rearward and sideways, 0.6 g sideways if it may tip
    En12195Road,
}

impl Preset {
    fn demands(self) -> &'static [Demand] {
        match self {
            Preset::En12195Road => &EN12195_ROAD,
        }
    }
}

/// What `--accelerations` and `--preset` found.
#[derive(Serialize)]
pub(crate) struct Accelerations {
    #[serde(flatten)]
    pub(crate) region: Region,
    /// The largest acceleration that is carried in every direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    every_way: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    demands: Vec<Demanded>,
}

/// One demand of a standard.
#[derive(Serialize)]
struct Demanded {
    what: &'static str,
    degrees: f64,
    acceleration: f64,
    /// Whether it is met; none if that is open.
    met: Option<bool>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

impl Accelerations {
    /// The region, and whether the demands of a preset are met.
    pub(crate) fn new(statics: &Statics, preset: Option<Preset>) -> Self {
        let mut region = statics.accelerations(DIRECTIONS);
        let mut met = Vec::new();
        for demand in preset.map_or(&[][..], Preset::demands) {
            let margin = statics.tilt_degrees(demand.degrees);
            met.push(Demanded {
                what: demand.what,
                degrees: demand.degrees,
                acceleration: demand.acceleration,
                met: statics.meets(demand, &margin),
                at_least: margin.at_least,
                at_most: margin.at_most,
            });
            region.margins.push(margin);
        }
        Accelerations { every_way: every_way(&region.inside), region, demands: met }
    }

    /// Limits with their proofs.
    pub(crate) fn margins(&self) -> &[Margin] {
        &self.region.margins
    }

    /// The demands as points of the plane.
    pub(crate) fn marks(&self) -> Vec<(String, [f64; 2])> {
        let mark = |met: &Demanded| {
            let angle = met.degrees.to_radians();
            let point = [angle.cos(), angle.sin()].map(|x| x * met.acceleration);
            (format!("{} {}", met.what, met.acceleration), point)
        };
        self.demands.iter().map(mark).collect()
    }

    pub(crate) fn print(&self) {
        match self.every_way {
            Some(radius) => say!(
                "  accelerations    {radius:.6} g in every horizontal direction, limits proved in {DIRECTIONS}"
            ),
            None => say!("  accelerations    none is proved in every horizontal direction"),
        }
        for met in &self.demands {
            let verdict = match met.met {
                Some(true) => "carried",
                Some(false) => "NOT carried",
                None => "open",
            };
            let limit = match (met.at_least, met.at_most) {
                (Some(low), None) => format!("at least {low:.6}"),
                (_, Some(high)) => format!("{high:.6}"),
                (None, None) => "not proved".into(),
            };
            let (what, acceleration) = (met.what, met.acceleration);
            say!("    {acceleration} g {what:<28} {verdict} (limit {limit})");
        }
    }
}

/// The radius of the largest circle about 0 in a convex polygon that goes around; none if 0 is outside.
fn every_way(polygon: &[[f64; 2]]) -> Option<f64> {
    let side = |k: usize| {
        let [[ax, ay], [bx, by]] = [polygon[k], polygon[(k + 1) % polygon.len()]];
        let length = (bx - ax).hypot(by - ay);
        // A side of no length bounds nothing that its neighbours do not.
        if length > 0.0 { (ax * by - ay * bx) / length } else { f64::INFINITY }
    };
    let least = (0..polygon.len()).map(side).fold(f64::INFINITY, f64::min);
    (polygon.len() >= DIRECTIONS && least.is_finite() && least >= 0.0).then_some(least)
}

/// The admissible sums of normal forces of an interface.
#[derive(Serialize)]
pub(crate) struct Range {
    a: String,
    b: String,
    /// N; none if nothing was found.
    at_least: Option<f64>,
    /// N; none if nothing bounds it, or nothing was found.
    at_most: Option<f64>,
    found: bool,
}

/// The ranges of all interfaces.
pub(crate) fn ranges(assembly: &Assembly, statics: &Statics) -> Vec<Range> {
    let range = |k: usize| {
        let [a, b] = [assembly.interfaces[k].a, assembly.interfaces[k].b];
        let [a, b] = [a, b].map(|block| assembly.blocks[block].name.clone());
        let range = statics.force_range(k);
        let at_most = range.map(|[_, high]| high).filter(|high| high.is_finite());
        Range { a, b, at_least: range.map(|[low, _]| low), at_most, found: range.is_some() }
    };
    (0..assembly.interfaces.len()).map(range).collect()
}

pub(crate) fn print_ranges(ranges: &[Range]) {
    say!(
        "  normal forces    admissible sums per interface (N); the laws of motion may narrow them"
    );
    for range in ranges {
        let pair = format!("{} on {}", range.a, range.b);
        match (range.at_least, range.at_most) {
            (Some(low), Some(high)) => say!("    {pair:<26} {low:>14.6} to {high:.6}"),
            (Some(low), None) => say!("    {pair:<26} {low:>14.6} without limit"),
            _ => say!("    {pair:<26} no forces were found"),
        }
    }
}

/// A radius of disturbances by the names of its blocks.
#[derive(Serialize)]
pub(crate) struct Radius {
    /// In mean weights, torques in mean weights times the size of the assembly.
    at_least: f64,
    at_most: Option<f64>,
    weakest: Option<String>,
    wrench: Option<[f64; 6]>,
}

impl Radius {
    pub(crate) fn new(assembly: &Assembly, found: &Robustness) -> Self {
        Radius {
            at_least: found.at_least,
            at_most: found.at_most,
            weakest: found.weakest.map(|(block, _)| assembly.blocks[block].name.clone()),
            wrench: found.weakest.map(|(_, wrench)| wrench),
        }
    }

    pub(crate) fn print(&self) {
        let Radius { at_least, weakest, wrench, .. } = self;
        let balances =
            if *at_least == 0.0 { ": it balances, like a pencil on its tip" } else { "" };
        say!(
            "  robustness       {at_least:.6} mean weights of disturbances on any blocks{balances}"
        );
        if let (Some(name), Some(wrench)) = (weakest, wrench) {
            let kinds = ["force x", "force y", "force z", "torque x", "torque y", "torque z"];
            let axis = wrench.iter().position(|x| *x != 0.0).unwrap_or(0);
            let sign = if wrench[axis] > 0.0 { "+" } else { "−" };
            say!("                   weakest: {name}, {} {sign}", kinds[axis]);
        }
    }
}
