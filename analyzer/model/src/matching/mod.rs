//! Matches the calls of all ranks: messages with receives, collective calls with each other, and each wait with its cause.
//!
//! In: the files of a run. Out: [`Account`]. Each rank reads a batch of its calls in order ([`rank`]); the rank furthest
//! behind is next. Ranks inform each other by `Letter`s. So memory holds what is under way between ranks, not the run.

mod collectives;
mod completions;
mod concurrent;
mod deliveries;
mod follow;
mod held_receives;
mod links;
mod operations;
mod order;
mod posted_receive;
mod queues;
mod rank;
mod received;
mod requests;
mod settled;
mod transfers;
mod waits;
mod windows;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::thread;

use rustc_hash::FxHashMap;
use traces::read::Contents;

pub use collectives::UnmatchedCollectives;
pub use deliveries::Delivery;
pub use follow::Follow;
pub use links::{Links, PhaseTimes, replay};
pub use operations::{
    JoinedOperation, OperationKey, OperationSpans, OperationSum, OperationSums, OperationTimes, TimeSpan,
};
pub use received::ReceivedMessage;
pub use settled::{Settled, settled};
pub use transfers::{Transfer, TransferKey, Transfers};
pub use waits::{Jump, NEVER, RankSite, WaitKey, WaitSpan, WaitState, WaitSum, Waits};

use super::common_clock::CommonClock;
use super::objects::Objects;
use super::rank::End;
use super::roles::{CallSite, CallSites, Roles, SpottedSite};
use super::stream::Stream;
use super::{Rank, Run};
use crate::parallel::{into_inner, lock};
use collectives::Collectives;
use concurrent::CallSpan;
use links::{Mark, SelectionEdges};
use operations::Operations;
use posted_receive::Envelope;
use rank::RankMatcher;
use windows::Windows;

/// A message that was sent and is not matched yet.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub envelope: Envelope,
    /// Function and call site of the send.
    pub place: SpottedSite,
    /// Begin of the sending call.
    pub begin: i64,
    /// The call that put the message into its queue.
    pub turn: CallSpan,
    pub bytes: u64,
    /// The sender's request or completion that waits for the receive.
    pub token: Option<Token>,
    /// The sending call has not returned, so the message may not have been sent.
    pub open: bool,
    /// Position of the sender in its links.
    mark: Mark,
}

/// Identifies a request or completion of a rank to the rank that will report on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Token {
    /// A request, by thread and number.
    Request(u32, u64),
    Completion(u32),
}

/// An event on another rank that a call may have waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cause {
    /// Time of the event.
    pub at: i64,
    /// Rank and call site of the event.
    pub who: RankSite,
    /// Name of the wait it causes.
    pub state: WaitState,
}

/// A report of one rank's matcher to another's.
enum Letter {
    Message(Message),
    /// The cause of the wait for what the token identifies.
    Told(Token, Option<Cause>),
}

/// Totals of the messages from one rank to another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RankPair {
    /// Messages received.
    pub messages: u64,
    pub sent: u64,
    /// Bytes that arrived.
    pub received: u64,
    /// Messages received before they were sent, by the clocks.
    pub backwards: u64,
    /// Shortest time from the begin of a send to the end of its receive, nanoseconds.
    pub least: i64,
}

/// The analysis of all ranks' calls. Fields that [`Follow`] did not ask for are empty. "By rank" is by place in [`Run::ranks`].
#[derive(Default)]
pub struct Account {
    pub waits: Waits,
    /// Each wait as a jump to another rank, by waiting rank.
    pub jumps: Vec<Vec<Jump>>,
    /// Each wait with its times, by waiting rank; unordered.
    pub spans: Vec<Vec<WaitSpan>>,
    /// Each message, and each part of a collective call from or to a root; unordered.
    pub deliveries: Vec<Delivery>,
    /// Each message with its attributes; unordered.
    pub messages: Vec<ReceivedMessage>,
    /// Parts of nonblocking collective calls that `deliveries` lacks, since they end in another call.
    pub undelivered: u64,
    /// Totals by sending and receiving rank.
    pub pairs: FxHashMap<(u32, u32), RankPair>,
    /// Messages that were never received, by sender.
    pub unreceived: FxHashMap<RankSite, u64>,
    /// Receives without a known message, by receiver.
    pub unsent: FxHashMap<RankSite, u64>,
    /// Messages whose receive is ambiguous because several threads called at once, by sender.
    pub uncertain: FxHashMap<RankSite, u64>,
    /// Cancelled messages, by sender.
    pub cancelled: FxHashMap<RankSite, u64>,
    /// Receives whose buffer was too small, by receiver.
    pub truncated: FxHashMap<RankSite, u64>,
    /// Calls that never returned, since an exception or longjmp left them.
    pub left: FxHashMap<RankSite, u64>,
    /// Messages whose sender or receiver has no file in this folder.
    pub elsewhere: u64,
    /// Messages whose sender or receiver was not recorded.
    pub unrecorded: u64,
    pub collectives: u64,
    /// Collective calls that could not be matched.
    pub rest: UnmatchedCollectives,
    /// Sums over whole collective operations.
    pub operations: OperationSums,
    /// Each rank's part in each collective operation, by rank; unordered.
    pub joined: Vec<Vec<JoinedOperation>>,
    /// Functions and call sites by number.
    pub places: Vec<CallSite>,
    /// Dependencies of each rank.
    pub links: Vec<Links>,
    /// Transfer times of messages.
    pub transfers: Transfers,
}

