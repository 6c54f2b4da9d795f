//! Motions from rest that Coulomb's law allows: *need not stand*, and the upper end of the limit load.
//!
//! The contact solvers look for forces and accelerations together. Where rest and motion are both
//! lawful they return the motion, so that a motion they find says nothing about rest.
//!
//! Near its limit a mechanism starts at a load that follows from its contact modes alone: keep which
//! contacts part, slip (and where to) and stick, and ask for the least λ at which forces with these
//! modes balance. Between that state, which is at rest, and the motion that was found, every mixture
//! keeps the modes; so the mechanism moves at every λ in between.

use crate::program::{End, Program};
use crate::statics::Statics;
use crate::structure::{Structure, dot};
use crate::witness::{INSIDE, Prover};
use glam::DVec3;
use stiction_check::{Case, Claim, Model, Proof, moves};
use stiction_contact::judge::response;
use stiction_contact::{Body, Contact, ContactProblem, Forces, Friction, Level};
use stiction_solvers::{ContactSolver, all};

/// Solvers that look for a motion, in this order.
const SOLVERS: [&str; 4] = ["auto", "interior", "lloyd-structural", "admm"];
/// Contacts up to which each of them is tried; the first is always tried up to [`MOST_CONTACTS`].
const FEW_CONTACTS: usize = 64;
/// Contacts up to which a motion is looked for.
const MOST_CONTACTS: usize = 1500;
/// Motion relative to the fastest that counts as none when modes are read.
const NONE: f64 = 1e-5;
/// Distances above the start of a mechanism, relative to it, at which its motion is proved.
const ABOVE_START: [f64; 4] = [1e-5, 1e-4, 5e-4, 5e-3];

/// Loads at which a motion is looked for, relative to the associative limit.
const STARTS: [f64; 3] = [0.999, 1.02, 1.1];

/// Steps, relative to the lowest load at which a motion is proved, by which lower ones are tried.
const LONGEST_DESCENT: f64 = 0.02;
const SHORTEST_DESCENT: f64 = 2e-4;
/// Part of a step that is left where it led to no motion.
const SHORTER: f64 = 0.25;

/// Forces on the first block of every contact, and accelerations of every block.
pub(crate) struct Motion {
    pub forces: Vec<[f64; 3]>,
    pub accelerations: Vec<[f64; 6]>,
}

impl Statics {
    /// A motion from rest under the load of a case.
    pub fn moves(&self, case: &Case) -> Option<Claim> {
        self.motions(case).find_map(|motion| self.moving_claim(case, motion))
    }

    pub(crate) fn moving_claim(&self, case: &Case, motion: Motion) -> Option<Claim> {
        let Motion { forces, accelerations } = motion;
        moves(&self.model, case, &forces, &accelerations).ok()?;
        Some(Claim { case: case.clone(), proof: Proof::Moves { forces, accelerations } })
    }

    /// What the solvers find.
    pub(crate) fn motions(&self, case: &Case) -> impl Iterator<Item = Motion> {
        let contacts = self.model.contacts.len();
        let problem =
            (contacts <= MOST_CONTACTS).then(|| Problem::new(&self.model, case)).flatten();
        let count = if contacts <= FEW_CONTACTS { SOLVERS.len() } else { 1 };
        let found = move |name: &&str| {
            let problem = problem.as_ref()?;
            let mut solver = all::by_name(name)?;
            problem.motion(&self.model, case, solver.as_mut())
        };
        SOLVERS[..count].iter().filter_map(found)
    }

