//! Sums up a rank's calls while they are read: time in MPI, bytes, pending requests, collective calls.
//!
//! In: records in the order they were written, each once. If one thread completes a request of another, the completion may be
//! read before the begin, and is then kept.

use rustc_hash::{FxHashMap, FxHashSet};
use traces::calls::Call;
use traces::dropped::{Dropped, RequestState};
use traces::progress::Polls;
use traces::read::{RecordedCall, Visitor};
use traces::record::RecordKind;
use traces::signature::{CREATES, NESTED, STARTS, Signature};

use crate::request_numbers::{RequestChange, RequestId, RequestNumbers};
use crate::roles::Flow;
use crate::standing::{CollectiveKind, Made};
use crate::sums::Grow;

/// Sums over a rank's calls.
#[derive(Default)]
pub struct RankAccount {
    /// Collective calls, by the rank's own number for the object.
    pub made: FxHashMap<u32, Made>,
    pub pending: FxHashMap<RequestId, BegunRequest>,
    /// Calls that created persistent requests.
    persistent: FxHashMap<RequestId, KnownCall>,
    /// Requests whose completion was read before their begin.
    early: FxHashSet<RequestId>,
    pub sent: u64,
}

#[derive(Clone, Copy)]
pub struct BegunRequest {
    /// Tick of its begin.
    pub at: u64,
    /// The call that began it; of a persistent request, the call that created it.
    pub call: Signature,
}

/// A signature with the data that the account needs.
#[derive(Clone, Copy)]
pub struct KnownCall {
    pub signature: Signature,
    /// The collective call without its size, if it is one.
    pub collective: Option<CollectiveKind>,
    sent: u64,
}

impl KnownCall {
    pub fn of(signature: &Signature) -> KnownCall {
        let call = Call::from_number(signature.call).filter(|_| signature.flags & NESTED == 0);
        let kind = |call: Call| {
            let flow = Flow::in_order(call)?;
            let root = Some(signature.peer).filter(|root| flow.has_root() && *root >= 0);
            Some(CollectiveKind { function: call.row().id, root, bytes: None })
        };
        let collective = call.and_then(kind);
        KnownCall { signature: *signature, collective, sent: signature.moves().0 }
    }

    fn has(&self, flag: u16) -> bool {
        self.signature.flags & flag != 0
    }
}

/// Sums over one thread's records read so far.
#[derive(Default)]
pub struct ThreadAccount {
    /// Ticks in calls that ended, without calls inside other calls.
    pub ticks: u64,
    pub last: Option<RecordedCall>,
    /// End of the last call, ticks.
    pub last_end: u64,
    requests: RequestNumbers,
    /// Effect of the last call, which is undone if it failed.
    effect: Effect,
}

impl ThreadAccount {
    pub fn new(thread: u32) -> ThreadAccount {
        ThreadAccount { requests: RequestNumbers::new(thread, 0), ..ThreadAccount::default() }
    }

    /// Adds the contents of dropped records. Their requests began at some earlier time.
    pub fn goes_on(&mut self, dropped: &Dropped<'_>, known: &FxHashMap<u32, KnownCall>, rank: &mut RankAccount) {
        let thread = self.requests.thread();
        for total in dropped.totals {
            let Some((known, _)) = meaning(known, total.entry.signature).filter(|(known, _)| !known.has(NESTED)) else {
                continue;
            };
            self.ticks.grow(total.entry.total);
            rank.sent.grow(total.entry.sent);
            if known.collective.is_some() {
                let made = rank.made.entry(known.signature.object).or_default();
                made.goes_on(total.entry.count.saturating_sub(total.void));
            }
        }
        for request in dropped.requests {
            let id = (thread, request.number);
            let known = meaning(known, request.signature).map(|(known, _)| *known);
            match (known, request.state) {
                (_, state) if state == RequestState::CompleteAlready as u32 => drop(rank.early.insert(id)),
                (Some(known), state) if state == RequestState::Persistent as u32 => {
                    rank.persistent.insert(id, known);
                }
                (Some(known), _) => {
                    rank.pending.insert(id, BegunRequest { at: dropped.head.until, call: known.signature });
                }
                (None, _) => {}
            }
        }
    }

