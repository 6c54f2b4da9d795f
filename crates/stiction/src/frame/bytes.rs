//! Numbers to bytes and back, little-endian, eight bytes at a time.

use glam::DVec3;

/// Bytes of a name.
const NAME: usize = 24;

/// Collects numbers.
pub struct Writer {
    pub bytes: Vec<u8>,
}

impl Writer {
    pub fn u64(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    pub fn f64(&mut self, number: f64) {
        self.bytes.extend(number.to_le_bytes());
    }

    /// Two numbers of four bytes; larger ones become the largest there is.
    pub fn pair(&mut self, first: usize, second: usize) {
        for number in [first, second] {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            self.bytes.extend(number.to_le_bytes());
        }
    }

    /// A name, in [`NAME`] bytes; longer ones are cut.
    pub fn name(&mut self, name: &str) {
        let bytes = name.as_bytes();
        let padded = std::array::from_fn::<u8, NAME, _>(|k| bytes.get(k).copied().unwrap_or(0));
        self.bytes.extend(padded);
    }

    pub fn numbers(&mut self, numbers: &[f64]) {
        for number in numbers {
            self.f64(*number);
        }
    }

    pub fn vector(&mut self, vector: DVec3) {
        self.numbers(&vector.to_array());
    }
}

/// Gives numbers as long as there are bytes.
pub struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { left: bytes }
    }

    pub fn at_end(&self) -> bool {
        self.left.is_empty()
    }

    pub fn u64(&mut self) -> Option<u64> {
        let (word, left) = self.left.split_first_chunk()?;
        self.left = left;
        Some(u64::from_le_bytes(*word))
    }

    /// A name; none that is not text.
    pub fn name(&mut self) -> Option<String> {
        let (bytes, left) = self.left.split_first_chunk::<NAME>()?;
        self.left = left;
        let name = std::str::from_utf8(bytes).ok()?;
        Some(name.trim_end_matches('\0').to_owned())
    }

    pub fn f64(&mut self) -> Option<f64> {
        self.u64().map(f64::from_bits)
    }

    pub fn pair(&mut self) -> Option<[usize; 2]> {
        let word = self.u64()?;
        Some([(word & 0xffff_ffff) as usize, (word >> 32) as usize])
    }

    pub fn numbers<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.f64()?;
        }
        Some(numbers)
    }

    pub fn vector(&mut self) -> Option<DVec3> {
        self.numbers().map(DVec3::from_array)
    }
}
