//! Certificates: the laws, the distance of an answer from each, and the printed form.

use super::laws::over;
use super::matrix::Exchange;
use super::pyramid::PyramidCertificate;
use super::scale::Scale;
use crate::problem::{ContactProblem, Level};
use serde::Serialize;
use std::fmt;

/// A friction law an answer can be certified for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Friction at its limit points exactly against the slip.
    MaximumDissipation,
    /// The same with friction pyramids: Lloyd's complementarity problem.
    Pyramid,
    /// Friction at its limit points at least partly against the slip.
    Opposition,
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Law::MaximumDissipation => "maximum dissipation",
            Law::Pyramid => "maximum dissipation on pyramids",
            Law::Opposition => "opposition (Baraff's eq. 21)",
        })
    }
}

/// The shape of the friction cones of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cone {
    /// Coulomb's own.
    #[default]
    Round,
    /// A pyramid with this many sides, the first towards the first tangent
    /// ([`Contact::frame`](crate::Contact::frame)).
    Pyramid {
        /// Sides: even, at least 4.
        directions: usize,
    },
}

/// How far an answer is from one law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Residual {
    /// Largest change of a force that makes a contact or row satisfy its law (N, or N·s).
    pub force: f64,
    /// The same as a change of its response (m/s², or m/s).
    pub response: f64,
    /// The same relative to the scale of that contact or row.
    pub relative: f64,
    /// Largest fraction by which all terms of a response would have to change to satisfy the
    /// law.
    pub backward_error: f64,
}

impl Residual {
    /// No violation.
    pub(super) const NONE: Residual =
        Residual { force: 0.0, response: 0.0, relative: 0.0, backward_error: 0.0 };
    /// Larger than any finite violation.
    pub(super) const WORST: Residual = Residual {
        force: f64::MAX,
        response: f64::MAX,
        relative: f64::MAX,
        backward_error: f64::MAX,
    };

    /// Adds an error relative to a scale and returns whether it is the largest so far. A value
    /// that is not a number counts as the worst.
    pub(super) fn see(&mut self, error: f64, scale: &Scale) -> bool {
        if error.is_nan() {
            let first = self.relative < f64::MAX;
            *self = Residual::WORST;
            return first;
        }
        let finite = |x: f64| x.min(f64::MAX);
        self.force = self.force.max(finite(error * scale.force));
        self.response = self.response.max(finite(error * scale.slip));
        let backward = over(error * scale.slip, scale.terms);
        self.backward_error = self.backward_error.max(finite(backward));
        let worse = error > self.relative;
        self.relative = self.relative.max(finite(error));
        worse
    }
}

/// The judge's verdict on forces.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certificate {
    /// The level of the problem, which determines the units.
    pub level: Level,
    /// The least response that violations are compared with (m/s², or m/s); not zero in
    /// simulations.
    pub resolution: f64,
    /// The strictest law that holds within [`CERTIFIED`](super::CERTIFIED), if any.
    pub certified: Option<Law>,
    /// The reason, if it is not certified.
    pub reason: Option<String>,
    /// Distance from maximum dissipation: the natural map.
    pub natural_map: Residual,
    /// Distance from Baraff's conditions.
    pub opposition: Residual,
    /// Largest effect of the rounding of the data on a response, relative to the scale there:
    /// above [`CERTIFIED`](super::CERTIFIED) nothing is certified.
    pub rounding: f64,
    /// The same answer as a solution of Lloyd's complementarity problem, if its cones are
    /// pyramids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pyramid: Option<Box<PyramidCertificate>>,
    /// The measures common among projects that exchange problems without bodies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
    /// Most negative normal force, as a positive number.
    pub negative_force: f64,
    /// Most negative normal response, as a positive number.
    pub negative_response: f64,
    /// Largest normal force × normal response.
    pub normal_product: f64,
    /// Largest friction beyond its limit.
    pub cone_excess: f64,
    /// Largest unused friction × slip.
    pub slack_slip: f64,
    /// Largest angle between friction and the direction against the slip (degrees).
    pub misalignment_deg: f64,
    /// Largest violation of a bilateral row.
    pub bilateral: f64,
    /// Largest change of a bounded force that its law requires.
    pub bounded: f64,
    /// Largest force needed to stop the free motion at a contact.
    pub force_scale: f64,
    /// Largest contact force over that scale: large when contacts are wedged.
    pub force_ratio: f64,
}

