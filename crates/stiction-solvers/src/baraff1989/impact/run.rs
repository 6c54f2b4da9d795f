//! The state of a collision: velocities, impulses, energy, work.

use super::part::{Impact, Part};
use super::{Budget, Collision, CollisionEnd, CollisionError, Refusal, Round};
use crate::solver::ContactSolver;
use crate::work::Work;
use glam::DVec3;
use stiction_contact::{Body, Contact, ContactProblem, Forces};

/// Energy that a round may gain, as a fraction of the kinetic energy of its bodies: allows for
/// rounding.
const GAINS: f64 = 1e-12;

/// The same for all rounds together, as a fraction of all kinetic energy: the rounding of
/// 100,000 lossless single collisions is less.
const GAINS_IN_ALL: f64 = 1e-11;

/// An approach counts as rest below this fraction of the fastest motion at a contact before the
/// collision.
const APPROACHES: f64 = 1e-10;

/// The same for a separation: the error that an exact solver leaves in a zero velocity. Less
/// than [`APPROACHES`], so that a contact that counts as resting is not hit unnoticed.
const SEPARATES: f64 = 1e-12;

/// The velocity of a bilateral row counts as rounding below this fraction of the sum of its
/// terms.
const ROW_RESTS: f64 = 1e-12;

/// Units of work of a contact or row in a round, in addition to its solver's: building and
/// judging.
pub(super) const PART_WORK: f64 = 10_000.0;

pub(super) struct Run<'a> {
    pub problem: &'a ContactProblem,
    pub restitution: &'a [f64],
    pub budget: Budget,
    pub velocities: Vec<[f64; 6]>,
    /// Normal velocity of every contact.
    pub normal: Vec<f64>,
    pub rounds: Vec<Round>,
    pub work: Work,
    joints: Option<Round>,
    impulse: Forces,
    /// Speeds below which an approach, and a separation, count as rest (m/s).
    rest: [f64; 2],
    roots: Vec<[[f64; 6]; 6]>,
    kinetic: Vec<f64>,
    first: f64,
    gained: f64,
}

impl<'a> Run<'a> {
    pub fn new(
        problem: &'a ContactProblem,
        velocities: &[[f64; 6]],
        restitution: &'a [f64],
        budget: Budget,
    ) -> Result<Self, CollisionError> {
        // Validated problems have roots.
        let root = |body: &Body| body.inertia.root().unwrap_or_default();
        let roots: Vec<_> = problem.bodies().iter().map(root).collect();
        let kinetic: Vec<f64> = roots.iter().zip(velocities).map(|(s, v)| kinetic(s, v)).collect();
        if let Some(body) = kinetic.iter().position(|e| !e.is_finite()) {
            return Err(CollisionError::Energy { body, value: kinetic[body] });
        }
        let speed = |contact| normal_velocity(problem, velocities, contact);
        let normal: Vec<f64> = problem.contacts().iter().map(speed).collect();
        let fastest = normal.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
        Ok(Run {
            problem,
            restitution,
            budget,
            velocities: velocities.to_vec(),
            normal,
            rounds: Vec::new(),
            work: Work::new(budget.work),
            joints: None,
            impulse: Forces::zeros(problem),
            rest: [APPROACHES * fastest, SEPARATES * fastest],
            first: kinetic.iter().sum(),
            roots,
            kinetic,
            gained: 0.0,
        })
    }

    /// Whether a contact approaches.
    pub fn approaches(&self, contact: usize) -> bool {
        self.normal[contact] < -self.rest[0]
    }

    /// Whether a contact separates.
    pub fn separates(&self, contact: usize) -> bool {
        self.normal[contact] > self.rest[1]
    }

    /// The contact that approaches fastest; the first of equal ones.
    pub fn fastest(&self) -> Option<usize> {
        let approaching = (0..self.normal.len()).filter(|&i| self.approaches(i));
        approaching.min_by(|&i, &j| self.normal[i].total_cmp(&self.normal[j]))
    }

    /// How the collision ends if no round follows.
    pub fn end(&self) -> CollisionEnd {
        match self.fastest() {
            Some(contact) => CollisionEnd::Budget { contact, speed: -self.normal[contact] },
            None => CollisionEnd::Settled,
        }
    }

    /// Applies an impulse of the joints alone, if the velocities violate them.
    pub fn stop_joints(&mut self, solver: &mut dyn ContactSolver) -> Result<(), Refusal> {
        let sum = |on: &[f64; 6], body: usize| {
            let terms = on.iter().zip(&self.velocities[body]).map(|(x, v)| x * v);
            terms.fold([0.0, 0.0], |[sum, size], x: f64| [sum + x, size + x.abs()])
        };
        let moves = self.problem.bilateral().iter().any(|row| {
            let [a, size_a] = sum(&row.on_a, row.a);
            let [b, size_b] = row.b.map_or([0.0; 2], |b| sum(&row.on_b, b));
            (a + b).abs() > ROW_RESTS * (size_a + size_b)
        });
        if moves {
            self.joints = Some(self.round(vec![], solver, 0)?);
        }
        Ok(())
    }

