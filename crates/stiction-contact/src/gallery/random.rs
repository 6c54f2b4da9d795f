//! Random numbers that are the same on every machine: splitmix64 (Steele, Lea and Flood 2014),
//! with a separate stream for every name.

use std::f64::consts::TAU;

/// One stream.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of this name and seed. Names are hashed by FNV-1a.
    pub fn named(name: &str, seed: u64) -> Self {
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let mut random = Random(name.bytes().fold(0xcbf2_9ce4_8422_2325, hash));
        // Mixed before the seed is added: neighbouring seeds must not share numbers.
        random.0 = random.bits() ^ seed;
        random.0 = random.bits();
        random
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniformly distributed over `from ≤ x < to`.
    pub fn uniform(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// One of `0, 1, …, count − 1`.
    pub fn below(&mut self, count: u32) -> usize {
        let part = self.uniform(0.0, 1.0);
        (0..count).take_while(|k| part * f64::from(count) >= f64::from(k + 1)).count()
    }

    /// Normally distributed with variance one (Box–Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform(0.0, 1.0)).ln()).sqrt();
        radius * self.uniform(0.0, TAU).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the published generator started at zero.
    #[test]
    fn it_is_splitmix64() {
        let mut random = Random(0);
        assert_eq!(random.bits(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.bits(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut random = Random::named("moments", 0);
        let count = 20_000;
        let mut sums = [0.0; 4];
        for _ in 0..count {
            let (u, x) = (random.uniform(2.0, 4.0), random.normal());
            assert!((2.0..4.0).contains(&u));
            sums[0] += u;
            sums[1] += (u - 3.0) * (u - 3.0);
            sums[2] += x;
            sums[3] += x * x;
        }
        for (sum, expected) in sums.into_iter().zip([3.0, 1.0 / 3.0, 0.0, 1.0]) {
            let mean = sum / f64::from(count);
            assert!((mean - expected).abs() < 0.04, "{mean}, expected {expected}");
        }
    }

    #[test]
    fn names_and_seeds_have_their_own_streams() {
        let first = |name: &str, seed: u64| Random::named(name, seed).bits();
        assert_ne!(first("peg", 0), first("peg", 1));
        assert_ne!(first("peg", 0), first("gep", 0));
        assert_eq!(first("peg", 7), first("peg", 7));
    }
}
