//! Numbers as formulas of parameters: `"=2 * l + 0.1"`.
//!
//! ```text
//!   sum     = product { (+ | -) product }
//!   product = power { (* | /) power }
//!   power   = [-] atom [ ^ power ]
//!   atom    = number | name | name ( sum { , sum } ) | ( sum )
//! ```

use std::collections::BTreeMap;
use stiction_solvers::nearest;

/// Values of parameters by name.
pub(super) type Parameters = BTreeMap<String, f64>;

/// Parentheses and powers inside each other, at most.
const DEEPEST: usize = 64;

type OfOne = fn(f64) -> f64;
type OfTwo = fn(f64, f64) -> f64;

/// Functions of one number; angles are in radians.
const FUNCTIONS: [(&str, OfOne); 13] = [
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("exp", f64::exp),
    ("log", f64::ln),
    ("floor", f64::floor),
    ("ceil", f64::ceil),
    ("rad", f64::to_radians),
];

/// Functions of two numbers.
const OF_TWO: [(&str, OfTwo); 3] = [("min", f64::min), ("max", f64::max), ("atan2", f64::atan2)];

/// The value of a formula, without its `=`; `known` finds parameters.
pub(super) fn value(
    formula: &str,
    known: &mut dyn FnMut(&str) -> Result<f64, String>,
) -> Result<f64, String> {
    let mut parser = Parser { rest: formula, known, depth: 0 };
    let value = parser.sum()?;
    match parser.next() {
        None if value.is_finite() => Ok(value),
        None => Err(format!("is {value}, not a finite number")),
        Some(letter) => Err(format!("has {letter:?} where an operator or the end must be")),
    }
}

/// The value of a parameter, or what is wrong with its name.
pub(super) fn parameter(name: &str, all: &Parameters) -> Result<f64, String> {
    all.get(name).copied().ok_or_else(|| unknown(name, all.keys().map(String::as_str)))
}

/// That a name is none of the parameters or functions.
pub(super) fn unknown<'a>(name: &str, parameters: impl Iterator<Item = &'a str>) -> String {
    let functions = FUNCTIONS.iter().map(|it| it.0).chain(OF_TWO.iter().map(|it| it.0));
    let all: Vec<&str> = parameters.chain(functions).collect();
    let near = nearest(name, &all).map(|it| format!("; did you mean {it:?}?"));
    format!("has {name:?}, an unknown parameter{}", near.unwrap_or_default())
}

struct Parser<'a, 'k> {
    rest: &'a str,
    known: &'k mut dyn FnMut(&str) -> Result<f64, String>,
    depth: usize,
}

