//! Which forces are unique, which are not, and whether the motion is.
//!
//! Forces in the null space of the active columns act on no body: adding them changes no
//! response. A contact whose force has no component in that null space is determinate. The legs
//! of a four-legged table are not determinate, but their sum is.
//!
//! Without friction the analysis is complete: the motion is unique, and the force of a contact
//! is unique exactly when no null vector changes it. With friction it holds for the contact
//! modes found; other modes may also have a solution, and [`Motion::Unique`] is reported only
//! with a proof that none has.

use super::Evaluation;
use super::laws::ContactState;
use super::monotone::{has_friction, has_one_motion};
use super::null_space::{NullSpace, Wrench, length};
use crate::forces::{ContactForce, Forces};
use crate::problem::{ContactProblem, Friction, Row, Tangents};
use crate::settings::{CERTIFIED, UNIQUE_PART};
use glam::DVec3;
use serde::Serialize;

/// Whether a force is the only possible one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Uniqueness {
    /// No other force fits the same contact modes.
    Unique,
    /// Other forces cause the same motion.
    NotUnique,
    /// It would need a force to leave its limit: a contact that just touches to carry load,
    /// friction just at its cone to decrease, a row to leave its bound.
    Undecided,
}

/// Whether the motion is the only possible one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// Proved: no other response satisfies the conditions.
    Unique,
    /// No other response nearby; other contact modes are not excluded.
    LocallyUnique,
    /// Sliding contacts share load in more than one way: uniqueness is not proved.
    NotShown,
}

/// What is known about contact modes other than those of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherModes {
    /// Proved: none of them has another motion.
    Excluded,
    /// Not examined: `baraff1991::diagnose` does that.
    NotExamined,
}

/// Which parts of an answer are unique.
#[derive(Clone, Debug, Serialize)]
pub struct Determinacy {
    /// One per contact, for its whole force.
    pub contacts: Vec<Uniqueness>,
    /// One per contact, for its normal force alone.
    pub normals: Vec<Uniqueness>,
    /// One per bilateral row.
    pub bilateral: Vec<Uniqueness>,
    /// One per bounded row.
    pub bounded: Vec<Uniqueness>,
    /// Dimension of the space of forces that act on no body.
    pub freedom: usize,
    /// Whether the response is unique.
    pub motion: Motion,
    /// Whether the uniqueness holds for other contact modes, too.
    pub other_modes: OtherModes,
    /// A basis of the forces that act on no body, contacts only; in large problems a few random
    /// ones.
    #[serde(skip)]
    pub directions: Vec<Vec<ContactForce>>,
}

impl Determinacy {
    /// Whether `Σ weight · normal force` is unique, one weight per contact.
    pub fn sum_is_unique(&self, weights: &[f64]) -> bool {
        let size = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
        self.directions.iter().all(|direction| {
            let square = |f: &ContactForce| {
                f.normal * f.normal + DVec3::from_array(f.friction).length_squared()
            };
            let length = direction.iter().map(square).sum::<f64>().sqrt();
            let along: f64 = direction.iter().zip(weights).map(|(f, w)| f.normal * w).sum();
            along.abs() <= UNIQUE_PART * size * length
        })
    }
}

/// The unknown that a column belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Contact(usize),
    Bilateral(usize),
    Bounded(usize),
}

struct Column {
    owner: Owner,
    /// The unit force of this column.
    force: ContactForce,
    /// Mass-scaled wrench on its bodies, before normalisation.
    wrench: Wrench,
    /// Whether the force can change in both directions; otherwise only away from its bound.
    free: bool,
}

/// Largest component of every unknown in forces that act on no body.
struct Parts {
    contacts: Vec<f64>,
    /// The same for the normal force of a contact alone.
    normals: Vec<f64>,
    bilateral: Vec<f64>,
    bounded: Vec<f64>,
}

