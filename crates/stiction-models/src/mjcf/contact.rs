//! `<contact>` and `<equality>`: what never touches, and what closes chains.

use super::Reader;
use crate::error::ModelError;
use crate::model::JointKind;
use crate::tree::Loop;
use crate::value::{Attr, Item};
use crate::xml::Element;
use glam::DVec3;

impl<'a> Reader<'a> {
    /// Pairs of bodies that never touch.
    pub(super) fn excluded(&mut self, root: &'a Element) -> Result<Vec<[usize; 2]>, ModelError> {
        let mut pairs = Vec::new();
        for contact in root.each("contact") {
            for element in contact.each("exclude") {
                let item = Item::plain(element);
                let _ = item.get("name");
                let [a, b] = [item.need("body1")?, item.need("body2")?];
                pairs.push([self.link(&a)?, self.link(&b)?]);
            }
            for element in contact.children.iter().filter(|it| it.tag == "pair") {
                let why = "pairs touch by contype and conaffinity alone";
                element.see_all();
                self.notes.add("<pair>", why, &element.place);
            }
        }
        Ok(pairs)
    }

    fn link(&self, name: &Attr<'_>) -> Result<usize, ModelError> {
        let found = self.names.get(name.text).copied();
        found.ok_or_else(|| name.fault(format!("is {:?}, a body that is not there", name.text)))
    }

    /// What holds bodies together besides the joints between a body and the one that it is in.
    pub(super) fn loops(&mut self, root: &'a Element) -> Result<Vec<Loop>, ModelError> {
        let mut loops = Vec::new();
        for equality in root.each("equality") {
            for element in &equality.children {
                let kind = match element.tag.as_str() {
                    "connect" => JointKind::Ball,
                    "weld" => JointKind::Fixed,
                    _ => continue,
                };
                element.see();
                let item = self.classes.item(element, 0)?;
                if item.flag("active")?.unwrap_or(true) {
                    loops.push(self.held(&item, kind)?);
                } else {
                    self.notes.add(
                        format!("<{}>", element.tag),
                        "it is not active",
                        &element.place,
                    );
                }
            }
        }
        Ok(loops)
    }

    fn held(&mut self, item: &Item<'a>, kind: JointKind) -> Result<Loop, ModelError> {
        let (links, anchor) = match (item.get("site1"), item.get("body1")) {
            (Some(first), None) => {
                let second = item.need("site2")?;
                let [a, b] = [self.site(&first)?, self.site(&second)?];
                check_together(item, a.1, b.1)?;
                ([a.0, b.0], a.1)
            }
            (None, Some(first)) => {
                let a = self.link(&first)?;
                let b = item.get("body2").map(|it| self.link(&it)).transpose()?.unwrap_or(0);
                let anchor = item.vector("anchor")?.unwrap_or_default();
                let base = if kind == JointKind::Fixed { b } else { a };
                ([a, b], self.links[base].pose.point(anchor))
            }
            _ => return Err(item.element.fault("needs body1, or site1 and site2")),
        };
        if item.get("relpose").is_some() {
            let why = "bodies are welded as they begin";
            self.notes.add("weld.relpose", why, &item.element.place);
        }
        Ok(Loop {
            name: item.element.get("name").map(str::to_owned),
            place: item.element.place.clone(),
            kind,
            links,
            anchor,
        })
    }

    /// The link of a site, and where it is in the world.
    fn site(&self, name: &Attr<'_>) -> Result<(usize, DVec3), ModelError> {
        let Some((link, pose)) = self.sites.get(name.text) else {
            return Err(name.fault(format!("is {:?}, a site that is not there", name.text)));
        };
        Ok((*link, self.links[*link].pose.point(pose.position)))
    }
}

/// Refuses points that do not begin together.
fn check_together(item: &Item<'_>, a: DVec3, b: DVec3) -> Result<(), ModelError> {
    /// How far apart points may begin that are held together (m).
    const TOGETHER: f64 = 1e-6;
    if (a - b).length() <= TOGETHER {
        return Ok(());
    }
    let apart = (a - b).length();
    Err(item.element.fault(format!("its sites are {apart:.3e} m apart where they begin")))
}
