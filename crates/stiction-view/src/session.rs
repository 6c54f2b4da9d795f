//! A live run: a thread that executes commands and publishes the latest frame, and one that steps.
//!
//! [`Session`] is the handle of any number of tabs. The first thread is a `Runner`: it waits for a
//! request, for the end of a step (`worker.rs`) or for the time of the next frame (`pace.rs`),
//! whichever comes first, and answers at once while a step takes long. A channel that holds one
//! value carries the frames: a slow tab misses frames and never slows the run.

mod pace;
mod pull;
mod ring;
mod runner;
mod settings;
mod watched;
mod worker;

use crate::catalogue::{Catalogue, CatalogueError};
use crate::command::Command;
use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use runner::{Channels, Runner};
use std::sync::Arc;
use std::sync::mpsc::{TrySendError, sync_channel};
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

/// What the thread of the run waits for.
pub(crate) enum SessionEvent {
    Request(CommandRequest),
    Done(worker::Done),
}

/// The handle of a live run; the run ends when it is dropped.
pub(crate) struct Session {
    channels: Channels,
    _alive: Arc<()>,
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
        let (events, queue) = sync_channel(MAX_QUEUED);
        let runner = Runner::new(catalogue, events)?;
        let (channels, alive) = (runner.channels(), Arc::new(()));
        let session = Arc::downgrade(&alive);
        let run = move || runner.run(&queue, &session);
        std::thread::Builder::new().name("session".into()).spawn(run)?;
        Ok(Session { channels, _alive: alive })
    }

    /// The latest scene and frame; older ones are dropped.
    pub fn latest(&self) -> watch::Receiver<Latest> {
        self.channels.latest.subscribe()
    }

    /// The latest status message; older ones are dropped.
    pub fn status(&self) -> watch::Receiver<Utf8Bytes> {
        self.channels.status.subscribe()
    }

    /// Failures of the run itself, which every tab receives.
    pub fn failures(&self) -> broadcast::Receiver<String> {
        self.channels.failures.subscribe()
    }

    /// Puts a request into the queue; waits while the queue is full.
    ///
    /// # Errors
    ///
    /// [`Ended`] if the thread of the run has ended.
    pub async fn submit(&self, request: CommandRequest) -> Result<(), Ended> {
        let mut event = SessionEvent::Request(request);
        loop {
            match self.channels.events.try_send(event) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(Ended),
                Err(TrySendError::Full(back)) => event = back,
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }
}
