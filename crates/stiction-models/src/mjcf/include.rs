//! `<include>`: the elements of other files in place of it.

use crate::error::ModelError;
use crate::files::{find, read_text};
use crate::xml::{self, Element, MOST_DEPTH, MOST_NODES};
use std::collections::VecDeque;
use std::path::PathBuf;
use stiction_geometry::Shelf;

/// What was included so far.
struct Included<'a> {
    shelf: Shelf<'a>,
    files: Vec<PathBuf>,
    elements: usize,
}

/// A file with what it includes. A file may be included once, as in MuJoCo: there are no cycles.
pub(crate) fn include(root: Element, shelf: Shelf<'_>) -> Result<Element, ModelError> {
    let mut included = Included { shelf, files: Vec::new(), elements: 0 };
    included.expand(root, 0)
}

impl Included<'_> {
    fn expand(&mut self, mut element: Element, depth: usize) -> Result<Element, ModelError> {
        self.elements += 1;
        if depth > MOST_DEPTH || self.elements > MOST_NODES as usize {
            return Err(element.fault("is too deep, or one of too many, with what is included"));
        }
        let mut waiting: VecDeque<Element> = std::mem::take(&mut element.children).into();
        while let Some(child) = waiting.pop_front() {
            if child.tag == "include" {
                for inner in self.open(&child)?.children.into_iter().rev() {
                    waiting.push_front(inner);
                }
            } else {
                element.children.push(self.expand(child, depth + 1)?);
            }
        }
        Ok(element)
    }

    fn open(&mut self, element: &Element) -> Result<Element, ModelError> {
        let Some(name) = element.get("file") else { return Err(element.fault("needs file")) };
        let path = find(self.shelf, name, &element.place, "include.file")?;
        let real = path
            .canonicalize()
            .map_err(|source| element.fault(format!("is {name:?}: {source}")))?;
        if self.files.contains(&real) {
            return Err(element.fault(format!("is {name:?}, which is included already")));
        }
        self.files.push(real);
        let text = read_text(&path)?;
        xml::parse(&text, &path.display().to_string())
    }
}
