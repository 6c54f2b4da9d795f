//! Materials and pairs of materials.

use super::source::{Table, Value, suggestion};
use super::{Reader, SceneError};
use crate::world::{Material, World};

impl Reader<'_> {
    pub(super) fn add_material(
        &mut self,
        mut table: Table<'_>,
        world: &mut World,
    ) -> Result<(), SceneError> {
        let name = table.named()?;
        let text = name.text()?;
        let material = coefficients(&table, world.materials[0])?;
        match self.materials.iter().position(|known| known == text) {
            Some(0) => world.materials[0] = material,
            Some(_) => return Err(name.fault(format!("is {text:?}, as another is called"))),
            None => {
                world.add_material(material);
                self.materials.push(text.to_owned());
            }
        }
        table.finish()
    }

    pub(super) fn add_pair(&self, table: Table<'_>, world: &mut World) -> Result<(), SceneError> {
        let value = table.need("materials")?;
        let names = value.list()?;
        let [first, second] = &names[..] else {
            return Err(value.unfit("the names of two materials"));
        };
        let (a, b) = (self.find_material(first)?, self.find_material(second)?);
        let usual = world.materials[a].with(world.materials[b]);
        let material = coefficients(&table, usual)?;
        world.pair(a, b, material);
        table.finish()
    }

    pub(super) fn find_material(&self, value: &Value<'_>) -> Result<usize, SceneError> {
        let name = value.text()?;
        let found = self.materials.iter().position(|known| known == name);
        found.ok_or_else(|| {
            value.fault(format!(
                "is {name:?}, an unknown material (defined: {}){}",
                self.materials.join(", "),
                suggestion(name, &self.materials)
            ))
        })
    }
}

/// Friction and restitution of a material or a pair.
fn coefficients(table: &Table<'_>, usual: Material) -> Result<Material, SceneError> {
    let mut material = usual;
    if let Some((key, value)) = table.one_of(&["friction", "static_friction"])? {
        material.static_friction = value.not_negative()?;
        material.dynamic_friction = material.static_friction;
        if let ("friction", Some(other)) = (key, table.get("dynamic_friction")) {
            return Err(other.fault("excludes friction; use static_friction"));
        }
    }
    if let Some(value) = table.get("dynamic_friction") {
        material.dynamic_friction = value.not_negative()?;
        if material.dynamic_friction > material.static_friction {
            let most = material.static_friction;
            return Err(value.unfit(&format!("at most the static friction, {most}")));
        }
    }
    if let Some(value) = table.get("restitution") {
        material.restitution = value.not_negative()?;
        if material.restitution > 1.0 {
            return Err(value.unfit("from 0 to 1"));
        }
    }
    Ok(material)
}
