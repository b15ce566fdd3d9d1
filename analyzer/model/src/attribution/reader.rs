//! Reads one thread's calls in order and gives each moment to its entry.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use traces::accesses::Operation;
use traces::calls::Class;

use super::readings::{Interval, intervals};
use super::{CausedWait, IterationReader, Loop, RankTimes, Spent, TimeKey, WaitingPlace, share};
use crate::Rank;
use crate::accesses::{self, AccessKey};
use crate::common_clock::ClockLine;
use crate::origins::{Activity, BlamedTime, OwnWait};
use crate::roles::{CallPart, Role};
use crate::stream::TimedCall;
use crate::sums::{Grow, Total};

/// Waits of others, by the entry of the late rank's time in which they fell.
type Caused = FxHashMap<(TimeKey, WaitingPlace), CausedWait>;

/// Accesses to a file, or sleeps, one after another, `time` in all. Nanoseconds.
struct AccessTime {
    from: i64,
    until: i64,
    time: i64,
    key: AccessKey,
}

/// A thread's time so far.
pub struct TimeReader {
    /// The thread's waits are followed: it is the one that initialized MPI.
    is_first: bool,
    /// Everything before this time has its entry; `None` before the first call.
    at: Option<i64>,
    /// Site of the last call.
    last: Option<u32>,
    /// When MPI_Init had returned to the program.
    ready: i64,
    /// When a rank that did not finalize MPI showed its last sign of life.
    lasts_until: Option<i64>,
    is_over: bool,
    /// Selected parts of its time that are not over; `None` for all of it.
    selected: Option<VecDeque<(i64, i64)>>,
    /// Its waits that are not over, sorted, none over another.
    waits: VecDeque<OwnWait>,
    /// Waits of others that have not begun, and those that may not be over.
    blamed: VecDeque<BlamedTime>,
    current: Vec<BlamedTime>,
    /// Intervals between readings that are not over, and entries since the last reading.
    intervals: VecDeque<Interval>,
    /// Accesses to files and sleeps that are not over, and the time since the last reading in those that sleep.
    accesses: VecDeque<AccessTime>,
    slept: i64,
    /// What is added is a sleep, or an access that syncs.
    is_asleep: bool,
    pending: FxHashMap<TimeKey, i64>,
    pending_caused: Caused,
    sum: RankTimes,
    caused: Caused,
    iterations: Option<IterationReader>,
}

impl TimeReader {
    /// Makes the reader of the thread that initialized MPI.
    pub fn new(rank: &Rank, line: &ClockLine) -> TimeReader {
        let ready = rank.header.ready;
        TimeReader {
            is_first: true,
            ready: if ready.is_set() { line.nanoseconds_at(ready.ticks) } else { i64::MIN },
            lasts_until: (!rank.is_finalized()).then(|| line.nanoseconds_at(rank.until)),
            intervals: intervals(rank, line).into(),
            ..TimeReader::of_thread(rank, line, rank.first_thread())
        }
    }

    /// Reads the time by iteration, too.
    pub fn with_loop(self, of_loop: Option<Loop>) -> TimeReader {
        TimeReader { iterations: of_loop.map(|of| IterationReader::new(of.site, of.iterations)), ..self }
    }

    /// Makes the reader of another thread.
    pub fn of_thread(rank: &Rank, line: &ClockLine, thread: u32) -> TimeReader {
        TimeReader {
            is_first: false,
            at: None,
            last: None,
            ready: i64::MIN,
            lasts_until: None,
            is_over: false,
            selected: rank.selection.as_ref().map(|_| line.selected(rank, thread).into()),
            waits: VecDeque::new(),
            blamed: VecDeque::new(),
            current: Vec::new(),
            intervals: VecDeque::new(),
            accesses: accesses(rank, line, thread),
            slept: 0,
            is_asleep: false,
            pending: FxHashMap::default(),
            pending_caused: FxHashMap::default(),
            sum: RankTimes::default(),
            caused: FxHashMap::default(),
            iterations: None,
        }
    }

