//! Finds a rank's time between starting MPI and ending it.
//!
//! In: a file's header, its signatures, and the few pages with the calls in question. Out: [`ActiveSpan`], or `None` if MPI was
//! never started. A program that uses sessions may start and end MPI several times: its span goes from the first start to the
//! last end.

use traces::calls::Call;
use traces::file::{ANY_SIGNATURE, FINALIZED, FileHeader, INITIALIZED, ProfileEntry};
use traces::read::{Contents, EventPage, ThreadPages, Visitor, Walk};
use traces::signature::{NESTED, Signature};

/// From the program's return from MPI_Init to its call of MPI_Finalize. Ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActiveSpan {
    pub start: u64,
    /// Return to the program, with MPI started and the recording set up.
    pub begin: u64,
    pub end: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProfilePart {
    All,
    /// All calls but those that started and ended MPI.
    Active,
    /// No calls: their times are unknown.
    Nothing,
}

impl ProfilePart {
    /// True if a function counts that a profile has `calls` times. With several sessions, their starts and ends count.
    pub fn counts(self, function: u16, calls: u64) -> bool {
        match self {
            ProfilePart::All => true,
            ProfilePart::Active => !((starts(function) || ends(function)) && calls == 1),
            ProfilePart::Nothing => false,
        }
    }
}

fn starts(function: u16) -> bool {
    Call::from_number(function).is_some_and(Call::begins_mpi)
}

fn ends(function: u16) -> bool {
    Call::from_number(function).is_some_and(Call::ends_mpi)
}

/// True if a rank called MPI_Init and has not returned to the program, as far as its file tells.
pub fn is_starting(contents: &Contents<'_>, header: &FileHeader) -> bool {
    let calls = |thread: &ThreadPages<'_>| {
        let open = thread.in_flight_now();
        thread.signatures.iter().chain(open.iter().map(|open| &open.signature)).any(|known| starts(known.call))
    };
    header.state & INITIALIZED == 0 && contents.threads.iter().any(calls)
}

impl ActiveSpan {
    pub fn of(contents: &Contents<'_>, header: &FileHeader) -> Option<ActiveSpan> {
        let started = first(contents);
        let ready = header.ready.is_set().then_some(header.ready.ticks);
        let end = if header.state & FINALIZED == 0 { open_end(contents) } else { last_end(contents, header) };
        if started.is_none() && ready.is_none() && end.is_none() {
            return None;
        }
        let begin = ready.or(started.map(|call| call.1)).unwrap_or(header.begin.ticks);
        let start = started.map_or(header.begin.ticks, |call| call.0).min(begin);
        Some(ActiveSpan { start, begin, end: end.map(|end| end.max(begin)) })
    }

    /// Times before and behind it, in ticks.
    pub fn outside(&self) -> Vec<(u64, u64)> {
        let end = self.end.map(|end| (end, u64::MAX));
        [(0, self.begin)].into_iter().chain(end).filter(|(from, until)| from < until).collect()
    }
}

/// Start and end of the first call that started MPI.
fn first(contents: &Contents<'_>) -> Option<(u64, u64)> {
    // Dropped records include the first call.
    let kept = contents.threads.iter().filter(|thread| thread.dropped.is_none());
    let of_thread = |thread: &ThreadPages<'_>| {
        let mut reader = CallFinder::new(thread, starts)?;
        thread.pages.iter().find_map(|page| reader.first(page))
    };
    kept.filter_map(of_thread).min()
}

/// Begin of the last call that ended MPI. In a profile, it follows from the call's duration.
fn last_end(contents: &Contents<'_>, header: &FileHeader) -> Option<u64> {
    let counted = |thread: &ThreadPages<'_>| {
        let of = |kept: &&ProfileEntry| ends(function(thread, kept));
        thread.profile.iter().find(of).copied()
    };
    let shared = || contents.shared.iter().find(|kept| ends(kept.call as u16)).copied();
    let counted = contents.threads.iter().find_map(counted).or_else(shared).filter(|kept| kept.count > 0);
    if let Some(kept) = counted {
        return Some(header.end.ticks.saturating_sub(kept.total / kept.count));
    }
    let of_thread = |thread: &ThreadPages<'_>| {
        let mut reader = CallFinder::new(thread, ends)?;
        thread.pages.iter().rev().find_map(|page| reader.last(page))
    };
    contents.threads.iter().filter_map(of_thread).max().map(|call| call.0)
}

/// Begin of a call that is ending MPI now.
fn open_end(contents: &Contents<'_>) -> Option<u64> {
    let outermost =
        |thread: &ThreadPages<'_>| thread.in_flight_now().first().map(|open| (open.start, open.signature.call));
    contents.threads.iter().filter_map(outermost).find(|(_, call)| ends(*call)).map(|(start, _)| start)
}

fn function(thread: &ThreadPages<'_>, kept: &ProfileEntry) -> u16 {
    match kept.signature {
        ANY_SIGNATURE => kept.call as u16,
        number => thread.signatures.get(number).map_or(kept.call as u16, |(signature, _)| signature.call),
    }
}

/// Finds the first and the last call of some functions.
struct CallFinder {
    /// By signature number: true if its calls are wanted.
    wanted: Vec<bool>,
    /// Start and end of the first and of the last call found.
    found: Option<[(u64, u64); 2]>,
}

/// Records read at a time until the first call is found.
const STEP: usize = 64;

impl CallFinder {
    /// `None` if the thread made no such calls.
    fn new(thread: &ThreadPages<'_>, is_wanted: fn(u16) -> bool) -> Option<CallFinder> {
        let wants = |signature: &Signature| is_wanted(signature.call) && signature.flags & NESTED == 0;
        let made = thread.signatures.iter().any(wants);
        made.then(|| CallFinder {
            wanted: thread.signatures.by_number(false, |signature, _| wants(signature)),
            found: None,
        })
    }

    fn first(&mut self, page: &EventPage<'_>) -> Option<(u64, u64)> {
        let mut walk = Walk::new(page);
        while self.found.is_none() && walk.step(self, STEP).unwrap_or(false) {}
        self.found.map(|found| found[0])
    }

    fn last(&mut self, page: &EventPage<'_>) -> Option<(u64, u64)> {
        // Damage is reported when the calls are counted.
        let _ = Walk::new(page).step(self, usize::MAX);
        self.found.map(|found| found[1])
    }
}

impl Visitor for CallFinder {
    #[inline]
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        if self.wanted.get(signature as usize).is_some_and(|wanted| *wanted) {
            let call = (start, start.wrapping_add(duration));
            self.found = Some([self.found.map_or(call, |found| found[0]), call]);
        }
    }
}
