//! Matches the calls of all ranks: messages with receives, collective calls with each other, and each wait with its cause.
//!
//! In: the files of a run. Out: [`Account`]. Each rank reads a batch of its calls in order ([`rank`]); the rank furthest
//! behind is next. Ranks inform each other by `Letter`s. So memory holds what is under way between ranks, not the run.

mod blocked_sends;
mod busy_calls;
mod collective_node;
mod collectives;
mod completions;
mod concurrent;
mod dependency_bytes;
mod dependency_file;
mod dependency_log;
mod dropped_before;
mod followed;
mod handed_on;
mod handed_out;
mod held_marks;
mod held_receives;
mod left_over;
mod letters;
mod link_times;
mod links;
mod met;
mod operations;
mod order;
mod overlong;
mod own_times;
mod pass_times;
mod passed_over;
mod posted_receive;
mod queues;
mod rank;
mod replay;
mod replayed_calls;
mod requests;
pub mod scenario;
mod schedule;
mod settled;
mod stretches;
mod transfer_times;
mod transfers;
mod untaken;
mod wait_sums;
mod windows;
mod work;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use traces::read::Contents;

pub use blocked_sends::BlockedSends;
pub use collectives::UnmatchedCollectives;
pub use dependency_file::Dependencies;
pub use followed::ReceivedMessage;
pub use followed::{Delivery, Follow};
pub use handed_out::HandedOut;
pub use left_over::{LeftAtSite, LeftKind};
pub use links::RankTime;
pub use operations::{
    JoinedOperation, OperationKey, OperationSpans, OperationSum, OperationSums, OperationTimes, TimeSpan,
};
pub use overlong::Overlong;
pub use own_times::OwnTimes;
pub use passed_over::QueuedMessages;
pub use replay::PhaseTimes;
pub use replayed_calls::{replayed, stretch_means};
pub use settled::{Settled, settled, settled_at};
pub use stretches::{Around, StretchMeans};
pub use transfer_times::{Estimate, TransferTimes};
pub use transfers::{Transfer, TransferKey, Transfers};
pub use untaken::UntakenMessages;
use wait_sums::Late;
pub use wait_sums::{FollowedWait, Jump, NEVER, RankSite, WaitKey, WaitSpan, WaitState, WaitSum, Waits};

use super::common_clock::CommonClock;
use super::dropped_past::DroppedPast;
use super::objects::Objects;
use super::roles::{CallSites, Roles, SpottedSite};
use super::stream::Stream;
use super::{Rank, Run};
use crate::parallel::into_inner;
use crate::run_parts::{CountOverTime, RunParts};
use crate::spill::Sorted;
pub use busy_calls::{PlaceTime, PlaceTimes};
use collectives::Collectives;
use concurrent::CallSpan;
use dependency_bytes::NotedMark;
use dropped_before::DroppedBefore;
use handed_on::HandedOn;
use left_over::LeftOver;
use link_times::Mark;
use links::SelectionEdges;
use operations::Operations;
use posted_receive::Envelope;
use rank::RankMatcher;
pub use replay::RankReplay;
use scenario::Lanes;
use untaken::Untaken;
use windows::Windows;
use work::Work;

#[derive(Clone, Debug)]
pub struct Message {
    pub envelope: Envelope,
    /// Function and call site of the send.
    pub place: SpottedSite,
    pub begin: i64,
    /// Its number among the sender's messages to this rank, if followed.
    pub number: u64,
    /// The call that put the message into its queue.
    pub turn: CallSpan,
    pub bytes: u64,
    /// The sender's request or completion that waits for the receive.
    pub token: Option<Token>,
    /// The sending call has not returned, so the message may not have been sent.
    pub open: bool,
    /// Position of the sender in its links, and its number among those for replays.
    mark: Mark,
    noted: u32,
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
    pub at: i64,
    pub who: RankSite,
    /// The thread's place among the rank's threads; 0 for windows.
    pub thread: u32,
    pub state: WaitState,
}

/// A call that may have waited.
#[derive(Clone, Copy)]
pub struct WaitingCall {
    pub at: RankSite,
    /// As in [`Cause`].
    pub thread: u32,
    pub begin: i64,
    pub end: i64,
}

/// A report of one rank's matcher to another's.
enum Letter {
    Message(Message),
    /// The cause of the wait of the token's request or completion; and for a send, the position at which its receive was posted.
    Told(Token, Option<Cause>, Option<NotedMark>),
}

