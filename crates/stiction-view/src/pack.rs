//! Packed runs (`docs/frames.md`): what a page needs to play a run without a server.

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::io::{self, Write};

/// Packs a scene description and the bytes of frames.
///
/// # Errors
///
/// [`io::Error`] if a piece is longer than its length can say, 4 GiB.
pub fn pack<'a>(
    description: &Value,
    frames: impl IntoIterator<Item = &'a [u8]>,
) -> io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    piece(&mut packed, description.to_string().as_bytes())?;
    for frame in frames {
        piece(&mut packed, frame)?;
    }
    packed.finish()
}

fn piece(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(bytes)
}
