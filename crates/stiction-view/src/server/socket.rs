//! One tab: its messages become orders, frames and status go to it.

use crate::command::{Command, CommandError};
use crate::session::{Order, Session};
use axum::extract::ws::{Message, WebSocket};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout};

/// Longest message of a page (bytes).
pub const LONGEST: usize = 64 * 1024;
/// Complaints that may wait for a tab.
const MOST_COMPLAINTS: usize = 16;
/// How long a tab that is sent away may take to hear why.
const FAREWELL: Duration = Duration::from_secs(1);
/// From one frame to the next: sixty a second.
const FRAME_EVERY: Duration = Duration::from_nanos(16_666_667);

/// Talks with a tab until it goes away; then what it held is let go.
pub async fn talk(socket: WebSocket, session: &Session) {
    let (sender, receiver) = socket.split();
    let (complain, complaints) = mpsc::channel(MOST_COMPLAINTS);
    let mut showing = pin!(show(sender, session, complaints));
    let mut holds = false;
    let hears = tokio::select! {
        _ = &mut showing => false,
        () = listen(receiver, session, complain, &mut holds) => true,
    };
    if holds {
        let (nobody, _) = mpsc::channel(1);
        // Where nobody obeys any more nothing is held either.
        let _ = session.order(Order { command: Command::Release, complaints: nobody }).await;
    }
    if hears {
        let _ = timeout(FAREWELL, showing).await;
    }
}

/// Shows what is latest, for as long as the tab takes it.
async fn show(
    mut to: SplitSink<WebSocket, Message>,
    session: &Session,
    mut complaints: mpsc::Receiver<String>,
) -> Result<(), axum::Error> {
    let (mut shown, mut status) = (session.shown(), session.status());
    let mut troubles = session.troubles();
    let (mut told, mut next) = (None, None);
    shown.mark_changed();
    status.mark_changed();
    loop {
        let frame = async {
            if let Some(next) = next {
                sleep_until(next).await;
            }
            shown.changed().await
        };
        tokio::select! {
            biased;
            message = complaints.recv() => {
                let Some(message) = message else {
                    return to.send(Message::Close(None)).await;
                };
                to.send(error(&message)).await?;
            }
            trouble = next_trouble(&mut troubles) => to.send(error(&trouble)).await?,
            changed = frame => {
                if changed.is_err() {
                    return to.send(Message::Close(None)).await;
                }
                let latest = shown.borrow_and_update().clone();
                if told != Some(latest.number) {
                    told = Some(latest.number);
                    to.send(Message::Text(latest.scene)).await?;
                }
                to.send(Message::Binary(latest.frame)).await?;
                next = Some(Instant::now() + FRAME_EVERY);
            }
            Ok(()) = status.changed() => {
                let latest = status.borrow_and_update().clone();
                to.send(Message::Text(latest)).await?;
            }
        }
    }
}

fn error(message: &str) -> Message {
    Message::Text(json!({"say": "error", "message": message}).to_string().into())
}

/// The next trouble of the run; a tab that is late misses the oldest.
async fn next_trouble(troubles: &mut broadcast::Receiver<String>) -> String {
    loop {
        match troubles.recv().await {
            Ok(trouble) => return trouble,
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            // The end of the run is told by its frames.
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// Hands on what the tab asks for; keeps account of whether it holds a body.
async fn listen(
    mut from: SplitStream<WebSocket>,
    session: &Session,
    complaints: mpsc::Sender<String>,
    holds: &mut bool,
) {
    while let Some(message) = from.next().await {
        let command = match message {
            Ok(Message::Text(text)) => Command::parse(&text),
            Ok(Message::Binary(_)) => Err(CommandError::Binary),
            Ok(Message::Ping(_) | Message::Pong(_)) => continue,
            Ok(Message::Close(_)) => break,
            Err(error) => {
                // Longer than allowed, or not even a WebSocket any more.
                let _ = complaints.try_send(error.to_string());
                break;
            }
        };
        match command {
            Ok(command) => {
                match command {
                    Command::Pull(_) => *holds = true,
                    Command::Release => *holds = false,
                    _ => {}
                }
                let order = Order { command, complaints: complaints.clone() };
                if session.order(order).await.is_err() {
                    break;
                }
            }
            Err(error) => {
                // A tab that does not read its complaints misses some.
                let _ = complaints.try_send(error.to_string());
            }
        }
    }
}