/// Totals of the messages from one rank to another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RankPair {
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
    pub jumps: Sorted<Jump>,
    /// Each wait, to be followed to its origin.
    pub followed: Sorted<FollowedWait>,
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
    /// The first message that a receive had no room for, by receiver.
    pub overlong: FxHashMap<RankSite, Overlong>,
    /// Calls that never returned, since an exception or longjmp left them.
    pub left: FxHashMap<RankSite, u64>,
    /// Messages whose sender or receiver has no file in this folder.
    pub elsewhere: u64,
    /// Messages whose sender or receiver was not recorded.
    pub unrecorded: u64,
    /// Messages whose send or receive lies in records that were dropped.
    pub before: u64,
    pub collectives: u64,
    /// Collective calls that could not be matched.
    pub rest: UnmatchedCollectives,
    /// Sums over whole collective operations.
    pub operations: OperationSums,
    /// Each rank's part in each collective operation, by rank; unordered.
    pub joined: Vec<Vec<JoinedOperation>>,
    /// By rank.
    pub times: Vec<RankTime>,
    /// Each rank's phases as they were and on an ideal network, one more than it called MPI_Pcontrol, by rank.
    pub phases: Vec<Vec<PhaseTimes>>,
    /// What all calls depend on, for replays.
    pub dependencies: Dependencies,
    pub transfers: Transfers,
    /// Messages in queues, by receiver and the line that posted the receives.
    pub queued: FxHashMap<RankSite, QueuedMessages>,
    /// Blocking sends to receivers that were late, by the line that sends and the receiving rank.
    pub blocked: FxHashMap<(RankSite, u32), BlockedSends>,
    /// Objects by the line that made them, and requests by the line that began them.
    pub left_over: FxHashMap<(RankSite, LeftKind), LeftAtSite>,
    /// Objects that a rank freed, where nothing tells which line made them.
    pub freed: FxHashMap<(u32, LeftKind), CountOverTime>,
    /// Messages that lie at their receiver for long, by the line that sends and the receiving rank.
    pub untaken: FxHashMap<(RankSite, u32), UntakenMessages>,
}

/// Tables that all ranks write to.
#[derive(Clone, Copy)]
struct Shared<'a> {
    dropped: &'a Arc<DroppedBefore>,
    collectives: &'a Collectives<'a>,
    operations: Option<&'a Operations<'a>>,
    windows: &'a Windows<'a>,
    /// The ideal run, if it is replayed.
    lanes: Option<&'a Arc<Lanes>>,
    /// Set where a message runs backwards from one clock to another, if the run is matched again then.
    gives_up: Option<&'a AtomicBool>,
}

impl Shared<'_> {
    fn has_given_up(&self) -> bool {
        self.gives_up.is_some_and(|gives_up| gives_up.load(Relaxed))
    }
}

/// Matches the calls of all ranks.
pub fn account(run: &Run, common_clock: &CommonClock, follow: Follow) -> Account {
    account_at(run, common_clock, follow, run.call_sites(), None)
}

