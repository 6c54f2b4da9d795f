//! What hangs together.

/// Sets of bodies that can be joined.
#[derive(Clone, Debug)]
pub(crate) struct Islands {
    parents: Vec<usize>,
}

impl Islands {
    /// Every body alone.
    pub(crate) fn new(count: usize) -> Self {
        Islands { parents: (0..count).collect() }
    }

    /// The smallest body of the island of this one.
    pub(crate) fn of(&mut self, mut body: usize) -> usize {
        while self.parents[body] != body {
            self.parents[body] = self.parents[self.parents[body]];
            body = self.parents[body];
        }
        body
    }

    /// Makes two islands one.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.parents[a.max(b)] = a.min(b);
    }
}
