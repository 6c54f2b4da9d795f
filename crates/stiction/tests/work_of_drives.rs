//! The work that driven bodies do by springs, and motors on driven bodies: the ledger closes.

use stiction::scene::Scene;
use stiction::{EnergyLedger, Simulation};

const GROUND: &str = "[[body]]\nname = \"ground\"\nground = true\n";

fn run(stepper: &str, bodies: &str) -> EnergyLedger {
    let text = format!("[run]\nstepper = \"{stepper}\"\nuntil = 1.5\ndt = 0.005\n{GROUND}{bodies}");
    let scene = Scene::parse(&text, "test").expect("a scene");
    let mut simulation = Simulation::new(&scene);
    let mut last = simulation.first();
    for _ in 0..scene.run.last_frame() {
        last = simulation.advance();
    }
    let certificate = simulation.certificate();
    assert!(certificate.holds(), "{stepper}: {:?}", certificate.broken().collect::<Vec<_>>());
    last.ledger
}

/// A spring drags a crate: its driven end does the work that friction turns to heat.
#[test]
fn a_driven_end_of_a_spring_does_work() {
    let bodies = "[[body]]\nname = \"puller\"\nbox = [0.1, 0.1, 0.1]\nat = [1, 0, 0.1]\nlevels = [2]\n\
        drive = { along = [1, 0, 0], position = { ramp = { to = 1, start = 0.3, end = 1.3 } } }\n\
        [[body]]\nname = \"crate\"\nbox = [0.2, 0.2, 0.2]\nat = [0, 0, 0.1]\nmass = 1\n\
        [[spring]]\nname = \"rope\"\na = \"crate\"\nb = \"puller\"\nanchor = [0.1, 0, 0.1]\n\
        anchor_b = [0.95, 0, 0.1]\nstiffness = 60\ndamping = 1\n";
    for stepper in ["event-driven", "time-stepping"] {
        let ledger = run(stepper, bodies);
        assert!(ledger.work > 1.0 && ledger.error() < 1e-4, "{stepper}: {ledger:?}");
    }
}

/// A motor between a driven base and a cart: only what it does to the cart is work that counts.
#[test]
fn a_motor_of_given_force_works_on_what_moves_freely() {
    let bodies = "[[body]]\nname = \"base\"\nbox = [0.1, 0.1, 0.1]\nat = [0, 0, 1]\n\
        drive = { along = [1, 0, 0], position = { linear = { rate = 2 } } }\n\
        [[body]]\nname = \"cart\"\nbox = [0.1, 0.1, 0.1]\nat = [1, 0, 1]\nmass = 2\nvelocity = [2, 0, 0]\n\
        [[joint]]\nname = \"push\"\ntype = \"slider\"\na = \"cart\"\nb = \"base\"\nanchor = [1, 0, 1]\n\
        axis = [1, 0, 0]\nmotor = { force = 3 }\n";
    for stepper in ["event-driven", "time-stepping"] {
        let ledger = run(stepper, bodies);
        // From 2 m/s with 1.5 m/s² for 1.5 s: 3 N over 2 · 1.5 + 1.6875 m.
        assert!((ledger.work - 3.0 * 4.6875).abs() < 1e-6, "{stepper}: {ledger:?}");
        assert!(ledger.error() < 1e-6, "{stepper}: {ledger:?}");
    }
}
