//! Receives that the program posts in another order, in words.

use super::differ::RankComparison;
use super::receive_order::FirstSwap;
use crate::words::{plural, rank_in_words};
use model::messages::Channel;
use model::rank::function_of;
use model::{Rank, Run};
use tables::{Fact, Value, facts};

facts! {
    ORDER = "receive_order", Text, sometimes,
        "The first rank that posts receives of named senders in another order, and both orders, in words.";
}

/// The first rank that receives from its partners in another order because the program asks so; `None` if none does.
pub fn order(a: &Run, ranks: &[(&Rank, RankComparison)]) -> Option<Fact> {
    let mut others = ranks.iter().filter(|(_, comparison)| comparison.reordered.first.is_some());
    let (rank, comparison) = others.next()?;
    let first = comparison.reordered.first.as_ref()?;
    let [of_a, of_b] = orders(first);
    let call = format!("{} at {}", function_of(first.message.call), a.sites.place(rank, first.message.site));
    let more = match others.count() {
        0 => String::new(),
        more => format!("; so do {}", plural(more as u64, "more rank")),
    };
    let receives = plural(comparison.reordered.by_name, "receive");
    let text =
        format!("{} posts {receives} in another order, first by {call}: A {of_a}, B {of_b}{more}", rank_in_words(rank));
    Some(Fact::new(ORDER, "order", Value::Text(text)))
}

/// Both orders: of the senders if these differ, else of the tags, else of the communicators.
fn orders(first: &FirstSwap) -> [String; 2] {
    let sender = |channel: &Channel| channel.peer.to_string();
    let tag = |channel: &Channel| channel.tag.to_string();
    let communicator = |channel: &Channel| channel.communicator.clone();
    let named = |what: &str, name: fn(&Channel) -> String| {
        let sides = first.channels.each_ref().map(|side| side.iter().map(name).collect::<Vec<_>>());
        (sides[0] != sides[1]).then(|| sides.map(|side| format!("{what} {}", side.join(", "))))
    };
    let by_sender = named("from", sender).or_else(|| named("tag", tag));
    by_sender.or_else(|| named("on", communicator)).unwrap_or_default()
}