/// Tables that all ranks write to.
#[derive(Clone, Copy)]
struct Shared<'a> {
    collectives: &'a Collectives<'a>,
    operations: Option<&'a Operations<'a>>,
    windows: &'a Windows<'a>,
}

/// Number of calls that a rank processes before the next rank has its turn.
const TURN: usize = 1024;

/// Matches the calls of all ranks.
pub fn account(run: &Run, common_clock: &CommonClock, follow: Follow) -> Account {
    let objects = Objects::of(run);
    let places = CallSites::default();
    let collectives = Collectives::new(&objects, common_clock, follow);
    let operations =
        follow.intersects(Follow::OPERATIONS | Follow::JOINED).then(|| Operations::new(&objects, common_clock, follow));
    let windows = Windows::new(&collectives, run.ranks.len());
    let contents: Vec<Contents<'_>> = run.ranks.iter().map(|rank| rank.contents()).collect();
    let mut ranks = Vec::new();
    for (at, contents) in contents.iter().enumerate() {
        let (rank, line) = (&run.ranks[at], &common_clock.lines[at]);
        let roles = || Roles::of(run, &objects, &places, at);
        let stream = |thread| Stream::whole(thread, rank, line, roles());
        let streams = contents.threads.iter().map(stream).collect();
        let first = contents.threads.first().map_or(0, |thread| thread.number);
        let edges = SelectionEdges::of(rank.stretches(first), line);
        let cancelled = &rank.cancelled;
        let (shared, number) =
            (Shared { collectives: &collectives, operations: operations.as_ref(), windows: &windows }, at as u32);
        let mut matcher = RankMatcher::new(number, streams, cancelled, edges, shared, common_clock, follow);
        if !matches!(rank.end, End::Finalized) {
            matcher.lasts_until(line.nanoseconds_at(rank.until));
        }
        ranks.push(Mutex::new(matcher));
    }
    let work = Work::new(&ranks);
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, |count| count.get()).min(ranks.len());
        (0..workers).for_each(|_| drop(scope.spawn(|| work.run())));
    });
    work.empty_inboxes();
    work.judge_open(is_whole(run));
    drop(work);
    let mut account = Account::new(run.ranks.len());
    for rank in ranks {
        into_inner(rank).report(&mut account);
    }
    let mut last = Waits::new(follow);
    windows.finish(is_whole(run), &mut last);
    account.add(last);
    let (deliveries, undelivered) = collectives.take_deliveries();
    account.deliveries.extend(deliveries);
    account.undelivered = undelivered;
    account.rest = collectives.rest();
    (account.operations, account.joined) = operations.map(Operations::finish).unwrap_or_default();
    account.places = places.list();
    account
}

impl Account {
    fn new(ranks: usize) -> Account {
        Account { jumps: vec![Vec::new(); ranks], spans: vec![Vec::new(); ranks], ..Account::default() }
    }

    /// Adds waits that one rank has found, its own and others'.
    fn add(&mut self, mut waits: Waits) {
        std::mem::take(&mut waits.jumps).into_iter().for_each(|jump| self.jumps[jump.rank as usize].push(jump));
        for span in std::mem::take(&mut waits.spans) {
            self.spans[span.key.waiter.rank as usize].push(span);
        }
        self.waits.merge(waits);
    }
}

/// True if the record is complete: what it lacks did not happen.
fn is_whole(run: &Run) -> bool {
    let is_whole = |rank: &Rank| rank.damage.is_empty() && !rank.header.has_profile() && rank.header.lost == 0;
    run.missing.is_empty() && run.unrecorded.is_empty() && run.unreadable.is_empty() && run.ranks.iter().all(is_whole)
}

/// Schedule of the ranks, and their inboxes.
struct Work<'a, 'r> {
    ranks: &'a [Mutex<RankMatcher<'r>>],
    /// Ranks with calls left, by the begin of their next call.
    turns: Mutex<BinaryHeap<Reverse<(i64, usize)>>>,
    inboxes: Vec<Mutex<Vec<Letter>>>,
    busy: AtomicUsize,
}

