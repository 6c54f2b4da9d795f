//! Damage: to bytes, to numbers and words, to lines, and by parts of other files.

use super::Draw;

/// Most bytes of an input: damage, not size, is what is tried.
const LONGEST: usize = 1 << 16;

/// Numbers that readers meet too seldom.
const NUMBERS: [&str; 24] = [
    "0",
    "-0",
    "-1",
    "1",
    "2",
    "0.5",
    "1e308",
    "-1e308",
    "1e-308",
    "5e-324",
    "1e400",
    "nan",
    "inf",
    "-inf",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "9223372036854775807",
    "-9223372036854775808",
    "1e16",
    "1e-16",
    "0x10",
    "1_000",
    "99999999999999999999999999999999999999999",
];

/// Bytes that mean something to some reader.
const MARKS: &[u8] = b"{}[]()<>/\"'=:,.#\n\r\t \0\\-+e0;&!\xff\x80";

/// A file of the corpus with one to four damages.
pub(super) fn mutate(draw: &mut Draw, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[below(draw, seeds.len())].clone();
    for _ in 0..draw.count(1, 4) {
        let other = &seeds[below(draw, seeds.len())];
        damage(draw, &mut bytes, other);
        bytes.truncate(LONGEST);
    }
    bytes
}

/// One of `0, …, count − 1`.
#[allow(clippy::cast_sign_loss)] // not negative
fn below(draw: &mut Draw, count: usize) -> usize {
    ((draw.uniform(0.0, 1.0) * count as f64) as usize).min(count.saturating_sub(1))
}

/// A range of a text, at most so long.
fn range(draw: &mut Draw, length: usize, most: usize) -> std::ops::Range<usize> {
    let start = below(draw, length + 1);
    let end = (start + below(draw, most + 1)).min(length);
    start..end
}

fn damage(draw: &mut Draw, bytes: &mut Vec<u8>, other: &[u8]) {
    let length = bytes.len();
    match draw.count(0, 11) {
        0 if length > 0 => {
            let k = below(draw, length);
            bytes[k] ^= 1 << draw.count(0, 7);
        }
        1 => {
            let mark = MARKS[below(draw, MARKS.len())];
            let count = if draw.chance(0.1) { draw.count(100, 20_000) } else { draw.count(1, 4) };
            let k = below(draw, length + 1);
            bytes.splice(k..k, std::iter::repeat_n(mark, count));
        }
        2 => {
            let range = range(draw, length, 40);
            bytes.drain(range);
        }
        3 => {
            let range = range(draw, length, 400);
            let (part, count) = (bytes[range.clone()].to_vec(), draw.count(1, 8));
            bytes.splice(range.start..range.start, part.repeat(count));
        }
        4 => {
            let part = other[range(draw, other.len(), 400)].to_vec();
            let range = range(draw, length, 40);
            bytes.splice(range, part);
        }
        5 => bytes.truncate(below(draw, length + 1)),
        6 if length > 8 => {
            let k = below(draw, length - 8);
            let numbers = [u64::MAX, 0, 1 << 31, 1 << 63, f64::NAN.to_bits(), f64::MAX.to_bits()];
            let number = draw.pick(&numbers).to_le_bytes();
            bytes[k..k + 8].copy_from_slice(&number);
        }
        7 | 8 => replace(draw, bytes, is_number, |draw| draw.pick(&NUMBERS).as_bytes().to_vec()),
        9 => {
            let words = tokens(other, is_word);
            if !words.is_empty() {
                let word = other[words[below(draw, words.len())].clone()].to_vec();
                replace(draw, bytes, is_word, |_| word.clone());
            }
        }
        10 => lines(draw, bytes),
        _ => {
            let own = tokens(bytes, is_word);
            if own.len() > 1 {
                let word = bytes[own[below(draw, own.len())].clone()].to_vec();
                replace(draw, bytes, is_word, |_| word.clone());
            }
        }
    }
}

fn is_number(byte: u8) -> bool {
    byte.is_ascii_digit() || b"+-.eE_".contains(&byte)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Runs of bytes of a kind.
fn tokens(bytes: &[u8], kind: fn(u8) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (k, byte) in bytes.iter().enumerate() {
        match (kind(*byte), start) {
            (true, None) => start = Some(k),
            (false, Some(from)) => {
                found.push(from..k);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|from| from..bytes.len()));
    found
}

/// Replaces one run of a kind.
fn replace(
    draw: &mut Draw,
    bytes: &mut Vec<u8>,
    kind: fn(u8) -> bool,
    by: impl Fn(&mut Draw) -> Vec<u8>,
) {
    let all = tokens(bytes, kind);
    if !all.is_empty() {
        let range = all[below(draw, all.len())].clone();
        let part = by(draw);
        bytes.splice(range, part);
    }
}

/// Doubles, removes or moves a line.
fn lines(draw: &mut Draw, bytes: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> =
        bytes.split_inclusive(|it| *it == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let (from, to) = (below(draw, lines.len()), below(draw, lines.len()));
    match draw.count(0, 2) {
        0 => lines.insert(to, lines[from].clone()),
        1 => drop(lines.remove(from)),
        _ => lines.swap(from, to),
    }
    *bytes = lines.concat();
}