    /// Adds the next part of the run: the times for which others blame the rank, and the rank's own waits.
    pub fn know(&mut self, blamed: &[BlamedTime], waits: &[OwnWait]) {
        self.blamed.extend(blamed);
        self.waits.extend(waits);
    }

    pub fn call(&mut self, call: &TimedCall, role: &Role) {
        if self.is_over || role.nested {
            return;
        }
        let site = role.place.number() as u32;
        match (self.at, role.what) {
            (_, CallPart::Begin) => {
                self.at = Some(call.end);
                self.last = Some(site);
                self.until(self.ready, None, Spent::Recording);
                return;
            }
            (None, _) => self.at = Some(call.start),
            _ => {}
        }
        self.outside(call.start, self.last.map(|last| Activity::Between(last, site)));
        if role.what == CallPart::End {
            self.is_over = true;
            return;
        }
        if let Some(iterations) = &mut self.iterations {
            iterations.call(site, call.start);
        }
        self.inside(call, role, site);
        self.last = Some(site);
    }

    /// Gives the time until `until`, between two calls, to computation, accesses to files and sleeps. Those of a run were one after
    /// another, as early as the one that is given its time before lets them.
    fn outside(&mut self, until: i64, place: Option<Activity>) {
        while let Some(access) = self.accesses.pop_front_if(|access| access.from < until) {
            let Some(at) = self.at else { continue };
            let from = access.from.max(at);
            let end = from.saturating_add(access.time).min(access.until.max(from)).min(until);
            // What began before was in a call, or among polls.
            if access.from < at && access.until <= at || end <= from {
                continue;
            }
            self.until(from, place, Spent::Computing);
            let operation = access.key.operation;
            self.is_asleep = operation.sleeps() || operation == Operation::Sync;
            self.until(end, place, if operation.sleeps() { Spent::Sleeping } else { Spent::InFile });
            self.is_asleep = false;
            if let Some(activity) = place {
                self.sum.accesses.entry((activity, access.key)).or_default().grow(end - from);
            }
        }
        self.until(until, place, Spent::Computing);
    }

    /// Adds the time of a call, or of a run of polls.
    fn inside(&mut self, call: &TimedCall, role: &Role, site: u32) {
        let itself = match role.call().map(|call| call.class()) {
            _ if call.in_vain => Spent::Polling,
            Some(Class::Io | Class::File) => Spent::Files,
            _ if self.is_first => Spent::InCall,
            _ => Spent::Unfollowed,
        };
        while let Some(wait) = self.waits.front().copied().filter(|wait| wait.from < call.end) {
            self.inside_until(wait.from, call, site, (itself, Spent::BetweenPolls));
            let state = (Spent::Waiting(wait.state), Spent::WaitingByHand(wait.state));
            self.inside_until(wait.until.min(call.end), call, site, state);
            if wait.until > call.end {
                break;
            }
            self.waits.pop_front();
        }
        self.inside_until(call.end, call, site, (itself, Spent::BetweenPolls));
    }

    /// Gives the time until `until`, within a call, to an entry; of a run of polls also that between the polls. A run is one record, so
    /// only the sums are known: the polls' share is the same everywhere in it.
    fn inside_until(&mut self, until: i64, call: &TimedCall, site: u32, (polls, between): (Spent, Spent)) {
        let place = Some(Activity::In(site));
        let Some(from) = self.at.filter(|at| *at < until) else { return };
        let in_polls = |at: i64| share(at - call.start, call.inside, call.end - call.start);
        self.until(from + in_polls(until) - in_polls(from), place, polls);
        self.until(until, place, between);
    }

    /// Gives the time from where the reader is to `until` to an entry.
    fn until(&mut self, until: i64, place: Option<Activity>, spent: Spent) {
        let Some(from) = self.at.filter(|at| *at < until) else { return };
        self.at = Some(until);
        let key = TimeKey { place, spent };
        let Some(mut selected) = self.selected.take() else {
            self.sum.life.grow(until - from);
            return self.between_readings((from, until), key);
        };
        while selected.front().is_some_and(|(_, end)| *end <= from) {
            selected.pop_front();
        }
        for (begin, end) in selected.iter().take_while(|(begin, _)| *begin < until) {
            let (begin, end) = (from.max(*begin), until.min(*end));
            self.sum.life.grow(end - begin);
            self.between_readings((begin, end), key);
        }
        self.selected = Some(selected);
    }

