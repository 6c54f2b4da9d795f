//! What touches what: neighbours, exclusions, collision groups, friction of pairs.

use super::{Builder, Kind};
use crate::error::ModelError;
use crate::tree::Neighbours;

impl Builder<'_> {
    /// Neighbours, and pairs that the file keeps apart.
    pub(super) fn apart(&self) -> Vec<[usize; 2]> {
        let mut pairs = Vec::new();
        for (i, link) in self.tree.links.iter().enumerate().filter(|(_, it)| it.moves()) {
            let neighbours = match self.root[link.parent] {
                Some(root) if self.tree.neighbours != Neighbours::Touch => &self.of_link[root],
                None if self.tree.neighbours == Neighbours::Apart => &self.of_link[link.parent],
                _ => continue,
            };
            pairs.extend(neighbours.iter().map(|&parent| [self.of_link[i][0], parent]));
        }
        for [first, second] in &self.tree.apart {
            let bodies = |link: usize| match self.root[link] {
                Some(root) => &self.of_link[root],
                None => &self.of_link[link],
            };
            for &a in bodies(*first) {
                pairs.extend(bodies(*second).iter().filter(|&&b| b != a).map(|&b| [a, b]));
            }
        }
        pairs
    }

    /// One bit for every two kinds of bodies that touch each other.
    pub(super) fn set_groups(&mut self) -> Result<(), ModelError> {
        let mut groups = vec![0_u64; self.kinds.len()];
        let mut used = 0;
        for i in 0..self.kinds.len() {
            for k in i..self.kinds.len() {
                let (some, all) = self.meets(&self.kinds[i], &self.kinds[k]);
                if !some {
                    continue;
                }
                if !all && let Some(body) = self.kind_of_body.iter().position(|it| *it == i) {
                    let place = self.bodies[body].place.clone();
                    self.notes.add(
                        "contype and conaffinity of shapes of one body that differ",
                        "all of them touch what one of them touches",
                        &place,
                    );
                }
                if used == u64::BITS {
                    let place = self.bodies[0].place.clone();
                    let message = "more than 64 pairs of kinds of bodies touch".to_owned();
                    return Err(ModelError::Value { place, field: "contype".to_owned(), message });
                }
                groups[i] |= 1 << used;
                groups[k] |= 1 << used;
                used += 1;
            }
        }
        for (body, kind) in self.bodies.iter_mut().zip(&self.kind_of_body) {
            body.groups = groups[*kind];
        }
        Ok(())
    }

    /// Pairs of bodies of one kind that touch others but not each other: they share the bits of what they touch.
    pub(super) fn strangers(&self) -> Result<Vec<[usize; 2]>, ModelError> {
        /// Pairs at most.
        const MOST: usize = 1_000_000;
        let mut pairs = Vec::new();
        for (k, kind) in self.kinds.iter().enumerate() {
            let alike = (0..self.bodies.len()).filter(|&body| self.kind_of_body[body] == k);
            let alike: Vec<usize> = alike.collect();
            if self.meets(kind, kind).0 || alike.iter().all(|&body| self.bodies[body].groups == 0) {
                continue;
            }
            if alike.len() * alike.len() / 2 + pairs.len() > MOST {
                let place = self.bodies[alike[0]].place.clone();
                let message = format!("keeps more than {MOST} pairs of bodies apart");
                return Err(ModelError::Value { place, field: "conaffinity".to_owned(), message });
            }
            for (i, &a) in alike.iter().enumerate() {
                let moves = |body: usize| self.bodies[body].mass.is_some();
                let others = alike[i + 1..].iter().filter(|&&b| moves(a) || moves(b));
                pairs.extend(others.map(|&b| [a, b]));
            }
        }
        Ok(pairs)
    }

    /// Whether some shapes of two kinds of bodies touch each other, and whether all do.
    fn meets(&self, first: &Kind, second: &Kind) -> (bool, bool) {
        let meet = |x: &[u32; 2], y: &[u32; 2]| x[0] & y[1] != 0 || y[0] & x[1] != 0;
        let all = first.iter().flat_map(|x| second.iter().map(move |y| meet(x, y)));
        let (some, all) = all.fold((false, true), |(some, all), it| (some | it, all & it));
        (some && !self.tree.no_contact, all)
    }

    /// The coefficients of pairs of surfaces.
    pub(super) fn pairs(&self) -> Vec<([usize; 2], f64)> {
        let count = if self.tree.greater_friction { self.surfaces.len() } else { 0 };
        let all = (0..count).flat_map(|i| (i..count).map(move |k| [i, k]));
        all.map(|[i, k]| ([i, k], self.surfaces[i].with(self.surfaces[k]))).collect()
    }
}
