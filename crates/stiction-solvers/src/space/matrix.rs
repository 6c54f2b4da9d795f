//! Problems without bodies: `I + D W` as it is, sparse, one block per contact.

use super::{Block, Element, Law, Space};
use crate::gauss_seidel;
use crate::work::Work;
use stiction_contact::MatrixProblem;
use stiction_contact::double::Dd;
use stiction_contact::multifrontal::{Blocks, Factor, Symbolic};

/// Units of work of a block in a sweep: its products.
const BLOCK_WORK: f64 = 20.0;

pub(crate) struct MatrixSpace<'a> {
    problem: &'a MatrixProblem,
    elements: Vec<Element>,
    /// Every contact alone, for sweeps.
    own: Vec<gauss_seidel::Block>,
    edges: Vec<[u32; 2]>,
    /// What the rows of each contact are divided by.
    scale: Vec<f64>,
    blocks: Blocks,
    factor: Factor,
    factored: usize,
}

impl<'a> MatrixSpace<'a> {
    /// For a scaled problem.
    pub(crate) fn new(problem: &'a MatrixProblem) -> Self {
        let d = problem.dimension();
        let element = |(i, &friction): (usize, &f64)| Element {
            at: i * d,
            rows: d,
            law: Law::Contact { friction },
        };
        let own =
            |i: usize| gauss_seidel::Block::new(problem.own_block(i), problem.friction()[i], d);
        let contacts = problem.contacts();
        let mut edges = Vec::new();
        for i in 0..contacts {
            edges.extend(problem.block_row(i).filter(|(j, _)| *j != i).map(|(j, _)| {
                let (i, j) = (i as u32, j as u32);
                [i.min(j), i.max(j)]
            }));
        }
        edges.sort_unstable();
        edges.dedup();
        MatrixSpace {
            problem,
            own: (0..contacts).map(own).collect(),
            elements: problem.friction().iter().enumerate().map(element).collect(),
            scale: vec![1.0; contacts],
            blocks: Blocks::zero(contacts, d, edges.len()),
            factor: Factor::new(Symbolic::new(contacts, d, &edges)),
            edges,
            factored: 0,
        }
    }
}

impl Space for MatrixSpace<'_> {
    fn elements(&self) -> &[Element] {
        &self.elements
    }

    fn len(&self) -> usize {
        self.problem.len()
    }

    fn response(&self, force: &[f64], response: &mut [f64]) {
        response.copy_from_slice(&self.problem.response(force));
    }

    fn change(&self, x: &[f64], change: &mut [f64]) {
        let d = self.problem.dimension();
        for (i, change) in change.chunks_exact_mut(d).enumerate() {
            let mut sum = [0.0; 3];
            for (j, block) in self.problem.block_row(i) {
                for (sum, row) in sum.iter_mut().zip(block.chunks_exact(d)) {
                    *sum += row.iter().zip(&x[j * d..]).map(|(w, x)| w * x).sum::<f64>();
                }
            }
            change.copy_from_slice(&sum[..d]);
        }
    }

    fn motions(&self) -> usize {
        self.len()
    }

    fn push(&self, force: &[f64], motion: &mut [f64]) {
        motion.copy_from_slice(force);
    }

    fn feel(&self, motion: &[f64], felt: &mut [f64]) {
        self.change(motion, felt);
    }

    fn exact_response(&self, force: &[f64], response: &mut [f64]) {
        let d = self.problem.dimension();
        for (i, response) in response.chunks_exact_mut(d).enumerate() {
            for (k, response) in response.iter_mut().enumerate() {
                let mut sum = Dd::from(self.problem.q()[i * d + k]);
                for (j, block) in self.problem.block_row(i) {
                    for (w, r) in block[k * d..(k + 1) * d].iter().zip(&force[j * d..]) {
                        sum = sum + Dd::product(*w, *r);
                    }
                }
                *response = sum.value();
            }
        }
    }

    fn factor(&mut self, blocks: &[Block]) -> bool {
        let d = self.problem.dimension();
        self.blocks.clear();
        for (i, own) in blocks.iter().enumerate() {
            let largest = own.iter().flatten().fold(1.0, |m: f64, x| m.max(x.abs()));
            self.scale[i] = largest;
            for (j, w) in self.problem.block_row(i) {
                let target = if i == j {
                    self.blocks.diagonal_mut(i)
                } else {
                    let pair = [i.min(j) as u32, i.max(j) as u32];
                    let Ok(edge) = self.edges.binary_search(&pair) else { continue };
                    self.blocks.edge_mut(edge, i < j)
                };
                for k in 0..d {
                    for l in 0..d {
                        let x: f64 = (0..d).map(|m| own[k][m] * w[m * d + l]).sum();
                        target[l * d + k] += x / largest;
                    }
                }
            }
            let target = self.blocks.diagonal_mut(i);
            (0..d).for_each(|k| target[k * d + k] += 1.0 / largest);
        }
        self.factored += 1;
        self.factor.factor(&self.blocks)
    }

    fn factored(&self) -> usize {
        self.factored
    }

    fn solve(&mut self, x: &mut [f64]) {
        self.solve_motion(x);
    }

    fn solve_motion(&mut self, x: &mut [f64]) {
        let d = self.problem.dimension();
        for (x, scale) in x.chunks_exact_mut(d).zip(&self.scale) {
            for x in x {
                *x /= scale;
            }
        }
        self.factor.solve(x);
    }

    fn has_bodies(&self) -> bool {
        false
    }

    fn sweep(&self, force: &mut [f64], sweeps: usize, work: &mut Work) {
        let d = self.problem.dimension();
        for _ in 0..sweeps {
            work.charge(BLOCK_WORK * self.problem.block_count() as f64);
            for (i, own) in self.own.iter().enumerate() {
                let mut bias = [0.0; 3];
                bias[..d].copy_from_slice(&self.problem.q()[i * d..(i + 1) * d]);
                for (j, block) in self.problem.block_row(i).filter(|(j, _)| *j != i) {
                    let r = &force[j * d..(j + 1) * d];
                    for (b, row) in bias.iter_mut().zip(block.chunks_exact(d)) {
                        *b += row.iter().zip(r).map(|(w, r)| w * r).sum::<f64>();
                    }
                }
                let mut r = [0.0; 3];
                r[..d].copy_from_slice(&force[i * d..(i + 1) * d]);
                let r = own.solve(bias, r, work);
                force[i * d..(i + 1) * d].copy_from_slice(&r[..d]);
            }
        }
    }

    fn fill(&self) -> usize {
        self.factor.symbolic.fill
    }

    fn work(&self) -> [f64; 2] {
        let sweep = 9 * self.problem.block_count() + 100 * self.elements.len();
        [self.factor.symbolic.work, sweep as f64]
    }
}
