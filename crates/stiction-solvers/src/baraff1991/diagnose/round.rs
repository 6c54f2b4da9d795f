//! Proofs that no forces obey Coulomb's law on round cones.
//!
//! In the whole tangent plane a contact can slip in any direction, so the contact modes cannot be
//! listed. They can be covered: the directions of friction are cut into sectors, and each sector
//! is relaxed to linear inequalities,
//!
//! | mode | force | response |
//! | --- | --- | --- |
//! | open | f = 0 | a ≥ 0 |
//! | sticks | f_t · e ≤ μ f for eight e | a = 0, a_t = 0 |
//! | slips, friction between the directions e₁ and e₂ | f_t between them, μ f cos(δ/2) ≤ f_t · e ≤ μ f | a = 0, −a_t between them |
//! | undecided | f_t · e ≤ μ f for eight e | a ≥ 0 |
//!
//! with `δ` the angle between `e₁` and `e₂` and `e` halfway. Every answer obeys the inequalities of
//! one combination. If none of a combination can be satisfied it is closed; if they can, a contact
//! is decided or a sector is halved. When all combinations are closed there is no answer. A sector
//! too narrow to halve proves nothing.

use super::Open;
use super::tableau::{Form, Sign, Tableau};
use crate::unit_forces::UnitForces;
use std::f64::consts::{FRAC_PI_2, TAU};
use stiction_contact::{ContactProblem, Friction, MatrixProblem, Place};

/// Sides of the pyramid around a cone whose direction of friction is not decided.
const SIDES: usize = 8;

/// Sectors narrower than this (rad) are not halved: they hold an answer, or nearly.
pub(super) const NARROWEST: f64 = 1e-3;

/// What the search through the sectors showed.
pub(super) struct Outcome {
    /// Combinations closed.
    pub closed: u64,
    /// Multiplications.
    pub work: u64,
    pub end: End,
}

/// Its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// All combinations are closed: there is no answer.
    NoAnswer,
    /// One combination could not be closed.
    Open,
    /// The work budget is spent.
    Budget,
}

impl End {
    /// Why there is no verdict, if so.
    pub(super) fn open(self, budget: u64) -> Option<Open> {
        match self {
            End::NoAnswer => None,
            End::Open => Some(Open::Sector),
            End::Budget => Some(Open::Budget { budget }),
        }
    }
}

/// A contact with friction: its unknowns are `first`, the normal force, and `tangents` more.
struct Contact {
    first: usize,
    tangents: usize,
    mu: f64,
}

/// A problem as a dense matrix: `response = a · force + b`.
pub(super) struct System {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    contacts: Vec<Contact>,
}

/// The mode of a contact.
#[derive(Clone, Copy)]
enum Mode {
    Undecided,
    Open,
    Sticks,
    /// Friction points between these angles.
    Slips([f64; 2]),
}

impl System {
    /// Of a problem with bodies; none if it has bounded rows or contacts with two coefficients.
    pub(super) fn of_bodies(problem: &ContactProblem) -> Option<Self> {
        let units = UnitForces::round(problem);
        let mut contacts = Vec::new();
        for (place, first) in units.places() {
            match place {
                Place::Contact(i) => {
                    let contact = &problem.contacts()[i];
                    let mu = match contact.friction {
                        // Friction of contacts that slide already is part of their unit force.
                        Friction::Frictionless | Friction::Sliding { .. } => 0.0,
                        Friction::Static { friction } => friction,
                        Friction::Coulomb { static_friction, dynamic_friction }
                            if static_friction == dynamic_friction =>
                        {
                            static_friction
                        }
                        Friction::Coulomb { .. } => return None,
                    };
                    let tangents = units.tangents(i);
                    contacts.push(Contact { first, tangents, mu });
                }
                Place::Bilateral(_) => {}
                _ => return None,
            }
        }
        Some(System { a: units.a, b: units.b, contacts }.scaled())
    }

