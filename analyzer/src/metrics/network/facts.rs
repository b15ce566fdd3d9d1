//! How many messages the figures rest on, and what is not among them.

use super::points::{MessagePattern, Network};
use crate::report::{Fact, Value, facts};

facts! {
    EXCHANGES = "exchanges", Count, always;
    ONE_WAY = "one_way_messages", Count, always;
    UNPAIRED = "unpaired_exchanges", Count, always;
}

/// What was found.
pub fn facts(network: &Network) -> Vec<Fact> {
    let one_way = network.count(|pattern| pattern == MessagePattern::OneWay);
    let exchanges = network.count(|pattern| pattern != MessagePattern::OneWay);
    let ordered = network.count(|pattern| pattern == MessagePattern::Ordered);
    vec![
        Fact::new(EXCHANGES, "exchanges", Value::Count(exchanges))
            .note(format!(" between two ranks, {ordered} of them ordered; {one_way} one-way times")),
        Fact::hidden(ONE_WAY, Value::Count(one_way)),
        Fact::hidden(UNPAIRED, Value::Count(network.unpaired)),
    ]
}

/// What the figures do not say.
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
    if network.seldom > 0 {
        said.push(format!("{} messages and exchanges left out: fewer than five of their size", network.seldom));
    }
    if network.full > 0 {
        said.push(format!("{} ranks exchanged more than can be kept: the rest is left out", network.full));
    }
    said
}
