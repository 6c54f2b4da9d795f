//! The columns of the tables, and the rows of a frame. `docs/recording.md` gives the units.

use super::ExportError;
use super::table::{Cell, Column, flag, number, text, whole};
use serde_json::Value;
use stiction::motion::LawName;
use stiction::{ContactRecord, EventKind, Frame, Mode, Unique, Uniqueness};

/// Writes a row.
type Row<'a> = dyn FnMut(&[Cell<'_>]) -> Result<(), ExportError> + 'a;

/// A table: its name, its columns, and its rows of a frame.
pub struct Table {
    pub name: &'static str,
    pub columns: &'static [Column<'static>],
    pub rows: fn(&Rows<'_>, &mut Row<'_>) -> Result<(), ExportError>,
}

/// What rows are made of: a frame, names, and what is unique if requested.
pub struct Rows<'a> {
    pub frame: &'a Frame,
    pub names: &'a Names,
    pub unique: Option<&'a Unique>,
}

pub const TABLES: [Table; 6] = [
    Table { name: "bodies", columns: &BODIES, rows: bodies },
    Table { name: "contacts", columns: &CONTACTS, rows: contacts },
    Table { name: "joints", columns: &JOINTS, rows: joints },
    Table { name: "events", columns: &EVENTS, rows: events },
    Table { name: "energies", columns: &ENERGIES, rows: energies },
    Table { name: "laws", columns: &LAWS, rows: laws },
];

/// Names of bodies and joints.
pub struct Names {
    pub bodies: Vec<String>,
    joints: Vec<String>,
}

impl Names {
    /// From the description of a scene.
    pub fn new(description: &Value) -> Self {
        let name = |it: &Value| it["name"].as_str().unwrap_or_default().to_owned();
        let names = |what: &str| {
            let list = description[what].as_array();
            list.map_or_else(Vec::new, |list| list.iter().map(name).collect())
        };
        Names { bodies: names("bodies"), joints: names("joints") }
    }

    pub fn body(&self, index: usize) -> &str {
        self.bodies.get(index).map_or("", String::as_str)
    }

    pub fn joint(&self, index: usize) -> &str {
        self.joints.get(index).map_or("", String::as_str)
    }
}

const BODIES: [Column<'static>; 22] = [
    whole("frame"),
    number("time"),
    text("body"),
    number("x"),
    number("y"),
    number("z"),
    number("qx"),
    number("qy"),
    number("qz"),
    number("qw"),
    number("vx"),
    number("vy"),
    number("vz"),
    number("wx"),
    number("wy"),
    number("wz"),
    number("impulse_x"),
    number("impulse_y"),
    number("impulse_z"),
    number("angular_impulse_x"),
    number("angular_impulse_y"),
    number("angular_impulse_z"),
];

fn bodies(rows: &Rows<'_>, put: &mut Row<'_>) -> Result<(), ExportError> {
    let Rows { frame, names, .. } = rows;
    let mut row = begin(frame);
    for (i, (pose, twist)) in frame.state.poses.iter().zip(&frame.state.twists).enumerate() {
        row.truncate(2);
        row.push(Cell::Text(names.body(i)));
        row.extend(pose.position.to_array().map(Cell::Number));
        row.extend(pose.rotation.to_array().map(Cell::Number));
        row.extend(twist.linear.to_array().map(Cell::Number));
        row.extend(twist.angular.to_array().map(Cell::Number));
        let impulse = frame.impulses.get(i).copied().unwrap_or_default();
        row.extend(impulse.linear.to_array().map(Cell::Number));
        row.extend(impulse.angular.to_array().map(Cell::Number));
        put(&row)?;
    }
    Ok(())
}

const CONTACTS: [Column<'static>; 29] = [
    whole("frame"),
    number("time"),
    text("first"),
    text("second"),
    whole("feature"),
    number("x"),
    number("y"),
    number("z"),
    number("nx"),
    number("ny"),
    number("nz"),
    number("gap"),
    number("normal_force"),
    number("friction_x"),
    number("friction_y"),
    number("friction_z"),
    number("normal_impulse"),
    number("friction_impulse_x"),
    number("friction_impulse_y"),
    number("friction_impulse_z"),
    number("slip_x"),
    number("slip_y"),
    number("slip_z"),
    text("mode"),
    number("margin"),
    number("static_friction"),
    number("dynamic_friction"),
    text("unique"),
    text("normal_unique"),
];

fn contacts(rows: &Rows<'_>, put: &mut Row<'_>) -> Result<(), ExportError> {
    let Rows { frame, names, unique } = rows;
    let mut row = begin(frame);
    for (i, contact) in frame.contacts.iter().enumerate() {
        row.truncate(2);
        contact_cells(contact, names, &mut row);
        let of = |all: &[Uniqueness]| all.get(i).copied().map(uniqueness_word);
        let recorded = of(&frame.unique);
        let whole = unique.and_then(|unique| of(&unique.forces)).or(recorded);
        row.push(Cell::text(whole));
        row.push(Cell::text(unique.and_then(|unique| of(&unique.normals))));
        put(&row)?;
    }
    Ok(())
}

