//! The HTTP routes and their access checks.

mod common;

use common::{crate_scene, serve, serve_crate};
use serde_json::Value;
use std::io::Read as _;
use stiction::Frame;
use stiction_view::{Show, pack};

#[tokio::test]
async fn without_the_token_only_assets_are_served() {
    let served = serve_crate().await;
    let host = served.address.to_string();
    let wrong = "0".repeat(served.token.len());
    for path in ["/", "/scenes", "/recording", "/live", "/thumbnails/x.png", "/none"] {
        for query in ["", "?token=", "?token=1", &format!("?token={wrong}")] {
            let response = served.request(&format!("{path}{query}"), &[("Host", &host)]).await;
            assert_eq!(response.status, 403, "{path}{query}");
        }
    }
    assert_eq!(served.request("/assets/none.js", &[("Host", &host)]).await.status, 404);
    assert_eq!(served.get("/").await.status, 200);
}

#[tokio::test]
async fn other_hosts_and_origins_are_rejected() {
    let served = serve_crate().await;
    let (host, port) = (served.address.to_string(), served.address.port());
    let path = format!("/scenes?token={}", served.token);
    let own = format!("http://{host}");
    let local = format!("localhost:{port}");
    for (status, headers) in [
        (200, vec![("Host", host.as_str()), ("Origin", own.as_str())]),
        (200, vec![("Host", local.as_str())]),
        (403, vec![("Host", "evil.example")]),
        (403, vec![("Host", "evil.example"), ("Host", host.as_str())]),
        (403, vec![("Host", host.as_str()), ("Origin", "http://evil.example")]),
        (403, vec![("Host", host.as_str()), ("Origin", "null")]),
        (403, vec![("Host", host.as_str()), ("Origin", "http://127.0.0.1:1")]),
    ] {
        let got = served.request(&path, &headers).await.status;
        // A request with two Host headers is malformed: 400.
        let rejected = status == 403 && matches!(got, 400 | 403);
        assert!(got == status || rejected, "{headers:?}: {got}");
    }
    let assets = served.request("/assets/none.js", &[("Host", "evil.example")]).await;
    assert_eq!(assets.status, 403);
}

#[tokio::test]
async fn responses_have_security_headers() {
    let served = serve_crate().await;
    let response = served.get("/").await;
    let head = response.head.to_lowercase();
    let socket = format!("connect-src 'self' ws://{}\r\n", served.address);
    for line in [
        "content-security-policy: default-src 'none'; script-src 'self'",
        &socket,
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
        "content-type: text/html",
    ] {
        assert!(head.contains(line), "{line} is missing in\n{head}");
    }
}

#[tokio::test]
async fn the_picker_lists_every_scene_and_the_given_one() {
    let served = serve_crate().await;
    let list: Vec<Value> = serde_json::from_slice(&served.get("/scenes").await.body).unwrap();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let folders = std::fs::read_dir(root).unwrap().map(|it| it.unwrap().path());
    let files = folders.filter(|it| it.is_dir()).flat_map(|it| std::fs::read_dir(it).unwrap());
    let tomls =
        files.filter(|it| it.as_ref().unwrap().path().extension().is_some_and(|e| e == "toml"));
    assert_eq!(list.len(), 1 + tomls.count());
    assert_eq!((&list[0]["id"], &list[0]["bodies"]), (&"crate".into(), &2.into()));
    let feeder = list.iter().find(|it| it["id"] == stiction_view::FIRST).unwrap();
    assert_eq!(feeder["title"], "Block feeder");
    assert!(has_mode(&served.get("/").await.body, "live"));
    assert_eq!(served.get("/recording").await.status, 404);
    assert_eq!(served.get("/thumbnails/none.png").await.status, 404);
}

/// Whether the page states its mode; always true for a build without a page.
fn has_mode(page: &[u8], mode: &str) -> bool {
    let meta = format!("<meta name=\"stiction-mode\" content=\"{mode}\"");
    String::from_utf8_lossy(page).contains(&meta) || stiction_view::missing().is_some()
}

#[tokio::test]
async fn a_recording_is_served_packed() {
    let scene = crate_scene();
    let frame = Frame::first(&scene.world).encode();
    let packed = pack(&scene.describe(), [&frame[..], &frame[..]]).unwrap();
    let served = serve(Show::Recording(packed)).await;
    assert!(has_mode(&served.get("/").await.body, "recording"));
    let response = served.get("/recording").await;
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&response.body[..]).read_to_end(&mut bytes).unwrap();
    let mut pieces = Vec::new();
    let mut rest = &bytes[..];
    while let Some((length, after)) = rest.split_first_chunk() {
        let (piece, next) = after.split_at(u32::from_le_bytes(*length) as usize);
        pieces.push(piece);
        rest = next;
    }
    let description: Value = serde_json::from_slice(pieces[0]).unwrap();
    assert_eq!(description, scene.describe());
    assert_eq!(pieces[1..], [&frame[..], &frame[..]]);
    assert_eq!(served.get("/live").await.status, 400, "the request has no upgrade");
    let url = format!("ws://{}/live?token={}", served.address, served.token);
    assert!(tokio_tungstenite::connect_async(url).await.is_err(), "a recording is not live");
}
