//! `overhear timeline`: who did what when, as a picture.

use std::ffi::OsString;
use std::fs;
use std::io::IsTerminal;
use std::path::Path;

use super::open_run::{choose, status};
use super::print::{check_overwrite, print_below};
use crate::cli;
use metrics::{cost, overview};
use model::error::Error;
use model::levels::Grid;
use model::matching::{Follow, Settled, settled};
use model::{Choice, Run, output};
use pictures::plot::PlotFile;
use pictures::timeline::{self as drawn, MessageLine, Picture, contents as timeline};
use pictures::{SourceLines, source_lines};
use tables::schema::Schema;
use tables::{Format, Report, terminal};

/// Shows the timeline in the terminal, or writes it to files. Returns the exit status.
pub fn run(arguments: &cli::TimelineArgs) -> Result<u8, Error> {
    let (select, print) = (&arguments.of.select, &arguments.of.print);
    if let (Some(from), Some(to)) = (select.part.from, select.to)
        && from >= to
    {
        return Err(Error::NoTime);
    }
    let [svg, png, html_page] = arguments.pictures();
    let files: Vec<&Path> = [svg, png, html_page].into_iter().flatten().collect();
    files.iter().try_for_each(|file| check_overwrite(file, arguments.force))?;
    // Calls that began before the interval and end in it are part of the picture.
    let run = choose(&arguments.of, Choice { from: None, to: None, kept: false, ..select.choice() })?;
    run.needs_calls("a timeline")?;
    run.reaches(select.part.from)?;
    let shown = ShownTime::of(run, (select.part.from, select.to));
    let labels = || run.asked().map(|rank| timeline::label(rank).chars().count());
    if svg.is_some() || png.is_some() {
        let picture = shown.picture(drawn::svg_columns(labels()));
        for (file, is_png) in [(svg, false), (png, true)] {
            let Some(path) = file else { continue };
            PlotFile::of(path, is_png).write(|svg| drawn::svg(&picture, svg))?;
        }
    }
    if let Some(path) = html_page {
        let file = PageFile::of(path, arguments.force, arguments.no_source);
        let script = shown.script(&file, file.sources(run))?;
        let failed = |source| Error::Write { path: path.into(), source };
        output::write(path, drawn::page(&timeline::title(run), &script).as_bytes()).map_err(failed)?;
    }
    if files.is_empty() {
        let picture = shown.picture(drawn::columns(terminal::columns(), labels()));
        let lines = match print.format() {
            Format::Text => drawn::lines(&picture, print.output.is_none() && has_colors()),
            _ => Vec::new(),
        };
        let mut facts = overview::facts(run);
        facts.extend(timeline::facts(&picture));
        let tables = vec![timeline::waits(run, &shown.settled.account, shown.interval).into()];
        let report = Report { facts, warnings: metrics::warnings::of_run(run), tables };
        print_below(&lines, report, "timeline", print)?;
    }
    Ok(status(run))
}

pub fn schema() -> Schema {
    let schema = Schema::of("timeline").facts(overview::FACTS).facts(cost::FACTS).facts(timeline::FACTS);
    schema.table::<timeline::WaitSpanRow>()
}

/// True if stdout is a terminal and the user has not turned colors off (<https://no-color.org>).
fn has_colors() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

pub struct PageFile<'a> {
    pub path: &'a Path,
    /// True if it may replace a file.
    pub force: bool,
    /// True if it shows source lines.
    pub has_source: bool,
    /// Tells the folders of several timelines apart.
    pub side: &'static str,
}

impl<'a> PageFile<'a> {
    pub fn of(path: &'a Path, force: bool, no_source: bool) -> PageFile<'a> {
        PageFile { path, force, has_source: !no_source, side: "" }
    }

    /// Source lines that the page shows.
    pub fn sources(&self, run: &Run) -> SourceLines {
        if self.has_source { source_lines(run) } else { SourceLines::new() }
    }
}

/// Timeline data for a page, which gets a folder beside it for data that exceeds its limit.
pub fn in_page(
    run: &Run,
    asked: (Option<i64>, Option<i64>),
    file: &PageFile<'_>,
    sources: SourceLines,
) -> Result<String, Error> {
    ShownTime::of(run, asked).script(file, sources)
}

/// A time of a run, its calls matched.
struct ShownTime<'r> {
    run: &'r Run,
    settled: Settled,
    interval: (i64, i64),
    /// Calls before and after it are shown at its edges.
    keeps_outside: bool,
    messages: Vec<MessageLine>,
}

impl ShownTime<'_> {
    /// The requested time; by default all of the run's.
    fn of(run: &Run, (from, to): (Option<i64>, Option<i64>)) -> ShownTime<'_> {
        let mut settled = settled(run, Follow::SPANS | Follow::DELIVERIES);
        let interval = timeline::interval(run, &settled.common_clock, from, to);
        let messages = timeline::take_messages(run, &mut settled.account, interval);
        ShownTime { run, settled, interval, keeps_outside: from.is_none() && to.is_none(), messages }
    }

    fn grid(&self, columns: usize) -> Grid {
        Grid { keeps_outside: self.keeps_outside, ..Grid::over(self.interval.0, self.interval.1, columns) }
    }

    fn picture(&self, columns: usize) -> Picture<'_> {
        timeline::picture(self.run, &self.settled, self.grid(columns), &self.messages)
    }

    /// The page's script, after the folder with the data that exceeds its limit.
    fn script(&self, file: &PageFile<'_>, sources: SourceLines) -> Result<String, Error> {
        let PageFile { path, force, side, .. } = *file;
        // Devices and pipes have no place for a folder beside them.
        let is_file = fs::metadata(path).map_or(true, |found| found.is_file());
        let mut name = path.file_stem().map_or_else(|| OsString::from("timeline"), OsString::from);
        name.push(side);
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
            output::write(&file, drawn::part(name, data).as_bytes()).map_err(failed)
        };
        let parts = timeline::page_parts(self.run, &self.settled, &self.grid(1), &self.messages);
        let data = parts.data(self.interval, sources, &name.to_string_lossy(), !is_file, &mut write)?;
        data.script().map_err(|error| Error::Other(error.to_string()))
    }
}

/// Creates the folder of a page's parts, without those of an earlier page.
fn begin(folder: &Path, force: bool) -> Result<(), Error> {
    check_overwrite(folder, force)?;
    let failed = |source| Error::Write { path: folder.into(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    for entry in fs::read_dir(folder).map_err(failed)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if ["calls-", "bins-", "sums-"].iter().any(|kind| name.starts_with(kind)) && name.ends_with(".js") {
            fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}
