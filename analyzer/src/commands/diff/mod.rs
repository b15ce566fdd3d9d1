//! `overhear diff`: compares two sides, of one or several runs each.

pub mod messages;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::all_analyses::AllAnalyses;
use super::print::{check_overwrite, print};
use super::scaling::ComparedRuns;
use super::timeline;
use super::timeline::PageFile;
use crate::analysis_notice;
use crate::cli;
use metrics::compare::{Compared, FigureRow, Figures, OtherSettingRow, PairFound, SitePairRow, SitePairs, Threshold};
use metrics::paths::frame_pairs;
use metrics::reports::{overlap, paths};
use metrics::run_end::RunEnd;
use metrics::{compare, engine, rank_programs, summary};
use model::error::{DIFFERENT, Error, OK, PARTIAL};
use model::shared_walk::computation;
use model::sums::Total;
use model::{Choice, Run, output};
use pictures::SourceLines;
use pictures::page::{PairPage, PairRun};
use tables::schema::Schema;
use tables::{Report, Sheet, Value};
use traces::folder;

/// Prints the differences. Returns the exit status: 1 if a condition is met.
pub fn run(arguments: &cli::DiffArgs) -> Result<u8, Error> {
    if let [one] = arguments.runs.as_slice() {
        return Err(needs_two(one));
    }
    if arguments.runs.len() > 2 {
        return Err(takes_two(arguments.runs.len()));
    }
    if arguments.messages {
        return messages::run(arguments);
    }
    let mut choice = arguments.select.named(arguments.names.by);
    let page = page_of(arguments);
    if let Some(file) = &page {
        check_overwrite(file.path, file.force)?;
    }
    let (of_a, of_b) = match arguments.runs.as_slice() {
        [a, b] => (std::slice::from_ref(a), std::slice::from_ref(b)),
        _ => (arguments.a.as_slice(), arguments.b.as_slice()),
    };
    analysis_notice::begin();
    let (mut a, mut b) = (read("A", of_a, &choice)?, read("B", of_b, &choice)?);
    // A function that several places call in one program only is the layer in both, or their call sites have other names.
    let layer: BTreeSet<String> = a.layers.iter().chain(&b.layers).flatten().cloned().collect();
    if choice.naming.layers.is_empty() && !layer.is_empty() {
        choice.naming.layers = layer.iter().cloned().collect();
        for (name, folders, side) in [("A", of_a, &mut a), ("B", of_b, &mut b)] {
            if side.layers.iter().any(|own| *own != layer) {
                *side = read(name, folders, &choice)?;
            }
        }
    }
    let is_partial = a.is_partial || b.is_partial;
    let compared = compare::compare(a.figures, b.figures);
    let mut warnings = met(&arguments.fail_if, &compared.all)?;
    let is_met = !warnings.is_empty();
    warnings.extend(on_both_sides(of_a, of_b));
    warnings.extend(compare::warnings(&compared.a, &compared.b));
    warnings.extend([a.warnings, b.warnings].concat());
    let has_verdict = compared.a.len() > 1 && compared.b.len() > 1;
    let facts = compare::facts(&compared);
    let mut tables = compare::sections(&compared.all, has_verdict);
    tables.push(compare::library_settings(&compared.a, &compared.b).into());
    if let Some(file) = page {
        write_page(&file, [of_a, of_b], &choice, Report { facts, warnings, tables }, &compared)?;
    } else {
        tables.push(Sheet::from(compare::site_pairs(&compared.pairs, |_| true).for_programs()));
        tables.push(Sheet::from(compare::figures_table(compared.all)));
        print(Report { facts, warnings, tables }, "diff", &arguments.print)?;
    }
    Ok(match (is_met, is_partial) {
        (true, _) => DIFFERENT,
        (false, true) => PARTIAL,
        (false, false) => OK,
    })
}

/// Warns of a run that is compared with itself.
fn on_both_sides(a: &[PathBuf], b: &[PathBuf]) -> Option<String> {
    let place = |run: &PathBuf| run.canonicalize().ok();
    let run = a.iter().find(|one| b.iter().any(|other| place(one).is_some() && place(one) == place(other)))?;
    Some(format!("{} is on both sides: such runs say nothing about a difference", folder::as_typed(run)))
}

/// The error for a single run.
fn needs_two(run: &Path) -> Error {
    let run = folder::as_typed(run);
    Error::Setting(format!("diff compares two runs, and one is named: overhear diff {run} OTHER"))
}

/// The error for more than two runs without sides.
fn takes_two(count: usize) -> Error {
    Error::Setting(format!(
        "diff compares two runs, and {count} are named; for several runs a side: overhear diff --a A1 A2 --b B1 B2"
    ))
}

pub fn schema() -> Schema {
    Schema::of("diff")
        .facts(compare::FACTS)
        .facts(compare::EDITS)
        .facts(compare::CHANGES)
        .facts(compare::RANK_COMPUTATION)
        .facts(compare::LIBRARY_SETTINGS)
        .facts(compare::OTHER_FINDINGS)
        .table::<OtherSettingRow>()
        .table::<SitePairRow>()
        .table::<FigureRow>()
}

fn page_of(arguments: &cli::DiffArgs) -> Option<PageFile<'_>> {
    let page = |path, force| PageFile::of(path, force, arguments.no_source);
    let asked = arguments.html.as_deref().map(|path| page(path, arguments.force));
    asked.or_else(|| arguments.print.page().map(|path| page(path, true)))
}

