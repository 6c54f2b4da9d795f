//! A subset of the contacts and rows of a problem with their bodies, and the effect of impulses
//! on it.

use super::{Cause, Refusal};
use crate::error::SolveError;
use crate::observer::NoObserver;
use crate::rows::Rows;
use crate::solver::{Call, ContactSolver};
use crate::work::Work;
use stiction_contact::{
    ContactProblem, Forces, Found, Level, Place, ProblemError, Route, Row, judge,
};

/// Part of a problem, with its own indices of bodies, contacts and rows.
pub(super) struct Part {
    /// Indices of its bodies in the whole problem.
    pub bodies: Vec<usize>,
    /// Indices of its contacts in the whole problem.
    pub contacts: Vec<usize>,
    /// Indices of its bilateral rows in the whole problem.
    pub rows: Vec<usize>,
    /// The part as a problem, with the velocities at the time it was built. Its rows come to
    /// rest.
    pub problem: ContactProblem,
}

/// Judged impulses.
pub(super) struct Impact {
    pub solver: &'static str,
    pub forces: Forces,
    /// `[linear; angular]` velocity of the part's bodies after them.
    pub after: Vec<[f64; 6]>,
    pub residual: f64,
    /// Energy gained at contacts and rows (J).
    pub gain: f64,
}

impl Impact {
    /// The refusal for its energy gain.
    pub fn gains(&self, part: &Part, round: usize) -> Refusal {
        let cause = Cause::GainsEnergy { gain: self.gain };
        let (place, residual) = (part.fastest(), Some(self.residual));
        Refusal { round, solver: self.solver, place, residual, cause }
    }
}

impl Part {
    /// From these contacts and rows, at these velocities of all bodies.
    pub fn new(
        problem: &ContactProblem,
        velocities: &[[f64; 6]],
        contacts: Vec<usize>,
        rows: Vec<usize>,
    ) -> Result<Self, ProblemError> {
        let mut place = vec![usize::MAX; problem.bodies().len()];
        let mut bodies = Vec::new();
        let mut at = |body: usize| {
            if place[body] == usize::MAX {
                place[body] = bodies.len();
                bodies.push(body);
            }
            place[body]
        };
        let mut touching = Vec::with_capacity(contacts.len());
        for &i in &contacts {
            let mut contact = problem.contacts()[i].clone();
            (contact.a, contact.b) = (at(contact.a), contact.b.map(&mut at));
            touching.push(contact);
        }
        let mut joined = Vec::with_capacity(rows.len());
        for &i in &rows {
            let row = &problem.bilateral()[i];
            joined.push(Row { a: at(row.a), b: row.b.map(&mut at), bias: 0.0, ..row.clone() });
        }
        let body = |&i: &usize| problem.bodies()[i].clone().with_free_response(velocities[i]);
        let named = bodies.iter().map(body).collect();
        let problem = ContactProblem::new(Level::Impact, named, touching, joined, vec![])?;
        Ok(Part { bodies, contacts, rows, problem })
    }

    /// The same with rows that keep their velocity. Once they are at rest it is rounding, by
    /// which redundant rows must not contradict each other.
    pub fn at_rest(self) -> Result<Self, ProblemError> {
        let velocities: Vec<_> = self.problem.bodies().iter().map(|b| b.free_response).collect();
        Ok(Part { problem: self.problem.at_impact(&velocities)?, ..self })
    }

    /// The connected components of these contacts and all rows.
    pub fn islands(
        problem: &ContactProblem,
        velocities: &[[f64; 6]],
        contacts: Vec<usize>,
    ) -> Result<Vec<Self>, ProblemError> {
        let rows = (0..problem.bilateral().len()).collect();
        let all = Part::new(problem, velocities, contacts, rows)?;
        let islands = all.problem.island_of_bodies();
        let mut members: Vec<[Vec<usize>; 2]> = vec![Default::default(); all.bodies.len()];
        for (&i, c) in all.contacts.iter().zip(all.problem.contacts()) {
            members[all.problem.island_of(&islands, c.a, c.b)][0].push(i);
        }
        for (&i, row) in all.rows.iter().zip(all.problem.bilateral()) {
            members[all.problem.island_of(&islands, row.a, row.b)][1].push(i);
        }
        let some = members.into_iter().filter(|part| part.iter().any(|list| !list.is_empty()));
        some.map(|[contacts, rows]| Part::new(problem, velocities, contacts, rows)).collect()
    }

    /// The problem (29) for the contacts: `v⁺ + recoil ≥ 0` and so on, with one recoil `ε v⁻`
    /// per contact of the part.
    pub fn law(&self, recoil: &[f64]) -> Result<ContactProblem, ProblemError> {
        let (level, bodies, mut contacts, rows, bounded) = self.problem.clone().into_parts();
        for (contact, recoil) in contacts.iter_mut().zip(recoil) {
            contact.bias = contact.normal.map(|n| recoil * n);
        }
        ContactProblem::new(level, bodies, contacts, rows, bounded)
    }

