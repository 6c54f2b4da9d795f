//! What a run came to, as documented in `docs/commands.md`.

use serde::Serialize;
use std::path::{Path, PathBuf};
use stiction::scene::{Run, Scene};
use stiction::{EnergyLedger, Frame, State, Uniqueness, World, uniqueness};
use stiction_solvers::Parameters;

/// What a run came to.
#[derive(Serialize)]
pub struct Summary {
    pub scene: String,
    pub title: String,
    pub look_for: String,
    pub stepper: &'static str,
    pub solver: &'static str,
    pub parameters: Parameters,
    /// What the solver approximates, if it does.
    pub approximation: Option<&'static str>,
    pub dt: f64,
    pub frames: u64,
    /// Where it got to (s).
    pub time: f64,
    /// Whether Ctrl-C ended it.
    pub interrupted: bool,
    /// Wall-clock time of this call (s).
    pub computing: f64,
    /// State hash of the last frame, in hexadecimal digits.
    pub hash: String,
    pub most_contacts: usize,
    /// Free bodies, those that moved furthest first.
    pub moved: Vec<Moved>,
    /// By kind, in the order in which they first happened.
    pub events: Vec<Happened>,
    pub energy: Energy,
    pub certificate: Certificate,
    pub unique: AtEnd,
    pub recorded: Option<Recorded>,
    #[serde(skip)]
    start: Option<State>,
    #[serde(skip)]
    last: Option<Frame>,
}

/// How far a body got.
#[derive(Serialize)]
pub struct Moved {
    pub body: String,
    /// Of the centre of mass, as the crow flies (m).
    pub way: f64,
    /// From its first attitude to its last (degrees).
    pub turned: f64,
}

/// Events of one kind.
#[derive(Serialize)]
pub struct Happened {
    pub kind: &'static str,
    pub count: usize,
    /// When the first and the last happened (s).
    pub first: f64,
    pub last: f64,
}

/// Where the energy is at the end (J), and what is not accounted for.
#[derive(Default, Serialize)]
pub struct Energy {
    pub kinetic: f64,
    pub potential: f64,
    pub work: f64,
    pub friction: f64,
    pub impacts: f64,
    pub start: f64,
    pub unaccounted: f64,
    /// Relative to what changed hands.
    pub error: f64,
}

/// The judge's word on all answers.
#[derive(Serialize)]
pub struct Certificate {
    pub certified: bool,
    pub solves: u64,
    /// Worst relative residual, and when (s).
    pub worst: f64,
    pub worst_at: f64,
    /// Frames with an answer that is not certified, and the first of them (s).
    pub uncertified_frames: u64,
    pub first_uncertified: Option<f64>,
}

/// What is unique of the contact forces of the last frame.
#[derive(Default, Serialize)]
pub struct AtEnd {
    pub contacts: usize,
    pub not_unique: usize,
    pub undecided: usize,
}

/// The file that was written.
#[derive(Serialize)]
pub struct Recorded {
    pub file: PathBuf,
    pub bytes: u64,
    /// Frames that the file had when the run went on with it.
    pub resumed: Option<u64>,
    /// Bytes after them that were no whole frame.
    pub cut: u64,
}

impl Recorded {
    pub fn at(file: &Path) -> Self {
        Recorded { file: file.to_owned(), bytes: 0, resumed: None, cut: 0 }
    }
}

impl Summary {
    pub fn new(name: &str, scene: &Scene) -> Self {
        let Run { dt, stepper, solver, .. } = &scene.run;
        Summary {
            scene: name.to_owned(),
            title: scene.title.clone(),
            look_for: scene.look_for.clone(),
            stepper: stepper.name(),
            solver: solver.name(),
            parameters: solver.parameters().clone(),
            approximation: solver.solver().approximation(),
            dt: *dt,
            frames: 0,
            time: 0.0,
            interrupted: false,
            computing: 0.0,
            hash: String::new(),
            most_contacts: 0,
            moved: Vec::new(),
            events: Vec::new(),
            energy: Energy::default(),
            certificate: Certificate {
                certified: true,
                solves: 0,
                worst: 0.0,
                worst_at: 0.0,
                uncertified_frames: 0,
                first_uncertified: None,
            },
            unique: AtEnd::default(),
            recorded: None,
            start: None,
            last: None,
        }
    }

    /// Takes the next frame into account.
    pub fn see(&mut self, frame: Frame) {
        let time = frame.state.time;
        (self.frames, self.time) = (self.frames + 1, time);
        self.most_contacts = self.most_contacts.max(frame.contacts.len());
        for event in &frame.events {
            let kind = event.what.name();
            if let Some(known) = self.events.iter_mut().find(|known| known.kind == kind) {
                (known.count, known.last) = (known.count + 1, event.time);
            } else {
                let (first, last) = (event.time, event.time);
                self.events.push(Happened { kind, count: 1, first, last });
            }
        }
        let certificate = &mut self.certificate;
        certificate.solves += u64::from(frame.solves);
        if frame.residual > certificate.worst {
            (certificate.worst, certificate.worst_at) = (frame.residual, time);
        }
        if !frame.certified {
            certificate.certified = false;
            certificate.uncertified_frames += 1;
            certificate.first_uncertified.get_or_insert(time);
        }
        self.start.get_or_insert_with(|| frame.state.clone());
        self.last = Some(frame);
    }

    /// Tells what only the end can: who moved, where the energy is, what is unique.
    pub fn close(&mut self, world: &World) {
        let (Some(start), Some(last)) = (&self.start, &self.last) else { return };
        self.hash = format!("{:016x}", last.state.hash());
        self.moved = moved(world, start, &last.state);
        self.energy = energy(&last.ledger);
        let forces = uniqueness(world, last).forces;
        let count = |word| forces.iter().filter(|verdict| **verdict == word).count();
        self.unique = AtEnd {
            contacts: forces.len(),
            not_unique: count(Uniqueness::NotUnique),
            undecided: count(Uniqueness::Undecided),
        };
    }
}

fn moved(world: &World, start: &State, end: &State) -> Vec<Moved> {
    let mut moved: Vec<Moved> = world
        .free_bodies()
        .map(|(id, body)| {
            let (from, to) = (start.pose(id), end.pose(id));
            Moved {
                body: body.name.clone(),
                way: from.position.distance(to.position),
                turned: from.rotation.angle_between(to.rotation).to_degrees(),
            }
        })
        .collect();
    moved.sort_by(|one, other| other.way.total_cmp(&one.way));
    moved
}

fn energy(ledger: &EnergyLedger) -> Energy {
    let EnergyLedger { kinetic, potential, work, friction, impacts, start, .. } = *ledger;
    let (unaccounted, error) = (ledger.residual(), ledger.error());
    Energy { kinetic, potential, work, friction, impacts, start, unaccounted, error }
}
