//! Decides whether a problem is consistent, and whether its motion is determined.
//!
//! Islands are diagnosed separately: the motions of the whole problem are all combinations of
//! theirs.
//!
//! 1. If there is provably at most one motion (no friction, or too little to matter), any
//!    certified forces suffice.
//! 2. Otherwise every combination of contact modes is decided (`diagnose/search.rs`), within a
//!    budget that counts multiplications and so is the same on every machine. Duplicate
//!    contacts count once.
//! 3. Friction in the whole tangent plane has infinitely many modes. Where no certified forces are
//!    found they are covered by sectors (`diagnose/round.rs`), which can prove that none exist.
//!
//! It counts motions, not forces: a block between wedges has one motion and many forces.

mod modes;
mod round;
mod same;
mod search;
mod tableau;

use crate::auto::Auto;
use crate::solver::ContactSolver;
use crate::work::Work;
use round::{NARROWEST, System};
use search::Search;
use serde::{Deserialize, Serialize};
use stiction_contact::judge::{self, Uniqueness};
use stiction_contact::{Answer, ContactProblem, Forces, Island, MatrixProblem, Tangents};

/// Largest work of [`diagnose`] on an island, in millions of multiplications: ten to twenty
/// seconds.
pub const BUDGET: u64 = 10_000;

/// Most unknown forces of an island that is searched: its table must fit into the cache.
const MOST_UNKNOWNS: usize = 400;

/// Contacts closer than this, relative to their distance from the centres of their bodies,
/// count as one: they differ by rounding.
const ONE_CONTACT: f64 = 1e-8;

/// Largest number of combinations of motions of islands that are listed.
const LISTED: usize = 100;

/// What is known about a problem's solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every solution causes the same motion.
    Unique,
    /// There are solutions with different motions.
    Indeterminate,
    /// No combination of contact modes has a solution; this is proved.
    Inconsistent,
    /// Not every combination was decided.
    Undecided,
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum Open {
    /// Friction in the whole tangent plane has infinitely many modes.
    #[error("contact {contact} has friction in the whole tangent plane: infinitely many modes")]
    RoundCone { contact: usize },
    /// Directions of slip so near to each other may hold an answer.
    #[error("directions of slip nearer than {NARROWEST} rad to each other could not be excluded")]
    Sector,
    /// The island is too large to be searched.
    #[error("{unknowns} unknown forces are connected, more than {MOST_UNKNOWNS}")]
    TooLarge { unknowns: usize },
    /// The work budget is used up.
    #[error("the work budget of {budget} million multiplications is spent")]
    Budget { budget: u64 },
    /// Rounding prevents a decision on some combinations.
    #[error("rounding leaves combinations open")]
    Rounding,
}

/// One possible motion, given by forces that cause it.
#[derive(Clone, Debug)]
pub struct Possible {
    /// Forces that cause the motion.
    pub forces: Forces,
    /// Whether these forces are unique.
    pub uniqueness: Uniqueness,
    /// False if it is one of infinitely many with the same contact modes.
    pub isolated: bool,
}

/// The diagnosis of one island.
#[derive(Clone, Debug)]
pub struct IslandDiagnosis {
    /// Indices of its contacts in the whole problem.
    pub contacts: Vec<usize>,
    /// The verdict on this island.
    pub verdict: Verdict,
    /// Its motions, with the forces of its own contacts and rows.
    pub solutions: Vec<Possible>,
    /// Number of combinations of its contact modes; infinite with friction in the whole tangent
    /// plane.
    pub combinations: f64,
    /// Number of combinations decided.
    pub decided: f64,
    /// Work spent (millions of multiplications).
    pub work: f64,
    /// Why there is no verdict, if so.
    pub open: Option<Open>,
}

/// A verdict and its basis.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The verdict.
    pub verdict: Verdict,
    /// Number of motions found: the product over islands, infinite if one of them has a
    /// continuum.
    pub motions: f64,
    /// One solution for each different motion, 100 at most.
    pub solutions: Vec<Possible>,
    /// Every island with contacts or rows.
    pub islands: Vec<IslandDiagnosis>,
}

/// Progress of a search.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Fraction of the current island's combinations that are decided.
    pub part: f64,
    /// Motions of that island found so far.
    pub motions: usize,
    /// Multiplications spent on it.
    pub work: u64,
}

/// Decides every combination of contact modes, within [`BUDGET`].
pub fn diagnose(problem: &ContactProblem) -> Diagnosis {
    diagnose_within(problem, BUDGET, &mut |_| {})
}

