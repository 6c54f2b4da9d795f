//! Writes the types of the messages for the page: `web/src/generated.ts`.

use super::description::{
    BodyInfo, JointInfo, Motion, PartInfo, Placement, RunInfo, SceneDescription, ShapeInfo,
    SpringInfo,
};
use super::{Message, PullStatus, SceneEntry, Status};
use crate::command::{Command, Pull, PullKind};
use std::path::Path;
use ts_rs::{Config, TS};

const HEADER: &str = "\
// Generated from crates/stiction-view/src/message.rs, its folder and command.rs; not edited by hand.
// STICTION_WRITE=1 cargo test --release -p stiction-view --lib the_types_of_the_page

";

fn types() -> String {
    let config = Config::new().with_large_int("number");
    let mut text = HEADER.to_owned();
    let mut add = |declaration: String| {
        text.push_str("export ");
        text.push_str(&declaration);
        text.push('\n');
    };
    add(Command::decl(&config));
    add(Pull::decl(&config));
    add(PullKind::decl(&config));
    add(Message::decl(&config));
    add(Status::decl(&config));
    add(PullStatus::decl(&config));
    add(SceneEntry::decl(&config));
    add(SceneDescription::decl(&config));
    add(RunInfo::decl(&config));
    add(BodyInfo::decl(&config));
    add(Motion::decl(&config));
    add(PartInfo::decl(&config));
    add(Placement::decl(&config));
    add(ShapeInfo::decl(&config));
    add(JointInfo::decl(&config));
    add(SpringInfo::decl(&config));
    text
}

#[test]
fn the_types_of_the_page_are_those_of_the_messages() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/src/generated.ts");
    let types = types();
    if std::env::var_os("STICTION_WRITE").is_some() {
        std::fs::write(&file, &types).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap();
    assert!(
        known == types,
        "{} is out of date: its first lines say how to write it",
        file.display()
    );
}
