//! Problems with bodies: `(I + D R C)⁻¹ = I − D R (I + C D R)⁻¹ C`, where `R` gives the
//! response of the rows to the motion of the bodies, and `C` the motion that forces
//! make. They are transposes of each other except where friction rides on a normal
//! force.

mod sweep;

use super::{Block, Element, Law, NONE, Space, UNIT, scaled, times};
use crate::rows::{Pair, Rows};
use crate::work::Work;
use rayon::prelude::*;
use std::fmt;
use stiction_contact::double::Dd;
use stiction_contact::multifrontal::{Blocks, Factor, Symbolic};
use sweep::BodySweeps;

/// Numbers per body.
pub(crate) const MOTIONS: usize = 6;

/// Bodies or rows that are worth a thread.
const ENOUGH: usize = 4096;

pub(crate) struct BodySpace<'a> {
    rows: &'a Rows,
    elements: Vec<Element>,
    /// Where each element acts: edge of its two bodies, and whether its second body
    /// is the first of the edge.
    pairs: Vec<Option<(usize, bool)>>,
    /// Rows and sides that act on each body, one body after the other; where each begins.
    acting: Vec<(u32, u8)>,
    begin: Vec<u32>,
    d: Vec<Block>,
    kept: &'a mut FactorCache,
    factored: usize,
}

/// What serves again in the next call: the plan of the factor while the same bodies
/// touch, the factor itself while nothing but the free motion changes.
#[derive(Default)]
pub(crate) struct FactorCache {
    bodies: usize,
    edges: Vec<[u32; 2]>,
    blocks: Blocks,
    factor: Factor,
    /// Fingerprint of the rows and `D` of a factor with one `D` for all.
    uniform: Option<(u64, f64)>,
}

impl FactorCache {
    /// Plans again if other bodies touch.
    fn plan(&mut self, bodies: usize, edges: Vec<[u32; 2]>) {
        if self.bodies != bodies || self.edges != edges {
            *self = FactorCache {
                bodies,
                blocks: Blocks::zero(bodies, MOTIONS, edges.len()),
                factor: Factor::new(Symbolic::new(bodies, MOTIONS, &edges)),
                edges,
                uniform: None,
            };
        }
    }
}

impl fmt::Debug for FactorCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FactorCache").field("bodies", &self.bodies).finish_non_exhaustive()
    }
}

impl Element {
    /// Contacts, then bilateral, then bounded rows.
    pub(crate) fn all(rows: &Rows) -> Vec<Element> {
        let contacts = rows.contacts.iter().map(|contact| {
            let friction = if contact.tangents > 0 { contact.friction } else { 0.0 };
            let law = Law::Contact { friction };
            Element { at: contact.normal, rows: 1 + contact.tangents, law }
        });
        let row = |at: usize, law: Law| Element { at, rows: 1, law };
        let bilateral = (rows.bilateral..rows.bounded).map(|at| row(at, Law::Bilateral));
        let bounds = rows.lower.iter().zip(&rows.upper);
        let bounded = (rows.bounded..rows.len())
            .zip(bounds)
            .map(|(at, (&lower, &upper))| row(at, Law::Bounded { lower, upper }));
        contacts.chain(bilateral).chain(bounded).collect()
    }
}

/// Rows and sides that act on each moving body, ascending, and where each begins.
fn acting(rows: &Rows) -> (Vec<(u32, u8)>, Vec<u32>) {
    let moving = rows.body_count - 1;
    let mut begin = vec![0_u32; moving + 1];
    let sides = || {
        let both = rows.bodies.iter().enumerate();
        both.flat_map(|(r, pair)| [(pair[0], (r as u32, 0)), (pair[1], (r as u32, 1))])
            .filter(|(body, _)| (*body as usize) < moving)
    };
    sides().for_each(|(body, _)| begin[body as usize + 1] += 1);
    (0..moving).for_each(|body| begin[body + 1] += begin[body]);
    let mut next = begin.clone();
    let mut acting = vec![(0, 0); begin[moving] as usize];
    for (body, side) in sides() {
        acting[next[body as usize] as usize] = side;
        next[body as usize] += 1;
    }
    (acting, begin)
}

