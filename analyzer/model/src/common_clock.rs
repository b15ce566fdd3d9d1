//! Puts all ranks on one clock.
//!
//! In: the ranks' comparisons of their clocks. Out: for each rank a [`ClockLine`] from its ticks to nanoseconds on the reference
//! clock, which is that of the run's first rank, with its maximum error.
//!
//! At MPI_Init and MPI_Finalize, every rank but the first of its world reads its clock against one lower rank's, or finds the two
//! to be the same. So lines follow from each other in the order of the ranks, with a knot at each reading and straight pieces
//! between and beyond. If ranks read their clocks against a rank that has no file, its line comes from the first of them.

use std::collections::{BTreeMap, HashMap};

use traces::definitions::Occasion;

use super::Rank;
use crate::selection::LEFT_OUT;

/// Maximum drift between two clocks, as a share of the time: crystals are made to ±50 ppm.
const DRIFT: f64 = 1e-4;
/// Drift above this is implausible, even while NTP slews one of the clocks.
const IMPLAUSIBLE: f64 = 1e-3;
/// Maximum difference between hosts with synchronized clocks, nanoseconds.
const WALL_CLOCKS: f64 = 10e6;

/// The lines of all ranks.
pub struct CommonClock {
    /// Lines in the order of the run's ranks.
    pub lines: Vec<ClockLine>,
    /// Clock of each rank; ranks with the same number share a clock.
    clocks: Vec<usize>,
}

/// A rank's map from ticks to nanoseconds since the run's earliest recording began, on the reference clock.
#[derive(Clone, Copy, Debug)]
pub struct ClockLine {
    /// Readings that the line was fitted to.
    pub source: Source,
    /// Position of the first knot.
    pub ticks: u64,
    pub at: f64,
    /// Ticks from the first knot to the second; 0 if there is only one.
    pub span: i64,
    /// Nanoseconds per tick between the knots, and beyond them.
    pub between: f64,
    pub beyond: f64,
    /// Errors of the knots in nanoseconds, and the growth of the error per nanosecond beyond them.
    pub errors: [f64; 2],
    pub growth: f64,
}

/// Kinds of readings that a line is fitted to, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Source {
    /// The rank's clock is the reference clock.
    SharedClock,
    /// Messages at MPI_Init and MPI_Finalize.
    InitAndFinalize,
    /// Messages at one of the two: the run did not reach the other, or reached it too soon to show the drift.
    Once,
    /// The clock of the host that both ranks run on, read when the recordings began.
    HostClock,
    /// The hosts' real-time clocks.
    WallClock,
}

impl Source {
    pub fn in_words(self) -> &'static str {
        match self {
            Source::SharedClock => "the same clock",
            Source::InitAndFinalize => "messages at begin and end",
            Source::Once => "messages, once",
            Source::HostClock => "the clock of their host",
            Source::WallClock => "the hosts' clocks, not compared",
        }
    }
}

/// Least time, in nanoseconds, from the begin of a send to the end of its receive, over the messages between two ranks (by place
/// in the run). Negative if a message seems to arrive before it is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slack {
    pub from: usize,
    pub to: usize,
    pub least: i64,
}

impl ClockLine {
    /// Time at which the rank's clock showed `ticks`.
    #[inline]
    pub fn nanoseconds_at(&self, ticks: u64) -> i64 {
        let at = self.exactly(ticks);
        nanoseconds(at + 0.5f64.copysign(at))
    }

    /// The selected parts of a thread's time, in order.
    pub fn selected(&self, rank: &Rank, thread: u32) -> Vec<(i64, i64)> {
        let stretches = rank.stretches(thread);
        let begins = stretches.iter().map(|(at, _)| if *at == 0 { i64::MIN } else { self.nanoseconds_at(*at) });
        let ends: Vec<i64> = begins.clone().skip(1).chain([i64::MAX]).collect();
        let parts = stretches.iter().zip(begins.zip(ends));
        parts.filter(|((_, part), _)| *part != LEFT_OUT).map(|(_, span)| span).collect()
    }

    /// Ticks of the rank's clock at a time; 0 before it began to count.
    pub fn ticks_at(&self, at: i64) -> u64 {
        let since = at as f64 - self.at;
        let length = self.span as f64 * self.between;
        let inside = since.clamp(0.0, length);
        let ticks = inside / self.between + (since - inside) / self.beyond;
        self.ticks.saturating_add_signed(ticks.ceil() as i64)
    }

