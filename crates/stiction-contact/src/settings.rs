//! What *certified*, *resists*, *wedged* and *unique* mean: every tolerance of the judge and of
//! validation, in one place. None has a unit: all are relative.
//!
//! | word | constant | sensible range | depends on |
//! | --- | --- | --- | --- |
//! | certified | [`CERTIFIED`] | 1e-10 to 1e-6 | everything below |
//! | counts as motion | [`TERM_WEIGHT`] | 1e-4 to 1e-2 | `CERTIFIED · TERM_WEIGHT` must stay far above the 1e-16 of `f64` |
//! | rough | [`LEAST_FRICTION`] | 1e-4 to 1e-2 | `CERTIFIED · LEAST_FRICTION` likewise |
//! | at a bound | [`BOUND_WEIGHT`] | 1e-8 to 1e-6 | `CERTIFIED · BOUND_WEIGHT` is the rounding of a bound |
//! | has a direction | [`CLEAR`] | 1e-7 to 1e-4 | above `CERTIFIED` |
//! | resists | [`RESISTS`] | 1e-6 to 1e-3 | far above `CERTIFIED` |
//! | wedged | [`WEDGED`] | 1e-7 to 1e-5 | its square stays above 1e-16 |
//! | unique | [`UNIQUE_PART`], [`RANK`] | 1e-9 to 1e-5 | at least `CERTIFIED` |
//! | unit, symmetric | [`UNIT`], [`SYMMETRIC`] | 1e-9 to 1e-5 | the precision of files |
//! | the last bit | [`HALF_ULP`] | fixed | `f64` |

/// Largest relative residual of a certified answer: a part in 1e8 of each contact's scale.
///
/// Well above the rounding of double precision for bodies with wedged contacts (about 1e-10),
/// far below anything measurable: a tenth of a micrometre per second squared for bodies under
/// gravity.
pub const CERTIFIED: f64 = 1e-8;

/// Weight κ of single terms: with a tolerance of 1e-8, 1e-11 of them is allowed.
pub(crate) const TERM_WEIGHT: f64 = 1e-3;

/// A normal along which the mobility is at most this fraction of the largest mobility of its
/// bodies moves by rounding only: planar bodies perpendicular to their plane.
pub(crate) const ACROSS: f64 = 1e-12;

/// Half the last bit ε of a number. An inertia with a pivot below this fraction of its diagonal
/// entry is singular: a change that its entries would not show makes it so.
pub(crate) const HALF_ULP: f64 = 0.5 * f64::EPSILON;

/// Friction is compared with a limit that uses at least this coefficient. With a smaller one,
/// the rounding of a large normal force would violate the law of its tiny friction.
pub(crate) const LEAST_FRICTION: f64 = 1e-3;

/// Fraction of a bound that is added to the scale of a force compared with it: allows for the
/// rounding of the bound.
pub(crate) const BOUND_WEIGHT: f64 = 1e-7;

/// Slips and forces below this fraction of the scale have no clear direction.
pub(crate) const CLEAR: f64 = 1e-6;

/// A contact where the impulse is below this fraction of its scale resists nothing: it must not
/// approach. Far above [`CERTIFIED`], so that rounding does not pass for resistance.
pub(crate) const RESISTS: f64 = 1e-5;

/// Impulses wedge if their joint energy is less than this fraction, squared, of the energy that
/// they give one by one: the remainder of cancelling forces is not motion.
pub(crate) const WEDGED: f64 = 1e-6;

/// Components of a unit null vector below this are rounding. Far above [`RANK`], so that rounding
/// never counts as freedom.
pub(crate) const UNIQUE_PART: f64 = 1e-6;

/// Singular values below this fraction of the largest belong to the null space. Columns have
/// unit length, so this is an angle: near-duplicate contacts a nanometre apart are redundant,
/// mass ratios of 1e12 are not.
pub(crate) const RANK: f64 = 1e-8;

/// Largest deviation of a direction from unit length that is accepted. Engines in single
/// precision are about 1e-7 off.
pub(crate) const UNIT: f64 = 1e-6;

/// Largest asymmetry of an inverse inertia that is accepted, relative to its diagonal: far
/// above rounding, far below a wrong entry.
pub(crate) const SYMMETRIC: f64 = 1e-9;
