//! Samples in guide and README are real: their commands print what is shown.
//!
//! In a block, a line that begins with `$` is a command, and the lines below it are its output; `...` stands for any
//! number of lines. It runs in a folder with the recorded runs that it names. Where a command prints something
//! else, the pending copy of the page has that in full.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use analyzer::cli::Cli;
use clap::Parser;

use crate::common::{Folder, golden::GoldenFiles, recorded::recorded};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// README and the pages of the guide.
fn pages() -> Vec<PathBuf> {
    let guide = fs::read_dir(project().join("docs/guide")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = guide.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.push(project().join("README.md"));
    pages.sort();
    pages
}

/// A command on a page: its words, and the output shown for it.
struct Session {
    /// Number of the line after it.
    below: usize,
    words: String,
    shown: Vec<String>,
}

fn sessions(text: &str) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    let mut is_open = false;
    for (at, line) in text.lines().enumerate() {
        let Some(code) = line.strip_prefix("    ").or(line.is_empty().then_some("")) else {
            is_open = false;
            continue;
        };
        match code.strip_prefix("$ ") {
            Some(words) => {
                sessions.push(Session { below: at + 1, words: words.into(), shown: Vec::new() });
                is_open = true;
            }
            None if is_open => sessions.last_mut().unwrap().shown.push(code.trim_end().into()),
            None => {}
        }
    }
    for session in &mut sessions {
        while session.shown.last().is_some_and(String::is_empty) {
            session.shown.pop();
        }
    }
    sessions
}

/// True if the text matches the shown lines.
fn is_shown(shown: &[String], text: &[&str]) -> bool {
    match shown {
        [] => text.is_empty(),
        [dots, behind @ ..] if dots == "..." => (0..=text.len()).any(|at| is_shown(behind, &text[at..])),
        [first, behind @ ..] => text.split_first().is_some_and(|(line, rest)| line == first && is_shown(behind, rest)),
    }
}

/// Output of a command, in a folder with the runs that it names.
fn typed(words: &str) -> Vec<String> {
    let folder = Folder::new();
    for name in words.split([' ', '/']) {
        let sample = project().join("traces/samples").join(name);
        let to = folder.0.join(name);
        if !name.is_empty() && sample.is_dir() && !to.exists() {
            copy(&sample, &to);
        } else if examples::fixture::names().iter().any(|fixture| fixture.rsplit_once('-').unwrap().0 == name) {
            fs::rename(&recorded(name)[0].run, to).unwrap();
        }
    }
    let bin = Path::new(env!("CARGO_BIN_EXE_overhear")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{words} 2>&1")]).current_dir(&folder.0).env("PATH", path).env("HOME", &folder.0);
    let output = shell.env_remove("COLUMNS").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().lines().map(|line| line.trim_end().into()).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// True if this build can run the command: without Polars there are no queries.
fn is_built(words: &str) -> bool {
    cfg!(feature = "polars") || !words.contains("query")
}

#[test]
fn what_pages_show_is_what_commands_print() {
    let mut ran = 0;
    let mut comparison = GoldenFiles::default();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        // From the last to the first, so that places of earlier ones stay.
        for session in sessions(&text).into_iter().rev().filter(|session| is_built(&session.words)) {
            let printed = typed(&session.words);
            let words: Vec<&str> = printed.iter().map(String::as_str).collect();
            if !is_shown(&session.shown, &words) {
                let shown = session.below..session.below + session.shown.len();
                lines.splice(shown, printed.iter().map(|line| format!("    {line}").trim_end().to_string()));
            }
            ran += 1;
        }
        comparison.text(&page, &(lines.join("\n") + "\n"));
    }
    assert!(ran > 10, "{ran}");
    comparison.finish();
}

#[test]
fn commands_that_pages_name_are_commands() {
    let mut ran = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        // Joins continued lines.
        let text = text.replace("\\\n", " ");
        for line in text.lines().filter_map(|line| line.strip_prefix("    ")) {
            let line = line.trim_start_matches("$ ").split(" #").next().unwrap().trim();
            if !line.starts_with("overhear ") || line.starts_with("overhear  ") || line.contains(['<', '|', '"', '[']) {
                continue;
            }
            let words = line.split_whitespace().take_while(|word| ![">", "&&"].contains(word));
            let parsed = Cli::try_parse_from(words);
            assert!(parsed.is_ok(), "{}: {line}: {}", page.display(), parsed.err().unwrap());
            ran += 1;
        }
    }
    assert!(ran > 20, "{ran}");
}

#[test]
fn links_of_pages_lead_somewhere() {
    let mut ran = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if link.starts_with("http") {
                continue;
            }
            let (file, heading) = link.split_once('#').map_or((link, None), |(file, heading)| (file, Some(heading)));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link}", page.display());
            let anchor = |line: &str| {
                let kept = |letter: &char| letter.is_alphanumeric() || [' ', '-'].contains(letter);
                line.trim_start_matches('#')
                    .trim()
                    .to_lowercase()
                    .chars()
                    .filter(kept)
                    .collect::<String>()
                    .replace(' ', "-")
            };
            let has = |heading: &str| {
                let text = fs::read_to_string(&target).unwrap();
                text.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line) == heading)
            };
            assert!(heading.is_none_or(has), "{}: {link}", page.display());
            ran += 1;
        }
    }
    assert!(ran > 20, "{ran}");
}