    /// Skips lost records; the next request has this number.
    pub fn torn(&mut self, request: u64) {
        self.requests.torn(Some(request));
        self.effect = Effect::default();
    }
}

#[derive(Clone, Copy, Default)]
struct Effect {
    made: Option<u32>,
    request: Option<RequestId>,
    sent: u64,
    has_details: bool,
}

/// Adds a thread's records to both accounts.
pub struct Reader<'a> {
    pub known: &'a FxHashMap<u32, KnownCall>,
    pub own: &'a mut ThreadAccount,
    pub rank: &'a mut RankAccount,
}

/// The signature of a number; true if the number means that the request was complete at once.
pub fn meaning(known: &FxHashMap<u32, KnownCall>, number: u32) -> Option<(&KnownCall, bool)> {
    if let Some(found) = known.get(&number) {
        return Some((found, false));
    }
    let before = known.get(&number.checked_sub(1)?)?;
    before.has(STARTS).then_some((before, true))
}

impl Reader<'_> {
    fn ended(&mut self, signature: u32, start: u64, end: u64, inside: u64) {
        self.own.last = Some(RecordedCall { start, signature });
        self.own.last_end = end;
        self.own.effect = Effect::default();
        let Some((known, at_once)) = meaning(self.known, signature) else { return };
        let takes = known.has(STARTS | CREATES);
        let request = (self.own.requests.thread(), self.own.requests.begin(takes));
        if known.has(NESTED) {
            return;
        }
        self.own.ticks.grow(inside);
        if let Some(kind) = known.collective {
            self.rank.made.entry(known.signature.object).or_default().make(kind);
            self.own.effect.made = Some(known.signature.object);
        }
        if known.has(CREATES) {
            self.rank.persistent.insert(request, *known);
            return;
        }
        self.send(known.sent);
        if takes && !at_once {
            let call = known.signature;
            self.begin(request, BegunRequest { at: end, call });
            self.own.effect.request = Some(request);
        }
    }

    fn send(&mut self, bytes: u64) {
        self.rank.sent.grow(bytes);
        self.own.effect.sent.grow(bytes);
    }

    fn begin(&mut self, request: RequestId, begun: BegunRequest) {
        if !self.rank.early.remove(&request) {
            self.rank.pending.insert(request, begun);
        }
    }

    fn change(&mut self, change: RequestChange) {
        self.own.effect.has_details = true;
        let thread = self.own.requests.thread();
        match change {
            RequestChange::Started { created, first } => {
                for (created, number) in created.ids().zip(first..) {
                    let known = self.rank.persistent.get(&created).copied();
                    self.send(known.map_or(0, |known| known.sent));
                    let call = known.map_or(Signature::EMPTY, |known| known.signature);
                    self.begin((thread, number), BegunRequest { at: self.own.last_end, call });
                }
            }
            RequestChange::Completed(run) | RequestChange::Freed(run) => {
                for request in run.ids() {
                    if self.rank.pending.remove(&request).is_none() && run.thread != thread {
                        self.rank.early.insert(request);
                    }
                }
            }
            RequestChange::Ready(_) => {}
        }
    }
}

impl Visitor for Reader<'_> {
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        self.ended(signature, start, start.wrapping_add(duration), duration);
    }

    fn polls(&mut self, polls: &Polls) {
        self.ended(polls.signature as u32, polls.start, polls.end, polls.total);
    }

    fn requests(&mut self, kind: RecordKind, count: u32, age: u64) {
        let change = self.own.requests.own(kind, count, age);
        self.change(change);
    }

    fn elsewhere(&mut self, kind: RecordKind, count: u32, thread: u32, number: u64) {
        let change = self.own.requests.foreign(kind, count, thread, number);
        self.change(change);
    }

    fn failed(&mut self, _class: u16, _code: i32) {
        let effect = std::mem::take(&mut self.own.effect);
        self.rank.sent = self.rank.sent.saturating_sub(effect.sent);
        if effect.has_details {
            return;
        }
        if let Some(made) = effect.made.and_then(|object| self.rank.made.get_mut(&object)) {
            made.take_back();
        }
        if let Some(request) = effect.request {
            self.rank.pending.remove(&request);
        }
    }
}