    /// The modes of a motion at λ₁ kept, the λ at which it starts, and the motion just above.
    pub(crate) fn start_of(
        &self,
        case: &dyn Fn(f64) -> Case,
        from: f64,
        motion: &Motion,
    ) -> Option<(f64, Claim)> {
        let modes = Modes::new(self, motion)?;
        let weight = modes.structure.load(&self.model, &case(0.0));
        let one = modes.structure.load(&self.model, &case(1.0));
        let against: Vec<_> = one
            .iter()
            .zip(&weight)
            .map(|(one, weight)| std::array::from_fn(|k| weight[k] - one[k]))
            .collect();
        let program = Program::carry_most(&modes.structure, &weight, vec![against], &[1.0]);
        let solution = program.solve().filter(|solution| solution.end == End::Solved)?;
        let start = -solution.loads[0];
        let rest = modes.forces(self, &solution.forces);
        ABOVE_START.iter().find_map(|above| {
            let load = start + above * start.abs();
            let part = (load - start) / (from - start);
            if !(part > 0.0 && part <= 1.0) {
                return None;
            }
            let mixed = motion.mixed(&rest, part);
            let case = case(load);
            let forces = modes.balanced(self, &case, &mixed)?;
            Some((load, self.moving_claim(&case, Motion { forces, ..mixed })?))
        })
    }

    /// The case with the inertial forces of accelerations as loads.
    fn with_inertia(&self, case: &Case, accelerations: &[[f64; 6]]) -> Case {
        let mut moving = case.clone();
        for (k, (block, a)) in self.model.blocks.iter().zip(accelerations).enumerate() {
            if block.fixed {
                continue;
            }
            let inertia = glam::DMat3::from_cols_array_2d(&block.inertia.unwrap_or_default());
            let torque = inertia * DVec3::new(a[3], a[4], a[5]);
            let force = DVec3::new(a[0], a[1], a[2]) * block.mass;
            moving.wrenches.push((k, crate::structure::six(-force, -torque)));
        }
        moving
    }
}

impl Motion {
    /// This motion by one part, rest by the other.
    fn mixed(&self, rest: &[DVec3], part: f64) -> Motion {
        let forces = self.forces.iter().zip(rest);
        let force = |(f, rest): (&[f64; 3], &DVec3)| {
            (DVec3::from(*f) * part + *rest * (1.0 - part)).to_array()
        };
        Motion {
            forces: forces.map(force).collect(),
            accelerations: self.accelerations.iter().map(|a| a.map(|a| a * part)).collect(),
        }
    }
}

/// A case as the problem that the contact solvers take.
struct Problem {
    problem: ContactProblem,
    /// Number of each block among the free ones.
    number: Vec<Option<usize>>,
}

impl Problem {
    fn new(model: &Model, case: &Case) -> Option<Self> {
        let mut number = vec![None; model.blocks.len()];
        let mut bodies = Vec::new();
        let field = DVec3::from(model.gravity) * case.weight + DVec3::from(case.acceleration);
        for (k, block) in model.blocks.iter().enumerate().filter(|(_, block)| !block.fixed) {
            let inertia = glam::DMat3::from_cols_array_2d(&block.inertia?);
            let live = model.live.get(k).copied().unwrap_or_default().map(|x| x * case.live);
            let more = case.wrenches.iter().filter(|(b, _)| *b == k).map(|(_, w)| *w);
            let wrench = more.fold(live, |sum, w| std::array::from_fn(|i| sum[i] + w[i]));
            let linear = field + DVec3::new(wrench[0], wrench[1], wrench[2]) / block.mass;
            let spin = inertia.inverse() * DVec3::new(wrench[3], wrench[4], wrench[5]);
            let body = Body::rigid(block.mass, inertia.to_cols_array_2d(), block.centre);
            number[k] = Some(bodies.len());
            bodies.push(body.with_free_response(crate::structure::six(linear, spin)));
        }
        let contact = |contact: &stiction_check::Contact| {
            let normal = normal_of(contact);
            let friction = match contact.friction * case.friction {
                mu if mu > 0.0 => Friction::Static { friction: mu },
                _ => Friction::Frictionless,
            };
            let (a, b) = (number[contact.a], number[contact.b]);
            Some(match a {
                Some(a) => Contact::new(a, b, contact.point, normal.to_array(), friction),
                None => Contact::new(b?, None, contact.point, (-normal).to_array(), friction),
            })
        };
        let contacts = model.contacts.iter().map(contact).collect::<Option<Vec<_>>>()?;
        let problem =
            ContactProblem::new(Level::Acceleration, bodies, contacts, vec![], vec![]).ok()?;
        Some(Problem { problem, number })
    }

