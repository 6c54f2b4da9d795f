//! Bodies, contacts and rows in 300 bits, from the data of a file.

use super::super::given::{GivenBody, GivenContact, GivenLaw, GivenRow};
use super::super::laws::Friction;
use super::super::number::{
    Real, Vector, across, cross, difference, dot, sum, times, unit, values, vector,
};
use stiction_solvers::Level;

/// `[linear; angular]` or `[force; torque]`.
pub type Six = [Real; 6];

pub struct Body {
    /// Entries of M⁻¹ that are not zero.
    pub inverse: Vec<(usize, usize, Real)>,
    pub free: Six,
}

pub struct Contact {
    pub bodies: [Option<usize>; 2],
    /// From the centres of mass to the point.
    pub arms: [Vector; 2],
    pub normal: Vector,
    pub friction: Friction,
    pub line: Option<Vector>,
    pub bias: Vector,
    pub frame: ([f64; 3], Option<[f64; 3]>),
}

pub struct Row {
    pub bodies: [Option<usize>; 2],
    pub on: [Six; 2],
    pub bias: Real,
    pub bounds: Option<(f64, f64)>,
}

impl Body {
    pub fn new(given: &GivenBody, level: Level, step: f64, load: &[f64; 6]) -> Option<Self> {
        let mut inverse = Vec::new();
        let mut keep = |i: usize, j: usize, value: Real| {
            if !value.is_zero() {
                inverse.push((i, j, value));
            }
        };
        match (given.fixed, &given.inverse_inertia, given.mass, &given.inertia) {
            (true, ..) => {}
            (_, Some(entries), ..) => {
                for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
                    keep(i, j, Real::new(entries[i][j]));
                }
            }
            (_, _, Some(mass), Some(inertia)) => {
                let angular = inverted(inertia)?;
                for i in 0..3 {
                    keep(i, i, &Real::new(1.0) / &Real::new(mass));
                    for j in 0..3 {
                        keep(3 + i, 3 + j, angular[i][j].clone());
                    }
                }
            }
            _ => return None,
        }
        let mut body = Body { inverse, free: [0.0; 6].map(Real::new) };
        let wrench = given.wrench.unwrap_or_default();
        let wrench: Six = std::array::from_fn(|k| &Real::new(wrench[k]) + &Real::new(load[k]));
        let pushed = body.response(&wrench);
        let step = Real::new(if level == Level::Velocity { step } else { 1.0 });
        let moves = matches!(level, Level::Velocity | Level::Impact);
        let start = given.velocity.filter(|_| moves).unwrap_or_default();
        let start = given.free_response.unwrap_or(start);
        body.free = std::array::from_fn(|k| &Real::new(start[k]) + &(&step * &pushed[k]));
        Some(body)
    }

    /// Mean response of its centre to a unit force.
    pub fn linear(&self) -> f64 {
        let centre = self.inverse.iter().filter(|(i, j, _)| i == j && *i < 3);
        centre.map(|(_, _, entry)| entry.value()).sum::<f64>() / 3.0
    }

    /// Upper bound of the motion that a unit force at the end of a lever arm causes there.
    pub fn reach(&self, arm: f64) -> f64 {
        let turns = self.inverse.iter().filter(|(i, j, _)| i == j && *i >= 3);
        3.0 * self.linear() + turns.map(|(_, _, entry)| entry.value()).sum::<f64>() * arm * arm
    }

    pub fn is_fixed(&self) -> bool {
        self.inverse.is_empty()
    }

    /// `M⁻¹ wrench`
    pub fn response(&self, wrench: &Six) -> Six {
        let mut response = [0.0; 6].map(Real::new);
        for (i, j, entry) in &self.inverse {
            if !wrench[*j].is_zero() {
                response[*i] = &response[*i] + &(entry * &wrench[*j]);
            }
        }
        response
    }
}

/// The inverse of an inertia by cofactors; none unless it is positive definite.
pub fn inverted(inertia: &[[f64; 3]; 3]) -> Option<[[Real; 3]; 3]> {
    let half = Real::new(0.5);
    let a: [[Real; 3]; 3] = std::array::from_fn(|i| {
        std::array::from_fn(|j| &(&Real::new(inertia[i][j]) + &Real::new(inertia[j][i])) * &half)
    });
    let minor = |i: usize, j: usize| {
        let (p, q, r, s) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        &(&a[p][r] * &a[q][s]) - &(&a[p][s] * &a[q][r])
    };
    let zero = Real::zero();
    let determinant = (0..3).fold(Real::zero(), |total, j| &total + &(&a[0][j] * &minor(0, j)));
    let definite = a[0][0] > zero && minor(2, 2) > zero && determinant > zero;
    definite.then(|| std::array::from_fn(|i| std::array::from_fn(|j| &minor(j, i) / &determinant)))
}