impl Certificate {
    /// Whether the answer obeys at least Baraff's conditions.
    pub fn is_certified(&self) -> bool {
        self.certified.is_some()
    }

    /// The relative residual of the law it is certified for, or of opposition if it is not
    /// certified.
    pub fn residual(&self) -> f64 {
        match self.certified {
            Some(Law::MaximumDissipation) => self.natural_map.relative,
            Some(Law::Pyramid) => self.pyramid.as_ref().map_or(f64::MAX, |p| p.relative),
            _ => self.opposition.relative,
        }
    }

    /// The law that the forces are closest to.
    pub(super) fn nearest(&self) -> Law {
        let weaker = self.opposition.relative < self.natural_map.relative;
        if weaker { Law::Opposition } else { Law::MaximumDissipation }
    }

    /// The certificate of an answer that cannot be judged.
    pub(super) fn refused(problem: &ContactProblem, reason: String) -> Self {
        Certificate::refused_at(problem.level(), problem.resolution(), reason)
    }

    /// The same at a given level.
    pub(super) fn refused_at(level: Level, resolution: f64, reason: String) -> Self {
        Certificate {
            level,
            resolution,
            certified: None,
            reason: Some(reason),
            natural_map: Residual::WORST,
            opposition: Residual::WORST,
            rounding: f64::MAX,
            pyramid: None,
            exchange: None,
            negative_force: 0.0,
            negative_response: 0.0,
            normal_product: 0.0,
            cone_excess: 0.0,
            slack_slip: 0.0,
            misalignment_deg: 0.0,
            bilateral: 0.0,
            bounded: 0.0,
            force_scale: 0.0,
            force_ratio: 0.0,
        }
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (force, response) = (self.level.force_unit(), self.level.response_unit());
        match (&self.certified, &self.reason) {
            (Some(law), _) => writeln!(f, "certified: {law}")?,
            (None, Some(reason)) => writeln!(f, "NOT CERTIFIED: {reason}")?,
            (None, None) => writeln!(f, "NOT CERTIFIED")?,
        }
        let line = |f: &mut fmt::Formatter<'_>, name: &str, r: &Residual| {
            writeln!(
                f,
                "  {name:<19} {:>9.2e} relative  {:>9.2e} {force:<4} {:>9.2e} {response:<5} backward error {:.2e}",
                r.relative, r.force, r.response, r.backward_error
            )
        };
        line(f, "maximum dissipation", &self.natural_map)?;
        line(f, "opposition", &self.opposition)?;
        if let Some(p) = &self.pyramid {
            writeln!(
                f,
                "  {:<19} {:>9.2e} relative  {:>9.2e}, with {} sides",
                "pyramid", p.relative, p.natural_map, p.directions
            )?;
        }
        writeln!(
            f,
            "  {:<19} force ≥ −{:.1e}  response ≥ −{:.1e}  product {:.1e}",
            "normal", self.negative_force, self.negative_response, self.normal_product
        )?;
        writeln!(
            f,
            "  {:<19} cone excess {:.1e}  slack × slip {:.1e}  misalignment {:.2}°",
            "friction", self.cone_excess, self.slack_slip, self.misalignment_deg
        )?;
        if self.bilateral > 0.0 || self.bounded > 0.0 {
            writeln!(
                f,
                "  {:<19} bilateral {:.1e}  bounded {:.1e}",
                "rows", self.bilateral, self.bounded
            )?;
        }
        write!(
            f,
            "  {:<19} largest force {:.3} × {:.3e} {force}, the scale of the free motion",
            "size", self.force_ratio, self.force_scale
        )
    }
}
