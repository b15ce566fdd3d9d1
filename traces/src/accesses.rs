//! Accesses of a thread to files between its calls of MPI, and calls in which it sleeps.
//!
//! Accesses of one operation to one file from one call site are one run, up to the next call of MPI. All sums are over the
//! run's accesses, times in ticks. A sleep is an access to no file.

use crate::record::{RecordKind, bits};

/// A run of accesses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Accesses {
    /// Start of the first access, ticks.
    pub start: u64,
    /// End of the last access, ticks.
    pub end: u64,
    /// The number of an [`Operation`].
    pub operation: u8,
    /// The number of accesses.
    pub count: u64,
    /// The number of the call site, 0 unknown.
    pub site: u32,
    /// The number of the file, 0 for one without a name.
    pub file: u32,
    /// Time in the accesses.
    pub time: u64,
    /// The time of the longest access.
    pub longest: u64,
    /// Bytes that were read or written.
    pub bytes: u64,
    /// Bytes of the smallest and of the largest access; [`MOST_BYTES`] stands for more.
    pub smallest: u32,
    pub largest: u32,
    /// Accesses that began elsewhere in the file than where the one before had ended.
    pub jumps: u32,
    /// Accesses that returned an error.
    pub failed: u32,
}

/// The most accesses of a run.
pub const MOST_ACCESSES: u64 = u32::MAX as u64;
/// The most bytes of a single access that a record can say.
pub const MOST_BYTES: u32 = u32::MAX;

macro_rules! operations {
    ($($target:ident { $($(#[$doc:meta])* $operation:ident = $number:literal $name:literal;)+ })+) => {
        /// What a thread does with a file, or the function that it sleeps in.
        #[repr(u8)]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Operation {
            $($($(#[$doc])* $operation = $number),+),+
        }

        impl Operation {
            pub const ALL: &[Operation] = &[$($(Operation::$operation),+),+];

            /// The operation with a number read from disk.
            pub fn from_number(number: u8) -> Option<Operation> {
                Operation::ALL.iter().copied().find(|known| *known as u8 == number)
            }

            /// Its name in reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Operation::$operation => $name),+),+
                }
            }

            /// What it accesses, or waits for.
            pub const fn target(self) -> Target {
                match self {
                    $($(Operation::$operation)|+ => Target::$target),+
                }
            }
        }
    };
}

/// What a thread accesses, or waits for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    File,
    Time,
    /// Descriptors that are ready for input or output.
    Descriptors,
    Semaphore,
    Condition,
    Lock,
    Threads,
    Process,
}

operations! {
    File {
        Open = 1 "open";
        Close = 2 "close";
        Read = 3 "read";
        Write = 4 "write";
        /// What was written is to reach the disk: `fsync`, `fdatasync`.
        Sync = 5 "sync";
        /// What a stream has buffered is to reach the file: `fflush`.
        Flush = 6 "flush";
        Truncate = 7 "truncate";
    }
    Time {
        Nanosleep = 16 "nanosleep";
        ClockNanosleep = 17 "clock_nanosleep";
        Usleep = 18 "usleep";
        Sleep = 19 "sleep";
        ThrdSleep = 20 "thrd_sleep";
    }
    Descriptors {
        Poll = 24 "poll";
        Ppoll = 25 "ppoll";
        Select = 26 "select";
        EpollWait = 27 "epoll_wait";
    }
    Semaphore {
        SemWait = 32 "sem_wait";
        SemTimedwait = 33 "sem_timedwait";
    }
    Condition {
        CondWait = 40 "pthread_cond_wait";
        CondTimedwait = 41 "pthread_cond_timedwait";
    }
    Lock {
        MutexLock = 48 "pthread_mutex_lock";
    }
    Threads {
        BarrierWait = 56 "pthread_barrier_wait";
        Join = 57 "pthread_join";
    }
    Process {
        Wait = 64 "wait";
        Waitpid = 65 "waitpid";
        Wait4 = 66 "wait4";
        Waitid = 67 "waitid";
        System = 68 "system";
    }
}

impl Operation {
    /// True for a call in which the thread waits, and accesses no file.
    pub const fn sleeps(self) -> bool {
        !matches!(self.target(), Target::File)
    }
}

impl Accesses {
    /// A run of one access.
    pub fn one(operation: Operation, site: u32, file: u32, [start, end]: [u64; 2]) -> Accesses {
        let time = end.wrapping_sub(start);
        Accesses {
            start,
            end,
            operation: operation as u8,
            count: 1,
            site,
            file,
            time,
            longest: time,
            ..Accesses::default()
        }
    }

    /// Adds accesses of the same operation, site and file that come later. `false` if there are too many for one record.
    pub fn join(&mut self, later: &Accesses) -> bool {
        if self.count >= MOST_ACCESSES {
            return false;
        }
        self.end = later.end;
        self.count += later.count;
        self.time = self.time.wrapping_add(later.time);
        self.longest = self.longest.max(later.longest);
        self.bytes = self.bytes.wrapping_add(later.bytes);
        self.smallest = self.smallest.min(later.smallest);
        self.largest = self.largest.max(later.largest);
        self.jumps = self.jumps.saturating_add(later.jumps);
        self.failed = self.failed.saturating_add(later.failed);
        true
    }

    /// The words of a record, which counts from the end of the last one.
    pub const fn words(&self, last: u64) -> [u64; 9] {
        [
            RecordKind::Accesses.word()
                | bits!(Accesses.operation).put(self.operation as u64)
                | bits!(Accesses.count).put(self.count),
            bits!(Accesses.site).put(self.site as u64) | bits!(Accesses.file).put(self.file as u64),
            self.start.wrapping_sub(last),
            self.end.wrapping_sub(self.start),
            self.time,
            self.longest,
            self.bytes,
            bits!(Accesses.smallest).put(self.smallest as u64) | bits!(Accesses.largest).put(self.largest as u64),
            bits!(Accesses.jumps).put(self.jumps as u64) | bits!(Accesses.failed).put(self.failed as u64),
        ]
    }

    /// Decodes [`words`](Self::words). `last` is the end of the record before.
    pub const fn from_words(words: [u64; 9], last: u64) -> Accesses {
        let [first, second, gap, span, time, longest, bytes, sizes, kinds] = words;
        let start = last.wrapping_add(gap);
        Accesses {
            start,
            end: start.wrapping_add(span),
            operation: bits!(Accesses.operation).get(first) as u8,
            count: bits!(Accesses.count).get(first),
            site: bits!(Accesses.site).get(second) as u32,
            file: bits!(Accesses.file).get(second) as u32,
            time,
            longest,
            bytes,
            smallest: bits!(Accesses.smallest).get(sizes) as u32,
            largest: bits!(Accesses.largest).get(sizes) as u32,
            jumps: bits!(Accesses.jumps).get(kinds) as u32,
            failed: bits!(Accesses.failed).get(kinds) as u32,
        }
    }
}