impl<'a> BodySpace<'a> {
    pub(crate) fn new(rows: &'a Rows, kept: &'a mut FactorCache) -> Self {
        let elements = Element::all(rows);
        let still = rows.body_count as u32 - 1;
        let joined = |e: &Element| {
            let [a, b] = rows.bodies[e.at];
            (a != still && b != still && a != b).then_some([a.min(b), a.max(b)])
        };
        let mut edges: Vec<[u32; 2]> = elements.iter().filter_map(joined).collect();
        edges.sort_unstable();
        edges.dedup();
        let pair = |e: &Element| {
            let edge = edges.binary_search(&joined(e)?).ok()?;
            Some((edge, rows.bodies[e.at][0] > rows.bodies[e.at][1]))
        };
        let pairs = elements.iter().map(pair).collect();
        kept.plan(still as usize, edges);
        let (acting, begin) = acting(rows);
        BodySpace { rows, pairs, acting, begin, d: Vec::new(), kept, elements, factored: 0 }
    }

    /// `C λ`: the motion that forces make, six numbers per body.
    pub(crate) fn motion(&self, force: &[f64]) -> Vec<f64> {
        let mut motion = vec![0.0; self.motions()];
        self.push(force, &mut motion);
        motion
    }

    /// `R v`: what the rows feel of a motion.
    pub(crate) fn felt(&self, motion: &[f64]) -> Vec<f64> {
        let mut felt = vec![0.0; self.rows.len()];
        self.feel(motion, &mut felt);
        felt
    }

    /// Rows and sides that act on a body.
    fn acting(&self, body: usize) -> &[(u32, u8)] {
        &self.acting[self.begin[body] as usize..self.begin[body + 1] as usize]
    }

    /// `I + C D R`, from its elements.
    fn assemble(&mut self) {
        self.kept.blocks.clear();
        let bodies = self.rows.body_count - 1;
        for body in 0..bodies {
            let block = self.kept.blocks.diagonal_mut(body);
            (0..MOTIONS).for_each(|k| block[k * MOTIONS + k] = 1.0);
        }
        for ((element, d), pair) in self.elements.iter().zip(&self.d).zip(&self.pairs) {
            if *d == NONE {
                continue;
            }
            let rows = element.at..element.at + element.rows;
            let [a, b] = self.rows.bodies[element.at].map(|body| body as usize);
            let columns = &self.rows.column[rows.clone()];
            let weighted = weigh(d, &self.rows.row[rows]);
            if a < bodies {
                add(self.kept.blocks.diagonal_mut(a), columns, 0, &weighted, 0);
            }
            if b < bodies {
                add(self.kept.blocks.diagonal_mut(b), columns, 1, &weighted, 1);
            }
            if a == b && a < bodies {
                add(self.kept.blocks.diagonal_mut(a), columns, 0, &weighted, 1);
                add(self.kept.blocks.diagonal_mut(a), columns, 1, &weighted, 0);
            }
            // Row a, column b is the upper block if a is the first of the edge.
            if let Some((edge, flipped)) = *pair {
                add(self.kept.blocks.edge_mut(edge, !flipped), columns, 0, &weighted, 1);
                add(self.kept.blocks.edge_mut(edge, flipped), columns, 1, &weighted, 0);
            }
        }
    }
}

/// `D R` of one element, for both bodies.
fn weigh(d: &Block, rows: &[Pair]) -> [Pair; 3] {
    let mut weighted = [[[0.0; 8]; 2]; 3];
    for (weighted, d) in weighted.iter_mut().zip(d).take(rows.len()) {
        for (d, row) in d.iter().zip(rows) {
            for (w, r) in weighted.as_flattened_mut().iter_mut().zip(row.as_flattened()) {
                *w += d * r;
            }
        }
    }
    weighted
}

/// Adds `Cᵀ D R` of one element to the block of two of its sides.
fn add(block: &mut [f64], columns: &[Pair], row_side: usize, weighted: &[Pair; 3], side: usize) {
    let (targets, _) = block.as_chunks_mut::<MOTIONS>();
    for (column, weighted) in columns.iter().zip(weighted) {
        let (c, w) = (&column[row_side], &weighted[side]);
        for (target, w) in targets.iter_mut().zip(w) {
            for k in 0..MOTIONS {
                target[k] += c[k] * w;
            }
        }
    }
}

