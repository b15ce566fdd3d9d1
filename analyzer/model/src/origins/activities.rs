//! One walk through each rank's calls: the times of its activities, and which of them others waited for.

use rustc_hash::FxHashMap;

use super::chase::{BlamedTime, ChasedWaits};
use super::{Activity, ActivityTimes};
use crate::common_clock::CommonClock;
use crate::objects::Objects;
use crate::roles::{CallSite, CallSites, Roles};
use crate::stream::Stream;
use crate::sums::Grow;
use crate::{Run, parallel};

/// The share of the other ranks that have to wait for a rank to be alone at work.
const MOST_OTHERS: f64 = 0.8;

/// The activities of all ranks, and the calls that they are named by.
pub fn activities(
    run: &Run,
    common_clock: &CommonClock,
    chased: &ChasedWaits,
) -> (FxHashMap<(u32, Activity), ActivityTimes>, Vec<CallSite>) {
    let (objects, sites) = (Objects::of(run), CallSites::default());
    let others = run.ranks.len().saturating_sub(1);
    let of_rank = |at: usize| {
        let mut account = RankAccount::new(&chased.blamed[at], &chased.waiting[at], others);
        let contents = run.ranks[at].contents();
        if let Some(thread) = contents.threads.first() {
            let (rank, line) = (&run.ranks[at], &common_clock.lines[at]);
            account.read(Stream::whole(thread, rank, line, Roles::of(run, &objects, &sites, at)));
        }
        account.times
    };
    let ranks = parallel::map(run.ranks.len(), of_rank);
    let named = |(rank, times): (usize, FxHashMap<Activity, ActivityTimes>)| {
        times.into_iter().map(move |(activity, times)| ((rank as u32, activity), times))
    };
    (ranks.into_iter().enumerate().flat_map(named).collect(), sites.list())
}

/// A rank's activities so far.
struct RankAccount<'a> {
    /// Blamed times that have not begun.
    blamed: &'a [BlamedTime],
    /// Those that have, and may not be over.
    current: Vec<BlamedTime>,
    /// The rank's own waits that are not over.
    waiting: &'a [(i64, i64)],
    others: usize,
    times: FxHashMap<Activity, ActivityTimes>,
}

impl<'a> RankAccount<'a> {
    fn new(blamed: &'a [BlamedTime], waiting: &'a [(i64, i64)], others: usize) -> RankAccount<'a> {
        RankAccount { blamed, current: Vec::new(), waiting, others, times: FxHashMap::default() }
    }

    fn read(&mut self, mut stream: Stream<'_>) {
        let mut last: Option<(u32, i64, bool)> = None;
        while let Some(call) = stream.peek() {
            let place = stream.role(call).place;
            let (site, counts) = (place.number() as u32, place.counts());
            // Computation behind MPI_Init counts, and so does that before MPI_Finalize.
            if let Some((from, end, last_counts)) = last
                && end < call.start
                && (counts || last_counts)
            {
                self.add(Activity::Between(from, site), (end, call.start));
            }
            if counts {
                self.add(Activity::In(site), (call.start, call.end));
            }
            last = Some((site, call.end, counts));
            stream.advance();
        }
    }

    fn add(&mut self, activity: Activity, (from, until): (i64, i64)) {
        let waited = if matches!(activity, Activity::In(_)) { self.waited((from, until)) } else { 0 };
        while let Some((first, rest)) = self.blamed.split_first().filter(|(first, _)| first.from < until) {
            self.current.push(*first);
            self.blamed = rest;
        }
        let times = self.times.entry(activity).or_default();
        times.add((until - from - waited).max(0));
        if !self.current.is_empty() {
            self.current.retain(|blamed| blamed.until > from);
            times.blame(&self.current, (from, until), self.others);
        }
    }

    /// The time in which the rank itself waited. Times are asked about in order.
    fn waited(&mut self, (from, until): (i64, i64)) -> i64 {
        while let Some((_, rest)) = self.waiting.split_first().filter(|((_, end), _)| *end <= from) {
            self.waiting = rest;
        }
        let shared = |(begin, end): &(i64, i64)| (until.min(*end) - from.max(*begin)).max(0);
        self.waiting.iter().take_while(|(begin, _)| *begin < until).map(shared).sum()
    }
}

impl ActivityTimes {
    /// Adds what others waited from one moment until another; `others`: how many there are.
    fn blame(&mut self, blamed: &[BlamedTime], (from, until): (i64, i64), others: usize) {
        // Who begins and ceases to wait, in order.
        let mut changes: Vec<(i64, i32)> = Vec::new();
        for blamed in blamed {
            let (begin, end) = (blamed.from.max(from), blamed.until.min(until));
            if begin >= end {
                continue;
            }
            self.blamed.grow(end - begin);
            self.waits.entry(blamed.wait).or_default().grow(end - begin);
            if blamed.is_indirect {
                self.indirect.grow(end - begin);
            }
            changes.extend([(begin, 1), (end, -1)]);
        }
        if changes.is_empty() {
            return;
        }
        self.late.grow(1);
        changes.sort_unstable();
        let (mut waiting, mut since) = (0, changes[0].0);
        for (at, change) in changes {
            if waiting > 0 {
                self.waited_for.grow(at - since);
            }
            if f64::from(waiting) >= MOST_OTHERS * others as f64 {
                self.alone.grow(at - since);
            }
            waiting += change;
            since = at;
        }
    }
}
