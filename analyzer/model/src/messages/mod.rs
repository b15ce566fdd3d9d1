//! Lists every message of a rank and its part of every collective call, with contents if recorded.
//!
//! In: a rank's records. Out: its [`ComparableMessage`]s by [`Channel`], in MPI's order: sends in the order of their calls,
//! receives in the order of their posts, whichever completed first. Other ranks' files are not read.

mod reader;

use std::collections::{BTreeMap, HashMap};

use traces::record::Content;

use super::Rank;
use super::objects::ALONE;

/// Attributes of messages that MPI keeps in order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Channel {
    pub way: Way,
    /// The communicator, identified by its creation, which is the same in all runs of a program.
    pub communicator: String,
    /// The other rank, by number in the communicator.
    pub peer: i32,
    pub tag: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Way {
    Sent,
    Received,
    /// The rank's part of a collective call.
    Collective,
}

/// A message, or a rank's part of a collective call.
#[derive(Clone, Debug)]
pub struct ComparableMessage {
    /// Its place among the messages of its direction, from 1.
    pub ordinal: u64,
    /// Begin of its call, and time at which all of it was known; ticks.
    pub begin: u64,
    pub end: u64,
    /// The function that sent or received it, or began to.
    pub call: u16,
    /// Call site of that function.
    pub site: u32,
    pub sent: u64,
    pub received: u64,
    pub contents: Vec<Content>,
    /// True if it was received by a call that takes any sender's.
    pub from_any: bool,
}

#[derive(Default, Debug)]
pub struct RankMessages {
    /// Messages of each channel, in order.
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
    // Several threads are merged by the begin of their calls.
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

/// Maximum depth of communicators made from each other, since a damaged file may hold a cycle.
const DEEPEST: u32 = 64;

/// Identity of a communicator in every run of the program: `MPI_COMM_WORLD`, or its parent and the number of communicators made
/// from that before.
fn identity(rank: &Rank, number: u32, depth: u32) -> String {
    match rank.origins.get(&number).filter(|origin| origin.parent != number && depth < DEEPEST) {
        Some(origin) if origin.ordinal != ALONE => {
            format!("{}/{}", identity(rank, origin.parent, depth + 1), origin.ordinal)
        }
        Some(origin) => {
            let alone = rank.origins.values().filter(|other| other.ordinal == ALONE && other.number < origin.number);
            format!("alone/{}", alone.count())
        }
        None => rank.communicators.get(&number).map_or_else(|| number.to_string(), |known| known.name.clone()),
    }
}
