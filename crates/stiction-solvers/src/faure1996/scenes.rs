//! The examples of Faure's paper \[F96\]: the bar of figure 4 and the four-ball
//! solid of figure 5.

use glam::{DMat3, DVec2, DVec3};
use stiction_contact::gallery::GRAVITY;
use stiction_contact::{
    Body, Contact, ContactProblem, Forces, Friction, Level, ProblemError, Row, judge,
};

/// Figure 4: a bar on four supports, pushed down with 7 N at its end. The paper gives no
/// numbers: mass 1 and inertia 12 are our choice, there is no gravity.
///
/// ```text
///                     │ 7 N
///   ──────────────────▼
///     ▲   ▲   ▲   ▲
///    −3  −1   1   3   6        free acceleration −7 − 7·6·x/12
/// ```
///
/// # Errors
///
/// None are known: the numbers are in range.
pub fn bar() -> Result<ContactProblem, ProblemError> {
    let mut inverse = [[0.0; 6]; 6];
    inverse[2][2] = 1.0;
    inverse[4][4] = 1.0 / 12.0;
    let body = Body::with_inverse_inertia(inverse, [0.0; 3])
        .with_free_response([0.0, 0.0, -7.0, 0.0, 3.5, 0.0]);
    let support = |x| Contact::new(0, None, [x, 0.0, 0.0], [0.0, 0.0, 1.0], Friction::Frictionless);
    let supports = [-3.0, -1.0, 1.0, 3.0].map(support).to_vec();
    ContactProblem::new(Level::Acceleration, vec![body], supports, vec![], vec![])
}

/// Figure 5 at one instant: four balls, joined in a square, on a plane that rotates at a
/// constant rate.
///
/// ```text
///            ●────●
///      ╲     │    │            the plane rotates about x, a level line in it;
///       ╲    ●────◉  μ = 0.7   lengths and angles of the solid are measured in
///   ─────x───────────► y       the plane
/// ```
///
/// The paper gives the friction coefficients, 0.7 at the dark ball and 0.2 at the others, and
/// says that the plane rotates and that the torque which keeps its velocity constant is
/// computed. Axis, rate, sizes and masses are our choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FourBalls {
    /// Angle of the plane about x (rad), zero when level.
    pub tilt: f64,
    /// Its rate (rad/s).
    pub rate: f64,
    /// Centre of the solid, along the plane (m).
    pub place: [f64; 2],
    /// Angle of the solid about the plane's normal (rad).
    pub turn: f64,
    /// Velocity of the centre relative to the plane (m/s).
    pub velocity: [f64; 2],
    /// Rate of `turn` (rad/s).
    pub spin: f64,
}

/// Radius of the balls (m): our choice.
const RADIUS: f64 = 0.05;
/// Half the side of the square of their centres (m): our choice.
const HALF_SIDE: f64 = 0.1;

/// Mass of the solid (kg): our choice.
const MASS: f64 = 1.0;

/// Friction coefficients of the four balls, the dark one first, from the paper.
const FRICTION: [f64; 4] = [0.7, 0.2, 0.2, 0.2];

/// A contact that moves slower than this does not slip (m/s).
const STILL: f64 = 1e-4;

/// Time in which such a contact is brought to rest (s).
const SETTLE: f64 = 0.01;

impl FourBalls {
    /// The bilateral row whose force is the torque that drives the plane (N·m).
    pub const DRIVE: usize = 3;

    /// The solid at rest, slightly rotated, on the level plane, which begins to tilt with 0.1
    /// rad/s.
    pub fn begin() -> Self {
        FourBalls {
            tilt: 0.0,
            rate: 0.1,
            place: [0.0, 0.3],
            turn: 2.6,
            velocity: [0.0; 2],
            spin: 0.0,
        }
    }

    /// Which balls slip.
    pub fn slips(&self) -> [bool; 4] {
        self.arms().map(|arm| self.slip(arm).length() > STILL)
    }

