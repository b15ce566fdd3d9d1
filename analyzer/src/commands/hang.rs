//! `overhear hang`: whether a run hangs, and why.

use std::thread::sleep;
use std::time::Duration;

use super::open::open_run;
use super::print::print_below;
use crate::cli;
use metrics::hang::{self, Findings, Verdict};
use metrics::{cost, overview};
use model::error::{DIFFERENT, Error, OK, PARTIAL};
use model::named_or_newest;
use model::standing::{Look, Standing, Stir};
use model::{Choice, ProcessFate, Run};
use tables::schema::Schema;
use tables::terminal;
use tables::{Format, Report, text};

/// The least and the most time between two looks. A rank that polls has to come round once, and nobody waits for minutes.
const APART: [f64; 2] = [0.1, 60.0];

/// Prints the verdict and where the ranks stand. Returns the exit status.
pub fn run(arguments: &cli::HangArgs) -> Result<u8, Error> {
    let folder = named_or_newest(arguments.dir.as_deref())?;
    let first = Look::of(&folder)?;
    let choice = Choice { no_cache: arguments.no_cache, ..Choice::default() };
    let run = open_run(arguments.dir.as_deref(), choice)?;
    run.has_calls("hang")?;
    let standing = Standing::of(&run);
    let last = look_again(&run, &standing, &folder, &first)?;
    let findings = Findings::of(&run, &standing, &first, &last);
    let lines = match arguments.print.format {
        Format::Text => hang::in_words(&findings).iter().map(|line| text::wrap(line, 2)).collect(),
        _ => Vec::new(),
    };
    print_below(&lines, report(&findings), "hang", &arguments.print)?;
    Ok(match findings.verdict() {
        Verdict::Certain | Verdict::Likely => DIFFERENT,
        _ if run.missing.is_empty() && run.unreadable.is_empty() => OK,
        _ => PARTIAL,
    })
}

/// The second look, as much later as the run's own pauses say: a rank that moved in that time waited for less than it ever did.
fn look_again(run: &Run, standing: &Standing, folder: &std::path::Path, first: &Look) -> Result<Look, Error> {
    let soon = Look::of(folder)?;
    if run.ranks.iter().all(|rank| rank.fate == ProcessFate::Ended) {
        return Ok(soon);
    }
    let findings = Findings::of(run, standing, first, &soon);
    let moves = run.ranks.iter().any(|rank| first.until(&soon, rank).stir == Stir::Calls);
    if findings.verdict() == Verdict::Finished || (moves && findings.waiting().next().is_none()) {
        return Ok(soon);
    }
    let apart = (findings.longest_pause() - findings.quiet().unwrap_or(0.0)).clamp(APART[0], APART[1]);
    if apart > 1.0 {
        terminal::say(&format!("looking again in {apart:.0} s: a rank of this run has paused that long before"));
    }
    sleep(Duration::from_secs_f64(apart));
    Look::of(folder)
}

/// Where the ranks stand.
fn report(findings: &Findings<'_>) -> Report {
    let mut facts = overview::facts(findings.run);
    facts.extend(findings.facts());
    let tables =
        vec![hang::wavefront(findings).into(), hang::ranks(findings).asked().into(), hang::reasons(findings).into()];
    Report { facts, warnings: Vec::new(), tables }
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    let schema = Schema::of("hang").facts(overview::FACTS).facts(cost::FACTS).facts(hang::FACTS);
    schema.table::<hang::WavefrontRow>().table::<hang::StandingRow>().table::<hang::ReasonRow>()
}