    /// What a solver finds, whether it moves or not.
    fn motion(&self, model: &Model, case: &Case, solver: &mut dyn ContactSolver) -> Option<Motion> {
        let answer = solver.solve(&self.problem).ok()?;
        if !answer.is_certified() || answer.is_impulse() {
            return None;
        }
        let force = |(k, contact): (usize, &stiction_check::Contact)| {
            let given = &self.problem.contacts()[k];
            let found = &answer.forces.contacts[k];
            let force = DVec3::from(given.normal) * found.normal + DVec3::from(found.friction);
            let sign = if self.number[contact.a].is_some() { 1.0 } else { -1.0 };
            let mut force = force * sign;
            crate::witness::confine(
                &mut force,
                normal_of(contact),
                contact.friction * case.friction,
            );
            force
        };
        let forces: Vec<DVec3> = model.contacts.iter().enumerate().map(force).collect();
        // The response to the forces as they are given, so that both belong together.
        let given = |(k, force): (usize, &DVec3)| {
            let contact = &self.problem.contacts()[k];
            let sign = if self.number[model.contacts[k].a].is_some() { 1.0 } else { -1.0 };
            let force = *force * sign;
            let normal = DVec3::from(contact.normal);
            let along = force.dot(normal);
            stiction_contact::ContactForce {
                normal: along,
                friction: (force - normal * along).to_array(),
            }
        };
        let exact =
            Forces { contacts: forces.iter().enumerate().map(given).collect(), ..answer.forces };
        let response = response(&self.problem, &exact);
        let acceleration = |number: &Option<usize>| number.map_or([0.0; 6], |k| response.bodies[k]);
        Some(Motion {
            forces: forces.iter().map(glam::DVec3::to_array).collect(),
            accelerations: self.number.iter().map(acceleration).collect(),
        })
    }
}

fn normal_of(contact: &stiction_check::Contact) -> DVec3 {
    DVec3::from(contact.normal).normalize()
}

/// The contacts of a motion that are closed, as a structure whose forces keep its modes: a contact
/// that slips holds a force along one generator of its cone.
struct Modes {
    structure: Structure,
    /// The contact of the model that each one is.
    closed: Vec<usize>,
}

impl Modes {
    fn new(statics: &Statics, motion: &Motion) -> Option<Self> {
        let mut structure = statics.structure.clone();
        let prover = Prover::new(&statics.model, &statics.structure);
        let slips = prover.accelerations(&motion.accelerations);
        let fastest = slips.iter().fold(0.0_f64, |most, u| most.max(u.length()));
        if fastest == 0.0 {
            return None;
        }
        let mut closed = Vec::new();
        let mut contacts = Vec::new();
        for (k, (contact, u)) in structure.contacts.iter().zip(&slips).enumerate() {
            let normal = contact.axes[0];
            let along = u.dot(normal);
            if along > NONE * fastest {
                continue;
            }
            let mut contact = contact.clone();
            let slip = *u - normal * along;
            if slip.length() > NONE * fastest {
                contact.axes[0] = normal - slip.normalize() * (contact.friction * (1.0 - INSIDE));
                contact.friction = 0.0;
            }
            closed.push(k);
            contacts.push(contact);
        }
        structure.contacts = contacts;
        structure.connect();
        Some(Modes { structure, closed })
    }

