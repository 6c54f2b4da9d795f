//! Values of a scene that are set from outside: `body.crate.mass=2`.
//!
//! The text is edited where the value stands, so that lines keep their numbers and a recording holds what was run.

use std::ops::Range;
use std::str::FromStr;
use stiction_solvers::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A place in a scene and a value for it.
///
/// The path is keys with dots between them; an entry of a list is called by its `name` or its number from 0, and a
/// name with dots stands in quotes. The value is TOML; what is none is a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    path: Vec<String>,
    value: String,
}

/// Why a value cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct AssignmentError {
    path: String,
    message: String,
}

/// A change of a text.
struct Edit {
    place: Range<usize>,
    text: String,
}

impl FromStr for Assignment {
    type Err = AssignmentError;

    fn from_str(text: &str) -> Result<Self, AssignmentError> {
        let fault = |message: &str| AssignmentError { path: text.into(), message: message.into() };
        let (path, value) = split(text).ok_or_else(|| fault("needs PATH=VALUE"))?;
        if path.iter().any(String::is_empty) {
            return Err(fault("a part of the path is empty"));
        }
        Ok(Assignment::new(path, value))
    }
}

impl Assignment {
    /// A value, written as TOML or as a plain text, for the place at the end of these keys.
    pub fn new(path: Vec<String>, value: &str) -> Self {
        let is_toml = DeValue::parse(value).is_ok() && !value.contains(['\n', '#']);
        let value = if is_toml { value.trim().into() } else { quoted(value) };
        Assignment { path, value }
    }

    /// The keys.
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// The value as JSON.
    pub fn json(&self) -> Option<serde_json::Value> {
        let table: toml::Table = toml::from_str(&format!("value = {}", self.value)).ok()?;
        serde_json::to_value(table.get("value")?).ok()
    }

    fn fault(&self, message: impl Into<String>) -> AssignmentError {
        AssignmentError { path: self.path.join("."), message: message.into() }
    }

    /// The text of a scene with this value.
    ///
    /// # Errors
    ///
    /// [`AssignmentError`] if the text is not TOML or has no such place.
    pub fn apply(&self, text: &str) -> Result<String, AssignmentError> {
        let top = DeTable::parse(text).map_err(|error| self.fault(error.message()))?;
        let edit = self.edit(text, top.get_ref(), 0)?;
        let mut changed = text.to_owned();
        changed.replace_range(edit.place, &edit.text);
        Ok(changed)
    }

    /// The edit of a table, of which the path from `depth` on is sought.
    fn edit(&self, text: &str, table: &DeTable<'_>, depth: usize) -> Result<Edit, AssignmentError> {
        let (key, last) = (self.path[depth].as_str(), depth + 1 == self.path.len());
        match table.get(key) {
            Some(value) if last => self.replace(text, value),
            Some(value) => self.within(text, value, depth + 1),
            None if last => self.insert(text, table, depth),
            None if depth == 0 && self.path.len() == 2 => {
                let end = text.len();
                let text = format!("\n[{}]\n{} = {}\n", bare(key), bare(&self.path[1]), self.value);
                Ok(Edit { place: end..end, text })
            }
            None => {
                let known: Vec<String> = table.keys().map(|it| it.get_ref().to_string()).collect();
                Err(self.unknown(key, &known))
            }
        }
    }

    /// The edit that replaces a value; tables with headers are not values.
    fn replace(&self, text: &str, value: &Spanned<DeValue<'_>>) -> Result<Edit, AssignmentError> {
        let has_header = |value: &Spanned<DeValue<'_>>| {
            value.get_ref().is_table() && !text[value.span()].starts_with('{')
        };
        let items = value.get_ref().as_array();
        if has_header(value) || items.is_some_and(|items| items.iter().any(has_header)) {
            return Err(self.fault("is a table; name one of its keys"));
        }
        Ok(Edit { place: value.span(), text: self.value.clone() })
    }

    fn unknown(&self, key: &str, known: &[String]) -> AssignmentError {
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        let hint = nearest(key, &names)
            .map_or_else(|| names.join(", "), |near| format!("did you mean {near:?}?"));
        self.fault(format!("there is no {key:?} ({hint})"))
    }

    /// The edit of a value that the path leads through.
    fn within(
        &self,
        text: &str,
        value: &Spanned<DeValue<'_>>,
        depth: usize,
    ) -> Result<Edit, AssignmentError> {
        match value.get_ref() {
            DeValue::Table(table) if text[value.span()].starts_with('{') => {
                let missing =
                    depth + 1 == self.path.len() && !table.contains_key(self.path[depth].as_str());
                if !missing {
                    return self.edit(text, table, depth);
                }
                let (inside, comma) =
                    (value.span().start + 1, if table.is_empty() { "" } else { "," });
                let entry = format!(" {} = {}{comma}", bare(&self.path[depth]), self.value);
                Ok(Edit { place: inside..inside, text: entry })
            }
            DeValue::Table(table) => self.edit(text, table, depth),
            DeValue::Array(items) => {
                let key = &self.path[depth];
                let named = |item: &&Spanned<DeValue<'_>>| {
                    let name = item.get_ref().get("name").and_then(|name| name.get_ref().as_str());
                    name == Some(key.as_str())
                };
                let number: Option<usize> = key.parse().ok();
                let found = items.iter().find(named).or_else(|| items.get(number?));
                let names = || -> Vec<String> {
                    let name = |item: &Spanned<DeValue<'_>>| {
                        item.get_ref().get("name")?.get_ref().as_str().map(str::to_owned)
                    };
                    items.iter().filter_map(name).collect()
                };
                let item = found.ok_or_else(|| self.unknown(key, &names()))?;
                if depth + 1 < self.path.len() {
                    return self.within(text, item, depth + 1);
                }
                self.replace(text, item)
            }
            _ => Err(self.fault(format!("{:?} has nothing in it", self.path[depth - 1]))),
        }
    }

    /// A new line before the first of a table.
    fn insert(
        &self,
        text: &str,
        table: &DeTable<'_>,
        depth: usize,
    ) -> Result<Edit, AssignmentError> {
        let (key, value) = (bare(&self.path[depth]), &self.value);
        if depth == 0 {
            return Ok(Edit { place: 0..0, text: format!("{key} = {value}\n") });
        }
        let plain = |value: &DeValue<'_>| {
            let of_tables =
                |items: &[Spanned<DeValue<'_>>]| items.iter().any(|it| it.get_ref().is_table());
            !value.is_table() && !value.as_array().is_some_and(|items| of_tables(items))
        };
        let first = table.iter().filter(|(_, value)| plain(value.get_ref()));
        let Some(start) = first.map(|(key, _)| key.span().start).min() else {
            return Err(self.fault("the table has no line beside which to put it"));
        };
        // What stands before the key in its line: nothing, or the rest of a dotted key.
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let before = &text[line..start];
        Ok(Edit { place: line..line, text: format!("{before}{key} = {value}\n") })
    }
}

