//! Worlds of rigid bodies with exact contact forces, moved three ways.

pub mod drive;
pub mod joint;
pub mod scene;
