//! Linear complementarity problems and certificates of their answers.
//!
//! ```text
//!   w = M z + q,   w ≥ 0,   z ≥ 0,   wᵀ z = 0
//! ```

use serde::Serialize;

/// `w = M z + q` with `M` stored by rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Lcp {
    n: usize,
    m: Vec<f64>,
    q: Vec<f64>,
}

/// Why a matrix and a vector do not form a problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum LcpError {
    /// The matrix is not square, or the vector does not match it.
    #[error("M has {entries} entries and q has {n}: M must be {n} × {n}")]
    Shape { entries: usize, n: usize },
    /// A NaN or an infinity.
    #[error("{name} is {value}, must be finite")]
    NotFinite { name: String, value: f64 },
}

impl Lcp {
    /// Checks and stores a matrix (by rows) and a vector.
    ///
    /// # Errors
    ///
    /// [`LcpError`] if the sizes do not match or a number is not finite.
    pub fn new(m: Vec<f64>, q: Vec<f64>) -> Result<Self, LcpError> {
        let n = q.len();
        if m.len() != n * n {
            return Err(LcpError::Shape { entries: m.len(), n });
        }
        if let Some(k) = m.iter().position(|x| !x.is_finite()) {
            let name = format!("M[{}][{}]", k / n, k % n);
            return Err(LcpError::NotFinite { name, value: m[k] });
        }
        if let Some(k) = q.iter().position(|x| !x.is_finite()) {
            return Err(LcpError::NotFinite { name: format!("q[{k}]"), value: q[k] });
        }
        Ok(Lcp { n, m, q })
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are no unknowns.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// One row of `M`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.m[i * self.n..(i + 1) * self.n]
    }

    /// The vector `q`.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// `w = M z + q`
    pub fn w(&self, z: &[f64]) -> Vec<f64> {
        let dot = |row: &[f64]| row.iter().zip(z).map(|(m, z)| m * z).sum::<f64>();
        (0..self.n).map(|i| dot(self.row(i)) + self.q[i]).collect()
    }

    /// Judges any answer, from any source.
    pub fn judge(&self, z: &[f64]) -> LcpCertificate {
        let w = self.w(z);
        let least = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(-x));
        let natural = z.iter().zip(&w).map(|(z, w)| z.min(*w).abs()).fold(0.0, f64::max);
        let size = self.q.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        let relative = if natural == 0.0 { 0.0 } else { natural / size };
        LcpCertificate {
            certified: relative <= LCP_CERTIFIED && z.len() == self.n,
            natural_map: natural,
            relative,
            negative_z: least(z),
            negative_w: least(&w),
            product: z.iter().zip(&w).map(|(z, w)| (z * w).abs()).fold(0.0, f64::max),
        }
    }
}

/// Largest natural map, relative to `max |q|`, of a certified answer: far above
/// the rounding of a pivoting method on a well-conditioned problem.
pub const LCP_CERTIFIED: f64 = 1e-9;

/// The judge's verdict on an answer to an [`Lcp`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LcpCertificate {
    /// Whether the natural map is small enough.
    pub certified: bool,
    /// `max |min(z, w)|`
    pub natural_map: f64,
    /// The same relative to `max |q|`.
    pub relative: f64,
    /// Most negative `z`, as a positive number.
    pub negative_z: f64,
    /// Most negative `w`, as a positive number.
    pub negative_w: f64,
    /// Largest `|z w|`.
    pub product: f64,
}
