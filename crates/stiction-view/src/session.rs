//! A live run: a thread that owns a simulation, executes commands and publishes the latest frame.
//!
//! [`Session`] is the handle of any number of tabs. The thread is a `Runner`: it waits for a
//! request or for the time of the next frame (`pace.rs`), whichever comes first. A channel that
//! holds one value carries the frames: a slow tab misses frames and never slows the run.

mod pace;
mod pull;
mod runner;

use crate::catalogue::{Catalogue, CatalogueError};
use crate::command::Command;
use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use runner::Runner;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Duration;
use tokio::sync::{broadcast, mpsc, watch};

/// Requests in the queue of the run; a tab with more waits.
const MAX_QUEUED: usize = 256;
/// Failures of the run that a slow tab can still receive.
const MAX_FAILURES: usize = 16;
/// Time between two attempts to put a request into a full queue.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// Why a live run could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The first scene cannot be shown.
    #[error(transparent)]
    Scene(#[from] CatalogueError),
    /// The operating system cannot start a thread.
    #[error("cannot start the thread of the run: {0}")]
    Thread(#[from] std::io::Error),
}

/// The latest scene and frame.
#[derive(Clone)]
pub(crate) struct Latest {
    /// Counts scenes. A tab that received another number needs the scene before the frame.
    pub scene_number: u64,
    /// The message with the scene description.
    pub scene: Utf8Bytes,
    /// The bytes of the frame.
    pub frame: Bytes,
}

/// A command and the channel for its error.
pub(crate) struct CommandRequest {
    pub command: Command,
    pub errors: mpsc::Sender<String>,
}

/// The handle of a live run.
pub(crate) struct Session {
    requests: SyncSender<CommandRequest>,
    latest: watch::Sender<Latest>,
    status: watch::Sender<Utf8Bytes>,
    failures: broadcast::Sender<String>,
}

/// The thread of the run has ended.
#[derive(Debug, thiserror::Error)]
#[error("the run has ended")]
pub(crate) struct Ended;

impl Session {
    /// Starts a thread with the first scene of a catalogue, paused.
    ///
    /// # Errors
    ///
    /// [`SessionError`] if the scene cannot be shown or the thread cannot be started.
    pub fn start(catalogue: Catalogue) -> Result<Self, SessionError> {
        let (requests, queue) = sync_channel(MAX_QUEUED);
        let runner = Runner::new(catalogue)?;
        let (latest, status, failures) = runner.channels();
        std::thread::Builder::new().name("session".into()).spawn(move || runner.run(&queue))?;
        Ok(Session { requests, latest, status, failures })
    }

    /// The latest scene and frame; older ones are dropped.
    pub fn latest(&self) -> watch::Receiver<Latest> {
        self.latest.subscribe()
    }

    /// The latest status message; older ones are dropped.
    pub fn status(&self) -> watch::Receiver<Utf8Bytes> {
        self.status.subscribe()
    }

    /// Failures of the run itself, which every tab receives.
    pub fn failures(&self) -> broadcast::Receiver<String> {
        self.failures.subscribe()
    }

    /// Puts a request into the queue; waits while the queue is full.
    ///
    /// # Errors
    ///
    /// [`Ended`] if the thread of the run has ended.
    pub async fn submit(&self, mut request: CommandRequest) -> Result<(), Ended> {
        loop {
            match self.requests.try_send(request) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(Ended),
                Err(TrySendError::Full(back)) => request = back,
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }
}
