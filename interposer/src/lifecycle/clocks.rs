//! Compares the ranks' clocks after MPI is initialized and before it is finalized.
//!
//! In: words that the ranks of one host show each other in shared memory, or messages between the ranks that record
//! together, on their own communicator. Out: on each occasion, from every rank but the first, a [`SameClock`] or a
//! [`Sync`].
//!
//! Ranks of one host normally share a clock. This is checked: their ticks must agree by the host's own clock, and a
//! time before a barrier on one rank must not be later than a time after it on another. The lowest rank with a clock
//! represents it, and the representatives synchronize in ⌈log2 P⌉ rounds (Hoefler, Schneider, Lumsdaine 2008, section
//! 3): in round k the i-th with i mod 2^(k+1) = 2^k exchanges messages with the (i - 2^k)-th, until 100 exchanges have
//! not shortened the shortest round trip.

use std::cell::Cell;
use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use traces::calls::Call;
use traces::clock::ClockSample;
use traces::definitions::{Definition, Occasion, SameClock, Sync};
use traces::settings::Occasions;

use super::together::{BEGINNING, COMPARING, ENDING, Pause, RanksFound, SHOWN, Together};
use crate::abi::Family;
use crate::clock::{kind, now, sample};
use crate::real;
use crate::recorder::file::shared;

/// Exchanges without a shorter round trip after which to stop. According to the paper the shortest one is then within
/// 10 % of the minimum.
const PATIENCE: u32 = 100;
/// Longest time that two ranks exchange messages.
const LONGEST: Duration = Duration::from_millis(50);
/// A client's request for the time, and its message that it needs no more.
const MORE: u64 = 1;
const ENOUGH: u64 = 0;
const TAG: usize = 0;

/// The ranks that compare clocks, between the two occasions.
static RANKS: Mutex<Option<RecordingRanks>> = Mutex::new(None);

/// Compares clocks after MPI was initialized. Collective over the ranks that record together, with the same
/// `occasions`; `begin` is an earlier sample of this rank's clocks.
pub fn initialized(family: &'static Family, together: Together, begin: &ClockSample, occasions: Occasions) {
    if occasions == Occasions::None && together.found == RanksFound::All {
        return;
    }
    let Some(ranks) = RecordingRanks::new(family, together, begin) else { return };
    match occasions {
        Occasions::None => ranks.free(),
        // If MPI fails, clocks stay uncompared.
        _ if ranks.compare(Occasion::Init).is_err() => {}
        Occasions::Init => ranks.free(),
        Occasions::Both => *RANKS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(ranks),
    }
}

/// Compares clocks before MPI is finalized. Collective over the ranks that called [`initialized`], except those that
/// have ended: Open MPI can be told to go on without them, and then the others must not wait here.
pub fn finalizing() {
    let ranks = RANKS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    if let Some(ranks) = ranks.filter(|ranks| ranks.all_end() && ranks.compare(Occasion::Finalize).is_ok()) {
        ranks.free();
    }
}

/// A rank's clock, as it is sent to all others.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Introduction {
    /// Hash of the host's boot id and the kind of clock; 0 if unknown.
    boot: u64,
    /// Ticks before the barrier.
    early: u64,
    /// A reading after the barrier.
    late: ClockReading,
    /// An earlier reading, for the rate of ticks to nanoseconds.
    begin: ClockReading,
}

/// Ticks and the host's clock in nanoseconds, read together within `width` ticks.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct ClockReading {
    ticks: u64,
    width: u64,
    monotonic: u64,
}

impl ClockReading {
    fn from_sample(sample: &ClockSample) -> ClockReading {
        ClockReading { ticks: sample.ticks, width: sample.width, monotonic: sample.monotonic }
    }
}

impl Introduction {
    fn words(&self) -> [u64; SHOWN] {
        let Introduction { boot, early, late, begin } = self;
        [*boot, *early, late.ticks, late.width, late.monotonic, begin.ticks, begin.width, begin.monotonic]
    }

    fn from_words(words: [u64; SHOWN]) -> Introduction {
        let [boot, early, ticks, width, monotonic, begin_ticks, begin_width, begin_monotonic] = words;
        let late = ClockReading { ticks, width, monotonic };
        let begin = ClockReading { ticks: begin_ticks, width: begin_width, monotonic: begin_monotonic };
        Introduction { boot, early, late, begin }
    }

