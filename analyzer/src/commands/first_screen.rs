//! `overhear DIR`, or `overhear diagnose`: the first screen of a run, in words, with the commands that show more.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Parser;
use clap::error::ErrorKind;

use super::all_analyses::AllAnalyses;
use super::open_run::{choose, status};
use super::print::{print, print_text};
use super::unknown_words::neither;
use crate::cli::{self, Cli, Command};
use metrics::reports::diagnosis;
use metrics::summary::{self, Finding, FindingKind};
use metrics::totals::{self, percent};
use model::error::{Error, USAGE};
use model::rank::function_of;
use model::sites::line_and_caller;
use model::sums::Total;
use model::{Run, named_or_newest};
use tables::text::{self, wrap};
use tables::visible::visible;
use tables::{Format, Report, Value};
use traces::folder::as_typed;

/// Prints the screen of the run in `words`, a folder and flags. Returns the exit status.
pub fn of_words(words: &[OsString]) -> Result<u8, Error> {
    let is_folder = words.first().is_some_and(|folder| Path::new(folder).is_dir());
    if !is_folder {
        return Err(neither(words));
    }
    if let [a, b] = words
        && Path::new(b).is_dir()
    {
        let [a, b] = [a, b].map(|run| as_typed(Path::new(run)));
        return Err(Error::Setting(format!("two runs compare with overhear diff {a} {b}")));
    }
    let own = [OsString::from("overhear"), OsString::from("diagnose")];
    match Cli::try_parse_from(own.iter().chain(words)) {
        Ok(Cli { command: Some(Command::Diagnose(arguments)) }) => run(&arguments),
        Ok(_) => Err(neither(words)),
        Err(error) if error.kind() == ErrorKind::UnknownArgument => {
            let (dir, flags) = (as_typed(Path::new(&words[0])), words[1..].join(OsStr::new(" ")));
            let flags = flags.to_string_lossy();
            Err(Error::Setting(format!(
                "the first screen has no such flag; name an analysis, as in: overhear report {dir} {flags}"
            )))
        }
        Err(error) => error.exit(),
    }
}

/// Prints the screen of the newest run here or, without one, the short help. Returns the exit status.
pub fn newest() -> Result<u8, Error> {
    match named_or_newest(None) {
        Ok(folder) => of_words(&[folder.into_os_string()]),
        Err(Error::NoRun { .. }) => {
            print_text(&format!("{}\nThere is no run in this folder yet.\n", cli::command().render_help()))?;
            Ok(USAGE)
        }
        Err(error) => Err(error),
    }
}

/// Prints the screen. Returns the exit status.
pub fn run(arguments: &cli::OneRun) -> Result<u8, Error> {
    let run = choose(arguments, arguments.select.for_conclusions())?;
    let all = AllAnalyses::of(run);
    let evidence = all.evidence();
    let findings = summary::findings(&evidence);
    let report = diagnosis::report(&evidence, &findings);
    if arguments.print.format() != Format::Text || arguments.print.output.is_some() {
        print(report, "diagnose", &arguments.print)?;
        return Ok(status(run));
    }
    let dir = visible(&as_typed(&run.folder)).into_owned();
    let mut text = said(&Report { warnings: Vec::new(), tables: Vec::new(), facts: report.facts }) + "\n";
    if findings.is_empty() {
        text += &(wrap(&summary::nothing(&evidence), 0) + "\n\n");
    }
    for (number, finding) in findings.iter().enumerate() {
        text += &paragraph(number + 1, finding, &dir, !run.sites.left_out().is_empty());
    }
    if samples_would_tell(run, &findings) {
        text += "To see in which functions late ranks compute, record with --sample 10ms.\n\n";
    }
    if let Some(hint) = fewer_records(run) {
        text += &(wrap(&hint, 0) + "\n\n");
    }
    text += &format!(
        "All of it as one page, and what the words mean:\n  $ overhear report {dir} --html page.html\n  $ overhear explain\n"
    );
    if !report.warnings.is_empty() {
        text += "\n";
    }
    let warnings = Report { facts: Vec::new(), warnings: report.warnings, tables: Vec::new() };
    print_text(&(text + &said(&warnings)))?;
    Ok(status(run))
}

/// True if ranks compute too long somewhere and were not sampled.
fn samples_would_tell(run: &Run, findings: &[Finding]) -> bool {
    let is_of_work = |finding: &Finding| {
        matches!(finding.kind, FindingKind::LateRank | FindingKind::SerialWork) && !finding.is_off_processor
    };
    run.asked().all(|rank| rank.samples.period == 0) && findings.iter().any(is_of_work)
}

/// Bytes of files that are slow to copy and to read.
const LARGE: u64 = 1 << 30;

/// Says how a longer run can be recorded, if the files are large already.
fn fewer_records(run: &Run) -> Option<String> {
    let bytes = run.ranks.iter().map(|rank| rank.bytes).total();
    if bytes < LARGE {
        return None;
    }
    let sums = totals::sum_calls(run, |entry| Some(entry.signature.call));
    let calls = sums.values().map(|sum| sum.calls).total();
    let (most, sum) = sums.iter().max_by_key(|(_, sum)| sum.calls)?;
    let share = percent(sum.calls as f64, calls as f64)?;
    let (bytes, function) = (Value::Bytes(bytes), function_of(*most));
    Some(format!(
        "The files take {bytes}, and {share:.0} % of the calls are of {function}. Record longer runs with --keep last:1G: it keeps each rank's \
         newest records, and all totals."
    ))
}

fn said(report: &Report) -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = text::print(report, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// A finding, its cure, and the command that shows the figures, by the callers of a communication layer if the finding names them.
fn paragraph(number: usize, finding: &Finding, dir: &str, names_callers: bool) -> String {
    let mut text = wrap(&format!("{number}. {}", finding.text()), 3) + "\n";
    if let Some(next) = &finding.next {
        text += &(wrap(&format!("   {next}"), 3) + "\n");
    }
    let names_callers = names_callers || finding.sites.iter().any(|site| line_and_caller(site).1.is_some());
    let (command, flags) = match finding.command() {
        command @ ("waits" | "path" | "overlap") if names_callers => (command, "--by caller"),
        command => command.split_once(' ').unwrap_or((command, "")),
    };
    format!("{text}   $ {}\n\n", format!("overhear {command} {dir} {flags}").trim_end())
}