    /// Divides a time where the machine was read.
    fn between_readings(&mut self, (mut from, until): (i64, i64), key: TimeKey) {
        while let Some(interval) = self.intervals.front().copied().filter(|interval| interval.from < until) {
            if from < interval.from {
                self.add((from, interval.from), key);
                from = interval.from;
            }
            if from == interval.from {
                self.close(None);
            }
            if until < interval.until {
                break;
            }
            if from < interval.until {
                self.add((from, interval.until), key);
                from = interval.until;
            }
            self.intervals.pop_front();
            self.close(Some(&interval));
        }
        if from < until {
            self.add((from, until), key);
        }
    }

    fn add(&mut self, (from, until): (i64, i64), key: TimeKey) {
        if let Some(iterations) = &mut self.iterations {
            iterations.add(key, until - from);
        }
        self.pending.entry(key).or_default().grow(until - from);
        if self.is_asleep {
            self.slept.grow(until - from);
        }
        while let Some(blamed) = self.blamed.pop_front_if(|blamed| blamed.from < until) {
            self.current.push(blamed);
        }
        self.current.retain(|blamed| blamed.until > from);
        for blamed in &self.current {
            let time = blamed.until.min(until) - blamed.from.max(from);
            if time > 0 {
                let indirect = if blamed.is_indirect { time } else { 0 };
                let caused = self.pending_caused.entry((key, blamed.first.into())).or_default();
                caused.grow(CausedWait { time, indirect });
            }
        }
    }

    /// Moves the entries since the last reading to the sums, with what the readings at both ends of the interval tell.
    fn close(&mut self, interval: Option<&Interval>) {
        let of = |is_meant: &dyn Fn(Spent) -> bool| {
            self.pending.iter().filter(|(key, _)| is_meant(key.spent)).map(|(_, time)| *time).total()
        };
        let (outside, known) = (of(&Spent::is_read), of(&|spent| matches!(spent, Spent::InFile | Spent::Sleeping)));
        let inside = of(&|_| true) - outside - known;
        let slept = std::mem::take(&mut self.slept).min(known);
        let read = |interval: &Interval| Outside::of(&interval.without_accesses(slept, known - slept), outside, inside);
        let read = interval.map_or_else(Outside::default, read);
        let taken = read.taken();
        if interval.is_some() {
            self.sum.read.grow(outside + known + inside);
        }
        for (spent, time, error) in read.kinds {
            if error > 0 {
                self.sum.errors.entry(spent).or_default().grow(error);
            }
            if time > 0 {
                self.sum.times.entry(TimeKey { place: None, spent }).or_default().grow(time);
            }
        }
        // Cumulative, so that no nanosecond is lost to rounding.
        let (mut before, mut taken_before) = (0, 0);
        let mut pending: Vec<(TimeKey, i64)> = self.pending.drain().collect();
        pending.sort_unstable();
        for (key, time) in pending {
            let mut kept = time;
            if key.spent.is_read() {
                before += time;
                let until = share(before, taken, outside);
                kept -= until - taken_before;
                taken_before = until;
            }
            self.sum.times.entry(key).or_default().grow(kept);
        }
        for ((key, waiting), caused) in self.pending_caused.drain() {
            let mut rest = caused;
            for (spent, time, _) in read.kinds {
                if !key.spent.is_read() || time == 0 {
                    continue;
                }
                let part = caused.part(time, outside);
                rest = rest.without(part);
                self.caused.entry((TimeKey { spent, ..key }, waiting)).or_default().grow(part);
            }
            self.caused.entry((key, waiting)).or_default().grow(rest);
        }
    }

