//! One piece of a step: between collisions and stops.

use super::plan::{Arrival, Law, Plan, Setting, Solved};
use super::{Allowance, TimeStepping, is_flexible};
use crate::detect::{Contact, ContactKey};
use crate::impact::{Impulses, Speeds, Struck, collide};
use crate::journal::Journal;
use crate::repair::repair;
use crate::report::{EnergyLedger, Event, EventKind};
use crate::sweep::relative_motion;
use crate::touching::near;
use crate::world::{State, World};
use stiction_geometry::Twist;

/// Approach slower than this fraction of the fastest motion is rest: what overlap it makes in a
/// step is repaired.
const REST: f64 = 1e-7;

/// Velocities of the start that contradict joints or motors by more than this fraction of the fastest
/// motion change at once, and what that costs is heat. Later the problem of a step keeps them.
const JOLT: f64 = 1e-4;

/// Corrections of the setting with the velocities and forces found.
const CORRECTIONS: usize = 2;

/// Corrections smaller than this fraction of the fastest motion are ignored; where there are joints
/// or springs, whose forces may be far larger than what moves, the second.
const CORRECTED: f64 = 1e-8;
const CORRECTED_JOINTS: f64 = 1e-10;

/// Rounds in which contacts that turn out to be needed are added.
const ADDITIONS: usize = 6;

/// A cut nearer to an end of a piece than this (s) is that end: in less time gravity is rounding.
pub(super) const SLIVER: f64 = 1e-9;

/// A setting that still changes velocities by this fraction of the fastest motion does not settle.
const UNSETTLED: f64 = 1e-4;

/// A setting that changes them by this fraction diverges: it gives no motion.
const DIVERGED: f64 = 0.1;

/// Joints may come apart by this much in a piece (m or rad); it is repaired. Otherwise the piece
/// is halved: in light chains under load the directions of forces turn fast.
const STRAIN: f64 = 1e-6;

/// A piece of at least this fraction of a step predicts accelerations; in shorter ones a stop
/// or an impact would be taken for acceleration.
const LONG_ENOUGH: f64 = 0.1;

/// Bodies that touch turn by at most this in a piece (rad): the laws are about its end, and forces
/// act in its middle.
const TURN: f64 = 0.1;

/// A piece that misses energy or angular momentum is halved until this many halvings in a row left
/// more than this part of what it missed, over what it may: then its length is not the reason.
const STALLS: usize = 2;
const FALLS: f64 = 0.5;

/// A piece is cut at most this often: every cut is at an earlier meeting or stop, and joints and
/// springs halve it nine times at most.
const MOST_CUTS: usize = 64;

/// How a piece may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// Where something happens, if it does.
    Split,
    /// At the given length.
    Whole,
    /// At the given length, by a plain step that keeps bodies apart.
    Plain,
}

/// How a piece that was computed ends.
enum End {
    /// As it was planned.
    Whole,
    /// Sooner, because joints come apart in it.
    Strained,
    /// Where bodies meet.
    Meets(f64),
    /// Where a contact stops.
    Stops(f64, ContactKey),
}

/// A piece after the collisions at its beginning.
struct Begun {
    start: State,
    contacts: Vec<Contact>,
    /// How long it may be (s).
    length: f64,
    /// The fastest motion to be expected (m/s).
    speed: f64,
    struck: Struck,
}

/// A piece that ends as it was planned.
struct Ended {
    solved: Solved,
    arrival: Arrival,
    /// Whether joints or springs made it shorter.
    strained: bool,
    /// Whether a meeting or a stop did.
    cut: bool,
    /// The stops.
    stops: Vec<Event>,
}

/// What a piece of a step was.
pub(super) struct Piece {
    /// How long it was (s).
    pub length: f64,
    /// Whether it was shortened because joints would have come apart.
    pub strained: bool,
    /// Whether it ended where bodies met or a contact stopped.
    pub cut: bool,
    /// What happened in it, its beginning included.
    pub events: Vec<Event>,
    /// Impulses of collisions at its beginning.
    pub impulses: Impulses,
    /// What was known at its beginning.
    pub plan: Plan,
    /// What was found.
    pub solved: Solved,
    /// What bodies received, and where they went.
    pub journal: Journal,
}

