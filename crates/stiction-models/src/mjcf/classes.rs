//! `<default>`: attributes of elements that do not give them, by class.

use crate::error::ModelError;
use crate::value::Item;
use crate::xml::Element;
use std::collections::HashMap;

/// Classes by name; the first is the one of elements without class.
pub(super) struct Classes<'a> {
    list: Vec<Class<'a>>,
    names: HashMap<&'a str, usize>,
}

#[derive(Default)]
struct Class<'a> {
    parent: Option<usize>,
    elements: Vec<&'a Element>,
}

impl<'a> Classes<'a> {
    pub(super) fn read(root: &'a Element) -> Result<Self, ModelError> {
        let mut classes =
            Classes { list: vec![Class::default()], names: HashMap::from([("main", 0)]) };
        for element in root.each("default") {
            match element.get("class") {
                None | Some("main") => classes.fill(0, element)?,
                Some(_) => classes.add(0, element)?,
            }
        }
        Ok(classes)
    }

    fn add(&mut self, parent: usize, element: &'a Element) -> Result<(), ModelError> {
        let Some(name) = element.get("class") else { return Err(element.fault("needs class")) };
        if self.names.insert(name, self.list.len()).is_some() {
            return Err(element.fault(format!("class {name:?} is there already")));
        }
        self.list.push(Class { parent: Some(parent), elements: Vec::new() });
        self.fill(self.list.len() - 1, element)
    }

    fn fill(&mut self, class: usize, element: &'a Element) -> Result<(), ModelError> {
        for child in &element.children {
            if child.tag == "default" {
                child.see();
                self.add(class, child)?;
            } else {
                self.list[class].elements.push(child);
            }
        }
        Ok(())
    }

    /// A class, or an error at the element that names it.
    pub(super) fn find(&self, name: &str, element: &Element) -> Result<usize, ModelError> {
        self.names
            .get(name)
            .copied()
            .ok_or_else(|| element.fault(format!("is of the class {name:?}, which is not defined")))
    }

    /// An element with the defaults of its class, or of the one around it.
    pub(super) fn item(&self, element: &'a Element, around: usize) -> Result<Item<'a>, ModelError> {
        let own = element.get("class").map(|name| self.find(name, element)).transpose()?;
        let mut class = Some(own.unwrap_or(around));
        let mut defaults = Vec::new();
        while let Some(index) = class {
            let Class { parent, elements } = &self.list[index];
            for it in elements.iter().filter(|it| it.tag == element.tag) {
                it.see();
                defaults.push(*it);
            }
            class = *parent;
        }
        Ok(Item { element, defaults })
    }
}
