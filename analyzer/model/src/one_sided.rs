//! Measures a rank's one-sided transfers to others, from the first call until all of them are complete.
//!
//! In: a rank's records. Out: [`TransferRound`]s, each of one function and size, and of as many transfers to every target: several
//! are a window. The target makes no call when data arrives, so a round ends when the origin may rely on it: at the end of the flush,
//! unlock, fence or MPI_Win_complete that completes it by the standard. Only one rank's times are used, so no clocks are compared.

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
    /// Number of other ranks.
    pub targets: u64,
    /// Number of transfers to each of them.
    pub transfers: u64,
    /// Begin of the first.
    pub begin: u64,
    /// End of the call that completed the last.
    pub end: u64,
    /// Begin of the next round, if it is of the same kind and nothing but calls on windows lies between.
    pub next: Option<u64>,
}

impl TransferRound {
    fn is_like(&self, other: &TransferRound) -> bool {
        let kind =
            |round: &TransferRound| (round.call, round.completed_by, round.bytes, round.targets, round.transfers);
        kind(self) == kind(other)
    }
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
    let mut reader = Reader { found, cursor, by_number, open: FxHashMap::default(), last: None };
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
    /// Begins or ends an epoch, or lies inside another call.
    Beside,
    Other,
}

impl Meaning {
    fn of(signature: &Signature) -> Meaning {
        if signature.flags & NESTED != 0 {
            return Meaning::Beside;
        }
        let Some(call) = Call::from_number(signature.call).filter(|call| call.class() == Class::Rma) else {
            return Meaning::Other;
        };
        let (window, target) = (signature.object, signature.peer);
        let completion = |target, local| Meaning::Completion { window, target, call: signature.call, local };
        let (sent, received) = signature.moves();
        match call {
            _ if target == peer::PROC_NULL => Meaning::Beside,
            Call::Win_flush | Call::Win_unlock => completion(Some(target), false),
            Call::Win_flush_local => completion(Some(target), true),
            Call::Win_flush_all | Call::Win_unlock_all | Call::Win_fence | Call::Win_complete => {
                completion(None, false)
            }
            Call::Win_flush_local_all => completion(None, true),
            Call::Win_lock => Meaning::Beside,
            _ if call.has(ArgumentKind::NewRequest) => Meaning::Requested,
            _ if call.has(ArgumentKind::Target) => {
                let (call, site, bytes) = (signature.call, signature.site, sent.max(received));
                Meaning::Transfer { window, target, call, site, bytes }
            }
            _ => Meaning::Beside,
        }
    }
}

/// Transfers of a window that are not complete, or belong to a round with incomplete ones.
struct OpenRound {
    call: u16,
    site: u32,
    bytes: u64,
    begin: u64,
    /// Number of transfers to each rank.
    targets: FxHashMap<i32, u64>,
    pending: FxHashSet<i32>,
    transfers: u64,
    /// All are selected, and of one function and size.
    is_round: bool,
}

impl OpenRound {
    /// The number of transfers to each rank, if it is the same.
    fn to_each(&self) -> Option<u64> {
        let one = self.targets.values().next().copied()?;
        (self.is_round && self.targets.values().all(|transfers| *transfers == one)).then_some(one)
    }
}

struct Reader<'a> {
    found: &'a mut RankTransfers,
    cursor: Cursor<'a>,
    by_number: Vec<Meaning>,
    /// By window.
    open: FxHashMap<u32, OpenRound>,
    /// The round before, by its place among those found, while nothing but calls on windows comes after it.
    last: Option<usize>,
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
                    targets: FxHashMap::default(),
                    pending: FxHashSet::default(),
                    transfers: 0,
                    is_round: true,
                });
                let is_like = open.call == function && open.bytes == bytes;
                open.is_round &= is_like && counts && !call.failed;
                open.targets.entry(target).or_default().grow(1);
                open.pending.insert(target);
                open.transfers.grow(1);
            }
            Meaning::Requested => {
                self.found.left_out.grow(1);
                self.last = None;
            }
            Meaning::Completion { window, target, call: function, local } => {
                self.complete(window, target, local, function, call.end);
            }
            Meaning::Beside => {}
            Meaning::Other => self.last = None,
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
        let Some(transfers) = open.to_each() else {
            self.last = None;
            return self.found.left_out.grow(open.transfers);
        };
        let OpenRound { call, site, bytes, begin, targets, .. } = open;
        let targets = targets.len() as u64;
        let round = TransferRound { call, completed_by, site, bytes, targets, transfers, begin, end, next: None };
        if let Some(before) = self.last.and_then(|last| self.found.rounds.get_mut(last))
            && before.is_like(&round)
        {
            before.next = Some(begin);
        }
        self.last = Some(self.found.rounds.len());
        self.found.rounds.push(round);
    }
}
