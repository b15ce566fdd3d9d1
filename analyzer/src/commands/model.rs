//! `overhear model`: latency and bandwidth as a job saw them.

use super::nothing::nothing;
use super::open::open;
use super::print::print;
use crate::cli;
use model::error::{Error, OK, PARTIAL};
use metrics::{cost, network, overview, waits};
use model::Run;
use model::exchanges::exchanges;
use model::matching::{Follow, Settled, settled};
use pictures::plot::PlotFile;
use tables::schema::Schema;
use tables::{Report, plot};

/// What it needs, and has none of.
const NEEDED: &str = "no message with its receive: model needs exchanges of equal messages between two ranks, or messages to ranks that wait \
     for them";

/// Prints latency and bandwidth by protocol and size. Returns the exit status.
pub fn run(arguments: &cli::Plotted) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    print(found(&run, arguments.plot.as_ref())?, "model", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

/// Latency and bandwidth of a run, and where asked for a plot of them.
pub fn found(run: &Run, plotted: Option<&PlotFile>) -> Result<Report, Error> {
    let Settled { account, timeline, .. } = matched(run)?;
    let network = network::Network::of(run, exchanges(run, &timeline), &account);
    if let Some(file) = plotted {
        plot::write(network::figures(&network), file)?;
    }
    let mut facts = overview::facts(run);
    facts.extend(network::facts(&network));
    let parameters = network::parameters(&network);
    let mut warnings = network::unseen(&network);
    warnings.extend(network::undetermined(&parameters));
    warnings.extend(waits::unmatched(run, &account));
    warnings.extend(overview::warnings(run));
    let tables = vec![
        network::protocols(&network).asked().into(),
        network::segments(&network).into(),
        parameters.into(),
        network::sizes(&network).into(),
    ];
    Ok(Report { facts, warnings, tables })
}

/// The messages of a run that has some, with their receives.
pub fn matched(run: &Run) -> Result<Settled, Error> {
    run.has_calls("model")?;
    let settled = settled(run, Follow::TRANSFERS);
    if settled.account.pairs.is_empty() { Err(nothing(run, NEEDED)) } else { Ok(settled) }
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    let schema = Schema::of("model").facts(overview::FACTS).facts(cost::FACTS).facts(network::FACTS);
    let schema = schema.table::<network::ProtocolRow>().table::<network::SegmentRow>();
    schema.table::<network::ParameterRow>().table::<network::SizeRow>()
}
