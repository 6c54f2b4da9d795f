//! XML as a tree of elements that know where they stand and which of their attributes were read.
//!
//! Documents with entities are refused, and so are those that are too deep or too large. What nobody
//! read is the list of what is ignored ([`Element::unread`]).

use crate::error::{ModelError, Notes, Place};
use roxmltree::{Document, Node, ParsingOptions};
use std::cell::Cell;
use std::rc::Rc;

/// Nodes of a document at most: elements, texts and comments.
pub(crate) const MOST_NODES: u32 = 1_000_000;

/// Elements inside each other at most; chains of bodies are.
pub(crate) const MOST_DEPTH: usize = 200;

/// An element.
#[derive(Debug)]
pub(crate) struct Element {
    pub tag: String,
    pub place: Place,
    pub children: Vec<Element>,
    attributes: Vec<Attribute>,
    read: Cell<bool>,
}

#[derive(Debug)]
struct Attribute {
    key: String,
    value: String,
    read: Cell<bool>,
}

/// The root element of a text; messages call it `file`.
pub(crate) fn parse(text: &str, file: &str) -> Result<Element, ModelError> {
    let file: Rc<str> = file.into();
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let place = Place { file: Rc::clone(&file), line: error.pos().row as usize };
        ModelError::Syntax { place, message: format!("is not XML that is read: {error}") }
    })?;
    let breaks: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    Source { file, breaks }.element(document.root_element(), 0)
}

/// Where the lines of a file end.
struct Source {
    file: Rc<str>,
    breaks: Vec<usize>,
}

impl Source {
    fn element(&self, node: Node<'_, '_>, depth: usize) -> Result<Element, ModelError> {
        let line = 1 + self.breaks.partition_point(|&at| at < node.range().start);
        let place = Place { file: Rc::clone(&self.file), line };
        if depth > MOST_DEPTH {
            let message = format!("more than {MOST_DEPTH} elements are inside each other");
            return Err(ModelError::Syntax { place, message });
        }
        let attribute = |it: roxmltree::Attribute<'_, '_>| Attribute {
            key: it.name().to_owned(),
            value: it.value().to_owned(),
            read: Cell::new(false),
        };
        let children = node.children().filter(Node::is_element);
        Ok(Element {
            tag: node.tag_name().name().to_owned(),
            place,
            children: children.map(|it| self.element(it, depth + 1)).collect::<Result<_, _>>()?,
            attributes: node.attributes().map(attribute).collect(),
            read: Cell::new(false),
        })
    }
}

impl Element {
    /// Its children of a tag, which count as read.
    pub(crate) fn each<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |it| it.tag == tag).inspect(|it| it.see())
    }

    /// Its first child of a tag, which counts as read.
    pub(crate) fn child(&self, tag: &str) -> Option<&Element> {
        self.children.iter().find(|it| it.tag == tag).inspect(|it| it.see())
    }

    /// Counts as read.
    pub(crate) fn see(&self) {
        self.read.set(true);
    }

    /// Counts as read, with all that is in it.
    pub(crate) fn see_all(&self) {
        self.see();
        self.attributes.iter().for_each(|it| it.read.set(true));
        self.children.iter().for_each(Element::see_all);
    }

    /// The value of an attribute, which counts as read.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|it| it.key == key)?;
        found.read.set(true);
        Some(&found.value)
    }

    /// The tag and, if there is one, the name.
    pub(crate) fn title(&self) -> String {
        match self.attributes.iter().find(|it| it.key == "name") {
            Some(name) => format!("{} {:?}", self.tag, name.value),
            None => self.tag.clone(),
        }
    }

    pub(crate) fn fault(&self, message: impl Into<String>) -> ModelError {
        ModelError::Value {
            place: self.place.clone(),
            field: self.title(),
            message: message.into(),
        }
    }

    /// Notes what was not read below this element: attributes of what was, and elements.
    pub(crate) fn unread(&self, notes: &mut Notes) {
        for attribute in self.attributes.iter().filter(|it| !it.read.get()) {
            notes.add(format!("{}.{}", self.tag, attribute.key), "", &self.place);
        }
        for child in &self.children {
            if child.read.get() {
                child.unread(notes);
            } else {
                child.unread_tags(notes);
            }
        }
    }

    fn unread_tags(&self, notes: &mut Notes) {
        notes.add(format!("<{}>", self.tag), "", &self.place);
        self.children.iter().for_each(|it| it.unread_tags(notes));
    }
}
