//! Thousands of tabs that connect, send invalid messages and disconnect.

mod common;

use common::{Served, serve, serve_crate};
use stiction::scene::Scene;
use stiction_view::{Catalogue, Show};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

/// Size of a memory page (bytes).
const PAGE: usize = 4096;

/// A crate that slips back and forth on a shaking table.
const SHAKEN: &str = r#"
    title = "A crate on a shaking table"
    [run]
    dt = 0.01
    stepper = "time-stepping"
    [[material]]
    name = "default"
    friction = 0.2
    [[body]]
    name = "table"
    box = [2.0, 2.0, 0.1]
    at = [0.0, 0.0, -0.05]
    drive = { along = [1, 0, 0], position = { sine = { amplitude = 0.05, frequency = 1.5 } } }
    [[body]]
    name = "crate"
    box = [0.2, 0.2, 0.2]
    at = [0.0, 0.0, 0.1]
    mass = 2.0
"#;

/// Resident memory of this process (MiB); `None` if the system does not report it.
fn resident() -> Option<f64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = statm.split(' ').nth(1)?.parse().ok()?;
    Some((pages * PAGE) as f64 / (1024.0 * 1024.0))
}

/// One connection; its number selects what it does.
async fn visit(served: &Served, number: usize) {
    match number % 5 {
        0 => drop(TcpStream::connect(served.address).await.unwrap()),
        1 => {
            let mut stream = TcpStream::connect(served.address).await.unwrap();
            stream.write_all(b"\x00\xff garbage \r\n\r\n").await.unwrap();
        }
        2 => drop(served.tab().await),
        3 => {
            let mut tab = served.tab().await;
            tab.say("nonsense").await;
            tab.send(Message::binary(vec![7; number % 999])).await;
            tab.say(r#"{"do":"pull","body":1,"on":[0,0,0],"to":[0,0,1]}"#).await;
        }
        _ => {
            let mut tab = served.tab().await;
            tab.say(r#"{"do":"play"}"#).await;
            tab.frame().await;
        }
    }
}

/// Makes `count` connections. Afterwards the run still executes commands and memory has grown by less
/// than `limit` MiB.
async fn visits(count: usize, limit: f64) {
    let served = serve_crate().await;
    for number in 0..count / 10 {
        visit(&served, number).await;
    }
    let before = resident();
    for number in 0..count {
        visit(&served, number).await;
    }
    let after = resident();
    let mut tab = served.tab().await;
    tab.say(r#"{"do":"reset"}"#).await;
    tab.say(r#"{"do":"pause"}"#).await;
    let status = tab.status(|it| it["playing"] == false && it["pull"].is_null()).await;
    assert_eq!(status["solver"], "auto");
    if let (Some(before), Some(after)) = (before, after) {
        println!(
            "resident after {} visits: {before:.1} MiB, after {}: {after:.1} MiB",
            count / 10,
            count + count / 10
        );
        assert!(after - before < limit, "memory grew from {before:.1} to {after:.1} MiB");
    }
}

/// Runs for `seconds` simulated seconds at full speed while other tabs connect; memory grows by less
/// than `limit` MiB.
async fn long_run(seconds: f64, limit: f64) {
    let scene = Scene::parse(SHAKEN, "shaken.toml").unwrap();
    let served = serve(Show::Live(Catalogue::with("shaken".into(), scene))).await;
    let mut tab = served.tab().await;
    tab.say(r#"{"do":"speed","factor":1000}"#).await;
    tab.say(r#"{"do":"play"}"#).await;
    let (mut before, mut uncertified, mut visits) = (None, 0, 0);
    loop {
        let frame = tab.frame().await;
        uncertified += usize::from(!frame.certified);
        assert!(frame.state.poses.iter().all(|pose| pose.position.is_finite()));
        if frame.state.time > 0.1 * seconds {
            before = before.or(resident());
        }
        if frame.state.time >= seconds {
            break;
        }
        visit(&served, visits).await;
        visits += 1;
    }
    let after = resident();
    println!("{seconds} s simulated, {visits} visits, {uncertified} uncertified frames seen");
    assert_eq!(uncertified, 0);
    if let (Some(before), Some(after)) = (before, after) {
        println!("resident after a tenth of the run: {before:.1} MiB, at the end: {after:.1} MiB");
        assert!(after - before < limit, "memory grew from {before:.1} to {after:.1} MiB");
    }
}

#[tokio::test]
async fn a_run_of_a_minute_leaks_no_memory() {
    long_run(60.0, 16.0).await;
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn a_run_of_an_hour_leaks_no_memory() {
    long_run(3600.0, 16.0).await;
}

#[tokio::test]
async fn a_thousand_visits_leak_no_memory() {
    visits(1_000, 16.0).await;
}

#[tokio::test]
#[ignore = "takes ten seconds"]
async fn ten_thousand_visits_leak_no_memory() {
    visits(10_000, 16.0).await;
}
