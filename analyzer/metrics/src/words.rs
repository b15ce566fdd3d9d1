//! Names for ranks, objects and calls in sentences.

use std::ops::RangeInclusive;

use traces::calls::{ArgumentKind, Call};
use traces::definitions::ObjectKind;
use traces::signature::{Signature, UNKNOWN_BYTES, peer};

use model::rank::function;
use model::roles::CallSite;
use model::{Rank, Run};
use tables::WorldRank;
use tables::number::whole;

/// The name that the rank has for the object of a call, and its number of processes; 0 for windows, files and no
/// object.
pub fn object(rank: &Rank, signature: &Signature) -> (String, u32) {
    if signature.object == 0 {
        return ("(none)".into(), 0);
    }
    if let Some(communicator) = rank.communicators.get(&signature.object) {
        let name = if communicator.name.is_empty() {
            format!("communicator {}", communicator.number)
        } else {
            communicator.name.clone()
        };
        return (name, communicator.size);
    }
    match rank.objects.get(&signature.object) {
        Some(object) => {
            let kind = kind_in_words(object.kind);
            (format!("{kind} {}", object.number), 0)
        }
        None => (format!("object {}", signature.object), 0),
    }
}

pub fn kind_in_words(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Window => "window",
        ObjectKind::File => "file",
    }
}

/// `1 rank`, `2 ranks`.
pub fn plural(count: u64, what: &str) -> String {
    format!("{} {what}{}", whole(count), verb(count, "", "s"))
}

/// The form of a word for this number of subjects: `takes`, `take`.
pub fn verb(count: impl PartialEq + From<u8>, one: &'static str, several: &'static str) -> &'static str {
    if count == 1.into() { one } else { several }
}

/// A partner's rank, or the word for the MPI constant.
pub fn peer_in_words(rank: i32) -> String {
    match rank {
        peer::ANY => "any".into(),
        peer::PROC_NULL => "null".into(),
        peer::ROOT => "root".into(),
        rank => rank.to_string(),
    }
}

/// A call with its known arguments and its call site. Its object has the rank's own name.
pub fn call_in_words(run: &Run, rank: &Rank, signature: &Signature) -> String {
    call_on(run, rank, signature, object(rank, signature).0)
}

/// Like [`call_in_words`], with this name for the call's object, if it has one.
pub fn call_on(run: &Run, rank: &Rank, signature: &Signature, object: String) -> String {
    let mut text = function(signature);
    let call = Call::from_number(signature.call);
    let mut said = Vec::new();
    if signature.peer != peer::NONE {
        let role = call.map_or("peer", peer_role);
        said.push(format!("{role} {}", peer_in_words(signature.peer)));
    }
    if signature.source != peer::NONE {
        said.push(format!("source {}", peer_in_words(signature.source)));
    }
    if signature.tag >= 0 {
        said.push(format!("tag {}", signature.tag));
    }
    let bytes = signature.sent.max(signature.received);
    if bytes > 0 && bytes != UNKNOWN_BYTES {
        said.push(plural(bytes, "byte"));
    }
    if signature.requests > 0 {
        said.push(plural(signature.requests.into(), "request"));
    }
    if signature.object != 0 {
        said.push(object);
    }
    if !said.is_empty() {
        text = format!("{text} ({})", said.join(", "));
    }
    if signature.site != 0 {
        text = format!("{text} at {}", run.sites.name(rank, signature.site));
    }
    text
}

pub fn peer_role(call: Call) -> &'static str {
    let roles = [
        (ArgumentKind::Dest, "to"),
        (ArgumentKind::Source, "from"),
        (ArgumentKind::Root, "root"),
        (ArgumentKind::Target, "target"),
    ];
    roles.iter().find(|(kind, _)| call.has(*kind)).map_or("peer", |(_, role)| role)
}

pub fn rank_in_words(rank: &Rank) -> String {
    match rank.number() {
        Some(number) if rank.header.world > 0 => format!("rank {number} of spawned world {}", rank.header.world),
        Some(number) => format!("rank {number}"),
        None => format!("process {}", rank.header.pid),
    }
}

/// `MPI_Bcast at p.c:6`.
pub fn site_in_words(site: &CallSite) -> String {
    if site.site.is_empty() { site.function.clone() } else { format!("{} at {}", site.function, site.site) }
}

/// A sentence's first letter as a capital.
pub fn upper(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

/// The ranks in words: `ranks 1, 3-5`, or the first few of many.
pub fn numbers(ranks: &[RangeInclusive<u32>]) -> String {
    const SHOWN: usize = 8;
    let one = |range: &RangeInclusive<u32>| match (range.start(), range.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    };
    let count: u64 = ranks.iter().map(|range| u64::from(range.end() - range.start()) + 1).sum();
    let shown = ranks.iter().take(SHOWN).map(one).collect::<Vec<_>>().join(", ");
    match count {
        1 => format!("rank {shown}"),
        _ if ranks.len() > SHOWN => format!("{} ranks ({shown}, ...)", whole(count)),
        _ => format!("ranks {shown}"),
    }
}

/// Ranks in words, in order: `ranks 0, 4-6, rank 0 of spawned world 1, 2 processes without a rank`.
pub fn ranks_in_words(ranks: &[WorldRank]) -> String {
    let worlds =
        ranks.chunk_by(|one, other| (one.world, one.number.is_some()) == (other.world, other.number.is_some()));
    worlds.map(of_world).collect::<Vec<_>>().join(", ")
}

/// Ranks of one world, or its processes without a rank.
fn of_world(ranks: &[WorldRank]) -> String {
    let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
    for number in ranks.iter().filter_map(|rank| rank.number) {
        match ranges.last_mut() {
            Some(last) if *last.end() + 1 == number => *last = *last.start()..=number,
            _ => ranges.push(number..=number),
        }
    }
    let who = match ranks.len() {
        _ if !ranges.is_empty() => numbers(&ranges),
        1 => "a process without a rank".into(),
        processes => format!("{processes} processes without a rank"),
    };
    match ranks[0].world {
        0 => who,
        world => format!("{who} of spawned world {world}"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn ranks_of_spawned_worlds_and_processes_without_a_rank_are_named_apart() {
        let rank = |world, number| WorldRank { world, number };
        let first = [0, 1, 2, 5].map(|number| rank(0, Some(number)));
        let others = [rank(0, None), rank(0, None), rank(1, Some(0)), rank(2, None)];
        let said = ranks_in_words(&[&first[..], &others].concat());
        let apart =
            "2 processes without a rank, rank 0 of spawned world 1, a process without a rank of spawned world 2";
        assert_eq!(said, format!("ranks 0-2, 5, {apart}"));
    }

    #[test]
    fn a_call_is_named_with_all_that_is_known_of_it() {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/samples/integer_sort-openmpi");
        let run = Run::load(&sample).unwrap();
        let named = |signature: Signature| call_in_words(&run, run.first(), &signature);
        let exchange = Signature { call: Call::Sendrecv.number(), peer: 1, source: 2, tag: 5, ..Signature::EMPTY };
        let said = named(Signature { sent: 8, ..exchange });
        for part in ["MPI_Sendrecv", " 1", "source 2", "tag 5", "8 bytes"] {
            assert!(said.contains(part), "{said}");
        }
        assert!(!named(Signature { source: peer::NONE, ..exchange }).contains("source"));
        assert!(named(Signature { source: peer::ANY, ..exchange }).contains("source any"));
        let wait = named(Signature { call: Call::Waitall.number(), requests: 3, ..Signature::EMPTY });
        assert!(wait.contains("3 requests"), "{wait}");
    }
}
