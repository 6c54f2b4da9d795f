//! Propagation: single collisions, one contact after the other (27).

use super::part::Part;
use super::run::Run;
use super::{Cause, CollisionEnd, Refusal, Round};
use crate::baraff1989::equations;
use crate::error::SolveError;
use crate::rows::Rows;
use stiction_contact::{ContactProblem, Place, ProblemError};

/// Name reported instead of a solver: (27) is one equation.
const EQUATION: &str = "eq. 27";

/// Single collisions, the fastest approach first.
pub(super) fn resolve(run: &mut Run<'_>) -> Result<CollisionEnd, Refusal> {
    let reach = Reach::new(run.problem).map_err(|error| not_finite(1, error))?;
    let mut parts: Vec<Option<Part>> = run.normal.iter().map(|_| None).collect();
    while let Some(contact) = run.fastest() {
        if run.rounds.len() >= run.budget.single_collisions || run.work.is_spent() {
            break;
        }
        let number = run.rounds.len() + 1;
        let part = match parts[contact].take() {
            Some(part) => part.moved(&run.velocities),
            None => reach.part(run, contact),
        };
        let part = part.map_err(|error| not_finite(number, error))?;
        let part = strike(run, part, contact, number)?;
        run.update_speeds(reach.contacts(&part));
        parts[contact] = Some(part);
    }
    Ok(run.end())
}

/// One collision: the impulses of contact and joints that give the contact `v⁺ + ε v⁻ = 0` and
/// keep the joints at rest.
fn strike(run: &mut Run<'_>, part: Part, contact: usize, number: usize) -> Result<Part, Refusal> {
    let recoil = [run.restitution[contact] * run.normal[contact]];
    let law = part.law(&recoil).map_err(|error| not_finite(number, error))?;
    let rows = Rows::new(&law);
    let all: Vec<usize> = (0..rows.len()).collect();
    let refused = |place, residual, cause| Refusal {
        round: number,
        solver: EQUATION,
        place,
        residual,
        cause,
    };
    let force = equations::hold(&rows, &all).ok_or_else(|| {
        let singular = SolveError::SingularBasis { pivots: 0 };
        refused(Some(Place::Contact(contact)), None, Cause::Breakdown(singular))
    })?;
    let judged = part.judge(&law, &recoil, &rows.physical(&force), EQUATION);
    let impact =
        judged.map_err(|(place, residual)| refused(place, Some(residual), Cause::Uncertified))?;
    let impacts = [(part, impact)];
    let round = run.apply(&impacts, number)?;
    run.rounds.push(Round { contact: Some(contact), ..round });
    let [(part, _)] = impacts;
    Ok(part)
}

fn not_finite(number: usize, error: ProblemError) -> Refusal {
    Refusal::not_finite(number, EQUATION, error)
}

/// The bodies and rows that an impulse reaches through joints.
struct Reach {
    /// Bodies connected by joints have the same number.
    linkage: Vec<usize>,
    /// Rows by that number.
    rows: Vec<Vec<usize>>,
    /// Contacts by body.
    touching: Vec<Vec<usize>>,
}

impl Reach {
    fn new(problem: &ContactProblem) -> Result<Self, ProblemError> {
        let (level, bodies, contacts, rows, _) = problem.clone().into_parts();
        let count = bodies.len();
        let jointed = ContactProblem::new(level, bodies, vec![], rows, vec![])?;
        let linkage = jointed.island_of_bodies();
        let mut rows = vec![Vec::new(); count];
        for (i, row) in problem.bilateral().iter().enumerate() {
            rows[problem.island_of(&linkage, row.a, row.b)].push(i);
        }
        let mut touching = vec![Vec::new(); count];
        for (i, contact) in contacts.iter().enumerate() {
            touching[contact.a].push(i);
            if let Some(b) = contact.b {
                touching[b].push(i);
            }
        }
        Ok(Reach { linkage, rows, touching })
    }

    /// A contact with the bodies and joints that its impulse reaches.
    fn part(&self, run: &Run<'_>, contact: usize) -> Result<Part, ProblemError> {
        let touch = &run.problem.contacts()[contact];
        let first = self.linkage[touch.a];
        let second = touch.b.map(|b| self.linkage[b]).filter(|second| *second != first);
        let linkages = [Some(first), second].into_iter().flatten();
        let rows = linkages.flat_map(|k| self.rows[k].iter().copied()).collect();
        Part::new(run.problem, &run.velocities, vec![contact], rows)
    }

    /// The contacts of a part's bodies; some are listed twice.
    fn contacts(&self, part: &Part) -> impl Iterator<Item = usize> {
        part.bodies.iter().flat_map(|&body| self.touching[body].iter().copied())
    }
}
