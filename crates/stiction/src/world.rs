//! The world: bodies with shape and mass, what acts on them, and their state.
//!
//! A [`World`] is what does not change while it moves (bodies, joints, gravity,
//! materials) and a [`State`], which does. Only steppers write the state.

use crate::drive::{Drive, Motion as DriveMotion};
use crate::joint::{Joint, Motor};
use crate::rotation::Principal;
use crate::spring::Spring;
use glam::{DMat3, DQuat, DVec3};
use stiction_geometry::{MassProperties, Part, Pose, Shape, ShapeError, Twist};

/// How a surface rubs and bounces.
///
/// Where two materials meet, each coefficient is the geometric mean of both:
/// equal materials keep theirs, and a frictionless or inelastic one makes the
/// pair so. [`World::pair`] gives a pair of materials its own coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Limit of |friction| / normal force while sticking.
    pub static_friction: f64,
    /// |friction| / normal force while slipping; not above the static one.
    pub dynamic_friction: f64,
    /// Speed after a collision over the speed before it, 0 to 1.
    pub restitution: f64,
}

impl Material {
    /// One coefficient of friction, no bounce.
    pub fn new(friction: f64) -> Self {
        Material { static_friction: friction, dynamic_friction: friction, restitution: 0.0 }
    }

    /// The same with this restitution.
    #[must_use]
    pub fn with_restitution(mut self, restitution: f64) -> Self {
        self.restitution = restitution;
        self
    }

    /// The coefficients where it meets another.
    pub(crate) fn with(self, other: Material) -> Material {
        let mean = |x: f64, y: f64| if x == y { x } else { (x * y).sqrt() };
        Material {
            static_friction: mean(self.static_friction, other.static_friction),
            dynamic_friction: mean(self.dynamic_friction, other.dynamic_friction),
            restitution: mean(self.restitution, other.restitution),
        }
    }
}

/// What moves a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Forces.
    Free,
    /// Nothing.
    Fixed,
    /// A given function of time, whatever the forces: along a line and about an
    /// axis through the origin of its frame, from the pose it was placed in.
    Driven {
        /// Direction of the line, unit.
        along: DVec3,
        /// Way along it (m).
        position: Drive,
        /// Axis, unit.
        axis: DVec3,
        /// Angle about it (rad).
        angle: Drive,
    },
}

/// A rigid body. Its frame has its origin at the centre of mass.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name, unique in its world.
    pub name: String,
    /// Its shape; empty for a body that touches nothing.
    pub parts: Vec<Part>,
    /// What moves it.
    pub motion: Motion,
    /// Mass (kg).
    pub mass: f64,
    /// Inertia about the centre of mass, body axes (kg·m²).
    pub inertia: DMat3,
    /// Index into [`World::materials`].
    pub material: usize,
    /// Levels it is in, one bit each: bodies touch if they share one.
    pub collision_groups: u64,
    /// Force at the centre of mass, world axes, besides gravity (N).
    pub force: DVec3,
    /// Torque, world axes (N·m).
    pub torque: DVec3,
    /// Where it is at first.
    pub placed: Pose,
    /// What follows from shape and inertia, worked out when it enters a world.
    pub(crate) derived: Derived,
}

/// What follows from a body's shape and inertia.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Derived {
    pub reach: f64,
    pub principal: Principal,
}

impl Body {
    /// A free body of one shape and density (kg/m³), at a place.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] for shapes without volume or with impossible sizes.
    pub fn new(
        name: &str,
        shape: Shape,
        density: f64,
        position: DVec3,
    ) -> Result<Self, ShapeError> {
        Body::of_parts(name, vec![Part::new(shape, Pose::IDENTITY)?], density, position)
    }

    /// A free body of several parts; `position` is where the origin of their frame goes.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] for shapes without volume.
    pub fn of_parts(
        name: &str,
        parts: Vec<Part>,
        density: f64,
        position: DVec3,
    ) -> Result<Self, ShapeError> {
        let mass = MassProperties::of_parts(&parts, density)?;
        Body::with_mass(name, parts, mass, Pose::at(position))
    }

    /// A free body whose mass is given in the frame of its parts.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if the centre of mass is not finite.
    pub fn with_mass(
        name: &str,
        mut parts: Vec<Part>,
        mass: MassProperties,
        pose: Pose,
    ) -> Result<Self, ShapeError> {
        if mass.centre != DVec3::ZERO {
            for part in &mut parts {
                let pose = Pose { position: part.pose().position - mass.centre, ..*part.pose() };
                *part = Part::new(part.shape().clone(), pose)?;
            }
        }
        let placed = Pose { position: pose.point(mass.centre), rotation: pose.rotation };
        Ok(Body {
            name: name.to_string(),
            parts,
            motion: Motion::Free,
            mass: mass.mass,
            inertia: mass.inertia,
            material: 0,
            collision_groups: 1,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            placed,
            derived: Derived { reach: 0.0, principal: Principal::of(&mass.inertia) },
        })
    }