    /// Ticks by which another rank's clock may differ from this one; `None` if the two are not the same clock.
    fn agrees(&self, other: &Introduction) -> Option<u64> {
        let since = |later: u64, earlier: u64| later.wrapping_sub(earlier) as i64 as i128;
        // This clock's rate, by its two readings.
        let ticks = since(self.late.ticks, self.begin.ticks);
        let nanoseconds = since(self.late.monotonic, self.begin.monotonic);
        if self.boot == 0 || self.boot != other.boot || ticks <= 0 || nanoseconds <= 0 {
            return None;
        }
        let apart = since(other.late.monotonic, self.late.monotonic);
        let expected = apart * ticks / nanoseconds;
        let widths = (self.late.width + other.late.width) as i128;
        let of_rate = apart.abs() * (self.begin.width + self.late.width) as i128 / nanoseconds;
        // The host's clock has a resolution of a nanosecond.
        let of_reading = 2 * ticks / nanoseconds + 1;
        let within = widths + of_rate + of_reading;
        let difference = since(other.late.ticks, self.late.ticks) - expected;
        let in_order = |early: &Introduction, late: &Introduction| since(late.late.ticks, early.early) >= -within;
        let same = difference.abs() <= within && in_order(self, other) && in_order(other, self);
        same.then_some(within as u64)
    }
}

/// The distinct clocks of the ranks.
struct Clocks {
    /// The lowest rank with each clock.
    representatives: Vec<usize>,
    /// For each other rank, its representative, and the ticks by which their clocks may differ.
    represented: Vec<Option<(usize, u64)>>,
}

impl Clocks {
    /// Depends on the introductions alone, so all ranks get the same result.
    fn from_introductions(all: &[Introduction]) -> Clocks {
        let mut by_boot: HashMap<u64, Vec<usize>> = HashMap::new();
        let mut clocks = Clocks { representatives: Vec::new(), represented: Vec::with_capacity(all.len()) };
        for (rank, own) in all.iter().enumerate() {
            let known = by_boot.entry(own.boot).or_default();
            let found = known.iter().find_map(|known| Some((*known, all.get(*known)?.agrees(own)?)));
            if found.is_none() {
                known.push(rank);
                clocks.representatives.push(rank);
            }
            clocks.represented.push(found);
        }
        clocks
    }
}

/// The ranks that record together.
struct RecordingRanks {
    family: &'static Family,
    together: Together,
    /// The ranks' own communicator, in which their numbers differ from those in the world; 0 before messages are
    /// needed.
    communicator: Cell<usize>,
    begin: ClockReading,
}

/// A call of MPI has failed, so no more are made.
struct Failed;

/// # Safety
/// See [`real::invoke`].
unsafe fn invoke<const N: usize>(call: Call, arguments: [usize; N]) -> Result<(), Failed> {
    // SAFETY: by the contract.
    if unsafe { real::invoke(call, arguments) } == 0 { Ok(()) } else { Err(Failed) }
}

impl RecordingRanks {
    /// `None` if this rank is alone.
    fn new(family: &'static Family, together: Together, begin: &ClockSample) -> Option<RecordingRanks> {
        let communicator = together.communicator.filter(|_| together.ranks.len() > 1)?;
        let made = if communicator == family.comm_world { 0 } else { communicator as usize };
        let begin = ClockReading::from_sample(begin);
        Some(RecordingRanks { family, together, communicator: Cell::new(made), begin })
    }

    /// The communicator. The first call is collective.
    fn communicator(&self) -> Result<usize, Failed> {
        if self.communicator.get() == 0 {
            let mut handle = 0u64;
            // SAFETY: MPI is initialized, and all ranks of its world do this. A handle of 4 or 8 bytes is written into
            // zeros.
            unsafe { invoke(Call::Comm_dup, [self.family.comm_world as usize, &raw mut handle as usize])? };
            // Errors on our communicator must not end the program.
            // SAFETY: the communicator was just made.
            unsafe { invoke(Call::Comm_set_errhandler, [handle as usize, self.family.errors_return as usize])? };
            self.communicator.set(handle as usize);
        }
        Ok(self.communicator.get())
    }

    fn free(self) {
        let mut handle = self.communicator.get() as u64;
        if handle != 0 {
            // SAFETY: the communicator is ours, and no longer used.
            let _ = unsafe { invoke(Call::Comm_free, [&raw mut handle as usize]) };
        }
    }

    /// Waits until all ranks of this host are about to finalize MPI. Makes MPI progress meanwhile, as MPI_Finalize
    /// does, since others may need this rank's messages to get here. Returns true if all got here.
    fn all_end(&self) -> bool {
        let communicator = match self.communicator.get() {
            0 => self.family.comm_self as usize,
            own => own,
        };
        let mut pause = Pause::new();
        let turn = || {
            let (mut flag, status) = (0i32, self.family.status_ignore);
            // SAFETY: probes a communicator, receives none of its messages, and writes an int.
            let _ = unsafe { invoke(Call::Iprobe, [0, TAG, communicator, &raw mut flag as usize, status]) };
            pause.take();
        };
        self.together.place.as_ref().is_none_or(|place| place.all_reach(ENDING, turn))
    }

