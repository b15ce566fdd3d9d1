//! One thread's recording: its open calls, its records, its dictionary, its requests.
//!
//! The straight line from [`Thread::enter`] over the MPI call to [`Thread::leave`] takes no lock, allocates nothing and
//! enters the kernel only when a page is full.

use std::cell::Cell;
use std::mem::offset_of;
use std::ops::Range;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU64};

use traces::file::{Level, Mode, PageHeader, PageKind};
use traces::live::LiveBlock;
use traces::record::{self, MAX_SHORT, UNNUMBERED};

use super::at_work::AtWork;
use super::block::Block;
use super::call_room::CallRoom;
use super::engine::{Engine, Ledger};
use super::events::Events;
use super::kept_accesses::KeptRuns;
use super::long_gaps::LongGaps;
use super::profile::Profile;
use super::queried_requests::AskedRequests;
use super::request::{Message, Request};
use super::sample_counts::Samples;
use super::signatures::SignaturePages;
use super::suspended::SuspendedStacks;
use super::team_places::TeamState;
use super::usage_readings;
use super::vacancy::Vacancy;
use crate::clock;
use crate::recorder::file::pages::{NO_PAGE, Output};
use crate::recorder::file::shared;
use crate::recorder::file::totals::CountedCalls;
use crate::recorder::guard;
use crate::recorder::process::{forked, path_limit};
use crate::system_calls;
use crate::thread_timer::ThreadTimer;
use recorder_core::cache::{Cache, Dependence, Words};
use recorder_core::call_paths::CallPaths;
use recorder_core::dictionary::Dictionary;
use recorder_core::handles::Handles;
use recorder_core::memory;
use recorder_core::open_regions::OpenRegions;
use recorder_core::page_cursor::PageCursor;

/// A thread's recording. Its thread may copy the reference to it freely, and no other thread has one.
///
/// A wrapper keeps the reference across the program's call of MPI, during which hooks, callbacks, signal handlers and
/// further wrappers use the recording, too. So nothing may borrow it as a whole. Fields that they may change at any
/// moment are cells, and read and written a word at a time; fields [`AtWork`] are borrowed for a statement and never
/// across a call of MPI or of the program. Memory that MPI writes to, and fields that other threads read, are kept
/// apart.
///
/// The fields of the straight line come first, in two cache lines: between two calls the program may have used all
/// caches.
#[repr(C)]
pub struct Thread {
    /// The frame of the outermost wrapper; a wrapper that begins above it has left that one behind.
    pub(super) frame: Cell<usize>,
    /// Nesting level; the block has a copy for readers.
    pub(super) depth: Cell<u32>,
    /// True while the recorder is not at work. While it is false, signal handlers that call MPI are not recorded. In a
    /// [`forked`] child it stays false, so nothing is recorded there.
    pub(super) at_rest: Cell<bool>,
    /// Flags for what must be written besides the call that ends; see [`turns`](super::engine_records).
    pub(super) pending: Cell<u8>,
    /// True if there are open calls on other stacks.
    pub(super) has_suspended: Cell<bool>,
    pub(super) block: Block,
    /// Signatures of recent calls.
    cache: AtWork<Cache>,
    /// The records. They have no room, for good, once the profile has taken over or recording has ended.
    pub(super) events: Events,
    /// Paths of recent calls; `None` if they are not recorded.
    pub(super) call_paths: AtWork<Option<CallPaths>>,
    pub engine: Engine,
    pub(super) dictionary: AtWork<Dictionary>,
    pub(super) signatures: AtWork<SignaturePages>,
    pub(super) profile: AtWork<Option<Profile>>,
    /// Bytes of the file that are reserved for the profile.
    pub(super) kept: Cell<usize>,
    /// The program's regions that the thread is in.
    pub(super) regions: AtWork<OpenRegions>,
    /// Requests that the recorder queries.
    pub(super) asked: AtWork<AskedRequests>,
    /// The stack that the system gave the thread; empty if unknown.
    pub(super) stack: AtWork<Range<usize>>,
    /// Memory for the open calls.
    pub(super) room: Cell<&'static CallRoom>,
    /// Open calls on other stacks.
    pub(super) suspended: AtWork<SuspendedStacks>,
    pub(super) samples: Samples,
    pub(super) gaps: LongGaps,
    pub(super) team: TeamState,
    /// Accesses to files that have no record yet; null before the first.
    pub(super) kept_accesses: Cell<*mut KeptRuns>,
    pub(super) listed: Listed,
}

const _: () = assert!(offset_of!(Thread, events.pages.cursor) + size_of::<PageCursor>() <= 128);

/// The part of a recording that any thread may read: constants and atomics.
pub(super) struct Listed {
    /// The recording's number, from 0 in the order in which recordings began.
    pub(super) number: u32,
    /// The thread's requests that are not complete. Other threads may complete them.
    pub(super) requests: &'static Handles<Request>,
    /// Messages that the thread has probed for and not received.
    pub(super) messages: &'static Handles<Message>,
    pub(super) ledger: Ledger,
    /// Ticks off the straight line.
    pub(super) off_line: &'static AtomicU64,
    /// Unsuccessful polls between which the program did nothing else.
    pub(super) idle_polls: &'static AtomicU64,
    /// The timer by which the thread is sampled.
    pub(super) timer: ThreadTimer,
    /// Calls that the profile has counted.
    pub(super) profiled: AtomicU64,
    /// Open once the thread has ended: another thread may then take over its recording.
    pub(super) vacancy: Vacancy,
    /// The recording that began before this one.
    pub(super) next: AtomicPtr<Thread>,
}

