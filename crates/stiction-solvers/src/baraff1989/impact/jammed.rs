//! Jammed contacts: no motion can open them, so they cannot bounce.
//!
//! Examples are a body between two walls that touches both, and a hinge with stops on either
//! side: motion away from one contact closes the other, without end. A contact `i` is *jammed*
//! if no motion `v` opens it without closing another,
//!
//! ```text
//!   J v ≥ 0,  G v = 0   ⇒   Jᵢ v = 0
//! ```
//!
//! with contacts `J` and joints `G`. By Farkas' lemma these are the contacts that can be
//! pressed against each other: there is a `d ≥ 0` that moves nothing, `Jᵀ d + Gᵀ μ = 0`,
//! positive where a contact is jammed and zero elsewhere.
//!
//! Jammed contacts end at rest, `Jᵢ v = 0`, whatever happens in between. Bouncing with ε < 1
//! gets there as the limit of infinitely many collisions: each loses `½ (1 − ε²) v² / A`, and
//! the sum is finite. The limit depends neither on ε nor on the order: among the motions that
//! impulses at jammed contacts can cause, exactly one has them at rest. So jammed contacts are
//! treated as joints, and their restitution has no effect. Only for ε = 1, where bouncing has
//! no limit, is this a choice.
//!
//! The impulses of joints have any sign. Those of jammed contacts are made nonnegative by
//! adding a multiple of `d`, which moves nothing.

use super::part::Part;
use super::{Collision, CollisionEnd, Pivoting, Refusal};
use crate::rows::{Bodies, Rows};
use crate::solver::ContactSolver;
use glam::DVec3;
use stiction_contact::{
    Contact, ContactForce, ContactProblem, Forces, Place, ProblemError, Row, judge,
};

/// Unit impulses press contacts without moving anything if, with the reaction of the contacts,
/// the bodies move by less than this fraction of the largest effect of a single one: rounding.
const PRESSES: f64 = 1e-14;

/// A motion above this fraction opens contacts for certain. In between, as in a slot whose
/// sides lean by a millionth, nothing is treated as jammed.
const OPENS: f64 = 1e-6;

/// A contact counts as open if it opens by at least this fraction of the mean opening. At least
/// one does, up to rounding.
const MOST: f64 = 0.5;

/// A problem with its jammed contacts converted to joints.
pub(super) struct Freed {
    /// Contacts that can open; the rows, followed by jammed contacts as rows.
    pub problem: ContactProblem,
    /// Indices of the contacts that can open in the whole problem.
    pub open: Vec<usize>,
    jammed: Vec<usize>,
    /// Impulses `(d, μ)` of the whole problem that press jammed contacts and move nothing.
    presses: Vec<Forces>,
    rows: usize,
}

impl Freed {
    /// From a problem, some of whose contacts collide.
    pub fn new(problem: &ContactProblem, velocities: &[[f64; 6]]) -> Result<Self, ProblemError> {
        let count = problem.contacts().len();
        let still = vec![[0.0; 6]; velocities.len()];
        let mut presses = Vec::new();
        let mut is_jammed = vec![false; count];
        for part in Part::islands(problem, &still, (0..count).collect())? {
            // Moving walls can open what is jammed between them.
            let driven = |&i: &usize| problem.bodies()[i].is_fixed() && velocities[i] != [0.0; 6];
            if part.bodies.iter().any(driven) {
                continue;
            }
            let Some((closed, press)) = closed(&part) else { continue };
            let mut whole = Forces::zeros(problem);
            for &k in &closed {
                is_jammed[part.contacts[k]] = true;
                whole.contacts[part.contacts[k]] = press.contacts[k];
            }
            for (&i, force) in part.rows.iter().zip(&press.bilateral) {
                whole.bilateral[i] = *force;
            }
            presses.push(whole);
        }
        let (jammed, open): (Vec<_>, Vec<_>) = (0..count).partition(|&i| is_jammed[i]);
        let (level, bodies, contacts, mut bilateral, _) = problem.clone().into_parts();
        let rows = bilateral.len();
        bilateral.extend(jammed.iter().map(|&i| row(problem, &contacts[i])));
        let contacts = open.iter().map(|&i| contacts[i].clone()).collect();
        let problem = ContactProblem::new(level, bodies, contacts, bilateral, vec![])?;
        Ok(Freed { problem, open, jammed, presses, rows })
    }

    /// The collision in terms of the contacts of the whole problem.
    pub fn into_whole(self, mut collision: Collision) -> Collision {
        let place = |place: &mut Place| match place {
            Place::Contact(i) => *i = self.open[*i],
            Place::Bilateral(i) if *i >= self.rows => {
                *place = Place::Contact(self.jammed[*i - self.rows]);
            }
            _ => {}
        };
        match &mut collision.end {
            CollisionEnd::Settled => {}
            CollisionEnd::Budget { contact, .. } => *contact = self.open[*contact],
            CollisionEnd::Refused(Refusal { place: at, .. }) => at.iter_mut().for_each(place),
        }
        for contact in collision.rounds.iter_mut().filter_map(|round| round.contact.as_mut()) {
            *contact = self.open[*contact];
        }
        collision.impulse = self.impulse(&collision.impulse);
        collision.jammed = self.jammed;
        collision
    }