    /// The contact problem of this instant. Body 0 is the plane, held by six rows; body 1 is
    /// the solid. Balls that slip have given friction, the others static friction \[F96,
    /// §2.2\].
    ///
    /// # Errors
    ///
    /// If a number is not finite.
    pub fn problem(&self) -> Result<ContactProblem, ProblemError> {
        let frame = self.frame();
        let spin = self.axis() + frame * (self.spin * DVec3::Z);
        let moment = 0.4 * RADIUS * RADIUS + HALF_SIDE * HALF_SIDE;
        let about_normal = moment + HALF_SIDE * HALF_SIDE;
        let own = MASS * DMat3::from_diagonal(DVec3::new(moment, moment, about_normal));
        let inertia = frame * own * frame.transpose();
        let gyration = -(inertia.inverse() * spin.cross(inertia * spin));
        let mut solid =
            Body::rigid(MASS, inertia.to_cols_array_2d(), (frame * self.centre()).to_array());
        solid.free_response = [0.0, 0.0, -GRAVITY, gyration.x, gyration.y, gyration.z];
        // The plane rotates about its centre of mass: its own inertia does not matter.
        let plane = Body::rigid(5.0, DMat3::IDENTITY.to_cols_array_2d(), [0.0; 3])
            .with_free_response([0.0, 0.0, -GRAVITY, 0.0, 0.0, 0.0]);
        let contacts = self.arms().into_iter().zip(FRICTION);
        let contacts = contacts.map(|(arm, friction)| self.contact(arm, friction, spin)).collect();
        let rows = (0..6).map(|k| {
            let on_a = std::array::from_fn(|j| if j == k { 1.0 } else { 0.0 });
            Row { a: 0, on_a, b: None, on_b: [0.0; 6], bias: 0.0 }
        });
        let (bodies, rows) = (vec![plane, solid], rows.collect());
        ContactProblem::new(Level::Acceleration, bodies, contacts, rows, vec![])
    }

    /// The ball at `arm`. Its bias is the velocity-dependent acceleration relative to the
    /// plane: both centripetal terms and the Coriolis term.
    fn contact(&self, arm: DVec3, friction: f64, spin: DVec3) -> Contact {
        let (frame, axis) = (self.frame(), self.axis());
        let slip = frame * self.slip(arm);
        let point = frame * (self.centre() + arm);
        let (arm, speed) = (frame * arm, slip.length());
        let centripetal = spin.cross(spin.cross(arm)) - axis.cross(axis.cross(point));
        let bias = centripetal - 2.0 * axis.cross(slip);
        let (law, bias) = if speed > STILL {
            let direction = (slip / speed).to_array();
            (Friction::Sliding { friction, direction }, bias)
        } else {
            (Friction::Static { friction }, bias + slip / SETTLE)
        };
        let normal = (frame * DVec3::Z).to_array();
        Contact::new(1, Some(0), point.to_array(), normal, law).with_bias(bias.to_array())
    }

    /// Advances the state under the forces of this instant's problem, for `step` seconds or
    /// until a ball stops slipping in its direction; returns the time that passed. The solid
    /// stays on the plane: valid for forces that push at every ball.
    pub fn advance(&mut self, problem: &ContactProblem, forces: &Forces, step: f64) -> f64 {
        let (linear, angular) = self.relative_acceleration(problem, forces);
        let stops = self.arms().map(|arm| {
            let slip = self.slip(arm);
            let change = linear + angular * DVec3::Z.cross(arm) - self.spin * self.spin * flat(arm);
            let slows = slip.length() > STILL && slip.dot(change) < 0.0;
            if slows { -slip.length_squared() / slip.dot(change) } else { step }
        });
        let lasts = stops.into_iter().fold(step, f64::min);
        let velocity = DVec2::from(self.velocity) + lasts * linear.truncate();
        self.velocity = velocity.to_array();
        self.spin += lasts * angular;
        self.place = (DVec2::from(self.place) + lasts * velocity).to_array();
        self.turn += lasts * self.spin;
        self.tilt += lasts * self.rate;
        lasts
    }

