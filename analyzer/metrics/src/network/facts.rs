//! The number of messages behind the network's figures, and notes on those left out.

use super::points::{MessagePattern, Network};
use tables::{Fact, Value, facts};

facts! {
    EXCHANGES = "exchanges", Count, always, "Equal messages between two ranks there and back, or both ways at once.";
    ONE_WAY = "one_way_messages", Count, always,
        "Messages whose receiver waited for them, so that they tell a one-way time.";
    WINDOWS = "window_messages", Count, always,
        "Messages in windows: several one behind the other, answered by one or crossed by as many.";
    UNPAIRED = "unpaired_exchanges", Count, always, "Messages that are part of no exchange.";
}

/// The number of exchanges, windows and one-way times.
pub fn facts(network: &Network) -> Vec<Fact> {
    let one_way = network.count(|pattern| pattern == MessagePattern::OneWay);
    let exchanges = network.count(MessagePattern::is_exchange);
    let windows = network.count(MessagePattern::has_windows);
    let ordered = network.count(|pattern| pattern == MessagePattern::Ordered);
    vec![
        Fact::new(EXCHANGES, "exchanges", Value::Count(exchanges)).note(format!(
            " between two ranks, {ordered} of them ordered; {windows} messages in windows; {one_way} one-way times"
        )),
        Fact::hidden(WINDOWS, Value::Count(windows)),
        Fact::hidden(ONE_WAY, Value::Count(one_way)),
        Fact::hidden(UNPAIRED, Value::Count(network.unpaired)),
    ]
}

/// Notes on messages that are left out, and why.
pub fn unseen(network: &Network) -> Vec<String> {
    let mut said = Vec::new();
    if network.unpaired > 0 {
        let unpaired = network.unpaired;
        said.push(format!("{unpaired} exchanges left out: only one of the two ranks saw them without a break"));
    }
    if network.unresolved > 0 {
        let unresolved = network.unresolved;
        said.push(format!("{unresolved} one-way times left out: shorter than what the clocks may be off"));
    }
    if network.early > 0 {
        let early = network.early;
        said.push(format!(
            "{early} one-way times left out: nearly all messages of their size came before their receiver waited"
        ));
    }
    if network.seldom > 0 {
        said.push(format!("{} messages and exchanges left out: fewer than five of their size", network.seldom));
    }
    if network.full > 0 {
        said.push(format!("{} ranks exchanged more than can be kept: the rest is left out", network.full));
    }
    said
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use model::Run;
    use model::exchanges::RunExchanges;
    use model::matching::{Follow, settled};

    #[test]
    fn what_was_left_out_is_said_with_its_number_and_nothing_where_that_is_none() {
        let run =
            Run::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/samples/integer_sort-mpich")).unwrap();
        let account = settled(&run, Follow::empty()).account;
        let is_right = |unpaired, full| {
            let found = RunExchanges { unpaired, full, ..Default::default() };
            let network = Network::of(&run, found, &account);
            [("exchanges left out", unpaired), ("ranks exchanged more", full)].map(|(what, count)| {
                let is_said = unseen(&network).iter().any(|said| said.starts_with(&format!("{count} {what}")));
                is_said == (count > 0) && (count > 0 || !unseen(&network).iter().any(|said| said.contains(what)))
            })
        };
        for (unpaired, full) in [(0, 0), (3, 0), (0, 2), (7, 1)] {
            assert_eq!(is_right(unpaired, full), [true; 2], "{unpaired} {full}");
        }
    }
}