impl TimeStepping {
    /// One piece; writes the world and the ledger.
    pub(super) fn substep(
        &mut self,
        world: &mut World,
        allowance: &Allowance,
        ledger: &mut EnergyLedger,
    ) -> Piece {
        let mut journal = Journal::new(world);
        let begun = self.collide(world, allowance, &mut journal);
        ledger.strike(&begun.struck);
        let mut events = begun.struck.events;
        let impulses = begun.struck.impulses;
        let resting = self.still_resting(world, &begun.contacts, allowance.care);
        let extent = (begun.length, begun.speed);
        let mut plan =
            Plan::new(world, begun.start, begun.contacts, resting, extent, allowance.care);
        let Ended { solved, arrival, strained, cut, stops } =
            self.solve_and_cut(world, &mut plan, allowance, ledger);
        events.extend(stops);
        self.session.used(solved.residual, solved.mark.is_none());
        let time = plan.start.time;
        events.extend(solved.mark.clone().map(|what| Event { time, what }));
        self.remember(world, &plan, &solved, allowance);
        journal.append(plan.journal(world, &solved, &self.resting));
        arrival.commit(world, ledger);
        if plan.worst_overlap(world) > 1.0 {
            events.extend(repair(world, &mut self.detector, &mut self.repairing, ledger));
        }
        journal.pass(world, &world.state);
        self.resting.see(world);
        Piece { length: plan.length, strained, cut, events, impulses, plan, solved, journal }
    }

    /// Collisions of bodies that touch at the beginning, and the contacts near after them.
    fn collide(&mut self, world: &World, allowance: &Allowance, journal: &mut Journal) -> Begun {
        let mut start = world.state.clone();
        let length = allowance.length;
        let mut speed = fastest(world, &start, length);
        let mut contacts = self.near(world, &start, speed * length);
        let length = longest(world, &start, &contacts, length).max(allowance.shortest).min(length);
        let collides = |c: &&Contact| Plan::collides(world, &start, length, c);
        let touching: Vec<Contact> = contacts.iter().filter(collides).cloned().collect();
        let begins = self.prediction.acceleration.len() != world.bodies.len();
        let speeds = Speeds {
            rest: REST * speed,
            rebound: world.gravity.length() * length,
            jolt: if begins { JOLT * speed } else { f64::INFINITY },
        };
        let struck = collide(world, &mut start, &touching, speeds, &mut self.repairing, journal);
        if begins || !struck.events.is_empty() {
            self.prediction.acceleration = vec![Twist::ZERO; world.bodies.len()];
        }
        let faster = fastest(world, &start, length);
        if faster > speed {
            speed = faster;
            contacts = self.near(world, &start, speed * length);
        }
        Begun { start, contacts, length, speed, struck }
    }

    /// Which bodies rest on: none in a plain piece.
    fn still_resting(&self, world: &World, contacts: &[Contact], care: Care) -> Vec<bool> {
        if care == Care::Plain {
            return vec![false; world.bodies.len()];
        }
        let near: Vec<Contact> = contacts.iter().filter(|c| near(world, c)).cloned().collect();
        self.resting.bodies(world, &near)
    }

    /// Keeps what the next piece uses.
    fn remember(&mut self, world: &World, plan: &Plan, solved: &Solved, allowance: &Allowance) {
        if plan.length >= LONG_ENOUGH * allowance.step {
            self.prediction.acceleration = plan.acceleration(solved);
        }
        self.resting.remember(world, plan, solved);
    }

