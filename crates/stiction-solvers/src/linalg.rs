//! Small dense factors that grow and shrink by one row and column at a time;
//! solutions of least norm; sparse factors of large systems.

mod cholesky;
mod inverse;
mod kernels;
mod minimum_norm;

pub(crate) use cholesky::Cholesky;
pub(crate) use inverse::Inverse;
pub(crate) use kernels::{axpy, dot};
pub(crate) use minimum_norm::{MinimumNorm, minimum_norm};