    /// The thread's times, and what others waited for in them.
    pub fn finish(mut self) -> (RankTimes, Caused) {
        if let Some(until) = self.lasts_until.filter(|_| !self.is_over) {
            self.outside(until, None);
        }
        // The last reading is one in MPI_Finalize.
        let last = self.intervals.front().copied().zip(self.at).filter(|(interval, at)| interval.ends_at(*at));
        self.close(last.map(|(interval, _)| interval).as_ref());
        self.sum.iterations = self.iterations.map(IterationReader::finish).unwrap_or_default();
        self.caused.retain(|_, caused| caused.time > 0);
        self.sum.times.retain(|_, time| *time > 0);
        (self.sum, self.caused)
    }
}

/// A thread's accesses to files and its sleeps, in order.
fn accesses(rank: &Rank, line: &ClockLine, thread: u32) -> VecDeque<AccessTime> {
    let of_run = |run: accesses::AccessRun| {
        let [from, until, ends] =
            [run.start, run.end, run.start.saturating_add(run.time)].map(|ticks| line.nanoseconds_at(ticks));
        AccessTime { from, until, time: ends.saturating_sub(from), key: run.key }
    };
    accesses::of_thread(rank, thread).into_iter().map(of_run).collect()
}

/// Time outside MPI in an interval, as the readings at both ends tell it: kind, time and maximum error.
#[derive(Default)]
pub struct Outside {
    kinds: [(Spent, i64, i64); 3],
}

impl Outside {
    /// A thread that polls never sleeps in MPI, so sleep lies outside as far as there is room; without a core it was inside and outside
    /// alike, as long as it ran or was ready there.
    pub fn of(interval: &Interval, outside: i64, inside: i64) -> Outside {
        let within = |sum: i64, room: i64| ((sum - inside).clamp(0, room), sum.min(room));
        let asleep = interval.asleep();
        let (least_asleep, most_asleep) = within(asleep, outside);
        let ready = outside - most_asleep;
        let (least_delayed, most_delayed) = within(interval.delayed, ready);
        let delayed =
            share(interval.delayed, ready, (interval.ran + interval.delayed).max(1)).clamp(least_delayed, most_delayed);
        let (in_kernel, most_in_kernel) = within(interval.in_kernel, ready - delayed);
        Outside {
            kinds: [
                (Spent::Asleep, most_asleep, most_asleep - least_asleep),
                (Spent::OffCore, delayed, (delayed - least_delayed).max(most_delayed - delayed)),
                (Spent::InKernel, in_kernel, most_in_kernel - in_kernel),
            ],
        }
    }

    /// Time without a core: at most, mostly and at least.
    pub fn off_core(&self) -> [i64; 3] {
        let (_, time, error) = self.kinds[1];
        [time + error, time, (time - error).max(0)]
    }

