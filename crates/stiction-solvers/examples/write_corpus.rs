//! Writes the closed-form problems of the gallery into `corpus/problems`.
//!
//! `cargo run --release -p stiction-solvers --example write_corpus`

use std::error::Error;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::gallery::{
    block_on_incline, brick_on_two_feet, four_legged_table, overbalanced_bricks, sliding_rod,
    two_boxes,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/problems");
    let mut problems = vec![
        ("lever_rule".to_owned(), brick_on_two_feet(2.0, 0.1, 0.3)?),
        ("four_legged_table".to_owned(), four_legged_table(3.0)?),
        ("heavy_on_light".to_owned(), two_boxes(1.0, 1e6, 0.0)?),
        ("heavy_on_light_rough".to_owned(), two_boxes(1.0, 1e6, 0.5)?),
        ("light_on_heavy".to_owned(), two_boxes(1e6, 1.0, 0.0)?),
        ("rod_indeterminate".to_owned(), sliding_rod(2.5, 1.0)?),
        ("rod_inconsistent".to_owned(), sliding_rod(2.5, -1.0)?),
        ("overbalanced_bricks".to_owned(), overbalanced_bricks(0.5)?),
    ];
    let friction = 0.5_f64;
    for turn_deg in [0, 15, 30, 45] {
        for (name, part) in [("holds", 0.999), ("slides", 1.001)] {
            let angle = part * friction.atan();
            let turn = f64::from(turn_deg).to_radians();
            let problem = block_on_incline(angle, friction, turn)?;
            problems.push((format!("incline_{name}_turn{turn_deg:02}"), problem));
        }
    }
    for (name, problem) in problems {
        let text = ProblemFile::from_problem(&problem, &name).to_json();
        std::fs::write(format!("{folder}/{name}.json"), text + "\n")?;
    }
    Ok(())
}