    /// Converts a number of ticks to nanoseconds.
    pub fn duration(&self, ticks: u64) -> i64 {
        nanoseconds(ticks as f64 * self.between)
    }

    #[inline]
    fn exactly(&self, ticks: u64) -> f64 {
        // The counter may wrap.
        let since = ticks.wrapping_sub(self.ticks) as i64;
        let inside = since.clamp(0, self.span);
        self.at + inside as f64 * self.between + (since - inside) as f64 * self.beyond
    }

    /// Maximum error of a time on this line against the reference, nanoseconds.
    pub fn error(&self, at: i64) -> i64 {
        nanoseconds(self.exact_error(at as f64).ceil())
    }

    fn exact_error(&self, at: f64) -> f64 {
        let since = at - self.at;
        let length = self.span as f64 * self.between;
        let inside = since.clamp(0.0, length);
        let share = if length > 0.0 { inside / length } else { 0.0 };
        self.errors[0] * (1.0 - share) + self.errors[1] * share + (since - inside).abs() * self.growth
    }

    /// The line through one or two knots in the order of time. `rate` is nanoseconds per tick by the host's own clock.
    fn through(knots: &[Knot], rate: f64, source: Source) -> Option<ClockLine> {
        match *knots {
            [] => None,
            [first] => Some(ClockLine {
                source: source.max(Source::Once),
                ticks: first.ticks,
                at: first.at,
                span: 0,
                between: rate,
                beyond: rate,
                errors: [first.error; 2],
                growth: DRIFT,
            }),
            [first, .., last] => {
                let span = last.ticks.wrapping_sub(first.ticks) as i64;
                let length = last.at - first.at;
                let between = length / span as f64;
                let plausible = (between / rate - 1.0).abs() < IMPLAUSIBLE;
                if span <= 0 || !plausible {
                    // The knots are too close together to give a rate.
                    let better = if first.error <= last.error { first } else { last };
                    return ClockLine::through(&[better], rate, source);
                }
                let errors = [first.error, last.error];
                let growth = (errors[0] + errors[1]) / length;
                let (beyond, growth) = if growth < DRIFT { (between, growth) } else { (rate, DRIFT) };
                let source = source.max(Source::InitAndFinalize);
                Some(ClockLine { source, ticks: first.ticks, at: first.at, span, between, beyond, errors, growth })
            }
        }
    }
}

/// Limits a time to ±18 years: damaged files hold any time, and differences must not overflow.
#[inline]
fn nanoseconds(exactly: f64) -> i64 {
    const FARTHEST: f64 = (1u64 << 59) as f64;
    exactly.clamp(-FARTHEST, FARTHEST) as i64
}

/// A point of a line in ticks and nanoseconds, with its error in nanoseconds.
#[derive(Clone, Copy)]
struct Knot {
    ticks: u64,
    at: f64,
    error: f64,
}

/// One reading of a rank's clock against another's.
#[derive(Clone, Copy)]
struct Reading {
    when: Occasion,
    peer: u32,
    /// Ticks of the two clocks at the same time, up to `error` ticks.
    own: u64,
    there: u64,
    error: f64,
    /// The two ranks share one clock.
    same: bool,
}

impl Reading {
    /// All readings of a rank, in the order of time.
    fn all(rank: &Rank) -> Vec<Reading> {
        let by_messages = rank.syncs.iter().map(|sync| {
            let round_trip = sync.after.wrapping_sub(sync.before);
            let own = sync.before.wrapping_add(round_trip / 2);
            let error = round_trip as f64 / 2.0;
            Reading { when: sync.when, peer: sync.peer, own, there: sync.there, error, same: false }
        });
        let same = rank.same_clocks.iter().map(|same| {
            let own = match same.when {
                Occasion::Init => rank.header.ready.ticks,
                Occasion::Finalize => rank.until,
            };
            Reading { when: same.when, peer: same.peer, own, there: own, error: same.within as f64, same: true }
        });
        let mut all: Vec<Reading> = by_messages.chain(same).collect();
        all.sort_by_key(|reading| reading.when);
        all
    }
}

/// Lines and clocks by world and rank.
type KnownLines = HashMap<(u32, u32), (ClockLine, usize)>;

