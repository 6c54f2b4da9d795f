//! The WebSocket of one tab: receives commands, sends frames, status and errors.

use crate::command::{Command, CommandError};
use crate::message;
use crate::session::{CommandRequest, Session};
use axum::extract::ws::{Message, WebSocket};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::pin::pin;
use std::time::Duration;
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout};

/// Longest message that a page may send: the text of a scene of some thousand bodies.
pub const MAX_MESSAGE_BYTES: usize = 1024 * 1024;
/// Errors that may wait to be sent to a tab.
const MAX_ERRORS: usize = 16;
/// How long a disconnected tab may take to receive the last messages.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Shortest time between two frames: at most sixty per second.
const FRAME_INTERVAL: Duration = Duration::from_nanos(16_666_667);

/// Serves a tab until it disconnects, then releases the body it pulls.
pub async fn serve_tab(socket: WebSocket, session: &Session) {
    let (sender, receiver) = socket.split();
    let (errors, waiting_errors) = mpsc::channel(MAX_ERRORS);
    let mut sending = pin!(send_updates(sender, session, waiting_errors));
    let mut pulls = false;
    let still_reads = tokio::select! {
        _ = &mut sending => false,
        () = receive_commands(receiver, session, errors, &mut pulls) => true,
    };
    if pulls {
        let (unread, _) = mpsc::channel(1);
        // If the session has ended there is nothing to release.
        let _ = session.submit(CommandRequest { command: Command::Release, errors: unread }).await;
    }
    if still_reads {
        let _ = timeout(CLOSE_TIMEOUT, sending).await;
    }
}

/// Sends the latest frame, scene and status and all errors until the tab stops reading.
async fn send_updates(
    mut to: SplitSink<WebSocket, Message>,
    session: &Session,
    mut errors: mpsc::Receiver<String>,
) -> Result<(), axum::Error> {
    let (mut latest, mut status) = (session.latest(), session.status());
    let mut failures = session.failures();
    let (mut sent_scene, mut next_frame) = (None, None);
    latest.mark_changed();
    status.mark_changed();
    loop {
        let frame = async {
            if let Some(time) = next_frame {
                sleep_until(time).await;
            }
            latest.changed().await
        };
        tokio::select! {
            biased;
            message = errors.recv() => {
                let Some(message) = message else {
                    return to.send(Message::Close(None)).await;
                };
                to.send(error_message(&message)).await?;
            }
            failure = next_failure(&mut failures) => to.send(error_message(&failure)).await?,
            changed = frame => {
                if changed.is_err() {
                    return to.send(Message::Close(None)).await;
                }
                let latest = latest.borrow_and_update().clone();
                if sent_scene != Some(latest.scene_number) {
                    sent_scene = Some(latest.scene_number);
                    to.send(Message::Text(latest.scene)).await?;
                }
                to.send(Message::Binary(latest.frame)).await?;
                next_frame = Some(Instant::now() + FRAME_INTERVAL);
            }
            Ok(()) = status.changed() => {
                let status = status.borrow_and_update().clone();
                to.send(Message::Text(status)).await?;
            }
        }
    }
}

fn error_message(message: &str) -> Message {
    Message::Text(message::Message::Error { message: message.to_owned() }.text().into())
}

/// The next failure of the run; a tab that lags behind misses the oldest ones.
async fn next_failure(failures: &mut broadcast::Receiver<String>) -> String {
    loop {
        match failures.recv().await {
            Ok(failure) => return failure,
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            // The channel of the frames reports the end of the session.
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// Passes the commands of the tab to the session; `pulls` records whether the tab pulls a body.
async fn receive_commands(
    mut from: SplitStream<WebSocket>,
    session: &Session,
    errors: mpsc::Sender<String>,
    pulls: &mut bool,
) {
    while let Some(message) = from.next().await {
        let command = match message {
            Ok(Message::Text(text)) => Command::parse(&text),
            Ok(Message::Binary(_)) => Err(CommandError::Binary),
            Ok(Message::Ping(_) | Message::Pong(_)) => continue,
            Ok(Message::Close(_)) => break,
            Err(error) => {
                // The message is too long or violates the WebSocket protocol.
                let _ = errors.try_send(error.to_string());
                break;
            }
        };
        match command {
            Ok(command) => {
                match command {
                    Command::Pull(_) => *pulls = true,
                    Command::Release => *pulls = false,
                    _ => {}
                }
                let request = CommandRequest { command, errors: errors.clone() };
                if session.submit(request).await.is_err() {
                    break;
                }
            }
            Err(error) => {
                // A tab that does not read its errors misses some.
                let _ = errors.try_send(error.to_string());
            }
        }
    }
}
