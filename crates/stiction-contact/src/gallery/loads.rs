//! Random loads on bodies at rest: one problem each.

use super::Random;
use crate::problem::{Body, Contact, ContactProblem, Level, ProblemError};

/// Number of loads, and the seed that determines them.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// Problems per configuration.
    pub loads: usize,
    /// Another seed gives other loads, friction coefficients and offsets.
    pub seed: u64,
}

impl Default for Draw {
    /// Twenty loads, as in Lloyd (2004).
    fn default() -> Self {
        Draw { loads: 20, seed: 0 }
    }
}

/// Bodies at rest, their contacts, and the body that is loaded.
pub(super) struct Configuration {
    pub bodies: Vec<Body>,
    pub contacts: Vec<Contact>,
    pub pushed: usize,
    pub level: Level,
    /// How long a load acts (s): the length of a step where responses are velocities, one where
    /// they are accelerations.
    pub time: f64,
}

impl Configuration {
    /// One problem per load: a normally distributed wrench of the given size.
    pub fn under_loads(
        &self,
        experiment: &str,
        [force, torque]: [f64; 2],
        draw: Draw,
    ) -> Result<Vec<ContactProblem>, ProblemError> {
        let mut random = Random::named(&format!("{experiment} loads"), draw.seed);
        let mut problem = || {
            let sizes = [force, force, force, torque, torque, torque];
            let wrench = sizes.map(|size| size * random.normal());
            let mut bodies = self.bodies.clone();
            if let Some(Body { inertia, free_response, .. }) = bodies.get_mut(self.pushed) {
                for (response, rate) in free_response.iter_mut().zip(inertia.response(&wrench)) {
                    *response += self.time * rate;
                }
            }
            ContactProblem::new(self.level, bodies, self.contacts.clone(), vec![], vec![])
        };
        (0..draw.loads).map(|_| problem()).collect()
    }
}
