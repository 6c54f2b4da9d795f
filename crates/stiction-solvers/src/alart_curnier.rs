//! Coulomb's law as equations, and their slopes: the functions of Alart and Curnier.
//!
//! ```text
//!   z = f − u                      per contact, in units where its own response is about 1
//!   z_n ≤ 0        open            f = 0
//!   |z_t| ≤ ρ      stick           u_n = 0,  u_t = 0          ρ = μ f_n  (or μ z_n)
//!   otherwise      slip            u_n = 0,  f_t = ρ z_t/|z_t|
//! ```
//!
//! Rows hold (`u = 0`), or within their bounds. Newton's method on these functions finishes answers
//! densely (`cone.rs`) and through the bodies (`proximal/newton.rs`).
//!
//! # Reference
//!
//! P. Alart, A. Curnier. *A mixed formulation for frictional contact problems prone to Newton
//! like solution methods.* CMAME 92 (1991), 353–375.

use crate::space::{Block, Law, NONE, UNIT};

/// Which friction radius is used: that of the force, or of the force it is heading for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Radius {
    Force,
    Heading,
}

/// The functions of a contact or row, and how they change with responses and forces.
pub(crate) struct Functions {
    pub value: [f64; 3],
    pub by_response: Block,
    pub by_force: Block,
}

impl Functions {
    /// `u = 0`
    fn held(response: [f64; 3]) -> Self {
        Functions { value: response, by_response: UNIT, by_force: NONE }
    }

    /// The force has a given value.
    fn given(off: [f64; 3]) -> Self {
        Functions { value: off, by_response: NONE, by_force: UNIT }
    }
}

/// The functions of a contact or row at a force and its response.
pub(crate) fn functions(law: Law, radius: Radius, r: [f64; 3], u: [f64; 3]) -> Functions {
    let z = [0, 1, 2].map(|k| r[k] - u[k]);
    let mu = match law {
        Law::Bilateral => return Functions::held(u),
        Law::Bounded { lower, upper } => {
            let within = z[0].clamp(lower, upper);
            let off = [r[0] - within, 0.0, 0.0];
            return if z[0] == within { Functions::held(u) } else { Functions::given(off) };
        }
        Law::Contact { friction } => friction,
    };
    if z[0] <= 0.0 {
        return Functions::given(r);
    }
    let heads = radius == Radius::Heading;
    let (length, limit) = (z[1].hypot(z[2]), mu * if heads { z[0] } else { r[0].max(0.0) });
    if length <= limit {
        return Functions::held(u);
    }
    let mut slip = Functions::held([u[0], 0.0, 0.0]);
    let unit = [z[1] / length, z[2] / length];
    // f_t − ρ z_t/|z_t|,  dz = df − du
    let slope = if heads || r[0] > 0.0 { mu } else { 0.0 };
    for k in 0..2 {
        slip.value[k + 1] = r[k + 1] - limit * unit[k];
        slip.by_force[k + 1][0] = -slope * unit[k];
        slip.by_response[k + 1][0] = if heads { slope * unit[k] } else { 0.0 };
        for l in 0..2 {
            let same = if k == l { 1.0 } else { 0.0 };
            let across = limit / length * (same - unit[k] * unit[l]);
            slip.by_response[k + 1][l + 1] = across;
            slip.by_force[k + 1][l + 1] = same - across;
        }
    }
    slip
}