    /// Acceleration of the centre and of `turn`, relative to the plane.
    fn relative_acceleration(&self, problem: &ContactProblem, forces: &Forces) -> (DVec3, f64) {
        let [x, y, z, p, q, r] = judge::response(problem, forces).bodies[1];
        let (frame, axis) = (self.frame(), self.axis());
        let velocity = frame * DVec2::from(self.velocity).extend(0.0);
        let carried = axis.cross(axis.cross(frame * self.centre())) + 2.0 * axis.cross(velocity);
        let seen = |world: DVec3| frame.transpose() * world;
        (seen(DVec3::new(x, y, z) - carried), seen(DVec3::new(p, q, r)).z)
    }

    /// From axes in the plane to the world's.
    fn frame(&self) -> DMat3 {
        DMat3::from_rotation_x(self.tilt)
    }

    /// The plane's angular velocity.
    fn axis(&self) -> DVec3 {
        self.rate * DVec3::X
    }

    fn centre(&self) -> DVec3 {
        DVec2::from(self.place).extend(RADIUS)
    }

    /// From the centre to the contact points of the balls, in the plane's axes.
    fn arms(&self) -> [DVec3; 4] {
        let turn = DVec2::from_angle(self.turn);
        [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
            .map(|(x, y)| turn.rotate(HALF_SIDE * DVec2::new(x, y)).extend(-RADIUS))
    }

    /// Velocity relative to the plane of the contact point at `arm`, in the plane's axes.
    fn slip(&self, arm: DVec3) -> DVec3 {
        DVec2::from(self.velocity).extend(0.0) + self.spin * DVec3::Z.cross(arm)
    }
}

fn flat(vector: DVec3) -> DVec3 {
    vector.with_z(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContactSolver, faure1996::Energy};

    /// The path of the centre in world axes, differentiated twice, is the acceleration that the
    /// forces cause: velocities enter the problem correctly.
    #[test]
    fn the_solid_stays_on_the_plane_and_moves_as_the_forces_say() {
        let state = FourBalls {
            tilt: 0.4,
            rate: 0.9,
            velocity: [0.3, -0.5],
            spin: 1.7,
            ..FourBalls::begin()
        };
        let problem = state.problem().expect("valid");
        let Ok(solution) = Energy::default().solve(&problem) else { panic!() };
        assert!(solution.certificate.is_certified(), "{}", solution.certificate);
        let (linear, _) = state.relative_acceleration(&problem, &solution.forces);
        assert!(linear.z.abs() < 1e-10, "{linear}");

        let place = |t: f64| {
            let along = DVec2::from(state.velocity).extend(0.0);
            let seen = state.centre() + t * along + 0.5 * t * t * linear;
            DMat3::from_rotation_x(state.tilt + t * state.rate) * seen
        };
        let h = 1e-3;
        let found = (place(h) - 2.0 * place(0.0) + place(-h)) / (h * h);
        let [x, y, z, ..] = judge::response(&problem, &solution.forces).bodies[1];
        assert!(found.distance(DVec3::new(x, y, z)) < 1e-5, "{found}");
    }

    /// No ball moves beyond the point where it comes to rest.
    #[test]
    fn a_step_ends_before_a_ball_slips_backwards() {
        let start = FourBalls { rate: 0.0, velocity: [0.01, 0.0], ..FourBalls::begin() };
        let problem = start.problem().expect("valid");
        let Ok(solution) = Energy::default().solve(&problem) else { panic!() };
        let mut end = start;
        let lasts = end.advance(&problem, &solution.forces, 1.0);
        assert!(lasts < 0.01, "{lasts}");
        let slips = |state: &FourBalls| state.arms().map(|arm| state.slip(arm));
        let kept = slips(&start).into_iter().zip(slips(&end));
        let kept = kept.map(|(before, after)| before.dot(after) / before.length_squared());
        let least = kept.fold(f64::INFINITY, f64::min);
        assert!(least.abs() < 1e-3, "{least} of the slip of the first ball to stop remains");
    }
}
