//! Prints results to stdout or to files, which are not overwritten unless the user says so.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::cli;
use data::sheet_parquet;
use model::error::Error;
use model::output;
use tables::{Format, Report, csv, json, terminal, text};

/// Prints a report to stdout or a file, sorted and cut as the flags say.
pub fn print(report: Report, name: &str, how: &cli::Print) -> Result<(), Error> {
    print_below(&[], report, name, how)
}

pub fn print_text(text: &str) -> Result<(), Error> {
    read_on(terminal::stdout().and_then(|mut out| out.write_all(text.as_bytes())))
}

/// Passes errors of stdout on, except for a closed pipe.
fn read_on(printed: io::Result<()>) -> Result<(), Error> {
    match printed {
        // The pipe's reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|source| Error::Write { path: "stdout".into(), source }),
    }
}

/// Prints a report below lines of text that are for people only.
pub fn print_below(lines: &[String], mut report: Report, name: &str, how: &cli::Print) -> Result<(), Error> {
    let refused = |path: &Path, what: &str, instead: &str| {
        let drawn = if name == "timeline" { ".svg, .png, .html, " } else { "" };
        let names = format!("Name the file {drawn}.json, .csv, .parquet or .txt");
        Error::Setting(format!("{}: {name} writes no {what}; {instead}. {names}", path.display()))
    };
    if let Some(page) = how.page() {
        return Err(refused(page, "page", "overhear report RUN --html FILE does"));
    }
    if let Some(picture) = how.picture() {
        return Err(refused(picture, "picture", "overhear plot RUN KIND -o FILE and overhear timeline RUN -o FILE do"));
    }
    if let Some(other) = how.unknown() {
        return Err(refused(other, "such file", "say which format by --format"));
    }
    report.arrange(how.sort.as_deref(), how.top, how.format())?;
    let Some(path) = &how.output else {
        let failed = |source| Error::Write { path: "stdout".into(), source };
        let mut out = BufWriter::new(terminal::stdout().map_err(failed)?);
        return read_on(write(lines, &report, name, how.format(), &mut out)?);
    };
    let failed = |source| Error::Write { path: path.into(), source };
    let mut out = BufWriter::new(output::create(path).map_err(failed)?);
    write(lines, &report, name, how.format(), &mut out)?.map_err(failed)?;
    out.into_inner().map_err(|error| failed(error.into_error()))?.finish().map_err(failed)
}

fn write(
    lines: &[String],
    report: &Report,
    name: &str,
    format: Format,
    mut out: &mut (dyn Write + Send),
) -> Result<io::Result<()>, Error> {
    let above = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    let parted = above.and_then(|()| if lines.is_empty() { Ok(()) } else { writeln!(out) });
    if parted.is_err() {
        return Ok(parted);
    }
    let printed = match format {
        Format::Text => text::print(report, &mut out),
        Format::Json => json::print(report, name, &mut out),
        Format::Csv => csv::print(report, &mut out),
        Format::Parquet => sheet_parquet::print(report, &mut out),
    };
    Ok(printed.and_then(|()| out.flush()))
}

/// Fails if something at `place` would be overwritten, unless `force`. A device or pipe loses nothing.
pub fn check_overwrite(place: &Path, force: bool) -> Result<(), Error> {
    let exists = fs::symlink_metadata(place).is_ok_and(|found| found.is_file() || found.is_dir());
    if exists && !force { Err(Error::Exists { path: place.into() }) } else { Ok(()) }
}