    /// The same at other velocities of all bodies of the whole problem.
    pub fn moved(self, velocities: &[[f64; 6]]) -> Result<Self, ProblemError> {
        let (level, mut bodies, contacts, rows, bounded) = self.problem.into_parts();
        for (body, &i) in bodies.iter_mut().zip(&self.bodies) {
            body.free_response = velocities[i];
        }
        let problem = ContactProblem::new(level, bodies, contacts, rows, bounded)?;
        Ok(Part { problem, ..self })
    }

    /// The impulses that a solver finds, if the judge certifies them.
    pub fn solve(
        &self,
        recoil: &[f64],
        solver: &mut dyn ContactSolver,
        work: &mut Work,
        round: usize,
    ) -> Result<Impact, Refusal> {
        let name = solver.name();
        let refusal = |place, cause| Refusal { round, solver: name, place, residual: None, cause };
        let law = self.law(recoil).map_err(|error| Refusal::not_finite(round, name, error))?;
        let judged = |forces: &Forces, by, route| {
            let judged = self.judge(&law, recoil, forces, by);
            judged.map_err(|(place, residual)| {
                let cause = match route {
                    Route::AddsEnergy { amount } => Cause::AddsEnergy { amount },
                    _ => Cause::Uncertified,
                };
                Refusal { residual: Some(residual), ..refusal(place, cause) }
            })
        };
        let found = solver.search(&law, Call { start: None, work, observer: &mut NoObserver });
        match found.map(|candidate| (candidate.found, candidate.by, candidate.route)) {
            Ok((Found::Forces(forces), by, route)) => judged(&forces, by.unwrap_or(name), route),
            Ok((Found::Ray(_), ..)) => Err(refusal(self.fastest(), Cause::Squeezed)),
            Err(SolveError::Wedged { place }) => {
                Err(refusal(Some(self.in_whole(place)), Cause::Squeezed))
            }
            Err(error) => Err(refusal(self.fastest(), Cause::Breakdown(self.of_whole(error)))),
        }
    }

    /// The effect of these impulses, if they obey this law; otherwise where and by how much
    /// they violate it most.
    pub fn judge(
        &self,
        law: &ContactProblem,
        recoil: &[f64],
        forces: &Forces,
        solver: &'static str,
    ) -> Result<Impact, (Option<Place>, f64)> {
        let certificate = judge::judge(law, forces);
        let residual = certificate.residual();
        if !certificate.is_certified() {
            let fits = forces.misfit(law).is_none();
            return Err((if fits { self.worst(law, forces) } else { None }, residual));
        }
        let before = judge::response(&self.problem, &Forces::zeros(law));
        let after = judge::response(law, forces);
        let speeds = before.contacts.iter().zip(&after.contacts).zip(recoil);
        let speeds = speeds.map(|((u, v), recoil)| u.normal + (v.normal - recoil));
        let contacts = forces.contacts.iter().map(|j| j.normal).zip(speeds);
        let bias = self.problem.bilateral().iter().map(|row| row.bias);
        let rows = before.bilateral.iter().zip(&after.bilateral).zip(bias);
        let rows = rows.map(|((u, v), bias)| (u - bias) + (v - bias));
        let rows = forces.bilateral.iter().copied().zip(rows);
        let gain = contacts.chain(rows).map(|(j, speed)| 0.5 * j * speed).sum();
        let after = after.bodies;
        Ok(Impact { solver, forces: forces.clone(), after, residual, gain })
    }

    /// The contact or row where scaled impulses violate a law most.
    fn worst(&self, law: &ContactProblem, forces: &Forces) -> Option<Place> {
        let rows = Rows::new(law);
        let mut scaled = vec![0.0; rows.len()];
        rows.scaled(forces, &mut scaled);
        let response = rows.response(&scaled);
        let breach = |&r: &usize| {
            let free = if r < rows.bilateral { response[r].min(scaled[r]) } else { response[r] };
            free.abs()
        };
        let worst = (0..rows.len()).max_by(|r, s| breach(r).total_cmp(&breach(s)));
        worst.map(|r| self.in_whole(rows.place(r)))
    }

    /// The contact that approaches fastest.
    fn fastest(&self) -> Option<Place> {
        let response = judge::response(&self.problem, &Forces::zeros(&self.problem));
        let speed = |&i: &usize| response.contacts[i].normal;
        let fastest = (0..self.contacts.len()).min_by(|i, j| speed(i).total_cmp(&speed(j)));
        fastest.map(|i| Place::Contact(self.contacts[i]))
    }

    /// A place of the part as a place of the whole problem.
    fn in_whole(&self, place: Place) -> Place {
        match place {
            Place::Body(i) => Place::Body(self.bodies[i]),
            Place::Contact(i) => Place::Contact(self.contacts[i]),
            Place::Bilateral(i) => Place::Bilateral(self.rows[i]),
            Place::Bounded(i) => Place::Bounded(i),
        }
    }

    /// An error of the part with places of the whole problem.
    fn of_whole(&self, error: SolveError) -> SolveError {
        match error {
            SolveError::Contradiction { place, response } => {
                SolveError::Contradiction { place: self.in_whole(place), response }
            }
            SolveError::Oscillation { place, returns } => {
                SolveError::Oscillation { place: self.in_whole(place), returns }
            }
            other => other,
        }
    }
}
