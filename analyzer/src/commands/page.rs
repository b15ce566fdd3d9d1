//! `overhear report --html`: every analysis of one run on one page.

use std::io::Write;
use std::panic::resume_unwind;
use std::thread;

use super::all_analyses::{AllAnalyses, Matched};
use super::open_run::{choose, status};
use super::print::check_overwrite;
use super::timeline::{self, PageFile};
use crate::cli::OneRun;
use metrics::behaviors::{self, Behaviors};
use metrics::matrix::matrix as traffic;
use metrics::paths::PathChoice;
use metrics::reports::{
    Breakdown, ByPlace, breakdown, check, imbalance, matrix, overlap, path, paths, pop, progress, waits,
};
use metrics::{heat, overview, rank_time, ranks, summary};
use model::error::Error;
use model::matching::Account;
use model::{Run, output, parallel};
use pictures::SourceLines;
use pictures::page::{Page, PageSection, ROWS};
use tables::{Fact, Report};

/// Writes the page. Returns the exit status.
pub fn run(of: &PageFile<'_>, asked: &OneRun) -> Result<u8, Error> {
    let file = of.path;
    let failed = |source| Error::Write { path: file.into(), source };
    check_overwrite(file, of.force)?;
    // Created first, so an unwritable folder fails before the work.
    let mut out = output::create(file).map_err(failed)?;
    let run = choose(asked, asked.select.for_conclusions())?;
    let sources = of.sources(run);
    let shown = Page { timeline: timeline_of(run, asked, of)?, sources, ..page(run) };
    let html = shown.html();
    out.write_all(html.as_bytes()).and_then(|()| out.finish()).map_err(failed)?;
    Ok(status(run))
}

/// Data of the timeline; `None` if single calls are unknown.
fn timeline_of(run: &Run, asked: &OneRun, of: &PageFile<'_>) -> Result<Option<String>, Error> {
    if !run.records_calls() {
        return Ok(None);
    }
    let select = &asked.select;
    timeline::in_page(run, (select.part.from, select.to), of, SourceLines::new()).map(Some)
}

/// Sections: name, title, the question that each answers, and the command that prints it.
const SECTIONS: [(&str, &str, &str, &str); 13] = [
    ("ranks", "Ranks", "How is each rank's time spent, and how evenly?", "overhear report DIR --by rank"),
    ("functions", "Functions", "Which MPI functions take the time?", "overhear report DIR"),
    (
        "sizes",
        "Message sizes",
        "How large are the messages, and which sizes take the time?",
        "overhear report DIR --by size",
    ),
    ("matrix", "Communication matrix", "Who sends how much to whom?", "overhear matrix DIR"),
    ("waits", "Waits", "Who waits for whom, and where does the cause lie?", "overhear waits DIR"),
    ("path", "Critical path", "Which computation and calls set the run's length?", "overhear path DIR"),
    ("pop", "Efficiency", "How efficient is the run, and what does it lose by?", "overhear pop DIR"),
    (
        "progress",
        "Progress engine",
        "How often was the MPI library's progress engine entered, and to what effect?",
        "overhear progress DIR",
    ),
    ("overlap", "Overlap", "How much nonblocking communication was hidden behind computation?", "overhear overlap DIR"),
    ("sites", "Call sites", "Which lines of the program take the time?", "overhear report DIR --by site"),
    (
        "regions",
        "Regions",
        "How is the time spread over the regions that the program names?",
        "overhear report DIR --by region",
    ),
    (
        "paths",
        "Call paths",
        "Which of the program's functions lead to the time in MPI, and to waiting?",
        "overhear paths DIR",
    ),
    ("check", "Agreement", "Do the ranks' accounts agree, and how well are their clocks known?", "overhear check DIR"),
];

/// Question that call paths answer if ranks were sampled.
const OF_SAMPLED: &str = "Which of the program's functions compute, and which lead to the time in MPI and to waiting?";

fn section(id: &str, found: Found) -> PageSection {
    let known = SECTIONS.iter().find(|section| section.0 == id);
    let (id, title, question, command) = *known.unwrap_or_else(|| unreachable!("{id} is a section"));
    PageSection { id, title, question, command, found }
}

/// The report, or the reason why there is none.
type Found = Result<Report, String>;

