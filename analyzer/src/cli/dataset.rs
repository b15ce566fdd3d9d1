//! The flags of `export` and `query`, which show the run as a data set.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

use super::analyses::{SelectFrom, nanoseconds};
use super::{Print, Select};
use data::export::ExportFormat;
use model::Choice;
use model::error::Error;
use model::is_run;
use traces::folder::as_typed;

#[derive(Args)]
pub struct ExportArgs {
    /// The run's folder [default: the newest run in the working folder], and where to write: a new or empty folder for tables or OTF2, a
    /// file for the others
    #[arg(value_names = ["DIR", "OUT"], num_args = 1..=2, required = true)]
    pub folders: Vec<PathBuf>,
    /// The format: parquet, csv or json (one object per line) for tables; perfetto, a trace for https://ui.perfetto.dev and
    /// trace_processor; otf2, an archive for Vampir, Scalasca, Pipit and ViTE; folded, speedscope or pprof, call paths for viewers of
    /// profiles. A time instead of a format means, as in other commands, only
    /// calls that began before it
    #[arg(long, value_name = "FORMAT", required = true)]
    pub to: Vec<ExportTo>,
    /// Only these tables, such as calls,ranks, or those that --engine needs: engine [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub tables: Vec<String>,
    /// Replace what an earlier export wrote there
    #[arg(long)]
    pub force: bool,
    /// Add these ranks to tables that other exports of the run write there, too: one on each node, each with its --rank
    #[arg(long, requires = "rank", conflicts_with = "force")]
    pub join: bool,
    #[command(flatten)]
    pub select: SelectFrom,
}

/// The value of `--to`: a format, or the end of the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportTo {
    /// The format to write.
    Format(ExportFormat),
    /// Only calls that began before this time, nanoseconds.
    Time(i64),
}

impl FromStr for ExportTo {
    type Err = String;

    fn from_str(text: &str) -> Result<ExportTo, String> {
        if let Some((_, format)) = ExportFormat::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
            return Ok(ExportTo::Format(*format));
        }
        let known = ExportFormat::ALL.map(|(name, _)| name).join(", ");
        nanoseconds(text).map(ExportTo::Time).map_err(|_| format!("expected {known}, or a time"))
    }
}

impl ExportArgs {
    /// Returns the run's folder, if one is named, and the place to write to.
    pub fn folders(&self) -> Result<(Option<&Path>, &Path), Error> {
        match self.folders.as_slice() {
            [run, out] => Ok((Some(run), out)),
            [run] if is_run(run) => {
                let run = as_typed(run);
                Err(Error::Setting(format!("{run} is a run; say where to write, too: overhear export {run} OUT")))
            }
            [out] => Ok((None, out)),
            all => Err(Error::Setting(format!("export writes one run to one place, and {} are named", all.len()))),
        }
    }

    /// Returns the format: the last one that is named.
    pub fn format(&self) -> Option<ExportFormat> {
        self.to.iter().rev().find_map(|to| if let ExportTo::Format(format) = to { Some(*format) } else { None })
    }

    /// Returns the part of the run to write.
    pub fn choice(&self) -> Choice {
        let until = self.to.iter().rev().find_map(|to| if let ExportTo::Time(time) = to { Some(*time) } else { None });
        self.select.everything(until)
    }
}

#[derive(Args)]
pub struct QueryArgs {
    /// The run's folder [default: the newest run in the working folder], and the query
    #[arg(value_names = ["DIR", "SQL"], num_args = 1..=2, required_unless_present = "tables")]
    pub words: Vec<String>,
    /// Describe the tables and their columns instead
    #[arg(long)]
    pub tables: bool,
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub print: Print,
}