/// Reads the runs of a side. Warnings call them by the side's name, numbered if there are several.
fn read(side: &str, folders: &[PathBuf], choice: &Choice) -> Result<ComparedRuns, Error> {
    let name = |at: usize| if folders.len() == 1 { side.to_string() } else { format!("{side} {}", at + 1) };
    ComparedRuns::read(folders, choice, name, |run| {
        if folders.len() > 1 {
            return figures(run, None);
        }
        let bytes = run.ranks.iter().map(|rank| rank.bytes).total();
        if bytes <= MOST_BYTES {
            return figures(run, Some(&AllAnalyses::of(run)));
        }
        let mut figures = figures(run, None);
        let (bytes, folder) = (Value::Bytes(bytes), folder::as_typed(&run.folder));
        figures.warnings.push(format!("findings are left out, since the files take {bytes}; see overhear {folder}"));
        figures
    })
}

/// Maximum size of a run's files for which its findings are told, which take longer than all figures.
const MOST_BYTES: u64 = 256 << 20;

/// The figures of a run, and its findings if their analyses are at hand.
fn figures(run: &Run, all: Option<&AllAnalyses>) -> Figures {
    let matched = all.and_then(|all| all.matched.as_ref().ok());
    let mut figures = match matched {
        Some(matched) => compare::figures_of(run, &matched.settled.account, &matched.efficiency),
        None => compare::figures(run),
    };
    if let Some(end) = RunEnd::of(run) {
        figures.warnings.insert(0, end.of_launcher());
    }
    figures.warnings.extend(engine::unseen(run));
    figures.add_computation(run);
    if figures.has_calls {
        figures.add_gaps(run, &matched.map_or_else(|| computation(run), |matched| matched.walk.computation(run)));
        figures.add_overlap(&overlap::gathered(run));
    }
    figures.findings = all.map(|all| summary::findings(&all.evidence()));
    figures
}

fn met(conditions: &[Threshold], all: &[compare::Comparison]) -> Result<Vec<String>, Error> {
    let said: Result<Vec<Vec<String>>, Error> = conditions.iter().map(|condition| condition.exceeded(all)).collect();
    Ok(said?.concat())
}

/// Writes the page of a comparison of these sides, with the timelines of their first runs.
fn write_page(
    of: &PageFile<'_>,
    sides: [&[PathBuf]; 2],
    choice: &Choice,
    mut report: Report,
    compared: &Compared,
) -> Result<(), Error> {
    let file = of.path;
    let failed = |source| Error::Write { path: file.into(), source };
    // Created first, so an unwritable folder fails before the work.
    let mut out = output::create(file).map_err(failed)?;
    let [a, b] = sides.map(|side| Run::select(&side[0], choice));
    let (a, b) = (a?, b?);
    if let (Ok(of_a), Ok(of_b)) = (paths::analyze(&a), paths::analyze(&b)) {
        report.tables.push(frame_pairs(&of_a, &of_b, &compared.pairs.renamed_functions()).into());
    }
    let edited = compare::site_pairs(&compared.pairs, |found| found != PairFound::SamePlace);
    if !edited.rows.is_empty() {
        report.tables.insert(0, edited.into());
    }
    let [of_a, of_b] = [of.sources(&a), of.sources(&b)];
    let sources = sources_of_both(&of_a, &of_b, &compared.pairs);
    let sentences = [compare::sentences_on_calls(&compared.pairs), compare::sentences(&compared.all)].concat();
    let runs = [
        of_run(&a, choice, &PageFile { side: "-a", ..*of }, of_a)?,
        of_run(&b, choice, &PageFile { side: "-b", ..*of }, of_b)?,
    ];
    let html = PairPage { runs, folders: as_typed(sides), sentences, report, sources }.html();
    out.write_all(html.as_bytes()).and_then(|()| out.finish()).map_err(failed)
}

/// Lines for the tables, which name call sites as B has them, and those that B lacks as A does.
fn sources_of_both(a: &SourceLines, b: &SourceLines, pairs: &SitePairs) -> SourceLines {
    let mut sources = b.clone();
    for place in pairs.places_of_a() {
        match (a.get(place), b.get(place)) {
            (Some(line), None) => {
                sources.insert(place.into(), line.clone());
            }
            // It is another line in each.
            (of_a, of_b) if of_a != of_b => {
                sources.remove(place);
            }
            _ => {}
        }
    }
    sources
}

/// The runs of both sides as `diff` takes them.
fn as_typed([a, b]: [&[PathBuf]; 2]) -> String {
    let typed = |side: &[PathBuf]| side.iter().map(|run| folder::as_typed(run)).collect::<Vec<_>>().join(" ");
    if a.len() + b.len() == 2 {
        format!("{} {}", typed(a), typed(b))
    } else {
        format!("--a {} --b {}", typed(a), typed(b))
    }
}

fn of_run(run: &Run, choice: &Choice, file: &PageFile<'_>, sources: SourceLines) -> Result<PairRun, Error> {
    let program = rank_programs::command(run.first());
    let timeline = match run.needs_calls("a timeline") {
        Ok(()) => Ok(timeline::in_page(run, (choice.from, choice.to), file, sources)?),
        Err(why) => Err(why.to_string()),
    };
    Ok(PairRun { program, library: run.first().library.name(), ranks: run.size(), timeline })
}
