//! Brings problems given by masses to the form `u = W r + q`.
//!
//! ```text
//!   M v = H r + G λ + f        n equations of motion
//!   Gᵀ v + b = 0               joints, if any
//!   u = Hᵀ v + w
//! ```
//!
//! Joints are appended to the motion, `[M −G; Gᵀ 0] (v, λ) = (H r + f, −b)`, which has the same
//! form without joints. The matrix splits into connected components (a body, a deformable
//! solid, a mechanism); each is factored densely: `W = Hᵀ M⁻¹ H`, `q = Hᵀ M⁻¹ f + w`.

use super::{MatrixError, MatrixProblem, Triplets, check_friction, check_matrix, check_vector};
use faer::Mat;
use faer::linalg::solvers::Solve;

/// Most unknowns of one connected group, and most contact rows acting on it: dense matrices of
/// that size take 0.3 GB.
const MOST: usize = 6000;

/// Fraction of the largest entry below which a pivot counts as zero: a hundred roundings.
const SINGULAR: f64 = 1e-14;

/// Equations of motion with contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Masses {
    /// `M`, n × n, invertible, not necessarily symmetric.
    pub m: Triplets,
    /// `H`, n × (dimension × contacts).
    pub h: Triplets,
    /// `f`, forces other than contact.
    pub f: Vec<f64>,
    /// `w`, the part of the response that does not depend on the motion.
    pub w: Vec<f64>,
    /// `G` (n × p) and `b` (p) of the joints.
    pub joints: Option<(Triplets, Vec<f64>)>,
}

impl Masses {
    /// Eliminates the motion: the problem in contact forces alone.
    ///
    /// # Errors
    ///
    /// [`MatrixError`] if sizes do not match, a number is invalid, or the matrix (redundant
    /// joints included) has no inverse.
    pub fn condense(
        &self,
        dimension: usize,
        friction: Vec<f64>,
    ) -> Result<MatrixProblem, MatrixError> {
        if !(2..=3).contains(&dimension) {
            return Err(MatrixError::Dimension { dimension });
        }
        check_friction(&friction)?;
        let (w, q) = self.schur(dimension * friction.len())?;
        MatrixProblem::new(dimension, &w, q, friction)
    }

    /// `W` and `q` for a given number of contact rows.
    ///
    /// # Errors
    ///
    /// [`MatrixError`] if sizes do not match or the mass matrix is singular.
    pub fn schur(&self, contact_rows: usize) -> Result<(Triplets, Vec<f64>), MatrixError> {
        let n = self.f.len();
        check_vector("f", &self.f, n)?;
        check_vector("w", &self.w, contact_rows)?;
        check_matrix("M", &self.m, n, n)?;
        check_matrix("H", &self.h, n, contact_rows)?;
        let (mut m, mut f) = (self.m.entries.clone(), self.f.clone());
        if let Some((g, b)) = &self.joints {
            check_vector("b", b, b.len())?;
            check_matrix("G", g, n, b.len())?;
            m.extend(g.entries.iter().map(|&(i, j, x)| (i, n + j, -x)));
            m.extend(g.entries.iter().map(|&(i, j, x)| (n + j, i, x)));
            f.extend(b.iter().map(|b| -b));
        }
        let groups = Groups::new(f.len(), &m);
        let m = groups.split(&m);
        let h = groups.split(&self.h.entries);
        let mut q = self.w.clone();
        let mut w = Triplets { rows: contact_rows, columns: contact_rows, entries: Vec::new() };
        for (k, unknowns) in groups.members.iter().enumerate() {
            let right: Vec<f64> = unknowns.iter().map(|&i| f[i]).collect();
            let group = Group { first: unknowns[0], place: &groups.place, m: &m[k], h: &h[k] };
            group.add(&right, &mut w, &mut q)?;
        }
        Ok((w, q))
    }
}

