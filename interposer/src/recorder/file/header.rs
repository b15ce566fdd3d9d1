//! The file's header. Any thread may have to write to it, one field at a time.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

use traces::clock::ClockSample;
use traces::file::{DEFINED, FINALIZED, FileHeader, INITIALIZED, Mode, Stop};

/// The header in the file.
///
/// Fields that several threads may write are atomic. The others are written by the thread that initializes MPI, and
/// those about the end under the [lock](super::shared::lock).
#[derive(Clone, Copy)]
pub struct Header(NonNull<FileHeader>);

// SAFETY: the header is mapped while the process lives, and written as said above.
unsafe impl Send for Header {}
// SAFETY: as above.
unsafe impl Sync for Header {}

/// The process's identity in the run.
pub struct ProcessIdentity {
    pub run: [u8; 16],
    pub rank: u32,
    pub size: u32,
    pub world: u32,
    pub thread_level: u16,
}

/// Cost of recording, in thousandths of a tick.
#[derive(Clone, Copy, Default)]
pub struct RecordingCosts {
    /// A call.
    pub call: u64,
    /// An entry into the engine that achieves nothing.
    pub entry: u64,
    /// An entry into the engine that achieves something.
    pub productive: u64,
}

/// Header fields for the line that is printed at the end.
pub struct Summary {
    pub rank: u32,
    pub begin: ClockSample,
    pub end: ClockSample,
    pub costs: RecordingCosts,
}

macro_rules! set {
    ($header:expr, $field:ident, $value:expr) => {
        // SAFETY: a field of the header, which is mapped; there are no references to it.
        unsafe { (&raw mut (*$header.0.as_ptr()).$field).write($value) }
    };
}

macro_rules! get {
    ($header:expr, $field:ident) => {
        // SAFETY: as above; the field was written before it is read.
        unsafe { (&raw const (*$header.0.as_ptr()).$field).read() }
    };
}

macro_rules! atomic {
    ($atomic:ident, $header:expr, $field:ident) => {
        // SAFETY: a field of the header, which only atomic operations touch once other threads know the file.
        unsafe { $atomic::from_ptr(&raw mut (*$header.0.as_ptr()).$field) }
    };
}

impl Header {
    /// The header at `place`.
    ///
    /// # Safety
    /// The place must stay mapped while the process lives, and be used only by `Header`s.
    pub unsafe fn at(place: NonNull<FileHeader>) -> Header {
        Header(place)
    }

    /// Writes the header when recording begins.
    ///
    /// # Safety
    /// No other thread knows the file yet.
    pub unsafe fn begin(self, header: FileHeader) {
        // SAFETY: the caller's promise.
        unsafe { self.0.write(header) };
    }

    /// Writes the process's identity, once MPI is initialized.
    pub fn identify(self, identity: ProcessIdentity) {
        set!(self, run, identity.run);
        set!(self, rank, identity.rank);
        set!(self, size, identity.size);
        set!(self, world, identity.world);
        set!(self, thread_level, identity.thread_level);
    }

    /// Raises the version that the file says to the first that reads what is about to be written.
    pub fn needs_version(self, version: u32) {
        atomic!(AtomicU32, self, version).fetch_max(version, Release);
    }

    /// Notes that MPI is initialized, with the measured costs of recording.
    pub fn initialized(self, costs: RecordingCosts, ready: ClockSample) {
        set!(self, wrapper_cost, costs.call);
        set!(self, entry_cost, costs.entry);
        set!(self, productive_cost, costs.productive);
        set!(self, ready, ready);
        atomic!(AtomicU32, self, state).fetch_or(INITIALIZED, Release);
    }

    /// Notes when MPI was finalized; `None` if another session has begun since.
    pub fn finalized(self, end: Option<ClockSample>) {
        let state = atomic!(AtomicU32, self, state);
        state.fetch_and(!FINALIZED, Relaxed);
        if let Some(end) = end {
            set!(self, end, end);
            state.fetch_or(FINALIZED, Release);
        }
    }

    pub fn is_finalized(self) -> bool {
        atomic!(AtomicU32, self, state).load(Acquire) & FINALIZED != 0
    }

    /// Notes that events end now, unless they had already ended, and if the profile that takes over `is_counted`.
    pub fn stopped(self, stop: Stop, now: u64, is_counted: bool) {
        if atomic!(AtomicU64, self, stopped_at).compare_exchange(0, now.max(1), AcqRel, Relaxed).is_err() {
            return;
        }
        // The profile that takes over may be stopped already.
        atomic!(AtomicU64, self, profile_stopped_at).store(if is_counted { 0 } else { now }, Relaxed);
        // Written last: a reader that sees `stop` also sees the other fields.
        atomic!(AtomicU32, self, stop).store(stop as u32, Release);
    }

    fn has_profile(self) -> bool {
        get!(self, mode) == Mode::Profile as u16 || atomic!(AtomicU32, self, stop).load(Acquire) != Stop::No as u32
    }

    /// Notes that the program has stopped profiles.
    pub fn profile_stops(self, now: u64) {
        if self.has_profile() {
            atomic!(AtomicU64, self, profile_stopped_at).store(now, Relaxed);
        }
    }

    /// Notes that the program has resumed profiles.
    pub fn profile_goes_on(self, now: u64) {
        if self.has_profile() {
            let since = atomic!(AtomicU64, self, profile_stopped_at).swap(0, Relaxed);
            atomic!(AtomicU64, self, profile_stopped).fetch_add(now.wrapping_sub(since), Relaxed);
        }
    }

    /// Notes that the program has reset profiles, and whether they are counted now.
    pub fn profile_begins(self, now: u64, is_counted: bool) {
        if self.has_profile() {
            atomic!(AtomicU64, self, profile_begin).store(now, Relaxed);
            atomic!(AtomicU64, self, profile_stopped).store(0, Relaxed);
            atomic!(AtomicU64, self, profile_stopped_at).store(if is_counted { 0 } else { now }, Relaxed);
        }
    }

    /// Raises the number of threads that have a recording.
    pub fn threads(self, threads: u64) {
        atomic!(AtomicU64, self, threads).fetch_max(threads, Relaxed);
    }

    /// Counts a call that cannot be counted elsewhere.
    pub fn lost(self) {
        atomic!(AtomicU64, self, lost).fetch_add(1, Relaxed);
    }

    /// Counts a definition that was written.
    pub fn defined(self) {
        // SAFETY: behind the header and the shared totals, in the page of the header, and only changed here.
        let defined = unsafe { AtomicU64::from_ptr(self.0.cast::<u8>().add(DEFINED).cast().as_ptr()) };
        defined.fetch_add(1, Release);
    }

    /// The clocks when the recording began.
    pub fn begun(self) -> ClockSample {
        get!(self, begin)
    }

    pub fn summary(self) -> Summary {
        Summary {
            rank: get!(self, rank),
            begin: get!(self, begin),
            end: get!(self, end),
            costs: RecordingCosts {
                call: get!(self, wrapper_cost),
                entry: get!(self, entry_cost),
                productive: get!(self, productive_cost),
            },
        }
    }
}
