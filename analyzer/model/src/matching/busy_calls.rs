//! A rank's busy time in each changed run: in computation, and in calls that wait for nobody.
//!
//! In: the calls of the rank's first thread, in order, and which of them depend on other ranks. Out: the busy time, and its sums by
//! place; for a call that depends on others, its times in the recorded run, since how long it takes depends on the others' times.

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::handed_out::HandedOut;
use super::own_times::OwnTimes;
use super::pass_times::PassTimes;
use super::scenario::{Lanes, Times};
use super::stretches::{Around, StretchMeans};
use crate::stream::TimedCall;
use crate::sums::Grow;

/// A call of the recorded run that depends on others.
#[derive(Clone, Copy, Debug)]
pub struct Returned {
    pub start: i64,
    pub end: i64,
    pub rank: u32,
    pub site: u32,
}

/// A rank's times by place.
#[derive(Default, Debug)]
pub struct PlaceTimes {
    /// Computation between two calls, by their sites.
    pub between: FxHashMap<Around, PlaceTime>,
    /// Calls, without their waits.
    pub calls: FxHashMap<u32, PlaceTime>,
    /// Waits in calls.
    pub waits: FxHashMap<u32, PlaceTime>,
    /// When the rank leaves calls that depend on others in the [watched lane](Lanes::watched), by site.
    pub passes: FxHashMap<u32, PassTimes>,
    /// Its busy time when it leaves the other calls.
    pub busy_passes: FxHashMap<u32, PassTimes>,
    /// The own time of calls that depend on other ranks, by site.
    pub own: FxHashMap<u32, OwnTimes>,
    /// The time of calls that depend on nobody.
    pub busy_own: FxHashMap<u32, OwnTimes>,
    pub handed_out: HandedOut,
}

/// A rank's time at one place.
#[derive(Clone, Default, Debug)]
pub struct PlaceTime {
    /// Sum in each lane, nanoseconds.
    pub times: Times,
}

impl PlaceTimes {
    pub fn merge(&mut self, other: PlaceTimes) {
        merge(&mut self.between, other.between);
        merge(&mut self.calls, other.calls);
        merge(&mut self.waits, other.waits);
        self.passes.extend(other.passes);
        self.busy_passes.extend(other.busy_passes);
        self.own.extend(other.own);
        self.busy_own.extend(other.busy_own);
    }

    /// The variance of a run of this length by the call whose passes vary least: others may be made more often in some parts of
    /// the program than in others. `None` if no call shows it. A rank that waits for nobody is always busy.
    pub fn variance(&self, length: i64) -> Option<f64> {
        let passes = if self.passes.is_empty() { &self.busy_passes } else { &self.passes };
        passes.values().filter_map(|passes| passes.variance(length)).min_by(f64::total_cmp)
    }
}

impl PlaceTime {
    /// Adds a time, as it is in each lane.
    pub fn add(&mut self, times: &[i64]) {
        if self.times.is_empty() {
            self.times.extend_from_slice(times);
            return;
        }
        for (sum, time) in self.times.iter_mut().zip(times) {
            sum.grow(*time);
        }
    }
}

fn merge<K: Eq + Hash>(places: &mut FxHashMap<K, PlaceTime>, other: FxHashMap<K, PlaceTime>) {
    for (key, more) in other {
        places.entry(key).or_default().add(&more.times);
    }
}

pub struct BusyCalls {
    rank: u32,
    lanes: Arc<Lanes>,
    current: Option<CurrentCall>,
    /// Site of the last call.
    last: Option<u32>,
    /// Computations so far by the sites around them, if they are levelled.
    numbers: FxHashMap<Around, u64>,
    /// Sums of computations, to level them by in a later replay.
    pub stretches: StretchMeans,
    pub times: PlaceTimes,
    /// The interval of time without a core that the rank has reached.
    lack: usize,
    /// The times of one call or computation.
    of_lanes: Vec<i64>,
}

/// The last call, until the next one.
struct CurrentCall {
    /// Begin of the polls without success before it.
    start: i64,
    end: i64,
    site: u32,
    /// The call depends on other ranks.
    depends: bool,
    /// The call stands for unsuccessful polls.
    polls: bool,
}

impl BusyCalls {
    /// Stands for a site behind the last call.
    pub const THE_END: u32 = u32::MAX;

