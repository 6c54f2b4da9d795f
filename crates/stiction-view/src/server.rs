//! The HTTP server of the page and its WebSocket (`docs/protocol.md`).
//!
//! This file defines the routes. `guard.rs` checks every request, `socket.rs` serves the WebSocket
//! of one browser tab.

mod guard;
mod socket;

use crate::catalogue::Catalogue;
use crate::embedded;
use crate::session::{Session, SessionError};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State, WebSocketUpgrade};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use guard::Guard;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Tabs that may be connected at once.
const MAX_TABS: usize = 256;
/// Cache policy of assets: their names contain a hash of their content.
const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";
/// Cache policy of everything else.
const NO_STORE: &str = "no-store";

/// Why the server could not start or stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address is in use or not an address of this machine.
    #[error("{address}: {source}")]
    Address {
        /// The requested address.
        address: SocketAddr,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The live run could not be started.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The operating system provides no random numbers for the token.
    #[error("no random numbers for the token: {0}")]
    Random(getrandom::Error),
    /// The server stopped with an error.
    #[error("the server stopped: {0}")]
    Ended(std::io::Error),
}

/// What the server shows.
pub enum Show {
    /// A live run that the page controls.
    Live(Catalogue),
    /// A packed run (`docs/frames.md`).
    Recording(Vec<u8>),
}

/// The data that the routes serve.
enum Content {
    Live { session: Arc<Session>, scenes: Bytes },
    Recording(Bytes),
}

struct Shared {
    guard: Guard,
    content: Content,
    tabs: Arc<Semaphore>,
}

/// A server that is bound to an address but does not serve yet.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl Server {
    /// Binds to an address; port 0 selects a free port.
    ///
    /// # Errors
    ///
    /// [`ServerError`] if the address is not available or the run cannot be started.
    pub async fn bind(host: IpAddr, port: u16, show: Show) -> Result<Self, ServerError> {
        let requested = SocketAddr::new(host, port);
        let error = |source| ServerError::Address { address: requested, source };
        let listener = TcpListener::bind(requested).await.map_err(error)?;
        let address = listener.local_addr().map_err(error)?;
        let content = match show {
            Show::Live(catalogue) => {
                let scenes = serde_json::to_vec(&catalogue.list()).unwrap_or_default().into();
                Content::Live { session: Arc::new(Session::start(catalogue)?), scenes }
            }
            Show::Recording(packed) => Content::Recording(packed.into()),
        };
        let guard = Guard::new(address).map_err(ServerError::Random)?;
        let tabs = Arc::new(Semaphore::new(MAX_TABS));
        Ok(Server { listener, shared: Arc::new(Shared { guard, content, tabs }), address })
    }

    /// The URL of the page, including the token.
    pub fn url(&self) -> String {
        self.shared.guard.url()
    }

    /// The address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `end` completes.
    ///
    /// # Errors
    ///
    /// [`ServerError::Ended`] if listening fails.
    pub async fn run(self, end: impl Future<Output = ()>) -> Result<(), ServerError> {
        let routes = Router::new()
            .route("/", get(page))
            .route("/assets/{*name}", get(asset))
            .route("/scenes", get(scenes))
            .route("/recording", get(recording))
            .route("/thumbnails/{name}", get(thumbnail))
            .route("/live", get(live))
            .layer(from_fn_with_state(Arc::clone(&self.shared), guard::check))
            .with_state(self.shared);
        // Without Nagle's algorithm a frame is sent at once.
        let listener = self.listener.tap_io(|socket| {
            // If this fails, frames only arrive later.
            let _ = socket.set_nodelay(true);
        });
        let serve = axum::serve(listener, routes);
        tokio::select! {
            served = serve.into_future() => served.map_err(ServerError::Ended),
            () = end => Ok(()),
        }
    }
}

type SharedState = State<Arc<Shared>>;

/// Start of the page of a build without the viewer; the reason follows.
const NO_PAGE: &str = "<!doctype html><meta charset=\"utf-8\"><title>Stiction</title><p>";

async fn page(State(shared): SharedState) -> Response {
    let headers = [(CONTENT_TYPE, content_type("index.html")), (CACHE_CONTROL, NO_STORE)];
    let page = match embedded::page_file("index.html") {
        Some(page) => with_mode(&String::from_utf8_lossy(page), &shared.content),
        None => format!("{NO_PAGE}{}", embedded::missing().unwrap_or_default()),
    };
    (headers, page).into_response()
}

/// The page with a `<meta>` element that says whether the server shows a live run or a recording.
fn with_mode(page: &str, content: &Content) -> String {
    let mode = match content {
        Content::Live { .. } => "live",
        Content::Recording(_) => "recording",
    };
    let head = format!("<head>\n    <meta name=\"stiction-mode\" content=\"{mode}\" />");
    page.replacen("<head>", &head, 1)
}

async fn asset(Path(name): Path<String>) -> Response {
    let file = embedded::page_file(&format!("assets/{name}"));
    respond(file.map(Bytes::from_static), content_type(&name), CACHE_FOREVER)
}

async fn scenes(State(shared): SharedState) -> Response {
    let list = match &shared.content {
        Content::Live { scenes, .. } => scenes.clone(),
        Content::Recording(_) => Bytes::from_static(b"[]"),
    };
    respond(Some(list), content_type("scenes.json"), NO_STORE)
}

async fn recording(State(shared): SharedState) -> Response {
    let packed = match &shared.content {
        Content::Recording(packed) => Some(packed.clone()),
        Content::Live { .. } => None,
    };
    respond(packed, "application/gzip", NO_STORE)
}

async fn thumbnail(Path(name): Path<String>) -> Response {
    respond(embedded::thumbnail(&name).map(Bytes::from_static), content_type(&name), NO_STORE)
}

async fn live(State(shared): SharedState, upgrade: WebSocketUpgrade) -> Response {
    let Content::Live { session, .. } = &shared.content else {
        return (StatusCode::NOT_FOUND, "the server shows a recording, not a live run")
            .into_response();
    };
    let Ok(permit) = Arc::clone(&shared.tabs).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many tabs are open").into_response();
    };
    let session = Arc::clone(session);
    let upgrade = upgrade
        .max_message_size(socket::MAX_MESSAGE_BYTES)
        .max_frame_size(socket::MAX_MESSAGE_BYTES);
    upgrade.on_upgrade(async move |connection| {
        socket::serve_tab(connection, &session).await;
        drop(permit);
    })
}

/// Responds with a body and its headers, or with 404.
fn respond(body: Option<Bytes>, content_type: &'static str, cache: &'static str) -> Response {
    let headers: [(HeaderName, &'static str); 2] =
        [(CONTENT_TYPE, content_type), (CACHE_CONTROL, cache)];
    match body {
        Some(body) => (headers, body).into_response(),
        None => (StatusCode::NOT_FOUND, "not found").into_response(),
    }
}

/// The content type of a file by its extension.
fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}
