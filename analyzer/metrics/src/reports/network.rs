//! `overhear network`: latency and bandwidth as a job saw them.

use super::empty_analysis::nothing;
use crate::network::Network;
use crate::{cost, network, overview, waits};
use model::Run;
use model::error::Error;
use model::exchanges::exchanges;
use model::matching::{Account, Follow, Settled, settled};
use tables::Report;
use tables::schema::Schema;

/// The error if no message was matched with its receive.
const NEEDED: &str = "no message with its receive: network needs exchanges of equal messages between two ranks, or \
                      messages to ranks that wait for them";

/// Matches the messages of a run with their receives. Fails if there are none.
pub fn matched(run: &Run) -> Result<Settled, Error> {
    run.needs_calls("network")?;
    let settled = settled(run, Follow::TRANSFERS);
    if settled.account.pairs.is_empty() { Err(nothing(run, NEEDED)) } else { Ok(settled) }
}

/// The network's times, from the matched messages and exchanges.
pub fn network<'a>(run: &'a Run, settled: &'a Settled) -> Network<'a> {
    Network::of(run, exchanges(run, &settled.common_clock), &settled.account)
}

/// The report on latency and bandwidth by protocol and size.
pub fn report(run: &Run, account: &Account, network: &Network<'_>) -> Report {
    let mut facts = overview::facts(run);
    facts.extend(network::facts(network));
    let parameters = network::parameters(network);
    let mut warnings = network::unseen(network);
    warnings.extend(network::undetermined(&parameters));
    warnings.extend(waits::unmatched(run, account));
    warnings.extend(crate::warnings::of_run(run));
    let tables = vec![
        network::protocols(network).asked().silent_empty().into(),
        network::segments(network).into(),
        network::determined(&parameters).into(),
        parameters.into(),
        network::sizes(network).silent_empty().into(),
    ];
    Report { facts, warnings, tables }
}

pub fn schema() -> Schema {
    let schema = Schema::of("network").facts(overview::FACTS).facts(cost::FACTS).facts(network::FACTS);
    let schema = schema.table::<network::ProtocolRow>().table::<network::SegmentRow>();
    schema.table::<network::ParameterRow>().table::<network::SizeRow>()
}
