//! Runs every example of the crate once.

#[path = "../examples/contact_problem.rs"]
mod contact_problem;
#[path = "../examples/custom_loop.rs"]
mod custom_loop;
#[path = "../examples/pendulum.rs"]
mod pendulum;
#[path = "../examples/sliding_block.rs"]
mod sliding_block;
#[path = "../examples/stack.rs"]
mod stack;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[test]
fn contact_problem() -> Outcome {
    contact_problem::main()
}

#[test]
fn custom_loop() -> Outcome {
    custom_loop::main()
}

#[test]
fn pendulum() -> Outcome {
    pendulum::main()
}

#[test]
fn sliding_block() -> Outcome {
    sliding_block::main()
}

#[test]
fn stack() -> Outcome {
    stack::main()
}

/// An example that is not in the list above is not run by anything.
#[test]
fn every_example_is_run() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let source = include_str!("examples.rs");
    for entry in std::fs::read_dir(folder).expect("the folder of examples") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        assert!(source.contains(&format!("../examples/{name}")), "{name} is not run");
    }
}
