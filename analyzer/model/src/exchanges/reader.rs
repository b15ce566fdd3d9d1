//! Finds a rank's exchanges in its calls.
//!
//! In: its calls in order. Out: its [`Streak`]s. The oldest send to and the oldest receive from a partner belong together;
//! three of one kind under way are no exchange. Time outside MPI must be negligible: a program that computes between post
//! and wait says nothing about the network. Empty messages among others only take time: programs shake hands by them.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::is_little;
use super::pairs::{ExchangeCalls, SendStreak, Streak, WindowShape, WindowStreak};
use super::windows::{WindowMessage, WindowReader};
use crate::Run;
use crate::batches::Batches;
use crate::common_clock::CommonClock;
use crate::objects::Objects;
use crate::request_numbers::{RequestChange, RequestRun};
use crate::roles::{CallPart, Peer, Role, Roles};
use crate::stream::{Stream, TimedCall};
use crate::thread_calls::Detail;

/// Messages of one kind under way in an exchange: the current one, and the next one if posted early.
const UNDER_WAY: usize = 2;
/// Least number of successive sends that shows the sending rate.
const LEAST_SENDS: u64 = 16;
/// Maximum length of each of a rank's lists.
const MOST: usize = 1 << 18;

/// One rank's part in exchanges.
#[derive(Default)]
pub struct RankExchanges {
    pub streaks: Vec<Streak>,
    pub windows: Vec<WindowStreak>,
    pub sends: Vec<SendStreak>,
    /// Exchanges with something else between their calls, by partner, calls and bytes.
    pub parted: FxHashMap<(u32, ExchangeCalls, u64), u64>,
    /// Such windows, by partner and shape.
    pub parted_windows: FxHashMap<(u32, WindowShape), u64>,
    /// Some were dropped.
    pub is_full: bool,
}

/// Reads the calls of a rank if it is selected. Threads exchange independently.
pub fn of_rank(run: &Run, common_clock: &CommonClock, objects: &Objects, at: usize) -> RankExchanges {
    let rank = &run.ranks[at];
    let mut found = RankExchanges::default();
    if !rank.is_asked {
        return found;
    }
    for thread in &rank.contents().threads {
        let roles = Roles::of(run, objects, run.call_sites(), at);
        let mut stream = Stream::new(thread, rank, &common_clock.lines[at], roles);
        let mut reader = Reader::new((at as u32, thread.number), &mut found);
        while let Some(call) = stream.peek() {
            reader.call(stream.role(call), call, stream.details(call));
            stream.advance();
        }
        reader.end();
    }
    found.streaks.sort_by_key(|streak| streak.begin);
    found.windows.sort_by_key(|row| row.begin);
    found
}

/// A message from or to this rank.
#[derive(Clone, Copy)]
struct Operation {
    function: u16,
    bytes: u64,
    begin: i64,
    /// Time in MPI and calls up to its begin.
    inside: i64,
    calls: i64,
    /// Time of completion.
    end: Option<i64>,
    /// Number among the operations of this thread.
    number: u64,
}

struct Reader<'a> {
    rank: u32,
    thread: u32,
    found: &'a mut RankExchanges,
    peer: Option<u32>,
    sends: VecDeque<Operation>,
    receives: VecDeque<Operation>,
    /// True while sends follow each other, false while receives do; ended by a message of the other kind.
    stream: Option<bool>,
    /// The operation of each request; true if it sends.
    requests: FxHashMap<u64, (bool, u64)>,
    persistent: FxHashMap<u64, Role>,
    operations: u64,
    /// Time in MPI and calls so far.
    inside: i64,
    calls: i64,
    /// End of the last call that is no part of an exchange.
    other: i64,
    streak: Option<Streak>,
    windows: WindowReader,
    /// Time in MPI and calls when the streak began.
    before: (i64, i64),
    /// Successive sends, begin of the first, and end of the last one's call.
    row: Option<(SendStreak, i64, i64)>,
}

