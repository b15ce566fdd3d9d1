//! Chooses the rule by which a rank's transfers are bounded.

use traces::calls::Class;
use traces::definitions::Interception;
use traces::progress::{INSIDE, OUTSIDE};

use crate::sums::{Grow, Total};
use crate::{Rank, Run};

/// Latest end of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoundRule {
    /// End of the completing call: Shet, Sadayappan, Bernholdt, CLUSTER 2008.
    Plain,
    /// End of the last call of its life that entered the engine, which alone could notice it.
    Engine,
    /// Time at which MPI, asked before and after each call, first reported it.
    Asked,
}

impl BoundRule {
    pub fn name(self) -> &'static str {
        match self {
            BoundRule::Plain => "plain",
            BoundRule::Engine => "engine",
            BoundRule::Asked => "asked",
        }
    }
}

/// The engine's entries bound a transfer if all of them are seen and nothing else can have moved the message: no network card,
/// and no thread that turns the engine outside of calls.
pub fn bound_rule(run: &Run, rank: &Rank) -> BoundRule {
    if rank.asked {
        return BoundRule::Asked;
    }
    let entries = |line: usize| rank.ledger[line].calls.entries;
    let is_by_calls_alone = entries(INSIDE) > 0 && entries(OUTSIDE) == 0;
    // MPICH polls its own shared memory before UCX or libfabric, and only these two are seen.
    let is_all_seen = rank.components.iter().any(|part| part.way == Interception::Opal);
    let is_one_host = run.ranks.iter().all(|other| other.process.host == rank.process.host);
    match is_by_calls_alone && (is_all_seen && is_one_host || is_by_sockets(rank) == Some(true)) {
        true => BoundRule::Engine,
        false => BoundRule::Plain,
    }
}

/// Bytes that ranks and their launcher may exchange through sockets: 0.3 to 3.3 KiB a rank were measured under five libraries.
const OF_LAUNCHERS: u64 = 64 << 10;

/// True if sockets carried all messages. `None` if there are so few bytes that those may be the launcher's.
pub fn is_by_sockets(rank: &Rank) -> Option<bool> {
    let messages = rank.entries().filter(|entry| class(entry.signature.call) == Some(Class::PointToPoint));
    let bytes = messages.map(|entry| entry.sent.saturating_add(entry.received)).total();
    let is_socket = |way| matches!(way, Interception::Receive | Interception::Send);
    let mut carried = 0u64;
    for part in rank.components.iter().filter(|part| is_socket(part.way)) {
        carried.grow(rank.ledger.get(part.number as usize).map_or(0, |line| line.events));
    }
    let has_all = bytes > 0 && carried >= bytes;
    (!has_all || bytes > OF_LAUNCHERS).then_some(has_all)
}

fn class(call: u16) -> Option<Class> {
    traces::calls::Call::from_number(call).map(|call| call.class())
}
