//! What forces break, law by law.
//!
//! ```text
//!   balance   mass × acceleration that the forces leave a body; less what the engine states
//!   cone      |f_t| − μ f_n
//!   gap       f_n × gap, zero by the law
//!   slip      friction of a contact that slips is μ f_n against the slip
//! ```

use super::read::{Body, Given};
use glam::{DMat3, DVec3};
use serde::Serialize;
use stiction_solvers::judge;

/// Contacts with less than this part of the largest normal force do not count for the use of friction.
const FAINT: f64 = 1e-3;
/// Slower slip (m/s) says nothing of the direction of friction.
const SLOW: f64 = 1e-6;
/// Less normal force (mean weights) says nothing of the direction of friction.
const LIGHT: f64 = 1e-6;
/// How far friction of a contact that slips may be from the edge of its cone (relative).
const OFF_CONE: f64 = 1e-2;
/// Friction this little beyond its cone (relative) is rounding.
const ROUNDING: f64 = 1e-9;

/// Forces, judged.
#[derive(Serialize)]
pub struct Audit {
    pub certified: bool,
    /// What forces are compared with: the mean weight of the bodies (N).
    pub weight: f64,
    pub figures: Figures,
    /// What is left of the balance of every body at rest: force (N) and torque (N m).
    pub balance: Vec<[f64; 6]>,
    /// The same with the accelerations that the engine states.
    pub balance_moving: Option<Vec<[f64; 6]>>,
    pub normal: Vec<f64>,
    /// Size of friction (N).
    pub friction: Vec<f64>,
    /// Part of the cone; none without normal force or friction.
    pub friction_use: Vec<Option<f64>>,
    /// (m)
    pub gap: Option<Vec<f64>>,
    /// Slip speed (m/s).
    pub slip: Option<Vec<f64>>,
}

/// The worst of everything. Forces in mean weights, torques in mean weights times 1 m.
#[derive(Default, Serialize)]
pub struct Figures {
    pub residual: f64,
    imbalance_force: f64,
    imbalance_torque: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    imbalance_force_moving: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imbalance_torque_moving: Option<f64>,
    cone_violation: f64,
    tension: f64,
    friction_use: f64,
    contacts_beyond_the_cone: usize,
    largest_normal_force: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    penetration: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    normal_force_times_gap: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creep: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slipping_contacts_off_the_cone: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    friction_power: Option<f64>,
}

impl Figures {
    /// What is known, with its name, but for the residual.
    pub fn named(&self) -> Vec<(String, f64)> {
        let value = serde_json::to_value(self).unwrap_or_default();
        let number = |(name, value): (&String, &serde_json::Value)| {
            (name != "residual").then(|| Some((name.replace('_', " "), value.as_f64()?)))?
        };
        value.as_object().into_iter().flatten().filter_map(number).collect()
    }
}

impl Audit {
    pub fn new(given: &Given) -> Self {
        let (problem, forces) = (&given.problem, &given.forces);
        let certificate = judge::judge(problem, forces);
        let response = judge::response(problem, forces);
        let pairs = || given.bodies.iter().zip(&response.bodies);
        let balance: Vec<[f64; 6]> = pairs().map(|(body, moves)| inertial(body, moves)).collect();
        let normal: Vec<f64> = forces.contacts.iter().map(|force| force.normal).collect();
        let friction = forces.contacts.iter().map(|it| DVec3::from(it.friction).length());
        let limits = given.contacts.iter().zip(&normal).map(|(contact, f)| contact.mu * f);
        let limits: Vec<f64> = limits.collect();
        let mut audit = Audit {
            certified: certificate.is_certified(),
            weight: mean_weight(&given.bodies),
            figures: Figures { residual: certificate.residual(), ..Figures::default() },
            balance_moving: moving(given, &balance),
            balance,
            friction: friction.collect(),
            friction_use: Vec::new(),
            gap: given.contacts.iter().map(|contact| contact.gap).collect(),
            slip: None,
            normal,
        };
        let part = |(size, limit): (&f64, &f64)| (*limit > 0.0).then(|| size / limit);
        audit.friction_use = audit.friction.iter().zip(&limits).map(part).collect();
        audit.measure(&limits);
        audit.measure_slip(given, &limits);
        audit
    }

    /// The unit of forces (N).
    pub fn unit(&self) -> f64 {
        if self.weight > 0.0 { self.weight } else { 1.0 }
    }

