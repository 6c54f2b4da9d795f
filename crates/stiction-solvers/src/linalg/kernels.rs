//! Inner loops. Sums use eight fixed lanes, so that the compiler may use any vector width and
//! the bits stay the same on every machine.

/// Lanes of a sum: the width of the widest common vector registers. Changing it changes the
/// bits.
const LANES: usize = 8;

#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for k in 0..LANES {
            lanes[k] += a[k] * b[k];
        }
    }
    let mut sum = 0.0;
    for (a, b) in a_rest.iter().zip(b_rest) {
        sum += a * b;
    }
    let [p, q, r, s, t, u, v, w] = lanes;
    sum + (((p + t) + (q + u)) + ((r + v) + (s + w)))
}

/// `y += factor · x`
#[inline(always)]
pub(crate) fn axpy(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}