    /// Simultaneous impulses at these contacts and all joints connected with them.
    pub fn round(
        &mut self,
        contacts: Vec<usize>,
        solver: &mut dyn ContactSolver,
        number: usize,
    ) -> Result<Round, Refusal> {
        let name = solver.name();
        let not_finite = |error| Refusal::not_finite(number, name, error);
        let parts = Part::islands(self.problem, &self.velocities, contacts).map_err(not_finite)?;
        let mut impacts = Vec::with_capacity(parts.len());
        for mut part in parts {
            if number > 0 {
                // Without an approach there is no impulse.
                if !part.contacts.iter().any(|&i| self.approaches(i)) {
                    continue;
                }
                part = part.at_rest().map_err(not_finite)?;
            }
            let recoil = |&i: &usize| self.restitution[i] * self.normal[i].min(0.0);
            let recoil: Vec<f64> = part.contacts.iter().map(recoil).collect();
            let impact = part.solve(&recoil, solver, &mut self.work, number)?;
            impacts.push((part, impact));
        }
        let round = self.apply(&impacts, number)?;
        self.update_speeds(0..self.normal.len());
        Ok(round)
    }

    /// Changes the velocities, if the impacts of a round gain no energy.
    pub fn apply(&mut self, impacts: &[(Part, Impact)], number: usize) -> Result<Round, Refusal> {
        let before: f64 = self.kinetic.iter().sum();
        let energies = |(part, impact): &(Part, Impact)| -> Vec<f64> {
            let bodies = part.bodies.iter().zip(&impact.after);
            bodies.map(|(&i, v)| kinetic(&self.roots[i], v)).collect()
        };
        let energies: Vec<Vec<f64>> = impacts.iter().map(energies).collect();
        let mut gained = self.gained;
        for ((part, impact), after) in impacts.iter().zip(&energies) {
            let local: f64 = part.bodies.iter().map(|&i| self.kinetic[i]).sum();
            let local = local.max(after.iter().sum());
            gained += impact.gain;
            let keeps = impact.gain <= GAINS * local && gained <= GAINS_IN_ALL * local.max(before);
            // A value that is not a number fails both tests.
            if !keeps {
                return Err(impact.gains(part, number));
            }
        }
        for ((part, impact), energies) in impacts.iter().zip(energies) {
            for ((&i, v), energy) in part.bodies.iter().zip(&impact.after).zip(energies) {
                self.velocities[i] = *v;
                self.kinetic[i] = energy;
            }
            for (&i, j) in part.contacts.iter().zip(&impact.forces.contacts) {
                self.impulse.contacts[i].normal += j.normal;
            }
            for (&i, j) in part.rows.iter().zip(&impact.forces.bilateral) {
                self.impulse.bilateral[i] += j;
            }
            // Building, solving and judging.
            self.work.charge(PART_WORK * (part.contacts.len() + part.rows.len()) as f64);
        }
        self.gained = gained;
        Ok(Round {
            contact: None,
            contacts: impacts.iter().map(|(part, _)| part.contacts.len()).sum(),
            solver: solver_of(impacts),
            residual: impacts.iter().fold(0.0, |m: f64, (_, impact)| m.max(impact.residual)),
            kinetic: [before, self.kinetic.iter().sum()],
            gain: impacts.iter().map(|(_, impact)| impact.gain).sum(),
        })
    }

    /// Updates the speeds of these contacts.
    pub fn update_speeds(&mut self, contacts: impl Iterator<Item = usize>) {
        for i in contacts {
            let contact = &self.problem.contacts()[i];
            self.normal[i] = normal_velocity(self.problem, &self.velocities, contact);
        }
    }

    pub fn into_collision(self, end: CollisionEnd) -> Collision {
        Collision {
            kinetic: [self.first, self.kinetic.iter().sum()],
            after: self.velocities,
            impulse: self.impulse,
            energy: self.gained,
            steps: self.rounds.len(),
            end,
            joints: self.joints,
            rounds: self.rounds,
            jammed: Vec::new(),
        }
    }
}

/// The solver that found the impulses of a round.
fn solver_of(impacts: &[(Part, Impact)]) -> &'static str {
    let mut names = impacts.iter().map(|(_, impact)| impact.solver);
    let first = names.next().unwrap_or("none");
    if names.all(|name| name == first) { first } else { "several" }
}

/// Normal velocity at a contact: positive where the bodies separate.
fn normal_velocity(problem: &ContactProblem, velocities: &[[f64; 6]], contact: &Contact) -> f64 {
    let point = DVec3::from_array(contact.point);
    let at = |i: usize| {
        let [x, y, z, turn @ ..] = velocities[i];
        let arm = point - DVec3::from_array(problem.bodies()[i].position);
        DVec3::new(x, y, z) + DVec3::from_array(turn).cross(arm)
    };
    DVec3::from_array(contact.normal).dot(at(contact.a) - contact.b.map_or(DVec3::ZERO, at))
}

/// `½ |y|²` with `S y = v`, where `S Sᵀ` is the inverse inertia. Directions in which no force
/// moves the body contribute no energy.
fn kinetic(root: &[[f64; 6]; 6], velocity: &[f64; 6]) -> f64 {
    let mut y = [0.0; 6];
    for i in 0..6 {
        if root[i][i] > 0.0 {
            let taken: f64 = (0..i).map(|k| root[i][k] * y[k]).sum();
            y[i] = (velocity[i] - taken) / root[i][i];
        }
    }
    0.5 * y.iter().map(|y| y * y).sum::<f64>()
}
