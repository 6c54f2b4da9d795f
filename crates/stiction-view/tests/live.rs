//! A live run and the tabs that control it.

mod common;

use common::{Received, Tab, serve, serve_crate};
use glam::DVec3;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use stiction::Frame;
use stiction::scene::Scene;
use stiction_view::{Catalogue, Show};
use tokio_tungstenite::tungstenite::Message;

/// The crate among the bodies of the scene.
const CRATE: usize = 1;

#[tokio::test]
async fn a_tab_receives_the_scene_before_its_first_frame() {
    let served = serve_crate().await;
    let mut tab = served.tab().await;
    let Received::Text(scene) = tab.receive().await else {
        panic!("the first message is not text")
    };
    assert_eq!((&scene["say"], &scene["id"]), (&"scene".into(), &"crate".into()));
    assert_eq!(scene["scene"]["bodies"][CRATE]["mass"], 20.0);
    let Received::Frame(frame) = tab.receive().await else { panic!("no frame follows the scene") };
    assert_eq!(frame.index, 0);
    let status = tab.status(|_| true).await;
    assert_eq!((&status["playing"], &status["live"]), (&false.into(), &true.into()));
}

#[tokio::test]
async fn a_run_plays_pauses_and_steps() {
    let served = serve_crate().await;
    let mut tab = served.tab().await;
    assert_eq!(tab.frames_until_quiet().await, [0]);
    tab.say(r#"{"do":"play"}"#).await;
    let (first, second) = (tab.frame().await, tab.frame().await);
    assert!(second.index > first.index && second.state.time > first.state.time);
    tab.say(r#"{"do":"pause"}"#).await;
    tab.status(|it| it["playing"] == false).await;
    let last = tab.frames_until_quiet().await.last().copied();
    tab.say(r#"{"do":"step"}"#).await;
    let stepped = tab.frames_until_quiet().await;
    assert_eq!(stepped.len(), 1, "{stepped:?}");
    assert!(last.is_none_or(|last| stepped[0] == last + 1), "{last:?}, {stepped:?}");
    tab.say(r#"{"do":"reset"}"#).await;
    assert_eq!(tab.frame().await.index, 0);
}

/// Simulated time divided by real time, measured over `span`.
async fn rate(tab: &mut Tab, span: Duration) -> f64 {
    let (begin, first) = (Instant::now(), tab.frame().await);
    let mut last = first.clone();
    while begin.elapsed() < span {
        last = tab.frame().await;
    }
    (last.state.time - first.state.time) / begin.elapsed().as_secs_f64()
}

#[tokio::test]
async fn the_run_keeps_the_requested_speed() {
    let served = serve_crate().await;
    let mut tab = served.tab().await;
    tab.frame().await;
    tab.say(r#"{"do":"play"}"#).await;
    for factor in [1.0, 0.25, 4.0] {
        tab.say(&format!(r#"{{"do":"speed","factor":{factor}}}"#)).await;
        tab.status(|it| it["speed"] == factor).await;
        let rate = rate(&mut tab, Duration::from_secs(1)).await;
        // A busy machine is slower; a run is faster only while it catches up a delay.
        assert!((0.5..1.15).contains(&(rate / factor)), "requested {factor}, measured {rate}");
    }
    let status = tab.status(|it| it["real_time_factor"].is_number()).await;
    assert!(status["step_ms"].as_f64().unwrap() > 0.0);
}

#[tokio::test]
async fn stepper_solver_gravity_and_friction_change_during_the_run() {
    let served = serve_crate().await;
    let mut tab = served.tab().await;
    tab.say(r#"{"do":"play"}"#).await;
    for (command, key, value) in [
        (r#"{"do":"solver","name":"dantzig"}"#, "solver", "dantzig"),
        (r#"{"do":"stepper","name":"event-driven"}"#, "stepper", "event-driven"),
    ] {
        tab.say(command).await;
        tab.status(|it| it[key] == value).await;
        tab.frame().await;
    }
    tab.say(r#"{"do":"friction","factor":0.5}"#).await;
    tab.status(|it| it["friction"] == 0.5).await;
    tab.frame_where(|it| it.contacts.first().is_some_and(|c| c.friction == [0.25; 2])).await;
    tab.say(r#"{"do":"gravity","value":[0,0,1.5]}"#).await;
    tab.status(|it| it["gravity"][2] == 1.5).await;
    let risen = tab.frame_where(|it| it.state.poses[CRATE].position.z > 0.6).await;
    assert!(risen.ledger.error() < 1e-6, "{:?}", risen.ledger);
}

#[tokio::test]
async fn a_new_scene_starts_at_frame_zero_after_its_description() {
    let served = serve_crate().await;
    let mut tab = served.tab().await;
    tab.frames_until_quiet().await;
    tab.say(r#"{"do":"scene","id":"baraff1989/fig07_incline"}"#).await;
    let scene = tab.message("scene", |_| true).await;
    assert_eq!(scene["id"], "baraff1989/fig07_incline");
    let frame = tab.frame().await;
    assert_eq!((frame.index, frame.state.poses.len()), (0, bodies(&scene)));
    tab.say(r#"{"do":"scene","id":"crate"}"#).await;
    assert_eq!(bodies(&tab.message("scene", |_| true).await), 2);
}

fn bodies(scene: &serde_json::Value) -> usize {
    scene["scene"]["bodies"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_pull_lifts_the_crate_and_a_release_drops_it() {
    let served = serve_crate().await;
    let mut tab = served.tab().await;
    tab.say(r#"{"do":"stepper","name":"event-driven"}"#).await;
    tab.say(r#"{"do":"play"}"#).await;
    tab.say(r#"{"do":"pull","body":1,"on":[0,0,0],"to":[0,0,2],"kind":"force"}"#).await;
    let up = tab.frame_where(|it| it.state.poses[CRATE].position.z > 1.4).await;
    assert!(up.ledger.error() < 1e-6, "{:?}", up.ledger);
    // At rest the weight stretches the spring by a quarter of the crate's diameter: 2·0.866/4 m.
    let rests =
        |it: &Frame| it.state.twists[CRATE].linear.length() < 1e-4 && it.contacts.is_empty();
    let hangs = tab.frame_where(rests).await;
    let stretch = 2.0 - hangs.state.poses[CRATE].position.z;
    assert!((stretch - 0.75_f64.sqrt() / 2.0).abs() < 1e-3, "stretched by {stretch}");
    let status = tab.status(|it| it["pull"]["body"] == 1).await;
    let force = status["pull"]["force"][2].as_f64().unwrap();
    assert!((force - 20.0 * 9.81).abs() < 1.0, "{force} N");
    tab.say(r#"{"do":"release"}"#).await;
    tab.status(|it| it["pull"].is_null()).await;
    tab.frame_where(|it| (it.state.poses[CRATE].position.z - 0.5).abs() < 1e-3).await;
}

#[tokio::test]
async fn a_torque_pull_turns_the_crate_and_a_release_removes_the_torque() {
    let served = serve_crate().await;
    let mut tab = served.tab().await;
    tab.say(r#"{"do":"gravity","value":[0,0,0]}"#).await;
    tab.say(r#"{"do":"play"}"#).await;
    tab.say(r#"{"do":"pull","body":1,"on":[0.5,0,0],"to":[0,2,0.5],"kind":"torque"}"#).await;
    // The pulled point turns towards the mouse: a quarter turn about z.
    let points = |it: &Frame| {
        let towards = it.state.poses[CRATE].rotation * DVec3::X;
        towards.y > 0.99 && it.state.twists[CRATE].angular.length() < 1e-2
    };
    tab.say(r#"{"do":"pause"}"#).await;
    let pull =
        tab.status(|it| it["pull"]["body"] == 1 && it["playing"] == false).await["pull"].take();
    assert_eq!(pull["force"], serde_json::json!([0.0, 0.0, 0.0]));
    assert!(pull["torque"][2].as_f64().unwrap() > 0.0, "{pull}");
    tab.say(r#"{"do":"play"}"#).await;
    tab.frame_where(points).await;
    tab.say(r#"{"do":"release"}"#).await;
    tab.status(|it| it["pull"].is_null()).await;
    tab.say(r#"{"do":"pause"}"#).await;
    tab.say(r#"{"do":"reset"}"#).await;
    let start = tab.frame_where(|it| it.index == 0).await;
    tab.say(r#"{"do":"play"}"#).await;
    let later = tab.frame_where(|it| it.index > 20).await;
    assert_eq!(start.state.poses[CRATE].rotation, later.state.poses[CRATE].rotation);
}

#[tokio::test]
async fn a_tab_that_closes_releases_its_pull() {
    let served = serve_crate().await;
    let (mut tab, mut other) = (served.tab().await, served.tab().await);
    tab.say(r#"{"do":"pull","body":1,"on":[0,0,0],"to":[0,0,2]}"#).await;
    other.status(|it| it["pull"]["body"] == 1).await;
    drop(tab);
    other.status(|it| it["pull"].is_null()).await;
}

/// The crate and fixed balls, which make frames longer at no cost.
fn crowd(balls: usize) -> Scene {
    let mut text = common::CRATE.to_owned();
    for ball in 0..balls {
        let at = 10.0 + 2.0 * ball as f64;
        let _ = write!(
            text,
            "\n[[body]]\nname = \"ball.{ball}\"\nball = 0.5\nat = [{at:?}, 0.0, 1.0]\nfixed = true\n"
        );
    }
    Scene::parse(&text, "crowd.toml").unwrap()
}

#[tokio::test]
async fn tabs_that_never_read_miss_frames_and_do_not_slow_the_run() {
    let served = serve(Show::Live(Catalogue::with("crowd".into(), crowd(500)))).await;
    let (mut tab, mut slow) = (served.tab().await, Vec::new());
    for _ in 0..20 {
        slow.push(served.narrow_tab().await);
    }
    tab.say(r#"{"do":"play"}"#).await;
    let rate = rate(&mut tab, Duration::from_secs(4)).await;
    assert!(rate > 0.7, "{rate} simulated seconds per second beside slow tabs");
    tab.say(r#"{"do":"pause"}"#).await;
    let last = tab.frames_until_quiet().await.pop();
    // When it finally reads, it receives the buffered frames, then the latest one.
    let seen = slow[0].frames_until_quiet().await;
    assert!(last.is_none_or(|last| seen.last() == Some(&last)), "{last:?}, {seen:?}");
    assert!(seen.len() < 200, "{} frames of four seconds were buffered", seen.len());
}

#[tokio::test]
async fn invalid_messages_are_answered_with_an_error_and_change_nothing() {
    let served = serve_crate().await;
    let mut tab = served.tab().await;
    for invalid in [
        "",
        "null",
        "[]",
        "{",
        "play",
        r#"{"do":"fly"}"#,
        r#"{"do":5}"#,
        r#"{"play":true}"#,
        r#"{"do":"speed"}"#,
        r#"{"do":"speed","factor":NaN}"#,
        r#"{"do":"speed","factor":null}"#,
        r#"{"do":"speed","factor":1e999}"#,
        r#"{"do":"speed","factor":0}"#,
        r#"{"do":"speed","factor":-1}"#,
        r#"{"do":"friction","factor":11}"#,
        r#"{"do":"gravity","value":[0,0]}"#,
        r#"{"do":"gravity","value":[0,0,-1e9]}"#,
        r#"{"do":"gravity","value":["a",0,0]}"#,
        r#"{"do":"solver","name":"unknown"}"#,
        r#"{"do":"stepper","name":"unknown"}"#,
        r#"{"do":"scene","id":"../../etc/passwd"}"#,
        r#"{"do":"pull","body":0,"on":[0,0,0],"to":[0,0,2]}"#,
        r#"{"do":"pull","body":7,"on":[0,0,0],"to":[0,0,2]}"#,
        r#"{"do":"pull","body":-1,"on":[0,0,0],"to":[0,0,2]}"#,
        r#"{"do":"pull","body":1,"on":[0,0,0],"to":[0,0,1e300]}"#,
        r#"{"do":"pull","body":1,"on":[0,0,0],"to":[0,0,2],"kind":"tickle"}"#,
    ] {
        tab.say(invalid).await;
        let error = tab.message("error", |_| true).await;
        assert!(!error["message"].as_str().unwrap().is_empty(), "{invalid}");
    }
    tab.send(Message::binary(vec![0xff; 1000])).await;
    tab.message("error", |_| true).await;
    tab.say(r#"{"do":"step"}"#).await;
    assert_eq!(tab.frame_where(|it| it.index > 0).await.index, 1);
    // A message that is too long disconnects this tab; the others stay connected.
    let mut other = served.tab().await;
    tab.say(&"x".repeat(1024 * 1024 + 1)).await;
    tab.message("error", |_| true).await;
    while !matches!(tab.receive().await, Received::Closed) {}
    other.say(r#"{"do":"step"}"#).await;
    assert_eq!(other.frame_where(|it| it.index > 1).await.index, 2);
}