    /// A body that nothing moves.
    pub fn fixed(name: &str, parts: Vec<Part>, pose: Pose) -> Self {
        Body {
            name: name.to_string(),
            parts,
            motion: Motion::Fixed,
            mass: 1.0,
            inertia: DMat3::IDENTITY,
            material: 0,
            collision_groups: 1,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            placed: pose,
            derived: Derived { reach: 0.0, principal: Principal::of(&DMat3::IDENTITY) },
        }
    }

    /// The same body, turned.
    #[must_use]
    pub fn turned(mut self, rotation: DQuat) -> Self {
        self.placed.rotation = (rotation * self.placed.rotation).normalize();
        self
    }

    /// Whether forces move it.
    pub fn is_free(&self) -> bool {
        self.motion == Motion::Free
    }

    /// The radius of a ball about the centre of mass that holds the body; infinite for half-spaces.
    pub fn bounding_radius(&self) -> f64 {
        self.derived.reach
    }

    fn derive(&mut self) {
        let aabb = stiction_geometry::aabb(&self.parts, &Pose::IDENTITY);
        let reach = aabb.low.abs().max(aabb.high.abs()).length();
        let reach = if self.parts.is_empty() { 0.0 } else { reach };
        self.derived = Derived { reach, principal: Principal::of(&self.inertia) };
    }

    /// Pose of a driven body at a time.
    fn driven_pose(&self, time: f64) -> Pose {
        let Motion::Driven { along, position, axis, angle } = &self.motion else {
            return self.placed;
        };
        let turn = DQuat::from_axis_angle(*axis, angle.at(time).value);
        Pose {
            position: self.placed.position + *along * position.at(time).value,
            rotation: (turn * self.placed.rotation).normalize(),
        }
    }

    /// Velocity of a driven body at a time, and its acceleration.
    fn driven_twist(&self, time: f64) -> [Twist; 2] {
        let Motion::Driven { along, position, axis, angle } = &self.motion else {
            return [Twist::ZERO; 2];
        };
        let (way, turn): (DriveMotion, DriveMotion) = (position.at(time), angle.at(time));
        let twist = |x: f64, y: f64| Twist { linear: *along * x, angular: *axis * y };
        [twist(way.rate, turn.rate), twist(way.acceleration, turn.acceleration)]
    }
}

/// Where everything is and how it moves.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// One per body.
    pub poses: Vec<Pose>,
    /// One per body.
    pub twists: Vec<Twist>,
    /// One per joint: the angle of hinges, counted beyond half turns (rad).
    pub turns: Vec<f64>,
}

impl State {
    /// Sixty-four bits that differ when anything of the state does (FNV-1a over the bits of all numbers).
    pub fn hash(&self) -> u64 {
        let poses = self.poses.iter().flat_map(|p| {
            let (x, q) = (p.position.to_array(), p.rotation.to_array());
            [x[0], x[1], x[2], q[0], q[1], q[2], q[3]]
        });
        let twists = self.twists.iter().flat_map(|t| {
            let (v, w) = (t.linear.to_array(), t.angular.to_array());
            [v[0], v[1], v[2], w[0], w[1], w[2]]
        });
        let numbers = poses.chain(twists).chain(self.turns.iter().copied()).chain([self.time]);
        fold(0xcbf2_9ce4_8422_2325, numbers)
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.poses.iter().all(|p| p.position.is_finite() && p.rotation.is_finite())
            && self.twists.iter().all(|t| t.linear.is_finite() && t.angular.is_finite())
    }
}

