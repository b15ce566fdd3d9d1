//! The run as a data set.

use std::path::PathBuf;

use clap::Args;

use super::{Print, Select};
use crate::export::FileFormat;

/// The flags of `export`.
#[derive(Args)]
pub struct Export {
    /// The run's folder [default: the newest run in the working folder]
    pub dir: Option<PathBuf>,
    /// The folder to write to: new or empty
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
    /// What to write
    #[arg(long, value_name = "FORMAT")]
    pub format: FileFormat,
    /// Only these tables, as calls,ranks [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub tables: Vec<String>,
    /// Replace tables that an export has written there before
    #[arg(long)]
    pub force: bool,
    /// What of the run to write.
    #[command(flatten)]
    pub select: Select,
}

/// The flags of `query`.
#[derive(Args)]
pub struct Query {
    /// The run's folder [default: the newest run in the working folder], and the query
    #[arg(value_names = ["DIR", "SQL"], num_args = 1..=2, required_unless_present = "tables")]
    pub words: Vec<String>,
    /// Describe the tables and their columns instead
    #[arg(long)]
    pub tables: bool,
    /// What of the run to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}
