//! `rest_on`: bodies lowered until they touch what is below them.

use super::source::Table;
use super::{Reader, SceneError};
use crate::world::{Body, World};
use stiction_geometry::distance;

/// Steps downwards, each by the distance to what is below: on a slope of the angle α what is left shrinks by `1 − cos α`
/// with each, to nothing in 1000 steps up to 88°.
const MOST_STEPS: usize = 1000;

/// Distances below this fraction of the size of the body are contact.
const TOUCHING: f64 = 1e-13;

/// Farther than this nothing is sought (m).
const FARTHEST: f64 = 1e5;

impl Reader<'_> {
    /// Lowers a body along gravity until it touches one of the bodies that its table names.
    pub(super) fn lower(
        &self,
        table: &Table<'_>,
        body: &mut Body,
        world: &World,
    ) -> Result<(), SceneError> {
        let Some(value) = table.get("rest_on") else { return Ok(()) };
        let names = if value.is_list() { value.list()? } else { vec![value.clone()] };
        let mut below = Vec::new();
        for name in &names {
            below.extend(self.find_bodies(name, world)?);
        }
        let down = world.gravity.try_normalize();
        let down = down.ok_or_else(|| value.fault("needs gravity, which says where down is"))?;
        let nearest = |body: &Body| {
            let others = below.iter().map(|id| (&world.bodies[id.index()].parts, world.pose(*id)));
            let gaps =
                others.map(|(parts, pose)| distance(&body.parts, &body.placed, parts, &pose));
            gaps.fold(f64::INFINITY, f64::min)
        };
        let size = stiction_geometry::aabb(&body.parts, &body.placed);
        let touching = TOUCHING * (size.high - size.low).length();
        if nearest(body) <= touching {
            return Err(value.fault("is not below the body, which touches it where it is"));
        }
        let start = body.placed.position;
        for _ in 0..MOST_STEPS {
            let gap = nearest(body);
            if gap <= touching {
                return Ok(());
            }
            body.placed.position += gap * down;
            let fallen = (body.placed.position - start).length();
            if fallen.is_nan() || fallen > FARTHEST {
                break;
            }
        }
        Err(value.fault("is not below the body, which would fall past it"))
    }
}