    /// Solves a piece, and again up to where it must end, until it ends as it was planned.
    fn solve_and_cut(
        &mut self,
        world: &World,
        plan: &mut Plan,
        allowance: &Allowance,
        ledger: &EnergyLedger,
    ) -> Ended {
        let time = plan.start.time;
        let (mut strained, mut cut, mut stops) = (false, false, Vec::new());
        let mut cuts = 0;
        let (mut excess, mut stalls) = (f64::INFINITY, 0);
        loop {
            let (solved, mut end) = self.solve_piece(world, plan, allowance);
            let shorter = match end {
                // Bodies that meet so near its end overlap by next to nothing.
                End::Meets(shorter) if plan.length - shorter < SLIVER => None,
                End::Whole => None,
                _ if cuts == MOST_CUTS => None,
                End::Strained => Some(0.5 * plan.length),
                End::Meets(shorter) if plan.length > 2.0 * SLIVER => Some(shorter.max(SLIVER)),
                End::Meets(shorter) => Some(shorter),
                End::Stops(shorter, key) => {
                    let what = EventKind::Sticks(key);
                    stops.push(Event { time: time + shorter, what });
                    Some(shorter)
                }
            };
            let shorter = if let Some(shorter) = shorter {
                shorter
            } else {
                let arrival = plan.arrive(world, &solved);
                let before = excess;
                excess = plan.excess(world, &solved, &arrival, ledger);
                stalls = if excess < FALLS * before { 0 } else { stalls + 1 };
                let halve =
                    excess > 1.0 && stalls < STALLS && plan.length > 2.0 * allowance.shortest;
                if !halve {
                    return Ended { solved, arrival, strained, cut, stops };
                }
                end = End::Strained;
                0.5 * plan.length
            };
            strained |= matches!(end, End::Strained);
            cut |= !matches!(end, End::Strained);
            self.expect(plan, &solved);
            plan.shorten(world, shorter);
            cuts += 1;
        }
    }

    /// The next solution of the same piece, or of its first part, begins with the motion found.
    fn expect(&mut self, plan: &Plan, solved: &Solved) {
        if !solved.jammed && solved.unsettled <= UNSETTLED * plan.speed {
            self.prediction.acceleration = plan.acceleration(solved);
        }
    }

    /// Contacts of bodies that touch or may meet while none moves farther than this (m).
    fn near(&mut self, world: &World, start: &State, motion: f64) -> Vec<Contact> {
        let mut contacts = self.detector.detect(world, start, 2.0 * motion);
        contacts.retain(|c| !near(world, c) || !self.detector.passes(world, start, c));
        contacts
    }

    /// Solves, or says where to cut. A plain piece whose setting does not settle, and any in which
    /// it diverges, is computed with the geometry of its beginning.
    fn solve_piece(
        &mut self,
        world: &World,
        plan: &mut Plan,
        allowance: &Allowance,
    ) -> (Solved, End) {
        let least = UNSETTLED * plan.speed;
        let solved = self.solve_corrected(world, plan);
        let strained =
            |solved: &Solved| solved.unsettled > least || plan.strain(world, solved) > STRAIN;
        if plan.length > allowance.shortest && is_flexible(world) && strained(&solved) {
            return (solved, End::Strained);
        }
        let (solved, end) = self.complete(world, plan, solved, allowance.stops);
        let most = if plan.care == Care::Plain { least } else { DIVERGED * plan.speed };
        if !matches!(end, End::Whole) || solved.unsettled <= most {
            return (solved, end);
        }
        plan.straight = true;
        let solved = self.solve_corrected(world, plan);
        self.complete(world, plan, solved, allowance.stops)
    }

    /// Solves until nothing is missing, or says where to cut.
    fn complete(
        &mut self,
        world: &World,
        plan: &mut Plan,
        mut solved: Solved,
        stops: bool,
    ) -> (Solved, End) {
        for _ in 0..ADDITIONS {
            let stopped = plan.stopped(&solved);
            if !stopped.is_empty() {
                if plan.care == Care::Split
                    && stops
                    && let Some((part, key)) = self.first_stop(world, plan, &stopped)
                {
                    return (solved, End::Stops(part * plan.length, key));
                }
                plan.set(&stopped, Law::End);
                self.expect(plan, &solved);
                solved = self.solve_corrected(world, plan);
                continue;
            }
            let met = plan.met(world, &solved, &mut self.detector);
            if let Some(part) = met.first {
                return (solved, End::Meets(part * plan.length));
            }
            if met.slow.is_empty() {
                break;
            }
            if met.slow.iter().any(|c| plan.rests(c)) {
                plan.wake(world);
            }
            plan.add(met.slow);
            self.expect(plan, &solved);
            solved = self.solve_corrected(world, plan);
        }
        (solved, End::Whole)
    }

