//! Connected components: which things are linked, directly or through others.

/// Disjoint sets of `0..n` that can be joined.
#[derive(Clone, Debug)]
pub struct UnionFind {
    parents: Vec<usize>,
}

impl UnionFind {
    /// Every element alone.
    pub fn new(count: usize) -> Self {
        UnionFind { parents: (0..count).collect() }
    }

    /// The smallest element of the set of this one.
    pub fn of(&mut self, mut element: usize) -> usize {
        while self.parents[element] != element {
            self.parents[element] = self.parents[self.parents[element]];
            element = self.parents[element];
        }
        element
    }

    /// Makes two sets one.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.parents[a.max(b)] = a.min(b);
    }

    /// The smallest element of the set of every element.
    pub fn roots(mut self) -> Vec<usize> {
        (0..self.parents.len()).map(|element| self.of(element)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_named_by_their_smallest_element() {
        let mut sets = UnionFind::new(6);
        sets.join(4, 2);
        sets.join(5, 4);
        sets.join(0, 1);
        assert_eq!(sets.roots(), [0, 0, 2, 3, 2, 2]);
    }
}
