//! The report of a run, as text.

use super::forces::{print_contacts, print_drives};
use super::summary::{AtEnd, Certificate, Energy, Moved, Recorded, Summary};
use crate::laws;
use crate::parameters::named;
use stiction_terminal::{count, say};

/// Bodies listed.
const LISTED: usize = 5;

/// Smaller displacements (m) and rotations (degrees) count as no motion.
const STILL: f64 = 1e-6;

pub fn print(summary: &Summary) {
    let Summary { scene, title, stepper, solver, frames, time, computing, .. } = summary;
    let solver = named(solver, &summary.parameters);
    let ended = if summary.interrupted { ", ended by Ctrl-C" } else { "" };
    say!("{title} ({scene})");
    let frames = count(*frames as usize, "frame", "frames");
    say!("{time:.6} s in {frames}, {stepper}, solver {solver}{ended}");
    if let Some(words) = &summary.separated.words {
        say!("{words}");
    }
    if let Some(approximation) = summary.approximation {
        say!("an approximation: {approximation}");
    }
    let contacts = count(summary.most_contacts, "contact", "contacts");
    say!("{computing:.2} s of computing time, at most {contacts}");
    print_moved(summary);
    print_events(summary);
    print_energy(&summary.energy);
    print_drives(&summary.motors, &summary.driven);
    if let Some(contacts) = &summary.forces {
        print_contacts(contacts);
    }
    print_certificate(&summary.certificate);
    print_uniqueness(&summary.unique);
    if let Some(recorded) = &summary.recorded {
        print_recorded(recorded, summary);
    }
}

fn print_moved(summary: &Summary) {
    let moves = |body: &&Moved| body.displacement > STILL || body.rotation > STILL;
    let moving = summary.moved.iter().filter(moves).count();
    let bodies = count(summary.moved.len(), "free body", "free bodies");
    if moving == 0 {
        say!("\nnothing moved: {bodies}");
        return;
    }
    say!("\n{:<24}  {:>14}  {:>10}", "largest motion", "displacement m", "rotation °");
    for it in summary.moved.iter().take(LISTED.min(moving)) {
        say!("  {:<22}  {:>14.4}  {:>10.2}", it.body, it.displacement, it.rotation);
    }
    say!("  {moving} of {bodies} moved");
}

fn print_uniqueness(at_end: &AtEnd) {
    let contacts = count(at_end.contacts, "contact", "contacts");
    match (at_end.not_unique, at_end.undecided) {
        (0, 0) => say!("forces at the end: {contacts}, all unique"),
        (not, undecided) => say!(
            "forces at the end: {contacts}, {not} not unique (others cause the same motion), \
             {undecided} undecided"
        ),
    }
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
        ("work of motors", work),
        ("kinetic", kinetic),
        ("potential", potential),
        ("friction heat", friction),
        ("collision heat", impacts),
    ];
    for (words, value) in lines {
        say!("  {words:<22}  {:>14.6}", value + 0.0);
    }
    say!("  {:<22}  {unaccounted:>14.1e}  ({error:.1e} relative)", "energy error");
}

fn print_certificate(certificate: &Certificate) {
    let Certificate { solves, worst, worst_at, uncertified_frames, .. } = certificate;
    let answers = count(*solves as usize, "answer", "answers");
    say!("\nworst residual: {worst:.1e} (relative) at {worst_at:.4} s, of {answers}");
    if let Some(time) = certificate.first_uncertified {
        let frames = count(*uncertified_frames as usize, "frame", "frames");
        say!("answers not certified in {frames}, the first at {time:.4} s");
    }
    let methods: Vec<String> =
        certificate.answers.iter().map(|(name, count)| format!("{name} {count}")).collect();
    if !methods.is_empty() {
        say!("answers by method: {}", methods.join(", "));
    }
    laws::print(&certificate.laws);
}

fn print_recorded(recorded: &Recorded, summary: &Summary) {
    let (file, megabytes) = (recorded.file.display(), recorded.bytes as f64 / 1e6);
    let resumed = match recorded.resumed {
        Some(frames) => format!(" ({frames} of them before resuming)"),
        None => String::new(),
    };
    let frames = count(summary.frames as usize, "frame", "frames");
    say!("recorded: {file}, {frames}{resumed}, {megabytes:.2} MB");
    if recorded.cut > 0 {
        let bytes = count(recorded.cut as usize, "byte", "bytes");
        say!("  cut off: {bytes} after the last complete frame");
    }
}