/// FNV-1a over the bits of numbers.
fn fold(hash: u64, numbers: impl Iterator<Item = f64>) -> u64 {
    let bytes = numbers.flat_map(|x| x.to_bits().to_le_bytes());
    bytes.fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// How a body answers to a wrench: velocity per impulse, acceleration per force.
#[derive(Clone, Copy, Debug)]
pub struct Mobility {
    /// Of the centre of mass (1/kg).
    pub linear: DMat3,
    /// Of turning (1/(kg·m²)), world axes.
    pub angular: DMat3,
}

/// What happens when several contacts collide at once.
pub use stiction_solvers::baraff1989::Model as ImpactModel;

/// Bodies, joints, what acts on them, and their state.
#[derive(Clone, Debug)]
pub struct World {
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The joints.
    pub joints: Vec<Joint>,
    /// The springs.
    pub springs: Vec<Spring>,
    /// Materials that bodies refer to.
    pub materials: Vec<Material>,
    /// Pairs of materials with coefficients of their own, smaller index first.
    pub pairs: Vec<([usize; 2], Material)>,
    /// Pairs of bodies that never touch, smaller index first.
    pub excluded_pairs: Vec<[usize; 2]>,
    /// Acceleration of bodies that nothing holds (m/s²).
    pub gravity: DVec3,
    /// Unit normal of the plane that bodies move in, for planar worlds.
    pub plane: Option<DVec3>,
    /// What happens when several contacts collide at once.
    pub impacts: ImpactModel,
    /// Where everything is.
    pub state: State,
}

impl Default for World {
    fn default() -> Self {
        World {
            bodies: Vec::new(),
            joints: Vec::new(),
            springs: Vec::new(),
            materials: vec![Material::new(0.5)],
            pairs: Vec::new(),
            excluded_pairs: Vec::new(),
            gravity: DVec3::new(0.0, 0.0, -9.81),
            plane: None,
            impacts: ImpactModel::Simultaneous,
            state: State { time: 0.0, poses: vec![], twists: vec![], turns: vec![] },
        }
    }
}

/// Why a world cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum WorldError {
    /// A number that is not finite, or out of its range.
    #[error("{what} of {whom} is {value}, {wanted}")]
    Value { whom: String, what: &'static str, value: f64, wanted: &'static str },
    /// A name or an index that nothing has.
    #[error("{whom} refers to {what} {index}, which does not exist")]
    Missing { whom: String, what: &'static str, index: usize },
    /// Two bodies or joints of one name.
    #[error("two {what} are called {name:?}")]
    Twice { what: &'static str, name: String },
}

impl World {
    /// An empty world with gravity and one material of friction 0.5.
    pub fn new() -> Self {
        World::default()
    }

    /// Adds a body; gives its index.
    pub fn add(&mut self, mut body: Body) -> usize {
        body.derive();
        self.state.poses.push(body.placed);
        self.state.twists.push(Twist::ZERO);
        self.bodies.push(body);
        let index = self.bodies.len() - 1;
        self.set_driven(index);
        index
    }

    /// Adds a fixed half-space below `z = 0`.
    pub fn add_ground(&mut self) -> usize {
        let parts = Part::new(Shape::HalfSpace, Pose::IDENTITY).into_iter().collect();
        self.add(Body::fixed("ground", parts, Pose::IDENTITY))
    }

    /// Adds a joint; gives its index.
    pub fn add_joint(&mut self, joint: Joint) -> usize {
        self.joints.push(joint);
        self.state.turns.push(0.0);
        let index = self.joints.len() - 1;
        self.follow_turns();
        index
    }

    /// Adds a material; gives its index.
    pub fn add_material(&mut self, material: Material) -> usize {
        self.materials.push(material);
        self.materials.len() - 1
    }

    /// Gives a pair of materials coefficients of its own.
    pub fn pair(&mut self, a: usize, b: usize, material: Material) {
        self.pairs.push(([a.min(b), a.max(b)], material));
    }

    /// The coefficients where two bodies meet.
    pub fn material(&self, a: usize, b: usize) -> Material {
        let (a, b) = (self.bodies[a].material, self.bodies[b].material);
        let key = [a.min(b), a.max(b)];
        let own = self.pairs.iter().rev().find(|(pair, _)| *pair == key);
        own.map_or_else(|| self.materials[a].with(self.materials[b]), |(_, material)| *material)
    }

    /// The body of a name.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }

    /// Whether two bodies may touch.
    pub fn may_touch(&self, a: usize, b: usize) -> bool {
        let (first, second) = (&self.bodies[a], &self.bodies[b]);
        (first.is_free() || second.is_free())
            && first.collision_groups & second.collision_groups != 0
            && !self.excluded_pairs.contains(&[a.min(b), a.max(b)])
    }

    /// How a body answers to a wrench when it is so.
    pub fn mobility(&self, body: usize, pose: &Pose) -> Mobility {
        let it = &self.bodies[body];
        if !it.is_free() {
            return Mobility { linear: DMat3::ZERO, angular: DMat3::ZERO };
        }
        let turn = DMat3::from_quat(pose.rotation);
        let inertia = turn * it.inertia * turn.transpose();
        match self.plane {
            None => Mobility {
                linear: DMat3::from_diagonal(DVec3::splat(1.0 / it.mass)),
                angular: inertia.inverse(),
            },
            Some(n) => {
                let across = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
                Mobility {
                    linear: (DMat3::IDENTITY - across) * (1.0 / it.mass),
                    angular: across * (1.0 / n.dot(inertia * n)),
                }
            }
        }
    }

    /// Acceleration of a body that nothing touches: gravity, applied forces, and
    /// `I ω̇ = τ − ω × I ω`; of a driven body what drives it.
    pub fn free_acceleration(&self, body: usize, state: &State) -> Twist {
        let it = &self.bodies[body];
        if !it.is_free() {
            return it.driven_twist(state.time)[1];
        }
        let (pose, twist) = (&state.poses[body], &state.twists[body]);
        let mobility = self.mobility(body, pose);
        let spin = pose.local_direction(twist.angular);
        let gyroscopic = pose.direction((it.inertia * spin).cross(spin));
        Twist {
            linear: mobility.linear * (it.force + it.mass * self.gravity),
            angular: mobility.angular * (it.torque + gyroscopic),
        }
    }

    /// Velocity of a body that forces do not move, at a time.
    pub(crate) fn driven_twist(&self, body: usize, time: f64) -> Twist {
        self.bodies[body].driven_twist(time)[0]
    }

    /// The next time at which a drive of a body or joint is not smooth.
    pub fn next_kink(&self, after: f64) -> Option<f64> {
        let bodies = self.bodies.iter().filter_map(|body| match &body.motion {
            Motion::Driven { position, angle, .. } => {
                let kinks = [position.next_kink(after), angle.next_kink(after)];
                kinks.into_iter().flatten().reduce(f64::min)
            }
            Motion::Free | Motion::Fixed => None,
        });
        let joints = self.joints.iter().filter_map(|joint| joint.next_kink(after));
        bodies.chain(joints).reduce(f64::min)
    }

    /// Whether a body moves by a given function of time.
    pub fn is_driven(&self, body: usize) -> bool {
        matches!(self.bodies[body].motion, Motion::Driven { .. })
    }

    /// Whether forces depend on places or times: there are springs or motors of given force.
    pub(crate) fn is_pulled(&self) -> bool {
        let given = |joint: &Joint| matches!(joint.motor, Some(Motor::Force { .. }));
        !self.springs.is_empty() || self.joints.iter().any(given)
    }

    /// Bodies that never rest for good: of joints with motors, and of joints and springs whose
    /// other body is driven.
    pub(crate) fn stirred(&self) -> impl Iterator<Item = usize> {
        let joints = self.joints.iter().map(|j| (j.a, j.b, j.motor.is_some()));
        let springs = self.springs.iter().map(|s| (s.a, s.b, false));
        let driven = |body: Option<usize>| body.is_some_and(|b| self.is_driven(b));
        let stirred = joints
            .chain(springs)
            .filter(move |&(a, b, motor)| motor || driven(Some(a)) || driven(b));
        stirred.flat_map(|(a, b, _)| [Some(a), b]).flatten()
    }

    /// Puts driven bodies where they are at a state's time.
    pub fn follow_drives(&self, state: &mut State) {
        for (i, body) in self.bodies.iter().enumerate() {
            if matches!(body.motion, Motion::Driven { .. }) {
                state.poses[i] = body.driven_pose(state.time);
                state.twists[i] = body.driven_twist(state.time)[0];
            }
        }
    }

    fn set_driven(&mut self, index: usize) {
        let body = &self.bodies[index];
        self.state.poses[index] = body.driven_pose(self.state.time);
        self.state.twists[index] = body.driven_twist(self.state.time)[0];
    }

    /// Brings the counted angles of hinges up to date.
    pub fn follow_turns(&mut self) {
        let mut state = self.state.clone();
        self.follow(&mut state);
        self.state.turns = state.turns;
    }

    /// Brings the counted angles of hinges of a state up to date.
    pub(crate) fn follow(&self, state: &mut State) {
        for (turn, joint) in state.turns.iter_mut().zip(&self.joints) {
            let pose = |i: usize| state.poses[i];
            let b = joint.b.map_or(Pose::IDENTITY, pose);
            if let Some(coordinate) = joint.coordinate_near(&pose(joint.a), &b, *turn) {
                *turn = coordinate;
            }
        }
    }

    /// Sixty-four bits that differ when the state differs, or what acts on it: gravity, materials,
    /// forces and torques on bodies.
    pub fn fingerprint(&self) -> u64 {
        let materials = self.materials.iter().chain(self.pairs.iter().map(|(_, m)| m));
        let materials =
            materials.flat_map(|m| [m.static_friction, m.dynamic_friction, m.restitution]);
        let forces = self.bodies.iter().flat_map(|b| [b.force, b.torque]);
        let forces = forces.chain([self.gravity]).flat_map(|v| v.to_array());
        fold(self.state.hash(), materials.chain(forces))
    }

    /// Kinetic energy (J).
    pub fn kinetic_energy(&self, state: &State) -> f64 {
        let energy = |(i, body): (usize, &Body)| {
            let (twist, pose) = (&state.twists[i], &state.poses[i]);
            let spin = pose.local_direction(twist.angular);
            0.5 * (body.mass * twist.linear.length_squared() + spin.dot(body.inertia * spin))
        };
        self.free().map(energy).sum()
    }

    /// Potential energy in gravity, in constant forces on bodies and in springs (J).
    pub fn potential_energy(&self, state: &State) -> f64 {
        let energy = |(i, body): (usize, &Body)| {
            -(body.mass * self.gravity + body.force).dot(state.poses[i].position)
        };
        self.free().map(energy).sum::<f64>() + self.spring_energy(state)
    }

    /// Momentum, and angular momentum about the origin.
    pub fn momentum(&self, state: &State) -> [DVec3; 2] {
        self.free().fold([DVec3::ZERO; 2], |[p, l], (i, body)| {
            let (twist, pose) = (&state.twists[i], &state.poses[i]);
            let momentum = body.mass * twist.linear;
            let spin = pose.direction(body.inertia * pose.local_direction(twist.angular));
            [p + momentum, l + spin + pose.position.cross(momentum)]
        })
    }

    /// The bodies that forces move.
    pub fn free(&self) -> impl Iterator<Item = (usize, &Body)> {
        self.bodies.iter().enumerate().filter(|(_, body)| body.is_free())
    }

    /// Refuses what no world can have.
    ///
    /// # Errors
    ///
    /// [`WorldError`] names the body or joint and the value.
    pub fn validate(&self) -> Result<(), WorldError> {
        let positive = |whom: &str, what, value: f64| {
            let wanted = "but must be positive and finite";
            let error = || WorldError::Value { whom: whom.to_string(), what, value, wanted };
            if value > 0.0 && value.is_finite() { Ok(()) } else { Err(error()) }
        };
        let within = |what, value: f64, most: f64, wanted| {
            let whom = "a material".to_string();
            let fine = (0.0..=most).contains(&value) && value.is_finite();
            if fine { Ok(()) } else { Err(WorldError::Value { whom, what, value, wanted }) }
        };
        for material in self.materials.iter().chain(self.pairs.iter().map(|(_, m)| m)) {
            let wanted = "but must be finite and not negative";
            within("static friction", material.static_friction, f64::MAX, wanted)?;
            let wanted = "but must lie between 0 and the static friction";
            within(
                "dynamic friction",
                material.dynamic_friction,
                material.static_friction,
                wanted,
            )?;
            within("restitution", material.restitution, 1.0, "but must lie between 0 and 1")?;
        }
        for (i, body) in self.bodies.iter().enumerate() {
            let whom = || format!("body {:?}", body.name);
            if self.bodies[..i].iter().any(|other| other.name == body.name) {
                return Err(WorldError::Twice { what: "bodies", name: body.name.clone() });
            }
            if body.material >= self.materials.len() {
                let (what, index) = ("material", body.material);
                return Err(WorldError::Missing { whom: whom(), what, index });
            }
            if body.is_free() {
                positive(&whom(), "mass", body.mass)?;
                for axis in DVec3::AXES {
                    positive(&whom(), "inertia", axis.dot(body.inertia * axis))?;
                }
                positive(&whom(), "determinant of inertia", body.inertia.determinant())?;
                positive(&whom(), "size", body.bounding_radius() + 1.0)?;
            }
        }
        let joints = self.joints.iter().map(|j| (format!("joint {:?}", j.name), j.a, j.b));
        let springs = self.springs.iter().map(|s| (format!("spring {:?}", s.name), s.a, s.b));
        for (whom, a, b) in joints.chain(springs) {
            if let Some(index) =
                [Some(a), b].into_iter().flatten().find(|&i| i >= self.bodies.len())
            {
                return Err(WorldError::Missing { whom, what: "body", index });
            }
        }
        if !self.state.is_finite() {
            let (whom, what) = ("the state".to_string(), "a number");
            let wanted = "but must be finite";
            return Err(WorldError::Value { whom, what, value: f64::NAN, wanted });
        }
        Ok(())
    }
}
