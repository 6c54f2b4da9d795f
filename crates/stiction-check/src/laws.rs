//! The laws: balance, friction cones, dual cones, Coulomb's law from rest.
//!
//! Normals need not have unit length: every cone is checked as a polynomial inequality,
//! `(f·n)² (1 + μ²) ≥ μ² |f|² |n|²` with `f·n ≥ 0` instead of `|f_t| ≤ μ f_n`.

use crate::model::{Case, Contact, Model};
use stiction_contact::double::{Dd, Dd3, add, cross, dot, sub, wide};

/// Imbalance of a block relative to its own load. Far below what any model knows of its loads;
/// far above the rounding of forces that are written with 17 digits.
pub const BALANCE: f64 = 1e-12;
/// Imbalance of a block relative to the sum of the forces on it: the rounding of many numbers.
pub const ROUNDING: f64 = 4e-15;
/// Square of the angle by which rounding turns a force that is written with 17 digits: without
/// friction, forces are along the normal to 1e-15.
const DIRECTION: f64 = 1e-30;
/// Least acceleration, relative to gravity, that counts as a motion.
pub const MOVING: f64 = 1e-6;
/// Precision of Coulomb's law for motions, relative to the largest acceleration and to the mean weight.
const COULOMB: f64 = 1e-8;

/// Why a witness proves nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum Broken {
    /// Not as many entries as contacts or blocks, or a number that is not finite.
    #[error("the witness has {given} {what}, the model {expected}")]
    Size { what: &'static str, given: usize, expected: usize },
    /// A number that is not finite.
    #[error("a number of the witness is not finite")]
    NotFinite,
    /// A force outside its friction cone.
    #[error(
        "contact {contact}: the force is outside the friction cone ({normal:.6e} N normal, {friction:.6e} N tangential, coefficient {coefficient})"
    )]
    Cone { contact: usize, normal: f64, friction: f64, coefficient: f64 },
    /// Forces and load do not balance.
    #[error(
        "block {block}: forces and load leave {left:.3e} of the load unbalanced (at most {BALANCE:e})"
    )]
    Balance { block: usize, left: f64 },
    /// A contact at which the motion breaks `u_n ≥ μ |u_t|`.
    #[error(
        "contact {contact}: the motion approaches by {approach:.3e} of its largest velocity more than a proof allows"
    )]
    Motion { contact: usize, approach: f64 },
    /// The load has no positive power on the motion.
    #[error("the load has no positive power on the motion ({power:.3e} W)")]
    Power { power: f64 },
    /// Coulomb's law does not hold.
    #[error("contact {contact}: {law}")]
    Coulomb { contact: usize, law: &'static str },
    /// Nothing moves.
    #[error("the largest acceleration is {acceleration:.3e} of gravity, too small for a motion")]
    Rests { acceleration: f64 },
    /// A moving block without inertia.
    #[error("block {block} has no inertia in the model")]
    Inertia { block: usize },
}

/// What a balance leaves over.
#[derive(Clone, Debug, Default)]
pub struct Residue {
    /// Force and torque about the centre that are left on each block; zero on fixed ones.
    pub left: Vec<[f64; 6]>,
    /// The largest, relative to the load of its block.
    pub relative: f64,
    /// Where.
    pub worst: usize,
}

/// The load of a block: force, and torque about its centre.
fn load(model: &Model, case: &Case, block: usize) -> (Dd3, Dd3) {
    let mass = model.blocks[block].mass;
    let weight = model.gravity.map(|g| Dd::product(g, case.weight));
    let field = add(weight, wide(case.acceleration));
    let mut sum = (field.map(|g| g * mass), wide([0.0; 3]));
    let mut more = |wrench: &[f64; 6], factor: f64| {
        for k in 0..3 {
            sum.0[k] = sum.0[k] + Dd::product(wrench[k], factor);
            sum.1[k] = sum.1[k] + Dd::product(wrench[3 + k], factor);
        }
    };
    if let Some(live) = model.live.get(block) {
        more(live, case.live);
    }
    case.wrenches.iter().filter(|(b, _)| *b == block).for_each(|(_, wrench)| more(wrench, 1.0));
    sum
}

