//! Assemblies as files in the format `assembly-1`.

use crate::assembly::{Assembly, Block, InterfaceSource};
use glam::DVec3;
use serde_json::{Value, json};
use std::fmt::Write as _;

impl Assembly {
    /// The assembly as a file, one line per block. Interfaces that were detected are left out, so that reading the
    /// file detects them within the tolerance it states.
    pub fn to_json(&self) -> String {
        let mut text =
            format!("{{\n \"format\": \"assembly-1\",\n \"name\": {},\n", json!(self.name));
        let head = [
            ("gravity", json!(self.gravity.to_array())),
            ("friction", json!(self.friction.general)),
        ];
        for (key, value) in head {
            let _ = writeln!(text, " \"{key}\": {value},");
        }
        let pair = |&(a, b, mu): &(usize, usize, f64)| json!({"a": a, "b": b, "mu": mu});
        list(&mut text, "pair_friction", &self.friction.pairs.iter().map(pair).collect::<Vec<_>>());
        match self.source {
            InterfaceSource::Detected(tolerance) => {
                let mut value = json!({"gap": tolerance.gap, "angle": tolerance.angle});
                if let Some(area) = tolerance.area {
                    value["area"] = json!(area);
                }
                let _ = writeln!(text, " \"tolerance\": {value},");
            }
            InterfaceSource::Given => {
                let interface = |it: &crate::Interface| json!({"a": it.a, "b": it.b, "points": points(&it.points), "normal": it.normal.to_array()});
                let lines: Vec<Value> = self.interfaces.iter().map(interface).collect();
                always(&mut text, "interfaces", &lines);
            }
        }
        let load = |it: &crate::Load| json!({"block": it.block, "force": it.force.to_array(), "torque": it.torque.to_array()});
        list(&mut text, "load", &self.load.iter().map(load).collect::<Vec<_>>());
        let knob = |it: &crate::Knob| {
            json!({
                "a": it.a, "b": it.b, "normal": it.normal.to_array(), "centre": it.centre.to_array(),
                "points": points(&it.points), "tension": it.tension,
            })
        };
        list(&mut text, "knobs", &self.knobs.iter().map(knob).collect::<Vec<_>>());
        always(&mut text, "blocks", &self.blocks.iter().map(block).collect::<Vec<_>>());
        text.truncate(text.trim_end().trim_end_matches(',').len());
        text.push_str("\n}\n");
        text
    }
}

fn block(block: &Block) -> Value {
    let mut value =
        json!({"name": block.name, "vertices": points(&block.vertices), "faces": block.faces});
    if block.fixed {
        value["fixed"] = json!(true);
    } else {
        value["mass"] = json!(block.mass);
        value["centre"] = json!(block.centre.to_array());
        if let Some(inertia) = block.inertia {
            value["inertia"] = json!(inertia.transpose().to_cols_array_2d());
        }
    }
    value
}

fn points(points: &[DVec3]) -> Value {
    points.iter().map(|point| json!(point.to_array())).collect()
}

/// A list with one line per item; nothing if it is empty.
fn list(text: &mut String, key: &str, items: &[Value]) {
    if !items.is_empty() {
        always(text, key, items);
    }
}

fn always(text: &mut String, key: &str, items: &[Value]) {
    let lines: Vec<String> = items.iter().map(|item| format!("\n  {item}")).collect();
    let _ = writeln!(text, " \"{key}\": [{}\n ],", lines.join(","));
}
