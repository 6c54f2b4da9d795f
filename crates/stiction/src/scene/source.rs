//! The text of a scene as tables and values that know their line.
//!
//! A [`Table`] remembers which keys were read; [`Table::finish`] refuses
//! all others, so that no key of a scene is ignored. Every fault names file,
//! line, field and value.

use super::SceneError;
use super::expression::{self, Parameters};
use glam::DVec3;
use std::cell::RefCell;
use std::ops::Range;
use stiction_solvers::nearest;
use toml::de::{DeTable, DeValue};

/// Characters of a value that a message repeats.
const SHOWN: usize = 40;

/// Least length of a vector that is to give a direction.
const SHORTEST: f64 = 1e-9;

/// A text and where it came from.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    /// What formulas may name.
    pub(super) parameters: &'a Parameters,
}

impl Source<'_> {
    fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().iter().take(offset);
        1 + before.filter(|&&byte| byte == b'\n').count()
    }

    pub(super) fn fault(&self, offset: usize, field: &str, message: String) -> SceneError {
        let (file, line) = (self.name.to_owned(), self.line(offset));
        SceneError::Value { file, line, field: field.to_owned(), message }
    }

    pub(super) fn syntax(&self, error: &toml::de::Error) -> SceneError {
        let line = error.span().map_or(1, |span| self.line(span.start));
        let message = error.message().replace('\n', "; ");
        SceneError::Syntax { file: self.name.to_owned(), line, message }
    }
}

/// A value, its place in the file and its path.
#[derive(Clone)]
pub(super) struct Value<'a> {
    source: Source<'a>,
    path: String,
    place: usize,
    span: Range<usize>,
    inner: &'a DeValue<'a>,
}

impl<'a> Value<'a> {
    pub(super) fn fault(&self, message: impl Into<String>) -> SceneError {
        self.source.fault(self.place, &self.path, message.into())
    }

    /// "is 3, must be wanted".
    pub(super) fn unfit(&self, wanted: &str) -> SceneError {
        self.fault(format!("is {}, must be {wanted}", self.shown()))
    }

