//! A part of a world: some of its bodies, and what connects them.

use super::{BodyId, World};
use crate::joint::Joint;
use crate::spring::Spring;
use std::sync::Arc;

impl World {
    /// The world of these bodies, given by their indices in ascending order: body `k` of it is body
    /// `bodies[k]` here. It has the joints and springs of those of them that forces move, whose other
    /// bodies must be among them. The indices of its joints are second.
    pub(crate) fn part(&self, bodies: &[usize]) -> (World, Vec<usize>) {
        let place = |id: BodyId| bodies.binary_search(&id.index()).ok();
        let local = |id: BodyId| place(id).map_or(id, BodyId::from_index);
        let is_moved = |id: BodyId| place(id).is_some() && self.bodies[id.index()].is_free();
        let holds = |a: BodyId, b: Option<BodyId>| is_moved(a) || b.is_some_and(is_moved);
        let joints: Vec<usize> =
            (0..self.joints.len()).filter(|&k| holds(self.joints[k].a, self.joints[k].b)).collect();
        let joint = |k: &usize| {
            let joint = &self.joints[*k];
            Joint { a: local(joint.a), b: joint.b.map(local), ..joint.clone() }
        };
        let spring = |s: &Spring| Spring { a: local(s.a), b: s.b.map(local), ..s.clone() };
        let pair = |[a, b]: &[BodyId; 2]| {
            Some([BodyId::from_index(place(*a)?), BodyId::from_index(place(*b)?)])
        };
        let mut part = World {
            bodies: bodies.iter().map(|&i| self.bodies[i].clone()).collect(),
            joints: joints.iter().map(joint).collect(),
            springs: self.springs.iter().filter(|s| holds(s.a, s.b)).map(spring).collect(),
            excluded_pairs: self.excluded_pairs.iter().filter_map(pair).collect(),
            materials: self.materials.clone(),
            pairs: self.pairs.clone(),
            shapes: Arc::default(),
            ..World::default()
        };
        (part.gravity, part.plane, part.impacts) = (self.gravity, self.plane, self.impacts);
        part.take_part(self, bodies, &joints);
        (part, joints)
    }

    /// Takes the state of its bodies and joints from the world that it is a part of.
    pub(crate) fn take_part(&mut self, whole: &World, bodies: &[usize], joints: &[usize]) {
        let (state, from) = (&mut self.state, &whole.state);
        state.time = from.time;
        state.poses.clear();
        state.poses.extend(bodies.iter().map(|&i| from.poses[i]));
        state.twists.clear();
        state.twists.extend(bodies.iter().map(|&i| from.twists[i]));
        state.turns.clear();
        state.turns.extend(joints.iter().map(|&k| from.turns[k]));
    }
}
