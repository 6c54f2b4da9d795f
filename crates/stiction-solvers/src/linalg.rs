//! Linear algebra: small dense factors that change by one row and column at a time, and
//! minimum-norm solutions.

mod cholesky;
mod inverse;
mod kernels;
mod minimum_norm;

pub(crate) use cholesky::Cholesky;
pub(crate) use inverse::Inverse;
pub(crate) use kernels::{axpy, dot};
pub(crate) use minimum_norm::{MinimumNorm, minimum_norm};
