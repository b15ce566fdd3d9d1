//! Adds up a thread's calls by signature.
//!
//! In: the pages of a thread, what has no record yet, and what its calls count as over time. Out: for every signature, in every part,
//! how many calls, how long, how many bytes. The memory this takes depends on the number of signatures, not on the length of the
//! trace.

mod counter;
mod profile;

use traces::error::Damage;
use traces::progress::Entries;
use traces::read::{ReadUntil, Recorded, RecordedCall, Tail, ThreadPages, Visitor, Walk};
use traces::signature::Signature;

use super::request_numbers::RequestId;
use super::selection::{Part, ProfilePart};
use super::sums::Grow;
use counter::Counter;
pub use profile::by_function;

/// The calls of one signature. Times in ticks.
#[derive(Clone, Copy, Debug)]
pub struct CallTotal {
    /// What they count as.
    pub part: Part,
    /// What they have in common. In an entry for whatever found no place, only the function counts.
    pub signature: Signature,
    /// Calls, those that have not returned among them.
    pub count: u64,
    /// Calls that have not returned. They count as long as they are known to have lasted, and moved nothing.
    pub open: u64,
    /// The sum of their durations.
    pub total: u64,
    /// The shortest that returned, if one has.
    pub min: u64,
    /// The longest.
    pub max: u64,
    /// Calls that returned an error.
    pub failed: u64,
    /// Bytes handed out in all.
    pub sent: u64,
    /// Bytes that came in all, where a status told; else as posted.
    pub received: u64,
    /// Bytes that the persistent requests they created will hand out and receive at each start.
    pub prepared: (u64, u64),
    /// How often persistent requests that they created were started.
    pub starts: u64,
    /// What the progress engine did during them.
    pub engine: Entries,
}

/// What a thread did.
#[derive(Default)]
pub struct Tally {
    /// One for each signature that has calls.
    pub entries: Vec<CallTotal>,
    /// The last call that is recorded on its own, or asked in vain.
    pub last: Option<RecordedCall>,
    /// Its end.
    pub last_end: Option<u64>,
    /// Requests that were cancelled.
    pub cancelled: Vec<RequestId>,
    /// What the progress engine did in calls that do not count.
    pub left_out: Entries,
    /// Records that could not be used.
    pub damage: Vec<Damage>,
}

/// A thread whose records are added up, and nothing that has none yet.
pub struct ReadThread<'a> {
    /// What that is.
    pub tail: Tail,
    /// How far the records go.
    pub until: ReadUntil,
    /// The last tick that is known of the thread.
    pub last_sign: u64,
    counter: Counter<'a>,
    last_end: Option<u64>,
    damage: Vec<Damage>,
}

/// Adds up a thread's records by what its calls count as. `seen` is told the bytes of every page.
pub fn read<'a>(thread: &ThreadPages<'_>, stretches: &'a [(u64, Part)], seen: impl Fn(u64)) -> ReadThread<'a> {
    let mut counter = Counter::new(thread, stretches);
    let mut damage = Vec::new();
    let (mut last_end, mut last_sign) = (None, 0);
    let mut until = ReadUntil::default();
    let (mut next, mut is_torn) = (0, false);
    for page in &thread.pages {
        if is_torn || page.sequence != next {
            counter.torn(Some(page.requests));
        }
        until.requests.push(counter.numbers.next());
        (next, is_torn) = (page.sequence.wrapping_add(1), false);
        let mut walk = Walk::new(page);
        match walk.step(&mut counter, usize::MAX) {
            Ok(_) if counter.last_call.is_some() => last_end = Some(walk.last()),
            Ok(_) => {}
            Err(problem) => {
                is_torn = true;
                damage.push(problem);
            }
        }
        last_sign = last_sign.max(walk.last());
        until.words = walk.words();
        seen(size_of_val(page.words) as u64);
    }
    let tail = thread.behind(&recorded(&counter, thread, damage.is_empty()));
    last_sign = last_sign.max(tail.last_sign());
    ReadThread { tail, until, last_sign, counter, last_end, damage }
}

/// What the records said last.
fn recorded(counter: &Counter<'_>, thread: &ThreadPages<'_>, is_whole: bool) -> Recorded {
    let mut entries = counter.told;
    thread.profile.iter().for_each(|counted| entries += counted.engine);
    if !is_whole {
        // Nobody knows what lost records told of, so nothing counts as untold.
        entries = Entries { entries: u64::MAX, productive: u64::MAX, ticks: u64::MAX };
    }
    Recorded { call: counter.last_call, productive: counter.last_productive, outside: counter.last_outside, entries }
}

impl ReadThread<'_> {
    /// Adds what has no record, in which calls that have not returned count until a tick, and what counts of the thread's profile.
    pub fn finish(mut self, thread: &ThreadPages<'_>, until: u64, part: ProfilePart) -> (Tally, Tail) {
        self.tail.close(until);
        self.tail.show(&mut self.counter);
        let last_end = self.tail.polls.map_or(self.last_end, |polls| Some(polls.end));
        let mut tally = Tally {
            last: self.counter.last_call,
            last_end,
            damage: self.damage,
            cancelled: std::mem::take(&mut self.counter.cancelled),
            left_out: Entries::default(),
            entries: Vec::new(),
        };
        self.counter.entries(thread, &mut tally);
        profile::add(thread, part, &mut tally);
        (tally, self.tail)
    }
}

impl CallTotal {
    /// Adds other calls to these.
    pub fn add(&mut self, other: &CallTotal) {
        self.min = match (self.count - self.open, other.count - other.open) {
            (_, 0) => self.min,
            (0, _) => other.min,
            _ => self.min.min(other.min),
        };
        self.count.grow(other.count);
        self.open.grow(other.open);
        self.total.grow(other.total);
        self.max = self.max.max(other.max);
        self.failed.grow(other.failed);
        self.sent.grow(other.sent);
        self.received.grow(other.received);
        self.prepared.0.grow(other.prepared.0);
        self.prepared.1.grow(other.prepared.1);
        self.starts.grow(other.starts);
        self.engine += other.engine;
    }
}
