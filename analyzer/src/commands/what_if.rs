//! `overhear whatif`: replays a run with something changed.

use super::open_run::{open_run, status};
use super::print::print;
use crate::cli;
use metrics::reports::what_if;
use model::Choice;
use model::error::Error;

pub fn run(arguments: &cli::WhatIfArgs) -> Result<u8, Error> {
    let changes = arguments.changes();
    if changes.is_empty() {
        return Err(Error::Setting(
            "whatif needs a change, such as --rank 3=0.8, --balance, --latency /2 or --without MPI_Barrier; overhear whatif --help has all"
                .into(),
        ));
    }
    if arguments.between.is_some() && arguments.latency.is_none() && arguments.bandwidth.is_none() {
        return Err(Error::Setting("--between says where --latency and --bandwidth change: add one of them".into()));
    }
    let choice = Choice { kept: true, no_cache: arguments.no_cache, ..Choice::default() };
    let run = open_run(arguments.dir.as_deref(), choice)?;
    let between = arguments.between.as_ref().map(|hosts| hosts.0.as_slice());
    print(what_if::analyze(&run, &changes, between)?, "whatif", &arguments.print)?;
    Ok(status(&run))
}
