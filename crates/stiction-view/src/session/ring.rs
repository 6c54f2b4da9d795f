//! The latest frames of a run, to which it can return.

use super::pull::ActivePull;
use axum::body::Bytes;
use std::collections::VecDeque;

/// Most frames, and most bytes of frames, that are kept.
const MAX_FRAMES: usize = 2000;
const MAX_BYTES: usize = 32 << 20;

/// A frame and the pull that acted when it was computed: the energy of its spring is in the ledger.
pub struct Known {
    pub index: u64,
    pub bytes: Bytes,
    pub pull: Option<ActivePull>,
}

/// Frames in the order of their numbers.
#[derive(Default)]
pub struct Ring {
    frames: VecDeque<Known>,
    bytes: usize,
}

impl Ring {
    /// Adds a frame; it replaces frames of the same number and later ones.
    pub fn push(&mut self, known: Known) {
        self.truncate(known.index);
        self.bytes += known.bytes.len();
        self.frames.push_back(known);
        while self.frames.len() > MAX_FRAMES || self.bytes > MAX_BYTES {
            let Some(oldest) = self.frames.pop_front() else { return };
            self.bytes -= oldest.bytes.len();
        }
    }

    /// Removes the frames from a number on.
    fn truncate(&mut self, index: u64) {
        while self.frames.back().is_some_and(|last| last.index >= index) {
            if let Some(last) = self.frames.pop_back() {
                self.bytes -= last.bytes.len();
            }
        }
    }

    /// Number of the oldest frame.
    pub fn oldest(&self) -> u64 {
        self.frames.front().map_or(0, |known| known.index)
    }

    /// Takes a frame out, with those after it.
    pub fn take(&mut self, index: u64) -> Option<Known> {
        let at = self.frames.iter().position(|known| known.index == index)?;
        self.truncate(index + 1);
        let known = self.frames.remove(at)?;
        self.bytes -= known.bytes.len();
        Some(known)
    }
}
