//! Measures a rank's one-sided transfers to others, from the first call until all of them are complete.
//!
//! In: a rank's records. Out: [`TransferRound`]s, each of one function and size, to every target once. The target makes no call
//! when data arrives, so a round ends when the origin may rely on it: at the end of the flush, unlock, fence or MPI_Win_complete
//! that completes it by the standard. Only one rank's times are used, so no clocks are compared.

use rustc_hash::{FxHashMap, FxHashSet};
use traces::calls::{ArgumentKind, Call, Class};
use traces::read::ThreadPages;
use traces::signature::{NESTED, Signature, peer};

use super::Rank;
use super::selection::{Cursor, LEFT_OUT};
use super::sums::Grow;
use super::thread_calls::{Extras, ThreadCall, ThreadCalls};

/// Transfers that were under way together. Ticks of the rank's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransferRound {
    pub call: u16,
    /// The function that completed the last of them.
    pub completed_by: u16,
    /// Call site of the first.
    pub site: u32,
    pub bytes: u64,
    /// Number of transfers, each to another rank.
    pub targets: u64,
    /// Begin of the first.
    pub begin: u64,
    /// End of the call that completed the last.
    pub end: u64,
}

#[derive(Default)]
pub struct RankTransfers {
    /// In the order of completion, thread by thread.
    pub rounds: Vec<TransferRound>,
    /// Transfers that belong to no round.
    pub left_out: u64,
}

pub fn of_rank(rank: &Rank) -> RankTransfers {
    let mut found = RankTransfers::default();
    for thread in &rank.contents().threads {
        read(thread, rank, &mut found);
    }
    found
}

fn read(thread: &ThreadPages<'_>, rank: &Rank, found: &mut RankTransfers) {
    let by_number = thread.signatures.by_number(Meaning::Other, |signature, _| Meaning::of(signature));
    let cursor = Cursor::new(rank.stretches(thread.number));
    let mut reader = Reader { found, cursor, by_number, open: FxHashMap::default() };
    let mut calls = ThreadCalls::of_records(thread, Extras::empty());
    while let Some(call) = calls.peek() {
        reader.call(call);
        calls.advance();
    }
    for open in std::mem::take(&mut reader.open).into_values() {
        reader.found.left_out.grow(open.transfers);
    }
}

/// A call's effect on a window.
#[derive(Clone, Copy)]
enum Meaning {
    /// Moves data to or from a rank.
    Transfer {
        window: u32,
        target: i32,
        call: u16,
        site: u32,
        bytes: u64,
    },
    /// Moves data under a request, which may complete it, too.
    Requested,
    /// Completes transfers to one rank, or to all. `local`: only the origin's buffer may be reused.
    Completion {
        window: u32,
        target: Option<i32>,
        call: u16,
        local: bool,
    },
    Other,
}

impl Meaning {
    fn of(signature: &Signature) -> Meaning {
        let Some(call) = Call::from_number(signature.call).filter(|call| call.class() == Class::Rma) else {
            return Meaning::Other;
        };
        let (window, target) = (signature.object, signature.peer);
        let completion = |target, local| Meaning::Completion { window, target, call: signature.call, local };
        let (sent, received) = signature.moves();
        match call {
            _ if signature.flags & NESTED != 0 || target == peer::PROC_NULL => Meaning::Other,
            Call::Win_flush | Call::Win_unlock => completion(Some(target), false),
            Call::Win_flush_local => completion(Some(target), true),
            Call::Win_flush_all | Call::Win_unlock_all | Call::Win_fence | Call::Win_complete => {
                completion(None, false)
            }
            Call::Win_flush_local_all => completion(None, true),
            Call::Win_lock => Meaning::Other,
            _ if call.has(ArgumentKind::NewRequest) => Meaning::Requested,
            _ if call.has(ArgumentKind::Target) => {
                let (call, site, bytes) = (signature.call, signature.site, sent.max(received));
                Meaning::Transfer { window, target, call, site, bytes }
            }
            _ => Meaning::Other,
        }
    }
}

/// Transfers of a window that are not complete, or belong to a round with incomplete ones.
struct OpenRound {
    call: u16,
    site: u32,
    bytes: u64,
    begin: u64,
    targets: FxHashSet<i32>,
    pending: FxHashSet<i32>,
    transfers: u64,
    /// All are selected, of one function and size, and to different ranks.
    is_round: bool,
}

struct Reader<'a> {
    found: &'a mut RankTransfers,
    cursor: Cursor<'a>,
    by_number: Vec<Meaning>,
    /// By window.
    open: FxHashMap<u32, OpenRound>,
}

impl Reader<'_> {
    fn call(&mut self, call: &ThreadCall) {
        let counts = self.cursor.part_at(call.start) != LEFT_OUT;
        match self.by_number.get(call.signature as usize).copied().unwrap_or(Meaning::Other) {
            Meaning::Transfer { window, target, call: function, site, bytes } => {
                let open = self.open.entry(window).or_insert_with(|| OpenRound {
                    call: function,
                    site,
                    bytes,
                    begin: call.start,
                    targets: FxHashSet::default(),
                    pending: FxHashSet::default(),
                    transfers: 0,
                    is_round: true,
                });
                let is_like = open.call == function && open.bytes == bytes;
                open.is_round &= is_like && open.targets.insert(target) && counts && !call.failed;
                open.pending.insert(target);
                open.transfers.grow(1);
            }
            Meaning::Requested => self.found.left_out.grow(1),
            Meaning::Completion { window, target, call: function, local } => {
                self.complete(window, target, local, function, call.end);
            }
            Meaning::Other => {}
        }
    }

    fn complete(&mut self, window: u32, target: Option<i32>, local: bool, completed_by: u16, end: u64) {
        let Some(open) = self.open.get_mut(&window) else { return };
        if local && Call::from_number(open.call) != Some(Call::Get) {
            return;
        }
        match target {
            Some(target) => drop(open.pending.remove(&target)),
            None => open.pending.clear(),
        }
        if !open.pending.is_empty() {
            return;
        }
        let Some(open) = self.open.remove(&window) else { return };
        if !open.is_round {
            return self.found.left_out.grow(open.transfers);
        }
        let OpenRound { call, site, bytes, begin, targets, .. } = open;
        let targets = targets.len() as u64;
        self.found.rounds.push(TransferRound { call, completed_by, site, bytes, targets, begin, end });
    }
}
