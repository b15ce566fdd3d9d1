//! Every message of a rank, and its part of every collective call, with what they held where that was recorded.
//!
//! In: a rank's records. Out: its [`ComparableMessage`]s by [`Channel`], in the order that MPI keeps: of sends that of the calls, of receives that
//! in which they were posted, whatever completed first. Nothing is asked of other ranks.

mod reader;

use std::collections::{BTreeMap, HashMap};

use traces::record::Content;

use super::Rank;

/// Messages between which MPI keeps order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Channel {
    /// What they are to the rank.
    pub way: Way,
    /// The communicator, by how it was made: the same in runs of the same program.
    pub communicator: String,
    /// The rank at the other end, in the communicator.
    pub peer: i32,
    /// Their tag.
    pub tag: i32,
}

/// What a message is to a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Way {
    /// It sends it.
    Sent,
    /// It receives it.
    Received,
    /// It is the rank's part of a collective call.
    Collective,
}

/// A message, or a rank's part of a collective call.
#[derive(Clone, Debug)]
pub struct ComparableMessage {
    /// Its place among those of its way, from 1.
    pub ordinal: u64,
    /// When its call began, and when all was known of it: ticks.
    pub begin: u64,
    /// See `begin`.
    pub end: u64,
    /// The function that sent or received it, or began to.
    pub call: u16,
    /// And where.
    pub site: u32,
    /// Bytes it hands out.
    pub sent: u64,
    /// Bytes it receives.
    pub received: u64,
    /// What it held.
    pub contents: Vec<Content>,
}

/// All of a rank.
#[derive(Default, Debug)]
pub struct RankMessages {
    /// In each channel in its order.
    pub channels: BTreeMap<Channel, Vec<ComparableMessage>>,
    /// Receives that were posted and not completed.
    pub pending: u64,
}

/// Reads a rank's records.
pub fn of_rank(rank: &Rank) -> RankMessages {
    let mut found = reader::Found::default();
    for thread in &rank.contents().threads {
        reader::read(thread, &mut found);
    }
    found.complete_foreign();
    let mut messages = RankMessages { pending: found.pending(), ..RankMessages::default() };
    // Of several threads, whichever was first.
    found.messages.sort_by_key(|(_, message)| message.begin);
    let mut ordinals = [0; 3];
    let mut names = HashMap::new();
    for (place, message) in found.messages {
        let communicator = names.entry(place.communicator).or_insert_with(|| identity(rank, place.communicator, 0));
        let channel = Channel { way: place.way, communicator: communicator.clone(), peer: place.peer, tag: place.tag };
        let ordinal = &mut ordinals[place.way as usize];
        *ordinal += 1;
        messages.channels.entry(channel).or_default().push(ComparableMessage { ordinal: *ordinal, ..message });
    }
    messages
}

/// How deep communicators may be made from each other, in a file that may say anything.
const DEEPEST: u32 = 64;

/// What tells a communicator from the rank's others in every run of the program: `MPI_COMM_WORLD`, or what it was made from and how
/// many were before.
fn identity(rank: &Rank, number: u32, depth: u32) -> String {
    match rank.origins.get(&number).filter(|origin| origin.parent != number && depth < DEEPEST) {
        Some(origin) if origin.ordinal != u32::MAX => {
            format!("{}/{}", identity(rank, origin.parent, depth + 1), origin.ordinal)
        }
        Some(origin) => {
            let alone = rank.origins.values().filter(|other| other.ordinal == u32::MAX && other.number < origin.number);
            format!("alone/{}", alone.count())
        }
        None => rank.communicators.get(&number).map_or_else(|| number.to_string(), |known| known.name.clone()),
    }
}
