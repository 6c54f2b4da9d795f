//! The contact modes of a problem as signs of linear forms.
//!
//! | mode | force | response |
//! | --- | --- | --- |
//! | open | f = 0 | a > 0 |
//! | closed, no friction or sliding already | f ≥ 0 | a = 0 |
//! | sticks | \|f_t\| ≤ μ f | a = 0, a_t = 0 |
//! | slips | f_t = ∓μ f | a = 0, a_t > 0 or a_t < 0 |
//! | row between its bounds | lower ≤ f ≤ upper | a = 0 |
//! | row at a bound | f = lower or upper | a > 0 or a < 0 |
//! | undecided | f ≥ 0, \|f_t\| ≤ μ f, within its bounds | a ≥ 0 |
//!
//! Every motion has exactly one combination of modes, since modes differ by the response alone:
//! a response that is `> 0` in one is `= 0` in another. Contacts with zero response have the
//! same mode with or without load, so forces that cancel add no mode.

use super::tableau::{Form, Sign, Tableau};
use crate::unit_forces::UnitForces;
use stiction_contact::gallery::Random;
use stiction_contact::{Contact, ContactProblem, Forces, Friction, Place};

/// A constraint on one quantity.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub quantity: usize,
    pub sign: Sign,
    /// Zero belongs to another mode.
    pub strict: bool,
}

/// The modes of one contact or row.
pub(super) struct Choice {
    pub modes: Vec<Vec<Setting>>,
    /// Force and response that must not both be nonzero while the contact is undecided.
    pub pairs: Vec<[usize; 2]>,
}

/// A problem, its quantities, and its modes.
pub(super) struct Modes<'a> {
    matrix: UnitForces<'a>,
    /// Ratio of an unknown to its force.
    scale: Vec<f64>,
    pub choices: Vec<Choice>,
    /// A quantity that differs where two motions do, and one that differs where two forces do.
    pub motion: usize,
    pub forces: usize,
}

/// Quantities under construction.
struct FormBuilder<'a> {
    matrix: &'a UnitForces<'a>,
    scale: &'a [f64],
    signs: Vec<Sign>,
    forms: Vec<Form>,
}

