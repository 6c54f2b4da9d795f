//! The verdict of the exact check on an answer, compared with that of the judge.

use super::exact::Checked;
use super::laws::{CRUDE, Claim, FINE, Friction, Local, LocalRow, STRICT};
use super::number::length;
use serde::Serialize;

/// Both verdicts on one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Certified and right.
    Right,
    /// Certified and wrong: this must not happen.
    Wrong,
    /// Refused and wrong.
    RefusedWrong,
    /// Refused although it is right to a hundredth of the tolerance of the judge.
    RefusedRight,
    /// Refused, and neither clearly right nor clearly wrong.
    RefusedBorderline,
}

impl Verdict {
    /// Whether the judge was wrong.
    pub fn is_fault(self) -> bool {
        matches!(self, Verdict::Wrong | Verdict::RefusedRight)
    }
}

/// The distance of an answer from a law, and the place of the largest violation.
#[derive(Clone, Debug)]
pub struct Distance {
    /// Largest violation by [`FINE`].
    pub fine: f64,
    /// Largest violation by [`CRUDE`].
    pub crude: f64,
    /// The place of the first.
    pub place: String,
}

impl Distance {
    /// The distance of an invalid answer: of the wrong length, or not finite.
    pub fn infinite() -> Self {
        Distance { fine: f64::MAX, crude: f64::MAX, place: "not finite".into() }
    }

    fn of(parts: impl Iterator<Item = (f64, f64, String)>) -> Self {
        let mut distance = Distance { fine: 0.0, crude: 0.0, place: String::new() };
        for (fine, crude, place) in parts {
            // NaN counts as large; JSON has no infinity.
            let number = |x: f64| if x.is_nan() { f64::MAX } else { x.min(f64::MAX) };
            if number(fine) > distance.fine || distance.place.is_empty() {
                (distance.fine, distance.place) = (number(fine), place);
            }
            distance.crude = distance.crude.max(number(crude));
        }
        distance
    }

    /// From a law, of contacts and rows; this many rows are bilateral.
    pub fn from_law(checked: &Checked, bilateral: usize, claim: Claim) -> Self {
        let contacts = checked.contacts.iter().enumerate().map(|(i, contact)| {
            let violation = |measure| contact.violation(claim, measure);
            (violation(FINE), violation(CRUDE), format!("contact {i}"))
        });
        let rows = checked.rows.iter().enumerate().map(|(i, row)| {
            let place = match i.checked_sub(bilateral) {
                None => format!("bilateral row {i}"),
                Some(i) => format!("bounded row {i}"),
            };
            (row.violation(FINE), row.violation(CRUDE), place)
        });
        Distance::of(contacts.chain(rows))
    }

    fn is_wrong(&self) -> bool {
        self.fine > FINE.tolerance || self.crude > CRUDE.tolerance
    }

    fn is_right(&self) -> bool {
        self.fine <= STRICT.tolerance
    }

    /// The verdict on an answer that the judge certified, or not.
    pub fn verdict(&self, certified: bool) -> Verdict {
        match (certified, self.is_wrong()) {
            (true, true) => Verdict::Wrong,
            (true, false) => Verdict::Right,
            (false, true) => Verdict::RefusedWrong,
            (false, false) if self.is_right() => Verdict::RefusedRight,
            (false, false) => Verdict::RefusedBorderline,
        }
    }
}

/// Fraction of the scale of a contact (`F`) below which no impulse acts there.
const ACTS: f64 = 1e-6;

/// Fraction of the energy of the single impulses below which they move nothing together.
const WEDGED: f64 = 1e-14;