    fn shown(&self) -> String {
        let text = self.source.text.get(self.span.clone()).unwrap_or("?");
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match one_line.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &one_line[..end]),
            None => one_line,
        }
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// From its key to its end.
    pub(super) fn entry(&self) -> Range<usize> {
        self.place..self.span.end
    }

    pub(super) fn is_table(&self) -> bool {
        self.inner.is_table()
    }

    pub(super) fn is_list(&self) -> bool {
        self.inner.is_array()
    }

    pub(super) fn number(&self) -> Result<f64, SceneError> {
        let number = match self.inner {
            DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix())
                .map_or(f64::NAN, |integer| integer as f64),
            DeValue::Float(digits) => digits.as_str().parse().unwrap_or(f64::NAN),
            DeValue::String(text) if text.starts_with('=') => return self.formula(text),
            _ => f64::NAN,
        };
        if number.is_finite() { Ok(number) } else { Err(self.unfit("a finite number")) }
    }

    /// The value of `"=…"`.
    fn formula(&self, text: &str) -> Result<f64, SceneError> {
        let parameters = self.source.parameters;
        self.formula_of(text, &mut |name| expression::parameter(name, parameters))
    }

    /// The value of `"=…"`, with parameters from elsewhere.
    pub(super) fn formula_of(
        &self,
        text: &str,
        known: &mut dyn FnMut(&str) -> Result<f64, String>,
    ) -> Result<f64, SceneError> {
        expression::value(text.trim_start_matches('='), known)
            .map_err(|why| self.fault(format!("is {}, which {why}", self.shown())))
    }

    /// A number that may be infinite.
    pub(super) fn bound(&self) -> Result<f64, SceneError> {
        let infinite = match self.inner {
            DeValue::Float(digits) => {
                digits.as_str().parse::<f64>().ok().filter(|it| it.is_infinite())
            }
            _ => None,
        };
        infinite.map_or_else(|| self.number(), Ok)
    }

    pub(super) fn positive(&self) -> Result<f64, SceneError> {
        let number = self.number()?;
        if number > 0.0 { Ok(number) } else { Err(self.unfit("positive")) }
    }

    pub(super) fn not_negative(&self) -> Result<f64, SceneError> {
        let number = self.number()?;
        if number >= 0.0 { Ok(number) } else { Err(self.unfit("zero or more")) }
    }

    /// A whole number from `least` to `most`.
    pub(super) fn count(&self, least: usize, most: usize) -> Result<usize, SceneError> {
        let digits = self.inner.as_integer();
        let number = match self.inner.as_str() {
            Some(text) if text.starts_with('=') => whole(self.formula(text)?),
            _ => digits.and_then(|it| usize::from_str_radix(it.as_str(), it.radix()).ok()),
        };
        let number = number.filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| self.unfit(&format!("a whole number from {least} to {most}")))
    }

    pub(super) fn boolean(&self) -> Result<bool, SceneError> {
        self.inner.as_bool().ok_or_else(|| self.unfit("true or false"))
    }

    pub(super) fn text(&self) -> Result<&'a str, SceneError> {
        self.inner.as_str().ok_or_else(|| self.unfit("text in quotes"))
    }

    /// The entry of `choices` that the text names.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, SceneError> {
        let text = self.text()?;
        let found = choices.iter().find(|(name, _)| *name == text);
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let listed: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
            self.unfit(&format!("one of {}{}", listed.join(", "), suggestion(text, &names)))
        })
    }

    pub(super) fn list(&self) -> Result<Vec<Value<'a>>, SceneError> {
        let items = self.inner.as_array().ok_or_else(|| self.unfit("a list"))?;
        let item = |(i, item): (usize, &'a toml::Spanned<DeValue<'a>>)| Value {
            source: self.source,
            path: format!("{}[{i}]", self.path),
            place: item.span().start,
            span: item.span(),
            inner: item.get_ref(),
        };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub(super) fn numbers<const N: usize>(&self) -> Result<[f64; N], SceneError> {
        let wanted = || self.unfit(&format!("a list of {N} numbers"));
        let items = self.list().map_err(|_| wanted())?;
        if items.len() != N {
            return Err(wanted());
        }
        let mut numbers = [0.0; N];
        for (number, item) in numbers.iter_mut().zip(&items) {
            *number = item.number()?;
        }
        Ok(numbers)
    }

    pub(super) fn vector(&self) -> Result<DVec3, SceneError> {
        self.numbers::<3>().map(DVec3::from_array)
    }

    pub(super) fn direction(&self) -> Result<DVec3, SceneError> {
        let vector = self.vector()?;
        let length = vector.length();
        if length > SHORTEST && length.is_finite() {
            Ok(vector / length)
        } else {
            Err(self.unfit("a direction"))
        }
    }

    pub(super) fn table(&self) -> Result<Table<'a>, SceneError> {
        let entries = self.inner.as_table().ok_or_else(|| self.unfit("a table"))?;
        let (source, path, place) = (self.source, self.path.clone(), self.place);
        Ok(Table { source, path, place, entries, known: RefCell::default() })
    }
}

/// A number that is whole and not negative.
#[allow(clippy::cast_sign_loss)] // checked
fn whole(number: f64) -> Option<usize> {
    ((0.0..1e15).contains(&number) && number.fract() == 0.0).then_some(number as usize)
}

/// A table that knows which of its keys were read.
pub(super) struct Table<'a> {
    source: Source<'a>,
    path: String,
    place: usize,
    entries: &'a DeTable<'a>,
    known: RefCell<Vec<&'static str>>,
}

impl<'a> Table<'a> {
    pub(super) fn top(source: Source<'a>, entries: &'a DeTable<'a>) -> Self {
        Table { source, path: String::new(), place: 0, entries, known: RefCell::default() }
    }

