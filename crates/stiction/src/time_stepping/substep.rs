//! One piece of a step: between collisions and stops.

use super::plan::{Arrival, Law, Plan, Setting, Solved};
use super::runner::{Allowance, MOST_STOPS, Runner};
use super::strikes::Begun;
use crate::detect::{Contact, ContactKey};
use crate::impact::{Impulses, Struck};
use crate::journal::Journal;
use crate::repair::repair;
use crate::report::{EnergyLedger, Event, EventKind};
use crate::touching::near;
use crate::world::World;

/// Corrections of the setting with the velocities and forces found: without any a smooth motion is of
/// second order already, as its accelerations predict it. Where there are joints or springs, whose
/// directions of force turn, two.
const CORRECTIONS: usize = 1;
const CORRECTIONS_JOINTS: usize = 2;

/// Corrections smaller than this fraction of the fastest motion are ignored; where there are joints
/// or springs, whose forces may be far larger than what moves, the second.
const CORRECTED: f64 = 1e-7;
const CORRECTED_JOINTS: f64 = 1e-10;

/// Rounds in which bodies that turn out to meet in a plain piece collide before it.
const STRIKES: usize = 2;

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
    /// At the given length; bodies that meet in it collide before it.
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
    /// As it was planned, but these contacts have to collide before it.
    Struck(Vec<Contact>),
}

/// What a solution of a piece lacks.
enum Missing {
    Nothing,
    /// Laws or contacts, which the plan has now.
    Added,
    /// A piece that ends sooner.
    Cut(End),
}

/// A piece that ends as it was planned.
struct Ended {
    solved: Solved,
    arrival: Arrival,
    /// Whether joints or springs made it shorter.
    strained: bool,
    /// Whether a meeting or a stop did.
    cut: bool,
    /// The stop that it ends with.
    stop: Option<Event>,
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

impl Runner {
    /// One piece; writes the world and the ledger.
    pub(super) fn substep(
        &mut self,
        world: &mut World,
        allowance: &Allowance,
        ledger: &mut EnergyLedger,
    ) -> Piece {
        let mut journal = Journal::new(world);
        let Begun { start, contacts, length, speed, mut strikes } =
            self.begin_piece(world, allowance, &mut journal);
        let resting = self.still_resting(world, &contacts, allowance.care);
        let mut plan = Plan::new(world, start, contacts, resting, (length, speed), allowance.care);
        let before = *ledger;
        ledger.strike(&strikes.struck);
        let mut meeting = self.expected_meetings(world, &plan);
        let mut left = if allowance.care == Care::Plain { STRIKES } else { 0 };
        let Ended { solved, arrival, strained, cut, stop } = loop {
            if !meeting.is_empty() {
                strikes.include(meeting, plan.length);
                self.strike(world, &mut plan.start, &mut strikes, &mut journal);
                plan.renew(world, &strikes.contacts);
                *ledger = before;
                ledger.strike(&strikes.struck);
                left -= 1;
            }
            let allowed = Allowance { strikes: left > 0, ..*allowance };
            match self.solve_and_cut(world, &mut plan, &allowed, ledger) {
                Ok(ended) => break ended,
                Err(more) => meeting = more,
            }
        };
        let Struck { mut events, impulses, .. } = strikes.struck;
        events.extend(stop);
        self.session.used(solved.residual, solved.mark.is_none());
        let time = plan.start.time;
        events.extend(solved.mark.clone().map(|what| Event { time, what }));
        self.remember(world, &plan, &solved, allowance);
        journal.append(plan.journal(&solved, &self.memory.resting));
        arrival.commit(world, ledger);
        if plan.worst_overlap(world) > 1.0 {
            events.extend(repair(world, &mut self.memory.detector, &mut self.repairing, ledger));
        }
        journal.pass(world, &world.state);
        self.memory.resting.see(world);
        Piece { length: plan.length, strained, cut, events, impulses, plan, solved, journal }
    }

