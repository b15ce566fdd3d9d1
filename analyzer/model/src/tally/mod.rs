//! Adds up a thread's calls by signature.
//!
//! In: the pages of a thread, and what its calls count as over time. Out: for every signature, in every part, how many calls,
//! how long, how many bytes. The memory this takes depends on the number of signatures, not on the length of the trace.

mod counter;
mod profile;

use traces::error::Damage;
use traces::progress::Entries;
use traces::read::{InFlight, RecordedCall, ThreadPages, Visitor, walk};
use traces::signature::Signature;

use super::selection::Part;
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
    /// Calls that ended.
    pub count: u64,
    /// The sum of their durations.
    pub total: u64,
    /// The shortest.
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
    /// The last call that is recorded on its own.
    pub last: Option<RecordedCall>,
    /// Its end.
    pub last_end: Option<u64>,
    /// Requests that were cancelled, by the thread that began them and their numbers.
    pub cancelled: Vec<(u32, u64)>,
    /// Records that could not be used.
    pub damage: Vec<Damage>,
}

/// Adds up a thread's calls by what they count as. `seen` is told the bytes of every page.
/// Of what is in the thread's profile nobody knows when it was.
pub fn tally(thread: &ThreadPages<'_>, stretches: &[(u64, Part)], keeps_profile: bool, seen: impl Fn(u64)) -> Tally {
    let mut counter = Counter::new(thread, stretches);
    let mut damage = Vec::new();
    let mut last_end = None;
    for page in &thread.pages {
        counter.started = page.header.requests;
        match walk(page, &mut counter) {
            Ok(end) if counter.last_call.is_some() => last_end = Some(end),
            Ok(_) => {}
            Err(problem) => damage.push(problem),
        }
        seen(size_of_val(page.words) as u64);
    }
    if let Some(polls) = thread.open_polls(counter.last_call) {
        counter.polls(&polls);
        counter.last_call = Some(RecordedCall { start: polls.last, signature: counter.call });
        last_end = Some(polls.end);
    }
    let mut tally = Tally {
        last: counter.last_call,
        last_end,
        damage,
        cancelled: std::mem::take(&mut counter.cancelled),
        entries: Vec::new(),
    };
    counter.entries(thread, &mut tally);
    if keeps_profile {
        profile::add(thread, &mut tally);
    }
    tally
}

impl CallTotal {
    /// Adds other calls to these.
    pub fn add(&mut self, other: &CallTotal) {
        self.count.grow(other.count);
        self.total.grow(other.total);
        self.min = self.min.min(other.min);
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

/// The calls a thread was in when its file ends.
pub fn in_flight<'a>(thread: &ThreadPages<'a>, tally: &Tally) -> Vec<InFlight<'a>> {
    thread.in_flight(tally.last)
}