impl<'a> Reader<'a> {
    fn new((rank, thread): (u32, u32), found: &'a mut RankExchanges) -> Reader<'a> {
        Reader {
            rank,
            thread,
            found,
            peer: None,
            sends: VecDeque::new(),
            receives: VecDeque::new(),
            stream: None,
            requests: FxHashMap::default(),
            persistent: FxHashMap::default(),
            operations: 0,
            inside: 0,
            calls: 0,
            other: i64::MIN,
            streak: None,
            windows: WindowReader::default(),
            before: (0, 0),
            row: None,
        }
    }

    /// Ends everything under way after the last call.
    fn end(mut self) {
        self.end_streak();
        self.end_sends();
        self.windows.end((self.inside, self.calls));
        for (window, count) in self.windows.parted {
            *self.found.parted_windows.entry(window).or_default() += count;
        }
        for row in self.windows.rows {
            keep(row, &mut self.found.windows, &mut self.found.is_full);
        }
    }

    fn call(&mut self, role: &Role, call: &TimedCall, details: &[Detail]) {
        if role.creates {
            self.persistent.insert(call.request, *role);
            return;
        }
        let is_message = matches!(role.what, CallPart::Message { partitioned: false, .. });
        let moves = details.iter().any(|detail| !matches!(detail, Detail::Arrived(_)));
        if call.failed || !role.place.counts() {
            self.forget();
        } else if is_message {
            self.begin(role, call, (role.takes && !role.at_once).then_some(call.request), details);
        }
        let (thread, mut messages) = (self.thread, 0);
        for detail in details {
            messages += moved_by(detail);
            match *detail {
                Detail::Requests(RequestChange::Completed(run)) if run.thread == thread => self.complete(run, call.end),
                Detail::Requests(RequestChange::Started { created, first }) if created.thread == thread => {
                    self.start(created, first, call);
                }
                Detail::Requests(RequestChange::Freed(run)) if run.thread == thread => {
                    self.persistent.retain(|number, _| !run.numbers().contains(number));
                }
                _ => {}
            }
        }
        self.inside = self.inside.saturating_add(call.inside);
        self.calls += messages.max(1);
        // Tests without success, and calls that complete or start nothing, belong to an exchange only while they wait for one.
        if !is_message && !moves && !matches!(role.what, CallPart::Nothing | CallPart::Probe) {
            self.forget();
            (self.other, self.stream) = (call.end, None);
        }
        self.pair();
    }

    fn start(&mut self, created: RequestRun, first: u64, call: &TimedCall) {
        for (created, number) in created.numbers().zip(first..) {
            if let Some(role) = self.persistent.get(&created).copied()
                && matches!(role.what, CallPart::Message { partitioned: false, .. })
            {
                self.begin(&role, call, Some(number), &[]);
            }
        }
    }

    fn begin(&mut self, role: &Role, call: &TimedCall, request: Option<u64>, details: &[Detail]) {
        let CallPart::Message { sends, receives, .. } = role.what else { return };
        let arrived = details.iter().find_map(Detail::arrived);
        for (of, is_send, bytes) in [(role.to.0, true, role.sent), (role.from.0, false, role.received)] {
            if !(if is_send { sends } else { receives }) || of == Peer::Nobody {
                continue;
            }
            let Peer::Rank(peer) = of else {
                self.forget();
                continue;
            };
            let bytes = arrived.filter(|_| !is_send && request.is_none()).map_or(bytes, |arrived| arrived.bytes);
            self.towards(peer);
            self.windows.message(&WindowMessage {
                peer,
                is_send,
                function: role.function,
                bytes,
                begin: call.start,
                end: call.end,
                request,
                inside: (self.inside, self.calls),
            });
            if is_send {
                self.sent(peer, bytes, call)
            } else {
                self.end_sends()
            }
            if let Some(stream) = self.stream {
                self.stream = Some(stream).filter(|stream| *stream == is_send);
                continue;
            }
            self.operations += 1;
            let operation = Operation {
                function: role.function,
                bytes,
                begin: call.start,
                inside: self.inside,
                calls: self.calls,
                end: request.is_none().then_some(call.end),
                number: self.operations,
            };
            if let Some(request) = request {
                self.requests.insert(request, (is_send, self.operations));
            }
            let queue = if is_send { &mut self.sends } else { &mut self.receives };
            queue.push_back(operation);
        }
    }

    /// Begins messages with another partner: messages under way with the last one make no exchange.
    fn towards(&mut self, peer: u32) {
        if self.peer != Some(peer) {
            self.forget();
            self.sends.clear();
            self.receives.clear();
            (self.peer, self.other, self.stream) = (Some(peer), i64::MIN, None);
        }
    }

    fn complete(&mut self, run: RequestRun, end: i64) {
        for number in run.numbers() {
            self.windows.complete(number, end);
            let Some((is_send, operation)) = self.requests.remove(&number) else { continue };
            let queue = if is_send { &mut self.sends } else { &mut self.receives };
            if let Ok(at) = queue.binary_search_by_key(&operation, |known| known.number) {
                queue[at].end = Some(end);
            }
        }
    }

    /// Ends the streaks: complete operations have no partner, those under way may still find one.
    fn forget(&mut self) {
        self.windows.end((self.inside, self.calls));
        self.end_streak();
        self.end_sends();
        self.sends.retain(|operation| operation.end.is_none());
        self.receives.retain(|operation| operation.end.is_none());
    }

    /// Takes out each exchange that is complete.
    fn pair(&mut self) {
        self.shake_hands();
        while let (Some(send), Some(receive)) = (self.sends.front(), self.receives.front())
            && let (Some(sent), Some(received)) = (send.end, receive.end)
        {
            let (send, receive) = (*send, *receive);
            self.sends.pop_front();
            self.receives.pop_front();
            self.exchange(send, receive, sent.max(received), received);
            self.shake_hands();
        }
        if self.sends.len().max(self.receives.len()) > UNDER_WAY {
            self.end_streak();
            self.stream = Some(self.sends.len() > UNDER_WAY);
            self.sends.clear();
            self.receives.clear();
        }
    }

    /// Drops complete empty messages if others are under way.
    fn shake_hands(&mut self) {
        let has_bytes = |queue: &VecDeque<Operation>| queue.iter().any(|operation| operation.bytes > 0);
        if has_bytes(&self.sends)
            || has_bytes(&self.receives)
            || self.streak.as_ref().is_some_and(|streak| streak.bytes > 0)
        {
            self.sends.retain(|operation| operation.bytes > 0 || operation.end.is_none());
            self.receives.retain(|operation| operation.bytes > 0 || operation.end.is_none());
        }
    }

    fn exchange(&mut self, send: Operation, receive: Operation, end: i64, received: i64) {
        let Some(peer) = self.peer else { return };
        let calls = ExchangeCalls {
            send: send.function,
            receive: receive.function,
            receives_first: receive.number < send.number,
        };
        // A receive posted before something else ended does not tell when the exchange began.
        let first = if receive.begin < send.begin && receive.begin >= self.other { receive } else { send };
        let is_same = send.bytes == receive.bytes;
        let answers = u64::from(send.begin >= received);
        let now = (self.inside, self.calls);
        let goes_on = |streak: &&mut Streak| {
            let same = (streak.peer, streak.calls, streak.bytes) == (peer, calls, send.bytes);
            // Summed over the streak, since an occasional interruption is no computation.
            let length = end - streak.begin;
            same && is_little(length.saturating_sub(now.0.saturating_sub(self.before.0)), now.1 - self.before.1, length)
        };
        if is_same && let Some(streak) = self.streak.as_mut().filter(goes_on) {
            streak.times.add(streak.count, [(end - streak.end).max(0) as u64]);
            (streak.end, streak.count, streak.answers) = (end, streak.count + 1, streak.answers + answers);
            return;
        }
        self.end_streak();
        let length = end - first.begin;
        let outside = length.saturating_sub(now.0.saturating_sub(first.inside));
        if is_same && is_little(outside, now.1 - first.calls, length) {
            let (bytes, begin) = (send.bytes, first.begin);
            let times = Batches::default();
            self.streak = Some(Streak { peer, calls, bytes, begin, end, count: 1, answers, times });
            self.before = (first.inside, first.calls);
        } else if is_same {
            *self.found.parted.entry((peer, calls, send.bytes)).or_default() += 1;
        }
    }

    fn end_streak(&mut self) {
        if let Some(streak) = self.streak.take() {
            keep(streak, &mut self.found.streaks, &mut self.found.is_full);
        }
    }

    fn sent(&mut self, peer: u32, bytes: u64, call: &TimedCall) {
        let (rank, end) = (self.rank, call.end);
        match &mut self.row {
            Some((row, first, last))
                if (row.peer, row.bytes) == (peer, bytes) && is_little(call.start - *last, 1, call.end - *last) =>
            {
                row.count += 1;
                row.time = call.start - *first;
                *last = end;
            }
            _ => {
                self.end_sends();
                self.row = Some((SendStreak { rank, peer, bytes, count: 1, time: 0 }, call.start, end));
            }
        }
    }

    fn end_sends(&mut self) {
        if let Some((row, ..)) = self.row.take().filter(|(row, ..)| row.count >= LEAST_SENDS) {
            keep(row, &mut self.found.sends, &mut self.found.is_full);
        }
    }
}

/// Messages that a call starts or completes.
fn moved_by(detail: &Detail) -> i64 {
    match *detail {
        Detail::Requests(RequestChange::Completed(run)) => run.count.into(),
        Detail::Requests(RequestChange::Started { created, .. }) => created.count.into(),
        _ => 0,
    }
}

/// Adds to a list, unless it is full.
fn keep<T>(found: T, list: &mut Vec<T>, is_full: &mut bool) {
    match list.len() < MOST {
        true => list.push(found),
        false => *is_full = true,
    }
}
