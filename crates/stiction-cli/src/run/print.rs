//! What a run came to, in words.

use super::summary::{Certificate, Energy, Recorded, Summary};
use crate::parameters::named;
use stiction_terminal::say;

/// Bodies named.
const NAMED: usize = 5;

/// Shorter ways (m) and smaller turns (degrees) are no motion.
const STILL: f64 = 1e-6;

pub fn print(summary: &Summary) {
    let Summary { scene, title, stepper, solver, frames, time, computing, .. } = summary;
    let solver = named(solver, &summary.parameters);
    let ended = if summary.interrupted { ", ended by Ctrl-C" } else { "" };
    say!("{title} ({scene})");
    say!("{time:.6} s in {frames} frames, {stepper}, solver {solver}{ended}");
    if let Some(approximation) = summary.approximation {
        say!("an approximation: {approximation}");
    }
    say!("{computing:.2} s of computing, at most {} contacts", summary.most_contacts);
    print_moved(summary);
    print_events(summary);
    print_energy(&summary.energy);
    print_certificate(&summary.certificate);
    let at_end = &summary.unique;
    match (at_end.not_unique, at_end.undecided) {
        (0, 0) => say!("forces at the end: {} contacts, all unique", at_end.contacts),
        (not, undecided) => say!(
            "forces at the end: {} contacts, {not} not unique (others cause the same motion), \
             {undecided} undecided",
            at_end.contacts
        ),
    }
    if let Some(recorded) = &summary.recorded {
        print_recorded(recorded, summary);
    }
}

fn print_moved(summary: &Summary) {
    let moves = |way: f64, turned: f64| way > STILL || turned > STILL;
    let moving = summary.moved.iter().filter(|it| moves(it.way, it.turned)).count();
    let count = summary.moved.len();
    if moving == 0 {
        say!("\nnothing moved: {count} free bodies");
        return;
    }
    say!("\n{:<24}  {:>10}  {:>9}", "what moved most", "way m", "turned °");
    for it in summary.moved.iter().take(NAMED.min(moving)) {
        say!("  {:<22}  {:>10.4}  {:>9.2}", it.body, it.way, it.turned);
    }
    say!("  {moving} of {count} free bodies moved");
}

fn print_events(summary: &Summary) {
    if summary.events.is_empty() {
        say!("\nno events");
        return;
    }
    say!("\n{:<24}  {:>10}  {:>9}  {:>9}", "events", "count", "first s", "last s");
    for kind in &summary.events {
        say!("  {:<22}  {:>10}  {:>9.4}  {:>9.4}", kind.kind, kind.count, kind.first, kind.last);
    }
}

fn print_energy(energy: &Energy) {
    let Energy { kinetic, potential, work, friction, impacts, start, unaccounted, error } = energy;
    say!("\n{:<24}  {:>14}", "energy", "J");
    let lines = [
        ("at the start", start),
        ("work done by motors", work),
        ("kinetic", kinetic),
        ("potential", potential),
        ("heat of friction", friction),
        ("heat of collisions", impacts),
    ];
    for (words, value) in lines {
        say!("  {words:<22}  {:>14.6}", value + 0.0);
    }
    say!(
        "  {:<22}  {unaccounted:>14.1e}  ({error:.1e} of what changed hands)",
        "not accounted for"
    );
}

fn print_certificate(certificate: &Certificate) {
    let Certificate { solves, worst, worst_at, uncertified_frames, .. } = certificate;
    say!("\nworst certificate: {worst:.1e} relative, at {worst_at:.4} s, of {solves} answers");
    match certificate.first_uncertified {
        None => say!("every answer certified"),
        Some(time) => {
            say!("NOT CERTIFIED: answers in {uncertified_frames} frames, the first at {time:.4} s");
        }
    }
}

fn print_recorded(recorded: &Recorded, summary: &Summary) {
    let (file, megabytes) = (recorded.file.display(), recorded.bytes as f64 / 1e6);
    let resumed = match recorded.resumed {
        Some(frames) => format!(", of which it had {frames}"),
        None => String::new(),
    };
    say!("recorded: {file}, {} frames{resumed}, {megabytes:.2} MB", summary.frames);
    if recorded.cut > 0 {
        say!("  {} bytes after the last whole frame were cut off", recorded.cut);
    }
}
