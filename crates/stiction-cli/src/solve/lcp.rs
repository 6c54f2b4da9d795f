//! `stiction solve FILE.dat`: a bare linear complementarity problem.

use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use stiction_contact::LcpCertificate;
use stiction_formats::read_lcp;
use stiction_solvers::{Lcp, LcpOutcome, solve_lcp};
use stiction_terminal::timing::median_us;
use stiction_terminal::{exit, refuse, say};

/// One problem, as documented in `docs/output.md`.
#[derive(Serialize)]
struct Json<'a> {
    problem: &'a str,
    solver: &'static str,
    outcome: &'static str,
    certified: bool,
    z: &'a [f64],
    w: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<LcpCertificate>,
    pivots: usize,
    restarts: usize,
    time_us: f64,
}

pub fn run(path: &Path, as_json: bool) -> ExitCode {
    let lcp = match read_lcp(path) {
        Ok(lcp) => lcp,
        Err(error) => return refuse(&error),
    };
    let outcome = solve_lcp(&lcp);
    let time_us = median_us(|| {
        std::hint::black_box(solve_lcp(&lcp));
    });
    let (result, certificate, z, pivots, restarts): (_, _, &[f64], _, _) = match &outcome {
        LcpOutcome::Solved { z, certificate, pivots, restarts } => {
            ("solved", Some(*certificate), z, *pivots, *restarts)
        }
        LcpOutcome::Ray { direction, pivots } => ("ray", None, direction, *pivots, 0),
        LcpOutcome::PivotLimit { pivots } => ("failed", None, &[], *pivots, 0),
    };
    let certified = certificate.is_some_and(|c| c.certified);
    let name = path.display().to_string();
    let w = if certificate.is_some() { lcp.w(z) } else { Vec::new() };
    if as_json {
        let solver = "lemke";
        let object = Json {
            problem: &name,
            solver,
            outcome: result,
            certified,
            z,
            w,
            certificate,
            pivots,
            restarts,
            time_us,
        };
        say!("{}", serde_json::to_string(&object).unwrap_or_default());
    } else {
        print(&name, &lcp, &outcome, &w);
        say!("\nlemke, {pivots} pivots, {restarts} restarts, {time_us:.0} µs");
    }
    match outcome {
        LcpOutcome::Solved { .. } if certified => ExitCode::SUCCESS,
        LcpOutcome::PivotLimit { .. } => ExitCode::from(exit::BREAKDOWN),
        _ => ExitCode::from(exit::NO),
    }
}

fn print(name: &str, lcp: &Lcp, outcome: &LcpOutcome, w: &[f64]) {
    say!("{name}: w = M z + q with {} unknowns\n", lcp.len());
    match outcome {
        LcpOutcome::Solved { z, certificate, .. } => {
            say!("{:>6}  {:>16}  {:>16}", "", "z", "w");
            for (i, (z, w)) in z.iter().zip(w).enumerate() {
                say!("{i:>6}  {z:>16.9}  {w:>16.9}");
            }
            let verdict = if certificate.certified { "certified" } else { "NOT CERTIFIED" };
            say!(
                "\n{verdict}: natural map {:.1e} ({:.1e} relative), z ≥ −{:.1e}, w ≥ −{:.1e}, z·w {:.1e}",
                certificate.natural_map,
                certificate.relative,
                certificate.negative_z,
                certificate.negative_w,
                certificate.product
            );
        }
        LcpOutcome::Ray { .. } => say!(
            "every path ended in a ray: no solution was found (for indefinite M this does not prove that none exists)"
        ),
        LcpOutcome::PivotLimit { .. } => say!("no path ended within its pivot limit"),
    }
}
