//! One problem: generated, solved, judged, checked; then its answer mutated, judged and checked again.

use super::draw::Draw;
use super::exact::Exact;
use super::families::{Family, Make};
use super::given::{Given, answer_json};
use super::laws::Claim;
use super::matrix::GivenMatrix;
use super::mutate::{mutate, size};
use super::verdict::{self, Distance, Verdict};
use cpu_time::ThreadTime;
use std::time::Instant;
use stiction_formats::fclib_bytes;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::judge::{Certificate, Cone, Law, judge_in, judge_matrix};
use stiction_solvers::{
    Answer as Solved, Auto, ContactProblem, ContactSolver, Forces, Parameters, Selection,
    SolveError, Work, all,
};

/// Mutated answers for every certified one.
const MUTATIONS: usize = 2;

/// One answer with both verdicts.
pub struct Answer {
    pub solver: String,
    /// The mutation, if any.
    pub mutation: Option<&'static str>,
    pub verdict: Verdict,
    /// Whether it is a direction of impulses.
    pub ray: bool,
    pub distance: Distance,
    /// Why the judge refused it.
    pub cause: Option<String>,
    /// The answer, if it is a finding.
    pub text: Option<String>,
}

/// All results of one problem.
#[derive(Default)]
pub struct Tried {
    pub answers: Vec<Answer>,
    /// Why there is no answer.
    pub none: Option<String>,
    /// Why the problem was refused before any solver saw it.
    pub refused_problem: Option<String>,
    /// Wall time of the solver, and CPU time of its thread (s).
    pub seconds: f64,
    pub computed: f64,
    pub solver: String,
}

impl Tried {
    fn without_problem(reason: String) -> Self {
        Tried { refused_problem: Some(reason), ..Tried::default() }
    }
}

/// The problem of a family with this number, as a file: its ending and its bytes.
pub fn file(family: &Family, seed: u64, number: u64) -> (&'static str, Vec<u8>) {
    let mut draw = Draw::new(family.name, seed, number);
    match family.make {
        Make::Bodies(make) | Make::Pyramids(make) => {
            ("json", named(make(&mut draw), family, seed, number).to_json().into_bytes())
        }
        Make::Matrix(make) => {
            let bytes =
                make(&mut draw).problem().ok().and_then(|p| fclib_bytes(&p, "hostile", None).ok());
            ("hdf5", bytes.unwrap_or_default())
        }
    }
}

fn named(mut given: Given, family: &Family, seed: u64, number: u64) -> Given {
    given.name = format!("{} {number}, seed {seed}", family.name);
    given
}

/// The random stream that chooses a solver and mutates its answers, separate from that of the
/// problem.
fn choices(family: &Family, seed: u64, number: u64) -> Draw {
    Draw::new(&format!("solver of {}", family.name), seed, number)
}

/// The first solver of a problem.
pub fn solver(family: &Family, seed: u64, number: u64) -> String {
    let mut draw = Draw::new(family.name, seed, number);
    let mut choice = choices(family, seed, number);
    match family.make {
        Make::Bodies(make) => choose(&mut choice, &make(&mut draw), false).name,
        Make::Pyramids(make) => choose(&mut choice, &make(&mut draw), true).name,
        Make::Matrix(_) => choose_for_matrix(&mut choice).to_owned(),
    }
}

fn choose_for_matrix(draw: &mut Draw) -> &'static str {
    if draw.chance(0.6) { "auto" } else { draw.pick(all::BARE) }
}

/// Generates, solves and checks a problem.
pub fn attempt(family: &Family, seed: u64, number: u64) -> Tried {
    let mut draw = Draw::new(family.name, seed, number);
    let mut choice = choices(family, seed, number);
    match family.make {
        Make::Bodies(make) | Make::Pyramids(make) => {
            let given = named(make(&mut draw), family, seed, number);
            let pyramid = matches!(family.make, Make::Pyramids(_));
            with_bodies(&mut choice, &given, pyramid)
        }
        Make::Matrix(make) => bare(&mut choice, &make(&mut draw)),
    }
}

/// A solver and its friction cones.
struct Chosen {
    solver: Box<dyn ContactSolver>,
    name: String,
    cone: Cone,
}

impl Chosen {
    /// The solver that accepts every problem.
    fn auto() -> Self {
        Chosen { solver: Box::new(Auto::default()), name: "auto".into(), cone: Cone::Round }
    }
}

