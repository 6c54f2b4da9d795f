//! Packed runs (`docs/frames.md`): the data with which a page plays a run without a server.

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::io::{self, Write};

/// Packs a scene description and encoded frames.
///
/// # Errors
///
/// [`io::Error`] if a piece is longer than 4 GiB, the limit of its length field.
pub fn pack<'a>(
    description: &Value,
    frames: impl IntoIterator<Item = &'a [u8]>,
) -> io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    write_piece(&mut packed, description.to_string().as_bytes())?;
    for frame in frames {
        write_piece(&mut packed, frame)?;
    }
    packed.finish()
}

fn write_piece(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(bytes)
}
