//! `overhear schema`: the JSON Schema of a command's output.

use super::print::print_text;
use super::{diff, hang, scaling, timeline, top};
use crate::cli::{self, Analysis};
use metrics::reports::{
    breakdown, check, diagnosis, fanout, files, imbalance, matrix, network, overlap, path, paths, pop, progress,
    settings, sleeps, teams, waits, what_if, why,
};
use model::error::{Error, OK};
use tables::schema::Schema;

/// Prints the schema. Returns the exit status.
pub fn run(arguments: &cli::SchemaArgs) -> Result<u8, Error> {
    print_text(&of(arguments.command).text())?;
    Ok(OK)
}

pub fn of(analysis: Analysis) -> Schema {
    match analysis {
        Analysis::Report => breakdown::schema(),
        Analysis::Progress => progress::schema(),
        Analysis::Waits => waits::schema(),
        Analysis::Timeline => timeline::schema(),
        Analysis::Why => why::schema(),
        Analysis::Path => path::schema(),
        Analysis::Paths => paths::schema(),
        Analysis::Overlap => overlap::schema(),
        Analysis::Network => network::schema(),
        Analysis::Fanout => fanout::schema(),
        Analysis::Pop => pop::schema(),
        Analysis::Teams => teams::schema(),
        Analysis::Files => files::schema(),
        Analysis::Sleeps => sleeps::schema(),
        Analysis::Settings => settings::schema(),
        Analysis::Matrix => matrix::schema(),
        Analysis::Imbalance => imbalance::schema(),
        Analysis::Diagnose => diagnosis::schema(),
        Analysis::Check => check::schema(),
        Analysis::Whatif => what_if::schema(),
        Analysis::Hang => hang::schema(),
        Analysis::Diff => diff::schema(),
        Analysis::DiffMessages => diff::messages::schema(),
        Analysis::Top => top::schema(),
        Analysis::Scaling => scaling::schema(),
    }
}