    pub fn new(rank: u32, lanes: Arc<Lanes>) -> BusyCalls {
        BusyCalls {
            rank,
            lanes,
            current: None,
            last: None,
            numbers: FxHashMap::default(),
            stretches: StretchMeans::default(),
            times: PlaceTimes::default(),
            lack: 0,
            of_lanes: Vec::new(),
        }
    }

    /// Ends the last call before `call` begins, unless the two are polls of one wait.
    pub fn next(&mut self, call: &TimedCall, site: u32, busy: &mut [i64]) -> Option<Returned> {
        if self.is_one_wait(call, site) { None } else { self.close(busy) }
    }

    /// Polls of one place that follow each other wait for the same; with work of their own between them they are no wait.
    fn is_one_wait(&self, call: &TimedCall, site: u32) -> bool {
        let last = self.current.as_ref();
        last.is_some_and(|last| last.polls && last.site == site && !call.now_and_then && !call.open)
    }

    /// Begins a call; `before` is the end of the last one.
    pub fn open(&mut self, call: &TimedCall, site: u32, before: i64, busy: &mut [i64]) {
        let polls = call.in_vain && !call.now_and_then;
        if let Some(last) = &mut self.current {
            (last.end, last.polls) = (call.end, polls);
            return;
        }
        self.compute(site, before, call.start.saturating_sub(before), busy);
        if call.now_and_then {
            let outside = (call.end - call.start - call.inside).max(0);
            self.compute(site, call.start, outside, busy);
            self.last = Some(site);
            self.alone(site, call.end - call.start - outside, busy);
            return;
        }
        self.last = Some(site);
        self.current = Some(CurrentCall { start: call.start, end: call.end, site, depends: false, polls });
    }

    /// True after the first call.
    pub fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// Notes that the last call depends on another rank.
    pub fn depends(&mut self) {
        if let Some(call) = &mut self.current {
            call.depends = true;
        }
    }

    /// Time of the recorded run that the busy time stands for.
    pub fn position(&self, end: i64) -> i64 {
        self.current.as_ref().map_or(end, |call| call.start)
    }

    /// Ends the last call. Returns it if it depends on other ranks.
    pub fn close(&mut self, busy: &mut [i64]) -> Option<Returned> {
        let CurrentCall { start, end, site, depends, .. } = self.current.take()?;
        if depends {
            return Some(Returned { start, end, rank: self.rank, site });
        }
        self.alone(site, end - start, busy);
        None
    }

    /// Adds a call that depends on nobody.
    fn alone(&mut self, site: u32, time: i64, busy: &mut [i64]) {
        let times = (0..busy.len()).map(|lane| self.lanes.call(lane, (self.rank, site), time));
        self.of_lanes.clear();
        self.of_lanes.extend(times);
        if self.lanes.has_places {
            self.times.calls.entry(site).or_default().add(&self.of_lanes);
        }
        pass(busy, &self.of_lanes);
        if let Some(busy) = busy.get(self.lanes.watched()).filter(|_| self.lanes.has_places) {
            self.times.busy_passes.entry(site).or_default().add(*busy);
            self.times.busy_own.entry(site).or_default().add(time, false, false);
        }
    }

    /// Number of this computation among those between the two sites.
    fn number(&mut self, around: Around, time: i64) -> u64 {
        let count = self.numbers.entry(around).or_default();
        let number = *count;
        *count += 1;
        if self.lanes.counts(around) {
            self.stretches.add(around, number, time);
        }
        number
    }

    /// Adds computation from a time on, before a call at a site.
    pub fn compute(&mut self, site: u32, from: i64, time: i64, busy: &mut [i64]) {
        if time <= 0 {
            return;
        }
        let around = (self.last, site);
        let number = if self.lanes.numbers() { self.number(around, time) } else { 0 };
        let lanes = 0..busy.len();
        let lacked = self.lanes.lacked(self.rank, &mut self.lack, (from, from.saturating_add(time)));
        let times = lanes.map(|lane| {
            let time = self.lanes.on_core(lane, time, lacked);
            self.lanes.computation(lane, self.rank, around, number, time)
        });
        self.of_lanes.clear();
        self.of_lanes.extend(times);
        if self.lanes.has_places {
            self.times.between.entry(around).or_default().add(&self.of_lanes);
        }
        pass(busy, &self.of_lanes);
    }
}

fn pass(busy: &mut [i64], times: &[i64]) {
    for (busy, time) in busy.iter_mut().zip(times) {
        busy.grow(*time);
    }
}
