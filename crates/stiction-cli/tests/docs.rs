//! The commands in the documentation run and print what the pages show.
//!
//! In `README.md` and every page of `docs`, each line of a `console` or `sh` block that begins with
//! `stiction ` or `cargo run --release -- ` (after `$ ` in a `console` block) is run, in the page's order, in a folder of its own
//! that holds `scenes` and `corpus`.
//!
//! | in the page | meaning |
//! | --- | --- |
//! | `# exit code 1` after a command | the code it must end with; 0 otherwise |
//! | `<!-- skip: reason -->` before a block | is not run |
//! | `<!-- file: NAME -->` before a block | the contents of that file, which the reader writes |
//!
//! `stiction view` is left to `view.rs`.
//!
//! In a `console` block the other lines are the expected output. Words must be equal, numbers with four
//! or more decimals agree to a hundredth, and any other number (times, residuals, last digits) matches
//! any number. `…` matches omitted output.

#![cfg(unix)]

mod common;

use common::{read, root};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// `README.md` and every page of `docs`, by their paths from the root.
fn pages() -> Vec<PathBuf> {
    let mut pages = common::pages_of_docs();
    pages.insert(0, PathBuf::from("README.md"));
    pages
}

/// A block of code: what stands on the line before it, its language, its lines.
struct Block<'a> {
    before: &'a str,
    language: &'a str,
    lines: Vec<&'a str>,
}

impl Block<'_> {
    /// The text of a comment `<!-- key: words -->` before it.
    fn comment(&self, key: &str) -> Option<&str> {
        let inner = self.before.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
        Some(inner.trim().strip_prefix(key)?.strip_prefix(':')?.trim())
    }
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut found, mut before) = (Vec::new(), "");
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let lines = lines.by_ref().take_while(|it| !it.trim_start().starts_with("```"));
            found.push(Block { before, language: language.trim(), lines: lines.collect() });
            before = "";
        } else if !line.trim().is_empty() {
            before = line;
        }
    }
    found
}

/// A command and its output on the page.
struct Typed {
    line: String,
    code: i32,
    prints: Vec<String>,
}

/// The commands of a block; the other lines of a `console` block are output.
fn commands(block: &Block<'_>) -> Vec<Typed> {
    let console = block.language == "console";
    let mut found: Vec<Typed> = Vec::new();
    let mut ours = false;
    let mut lines = block.lines.iter();
    while let Some(line) = lines.next() {
        let typed = if console { line.strip_prefix("$ ") } else { Some(*line) };
        let Some(typed) = typed else {
            if let (true, Some(last)) = (ours, found.last_mut()) {
                last.prints.push((*line).to_owned());
            }
            continue;
        };
        let mut whole = typed.to_owned();
        while let Some(begun) = whole.strip_suffix('\\') {
            whole = format!("{begun}{}", lines.next().map_or("", |it| it.trim_start()));
        }
        let expected = whole.split_once("# exit code ").map_or("0", |(_, code)| code.trim());
        let code = expected.parse().unwrap_or_else(|_| panic!("{whole}: which exit code?"));
        let line = whole.replace("cargo run --release -- ", "stiction ");
        ours = line.starts_with("stiction ");
        if ours {
            found.push(Typed { line, code, prints: Vec::new() });
        }
    }
    found
}