fn page(run: &Run) -> Page {
    let all = AllAnalyses::of(run);
    let by = |by| breakdown::analyze(run, by).map_err(said);
    let account = all.matched.as_ref().ok().map(|matched| &matched.settled.account);
    // Each reads the counts of all ranks. The longest come first.
    let counted: [&(dyn Fn() -> Found + Sync); 6] = [
        &|| Ok(of_ranks(run, account)),
        &|| traffic_of(run),
        &|| Ok(progress::report(run, &all.engines, None)),
        &|| by(Breakdown::Site),
        &|| by(Breakdown::Size),
        &|| by(Breakdown::Function),
    ];
    let concluded = || {
        let evidence = all.evidence();
        let findings = summary::findings(&evidence);
        let no_finding = if findings.is_empty() { summary::nothing(&evidence) } else { String::new() };
        (findings, no_finding)
    };
    let (counted, (findings, no_finding)) = thread::scope(|scope| {
        let beside = scope.spawn(concluded);
        let counted: Vec<Found> = parallel::map_each(counted, |report| report());
        (counted, beside.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let [of_ranks, traffic, engine, sites, sizes, functions] =
        counted.try_into().unwrap_or_else(|_| unreachable!("a report each"));
    let requests = overlap::requests(run).map(|all| overlap::report(run, &all)).map_err(said);
    let AllAnalyses { matched, .. } = all;
    let [waits, path, pop, check] = match matched {
        Ok(Matched { settled, walk, efficiency, phases, .. }) => {
            let account = &settled.account;
            [
                waits::report(run, account),
                path::report(run, account, &walk.path),
                pop::report(run, account, &efficiency, phases),
                check::report(run, &settled),
            ]
            .map(Ok)
        }
        Err(why) => std::array::from_fn(|_| Err(why.clone())),
    };
    let mut sections = vec![
        section("ranks", of_ranks),
        section("functions", functions),
        section("sizes", sizes),
        section("matrix", traffic),
        section("waits", waits),
        section("path", path),
        section("pop", pop),
        section("progress", engine),
        section("overlap", requests),
        section("sites", sites),
    ];
    sections.extend(regions(run).map(|found| section("regions", found)));
    if let Some(frames) = frames(run) {
        let mut paths = section("paths", Ok(frames));
        if run.asked().any(|rank| rank.samples.period > 0) {
            paths.question = OF_SAMPLED;
        }
        sections.push(paths);
    }
    sections.push(section("check", check));
    let program = metrics::rank_programs::command(run.first());
    Page {
        program,
        facts: facts(run),
        warnings: metrics::warnings::of_run(run),
        findings,
        no_finding,
        sections,
        timeline: None,
        sources: SourceLines::new(),
    }
}

/// The facts about the run. The findings say how it ended.
fn facts(run: &Run) -> Vec<Fact> {
    let mut facts = overview::facts(run);
    for fact in facts.iter_mut().filter(|fact| fact.key == overview::END) {
        fact.heading = "";
    }
    facts
}

/// Time by rank, as a picture and a table, and its imbalance.
fn of_ranks(run: &Run, account: Option<&Account>) -> Report {
    let mut report = imbalance::report(run, ByPlace::Function);
    for sheet in &mut report.tables {
        sheet.look.title = "how unevenly: the most of any rank against the mean".into();
    }
    let mut tables = vec![rank_time::table(run, account).into()];
    if run.asked().count() > ranks::SHOWN {
        let behaviors = Behaviors::of(run);
        tables.push(behaviors::table(run, &behaviors).into());
        if run.asked().count() > ROWS {
            let unlike = behaviors::unlike(&behaviors, ROWS);
            tables.push(ranks::unlike(run, &unlike).into());
        } else {
            tables.push(ranks::overview(run).into());
        }
    } else {
        tables.push(ranks::overview(run).into());
    }
    tables.append(&mut report.tables);
    Report { tables, ..report }
}

fn traffic_of(run: &Run) -> Found {
    let matrix = traffic(run, None, None).map_err(said)?;
    let report = matrix::report(run, &matrix);
    let heat = heat::table(&matrix).into();
    let pairs = report.tables.into_iter().filter(|sheet| sheet.look.name == "pairs");
    Ok(Report { tables: [heat].into_iter().chain(pairs).collect(), ..report })
}

/// Time of each region; `None` without regions.
fn regions(run: &Run) -> Option<Found> {
    let has_regions = run.ranks.iter().any(|rank| !rank.regions.is_empty());
    has_regions.then(|| breakdown::analyze(run, Breakdown::Region).map_err(said))
}

/// The functions on the paths to MPI; `None` without paths.
fn frames(run: &Run) -> Option<Report> {
    let all = paths::analyze(run).ok()?;
    let tables = vec![metrics::paths::frames(run, &all).into()];
    Some(Report { tables, ..paths::report(run, &all, &PathChoice::default()) })
}

fn said(error: Error) -> String {
    error.to_string()
}
