//! One thread's recording: the calls it is in, its records, its dictionary, its requests.
//!
//! The straight line from [`Thread::enter`] over the MPI call to [`Thread::leave`] takes no lock, allocates nothing
//! and enters the system only where a page ends.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};

use traces::file::{LEVELS, Level, Mode, PageHeader, PageKind, ThreadBlock};
use traces::record::{self, MAX_SHORT, UNNUMBERED};
use traces::signature::{CREATES, STARTS, Signature};

use super::draft::Draft;
use super::engine::Engine;
use super::events::Events;
use super::profile::{self, Profile};
use super::request::{Message, Request, Scratch};
use super::signatures::SignaturePages;
use crate::clock;
use crate::recorder::file::pages::{NO_PAGE, Output};
use crate::recorder::file::shared;
use crate::recorder::file::totals::{self, Change};
use crate::recorder::guard;
use crate::recorder::process::forked;
use recorder_core::cache::{Cache, Dependence, Words};
use recorder_core::dictionary::{Dictionary, Key};
use recorder_core::handles::Handles;
use recorder_core::memory;
use recorder_core::open_regions::OpenRegions;

/// A thread's recording.
pub struct Thread {
    state: State,
    pub(super) slot: Slot,
    /// Signatures of the last calls.
    cache: Cache,
    /// Regions of the program that the thread is in.
    pub regions: OpenRegions,
}

/// A recording's place among all.
pub(super) struct Slot {
    /// The thread has ended, and another may go on with its recording.
    pub(super) vacant: AtomicBool,
    /// The recording that began before this one.
    pub(super) next: *mut Thread,
}

/// What a thread's memory holds.
#[repr(C)]
struct Room {
    thread: Thread,
    draft: Draft,
}

/// What a thread knows of its recording.
pub struct State {
    /// Its records. Out of room for good once the profile has taken over, or recording has ended.
    pub events: Events,
    pub(super) block: NonNull<ThreadBlock>,
    /// How many calls deep the thread is; the file's copy is in the block.
    pub depth: u32,
    /// The recorder itself is not at work. While it is, a signal handler that calls MPI is not recorded, nor is anything
    /// in a [forked](crate::recorder::process::forked) child.
    pub(super) at_rest: bool,
    /// The stack of the outermost wrapper: whatever runs above it has left that one behind.
    pub(super) frame: usize,
    /// Signatures by what repeats.
    pub dictionary: Dictionary,
    /// The thread's requests that are not complete. Other threads may complete them.
    pub requests: &'static Handles<Request>,
    /// Messages the thread has probed for and not received.
    pub messages: &'static Handles<Message>,
    /// Room for what a call needs only while it runs.
    pub scratch: Scratch,
    /// The draft of a call whose arguments are new.
    pub draft: NonNull<Draft>,
    /// What the thread sees of the progress engine.
    pub engine: Engine,
    /// There is more to be written than the call that ends: polls, or entries into the engine.
    pub pending: bool,
    /// From 0, in the order they were first needed.
    pub number: u32,
    pub(super) signatures: SignaturePages,
    /// Signatures of the calls the thread is in that found no number, by how deep.
    pub(super) unnumbered: [Signature; LEVELS],
    pub(super) profile: Option<Profile>,
    /// Bytes of the file that events leave to it.
    kept: usize,
}

/// The number of a thread that records nowhere.
const REHEARSAL: u32 = u32::MAX;

/// Above every stack: nothing is open that could have been left.
pub(super) const NO_FRAME: usize = usize::MAX;

fn empty_table<V: Copy>() -> Option<&'static Handles<V>> {
    let table = memory::zeroed::<Handles<V>>(1)?;
    // SAFETY: memory for one table, never freed.
    unsafe {
        table.as_ptr().write(Handles::new());
        Some(table.as_ref())
    }
}

impl Room {
    fn take() -> Option<(NonNull<Thread>, NonNull<Draft>)> {
        let room = memory::zeroed::<Room>(1)?.as_ptr();
        forked::clear_in_children(room.cast(), size_of::<Room>());
        // SAFETY: fresh memory, which nothing refers to as a whole.
        unsafe { Some((NonNull::new(&raw mut (*room).thread)?, NonNull::new(&raw mut (*room).draft)?)) }
    }
}

