//! The experiments of Stiction: what `stiction bench`, `stiction reproduce` and `stiction plot` run.
//!
//! | module | contents |
//! | --- | --- |
//! | [`mod@bench`] | benchmarks, and the hostile campaign |
//! | [`reproduce`] | figures and tables of the papers, their numbers beside ours |
//! | [`charts`] | curves of a recording over time |
//! | [`bars`] | a bar chart, for `stiction compare` |
//! | `plot` | plots as SVG |

pub mod bench;
pub mod charts;
mod plot;
pub mod reproduce;

pub use plot::bars;