/// Words, and numbers among them, of a line.
fn words(line: &str) -> Vec<String> {
    let spaced: String = line
        .chars()
        .map(
            |letter| {
                if "()[],:×".contains(letter) { format!(" {letter} ") } else { letter.into() }
            },
        )
        .collect();
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Decimals from which on a number must be the same.
const DECIMALS: usize = 4;

/// Whether a printed word matches that of the page.
fn same(shown: &str, printed: &str) -> bool {
    let number = |word: &str| word.replace('−', "-").parse::<f64>().ok();
    match (number(shown), number(printed)) {
        (Some(one), Some(other)) => {
            let exact = !shown.contains('e')
                && shown.split_once('.').is_some_and(|(_, decimals)| decimals.len() >= DECIMALS);
            !exact || (one - other).abs() <= 0.01 * one.abs() + 1e-6
        }
        (None, None) => shown == printed,
        _ => false,
    }
}

/// The first line on the page that the program did not print.
fn missing<'a>(shown: &'a [String], printed: &str) -> Option<&'a String> {
    let printed: Vec<Vec<String>> = printed.lines().map(words).collect();
    shown.iter().find(|line| {
        let expected = words(line);
        let fits = |other: &Vec<String>| {
            let end = expected.iter().position(|word| word == "…").unwrap_or(expected.len());
            (other.len() == expected.len() || (end < expected.len() && other.len() >= end))
                && expected[..end].iter().zip(other).all(|(one, other)| same(one, other))
        };
        !expected.is_empty() && !printed.iter().any(fits)
    })
}

/// Runs the commands of a page; returns the faults and the number of commands run.
fn try_page(page: &Path) -> (Vec<String>, usize) {
    let name = page.display().to_string();
    let text = read(page);
    let folder = std::env::temp_dir().join(format!(
        "stiction-docs-{}-{}",
        std::process::id(),
        name.replace(['/', '.'], "-")
    ));
    std::fs::create_dir_all(&folder).expect("a folder");
    for given in ["scenes", "corpus"] {
        std::os::unix::fs::symlink(root().join(given), folder.join(given)).expect("a link");
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_stiction")).parent().expect("its folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let (mut faults, mut count, begun) = (Vec::new(), 0, Instant::now());
    for block in blocks(&text) {
        if let Some(file) = block.comment("file") {
            std::fs::write(folder.join(file), block.lines.join("\n") + "\n").expect("a file");
            continue;
        }
        if !["console", "sh"].contains(&block.language) {
            continue;
        }
        let typed = commands(&block);
        if let (Some(why), false) = (block.comment("skip"), typed.is_empty()) {
            println!("{name}: skipped {:?}: {why}", typed[0].line);
            continue;
        }
        for Typed { line, code, prints } in typed {
            if line.starts_with("stiction view") {
                println!("{name}: skipped {line:?}: a server; tests/view.rs is about it");
                continue;
            }
            let output = Command::new("sh")
                .args(["-c", &line])
                .current_dir(&folder)
                .env("PATH", &path)
                .output()
                .expect("a shell");
            count += 1;
            let both = [output.stdout, output.stderr].concat();
            let printed = String::from_utf8_lossy(&both);
            if output.status.code() != Some(code) {
                let ended = output.status;
                faults.push(format!("{name}: {line}\n  {ended}, not {code}\n{printed}"));
            } else if let Some(line_missing) = missing(&prints, &printed) {
                faults.push(format!(
                    "{name}: {line}\n  does not print\n{line_missing}\n  but\n{printed}"
                ));
            }
        }
    }
    if count > 0 {
        println!("{name}: {count} commands, {:.1} s", begun.elapsed().as_secs_f64());
    }
    std::fs::remove_dir_all(folder).expect("the folder again");
    (faults, count)
}

#[test]
fn every_command_of_the_pages_prints_what_they_show() {
    let pages = pages();
    let tried: Vec<(Vec<String>, usize)> = std::thread::scope(|scope| {
        let tries: Vec<_> = pages.iter().map(|page| scope.spawn(|| try_page(page))).collect();
        tries.into_iter().map(|it| it.join().expect("a page")).collect()
    });
    let count: usize = tried.iter().map(|(_, count)| count).sum();
    let faults =
        tried.into_iter().flat_map(|(faults, _)| faults).fold(String::new(), |mut all, it| {
            let _ = writeln!(all, "{it}");
            all
        });
    assert!(faults.is_empty(), "{faults}");
    assert!(count > 20, "only {count} commands found: is the check still able to fail?");
}

fn help(of: &[&str]) -> String {
    let command = Command::new(env!("CARGO_BIN_EXE_stiction")).args(of).arg("--help").output();
    String::from_utf8(command.expect("help").stdout).expect("text")
}

/// Names of the commands that a help lists.
fn listed(help: &str) -> Vec<&str> {
    let list = help.split("Commands:\n").nth(1).unwrap_or_default();
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|it| *it != "help").collect()
}