impl Space for BodySpace<'_> {
    fn elements(&self) -> &[Element] {
        &self.elements
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn response(&self, force: &[f64], response: &mut [f64]) {
        self.change(force, response);
        response.iter_mut().zip(&self.rows.bias).for_each(|(u, b)| *u += b);
    }

    fn change(&self, x: &[f64], change: &mut [f64]) {
        self.feel(&self.motion(x), change);
    }

    fn motions(&self) -> usize {
        MOTIONS * self.kept.bodies
    }

    fn push(&self, force: &[f64], motion: &mut [f64]) {
        let bodies = motion.par_chunks_exact_mut(MOTIONS).with_min_len(ENOUGH).enumerate();
        bodies.for_each(|(body, motion)| {
            let mut sum = [0.0; 8];
            for &(row, side) in self.acting(body) {
                let column = &self.rows.column[row as usize][side as usize];
                let force = force[row as usize];
                sum.iter_mut().zip(column).for_each(|(x, c)| *x += c * force);
            }
            motion.copy_from_slice(&sum[..MOTIONS]);
        });
    }

    fn feel(&self, motion: &[f64], felt: &mut [f64]) {
        let rows = felt.par_iter_mut().with_min_len(ENOUGH).enumerate();
        rows.for_each(|(r, felt)| {
            let sides = self.rows.row[r].iter().zip(self.rows.bodies[r]);
            let side = |(row, body): (&[f64; 8], u32)| {
                let at = MOTIONS * body as usize;
                let motion = motion.get(at..at + MOTIONS)?;
                Some(row.iter().zip(motion).map(|(r, v)| r * v).sum::<f64>())
            };
            *felt = sides.filter_map(side).sum();
        });
    }

    fn exact_response(&self, force: &[f64], response: &mut [f64]) {
        let motion: Vec<[Dd; MOTIONS]> = (0..self.kept.bodies)
            .map(|body| {
                let mut sum = [Dd::default(); MOTIONS];
                for &(row, side) in self.acting(body) {
                    let column = &self.rows.column[row as usize][side as usize];
                    let force = force[row as usize];
                    if force != 0.0 {
                        sum.iter_mut()
                            .zip(column)
                            .for_each(|(x, c)| *x = *x + Dd::product(*c, force));
                    }
                }
                sum
            })
            .collect();
        for (r, response) in response.iter_mut().enumerate() {
            let mut sum = Dd::from(self.rows.bias[r]);
            for (row, &body) in self.rows.row[r].iter().zip(&self.rows.bodies[r]) {
                for (v, r) in motion.get(body as usize).into_iter().flatten().zip(row) {
                    sum = sum + *v * *r;
                }
            }
            *response = sum.value();
        }
    }

    fn factor(&mut self, d: &[Block]) -> bool {
        self.d.clear();
        self.d.extend_from_slice(d);
        self.assemble();
        self.factored += 1;
        self.kept.uniform = None;
        self.kept.factor.factor(&self.kept.blocks)
    }

    fn factor_uniform(&mut self, s: f64) -> bool {
        let d = vec![scaled(&UNIT, s); self.elements.len()];
        let uniform = Some((self.rows.fingerprint(), s));
        if self.kept.uniform == uniform {
            self.d = d;
            return true;
        }
        let ready = self.factor(&d);
        self.kept.uniform = uniform.filter(|_| ready);
        ready
    }

    fn factored(&self) -> usize {
        self.factored
    }

    fn solve(&mut self, x: &mut [f64]) {
        let mut motion = self.motion(x);
        self.solve_motion(&mut motion);
        let felt = self.felt(&motion);
        for (element, d) in self.elements.iter().zip(&self.d) {
            let change = times(d, element.of(&felt));
            for k in 0..element.rows {
                x[element.at + k] -= change[k];
            }
        }
    }

    fn solve_motion(&mut self, motion: &mut [f64]) {
        self.kept.factor.solve(motion);
    }

    fn fill(&self) -> usize {
        self.kept.factor.symbolic.fill
    }

    fn has_bodies(&self) -> bool {
        true
    }

    fn sweep(&self, force: &mut [f64], sweeps: usize, work: &mut Work) {
        let mut state = BodySweeps::new(self.rows, force.to_vec());
        (0..sweeps).for_each(|_| state.sweep(work));
        force.copy_from_slice(&state.force);
    }

    fn work(&self) -> [f64; 2] {
        // An exact contact costs about as much as its rows' 36 products five times.
        [self.kept.factor.symbolic.work, 180.0 * self.elements.len() as f64]
    }
}