    /// The value of `name`, by which messages call this table from here on.
    pub(super) fn named(&mut self) -> Result<Value<'a>, SceneError> {
        let name = self.need("name")?;
        let text = name.text()?;
        if text.is_empty() {
            return Err(name.unfit("a name"));
        }
        let kind = self.path.split('[').next().unwrap_or_default();
        self.path = format!("{kind} {text:?}");
        self.need("name")
    }

    pub(super) fn place(&self) -> usize {
        self.place
    }

    pub(super) fn fault(&self, message: impl Into<String>) -> SceneError {
        let path = if self.path.is_empty() { "scene" } else { &self.path };
        self.source.fault(self.place, path, message.into())
    }

    fn field(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    pub(super) fn get(&self, key: &'static str) -> Option<Value<'a>> {
        self.known.borrow_mut().push(key);
        let (name, value) = self.entries.get_key_value(key)?;
        Some(Value {
            source: self.source,
            path: self.field(key),
            place: name.span().start,
            span: value.span(),
            inner: value.get_ref(),
        })
    }

    pub(super) fn need(&self, key: &'static str) -> Result<Value<'a>, SceneError> {
        self.get(key).ok_or_else(|| self.fault(format!("needs {key}")))
    }

    /// The one of these keys that is there, if any; two are a fault.
    pub(super) fn one_of(
        &self,
        keys: &[&'static str],
    ) -> Result<Option<(&'static str, Value<'a>)>, SceneError> {
        let mut found: Option<(&'static str, Value<'a>)> = None;
        for &key in keys {
            if let Some(value) = self.get(key) {
                if let Some((other, _)) = found {
                    return Err(value.fault(format!("excludes {other}")));
                }
                found = Some((key, value));
            }
        }
        Ok(found)
    }

    pub(super) fn read<T>(
        &self,
        key: &'static str,
        read: impl Fn(&Value<'a>) -> Result<T, SceneError>,
    ) -> Result<Option<T>, SceneError> {
        self.get(key).map(|value| read(&value)).transpose()
    }

    /// The tables of a list, `[[key]]`; none if the key is missing.
    pub(super) fn tables(&self, key: &'static str) -> Result<Vec<Table<'a>>, SceneError> {
        let items = self.read(key, Value::list)?.unwrap_or_default();
        items.iter().map(Value::table).collect()
    }

    /// The tables of `key = [{…}, {…}]` or the one of `key = {…}`.
    pub(super) fn one_or_more(&self, key: &'static str) -> Result<Vec<Table<'a>>, SceneError> {
        match self.get(key) {
            Some(value) if value.is_list() => value.list()?.iter().map(Value::table).collect(),
            Some(value) => Ok(vec![value.table()?]),
            None => Ok(Vec::new()),
        }
    }

    /// All its keys, which count as read, and their values.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        self.entries.iter().map(|(name, value)| {
            let key = name.get_ref().as_ref();
            let inner = Value {
                source: self.source,
                path: self.field(key),
                place: name.span().start,
                span: value.span(),
                inner: value.get_ref(),
            };
            (key, inner)
        })
    }

    /// Refuses keys that were not read.
    pub(super) fn finish(self) -> Result<(), SceneError> {
        let known = self.known.borrow();
        let mut unknown: Vec<_> =
            self.entries.keys().filter(|key| !known.contains(&key.get_ref().as_ref())).collect();
        unknown.sort_by_key(|key| key.span().start);
        let Some(key) = unknown.first() else { return Ok(()) };
        let mut names = known.clone();
        names.sort_unstable();
        names.dedup();
        let message = format!(
            "is not a key of this table, which are {}{}",
            names.join(", "),
            suggestion(key.get_ref(), &names)
        );
        Err(self.source.fault(key.span().start, &self.field(key.get_ref()), message))
    }
}

/// What is added to a message about a misspelt name.
pub(super) fn suggestion(misspelt: &str, names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    nearest(misspelt, &names).map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}