/// How far a direction of impulses is from a valid one (`docs/output.md`, ray certificate): it
/// pushes and stays in its cones, moves something, and leaves no contact where it acts
/// separating, none where it does not approaching, none slipping along its friction, and no
/// row violated.
pub fn ray(checked: &Checked, bilateral: usize) -> Distance {
    let size = |contact: &Local| length(&[contact.normal_force, length(&contact.friction_force)]);
    let largest = checked.contacts.iter().map(size).fold(0.0, f64::max);
    if largest == 0.0 || wedges(checked) {
        return Distance { place: "moves nothing".into(), ..Distance::infinite() };
    }
    let contacts = checked.contacts.iter().enumerate().map(|(i, contact)| {
        let violation = ray_contact(contact, largest);
        (violation, 0.0, format!("contact {i}"))
    });
    let rows = checked.rows.iter().enumerate().map(|(i, row)| {
        let place = match i.checked_sub(bilateral) {
            None => format!("bilateral row {i}"),
            Some(i) => format!("bounded row {i}"),
        };
        (ray_row(row), 0.0, place)
    });
    Distance::of(contacts.chain(rows))
}

/// Whether impulses together give nearly no energy of what each gives alone.
fn wedges(checked: &Checked) -> bool {
    let contacts = checked.contacts.iter().map(|c| {
        let along = c.friction_force.iter().zip(&c.slip).map(|(t, u)| t * u).sum::<f64>();
        let size = length(&[c.normal_force, length(&c.friction_force)]);
        (c.normal_force * c.normal_response + along, size * c.normal_scale.forces)
    });
    let rows = checked.rows.iter().map(|r| (r.force * r.response, r.force.abs() * r.scale.forces));
    let (together, singly) = contacts.chain(rows).fold((0.0, 0.0), |s, x| (s.0 + x.0, s.1 + x.1));
    let moves = together > WEDGED * singly;
    !moves
}

/// How much unknown friction drives the slip that it causes, where both are clear.
fn driven(contact: &Local, largest: f64) -> f64 {
    let speed = length(&contact.slip);
    if speed == 0.0 || !matches!(contact.friction, Friction::Free { .. }) {
        return 0.0;
    }
    let along = contact.friction_force.iter().zip(&contact.slip).map(|(t, u)| t * u / speed);
    let scale = contact.slip_scale.least + FINE.floor * contact.slip_scale.forces;
    (along.sum::<f64>() / largest).max(0.0) * (speed / scale).min(1.0)
}

/// A bilateral row does not move. A bounded one grows only where it has no bound, not along the
/// motion that it causes, and where it does not act it lets go only what it cannot hold.
fn ray_row(row: &LocalRow) -> f64 {
    let Some((lower, upper)) = row.bounds else { return row.violation(FINE) };
    let scale = row.scale.least + FINE.floor * row.scale.forces;
    let part = |x: f64| if x <= 0.0 { 0.0 } else { x / scale };
    if row.force.abs() * row.mobility > ACTS * scale {
        let bound = if row.force > 0.0 { upper } else { lower };
        return if bound.is_finite() { 1.0 } else { part(row.response * row.force.signum()) };
    }
    let falls = if upper.is_finite() { 0.0 } else { part(-row.response) };
    let rises = if lower.is_finite() { 0.0 } else { part(row.response) };
    falls.max(rises)
}

fn ray_contact(contact: &Local, largest: f64) -> f64 {
    let (f, u) = (contact.normal_force, contact.normal_response);
    let scale = contact.normal_scale.least + FINE.floor * contact.normal_scale.forces;
    let part = |x: f64| if x <= 0.0 { 0.0 } else { x / scale };
    let response = if f * contact.mobility > ACTS * scale { part(u) } else { part(-u) };
    let friction = match contact.friction {
        Friction::None => length(&contact.friction_force),
        Friction::Tied { mu, direction } => {
            let off: [f64; 3] =
                std::array::from_fn(|k| contact.friction_force[k] + mu * f * direction[k]);
            length(&off)
        }
        Friction::Free { sticking, slipping } => {
            length(&contact.friction_force) - sticking.max(slipping) * f
        }
    };
    let force = (-f).max(friction).max(contact.stray) / largest;
    response.max(force).max(driven(contact, largest))
}
