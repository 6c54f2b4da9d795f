//! Small mutations of right answers, which the judge must reject.

use super::draw::Draw;
use stiction_solvers::{ContactProblem, Forces};

/// The mutations.
pub const MUTATIONS: [&str; 9] =
    ["nudge", "turn", "swap", "drop", "negate", "scale", "row", "add", "shift"];

/// A relative change of a force, or an angle (rad): any size from 1e-6 to 0.3.
pub fn size(draw: &mut Draw) -> f64 {
    draw.sign() * draw.decades(-6.0, -0.5)
}

/// A random mutation of the forces, and its name; none if there is nothing to change.
pub fn mutate(
    draw: &mut Draw,
    problem: &ContactProblem,
    forces: &Forces,
) -> Option<(&'static str, Forces)> {
    let how = draw.pick(&MUTATIONS);
    let size = size(draw);
    let mut mutated = forces.clone();
    let pushing: Vec<usize> = (0..forces.contacts.len())
        .filter(|&i| forces.contacts[i].normal != 0.0 || forces.contacts[i].friction != [0.0; 3])
        .collect();
    if how == "row" {
        let rows = mutated.bilateral.len() + mutated.bounded.len();
        let k = draw.count(0, rows.checked_sub(1)?);
        let row = mutated.bilateral.iter_mut().chain(&mut mutated.bounded).nth(k)?;
        *row *= 1.0 + size;
        return Some((how, mutated));
    }
    if how == "add" {
        let largest = forces.contacts.iter().fold(0.0_f64, |m, f| m.max(f.normal.abs()));
        let i = draw.count(0, forces.contacts.len().checked_sub(1)?);
        mutated.contacts[i].normal += size.abs() * if largest > 0.0 { largest } else { 1.0 };
        return Some((how, mutated));
    }
    let i = pushing.get(draw.count(0, pushing.len().checked_sub(1)?)).copied()?;
    let force = &mut mutated.contacts[i];
    match how {
        "nudge" => force.normal *= 1.0 + size,
        "turn" => {
            let normal = problem.contacts()[i].normal;
            let across = super::draw::cross(normal, force.friction);
            let (sin, cos) = size.sin_cos();
            force.friction = std::array::from_fn(|k| cos * force.friction[k] + sin * across[k]);
        }
        "swap" => {
            let j = draw.count(0, forces.contacts.len() - 1);
            mutated.contacts.swap(i, j);
        }
        "shift" => {
            let part = size.abs() * force.normal;
            force.normal -= part;
            let j = draw.count(0, forces.contacts.len() - 1);
            mutated.contacts[j].normal += part;
        }
        "drop" => *force = stiction_solvers::ContactForce::default(),
        "negate" => {
            force.normal = -force.normal;
            force.friction = force.friction.map(|x| -x);
        }
        _ => {
            for force in &mut mutated.contacts {
                force.normal *= 1.0 + size;
                force.friction = force.friction.map(|x| x * (1.0 + size));
            }
            let rows = mutated.bilateral.iter_mut().chain(&mut mutated.bounded);
            rows.for_each(|force| *force *= 1.0 + size);
        }
    }
    Some((how, mutated))
}
