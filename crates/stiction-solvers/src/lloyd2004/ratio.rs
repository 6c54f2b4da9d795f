//! The ratio test: finds the basic variable that reaches zero first.

use super::state::Variable;
use crate::settings::PIVOT;

/// Ratios within this band of the smallest are ties: relative, and in units of the free motion.
const TIE: (f64, f64) = (1e-10, 1e-12);

/// Violations of the trivial basis below this fraction of the free motion are rounding.
const FEASIBLE: f64 = 1e-12;

/// Numbers processed together: one vector register.
const LANES: usize = 4;

/// Basic values and their rates, one per pair.
pub(super) struct Side {
    pub value: Vec<f64>,
    pub rate: Vec<f64>,
}

impl Side {
    fn new(n: usize) -> Self {
        let n = n.next_multiple_of(LANES);
        Side { value: vec![0.0; n], rate: vec![0.0; n] }
    }

    #[inline(always)]
    fn largest_rate(&self, n: usize) -> f64 {
        let mut lanes = [0.0_f64; LANES];
        for quad in self.rate[..n].as_chunks::<LANES>().0 {
            for l in 0..LANES {
                let size = quad[l].abs();
                lanes[l] = if size > lanes[l] { size } else { lanes[l] };
            }
        }
        lanes[0].max(lanes[1]).max(lanes[2].max(lanes[3]))
    }

    #[inline(always)]
    fn least_ratio(&self, n: usize, flat: f64) -> f64 {
        let mut lanes = [f64::INFINITY; LANES];
        let values = self.value[..n].as_chunks::<LANES>().0;
        let rates = self.rate[..n].as_chunks::<LANES>().0;
        for (value, rate) in values.iter().zip(rates) {
            for l in 0..LANES {
                let v = if value[l] > 0.0 { value[l] } else { 0.0 };
                let ratio = if rate[l] < -flat { -v / rate[l] } else { f64::INFINITY };
                lanes[l] = if ratio < lanes[l] { ratio } else { lanes[l] };
            }
        }
        lanes[0].min(lanes[1]).min(lanes[2].min(lanes[3]))
    }

    /// Among the ratios of at most `band`, the one with the largest rate.
    #[inline(always)]
    fn steepest(&self, n: usize, band: f64, best: &mut (f64, usize), offset: usize) {
        let values = self.value[..n].as_chunks::<LANES>().0;
        let rates = self.rate[..n].as_chunks::<LANES>().0;
        for (q, (value, rate)) in values.iter().zip(rates).enumerate() {
            let mut any = false;
            for l in 0..LANES {
                // value / −rate ≤ band, and steeper than the best so far
                any |= rate[l] < best.0 && value[l] <= -band * rate[l];
            }
            if any {
                for l in 0..LANES {
                    if rate[l] < best.0 && value[l] <= -band * rate[l] {
                        *best = (rate[l], offset + LANES * q + l);
                    }
                }
            }
        }
    }
}

/// The result of the ratio test.
pub(super) struct Blocking {
    pub step: f64,
    /// Index in the sequence of normals, limits and directions; `None` for z₀.
    pub place: Option<usize>,
}

/// All basic variables except those of the reduced system's own rows.
pub(super) struct Table {
    /// θ or ν of every contact.
    pub normal: Side,
    /// λ or γ of the contacts with friction.
    pub limit: Side,
    /// φ or σ of the contacts with friction.
    pub direction: Side,
    /// z₀ and its rate.
    pub cover: [f64; 2],
    /// Number of contacts with friction.
    pub frictional: usize,
    stride: usize,
    contacts: usize,
}

impl Table {
    pub(super) fn new(contacts: usize, stride: usize) -> Self {
        Table {
            normal: Side::new(contacts),
            limit: Side::new(contacts),
            direction: Side::new(contacts * stride),
            cover: [0.0; 2],
            frictional: 0,
            stride,
            contacts,
        }
    }

    /// Sets the padding after the last entries to values that never block.
    #[inline(always)]
    pub(super) fn close(&mut self, contacts: usize) {
        self.normal.rate[contacts..].fill(0.0);
        let end = self.frictional.next_multiple_of(LANES);
        self.limit.rate[self.frictional..end].fill(0.0);
    }

    /// The most negative value at the trivial basis, where all rows are covered equally: the
    /// value, and its index.
    pub(super) fn most_negative(&self) -> Option<(f64, usize)> {
        let mut worst = (-FEASIBLE, None);
        let mut see = |value: f64, place: usize| {
            if value < worst.0 {
                worst = (value, Some(place));
            }
        };
        let directions = self.normal.rate.len() + self.limit.rate.len();
        (0..self.contacts).for_each(|i| see(self.normal.value[i], i));
        let count = self.frictional * self.stride;
        (0..count).for_each(|k| see(self.direction.value[k], directions + k));
        worst.1.map(|place| (worst.0, place))
    }

    #[inline(always)]
    pub(super) fn blocking(&self) -> Option<Blocking> {
        let n = self.normal.rate.len();
        let limits = self.frictional.next_multiple_of(LANES);
        let directions = self.frictional * self.stride;
        let [z, dz] = self.cover;
        let largest = self
            .normal
            .largest_rate(n)
            .max(self.limit.largest_rate(limits))
            .max(self.direction.largest_rate(directions));
        let flat = PIVOT * largest.max(1.0);
        let least = self
            .normal
            .least_ratio(n, flat)
            .min(self.limit.least_ratio(limits, flat))
            .min(self.direction.least_ratio(directions, flat));
        let cover = if dz < -flat { z.max(0.0) / -dz } else { f64::INFINITY };
        if least == f64::INFINITY && cover == f64::INFINITY {
            return None;
        }
        let band = least.min(cover) * (1.0 + TIE.0) + TIE.1;
        if cover <= band {
            return Some(Blocking { step: cover, place: None });
        }
        let mut best = (-flat, usize::MAX);
        self.normal.steepest(n, band, &mut best, 0);
        self.limit.steepest(limits, band, &mut best, n);
        self.direction.steepest(directions, band, &mut best, n + self.limit.rate.len());
        (best.1 != usize::MAX).then_some(Blocking { step: least, place: Some(best.1) })
    }

    /// The variable at a place of the table.
    pub(super) fn variable(
        &self,
        place: Option<usize>,
        frictional: &[u32],
        stride: usize,
    ) -> Variable {
        let Some(place) = place else { return Variable::Cover };
        let (normals, limits) = (self.normal.rate.len(), self.limit.rate.len());
        if place < normals {
            Variable::Normal(place as u32)
        } else if place < normals + limits {
            Variable::Limit(frictional[place - normals])
        } else {
            let place = place - normals - limits;
            Variable::Direction(frictional[place / stride], (place % stride) as u16)
        }
    }

    /// Whether the normal force of a contact reaches zero within the tie band of a step.
    pub(super) fn reaches_zero(&self, contact: usize, step: f64) -> bool {
        let (value, rate) = (self.normal.value[contact], self.normal.rate[contact]);
        let band = step * (1.0 + TIE.0) + TIE.1;
        value + band * rate <= 0.0
    }
}
