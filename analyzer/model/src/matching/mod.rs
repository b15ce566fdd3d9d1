//! The ranks' calls as one account: messages with their receives, collective calls with each other, and who waited for whom.
//!
//! In: the files of a run. Out: [`Account`]. Each rank reads its calls in order ([`rank`]), a few at a time, the rank furthest
//! behind first; ranks write each other letters. So memory holds what is under way between ranks, not the run.

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

/// A message on its way.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// What it can be received by.
    pub envelope: Envelope,
    /// The call that sent it.
    pub place: SpottedSite,
    /// When that began.
    pub begin: i64,
    /// The call that put it into its queue.
    pub turn: CallSpan,
    /// Its bytes.
    pub bytes: u64,
    /// Whom to tell when its receive was posted.
    pub token: Option<Token>,
    /// The call that sends it has not returned: it may not have been sent.
    pub open: bool,
    /// Where the sender was.
    mark: Mark,
}

/// What a rank remembers of something that another will tell it about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Token {
    /// A request, by its thread and number.
    Request(u32, u64),
    /// A completion, by its number.
    Completion(u32),
}

/// What a call may have waited for: something another rank did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cause {
    /// When.
    pub at: i64,
    /// Who, where.
    pub who: RankSite,
    /// What such a wait is called.
    pub state: WaitState,
}

/// What one rank has to say to another.
enum Letter {
    Message(Message),
    /// Of something that a token stands for: what it waited for.
    Told(Token, Option<Cause>),
}

/// Messages from one rank to another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RankPair {
    /// How many were received.
    pub messages: u64,
    /// Bytes that were sent.
    pub sent: u64,
    /// Bytes that came.
    pub received: u64,
    /// Messages that were received before they were sent, by the clocks.
    pub backwards: u64,
    /// The least time between the begin of a send and the end of its receive, nanoseconds.
    pub least: i64,
}

/// One account of all ranks' calls.
#[derive(Default)]
pub struct Account {
    /// Who waited for whom.
    pub waits: Waits,
    /// Each wait as a way to another rank, by the place of the rank that waited in [`Run::ranks`], where that was asked for.
    pub jumps: Vec<Vec<Jump>>,
    /// Each wait by itself, by the same, where that was asked for; in no order.
    pub spans: Vec<Vec<WaitSpan>>,
    /// Each message, and what collective calls from and to a root hand over, where that was asked for; in no order.
    pub deliveries: Vec<Delivery>,
    /// Each message, where that was asked for; in no order.
    pub messages: Vec<ReceivedMessage>,
    /// Parts of nonblocking collective calls from and to a root that are not among those, since they end in another call.
    pub undelivered: u64,
    /// Messages by sender and receiver, by the ranks' places in [`Run::ranks`].
    pub pairs: FxHashMap<(u32, u32), RankPair>,
    /// Messages that were sent and not received, by where they were sent.
    pub unreceived: FxHashMap<RankSite, u64>,
    /// Receives that got no message that is known, by where they were posted.
    pub unsent: FxHashMap<RankSite, u64>,
    /// Messages of several threads at once, of which nobody knows which receive got which, by where they were sent.
    pub uncertain: FxHashMap<RankSite, u64>,
    /// Messages that were cancelled, by where they were sent.
    pub cancelled: FxHashMap<RankSite, u64>,
    /// Receives that had no room for all of their message, by where they were posted.
    pub truncated: FxHashMap<RankSite, u64>,
    /// Calls that never returned, since an exception or longjmp left them.
    pub left: FxHashMap<RankSite, u64>,
    /// Messages of which the sender or the receiver is not in this folder.
    pub elsewhere: u64,
    /// Messages of which the sender or the receiver was not recorded.
    pub unrecorded: u64,
    /// Collective calls that all processes joined.
    pub collectives: u64,
    /// Those that not all came to.
    pub rest: UnmatchedCollectives,
    /// Collective operations as a whole, where that was asked for.
    pub operations: OperationSums,
    /// Each rank's part in each of them, by the place of the rank in [`Run::ranks`], where that was asked for; in no order.
    pub joined: Vec<Vec<JoinedOperation>>,
    /// Functions and call sites by number.
    pub places: Vec<CallSite>,
    /// What each rank depends on, by their places in [`Run::ranks`].
    pub links: Vec<Links>,
    /// What messages took, where that was asked for.
    pub transfers: Transfers,
}

/// What ranks write to together.
#[derive(Clone, Copy)]
struct Shared<'a> {
    collectives: &'a Collectives<'a>,
    operations: Option<&'a Operations<'a>>,
    windows: &'a Windows<'a>,
}

/// Calls that a rank is let do before another has its turn.
const TURN: usize = 1024;

/// Puts the calls of all ranks together.
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

/// Whether all that the ranks have done so far is known.
fn is_whole(run: &Run) -> bool {
    let is_whole = |rank: &Rank| rank.damage.is_empty() && !rank.header.has_profile() && rank.header.lost == 0;
    run.missing.is_empty() && run.unrecorded.is_empty() && run.unreadable.is_empty() && run.ranks.iter().all(is_whole)
}

/// Whose turn it is, and their letters.
struct Work<'a, 'r> {
    ranks: &'a [Mutex<RankMatcher<'r>>],
    /// Ranks with calls left, by when the next one begins.
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

    /// All calls were seen: reads letters until there are none.
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

    /// All letters were read: finds out what calls that have not returned wait for. `is_whole`: what no rank is known to have
    /// done, none has done.
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

/// Somebody has a rank's turn, and may put the rank back. Not one who panics: the others do not wait.
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

/// What a rank has to say to others, in order for each.
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
    /// How long a call from `begin` to `end` waited for it.
    pub fn wait(&self, begin: i64, end: i64) -> i64 {
        self.at.min(end) - begin
    }

    /// Adds the wait of a call from `begin` to `end`. Returns it with its error, where it stands out from that.
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