    /// Forces near those of a motion that keep the modes and balance exactly.
    fn balanced(&self, statics: &Statics, case: &Case, motion: &Motion) -> Option<Vec<[f64; 3]>> {
        let contacts = self.closed.iter().map(|&k| statics.model.contacts[k].clone()).collect();
        let model = Model { contacts, ..statics.model.clone() };
        let prover = Prover::new(&model, &self.structure);
        let scaled = |&k: &usize| DVec3::from(motion.forces[k]) / self.structure.force;
        let forces: Vec<DVec3> = self.closed.iter().map(scaled).collect();
        let moving = statics.with_inertia(case, &motion.accelerations);
        let balanced = prover.balanced(&moving, &forces)?;
        let mut all = vec![[0.0; 3]; statics.model.contacts.len()];
        self.closed.iter().zip(balanced).for_each(|(&k, force)| all[k] = force);
        Some(all)
    }

    /// Forces of the modes as forces of all contacts (N).
    fn forces(&self, statics: &Statics, forces: &[DVec3]) -> Vec<DVec3> {
        let mut all = vec![DVec3::ZERO; statics.model.contacts.len()];
        for (&k, force) in self.closed.iter().zip(forces) {
            all[k] = *force * self.structure.force;
        }
        all
    }
}

impl Statics {
    /// The interval of the load factor up to which it must stand and from which it may move.
    ///
    /// Below the lower end normal forces alone carry the load, so that nothing can move. At the
    /// upper end a motion is proved. The associative limit of [`Statics::load_factor`] lies above
    /// both: forces may exist where it can move all the same.
    pub fn limit_load(&self) -> crate::margin::Margin {
        let live = |live: f64| Case { live, ..Case::default() };
        let mut margin = crate::margin::Margin::open("limit load");
        self.must_stand_up_to(&mut margin);
        let factor = self.load_factor();
        let Some(associative) = factor.at_most.filter(|factor| *factor > 0.0) else {
            return margin;
        };
        for start in STARTS {
            self.moves_from(&live, start * associative, &mut margin);
        }
        let mut step = LONGEST_DESCENT;
        while let Some(best) = margin.at_most
            && step > SHORTEST_DESCENT
        {
            if !self.moves_from(&live, best * (1.0 - step), &mut margin) {
                step *= SHORTER;
            }
        }
        margin
    }

    /// Lowers the load from which it may move by the motions found at one load: to where their mechanism
    /// starts, else to that load. Whether it was lowered.
    fn moves_from(
        &self,
        case: &dyn Fn(f64) -> Case,
        from: f64,
        margin: &mut crate::margin::Margin,
    ) -> bool {
        let before = margin.at_most;
        for motion in self.motions(&case(from)) {
            let start = self.start_of(case, from, &motion);
            let itself = || Some((from, self.moving_claim(&case(from), motion)?));
            let Some((load, claim)) = start.or_else(itself) else { continue };
            if margin.at_most.is_none_or(|best| load < best) {
                margin.at_most = Some(load);
                margin.claims[1] = Some(claim);
            }
        }
        margin.at_most != before
    }

    /// The largest load factor that normal forces alone carry.
    fn must_stand_up_to(&self, margin: &mut crate::margin::Margin) {
        let structure = self.structure.with_friction(0.0);
        let case = |live: f64| Case { live, ..Case::default() };
        let weight = structure.load(&self.model, &case(0.0));
        let alone = structure.load(&self.model, &Case { weight: 0.0, ..case(1.0) });
        if dot(&alone, &alone) == 0.0 {
            return;
        }
        let program = Program::carry_most(&structure, &weight, vec![alone], &[1.0]);
        let Some(solution) = program.solve().filter(|solution| solution.end == End::Solved) else {
            return;
        };
        let prover = Prover::new(&self.model, &structure);
        for distance in [0.0, 1e-12, 1e-10, 1e-8] {
            let case = case((solution.loads[0] - distance).max(0.0));
            let forces = prover.carried(&case, &solution.forces);
            if let Some(normal) = forces.and_then(|forces| prover.without_friction(&case, &forces))
            {
                margin.at_least = Some(case.live);
                margin.claims[0] = Some(Claim { case, proof: Proof::MustStand { normal } });
                return;
            }
        }
    }
}
