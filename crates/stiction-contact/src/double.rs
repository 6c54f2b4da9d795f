//! Double-double numbers of about 32 digits, for recomputing a response and inverting an
//! inertia.
//!
//! Where bodies rest under load, a response is a small difference of large forces. Rounding
//! there must not be mistaken for a violation, nor hide one. Knuth's two-sum and Dekker's
//! product; no fused operations, so the bits are the same on every machine. An overflow becomes
//! NaN and stays NaN.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// An unevaluated sum `hi + lo` with |lo| ≤ ulp(hi)/2.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dd {
    hi: f64,
    lo: f64,
}

fn two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    let t = hi - a;
    Dd { hi, lo: (a - (hi - t)) + (b - t) }
}

fn quick_two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    Dd { hi, lo: b - (hi - a) }
}

/// Splits a number into two halves of 26 bits.
fn split(a: f64) -> (f64, f64) {
    /// 2²⁷ + 1: multiplying by it separates the upper half of a 53-bit mantissa from the lower one.
    const SPLITTER: f64 = 134_217_729.0;
    let t = SPLITTER * a;
    let hi = t - (t - a);
    (hi, a - hi)
}

fn two_product(a: f64, b: f64) -> Dd {
    let hi = a * b;
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    Dd { hi, lo: ((ah * bh - hi) + ah * bl + al * bh) + al * bl }
}

impl Dd {
    /// The exact product of two numbers.
    pub fn product(a: f64, b: f64) -> Dd {
        two_product(a, b)
    }

    /// Rounded to 53 bits.
    pub fn value(self) -> f64 {
        self.hi + self.lo
    }

    /// The square root of a positive number: one Newton step from the `f64` root.
    #[must_use]
    pub fn sqrt(self) -> Dd {
        let root = self.hi.sqrt();
        let rest = self - Dd::from(root) * root;
        quick_two_sum(root, 0.5 * rest.hi / root)
    }
}

impl From<f64> for Dd {
    fn from(hi: f64) -> Self {
        Dd { hi, lo: 0.0 }
    }
}

impl Add for Dd {
    type Output = Dd;
    fn add(self, other: Dd) -> Dd {
        let s = two_sum(self.hi, other.hi);
        let t = two_sum(self.lo, other.lo);
        let s = quick_two_sum(s.hi, s.lo + t.hi);
        quick_two_sum(s.hi, s.lo + t.lo)
    }
}

impl Neg for Dd {
    type Output = Dd;
    fn neg(self) -> Dd {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Dd {
    type Output = Dd;
    fn sub(self, other: Dd) -> Dd {
        self + -other
    }
}

impl Mul for Dd {
    type Output = Dd;
    fn mul(self, other: Dd) -> Dd {
        let p = two_product(self.hi, other.hi);
        quick_two_sum(p.hi, p.lo + self.hi * other.lo + self.lo * other.hi)
    }
}

impl Div for Dd {
    type Output = Dd;
    fn div(self, other: Dd) -> Dd {
        let first = self.hi / other.hi;
        let rest = self - other * first;
        let second = rest.hi / other.hi;
        let rest = rest - other * second;
        quick_two_sum(first, second) + Dd::from(rest.hi / other.hi)
    }
}

impl Mul<f64> for Dd {
    type Output = Dd;
    fn mul(self, other: f64) -> Dd {
        let p = two_product(self.hi, other);
        quick_two_sum(p.hi, p.lo + self.lo * other)
    }
}

/// A vector in space.
pub type Dd3 = [Dd; 3];

/// Widens a vector of `f64`.
pub fn wide(a: [f64; 3]) -> Dd3 {
    a.map(Dd::from)
}

/// A vector of nearly unit length with its length corrected to one, in about 30 digits.
pub fn unit(a: [f64; 3]) -> Dd3 {
    let [x, y, z] = a.map(|x| two_product(x, x));
    let first = two_sum(x.hi, y.hi);
    let sum = two_sum(first.hi, z.hi);
    // The sum is near one, so that this difference is exact.
    let excess = (sum.hi - 1.0) + (sum.lo + first.lo + (x.lo + y.lo + z.lo));
    a.map(|x| quick_two_sum(x, -0.5 * excess * x))
}

/// `a + b`
pub fn add(a: Dd3, b: Dd3) -> Dd3 {
    std::array::from_fn(|k| a[k] + b[k])
}

/// `a − b`
pub fn sub(a: Dd3, b: Dd3) -> Dd3 {
    std::array::from_fn(|k| a[k] - b[k])
}

/// `a × b`
pub fn cross(a: Dd3, b: Dd3) -> Dd3 {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    })
}

/// `a · b`
pub fn dot(a: &[Dd], b: &[Dd]) -> Dd {
    a.iter().zip(b).fold(Dd::default(), |sum, (&x, &y)| sum + x * y)
}

/// `a · b`, where most of `a` may be zero
pub fn dot_sparse(a: &[f64], b: &[Dd]) -> Dd {
    let terms = a.iter().zip(b).filter(|(x, _)| **x != 0.0);
    terms.fold(Dd::default(), |sum, (&x, &y)| sum + y * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_keeps_what_cancellation_would_lose() {
        let sum = Dd::from(1e16) + Dd::from(1.0) - Dd::from(1e16);
        assert_eq!(sum.value(), 1.0);
    }

    #[test]
    fn quotients_and_roots_have_thirty_digits() {
        let three = Dd::from(3.0);
        let off = (Dd::from(1.0) / three * three - Dd::from(1.0)).value();
        assert!(off.abs() < 1e-31, "{off:e}");
        let off = (three.sqrt() * three.sqrt() - three).value();
        assert!(off.abs() < 1e-30, "{off:e}");
    }

    #[test]
    fn a_unit_vector_has_length_one_to_thirty_digits() {
        for a in [[0.6, 0.0, 0.8], [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0], [0.0, 1.0, 0.0]] {
            let length = dot(&unit(a), &unit(a)) - Dd::from(1.0);
            assert!(length.value().abs() < 1e-30, "{a:?}: {:e}", length.value());
        }
    }

    #[test]
    fn a_product_is_exact_to_thirty_digits() {
        let x = Dd::from(1.0 + f64::EPSILON);
        let rest = x * x - Dd::from(1.0 + 2.0 * f64::EPSILON);
        assert_eq!(rest.value(), f64::EPSILON * f64::EPSILON);
    }
}