impl Parts {
    fn new(problem: &ContactProblem, columns: &[&Column], null: &NullSpace) -> Self {
        let none = |count: usize| vec![0.0_f64; count];
        let mut parts = Parts {
            contacts: none(problem.contacts().len()),
            normals: none(problem.contacts().len()),
            bilateral: none(problem.bilateral().len()),
            bounded: none(problem.bounded().len()),
        };
        for vector in &null.vectors {
            let mut normals = none(parts.normals.len());
            for (column, x) in columns.iter().zip(vector) {
                let part = match column.owner {
                    Owner::Contact(i) => {
                        normals[i] += x * column.force.normal;
                        &mut parts.contacts[i]
                    }
                    Owner::Bilateral(i) => &mut parts.bilateral[i],
                    Owner::Bounded(i) => &mut parts.bounded[i],
                };
                *part = part.max(x.abs());
            }
            parts.normals.iter_mut().zip(normals).for_each(|(part, x)| *part = part.max(x.abs()));
        }
        parts
    }
}

/// One verdict per unknown, from the changes that are possible at all and those possible with
/// forces that can change in both directions.
fn verdicts(possible: &[f64], certain: &[f64]) -> Vec<Uniqueness> {
    let verdict = |(possible, certain): (&f64, &f64)| {
        if *possible <= UNIQUE_PART {
            Uniqueness::Unique
        } else if *certain > UNIQUE_PART {
            Uniqueness::NotUnique
        } else {
            Uniqueness::Undecided
        }
    };
    possible.iter().zip(certain).map(verdict).collect()
}

/// Which parts of an answer are unique. The forces must match the problem in number.
pub fn determinacy(problem: &ContactProblem, forces: &Forces) -> Determinacy {
    let columns = columns(problem, forces);
    let all: Vec<&Column> = columns.iter().collect();
    let free: Vec<&Column> = columns.iter().filter(|c| c.free).collect();
    let [null, certain] = [&all, &free].map(|columns| {
        let wrenches: Vec<&Wrench> = columns.iter().map(|column| &column.wrench).collect();
        NullSpace::new(&wrenches, problem.bodies().len())
    });
    let possible = Parts::new(problem, &all, &null);
    let certain = Parts::new(problem, &free, &certain);
    let contacts = verdicts(&possible.contacts, &certain.contacts);
    let direction = |vector: &Vec<f64>| {
        let mut direction = vec![ContactForce::default(); problem.contacts().len()];
        for (column, x) in all.iter().zip(vector) {
            let Owner::Contact(contact) = column.owner else {
                continue;
            };
            let amount = x / length(&column.wrench);
            let force = &mut direction[contact];
            force.normal += amount * column.force.normal;
            force.friction =
                std::array::from_fn(|k| force.friction[k] + amount * column.force.friction[k]);
        }
        direction
    };
    let motion = motion(problem, forces, &contacts);
    let proved = motion == Motion::Unique;
    Determinacy {
        motion,
        other_modes: if proved { OtherModes::Excluded } else { OtherModes::NotExamined },
        contacts,
        normals: verdicts(&possible.normals, &certain.normals),
        bilateral: verdicts(&possible.bilateral, &certain.bilateral),
        bounded: verdicts(&possible.bounded, &certain.bounded),
        freedom: null.dimension,
        directions: null.vectors.iter().map(direction).collect(),
    }
}

/// Every column that carries force, or could without changing the motion.
fn columns(problem: &ContactProblem, forces: &Forces) -> Vec<Column> {
    let Evaluation { response, states, scales, .. } = Evaluation::new(problem, forces, true);
    let body_space = BodySpace::new(problem);
    let mut columns = Vec::new();
    for (i, state) in states.iter().enumerate() {
        let pushes = state.normal_force > CERTIFIED * state.scale.force;
        if !pushes && state.normal_response > CERTIFIED * state.scale.response {
            continue;
        }
        for (force, free) in contact_columns(problem, i, state, pushes) {
            columns.push(Column {
                owner: Owner::Contact(i),
                force,
                wrench: body_space.of_contact(i, &force),
                free,
            });
        }
    }
    for (i, row) in problem.bilateral().iter().enumerate() {
        let wrench = body_space.of_row(row);
        columns.push(Column {
            owner: Owner::Bilateral(i),
            force: ContactForce::default(),
            wrench,
            free: true,
        });
    }
    for (i, bounded) in problem.bounded().iter().enumerate() {
        let wrench = body_space.of_row(&bounded.row);
        if response.bounded[i].abs() > CERTIFIED * scales.bounded[i].response {
            continue;
        }
        let margin = (forces.bounded[i] - bounded.lower).min(bounded.upper - forces.bounded[i]);
        let free = margin > CERTIFIED * scales.bounded[i].force;
        columns.push(Column {
            owner: Owner::Bounded(i),
            force: ContactForce::default(),
            wrench,
            free,
        });
    }
    columns.retain(|column| length(&column.wrench) > 0.0);
    columns
}