    /// Of a problem without bodies.
    pub(super) fn of_matrix(problem: &MatrixProblem) -> Self {
        let (n, d) = (problem.len(), problem.dimension());
        let mut a = vec![vec![0.0; n]; n];
        problem.entries().for_each(|(i, j, x)| a[i][j] += x);
        let contact = |(i, &mu): (usize, &f64)| Contact { first: i * d, tangents: d - 1, mu };
        let contacts = problem.friction().iter().enumerate().map(contact).collect();
        System { a, b: problem.q().to_vec(), contacts }.scaled()
    }

    /// Unknowns scaled so that the own response of each contact has size one.
    fn scaled(mut self) -> Self {
        let n = self.b.len();
        let mut scale: Vec<f64> = (0..n).map(|k| self.a[k][k]).collect();
        for contact in &self.contacts {
            let own = contact.first..=contact.first + contact.tangents;
            let mean = own.clone().map(|k| self.a[k][k]).sum::<f64>() / own.clone().count() as f64;
            own.for_each(|k| scale[k] = mean);
        }
        let scale: Vec<f64> = scale.iter().map(|&x| if x > 0.0 { x.sqrt() } else { 1.0 }).collect();
        for i in 0..n {
            self.b[i] /= scale[i];
            self.a[i].iter_mut().zip(&scale).for_each(|(x, s)| *x /= scale[i] * s);
        }
        self
    }

    /// Closes combinations until all are closed, one cannot be, or the budget is spent.
    pub(super) fn search(&self, budget: u64) -> Outcome {
        let mut outcome = Outcome { closed: 0, work: 0, end: End::NoAnswer };
        let mut left = vec![vec![Mode::Undecided; self.contacts.len()]];
        while let Some(modes) = left.pop() {
            if outcome.work > budget {
                outcome.end = End::Budget;
                return outcome;
            }
            let mut tableau = self.tableau(&modes);
            let possible = tableau.is_feasible();
            outcome.work += tableau.work;
            if !possible {
                outcome.closed += 1;
                continue;
            }
            let Some(parts) = self.divide(&modes) else {
                outcome.end = End::Open;
                return outcome;
            };
            left.extend(parts);
        }
        outcome
    }

    /// Combinations that cover this one: a contact decided, or the widest sector halved.
    fn divide(&self, modes: &[Mode]) -> Option<Vec<Vec<Mode>>> {
        let undecided = modes.iter().position(|mode| matches!(mode, Mode::Undecided));
        let (place, parts) = if let Some(place) = undecided {
            (place, self.contacts[place].modes())
        } else {
            let width = |mode: &Mode| match mode {
                Mode::Slips([from, to]) => to - from,
                _ => 0.0,
            };
            let place =
                (0..modes.len()).max_by(|&i, &j| width(&modes[i]).total_cmp(&width(&modes[j])))?;
            let Mode::Slips([from, to]) = modes[place] else { return None };
            if to - from < NARROWEST {
                return None;
            }
            let middle = f64::midpoint(from, to);
            (place, vec![Mode::Slips([from, middle]), Mode::Slips([middle, to])])
        };
        let with = |part| {
            let mut modes = modes.to_vec();
            modes[place] = part;
            modes
        };
        Some(parts.into_iter().map(with).collect())
    }

    /// The inequalities of a combination. Rows that are not contacts hold.
    fn tableau(&self, modes: &[Mode]) -> Tableau {
        let n = self.b.len();
        let mut signs = vec![Sign::Free; n];
        let mut forms = Vec::new();
        let mut of_contact = vec![false; n];
        for (contact, &mode) in self.contacts.iter().zip(modes) {
            let own = contact.first..=contact.first + contact.tangents;
            own.for_each(|k| of_contact[k] = true);
            self.constrain(contact, mode, &mut signs, &mut forms);
        }
        for k in (0..n).filter(|&k| !of_contact[k]) {
            forms.push(self.response(&[(k, 1.0)], Sign::Zero));
        }
        let largest = self.b.iter().fold(0.0_f64, |most, b| most.max(b.abs()));
        Tableau::new(signs, forms, largest)
    }

