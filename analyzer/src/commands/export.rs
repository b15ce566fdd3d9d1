//! `overhear export`: the run as tables in files.

use std::path::Path;

use super::open::open_run;
use super::print::print_text;
use crate::cli;
use crate::dataset::{DataSet, follow, heads};
use crate::error::{Error, OK, PARTIAL};
use crate::export::{self, ExportFolder, Exported};
use crate::report::Value;
use crate::terminal;
use crate::visible::visible;

/// Writes the tables. Returns the exit status.
pub fn run(arguments: &cli::Export) -> Result<u8, Error> {
    let names = chosen(&arguments.tables)?;
    let (folder, out) = arguments.folders()?;
    let format = arguments
        .format()
        .ok_or_else(|| Error::Setting("--to says until when; say what to write, too: --to parquet".into()))?;
    let run = open_run(folder, arguments.choice())?;
    let all: Vec<&str> = heads().iter().map(|head| head.name).collect();
    let folder = ExportFolder::claim(out, &all, arguments.force)?;
    let set = DataSet::new(&run, names.iter().map(|name| follow(name)).collect());
    let exported = export::write(&set, &names, format, &folder)?;
    if run.has_calls("").is_err() {
        terminal::say("the run is a profile, which holds no single calls: its counts and times are in signatures");
    }
    say(out, &exported)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

/// The tables of these names, or all.
fn chosen(asked: &[String]) -> Result<Vec<&'static str>, Error> {
    let all: Vec<&'static str> = heads().iter().map(|head| head.name).collect();
    let find = |asked: &String| {
        let found = all.iter().find(|name| *name == asked).copied();
        found.ok_or_else(|| Error::no_table(asked, all.iter().map(|name| name.to_string()).collect()))
    };
    if asked.is_empty() { Ok(all.clone()) } else { asked.iter().map(find).collect() }
}

/// What was written, in a line.
fn say(out: &Path, exported: &Exported) -> Result<(), Error> {
    let rows = exported.tables.iter().map(|(name, rows)| format!("{name} {rows}")).collect::<Vec<_>>().join(", ");
    let size = Value::Bytes(exported.bytes);
    print_text(&format!("{}\n", visible(&format!("{}: {size}; rows: {rows}", out.display()))))
}