/// Contacts up to which methods other than `auto` are tried: some form matrices with a dozen
/// rows per contact.
const FEW: usize = 300;

/// Mostly `auto`, the default of users.
fn choose(draw: &mut Draw, given: &Given, always_pyramid: bool) -> Chosen {
    let pyramid = draw.chance(0.05) && !given.has_two_coefficients() || always_pyramid;
    let (name, selection) = match draw.count(0, 19) {
        0..=11 => ("auto", Selection::Smallest),
        12 | 13 => ("auto", Selection::Any),
        _ => (draw.pick(all::NAMES), Selection::Any),
    };
    let name = if given.contacts.len() > FEW { "auto" } else { name };
    let directions = draw.pick(&[4, 6, 8, 16]);
    if pyramid {
        let name = if all::on_pyramids(name, directions).is_some() { name } else { "auto" };
        if let Some(solver) = all::on_pyramids(name, directions) {
            let cone = Cone::Pyramid { directions };
            return Chosen { solver, name: format!("{name} on {directions} sides"), cone };
        }
    }
    match all::Choice::new(name, Parameters::default()) {
        Ok(choice) => {
            let solver = all::selecting(&choice, selection);
            Chosen { solver, name: name.to_owned(), cone: Cone::Round }
        }
        Err(_) => Chosen::auto(),
    }
}

fn with_bodies(draw: &mut Draw, given: &Given, always_pyramid: bool) -> Tried {
    let problem = ProblemFile::parse(&given.to_json(), "hostile").and_then(|file| file.problem(0));
    let problem = match problem {
        Ok(problem) => problem,
        Err(error) => return Tried::without_problem(error.to_string()),
    };
    let Some(exact) = Exact::new(given) else {
        return Tried::without_problem("accepted, but an inertia is not positive definite".into());
    };
    let mut chosen = choose(draw, given, always_pyramid);
    let (begun, computing) = (Instant::now(), ThreadTime::now());
    let mut outcome = chosen.solver.solve(&problem);
    if let Err(SolveError::Unsupported { .. }) = outcome {
        chosen = Chosen::auto();
        outcome = chosen.solver.solve(&problem);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let computed = computing.elapsed().as_secs_f64();
    let mut tried = Tried { seconds, computed, solver: chosen.name.clone(), ..Tried::default() };
    let case = Case { problem: &problem, exact: &exact, cone: chosen.cone, solver: &chosen.name };
    match outcome {
        Ok(answer) if answer.is_impulse() => tried.answers.push(case.impulse(&answer)),
        Ok(answer) => tried.answers = case.answers(draw, &answer.forces, answer.certificate),
        Err(error) => tried.none = Some(error.to_string()),
    }
    tried
}

/// Whether forces fit a problem in number and are finite.
fn fits(problem: &ContactProblem, forces: &Forces) -> bool {
    let contacts = forces.contacts.iter().flat_map(|f| f.friction.into_iter().chain([f.normal]));
    let rows = forces.bilateral.iter().chain(&forces.bounded).copied();
    forces.misfit(problem).is_none() && contacts.chain(rows).all(f64::is_finite)
}

struct Case<'a> {
    problem: &'a ContactProblem,
    exact: &'a Exact,
    cone: Cone,
    solver: &'a str,
}

