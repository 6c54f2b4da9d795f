//! Damaged scene files and extreme numbers are refused or read, but nothing panics.

use stiction::scene::Scene;

/// A scene with every key but those that exclude each other.
const EVERYTHING: &str = include_str!("scenes/everything.toml");

/// Numbers that look random, the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

#[test]
fn files_cut_short_or_damaged_do_not_panic() {
    let text: Vec<char> = EVERYTHING.chars().collect();
    for end in (0..text.len()).step_by(7) {
        let _ = Scene::parse(&text[..end].iter().collect::<String>(), "cut.toml");
    }
    let spares: Vec<char> = "[]{}=\",.-0123456789einfa\n#_".chars().collect();
    let mut dice = Dice(1);
    for _ in 0..2000 {
        let mut damaged = text.clone();
        for _ in 0..=dice.below(3) {
            let at = dice.below(damaged.len());
            match dice.below(4) {
                0 => {
                    damaged.remove(at);
                }
                1 => damaged.insert(at, spares[dice.below(spares.len())]),
                2 => damaged[at] = spares[dice.below(spares.len())],
                _ => {
                    let (end, other) =
                        ((at + dice.below(30)).min(damaged.len()), dice.below(at + 1));
                    let piece: Vec<char> = damaged[at..end].to_vec();
                    damaged.splice(other..other, piece);
                }
            }
        }
        let _ = Scene::parse(&damaged.into_iter().collect::<String>(), "damaged.toml");
    }
}

/// Values that are hard on geometry, in the place of any number.
#[test]
fn extreme_numbers_do_not_panic() {
    let lines: Vec<&str> = EVERYTHING.lines().collect();
    let mut dice = Dice(2);
    for extreme in
        ["0", "-1", "1e300", "-1e300", "1e-300", "1e154", "9223372036854775807", "nan", "inf"]
    {
        for _ in 0..150 {
            let at = dice.below(lines.len());
            let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            changed[at] = swap_number(lines[at], dice.below(4), extreme);
            let _ = Scene::parse(&changed.join("\n"), "extreme.toml");
        }
    }
}

/// The line with its number of that rank replaced.
fn swap_number(line: &str, rank: usize, by: &str) -> String {
    let Some((key, value)) = line.split_once('=') else { return line.to_owned() };
    let mut out = String::new();
    let (mut seen, mut inside) = (0, false);
    for letter in value.chars() {
        let numeric = letter.is_ascii_digit() || (inside && letter == '.');
        if numeric && !inside {
            seen += 1;
            if seen == rank + 1 {
                out.push_str(by);
            }
        }
        inside = numeric;
        if !(numeric && seen == rank + 1) {
            out.push(letter);
        }
    }
    format!("{key}={out}")
}
