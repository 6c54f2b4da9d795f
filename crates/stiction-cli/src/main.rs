//! The command `stiction`: arguments, dispatch, exit codes. What it computes is in the other crates.

mod audit;
mod collide;
mod compare;
mod diagnose;
mod export;
mod generate;
mod info;
mod input;
mod laws;
mod parameters;
#[cfg(feature = "lab")]
mod plot;
mod problem;
mod replay;
mod run;
mod settle;
mod solve;
mod statics;
mod sweep;
mod trace;
mod verify;
#[cfg(feature = "view")]
mod view;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_terminal::close_output;

/// The forces that really act where rigid bodies touch, with proof.
#[derive(Parser)]
#[command(name = "stiction", version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scene, record every frame on request, and report what happened
    Run(run::Arguments),
    /// Move bodies that overlap at the start of a scene apart, and write the scene
    Settle(settle::Arguments),
    /// Recompute a recorded run and compare every frame, bit by bit
    Replay(AboutRecording),
    /// Show the contents of a recording
    Info(AboutRecording),
    /// Write the tables of a recording: bodies, contacts, joints, events, energies, laws
    Export(export::Arguments),
    /// Plot a recording: energies, contact forces, certificates, events
    #[cfg(feature = "lab")]
    Plot(plot::Arguments),
    /// Write the contact problem of an instant of a scene or recording
    Problem(problem::Arguments),
    /// Find the contact forces of a problem and certify them
    Solve(solve::Arguments),
    /// Decide whether a small problem has one motion, several, or none, by examining every contact mode
    Diagnose(diagnose::Arguments),
    /// Write a problem with a known answer
    #[command(subcommand)]
    Generate(generate::Command),
    /// Compute a collision by two models: all contacts at once, and one after the other
    Collide(collide::Arguments),
    /// Run every solver on one problem: outcome, certificate, effort, time
    Compare(compare::Arguments),
    /// Decide whether an assembly of blocks stands, with what margin, and prove it
    Static(statics::Arguments),
    /// Check a certificate of statics against its model
    CheckCertificate(statics::check::Arguments),
    /// Judge the contact forces of another engine, and say what each of them breaks
    Audit(audit::Arguments),
    /// Judge an answer of another program, or the motion of a recording
    Verify(verify::Arguments),
    /// Run a scene, or ask whether an assembly stands, with many values, on all cores
    Sweep(sweep::Arguments),
    /// Make the table of a sweep whose shards were run elsewhere
    Merge(sweep::MergeArguments),
    /// Show a running scene in the browser, with every force, and interact with it
    #[cfg(feature = "view")]
    View(view::Arguments),
    /// Show the steps of a method, event by event
    Trace(trace::Arguments),
    /// Measure the solvers; every answer is judged before it is timed
    #[cfg(feature = "lab")]
    #[command(subcommand)]
    Bench(stiction_lab::bench::Command),
    /// Reproduce the figures of the papers, with the papers' numbers beside ours
    #[cfg(feature = "lab")]
    #[command(subcommand)]
    Reproduce(stiction_lab::reproduce::Command),
}

fn main() -> ExitCode {
    close_output(dispatch(Cli::parse().command))
}

fn dispatch(command: Command) -> ExitCode {
    match command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Settle(arguments) => settle::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        #[cfg(feature = "lab")]
        Command::Plot(arguments) => plot::run(&arguments),
        Command::Problem(arguments) => problem::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Diagnose(arguments) => diagnose::run(&arguments),
        Command::Generate(command) => generate::run(&command),
        Command::Collide(arguments) => collide::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Static(arguments) => statics::run(&arguments),
        Command::CheckCertificate(arguments) => statics::check::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Merge(arguments) => sweep::merge(&arguments),
        #[cfg(feature = "view")]
        Command::View(arguments) => view::run(&arguments),
        Command::Trace(arguments) => trace::run(&arguments),
        #[cfg(feature = "lab")]
        Command::Bench(command) => stiction_lab::bench::run(&command),
        #[cfg(feature = "lab")]
        Command::Reproduce(command) => stiction_lab::reproduce::run(&command),
    }
}

/// Which files a scene may read.
#[derive(clap::Args)]
struct FileFlags {
    /// Let the scene read meshes that are not below its folder
    #[arg(long)]
    allow_files_anywhere: bool,
}

/// Values of a scene that are set on the command line.
#[derive(clap::Args)]
struct SetFlags {
    /// Set a value of the scene, as PATH=VALUE: `run.dt=0.01`, `body.crate.mass=2`, `material.0.friction=0.3`; repeatable
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<stiction::scene::Assignment>,
}

/// Arguments of commands about a recording.
#[derive(clap::Args)]
struct AboutRecording {
    /// A recording
    file: PathBuf,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}
