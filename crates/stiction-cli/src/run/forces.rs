//! Forces at the end of a run: of contacts, of motors, on driven bodies.

use serde::Serialize;
use stiction::joint::JointKind;
use stiction::{BodyId, ContactRecord, Frame, Impulse, Mode, Motion, Uniqueness, World};
use stiction_terminal::say;

/// One contact of the last frame.
#[derive(Serialize)]
pub struct ContactLine {
    first: String,
    second: String,
    point: [f64; 3],
    normal: [f64; 3],
    gap: f64,
    /// On the first body (N).
    normal_force: f64,
    friction_force: [f64; 3],
    mode: &'static str,
    /// None without force or friction, and where the force is not unique.
    margin: Option<f64>,
    unique: &'static str,
}

/// A joint with a motor, in the last frame.
#[derive(Serialize)]
pub struct MotorLine {
    joint: String,
    /// Force (N) or torque (N·m) along the free coordinate.
    drive: f64,
    unit: &'static str,
    /// The free coordinate (m or rad).
    coordinate: Option<f64>,
}

/// A driven body: what the others exerted on it in the last frame, in the mean.
#[derive(Serialize)]
pub struct DrivenLine {
    body: String,
    force: [f64; 3],
    /// About its centre of mass.
    torque: [f64; 3],
}

/// The contacts of a frame, with the verdict on their forces.
pub fn contacts(world: &World, frame: &Frame, unique: &[Uniqueness]) -> Vec<ContactLine> {
    let line = |(contact, unique): (&ContactRecord, &Uniqueness)| {
        let [first, second] = contact.key.bodies().map(|body| world.body(body).name.clone());
        ContactLine {
            first,
            second,
            point: contact.point.to_array(),
            normal: contact.normal.to_array(),
            gap: contact.gap,
            normal_force: contact.normal_force,
            friction_force: contact.friction_force.to_array(),
            mode: match contact.mode {
                Mode::Open => "open",
                Mode::Stick => "stick",
                Mode::Slip => "slip",
            },
            margin: contact
                .margin
                .filter(|_| *unique == Uniqueness::Unique || contact.mode == Mode::Slip),
            unique: match unique {
                Uniqueness::Unique => "unique",
                Uniqueness::NotUnique => "not-unique",
                Uniqueness::Undecided => "undecided",
            },
        }
    };
    frame.contacts.iter().zip(unique).map(line).collect()
}

/// The motors of a world in a frame.
pub fn motors(world: &World, frame: &Frame) -> Vec<MotorLine> {
    let driven = world.joints().zip(&frame.joints).filter(|((_, joint), _)| joint.motor.is_some());
    let line = |((_, joint), record): ((_, &stiction::joint::Joint), &stiction::JointRecord)| {
        let turns = matches!(joint.kind, JointKind::Hinge);
        MotorLine {
            joint: joint.name.clone(),
            drive: record.drive,
            unit: if turns { "N·m" } else { "N" },
            coordinate: record.coordinate,
        }
    };
    driven.map(line).collect()
}

/// The driven bodies of a world; `duration` is the time since the frame before (s).
pub fn driven(world: &World, frame: &Frame, duration: f64) -> Vec<DrivenLine> {
    let is_driven = |(id, _): &(BodyId, &stiction::Body)| {
        matches!(world.body(*id).motion, Motion::Driven { .. })
    };
    let line = |(id, body): (BodyId, &stiction::Body)| {
        let Impulse { linear, angular } =
            frame.impulses.get(id.index()).copied().unwrap_or_default();
        let [force, torque] = [linear, angular].map(|impulse| (impulse / duration).to_array());
        DrivenLine { body: body.name.clone(), force, torque }
    };
    world.bodies().filter(is_driven).map(line).collect()
}

pub fn print_contacts(contacts: &[ContactLine]) {
    say!(
        "\n{:<28}  {:>13}  {:>13}  {:<5}  {:>7}  {:<10}",
        "contacts at the end",
        "normal N",
        "friction N",
        "mode",
        "margin",
        "unique"
    );
    for it in contacts {
        let pair = format!("{} on {}", it.first, it.second);
        let friction = it.friction_force.iter().map(|x| x * x).sum::<f64>().sqrt();
        let margin = it.margin.map_or_else(|| "–".into(), |m| format!("{:.1} %", 100.0 * m));
        let (normal, mode, unique) = (it.normal_force, it.mode, it.unique);
        say!("  {pair:<26}  {normal:>13.6}  {friction:>13.6}  {mode:<5}  {margin:>7}  {unique}");
    }
}

pub fn print_drives(motors: &[MotorLine], driven: &[DrivenLine]) {
    if !motors.is_empty() {
        say!("\n{:<24}  {:>14}       {:>14}", "motors at the end", "drive", "coordinate");
    }
    for MotorLine { joint, drive, unit, coordinate } in motors {
        let place = coordinate.map_or_else(|| "–".into(), |x| format!("{x:.6}"));
        say!("  {joint:<22}  {drive:>14.6} {unit:<4}  {place:>13}");
    }
    if !driven.is_empty() {
        say!("\n{:<24}  {:>14}  {:>14}", "load of driven bodies", "force N", "torque N·m");
    }
    for DrivenLine { body, force, torque } in driven {
        let [force, torque] = [force, torque].map(|v| v.iter().map(|x| x * x).sum::<f64>().sqrt());
        say!("  {body:<22}  {force:>14.6}  {torque:>14.6}");
    }
}