/// The same with a given budget per island (millions of multiplications), reporting progress.
pub fn diagnose_within(
    problem: &ContactProblem,
    budget: u64,
    report: &mut dyn FnMut(Progress),
) -> Diagnosis {
    let parts = problem.islands();
    let islands: Vec<IslandDiagnosis> = parts
        .iter()
        .map(|part| IslandDiagnosis {
            contacts: part.contacts().to_vec(),
            ..island(&part.problem, budget, report)
        })
        .collect();
    let count = |island: &IslandDiagnosis| {
        let finite = island.solutions.iter().all(|it| it.isolated);
        if finite { island.solutions.len() as f64 } else { f64::INFINITY }
    };
    let none = islands.iter().any(|island| island.solutions.is_empty());
    let motions = if none { 0.0 } else { islands.iter().map(count).product() };
    let any = |verdict: Verdict| islands.iter().any(|island| island.verdict == verdict);
    let first = [Verdict::Inconsistent, Verdict::Undecided, Verdict::Indeterminate];
    let verdict = first.into_iter().find(|it| any(*it)).unwrap_or(Verdict::Unique);
    let listed = if none { 0 } else { LISTED };
    let solutions = (0..listed).map_while(|k| {
        let mut whole = Possible {
            forces: Forces::zeros(problem),
            uniqueness: Uniqueness::Unique,
            isolated: true,
        };
        let mut rest = k;
        for (part, island) in parts.iter().zip(&islands) {
            let own = &island.solutions[rest % island.solutions.len()];
            rest /= island.solutions.len();
            part.scatter(&own.forces, &mut whole.forces);
            whole.isolated &= own.isolated;
            if whole.uniqueness == Uniqueness::Unique || own.uniqueness == Uniqueness::NotUnique {
                whole.uniqueness = own.uniqueness;
            }
        }
        (rest == 0).then_some(whole)
    });
    Diagnosis { verdict, motions, solutions: solutions.collect(), islands }
}

/// Diagnoses one island; its contacts are filled in by the caller.
fn island(
    problem: &ContactProblem,
    budget: u64,
    report: &mut dyn FnMut(Progress),
) -> IslandDiagnosis {
    let mut known = IslandDiagnosis {
        contacts: vec![],
        verdict: Verdict::Undecided,
        solutions: vec![],
        combinations: combinations(problem),
        decided: 0.0,
        work: 0.0,
        open: None,
    };
    if judge::has_one_motion(problem) {
        known.solutions.extend(certified(problem));
        if !known.solutions.is_empty() {
            known.verdict = Verdict::Unique;
            known.decided = known.combinations;
            return known;
        }
    }
    let single = problem.without_duplicates(ONE_CONTACT);
    known.combinations = combinations(&single.problem);
    known.open = search(&single.problem, budget, report, &mut known);
    if single.contacts().len() < problem.contacts().len() {
        known.solutions.iter_mut().for_each(|found| share(problem, &single, found));
    }
    known.verdict = match (&known.open, &known.solutions[..]) {
        (Some(_), found) => {
            if found.is_empty() {
                known.solutions.extend(certified(problem));
            }
            Verdict::Undecided
        }
        (None, []) => Verdict::Inconsistent,
        (None, [one]) if one.isolated => Verdict::Unique,
        (None, _) => Verdict::Indeterminate,
    };
    known
}

/// Searches all combinations; returns why some are undecided, if so.
fn search(
    problem: &ContactProblem,
    budget: u64,
    report: &mut dyn FnMut(Progress),
    known: &mut IslandDiagnosis,
) -> Option<Open> {
    let rubs = problem.contacts().iter().filter(|it| it.friction.has_tangent_unknowns()).count();
    let rows = problem.bilateral().len() + problem.bounded().len();
    let unknowns = problem.contacts().len() + rubs + rows;
    if unknowns > MOST_UNKNOWNS {
        return Some(Open::TooLarge { unknowns });
    }
    let most = budget.saturating_mul(1_000_000);
    let mut search = match Search::new(problem, known.combinations, most, report) {
        Ok(search) => search,
        Err(contact) => return without_answer(problem, contact, most, known),
    };
    search.run();
    known.work = search.work() as f64 / 1e6;
    known.decided = if search.exhausted { search.decided } else { search.combinations };
    known.solutions = search.found;
    if search.exhausted {
        Some(Open::Budget { budget })
    } else {
        search.unclear.then_some(Open::Rounding)
    }
}

/// Whether a problem with a contact that slips in the whole tangent plane has no answer, where
/// none is found; returns why that is undecided, if so.
fn without_answer(
    problem: &ContactProblem,
    contact: usize,
    most: u64,
    known: &mut IslandDiagnosis,
) -> Option<Open> {
    known.solutions.extend(certified(problem));
    let system = if known.solutions.is_empty() { System::of_bodies(problem) } else { None };
    let Some(system) = system else { return Some(Open::RoundCone { contact }) };
    let outcome = system.search(most);
    known.work = outcome.work as f64 / 1e6;
    known.decided = outcome.closed as f64;
    outcome.end.open(most / 1_000_000)
}

