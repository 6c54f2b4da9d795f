//! Small dense factors that grow and shrink by one row and column at a time.

mod cholesky;
mod inverse;
mod kernels;

pub(crate) use cholesky::Cholesky;
pub(crate) use inverse::Inverse;
pub(crate) use kernels::{axpy, dot};
