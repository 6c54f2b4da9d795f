//! Which known name a misspelt one is meant to be.

/// The known name closest to a misspelt one, if at most a third of its letters differ.
pub fn nearest<'a>(misspelt: &str, names: &[&'a str]) -> Option<&'a str> {
    let most = misspelt.chars().count().div_ceil(3);
    let distances = names.iter().map(|name| (edits(misspelt, name), *name));
    distances.min_by_key(|(edits, _)| *edits).filter(|(edits, _)| *edits <= most).map(|it| it.1)
}

/// Number of letters to insert, remove or replace to get from one word to the other
/// (Levenshtein).
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for j in 0..to.len() {
            let replaced = diagonal + usize::from(letter != to[j]);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

/// What is added to a message of serde about an unknown field or variant, which lists the known ones in
/// back-quotes after the unknown one.
pub(crate) fn suggestion(message: &str) -> String {
    if !message.starts_with("unknown ") {
        return String::new();
    }
    let mut quoted = message.split('`').skip(1).step_by(2);
    let Some(misspelt) = quoted.next() else { return String::new() };
    let known: Vec<&str> = quoted.collect();
    nearest(misspelt, &known).map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}
