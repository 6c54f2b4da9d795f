//! One Gauss–Seidel sweep of a problem with bodies: forces, and the motion they make.

use crate::gauss_seidel::Block;
use crate::rows::{Bodies, ContactRows, Rows};
use crate::work::Work;

/// Units of work of a row in a sweep: its products with two bodies, there and back.
const ROW_WORK: f64 = 60.0;

/// Forces, and the motion they make.
pub(crate) struct BodySweeps<'a> {
    rows: &'a Rows,
    pub(crate) force: Vec<f64>,
    bodies: Bodies,
    /// Blocks of the contacts that have tangents.
    own: Vec<Option<Block>>,
}

impl<'a> BodySweeps<'a> {
    /// Sweeps from scaled forces.
    pub(crate) fn new(rows: &'a Rows, force: Vec<f64>) -> Self {
        let mut bodies = Bodies::at_rest(rows.body_count);
        for (r, &f) in force.iter().enumerate() {
            bodies.push(rows, r, &rows.column[r], f);
        }
        let own = rows.contacts.iter().map(|contact| block(rows, contact)).collect();
        BodySweeps { rows, force, bodies, own }
    }

    pub(crate) fn sweep(&mut self, work: &mut Work) {
        work.charge(ROW_WORK * self.force.len() as f64);
        for i in 0..self.own.len() {
            if self.own[i].is_some() {
                self.rubbing(i, work);
            } else {
                self.smooth(i);
            }
        }
        for r in self.rows.bilateral..self.rows.len() {
            let diagonal = self.rows.entry(r, r);
            if diagonal > 0.0 {
                let wanted = self.force[r] - self.response(r) / diagonal;
                let within = |k: usize| wanted.clamp(self.rows.lower[k], self.rows.upper[k]);
                self.set(r, r.checked_sub(self.rows.bounded).map_or(wanted, within));
            }
        }
    }

    fn response(&self, row: usize) -> f64 {
        self.bodies.response(self.rows, row) + self.rows.bias[row]
    }

    fn set(&mut self, row: usize, force: f64) {
        let change = force - self.force[row];
        self.bodies.push(self.rows, row, &self.rows.column[row], change);
        self.force[row] = force;
    }

    /// A contact with a normal force alone. If pushing does not part its bodies,
    /// as can be while it slides, nothing can be done here.
    fn smooth(&mut self, contact: usize) {
        let ContactRows { normal, diagonal, .. } = self.rows.contacts[contact];
        if diagonal > 0.0 {
            self.set(normal, (self.force[normal] - self.response(normal) / diagonal).max(0.0));
        }
    }

    /// A contact with friction: what its bodies would do without its force, and
    /// the force for that.
    fn rubbing(&mut self, contact: usize, work: &mut Work) {
        let ContactRows { normal, tangents, .. } = self.rows.contacts[contact];
        let mut last = [0.0; 3];
        last[..=tangents].copy_from_slice(&self.force[normal..=normal + tangents]);
        (normal..=normal + tangents).for_each(|r| self.set(r, 0.0));
        let mut bias = [0.0; 3];
        for (k, b) in bias[..=tangents].iter_mut().enumerate() {
            *b = self.response(normal + k);
        }
        if let Some(own) = &self.own[contact] {
            let force = own.solve(bias, last, work);
            (0..=tangents).for_each(|k| self.set(normal + k, force[k]));
        }
    }
}

/// The contact's own part of the matrix, if it has tangents.
fn block(rows: &Rows, contact: &ContactRows) -> Option<Block> {
    let ContactRows { normal, tangents, friction, .. } = *contact;
    let entry = |i: usize, j: usize| {
        let inside = i <= tangents && j <= tangents;
        if inside { rows.entry(normal + i, normal + j) } else { 0.0 }
    };
    let a = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
    (tangents > 0).then(|| Block::new(a, friction, tangents + 1))
}
