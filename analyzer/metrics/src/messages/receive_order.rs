//! Compares the order in which a rank posts its receives.
//!
//! A receive of any sender takes what comes first, by chance; one that names its sender says in which order the program asks.

use model::messages::{Channel, ComparableMessage, RankMessages, Way};

/// Receives of a rank that take the message of another channel than in A.
#[derive(Debug, Default)]
pub struct OtherOrder {
    /// Receives from any sender on at least one side.
    pub of_any: u64,
    /// Receives that name their sender on both sides.
    pub by_name: u64,
    /// The first of these.
    pub first: Option<FirstSwap>,
}

/// The first receives that the program posts in another order.
#[derive(Debug)]
pub struct FirstSwap {
    /// The first one in A.
    pub message: ComparableMessage,
    /// The channels from here on, on either side, up to where both have posted the same ones.
    pub channels: [Vec<Channel>; 2],
}

/// Maximum number of receives that show the order.
const MOST_SHOWN: usize = 4;

impl OtherOrder {
    /// Compares receives in the order of posting. Both sides have the same ones.
    pub fn of(a: &RankMessages, b: &RankMessages) -> OtherOrder {
        let (one, other) = (receives(a), receives(b));
        let mut found = OtherOrder::default();
        for (at, ((channel_a, in_a), (channel_b, in_b))) in one.iter().zip(&other).enumerate() {
            if channel_a == channel_b {
                continue;
            }
            if in_a.from_any || in_b.from_any {
                found.of_any += 1;
                continue;
            }
            found.by_name += 1;
            if found.first.is_none() {
                let channels = swapped(&one[at..], &other[at..]);
                found.first = Some(FirstSwap { message: (*in_a).clone(), channels });
            }
        }
        found
    }
}

type Received<'a> = (&'a Channel, &'a ComparableMessage);

/// All receives, in the order of posting.
fn receives(messages: &RankMessages) -> Vec<Received<'_>> {
    let mut all = Vec::new();
    for (channel, received) in &messages.channels {
        if channel.way == Way::Received {
            all.extend(received.iter().map(|message| (channel, message)));
        }
    }
    all.sort_unstable_by_key(|(_, message)| message.ordinal);
    all
}

/// The channels on either side, up to where both have the same ones.
fn swapped(a: &[Received], b: &[Received]) -> [Vec<Channel>; 2] {
    let first = |side: &[Received], count: usize| -> Vec<Channel> {
        side.iter().take(count).map(|(channel, _)| (*channel).clone()).collect()
    };
    for count in 2..MOST_SHOWN {
        let mut sorted = [first(a, count), first(b, count)];
        sorted.iter_mut().for_each(|side| side.sort());
        if sorted[0] == sorted[1] {
            return [first(a, count), first(b, count)];
        }
    }
    [first(a, MOST_SHOWN), first(b, MOST_SHOWN)]
}
