//! Words of eight bytes, most of them zero, to few bytes and back.
//!
//! A bit for every word says whether it is zero. Those that are not are laid out in eight
//! planes, all first bytes, all second bytes and so on: numbers that hardly differ share
//! their upper bytes, which then stand side by side. All of it is deflated.

use flate2::read::DeflateDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use std::io::Read;

/// Longest frame that is believed (words): 256 megabytes, a million contacts.
const MOST: usize = 1 << 25;

/// Bytes as words, in the place of others; those of a frame are whole words.
pub fn of_bytes(bytes: &[u8], words: &mut Vec<u64>) {
    let (found, _) = bytes.as_chunks::<8>();
    words.clear();
    words.extend(found.iter().map(|word| u64::from_le_bytes(*word)));
}

/// Words as bytes.
pub fn to_bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Makes few bytes; keeps its buffers.
pub struct Packer {
    deflate: Compress,
    kept: Vec<u64>,
    plain: Vec<u8>,
}

impl Packer {
    pub fn new() -> Self {
        let deflate = Compress::new(Compression::fast(), false);
        Packer { deflate, kept: Vec::new(), plain: Vec::new() }
    }

    /// Few bytes; `None` where they would not fit into what deflating can need at most.
    pub fn pack(&mut self, words: &[u64]) -> Option<Vec<u8>> {
        let Packer { deflate, kept, plain } = self;
        plain.clear();
        plain.extend(u32::try_from(words.len()).ok()?.to_le_bytes());
        kept.clear();
        for chunk in words.chunks(8) {
            let bit = |(k, word): (usize, &u64)| u8::from(*word != 0) << k;
            let mask = chunk.iter().enumerate().map(bit).sum();
            plain.push(mask);
            if mask != 0 {
                kept.extend(chunk.iter().filter(|word| **word != 0));
            }
        }
        for plane in 0..8 {
            plain.extend(kept.iter().map(|word| (word >> (8 * plane)) as u8));
        }
        // What cannot be made shorter grows by five bytes for every block of it.
        let mut bytes = Vec::with_capacity(plain.len() + plain.len() / 1000 + 64);
        deflate.reset();
        let done = deflate.compress_vec(plain, &mut bytes, FlushCompress::Finish);
        (done.ok()? == Status::StreamEnd).then_some(bytes)
    }
}

/// The words again; `None` for bytes that [`Packer::pack`] did not make.
pub fn unpack(bytes: &[u8]) -> Option<Vec<u64>> {
    let mut plain = Vec::new();
    let most = 4 + MOST / 8 + 8 * MOST;
    DeflateDecoder::new(bytes).take(most as u64).read_to_end(&mut plain).ok()?;
    let (count, rest) = plain.split_first_chunk()?;
    let count = u32::from_le_bytes(*count) as usize;
    let (mask, planes) = rest.split_at_checked(count.div_ceil(8))?;
    let kept: usize = mask.iter().map(|byte| byte.count_ones() as usize).sum();
    if count > MOST || planes.len() != 8 * kept {
        return None;
    }
    let mut next = 0;
    let mut word = |k: usize| {
        if mask[k / 8] >> (k % 8) & 1 == 0 {
            return 0;
        }
        next += 1;
        (0..8)
            .map(|plane| {
                u64::from(*planes.get(plane * kept + next - 1).unwrap_or(&0)) << (8 * plane)
            })
            .sum()
    };
    Some((0..count).map(&mut word).collect())
}
