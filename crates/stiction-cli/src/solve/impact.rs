//! The effect of an impulse on bodies whose velocities the file gives.

use serde::Serialize;
use stiction_solvers::Forces;
use stiction_solvers::baraff1991::{Impact, ImpactError, Secondary};
use stiction_solvers::judge::{Certificate, ImpulseCertificate};
use stiction_terminal::say;

pub fn print(impact: &Result<Impact, ImpactError>) {
    let impact = match impact {
        Ok(impact) => impact,
        Err(error) => {
            say!("\nwith the velocities of the file its effect could not be computed: {error}");
            return;
        }
    };
    let validity = |certified: bool| if certified { "valid" } else { "NOT CERTIFIED" };
    let method = match impact.method {
        Secondary::WangMason => "a single contact that sticks",
        Secondary::Simultaneous => "all contacts at once",
    };
    say!(
        "\nwith the velocities of the file, contact {} sticks first ({}); then an impact, {method} ({})",
        impact.sticks,
        validity(impact.impulse_certificate.certified),
        validity(impact.second_certificate.is_certified())
    );
    say!("\n{:>8}  {:>14}  {:>14}", "contact", "impulse N·s", "impact N·s");
    for (i, (first, second)) in
        impact.impulse.contacts.iter().zip(&impact.second.contacts).enumerate()
    {
        say!("{i:>8}  {:>14.6}  {:>14.6}", first.normal, second.normal);
    }
    say!("\n{:>8}  velocity after both (m/s, rad/s)", "body");
    for (i, v) in impact.after.iter().enumerate() {
        let numbers: Vec<String> = v.iter().map(|x| format!("{x:>10.6}")).collect();
        say!("{i:>8}  {}", numbers.join(" "));
    }
}

/// The impulse and the impact after it, as documented in `docs/output.md`.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Json<'a> {
    Done(Box<Done<'a>>),
    Failed { error: String },
}

#[derive(Serialize)]
pub struct Done<'a> {
    certified: bool,
    sticks: usize,
    impulse: &'a Forces,
    impulse_certificate: ImpulseCertificate,
    velocity_between: &'a [[f64; 6]],
    method: Secondary,
    second: &'a Forces,
    second_certificate: &'a Certificate,
    velocity: &'a [[f64; 6]],
}

impl<'a> Json<'a> {
    pub fn new(impact: &'a Result<Impact, ImpactError>) -> Self {
        match impact {
            Ok(impact) => Json::Done(Box::new(Done {
                certified: impact.impulse_certificate.certified
                    && impact.second_certificate.is_certified(),
                sticks: impact.sticks,
                impulse: &impact.impulse,
                impulse_certificate: impact.impulse_certificate,
                velocity_between: &impact.between,
                method: impact.method,
                second: &impact.second,
                second_certificate: &impact.second_certificate,
                velocity: &impact.after,
            })),
            Err(error) => Json::Failed { error: error.to_string() },
        }
    }
}
