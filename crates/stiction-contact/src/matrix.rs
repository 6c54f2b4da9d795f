//! Contact problems without bodies: a matrix, a vector, friction coefficients.
//!
//! ```text
//!   u = W r + q           per contact, normal first: (n, t) or (n, t₁, t₂)
//!   0 ≤ u_n ⟂ r_n ≥ 0,   |r_t| ≤ μ r_n,   |u_t| r_t = −μ r_n u_t
//! ```
//!
//! Other projects (FCLIB, Siconos) exchange problems in this form. `W` is positive semidefinite
//! up to rounding, usually singular, not always symmetric. The blocks of contacts that share no
//! body are zero and are not stored.
//!
//! Problems given by masses (`M v = H r + f`, `u = Hᵀ v + w`) are condensed when built:
//! `matrix/condense.rs`.

mod condense;

pub use condense::Masses;

use crate::forces::{ContactForce, Forces};

/// The largest number of rows that is taken: 8 bytes each for dozens of vectors.
const MOST_ROWS: usize = 10_000_000;

/// Entries of a matrix in any order; entries at the same place are added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triplets {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Row, column, value.
    pub entries: Vec<(usize, usize, f64)>,
}

/// Why matrices and vectors do not form a problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum MatrixError {
    /// Neither planar nor spatial.
    #[error("the dimension is {dimension}, must be 2 or 3")]
    Dimension { dimension: usize },
    /// Sizes that do not match.
    #[error("{name} is {rows} × {columns}, must be {expected_rows} × {expected_columns}")]
    Shape {
        name: &'static str,
        rows: usize,
        columns: usize,
        expected_rows: usize,
        expected_columns: usize,
    },
    /// A vector of the wrong length.
    #[error("{name} has {length} entries, must have {expected}")]
    Length { name: &'static str, length: usize, expected: usize },
    /// An entry outside the matrix.
    #[error("{name} has an entry at row {row}, column {column}, which is outside")]
    Outside { name: &'static str, row: usize, column: usize },
    /// A NaN or an infinity.
    #[error("{name} is {value}, must be finite")]
    NotFinite { name: String, value: f64 },
    /// A negative friction coefficient.
    #[error("mu[{contact}] is {value}, must not be negative")]
    Friction { contact: usize, value: f64 },
    /// A mass matrix without inverse.
    #[error("{name} is singular in the {size} unknowns connected with unknown {first}")]
    Singular { name: &'static str, size: usize, first: usize },
    /// A connected group too large to be condensed.
    #[error("{size} {what} are connected, at most {most} can be condensed")]
    TooLarge { what: &'static str, size: usize, most: usize },
}

/// A contact problem given by its matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixProblem {
    dimension: usize,
    /// Blocks of contact row `i` are `starts[i]..starts[i + 1]`.
    starts: Vec<usize>,
    columns: Vec<usize>,
    /// `dimension²` numbers each, by rows.
    blocks: Vec<f64>,
    q: Vec<f64>,
    friction: Vec<f64>,
}

impl MatrixProblem {
    /// Checks and stores a problem of dimension 2 or 3.
    ///
    /// # Errors
    ///
    /// [`MatrixError`] if sizes do not match, a number is not finite or a friction coefficient
    /// is negative.
    pub fn new(
        dimension: usize,
        w: &Triplets,
        q: Vec<f64>,
        friction: Vec<f64>,
    ) -> Result<Self, MatrixError> {
        if !(2..=3).contains(&dimension) {
            return Err(MatrixError::Dimension { dimension });
        }
        check_friction(&friction)?;
        let n = dimension * friction.len();
        check_vector("q", &q, n)?;
        check_matrix("W", w, n, n)?;
        let (starts, columns, blocks) = compress(dimension, friction.len(), &w.entries);
        Ok(MatrixProblem { dimension, starts, columns, blocks, q, friction })
    }

    /// Numbers per contact: 2 or 3.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.friction.len()
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// The response without forces.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// Friction coefficient of every contact.
    pub fn friction(&self) -> &[f64] {
        &self.friction
    }

    /// Number of stored blocks.
    pub fn block_count(&self) -> usize {
        self.columns.len()
    }

    /// The blocks of one contact's rows: the index of the contact that pushes, and the block by
    /// rows.
    pub fn block_row(&self, contact: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let range = self.starts[contact]..self.starts[contact + 1];
        let size = self.dimension * self.dimension;
        let blocks = self.blocks[range.start * size..range.end * size].chunks_exact(size);
        self.columns[range].iter().copied().zip(blocks)
    }

    /// A contact's own block by rows; zero if it is not stored.
    pub fn own_block(&self, contact: usize) -> [[f64; 3]; 3] {
        let mut own = [[0.0; 3]; 3];
        for (_, block) in self.block_row(contact).filter(|(column, _)| *column == contact) {
            for (row, values) in own.iter_mut().zip(block.chunks_exact(self.dimension)) {
                row[..self.dimension].copy_from_slice(values);
            }
        }
        own
    }

    /// `u = W r + q`
    pub fn response(&self, force: &[f64]) -> Vec<f64> {
        let d = self.dimension;
        let mut response = self.q.clone();
        for (i, u) in response.chunks_exact_mut(d).enumerate() {
            for (j, block) in self.block_row(i) {
                let r = &force[j * d..(j + 1) * d];
                for (u, row) in u.iter_mut().zip(block.chunks_exact(d)) {
                    *u += row.iter().zip(r).map(|(w, r)| w * r).sum::<f64>();
                }
            }
        }
        response
    }

    /// Forces as in the files, per contact normal first, as [`Forces`] in each contact's own axes.
    pub fn forces(&self, flat: &[f64]) -> Forces {
        let contact = |r: &[f64]| ContactForce {
            normal: r[0],
            friction: [0.0, r[1], r.get(2).copied().unwrap_or(0.0)],
        };
        let contacts = flat.chunks_exact(self.dimension).map(contact).collect();
        Forces { contacts, ..Forces::default() }
    }

    /// The same backwards.
    pub fn flat(&self, forces: &Forces) -> Vec<f64> {
        let rows = |f: &ContactForce| [f.normal, f.friction[1], f.friction[2]];
        forces.contacts.iter().flat_map(|f| rows(f).into_iter().take(self.dimension)).collect()
    }

    /// The same problem in units in which every own block has mean diagonal 1 and
    /// `|q| = 1`, and what its forces are to be multiplied by, per contact.
    pub fn scaled(&self) -> (MatrixProblem, Vec<f64>) {
        let d = self.dimension;
        let traces: Vec<f64> = (0..self.contacts())
            .map(|i| {
                let own = self.own_block(i);
                (0..d).map(|k| own[k][k]).sum::<f64>() / d as f64
            })
            .collect();
        let mean = traces.iter().sum::<f64>() / traces.len().max(1) as f64;
        let usual = if mean > 0.0 { mean } else { 1.0 };
        let scale: Vec<f64> =
            traces.iter().map(|&t| (if t > 0.0 { t } else { usual }).sqrt().recip()).collect();
        let mut scaled = self.clone();
        for (k, q) in scaled.q.iter_mut().enumerate() {
            *q *= scale[k / d];
        }
        let size = scaled.q.iter().map(|q| q * q).sum::<f64>().sqrt();
        let size = if size > 0.0 && size.is_finite() { size } else { 1.0 };
        scaled.q.iter_mut().for_each(|q| *q /= size);
        for i in 0..self.contacts() {
            for k in self.starts[i]..self.starts[i + 1] {
                let factor = scale[i] * scale[self.columns[k]];
                scaled.blocks[k * d * d..(k + 1) * d * d].iter_mut().for_each(|w| *w *= factor);
            }
        }
        (scaled, scale.into_iter().map(|s| s * size).collect())
    }

    /// The nonzero entries of `W`, row by row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let d = self.dimension;
        (0..self.len()).flat_map(move |row| {
            self.block_row(row / d).flat_map(move |(j, block)| {
                let values = block[row % d * d..(row % d + 1) * d].iter().enumerate();
                values.filter(|(_, w)| **w != 0.0).map(move |(k, &w)| (row, j * d + k, w))
            })
        })
    }
}

/// Triplets as rows of blocks, columns in ascending order.
fn compress(
    d: usize,
    contacts: usize,
    entries: &[(usize, usize, f64)],
) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let mut order: Vec<&(usize, usize, f64)> = entries.iter().collect();
    order.sort_by_key(|(i, j, _)| (i / d, j / d));
    let mut starts = vec![0; contacts + 1];
    let (mut columns, mut blocks): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut last = None;
    for &&(i, j, value) in &order {
        if last != Some((i / d, j / d)) {
            last = Some((i / d, j / d));
            columns.push(j / d);
            blocks.resize(blocks.len() + d * d, 0.0);
            starts[i / d + 1] = columns.len();
        }
        let base = blocks.len() - d * d;
        blocks[base + i % d * d + j % d] += value;
    }
    for i in 0..contacts {
        starts[i + 1] = starts[i + 1].max(starts[i]);
    }
    (starts, columns, blocks)
}

