//! What the campaign counts, and how it is printed.

use super::Place;
use super::campaign::{End, SLOW};
use super::case::{self, Answer, Tried};
use super::verdict::{Distance, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;
use stiction_terminal::say;

/// Lines of a kind of finding that are printed for one family; the JSON has all.
const SHOWN: usize = 3;

/// Counts of one family.
#[derive(Default, Serialize)]
pub struct Tally {
    pub answers: usize,
    pub certified: usize,
    /// Directions of impulses among the answers.
    pub impulses: usize,
    pub refused_wrong: usize,
    pub refused_right: usize,
    pub refused_borderline: usize,
    /// A solver broke down, or the problem was refused.
    pub none: usize,
    pub wrong: usize,
    pub mutated: usize,
    pub mutated_certified: usize,
    pub mutated_wrong: usize,
    pub panics: usize,
    pub slow: usize,
    /// Largest exact residual of a certified answer.
    pub worst_certified: f64,
    /// Wall time of all solvers (s), and the longest.
    pub seconds: f64,
    pub slowest: f64,
    /// Why right answers were refused.
    pub refused_right_causes: BTreeMap<String, usize>,
    /// Why there is no answer.
    pub none_causes: BTreeMap<String, usize>,
}

/// A finding: something worth a replay.
#[derive(Clone, Serialize)]
pub struct Finding {
    pub family: &'static str,
    pub number: u64,
    pub kind: &'static str,
    pub solver: String,
    pub mutation: Option<&'static str>,
    pub residual: f64,
    pub crude: f64,
    pub what: String,
    pub seconds: f64,
    #[serde(skip)]
    pub answer: Option<String>,
}

/// All counts.
#[derive(Default, Serialize)]
pub struct Report {
    pub families: BTreeMap<&'static str, Tally>,
    pub findings: Vec<Finding>,
}

/// A message without its numbers, so that messages of one cause are counted together.
fn cause(message: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in message.split_whitespace() {
        let word = if word.contains(|c: char| c.is_ascii_digit()) { "#" } else { word };
        if word != "#" || words.last() != Some(&"#") {
            words.push(word);
        }
    }
    words.join(" ")
}

impl Report {
    /// Counts the results of a problem; returns its findings.
    pub fn see(&mut self, place: Place, seed: u64, end: End<Tried>) -> Vec<Finding> {
        let tally = self.families.entry(place.family.name).or_default();
        let finding = |kind: &'static str, what: String| Finding {
            family: place.family.name,
            number: place.number,
            kind,
            solver: String::new(),
            mutation: None,
            residual: 0.0,
            crude: 0.0,
            what,
            seconds: 0.0,
            answer: None,
        };
        let found = match end {
            End::Panicked(message) => {
                tally.panics += 1;
                vec![finding("panic", message)]
            }
            End::Unfinished(seconds) => {
                let solver = case::solver(place.family, seed, place.number);
                tally.slow += 1;
                tally.seconds += seconds;
                tally.slowest = tally.slowest.max(seconds);
                vec![Finding { solver, seconds, ..finding("slow", "did not end".into()) }]
            }
            End::Tried(tried) => tally.see(&tried, &finding),
        };
        self.findings.extend(found.iter().cloned());
        found
    }

    /// Whether there is a finding that must not happen.
    pub fn has_faults(&self) -> bool {
        self.families.values().any(|t| t.wrong + t.mutated_wrong + t.panics + t.slow > 0)
    }

    pub fn print(&self) {
        say!(
            "{:<15} {:>7} {:>9} {:>8} {:>7} {:>7} {:>7} {:>6} {:>6} {:>8} {:>8} {:>6} {:>6} {:>5} {:>9}",
            "family",
            "answers",
            "certified",
            "impulses",
            "refused",
            "refused",
            "refused",
            "none",
            "WRONG",
            "mutated",
            "mutated",
            "mutat.",
            "panics",
            "slow",
            "worst"
        );
        say!(
            "{:<15} {:>7} {:>9} {:>8} {:>7} {:>7} {:>7} {:>6} {:>6} {:>8} {:>8} {:>6} {:>6} {:>5} {:>9}",
            "",
            "",
            "",
            "",
            "wrong",
            "border",
            "RIGHT",
            "",
            "",
            "",
            "certif.",
            "WRONG",
            "",
            "",
            "certified"
        );
        let mut total = Tally::default();
        for (name, tally) in &self.families {
            tally.print(name);
            total.add(tally);
        }
        total.print("all");
        self.print_causes();
        self.print_findings();
    }

    fn print_causes(&self) {
        type Causes = fn(&Tally) -> &BTreeMap<String, usize>;
        let lists: [(&str, Causes); 2] = [
            ("right answers that were refused", |t| &t.refused_right_causes),
            ("no answer", |t| &t.none_causes),
        ];
        for (title, causes) in lists {
            let mut sums: BTreeMap<&str, (usize, Vec<&str>)> = BTreeMap::new();
            for (family, tally) in &self.families {
                for (cause, count) in causes(tally) {
                    let entry = sums.entry(cause).or_default();
                    entry.0 += count;
                    entry.1.push(family);
                }
            }
            if !sums.is_empty() {
                say!("\n{title}, by cause:");
            }
            let mut sums: Vec<_> = sums.into_iter().collect();
            sums.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
            for (cause, (count, families)) in sums {
                say!("{count:>7}  {cause}  ({})", families.join(", "));
            }
        }
    }

    fn print_findings(&self) {
        let mut shown: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for f in &self.findings {
            let count = shown.entry((f.kind, f.family)).or_default();
            *count += 1;
            if *count == 1 && shown.len() == 1 {
                say!(
                    "\nto replay: stiction bench hostile --seed SEED --family FAMILY --case NUMBER"
                );
            }
            let all = matches!(f.kind, "panic" | "slow");
            let count = shown.get(&(f.kind, f.family)).copied().unwrap_or(0);
            if all || count <= SHOWN {
                let how = f.mutation.map_or(String::new(), |m| format!(", {m}"));
                say!(
                    "{:<14} --family {} --case {}  ({}{how}) residual {:.1e}, crude {:.1e}, {:.1} s: {}",
                    f.kind,
                    f.family,
                    f.number,
                    f.solver,
                    f.residual,
                    f.crude,
                    f.seconds,
                    f.what
                );
            }
        }
    }
}

