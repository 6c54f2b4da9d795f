//! Forces at one instant: frame 0 of a run, and the contact problem of any time.

use stiction::glam::DVec3;
use stiction::scene::Scene;
use stiction::solvers::judge::Uniqueness;
use stiction::solvers::{Auto, ContactSolver};
use stiction::{Frame, Instant, Mode, Simulation, uniqueness};

const STEPPERS: [&str; 2] = ["event-driven", "time-stepping"];

fn scene(stepper: &str, text: &str) -> Scene {
    let (top, text) = text.split_once("---\n").unwrap_or(("", text));
    let head = format!("{top}[run]\nstepper = \"{stepper}\"\ndt = 0.01\n");
    let ground = "[[body]]\nname = \"ground\"\nground = true\n";
    Scene::parse(&format!("{head}{text}\n{ground}"), "test").expect("a scene")
}

fn first(scene: &Scene) -> (Simulation, Frame) {
    let mut run = Simulation::new(scene);
    let hash = run.world.state.hash();
    let frame = run.first();
    assert_eq!(run.world.state.hash(), hash, "the state stays as it is");
    assert_eq!((frame.index, frame.state.hash()), (0, hash));
    (run, frame)
}

fn normals(frame: &Frame) -> f64 {
    frame.contacts.iter().map(|contact| contact.normal_force).sum()
}

#[test]
fn a_box_presses_with_its_weight_from_the_start() {
    let text = "[[body]]\nname = \"box\"\nbox = [1, 1, 1]\nat = [0, 0, 0.5]\nmass = 2\n";
    for stepper in STEPPERS {
        let (run, frame) = first(&scene(stepper, text));
        assert_eq!(frame.contacts.len(), 4, "{stepper}");
        assert!((normals(&frame) - 2.0 * 9.81).abs() < 1e-9, "{stepper}");
        assert!(frame.contacts.iter().all(|contact| contact.mode == Mode::Stick), "{stepper}");
        assert!(frame.certified && frame.solves > 0 && !frame.answers.is_empty(), "{stepper}");
        assert_eq!(uniqueness(&run.world, &frame).normals, [Uniqueness::NotUnique; 4]);
    }
}

/// The first step starts from none of these forces: the run is the same without them.
#[test]
fn later_frames_do_not_depend_on_the_first() {
    let text =
        "[[body]]\nname = \"box\"\nbox = [1, 1, 1]\nat = [0, 0, 0.5]\nvelocity = [1, 0, 0]\n";
    for stepper in STEPPERS {
        let scene = scene(stepper, text);
        let (mut run, _) = first(&scene);
        let mut other = Simulation::new(&scene);
        for _ in 0..5 {
            assert_eq!(run.advance(), other.advance(), "{stepper}");
        }
    }
}

/// On an incline too steep for it a block at rest begins to slip: friction is at its limit.
#[test]
fn a_block_that_begins_to_slip_is_at_the_limit_of_its_cone() {
    let angle = 40_f64.to_radians();
    let gravity = [9.81 * angle.sin(), 0.0, -9.81 * angle.cos()];
    let text = format!(
        "gravity = {gravity:?}\n---\n[[material]]\nname = \"default\"\nfriction = 0.5\n\
         [[body]]\nname = \"box\"\nbox = [1, 1, 0.2]\nat = [0, 0, 0.1]\nmass = 1\n"
    );
    for stepper in STEPPERS {
        let (_, frame) = first(&scene(stepper, &text));
        let friction: DVec3 = frame.contacts.iter().map(|contact| contact.friction_force).sum();
        assert!((normals(&frame) + gravity[2]).abs() < 1e-9, "{stepper}");
        assert!((friction.x - 0.5 * gravity[2]).abs() < 1e-9, "{stepper}: {friction}");
        assert!(frame.contacts.iter().all(|contact| contact.mode != Mode::Stick), "{stepper}");
    }
}

#[test]
fn a_body_that_hangs_pulls_at_its_joint_from_the_start() {
    let text = "[[body]]\nname = \"bob\"\nball = 0.1\nat = [0.5, 0, 2]\nmass = 3\n\
                [[joint]]\nname = \"pivot\"\ntype = \"hinge\"\na = \"bob\"\nanchor = [0, 0, 2]\naxis = [0, 1, 0]\n";
    for stepper in STEPPERS {
        let (_, frame) = first(&scene(stepper, text));
        // A level pendulum: the pivot carries m g i² / (l² + i²), i² = 2 r² / 5.
        let i = 0.4 * 0.01;
        let force = 3.0 * 9.81 * i / (0.25 + i);
        assert!((frame.joints[0].force.z - force).abs() < 1e-9, "{stepper}: {:?}", frame.joints);
    }
}

/// A body that approaches has no force yet, and one of which no force is possible has none.
#[test]
fn where_there_is_no_finite_force_there_is_none() {
    let text = "[[body]]\nname = \"ball\"\nball = 0.5\nat = [0, 0, 0.5]\nvelocity = [0, 0, -1]\n";
    for stepper in STEPPERS {
        let (_, frame) = first(&scene(stepper, text));
        assert_eq!((frame.contacts.len(), frame.certified), (0, true), "{stepper}");
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/baraff1991");
    let rod = Scene::read(format!("{folder}/fig04a_inconsistent.toml").as_ref()).expect("a scene");
    let (_, frame) = first(&rod);
    assert_eq!((frame.contacts.len(), frame.certified), (0, true));
}

/// The problem of a time has the forces that the run has then.
#[test]
fn the_problem_of_a_time_has_the_forces_of_the_run() {
    let text = "[[body]]\nname = \"box\"\nbox = [1, 1, 1]\nat = [0, 0, 0.5]\nvelocity = [1, 0, 0]\n\
                [[body]]\nname = \"other\"\nbox = [1, 1, 1]\nat = [5, 0, 0.5]\n";
    for stepper in STEPPERS {
        let scene = scene(stepper, text);
        let mut run = Simulation::new(&scene);
        let frame = (0..10).map(|_| run.advance()).last().expect("a frame");
        for time in [0.1, 0.0953] {
            let world = Simulation::new(&scene).world_at(time).expect("a world");
            assert!((world.state.time - time).abs() < 1e-12, "{stepper}");
            let instant = Instant::new(&world, &scene.run).expect("a problem");
            assert_eq!(instant.problem().islands().len(), 2, "{stepper}");
            let answer = Auto::default().solve(instant.problem()).expect("forces");
            let all: f64 = answer.forces.contacts.iter().map(|force| force.normal).sum();
            assert!(answer.is_certified() && (all - normals(&frame)).abs() < 1e-3, "{stepper}");
            let file = instant.file(&world, "test", Some(&instant.problem().islands()[1]));
            let problem = file.problem(0).expect("a problem");
            assert_eq!((problem.contacts().len(), problem.bodies().len()), (4, 2), "{stepper}");
        }
    }
}
