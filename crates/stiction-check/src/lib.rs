//! Checks certificates of statics. No solver, one inequality per law, about 32 digits.
//!
//! # What is proved
//!
//! ```text
//!   carried        forces f with |f_t| ≤ μ f_n that balance the load
//!   not carried    a motion v with u_n ≥ μ |u_t| at every contact on which the load has positive power:
//!                  any admissible f has f·u ≥ 0, so that load and forces together cannot vanish
//!   must stand     forces without friction that balance the load: from rest, every solution of the
//!                  laws has aᵀMa = (load + Jᵀf)·a ≤ 0
//!   moves          forces and accelerations that obey Coulomb's law from rest
//! ```
//!
//! A motion is checked without any tolerance. Forces balance to [`BALANCE`] of the load of each
//! block: what they prove is that a load that differs by so little is carried.
//!
//! # Where to start reading
//!
//! [`Certificate::check`] in `certificate.rs` compares the certificate with the model and checks
//! every claim; `laws.rs` has the laws; `model.rs` says what a model is.

mod certificate;
mod laws;
mod model;

pub use certificate::{
    Accepted, Bracket, Certificate, Claim, EDGE, FORMAT, Proof, Refusal, digest,
};
pub use laws::{
    BALANCE, Broken, MOVING, ROUNDING, Residue, carries, imbalance, moves, power,
    proves_not_carried, without_friction,
};
pub use model::{Block, Case, Contact, Model};
