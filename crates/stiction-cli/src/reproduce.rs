//! Figures and tables of the papers, made anew, their numbers beside ours.

mod lloyd;
mod page;

use std::process::ExitCode;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Lloyd 2004, figures 5 to 8 and 10: compute times of his three methods
    Lloyd(lloyd::Arguments),
}

pub fn run(command: &Command) -> ExitCode {
    match command {
        Command::Lloyd(arguments) => lloyd::run(arguments),
    }
}
