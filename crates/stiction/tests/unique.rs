//! Which contact forces of a frame are unique: statics says.

use stiction::scene::Scene;
use stiction::{Frame, LARGEST_ISLAND, Simulation, Unique, Uniqueness, uniqueness};

/// The frame after a few steps, and what is unique in it.
fn after_steps(bodies: &str, stepper: &str) -> (Frame, Unique) {
    let text = format!(
        "[run]\nstepper = \"{stepper}\"\ndt = 0.01\n[[body]]\nname = \"ground\"\nground = true\n{bodies}"
    );
    let scene = Scene::parse(&text, "test").expect("a scene");
    let mut run = Simulation::new(&scene);
    let frame = (0..3).map(|_| run.advance()).last().expect("a frame");
    let unique = uniqueness(&scene.world, &frame);
    (frame, unique)
}

const BOX: &str = "[[body]]\nname = \"box\"\nbox = [1, 1, 1]\nat = [0, 0, 0.5]\n";

/// Four corners carry one weight: any may carry more if its neighbours carry less.
#[test]
fn the_forces_under_a_box_are_not_unique() {
    for stepper in ["time-stepping", "event-driven"] {
        let (frame, unique) = after_steps(BOX, stepper);
        assert_eq!(frame.contacts.len(), 4, "{stepper}");
        assert_eq!(unique.forces, [Uniqueness::NotUnique; 4], "{stepper}");
        assert_eq!(unique.normals, [Uniqueness::NotUnique; 4], "{stepper}");
    }
}

/// Three feet carry a weight in one way only. Friction, of which there is none here, could
/// still pull the feet together.
#[test]
fn the_forces_under_a_tripod_are_unique() {
    let foot = |name: &str, x: f64, y: f64| {
        format!("  {{ ball = 0.1, at = [{x}, {y}, -0.4] }}, # {name}\n")
    };
    let feet = foot("a", 0.5, 0.0) + &foot("b", -0.25, 0.4) + &foot("c", -0.25, -0.4);
    let tripod = |friction: f64| {
        format!(
            "[[material]]\nname = \"default\"\nfriction = {friction}\n[[body]]\nname = \"tripod\"\nat = [0, 0, 0.5]\nparts = [\n{feet}]\n"
        )
    };
    for stepper in ["time-stepping", "event-driven"] {
        let (frame, unique) = after_steps(&tripod(0.0), stepper);
        assert_eq!(frame.contacts.len(), 3, "{stepper}");
        assert_eq!(unique.forces, [Uniqueness::Unique; 3], "{stepper}");
        let (_, unique) = after_steps(&tripod(0.5), stepper);
        assert_eq!(unique.normals, [Uniqueness::Unique; 3], "{stepper}");
        assert_eq!(unique.forces, [Uniqueness::NotUnique; 3], "{stepper}");
    }
}

/// Islands do not know of each other; one that is too large is not examined.
#[test]
fn large_islands_are_undecided() {
    let count = LARGEST_ISLAND / 4 + 1;
    let tower = format!(
        "[[body]]\nname = \"brick\"\nbox = [1, 1, 0.1]\nat = [5, 0, 0.05]\nrepeat = {{ count = {count}, step = [0, 0, 0.1] }}\n"
    );
    let (frame, unique) = after_steps(&format!("{BOX}{tower}"), "time-stepping");
    for (contact, verdict) in frame.contacts.iter().zip(&unique.forces) {
        let expected =
            if contact.key.a.index() == 1 { Uniqueness::NotUnique } else { Uniqueness::Undecided };
        assert_eq!(*verdict, expected, "{:?}", contact.key);
    }
}
