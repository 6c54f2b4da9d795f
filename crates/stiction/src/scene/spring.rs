//! Springs: two ends, stiffness, damping, length.

use super::repeat::{Copy, copies};
use super::source::{Table, Value};
use super::{Reader, SceneError};
use crate::spring::Spring;
use crate::world::World;

impl Reader<'_> {
    /// Adds a spring, and its copies.
    pub(super) fn spring(
        &mut self,
        mut table: Table<'_>,
        world: &mut World,
    ) -> Result<(), SceneError> {
        let name = table.named()?;
        for copy in copies(&table)? {
            let full = copy.name(name.text()?);
            if world.springs.iter().any(|spring| spring.name == full) {
                return Err(name.fault(format!("is {full:?}, as another spring is called")));
            }
            let spring = self.one_spring(&table, full, &copy, world)?;
            world.add_spring(spring);
        }
        table.finish()
    }

    fn one_spring(
        &self,
        table: &Table<'_>,
        name: String,
        copy: &Copy,
        world: &World,
    ) -> Result<Spring, SceneError> {
        let a = self.find_body(&table.need("a")?, copy)?;
        let b = table.read("b", |value| self.find_body(value, copy))?;
        if b == Some(a) {
            return Err(table.fault(format!("joins {:?} to itself", world.body(a).name)));
        }
        let first = table.need("anchor")?.vector()? + copy.offset;
        let second = table.need("anchor_b")?.vector()? + copy.offset;
        let length = table.read("length", Value::not_negative)?;
        Ok(Spring {
            name,
            a,
            b,
            on_a: world.pose(a).local_point(first),
            on_b: b.map_or(second, |b| world.pose(b).local_point(second)),
            length: length.unwrap_or_else(|| (first - second).length()),
            stiffness: table.need("stiffness")?.not_negative()?,
            damping: table.read("damping", Value::not_negative)?.unwrap_or_default(),
        })
    }
}