/// Applies assignments one after the other.
///
/// # Errors
///
/// As [`Assignment::apply`].
pub fn assign(text: &str, assignments: &[Assignment]) -> Result<String, AssignmentError> {
    assignments.iter().try_fold(text.to_owned(), |text, one| one.apply(&text))
}

/// The keys and the value of `a."b.c".d=value`.
fn split(text: &str) -> Option<(Vec<String>, &str)> {
    let (mut path, mut quoted) = (vec![String::new()], false);
    for (place, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '=' if !quoted => return Some((path, &text[place + 1..])),
            '.' if !quoted => path.push(String::new()),
            _ => path.last_mut()?.push(letter),
        }
    }
    None
}

/// A text in quotes.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A key, in quotes where it has to be.
fn bare(key: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !key.is_empty() && key.chars().all(plain) { key.into() } else { quoted(key) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "title = \"a\"\n\n[run]\ndt = 0.1 # s\n\n[[body]]\nname = \"ground\"\nground = true\n\n[[body]]\nname = \"a.b\"\nbox = [1, 2, 3]\nturn_deg = { axis = [0, 1, 0], angle = 3 }\n";

    fn set(assignment: &str) -> Result<String, AssignmentError> {
        assignment.parse::<Assignment>()?.apply(SCENE)
    }

    #[test]
    fn values_are_replaced_where_they_stand() {
        for (assignment, before, after) in [
            ("run.dt=0.2", "dt = 0.1 # s", "dt = 0.2 # s"),
            ("title=two words", "\"a\"\n", "\"two words\"\n"),
            ("body.\"a.b\".box.1=7", "[1, 2, 3]", "[1, 7, 3]"),
            ("body.1.box=[4, 5, 6]", "[1, 2, 3]", "[4, 5, 6]"),
            ("body.\"a.b\".turn_deg.angle=-2.5", "angle = 3", "angle = -2.5"),
            ("body.\"a.b\".mass=2", "name = \"a.b\"", "mass = 2\nname = \"a.b\""),
            ("run.stepper=time-stepping", "dt = 0.1", "stepper = \"time-stepping\"\ndt = 0.1"),
            ("gravity=[0, 0, -1]", "title = \"a\"", "gravity = [0, 0, -1]\ntitle = \"a\""),
            ("body.\"a.b\".turn_deg.x=1", "{ axis", "{ x = 1, axis"),
        ] {
            assert_eq!(set(assignment).unwrap(), SCENE.replacen(before, after, 1), "{assignment}");
        }
        let added = set("solver.precision=1e-9").unwrap();
        assert!(added.ends_with("\n[solver]\nprecision = 1e-9\n"), "{added}");
    }

    #[test]
    fn what_is_not_there_is_named() {
        for (assignment, words) in [
            ("body.groun.mass=1", "did you mean \"ground\"?"),
            ("body.7.mass=1", "there is no \"7\""),
            ("bdy.ground.mass=1", "did you mean \"body\"?"),
            ("title.x=1", "\"title\" has nothing in it"),
            ("run.dt", "needs PATH=VALUE"),
            ("run..dt=1", "a part of the path is empty"),
            ("body.ground=1", "is a table"),
        ] {
            let error = set(assignment).unwrap_err().to_string();
            assert!(error.contains(words), "{assignment}: {error}");
        }
    }
}