/// What is known about a problem without bodies: whether it has an answer at all.
#[derive(Clone, Debug)]
pub struct MatrixDiagnosis {
    /// [`Verdict::Inconsistent`] if it is proved that there is no answer, else
    /// [`Verdict::Undecided`].
    pub verdict: Verdict,
    /// The certified answer that was found, if so.
    pub answer: Option<Answer>,
    /// Number of combinations of modes and sectors closed.
    pub decided: f64,
    /// Work spent on them (millions of multiplications).
    pub work: f64,
    /// Why there is no verdict, if so.
    pub open: Option<Open>,
}

/// Looks for an answer to a problem without bodies and, where none is found, for a proof that
/// there is none (budget in millions of multiplications).
pub fn diagnose_matrix(problem: &MatrixProblem, budget: u64) -> MatrixDiagnosis {
    let mut work = Work::for_matrix(problem);
    let answer = Auto::default().solve_matrix(problem, &mut work).ok();
    let answer = answer.filter(Answer::is_certified);
    let mut known = MatrixDiagnosis {
        verdict: Verdict::Undecided,
        answer,
        decided: 0.0,
        work: 0.0,
        open: Some(Open::RoundCone { contact: 0 }),
    };
    if known.answer.is_some() {
        return known;
    }
    if problem.len() > MOST_UNKNOWNS {
        known.open = Some(Open::TooLarge { unknowns: problem.len() });
        return known;
    }
    let outcome = System::of_matrix(problem).search(budget.saturating_mul(1_000_000));
    known.work = outcome.work as f64 / 1e6;
    known.decided = outcome.closed as f64;
    known.open = outcome.end.open(budget);
    if known.open.is_none() {
        known.verdict = Verdict::Inconsistent;
    }
    known
}

/// Assigns the forces of the problem without duplicates to the contacts of the whole problem.
/// Duplicates could share friction or load.
fn share(problem: &ContactProblem, single: &Island, found: &mut Possible) {
    let mut whole = Forces::zeros(problem);
    single.scatter(&found.forces, &mut whole);
    found.forces = whole;
    if found.uniqueness == Uniqueness::Unique {
        found.uniqueness = Uniqueness::Undecided;
    }
}

/// Number of combinations of contact modes: two for each contact, four where planar friction is
/// unknown, one more than its bounds for each bounded row.
fn combinations(problem: &ContactProblem) -> f64 {
    let contacts = problem.contacts().iter().map(|it| {
        match (it.friction.has_tangent_unknowns(), it.tangents) {
            (false, _) => 2.0,
            (true, Tangents::Line(_)) => 4.0,
            (true, Tangents::Plane) => f64::INFINITY,
        }
    });
    let bounded = problem.bounded().iter().map(|it| {
        1.0 + [it.lower, it.upper].into_iter().filter(|bound| bound.is_finite()).count() as f64
    });
    contacts.chain(bounded).product()
}

/// A certified answer of the default solvers, if they find one.
fn certified(problem: &ContactProblem) -> Option<Possible> {
    let solution = Auto::default().solve(problem).ok().filter(|answer| !answer.is_impulse())?;
    let determinacy = judge::determinacy(problem, &solution.forces);
    let uniqueness = if determinacy.freedom == 0 {
        Uniqueness::Unique
    } else if determinacy.contacts.contains(&Uniqueness::NotUnique) {
        Uniqueness::NotUnique
    } else {
        Uniqueness::Undecided
    };
    let found = Possible { forces: solution.forces, uniqueness, isolated: true };
    solution.certificate.is_certified().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Contact, Friction, Level};

    /// The legs can share the weight in many ways, but in all of them the table stays at rest.
    #[test]
    fn a_table_that_rests_moves_in_one_way() {
        let inertia = [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.5]];
        let table = Body::rigid(3.0, inertia, [0.0, 0.0, 0.7])
            .with_free_response([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]);
        let legs = [[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]]
            .map(|foot| Contact::new(0, None, foot, [0.0, 0.0, 1.0], Friction::Frictionless));
        let problem =
            ContactProblem::new(Level::Acceleration, vec![table], legs.to_vec(), vec![], vec![]);
        let problem = problem.unwrap();
        let diagnosis = diagnose(&problem);
        assert_eq!(diagnosis.verdict, Verdict::Unique);
        assert_eq!(diagnosis.solutions[0].uniqueness, Uniqueness::NotUnique);
        // The search agrees with the theorem.
        let mut report = |_| {};
        let mut search = Search::new(&problem, 16.0, u64::MAX, &mut report).expect("no friction");
        search.run();
        assert_eq!(search.found.len(), 1);
        assert_eq!(search.found[0].uniqueness, Uniqueness::NotUnique);
    }
}
