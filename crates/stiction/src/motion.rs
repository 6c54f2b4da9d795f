//! The judge of motion: what a run is worth, from its frames and the description of its world.
//!
//! It reads states, contacts, impulses and waypoints of frames, and masses, shapes and joints of the
//! world. It shares nothing with the steppers (`crates/stiction/tests/judge_of_motion.rs` checks what it
//! imports), so that a recording made elsewhere can be judged too. `docs/certificates.md` has the table of laws and
//! bounds.
//!
//! | file | law |
//! | --- | --- |
//! | `motion/law.rs`, `motion/bounds.rs` | names, verdicts, certificates; how far each law may be off |
//! | `motion/overlap.rs`, `motion/solid.rs` | nothing is in anything else; convex solids and axes that separate them |
//! | `motion/path.rs` | where a body is between two frames |
//! | `motion/modes.rs` | contacts do what their modes say |
//! | `motion/joints.rs` | joints hold |
//! | `motion/energy.rs` | the ledger closes |
//! | `motion/momentum.rs` | momenta change by the impulses booked |
//! | `motion/unique.rs` | whether the motion is shown to be unique |

mod bounds;
mod energy;
mod joints;
mod law;
mod modes;
mod momentum;
mod overlap;
pub(crate) mod path;
mod solid;
mod unique;

pub use bounds::Bounds;
pub use law::{FrameVerdict, Law, LawName, RunCertificate};
pub use overlap::UNRESOLVED;

use crate::frame::Frame;
use crate::journal::Waypoint;
use crate::report::{ContactRecord, Event, EventKind};
use crate::scene::{Run, StepperKind};
use crate::simulation::CHECKPOINT;
use crate::world::{BodyId, State, World};
use glam::DVec3;
use law::{Place, Worst};
use path::{Knot, Track};
use std::collections::{BTreeMap, HashMap};

/// Judges the frames of a run one after the other.
pub struct MotionJudge {
    world: World,
    stepper: StepperKind,
    requested: &'static str,
    bounds: [f64; 7],
    /// Bounds of runs in which event-driven fell back to time-stepping.
    fallen: [f64; 7],
    overlap: overlap::Overlap,
    modes: modes::Modes,
    energy: energy::Energy,
    momentum: momentum::Momentum,
    unique: unique::Unique,
    last: Option<State>,
    worst: [Worst; 7],
    broken: [bool; 7],
    answers: BTreeMap<String, u64>,
    frames: u64,
}

impl MotionJudge {
    /// A judge of a run of this world.
    pub fn new(world: &World, run: &Run) -> Self {
        MotionJudge {
            overlap: overlap::Overlap::new(world),
            world: world.clone(),
            stepper: run.stepper,
            requested: run.solver.name(),
            bounds: LawName::ALL.map(|law| run.bounds.of(law, run.stepper)),
            fallen: LawName::ALL.map(|law| run.bounds.of(law, StepperKind::TimeStepping)),
            modes: modes::Modes::default(),
            energy: energy::Energy::default(),
            momentum: momentum::Momentum::default(),
            unique: unique::Unique::default(),
            last: None,
            worst: [Worst::NONE; 7],
            broken: [false; 7],
            answers: BTreeMap::new(),
            frames: 0,
        }
    }

    /// The world was changed from outside: what follows is not compared with what was before, and
    /// what was found stays.
    pub fn altered(&mut self, world: &World) {
        self.overlap = overlap::Overlap::new(world);
        self.world = world.clone();
        (self.modes, self.momentum) = (modes::Modes::default(), momentum::Momentum::default());
        self.energy.restart();
        self.last = None;
    }

    /// Begins with a frame that was judged elsewhere: a run that is resumed.
    pub fn begin(&mut self, frame: &Frame) {
        self.last = Some(frame.state.clone());
        self.modes.begin(frame);
        self.energy.begin(&frame.ledger);
        self.forget();
    }

    /// Whether it has seen a frame.
    pub fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// Forgets what adds up from frame to frame, so that what follows depends on the last frame
    /// alone: the judge of a run that is resumed there finds the same.
    fn forget(&mut self) {
        self.overlap.forget();
        self.modes.forget();
        self.energy.forget();
        self.momentum = momentum::Momentum::default();
        self.unique = unique::Unique::default();
    }

    /// Stepper or solver were changed: bounds are those of the new one.
    pub fn run_by(&mut self, run: &Run) {
        (self.stepper, self.requested) = (run.stepper, run.solver.name());
        self.bounds = LawName::ALL.map(|law| run.bounds.of(law, run.stepper));
    }

    /// Where event-driven fell back to time-stepping, the run is as exact as that.
    fn follow_fallback(&mut self, frame: &Frame) {
        let fell_back = |event: &Event| matches!(event.what, EventKind::FellBack { .. });
        if frame.events.iter().any(fell_back) {
            for (bound, fallen) in self.bounds.iter_mut().zip(&self.fallen) {
                *bound = bound.max(*fallen);
            }
        }
    }

