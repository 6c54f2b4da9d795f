//! Linear inequalities with changing signs: feasibility, and whether a quantity can still
//! increase.
//!
//! Every quantity is a linear form of the unknowns, `y = G x + c`, the first of them the
//! unknowns themselves. Its sign may be constrained, and the constraint may change at any time:
//!
//! ```text
//!   free          y ≥ 0          y ≤ 0          y = 0
//! ```
//!
//! As many quantities as there are unknowns are *nonbasic*, and zero; the others are expressed
//! by them, `y_B = β + α y_N`. A basic quantity of the wrong sign is exchanged with a nonbasic
//! one that may move in the right direction; if there is none, its row proves infeasibility
//! (Dutertre and de Moura 2006). Zero satisfies every constraint, so after any change of signs
//! the search continues from the current point and nothing has to be undone.
//!
//! # Zero tolerance
//!
//! In exact arithmetic `β = c_B − α c_N`. It counts as zero below 1e-10 of
//!
//! ```text
//!   |c_B| + |α| |c_N| + 10⁻² max |c|
//! ```
//!
//! so an infeasible system stays infeasible if every bias changes by a part in 1e10. The terms
//! grow where nearly dependent quantities are nonbasic. For a quantity that must not be zero,
//! only `|c_B| + 10⁻² max |c|` counts: uncertain cases are kept.

/// Fraction of its terms below which a quantity is zero.
const ZERO: f64 = 1e-10;

/// Weight of the largest bias among these terms: allows for the rounding of terms that cancel
/// exactly.
const FLOOR: f64 = 1e-2;

/// Coefficients below this fraction of the largest in their row, or of one, are rounding.
const COEFFICIENT: f64 = 1e-11;

/// A proof by a margin of less than this fraction of the terms is repeated with a fresh table.
const THIN: f64 = 1e-6;

/// A proof with coefficients above this comes from nearly dependent quantities. The search
/// restarts from the unknowns; if it ends in the same way, nothing is proved.
const GROWTH: f64 = 1e5;

/// Exchanges after which the table is recomputed from the forms.
const REFRESH: usize = 64;

/// Exchanges per quantity after which the smallest index is chosen (Bland's rule), and after
/// which the search fails.
const PATIENCE: [usize; 2] = [2, 40];

/// The constraint on the sign of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Free,
    AtLeastZero,
    AtMostZero,
    Zero,
}

impl Sign {
    /// Whether a zero quantity may increase (or decrease, if `up` is −1).
    fn allows(self, up: f64) -> bool {
        match self {
            Sign::Free => true,
            Sign::AtLeastZero => up > 0.0,
            Sign::AtMostZero => up < 0.0,
            Sign::Zero => false,
        }
    }

    /// The change that makes a value allowed.
    fn shortfall(self, value: f64) -> f64 {
        match self {
            Sign::Free => 0.0,
            Sign::AtLeastZero => (-value).max(0.0),
            Sign::AtMostZero => -value.max(0.0),
            Sign::Zero => -value,
        }
    }
}

/// One linear form of the unknowns.
pub(super) struct Form {
    pub coefficients: Vec<f64>,
    pub constant: f64,
    pub sign: Sign,
}

/// A table of quantities.
pub(super) struct Tableau {
    /// Forms of the quantities other than the unknowns.
    forms: Vec<(Vec<f64>, f64)>,
    signs: Vec<Sign>,
    /// Largest bias.
    largest: f64,
    unknowns: usize,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    /// The row of every basic quantity.
    places: Vec<Option<usize>>,
    /// Rows of basic quantities: coefficients, then the value.
    rows: Vec<Vec<f64>>,
    /// Exchanges since the last refresh.
    exchanges: usize,
    /// Multiplications so far.
    pub work: u64,
    /// Whether a search has failed.
    pub failed: bool,
}

impl Tableau {
    /// `signs` are those of the unknowns; `largest` is the largest bias of a response.
    pub(super) fn new(mut signs: Vec<Sign>, forms: Vec<Form>, largest: f64) -> Self {
        let unknowns = signs.len();
        signs.extend(forms.iter().map(|form| form.sign));
        let forms = forms.into_iter().map(|form| (form.coefficients, form.constant)).collect();
        let mut tableau = Tableau {
            forms,
            signs,
            largest,
            unknowns,
            basic: vec![],
            nonbasic: vec![],
            places: vec![],
            rows: vec![],
            exchanges: 0,
            work: 0,
            failed: false,
        };
        tableau.start();
        tableau
    }

    /// Replaces the constraint of a quantity and returns the previous one.
    pub(super) fn constrain(&mut self, quantity: usize, sign: Sign) -> Sign {
        std::mem::replace(&mut self.signs[quantity], sign)
    }