    /// Solves in the setting of the velocities and forces found until it no longer changes.
    fn solve_corrected(&mut self, world: &World, plan: &mut Plan) -> Solved {
        let corrected = if is_flexible(world) { CORRECTED_JOINTS } else { CORRECTED };
        let enough = corrected * plan.speed;
        let mut setting = self.first_setting(world, plan);
        let mut corrections = 0;
        loop {
            let mut solved = plan.solve(world, &setting, &mut self.session);
            self.prediction.row_forces = solved.row_forces();
            let contacts = &solved.forces.contacts;
            let next =
                plan.setting(world, solved.twists.clone(), contacts, &self.prediction.row_forces);
            solved.unsettled = plan.change(world, &setting, &next);
            if solved.unsettled <= enough || corrections == CORRECTIONS {
                solved.received = plan.received(&setting, contacts, &self.prediction.row_forces);
                solved.work = plan.work(world, &next, contacts);
                return solved;
            }
            setting = next;
            corrections += 1;
        }
    }

    /// The setting if bodies keep their accelerations, under the forces they had.
    fn first_setting(&mut self, world: &World, plan: &Plan) -> Setting {
        let past = &mut self.prediction;
        if past.length > 0.0 && past.length != plan.length {
            let factor = plan.length / past.length;
            self.session.scale(factor);
            past.row_forces.iter_mut().for_each(|force| *force *= factor);
        }
        past.length = plan.length;
        let guess = plan.predicted(world, &past.acceleration);
        plan.setting(world, guess, &self.session.recall(&plan.keys()), &self.prediction.row_forces)
    }

    /// The part of the piece after which the first of these contacts stops, if friction
    /// continues as it began, and which it is. Nothing if no force lets it continue: it is
    /// jammed, and stops at once.
    fn first_stop(
        &mut self,
        world: &World,
        plan: &mut Plan,
        stopped: &[usize],
    ) -> Option<(f64, ContactKey)> {
        let worth: Vec<usize> =
            stopped.iter().copied().filter(|&i| plan.is_worth_a_cut(world, i)).collect();
        if worth.is_empty() {
            return None;
        }
        plan.set(stopped, Law::Onward);
        let setting = self.first_setting(world, plan);
        let onward = plan.solve(world, &setting, &mut self.session);
        let first = plan.first_stop(&onward, &worth);
        plan.set(stopped, Law::End);
        let cut = |part: f64| part * plan.length;
        first.filter(|(part, _)| cut(*part).min(cut(1.0 - part)) > SLIVER)
    }
}

/// The longest piece, up to a length (s), in which bodies that touch, or may, turn by no more than
/// [`TURN`].
fn longest(world: &World, start: &State, contacts: &[Contact], length: f64) -> f64 {
    let rate = |i: usize| start.twists[i].angular.length();
    let twists = [&start.twists[..]; 2];
    let near = |c: &&Contact| {
        let motion = relative_motion(world, (c.a, c.b), twists, length);
        c.touch.geometry.gap <= motion + world.gravity.length() * length * length
    };
    let fastest = contacts.iter().filter(near).map(|c| rate(c.a).max(rate(c.b)));
    TURN / fastest.fold(TURN / length, f64::max)
}

/// The fastest motion of any point that can be expected in a piece (m/s).
fn fastest(world: &World, state: &State, length: f64) -> f64 {
    let fall = world.gravity.length() * length;
    let moving = world.bodies.iter().zip(&state.twists).filter(|(_, twist)| **twist != Twist::ZERO);
    let speed = moving.map(|(body, twist)| {
        let reach = body.bounding_radius();
        let turning = twist.angular.length() * if reach.is_finite() { reach } else { 0.0 };
        twist.linear.length() + turning + body.force.length() / body.mass * length
    });
    speed.fold(0.0, f64::max) + fall + f64::MIN_POSITIVE
}