    /// Judges the next frame. What adds up from frame to frame begins again at every checkpoint.
    pub fn see(&mut self, frame: &Frame) -> FrameVerdict {
        let mut found = [Worst::NONE; 7];
        self.follow_fallback(frame);
        if frame.index > 1 && (frame.index - 1).is_multiple_of(CHECKPOINT) {
            self.forget();
        }
        let later = self.last.as_ref().is_none_or(|last| frame.state.time > last.time);
        let fits = frame.state.poses.len() == self.world.bodies.len()
            && frame.state.turns.len() == self.world.joints.len()
            && frame.contacts.iter().all(|contact| is_of(&self.world, contact))
            && frame.state.is_finite()
            && later;
        if fits {
            self.judge(frame, &mut found);
            self.last = Some(frame.state.clone());
        } else {
            found.iter_mut().take(6).for_each(|worst| {
                worst.note(f64::INFINITY, frame.state.time, || {
                    Place::Ledger("no state that can follow")
                });
            });
            self.last = None;
        }
        self.count(frame);
        let mut verdict = FrameVerdict::default();
        for (k, law) in LawName::ALL.into_iter().enumerate() {
            verdict.worst[k] = found[k].value;
            verdict.broken[k] = match law {
                LawName::Contact => !is_certified(frame) || found[k].value > self.bounds[k],
                _ => found[k].value > self.bounds[k],
            };
            self.worst[k].join(&found[k]);
            self.broken[k] |= verdict.broken[k];
        }
        verdict
    }

    fn judge(&mut self, frame: &Frame, found: &mut [Worst; 7]) {
        let (state, world) = (&frame.state, &self.world);
        let [contact, overlap, modes, joints, energy, momentum, unique] = found;
        self.unique.see(world, frame, unique);
        contact.note(frame.residual, state.time, || Place::Nowhere);
        joints::see(world, state, self.last.as_ref(), joints);
        let from = self.last.as_ref().unwrap_or(state);
        let times = [from.time, state.time];
        let tracks = tracks(world, from, state, &frame.waypoints);
        let mut normals: HashMap<[BodyId; 2], Vec<DVec3>> = HashMap::new();
        let moves = !self.has_begun() || tracks.iter().any(Track::moves);
        for contact in frame.contacts.iter().filter(|_| moves) {
            normals.entry(contact.key.bodies()).or_default().push(contact.normal);
        }
        self.overlap.see(world, &tracks, times, &normals, overlap);
        let led = self.last.is_some().then_some((&tracks[..], times));
        self.modes.see(world, frame, led, modes);
        if self.stepper == StepperKind::FirstOrder {
            return;
        }
        self.energy.see(world, state, &frame.ledger, frame.index, energy);
        if let Some(before) = &self.last {
            self.momentum.see(world, before, state, &frame.impulses, momentum);
        }
    }

    /// Takes the verdict of a frame that was judged before into the certificate.
    pub fn recall(&mut self, frame: &Frame) {
        self.follow_fallback(frame);
        for k in 0..LawName::ALL.len() {
            let (value, time) = (frame.verdict.worst[k], frame.state.time);
            self.worst[k].join(&Worst { value, time, place: Place::Ledger("recorded before") });
            self.broken[k] |= frame.verdict.broken[k];
        }
        self.count(frame);
    }

    fn count(&mut self, frame: &Frame) {
        self.frames += 1;
        for (name, count) in &frame.answers {
            *self.answers.entry(name.clone()).or_default() += count;
        }
    }

    /// What the run is worth so far.
    pub fn certificate(&self) -> RunCertificate {
        let law = |(k, name): (usize, LawName)| {
            let Worst { value, time, place } = self.worst[k];
            let (bound, holds) = (self.bounds[k], !self.broken[k]);
            Law { name, worst: value, bound, holds, time, place: place.describe(&self.world) }
        };
        RunCertificate {
            laws: LawName::ALL.into_iter().enumerate().map(law).collect(),
            requested: self.requested.to_owned(),
            answers: self.answers.clone(),
            frames: self.frames,
        }
    }
}

/// Whether every answer behind a frame is certified, by all it says.
fn is_certified(frame: &Frame) -> bool {
    let uncertified = |event: &Event| matches!(event.what, EventKind::Uncertified { .. });
    frame.certified && !frame.events.iter().any(uncertified)
}

/// Whether a contact is one of bodies of a world.
fn is_of(world: &World, contact: &ContactRecord) -> bool {
    contact.key.bodies().iter().all(|body| body.index() < world.bodies.len())
}

/// The paths of all bodies from one state to the next.
fn tracks<'a>(
    world: &'a World,
    from: &State,
    to: &State,
    waypoints: &[Waypoint],
) -> Vec<Track<'a>> {
    let knot = |state: &State, i: usize| Knot {
        time: state.time,
        pose: state.poses[i],
        twist: state.twists[i],
    };
    let within = |point: &&Waypoint| point.time >= from.time && point.time <= to.time;
    let mut stops: Vec<Vec<Waypoint>> = vec![Vec::new(); world.bodies.len()];
    for point in waypoints.iter().filter(within) {
        if let Some(stops) = stops.get_mut(point.body.index()) {
            stops.push(*point);
        }
    }
    let bodies = world.bodies.iter().enumerate().zip(&mut stops);
    let track = |((i, body), stops): ((usize, &'a crate::world::Body), &mut Vec<Waypoint>)| {
        stops.sort_by(|p, q| p.time.total_cmp(&q.time));
        Track::new(body, &knot(from, i), &knot(to, i), stops)
    };
    bodies.map(track).collect()
}
