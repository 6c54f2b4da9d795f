//! The viewer: one page on loopback that shows a run and reaches into it.
//!
//! # Where to start reading
//!
//! `session.rs` is a run that goes on by itself and obeys pages, `server.rs` what is served and to
//! whom, `export.rs` a run as one file. `docs/protocol.md` says what page and server tell each
//! other; the page itself is in `web`, built and put into the program by `build.rs`.

mod catalogue;
mod command;
mod embedded;
mod export;
mod pack;
mod server;
mod session;

pub use catalogue::{Catalogue, CatalogueError, FIRST};
pub use embedded::missing;
pub use export::{ExportError, write_page};
pub use pack::pack;
pub use server::{Server, ServerError, Show};
pub use session::SessionError;
