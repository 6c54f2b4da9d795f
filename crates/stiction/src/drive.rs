//! Numbers that are given functions of time: what motors follow.
//!
//! A [`Drive`] knows its value and its first two derivatives, so that a
//! prescribed motion can be imposed at the level of positions, velocities or
//! accelerations. [`Drive::next_kink`] says where an integrator should stop.

use std::f64::consts::TAU;

/// A scalar function of time (s).
///
/// Its unit is that of what it drives: m or rad for a position, m/s or rad/s
/// for a speed, N or N·m for a force.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Drive {
    /// Always the same.
    Constant(f64),
    /// `start + rate · t`.
    Linear {
        /// Value at time zero.
        start: f64,
        /// Change per second.
        rate: f64,
    },
    /// `mean + amplitude · sin(2π · frequency · t + phase)`.
    Sine {
        /// Value in the middle.
        mean: f64,
        /// Greatest distance from the mean.
        amplitude: f64,
        /// Periods per second (Hz).
        frequency: f64,
        /// Angle at time zero (rad).
        phase: f64,
    },
    /// From one value to another, constant before and after.
    ///
    /// With `s = (t − start) / (end − start)` the fraction of the change is
    /// `6s⁵ − 15s⁴ + 10s³`, so that rate and acceleration are continuous.
    Ramp {
        /// Value until `start`.
        from: f64,
        /// Value from `end` on.
        to: f64,
        /// When the change begins (s).
        start: f64,
        /// When it is done (s), later than `start`.
        end: f64,
    },
    /// Through given points; see [`Table`].
    Table(Table),
}

/// A drive at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// The function itself.
    pub value: f64,
    /// Its first derivative (per s).
    pub rate: f64,
    /// Its second derivative (per s²).
    pub acceleration: f64,
}

/// Why a drive cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// A parameter is NaN or infinite.
    #[error("{parameter} of the drive is {value}, not a finite number")]
    NotFinite {
        /// Which one.
        parameter: &'static str,
        /// What it is.
        value: f64,
    },
    /// A ramp must end after it starts.
    #[error("the ramp ends at {end} s, not after its start at {start} s")]
    EmptyRamp {
        /// When it begins (s).
        start: f64,
        /// When it ends (s).
        end: f64,
    },
    /// A table has no points.
    #[error("the table of the drive is empty")]
    EmptyTable,
    /// Each time of a table needs one value.
    #[error("the table of the drive has {times} times but {values} values")]
    UnequalTable {
        /// How many times there are.
        times: usize,
        /// How many values there are.
        values: usize,
    },
    /// An entry of a table is NaN or infinite.
    #[error("row {index} of the drive's table is not finite")]
    TableNotFinite {
        /// Row of the table, from 0.
        index: usize,
    },
    /// The times of a table do not increase.
    #[error("time {index} of the drive's table does not come after the one before it")]
    TableNotIncreasing {
        /// Row of the table, from 0.
        index: usize,
    },
    /// Neighbouring points differ so much that the curve overflows.
    #[error("the drive's table is too steep at row {index}")]
    TableTooSteep {
        /// Row of the table, from 0.
        index: usize,
    },
}

impl Drive {
    /// The curve through the points `(times[i], values[i])`.
    ///
    /// # Errors
    ///
    /// As [`Table::new`].
    pub fn table(times: Vec<f64>, values: Vec<f64>) -> Result<Self, DriveError> {
        Table::new(times, values).map(Drive::Table)
    }

    /// Value and derivatives at a time (s).
    ///
    /// Where a derivative jumps, the one of the time just after is given.
    pub fn at(&self, time: f64) -> Motion {
        match self {
            Drive::Constant(value) => Motion::resting(*value),
            Drive::Linear { start, rate } => {
                Motion { value: start + rate * time, rate: *rate, acceleration: 0.0 }
            }
            Drive::Sine { mean, amplitude, frequency, phase } => {
                let omega = TAU * frequency;
                let (sin, cos) = (omega * time + phase).sin_cos();
                Motion {
                    value: mean + amplitude * sin,
                    rate: amplitude * omega * cos,
                    acceleration: -amplitude * omega * omega * sin,
                }
            }
            Drive::Ramp { from, to, start, end } => {
                if time >= *end {
                    Motion::resting(*to)
                } else if time <= *start {
                    Motion::resting(*from)
                } else {
                    ramp(*from, to - from, time - start, end - start)
                }
            }
            Drive::Table(table) => table.at(time),
        }
    }

    /// The first time later than `after` (s) where some derivative jumps.
    ///
    /// Ends of ramps and points of tables; between kinks a drive is analytic.
    pub fn next_kink(&self, after: f64) -> Option<f64> {
        match self {
            Drive::Constant(_) | Drive::Linear { .. } | Drive::Sine { .. } => None,
            Drive::Ramp { start, end, .. } => [*start, *end].into_iter().find(|&t| t > after),
            Drive::Table(table) => {
                table.times.get(table.times.partition_point(|&t| t <= after)).copied()
            }
        }
    }

    /// Whether all parameters make sense.
    ///
    /// # Errors
    ///
    /// [`DriveError::NotFinite`] or [`DriveError::EmptyRamp`]; tables were
    /// checked when they were made.
    pub fn validate(&self) -> Result<(), DriveError> {
        match self {
            Drive::Constant(value) => finite(&[("value", *value)]),
            Drive::Linear { start, rate } => finite(&[("start", *start), ("rate", *rate)]),
            Drive::Sine { mean, amplitude, frequency, phase } => finite(&[
                ("mean", *mean),
                ("amplitude", *amplitude),
                ("frequency", *frequency),
                ("phase", *phase),
            ]),
            Drive::Ramp { from, to, start, end } => {
                finite(&[("from", *from), ("to", *to), ("start", *start), ("end", *end)])?;
                if start < end {
                    Ok(())
                } else {
                    Err(DriveError::EmptyRamp { start: *start, end: *end })
                }
            }
            Drive::Table(_) => Ok(()),
        }
    }
}

