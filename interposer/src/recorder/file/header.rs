//! The header of the file, which any thread may have to write: field by field, and nobody ever has it to himself.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

use traces::clock::ClockSample;
use traces::file::{FINALIZED, FileHeader, INITIALIZED, Mode, Stop};

/// The header in the file.
///
/// What more than one thread may write is atomic. The rest is written by the thread that initializes MPI, and how it ended with
/// the [lock](super::shared::lock) held.
#[derive(Clone, Copy)]
pub struct Header(NonNull<FileHeader>);

// SAFETY: mapped as long as the process lives, and written as said above.
unsafe impl Send for Header {}
// SAFETY: as above.
unsafe impl Sync for Header {}

/// Who the process is among all.
pub struct ProcessIdentity {
    pub run: [u8; 16],
    pub rank: u32,
    pub size: u32,
    pub world: u32,
    pub thread_level: u16,
}

/// What is said of the process at the end.
pub struct Summary {
    pub rank: u32,
    pub begin: ClockSample,
    pub end: ClockSample,
    /// What a call costs, and an entry into the engine, in thousandths of a tick.
    pub costs: (u64, u64),
}

macro_rules! set {
    ($header:expr, $field:ident, $value:expr) => {
        // SAFETY: a field of the header, which is mapped; nobody has a reference to it.
        unsafe { (&raw mut (*$header.0.as_ptr()).$field).write($value) }
    };
}

macro_rules! get {
    ($header:expr, $field:ident) => {
        // SAFETY: as above; it was written before anybody asked.
        unsafe { (&raw const (*$header.0.as_ptr()).$field).read() }
    };
}

macro_rules! atomic {
    ($atomic:ident, $header:expr, $field:ident) => {
        // SAFETY: a field of the header, which only atomic operations touch once others know the file.
        unsafe { $atomic::from_ptr(&raw mut (*$header.0.as_ptr()).$field) }
    };
}

impl Header {
    /// The header that is mapped there.
    ///
    /// # Safety
    /// As long as the process lives, and nothing refers to it but this and copies of it.
    pub unsafe fn at(place: NonNull<FileHeader>) -> Header {
        Header(place)
    }

    /// What is known when recording begins.
    ///
    /// # Safety
    /// No other thread knows the file yet.
    pub unsafe fn begin(self, header: FileHeader) {
        // SAFETY: the caller's promise.
        unsafe { self.0.write(header) };
    }

    /// MPI can say who this is.
    pub fn identify(self, identity: ProcessIdentity) {
        set!(self, run, identity.run);
        set!(self, rank, identity.rank);
        set!(self, size, identity.size);
        set!(self, world, identity.world);
        set!(self, thread_level, identity.thread_level);
    }

    /// MPI is initialized, and what recording costs was measured.
    pub fn initialized(self, costs: (u64, u64), ready: ClockSample) {
        set!(self, wrapper_cost, costs.0);
        set!(self, entry_cost, costs.1);
        set!(self, ready, ready);
        atomic!(AtomicU32, self, state).fetch_or(INITIALIZED, Release);
    }

    /// MPI is finalized since then; or is not any more, where another session begins.
    pub fn finalized(self, end: Option<ClockSample>) {
        let state = atomic!(AtomicU32, self, state);
        state.fetch_and(!FINALIZED, Relaxed);
        if let Some(end) = end {
            set!(self, end, end);
            state.fetch_or(FINALIZED, Release);
        }
    }

    /// Whether MPI is finalized.
    pub fn is_finalized(self) -> bool {
        atomic!(AtomicU32, self, state).load(Acquire) & FINALIZED != 0
    }

    /// Events end here, and the profile is counted or is not. `false` where they had ended before.
    pub fn stopped(self, stop: Stop, now: u64, is_counted: bool) -> bool {
        if atomic!(AtomicU32, self, stop).compare_exchange(0, stop as u32, AcqRel, Relaxed).is_err() {
            return false;
        }
        atomic!(AtomicU64, self, stopped_at).store(now, Relaxed);
        // The profile that takes over may be stopped already.
        atomic!(AtomicU64, self, profile_stopped_at).store(if is_counted { 0 } else { now }, Relaxed);
        true
    }

    /// Whether there is a profile.
    fn has_profile(self) -> bool {
        get!(self, mode) == Mode::Profile as u16 || atomic!(AtomicU32, self, stop).load(Acquire) != Stop::No as u32
    }

    /// Profiles are counted no longer.
    pub fn profile_stops(self, now: u64) {
        if self.has_profile() {
            atomic!(AtomicU64, self, profile_stopped_at).store(now, Relaxed);
        }
    }

    /// They are again.
    pub fn profile_goes_on(self, now: u64) {
        if self.has_profile() {
            let since = atomic!(AtomicU64, self, profile_stopped_at).swap(0, Relaxed);
            atomic!(AtomicU64, self, profile_stopped).fetch_add(now.wrapping_sub(since), Relaxed);
        }
    }

    /// They begin anew, and are counted or are not.
    pub fn profile_begins(self, now: u64, is_counted: bool) {
        if self.has_profile() {
            atomic!(AtomicU64, self, profile_begin).store(now, Relaxed);
            atomic!(AtomicU64, self, profile_stopped).store(0, Relaxed);
            atomic!(AtomicU64, self, profile_stopped_at).store(if is_counted { 0 } else { now }, Relaxed);
        }
    }

    /// So many threads have a recording.
    pub fn threads(self, threads: u64) {
        atomic!(AtomicU64, self, threads).fetch_max(threads, Relaxed);
    }

    /// A call was made that cannot even be counted.
    pub fn lost(self) {
        atomic!(AtomicU64, self, lost).fetch_add(1, Relaxed);
    }

    /// When the recording began.
    pub fn begun(self) -> ClockSample {
        get!(self, begin)
    }

    /// What is said at the end, when MPI is finalized.
    pub fn summary(self) -> Summary {
        Summary {
            rank: get!(self, rank),
            begin: get!(self, begin),
            end: get!(self, end),
            costs: (get!(self, wrapper_cost), get!(self, entry_cost)),
        }
    }
}
