//! Blocks: what a recording is made of after its first eight bytes, each whole or worthless.
//!
//! ```text
//!   u32 length of the payload │ u32 kind │ u32 check │ payload
//! ```
//!
//! The check is the CRC-32 of length, kind and payload, so that any flipped bit is seen.

use std::io::{ErrorKind, Read};

/// What stands before the payload of a block (bytes).
pub const HEAD: usize = 12;

/// The scene and how it is run, as JSON.
pub const SCENE: u32 = 0;
/// A frame by itself.
pub const PLAIN: u32 = 1;
/// A frame as its difference from the frame before.
pub const DIFFERENCE: u32 = 2;

/// A block as bytes; `None` for payloads of more than four gigabytes.
pub fn pack(kind: u32, payload: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(payload.len()).ok()?;
    let mut bytes = Vec::with_capacity(HEAD + payload.len());
    bytes.extend(length.to_le_bytes());
    bytes.extend(kind.to_le_bytes());
    bytes.extend(check(length, kind, payload).to_le_bytes());
    bytes.extend(payload);
    Some(bytes)
}

/// What stands where a block should.
pub enum Found {
    /// A whole one: its kind; the payload is in the buffer.
    Whole(u32),
    /// The end of the file.
    End,
    /// Something else.
    Faulty(&'static str),
}

/// Reads the block that begins here, of a file with this number of bytes left, into a buffer.
pub fn read(from: &mut impl Read, left: u64, payload: &mut Vec<u8>) -> std::io::Result<Found> {
    if left == 0 {
        return Ok(Found::End);
    }
    let mut head = [0; HEAD];
    if left < HEAD as u64 || !filled(from, &mut head)? {
        return Ok(Found::Faulty("ends within the head of a block"));
    }
    let word = |k: usize| u32::from_le_bytes([head[k], head[k + 1], head[k + 2], head[k + 3]]);
    let (length, kind) = (word(0), word(4));
    if u64::from(length) > left - HEAD as u64 {
        return Ok(Found::Faulty("ends within a block"));
    }
    payload.resize(length as usize, 0);
    if !filled(from, payload)? {
        return Ok(Found::Faulty("ends within a block"));
    }
    let good = check(length, kind, payload) == word(8);
    Ok(if good { Found::Whole(kind) } else { Found::Faulty("a block fails its check") })
}

/// Fills a buffer; whether there was enough.
fn filled(from: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<bool> {
    match from.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn check(length: u32, kind: u32, payload: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(&length.to_le_bytes());
    crc.update(&kind.to_le_bytes());
    crc.update(payload);
    crc.sum()
}
