//! One thread's recording: the calls it is in, its records, its dictionary, its requests.
//!
//! The straight line from [`Thread::enter`] over the MPI call to [`Thread::leave`] takes no lock, allocates nothing
//! and enters the system only where a page ends.

use std::cell::Cell;
use std::mem::offset_of;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};

use traces::file::{Level, Mode, PageHeader, PageKind, ThreadBlock};
use traces::record::{self, MAX_SHORT, UNNUMBERED};
use traces::signature::{CREATES, STARTS};

use super::asked::AskedRequests;
use super::at_work::AtWork;
use super::block::Block;
use super::call_room::CallRoom;
use super::engine::{Engine, Ledger};
use super::events::Events;
use super::profile::{self, Profile};
use super::request::{Message, Request};
use super::signatures::SignaturePages;
use super::suspended::SuspendedStacks;
use super::vacancy::Vacancy;
use crate::clock;
use crate::recorder::file::entry::Change;
use crate::recorder::file::pages::{NO_PAGE, Output};
use crate::recorder::file::shared;
use crate::recorder::file::totals;
use crate::recorder::guard;
use crate::recorder::process::forked;
use recorder_core::cache::{Cache, Dependence, Words};
use recorder_core::dictionary::Dictionary;
use recorder_core::handles::Handles;
use recorder_core::memory;
use recorder_core::open_regions::OpenRegions;
use recorder_core::page_cursor::PageCursor;

/// A thread's recording, and the handle to it: a reference that its thread may copy as it likes, and no other can have.
///
/// A wrapper keeps it over the program's call of MPI, in which hooks, callbacks, signal handlers and further wrappers come to
/// have it, too. So nobody has all of it to itself. What they may change while somebody else is in the midst of something is
/// in cells, and read and written a word at a time; what belongs to the recorder [`AtWork`] is borrowed for a moment and never
/// over a call of MPI or of the program. What MPI writes itself, and what other threads ask about, lies apart.
///
/// What the straight line needs is in front, in two cache lines: between two calls the program may have used the whole cache.
#[repr(C)]
pub struct Thread {
    /// The stack of the outermost wrapper: whatever runs above it has left that one behind.
    pub(super) frame: Cell<usize>,
    /// How many calls deep the thread is; the file's copy is in the block.
    pub(super) depth: Cell<u32>,
    /// The recorder itself is not at work. While it is, a signal handler that calls MPI is not recorded, nor is anything
    /// in a [forked](crate::recorder::process::forked) child.
    pub(super) at_rest: Cell<bool>,
    /// What is to be written besides the call that ends; see [`turns`](super::turns).
    pub(super) pending: Cell<u8>,
    /// There are calls on other stacks.
    pub(super) has_suspended: Cell<bool>,
    pub(super) block: Block,
    /// Signatures of the last calls.
    cache: AtWork<Cache>,
    /// Its records. Out of room for good once the profile has taken over, or recording has ended.
    pub(super) events: Events,
    /// What the thread sees of the progress engine.
    pub engine: Engine,
    /// Signatures by what repeats.
    pub(super) dictionary: AtWork<Dictionary>,
    pub(super) signatures: AtWork<SignaturePages>,
    pub(super) profile: AtWork<Option<Profile>>,
    /// Bytes of the file that events leave to it.
    kept: Cell<usize>,
    /// Regions of the program that the thread is in.
    pub(super) regions: AtWork<OpenRegions>,
    /// Requests that MPI is asked about.
    pub(super) asked: AtWork<AskedRequests>,
    /// What the calls under way need while they run.
    pub(super) room: Cell<&'static CallRoom>,
    /// Calls on other stacks.
    pub(super) suspended: AtWork<SuspendedStacks>,
    pub(super) listed: Listed,
}

const _: () = assert!(offset_of!(Thread, events.pages.cursor) + size_of::<PageCursor>() <= 128);