fn contact_cells<'a>(contact: &ContactRecord, names: &'a Names, row: &mut Vec<Cell<'a>>) {
    row.extend(contact.key.bodies().map(|body| Cell::Text(names.body(body.index()))));
    row.push(Cell::Whole(contact.key.feature));
    row.extend(contact.point.to_array().map(Cell::Number));
    row.extend(contact.normal.to_array().map(Cell::Number));
    row.extend([contact.gap, contact.normal_force].map(Cell::Number));
    row.extend(contact.friction_force.to_array().map(Cell::Number));
    row.push(Cell::Number(contact.normal_impulse));
    row.extend(contact.friction_impulse.to_array().map(Cell::Number));
    row.extend(contact.slip.to_array().map(Cell::Number));
    row.push(Cell::Text(match contact.mode {
        Mode::Open => "open",
        Mode::Stick => "stick",
        Mode::Slip => "slip",
    }));
    row.push(Cell::number(contact.margin));
    row.extend(contact.friction.map(Cell::Number));
}

fn uniqueness_word(verdict: Uniqueness) -> &'static str {
    match verdict {
        Uniqueness::Unique => "unique",
        Uniqueness::NotUnique => "not-unique",
        Uniqueness::Undecided => "undecided",
    }
}

const JOINTS: [Column<'static>; 12] = [
    whole("frame"),
    number("time"),
    text("joint"),
    number("fx"),
    number("fy"),
    number("fz"),
    number("tx"),
    number("ty"),
    number("tz"),
    number("drive"),
    number("coordinate"),
    number("turn"),
];

fn joints(rows: &Rows<'_>, put: &mut Row<'_>) -> Result<(), ExportError> {
    let Rows { frame, names, .. } = rows;
    let mut row = begin(frame);
    for (i, (joint, turn)) in frame.joints.iter().zip(&frame.state.turns).enumerate() {
        row.truncate(2);
        row.push(Cell::Text(names.joint(i)));
        row.extend(joint.force.to_array().map(Cell::Number));
        row.extend(joint.torque.to_array().map(Cell::Number));
        row.push(Cell::Number(joint.drive));
        row.extend([Cell::number(joint.coordinate), Cell::Number(*turn)]);
        put(&row)?;
    }
    Ok(())
}

const EVENTS: [Column<'static>; 14] = [
    whole("frame"),
    number("time"),
    text("kind"),
    text("first"),
    text("second"),
    whole("feature"),
    text("joint"),
    number("speed"),
    number("lost"),
    number("impulse"),
    number("factor"),
    number("residual"),
    number("duration"),
    text("reason"),
];

fn events(rows: &Rows<'_>, put: &mut Row<'_>) -> Result<(), ExportError> {
    let Rows { frame, names, .. } = rows;
    for event in &frame.events {
        let mut row = vec![Cell::Whole(frame.index), Cell::Number(event.time)];
        row.push(Cell::Text(event.what.name()));
        row.extend(match event.what.contact() {
            Some(key) => [
                Cell::Text(names.body(key.a.index())),
                Cell::Text(names.body(key.b.index())),
                Cell::Whole(key.feature),
            ],
            None => [Cell::Nothing; 3],
        });
        let (mut joint, mut numbers, mut why) = (None, [None; 6], None);
        match &event.what {
            EventKind::Collision { speed, lost, .. } => {
                [numbers[0], numbers[1]] = [Some(*speed), Some(*lost)];
            }
            EventKind::Impulse { size, lost, .. } => {
                [numbers[1], numbers[2]] = [Some(*lost), Some(*size)];
            }
            EventKind::Joint(id) => joint = Some(names.joint(id.index())),
            EventKind::RestitutionReduced { factor } => numbers[3] = Some(*factor),
            EventKind::Uncertified { residual } => numbers[4] = Some(*residual),
            EventKind::FellBack { duration, reason } => {
                numbers[5] = Some(*duration);
                why = Some(reason.to_string());
            }
            _ => {}
        }
        row.push(Cell::text(joint));
        row.extend(numbers.map(Cell::number));
        row.push(Cell::text(why.as_deref()));
        put(&row)?;
    }
    Ok(())
}

const ENERGIES: [Column<'static>; 13] = [
    whole("frame"),
    number("time"),
    number("kinetic"),
    number("potential"),
    number("work"),
    number("friction"),
    number("impacts"),
    number("start"),
    number("unaccounted"),
    number("error"),
    number("residual"),
    flag("certified"),
    whole("solves"),
];

fn energies(rows: &Rows<'_>, put: &mut Row<'_>) -> Result<(), ExportError> {
    let Rows { frame, .. } = rows;
    let ledger = &frame.ledger;
    let mut row = begin(frame);
    let kept = [
        ledger.kinetic,
        ledger.potential,
        ledger.work,
        ledger.friction,
        ledger.impacts,
        ledger.start,
    ];
    row.extend(kept.map(Cell::Number));
    row.extend([ledger.residual(), ledger.error(), frame.residual].map(Cell::Number));
    row.extend([Cell::Flag(frame.certified), Cell::Whole(frame.solves.into())]);
    put(&row)
}

const LAWS: [Column<'static>; 5] =
    [whole("frame"), number("time"), text("law"), number("worst"), flag("holds")];

fn laws(rows: &Rows<'_>, put: &mut Row<'_>) -> Result<(), ExportError> {
    let verdict = &rows.frame.verdict;
    let mut row = begin(rows.frame);
    for (k, law) in LawName::ALL.into_iter().enumerate() {
        row.truncate(2);
        row.push(Cell::Text(law.name()));
        let worst = verdict.worst[k];
        row.push(Cell::number((!worst.is_nan()).then_some(worst)));
        row.push(Cell::Flag(!verdict.broken[k]));
        put(&row)?;
    }
    Ok(())
}

/// The first cells of every row of a frame.
fn begin<'a>(frame: &Frame) -> Vec<Cell<'a>> {
    vec![Cell::Whole(frame.index), Cell::Number(frame.state.time)]
}