    /// Finds the distinct clocks and their differences, and defines this rank's part of the result.
    fn compare(&self, when: Occasion) -> Result<(), Failed> {
        let clocks = Clocks::from_introductions(&self.introduce(when)?);
        // All ranks know the same clocks.
        if clocks.representatives.len() > 1 {
            self.communicator()?;
        }
        let own_rank = self.together.own;
        if let Some((peer, within)) = clocks.represented.get(own_rank).copied().flatten() {
            shared::define(&Definition::SameClock(SameClock { when, peer: self.number_in_world(peer)?, within }));
            return Ok(());
        }
        let representatives = clocks.representatives;
        let own = representatives.iter().take_while(|rank| **rank < own_rank).count();
        for round in (0..).map(|k| 1 << k).take_while(|round| *round < representatives.len()) {
            if own & round != 0 {
                let sync = self.ask(when, *representatives.get(own - round).ok_or(Failed)?)?;
                shared::define(&Definition::Sync(sync));
                return Ok(());
            }
            if let Some(client) = representatives.get(own + round) {
                self.answer(*client)?;
            }
        }
        Ok(())
    }

    /// The number in the world of a rank of the communicator.
    fn number_in_world(&self, rank: usize) -> Result<u32, Failed> {
        self.together.ranks.get(rank).copied().ok_or(Failed)
    }

    /// The introductions of all ranks: of one host in shared memory, since messages between ranks that share cores take
    /// milliseconds each.
    fn introduce(&self, when: Occasion) -> Result<Vec<Introduction>, Failed> {
        let own =
            |early| Introduction { boot: boot(), early, late: ClockReading::from_sample(&sample()), begin: self.begin };
        let early = now();
        if let Some(place) = self.together.place_of_all() {
            let reached = if when == Occasion::Init { BEGINNING } else { COMPARING };
            let mut pause = Pause::new();
            if !place.all_reach(reached, || pause.take()) {
                return Err(Failed);
            }
            let shown = place.show(reached, own(early).words()).ok_or(Failed)?;
            return Ok(shown.into_iter().map(Introduction::from_words).collect());
        }
        let communicator = self.communicator()?;
        // SAFETY: all ranks of the communicator do this.
        unsafe { invoke(Call::Barrier, [communicator])? };
        let own = own(early);
        let mut all = vec![Introduction::default(); self.together.ranks.len()];
        let (bytes, byte) = (size_of::<Introduction>(), self.family.byte as usize);
        let (from, to) = (&raw const own as usize, all.as_mut_ptr() as usize);
        // SAFETY: as above, and there is room for an introduction of each rank.
        unsafe { invoke(Call::Allgather, [from, bytes, byte, to, bytes, byte, communicator])? };
        Ok(all)
    }

    /// Reads the clock of a server until the shortest round trip no longer shrinks.
    fn ask(&self, when: Occasion, server: usize) -> Result<Sync, Failed> {
        let mut best =
            Sync { when, peer: self.number_in_world(server)?, before: 0, there: 0, after: u64::MAX, exchanges: 0 };
        let mut without_gain = 0;
        let mut began = None;
        loop {
            let before = now();
            self.send(server, MORE)?;
            let there = self.receive(server)?;
            let after = now();
            best.exchanges += 1;
            without_gain += 1;
            if after.wrapping_sub(before) < best.after.wrapping_sub(best.before) {
                (best.before, best.there, best.after) = (before, there, after);
                without_gain = 0;
            }
            // The first exchange may have to wait for the server, and for MPI to connect the two.
            let began = began.get_or_insert_with(Instant::now);
            if without_gain >= PATIENCE || began.elapsed() > LONGEST {
                self.send(server, ENOUGH)?;
                return Ok(best);
            }
        }
    }

    /// Sends a client the time as often as it asks.
    fn answer(&self, client: usize) -> Result<(), Failed> {
        while self.receive(client)? == MORE {
            self.send(client, now())?;
        }
        Ok(())
    }

    fn send(&self, to: usize, word: u64) -> Result<(), Failed> {
        let (address, byte) = (&raw const word as usize, self.family.byte as usize);
        // SAFETY: the buffer has this many bytes, and the rank is one of the communicator.
        unsafe { invoke(Call::Send, [address, size_of::<u64>(), byte, to, TAG, self.communicator.get()]) }
    }

    fn receive(&self, from: usize) -> Result<u64, Failed> {
        let mut word = 0u64;
        let (address, byte) = (&raw mut word as usize, self.family.byte as usize);
        let status = self.family.status_ignore;
        // SAFETY: as in `send`.
        unsafe { invoke(Call::Recv, [address, size_of::<u64>(), byte, from, TAG, self.communicator.get(), status])? };
        Ok(word)
    }
}

/// Hash of this host's boot id, since all processes of a boot have the same clocks, and of the kind of clock that is
/// read. Computed before the program can forbid itself to read files.
fn boot() -> u64 {
    static BOOT: OnceLock<u64> = OnceLock::new();
    *BOOT.get_or_init(hash_of_boot)
}

fn hash_of_boot() -> u64 {
    let Ok(boot) = fs::read("/proc/sys/kernel/random/boot_id") else { return 0 };
    let mut hasher = DefaultHasher::new();
    boot.hash(&mut hasher);
    kind().hash(&mut hasher);
    hasher.finish()
}
