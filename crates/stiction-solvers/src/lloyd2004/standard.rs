//! The contact problem as one large complementarity problem, formed and solved as such \[L04,
//! eq. 8\]: the reference, and the last resort.

use super::path::Path;
use super::pyramid::{Pyramid, project_out};
use super::state::Variable;
use crate::lemke::{LcpOutcome, solve_or_ray};
use crate::linalg::dot;
use crate::work::Work;
use faer::Mat;
use faer::linalg::solvers::Solve;
use stiction_contact::{Forces, Lcp, LcpError};

/// Index of the first variable of each kind of a contact.
struct Place {
    theta: usize,
    phi: usize,
    lambda: usize,
    count: usize,
}

/// The problem `w = M z + q` of a pyramid, in its own units.
pub struct Standard<'a> {
    pyramid: &'a Pyramid,
    places: Vec<Place>,
    lcp: Lcp,
}

/// How the standard method ended.
pub(super) enum StandardEnd {
    /// Forces as found, and polished ones.
    Solved(Vec<Forces>),
    Ray(Forces),
    PivotLimit,
}

impl<'a> Standard<'a> {
    /// Forms `M` and `q`. Bilateral rows are projected out first.
    ///
    /// # Errors
    ///
    /// [`LcpError`] if a number overflows.
    pub fn new(pyramid: &'a Pyramid) -> Result<Self, LcpError> {
        let n = pyramid.blocks.len();
        let mut size = n;
        let counts = (0..n).map(|i| pyramid.fan(i).count);
        let mut places: Vec<Place> = counts
            .enumerate()
            .map(|(theta, count)| {
                let phi = size;
                size += count;
                Place { theta, phi, lambda: 0, count }
            })
            .collect();
        for place in places.iter_mut().filter(|place| place.count > 0) {
            place.lambda = size;
            size += 1;
        }
        let (m, q) = assemble(pyramid, &places, size);
        Ok(Standard { pyramid, lcp: Lcp::new(m, q)?, places })
    }

    /// The problem itself.
    pub fn lcp(&self) -> &Lcp {
        &self.lcp
    }

    /// Indices of θ, φ and λ of a contact.
    #[cfg(test)]
    pub(super) fn places(&self, contact: usize) -> (usize, usize, usize) {
        let place = &self.places[contact];
        (place.theta, place.phi, place.lambda)
    }

    pub(super) fn solve(&self, work: &mut Work) -> (StandardEnd, usize) {
        match solve_or_ray(&self.lcp, |_| true, work) {
            LcpOutcome::Solved { z, pivots, .. } => {
                let both = [Some(self.forces(&z)), self.polished(&z)];
                (StandardEnd::Solved(both.into_iter().flatten().collect()), pivots)
            }
            LcpOutcome::Ray { direction, pivots } => {
                (StandardEnd::Ray(self.force_change(&direction)), pivots)
            }
            LcpOutcome::PivotLimit { pivots } => (StandardEnd::PivotLimit, pivots),
        }
    }

    /// The forces of a solution.
    pub fn forces(&self, z: &[f64]) -> Forces {
        self.read(z, true)
    }

    /// The forces of the basis of a solution, with the digits that forming the matrix has cost.
    fn polished(&self, z: &[f64]) -> Option<Forces> {
        /// Entries below this fraction of the largest are zero up to rounding.
        const ZERO: f64 = 1e-8;
        let zero = ZERO * z.iter().fold(0.0_f64, |m, x| m.max(*x));
        let pushing = || {
            let places = self.places.iter().enumerate();
            places.filter(|(_, place)| z[place.theta] > zero).map(|(i, place)| (i as u32, place))
        };
        let theta = pushing().map(|(i, _)| Variable::Normal(i));
        let phi = pushing().flat_map(|(i, place)| {
            let acts = move |j: &usize| z[place.phi + j] > zero;
            (0..place.count).filter(acts).map(move |j| Variable::Direction(i, j as u16))
        });
        let slides = |(_, place): &(u32, &Place)| place.count > 0 && z[place.lambda] > zero;
        let lambda = pushing().filter(slides).map(|(i, _)| Variable::Limit(i));
        Path::new(self.pyramid).settle_at(theta.chain(phi).chain(lambda))
    }

