//! Broad phase: pairs of bounding boxes that are near each other.
//!
//! Sort and sweep along the axis of largest variance. Boxes that are infinite or
//! much longer than the others would overlap nearly everything in the sweep; they
//! are set aside and compared with all boxes.

use crate::Aabb;

/// A box this many times longer than the median along the sweep axis is set aside: it would stay
/// active for most of the sweep. Any value from 4 to 100 gives the same pairs at about the same
/// speed.
const LONG: f64 = 16.0;

/// Finds pairs of boxes; keeps its buffers between calls, never its results.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    order: Vec<u32>,
    aside: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

impl BroadPhase {
    /// Creates a broad phase with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// The sorted pairs `(i, j)`, `i < j`, of boxes that overlap when each is inflated by half of
    /// `margin`: boxes that are within `margin` of each other along every axis.
    pub fn pairs(&mut self, boxes: &[Aabb], margin: f64) -> &[(u32, u32)] {
        self.pairs.clear();
        let axis = spread(boxes);
        self.split(boxes, axis);
        self.sweep(boxes, axis, margin);
        self.compare_aside(boxes, margin);
        self.pairs.sort_unstable();
        self.pairs.dedup();
        &self.pairs
    }

    /// Sets long boxes aside and sorts the others by their lower bounds.
    fn split(&mut self, boxes: &[Aabb], axis: usize) {
        let length = |b: &Aabb| b.high[axis] - b.low[axis];
        let mut lengths: Vec<f64> = boxes.iter().map(length).filter(|l| l.is_finite()).collect();
        let middle = lengths.len() / 2;
        let typical = if lengths.is_empty() {
            0.0
        } else {
            *lengths.select_nth_unstable_by(middle, f64::total_cmp).1
        };
        let (aside, order): (Vec<u32>, Vec<u32>) = (0..boxes.len() as u32).partition(|&k| {
            let length = length(&boxes[k as usize]);
            !length.is_finite() || length > LONG * typical
        });
        (self.aside, self.order) = (aside, order);
        self.order.sort_by(|&i, &j| {
            let low = |k: u32| boxes[k as usize].low[axis];
            low(i).total_cmp(&low(j)).then(i.cmp(&j))
        });
    }

    fn sweep(&mut self, boxes: &[Aabb], axis: usize, margin: f64) {
        for (rank, &i) in self.order.iter().enumerate() {
            let inflated = boxes[i as usize].inflated(margin);
            for &j in &self.order[rank + 1..] {
                let other = &boxes[j as usize];
                if other.low[axis] > inflated.high[axis] {
                    break;
                }
                if inflated.meets(other) {
                    self.pairs.push((i.min(j), i.max(j)));
                }
            }
        }
    }

    fn compare_aside(&mut self, boxes: &[Aabb], margin: f64) {
        for &i in &self.aside {
            let inflated = boxes[i as usize].inflated(margin);
            for (j, other) in boxes.iter().enumerate() {
                let j = j as u32;
                if i != j && inflated.meets(other) {
                    self.pairs.push((i.min(j), i.max(j)));
                }
            }
        }
    }
}

/// The axis along which the centres of the finite boxes have the largest variance.
fn spread(boxes: &[Aabb]) -> usize {
    let centres = || boxes.iter().filter(|b| b.is_finite()).map(|b| 0.5 * (b.low + b.high));
    let count = centres().count().max(1) as f64;
    let mean = centres().sum::<glam::DVec3>() / count;
    let variance = centres().map(|c| (c - mean) * (c - mean)).sum::<glam::DVec3>();
    (0..3).max_by(|&i, &j| variance[i].total_cmp(&variance[j]).then(j.cmp(&i))).unwrap_or(0)
}

/// The sorted pairs of boxes nearer than `margin`; see [`BroadPhase::pairs`].
pub fn candidates(boxes: &[Aabb], margin: f64) -> Vec<(u32, u32)> {
    BroadPhase::new().pairs(boxes, margin).to_vec()
}