    /// The value of a quantity at the current point.
    pub(super) fn value(&self, quantity: usize) -> f64 {
        self.places[quantity].map_or(0.0, |row| self.rows[row][self.unknowns])
    }

    /// The unknowns at the current point, from a fresh table.
    pub(super) fn point(&mut self) -> Vec<f64> {
        self.refresh();
        (0..self.unknowns).map(|k| self.value(k)).collect()
    }

    /// Moves to a point that satisfies every constraint; returns whether there is one.
    pub(super) fn is_feasible(&mut self) -> bool {
        let [bland, end] = PATIENCE.map(|times| times * self.signs.len());
        let mut again = false;
        for count in 0..end {
            if self.exchanges >= REFRESH {
                self.refresh();
            }
            let Some((row, shortfall, part)) = self.violated(count >= bland) else { return true };
            match self.column(row, shortfall.signum(), count >= bland) {
                Some(column) => self.exchange(row, column),
                None if part < THIN && self.exchanges > 0 => self.refresh(),
                None if self.least(row) <= COEFFICIENT * GROWTH => return false,
                None if again => break,
                None => {
                    again = true;
                    self.start();
                }
            }
        }
        self.failed = true;
        true
    }

    /// Whether a quantity can be positive (or negative, if `up` is −1) while all constraints
    /// hold. The current point must satisfy them; it is moved.
    pub(super) fn can_leave_zero(&mut self, quantity: usize, up: f64) -> bool {
        let enough = ZERO * (self.constant(quantity).abs() + FLOOR * self.largest);
        self.push(quantity, up, |tableau, _| up * tableau.value(quantity) > enough)
    }

    /// Whether a quantity that is always basic has more than one value while all constraints
    /// hold. The current point must satisfy them; it is moved.
    pub(super) fn varies(&mut self, quantity: usize) -> bool {
        let from = self.value(quantity);
        let changed = |tableau: &Self, row: Option<usize>| {
            let change = (tableau.value(quantity) - from).abs();
            row.is_some_and(|row| change > ZERO * tableau.terms(row))
        };
        self.push(quantity, 1.0, changed) || self.push(quantity, -1.0, changed)
    }

    /// Increases (or decreases) a quantity until it is far enough; returns whether it gets
    /// there.
    fn push(
        &mut self,
        quantity: usize,
        up: f64,
        is_enough: impl Fn(&Self, Option<usize>) -> bool,
    ) -> bool {
        let [bland, end] = PATIENCE.map(|times| times * self.signs.len());
        for count in 0..end {
            if self.exchanges >= REFRESH {
                self.refresh();
            }
            let row = self.places[quantity];
            if is_enough(self, row) {
                return true;
            }
            let column = match row {
                Some(row) => self.column(row, up, count >= bland),
                None => self.nonbasic.iter().position(|&it| it == quantity),
            };
            let Some(column) = column else { return false };
            let along = row.map_or(up, |row| up * self.rows[row][column].signum());
            match self.blocking(row, column, along, count >= bland) {
                Some(blocking) => self.exchange(blocking, column),
                None => return true,
            }
        }
        self.failed = true;
        true
    }

    fn constant(&self, quantity: usize) -> f64 {
        quantity.checked_sub(self.unknowns).map_or(0.0, |form| self.forms[form].1)
    }

    /// Sum of the sizes of all terms of a basic quantity's value.
    fn terms(&self, row: usize) -> f64 {
        let sizes = self.rows[row].iter().zip(&self.nonbasic);
        let moved: f64 = sizes.map(|(x, &it)| (x * self.constant(it)).abs()).sum();
        self.constant(self.basic[row]).abs() + moved + FLOOR * self.largest
    }

    /// The least size of a coefficient in a row that is more than rounding.
    fn least(&self, row: usize) -> f64 {
        let coefficients = &self.rows[row][..self.unknowns];
        COEFFICIENT * coefficients.iter().fold(1.0_f64, |most, x| most.max(x.abs()))
    }

    /// The row with the largest violation (or the first violated quantity), the violation, and
    /// its fraction of the row's terms.
    fn violated(&mut self, bland: bool) -> Option<(usize, f64, f64)> {
        self.work += self.rows.len() as u64;
        let mut worst: Option<(usize, f64, f64)> = None;
        for row in 0..self.rows.len() {
            let shortfall = self.signs[self.basic[row]].shortfall(self.rows[row][self.unknowns]);
            if shortfall == 0.0 {
                continue;
            }
            self.work += self.unknowns as u64;
            let part = shortfall.abs() / self.terms(row);
            let better = worst.is_none_or(|(other, _, most)| {
                if bland { self.basic[row] < self.basic[other] } else { part > most }
            });
            if part > ZERO && better {
                worst = Some((row, shortfall, part));
            }
        }
        worst
    }

