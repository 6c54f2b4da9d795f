//! Functions of time: a number, or a table of one key that names the function.

use super::SceneError;
use super::source::{Table, Value};
use crate::drive::Drive;

/// Reads a drive whose values are in `unit`s of what it drives: 1, or π/180 for degrees.
pub(super) fn drive(value: &Value<'_>, unit: f64) -> Result<Drive, SceneError> {
    let drive = if value.is_table() {
        let table = value.table()?;
        let drive = function(value, &table, unit)?;
        table.finish()?;
        drive
    } else {
        Drive::Constant(unit * value.number()?)
    };
    drive.validate().map_err(|error| value.fault(error.to_string()))?;
    Ok(drive)
}

fn function(value: &Value<'_>, table: &Table<'_>, unit: f64) -> Result<Drive, SceneError> {
    let Some((name, inner)) = table.one_of(&["linear", "sine", "ramp", "table"])? else {
        return Err(value.unfit("a number or one of { linear, sine, ramp, table }"));
    };
    let inner = inner.table()?;
    let number = |key| inner.need(key)?.number();
    let optional = |key| inner.read(key, Value::number).map(Option::unwrap_or_default);
    let drive = match name {
        "linear" => {
            Drive::Linear { start: unit * optional("start")?, rate: unit * number("rate")? }
        }
        "sine" => Drive::Sine {
            mean: unit * optional("mean")?,
            amplitude: unit * number("amplitude")?,
            frequency: number("frequency")?,
            phase: optional("phase_deg")?.to_radians(),
        },
        "ramp" => Drive::Ramp {
            from: unit * optional("from")?,
            to: unit * number("to")?,
            start: optional("start")?,
            end: number("end")?,
        },
        _ => {
            let list = |key| {
                let items = inner.need(key)?.list()?;
                items.iter().map(Value::number).collect::<Result<Vec<_>, _>>()
            };
            let times = list("times")?;
            let values = list("values")?.into_iter().map(|number| unit * number).collect();
            Drive::table(times, values).map_err(|error| value.fault(error.to_string()))?
        }
    };
    inner.finish()?;
    Ok(drive)
}
