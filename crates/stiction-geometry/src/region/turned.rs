//! Cylinders and cones on anything but half-spaces.

use super::Sink;
use crate::Part;

/// Contacts of a cylinder or cone with another part.
pub(super) fn contacts(_first: &Part, _second: &Part, _sink: &mut Sink<'_>) {}
