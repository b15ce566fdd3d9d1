//! Detects whether a rank's threads did anything in MPI between two looks at its file.

use traces::calls::Call;
use traces::file::{LEVELS, Level, ThreadBlock};
use traces::live::LiveBlock;
use traces::progress::{INSIDE, Polls};
use traces::read::{Place, RankFile, ThreadPages, Visitor, Walk};
use traces::write::blank_block;

/// Fields of a rank's file that change with any activity in MPI.
#[derive(Clone, Debug)]
pub struct Pulse {
    state: u32,
    threads: Vec<ThreadPulse>,
}

#[derive(Clone, Copy, Debug)]
struct ThreadPulse {
    number: u32,
    depth: u32,
    levels: [Level; LEVELS],
    /// Number of the next page of records, position in the last one, and calls counted without a record.
    pages: u32,
    place: Place,
    counted: u64,
    polls: Polls,
    productive: u64,
}

/// Activity between two looks, least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stir {
    /// None: the position is unchanged.
    None,
    /// Only polls without success, as by MPI_Test and MPI_Iprobe.
    Polls,
    /// It stayed in its call, and the progress engine made progress.
    Progress,
    /// Calls.
    Calls,
}

/// Activity of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadStir {
    pub number: u32,
    pub stir: Stir,
    /// Number of polls without success, and their ticks.
    pub asked: u64,
    pub asking: u64,
}

impl Pulse {
    /// Reads a rank's pulse now.
    pub fn of(trace: &RankFile) -> Pulse {
        Pulse { state: trace.header().state, threads: trace.contents().threads.iter().map(of_thread).collect() }
    }

    /// Activity of the threads until a later look at the same file, now mapped as `trace`. New threads count as having made
    /// calls, and so do all if MPI was initialized or finalized meanwhile.
    pub fn until(&self, later: &Pulse, trace: &RankFile) -> Vec<ThreadStir> {
        let contents = trace.contents();
        let stir = |after: &ThreadPulse| {
            let before = self.threads.iter().find(|before| before.number == after.number);
            let pages = contents.threads.iter().find(|thread| thread.number == after.number);
            match before.zip(pages).filter(|_| self.state == later.state) {
                Some((before, pages)) => before.until(after, pages),
                None => ThreadStir { number: after.number, stir: Stir::Calls, asked: 0, asking: 0 },
            }
        };
        later.threads.iter().map(stir).collect()
    }
}

/// Maximum number of new pages read between two looks: polls do not fill more.
const READ: usize = 4;

impl ThreadPulse {
    fn until(&self, later: &ThreadPulse, pages: &ThreadPages<'_>) -> ThreadStir {
        let is_level = (self.depth, self.levels) == (later.depth, later.levels);
        let is_alike = is_level && self.is_recorded_as(later) && self.polls == later.polls;
        let polled = if is_alike { Some(Polled::default()) } else { self.polled_until(later, pages) };
        let stir = match polled {
            Some(_) if is_alike && self.productive == later.productive => Stir::None,
            Some(_) if is_alike => Stir::Progress,
            Some(_) => Stir::Polls,
            None => Stir::Calls,
        };
        let Polled { count, ticks, .. } = polled.unwrap_or_default();
        ThreadStir { number: self.number, stir, asked: count, asking: ticks }
    }

    fn is_recorded_as(&self, later: &ThreadPulse) -> bool {
        let of = |pulse: &ThreadPulse| (pulse.pages, pulse.place.seen, pulse.counted);
        of(self) == of(later)
    }

    /// Polls without success between the looks; `None` if the thread did anything else.
    fn polled_until(&self, later: &ThreadPulse, pages: &ThreadPages<'_>) -> Option<Polled> {
        let asks = |pulse: &ThreadPulse| {
            let call = || pages.signatures.get(pulse.levels[0].signature as u32);
            pulse.depth == 0 || call().is_some_and(|(call, _)| Call::from_number(call.call).is_some_and(Call::polls))
        };
        let first = self.pages.saturating_sub(1);
        let read: Vec<_> = pages.pages.iter().filter(|page| (first..later.pages).contains(&page.sequence)).collect();
        let is_read = read.len() == (later.pages - first.min(later.pages)) as usize && read.len() <= READ + 1;
        if !asks(self) || !asks(later) || self.counted != later.counted || !is_read {
            return None;
        }
        let mut polled = Polled::default();
        for page in read {
            let next = page.sequence.saturating_add(1);
            let mut walk = if next == self.pages { Walk::at(page, self.place) } else { Walk::new(page) };
            let end = if next == later.pages { later.place.seen } else { u64::MAX };
            let count = end.saturating_sub(walk.place().seen);
            walk.step(&mut polled, usize::try_from(count).unwrap_or(usize::MAX)).ok()?;
        }
        // The poll open at the first look is in a record by now, or still open.
        polled.count = (polled.count + later.polls.count).saturating_sub(self.polls.count);
        polled.ticks = (polled.ticks + later.polls.total).saturating_sub(self.polls.total);
        (!polled.did_more).then_some(polled)
    }
}

/// Sums up polls without success, and notices any other call.
#[derive(Clone, Copy, Default)]
struct Polled {
    count: u64,
    ticks: u64,
    did_more: bool,
}

impl Visitor for Polled {
    fn call(&mut self, _: u32, _: u64, _: u64) {
        self.did_more = true;
    }

    fn polls(&mut self, polls: &Polls) {
        self.count = self.count.saturating_add(polls.count);
        self.ticks = self.ticks.saturating_add(polls.total);
    }
}

fn of_thread(thread: &ThreadPages<'_>) -> ThreadPulse {
    // Only the last page grows. Damage ends it.
    let mut place = Place::default();
    if let Some(page) = thread.pages.last() {
        let mut walk = Walk::new(page);
        let _ = walk.step(&mut Polled::default(), usize::MAX);
        place = walk.place();
    }
    let counted = thread.profile.iter().map(|entry| entry.count).sum();
    let pages = thread.pages.last().map_or(0, |page| page.sequence.saturating_add(1));
    // Levels beyond the depth are zero.
    let ThreadBlock { depth, levels, polls, ledger, .. } = thread.block.map_or_else(blank_block, LiveBlock::copy);
    let productive = ledger[INSIDE].calls.productive;
    ThreadPulse { number: thread.number, depth, levels, pages, place, counted, polls, productive }
}
