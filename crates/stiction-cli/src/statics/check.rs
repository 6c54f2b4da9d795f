//! `stiction check-certificate`: accepts or refuses.

use super::input::Model;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_check::Certificate;
use stiction_statics::Statics;
use stiction_terminal::{count, exit, refuse, say};

/// Arguments of `stiction check-certificate`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    model: Model,
    /// A certificate that `stiction static --certificate` wrote
    certificate: PathBuf,
}

/// Runs `stiction check-certificate`.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let path = arguments.certificate.display();
    let text = match std::fs::read_to_string(&arguments.certificate) {
        Ok(text) => text,
        Err(error) => return refuse(&format_args!("{path}: {error}")),
    };
    let certificate = match Certificate::parse(&text) {
        Ok(certificate) => certificate,
        Err(refusal) => return refuse(&format_args!("{path}: {refusal}")),
    };
    let assembly = match arguments.model.read(certificate.gap) {
        Ok(assembly) => assembly,
        Err(error) => return refuse(&error),
    };
    match certificate.check(&Statics::new(&assembly).model) {
        Err(refusal) => {
            say!("refused: {refusal}");
            ExitCode::from(exit::NO)
        }
        Ok(accepted) => {
            say!("accepted: {}", certificate.verdict);
            for margin in &certificate.margins {
                let end = |x: Option<f64>| x.map_or("no bound".into(), |x| format!("{x}"));
                say!(
                    "accepted: {} from {} to {}",
                    margin.what,
                    end(margin.at_least),
                    end(margin.at_most)
                );
            }
            if let Some(gap) = certificate.gap {
                say!(
                    "interfaces detected where faces are at most {gap:.3e} m apart, as the certificate says"
                );
            }
            let claims = count(accepted.claims, "claim", "claims");
            say!(
                "{claims} checked in 32 digits, imbalance at most {:.1e} of the load of a block",
                accepted.imbalance
            );
            ExitCode::SUCCESS
        }
    }
}