/// Whether an inertia is positive definite exactly.
pub fn is_inertia(inertia: &[[f64; 3]; 3]) -> bool {
    inverted(inertia).is_some()
}

/// The body that a file names, unless it is the world.
fn other(b: i64) -> Option<usize> {
    usize::try_from(b).ok()
}

impl Contact {
    pub fn new(given: &GivenContact, level: Level, bodies: &[GivenBody]) -> Self {
        let point = vector(given.point);
        let pair = [Some(given.a), other(given.b)];
        let arm = |body: Option<usize>| {
            body.map_or_else(
                || vector([0.0; 3]),
                |body| difference(&point, &vector(bodies[body].position)),
            )
        };
        let normal = unit(&vector(given.normal));
        let tangent = |direction: [f64; 3]| unit(&across(&vector(direction), &normal));
        let friction = match given.law(level) {
            GivenLaw::Frictionless => Friction::None,
            GivenLaw::Sliding => Friction::Tied {
                mu: given.mu,
                direction: given.direction.map_or([0.0; 3], |d| values(&tangent(d))),
            },
            GivenLaw::Static => Friction::Free { sticking: given.mu, slipping: given.mu },
            GivenLaw::Coulomb => Friction::Free {
                sticking: given.mu,
                slipping: given.mu_dynamic.unwrap_or(given.mu),
            },
        };
        let line = given.tangent.map(tangent);
        let frame = match &line {
            Some(line) => (values(line), None),
            None => frame(&normal),
        };
        let bias = vector(given.bias.unwrap_or_default());
        Contact { bodies: pair, arms: pair.map(arm), normal, friction, line, bias, frame }
    }

    /// Velocity at the point of a body with this motion.
    pub fn at_point(&self, side: usize, motion: &Six) -> Vector {
        let [x, y, z, p, q, r] = motion.clone();
        sum(&[x, y, z], &cross(&[p, q, r], &self.arms[side]))
    }

    /// `v_a(p) − v_b(p)`
    pub fn relative<'a>(&self, motion: impl Fn(usize) -> &'a Six) -> Vector {
        let mut relative = vector([0.0; 3]);
        for (side, body) in self.bodies.iter().enumerate() {
            if let Some(body) = body {
                let here = self.at_point(side, motion(*body));
                relative =
                    if side == 0 { sum(&relative, &here) } else { difference(&relative, &here) };
            }
        }
        relative
    }

    /// The wrench of a force at the point.
    pub fn wrench(&self, side: usize, force: &Vector) -> Six {
        let sign = Real::new(if side == 0 { 1.0 } else { -1.0 });
        let force = times(force, &sign);
        let [p, q, r] = cross(&self.arms[side], &force);
        let [x, y, z] = force;
        [x, y, z, p, q, r]
    }
}

/// The two tangents of `docs/notation.md`: the axis least along the normal, made tangent (the
/// smallest index on ties within 1e-12), and `n × t₁`.
fn frame(normal: &Vector) -> ([f64; 3], Option<[f64; 3]>) {
    let size = values(normal).map(f64::abs);
    let least = size.iter().fold(f64::INFINITY, |m, x| m.min(*x)) + 1e-12;
    let axis = (0..3).find(|&k| size[k] <= least).unwrap_or(0);
    let axis: [f64; 3] = std::array::from_fn(|k| if k == axis { 1.0 } else { 0.0 });
    let first = unit(&across(&vector(axis), normal));
    let second = cross(normal, &first);
    (values(&first), Some(values(&second)))
}

impl Row {
    pub fn new(given: &GivenRow, bounded: bool) -> Self {
        let bounds =
            (given.lower.unwrap_or(f64::NEG_INFINITY), given.upper.unwrap_or(f64::INFINITY));
        Row {
            bodies: [Some(given.a), other(given.b)],
            on: [given.on_a.map(Real::new), given.on_b.map(Real::new)],
            bias: Real::new(given.bias),
            bounds: bounded.then_some(bounds),
        }
    }

    /// `on_a · v_a + on_b · v_b`
    pub fn along<'a>(&self, motion: impl Fn(usize) -> &'a Six) -> Real {
        let sides = self.bodies.iter().zip(&self.on);
        let parts = sides.filter_map(|(body, on)| body.map(|body| dot(on, motion(body))));
        parts.fold(Real::zero(), |total, part| &total + &part)
    }
}

/// The whole force of a contact in world axes.
pub fn total(contact: &Contact, normal: f64, friction: &[f64; 3]) -> Vector {
    sum(&times(&contact.normal, &Real::new(normal)), &vector(*friction))
}
