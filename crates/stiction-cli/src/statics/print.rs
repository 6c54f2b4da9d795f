//! The report of `stiction static`, as data and as text.

use super::region::{Accelerations, Radius, Range, print_ranges};
use super::repeat::Repeats;
use serde::Serialize;
use stiction_check::Claim;
use stiction_statics::{
    Answer, Assembly, Display, InterfaceSource, Margin, Mechanism, Mode, Statics, Verdict,
};
use stiction_terminal::{count, say};

/// Most names in a line of text.
const MOST_NAMES: usize = 8;

/// What `stiction static` says.
#[derive(Serialize)]
pub(crate) struct Report {
    name: String,
    verdict: &'static str,
    reason: &'static str,
    blocks: usize,
    fixed: usize,
    interfaces: usize,
    contacts: usize,
    /// Largest gap between faces that were taken to touch; none if the interfaces are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<f64>,
    /// Least and largest coefficient of friction.
    friction: [f64; 2],
    floating: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mechanism: Option<Named>,
    margins: Vec<MarginReport>,
    /// What was taken as given because the file does not say it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumptions: Vec<String>,
    #[serde(flatten)]
    pub(crate) repeats: Repeats,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) accelerations: Option<Accelerations>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ranges: Vec<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) robustness: Option<Radius>,
    /// Forces, resultants, lines of thrust, use, motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Display>,
}

/// A mechanism by the names of its blocks.
#[derive(Serialize)]
struct Named {
    moving: Vec<String>,
    slides: usize,
    hinges: usize,
    opens: usize,
    interfaces: Vec<NamedMode>,
}

impl Named {
    fn new(assembly: &Assembly, mechanism: &Mechanism) -> Self {
        let name = |block: usize| assembly.blocks[block].name.clone();
        let named_mode = |(k, mode): &(usize, Mode)| {
            let interface = &assembly.interfaces[*k];
            NamedMode { a: name(interface.a), b: name(interface.b), mode: *mode }
        };
        Named {
            moving: mechanism.moving.iter().map(|&block| name(block)).collect(),
            slides: mechanism.count(Mode::Slides),
            hinges: mechanism.count(Mode::Hinges),
            opens: mechanism.count(Mode::Opens),
            interfaces: mechanism.interfaces.iter().map(named_mode).collect(),
        }
    }
}

/// What an interface does in a mechanism.
#[derive(Serialize)]
struct NamedMode {
    a: String,
    b: String,
    mode: Mode,
}

#[derive(Serialize)]
struct MarginReport {
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    direction: Option<[f64; 3]>,
    at_least: Option<f64>,
    at_most: Option<f64>,
    unbounded: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mechanism: Option<Named>,
}

impl Report {
    pub(crate) fn new(
        assembly: &Assembly,
        statics: &Statics,
        answer: &Answer,
        margins: &[Margin],
    ) -> Self {
        let named = |mechanism: Mechanism| Named::new(assembly, &mechanism);
        let of_margin = |margin: &Margin| MarginReport {
            what: margin.what,
            direction: margin.direction,
            at_least: margin.at_least,
            at_most: margin.at_most,
            unbounded: margin.unbounded,
            mechanism: margin
                .claims
                .iter()
                .flatten()
                .find_map(|claim| statics.mechanism(assembly, claim))
                .map(named),
        };
        let coefficients = assembly.interfaces.iter().map(|interface| interface.friction);
        let least = coefficients.clone().fold(f64::INFINITY, f64::min);
        Report {
            name: assembly.name.clone(),
            verdict: answer.verdict.name(),
            reason: reason(answer),
            blocks: assembly.blocks.len(),
            fixed: assembly.blocks.iter().filter(|block| block.fixed).count(),
            interfaces: assembly.interfaces.len(),
            contacts: assembly.contact_count(),
            gap: match assembly.source {
                InterfaceSource::Detected(tolerance) => Some(tolerance.gap),
                InterfaceSource::Given => None,
            },
            friction: [
                if least.is_finite() { least } else { 0.0 },
                coefficients.fold(0.0, f64::max),
            ],
            floating: assembly
                .floating()
                .iter()
                .map(|&k| assembly.blocks[k].name.clone())
                .collect(),
            mechanism: answer
                .claims
                .iter()
                .find_map(|claim| statics.mechanism(assembly, claim))
                .map(named),
            margins: margins.iter().map(of_margin).collect(),
            assumptions: assembly.assumptions.clone(),
            repeats: Repeats::default(),
            accelerations: None,
            ranges: Vec::new(),
            robustness: None,
            state: None,
        }
    }

    /// Adds the state of forces and the motion, to be drawn.
    pub(crate) fn show(
        &mut self,
        assembly: &Assembly,
        statics: &Statics,
        answer: &Answer,
        margins: &[Margin],
    ) {
        let limits: Vec<&Claim> =
            margins.iter().flat_map(|margin| margin.claims.iter().flatten()).collect();
        self.state = Some(statics.display(assembly, answer, &limits));
    }

