//! Resultants of interfaces and how much of them is used.

use crate::assembly::{Assembly, Interface};
use glam::DVec3;

/// The resultant of the forces of an interface on its block `a`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resultant {
    pub force: DVec3,
    /// Where it goes through the interface.
    pub point: DVec3,
}

/// The resultant of every interface; none where nothing presses.
pub(crate) fn resultants(assembly: &Assembly, forces: &[DVec3]) -> Vec<Option<Resultant>> {
    let mut rest = forces;
    let mut found = Vec::with_capacity(assembly.interfaces.len());
    for interface in &assembly.interfaces {
        let (mine, others) = rest.split_at(interface.points.len().min(rest.len()));
        rest = others;
        let normal: f64 = mine.iter().map(|force| force.dot(interface.normal)).sum();
        let pressed = mine.iter().zip(&interface.points);
        let moment: DVec3 = pressed.map(|(force, p)| *p * force.dot(interface.normal)).sum();
        found.push(
            (normal > 0.0).then(|| Resultant { force: mine.iter().sum(), point: moment / normal }),
        );
    }
    found
}

/// The largest use of the interfaces of every block; none of blocks that nothing presses.
pub(crate) fn uses(assembly: &Assembly, resultants: &[Option<Resultant>]) -> Vec<Option<f64>> {
    let weight = assembly.blocks.iter().filter(|block| !block.fixed).map(|block| block.mass);
    let least = 1e-6 * weight.fold(0.0, f64::max) * assembly.gravity.length();
    let mut found: Vec<Option<f64>> = vec![None; assembly.blocks.len()];
    for (interface, resultant) in assembly.interfaces.iter().zip(resultants) {
        let Some(resultant) = resultant.filter(|it| it.force.length() > least) else { continue };
        let used = used(interface, &resultant);
        for block in [interface.a, interface.b] {
            found[block] = Some(found[block].unwrap_or(0.0).max(used));
        }
    }
    found
}

/// Lines between the resultants of free blocks that two interfaces load.
pub(crate) fn thrust(assembly: &Assembly, resultants: &[Option<Resultant>]) -> Vec<[DVec3; 2]> {
    let mut loading: Vec<Vec<DVec3>> = vec![Vec::new(); assembly.blocks.len()];
    for (interface, resultant) in assembly.interfaces.iter().zip(resultants) {
        if let Some(resultant) = resultant {
            loading[interface.a].push(resultant.point);
            loading[interface.b].push(resultant.point);
        }
    }
    let line = |(block, points): (&crate::Block, Vec<DVec3>)| match points[..] {
        [one, other] if !block.fixed => Some([one, other]),
        _ => None,
    };
    assembly.blocks.iter().zip(loading).filter_map(line).collect()
}

/// The larger use of an interface.
pub(crate) fn used(interface: &Interface, resultant: &Resultant) -> f64 {
    friction_use(interface, resultant).max(eccentricity(interface, resultant))
}

/// `|R_t| / (μ R_n)`; 0 without friction, where there is no force to limit.
fn friction_use(interface: &Interface, resultant: &Resultant) -> f64 {
    let normal = resultant.force.dot(interface.normal);
    let along = (resultant.force - interface.normal * normal).length();
    let most = interface.friction * normal;
    if most > 0.0 { (along / most).min(1.0) } else { 0.0 }
}

/// How far the resultant is from the middle of the interface, as a fraction of the way to its edge.
fn eccentricity(interface: &Interface, resultant: &Resultant) -> f64 {
    let points = &interface.points;
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let away = resultant.point - middle;
    let Some(along) = away.try_normalize() else { return 0.0 };
    if points.len() == 2 {
        let half = 0.5 * (points[1] - points[0]).length();
        return (away.length() / half).min(1.0);
    }
    // Every side cuts the ray from the middle at some distance; the nearest cut ahead is the edge.
    let across = interface.normal.cross(along);
    let side = |k: usize| {
        let [p, q] = [points[k], points[(k + 1) % points.len()]].map(|p| p - middle);
        let [s, t] = [p.dot(across), q.dot(across)];
        let crosses = (s <= 0.0) != (t <= 0.0);
        crosses.then(|| (p + (q - p) * (s / (s - t))).dot(along)).filter(|&ahead| ahead > 0.0)
    };
    let edge = (0..points.len()).filter_map(side).fold(f64::INFINITY, f64::min);
    if edge.is_finite() { (away.length() / edge).min(1.0) } else { 0.0 }
}
