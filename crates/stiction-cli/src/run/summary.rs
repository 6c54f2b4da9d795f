//! The report of a run, as data: the JSON documented in `docs/commands.md`.

use super::forces::{self, ContactLine, DrivenLine, MotorLine};
use crate::laws::LawReport;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stiction::Simulation;
use stiction::motion::RunCertificate;
use stiction::scene::{Run, Scene};
use stiction::{BodyId, EnergyLedger, Frame, State, Uniqueness, World, uniqueness};
use stiction_solvers::Parameters;

/// The report of a run.
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
    /// Time of the last frame (s).
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
    /// Bodies that overlapped and were moved apart before the run began.
    pub separated: Separated,
    /// By kind, in the order in which they first happened.
    pub events: Vec<Events>,
    pub energy: Energy,
    pub certificate: Certificate,
    pub unique: AtEnd,
    /// The contacts of the last frame, if requested.
    pub forces: Option<Vec<ContactLine>>,
    /// Motors, and what is exerted on driven bodies, in the last frame.
    pub motors: Vec<MotorLine>,
    pub driven: Vec<DrivenLine>,
    pub recorded: Option<Recorded>,
    #[serde(skip)]
    start: Option<State>,
    #[serde(skip)]
    last: Option<Frame>,
}

/// How far a body moved from the first frame to the last.
#[derive(Serialize)]
pub struct Moved {
    pub body: String,
    /// Distance of the centre of mass from where it began (m).
    pub displacement: f64,
    /// Angle between its first and last orientation (degrees).
    pub rotation: f64,
    /// The older name of `displacement`.
    way: f64,
    /// The older name of `rotation`.
    turned: f64,
}

/// Bodies that overlapped in the scene, moved apart.
#[derive(Default, Serialize)]
pub struct Separated {
    /// Pairs that overlapped.
    pub pairs: usize,
    /// The deepest overlap (m) and its bodies.
    pub depth: f64,
    pub deepest: Option<[String; 2]>,
    /// Bodies that were moved.
    pub bodies: usize,
    /// The farthest displacement (m).
    pub farthest: f64,
    /// The same in a sentence.
    pub words: Option<String>,
    /// Whether the overlap was more than coordinates of three digits leave.
    #[serde(skip)]
    pub is_deep: bool,
}

/// Events of one kind.
#[derive(Serialize)]
pub struct Events {
    pub kind: &'static str,
    pub count: usize,
    /// When the first and the last happened (s).
    pub first: f64,
    pub last: f64,
}

/// The energy ledger at the end, and its error (J).
#[derive(Default, Serialize)]
pub struct Energy {
    pub kinetic: f64,
    pub potential: f64,
    pub work: f64,
    pub friction: f64,
    pub impacts: f64,
    pub start: f64,
    pub unaccounted: f64,
    /// The error relative to the energy that was converted.
    pub error: f64,
}

/// The certificate of the run: of all answers, summed up, and of the motion.
#[derive(Serialize)]
pub struct Certificate {
    /// Whether every law holds.
    pub holds: bool,
    /// Whether every answer is certified: the first of the laws.
    pub certified: bool,
    pub solves: u64,
    /// Worst relative residual, and when (s).
    pub worst: f64,
    pub worst_at: f64,
    /// Frames with an answer that is not certified, and the first of them (s).
    pub uncertified_frames: u64,
    pub first_uncertified: Option<f64>,
    /// The laws of motion, one by one.
    pub laws: Vec<LawReport>,
    /// How many answers each method gave.
    pub answers: BTreeMap<String, u64>,
}

/// How many contact forces of the last frame are unique.
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
    /// Frames in the file when the run was resumed.
    pub resumed: Option<u64>,
    /// Bytes after them that were not a complete frame.
    pub cut: u64,
}

impl Recorded {
    pub fn at(file: &Path) -> Self {
        Recorded { file: file.to_owned(), bytes: 0, resumed: None, cut: 0 }
    }
}

impl Summary {
    /// Enters what was moved apart before the run.
    pub fn see_start(&mut self, simulation: &Simulation) {
        let separation = simulation.separated();
        let world = &simulation.world;
        let name = |id: BodyId| world.body(id).name.clone();
        self.separated = Separated {
            pairs: separation.pairs,
            depth: separation.deepest.map_or(0.0, |(_, depth)| depth),
            deepest: separation.deepest.map(|(bodies, _)| bodies.map(name)),
            bodies: separation.moved.len(),
            farthest: separation.farthest(),
            words: separation.words(world),
            is_deep: !separation.deep.is_empty(),
        };
    }

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
            separated: Separated::default(),
            events: Vec::new(),
            energy: Energy::default(),
            certificate: Certificate {
                certified: true,
                solves: 0,
                worst: 0.0,
                worst_at: 0.0,
                uncertified_frames: 0,
                first_uncertified: None,
                holds: true,
                laws: Vec::new(),
                answers: BTreeMap::new(),
            },
            unique: AtEnd::default(),
            forces: None,
            motors: Vec::new(),
            driven: Vec::new(),
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
                self.events.push(Events { kind, count: 1, first, last });
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

    /// Adds what is known at the end: motions, energies, uniqueness, forces, the laws.
    pub fn close(&mut self, world: &World, certificate: &RunCertificate, with_forces: bool) {
        self.certificate.holds = certificate.holds();
        self.certificate.laws = certificate.laws.iter().map(LawReport::new).collect();
        self.certificate.answers.clone_from(&certificate.answers);
        let (Some(start), Some(last)) = (&self.start, &self.last) else { return };
        self.hash = format!("{:016x}", last.state.hash());
        self.moved = moved(world, start, &last.state);
        self.energy = energy(&last.ledger);
        let unique = uniqueness(world, last).forces;
        let count = |kind| unique.iter().filter(|verdict| **verdict == kind).count();
        self.forces = with_forces.then(|| forces::contacts(world, last, &unique));
        self.motors = forces::motors(world, last);
        self.driven = forces::driven(world, last, self.dt);
        self.unique = AtEnd {
            contacts: unique.len(),
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
            let displacement = from.position.distance(to.position);
            let rotation = from.rotation.angle_between(to.rotation).to_degrees();
            let (way, turned) = (displacement, rotation);
            Moved { body: body.name.clone(), displacement, rotation, way, turned }
        })
        .collect();
    moved.sort_by(|one, other| other.displacement.total_cmp(&one.displacement));
    moved
}

fn energy(ledger: &EnergyLedger) -> Energy {
    let EnergyLedger { kinetic, potential, work, friction, impacts, start, .. } = *ledger;
    let (unaccounted, error) = (ledger.residual(), ledger.error());
    Energy { kinetic, potential, work, friction, impacts, start, unaccounted, error }
}