    /// The inequalities of one contact.
    fn constrain(&self, contact: &Contact, mode: Mode, signs: &mut [Sign], forms: &mut Vec<Form>) {
        let Contact { first, tangents, mu } = *contact;
        let own = first..=first + tangents;
        signs[first] = Sign::AtLeastZero;
        if matches!(mode, Mode::Open) {
            own.clone().for_each(|k| signs[k] = Sign::Zero);
        } else if mu == 0.0 {
            own.clone().skip(1).for_each(|k| signs[k] = Sign::Zero);
        }
        let closed = matches!(mode, Mode::Sticks | Mode::Slips(_));
        let normal = if closed { Sign::Zero } else { Sign::AtLeastZero };
        forms.push(self.response(&[(first, 1.0)], normal));
        // The part of friction or slip along a direction.
        let along = |[x, y]: [f64; 2], by: f64| -> Vec<(usize, f64)> {
            [x, y]
                .into_iter()
                .take(tangents)
                .enumerate()
                .map(|(k, x)| (first + 1 + k, by * x))
                .collect()
        };
        let friction = |e: [f64; 2], by: f64, limit: f64| {
            let mut terms = along(e, by);
            terms.push((first, limit));
            self.force(&terms)
        };
        match mode {
            _ if mu == 0.0 => {}
            Mode::Open => {}
            Mode::Undecided | Mode::Sticks => {
                for side in 0..SIDES {
                    let e = direction(TAU * side as f64 / SIDES as f64);
                    forms.push(friction(e, -1.0, mu));
                }
                if matches!(mode, Mode::Sticks) {
                    forms.extend(own.skip(1).map(|k| self.response(&[(k, 1.0)], Sign::Zero)));
                }
            }
            Mode::Slips([from, to]) => {
                let middle = direction(f64::midpoint(from, to));
                forms.push(friction(middle, 1.0, -mu * (0.5 * (to - from)).cos()));
                for e in [direction(from), middle, direction(to)] {
                    forms.push(friction(e, -1.0, mu));
                }
                forms.push(self.response(&along(middle, -1.0), Sign::AtLeastZero));
                for (angle, by) in [(from, 1.0), (to, -1.0)] {
                    let across = direction(angle + FRAC_PI_2);
                    forms.push(friction(across, by, 0.0));
                    forms.push(self.response(&along(across, -by), Sign::AtLeastZero));
                }
            }
        }
    }

    /// A combination of forces that is not negative.
    fn force(&self, terms: &[(usize, f64)]) -> Form {
        let mut coefficients = vec![0.0; self.b.len()];
        for &(k, x) in terms {
            coefficients[k] += x;
        }
        Form { coefficients, constant: 0.0, sign: Sign::AtLeastZero }
    }

    /// A combination of responses.
    fn response(&self, terms: &[(usize, f64)], sign: Sign) -> Form {
        let mut coefficients = vec![0.0; self.b.len()];
        let mut constant = 0.0;
        for &(k, x) in terms {
            coefficients.iter_mut().zip(&self.a[k]).for_each(|(c, a)| *c += x * a);
            constant += x * self.b[k];
        }
        Form { coefficients, constant, sign }
    }
}

impl Contact {
    /// Modes that cover all motions of the contact.
    fn modes(&self) -> Vec<Mode> {
        let mut modes = vec![Mode::Open];
        match self.tangents {
            // Without friction a contact that is closed may slip as it likes.
            _ if self.mu == 0.0 => modes.push(Mode::Slips([0.0, 0.0])),
            1 => modes.extend([Mode::Sticks, Mode::Slips([0.0; 2]), Mode::Slips([0.5 * TAU; 2])]),
            _ => {
                modes.push(Mode::Sticks);
                let quarter = |k: u32| FRAC_PI_2 * f64::from(k);
                modes.extend((0..4).map(|k| Mode::Slips([quarter(k), quarter(k + 1)])));
            }
        }
        modes
    }
}

