//! What a rank's calls add up to while they are read: time in MPI, bytes, requests that are pending, collective calls.
//!
//! In: records in the order they were written, each once. A request that one thread completes and another began may be read the
//! wrong way round: its completion waits for it.

use rustc_hash::{FxHashMap, FxHashSet};
use traces::calls::Call;
use traces::progress::Polls;
use traces::read::{RecordedCall, Visitor};
use traces::record::RecordKind;
use traces::signature::{CREATES, NESTED, STARTS, Signature};

use crate::request_numbers::{RequestChange, RequestId, RequestNumbers};
use crate::roles::Flow;
use crate::standing::{CollectiveKind, Made};
use crate::sums::Grow;

/// What a rank's calls add up to.
#[derive(Default)]
pub struct RankAccount {
    /// By the rank's own number of the object.
    pub made: FxHashMap<u32, Made>,
    /// Requests that are pending, with the tick at which they were begun.
    pub pending: FxHashMap<RequestId, u64>,
    /// Bytes that a start of a persistent request hands out.
    persistent: FxHashMap<RequestId, u64>,
    /// Requests whose completion was read before their begin.
    early: FxHashSet<RequestId>,
    /// Bytes handed out.
    pub sent: u64,
}

/// What a signature's number means to the account.
#[derive(Clone, Copy)]
pub struct KnownCall {
    /// The signature.
    pub signature: Signature,
    /// What it is as a collective call, without its size.
    pub collective: Option<CollectiveKind>,
    /// Bytes that a call hands out.
    sent: u64,
}

impl KnownCall {
    /// What a signature says.
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

/// One thread's records, as far as they were read.
#[derive(Default)]
pub struct ThreadAccount {
    /// Ticks in calls that ended, without those inside other calls.
    pub ticks: u64,
    /// The last call.
    pub last: Option<RecordedCall>,
    /// When it ended, ticks.
    pub last_end: u64,
    /// The numbers of its requests.
    requests: RequestNumbers,
    /// What the last call did, to be taken back where it failed.
    effect: Effect,
}

impl ThreadAccount {
    /// The account of a thread of which nothing was read.
    pub fn new(thread: u32) -> ThreadAccount {
        ThreadAccount { requests: RequestNumbers::new(thread, 0), ..ThreadAccount::default() }
    }

    /// Records were lost; the next request has this number.
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
    /// What its signatures mean.
    pub known: &'a FxHashMap<u32, KnownCall>,
    /// Of the thread.
    pub own: &'a mut ThreadAccount,
    /// Of the rank.
    pub rank: &'a mut RankAccount,
}

/// The meaning of a signature's number, and whether the number says that a request was complete at once.
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
            self.rank.persistent.insert(request, known.sent);
            return;
        }
        self.send(known.sent);
        if takes && !at_once {
            self.begin(request, end);
            self.own.effect.request = Some(request);
        }
    }

    fn send(&mut self, bytes: u64) {
        self.rank.sent.grow(bytes);
        self.own.effect.sent.grow(bytes);
    }

    fn begin(&mut self, request: RequestId, at: u64) {
        if !self.rank.early.remove(&request) {
            self.rank.pending.insert(request, at);
        }
    }

    fn change(&mut self, change: RequestChange) {
        self.own.effect.has_details = true;
        let thread = self.own.requests.thread();
        match change {
            RequestChange::Started { created, first } => {
                for (created, number) in created.ids().zip(first..) {
                    let sent = self.rank.persistent.get(&created).copied().unwrap_or(0);
                    self.send(sent);
                    self.begin((thread, number), self.own.last_end);
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
