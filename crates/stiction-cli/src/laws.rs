//! The laws of motion in reports of `run` and `verify`.

use serde::Serialize;
use stiction::motion::{Law, LawName};
use stiction_terminal::say;

/// What a run is worth by one law.
#[derive(Serialize)]
pub struct LawReport {
    pub name: &'static str,
    pub holds: bool,
    /// The worst value; null if the law does not apply.
    pub worst: Option<f64>,
    /// The largest value that holds; null for laws that only inform.
    pub bound: Option<f64>,
    /// When it was (s).
    pub time: Option<f64>,
    /// Where.
    pub place: String,
    /// One sentence, for a law that is broken.
    #[serde(skip)]
    sentence: String,
}

impl LawReport {
    pub fn new(law: &Law) -> Self {
        let finite = |number: f64| number.is_finite().then_some(number);
        LawReport {
            name: law.name.name(),
            holds: law.holds,
            worst: (!law.worst.is_nan()).then_some(law.worst.min(f64::MAX)),
            bound: finite(law.bound),
            time: finite(law.time),
            place: law.place.clone(),
            sentence: law.to_string(),
        }
    }
}

/// A bound as `LAW=VALUE`.
pub fn bound(text: &str) -> Result<(LawName, f64), String> {
    let known = LawName::ALL.map(LawName::name).join(", ");
    let (name, value) = text.split_once('=').ok_or("must be LAW=VALUE")?;
    let law = LawName::of(name).ok_or_else(|| format!("unknown law {name:?} (known: {known})"))?;
    let value = value.parse().map_err(|_| format!("{value:?} is not a number"))?;
    Ok((law, value))
}

/// A table of the laws, and the verdict.
pub fn print(laws: &[LawReport]) {
    say!("\n{:<12}  {:>9}  {:>7}  {:>9}  where", "law", "worst", "bound", "at s");
    for law in laws {
        let number = |x: Option<f64>, digits: usize| {
            x.map_or_else(|| "-".to_owned(), |x| format!("{x:.digits$e}"))
        };
        let time = law.time.map_or_else(|| "-".to_owned(), |time| format!("{time:.4}"));
        let (worst, bound) = (number(law.worst, 1), number(law.bound, 0));
        let line = format!("  {:<10}  {worst:>9}  {bound:>7}  {time:>9}  {}", law.name, law.place);
        say!("{}", line.trim_end());
    }
    let broken: Vec<&LawReport> = laws.iter().filter(|law| !law.holds).collect();
    for law in &broken {
        say!("NOT CERTIFIED: {}", law.sentence);
    }
    if broken.is_empty() {
        say!("certified: every law holds");
    }
}
