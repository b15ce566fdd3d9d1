//! A page of Markdown with its pictures.

use std::fs;
use std::path::PathBuf;

use examples::workspace;

/// A page under `docs/papers/`.
pub struct Page {
    name: &'static str,
    text: String,
}

fn folder() -> PathBuf {
    workspace().join("docs/papers")
}

/// Creates the folder: pictures are written before their page.
pub fn prepare() -> Result<(), String> {
    fs::create_dir_all(folder()).map_err(|error| format!("{}: {error}", folder().display()))
}

impl Page {
    pub fn new(name: &'static str, title: &str) -> Page {
        Page { name, text: format!("# {title}\n") }
    }

    pub fn heading(&mut self, text: &str) {
        self.text += &format!("\n## {text}\n");
    }

    pub fn paragraph(&mut self, text: &str) {
        self.text += &format!("\n{}\n", wrapped(text, ""));
    }

    pub fn list<Item: AsRef<str>>(&mut self, items: impl IntoIterator<Item = Item>) {
        self.text.push('\n');
        for item in items {
            self.text += &format!("- {}\n", wrapped(item.as_ref(), "  "));
        }
    }

    /// Output of a terminal.
    pub fn terminal(&mut self, text: &str) {
        self.text.push('\n');
        for line in text.lines() {
            self.text += format!("    {line}").trim_end();
            self.text.push('\n');
        }
    }

    /// A table; all columns but the first are aligned right.
    pub fn table<Head: AsRef<str>>(&mut self, heads: &[Head], rows: &[Vec<String>]) {
        let line = |cells: &mut dyn Iterator<Item = &str>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
        self.text.push('\n');
        self.text += &line(&mut heads.iter().map(AsRef::as_ref));
        self.text += &line(&mut (0..heads.len()).map(|column| if column == 0 { "---" } else { "---:" }));
        for row in rows {
            self.text += &line(&mut row.iter().map(String::as_str));
        }
    }

    /// Path of a new picture; `place` distinguishes it from the page's others.
    pub fn picture(&mut self, place: &str, caption: &str) -> PathBuf {
        let file = format!("{}-{}.svg", self.name, place.replace(',', "").replace(' ', "-").to_lowercase());
        self.text += &format!("\n![{caption}]({file})\n\n*{caption}*\n");
        folder().join(file)
    }

    /// Appends another page's contents.
    pub fn append(&mut self, other: Page) {
        let body = other.text.split_once('\n').map_or("", |(_, body)| body);
        self.text += body;
    }

    pub fn write(self) -> Result<(), String> {
        let path = folder().join(self.name).with_extension("md");
        fs::write(&path, self.text).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{}", path.display());
        Ok(())
    }
}

/// Wraps text as in the project's other documents.
fn wrapped(text: &str, indent: &str) -> String {
    const WIDTH: usize = 130;
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one");
        if !line.is_empty() && line.len() + word.len() >= WIDTH {
            lines.push(format!("{indent}{word}"));
        } else {
            *line += if line.is_empty() || line == indent { "" } else { " " };
            *line += word;
        }
    }
    lines.join("\n")
}
