//! What Lloyd (2004) reports in §5.4: the experiments, the figures, and the times
//! that the text gives, in milliseconds on a 1 GHz Pentium III-M under Java 1.4.

use crate::plot::Scale;
use stiction_solvers::lloyd2004::Method;

/// One set of problems.
pub struct Experiment {
    pub name: &'static str,
    /// Prefix of the names of its configurations.
    pub prefix: &'static str,
    /// Times at the smallest and the largest size in the text.
    pub ends: [End; 2],
}

/// Times at one size.
pub struct End {
    pub contacts: usize,
    pub bodies: usize,
    standard_ms: f64,
    structural_ms: f64,
    reduced_ms: f64,
}

impl End {
    pub fn ms(&self, method: Method) -> f64 {
        match method {
            Method::Standard => self.standard_ms,
            Method::Structural => self.structural_ms,
            Method::Reduced => self.reduced_ms,
        }
    }
}

pub const PEG: Experiment = Experiment {
    name: "peg in a hole",
    prefix: "peg_",
    ends: [
        End { contacts: 8, bodies: 1, standard_ms: 6.18, structural_ms: 2.55, reduced_ms: 1.08 },
        End {
            contacts: 32,
            bodies: 1,
            standard_ms: 400.75,
            structural_ms: 26.63,
            reduced_ms: 4.58,
        },
    ],
};

pub const SINGLE: Experiment = Experiment {
    name: "single bodies",
    prefix: "single_",
    ends: [
        End { contacts: 8, bodies: 1, standard_ms: 5.2, structural_ms: 2.1, reduced_ms: 0.57 },
        End { contacts: 16, bodies: 1, standard_ms: 50.9, structural_ms: 12.5, reduced_ms: 1.34 },
    ],
};

pub const STACK: Experiment = Experiment {
    name: "stacks of blocks",
    prefix: "stack_",
    ends: [
        End { contacts: 4, bodies: 1, standard_ms: 2.1, structural_ms: 1.45, reduced_ms: 1.32 },
        End {
            contacts: 32,
            bodies: 5,
            standard_ms: 2136.0,
            structural_ms: 224.0,
            reduced_ms: 96.0,
        },
    ],
};

pub const EXPERIMENTS: [&Experiment; 3] = [&PEG, &SINGLE, &STACK];

/// One figure of the paper.
pub struct Figure {
    pub number: u8,
    pub title: &'static str,
    pub experiment: &'static Experiment,
    pub methods: &'static [Method],
    pub scale: Scale,
    /// A line joins the means over equal numbers of contacts.
    pub joined: bool,
}

use Method::{Reduced, Standard, Structural};

pub const FIGURES: [Figure; 5] = [
    Figure {
        number: 5,
        title: "Peg in a hole: three methods",
        experiment: &PEG,
        methods: &[Standard, Structural, Reduced],
        scale: Scale::Linear,
        joined: true,
    },
    Figure {
        number: 6,
        title: "Peg in a hole: structural and reduced, close-up",
        experiment: &PEG,
        methods: &[Structural, Reduced],
        scale: Scale::Linear,
        joined: true,
    },
    Figure {
        number: 7,
        title: "Single bodies: three methods",
        experiment: &SINGLE,
        methods: &[Standard, Structural, Reduced],
        scale: Scale::Linear,
        joined: true,
    },
    Figure {
        number: 8,
        title: "Single bodies: reduced, close-up",
        experiment: &SINGLE,
        methods: &[Reduced],
        scale: Scale::Linear,
        joined: false,
    },
    Figure {
        number: 10,
        title: "Stacks of one to five blocks: three methods",
        experiment: &STACK,
        methods: &[Standard, Structural, Reduced],
        scale: Scale::Log,
        joined: true,
    },
];
