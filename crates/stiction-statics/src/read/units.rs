//! Units of length and mass by name.

use stiction_contact::nearest;

/// Units of length in metres.
const LENGTHS: [(&str, f64); 6] =
    [("m", 1.0), ("dm", 0.1), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048)];

/// Units of mass in kilograms.
const MASSES: [(&str, f64); 4] = [("kg", 1.0), ("g", 0.001), ("t", 1000.0), ("lb", 0.453_592_37)];

/// A unit of length in metres.
///
/// # Errors
///
/// What the known units are.
pub fn length(name: &str) -> Result<f64, String> {
    find(name, "length", &LENGTHS)
}

/// A unit of mass in kilograms.
pub(super) fn mass(name: &str) -> Result<f64, String> {
    find(name, "mass", &MASSES)
}

fn find(name: &str, what: &str, units: &[(&str, f64)]) -> Result<f64, String> {
    let names: Vec<&str> = units.iter().map(|unit| unit.0).collect();
    let found = units.iter().find(|unit| unit.0 == name).map(|unit| unit.1);
    found.ok_or_else(|| {
        let hint =
            nearest(name, &names).map_or_else(String::new, |it| format!("; did you mean {it:?}?"));
        format!("{name:?} is not a unit of {what}, which are {}{hint}", names.join(", "))
    })
}
