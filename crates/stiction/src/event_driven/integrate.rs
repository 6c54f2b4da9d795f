//! One step of the smooth motion between events: Dormand and Prince, order five, with an
//! error estimate of order four and dense output.

use super::system::{Happens, Modes};
use crate::journal::Journal;
use crate::world::{State, World};
use glam::{DQuat, DVec3};
use stiction_geometry::{Pose, Twist};

/// Numbers per body: position, orientation, velocity, angular velocity.
const PER_BODY: usize = 13;

/// Nodes of the method.
const NODES: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];

/// What every stage takes of those before it.
const STAGES: [&[f64]; 7] = [
    &[],
    &[0.2],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// Difference of the two solutions.
const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339_200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// Dense output of order four.
const DENSE: [f64; 7] = [
    -12_715_105_075.0 / 11_282_082_432.0,
    0.0,
    87_487_479_700.0 / 32_700_410_799.0,
    -10_690_763_975.0 / 1_880_347_072.0,
    701_980_252_875.0 / 199_316_789_632.0,
    -1_453_857_185.0 / 822_651_844.0,
    69_997_945.0 / 29_380_423.0,
];

/// What is integrated: the numbers of every body that is awake, the energies that friction turned
/// to heat and motors put in since the step began, and the impulses that bodies received.
#[derive(Clone, Debug)]
pub(super) struct Step {
    start: State,
    awake: Vec<usize>,
    pub length: f64,
    y: Vec<f64>,
    end: Vec<f64>,
    rates: Vec<Vec<f64>>,
    /// Estimated error over the tolerance; infinite if a contact is not defined at the end.
    pub error: f64,
    /// What happens at the end of the step.
    pub happens: Happens,
}

impl Step {
    /// One step; `first` is what happens at its beginning, where it is known.
    pub(super) fn take(
        world: &World,
        modes: &Modes,
        start: &State,
        length: f64,
        first: &Happens,
        tolerance: f64,
    ) -> Step {
        let awake: Vec<usize> =
            world.free().map(|(i, _)| i).filter(|&i| !modes.asleep[i]).collect();
        let y = pack(start, &awake, first.wrenches.len());
        let mut rates: Vec<Vec<f64>> = vec![rate(start, &awake, first)];
        let mut happens = first.clone();
        let mut stage = y.clone();
        for s in 1..7 {
            stage = combine(&y, &rates, STAGES[s], length);
            let state = unpack(world, start, &awake, &stage, NODES[s] * length);
            happens = modes.happens(world, &state);
            rates.push(rate(&state, &awake, &happens));
        }
        let difference = combine(&vec![0.0; y.len()], &rates, &ERROR, length);
        // Where the features of a contact determine no normal the step leads nowhere.
        let defined = happens.contacts.iter().all(|acts| acts.geometry.gap.is_finite())
            && stage.iter().all(|x| x.is_finite());
        let error = if defined {
            norm(&difference, &y, &stage, awake.len(), tolerance)
        } else {
            f64::INFINITY
        };
        Step { start: start.clone(), awake, length, y, end: stage, rates, error, happens }
    }

    /// The state at the end.
    pub(super) fn state(&self, world: &World) -> State {
        unpack(world, &self.start, &self.awake, &self.end, self.length)
    }

    /// Energies since the beginning: heat of friction, work of motors (J).
    pub(super) fn energies(&self) -> [f64; 2] {
        let n = PER_BODY * self.awake.len();
        [self.end[n], self.end[n + 1]]
    }

    /// Enters the impulses that bodies received.
    pub(super) fn book(&self, journal: &mut Journal) {
        let first = PER_BODY * self.awake.len() + 2;
        for (impulse, received) in journal.impulses.iter_mut().zip(self.end[first..].chunks(6)) {
            impulse.linear += DVec3::from_slice(received);
            impulse.angular += DVec3::from_slice(&received[3..]);
        }
    }

    /// The state after part of the step, by dense output.
    pub(super) fn at(&self, world: &World, part: f64) -> State {
        let (x, h) = (part, self.length);
        let y: Vec<f64> = (0..self.y.len()).map(|i| self.dense(i, x)).collect();
        unpack(world, &self.start, &self.awake, &y, x * h)
    }

    /// One of the numbers after part of the step.
    fn dense(&self, i: usize, x: f64) -> f64 {
        let h = self.length;
        let change = self.end[i] - self.y[i];
        let bow = h * self.rates[0][i] - change;
        let end = change - h * self.rates[6][i] - bow;
        let dense: f64 = (0..7).map(|s| DENSE[s] * self.rates[s][i]).sum::<f64>() * h;
        self.y[i] + x * (change + (1.0 - x) * (bow + x * (end + (1.0 - x) * dense)))
    }

    /// The pose of one body after part of the step.
    pub(super) fn pose(&self, world: &World, body: usize, part: f64) -> Pose {
        if let Some(k) = self.awake.iter().position(|&i| i == body) {
            let number = |i: usize| self.dense(PER_BODY * k + i, part);
            let y: [f64; 7] = std::array::from_fn(number);
            let rotation = DQuat::from_slice(&y[3..]).normalize();
            return Pose { position: DVec3::from_slice(&y), rotation };
        }
        if world.is_driven(body) {
            return world.driven_pose(body, self.start.time + part * self.length);
        }
        self.start.poses[body]
    }
}

fn pack(state: &State, awake: &[usize], wrenches: usize) -> Vec<f64> {
    let mut y = Vec::with_capacity(PER_BODY * awake.len() + 2 + 6 * wrenches);
    for &i in awake {
        let (pose, twist) = (&state.poses[i], &state.twists[i]);
        y.extend(pose.position.to_array());
        y.extend(pose.rotation.to_array());
        y.extend(twist.linear.to_array());
        y.extend(twist.angular.to_array());
    }
    y.extend([0.0; 2]);
    y.resize(y.len() + 6 * wrenches, 0.0);
    y
}

fn unpack(world: &World, start: &State, awake: &[usize], y: &[f64], after: f64) -> State {
    let mut state = start.clone();
    state.time += after;
    for (k, &i) in awake.iter().enumerate() {
        let y = &y[PER_BODY * k..];
        state.poses[i] = Pose {
            position: DVec3::from_slice(y),
            rotation: DQuat::from_slice(&y[3..]).normalize(),
        };
        state.twists[i] =
            Twist { linear: DVec3::from_slice(&y[7..]), angular: DVec3::from_slice(&y[10..]) };
    }
    world.follow_drives(&mut state);
    state
}

/// `q̇ = ½ ω q`, and the rest as it happens.
fn rate(state: &State, awake: &[usize], happens: &Happens) -> Vec<f64> {
    let mut rate = Vec::with_capacity(PER_BODY * awake.len() + 2 + 6 * happens.wrenches.len());
    for &i in awake {
        let (twist, change) = (&state.twists[i], &happens.accelerations[i]);
        let w = twist.angular;
        let turn = DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * state.poses[i].rotation * 0.5;
        rate.extend(twist.linear.to_array());
        rate.extend(turn.to_array());
        rate.extend(change.linear.to_array());
        rate.extend(change.angular.to_array());
    }
    rate.extend(happens.power);
    for wrench in &happens.wrenches {
        rate.extend(wrench.linear.to_array());
        rate.extend(wrench.angular.to_array());
    }
    rate
}

fn combine(y: &[f64], rates: &[Vec<f64>], weights: &[f64], length: f64) -> Vec<f64> {
    let mut sum = y.to_vec();
    for (rate, weight) in rates.iter().zip(weights) {
        for (sum, rate) in sum.iter_mut().zip(rate) {
            *sum += length * weight * rate;
        }
    }
    sum
}

/// Largest error of any body over what is tolerated; energies are not counted.
fn norm(difference: &[f64], y: &[f64], end: &[f64], bodies: usize, tolerance: f64) -> f64 {
    let mut worst = 0.0_f64;
    for k in 0..bodies {
        for (part, count) in [(0, 3), (3, 4), (7, 3), (10, 3)] {
            let at = PER_BODY * k + part;
            let size = |v: &[f64]| v[at..at + count].iter().map(|x| x * x).sum::<f64>().sqrt();
            let scale = 1.0 + size(y).max(size(end));
            worst = worst.max(size(difference) / (tolerance * scale));
        }
    }
    worst
}