impl CommonClock {
    /// Maximum error, in nanoseconds, of a time between two ranks, given by place in the run.
    pub fn error_between(&self, one: u32, other: u32, at: i64) -> i64 {
        let error = |rank: u32| self.lines[rank as usize].error(at);
        if one == other { 0 } else { error(one).saturating_add(error(other)) }
    }

    /// True if two ranks, given by place in the run, share a clock.
    pub fn is_of_both(&self, one: u32, other: u32) -> bool {
        self.clocks[one as usize] == self.clocks[other as usize]
    }

    /// Fits the clocks of a run's ranks, in the run's order.
    pub fn of(ranks: &[Rank]) -> CommonClock {
        let mut known = KnownLines::new();
        let mut common_clock = CommonClock { lines: Vec::new(), clocks: Vec::new() };
        for (index, rank) in ranks.iter().enumerate() {
            let readings = Reading::all(rank);
            let (line, clock) = match index {
                0 => (reference(rank), index),
                _ => by_readings(rank, &readings, &known, index).unwrap_or((wall_clock(rank, &ranks[0]), index)),
            };
            if let Some(number) = rank.number() {
                known.insert((rank.header.world, number), (line, clock));
                let unknown = |reading: &&Reading| !known.contains_key(&(rank.header.world, reading.peer));
                let unknown: Vec<Reading> = readings.iter().filter(unknown).copied().collect();
                for reading in &unknown {
                    let fresh = ranks.len() + known.len();
                    if let Some(found) = backwards(reading.peer, &unknown, line, clock, fresh) {
                        known.insert((rank.header.world, reading.peer), found);
                    }
                }
            }
            common_clock.lines.push(line);
            common_clock.clocks.push(clock);
        }
        common_clock.begin_at_zero(ranks);
        common_clock
    }

    fn begin_at_zero(&mut self, ranks: &[Rank]) {
        let begins = self.lines.iter().zip(ranks).map(|(line, rank)| line.exactly(rank.header.begin.ticks));
        let earliest = begins.fold(f64::INFINITY, f64::min);
        for line in &mut self.lines {
            line.at -= earliest;
        }
    }

    /// Shifts each clock by at most its error, so that no message arrives before it is sent. Messages that no shift can repair
    /// stay backwards. Returns whether a clock was shifted.
    pub fn respect(&mut self, slacks: &[Slack]) -> bool {
        const ROUNDS: usize = 100;
        // A damaged file may hold any time.
        const FARTHEST: f64 = 1e15;
        let mut least: BTreeMap<(usize, usize), i64> = BTreeMap::new();
        for slack in slacks {
            let clocks = (self.clocks[slack.from], self.clocks[slack.to]);
            let entry = least.entry(clocks).or_insert(i64::MAX);
            *entry = slack.least.min(*entry);
        }
        let mut limits: HashMap<usize, i64> = HashMap::new();
        for (line, clock) in self.lines.iter().zip(&self.clocks) {
            let limit = line.errors[0].min(line.errors[1]).min(FARTHEST) as i64;
            limits.entry(*clock).and_modify(|other| *other = limit.min(*other)).or_insert(limit);
        }
        // If the least times of both directions add up to less than zero, no shift can make both positive.
        let possible = |(from, to): (usize, usize), time: i64| {
            let back = least.get(&(to, from)).copied().unwrap_or(i64::MAX);
            from != to && time.saturating_add(back) >= 0 && time.saturating_add(limits[&from] + limits[&to]) >= 0
        };
        let mut moved: HashMap<usize, i64> = HashMap::new();
        for _ in 0..ROUNDS {
            let mut all_hold = true;
            for ((from, to), time) in least.iter().filter(|(clocks, time)| possible(**clocks, **time)) {
                let [earlier, later] = [from, to].map(|clock| moved.get(clock).copied().unwrap_or(0));
                let lacking = earlier.saturating_sub(later).saturating_sub(*time);
                // Margin left to move the sender back and the receiver forward.
                let room = [limits[from] + earlier, limits[to] - later];
                let all = room[0] + room[1];
                if lacking <= 0 || all <= 0 {
                    continue;
                }
                let lacking = lacking.min(all);
                let back = (lacking as i128 * room[0] as i128 / all as i128) as i64;
                moved.insert(*from, earlier - back);
                moved.insert(*to, later + lacking - back);
                all_hold = false;
            }
            if all_hold {
                break;
            }
        }
        for (line, clock) in self.lines.iter_mut().zip(&self.clocks) {
            line.at += moved.get(clock).copied().unwrap_or(0) as f64;
        }
        moved.values().any(|shift| *shift != 0)
    }
}

