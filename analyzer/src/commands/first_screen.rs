//! `overhear DIR`: the first screen of a run, in words, with the commands that show more.

use std::ffi::OsString;
use std::path::Path;

use super::all_analyses::AllAnalyses;
use super::open::{open_run, status};
use super::print::print_text;
use crate::cli;
use metrics::overview;
use metrics::summary::Finding;
use model::error::{Error, USAGE};
use model::{Choice, named_or_newest};
use tables::Report;
use tables::suggest::nearest;
use tables::text::{self, wrap};
use tables::visible::visible;

/// Prints the screen. Returns the exit status.
pub fn run(words: &[OsString]) -> Result<u8, Error> {
    let folder = match words {
        [folder] if Path::new(folder).is_dir() => Path::new(folder),
        _ => return Err(neither(words)),
    };
    screen(folder)
}

/// Prints the screen of the newest run here or, where there is none, the short help. Returns the exit status.
pub fn newest() -> Result<u8, Error> {
    match named_or_newest(None) {
        Ok(folder) => screen(&folder),
        Err(Error::NoRun { .. }) => {
            print_text(&format!("{}\nThere is no run in this folder yet.\n", cli::command().render_help()))?;
            Ok(USAGE)
        }
        Err(error) => Err(error),
    }
}

fn screen(folder: &Path) -> Result<u8, Error> {
    let run = open_run(Some(folder), Choice::default())?;
    let findings = AllAnalyses::of(&run).findings();
    let facts = Report { facts: overview::facts(&run), warnings: Vec::new(), tables: Vec::new() };
    let warnings = Report { facts: Vec::new(), warnings: overview::warnings(&run), tables: Vec::new() };
    let dir = visible(&folder.to_string_lossy()).into_owned();
    let mut text = said(&facts) + "\n";
    findings.iter().for_each(|finding| text += &paragraph(finding, &dir));
    text += &format!(
        "All of it as one page, and what the words mean:\n  $ overhear report {dir} --html page.html\n  $ overhear explain\n"
    );
    if !warnings.warnings.is_empty() {
        text += "\n";
    }
    print_text(&(text + &said(&warnings)))?;
    Ok(status(&run))
}

/// The error for words that are neither a command nor a folder alone.
fn neither(words: &[OsString]) -> Error {
    let name = words.first().map_or_else(String::new, |word| word.to_string_lossy().into_owned());
    if Path::new(&name).is_dir() {
        return Error::Setting(format!(
            "a folder alone takes nothing more; to choose a part, ask a command: overhear report {name} ..."
        ));
    }
    let command = cli::command();
    let hint = match nearest(&name, command.get_subcommands().map(clap::Command::get_name)) {
        Some((0..=2, near)) => format!("did you mean `overhear {near}`?"),
        _ => "`overhear help` lists the commands".to_string(),
    };
    Error::Setting(format!("{name} is neither a command nor a folder; {hint}"))
}

fn said(report: &Report) -> String {
    let mut text = Vec::new();
    // Memory takes all that is written.
    let _ = text::print(report, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// A finding, what to try, and the command that shows the figures.
fn paragraph(finding: &Finding, dir: &str) -> String {
    let mut text = wrap(&format!("- {}", finding.text), 2) + "\n";
    if let Some(next) = &finding.next {
        text += &(wrap(&format!("  {}", next), 2) + "\n");
    }
    let (command, flags) = finding.command().split_once(' ').unwrap_or((finding.command(), ""));
    format!("{text}  $ {}\n\n", format!("overhear {command} {dir} {flags}").trim_end())
}