    fn taken(&self) -> i64 {
        self.kinds.iter().map(|(_, time, _)| *time).total()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(ran: i64, delayed: i64, in_kernel: i64) -> Interval {
        Interval { from: 0, until: 1_000, ran, delayed, in_kernel }
    }

    fn outside(interval: Interval, outside: i64) -> [(i64, i64); 3] {
        Outside::of(&interval, outside, 1_000 - outside).kinds.map(|(_, time, error)| (time, error))
    }

    #[test]
    fn a_thread_that_is_never_in_mpi_has_all_that_was_read_outside() {
        assert_eq!(outside(interval(600, 100, 50), 1_000), [(300, 0), (100, 0), (50, 0)]);
    }

    #[test]
    fn time_without_a_core_is_shared_between_calls_and_computation_and_may_be_off() {
        // Half of the time is outside: of 200 without a core, 0 to 200 were.
        assert_eq!(outside(interval(800, 200, 0), 500), [(0, 0), (100, 100), (0, 0)]);
        // With 100 in MPI, at least 100 were outside.
        assert_eq!(outside(interval(800, 200, 0), 900)[1], (180, 80));
    }

    #[test]
    fn no_kind_takes_more_than_the_time_outside() {
        for (ran, delayed) in [(0, 1_000), (0, 0), (1_000, 0), (300, 300)] {
            for outside in [0, 1, 400, 1_000] {
                let read = Outside::of(&interval(ran, delayed, ran / 2), outside, 1_000 - outside);
                assert!((0..=outside).contains(&read.taken()), "{ran} {delayed} {outside}: {}", read.taken());
            }
        }
    }

    /// A reader of which every reading is known, 1,000 apart.
    fn reader(intervals: &[Interval]) -> TimeReader {
        TimeReader {
            is_first: true,
            at: Some(0),
            last: None,
            ready: i64::MIN,
            lasts_until: None,
            is_over: false,
            selected: None,
            waits: VecDeque::new(),
            blamed: VecDeque::new(),
            current: Vec::new(),
            intervals: intervals.to_vec().into(),
            accesses: VecDeque::new(),
            slept: 0,
            is_asleep: false,
            pending: FxHashMap::default(),
            pending_caused: FxHashMap::default(),
            sum: RankTimes::default(),
            caused: FxHashMap::default(),
            iterations: None,
        }
    }

    #[test]
    fn sleep_and_kernel_time_are_those_of_sleeps_and_accesses_to_files_first() {
        let rest = |sleeping, others| {
            // Of 1,000, 300 asleep and 100 in the kernel.
            let rest = interval(700, 0, 100).without_accesses(sleeping, others);
            (rest.asleep(), rest.in_kernel)
        };
        assert_eq!(rest(200, 0), (100, 100));
        assert_eq!(rest(0, 70), (300, 30));
        assert_eq!(rest(350, 0), (0, 50));
        assert_eq!(rest(200, 250), (0, 0));
    }

    #[test]
    fn accesses_take_their_time_between_calls_and_no_more() {
        let mut reader = reader(&[]);
        let key = |file| AccessKey { file, site: 1, operation: Operation::Write };
        let access = |from, until, time, file| AccessTime { from, until, time, key: key(file) };
        // Two that take turns from 100 on, one beyond the call at 500, and one that was among polls.
        reader.accesses =
            [access(100, 290, 100, 1), access(110, 300, 90, 2), access(490, 510, 20, 1), access(495, 505, 10, 2)]
                .into();
        let place = Some(Activity::Between(1, 1));
        reader.outside(500, place);
        reader.until(600, Some(Activity::In(1)), Spent::InCall);
        reader.outside(700, place);
        let (times, _) = reader.finish();
        let of = |spent| times.times.get(&TimeKey { place, spent }).copied();
        assert_eq!((of(Spent::InFile), of(Spent::Computing)), (Some(200), Some(400)));
        let files = [1, 2].map(|file| times.accesses[&(Activity::Between(1, 1), key(file))]);
        assert_eq!((files, times.life), ([110, 90], 700));
    }

    #[test]
    fn sleeps_are_a_kind_of_their_own_and_what_readings_say_asleep_is_theirs() {
        // Of 1,000, 400 asleep.
        let mut reader = reader(&[interval(600, 0, 0)]);
        let key = AccessKey { file: 0, site: 1, operation: Operation::Nanosleep };
        reader.accesses = [AccessTime { from: 200, until: 550, time: 350, key }].into();
        reader.outside(1_000, Some(Activity::Between(1, 1)));
        let (times, _) = reader.finish();
        let of = |wanted| times.of(|key| key.spent == wanted);
        assert_eq!([Spent::Sleeping, Spent::Asleep, Spent::Computing].map(of), [350, 50, 600]);
    }

    #[test]
    fn readings_are_taken_from_the_places_of_their_interval_alone() {
        let second = Interval { from: 1_000, until: 2_000, ran: 1_000, delayed: 0, in_kernel: 0 };
        let mut reader = reader(&[interval(500, 500, 0), second]);
        let place = |site| Some(Activity::Between(site, site));
        for (until, site) in [(300, 1), (1_000, 2), (1_500, 1), (2_000, 2)] {
            reader.until(until, place(site), Spent::Computing);
        }
        let (times, _) = reader.finish();
        let of = |place, spent| times.times[&TimeKey { place, spent }];
        assert_eq!(of(None, Spent::OffCore), 500);
        assert_eq!(of(place(1), Spent::Computing), 150 + 500);
        assert_eq!(of(place(2), Spent::Computing), 350 + 500);
        assert_eq!((times.life, times.read), (2_000, 2_000));
    }
}