/// The unit forces of a contact and whether each can change in both directions: three if it
/// sticks, one if it slips.
fn contact_columns(
    problem: &ContactProblem,
    i: usize,
    state: &ContactState,
    pushes: bool,
) -> Vec<(ContactForce, bool)> {
    let contact = &problem.contacts()[i];
    let tied = |friction: DVec3| ContactForce { normal: 1.0, friction: friction.to_array() };
    match contact.friction {
        Friction::Sliding { friction, direction } => {
            return vec![(tied(-friction * DVec3::from_array(direction)), pushes)];
        }
        _ if !contact.friction.has_tangent_unknowns() => return vec![(tied(DVec3::ZERO), pushes)],
        _ => {}
    }
    let size = state.friction_force.length();
    let slips = state.slip.length() > CERTIFIED * state.scale.slip;
    if slips && pushes {
        return vec![(tied(state.friction_force / state.normal_force), true)];
    }
    let limit = contact.friction.limit() * state.normal_force;
    let inside = limit - size > CERTIFIED * state.friction_scale(contact.friction.limit());
    let tangents = contact.frame();
    let count = if matches!(contact.tangents, Tangents::Line(_)) { 1 } else { 2 };
    let mut columns = vec![(tied(DVec3::ZERO), pushes && inside)];
    columns.extend(
        tangents[..count]
            .iter()
            .map(|t| (ContactForce { normal: 0.0, friction: t.to_array() }, pushes && inside)),
    );
    columns
}

/// Wrenches on all bodies, scaled so that `wrench · wrench` is a response.
pub(super) struct BodySpace<'a> {
    problem: &'a ContactProblem,
    roots: Vec<[[f64; 6]; 6]>,
}

impl<'a> BodySpace<'a> {
    pub(super) fn new(problem: &'a ContactProblem) -> Self {
        let root = |body: &crate::problem::Body| body.inertia.root().unwrap_or_default();
        let roots = problem.bodies().iter().map(root).collect();
        BodySpace { problem, roots }
    }

    fn scatter(&self, parts: &[(usize, [f64; 6])]) -> Wrench {
        let root = |(body, on): &(usize, [f64; 6])| {
            let root = &self.roots[*body];
            (*body, std::array::from_fn(|j| (j..6).map(|i| root[i][j] * on[i]).sum::<f64>()))
        };
        parts.iter().map(root).collect()
    }

    pub(super) fn of_contact(&self, i: usize, force: &ContactForce) -> Wrench {
        let contact = &self.problem.contacts()[i];
        let push = super::total(force, DVec3::from_array(contact.normal));
        let on = |body: usize, push: DVec3| {
            let arm = DVec3::from_array(contact.point)
                - DVec3::from_array(self.problem.bodies()[body].position);
            let torque = arm.cross(push);
            (body, [push.x, push.y, push.z, torque.x, torque.y, torque.z])
        };
        let mut parts = vec![on(contact.a, push)];
        parts.extend(contact.b.map(|b| on(b, -push)));
        self.scatter(&parts)
    }

    pub(super) fn of_row(&self, row: &Row) -> Wrench {
        let mut parts = vec![(row.a, row.on_a)];
        parts.extend(row.b.map(|b| (b, row.on_b)));
        self.scatter(&parts)
    }
}

fn motion(problem: &ContactProblem, forces: &Forces, contacts: &[Uniqueness]) -> Motion {
    if has_one_motion(problem) {
        return Motion::Unique;
    }
    let reports = super::report(problem, forces);
    let settled = reports.iter().zip(contacts).zip(problem.contacts()).all(|((r, u), c)| {
        let at_limit = r.margin.is_some_and(|margin| margin < CERTIFIED);
        let ties = r.mode != super::Mode::Open && has_friction(&c.friction) && at_limit;
        !ties || *u == Uniqueness::Unique
    });
    if settled { Motion::LocallyUnique } else { Motion::NotShown }
}