    /// Which bodies rest on: none in a plain piece.
    fn still_resting(&self, world: &World, contacts: &[Contact], care: Care) -> Vec<bool> {
        if care == Care::Plain {
            return vec![false; world.bodies.len()];
        }
        let near: Vec<Contact> = contacts.iter().filter(|c| near(world, c)).cloned().collect();
        self.memory.resting.bodies(world, &near)
    }

    /// Keeps what the next piece uses.
    fn remember(&mut self, world: &World, plan: &Plan, solved: &Solved, allowance: &Allowance) {
        if plan.length >= LONG_ENOUGH * allowance.step {
            self.memory.prediction.acceleration = plan.acceleration(solved);
        }
        self.memory.resting.remember(world, plan, solved);
    }

    /// Solves a piece, and again up to where it must end, until it ends as it was planned. If not, the
    /// contacts that must collide before it.
    fn solve_and_cut(
        &mut self,
        world: &World,
        plan: &mut Plan,
        allowance: &Allowance,
        ledger: &EnergyLedger,
    ) -> Result<Ended, Vec<Contact>> {
        let time = plan.start.time;
        let (mut strained, mut cut, mut stop) = (false, false, None);
        let (mut cuts, mut stopped) = (0, 0);
        let (mut excess, mut stalls) = (f64::INFINITY, 0);
        loop {
            let stops_on = allowance.stops && stopped < MOST_STOPS;
            let limited = Allowance { stops: stops_on, ..*allowance };
            let (solved, mut end) = self.solve_piece(world, plan, &limited);
            if let End::Struck(contacts) = end {
                return Err(contacts);
            }
            let shorter = match end {
                // Bodies that meet so near its end overlap by next to nothing.
                End::Meets(shorter) if plan.length - shorter < SLIVER => None,
                End::Whole | End::Struck(_) => None,
                _ if cuts == MOST_CUTS => None,
                End::Strained => Some(0.5 * plan.length),
                End::Meets(shorter) if plan.length > 2.0 * SLIVER => Some(shorter.max(SLIVER)),
                End::Meets(shorter) => Some(shorter),
                End::Stops(shorter, key) => {
                    stopped += 1;
                    let what = EventKind::Sticks(key);
                    stop = Some(Event { time: time + shorter, what });
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
                    return Ok(Ended { solved, arrival, strained, cut, stop });
                }
                end = End::Strained;
                0.5 * plan.length
            };
            if !matches!(end, End::Stops(..)) {
                stop = None;
            }
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
            self.memory.prediction.acceleration = plan.acceleration(solved);
        }
    }

    /// Solves, or says where to cut. A piece whose setting diverges is computed with the geometry of
    /// its beginning.
    fn solve_piece(
        &mut self,
        world: &World,
        plan: &mut Plan,
        allowance: &Allowance,
    ) -> (Solved, End) {
        let (solved, end) = self.settle(world, plan, allowance);
        if !matches!(end, End::Whole) || solved.unsettled <= DIVERGED * plan.speed {
            return (solved, end);
        }
        plan.straight = true;
        self.settle(world, plan, allowance)
    }