/// A frame above every stack, if no call is open.
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
    /// Begins a recording with this number in `output`; `None` if memory ran out.
    ///
    /// If the file has no room for its block, the block is in memory, and its calls count in the totals that threads
    /// share.
    pub fn begin(output: &Output, number: u32, mode: Mode) -> Option<NonNull<Thread>> {
        let header = PageHeader { thread: number, ..NO_PAGE };
        let bytes = size_of::<PageHeader>() + size_of::<LiveBlock>();
        let page = output.take(header, PageKind::Thread, bytes, bytes);
        let block = match &page {
            Ok(page) => page.body::<LiveBlock>().0,
            Err(_) => memory::zeroed(1)?,
        };
        let thread = Thread::new(number, block, Events::begin(number))?;
        // SAFETY: it was just made, and no other thread knows it.
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

    /// Prepares the recording for the calling thread, which will fill it.
    pub fn live(&self) {
        // SAFETY: the call returns a number.
        let tid = if system_calls::are_filtered() { 0 } else { unsafe { libc::syscall(libc::SYS_gettid) } };
        self.block.set_tid(tid as u32);
        self.suspended.lend().begin();
        self.call_paths_begin();
        self.samples_begin();
    }

    /// The thread's number in the trace.
    pub fn number(&self) -> u32 {
        self.listed.number
    }

    pub(super) fn new(number: u32, block: NonNull<LiveBlock>, events: Events) -> Option<NonNull<Thread>> {
        // SAFETY: fresh memory of the file or the system, which stays mapped.
        let live: &'static LiveBlock = unsafe { block.as_ref() };
        let block = Block::begin(live);
        let ledger = block.ledger();
        let engine = Engine::new(ledger, &live.last_entry);
        let thread = Thread {
            events,
            block,
            depth: Cell::new(0),
            at_rest: Cell::new(true),
            pending: Cell::new(0),
            has_suspended: Cell::new(false),
            frame: Cell::new(NO_FRAME),
            engine,
            call_paths: AtWork::new(if path_limit::frames() > 0 { Some(CallPaths::new()?) } else { None }),
            stack: AtWork::new(0..0),
            cache: AtWork::new(Cache::new()?),
            dictionary: AtWork::new(Dictionary::new()?),
            signatures: AtWork::new(SignaturePages::begin(number)),
            profile: AtWork::new(None),
            kept: Cell::new(0),
            regions: AtWork::new(OpenRegions::default()),
            asked: AtWork::new(AskedRequests::new()),
            room: Cell::new(CallRoom::new()?),
            suspended: AtWork::new(SuspendedStacks::new()),
            samples: Samples::default(),
            gaps: LongGaps::default(),
            team: TeamState::new(),
            kept_accesses: Cell::new(null_mut()),
            listed: Listed {
                number,
                requests: empty_table()?,
                messages: empty_table()?,
                ledger,
                off_line: &live.off_line,
                idle_polls: &live.idle_polls,
                timer: ThreadTimer::none(),
                profiled: AtomicU64::new(0),
                vacancy: Vacancy::new(),
                next: AtomicPtr::new(null_mut()),
            },
        };
        let room = memory::zeroed::<Thread>(1)?;
        forked::clear_in_children(room.as_ptr().cast(), size_of::<Thread>());
        // SAFETY: memory for one thread.
        unsafe { room.as_ptr().write(thread) };
        // SAFETY: it stays in this memory, and no other thread knows it yet.
        unsafe { room.as_ref().listed.vacancy.begin() };
        Some(room)
    }

    /// Populates the memory that the first signatures need.
    pub fn prepare(&self) {
        self.dictionary.lend().prepare();
    }

    /// Memory for the open calls.
    #[inline(always)]
    pub fn room(&self) -> &'static CallRoom {
        self.room.get()
    }

    /// Number of open calls.
    #[inline(always)]
    pub fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// The start of the outermost open call, in ticks.
    #[inline(always)]
    pub fn since(&self) -> u64 {
        self.block.since()
    }

    /// True if there are open calls on other stacks.
    pub fn has_suspended(&self) -> bool {
        self.has_suspended.get()
    }

    /// True if no more records are taken.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.events.is_over()
    }

    /// Counts a request, so that the next gets the next number.
    #[inline(always)]
    pub fn number_request(&self) {
        self.events.started.set(self.events.started.get() + 1);
    }

    #[inline(always)]
    pub fn nested(&self) -> bool {
        self.depth.get() > 0
    }

    /// The signature of a call from the program with these words, if it is in its preferred place of the cache.
    #[inline(always)]
    pub fn cached(&self, words: &Words) -> Option<u32> {
        self.cache.lend().find(words)
    }

    /// The signature of a call with these words, in any of its places of the cache.
    pub fn cached_around(&self, words: &Words) -> Option<u32> {
        if self.nested() { None } else { self.cache.lend().find_around(words) }
    }

    /// Caches the signature of calls with these words. Nothing is cached unless calls are timed by ticks, since the
    /// straight line of cached calls reads no other clock.
    #[inline(never)]
    pub fn cache(&self, words: &Words, signature: u32, handles: Dependence) {
        if clock::is_ticks() {
            // A call whose request is complete at once has the next number, so that must fit in a one-word record, too.
            let at_once = signature < MAX_SHORT && self.told(signature) == signature;
            self.cache.lend().insert(words, signature, handles, at_once);
        }
    }

    /// Like [`enter`](Self::enter), for a cached call.
    #[inline(always)]
    pub fn enter_from_program(&self, signature: u32) -> u64 {
        self.depth.set(1);
        let start = self.after_gap(clock::ticks());
        self.block.enter_first(Level { start, signature: signature as u64 });
        start
    }

    /// Begins a call: writes its signature and start into the block, for readers in case the process dies. Returns the
    /// start in ticks.
    #[inline(always)]
    pub fn enter(&self, signature: u32) -> u64 {
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        let start = if depth == 0 { self.after_gap(clock::now()) } else { clock::now() };
        self.block.set_level(depth, || Level { start, signature: self.told(signature) as u64 });
        self.block.set_depth(depth + 1);
        start
    }

    /// Like [`leave`](Self::leave), for a cached call.
    #[inline(always)]
    pub fn leave_to_program(&self, signature: u32, start: u64, end: u64) {
        let gap = start.wrapping_sub(self.events.last.get());
        let duration = end.wrapping_sub(start);
        // SAFETY: `cache` makes no higher numbers findable at once.
        unsafe { std::hint::assert_unchecked(signature <= MAX_SHORT) };
        let word = record::short(signature, gap, duration);
        if !word.is_some_and(|word| self.pending.get() == 0 && self.events.put(word)) {
            self.returns_to(0);
            self.leave_rarely(signature, start, duration);
        }
        self.events.last.set(end);
        self.left_to_program();
    }

    /// Notes that no call is open.
    #[inline(always)]
    pub fn left_to_program(&self) {
        self.depth.set(0);
        self.block.set_depth(0);
    }

    /// Ends and records the innermost call, from `start` to `end` in ticks.
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

    /// Like [`leave`](Self::leave), for a call that is counted only, or needs more than one word, or a new page.
    #[inline(never)]
    pub(super) fn leave_rarely(&self, number: u32, start: u64, duration: u64) {
        self.end_entry(start.wrapping_add(duration));
        if !self.count_as_before(number, duration) {
            self.leave_with_more(number, start, duration);
        }
    }

    #[inline(never)]
    fn leave_with_more(&self, number: u32, start: u64, duration: u64) {
        let may_begin_gap = self.depth.get() <= 1 && self.expected_gap();
        if self.pending.get() == 0 {
            self.record_call(number, start, duration);
        } else if self.depth.get() > 1 || !self.leave_turned(number, start, duration) {
            self.leave_pending(number, start, duration);
        }
        if may_begin_gap {
            self.may_begin_long_gap(start.wrapping_add(duration));
        }
    }

    /// Records a call that ended, and everything else that is pending.
    #[cold]
    #[inline(never)]
    fn leave_pending(&self, number: u32, start: u64, duration: u64) {
        self.end_polls();
        self.tell_teams();
        self.tell_accesses();
        self.write_outside();
        self.record_call(number, start, duration);
        // Entries belong to the outermost call, not to one inside it.
        if self.depth.get() <= 1 {
            // The next records may need a new page, which counts from here.
            self.events.last.set(start.wrapping_add(duration));
            let now = self.engine.entries();
            self.write_entries(number, now);
            self.write_productive(u64::MAX);
            self.write_sampled_in_call(start);
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
        self.count(number, start, duration);
    }

    /// Records that the call just left returned an error of this class.
    pub fn call_failed(&self, signature: u32, class: u16, code: i32) {
        self.did_nothing(signature, class, code);
    }

    /// Records that the call just left never returned.
    pub fn call_left(&self, signature: u32) {
        self.did_nothing(signature, record::LEFT, 0);
    }

    fn did_nothing(&self, signature: u32, class: u16, code: i32) {
        self.write(&[record::failed(class, code)]);
        if let (Some(key), Some(profile)) = (self.key(signature), self.profile()) {
            profile.failed(signature, CountedCalls::of(key.call, key.flags), key.moves());
        }
    }

    /// Writes a record. `false` if no more records are taken.
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
            if self.events.step(output) {
                return Some(());
            }
            let stop = match self.turn_events(output) {
                // Readings stay in the file, so they must not outgrow the pages that do.
                Ok(true) => return Some(()),
                Ok(false) => {
                    usage_readings::page_full(self.number());
                    return Some(());
                }
                Err(stop) => stop,
            };
            self.profile_begins(output);
            shared::stopped(stop);
            None
        });
        turned.flatten().is_some()
    }
}