    /// Impulses of the whole problem, made nonnegative.
    fn impulse(&self, freed: &Forces) -> Forces {
        let mut contacts = vec![ContactForce::default(); self.open.len() + self.jammed.len()];
        for (&i, force) in self.open.iter().zip(&freed.contacts) {
            contacts[i] = *force;
        }
        let (rows, held) = freed.bilateral.split_at(self.rows);
        for (&i, force) in self.jammed.iter().zip(held) {
            contacts[i].normal = *force;
        }
        let mut whole = Forces { contacts, bilateral: rows.to_vec(), bounded: vec![] };
        for press in &self.presses {
            let pairs = whole.contacts.iter().zip(&press.contacts);
            let pressed = pairs.filter(|(_, press)| press.normal > 0.0);
            let times =
                pressed.map(|(force, press)| -force.normal / press.normal).fold(0.0, f64::max);
            for (force, press) in whole.contacts.iter_mut().zip(&press.contacts) {
                force.normal += times * press.normal;
            }
            for (force, press) in whole.bilateral.iter_mut().zip(&press.bilateral) {
                *force += times * press;
            }
        }
        for &i in &self.jammed {
            // Rounding.
            whole.contacts[i].normal = whole.contacts[i].normal.max(0.0);
        }
        whole
    }
}

/// The jammed contacts of a part at rest, and impulses that press them.
///
/// Unit impulses `w` act at the contacts that may be jammed. Together with the reaction of the
/// contacts, the bodies move with the nearest motion `v` that closes none. Then `Σ w Jv =
/// |v|²`: either one of them opens, or `v = 0` and the impulses press them all.
fn closed(part: &Part) -> Option<(Vec<usize>, Forces)> {
    let still = &part.problem;
    let units = Rows::new(still);
    let mut closed: Vec<usize> = (0..part.contacts.len()).collect();
    while closed.len() > 1 {
        let mut unit = vec![0.0; units.len()];
        for &i in &closed {
            unit[i] = 1.0;
        }
        let press = with_reaction(still, units.physical(&unit))?;
        units.scaled(&press, &mut unit);
        let mut bodies = Bodies::at_rest(units.body_count);
        for (row, &size) in unit.iter().enumerate() {
            bodies.push(&units, row, &units.row[row], size);
        }
        let moved = bodies.square();
        let largest = unit.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if moved.sqrt() <= PRESSES * largest {
            // Contacts that open are not pressed, if the opening is clear.
            let open = (0..units.bilateral).filter(|i| closed.binary_search(i).is_err());
            let clear = open.map(|i| unit[i]).all(|push| push <= PRESSES * largest);
            return clear.then_some((closed, press));
        }
        if moved < OPENS * OPENS {
            return None;
        }
        // The fastest opens by at least the mean.
        let (count, mean) = (closed.len(), moved / closed.len() as f64);
        closed.retain(|&i| bodies.response(&units, i) < MOST * mean);
        // Only rounding can prevent that: then nothing is certain, and further rounds change
        // nothing.
        if closed.len() == count {
            return None;
        }
    }
    None
}

/// These impulses together with the reaction of contacts and rows at rest.
fn with_reaction(still: &ContactProblem, mut push: Forces) -> Option<Forces> {
    let pushed = still.at_impact(&judge::response(still, &push).bodies).ok()?;
    // The rows are at rest afterwards; they do not keep their velocity.
    let (level, bodies, contacts, rows, bounded) = pushed.into_parts();
    let rows = rows.into_iter().map(|row| Row { bias: 0.0, ..row }).collect();
    let law = ContactProblem::new(level, bodies, contacts, rows, bounded).ok()?;
    let answer = Pivoting.solve(&law).ok().filter(|answer| !answer.is_impulse())?;
    if !answer.certificate.is_certified() {
        return None;
    }
    for (push, answer) in push.contacts.iter_mut().zip(&answer.forces.contacts) {
        push.normal += answer.normal;
    }
    push.bilateral = answer.forces.bilateral;
    Some(push)
}

/// A contact as a row that neither opens nor closes.
fn row(problem: &ContactProblem, contact: &Contact) -> Row {
    let wrench = |body: usize, normal: DVec3| {
        let arm =
            DVec3::from_array(contact.point) - DVec3::from_array(problem.bodies()[body].position);
        let [push, turn] = [normal, arm.cross(normal)].map(|v| v.to_array());
        [push[0], push[1], push[2], turn[0], turn[1], turn[2]]
    };
    let normal = DVec3::from_array(contact.normal);
    Row {
        a: contact.a,
        on_a: wrench(contact.a, normal),
        b: contact.b,
        on_b: contact.b.map_or([0.0; 6], |b| wrench(b, -normal)),
        bias: 0.0,
    }
}