    /// The nonbasic quantity that increases (or decreases) a row's value most, or the first one
    /// that does.
    fn column(&mut self, row: usize, up: f64, bland: bool) -> Option<usize> {
        self.work += 2 * self.unknowns as u64;
        let least = self.least(row);
        let coefficients = self.rows[row][..self.unknowns].iter().enumerate();
        let able = coefficients.filter(|(column, x)| {
            x.abs() > least && self.signs[self.nonbasic[*column]].allows(up * x.signum())
        });
        if bland {
            able.min_by_key(|(column, _)| self.nonbasic[*column]).map(|(column, _)| column)
        } else {
            able.max_by(|(_, x), (_, y)| x.abs().total_cmp(&y.abs())).map(|(column, _)| column)
        }
    }

    /// The row that first stops a nonbasic quantity moving in direction `along`; among several
    /// the one with the largest coefficient, or the first. `goal` is ignored.
    fn blocking(
        &mut self,
        goal: Option<usize>,
        column: usize,
        along: f64,
        bland: bool,
    ) -> Option<usize> {
        self.work += (self.rows.len() * self.unknowns) as u64;
        let mut first: Option<(usize, f64, f64)> = None;
        for row in (0..self.rows.len()).filter(|row| Some(*row) != goal) {
            let rate = along * self.rows[row][column];
            if rate.abs() <= self.least(row) || self.signs[self.basic[row]].allows(rate) {
                continue;
            }
            let step = match self.signs[self.basic[row]] {
                Sign::Zero => 0.0,
                _ => (-self.rows[row][self.unknowns] / rate).max(0.0),
            };
            let better = first.is_none_or(|(other, soonest, size)| {
                let tie =
                    if bland { self.basic[row] < self.basic[other] } else { rate.abs() > size };
                step < soonest || (step == soonest && tie)
            });
            if better {
                first = Some((row, step, rate.abs()));
            }
        }
        first.map(|(row, ..)| row)
    }

    /// Exchanges a basic and a nonbasic quantity: the first becomes zero.
    fn exchange(&mut self, row: usize, column: usize) {
        let pivot = self.rows[row][column];
        let mut own = std::mem::take(&mut self.rows[row]);
        for x in &mut own {
            *x /= -pivot;
        }
        own[column] = 1.0 / pivot;
        for other in self.rows.iter_mut().filter(|other| !other.is_empty()) {
            let factor = std::mem::replace(&mut other[column], 0.0);
            if factor != 0.0 {
                other.iter_mut().zip(&own).for_each(|(x, y)| *x += factor * y);
            }
        }
        self.work += (self.rows.len() * own.len()) as u64;
        self.rows[row] = own;
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
        self.places[self.basic[row]] = Some(row);
        self.places[self.nonbasic[column]] = None;
        self.exchanges += 1;
    }

    /// Sets all unknowns to zero.
    fn start(&mut self) {
        let row = |(coefficients, constant): &(Vec<f64>, f64)| {
            coefficients.iter().copied().chain([*constant]).collect()
        };
        self.rows = self.forms.iter().map(row).collect();
        self.basic = (self.unknowns..self.signs.len()).collect();
        self.nonbasic = (0..self.unknowns).collect();
        let unknowns = std::iter::repeat_n(None, self.unknowns);
        self.places = unknowns.chain((0..self.rows.len()).map(Some)).collect();
        self.exchanges = 0;
    }

    /// Recomputes the same point from the forms, without the rounding of many exchanges:
    /// exchanges the unknowns for the current nonbasic quantities, each time by the largest
    /// coefficient. If these turn out to be dependent, only as far as they are independent.
    fn refresh(&mut self) {
        let wanted: Vec<bool> = self.places.iter().map(Option::is_none).collect();
        self.start();
        loop {
            let columns: Vec<usize> =
                (0..self.unknowns).filter(|&column| !wanted[self.nonbasic[column]]).collect();
            let mut best: Option<(usize, usize, f64)> = None;
            for row in (0..self.rows.len()).filter(|&row| wanted[self.basic[row]]) {
                for &column in &columns {
                    let size = self.rows[row][column].abs();
                    if size > best.map_or(COEFFICIENT, |(.., most)| most) {
                        best = Some((row, column, size));
                    }
                }
            }
            let Some((row, column, _)) = best else { break };
            self.exchange(row, column);
        }
        self.exchanges = 0;
    }
}
