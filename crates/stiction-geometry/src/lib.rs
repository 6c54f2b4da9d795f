//! Shapes, masses, and the exact regions where rigid bodies touch.

mod pose;

pub use pose::{Pose, Twist};
