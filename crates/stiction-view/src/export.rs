//! Exports a run as one HTML file that needs no server and no other file.

use crate::embedded;
use crate::pack::pack;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Why the page could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// This build has no page.
    #[error("{0}")]
    NoPage(String),
    /// The built page lacks an expected element.
    #[error("the built page has no {0}")]
    Page(&'static str),
    /// The run is too large to be packed.
    #[error("the run cannot be packed: {0}")]
    Pack(#[from] std::io::Error),
}

/// One HTML page that contains the script, the styles, the scene and every frame of a run.
///
/// # Errors
///
/// [`ExportError`] if the program was built without a page.
pub fn write_page<'a>(
    description: &Value,
    frames: impl IntoIterator<Item = &'a [u8]>,
) -> Result<String, ExportError> {
    let page = text("index.html").ok_or_else(|| {
        ExportError::NoPage(embedded::missing().unwrap_or_else(|| "this build has no page".into()))
    })?;
    let run = STANDARD.encode(pack(description, frames)?);
    let run = format!("<script type=\"application/octet-stream\" id=\"run\">{run}</script>\n");
    let title = description["title"].as_str().unwrap_or_default();
    let page = inline_scripts(&inline_styles(&titled(page, title))?)?;
    let end = page.rfind("</body>").ok_or(ExportError::Page("end of its body"))?;
    Ok([&page[..end], &run, &page[end..]].concat())
}

/// Inlines every `<link rel="stylesheet" href="…">`.
fn inline_styles(page: &str) -> Result<String, ExportError> {
    inline(page, "<link rel=\"stylesheet\"", ">", "href=\"", |styles| {
        format!("<style>{}</style>", styles.replace("</style", "<\\/style"))
    })
}

/// Inlines every `<script … src="…"></script>`.
fn inline_scripts(page: &str) -> Result<String, ExportError> {
    inline(page, "<script type=\"module\"", "</script>", "src=\"", |script| {
        format!("<script type=\"module\">{}</script>", escaped(script))
    })
}

/// Escapes `</script` and `<!--`, which would end the script element early. A built script has them
/// only in strings, regular expressions and templates, where `\x3C` means `<`.
fn escaped(script: &str) -> String {
    let mut safe = String::with_capacity(script.len());
    let mut rest = script;
    while let Some(at) = rest.find('<') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let starts =
            |word: &str| after.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
        let dangerous = ["/script", "!--"].iter().any(|word| starts(word));
        safe.push_str(before);
        safe.push_str(if dangerous { "\\x3C" } else { "<" });
        rest = after;
    }
    safe.push_str(rest);
    safe
}

/// Replaces elements that refer to a file of the page by `element` of the file's content.
fn inline(
    page: &str,
    opening: &str,
    closing: &str,
    attribute: &str,
    element: impl Fn(&str) -> String,
) -> Result<String, ExportError> {
    let (mut inlined, mut rest) = (String::new(), page);
    while let Some(start) = rest.find(opening) {
        let length = rest[start..].find(closing).ok_or(ExportError::Page("end of an element"))?;
        let whole = &rest[start..start + length + closing.len()];
        let address = whole.split_once(attribute).and_then(|(_, after)| after.split_once('"'));
        let name = address.map(|(address, _)| address.trim_start_matches("./"));
        let content = name.and_then(text).ok_or(ExportError::Page("script or styles"))?;
        inlined.push_str(&rest[..start]);
        inlined.push_str(&element(content));
        rest = &rest[start + whole.len()..];
    }
    inlined.push_str(rest);
    Ok(inlined)
}

/// The page with the title of the run in its `<title>`.
fn titled(page: &str, title: &str) -> String {
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    page.replacen("<title>Stiction</title>", &format!("<title>{title} · Stiction</title>"), 1)
}

fn text(name: &str) -> Option<&'static str> {
    embedded::page_file(name).and_then(|bytes| std::str::from_utf8(bytes).ok())
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_script_cannot_end_its_element() {
        let script = r#"a<b; x="</ScRiPt><!--<script>"; y=`<div>`"#;
        assert_eq!(escaped(script), r#"a<b; x="\x3C/ScRiPt>\x3C!--<script>"; y=`<div>`"#);
    }
}