    /// The forces of a ray, without the free motion.
    fn force_change(&self, direction: &[f64]) -> Forces {
        self.read(direction, false)
    }

    fn read(&self, z: &[f64], moves_freely: bool) -> Forces {
        let contact = |(i, place): (usize, &Place)| {
            let fan = self.pyramid.fan(i);
            let phi = &z[place.phi..place.phi + place.count];
            let along = |part: &[f64]| phi.iter().zip(part).map(|(f, x)| f * x).sum::<f64>();
            [z[place.theta], along(&fan.cos), along(&fan.sin)]
        };
        let contacts: Vec<[f64; 3]> = self.places.iter().enumerate().map(contact).collect();
        let bilateral = self.bilateral(&contacts, moves_freely);
        self.pyramid.physical(&contacts, &bilateral)
    }

    /// Forces of the bilateral rows that balance the contacts.
    fn bilateral(&self, contacts: &[[f64; 3]], moves_freely: bool) -> Vec<f64> {
        let (rows, kept) = (&self.pyramid.rows, &self.pyramid.bilateral);
        if kept.is_empty() {
            return Vec::new();
        }
        let mut motion = rows.at_rest();
        for (i, force) in contacts.iter().enumerate() {
            let block = &self.pyramid.blocks[i];
            let slides = rows.contacts[i].slides;
            let line = if slides {
                rows.column[block.row].map(|side| side.map(|x| x * force[0]))
            } else {
                self.pyramid.line(i, *force)
            };
            motion.iter_mut().zip(rows.spread_one(block.row, &line)).for_each(|(v, x)| *v += x);
        }
        let k = kept.len();
        let gram = Mat::from_fn(k, k, |i, j| rows.entry(kept[i], kept[j]));
        let free = |r: usize| if moves_freely { rows.bias[r] } else { 0.0 };
        let right = Mat::from_fn(k, 1, |i, _| {
            -free(kept[i]) - dot(&rows.spread_one(kept[i], &rows.row[kept[i]]), &motion)
        });
        let force = gram.partial_piv_lu().solve(right);
        (0..k).map(|i| force[(i, 0)]).collect()
    }
}

/// `M` by rows, and `q`.
fn assemble(pyramid: &Pyramid, places: &[Place], size: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = &pyramid.rows;
    // The effect of the bilateral rows on the motion without contacts enters `q`.
    let shift = pyramid.bilateral_shift();
    let mut left = vec![Vec::new(); size];
    let mut right = vec![Vec::new(); size];
    let mut q = vec![0.0; size];
    for (i, place) in places.iter().enumerate() {
        let block = &pyramid.blocks[i];
        let fan = pyramid.fan(i);
        let mut line = |variable: usize, x: [f64; 3], column: Option<&crate::rows::Pair>| {
            let row = rows.spread_one(block.row, &pyramid.line(i, x));
            q[variable] = (0..3).map(|l| x[l] * block.bias[l]).sum::<f64>() + dot(&row, &shift);
            let mut effect = column.map_or_else(|| row.clone(), |c| rows.spread_one(block.row, c));
            project_out(&pyramid.held, &mut effect);
            left[variable] = row;
            right[variable] = effect;
        };
        line(place.theta, [1.0, 0.0, 0.0], Some(&rows.column[block.row]));
        for j in 0..place.count {
            line(place.phi + j, [0.0, fan.cos[j], fan.sin[j]], None);
        }
    }
    let mut m = vec![0.0; size * size];
    for (i, row) in left.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
        for (j, column) in right.iter().enumerate().filter(|(_, column)| !column.is_empty()) {
            m[i * size + j] = dot(row, column);
        }
    }
    for (i, place) in places.iter().enumerate().filter(|(_, place)| place.count > 0) {
        m[place.lambda * size + place.theta] = pyramid.blocks[i].friction;
        for phi in place.phi..place.phi + place.count {
            m[place.lambda * size + phi] = -1.0;
            m[phi * size + place.lambda] = 1.0;
        }
    }
    (m, q)
}
