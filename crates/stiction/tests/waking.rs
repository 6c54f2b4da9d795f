//! What rests wakes at once when something that acts on it changes: motors and drives that start later, through
//! joints, springs and other bodies; gravity, friction, forces, the mouse.

use glam::DVec3;
use stiction::scene::{Scene, StepperKind};
use stiction::{Material, Simulation, Spring, World};

const STEPPERS: [StepperKind; 2] = [StepperKind::EventDriven, StepperKind::TimeStepping];

/// A block of 0.2 m on the ground, friction 0.5, and whatever else.
fn scene(more: &str) -> Scene {
    let text = format!(
        "[run]\ndt = 0.01\n[[material]]\nname = \"default\"\nfriction = 0.5\n\
         [[body]]\nname = \"ground\"\nground = true\n\
         [[body]]\nname = \"block\"\nbox = [0.2, 0.2, 0.2]\nat = [0, 0, 0.1]\nmass = 1\n{more}"
    );
    Scene::parse(&text, "waking.toml").expect("a scene")
}

fn place(world: &World, name: &str) -> DVec3 {
    world.pose(world.find_body(name).expect("a body")).position
}

/// Runs for a second in which nothing moves, changes the world, and returns how far the block moves along x in the
/// next second.
fn moved(scene: &Scene, stepper: StepperKind, change: impl FnOnce(&mut World)) -> f64 {
    let mut scene = scene.clone();
    scene.run.stepper = stepper;
    let mut simulation = Simulation::new(&scene);
    let start = place(&simulation.world, "block");
    for _ in 0..100 {
        simulation.advance();
    }
    let rested = place(&simulation.world, "block");
    assert!(rested.distance(start) < 1e-9, "{}: it does not rest", stepper.name());
    simulation.alter(change);
    for _ in 0..100 {
        simulation.advance();
    }
    place(&simulation.world, "block").x - rested.x
}

#[test]
fn changed_gravity_friction_and_forces_wake() {
    let plain = scene("");
    // Down a slope of 45°, 0.5 g sin 45° of acceleration for a second.
    let slope = DVec3::new(9.81, 0.0, -9.81) * std::f64::consts::FRAC_1_SQRT_2;
    let mut pushed = scene("");
    let block = pushed.world.find_body("block").expect("a body");
    pushed.world.set_force(block, DVec3::X * 4.0);
    for stepper in STEPPERS {
        let way = moved(&plain, stepper, |world| world.gravity = slope);
        assert!((way - 0.25 * slope.x).abs() < 1e-3, "{}: gravity: {way}", stepper.name());
        let way = moved(&plain, stepper, |world| world.set_force(block, DVec3::X * 9.81));
        assert!((way - 0.25 * 9.81).abs() < 1e-3, "{}: force: {way}", stepper.name());
        // A force of 4 N is held by friction of 0.5, and moves the block without.
        let way = moved(&pushed, stepper, |world| {
            world.materials.iter_mut().for_each(|m| *m = Material::new(0.0));
        });
        assert!((way - 2.0).abs() < 1e-3, "{}: friction: {way}", stepper.name());
    }
}

#[test]
fn the_mouse_wakes() {
    let plain = scene("");
    for stepper in STEPPERS {
        let way = moved(&plain, stepper, |world| {
            let a = world.find_body("block").expect("a body");
            let (on_a, on_b) = (DVec3::ZERO, DVec3::new(1.0, 0.0, 0.1));
            let (name, length, stiffness, damping) = ("mouse".into(), 0.0, 20.0, 9.0);
            world.add_spring(Spring { name, a, b: None, on_a, on_b, length, stiffness, damping });
        });
        assert!(way > 0.3, "{}: {way}", stepper.name());
    }
}

#[test]
fn motors_that_start_later_wake() {
    let ramp = "{ ramp = { from = 0, to = 0.5, start = 1.2, end = 1.8 } }";
    let wheel = "[[body]]\nname = \"arm\"\nbox = [0.1, 0.1, 0.1]\nat = [0, 0, 0.5]\nmass = 1\n\
                 [[joint]]\nname = \"rail\"\ntype = \"slider\"\na = \"arm\"\nanchor = [0, 0, 0.5]\naxis = [1, 0, 0]\n";
    let rope = "[[joint]]\nname = \"rope\"\ntype = \"distance\"\na = \"block\"\nb = \"arm\"\n\
                anchor = [0, 0, 0.1]\nanchor_b = [0, 0, 0.5]\n";
    let spring = "[[spring]]\nname = \"s\"\na = \"block\"\nb = \"arm\"\nanchor = [0, 0, 0.1]\n\
                  anchor_b = [0, 0, 0.5]\nstiffness = 200\ndamping = 20\n";
    for stepper in STEPPERS {
        for tie in [rope, spring] {
            for motor in ["position", "speed"] {
                let more = format!("{wheel}motor = {{ {motor} = {ramp} }}\n{tie}");
                let way = moved(&scene(&more), stepper, |_| ());
                assert!(way > 0.05, "{}: {motor} by {tie}: {way}", stepper.name());
            }
        }
    }
}

/// A pusher begins to move after a second and reaches a row of three blocks, one after the other.
#[test]
fn what_is_pushed_wakes() {
    let more = "[[body]]\nname = \"next\"\nbox = [0.2, 0.2, 0.2]\nat = [0.25, 0, 0.1]\nmass = 1\n\
                [[body]]\nname = \"pusher\"\nbox = [0.1, 0.2, 0.1]\nat = [-0.2, 0, 0.1]\n\
                drive = { along = [1, 0, 0], position = { ramp = { from = 0, to = 0.4, start = 1.2, end = 1.9 } } }\n";
    let pushed = scene(more);
    for stepper in STEPPERS {
        let way = moved(&pushed, stepper, |_| ());
        assert!(way > 0.3, "{}: {way}", stepper.name());
    }
}
