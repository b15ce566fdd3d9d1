//! A page of shared memory in which each recorded rank of a host has a slot.
//!
//! Each process takes a slot before MPI is initialized, and writes its rank there afterwards; in most libraries
//! MPI_Init synchronizes the ranks. The first process that finds all ranks there, or no new one for a long time, closes
//! the list: a slot without a rank then stays empty. Several processes may close it at once, so that none has to wait
//! for another to do so.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::*};
use std::time::{Duration, Instant};

use super::process::ProcessId;
use super::wait::{self, ASK, Liveness, Pause};

/// The time that a rank waits for others after the last one came. A thousand ranks that share two cores come over
/// minutes.
#[derive(Clone, Copy)]
pub struct Patience {
    /// For ranks that have not announced themselves: usually they are not recorded.
    pub unannounced: Duration,
    /// For processes that have: they are still in MPI_Init, perhaps on a busy machine.
    pub announced: Duration,
}

const PATIENCE: Patience = Patience { unannounced: Duration::from_millis(250), announced: wait::LONGEST };

pub const BYTES: usize = size_of::<MeetingWords>().next_multiple_of(4096);
const SLOTS: usize = 2044;

/// Attempts to allocate a page, if signals come meanwhile.
const ATTEMPTS: usize = 1000;
/// Words that each process shows to all others.
pub const SHOWN: usize = 8;
/// Bytes that the first rank can pass to the others.
pub const PASSED: usize = 4160;

/// The contents of the page.
#[repr(C, align(64))]
struct MeetingWords {
    /// [`OPEN`], [`CLOSED`] or [`MIXED`].
    state: AtomicU32,
    /// Number of processes that have asked for a slot.
    taken: AtomicU32,
    /// Bytes of the verdict after the page, plus one; 0 until it is there.
    verdict: AtomicU64,
    /// For each stage: [`OPEN`], [`ALL`] if all on the list came to it, or [`NOT_ALL`].
    stages: [AtomicU32; 16],
    /// True if `passed` is there.
    is_passed: AtomicU32,
    slots: [SlotWords; SLOTS],
    shown: [[AtomicU64; SHOWN]; SLOTS],
    passed: [AtomicU8; PASSED],
}

#[repr(C)]
struct SlotWords {
    /// From the low end: the stage of the process (4 bits), its id (28), its rank (32).
    word: AtomicU64,
    /// The process's stamp, written before `word`.
    stamp: AtomicU64,
}

const OPEN: u32 = 0;
const CLOSED: u32 = 1;
/// Closed, with processes of several worlds.
const MIXED: u32 = 2;
const ALL: u32 = 1;
const NOT_ALL: u32 = 2;

/// Stages of a process. From [`HERE`] on the process is on the list.
const ANNOUNCED_BY: u64 = 1;
const OUT: u64 = 2;
const HERE: u64 = 3;
/// The process is about to show words; one stage on, it has shown them.
pub const BEGINNING: u64 = 4;
/// The process is about to finalize MPI.
pub const ENDING: u64 = 6;
/// The process is about to show words once more.
pub const COMPARING: u64 = 7;

fn stage(word: u64) -> u64 {
    word & 15
}

fn is_listed(word: u64) -> bool {
    stage(word) >= HERE
}

fn is_on_its_way(word: u64) -> bool {
    stage(word) == ANNOUNCED_BY
}

impl SlotWords {
    fn fate(&self) -> Liveness {
        let number = (self.word.load(Acquire) >> 4 & 0x0fff_ffff) as u32;
        ProcessId { number, stamp: self.stamp.load(Acquire) }.fate()
    }
}

pub struct MeetingPage(NonNull<MeetingWords>);

// SAFETY: processes share the page, and all of it is atomic.
unsafe impl Send for MeetingPage {}

pub struct ProcessSlot {
    page: MeetingPage,
    slot: usize,
    pub patience: Patience,
}

