//! `overhear export`: writes a run for other tools.

use std::path::Path;

use super::open_run::{open_run, status};
use super::print::{check_overwrite, print_text};
use crate::cli;
use data::export::otf2::ExportedArchive;
use data::export::perfetto::BROWSER_OPENS;
use data::export::stacks::StackFormat;
use data::export::{self, ExportFolder, ExportFormat, Exported, FileFormat};
use data::{DataSet, engine_sql, follow, heads};
use metrics::reports::paths;
use model::Choice;
use model::error::Error;
use tables::Value;
use tables::number::whole;
use tables::terminal;
use tables::visible::visible;

/// Writes a run in a format. Returns the exit status.
pub fn run(arguments: &cli::ExportArgs) -> Result<u8, Error> {
    let (folder, out) = arguments.folders()?;
    let format = arguments
        .format()
        .ok_or_else(|| Error::Setting("--to says until when; say what to write, too: --to parquet".into()))?;
    match format {
        ExportFormat::Tables(format) => tables(arguments, folder, out, format),
        ExportFormat::Perfetto => perfetto(arguments, folder, out),
        ExportFormat::Otf2 => otf2(arguments, folder, out),
        ExportFormat::Stacks(format) => stacks(arguments, folder, out, format),
    }
}

fn tables(arguments: &cli::ExportArgs, folder: Option<&Path>, out: &Path, format: FileFormat) -> Result<u8, Error> {
    let names = chosen(&arguments.tables)?;
    let matched: Vec<&str> = names.iter().copied().filter(|name| !follow(name).is_empty()).collect();
    if arguments.join && !matched.is_empty() {
        let matched = matched.join(", ");
        return Err(Error::Setting(format!(
            "--join writes what each rank knows by itself, and {matched} match all ranks: add --tables engine"
        )));
    }
    let choice = Choice { describes_others: arguments.join, ..arguments.choice() };
    let run = open_run(folder, choice)?;
    let all: Vec<&str> = heads().iter().map(|head| head.name).collect();
    let folder = match arguments.join {
        true => ExportFolder::shared(out)?,
        false => ExportFolder::claim(out, &all, arguments.force)?,
    };
    let set = DataSet::new(&run, names.iter().map(|name| follow(name)).collect());
    let exported = export::write(&set, &names, format, &folder)?;
    folder.finish();
    if !run.records_calls() {
        terminal::say("the run is a profile, which holds no single calls: its counts and times are in signatures");
    }
    say(out, "rows", &exported)?;
    Ok(status(&run))
}

fn perfetto(arguments: &cli::ExportArgs, folder: Option<&Path>, out: &Path) -> Result<u8, Error> {
    no_tables(arguments, "a trace for Perfetto")?;
    check_overwrite(out, arguments.force)?;
    let run = open_run(folder, arguments.choice())?;
    run.needs_calls("a trace for Perfetto")?;
    let exported = export::perfetto::write(&run, out)?;
    say(out, "slices", &exported)?;
    if exported.bytes > BROWSER_OPENS {
        terminal::say(&format!(
            "a browser may not have the memory for it: run trace_processor --httpd {} before you open ui.perfetto.dev, or \
             export less, as by --from 1s --to 2s or --rank 0-3",
            visible(&out.display().to_string())
        ));
    }
    Ok(status(&run))
}

fn otf2(arguments: &cli::ExportArgs, folder: Option<&Path>, out: &Path) -> Result<u8, Error> {
    no_tables(arguments, "an archive of OTF2")?;
    let library = export::otf2::load()?;
    let run = open_run(folder, arguments.choice())?;
    run.needs_calls("an archive of OTF2")?;
    let archive = ExportFolder::claim_archive(out, export::otf2::NAME, arguments.force)?;
    let ExportedArchive { exported, left_out } = export::otf2::write(&run, &library, out)?;
    archive.finish();
    say(out, "holds", &exported)?;
    for line in &left_out {
        terminal::say(line);
    }
    Ok(status(&run))
}

fn stacks(arguments: &cli::ExportArgs, folder: Option<&Path>, out: &Path, format: StackFormat) -> Result<u8, Error> {
    no_tables(arguments, "a file of call paths")?;
    check_overwrite(out, arguments.force)?;
    let run = open_run(folder, Choice { whole: false, kept: true, ..arguments.choice() })?;
    let exported = export::stacks::write(&run, &paths::analyze(&run)?, format, out)?;
    say(out, "holds", &exported)?;
    Ok(status(&run))
}

fn no_tables(arguments: &cli::ExportArgs, what: &str) -> Result<(), Error> {
    if arguments.join {
        return Err(Error::Setting(format!("--join adds to tables, and {what} has none: leave it out")));
    }
    match arguments.tables.as_slice() {
        [] => Ok(()),
        _ => Err(Error::Setting(format!("--tables chooses among tables, and {what} has none: leave it out"))),
    }
}

/// Tables of these names, those that engines need, or all.
fn chosen(asked: &[String]) -> Result<Vec<&'static str>, Error> {
    let all: Vec<&'static str> = heads().iter().map(|head| head.name).collect();
    let find = |asked: &String| {
        let found = all.iter().find(|name| *name == asked).copied();
        found.ok_or_else(|| Error::no_table(asked, all.iter().map(|name| name.to_string()).collect()))
    };
    match asked {
        [] => Ok(all.clone()),
        [engine] if engine == "engine" => Ok(engine_sql::TABLES.to_vec()),
        _ => asked.iter().map(find).collect(),
    }
}

/// Prints a line about the written files.
fn say(out: &Path, what: &str, exported: &Exported) -> Result<(), Error> {
    let rows =
        exported.tables.iter().map(|(name, rows)| format!("{name} {}", whole(*rows))).collect::<Vec<_>>().join(", ");
    let size = Value::Bytes(exported.bytes);
    print_text(&format!("{}\n", visible(&format!("{}: {size}; {what}: {rows}", out.display()))))
}
