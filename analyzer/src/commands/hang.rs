//! `overhear hang`: tells if a run hangs, and why.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::open_run::open_run;
use super::print::print_below;
use crate::cli;
use metrics::hang::{self, Findings, Verdict};
use metrics::run_end::RunEnd;
use metrics::stacks::{StackRow, stacks};
use metrics::{cost, overview};
use model::error::{CANNOT_TELL, DIFFERENT, Error, OK, PARTIAL};
use model::standing::{Look, Standing, Stir};
use model::{Choice, ProcessFate, Run, named_or_newest};
use tables::schema::Schema;
use tables::terminal;
use tables::{Format, Report, text};

/// Shortest and longest time between two looks, in seconds: a polling rank must come round once, and no user waits for
/// minutes.
const APART: [f64; 2] = [0.1, 60.0];

/// Attempts to read a run while its processes end or get their ranks.
const READ: usize = 5;

/// Prints the verdict, and each rank's position. Returns the exit status.
pub fn run(arguments: &cli::HangArgs) -> Result<u8, Error> {
    let folder = named_or_newest(arguments.dir.as_deref())?;
    let mut first = Look::of(&folder)?;
    let mut run = read(arguments)?;
    // A process that ended during the read may have written more since.
    for _ in 0..READ {
        if !run.ranks.iter().any(|rank| first.has_ended_since(rank)) && !gets_ranks(&run) {
            break;
        }
        first = Look::of(&folder)?;
        run = read(arguments)?;
    }
    let standing = Standing::of(&run);
    let last = look_again(&run, &standing, &folder, &first)?;
    let findings = Findings::of(&run, &standing, &first, &last);
    let (lines, report) = match arguments.print.format() {
        Format::Text => words_first(&findings),
        _ => (Vec::new(), report(&findings)),
    };
    print_below(&lines, report, "hang", &arguments.print)?;
    Ok(match findings.judgement.verdict {
        Verdict::Certain | Verdict::Likely => DIFFERENT,
        Verdict::Unknown => CANNOT_TELL,
        _ if run.is_every_file_here() => OK,
        _ => PARTIAL,
    })
}

/// True if some ranks' files were read before their rank numbers were known.
fn gets_ranks(run: &Run) -> bool {
    !run.missing.is_empty() && run.ranks.iter().any(|rank| rank.number().is_none())
}

fn read(arguments: &cli::HangArgs) -> Result<Run, Error> {
    let choice = Choice { whole: true, no_cache: arguments.no_cache, ..Choice::default() };
    let run = open_run(arguments.dir.as_deref(), choice)?;
    run.needs_calls("hang")?;
    Ok(run)
}

/// Takes the second look, as much later as the verdict needs.
fn look_again(run: &Run, standing: &Standing, folder: &Path, first: &Look) -> Result<Look, Error> {
    let mut last = Look::of(folder)?;
    if run.ranks.iter().all(|rank| rank.fate == ProcessFate::Ended) {
        return Ok(last);
    }
    let findings = Findings::of(run, standing, first, &last);
    let moves = run.ranks.iter().any(|rank| first.until(&last, rank).stir() == Stir::Calls);
    let mut wait = findings.judgement.wait;
    if findings.judgement.verdict == Verdict::Finished || (moves && wait.is_none() && findings.waiting.is_empty()) {
        return Ok(last);
    }
    // The run has paused this long before, so a shorter time without a move proves nothing.
    let mut apart = (findings.seen.longest_pause() - findings.seen.quiet().unwrap_or(0.0)).max(wait.unwrap_or(0.0));
    let mut left = APART[1];
    loop {
        let next = apart.clamp(APART[0], left.max(APART[0]));
        if next > 1.0 {
            terminal::say(&format!("looking again in {next:.0} s, which tells more"));
        }
        sleep(Duration::from_secs_f64(next));
        left -= next;
        last = Look::of(folder)?;
        wait = Findings::of(run, standing, first, &last).judgement.wait;
        match wait {
            Some(wait) if left > 0.0 => apart = wait,
            _ => return Ok(last),
        }
    }
}

/// The lines above the report: how the run ended, which the report then leaves out, and the verdict.
fn words_first(findings: &Findings<'_>) -> (Vec<String>, Report) {
    let mut report = report(findings);
    report.facts.retain(|fact| fact.key != overview::END);
    let end = RunEnd::of(findings.seen.run).map(|end| end.in_words());
    let lines = end.into_iter().chain(hang::in_words(findings));
    (lines.map(|line| text::wrap(&line, 2)).collect(), report)
}

fn report(findings: &Findings<'_>) -> Report {
    let (run, standing) = (findings.seen.run, findings.seen.standing);
    let mut facts = overview::facts(run);
    facts.extend(findings.facts());
    let spots = run.ranks.iter().zip(&standing.ranks).map(|(rank, at)| (rank, at.position().spot()));
    let tables = vec![
        hang::wavefront(findings).into(),
        stacks(spots, &run.sites).into(),
        hang::ranks(findings).asked().into(),
        hang::reasons(findings).into(),
    ];
    Report { facts, warnings: metrics::warnings::of_files(run), tables }
}

pub fn schema() -> Schema {
    let schema = Schema::of("hang").facts(overview::FACTS).facts(cost::FACTS).facts(hang::FACTS);
    schema.table::<hang::WavefrontRow>().table::<StackRow>().table::<hang::StandingRow>().table::<hang::ReasonRow>()
}
