//! What *zero*, *slips*, *separates*, *redundant*, *contradicts*, *tie* and *solved* mean to the
//! methods, in one place. What *certified* means is the judge's
//! ([`CERTIFIED`](stiction_contact::judge::CERTIFIED)).
//!
//! None has a unit. Rows are scaled on entry (`rows.rs`): the own response of a contact to its own
//! force is about 1, and so is the largest free motion; forces are relative to the load.
//!
//! | word | constant | sensible range | depends on |
//! | --- | --- | --- | --- |
//! | solved | [`SOLVED`] | 1e-13 to 1e-11 | below `CERTIFIED`, above rounding |
//! | near enough | [`NEAR`] | 1e-6 to 1e-4 | far above `CERTIFIED` |
//! | no force | [`NO_FORCE`] | 1e-11 to 1e-9 | above [`TIE`], below `CERTIFIED` |
//! | pulls | [`PULLS`] | 1e-13 to 1e-11 | rounding of a solution |
//! | separates | [`SEPARATES`] | 1e-8 to 1e-6 | above the 1e-9 that [`REDUNDANT`] leaves |
//! | contradicts | [`CONTRADICTS`] | 1e-8 to 1e-6 | the same |
//! | slips | [`AT_LIMIT`], [`ON_CONE`] | 1e-9 to 1e-5 | sweeps end less exactly than drives |
//! | does not block | [`PIVOT`] | 1e-8 to 1e-6 | near-duplicate contacts |
//! | tie | [`TIE`] | 1e-12 to 1e-10 | above rounding, below [`NO_FORCE`] |
//! | redundant | [`REDUNDANT`] | 1e-10 to 1e-8 | an angle: contacts a nanometre apart are redundant |
//! | spare | [`SPARE`] | 1e-14 to 1e-12 | mass ratios of 1e12 are not redundant |
//! | depends | [`DEPENDS`] | 1e-8 to 1e-6 | the error of an ill-conditioned factor |
//! | singular | [`SINGULAR`] | 1e-14 to 1e-12 | `f64` |
//! | same | [`SAME`] | 1e-10 to 1e-8 | above `REDUNDANT`'s rounding |
//! | wedges | [`WEDGING`] | 1e-8 to 1e-6 | as the judge's `WEDGED` |
//! | unbounded | [`UNBOUNDED`] | 1e5 to 1e8 | `WEDGING · UNBOUNDED` stays below 1 |
//!
//! How long methods try, and how their steps are chosen, are settings of each, with defaults:
//! [`Interior`](crate::interior::Interior), [`Admm`](crate::admm::Admm),
//! [`Dantzig`](crate::baraff1994::Dantzig), [`Energy`](crate::faure1996::Energy). What the papers
//! call parameters can be set on the command line ([`PARAMETERS`](crate::parameters::PARAMETERS)).

/// Natural map, relative, at which Newton's method on the round cone stops. What counts in the end
/// is the judge's tolerance.
pub(crate) const SOLVED: f64 = 1e-12;

/// Natural map below which contact modes are taken to be right.
pub(crate) const NEAR: f64 = 1e-5;

/// Forces below this count as zero: the load is one, and a run leaves rounding of about 1e-12.
pub(crate) const NO_FORCE: f64 = 1e-10;

/// The same after a program solved by an interior-point method, which leaves more.
pub(crate) const NO_FORCE_OF_PROGRAM: f64 = 1e-9;

/// A contact pulls if its force is below minus this fraction of the largest force: allows for
/// rounding.
pub(crate) const PULLS: f64 = 1e-12;

/// A contact separates if its response exceeds this fraction of the free motion: above the
/// accuracy of the interior-point method, far below anything measurable.
pub(crate) const SEPARATES: f64 = 1e-7;

/// A residual response at a bilateral row above this, relative to the largest free motion at any
/// row, is a contradiction. Cuts at [`REDUNDANT`] may leave that times a modest number.
pub(crate) const CONTRADICTS: f64 = 1e-7;

/// Friction within this fraction of its limit counts as slipping after sweeps, which do not end
/// exactly on the cone.
pub(crate) const AT_LIMIT: f64 = 1e-6;

/// Friction is on its cone during a drive if it is within this fraction of the limit (or of a
/// thousandth of the load).
pub(crate) const ON_CONE: f64 = 1e-9;

/// Rates below this fraction of the largest are rounding and do not block. Smaller values fail on
/// near-duplicate contacts \[errata, Lloyd 12\].
pub(crate) const PIVOT: f64 = 1e-7;

/// Steps and ratios that differ by less than this are ties.
pub(crate) const TIE: f64 = 1e-11;

/// Singular values and pivots below this fraction of the largest belong to redundant rows. Columns
/// have unit length, so this is an angle.
pub(crate) const REDUNDANT: f64 = 1e-9;

/// A row is spare if the sine of the angle between it and the rows before it is below this.
///
/// Contacts a nanometre apart differ by 1e-18, a mass ratio of 1e12 by 1e-12. The sine is measured
/// as a length, not as a difference, so that rounding (1e-30) does not blur it.
pub(crate) const SPARE: f64 = 1e-13;

/// A spare row depends on another if it responds by more than this to a unit response of it;
/// below, the dependence is rounding of an ill-conditioned factor.
pub(crate) const DEPENDS: f64 = 1e-7;

/// A pivot below this fraction of the largest entry of its row before elimination is rounding.
pub(crate) const SINGULAR: f64 = 1e-13;

/// Forces (scaled) or motions (as a fraction of all effects on a body) that differ by less than
/// this are the same.
pub(crate) const SAME: f64 = 1e-9;

/// A direction that moves the bodies by less than this fraction of its force is wedging: its
/// forces only press bodies against each other.
pub(crate) const WEDGING: f64 = 1e-7;

/// Forces beyond this multiple of the load count as unbounded.
pub(crate) const UNBOUNDED: f64 = 1e6;

/// Part of the predicted descent that a shortened Newton step must reach (Armijo).
pub(crate) const DESCENT: f64 = 1e-4;
