//! How each rank uses its calls at each call site: in rows, to all others in turn, or in vain.
//!
//! In: all ranks' calls and the waits found for them. Out: for each call site of each rank a [`SiteHabits`]. Only first threads count.

mod call_rows;
mod fans;
mod reader;

use rustc_hash::FxHashMap;

use super::Run;
use super::matching::Settled;
use super::objects::Objects;
use super::parallel;
use super::roles::{CallPart, CallSite, CallSites, Roles};
use super::stream::Stream;
pub use fans::FanTimes;
use reader::HabitReader;

/// A rank's calls at one site. Times in nanoseconds.
#[derive(Clone, Debug)]
pub struct SiteHabits {
    /// The function's id.
    pub function: u16,
    pub part: CallPart,
    /// The calls begin operations that others complete.
    pub starts: bool,
    pub count: u64,
    /// Time inside the calls.
    pub time: i64,
    /// The part of it that a wait was found for.
    pub waited: i64,
    /// Bytes handed out or posted to receive, whichever is more.
    pub bytes: u64,
    /// Calls directly behind one of the same kind: a message soon sent to the same rank with nothing received between, a collective call of
    /// the same function with little computation between.
    pub repeated: u64,
    /// Waits of such calls, each no longer than such a row's steps are apart.
    pub waited_briefly: i64,
    /// Calls that went to all other ranks in turn, or got something from each.
    pub fans: FanTimes,
    /// Tests that found nothing.
    pub in_vain: u64,
    pub in_vain_time: i64,
    /// Time outside MPI between tests that found nothing.
    pub between_tests: i64,
    /// Calls before or behind which windows or files are used.
    pub guards: u64,
}

/// All call sites of all ranks.
#[derive(Default)]
pub struct CallHabits {
    /// By the rank's place in [`Run::ranks`], and the site's number.
    pub of_site: FxHashMap<(u32, u32), SiteHabits>,
    /// Calls and call sites by number.
    pub sites: Vec<CallSite>,
}

impl SiteHabits {
    /// Time inside the calls without what they waited for others.
    pub fn own(&self) -> i64 {
        (self.time - self.waited).max(0)
    }

    /// The mean length of the rows that the calls stand in.
    pub fn row_length(&self) -> f64 {
        self.count as f64 / self.count.saturating_sub(self.repeated).max(1) as f64
    }
}

impl CallHabits {
    /// Reads the single waits of an account that keeps them ([`Follow::SPANS`](super::matching::Follow::SPANS)).
    pub fn of(run: &Run, settled: &Settled) -> CallHabits {
        let (objects, sites) = (Objects::of(run), CallSites::default());
        let of_rank = |at: usize| {
            let mut waits: Vec<(i64, i64)> =
                settled.account.spans[at].iter().map(|span| (span.from, span.until)).collect();
            waits.sort_unstable();
            let mut reader = HabitReader::new(&objects, &waits);
            let contents = run.ranks[at].contents();
            if let Some(thread) = contents.threads.first() {
                let (rank, line) = (&run.ranks[at], &settled.common_clock.lines[at]);
                reader.read(Stream::whole(thread, rank, line, Roles::of(run, &objects, &sites, at)));
            }
            reader.habits
        };
        let ranks = parallel::map(run.ranks.len(), of_rank).into_iter().enumerate();
        let of_site = ranks
            .flat_map(|(rank, habits)| habits.into_iter().map(move |(site, habits)| ((rank as u32, site), habits)));
        CallHabits { of_site: of_site.collect(), sites: sites.list() }
    }
}
