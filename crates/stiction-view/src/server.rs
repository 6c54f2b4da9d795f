//! The page and its WebSocket on loopback (`docs/protocol.md`).
//!
//! `guard.rs` decides who is let in, `socket.rs` talks to one tab; here are the addresses.

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

/// Tabs that may be open at once.
const MOST_TABS: usize = 256;
/// What the names of these files say changes with what is in them.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// For everything that belongs to one run of the server.
const NEVER: &str = "no-store";

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address is taken or not ours.
    #[error("{address}: {source}")]
    Address {
        /// Where the page was to be served.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The run could not be started.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The system has no random numbers for the token.
    #[error("no random numbers: {0}")]
    Random(getrandom::Error),
    /// The server broke down.
    #[error("the server ended: {0}")]
    Ended(std::io::Error),
}

/// What the page shows.
pub enum Show {
    /// A run that goes on, and that the page reaches into.
    Live(Catalogue),
    /// A packed run, as `docs/frames.md` has it.
    Recording(Vec<u8>),
}

/// What is behind the addresses.
enum Content {
    Live { session: Arc<Session>, scenes: Bytes },
    Recording(Bytes),
}

struct Shared {
    guard: Guard,
    content: Content,
    tabs: Arc<Semaphore>,
}

/// A page with its address, not yet served.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl Server {
    /// Takes an address; port 0 is any that is free.
    ///
    /// # Errors
    ///
    /// [`ServerError`] if the address cannot be had or the run cannot be started.
    pub async fn bind(host: IpAddr, port: u16, show: Show) -> Result<Self, ServerError> {
        let wanted = SocketAddr::new(host, port);
        let fault = |source| ServerError::Address { address: wanted, source };
        let listener = TcpListener::bind(wanted).await.map_err(fault)?;
        let address = listener.local_addr().map_err(fault)?;
        let content = match show {
            Show::Live(catalogue) => {
                let scenes = catalogue.list().to_string().into();
                Content::Live { session: Arc::new(Session::start(catalogue)?), scenes }
            }
            Show::Recording(packed) => Content::Recording(packed.into()),
        };
        let guard = Guard::new(address).map_err(ServerError::Random)?;
        let tabs = Arc::new(Semaphore::new(MOST_TABS));
        Ok(Server { listener, shared: Arc::new(Shared { guard, content, tabs }), address })
    }

    /// Where the page is, with the token that opens it.
    pub fn url(&self) -> String {
        self.shared.guard.url()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `end` is ready.
    ///
    /// # Errors
    ///
    /// [`ServerError::Ended`] if the system takes the address away.
    pub async fn run(self, end: impl Future<Output = ()>) -> Result<(), ServerError> {
        let routes = Router::new()
            .route("/", get(page))
            .route("/assets/{*name}", get(asset))
            .route("/scenes", get(scenes))
            .route("/recording", get(recording))
            .route("/thumbnails/{name}", get(thumbnail))
            .route("/live", get(live))
            .layer(from_fn_with_state(Arc::clone(&self.shared), guard::watch))
            .with_state(self.shared);
        // Frames are sent as they come, not when the last one has been acknowledged.
        let listener = self.listener.tap_io(|socket| {
            // Where the system does not know how, they come later.
            let _ = socket.set_nodelay(true);
        });
        let serve = axum::serve(listener, routes);
        tokio::select! {
            served = serve.into_future() => served.map_err(ServerError::Ended),
            () = end => Ok(()),
        }
    }
}

type Shares = State<Arc<Shared>>;

/// Said where a build has no page.
const NO_PAGE: &str = "<!doctype html><meta charset=\"utf-8\"><title>Stiction</title><p>";

async fn page(State(shared): Shares) -> Response {
    let headers = [(CONTENT_TYPE, kind("index.html")), (CACHE_CONTROL, NEVER)];
    let page = match embedded::page_file("index.html") {
        Some(page) => with_mode(&String::from_utf8_lossy(page), &shared.content),
        None => format!("{NO_PAGE}{}", embedded::missing().unwrap_or_default()),
    };
    (headers, page).into_response()
}

/// The page, told whether it is to ask for a recording or for a live run.
fn with_mode(page: &str, content: &Content) -> String {
    let mode = match content {
        Content::Live { .. } => "live",
        Content::Recording(_) => "recording",
    };
    let told = format!("<head>\n    <meta name=\"stiction-mode\" content=\"{mode}\" />");
    page.replacen("<head>", &told, 1)
}

async fn asset(Path(name): Path<String>) -> Response {
    let file = embedded::page_file(&format!("assets/{name}"));
    give(file.map(Bytes::from_static), kind(&name), FOR_EVER)
}

async fn scenes(State(shared): Shares) -> Response {
    let list = match &shared.content {
        Content::Live { scenes, .. } => scenes.clone(),
        Content::Recording(_) => Bytes::from_static(b"[]"),
    };
    give(Some(list), kind("scenes.json"), NEVER)
}

async fn recording(State(shared): Shares) -> Response {
    let packed = match &shared.content {
        Content::Recording(packed) => Some(packed.clone()),
        Content::Live { .. } => None,
    };
    give(packed, "application/gzip", NEVER)
}

async fn thumbnail(Path(name): Path<String>) -> Response {
    give(embedded::thumbnail(&name).map(Bytes::from_static), kind(&name), NEVER)
}

async fn live(State(shared): Shares, upgrade: WebSocketUpgrade) -> Response {
    let Content::Live { session, .. } = &shared.content else {
        return (StatusCode::NOT_FOUND, "a recording is shown, nothing is live").into_response();
    };
    let Ok(seat) = Arc::clone(&shared.tabs).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many tabs are open").into_response();
    };
    let session = Arc::clone(session);
    let upgrade = upgrade.max_message_size(socket::LONGEST).max_frame_size(socket::LONGEST);
    upgrade.on_upgrade(async move |connection| {
        socket::talk(connection, &session).await;
        drop(seat);
    })
}

/// A body with its headers, or 404.
fn give(body: Option<Bytes>, kind: &'static str, cache: &'static str) -> Response {
    let headers: [(HeaderName, &'static str); 2] = [(CONTENT_TYPE, kind), (CACHE_CONTROL, cache)];
    match body {
        Some(body) => (headers, body).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such thing here").into_response(),
    }
}

/// The content type of a file by its ending.
fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
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