impl<'a> Parser<'a, '_> {
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Takes a letter if it is the next one.
    fn take(&mut self, letter: char) -> bool {
        let found = self.next() == Some(letter);
        if found {
            self.rest = &self.rest[letter.len_utf8()..];
        }
        found
    }

    fn sum(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("is more than {DEEPEST} levels deep"));
        }
        let mut sum = self.product()?;
        loop {
            if self.take('+') {
                sum += self.product()?;
            } else if self.take('-') {
                sum -= self.product()?;
            } else {
                self.depth -= 1;
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut product = self.power()?;
        loop {
            if self.take('*') {
                product *= self.power()?;
            } else if self.take('/') {
                product /= self.power()?;
            } else {
                return Ok(product);
            }
        }
    }

    /// The sign belongs to the whole power: `-2 ^ 2` is −4.
    fn power(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("is more than {DEEPEST} levels deep"));
        }
        let value = if self.take('-') {
            -self.power()?
        } else {
            let base = self.atom()?;
            if self.take('^') { base.powf(self.power()?) } else { base }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn atom(&mut self) -> Result<f64, String> {
        match self.next() {
            Some('(') => {
                self.take('(');
                let inner = self.sum()?;
                self.close(inner)
            }
            Some(first) if first.is_ascii_digit() || first == '.' => self.number(),
            Some(first) if first.is_alphabetic() || first == '_' => self.named(),
            Some(other) => Err(format!("has {other:?} where a number must be")),
            None => Err("ends where a number must be".to_owned()),
        }
    }

    fn close(&mut self, value: f64) -> Result<f64, String> {
        if self.take(')') { Ok(value) } else { Err("lacks a closing parenthesis".to_owned()) }
    }

    fn number(&mut self) -> Result<f64, String> {
        let digit = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == '_';
        let mut end = self.rest.find(|it| !digit(it)).unwrap_or(self.rest.len());
        let after = &self.rest[end..];
        if after.starts_with(['e', 'E']) {
            let power = after[1..].strip_prefix(['+', '-']).unwrap_or(&after[1..]);
            let digits = power.find(|it: char| !it.is_ascii_digit()).unwrap_or(power.len());
            if digits > 0 {
                end += after.len() - power.len() + digits;
            }
        }
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        number.replace('_', "").parse().map_err(|_| format!("has {number:?}, not a number"))
    }

    fn named(&mut self) -> Result<f64, String> {
        let letter = |it: char| it.is_alphanumeric() || it == '_';
        let end = self.rest.find(|it| !letter(it)).unwrap_or(self.rest.len());
        let (name, rest): (&'a str, &'a str) = self.rest.split_at(end);
        self.rest = rest;
        if !self.take('(') {
            return if name == "pi" { Ok(std::f64::consts::PI) } else { (self.known)(name) };
        }
        let first = self.sum()?;
        if let Some((_, function)) = FUNCTIONS.iter().find(|it| it.0 == name) {
            return self.close(function(first));
        }
        let Some((_, function)) = OF_TWO.iter().find(|it| it.0 == name) else {
            return Err(unknown(name, std::iter::empty()));
        };
        if !self.take(',') {
            return Err(format!("has {name}, which takes two numbers"));
        }
        let second = self.sum()?;
        self.close(function(first, second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(formula: &str) -> Result<f64, String> {
        let all = Parameters::from([("l".to_owned(), 2.0), ("n_1".to_owned(), 3.0)]);
        value(formula, &mut |name| parameter(name, &all))
    }

    #[test]
    fn formulas_follow_the_usual_rules() {
        for (formula, expected) in [
            ("1 + 2*3", 7.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("(1 - 4) / l", -1.5),
            ("8 / 4 / 2", 1.0),
            ("1e-3 * 2E+3 + .5", 2.5),
            ("sqrt(n_1 + 1) - max(l, -n_1)", 0.0),
            ("atan2(1, 1) * 4 - pi", 0.0),
            ("2 - - 1", 3.0),
            ("sin(rad(30))", 0.5),
        ] {
            let found = of(formula).unwrap_or_else(|why| panic!("{formula}: {why}"));
            assert!((found - expected).abs() < 1e-15, "{formula}: {found}");
        }
    }

    #[test]
    fn faults_say_what_is_wrong() {
        for (formula, expected) in [
            ("", "ends where a number must be"),
            ("1 +", "ends where a number must be"),
            ("(1", "lacks a closing parenthesis"),
            ("1 2", "has '2' where an operator or the end must be"),
            ("m", "has \"m\", an unknown parameter"),
            ("n1", "has \"n1\", an unknown parameter; did you mean \"n_1\"?"),
            ("sqr(2)", "did you mean \"sqrt\"?"),
            ("min(2)", "takes two numbers"),
            ("1 / 0", "is inf, not a finite number"),
            ("sqrt(-1)", "is NaN, not a finite number"),
            ("1.2.3", "has \"1.2.3\", not a number"),
            ("l; x", "has ';' where"),
        ] {
            let said = of(formula).expect_err(formula);
            assert!(said.contains(expected), "{formula}: {said}");
        }
        assert!(of(&"(".repeat(100_000)).is_err() && of(&"-".repeat(100_000)).is_err());
        assert!(of(&"2^".repeat(100_000)).is_err());
    }
}