/// Nanoseconds per tick by the clock of the rank's own host.
fn rate(rank: &Rank) -> f64 {
    rank.clock.seconds(1) * 1e9
}

/// The reference clock, which begins at zero.
fn reference(rank: &Rank) -> ClockLine {
    let rate = rate(rank);
    let source = Source::SharedClock;
    let ticks = rank.header.begin.ticks;
    ClockLine { source, ticks, at: 0.0, span: 0, between: rate, beyond: rate, errors: [0.0; 2], growth: 0.0 }
}

/// The line by the hosts' clocks when the recordings began. Processes on one boot of one host share its clock.
fn wall_clock(rank: &Rank, reference: &Rank) -> ClockLine {
    let rate = rate(rank);
    let (begin, other) = (&rank.header.begin, &reference.header.begin);
    let one_host = !rank.process.boot.is_empty() && rank.process.boot == reference.process.boot;
    let (source, at, error) = match one_host {
        true => {
            let error = begin.width as f64 * rate + other.width as f64 * self::rate(reference);
            (Source::HostClock, begin.monotonic.wrapping_sub(other.monotonic), error)
        }
        false => (Source::WallClock, begin.realtime.wrapping_sub(other.realtime), WALL_CLOCKS),
    };
    let (at, errors) = (at as i64 as f64, [error; 2]);
    ClockLine { source, ticks: begin.ticks, at, span: 0, between: rate, beyond: rate, errors, growth: DRIFT }
}

/// The line by the rank's readings; `None` if no line of the other ranks is known.
fn by_readings(rank: &Rank, readings: &[Reading], known: &KnownLines, index: usize) -> Option<(ClockLine, usize)> {
    let of = |reading: &Reading| known.get(&(rank.header.world, reading.peer)).copied();
    let readings: Vec<_> = readings.iter().filter_map(|reading| Some((*reading, of(reading)?))).collect();
    let (first, (line, clock)) = *readings.first()?;
    if readings.iter().all(|(reading, _)| reading.same && reading.peer == first.peer) {
        return Some((shared(line, first.error * rate(rank)), clock));
    }
    let source = readings.iter().map(|(_, (line, _))| line.source).max()?;
    let knot = |(reading, (line, _)): &(Reading, (ClockLine, usize))| {
        let at = line.exactly(reading.there);
        Knot { ticks: reading.own, at, error: line.exact_error(at) + reading.error * rate(rank) }
    };
    let knots: Vec<Knot> = readings.iter().map(knot).collect();
    Some((ClockLine::through(&knots, rate(rank), source)?, index))
}

/// Derives line and clock of a rank without a file from the line of a rank that read its clock against it. The clock gets the
/// number `fresh` if the two clocks differ. `None` if the rate is unknown.
fn backwards(
    peer: u32,
    readings: &[Reading],
    line: ClockLine,
    clock: usize,
    fresh: usize,
) -> Option<(ClockLine, usize)> {
    let readings: Vec<_> = readings.iter().filter(|reading| reading.peer == peer).collect();
    let first = readings.first()?;
    if readings.iter().all(|reading| reading.same) {
        return Some((shared(line, first.error * line.between), clock));
    }
    let knot = |reading: &&Reading| {
        let at = line.exactly(reading.own);
        Knot { ticks: reading.there, at, error: line.exact_error(at) + reading.error * line.between }
    };
    let knots: Vec<Knot> = readings.iter().map(knot).collect();
    let [first, .., last] = *knots.as_slice() else { return None };
    let rate = (last.at - first.at) / last.ticks.wrapping_sub(first.ticks) as i64 as f64;
    let rate = Some(rate).filter(|rate| rate.is_finite() && *rate > 0.0)?;
    Some((ClockLine::through(&knots, rate, line.source)?, fresh))
}

/// The line of a rank that shares another's clock to `within` nanoseconds.
fn shared(line: ClockLine, within: f64) -> ClockLine {
    ClockLine { errors: line.errors.map(|error| error + within), ..line }
}