    /// Solves in the setting of the velocities and forces found until it no longer changes and no law
    /// or contact is missing, or says where to cut.
    fn settle(&mut self, world: &World, plan: &mut Plan, allowance: &Allowance) -> (Solved, End) {
        let flexible = is_flexible(world);
        let (most, corrected) = if flexible {
            (CORRECTIONS_JOINTS, CORRECTED_JOINTS)
        } else {
            (CORRECTIONS, CORRECTED)
        };
        let (mut corrections, mut additions) = (0, 0);
        let mut setting = self.first_setting(world, plan);
        loop {
            let (solved, next) = self.solve_in(world, plan, &setting);
            let settled = solved.unsettled <= corrected * plan.speed || corrections == most;
            if settled && flexible && plan.length > allowance.shortest {
                let strained = solved.unsettled > UNSETTLED * plan.speed
                    || plan.strain(world, &solved) > STRAIN;
                if strained {
                    return (solved, End::Strained);
                }
            }
            // What a solution far from settled says of meetings and stops is not trusted.
            let trusted = settled || solved.unsettled <= UNSETTLED * plan.speed;
            let looks = settled || corrections + additions == 0 && plan.care == Care::Split;
            let missing = if trusted && additions < ADDITIONS {
                self.missing(world, plan, &solved, looks, allowance)
            } else {
                Missing::Nothing
            };
            match missing {
                Missing::Cut(end) => return (solved, end),
                Missing::Added => {
                    additions += 1;
                    corrections = corrections.min(most - 1);
                    self.expect(plan, &solved);
                    setting = self.first_setting(world, plan);
                }
                Missing::Nothing if settled => return (solved, End::Whole),
                Missing::Nothing => {
                    corrections += 1;
                    setting = next;
                }
            }
        }
    }

    /// What a solution lacks: laws of contacts that stop in it and, if it `looks`, contacts of bodies
    /// that meet. These are added, or the piece has to end there.
    fn missing(
        &mut self,
        world: &World,
        plan: &mut Plan,
        solved: &Solved,
        looks: bool,
        allowance: &Allowance,
    ) -> Missing {
        let stopped = plan.stopped(solved);
        if !stopped.is_empty() {
            if plan.care != Care::Plain
                && allowance.stops
                && let Some((part, key)) = plan.first_stop(world, solved, &stopped)
            {
                return Missing::Cut(End::Stops(part * plan.length, key));
            }
            plan.set(&stopped, Law::End);
            return Missing::Added;
        }
        if !looks {
            return Missing::Nothing;
        }
        let mut met = plan.met(world, solved, &mut self.memory.detector);
        if let Some(part) = met.first {
            return Missing::Cut(End::Meets(part * plan.length));
        }
        if allowance.strikes && !met.fast.is_empty() {
            return Missing::Cut(End::Struck(met.fast));
        }
        met.slow.append(&mut met.fast);
        if met.slow.is_empty() {
            return Missing::Nothing;
        }
        if met.slow.iter().any(|c| plan.rests(c)) {
            plan.wake(world);
        }
        plan.add(met.slow);
        Missing::Added
    }

    /// Solves in a setting; also the setting of what was found.
    fn solve_in(&mut self, world: &World, plan: &Plan, setting: &Setting) -> (Solved, Setting) {
        let mut solved = plan.solve(world, setting, &mut self.session);
        let row_forces = solved.row_forces();
        let contacts = &solved.forces.contacts;
        let next = plan.setting(world, solved.twists.clone(), contacts, &row_forces);
        solved.unsettled = plan.change(world, setting, &next);
        solved.received = plan.received(setting, contacts, &row_forces);
        solved.work = plan.work(world, &next, contacts);
        self.memory.prediction.row_forces = row_forces;
        (solved, next)
    }

    /// The setting if bodies keep their accelerations, under the forces they had.
    fn first_setting(&mut self, world: &World, plan: &Plan) -> Setting {
        let past = &mut self.memory.prediction;
        if past.length > 0.0 && past.length != plan.length {
            let factor = plan.length / past.length;
            self.session.scale(factor);
            past.row_forces.iter_mut().for_each(|force| *force *= factor);
        }
        past.length = plan.length;
        let guess = plan.predicted(world, &past.acceleration);
        plan.setting(
            world,
            guess,
            &self.session.recall(&plan.keys()),
            &self.memory.prediction.row_forces,
        )
    }
}

/// Whether directions or sizes of forces change with the motion, so that a piece may have to be
/// short for its setting to settle: joints, springs, motors of given force.
fn is_flexible(world: &World) -> bool {
    !world.joints.is_empty() || world.is_pulled()
}