fn check_friction(friction: &[f64]) -> Result<(), MatrixError> {
    check_vector("mu", friction, friction.len())?;
    if friction.len() > MOST_ROWS {
        return Err(MatrixError::TooLarge {
            what: "contacts",
            size: friction.len(),
            most: MOST_ROWS,
        });
    }
    match friction.iter().position(|&mu| mu < 0.0) {
        Some(contact) => Err(MatrixError::Friction { contact, value: friction[contact] }),
        None => Ok(()),
    }
}

fn check_vector(name: &'static str, vector: &[f64], expected: usize) -> Result<(), MatrixError> {
    if vector.len() != expected {
        return Err(MatrixError::Length { name, length: vector.len(), expected });
    }
    match vector.iter().position(|x| !x.is_finite()) {
        Some(k) => Err(MatrixError::NotFinite { name: format!("{name}[{k}]"), value: vector[k] }),
        None => Ok(()),
    }
}

fn check_matrix(
    name: &'static str,
    matrix: &Triplets,
    expected_rows: usize,
    expected_columns: usize,
) -> Result<(), MatrixError> {
    let Triplets { rows, columns, ref entries } = *matrix;
    if (rows, columns) != (expected_rows, expected_columns) {
        return Err(MatrixError::Shape { name, rows, columns, expected_rows, expected_columns });
    }
    for &(row, column, value) in entries {
        if row >= rows || column >= columns {
            return Err(MatrixError::Outside { name, row, column });
        }
        if !value.is_finite() {
            return Err(MatrixError::NotFinite { name: format!("{name}[{row}][{column}]"), value });
        }
    }
    Ok(())
}
