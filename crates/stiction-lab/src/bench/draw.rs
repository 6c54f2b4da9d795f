//! Random numbers for problems.

use stiction_solvers::gallery::Random;

/// One stream of them.
pub struct Draw(Random);

impl Draw {
    /// The stream of one problem.
    pub fn new(family: &str, seed: u64, number: u64) -> Self {
        Draw(Random::named(&format!("hostile {family} {seed}"), number))
    }

    pub fn uniform(&mut self, from: f64, to: f64) -> f64 {
        self.0.uniform(from, to)
    }

    /// A number with a uniformly distributed decimal logarithm.
    pub fn decades(&mut self, from: f64, to: f64) -> f64 {
        10_f64.powf(self.0.uniform(from, to))
    }

    /// One of `from, …, to`.
    pub fn count(&mut self, from: usize, to: usize) -> usize {
        let span = u32::try_from(to - from + 1).unwrap_or(u32::MAX);
        from + self.0.below(span)
    }

    pub fn chance(&mut self, part: f64) -> bool {
        self.0.uniform(0.0, 1.0) < part
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.count(0, list.len() - 1)]
    }

    pub fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    /// Three normally distributed numbers of this size.
    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        [(); 3].map(|()| size * self.0.normal())
    }

    pub fn six(&mut self, linear: f64, angular: f64) -> [f64; 6] {
        let ([x, y, z], [p, q, r]) = (self.vector(linear), self.vector(angular));
        [x, y, z, p, q, r]
    }

    /// A unit vector in any direction.
    pub fn direction(&mut self) -> [f64; 3] {
        let given = self.vector(1.0);
        unit(given).unwrap_or([0.0, 0.0, 1.0])
    }

    /// A unit vector perpendicular to another one.
    pub fn tangent(&mut self, normal: [f64; 3]) -> [f64; 3] {
        loop {
            let given = self.direction();
            let along = dot(given, normal);
            let across = std::array::from_fn(|k| given[k] - along * normal[k]);
            if along.abs() < 0.9
                && let Some(tangent) = unit(across)
            {
                return tangent;
            }
        }
    }

    /// A unit vector tilted from another one by this angle.
    pub fn tilted(&mut self, from: [f64; 3], angle: f64) -> [f64; 3] {
        let across = self.tangent(from);
        let (sin, cos) = angle.sin_cos();
        let tilted = std::array::from_fn(|k| cos * from[k] + sin * across[k]);
        unit(tilted).unwrap_or(from)
    }

    /// Three perpendicular unit vectors.
    pub fn axes(&mut self) -> [[f64; 3]; 3] {
        let x = self.direction();
        let y = self.tangent(x);
        [x, y, cross(x, y)]
    }
}

pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

/// The normalised vector, unless it is zero.
pub fn unit(a: [f64; 3]) -> Option<[f64; 3]> {
    let length = dot(a, a).sqrt();
    (length > 0.0).then(|| a.map(|x| x / length))
}
