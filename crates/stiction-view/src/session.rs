//! A live run: a thread that owns a simulation, obeys pages and shows them the latest frame.
//!
//! [`Session`] is the handle: any number of tabs send orders and watch. The thread is a
//! `Runner`: it waits for an order or for the time of the next frame (`pace.rs`), whichever is
//! first. Frames go through a channel that holds one value, so that a tab that is slow misses
//! frames and never slows the run.

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

/// Orders that may wait for the run; who has more waits himself.
const MOST_WAITING: usize = 256;
/// Troubles of the run that a tab may be late for.
const MOST_TROUBLES: usize = 16;
/// How long who has more waits before he tries again.
const PATIENCE: Duration = Duration::from_millis(5);

/// Why no run could be started.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The scene to begin with cannot be shown.
    #[error(transparent)]
    Scene(#[from] CatalogueError),
    /// The system gives no thread.
    #[error("no thread for the run: {0}")]
    Thread(#[from] std::io::Error),
}

/// What there is to see.
#[derive(Clone)]
pub(crate) struct Shown {
    /// Counts scenes: who saw another number needs the scene told first.
    pub number: u64,
    /// The message that tells the scene.
    pub scene: Utf8Bytes,
    /// The bytes of the latest frame.
    pub frame: Bytes,
}

/// An order and the way to say that it could not be done.
pub(crate) struct Order {
    pub command: Command,
    pub complaints: mpsc::Sender<String>,
}

/// A run that is on.
pub(crate) struct Session {
    orders: SyncSender<Order>,
    shown: watch::Sender<Shown>,
    status: watch::Sender<Utf8Bytes>,
    troubles: broadcast::Sender<String>,
}

/// The run is over: its thread is gone.
#[derive(Debug, thiserror::Error)]
#[error("the run has ended")]
pub(crate) struct Ended;

impl Session {
    /// Starts the first scene of a catalogue, at rest.
    ///
    /// # Errors
    ///
    /// [`SessionError`] if it cannot be shown.
    pub fn start(catalogue: Catalogue) -> Result<Self, SessionError> {
        let (orders, inbox) = sync_channel(MOST_WAITING);
        let runner = Runner::new(catalogue)?;
        let (shown, status, troubles) = runner.channels();
        std::thread::Builder::new().name("session".into()).spawn(move || runner.run(&inbox))?;
        Ok(Session { orders, shown, status, troubles })
    }

    /// Frames and scenes, the latest only.
    pub fn shown(&self) -> watch::Receiver<Shown> {
        self.shown.subscribe()
    }

    /// Status messages, the latest only.
    pub fn status(&self) -> watch::Receiver<Utf8Bytes> {
        self.status.subscribe()
    }

    /// What went wrong by itself, told to every tab.
    pub fn troubles(&self) -> broadcast::Receiver<String> {
        self.troubles.subscribe()
    }

    /// Hands an order over; waits while too many are waiting.
    ///
    /// # Errors
    ///
    /// [`Ended`] if nobody obeys any more.
    pub async fn order(&self, mut order: Order) -> Result<(), Ended> {
        loop {
            match self.orders.try_send(order) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(Ended),
                Err(TrySendError::Full(back)) => order = back,
            }
            tokio::time::sleep(PATIENCE).await;
        }
    }
}
