//! Figures and tables of the papers, made anew, their numbers beside ours.

mod baraff1989;
mod faure1996;
mod lloyd;
mod page;

use std::process::ExitCode;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Baraff 1989, figures 11 to 13: collisions by two models, and how often his guesses are right
    Baraff1989(baraff1989::Arguments),
    /// Faure 1996, figures 4 and 5: his iterates, iterations per instant, residual per iteration
    Faure1996(faure1996::Arguments),
    /// Lloyd 2004, figures 5 to 8 and 10: compute times of his three methods
    Lloyd(lloyd::Arguments),
}

pub fn run(command: &Command) -> ExitCode {
    match command {
        Command::Baraff1989(arguments) => baraff1989::run(arguments),
        Command::Faure1996(arguments) => faure1996::run(arguments),
        Command::Lloyd(arguments) => lloyd::run(arguments),
    }
}
