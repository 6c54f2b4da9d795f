//! Attributes as numbers, vectors and words. Every fault names file, line, element and value.

use crate::error::{ModelError, Place};
use crate::xml::Element;
use glam::DVec3;

/// Characters of a value that a message repeats.
const SHOWN: usize = 40;

/// An element with the defaults of its class, nearest first.
#[derive(Clone)]
pub(crate) struct Item<'a> {
    pub element: &'a Element,
    pub defaults: Vec<&'a Element>,
}

/// An attribute.
#[derive(Clone, Copy)]
pub(crate) struct Attr<'a> {
    pub text: &'a str,
    key: &'a str,
    element: &'a Element,
}

impl<'a> Item<'a> {
    /// An element without defaults.
    pub(crate) fn plain(element: &'a Element) -> Self {
        Item { element, defaults: Vec::new() }
    }

    /// An attribute, its own or of its class; all places where it stands count as read.
    pub(crate) fn get(&self, key: &'a str) -> Option<Attr<'a>> {
        let mut found = None;
        for element in std::iter::once(self.element).chain(self.defaults.iter().copied()) {
            let text = element.get(key);
            found = found.or(text.map(|text| Attr { text, key, element }));
        }
        found
    }

    pub(crate) fn need(&self, key: &'a str) -> Result<Attr<'a>, ModelError> {
        self.get(key).ok_or_else(|| self.element.fault(format!("needs {key}")))
    }

    pub(crate) fn number(&self, key: &'a str) -> Result<Option<f64>, ModelError> {
        self.get(key).map(|it| it.number()).transpose()
    }

    pub(crate) fn vector(&self, key: &'a str) -> Result<Option<DVec3>, ModelError> {
        self.get(key).map(|it| it.array().map(DVec3::from_array)).transpose()
    }

    pub(crate) fn flag(&self, key: &'a str) -> Result<Option<bool>, ModelError> {
        let choices = [("true", true), ("false", false)];
        self.get(key).map(|it| it.choice(&choices)).transpose()
    }
}

impl Attr<'_> {
    /// Where its element stands.
    pub(crate) fn place(&self) -> &Place {
        &self.element.place
    }

    pub(crate) fn fault(&self, message: impl Into<String>) -> ModelError {
        ModelError::Value {
            place: self.element.place.clone(),
            field: format!("{}.{}", self.element.title(), self.key),
            message: message.into(),
        }
    }

    /// "is 3, must be wanted".
    pub(crate) fn unfit(&self, wanted: &str) -> ModelError {
        let shown: String = self.text.chars().take(SHOWN).collect();
        let more = if shown.len() < self.text.len() { "…" } else { "" };
        self.fault(format!("is \"{shown}{more}\", must be {wanted}"))
    }

    /// Numbers with spaces between them; finite ones, but for bounds.
    fn all(&self, finite: bool) -> Option<Vec<f64>> {
        let number = |word: &str| {
            word.parse::<f64>().ok().filter(|x| x.is_finite() || !finite && !x.is_nan())
        };
        self.text.split_ascii_whitespace().map(number).collect()
    }

    /// At least `least` and at most `most` numbers.
    pub(crate) fn list(&self, least: usize, most: usize) -> Result<Vec<f64>, ModelError> {
        let found = self.all(true).filter(|it| (least..=most).contains(&it.len()));
        found.ok_or_else(|| match (least, most) {
            (1, 1) => self.unfit("a finite number"),
            (least, most) if least == most => self.unfit(&format!("{least} finite numbers")),
            _ => self.unfit(&format!("{least} to {most} finite numbers")),
        })
    }

    pub(crate) fn array<const N: usize>(&self) -> Result<[f64; N], ModelError> {
        let mut array = [0.0; N];
        array.copy_from_slice(&self.list(N, N)?);
        Ok(array)
    }

    pub(crate) fn number(&self) -> Result<f64, ModelError> {
        self.array::<1>().map(|[number]| number)
    }

    /// The least and the greatest, which may be infinite.
    pub(crate) fn bounds(&self) -> Result<[f64; 2], ModelError> {
        match self.all(false).as_deref() {
            Some([least, greatest]) if least <= greatest => Ok([*least, *greatest]),
            _ => Err(self.unfit("two numbers, the least first")),
        }
    }

    pub(crate) fn positive(&self) -> Result<f64, ModelError> {
        let number = self.number()?;
        if number > 0.0 { Ok(number) } else { Err(self.unfit("positive")) }
    }

    pub(crate) fn not_negative(&self) -> Result<f64, ModelError> {
        let number = self.number()?;
        if number >= 0.0 { Ok(number) } else { Err(self.unfit("zero or more")) }
    }

    /// A whole number.
    pub(crate) fn whole(&self) -> Result<i64, ModelError> {
        self.text.trim().parse().map_err(|_| self.unfit("a whole number"))
    }

    /// A unit vector.
    pub(crate) fn direction(&self) -> Result<DVec3, ModelError> {
        let vector = DVec3::from_array(self.array()?);
        vector.try_normalize().ok_or_else(|| self.unfit("a direction"))
    }

    pub(crate) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, ModelError> {
        let found = choices.iter().find(|(name, _)| *name == self.text.trim());
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.unfit(&format!("one of {}", names.join(", ")))
        })
    }
}