impl MeetingPage {
    /// Maps the page at the beginning of a file; in a new file it is zeroed.
    pub fn of(file: &File) -> Option<MeetingPage> {
        // Allocated now, since a full file system would mean SIGBUS later. A signal that comes meanwhile ends the call.
        // SAFETY: makes the file as long as the page, and keeps its contents.
        let allocate = || unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, BYTES as i64) };
        let is_allocated = (0..ATTEMPTS).map(|_| allocate()).find(|error| *error != libc::EINTR) == Some(0);
        if !is_allocated {
            return None;
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: maps a file of this length.
        let page =
            unsafe { libc::mmap(std::ptr::null_mut(), BYTES, protection, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        NonNull::new(page).filter(|page| page.as_ptr() != libc::MAP_FAILED).map(|page| MeetingPage(page.cast()))
    }

    fn shared(&self) -> &MeetingWords {
        // SAFETY: the page is mapped as long as this lives, and zeros are valid.
        unsafe { self.0.as_ref() }
    }

    /// The slots that were taken.
    fn taken(&self) -> &[SlotWords] {
        let (taken, slots) = (self.shared().taken.load(Acquire) as usize, &self.shared().slots);
        slots.get(..taken).unwrap_or(slots)
    }

    pub fn is_closed(&self) -> bool {
        self.shared().state.load(Acquire) != OPEN
    }

    fn is_mixed(&self) -> bool {
        self.shared().state.load(Acquire) == MIXED
    }

    /// Takes a slot. `None` if there is none left, or the list is closed.
    pub fn announce(self, process: ProcessId) -> Option<ProcessSlot> {
        let slot = self.shared().taken.fetch_add(1, AcqRel) as usize;
        let own = self.shared().slots.get(slot)?;
        // If the first process has ended, the slots are left over from a launch of the same name that was killed.
        if slot > 0 && self.shared().slots[0].fate() == Liveness::Gone {
            self.strike_ended(|word| word != 0);
        }
        own.stamp.store(process.stamp, Release);
        let word = ANNOUNCED_BY | (process.number as u64) << 4;
        own.word.compare_exchange(0, word, AcqRel, Relaxed).ok()?;
        Some(ProcessSlot { page: self, slot, patience: PATIENCE })
    }

    /// Closes the list if all processes on the page have ended. A process that comes at this moment finds no slot any
    /// more, and begins a new page.
    pub fn close_if_abandoned(&self) -> bool {
        let taken = self.taken();
        // A slot without a word is being filled.
        let is_gone = |slot: &SlotWords| slot.word.load(Acquire) != 0 && slot.fate() == Liveness::Gone;
        let is_abandoned = !taken.is_empty() && taken.iter().all(is_gone);
        if is_abandoned {
            self.close(CLOSED);
        }
        is_abandoned
    }

    /// Takes off the page the processes that have ended, among those whose words satisfy `of`.
    fn strike_ended(&self, of: impl Fn(u64) -> bool) {
        for slot in self.taken() {
            let word = slot.word.load(Acquire);
            if of(word) && slot.fate() == Liveness::Gone {
                let _ = slot.word.compare_exchange(word, OUT, AcqRel, Relaxed);
            }
        }
    }

    /// The ranks on the list, in order.
    fn ranks(&self) -> Vec<u32> {
        let words = self.shared().slots.iter().map(|slot| slot.word.load(Acquire));
        let mut ranks: Vec<u32> = words.filter(|word| is_listed(*word)).map(|word| (word >> 32) as u32).collect();
        ranks.sort_unstable();
        ranks
    }

    /// The number of ranks that are here, and of other processes that have announced themselves.
    fn count(&self) -> (u32, u32) {
        let (mut here, mut on_their_way) = (0, 0);
        for slot in self.taken() {
            let word = slot.word.load(Acquire);
            here += u32::from(is_listed(word));
            on_their_way += u32::from(is_on_its_way(word));
        }
        (here, on_their_way)
    }

    /// Like [`count`](Self::count), without processes that have ended since they announced themselves.
    fn count_living(&self) -> (u32, u32) {
        self.strike_ended(is_on_its_way);
        self.count()
    }

    /// Closes the list, as [`CLOSED`] or [`MIXED`]. Returns true if it was still open.
    fn close(&self, state: u32) -> bool {
        for slot in &self.shared().slots {
            let shut = |word| (!is_listed(word)).then_some(OUT);
            let _ = slot.word.try_update(AcqRel, Acquire, shut);
        }
        self.shared().state.compare_exchange(OPEN, state, AcqRel, Acquire).is_ok()
    }
}

impl Drop for MeetingPage {
    fn drop(&mut self) {
        // SAFETY: no reference into the page is left.
        unsafe { libc::munmap(self.0.as_ptr().cast(), BYTES) };
    }
}

impl ProcessSlot {
    /// True if no other process has announced itself before.
    pub fn is_first_to_announce(&self) -> bool {
        self.slot == 0
    }

    fn own(&self) -> Option<&SlotWords> {
        self.page.shared().slots.get(self.slot)
    }

    /// Writes this process's rank. Returns true if it was in time for the list.
    pub fn arrive(&self, rank: u32) -> bool {
        let here = |word| (stage(word) != OUT).then_some((word & 0xffff_fff0) | HERE | (rank as u64) << 32);
        self.own().is_some_and(|own| own.word.try_update(AcqRel, Acquire, here).is_ok())
    }

    /// Waits until the ranks of this host are counted: `expected` of them, if the launcher says how many, or all `size`
    /// of the world. Returns them in order; `None` if this one came too late. The process that closes the list calls
    /// `closed`.
    pub fn counted(&self, rank: u32, size: u32, expected: Option<u32>, closed: impl Fn()) -> Option<Vec<u32>> {
        let is_here = self.arrive(rank);
        let mut pause = Pause::new();
        let (mut came, mut last) = (0, Instant::now());
        let mut asked = last;
        let ready = || {
            if self.page.is_closed() {
                return Some(());
            }
            let (mut here, mut on_their_way) = self.page.count();
            if here > came {
                (came, last) = (here, Instant::now());
            }
            // MPICH's launcher starts worlds that are spawned at once by one process, which names the page.
            let seems_mixed = here + on_their_way > size;
            // Checking that a process lives means reading a file. If each of a thousand checked all others, none would
            // go on.
            let asks = last.elapsed() > self.patience.unannounced && asked.elapsed() > ASK && self.is_first_here();
            if seems_mixed || asks {
                (here, on_their_way) = self.page.count_living();
                asked = Instant::now();
            }
            let Patience { unannounced, announced } = self.patience;
            let late = last.elapsed() > if on_their_way > 0 { announced } else { unannounced };
            let enough = here >= size || on_their_way == 0 && expected.is_some_and(|expected| here >= expected);
            let is_mixed = here + on_their_way > size;
            (late || enough || is_mixed).then(|| {
                if self.page.close(if is_mixed { MIXED } else { CLOSED }) {
                    closed();
                }
            })
        };
        wait::until(ready, || Liveness::Lives, || pause.take());
        let ranks = self.page.ranks();
        // A rank is there twice if two launches were mistaken for one.
        let are_of_one = ranks.is_sorted_by(|rank, next| rank < next) && ranks.last().is_some_and(|last| *last < size);
        (is_here && are_of_one && !self.page.is_mixed()).then_some(ranks)
    }

    /// Gives the slot up. `closed` is as in [`counted`](Self::counted).
    pub fn withdraw(self, closed: impl Fn()) {
        if let Some(own) = self.own() {
            own.word.store(OUT, Release);
        }
        if self.page.count_living().1 == 0 && self.page.close(CLOSED) {
            closed();
        }
    }

    /// Passes the verdict to the other processes, in the page's file after the page.
    pub fn tell(&self, file: &File, verdict: &[u8]) {
        let written = file.write_all_at(verdict, BYTES as u64);
        let length = if written.is_ok() { verdict.len() as u64 } else { 0 };
        self.page.shared().verdict.store(length + 1, Release);
    }

    /// Waits for the verdict of the lowest rank on the list. `None` if that process has ended instead.
    pub fn told(&self, file: &File) -> Option<Vec<u8>> {
        let first = self.first()?;
        let told = || self.page.shared().verdict.load(Acquire).checked_sub(1);
        let mut pause = Pause::new();
        let length = wait::until(told, || first.fate(), || pause.take())?;
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        file.read_exact_at(&mut bytes, BYTES as u64).ok()?;
        Some(bytes)
    }

    /// Waits until all processes on the list have come to a stage, and calls `turn` meanwhile. Returns the same to all:
    /// true if they have, `false` if one has ended before.
    pub fn all_reach(&self, reached: u64, turn: impl FnMut()) -> bool {
        let next_stage = |word| Some(word & !15 | reached);
        let _ = self.own().map(|own| own.word.try_update(AcqRel, Acquire, next_stage));
        let Some(outcome) = self.page.shared().stages.get(reached as usize) else { return false };
        let say = |said| outcome.compare_exchange(OPEN, said, AcqRel, Acquire).unwrap_or_else(|known| known);
        let is_coming = |word| is_listed(word) && stage(word) < reached;
        let coming = || self.page.taken().iter().filter(move |slot| is_coming(slot.word.load(Acquire)));
        let ready = || {
            if outcome.load(Acquire) == OPEN && coming().next().is_none() {
                say(ALL);
            }
            Some(outcome.load(Acquire)).filter(|outcome| *outcome != OPEN)
        };
        // One at a time is enough: while that process lives, MPI_Finalize would wait for it, too.
        let next = || coming().next().map_or(Liveness::Lives, SlotWords::fate);
        let came = wait::until(ready, next, turn).unwrap_or_else(|| {
            say(NOT_ALL);
            outcome.load(Acquire)
        });
        came == ALL
    }

    /// Shows words to the others, and returns the words of all in the order of their ranks, once all have shown theirs.
    /// `None` if a process has ended.
    pub fn show(&self, reached: u64, words: [u64; SHOWN]) -> Option<Vec<[u64; SHOWN]>> {
        for (word, shown) in words.into_iter().zip(self.page.shared().shown.get(self.slot)?) {
            shown.store(word, Relaxed);
        }
        let mut pause = Pause::new();
        let is_shown = self.all_reach(reached + 1, || pause.take());
        let taken = self.page.taken().iter().zip(&self.page.shared().shown);
        let listed = taken.filter(|(slot, _)| is_listed(slot.word.load(Acquire)));
        let mut shown: Vec<(u64, &[AtomicU64; SHOWN])> =
            listed.map(|(slot, shown)| (slot.word.load(Acquire) >> 32, shown)).collect();
        shown.sort_unstable_by_key(|(rank, _)| *rank);
        let words = |(_, words): (u64, &[AtomicU64; SHOWN])| words.each_ref().map(|word| word.load(Relaxed));
        is_shown.then(|| shown.into_iter().map(words).collect())
    }

    /// Passes bytes from the lowest rank on the list to all others. Returns true if they are there.
    pub fn pass(&self, bytes: &mut [u8], is_first: bool) -> bool {
        let page = self.page.shared();
        if is_first {
            for (byte, passed) in bytes.iter().zip(&page.passed) {
                passed.store(*byte, Relaxed);
            }
            page.is_passed.store(1, Release);
            return true;
        }
        let is_passed = || (page.is_passed.load(Acquire) == 1).then_some(());
        let mut pause = Pause::new();
        let Some(first) = self.first() else { return false };
        let came = wait::until(is_passed, || first.fate(), || pause.take());
        for (byte, passed) in bytes.iter_mut().zip(&page.passed) {
            *byte = passed.load(Relaxed);
        }
        came.is_some()
    }

    /// True if no listed process has a slot before this one's.
    fn is_first_here(&self) -> bool {
        self.page.taken().iter().position(|slot| is_listed(slot.word.load(Acquire))) == Some(self.slot)
    }

    /// The slot of the lowest rank on the list.
    fn first(&self) -> Option<&SlotWords> {
        let listed = self.page.taken().iter().filter(|slot| is_listed(slot.word.load(Acquire)));
        listed.min_by_key(|slot| slot.word.load(Acquire) >> 32)
    }
}
