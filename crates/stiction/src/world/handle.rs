//! Handles: how users name bodies and joints.

use std::fmt;

/// Names a body of a [`World`](crate::World).
///
/// A handle stays with its body for the life of the world: slots of removed bodies are never
/// used again, so that a handle never names another body. It belongs to the world that gave it
/// and to clones of that world; in other worlds it names whatever has the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(u32);

/// Names a joint of a [`World`](crate::World), as [`BodyId`] names a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(u32);

macro_rules! handle {
    ($id:ident, $what:literal) => {
        impl $id {
            #[doc = concat!("The handle of ", $what, " number `index`, as in frames, recordings and tables.")]
            ///
            /// # Panics
            ///
            /// For numbers above `u32::MAX`.
            pub fn from_index(index: usize) -> Self {
                $id(u32::try_from(index).expect("fewer than 2³² slots"))
            }

            /// Its number, from 0 in the order of addition: the index into
            /// the lists of a [`State`](crate::State), a [`Report`](crate::Report) and a
            /// [`Frame`](crate::Frame).
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($what, " {}"), self.0)
            }
        }
    };
}

handle!(BodyId, "body");
handle!(JointId, "joint");
