//! A value in a JSON text and its path, for messages.

use super::super::{FileError, Source};
use glam::DVec3;
use serde_json::Value;

/// A value and where it is.
#[derive(Clone)]
pub(super) struct Node<'a> {
    pub value: &'a Value,
    path: String,
    source: Source<'a>,
}

impl<'a> Node<'a> {
    pub fn new(value: &'a Value, source: Source<'a>) -> Self {
        Node { value, path: String::new(), source }
    }

    /// What is inside the envelope `{"dtype": …, "data": …}`, or the value itself.
    pub fn data(&self) -> Node<'a> {
        let enveloped = self.raw("dtype").is_some();
        let inside = self.raw("data").filter(|_| enveloped);
        inside.or_else(|| self.raw("value").filter(|_| enveloped)).unwrap_or_else(|| self.clone())
    }

    /// A member, even if it is null.
    pub fn raw(&self, key: &str) -> Option<Node<'a>> {
        let value = self.value.as_object()?.get(key)?;
        let dot = if self.path.is_empty() { "" } else { "." };
        Some(Node { value, path: format!("{}{dot}{key}", self.path), source: self.source })
    }

    /// A member that is not null.
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        self.raw(key).filter(|node| !node.value.is_null())
    }

    /// A member that must be there.
    pub fn need(&self, key: &str) -> Result<Node<'a>, FileError> {
        self.get(key).ok_or_else(|| self.fault(format!("has no \"{key}\"")))
    }

    /// The members of an object; keys that are numbers in their order.
    pub fn members(&self) -> Result<Vec<(&'a str, Node<'a>)>, FileError> {
        let object =
            self.value.as_object().ok_or_else(|| self.fault("must be an object".into()))?;
        let mut found: Vec<_> =
            object.keys().filter_map(|key| Some((key.as_str(), self.raw(key)?))).collect();
        found.sort_by_key(|(key, _)| (key.parse::<u64>().unwrap_or(u64::MAX), *key));
        Ok(found)
    }

    /// The items of a list.
    pub fn items(&self) -> Result<Vec<Node<'a>>, FileError> {
        let list = self.value.as_array().ok_or_else(|| self.fault("must be a list".into()))?;
        let item =
            |(k, value)| Node { value, path: format!("{}[{k}]", self.path), source: self.source };
        Ok(list.iter().enumerate().map(item).collect())
    }

    pub fn number(&self) -> Result<f64, FileError> {
        self.value
            .as_f64()
            .ok_or_else(|| self.fault(format!("is {}, must be a number", self.value)))
    }

    pub fn index(&self) -> Result<usize, FileError> {
        let index = self.value.as_u64().map(|it| it as usize);
        index.ok_or_else(|| self.fault(format!("is {}, must be an index", self.value)))
    }

    /// A key of a dictionary: text, or a number.
    pub fn key(&self) -> Result<String, FileError> {
        match self.value {
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            _ => Err(self.fault(format!("is {}, must be a key", self.value))),
        }
    }

    pub fn text(&self) -> Result<&'a str, FileError> {
        self.value.as_str().ok_or_else(|| self.fault(format!("is {}, must be text", self.value)))
    }

    pub fn is_true(&self) -> bool {
        self.value.as_bool().unwrap_or(false)
    }

    /// Three numbers, or a `Point` or `Vector` of them.
    pub fn vector(&self) -> Result<DVec3, FileError> {
        let items = self.data().items()?;
        let [x, y, z] = &items[..] else {
            return Err(self.fault(format!("has {} numbers, needs 3", items.len())));
        };
        Ok(DVec3::new(x.number()?, y.number()?, z.number()?))
    }

    pub fn fault(&self, message: String) -> FileError {
        self.source.fault(&self.path, message)
    }
}