impl<'a, 'r> Work<'a, 'r> {
    fn new(ranks: &'a [Mutex<RankMatcher<'r>>]) -> Work<'a, 'r> {
        let turns = ranks.iter().enumerate().filter_map(|(at, rank)| Some(Reverse((lock(rank).next()?, at)))).collect();
        let inboxes = ranks.iter().map(|_| Mutex::default()).collect();
        Work { ranks, turns: Mutex::new(turns), inboxes, busy: AtomicUsize::new(0) }
    }

    /// Takes turns until no rank has calls left.
    fn run(&self) {
        let mut letters = Vec::new();
        loop {
            let mut turns = lock(&self.turns);
            let Some(Reverse((_, at))) = turns.pop() else {
                // Another rank at work will come back.
                if self.busy.load(Acquire) == 0 {
                    return;
                }
                drop(turns);
                thread::yield_now();
                continue;
            };
            let at_work = AtWork::new(&self.busy);
            drop(turns);
            let mut rank = lock(&self.ranks[at]);
            std::mem::swap(&mut *lock(&self.inboxes[at]), &mut letters);
            letters.drain(..).for_each(|letter| rank.read(letter));
            rank.go_on(TURN);
            self.deliver(&mut rank);
            let next = rank.next();
            drop(rank);
            let mut turns = lock(&self.turns);
            turns.extend(next.map(|next| Reverse((next, at))));
            drop(at_work);
        }
    }

    /// Delivers letters until none are left; all calls were seen before.
    fn empty_inboxes(&self) {
        loop {
            let mut any = false;
            for (inbox, rank) in self.inboxes.iter().zip(self.ranks) {
                let letters = std::mem::take(&mut *lock(inbox));
                let mut rank = lock(rank);
                any |= !letters.is_empty();
                letters.into_iter().for_each(|letter| rank.read(letter));
                self.deliver(&mut rank);
            }
            if !any {
                return;
            }
        }
    }

    /// Finds the causes of calls that have not returned; all letters were read before. With `is_whole`, what no rank recorded did
    /// not happen.
    fn judge_open(&self, is_whole: bool) {
        if !self.ranks.iter().any(|rank| lock(rank).has_open()) {
            return;
        }
        for rank in self.ranks {
            let mut rank = lock(rank);
            rank.tell_posted();
            self.deliver(&mut rank);
        }
        self.empty_inboxes();
        for rank in self.ranks {
            lock(rank).judge_open(is_whole);
        }
    }

    fn deliver(&self, rank: &mut RankMatcher<'_>) {
        for (to, letters) in rank.letters.boxes.iter_mut().filter(|(_, letters)| !letters.is_empty()) {
            let mut inbox = lock(&self.inboxes[*to as usize]);
            if inbox.is_empty() {
                std::mem::swap(&mut *inbox, letters);
            } else {
                inbox.append(letters);
            }
        }
    }
}

/// Counts a worker that has taken a rank and may put it back. Dropped in a panic too, so that the others do not wait for ever.
struct AtWork<'a>(&'a AtomicUsize);

impl<'a> AtWork<'a> {
    fn new(busy: &'a AtomicUsize) -> AtWork<'a> {
        busy.fetch_add(1, AcqRel);
        AtWork(busy)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, AcqRel);
    }
}

/// Letters from a rank to others; order is kept for each receiver.
#[derive(Default)]
struct Letters {
    boxes: Vec<(u32, Vec<Letter>)>,
    places: FxHashMap<u32, u32>,
}

impl Letters {
    #[inline]
    fn send(&mut self, to: u32, letter: Letter) {
        let boxes = &mut self.boxes;
        let place = *self.places.entry(to).or_insert_with(|| {
            boxes.push((to, Vec::new()));
            boxes.len() as u32 - 1
        });
        self.boxes[place as usize].1.push(letter);
    }
}

impl Cause {
    /// Wait of a call from `begin` to `end` for this cause, nanoseconds.
    pub fn wait(&self, begin: i64, end: i64) -> i64 {
        self.at.min(end) - begin
    }

    /// Adds the wait of a call from `begin` to `end`. Returns the wait and its error if the wait exceeds the error.
    pub fn charge(
        &self,
        waiter: RankSite,
        begin: i64,
        end: i64,
        common_clock: &CommonClock,
        waits: &mut Waits,
    ) -> Option<(i64, i64)> {
        let error = common_clock.error_between(waiter.rank, self.who.rank, begin);
        let time = self.wait(begin, end);
        let key = WaitKey { state: self.state, waiter, cause: self.who };
        if time <= 0 || !waits.add(key, time, error) {
            return None;
        }
        let (rank, cause_rank) = (waiter.rank, self.who.rank);
        waits.span(WaitSpan { call: begin, from: begin, until: begin + time, key });
        waits.jump(Jump { rank, cause_rank, end, cause_at: self.at.min(end) });
        Some((time, error))
    }
}
