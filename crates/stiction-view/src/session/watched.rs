//! The scene file of a live run: notices when it was saved.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file and the time at which it was last saved.
pub struct Watched {
    path: PathBuf,
    /// Time of the version that is known.
    known: Option<SystemTime>,
    /// Time of a newer version, which may still be being written.
    newer: Option<SystemTime>,
}

impl Watched {
    pub fn new(path: &Path) -> Self {
        let known = saved(path);
        Watched { path: path.to_owned(), known, newer: None }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it was saved since the last time this was true. A version counts when its time is
    /// the same in two calls, so that a file is not read while it is being written.
    pub fn was_saved(&mut self) -> bool {
        let now = saved(&self.path);
        if now.is_none() || now == self.known {
            self.newer = None;
            return false;
        }
        let settled = self.newer == now;
        self.newer = now;
        if settled {
            self.known = now;
        }
        settled
    }
}

/// When a file was last saved; `None` while it is not there.
fn saved(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|it| it.modified()).ok()
}