/// Connected components of the unknowns.
struct Groups {
    /// The group of every unknown, and its index there.
    group: Vec<usize>,
    place: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Groups {
    /// Finds the connected components of the entries by union–find.
    fn new(n: usize, entries: &[(usize, usize, f64)]) -> Self {
        let mut parent: Vec<usize> = (0..n).collect();
        let find = |parent: &mut Vec<usize>, mut a: usize| {
            while parent[a] != a {
                parent[a] = parent[parent[a]];
                a = parent[a];
            }
            a
        };
        for &(i, j, value) in entries {
            if value != 0.0 {
                let (a, b) = (find(&mut parent, i), find(&mut parent, j));
                parent[a.max(b)] = a.min(b);
            }
        }
        let mut members: Vec<Vec<usize>> = Vec::new();
        let (mut group, mut place) = (vec![0; n], vec![0; n]);
        for i in 0..n {
            let root = find(&mut parent, i);
            if root == i {
                group[i] = members.len();
                members.push(Vec::new());
            } else {
                group[i] = group[root];
            }
            place[i] = members[group[i]].len();
            members[group[i]].push(i);
        }
        Groups { group, place, members }
    }

    /// Entries by the group of their row.
    fn split(&self, entries: &[(usize, usize, f64)]) -> Vec<Vec<(usize, usize, f64)>> {
        let mut split = vec![Vec::new(); self.members.len()];
        for &(i, j, value) in entries.iter().filter(|(_, _, value)| *value != 0.0) {
            split[self.group[i]].push((i, j, value));
        }
        split
    }
}

/// One group: its first unknown, the index of each unknown, its parts of `M` and `H`.
struct Group<'a> {
    first: usize,
    place: &'a [usize],
    m: &'a [(usize, usize, f64)],
    h: &'a [(usize, usize, f64)],
}

impl Group<'_> {
    /// Adds `Hᵀ M⁻¹ H` and `Hᵀ M⁻¹ f` of this group.
    fn add(&self, f: &[f64], w: &mut Triplets, q: &mut [f64]) -> Result<(), MatrixError> {
        let mut touched: Vec<usize> = self.h.iter().map(|(_, j, _)| *j).collect();
        touched.sort_unstable();
        touched.dedup();
        let (size, columns) = (f.len(), touched.len());
        for (what, size) in [("unknowns", size), ("contact rows", columns)] {
            if size > MOST {
                return Err(MatrixError::TooLarge { what, size, most: MOST });
            }
        }
        let mut m: Mat<f64> = Mat::zeros(size, size);
        for &(i, j, value) in self.m {
            m[(self.place[i], self.place[j])] += value;
        }
        // The columns of H that act here, then f.
        let mut right: Mat<f64> = Mat::zeros(size, columns + 1);
        let column = |j: usize| touched.partition_point(|&t| t < j);
        for &(i, j, value) in self.h {
            right[(self.place[i], column(j))] += value;
        }
        (0..size).for_each(|i| right[(i, columns)] = f[i]);
        let v = self.solve(&m, &right)?;
        let products = right.as_ref().subcols(0, columns).transpose() * &v;
        for (a, &row) in touched.iter().enumerate() {
            q[row] += products[(a, columns)];
            let entries = touched.iter().enumerate();
            w.entries.extend(entries.map(|(b, &column)| (row, column, products[(a, b)])));
        }
        Ok(())
    }

    fn solve(&self, m: &Mat<f64>, right: &Mat<f64>) -> Result<Mat<f64>, MatrixError> {
        let size = m.nrows();
        let singular = MatrixError::Singular { name: "M", size, first: self.first };
        let largest = (0..size).map(|j| m.col(j).norm_max()).fold(0.0, f64::max);
        let lu = m.partial_piv_lu();
        let u = lu.U();
        if (0..size).any(|k| {
            u[(k, k)].abs().partial_cmp(&(SINGULAR * largest)).is_none_or(std::cmp::Ordering::is_le)
        }) {
            return Err(singular);
        }
        // One step of iterative refinement: stiff solids lose digits.
        let mut v = lu.solve(right);
        v += lu.solve(right - m * &v);
        if v.is_all_finite() { Ok(v) } else { Err(singular) }
    }
}
