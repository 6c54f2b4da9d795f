//! Files embedded by `build.rs`: the page, the built-in scenes and their thumbnails.

#[allow(missing_docs)]
mod tables {
    include!(concat!(env!("OUT_DIR"), "/tables.rs"));
}

use tables::{MISSING, PAGE, SCENES, THUMBNAILS};

/// Why this build has no page; `None` if it has one.
pub fn missing() -> Option<String> {
    MISSING.map(|why| format!("this build has no viewer: {why}"))
}

/// A file of the page.
pub(crate) fn page_file(name: &str) -> Option<&'static [u8]> {
    find(PAGE, name)
}

/// The thumbnail of a scene; its name is the scene's id with dashes instead of slashes.
pub(crate) fn thumbnail(name: &str) -> Option<&'static [u8]> {
    find(THUMBNAILS, name)
}

/// The text of a scene by its id: its path without the extension.
pub(crate) fn scene(id: &str) -> Option<&'static str> {
    find(SCENES, &format!("{id}.toml")).and_then(|bytes| std::str::from_utf8(bytes).ok())
}

/// Ids of all built-in scenes.
pub(crate) fn scene_ids() -> impl Iterator<Item = &'static str> {
    SCENES.iter().filter_map(|(name, _)| name.strip_suffix(".toml"))
}

fn find(table: &[(&'static str, &'static [u8])], name: &str) -> Option<&'static [u8]> {
    let found = table.binary_search_by_key(&name, |(known, _)| known).ok()?;
    Some(table[found].1)
}