fn check_numbers(
    given: usize,
    expected: usize,
    what: &'static str,
    mut all: impl Iterator<Item = f64>,
) -> Result<(), Broken> {
    if given != expected {
        return Err(Broken::Size { what, given, expected });
    }
    if all.all(f64::is_finite) { Ok(()) } else { Err(Broken::NotFinite) }
}

fn length(v: &[f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// The force and torque that the load, the forces and `−M a` leave over on every block.
///
/// # Errors
///
/// A wrong number of forces, or one that is not finite.
pub fn imbalance(model: &Model, case: &Case, forces: &[[f64; 3]]) -> Result<Residue, Broken> {
    check_numbers(forces.len(), model.contacts.len(), "forces", forces.iter().flatten().copied())?;
    let mut sums: Vec<(Dd3, Dd3)> = (0..model.blocks.len()).map(|k| load(model, case, k)).collect();
    let mut scales: Vec<[f64; 3]> = sums
        .iter()
        .zip(&model.blocks)
        .map(|(sum, block)| {
            let field =
                (length(&model.gravity) * case.weight).max(length(&case.acceleration)) * block.mass;
            [field.max(length(&sum.0.map(Dd::value))), length(&sum.1.map(Dd::value)), 0.0]
        })
        .collect();
    let mut reach = vec![0.0_f64; model.blocks.len()];
    for (contact, force) in model.contacts.iter().zip(forces) {
        let force_dd = wide(*force);
        for (block, sign) in [(contact.a, 1.0), (contact.b, -1.0)] {
            let arm = sub(wide(contact.point), wide(model.blocks[block].centre));
            let signed = force_dd.map(|f| f * sign);
            sums[block].0 = add(sums[block].0, signed);
            sums[block].1 = add(sums[block].1, cross(arm, signed));
            reach[block] = reach[block].max(length(&arm.map(Dd::value)));
            scales[block][2] += length(force);
        }
    }
    let mut residue = Residue { left: vec![[0.0; 6]; sums.len()], ..Residue::default() };
    for (k, _) in model.blocks.iter().enumerate().filter(|(_, block)| !block.fixed) {
        let (force, torque) = (sums[k].0.map(Dd::value), sums[k].1.map(Dd::value));
        residue.left[k] = [force[0], force[1], force[2], torque[0], torque[1], torque[2]];
        let rounding = ROUNDING / BALANCE * scales[k][2];
        let allowed = scales[k][0] + rounding;
        let allowed_torque = scales[k][1] + (scales[k][0] + rounding) * reach[k];
        let relative = ratio(length(&force), allowed).max(ratio(length(&torque), allowed_torque));
        if relative > residue.relative {
            (residue.relative, residue.worst) = (relative, k);
        }
    }
    Ok(residue)
}

fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}

/// `x·n ≥ 0` and `(x·n)² (1 + μ²) ≥ |x|² |n|²` for forces, `≥ μ² |x|² |n|²` for motions.
fn in_cone(x: &Dd3, normal: [f64; 3], friction: f64, dual: bool) -> bool {
    let n = wide(normal);
    let along = dot(x, &n);
    let mu2 = Dd::product(friction, friction);
    let square = along * along * (mu2 + Dd::from(1.0));
    let across = dot(x, x) * dot(&n, &n);
    let bound = if dual { across * mu2 } else { across * (Dd::from(1.0) - Dd::from(DIRECTION)) };
    along.value() >= 0.0 && (square - bound).value() >= 0.0
}

/// Whether forces carry the load of a case within the friction cones.
///
/// # Errors
///
/// The first force outside its cone, or the block with the largest imbalance.
pub fn carries(model: &Model, case: &Case, forces: &[[f64; 3]]) -> Result<Residue, Broken> {
    let residue = imbalance(model, case, forces)?;
    for (contact, force) in forces.iter().enumerate() {
        let Contact { normal, friction, .. } = model.contacts[contact];
        let coefficient = friction * case.friction;
        if !in_cone(&wide(*force), normal, coefficient, false) {
            let along = dot(&wide(*force), &wide(normal)).value() / length(&normal);
            let across = (length(force).powi(2) - along * along).max(0.0).sqrt();
            return Err(Broken::Cone { contact, normal: along, friction: across, coefficient });
        }
    }
    if residue.relative > BALANCE {
        return Err(Broken::Balance { block: residue.worst, left: residue.relative });
    }
    Ok(residue)
}

/// Whether normal forces alone carry the load of a case. Each number multiplies the normal as given.
///
/// # Errors
///
/// As [`carries`].
pub fn without_friction(model: &Model, case: &Case, normal: &[f64]) -> Result<Residue, Broken> {
    check_numbers(normal.len(), model.contacts.len(), "normal forces", normal.iter().copied())?;
    let forces: Vec<[f64; 3]> = normal
        .iter()
        .zip(&model.contacts)
        .map(|(f, contact)| contact.normal.map(|n| n * f))
        .collect();
    if let Some(contact) = normal.iter().position(|f| *f < 0.0) {
        return Err(Broken::Cone {
            contact,
            normal: normal[contact],
            friction: 0.0,
            coefficient: 0.0,
        });
    }
    let residue = imbalance(model, case, &forces)?;
    if residue.relative > BALANCE {
        return Err(Broken::Balance { block: residue.worst, left: residue.relative });
    }
    Ok(residue)
}

/// The velocity at a point of a block that moves as `[velocity at the origin, spin]`.
fn velocity(motion: &[f64; 6], arm: &Dd3) -> Dd3 {
    let [x, y, z, a, b, c] = *motion;
    add(wide([x, y, z]), cross(wide([a, b, c]), *arm))
}

fn motion_at(
    model: &Model,
    motion: &[[f64; 6]],
    origin: [f64; 3],
    block: usize,
    point: [f64; 3],
) -> Dd3 {
    if model.blocks[block].fixed {
        return wide([0.0; 3]);
    }
    velocity(&motion[block], &sub(wide(point), wide(origin)))
}

/// The power of the load of a case on a motion (W).
pub fn power(model: &Model, case: &Case, origin: [f64; 3], motion: &[[f64; 6]]) -> f64 {
    let mut sum = Dd::default();
    for (k, block) in model.blocks.iter().enumerate().filter(|(_, block)| !block.fixed) {
        let (force, torque) = load(model, case, k);
        let [.., a, b, c] = motion[k];
        let velocity = motion_at(model, motion, origin, k, block.centre);
        sum = sum + dot(&force, &velocity) + dot(&torque, &wide([a, b, c]));
    }
    sum.value()
}

/// Whether a motion proves that no forces carry the load of a case. The motion has, for every block, the
/// velocity of the point that is at `origin` and the spin; those of fixed blocks are ignored.
///
/// # Errors
///
/// The first contact at which `u_n ≥ μ |u_t|` does not hold, or a power that is not positive.
pub fn proves_not_carried(
    model: &Model,
    case: &Case,
    origin: [f64; 3],
    motion: &[[f64; 6]],
) -> Result<f64, Broken> {
    check_numbers(
        motion.len(),
        model.blocks.len(),
        "velocities",
        motion.iter().flatten().copied(),
    )?;
    let slip = |contact: &Contact| {
        let of = |block| motion_at(model, motion, origin, block, contact.point);
        sub(of(contact.a), of(contact.b))
    };
    for (contact, at) in model.contacts.iter().enumerate() {
        let u = slip(at);
        if !in_cone(&u, at.normal, at.friction * case.friction, true) {
            let fastest =
                model.contacts.iter().map(|c| length(&slip(c).map(Dd::value))).fold(0.0, f64::max);
            let along = dot(&u, &wide(at.normal)).value() / length(&at.normal);
            let across = (length(&u.map(Dd::value)).powi(2) - along * along).max(0.0).sqrt();
            let approach = (at.friction * case.friction * across - along) / fastest;
            return Err(Broken::Motion { contact, approach });
        }
    }
    let power = power(model, case, origin, motion);
    if power > 0.0 { Ok(power) } else { Err(Broken::Power { power }) }
}

/// Whether forces and accelerations from rest obey Newton's and Coulomb's laws, and something moves. The
/// accelerations are of the centres of mass, with angular accelerations.
///
/// # Errors
///
/// The first law that does not hold.
pub fn moves(
    model: &Model,
    case: &Case,
    forces: &[[f64; 3]],
    accelerations: &[[f64; 6]],
) -> Result<f64, Broken> {
    let blocks = model.blocks.len();
    check_numbers(
        accelerations.len(),
        blocks,
        "accelerations",
        accelerations.iter().flatten().copied(),
    )?;
    let inertial = inertial(model, accelerations)?;
    let moving =
        Case { wrenches: case.wrenches.iter().copied().chain(inertial).collect(), ..case.clone() };
    carries(model, &moving, forces)?;
    let gravity = length(&model.gravity).max(length(&case.acceleration));
    let free = model.blocks.iter().filter(|block| !block.fixed);
    let weight =
        free.clone().map(|block| block.mass * gravity).sum::<f64>() / free.count().max(1) as f64;
    let at = |block: usize, point: [f64; 3]| {
        if model.blocks[block].fixed {
            return wide([0.0; 3]);
        }
        velocity(&accelerations[block], &sub(wide(point), wide(model.blocks[block].centre)))
    };
    let relative: Vec<[f64; 3]> = model
        .contacts
        .iter()
        .map(|c| sub(at(c.a, c.point), at(c.b, c.point)).map(Dd::value))
        .collect();
    let of_blocks = accelerations.iter().zip(&model.blocks).filter(|(_, block)| !block.fixed);
    let of_blocks = of_blocks.map(|(a, _)| length(&[a[0], a[1], a[2]]));
    let fastest = relative.iter().map(length).chain(of_blocks).fold(0.0, f64::max);
    if fastest <= MOVING * gravity {
        return Err(Broken::Rests { acceleration: fastest / gravity });
    }
    for (contact, (u, f)) in relative.iter().zip(forces).enumerate() {
        let broken = coulomb(
            &model.contacts[contact],
            case.friction,
            u,
            f,
            fastest * COULOMB,
            weight * COULOMB,
        );
        broken.map_or(Ok(()), |law| Err(Broken::Coulomb { contact, law }))?;
    }
    Ok(fastest / gravity)
}

/// `−M a` of every free block, as a load.
fn inertial(model: &Model, accelerations: &[[f64; 6]]) -> Result<Vec<(usize, [f64; 6])>, Broken> {
    let mut wrenches = Vec::new();
    for (block, a) in accelerations.iter().enumerate().filter(|(k, _)| !model.blocks[*k].fixed) {
        let mass = model.blocks[block].mass;
        let mut wrench = [-mass * a[0], -mass * a[1], -mass * a[2], 0.0, 0.0, 0.0];
        if a[3..] != [0.0; 3] {
            let inertia = model.blocks[block].inertia.ok_or(Broken::Inertia { block })?;
            (0..3).for_each(|r| {
                wrench[3 + r] = -(0..3).map(|c| inertia[r][c] * a[3 + c]).sum::<f64>();
            });
        }
        wrenches.push((block, wrench));
    }
    Ok(wrenches)
}

/// The part of Coulomb's law that does not hold at a contact, if one does not.
fn coulomb(
    contact: &Contact,
    factor: f64,
    u: &[f64; 3],
    f: &[f64; 3],
    none: f64,
    small: f64,
) -> Option<&'static str> {
    let size = length(&contact.normal);
    let n = contact.normal.map(|n| n / size);
    let along = |v: &[f64; 3]| v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
    let across = |v: &[f64; 3]| {
        let normal = along(v);
        [v[0] - normal * n[0], v[1] - normal * n[1], v[2] - normal * n[2]]
    };
    if along(u) < -none {
        return Some("the blocks accelerate into each other");
    }
    if length(f) <= small {
        return None;
    }
    if along(u) > none {
        return Some("a force acts where the blocks part");
    }
    let slip = across(u);
    let speed = length(&slip);
    let limit = contact.friction * factor * along(f);
    let friction = across(f);
    let rest = [0, 1, 2].map(|k| friction[k] + limit * slip[k] / speed);
    (speed > none && length(&rest) > small)
        .then_some("friction is not at its limit against the slip")
}
