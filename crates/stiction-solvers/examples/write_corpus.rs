//! Writes the closed-form problems of the gallery into `corpus/problems`.
//!
//! `cargo run --release -p stiction-solvers --example write_corpus`

use std::error::Error;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::gallery::{
    block_on_incline, brick_on_two_feet, dragged_block, four_legged_table, overbalanced_bricks,
    sliding_rod, spinning_rod, subset_sum, two_boxes, wedged_block,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/problems");
    // Baraff 1991: the rod turns so fast that |ω|² sin θ − g = 1, sin θ = 0.9^½.
    let spin = ((9.81 + 1.0) / 0.9_f64.sqrt()).sqrt();
    let numbers = [3.0, 5.0, 9.0, 14.0];
    let mut problems = vec![
        ("lever_rule".to_owned(), brick_on_two_feet(2.0, 0.1, 0.3)?),
        ("four_legged_table".to_owned(), four_legged_table(3.0)?),
        ("heavy_on_light".to_owned(), two_boxes(1.0, 1e6, 0.0)?),
        ("heavy_on_light_rough".to_owned(), two_boxes(1.0, 1e6, 0.5)?),
        ("light_on_heavy".to_owned(), two_boxes(1e6, 1.0, 0.0)?),
        ("rod_indeterminate".to_owned(), sliding_rod(2.5, 1.0)?),
        ("rod_inconsistent".to_owned(), sliding_rod(2.5, -1.0)?),
        ("rod_skims".to_owned(), sliding_rod(2.5, 0.0)?),
        ("rod_spinning".to_owned(), spinning_rod(2.5, spin, 9.81)?),
        ("wedged_block_still".to_owned(), wedged_block(0.0)?),
        ("wedged_block_pushed".to_owned(), wedged_block(1.0)?),
        ("subset_sum_one".to_owned(), subset_sum(&numbers, 22.0)?),
        ("subset_sum_two".to_owned(), subset_sum(&numbers, 17.0)?),
        ("subset_sum_none".to_owned(), subset_sum(&numbers, 18.0)?),
        ("dragged_block".to_owned(), dragged_block(2.0)?),
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
        let mut file = ProblemFile::from_problem(&problem, &name);
        // How fast they slide, for the impulse that stops them.
        match name.as_str() {
            "rod_inconsistent" => file = file.with_velocities(&[[3.0, 0.0, 0.0, 0.0, 0.0, 0.0]]),
            "wedged_block_pushed" => {
                let up = [0.0, 0.0, 2.0, 0.0, 0.0, 0.0];
                file = file.with_velocities(&[[0.0; 6], up, up]);
            }
            _ => {}
        }
        let text = file.to_json();
        std::fs::write(format!("{folder}/{name}.json"), text + "\n")?;
    }
    Ok(())
}
