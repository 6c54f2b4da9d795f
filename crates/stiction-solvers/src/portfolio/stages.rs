//! The table: which method is tried on which island.

use std::fmt::Write as _;
use stiction_contact::{Contact, ContactProblem, Forces, Friction, Level, Tangents};

/// Contacts up to which pivoting comes first: of several bodies with friction.
const FEW: usize = 40;

/// The same where nothing is unknown about friction.
const FEW_SMOOTH: usize = 150;

/// The same in the plane, with forces to begin from.
const FEW_PLANAR: usize = 100;

/// Contacts up to which pivoting comes at all: by itself, and in a sequence.
const PIVOTED: usize = 300;
const PIVOTED_IN_SEQUENCE: usize = 150;

/// What the choice of stages depends on.
#[expect(clippy::struct_excessive_bools, reason = "independent properties of an island")]
pub(super) struct Shape {
    pub contacts: usize,
    /// Some friction has an unknown direction.
    rubs: bool,
    /// Some contacts slide already.
    slides: bool,
    bounded: bool,
    impact: bool,
    /// The most that proximal points may take, in a sequence.
    pub sequence: Option<f64>,
    /// In a sequence, with forces to begin from or for an impact.
    warm: bool,
    /// Contacts up to which pivoting comes first.
    few: usize,
}

impl Shape {
    pub(super) fn new(
        problem: &ContactProblem,
        start: Option<&Forces>,
        sequence: Option<f64>,
    ) -> Self {
        let contacts = problem.contacts();
        let moving = problem.bodies().iter().filter(|body| !body.is_fixed()).count();
        let rubs = contacts.iter().any(|c| c.friction.has_tangent_unknowns());
        let slides = contacts.iter().any(slides);
        let planar = contacts.iter().all(|c| matches!(c.tangents, Tangents::Line(_)));
        let impact = problem.level() == Level::Impact;
        let acceleration = problem.level() == Level::Acceleration;
        let warm = sequence.is_some() && (start.is_some() || impact) && !slides;
        let few = match (rubs, warm) {
            (true, true) if planar => FEW_PLANAR,
            (true, true) => 0,
            _ if moving == 1 => usize::MAX,
            // Accelerations decide modes of motion: they have all the digits that pivoting has.
            (true, false) if sequence.is_some() && !slides && !acceleration => 0,
            (true, false) => FEW,
            (false, _) => FEW_SMOOTH,
        };
        let bounded = !problem.bounded().is_empty();
        let contacts = contacts.len();
        Shape { contacts, rubs, slides, bounded, impact, sequence, warm, few }
    }

    fn pivots_first(&self) -> bool {
        self.contacts <= self.few
    }

    fn is_too_large_to_pivot(&self) -> bool {
        let most = if self.sequence.is_some() { PIVOTED_IN_SEQUENCE } else { PIVOTED };
        self.contacts > most
    }

    fn pivots(&self) -> bool {
        self.pivots_first() || !self.is_too_large_to_pivot()
    }

    fn begins_with_dantzig(&self) -> bool {
        !self.rubs || self.bounded || (self.warm && !self.impact)
    }
}

fn slides(contact: &Contact) -> bool {
    matches!(contact.friction, Friction::Sliding { .. })
}

/// A method of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Iterations,
    Dantzig,
    Lloyd,
    ForcesOrImpulse,
    /// Newton with the judge's digits from forces that are near the laws already.
    Newton,
}

/// One line of the table: a method, when it applies, and the same in words.
pub(super) struct Stage {
    pub method: Method,
    pub applies: fn(&Shape) -> bool,
    when: &'static str,
}

/// The table of the profiles one-off and sequence.
pub(super) const STAGES: &[Stage] = &[
    Stage {
        method: Method::Iterations,
        applies: |s| !s.pivots_first(),
        when: "more contacts than pivoting suits",
    },
    Stage {
        method: Method::Dantzig,
        applies: |s| s.pivots() && s.begins_with_dantzig(),
        when: "no unknown friction, bounded rows, or forces to begin from",
    },
    Stage {
        method: Method::Iterations,
        applies: |s| s.pivots_first() && s.contacts > PIVOTED && s.begins_with_dantzig(),
        when: "the same, one body with more than 300 contacts",
    },
    Stage {
        method: Method::Lloyd,
        applies: Shape::pivots,
        when: "one body, or contacts that pivoting suits",
    },
    Stage {
        method: Method::Iterations,
        applies: |s| s.pivots_first() && s.contacts > PIVOTED && !s.begins_with_dantzig(),
        when: "one body with more than 300 contacts",
    },
    Stage {
        method: Method::Dantzig,
        applies: |s| s.pivots() && !s.begins_with_dantzig(),
        when: "the same, if it was not tried yet",
    },
    Stage {
        method: Method::Iterations,
        applies: |s| s.pivots_first() && s.contacts <= PIVOTED,
        when: "where pivoting came first and failed",
    },
    Stage {
        method: Method::ForcesOrImpulse,
        applies: |s| s.slides && !s.rubs && !s.bounded && !s.is_too_large_to_pivot(),
        when: "contacts that all slide already",
    },
    Stage {
        method: Method::Newton,
        applies: |s| !s.slides && s.contacts <= PIVOTED,
        when: "forces within 1e-3 of the laws, nothing slides already",
    },
];

impl Stage {
    pub(super) fn name(&self) -> &'static str {
        match self.method {
            Method::Iterations => "iterations",
            Method::Dantzig => "dantzig",
            Method::Lloyd => "lloyd-reduced",
            Method::ForcesOrImpulse => "forces-or-impulse",
            Method::Newton => "newton",
        }
    }

    fn remark(&self) -> &'static str {
        match self.method {
            Method::Newton => " on the round cone, in double-double",
            _ => "",
        }
    }
}

/// The table as Markdown: order, method, when it applies.
pub fn table() -> String {
    let mut text = String::from("| stage | method | tried on |\n| ---: | --- | --- |\n");
    for (k, stage) in STAGES.iter().enumerate() {
        let _ =
            writeln!(text, "| {} | `{}`{} | {} |", k + 1, stage.name(), stage.remark(), stage.when);
    }
    text
}
