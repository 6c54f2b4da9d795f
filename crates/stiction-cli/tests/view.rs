//! The command `stiction view`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

fn stiction(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.arg("view").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Whether this build has a page; without one, only the refusal can be tested.
fn has_page() -> bool {
    let Some(why) = stiction_view::missing() else { return true };
    let output = stiction(&["--no-open"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains(&why));
    false
}

#[test]
fn it_prints_one_address_and_ends_on_an_interrupt() {
    if !has_page() {
        return;
    }
    let mut child = stiction(&["--no-open"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address = lines.next().unwrap().unwrap();
    let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success() && child.wait().unwrap().success());
    assert!(lines.next().is_none(), "one line only");
}

/// Without a display the report of `stiction run` is printed.
#[cfg(target_os = "linux")]
#[test]
fn without_a_display_it_prints_the_address_and_the_report() {
    if !has_page() {
        return;
    }
    let mut command = stiction(&["baraff1989/fig08_block"]);
    let mut child = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().starts_with("http://127.0.0.1:"));
    assert!(lines.any(|line| line == "certified: every law holds"));
    assert!(child.try_wait().unwrap().is_none(), "the page is still there");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success() && child.wait().unwrap().success());
}

#[test]
fn what_cannot_be_shown_is_refused() {
    for (arguments, words) in [
        (&["--no-open", "/nowhere.toml"][..], "/nowhere.toml"),
        (&["--no-open", "/nowhere.stiction"], "/nowhere.stiction"),
        (
            &["--export", "/nowhere/page.html", "baraff1989/fig11_simultaneous"],
            "/nowhere/page.html",
        ),
    ] {
        let output = stiction(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(words) || stiction_view::missing().is_some(), "{said}");
    }
}

#[test]
fn a_recording_becomes_a_page() {
    if !has_page() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("stiction-view-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (recording, page) = (folder.join("run.stiction"), folder.join("page.html"));
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/baraff1989/fig07_incline.toml");
    let ran = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["run", scene, "--until", "0.1", "--out"])
        .arg(&recording)
        .output()
        .unwrap();
    assert!(ran.status.code().is_some_and(|code| code < 2), "{ran:?}");
    let written = stiction(&["--export"]).arg(&page).arg(&recording).output().unwrap();
    assert!(written.status.success(), "{written:?}");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("id=\"run\">H4sI"), "no packed run inside");
    std::fs::remove_dir_all(folder).unwrap();
}
