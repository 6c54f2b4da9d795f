//! The viewer: a local web server and a page that shows and controls a run.
//!
//! # Where to start reading
//!
//! - `session.rs`: a live run. One thread executes the commands of pages, another one steps.
//! - `message.rs`: the messages of the server; the types of the page are generated from them.
//! - `server.rs`: the HTTP routes and the WebSocket; `server/guard.rs` checks every request.
//! - `export.rs`: a run as one HTML file.
//! - `web`: the page in TypeScript; `build.rs` builds it and embeds it in the program.
//!
//! `docs/protocol.md` specifies the messages between page and server.

mod catalogue;
mod command;
mod embedded;
mod export;
mod message;
mod pack;
mod server;
mod session;

pub use catalogue::{Catalogue, CatalogueError, FIRST, Overrides};
pub use embedded::missing;
pub use export::{ExportError, write_page};
pub use pack::pack;
pub use server::{Server, ServerError, Show};
pub use session::SessionError;