/// Matches the calls of all ranks, whose sites have their numbers from `places`. Dependencies are replayed in the ideal run. Once
/// `gives_up` is set, only the pairs of ranks are found, by which clocks are adjusted.
fn account_at(
    run: &Run,
    common_clock: &CommonClock,
    follow: Follow,
    places: &CallSites,
    gives_up: Option<&AtomicBool>,
) -> Account {
    let lanes = follow.contains(Follow::DEPENDENCIES).then(|| Arc::new(Lanes::ideal()));
    let objects = Objects::of(run);
    let collectives = Collectives::new(&objects, common_clock, follow);
    let operations =
        follow.intersects(Follow::OPERATIONS | Follow::JOINED).then(|| Operations::new(&objects, common_clock, follow));
    let windows = Windows::new(&collectives, run.ranks.len());
    let contents: Vec<Contents<'_>> = run.ranks.iter().map(|rank| rank.contents()).collect();
    let past = |(at, contents): (usize, &Contents<'_>)| {
        DroppedPast::of(at as u32, &run.ranks[at], contents, Roles::of(run, &objects, places, at))
    };
    let mut pasts: Vec<Option<DroppedPast>> = contents.iter().enumerate().map(past).collect();
    let dropped = Arc::new(DroppedBefore::of(&pasts, &objects));
    let shared = Shared {
        dropped: &dropped,
        collectives: &collectives,
        operations: operations.as_ref(),
        windows: &windows,
        lanes: lanes.as_ref(),
        gives_up,
    };
    let parts = follow.contains(Follow::QUEUES).then(|| RunParts::of(&run.ranks, common_clock));
    let mut ranks = Vec::new();
    for (at, contents) in contents.iter().enumerate() {
        let (rank, line) = (&run.ranks[at], &common_clock.lines[at]);
        let roles = || Roles::of(run, &objects, places, at);
        let stream = |thread| Stream::whole(thread, rank, line, roles());
        let streams = contents.threads.iter().map(stream).collect();
        let first = contents.threads.first().map_or(0, |thread| thread.number);
        let edges = SelectionEdges::of(rank.stretches(first), line);
        let mut matcher = RankMatcher::new(at as u32, streams, &rank.cancelled, edges, shared, common_clock, follow);
        if let Some(parts) = parts {
            matcher.counts_left(LeftOver::of(rank, at, &objects, parts), Untaken::new(parts));
        }
        if let Some(past) = pasts[at].take() {
            matcher.goes_on(past, line);
        }
        if !rank.is_finalized() {
            matcher.lasts_until(line.nanoseconds_at(rank.until));
        }
        ranks.push(Mutex::new(matcher));
    }
    let handed_on = HandedOn::new(follow, lanes.as_ref(), run.ranks.len());
    let work = Work::new(&ranks, &handed_on);
    work.run();
    work.empty_inboxes();
    let mut account = Account::new(run.ranks.len());
    if shared.has_given_up() {
        drop(work);
        for rank in ranks {
            into_inner(rank).report_pairs(&mut account);
        }
        return account;
    }
    work.judge_open(is_whole(run));
    drop(work);
    for rank in ranks {
        into_inner(rank).report(&mut account, &handed_on);
    }
    let mut last = Waits::new(follow);
    windows.finish(is_whole(run), &mut last);
    handed_on.waits(&mut last);
    account.add(last);
    handed_on.finish(&mut account);
    let (deliveries, undelivered) = collectives.take_deliveries();
    account.deliveries.extend(deliveries);
    account.undelivered = undelivered;
    account.rest = collectives.rest();
    (account.operations, account.joined) = operations.map(Operations::finish).unwrap_or_default();
    account
}

impl Account {
    fn new(ranks: usize) -> Account {
        Account { spans: vec![Vec::new(); ranks], ..Account::default() }
    }

    /// Adds waits that one rank has found, its own and others'.
    fn add(&mut self, mut waits: Waits) {
        for span in std::mem::take(&mut waits.spans) {
            self.spans[span.key.waiter.rank as usize].push(span);
        }
        self.waits.merge(waits);
    }
}

/// True if the record is complete: an event that it lacks did not happen.
fn is_whole(run: &Run) -> bool {
    let has_all = |rank: &Rank| !rank.header.has_profile() && rank.kept_from.is_none() && rank.header.lost == 0;
    let is_whole = |rank: &Rank| rank.damage.is_empty() && has_all(rank);
    run.is_every_file_here() && run.unrecorded.is_empty() && run.ranks.iter().all(is_whole)
}

impl Cause {
    /// Wait of a call from `begin` to `end` for this cause, nanoseconds.
    pub fn wait(&self, begin: i64, end: i64) -> i64 {
        self.at.min(end) - begin
    }

    /// Adds the wait of a call.
    pub fn charge(&self, call: WaitingCall, common_clock: &CommonClock, waits: &mut Waits) {
        if let Some(late) = self.charge_later(call, common_clock, waits) {
            waits.judge(&late, false);
        }
    }

    /// Adds the wait of a call if its error exceeds it. Otherwise returns it, for [`Waits::judge`].
    pub fn charge_later(&self, call: WaitingCall, common_clock: &CommonClock, waits: &mut Waits) -> Option<Late> {
        let WaitingCall { at: waiter, thread, begin, end } = call;
        let time = self.wait(begin, end);
        if time <= 0 || !waits.are_wanted() {
            return None;
        }
        let error = common_clock.error_between(waiter.rank, self.who.rank, begin);
        let key = WaitKey { state: self.state, waiter, cause: self.who };
        if time <= error {
            waits.add(key, time, error);
            return None;
        }
        let is_of_first_threads = thread == 0 && self.thread == 0;
        if is_of_first_threads {
            waits.jump(Jump { rank: waiter.rank, cause_rank: self.who.rank, end, cause_at: self.at.min(end) });
        }
        let (sent, another_from) = (0, i64::MAX);
        Some(Late { key, thread, is_of_first_threads, begin, end, wait: (time, error), sent, another_from })
    }
}
