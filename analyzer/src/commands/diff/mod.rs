//! `overhear diff`: compares two sides, of one or several runs each.

pub mod messages;
mod page;

use std::path::PathBuf;

use super::compared_runs::ComparedRuns;
use super::print::{check_overwrite, print};
use super::timeline::PageFile;
use crate::cli;
use metrics::compare::{self, FigureRow, SectionColumns, Threshold};
use metrics::engine;
use metrics::reports::overlap;
use model::Choice;
use model::error::{DIFFERENT, Error, OK, PARTIAL};
use tables::schema::Schema;
use tables::{Report, Sheet};

/// Prints the differences. Returns the exit status: 1 if a condition is met.
pub fn run(arguments: &cli::DiffArgs) -> Result<u8, Error> {
    if arguments.messages {
        return messages::run(arguments);
    }
    let choice = arguments.select.choice();
    let page = page_of(arguments);
    if let Some(file) = &page {
        check_overwrite(file.path, file.force)?;
    }
    let (of_a, of_b) = match arguments.runs.as_slice() {
        [a, b] => (std::slice::from_ref(a), std::slice::from_ref(b)),
        _ => (arguments.a.as_slice(), arguments.b.as_slice()),
    };
    let (a, b) = (read("A", of_a, &choice)?, read("B", of_b, &choice)?);
    let all = compare::compare(&a.figures, &b.figures);
    let mut warnings = met(&arguments.fail_if, &all)?;
    let is_met = !warnings.is_empty();
    warnings.extend(compare::warnings(&a.figures, &b.figures));
    warnings.extend([a.warnings, b.warnings].concat());
    let has_verdict = a.figures.len() > 1 && b.figures.len() > 1;
    let facts = compare::facts(&a.figures, &b.figures, &all);
    let mut tables = compare::sections(&all, SectionColumns { has_verdict, has_difference: page.is_some() });
    if let Some(file) = page {
        let sentences = compare::sentences(&all);
        page::write(&file, [&of_a[0], &of_b[0]], &choice, Report { facts, warnings, tables }, sentences)?;
    } else {
        tables.push(Sheet::from(compare::table(all)));
        print(Report { facts, warnings, tables }, "diff", &arguments.print)?;
    }
    Ok(match (is_met, a.is_partial || b.is_partial) {
        (true, _) => DIFFERENT,
        (false, true) => PARTIAL,
        (false, false) => OK,
    })
}

pub fn schema() -> Schema {
    Schema::of("diff").facts(compare::FACTS).table::<FigureRow>()
}

/// The page to write.
fn page_of(arguments: &cli::DiffArgs) -> Option<PageFile<'_>> {
    let page = |path, force| PageFile::of(path, force, arguments.no_source);
    let asked = arguments.html.as_deref().map(|path| page(path, arguments.force));
    asked.or_else(|| arguments.print.page().map(|path| page(path, true)))
}

/// Reads the runs of a side. Warnings call them by the side's name, numbered if there are several.
fn read(side: &str, folders: &[PathBuf], choice: &Choice) -> Result<ComparedRuns, Error> {
    let name = |at: usize| if folders.len() == 1 { side.to_string() } else { format!("{side} {}", at + 1) };
    ComparedRuns::read(folders, choice, name, |run, figures| {
        figures.warnings.extend(engine::unseen(run));
        if figures.has_calls {
            figures.add_overlap(&overlap::gathered(run));
        }
    })
}

/// A message for each condition that is met.
fn met(conditions: &[Threshold], all: &[compare::Comparison]) -> Result<Vec<String>, Error> {
    let said: Result<Vec<Vec<String>>, Error> = conditions.iter().map(|condition| condition.exceeded(all)).collect();
    Ok(said?.concat())
}