impl Case<'_> {
    /// An answer, and mutated copies of it if it is certified.
    fn answers(&self, draw: &mut Draw, forces: &Forces, certificate: Certificate) -> Vec<Answer> {
        let mutated = if certificate.is_certified() { MUTATIONS } else { 0 };
        let mut answers = vec![self.answer(forces, certificate, None)];
        for _ in 0..mutated {
            if let Some((how, mutated)) = mutate(draw, self.problem, forces) {
                let certificate = judge_in(self.problem, &mutated, self.cone);
                answers.push(self.answer(&mutated, certificate, Some(how)));
            }
        }
        answers
    }

    /// A direction of impulses.
    fn impulse(&self, ray: &Solved) -> Answer {
        let distance = if fits(self.problem, &ray.forces) {
            verdict::ray(&self.exact.check(&ray.forces, false), self.exact.bilateral())
        } else {
            Distance::infinite()
        };
        let certified = ray.is_certified();
        Answer {
            solver: self.solver.to_owned(),
            mutation: None,
            verdict: distance.verdict(certified),
            ray: true,
            distance,
            cause: (!certified).then(|| "impulse".to_owned()),
            text: Some(answer_json(&ray.forces)),
        }
    }

    fn answer(
        &self,
        forces: &Forces,
        certificate: Certificate,
        mutation: Option<&'static str>,
    ) -> Answer {
        let distance = if fits(self.problem, forces) {
            self.distance(forces, &certificate)
        } else {
            Distance::infinite()
        };
        let verdict = distance.verdict(certificate.is_certified());
        Answer {
            solver: self.solver.to_owned(),
            mutation,
            verdict,
            ray: false,
            distance,
            cause: certificate.reason,
            text: verdict.is_fault().then(|| answer_json(forces)),
        }
    }

    /// The distance from the certified law, or from the nearest that could be certified.
    fn distance(&self, forces: &Forces, certificate: &Certificate) -> Distance {
        let checked = self.exact.check(forces, true);
        // Lloyd's methods report where they find no answer on round cones.
        let said = certificate.pyramid.as_ref().map(|pyramid| Claim::Pyramid(pyramid.directions));
        let pyramid = match self.cone {
            Cone::Pyramid { directions } => Some(Claim::Pyramid(directions)),
            Cone::Round => said,
        };
        let claims = match certificate.certified {
            Some(Law::MaximumDissipation) => vec![Claim::MaximumDissipation],
            Some(Law::Opposition) => vec![Claim::Opposition],
            Some(Law::Pyramid) => pyramid.into_iter().collect(),
            None => {
                [Claim::MaximumDissipation, Claim::Opposition].into_iter().chain(pyramid).collect()
            }
        };
        let bilateral = self.exact.bilateral();
        let distances = claims.iter().map(|claim| Distance::from_law(&checked, bilateral, *claim));
        let not_requested =
            || Distance { place: "a law that was not requested".into(), ..Distance::infinite() };
        distances.min_by(|x, y| x.fine.total_cmp(&y.fine)).unwrap_or_else(not_requested)
    }
}

fn bare(draw: &mut Draw, given: &GivenMatrix) -> Tried {
    let problem = match given.problem() {
        Ok(problem) => problem,
        Err(error) => return Tried::without_problem(error.to_string()),
    };
    let name = choose_for_matrix(draw);
    let Some(mut solver) = all::by_name(name) else { return Tried::default() };
    let (begun, computing) = (Instant::now(), ThreadTime::now());
    let found = solver.solve_matrix(&problem, &mut Work::for_matrix(&problem));
    let seconds = begun.elapsed().as_secs_f64();
    let computed = computing.elapsed().as_secs_f64();
    let mut tried = Tried { seconds, computed, solver: name.to_owned(), ..Tried::default() };
    let mut keep = |force: &[f64], law: Option<Law>, mutation: Option<&'static str>| {
        let finite = force.len() == given.q.len() && force.iter().all(|x| x.is_finite());
        let distance = if finite {
            let checked = super::exact::Checked { contacts: given.check(force), rows: Vec::new() };
            let claim = match law {
                Some(Law::Opposition) => Claim::Opposition,
                _ => Claim::MaximumDissipation,
            };
            Distance::from_law(&checked, 0, claim)
        } else {
            Distance::infinite()
        };
        let certified = law.is_some();
        let verdict = distance.verdict(certified);
        tried.answers.push(Answer {
            solver: name.to_owned(),
            mutation,
            verdict,
            ray: false,
            distance,
            cause: (!certified).then(|| "natural map of the matrix".to_owned()),
            text: verdict.is_fault().then(|| serde_json::json!({ "force": force }).to_string()),
        });
    };
    let Ok(solution) = found else { return tried };
    let (solved, law) = (problem.flat(&solution.forces), solution.certificate.certified);
    keep(&solved, law, None);
    if law.is_some() && !solved.is_empty() {
        for _ in 0..MUTATIONS {
            let mut force = solved.clone();
            let k = draw.count(0, force.len() - 1);
            let nudged = 1.0 + size(draw);
            let (how, factor) = draw.pick(&[("nudge", nudged), ("drop", 0.0), ("negate", -1.0)]);
            force[k] *= factor;
            keep(&force, judge_matrix(&problem, &force).certified, Some(how));
        }
    }
    tried
}