    fn measure(&mut self, limits: &[f64]) {
        let unit = self.unit();
        let largest = self.normal.iter().copied().fold(0.0, f64::max);
        let counts = |k: &usize| self.normal[*k] > FAINT * largest;
        let excess = |k: usize| self.friction[k] - limits[k];
        let all = 0..self.normal.len();
        let counted: Vec<usize> = all.clone().filter(counts).collect();
        let beyond = |k: &&usize| excess(**k) > ROUNDING * limits[**k];
        let used = counted.iter().filter_map(|&k| self.friction_use[k]);
        let moving = self.balance_moving.as_ref();
        self.figures = Figures {
            imbalance_force: worst(&self.balance, 0..3) / unit,
            imbalance_torque: worst(&self.balance, 3..6) / unit,
            imbalance_force_moving: moving.map(|rows| worst(rows, 0..3) / unit),
            imbalance_torque_moving: moving.map(|rows| worst(rows, 3..6) / unit),
            cone_violation: all.map(excess).fold(0.0, f64::max) / unit,
            tension: self.normal.iter().fold(0.0, |most: f64, f| most.max(-f)) / unit,
            friction_use: used.fold(0.0, f64::max),
            contacts_beyond_the_cone: counted.iter().filter(beyond).count(),
            largest_normal_force: largest / unit,
            penetration: self
                .gap
                .as_ref()
                .map(|gaps| gaps.iter().fold(0.0, |most: f64, gap| most.max(-gap))),
            normal_force_times_gap: self.gap.as_ref().map(|gaps| {
                let products = gaps.iter().zip(&self.normal).map(|(gap, f)| (gap * f).abs());
                products.fold(0.0, f64::max)
            }),
            ..std::mem::take(&mut self.figures)
        };
    }

    /// Slip and friction, if every relative velocity is known.
    fn measure_slip(&mut self, given: &Given, limits: &[f64]) {
        let velocities: Option<Vec<[f64; 3]>> =
            given.contacts.iter().map(|contact| contact.relative_velocity).collect();
        let Some(velocities) = velocities else { return };
        let across = |(velocity, contact): (&[f64; 3], &stiction_solvers::Contact)| {
            let (velocity, normal) = (DVec3::from(*velocity), DVec3::from(contact.normal));
            velocity - normal * velocity.dot(normal)
        };
        let slips: Vec<DVec3> =
            velocities.iter().zip(given.problem.contacts()).map(across).collect();
        let friction = |k: usize| DVec3::from(given.forces.contacts[k].friction);
        let off = |k: &usize| {
            let speed = slips[*k].length();
            let against = -slips[*k] * (limits[*k] / speed);
            speed > SLOW
                && self.normal[*k] > LIGHT * self.weight
                && (friction(*k) - against).length() > OFF_CONE * limits[*k]
        };
        let power: f64 = slips.iter().enumerate().map(|(k, slip)| friction(k).dot(*slip)).sum();
        let found = (0..slips.len()).filter(off).count();
        let speeds: Vec<f64> = slips.iter().map(|slip| slip.length()).collect();
        self.figures.creep = Some(speeds.iter().copied().fold(0.0, f64::max));
        self.figures.slipping_contacts_off_the_cone = Some(found);
        self.figures.friction_power = Some(power);
        self.slip = Some(speeds);
    }
}

/// Mass times acceleration.
fn inertial(body: &Body, moves: &[f64; 6]) -> [f64; 6] {
    let [x, y, z, a, b, c] = *moves;
    let force = DVec3::new(x, y, z) * body.mass;
    let torque = inertia(body) * DVec3::new(a, b, c);
    [force.x, force.y, force.z, torque.x, torque.y, torque.z]
}

fn inertia(body: &Body) -> DMat3 {
    DMat3::from_cols_array_2d(&body.inertia).transpose()
}

/// What is left with the accelerations that are stated, and the rest of the change of spin.
fn moving(given: &Given, balance: &[[f64; 6]]) -> Option<Vec<[f64; 6]>> {
    let left = |(body, left): (&Body, &[f64; 6])| {
        let mut stated = inertial(body, &body.acceleration?);
        if let Some([.., a, b, c]) = body.velocity {
            let spin = DVec3::new(a, b, c);
            let turning = spin.cross(inertia(body) * spin);
            stated[3..].iter_mut().zip(turning.to_array()).for_each(|(to, more)| *to += more);
        }
        Some(std::array::from_fn(|i| left[i] - stated[i]))
    };
    given.bodies.iter().zip(balance).map(left).collect()
}

fn worst(rows: &[[f64; 6]], part: std::ops::Range<usize>) -> f64 {
    rows.iter().flat_map(|row| &row[part.clone()]).fold(0.0, |most: f64, x| most.max(x.abs()))
}

fn mean_weight(bodies: &[Body]) -> f64 {
    let force = |body: &Body| {
        let [x, y, z, ..] = body.wrench;
        DVec3::new(x, y, z).length()
    };
    let loads: Vec<f64> = bodies.iter().map(force).filter(|load| *load > 0.0).collect();
    if loads.is_empty() { 0.0 } else { loads.iter().sum::<f64>() / loads.len() as f64 }
}
