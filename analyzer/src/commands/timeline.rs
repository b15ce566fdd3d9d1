//! `overhear timeline`: who did what when, as a picture.

use std::ffi::OsString;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use super::open::choose;
use super::print::print_below;
use crate::cli;
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{cost, overview, timeline};
use crate::model::levels::Grid;
use crate::model::matching::{Follow, Settled, settled};
use crate::model::{Choice, Run};
use crate::report::plot::PlotFile;
use crate::report::schema::Schema;
use crate::report::{Format, Report, timeline as pictures};
use crate::{output, terminal};

/// Shows the timeline in the terminal, or writes it to files. Returns the exit status.
pub fn run(arguments: &cli::Timeline) -> Result<u8, Error> {
    let (select, print) = (&arguments.of.select, &arguments.of.print);
    if let (Some(from), Some(to)) = (select.from, select.to)
        && from >= to
    {
        return Err(Error::NoTime);
    }
    let files: Vec<&PathBuf> = [&arguments.svg, &arguments.png, &arguments.html].into_iter().flatten().collect();
    files.iter().try_for_each(|file| free(file, arguments.force))?;
    // Calls that began before the time and end in it are part of the picture.
    let run = choose(&arguments.of, Choice { from: None, to: None, ..select.choice() })?;
    run.has_calls("a timeline")?;
    let settled = settled(&run, Follow::Events);
    let interval = timeline::interval(&run, &settled.timeline, select.from, select.to);
    let keeps_outside = select.from.is_none() && select.to.is_none();
    let grid = |count| Grid { keeps_outside, ..Grid::over(interval.0, interval.1, count) };
    let labels = || run.asked().map(|rank| timeline::label(rank).chars().count());
    for (file, is_png) in [(&arguments.svg, false), (&arguments.png, true)] {
        let Some(path) = file else { continue };
        let picture = timeline::picture(&run, &settled, grid(pictures::svg_columns(labels())));
        PlotFile::of(path, is_png).write(|svg| pictures::svg(&picture, svg))?;
    }
    if let Some(path) = &arguments.html {
        html(&run, &settled, interval, keeps_outside, path, arguments.force)?;
    }
    if files.is_empty() {
        let picture = timeline::picture(&run, &settled, grid(pictures::columns(terminal::columns(), labels())));
        let lines = match print.format {
            Format::Text => pictures::lines(&picture, print.output.is_none() && has_colors()),
            _ => Vec::new(),
        };
        let mut facts = overview::facts(&run);
        facts.extend(timeline::facts(&picture));
        let tables = vec![timeline::waits(&run, &settled.account, interval).into()];
        let report = Report { facts, warnings: overview::warnings(&run), tables };
        print_below(&lines, report, "timeline", print)?;
    }
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    let schema = Schema::of("timeline").facts(overview::FACTS).facts(cost::FACTS).facts(timeline::FACTS);
    schema.table::<timeline::WaitSpanRow>()
}

/// Whether a terminal shows them, and its user wants them (<https://no-color.org>).
fn has_colors() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Fails where something is that would be lost.
fn free(file: &Path, force: bool) -> Result<(), Error> {
    // A device or pipe loses nothing.
    let is_there = fs::symlink_metadata(file).is_ok_and(|found| found.is_file() || found.is_dir());
    match is_there && !force {
        true => Err(Error::Other(format!("{}: it exists. Name another, or overwrite it with --force", file.display()))),
        false => Ok(()),
    }
}

/// Writes the page, and before it the folder of what does not fit into it.
fn html(
    run: &Run,
    settled: &Settled,
    interval: (i64, i64),
    keeps_outside: bool,
    path: &Path,
    force: bool,
) -> Result<(), Error> {
    let parts = timeline::page_parts(run, settled, interval, keeps_outside);
    // Nothing lies beside a device or a pipe.
    let is_file = fs::metadata(path).map_or(true, |found| found.is_file());
    let parts = if is_file { parts } else { parts.in_one() };
    let mut name = path.file_stem().map_or_else(|| OsString::from("timeline"), OsString::from);
    name.push("-parts");
    let folder = path.with_file_name(&name);
    let mut is_begun = false;
    let mut write = |name: &str, data: &str| {
        if !is_begun {
            begin(&folder, force)?;
            is_begun = true;
        }
        let file = folder.join(format!("{name}.js"));
        let failed = |source| Error::Write { path: file.clone(), source };
        output::write(&file, pictures::part(name, data).as_bytes()).map_err(failed)
    };
    let data = parts.data(interval, &name.to_string_lossy(), &mut write)?;
    let script = data.script().map_err(|error| Error::Other(error.to_string()))?;
    let failed = |source| Error::Write { path: path.into(), source };
    output::write(path, pictures::page(&data.title, &script).as_bytes()).map_err(failed)
}

/// Makes the folder of a page's parts, without those of an earlier page.
fn begin(folder: &Path, force: bool) -> Result<(), Error> {
    free(folder, force)?;
    let failed = |source| Error::Write { path: folder.into(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    for entry in fs::read_dir(folder).map_err(failed)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if (name.starts_with("calls-") || name.starts_with("bins-")) && name.ends_with(".js") {
            fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}
