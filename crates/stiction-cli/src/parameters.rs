//! Flags for the parameters of the papers' methods, made from the one table of them.

use clap::{Arg, ArgMatches, Command};
use stiction_solvers::parameters::{PARAMETERS, Parameter, Parameters, Range, Value};

const HEADING: &str = "Parameters of the papers' methods";

/// Parameters given by flags.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// All in their ranges, of any solver.
    pub given: Parameters,
}

/// A solver's name, with the parameters that were given in brackets.
pub fn named(solver: &str, given: &Parameters) -> String {
    if given.is_empty() { solver.to_owned() } else { format!("{solver} ({given})") }
}

impl clap::FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Flags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for parameter in &PARAMETERS {
            if let Some(value) = matches.get_one::<Value>(parameter.name) {
                self.given.set(parameter, *value);
            }
        }
        Ok(())
    }
}

impl clap::Args for Flags {
    fn augment_args(command: Command) -> Command {
        PARAMETERS.iter().fold(command, |command, parameter| command.arg(flag(parameter)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::augment_args(command)
    }
}

fn flag(parameter: &'static Parameter) -> Arg {
    let value_name = match parameter.range {
        Range::Number(_) => "X",
        Range::Count(_) => "N",
        Range::Words(_) => "WORD",
    };
    Arg::new(parameter.name)
        .long(parameter.name)
        .value_name(value_name)
        .value_parser(move |text: &str| parameter.parse(text))
        .allow_negative_numbers(true)
        .help(parameter.description())
        .help_heading(HEADING)
}