impl Motion {
    /// At a value, not changing.
    fn resting(value: f64) -> Self {
        Motion { value, rate: 0.0, acceleration: 0.0 }
    }
}

/// The quintic of [`Drive::Ramp`], `elapsed` seconds into its `duration`.
fn ramp(from: f64, rise: f64, elapsed: f64, duration: f64) -> Motion {
    let s = elapsed / duration;
    let share = s * s * s * (10.0 + s * (6.0 * s - 15.0));
    let first = 30.0 * s * s * (1.0 - s) * (1.0 - s);
    let second = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s);
    Motion {
        value: from + rise * share,
        rate: rise * first / duration,
        acceleration: rise * second / duration / duration,
    }
}

/// Refuses the first parameter that is not a finite number.
fn finite(parameters: &[(&'static str, f64)]) -> Result<(), DriveError> {
    match parameters.iter().find(|(_, value)| !value.is_finite()) {
        Some(&(parameter, value)) => Err(DriveError::NotFinite { parameter, value }),
        None => Ok(()),
    }
}

/// A smooth curve through given points, constant before the first and after
/// the last.
///
/// The cubic spline that is at rest at both ends: value and rate are
/// continuous everywhere, the acceleration everywhere but at the two ends. (A
/// natural spline would jump in its rate there, which no finite force follows.)
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Increasing (s).
    times: Vec<f64>,
    /// As many.
    values: Vec<f64>,
    /// Second derivatives at the times.
    curvatures: Vec<f64>,
}

impl Table {
    /// The curve through the points `(times[i], values[i])`.
    ///
    /// # Errors
    ///
    /// If there is no point, a time has no value or a value no time, a number
    /// is not finite, the times do not increase, or the curve overflows.
    pub fn new(times: Vec<f64>, values: Vec<f64>) -> Result<Self, DriveError> {
        if times.len() != values.len() {
            return Err(DriveError::UnequalTable { times: times.len(), values: values.len() });
        }
        if times.is_empty() {
            return Err(DriveError::EmptyTable);
        }
        let points = || times.iter().zip(&values);
        if let Some(index) = points().position(|(t, y)| !(t.is_finite() && y.is_finite())) {
            return Err(DriveError::TableNotFinite { index });
        }
        if let Some(before) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Err(DriveError::TableNotIncreasing { index: before + 1 });
        }
        let curvatures = curvatures(&times, &values);
        if let Some(index) = curvatures.iter().position(|c| !c.is_finite()) {
            return Err(DriveError::TableTooSteep { index });
        }
        Ok(Table { times, values, curvatures })
    }

    /// The times of the points (s), increasing.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The values at these times.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    fn at(&self, time: f64) -> Motion {
        let next = self.times.partition_point(|&t| t <= time);
        if next == 0 {
            return Motion::resting(self.values[0]);
        }
        if next == self.times.len() {
            return Motion::resting(self.values[next - 1]);
        }
        let last = next - 1;
        let h = self.times[next] - self.times[last];
        let (p, q) = ((self.times[next] - time) / h, (time - self.times[last]) / h);
        let (y0, y1) = (self.values[last], self.values[next]);
        let (m0, m1) = (self.curvatures[last], self.curvatures[next]);
        Motion {
            value: p * y0
                + q * y1
                + (p * (p * p - 1.0) * m0 + q * (q * q - 1.0) * m1) * h * h / 6.0,
            rate: (y1 - y0) / h + ((1.0 - 3.0 * p * p) * m0 + (3.0 * q * q - 1.0) * m1) * h / 6.0,
            acceleration: p * m0 + q * m1,
        }
    }
}

/// Second derivatives of the cubic spline whose rate is zero at both ends.
///
/// With `hᵢ` the intervals and `δᵢ` their slopes, `δ = 0` before the first and
/// after the last, where also `h = 0`:
///
/// ```text
///   hᵢ₋₁ mᵢ₋₁ + 2 (hᵢ₋₁ + hᵢ) mᵢ + hᵢ mᵢ₊₁ = 6 (δᵢ − δᵢ₋₁)
/// ```
///
/// Diagonally dominant, so that elimination needs no pivoting.
fn curvatures(times: &[f64], values: &[f64]) -> Vec<f64> {
    let count = times.len();
    if count < 2 {
        return vec![0.0; count];
    }
    let interval = |i: usize| times[i + 1] - times[i];
    let slope = |i: usize| (values[i + 1] - values[i]) / interval(i);
    let mut upper = vec![0.0; count];
    let mut right = vec![0.0; count];
    for i in 0..count {
        let (h0, d0) = if i > 0 { (interval(i - 1), slope(i - 1)) } else { (0.0, 0.0) };
        let (h1, d1) = if i + 1 < count { (interval(i), slope(i)) } else { (0.0, 0.0) };
        let (upper_before, right_before) =
            if i > 0 { (upper[i - 1], right[i - 1]) } else { (0.0, 0.0) };
        let pivot = 2.0 * (h0 + h1) - h0 * upper_before;
        upper[i] = h1 / pivot;
        right[i] = (6.0 * (d1 - d0) - h0 * right_before) / pivot;
    }
    for i in (0..count - 1).rev() {
        right[i] -= upper[i] * right[i + 1];
    }
    right
}
