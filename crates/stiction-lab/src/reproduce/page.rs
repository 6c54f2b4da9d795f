//! The output of a reproduction: a folder with plots (SVG), tables (CSV) and
//! a page (`README.md`) that puts the paper's claims and our figures side by side.

use crate::plot::Plot;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use stiction_solvers::file::FileError;
use stiction_terminal::say;

/// The output folder.
pub struct Folder(PathBuf);

impl Folder {
    /// The folder, created if it does not exist.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        std::fs::create_dir_all(path)
            .map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        Ok(Folder(path.to_owned()))
    }

    /// The table and the plot of one figure.
    pub fn figure(&self, name: &str, csv: &str, plot: &Plot) -> Result<(), FileError> {
        self.write(&format!("{name}.csv"), csv)?;
        self.write(&format!("{name}.svg"), &plot.svg())
    }

    pub fn write(&self, name: &str, text: &str) -> Result<(), FileError> {
        let path = self.0.join(name);
        std::fs::write(&path, text).map_err(|source| FileError::Io { path, source })
    }
}

/// A short page in Markdown.
pub struct Page {
    /// The paper.
    pub title: String,
    /// The command that writes the page.
    pub command: String,
    /// Paragraphs before the claims: what was measured, and how it differs from the paper.
    pub about: Vec<String>,
    pub claims: Vec<Claim>,
    pub figures: Vec<Figure>,
}

/// A claim of the paper, and our result.
pub struct Claim {
    /// Section or figure.
    pub place: String,
    pub paper: String,
    pub here: String,
}

/// A plot in the same folder, with a table of the same name.
pub struct Figure {
    /// File name without its ending.
    pub name: String,
    pub caption: String,
}

impl Page {
    /// Prints the results, claim by claim, and where the files are.
    pub fn print(&self, out: &Path) {
        for Claim { place, here, .. } in &self.claims {
            say!("{place}: {here}");
        }
        let names: Vec<&str> = self.figures.iter().map(|figure| figure.name.as_str()).collect();
        say!("");
        say!("{} as SVG and CSV in {}", names.join(", "), out.display());
    }

    pub fn markdown(&self) -> String {
        let Page { title, command, .. } = self;
        let mut text =
            format!("# {title}\n\n<!-- skip: takes minutes -->\n```sh\n{command}\n```\n");
        for paragraph in &self.about {
            let _ = write!(text, "\n{paragraph}\n");
        }
        if !self.claims.is_empty() {
            text += "\n| where | the paper | here |\n| --- | --- | --- |\n";
        }
        for claim in &self.claims {
            let cell = |words: &str| words.replace('|', "\\|");
            let [place, paper, here] = [&claim.place, &claim.paper, &claim.here].map(|w| cell(w));
            let _ = writeln!(text, "| {place} | {paper} | {here} |");
        }
        for Figure { name, caption } in &self.figures {
            let _ =
                write!(text, "\n![{caption}]({name}.svg)\n\n{caption} ([numbers]({name}.csv))\n");
        }
        text
    }
}
