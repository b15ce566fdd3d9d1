//! `overhear diff A B --html`: two runs on one page.

use std::io::Write;
use std::path::PathBuf;

use crate::commands::timeline::{self, PageFile};
use metrics::programs;
use model::error::Error;
use model::{Choice, Run, output};
use pictures::SourceLines;
use pictures::page::{PairPage, PairRun};
use tables::Report;

/// Writes the page of a comparison, with the timelines of these runs.
pub fn write(
    of: &PageFile<'_>,
    [a, b]: [&PathBuf; 2],
    choice: &Choice,
    report: Report,
    sentences: Vec<String>,
) -> Result<(), Error> {
    let file = of.path;
    let failed = |source| Error::Write { path: file.into(), source };
    // Created first, so an unwritable folder fails before the work.
    let mut out = output::create(file).map_err(failed)?;
    let [a, b] = [Run::select(a, choice)?, Run::select(b, choice)?];
    let [of_a, of_b] = [of.sources(&a), of.sources(&b)];
    // Tables are of both runs: a line that is another in one of them is neither's.
    let sources = of_a.iter().filter(|(place, line)| of_b.get(*place) == Some(*line));
    let sources = sources.map(|(place, line)| (place.clone(), line.clone())).collect();
    let runs = [
        of_run(&a, choice, &PageFile { side: "-a", ..*of }, of_a)?,
        of_run(&b, choice, &PageFile { side: "-b", ..*of }, of_b)?,
    ];
    let html = PairPage { runs, sentences, report, sources }.html();
    out.write_all(html.as_bytes()).and_then(|()| out.finish()).map_err(failed)
}

fn of_run(run: &Run, choice: &Choice, file: &PageFile<'_>, sources: SourceLines) -> Result<PairRun, Error> {
    let program = programs::command(run.first());
    let timeline = match run.has_calls("a timeline") {
        Ok(()) => Ok(timeline::in_page(run, (choice.from, choice.to), file, sources)?),
        Err(why) => Err(why.to_string()),
    };
    Ok(PairRun { program, ranks: run.size(), timeline })
}