impl FormBuilder<'_> {
    /// A quantity from terms over the unknowns.
    fn form(&mut self, terms: &[(usize, f64)], constant: f64, sign: Sign) -> usize {
        let mut coefficients = vec![0.0; self.signs.len()];
        for &(k, x) in terms {
            coefficients[k] += x;
        }
        self.forms.push(Form { coefficients, constant, sign });
        self.signs.len() + self.forms.len() - 1
    }

    /// The response of an unknown.
    fn response(&mut self, k: usize, sign: Sign) -> usize {
        let size = self.scale[k];
        let row = self.matrix.a[k].iter().zip(self.scale).enumerate();
        let terms: Vec<(usize, f64)> = row.map(|(j, (x, scale))| (j, x / (size * scale))).collect();
        self.form(&terms, self.matrix.b[k] / size, sign)
    }

    fn contact(&mut self, contact: &Contact, n: usize) -> Choice {
        self.signs[n] = Sign::AtLeastZero;
        let a = self.response(n, Sign::AtLeastZero);
        let parts = Setting { quantity: a, sign: Sign::AtLeastZero, strict: true };
        let stays = Setting { quantity: a, sign: Sign::Zero, strict: false };
        let none = |quantity: usize| Setting { quantity, sign: Sign::Zero, strict: false };
        if !contact.friction.has_tangent_unknowns() {
            let modes = vec![vec![none(n), parts], vec![stays]];
            return Choice { modes, pairs: vec![[n, a]] };
        }
        let t = n + 1;
        let slip = self.response(t, Sign::Free);
        let mut margin = |mu: f64| {
            let ratio = mu * self.scale[t] / self.scale[n];
            let size = ratio.max(1.0);
            [-1.0, 1.0].map(|side| {
                self.form(&[(n, ratio / size), (t, side / size)], 0.0, Sign::AtLeastZero)
            })
        };
        let limits = margin(contact.friction.limit());
        // The friction margin of slipping contacts: zero on the side that opposes the slip.
        let used = match contact.friction {
            Friction::Coulomb { static_friction, dynamic_friction }
                if static_friction != dynamic_friction =>
            {
                let used = margin(dynamic_friction);
                for k in used {
                    self.forms[k - self.signs.len()].sign = Sign::Free;
                }
                used
            }
            _ => limits,
        };
        let slips = |used: usize, sign: Sign| {
            vec![stays, none(used), Setting { quantity: slip, sign, strict: true }]
        };
        let modes = vec![
            vec![none(n), none(t), parts],
            vec![stays, none(slip)],
            slips(used[1], Sign::AtLeastZero),
            slips(used[0], Sign::AtMostZero),
        ];
        Choice { modes, pairs: vec![[n, a], [limits[0], slip], [limits[1], slip]] }
    }

    fn bounded(&mut self, [lower, upper]: [f64; 2], k: usize) -> Choice {
        let response = self.response(k, Sign::Free);
        let zero = |quantity: usize| Setting { quantity, sign: Sign::Zero, strict: false };
        let mut choice = Choice { modes: vec![vec![zero(response)]], pairs: vec![] };
        let sides = [(1.0, lower, Sign::AtLeastZero), (-1.0, upper, Sign::AtMostZero)];
        for (side, bound, sign) in sides.into_iter().filter(|(_, bound, _)| bound.is_finite()) {
            let margin = self.form(&[(k, side)], -side * bound * self.scale[k], Sign::AtLeastZero);
            let pushes = Setting { quantity: response, sign, strict: true };
            choice.modes.push(vec![zero(margin), pushes]);
            choice.pairs.push([margin, response]);
        }
        choice
    }

    /// A random quantity that is equal only where all unknowns are equal or, for motion, only
    /// where all their effects on the bodies are.
    fn probe(&mut self, of_motion: bool) -> usize {
        let mut random = Random::named("diagnose", 0);
        let n = self.signs.len();
        let mut terms: Vec<(usize, f64)> = (0..n).map(|k| (k, random.normal())).collect();
        if of_motion {
            for (_, x) in &mut terms {
                *x = 0.0;
            }
            let bodies = self.matrix.problem.bodies().len();
            for (body, part) in (0..bodies).flat_map(|body| [0, 3].map(|part| (body, part))) {
                let moved =
                    |k: usize, axis: usize| self.matrix.moved[k][body][part + axis] / self.scale[k];
                let sizes = (0..n).flat_map(|k| (0..3).map(move |axis| moved(k, axis).abs()));
                let size = sizes.fold(0.0, f64::max);
                let weights: [f64; 3] = std::array::from_fn(|_| random.normal());
                if size > 0.0 {
                    for (k, x) in &mut terms {
                        *x +=
                            (0..3).map(|axis| weights[axis] * moved(*k, axis)).sum::<f64>() / size;
                    }
                }
            }
        }
        self.form(&terms, 0.0, Sign::Free)
    }
}

impl<'a> Modes<'a> {
    /// With the table in which every contact is undecided. Fails with the index of a contact
    /// with friction in the whole tangent plane, which has infinitely many modes.
    pub(super) fn new(problem: &'a ContactProblem) -> Result<(Self, Tableau), usize> {
        let matrix = UnitForces::new(problem)?;
        let scale: Vec<f64> = (0..matrix.b.len())
            .map(|k| matrix.own(k).sqrt())
            .map(|size| if size > 0.0 { size } else { 1.0 })
            .collect();
        let signs = vec![Sign::Free; scale.len()];
        let mut builder = FormBuilder { matrix: &matrix, scale: &scale, signs, forms: vec![] };
        let mut choices = Vec::new();
        for (place, k) in matrix.places() {
            match place {
                Place::Contact(i) => choices.push(builder.contact(&problem.contacts()[i], k)),
                Place::Bounded(i) => {
                    let bounded = &problem.bounded()[i];
                    choices.push(builder.bounded([bounded.lower, bounded.upper], k));
                }
                _ => {
                    builder.response(k, Sign::Zero);
                }
            }
        }
        let (motion, forces) = (builder.probe(true), builder.probe(false));
        let biases = matrix.b.iter().zip(&scale).map(|(b, scale)| (b / scale).abs());
        let largest = biases.fold(0.0, f64::max);
        let tableau = Tableau::new(builder.signs, builder.forms, largest);
        Ok((Modes { matrix, scale, choices, motion, forces }, tableau))
    }

    /// Forces from the unknowns.
    pub(super) fn forces_of(&self, unknowns: &[f64]) -> Forces {
        let values: Vec<f64> = unknowns.iter().zip(&self.scale).map(|(x, s)| x / s).collect();
        self.matrix.forces(&values)
    }
}