/// What any thread may ask of a recording: what never changes, and atomics.
pub(super) struct Listed {
    /// From 0, in the order they were first needed.
    pub(super) number: u32,
    /// The thread's requests that are not complete. Other threads may complete them.
    pub(super) requests: &'static Handles<Request>,
    /// Messages the thread has probed for and not received.
    pub(super) messages: &'static Handles<Message>,
    pub(super) ledger: Ledger,
    /// Ticks off the straight line.
    pub(super) off_line: &'static AtomicU64,
    /// Calls that its profile has counted.
    pub(super) profiled: AtomicU64,
    /// Whether the thread has ended, and another may go on with its recording.
    pub(super) vacancy: Vacancy,
    /// The recording that began before this one.
    pub(super) next: AtomicPtr<Thread>,
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
        let thread = Thread::new(number, block, Events::begin(number))?;
        // SAFETY: just made, and known to nobody else yet.
        let this = unsafe { thread.as_ref() };
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
    pub(super) fn profile_begins(&self, output: &Output) {
        self.events.end();
        output.keep(-(self.kept.take() as i64));
        let profile = Profile::begin(output, self.listed.number, self.next_number());
        *self.profile.lend() = Some(profile);
    }

    /// Whether there are counts and times only.
    #[inline(always)]
    pub(super) fn has_profile(&self) -> bool {
        self.profile.lend().is_some()
    }

    /// Has events leave room for the profile that goes on when they have to stop.
    pub(super) fn keep_room(&self, output: &Output) {
        let (needed, kept) = (profile::room_for(self.next_number()), self.kept.get());
        if needed > kept && !self.has_profile() {
            output.keep((needed - kept) as i64);
            self.kept.set(needed);
        }
    }

    /// The calling thread begins to fill it.
    pub fn live(&self) {
        // SAFETY: asks for a number.
        self.block.set_tid(unsafe { libc::syscall(libc::SYS_gettid) } as u32);
        self.suspended.lend().begin();
    }