    /// Name, verdict and margins, one line each.
    pub(crate) fn caption(&self) -> Vec<String> {
        let margin = |margin: &MarginReport| {
            let (name, value) = margin.text();
            format!("{name}: {value}")
        };
        let head = [self.name.clone(), self.verdict.to_owned()];
        head.into_iter().chain(self.margins.iter().map(margin)).collect()
    }

    pub(crate) fn print(&self) {
        let blocks = count(self.blocks, "block", "blocks");
        let interfaces = count(self.interfaces, "interface", "interfaces");
        let contacts = count(self.contacts, "contact point", "contact points");
        say!("{}: {blocks} ({} fixed), {interfaces}, {contacts}", self.name, self.fixed);
        say!("");
        say!("  verdict          {}", self.verdict);
        say!("                   {}", self.reason);
        if !self.floating.is_empty() {
            say!("  without support  {}", list(&self.floating));
        }
        if let Some(mechanism) = &self.mechanism {
            mechanism.print();
        }
        for margin in &self.margins {
            margin.print();
        }
        if let Some(accelerations) = &self.accelerations {
            accelerations.print();
        }
        if let Some(robustness) = &self.robustness {
            robustness.print();
        }
        if !self.ranges.is_empty() {
            print_ranges(&self.ranges);
        }
        self.repeats.print();
        say!("");
        match self.gap {
            Some(gap) => {
                say!("  interfaces       detected where faces are at most {gap:.3e} m apart");
            }
            None => say!("  interfaces       as listed in the model"),
        }
        let [least, most] = self.friction;
        if least == most {
            say!("  friction         {most}");
        } else {
            say!("  friction         {least} to {most}");
        }
        for assumption in &self.assumptions {
            say!("  assumed          {assumption}");
        }
        say!(
            "  proofs           forces and motions checked in 32 digits; first order: no buckling, no deformation"
        );
    }
}

impl Named {
    fn print(&self) {
        say!(
            "  mechanism        {} move: {}",
            count(self.moving.len(), "block", "blocks"),
            list(&self.moving)
        );
        say!(
            "                   interfaces: {} slide, {} hinge, {} open",
            self.slides,
            self.hinges,
            self.opens
        );
    }
}

impl MarginReport {
    fn print(&self) {
        let (name, value) = self.text();
        say!("  {name:<16} {value}");
        if let Some(mechanism) = &self.mechanism {
            mechanism.print();
        }
    }

    /// Its name and its value.
    fn text(&self) -> (String, String) {
        let name = match self.direction {
            Some([x, y, _]) => format!("tilt {:.0}°", y.atan2(x).to_degrees() + 0.0),
            None => self.what.to_owned(),
        };
        let least_friction = self.what == "friction factor";
        let value = match (self.at_least, self.at_most) {
            (Some(0.0), Some(0.0)) if least_friction => "0: it needs no friction".into(),
            (Some(0.0), Some(0.0)) if self.what == "clamp factor" => "0: it stands without".into(),
            (Some(low), Some(high)) => digits(low, high),
            (Some(_), None) if self.unbounded => "no limit".into(),
            (Some(low), None) if least_friction => format!("none up to {low} is enough"),
            (Some(low), None) => format!("at least {low}; no upper end was proved"),
            (None, Some(high)) => format!("at most {high}; no lower end was proved"),
            (None, None) => {
                "nothing was proved: no value is carried, or the limit is ill-defined".into()
            }
        };
        let unit = match (self.what, self.at_least) {
            ("tilt", Some(low)) if !self.unbounded => {
                format!(" (tangent; {:.6}°)", low.atan().to_degrees())
            }
            _ => String::new(),
        };
        (name, format!("{value}{unit}"))
    }
}

/// The digits on which both ends agree, and one more as a range if they differ early.
fn digits(low: f64, high: f64) -> String {
    for decimals in (0..=12).rev() {
        let (one, other) = (format!("{low:.decimals$}"), format!("{high:.decimals$}"));
        if one == other && decimals > 0 {
            return one;
        }
    }
    format!("{low} to {high}")
}

fn list(names: &[String]) -> String {
    let shown = names.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn reason(answer: &Answer) -> &'static str {
    match answer.verdict {
        Verdict::Must if answer.balances() => {
            "normal forces alone balance the weight, like a pencil on its tip: a nudge of 1e-8 of it is too much"
        }
        Verdict::Cannot => "no forces within the friction cones balance the weight",
        Verdict::Can => {
            "forces within the friction cones balance the weight; whether it must stand is open"
        }
        Verdict::NeedNot => "forces balance the weight, but it may also move: both obey the laws",
        Verdict::Must => "normal forces alone balance the weight: nothing can start to move",
        Verdict::Edge => "forces balance the weight, but a nudge of 1e-8 of it is too much",
        Verdict::Undecided => {
            "neither forces nor a motion could be proved: it is within rounding of its limit"
        }
    }
}
