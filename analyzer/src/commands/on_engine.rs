//! `--engine`: an analysis of an exported data set, by an engine, or as SQL for DuckDB's command.

use std::path::Path;

use super::print::print_text;
use crate::cli;
use data::engine_sql;
use model::error::{Error, OK};

/// The analyses that engines carry out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineQuestion {
    Report,
    Waits,
    Matrix,
    Imbalance,
    Progress,
}

impl EngineQuestion {
    /// The queries of [`engine_sql`] that answer it.
    fn queries(self) -> &'static [&'static str] {
        match self {
            EngineQuestion::Report | EngineQuestion::Progress => &["functions"],
            EngineQuestion::Waits => &["wait_sums", "message_counts"],
            EngineQuestion::Matrix => &["traffic_pairs"],
            EngineQuestion::Imbalance => &["time_spread"],
        }
    }
}

/// Asks an engine, and prints the report. `only` names the part of the command that engines can do, if the user chose
/// more.
pub fn on_engine(url: &str, of: &cli::OneRun, question: EngineQuestion, only: Option<&str>) -> Result<u8, Error> {
    if let Some(only) = only {
        return Err(Error::Setting(format!("--engine has {only} alone: leave the other flags out, or --engine")));
    }
    let folder = of.dir.as_deref().unwrap_or(Path::new("."));
    if url == "duckdb" {
        let folder = folder.display().to_string();
        return print_text(&engine_sql::duckdb_script(&folder, question.queries())).map(|()| OK);
    }
    if !url.starts_with("sc://") {
        return Err(Error::Setting(format!(
            "--engine {url}: expected sc://HOST:PORT of a Spark Connect server, or duckdb"
        )));
    }
    ask(url, folder, of, question)
}

#[cfg(feature = "engine")]
fn ask(url: &str, folder: &Path, of: &cli::OneRun, question: EngineQuestion) -> Result<u8, Error> {
    use super::print::print;
    use engine::{EngineAnalysis, ExportedSet};
    use model::error::PARTIAL;

    let (analysis, name) = match question {
        EngineQuestion::Report => (EngineAnalysis::Report, "report"),
        EngineQuestion::Waits => (EngineAnalysis::Waits, "waits"),
        EngineQuestion::Matrix => (EngineAnalysis::Matrix, "matrix"),
        EngineQuestion::Imbalance => (EngineAnalysis::Imbalance, "imbalance"),
        EngineQuestion::Progress => (EngineAnalysis::Progress, "progress"),
    };
    let set = ExportedSet::open(url, &folder.display().to_string())?;
    print(analysis.report(&set)?, name, &of.print)?;
    Ok(if set.missing.is_empty() { OK } else { PARTIAL })
}

#[cfg(not(feature = "engine"))]
fn ask(_url: &str, _folder: &Path, _of: &cli::OneRun, _question: EngineQuestion) -> Result<u8, Error> {
    Err(Error::Setting(
        "this overhear was built without Spark Connect: build it with cargo build --release -p overhear --features engine, \
         which needs protoc (Debian: protobuf-compiler libprotobuf-dev); or pipe the SQL into DuckDB with --engine duckdb"
            .into(),
    ))
}