/// Flags that a help lists, but for those of every command.
fn flags(help: &str) -> Vec<&str> {
    let words = help.split("Options:\n").nth(1).unwrap_or_default().split_whitespace();
    words.filter(|it| it.starts_with("--") && !["--help", "--version"].contains(it)).collect()
}

/// The text under the headings that begin with a command.
fn section(page: &str, command: &str) -> String {
    let wanted = |part: &&str| {
        let head = part.lines().next().unwrap_or_default();
        head.split('`').any(|it| it == command || it.starts_with(&format!("{command} ")))
    };
    page.split("\n## ").filter(wanted).collect()
}

#[test]
fn every_command_and_flag_has_its_line() {
    let page = read(Path::new("docs/commands.md"));
    let mut seen = 0;
    let top = help(&[]);
    for name in listed(&top) {
        let text = section(&page, &format!("stiction {name}"));
        assert!(!text.is_empty(), "docs/commands.md has nothing on stiction {name}");
        let own = help(&[name]);
        let inner = listed(&own);
        let helps: Vec<(String, String)> = if inner.is_empty() {
            vec![(name.to_owned(), own.clone())]
        } else {
            inner.iter().map(|it| (format!("{name} {it}"), help(&[name, it]))).collect()
        };
        for (called, help) in helps {
            assert!(text.contains(&called), "docs/commands.md has nothing on stiction {called}");
            for flag in flags(&help) {
                let flag = flag.trim_end_matches([',', '.', ';', ')']);
                assert!(text.contains(flag), "docs/commands.md, stiction {called}: no {flag}");
                seen += 1;
            }
        }
    }
    assert!(seen > 40, "only {seen} flags found: is the check still able to fail?");
}

#[test]
fn every_key_of_scenes_is_described() {
    let page = read(Path::new("docs/scene.md"));
    let folder = root().join("crates/stiction/src");
    let mut sources = vec![folder.join("scene.rs")];
    let inner = std::fs::read_dir(folder.join("scene")).expect("the folder of the reader");
    sources.extend(inner.map(|entry| entry.expect("an entry").path()));
    let described: Vec<&str> = page
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-')
        .collect();
    let mut seen = 0;
    for source in sources.iter().filter(|it| !it.ends_with("describe.rs")) {
        let text = read(source);
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for call in [".get(\"", ".read(\"", ".need(\"", ".tables(\"", "one_or_more(\"", "words(\""]
        {
            for rest in text.split(call).skip(1) {
                let key = rest.split('"').next().unwrap_or_default();
                assert!(described.contains(&key), "docs/scene.md has nothing on {key}");
                seen += 1;
            }
        }
        for call in ["one_of(&[", "&[&str] = &[", "let keys = ["] {
            for rest in text.split(call).skip(1) {
                let list = rest.split(']').next().unwrap_or_default();
                for key in list.split('"').skip(1).step_by(2) {
                    assert!(described.contains(&key), "docs/scene.md has nothing on {key}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 60, "only {seen} keys found: is the check still able to fail?");
}

/// The example of a world in the README is the one that is compiled and run with the crate.
#[test]
fn the_example_of_the_readme_is_compiled() {
    let readme = read(Path::new("README.md"));
    let library = read(Path::new("crates/stiction/src/lib.rs"));
    let visible: String = library
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .filter(|line| !line.starts_with("# "))
        .fold(String::new(), |all, line| all + line + "\n");
    let blocks = blocks(&readme);
    let example =
        blocks.iter().find(|it| it.language == "rust" && it.lines.join("").contains("World"));
    let example = example.expect("an example of a world").lines.join("\n");
    assert!(visible.contains(&example), "crates/stiction/src/lib.rs has another example");
}