impl Deref for Thread {
    type Target = State;

    #[inline(always)]
    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Thread {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Thread {
    /// A recording of this number in `output`.
    ///
    /// Where the file has no room for its block, the block is in memory and its calls are in the totals that threads share.
    /// `None` where memory ran out.
    pub fn begin(output: &Output, number: u32, mode: Mode) -> Option<NonNull<Thread>> {
        let header = PageHeader { thread: number, ..NO_PAGE };
        let bytes = size_of::<PageHeader>() + size_of::<ThreadBlock>();
        let page = output.take(header, PageKind::Thread, bytes, bytes);
        let block = match &page {
            Ok(page) => page.body::<ThreadBlock>().0,
            Err(_) => memory::zeroed(1)?,
        };
        // SAFETY: fresh memory.
        unsafe { (*block.as_ptr()).begin = clock::now() };
        let thread = Thread::new(number, block)?;
        // SAFETY: just made, and known to nobody else yet.
        let this = unsafe { &mut *thread.as_ptr() };
        if let Err(stop) = page {
            shared::stopped(stop);
        }
        if mode == Mode::Profile || page.is_err() {
            this.profile_begins(output);
        } else {
            this.keep_room(output);
        }
        Some(thread)
    }

    /// From here on there are counts and times only.
    pub(super) fn profile_begins(&mut self, output: &Output) {
        self.events.end();
        output.keep(-(std::mem::take(&mut self.kept) as i64));
        self.profile = Some(Profile::begin(output, self.number, self.dictionary.next_number()));
    }

    /// Has events leave room for the profile that goes on when they have to stop.
    pub(super) fn keep_room(&mut self, output: &Output) {
        let needed = profile::room_for(self.dictionary.next_number());
        if needed > self.kept && self.profile.is_none() {
            output.keep((needed - self.kept) as i64);
            self.kept = needed;
        }
    }

    /// The calling thread begins to fill it.
    pub fn live(&mut self) {
        // SAFETY: the block is mapped as long as the process lives, and this thread's own.
        unsafe { (*self.block.as_ptr()).tid = libc::syscall(libc::SYS_gettid) as u32 };
    }

    /// Where the block says what was spent off the straight line.
    pub fn off_line(&self) -> *mut u64 {
        // SAFETY: the block is mapped as long as the process lives.
        unsafe { &raw mut (*self.block.as_ptr()).off_line }
    }

    /// A thread that records into memory of its own, to measure what recording costs.
    pub fn rehearsal(words: usize) -> Option<NonNull<Thread>> {
        let thread = Thread::new(REHEARSAL, memory::zeroed(1)?)?;
        // SAFETY: just made.
        unsafe { (*thread.as_ptr()).state.events = Events::in_memory(words)? };
        Some(thread)
    }

    /// Whether it records nowhere.
    pub fn is_rehearsal(&self) -> bool {
        self.number == REHEARSAL
    }

    fn new(number: u32, block: NonNull<ThreadBlock>) -> Option<NonNull<Thread>> {
        let (thread, draft) = Room::take()?;
        let cache = Cache::new()?;
        let state = State {
            events: Events::begin(number),
            block,
            depth: 0,
            at_rest: true,
            frame: NO_FRAME,
            dictionary: Dictionary::new()?,
            requests: empty_table()?,
            messages: empty_table()?,
            scratch: Scratch::new(),
            draft,
            // SAFETY: the block has a ledger, at an address that is aligned as the block is.
            engine: Engine::new(unsafe { (&raw mut (*block.as_ptr()).ledger).cast() }),
            pending: false,
            number,
            signatures: SignaturePages::begin(number),
            unnumbered: [Key::EMPTY.signature(UNNUMBERED, 0); LEVELS],
            profile: None,
            kept: 0,
        };
        // SAFETY: memory for one thread. The rest is valid as the zeros it is, and its regions are large.
        unsafe {
            (&raw mut (*thread.as_ptr()).state).write(state);
            (&raw mut (*thread.as_ptr()).cache).write(cache);
        }
        Some(thread)
    }

    /// The most words of records and calls in profiles it has.
    pub fn calls(&self) -> u64 {
        self.events.words() + self.profile.as_ref().map_or(0, |profile| profile.calls)
    }

    /// Whether the thread is in a call already.
    #[inline(always)]
    pub fn nested(&self) -> bool {
        self.depth > 0
    }

    /// The signature of a call from the program with these words, if it was one of the last.
    #[inline(always)]
    pub fn cached(&self, words: &Words) -> Option<u32> {
        if self.depth == 0 && self.at_rest { self.cache.find(words) } else { None }
    }

    /// The same in all places of the cache that the call may have. The recorder is at work.
    pub fn cached_around(&mut self, words: &Words) -> Option<u32> {
        if self.depth == 0 { self.cache.find_around(words) } else { None }
    }

    /// Remembers the signature of calls with these words. Where ticks are not what calls are timed by, nothing is
    /// remembered: the short way reads nothing else.
    #[inline(never)]
    pub fn cache(&mut self, words: &Words, signature: u32, handles: Dependence) {
        if clock::is_ticks() {
            // A call whose request is complete at once has the next number.
            let at_once = signature < MAX_SHORT && self.told(signature) == signature;
            self.cache.insert(words, signature, handles, at_once);
        }
    }

    /// As [`enter`](Self::enter), for a cached call.
    #[inline(always)]
    pub fn enter_from_program(&mut self, signature: u32) -> u64 {
        self.depth = 1;
        let start = clock::ticks();
        // SAFETY: as in `enter`.
        unsafe {
            let block = self.block.as_ptr();
            (&raw mut (*block).levels).cast::<Level>().write(Level { start, signature: signature as u64 });
            AtomicU32::from_ptr(&raw mut (*block).depth).store(1, Release);
        }
        start
    }

    /// A call begins: writes down which, and since when, for whoever finds this process dead. Returns when.
    #[inline(always)]
    pub fn enter(&mut self, signature: u32) -> u64 {
        let depth = self.depth;
        self.depth = depth + 1;
        let start = clock::now();
        // SAFETY: the block is mapped as long as the process lives, and written by this thread only.
        unsafe {
            let block = self.block.as_ptr();
            if depth < LEVELS as u32 {
                let level = (&raw mut (*block).levels).cast::<Level>().add(depth as usize);
                level.write(Level { start, signature: self.told(signature) as u64 });
            }
            // Readers of the file trust the levels below `depth`, so it goes last.
            AtomicU32::from_ptr(&raw mut (*block).depth).store(depth + 1, Release);
        }
        start
    }

    /// As [`leave`](Self::leave), for a cached call.
    #[inline(always)]
    pub fn leave_to_program(&mut self, signature: u32, start: u64, end: u64) {
        let gap = start.wrapping_sub(self.events.last);
        let duration = end.wrapping_sub(start);
        // SAFETY: the cache finds no higher numbers at once.
        unsafe { std::hint::assert_unchecked(signature <= MAX_SHORT) };
        match record::short(signature, gap, duration) {
            Some(word) if self.events.has_room() && !self.pending => self.events.put(word),
            _ => {
                self.returns_to(0);
                self.leave_rarely(signature, start, duration);
            }
        }
        self.events.last = end;
        self.left_to_program();
    }

    #[inline(always)]
    pub(super) fn left_to_program(&mut self) {
        self.depth = 0;
        // SAFETY: as in `enter`.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.block.as_ptr()).depth).store(0, Release) };
    }

    /// The call that began at `start` ended at `end`.
    #[inline(always)]
    pub fn leave(&mut self, signature: u32, start: u64, end: u64) {
        let gap = start.wrapping_sub(self.events.last);
        let duration = end.wrapping_sub(start);
        match record::short(signature, gap, duration) {
            Some(word) if self.events.has_room() && !self.pending => self.events.put(word),
            _ => self.leave_rarely(signature, start, duration),
        }
        self.events.last = end;
        self.depth -= 1;
        // SAFETY: as in `enter`.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.block.as_ptr()).depth).store(self.depth, Release) };
    }

    /// As [`leave`](Self::leave), where there is more to be written than one word, or no room for that.
    #[inline(never)]
    pub(super) fn leave_rarely(&mut self, number: u32, start: u64, duration: u64) {
        if !self.pending {
            self.record_call(number, start, duration);
        } else if self.depth > 1 || !self.leave_turned(number, start, duration) {
            self.leave_pending(number, start, duration);
        }
    }

    /// Records a call that ended, and before it what has piled up.
    #[cold]
    #[inline(never)]
    fn leave_pending(&mut self, number: u32, start: u64, duration: u64) {
        self.end_polls();
        self.write_outside();
        self.record_call(number, start, duration);
        // Entries belong to the program's own call, not to one that was made inside it.
        if self.depth <= 1 {
            // What follows may need a new page, whose time begins here.
            self.events.last = start.wrapping_add(duration);
            let now = self.engine.entries();
            self.write_entries(number, now);
            self.write_productive(u64::MAX);
            self.pending = false;
        }
    }

    pub(super) fn record_call(&mut self, number: u32, start: u64, duration: u64) {
        let gap = start.wrapping_sub(self.events.last) as i64;
        if self.profile.is_none() && number != UNNUMBERED {
            let written = if let Some(word) = record::short(number, gap as u64, duration) {
                self.write(&[word])
            } else if let Some(words) = record::wide(number, gap, duration) {
                self.write(&words)
            } else {
                self.write(&record::long(number, gap, duration))
            };
            if written {
                return;
            }
        }
        self.count(number, duration);
    }

    /// The call just left returned an error of this class.
    pub fn call_failed(&mut self, signature: u32, class: u16, code: i32) {
        self.did_nothing(signature, class, code);
    }

    /// The call just left never returned.
    pub fn call_left(&mut self, signature: u32) {
        self.did_nothing(signature, record::LEFT, 0);
    }

    fn did_nothing(&mut self, signature: u32, class: u16, code: i32) {
        self.write(&[record::failed(class, code)]);
        if let (Some(key), Some(profile)) = (self.key(signature), &mut self.profile) {
            profile.failed(signature, key.call, key.moves());
        }
    }

    /// Writes a record of the call just left. `false` where it has no place any more.
    #[inline(always)]
    pub fn write<const N: usize>(&mut self, words: &[u64; N]) -> bool {
        self.events.write(words) || (self.turn_page() && self.events.write(words))
    }

    #[cold]
    #[inline(never)]
    fn turn_page(&mut self) -> bool {
        if self.events.is_over() {
            return false;
        }
        let turned = guard::run(|| {
            let output = shared::output()?;
            let Err(stop) = self.events.turn(output) else { return Some(()) };
            self.profile_begins(output);
            shared::stopped(stop);
            None
        });
        turned.flatten().is_some()
    }

    #[cold]
    pub(super) fn count(&mut self, signature: u32, duration: u64) {
        let (call, flags, moves) = match self.key(signature) {
            None => (self.unnumbered().call, self.unnumbered().flags, self.unnumbered().moves()),
            Some(key) => (key.call, key.flags, key.moves()),
        };
        // What a persistent request moves, it moves when it is started.
        let moves = if flags & CREATES == 0 { moves } else { (0, 0) };
        match &mut self.profile {
            Some(profile) => profile.add(signature, call, duration, moves),
            None if signature == UNNUMBERED => totals::count(call, &Change::of_call(duration, moves)),
            None => {}
        }
    }

    /// Whether a call of this signature takes a request's number.
    #[cold]
    pub(super) fn takes_request(&self, signature: u32) -> bool {
        let flags = self.key(signature).map_or(self.unnumbered().flags, |key| key.flags);
        flags & (STARTS | CREATES) != 0
    }

    /// So many bytes came with the call just left, which has no number.
    #[cold]
    pub fn unnumbered_arrived(&mut self, bytes: u64) {
        let unnumbered = *self.unnumbered();
        if let Some(profile) = &mut self.profile {
            profile.arrived(UNNUMBERED, unnumbered.call, unnumbered.received, bytes);
        }
    }
}
