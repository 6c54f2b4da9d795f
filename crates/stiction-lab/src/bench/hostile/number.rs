//! Numbers of 300 bits and vectors of them: the arithmetic of the checks.

use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Bits of every number. The data spans at most 2⁴⁰⁰ and no sum has more than a few thousand
/// terms, so that 300 bits leave at least 200 after any cancellation that a checked answer can
/// have: its forces have 53 bits each.
const BITS: usize = 300;

/// A number of [`BITS`] bits.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Real(FBig<HalfEven, 2>);

/// Three of them: a vector in space.
pub type Vector = [Real; 3];

impl Real {
    pub fn zero() -> Self {
        Real::new(0.0)
    }

    /// A finite number, without rounding.
    pub fn new(value: f64) -> Self {
        let exact = FBig::try_from(value).unwrap_or_default();
        Real(exact.with_precision(BITS).value())
    }

    pub fn value(&self) -> f64 {
        self.0.to_f64().value()
    }

    pub fn is_zero(&self) -> bool {
        self.0.repr().significand().is_zero()
    }

    pub fn sqrt(&self) -> Self {
        if self.is_zero() { self.clone() } else { Real(self.0.sqrt()) }
    }
}

macro_rules! operation {
    ($name:ident, $method:ident) => {
        impl $name for &Real {
            type Output = Real;
            fn $method(self, other: &Real) -> Real {
                Real($name::$method(&self.0, &other.0))
            }
        }
    };
}
operation!(Add, add);
operation!(Sub, sub);
operation!(Mul, mul);
operation!(Div, div);

impl Neg for &Real {
    type Output = Real;
    fn neg(self) -> Real {
        Real(-self.0.clone())
    }
}

pub fn vector(values: [f64; 3]) -> Vector {
    values.map(Real::new)
}

pub fn sum(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| &a[k] + &b[k])
}

pub fn difference(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| &a[k] - &b[k])
}

pub fn times(a: &Vector, factor: &Real) -> Vector {
    std::array::from_fn(|k| &a[k] * factor)
}

pub fn dot(a: &[Real], b: &[Real]) -> Real {
    let products = a.iter().zip(b).filter(|(x, y)| !x.is_zero() && !y.is_zero());
    products.fold(Real::zero(), |sum, (x, y)| &sum + &(x * y))
}

pub fn cross(a: &Vector, b: &Vector) -> Vector {
    let entry = |i: usize, j: usize| &(&a[i] * &b[j]) - &(&a[j] * &b[i]);
    [entry(1, 2), entry(2, 0), entry(0, 1)]
}

/// The vector made unit.
pub fn unit(a: &Vector) -> Vector {
    let length = dot(a, a).sqrt();
    std::array::from_fn(|k| &a[k] / &length)
}

/// The part of a vector across a unit vector.
pub fn across(a: &Vector, normal: &Vector) -> Vector {
    difference(a, &times(normal, &dot(a, normal)))
}

pub fn values<const N: usize>(a: &[Real; N]) -> [f64; N] {
    std::array::from_fn(|k| a[k].value())
}

/// `√Σx²`, without overflow on the way.
pub fn length(a: &[f64]) -> f64 {
    let largest = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * a.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_doubles_lose_is_kept() {
        let (large, small) = (Real::new(1e30), Real::new(1e-30));
        let left = &(&large + &small) - &large;
        assert_eq!(left.value(), 1e-30);
        let third = &Real::new(1.0) / &Real::new(3.0);
        let rest = &(&third * &Real::new(3.0)) - &Real::new(1.0);
        assert!(rest.value().abs() < 1e-89);
        let root = Real::new(2.0).sqrt();
        assert!((&(&root * &root) - &Real::new(2.0)).value().abs() < 1e-89);
    }

    #[test]
    fn the_cross_product_is_across_both() {
        let (a, b) = (vector([1.0, 2.0, 3.0]), vector([-4.0, 0.5, 7.0]));
        let c = cross(&a, &b);
        assert!(dot(&a, &c).is_zero() && dot(&b, &c).is_zero());
        assert_eq!(values(&c), [12.5, -19.0, 8.5]);
    }
}