/// The results of one problem, answer by answer.
pub fn print_details(place: Place, seed: u64, end: &End<Tried>) {
    let tried = match end {
        End::Tried(tried) => tried,
        End::Panicked(message) => return say!("panicked: {message}"),
        End::Unfinished(seconds) => {
            let solver = case::solver(place.family, seed, place.number);
            return say!("{solver} is still running after {seconds:.0} s");
        }
    };
    say!("solver {}, {:.3} s", tried.solver, tried.seconds);
    if let Some(none) = tried.none.as_ref().or(tried.refused_problem.as_ref()) {
        say!("no answer: {none}");
    }
    for answer in &tried.answers {
        let Distance { fine, crude, place } = &answer.distance;
        let how = answer.mutation.unwrap_or(if answer.ray { "impulse" } else { "as solved" });
        let cause = answer.cause.as_deref().unwrap_or("certified");
        say!(
            "{how:<10} {:<18} residual {fine:.1e} (crude {crude:.1e}) at {place}; judge: {cause}",
            format!("{:?}", answer.verdict)
        );
    }
    say!("");
}

impl Tally {
    fn see(
        &mut self,
        tried: &Tried,
        finding: &impl Fn(&'static str, String) -> Finding,
    ) -> Vec<Finding> {
        let mut found = Vec::new();
        self.seconds += tried.seconds;
        self.slowest = self.slowest.max(tried.seconds);
        // CPU time, because the machine may be shared.
        if tried.computed > SLOW {
            self.slow += 1;
            let (seconds, solver) = (tried.computed, tried.solver.clone());
            let what = format!("{:.1} s of wall time", tried.seconds);
            found.push(Finding { solver, seconds, ..finding("slow", what) });
        }
        if let Some(none) = tried.none.as_ref().or(tried.refused_problem.as_ref()) {
            self.none += 1;
            *self.none_causes.entry(cause(none)).or_default() += 1;
        }
        for answer in &tried.answers {
            let Some(kind) = self.count(answer) else { continue };
            found.push(Finding {
                solver: answer.solver.clone(),
                mutation: answer.mutation,
                residual: answer.distance.fine,
                crude: answer.distance.crude,
                seconds: tried.seconds,
                answer: answer.text.clone(),
                ..finding(kind, answer.distance.place.clone())
            });
        }
        found
    }

    /// Counts an answer; returns the kind of finding, if it is one.
    fn count(&mut self, answer: &Answer) -> Option<&'static str> {
        let certified = matches!(answer.verdict, Verdict::Right | Verdict::Wrong);
        if certified && answer.verdict == Verdict::Right {
            self.worst_certified = self.worst_certified.max(answer.distance.fine);
        }
        if answer.mutation.is_some() {
            self.mutated += 1;
            self.mutated_certified += usize::from(certified);
            let wrong = answer.verdict == Verdict::Wrong;
            self.mutated_wrong += usize::from(wrong);
            return wrong.then_some("mutated wrong");
        }
        self.answers += 1;
        self.certified += usize::from(certified);
        self.impulses += usize::from(answer.ray);
        match answer.verdict {
            Verdict::Right => return None,
            Verdict::Wrong => self.wrong += 1,
            Verdict::RefusedWrong => self.refused_wrong += 1,
            Verdict::RefusedBorderline => self.refused_borderline += 1,
            Verdict::RefusedRight => {
                self.refused_right += 1;
                let why = cause(answer.cause.as_deref().unwrap_or("without a reason"));
                *self.refused_right_causes.entry(why).or_default() += 1;
                return Some("refused right");
            }
        }
        (answer.verdict == Verdict::Wrong).then_some("WRONG")
    }

    fn add(&mut self, other: &Tally) {
        self.answers += other.answers;
        self.certified += other.certified;
        self.impulses += other.impulses;
        self.refused_wrong += other.refused_wrong;
        self.refused_right += other.refused_right;
        self.refused_borderline += other.refused_borderline;
        self.none += other.none;
        self.wrong += other.wrong;
        self.mutated += other.mutated;
        self.mutated_certified += other.mutated_certified;
        self.mutated_wrong += other.mutated_wrong;
        self.panics += other.panics;
        self.slow += other.slow;
        self.worst_certified = self.worst_certified.max(other.worst_certified);
        self.seconds += other.seconds;
        self.slowest = self.slowest.max(other.slowest);
    }

    fn print(&self, name: &str) {
        say!(
            "{name:<15} {:>7} {:>9} {:>8} {:>7} {:>7} {:>7} {:>6} {:>6} {:>8} {:>8} {:>6} {:>6} {:>5} {:>9.1e}",
            self.answers,
            self.certified,
            self.impulses,
            self.refused_wrong,
            self.refused_borderline,
            self.refused_right,
            self.none,
            self.wrong,
            self.mutated,
            self.mutated_certified,
            self.mutated_wrong,
            self.panics,
            self.slow,
            self.worst_certified
        );
    }
}