fn direction(angle: f64) -> [f64; 2] {
    let (sin, cos) = angle.sin_cos();
    [cos, sin]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Auto, ContactSolver, Work};
    use stiction_contact::Triplets;
    use stiction_contact::gallery::Random;

    /// `W = H Hᵀ` with `rank` columns, and `H`.
    fn matrix(random: &mut Random, rows: usize, rank: usize) -> Vec<Vec<f64>> {
        let h: Vec<Vec<f64>> =
            (0..rows).map(|_| (0..rank).map(|_| random.normal()).collect()).collect();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum();
        h.iter().map(|x| h.iter().map(|y| dot(x, y)).collect()).collect()
    }

    fn problem(d: usize, w: &[Vec<f64>], q: Vec<f64>, mu: Vec<f64>) -> MatrixProblem {
        let rows = q.len();
        let entries = (0..rows).flat_map(|i| (0..rows).map(move |j| (i, j, w[i][j]))).collect();
        MatrixProblem::new(d, &Triplets { rows, columns: rows, entries }, q, mu).unwrap()
    }

    /// A problem made from its answer is never said to have none.
    #[test]
    fn an_answer_is_never_excluded() {
        let mut random = Random::named("round", 1);
        for case in 0..200 {
            let (d, count) = (2 + case % 2, 1 + case % 5);
            let n = d * count;
            let w = matrix(&mut random, n, 1 + case % 6);
            let mu: Vec<f64> = (0..count).map(|_| random.normal().abs().min(2.0)).collect();
            let (mut r, mut u) = (vec![0.0; n], vec![0.0; n]);
            for i in 0..count {
                let (angle, size) = (random.normal() * 9.0, random.normal().abs());
                let [x, y] = if d == 2 { [angle.signum(), 0.0] } else { direction(angle) };
                let part = [1.0, 0.4 * random.normal().abs().min(2.0), 0.0][(case + i) % 3];
                match (case / 3 + i) % 3 {
                    0 => u[i * d] = size,
                    mode => {
                        r[i * d] = size;
                        let slip = if mode == 1 { 1.0 } else { 0.0 };
                        let part = if mode == 1 { 1.0 } else { part };
                        for (k, e) in [x, y].into_iter().take(d - 1).enumerate() {
                            r[i * d + 1 + k] = -part * mu[i] * size * e;
                            u[i * d + 1 + k] = slip * e;
                        }
                    }
                }
            }
            let dot = |x: &[f64]| x.iter().zip(&r).map(|(x, y)| x * y).sum::<f64>();
            let q = (0..n).map(|i| u[i] - dot(&w[i])).collect();
            let outcome = System::of_matrix(&problem(d, &w, q, mu)).search(100_000_000);
            assert_ne!(outcome.end, End::NoAnswer, "case {case}");
        }
    }

    /// Of random problems of low rank either an answer is found, or it is proved that there is
    /// none; both happen.
    #[test]
    fn no_answer_is_proved_where_none_is_found() {
        let mut random = Random::named("round", 2);
        let mut seen = [0; 3];
        for _ in 0..40 {
            let count = 5;
            let w = matrix(&mut random, 3 * count, 6);
            let q = (0..3 * count).map(|_| random.normal()).collect();
            let mu = (0..count).map(|_| 0.7 + 0.1 * random.normal().abs()).collect();
            let problem = problem(3, &w, q, mu);
            let answer = Auto::default().solve_matrix(&problem, &mut Work::for_matrix(&problem));
            let found = answer.is_ok_and(|answer| answer.is_certified());
            let proved = System::of_matrix(&problem).search(1_000_000_000).end == End::NoAnswer;
            assert!(!(found && proved));
            seen[if found {
                0
            } else if proved {
                1
            } else {
                2
            }] += 1;
        }
        println!("answers {}, proofs that there is none {}, neither {}", seen[0], seen[1], seen[2]);
        assert!(seen[0] > 0 && seen[1] > 0 && seen[2] <= 2, "{seen:?}");
    }
}