    /// A thread that records into memory of its own, to measure what recording costs.
    pub fn rehearsal(words: usize) -> Option<&'static Thread> {
        let thread = Thread::new(REHEARSAL, memory::zeroed(1)?, Events::in_memory(words)?)?;
        // SAFETY: just made, known to nobody else, and never freed.
        Some(unsafe { thread.as_ref() })
    }

    /// Whether it records nowhere.
    pub fn is_rehearsal(&self) -> bool {
        self.listed.number == REHEARSAL
    }

    fn new(number: u32, block: NonNull<ThreadBlock>, events: Events) -> Option<NonNull<Thread>> {
        // SAFETY: fresh memory of the file or the system, which is never given back.
        let block = unsafe { Block::begin(block) };
        let ledger = block.ledger();
        // SAFETY: a field of the block, which only atomic operations touch.
        let off_line = unsafe { AtomicU64::from_ptr(block.off_line()) };
        let engine = Engine::new(ledger, block.last_entry());
        let thread = Thread {
            events,
            block,
            depth: Cell::new(0),
            at_rest: Cell::new(true),
            pending: Cell::new(0),
            has_suspended: Cell::new(false),
            frame: Cell::new(NO_FRAME),
            engine,
            cache: AtWork::new(Cache::new()?),
            dictionary: AtWork::new(Dictionary::new()?),
            signatures: AtWork::new(SignaturePages::begin(number)),
            profile: AtWork::new(None),
            kept: Cell::new(0),
            regions: AtWork::new(OpenRegions::default()),
            asked: AtWork::new(AskedRequests::new()),
            room: Cell::new(CallRoom::new()?),
            suspended: AtWork::new(SuspendedStacks::new()),
            listed: Listed {
                number,
                requests: empty_table()?,
                messages: empty_table()?,
                ledger,
                off_line,
                profiled: AtomicU64::new(0),
                vacancy: Vacancy::new(),
                next: AtomicPtr::new(null_mut()),
            },
        };
        let room = memory::zeroed::<Thread>(1)?;
        forked::clear_in_children(room.as_ptr().cast(), size_of::<Thread>());
        // SAFETY: memory for one thread.
        unsafe { room.as_ptr().write(thread) };
        // SAFETY: where it stays, and nobody else knows it yet.
        unsafe { room.as_ref().listed.vacancy.begin() };
        Some(room)
    }

    /// Has the system give the memory that the first signatures need.
    pub fn prepare(&self) {
        self.dictionary.lend().prepare();
    }

    /// What the calls under way need while they run.
    #[inline(always)]
    pub fn room(&self) -> &'static CallRoom {
        self.room.get()
    }

    /// How many calls deep the thread is.
    #[inline(always)]
    pub fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// Since when the outermost of them is open.
    #[inline(always)]
    pub fn since(&self) -> u64 {
        self.block.since()
    }

    /// Whether calls on other stacks have not ended.
    pub fn has_suspended(&self) -> bool {
        self.has_suspended.get()
    }

    /// Whether it takes no more records.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.events.is_over()
    }

    /// A call takes a request's number.
    #[inline(always)]
    pub fn number_request(&self) {
        self.events.started.set(self.events.started.get() + 1);
    }

    /// Whether the thread is in a call already.
    #[inline(always)]
    pub fn nested(&self) -> bool {
        self.depth.get() > 0
    }

    /// The signature of a call from the program with these words, if it was one of the last.
    #[inline(always)]
    pub fn cached(&self, words: &Words) -> Option<u32> {
        self.cache.lend().find(words)
    }

    /// The same in all places of the cache that the call may have.
    pub fn cached_around(&self, words: &Words) -> Option<u32> {
        if self.nested() { None } else { self.cache.lend().find_around(words) }
    }

    /// Remembers the signature of calls with these words. Where ticks are not what calls are timed by, nothing is
    /// remembered: the short way reads nothing else.
    #[inline(never)]
    pub fn cache(&self, words: &Words, signature: u32, handles: Dependence) {
        if clock::is_ticks() {
            // A call whose request is complete at once has the next number.
            let at_once = signature < MAX_SHORT && self.told(signature) == signature;
            self.cache.lend().insert(words, signature, handles, at_once);
        }
    }

    /// As [`enter`](Self::enter), for a cached call.
    #[inline(always)]
    pub fn enter_from_program(&self, signature: u32) -> u64 {
        self.depth.set(1);
        let start = clock::ticks();
        self.block.enter_first(Level { start, signature: signature as u64 });
        start
    }

    /// A call begins: writes down which, and since when, for whoever finds this process dead. Returns when.
    #[inline(always)]
    pub fn enter(&self, signature: u32) -> u64 {
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        let start = clock::now();
        self.block.set_level(depth, || Level { start, signature: self.told(signature) as u64 });
        self.block.set_depth(depth + 1);
        start
    }

    /// As [`leave`](Self::leave), for a cached call.
    #[inline(always)]
    pub fn leave_to_program(&self, signature: u32, start: u64, end: u64) {
        let gap = start.wrapping_sub(self.events.last.get());
        let duration = end.wrapping_sub(start);
        // SAFETY: the cache finds no higher numbers at once.
        unsafe { std::hint::assert_unchecked(signature <= MAX_SHORT) };
        let word = record::short(signature, gap, duration);
        if !word.is_some_and(|word| self.pending.get() == 0 && self.events.put(word)) {
            self.returns_to(0);
            self.leave_rarely(signature, start, duration);
        }
        self.events.last.set(end);
        self.left_to_program();
    }

    /// The thread is in no call.
    #[inline(always)]
    pub fn left_to_program(&self) {
        self.depth.set(0);
        self.block.set_depth(0);
    }

    /// The call that began at `start` ended at `end`.
    #[inline(always)]
    pub fn leave(&self, signature: u32, start: u64, end: u64) {
        let gap = start.wrapping_sub(self.events.last.get());
        let duration = end.wrapping_sub(start);
        let word = record::short(signature, gap, duration);
        if !word.is_some_and(|word| self.pending.get() == 0 && self.events.put(word)) {
            self.leave_rarely(signature, start, duration);
        }
        self.events.last.set(end);
        let depth = self.depth.get() - 1;
        self.depth.set(depth);
        self.block.set_depth(depth);
    }

    /// As [`leave`](Self::leave), where there is more to be written than one word, or no room for that.
    #[inline(never)]
    pub(super) fn leave_rarely(&self, number: u32, start: u64, duration: u64) {
        if self.pending.get() == 0 {
            self.record_call(number, start, duration);
        } else if self.depth.get() > 1 || !self.leave_turned(number, start, duration) {
            self.leave_pending(number, start, duration);
        }
    }

    /// Records a call that ended, and before it what has piled up.
    #[cold]
    #[inline(never)]
    fn leave_pending(&self, number: u32, start: u64, duration: u64) {
        self.end_polls();
        self.write_outside();
        self.record_call(number, start, duration);
        // Entries belong to the program's own call, not to one that was made inside it.
        if self.depth.get() <= 1 {
            // What follows may need a new page, whose time begins here.
            self.events.last.set(start.wrapping_add(duration));
            let now = self.engine.entries();
            self.write_entries(number, now);
            self.write_productive(u64::MAX);
            self.pending.set(0);
        }
    }

    pub(super) fn record_call(&self, number: u32, start: u64, duration: u64) {
        let gap = start.wrapping_sub(self.events.last.get()) as i64;
        if !self.has_profile() && number != UNNUMBERED {
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
    pub fn call_failed(&self, signature: u32, class: u16, code: i32) {
        self.did_nothing(signature, class, code);
    }

    /// The call just left never returned.
    pub fn call_left(&self, signature: u32) {
        self.did_nothing(signature, record::LEFT, 0);
    }

    fn did_nothing(&self, signature: u32, class: u16, code: i32) {
        self.write(&[record::failed(class, code)]);
        if let (Some(key), Some(profile)) = (self.key(signature), self.profile()) {
            profile.failed(signature, key.call, key.moves());
        }
    }

    /// Writes a record of the call just left. `false` where it has no place any more.
    #[inline(always)]
    pub fn write<const N: usize>(&self, words: &[u64; N]) -> bool {
        self.events.write(words) || (self.turn_page() && self.events.write(words))
    }

    #[cold]
    #[inline(never)]
    fn turn_page(&self) -> bool {
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
    pub(super) fn count(&self, signature: u32, duration: u64) {
        let (call, flags, moves) = match self.key(signature) {
            None => (self.unnumbered().call, self.unnumbered().flags, self.unnumbered().moves()),
            Some(key) => (key.call, key.flags, key.moves()),
        };
        // What a persistent request moves, it moves when it is started.
        let moves = if flags & CREATES == 0 { moves } else { (0, 0) };
        if let Some(profile) = self.profile() {
            profile.add(signature, call, duration, moves);
            self.listed.profiled.store(self.listed.profiled.load(Relaxed) + 1, Relaxed);
        } else if signature == UNNUMBERED {
            totals::count(call, &Change::of_call(duration, moves));
        }
    }

    /// The profile, where there is one: [lent](AtWork::lend).
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    pub(super) fn profile(&self) -> Option<&mut Profile> {
        self.profile.lend().as_mut()
    }

    /// Whether a call of this signature takes a request's number.
    #[cold]
    pub(super) fn takes_request(&self, signature: u32) -> bool {
        let flags = self.key(signature).map_or_else(|| self.unnumbered().flags, |key| key.flags);
        flags & (STARTS | CREATES) != 0
    }

    /// So many bytes came with the call just left, which has no number.
    #[cold]
    pub fn unnumbered_arrived(&self, bytes: u64) {
        let unnumbered = self.unnumbered();
        if let Some(profile) = self.profile() {
            profile.arrived(UNNUMBERED, unnumbered.call, unnumbered.received, bytes);
        }
    }
}
