//! Groups the rounds of a run by kind, root, function, call site and size.

use std::collections::BTreeMap;

use super::spread::TimeSpread;
use crate::totals::world_rank;
use model::Run;
use model::common_clock::CommonClock;
use model::matching::{Account, RankSite};
use model::rounds::{Round, RoundKind, Rounds};
use tables::{Label, WorldRank};

/// The properties that the rounds of a group share, whatever their number of ranks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RoundSeries {
    /// The directions in which messages go.
    pub kind: RoundKind,
    /// The root, by its place in the run.
    pub root: u32,
    /// The function of the first message of a round.
    pub function: String,
    /// The call site of the first message of a round.
    pub site: String,
    /// Bytes from the root to each peer; `None` if it sends nothing.
    pub question: Option<u64>,
    /// Bytes from each peer to the root; `None` if they differ, or the peers send nothing.
    pub answer: Option<u64>,
}

impl RoundSeries {
    /// The size that names the group: that of the question, else of the answer.
    pub fn bytes(&self) -> u64 {
        self.question.or(self.answer).unwrap_or(0)
    }

    /// The directions in words.
    pub fn way(&self) -> Label {
        let (key, name) = match self.kind {
            RoundKind::RoundTrip => ("round_trip", "1:n n:1"),
            RoundKind::ToPeers => ("to_peers", "1:n"),
            RoundKind::FromPeers => ("from_peers", "n:1"),
        };
        Label { key, name, depth: 0 }
    }
}

/// Rounds by their number of ranks, the root included.
pub type ByRanks<'a> = BTreeMap<u64, Vec<&'a Round>>;

/// The rounds of a run, in groups.
pub struct GatheredRounds<'a> {
    pub run: &'a Run,
    /// The common clock of the ranks.
    pub common_clock: &'a CommonClock,
    pub account: &'a Account,
    /// The rounds, and counts of messages in and outside them.
    pub rounds: &'a Rounds,
    /// The groups; the rounds of one number of ranks are in order of time.
    pub series: BTreeMap<RoundSeries, ByRanks<'a>>,
    /// For rounds that are followed by one of the same group and number of ranks: nanoseconds from the begin of one to
    /// the begin of the next.
    until_next: BTreeMap<(RoundSeries, u64), Vec<i64>>,
}

impl<'a> GatheredRounds<'a> {
    /// Groups the rounds.
    pub fn of(
        run: &'a Run,
        common_clock: &'a CommonClock,
        account: &'a Account,
        rounds: &'a Rounds,
    ) -> GatheredRounds<'a> {
        let mut series: BTreeMap<RoundSeries, ByRanks<'_>> = BTreeMap::new();
        let mut until_next: BTreeMap<(RoundSeries, u64), Vec<i64>> = BTreeMap::new();
        let mut last: BTreeMap<u32, ((RoundSeries, u64), i64)> = BTreeMap::new();
        for round in &rounds.rounds {
            let (kind, ranks, begin) = (of_round(account, round), round.trips.len() as u64 + 1, round.begin());
            let key = (kind.clone(), ranks);
            if let Some((before, begun)) = last.insert(round.root, (key.clone(), begin))
                && before == key
            {
                until_next.entry(key).or_default().push(begin.saturating_sub(begun));
            }
            series.entry(kind).or_default().entry(ranks).or_default().push(round);
        }
        GatheredRounds { run, common_clock, account, rounds, series, until_next }
    }

    /// Nanoseconds from the begin of each round to the begin of the next of the same group, in order of time.
    pub fn until_next(&self, series: &RoundSeries, ranks: u64) -> &[i64] {
        self.until_next.get(&(series.clone(), ranks)).map_or(&[], Vec::as_slice)
    }

    /// The rounds by group and number of ranks.
    pub fn rows<'s>(&'s self) -> impl Iterator<Item = (&'s RoundSeries, u64, &'s [&'a Round])> {
        let of_series = |(series, by_ranks): (&'s RoundSeries, &'s ByRanks<'a>)| {
            by_ranks.iter().map(move |(ranks, rounds)| (series, *ranks, rounds.as_slice()))
        };
        self.series.iter().flat_map(of_series)
    }

    /// The rank at a place in the run.
    pub fn rank(&self, place: u32) -> WorldRank {
        world_rank(&self.run.ranks[place as usize])
    }

    /// The function and the call site.
    pub fn place(&self, at: RankSite) -> (String, String) {
        place(self.account, at)
    }

    /// The error of a round's time, in nanoseconds; 0 for round trips, which are timed by the root's clock alone.
    pub fn error(&self, round: &Round) -> i64 {
        if round.kind == RoundKind::RoundTrip {
            return 0;
        }
        let of_trip = |peer: u32, at: i64| between(self.common_clock, round.root, peer, at);
        round.trips.iter().map(|trip| of_trip(trip.peer(), trip.end())).max().unwrap_or(0)
    }
}

/// The error of a time between two ranks, in nanoseconds.
pub fn between(common_clock: &CommonClock, one: u32, other: u32, at: i64) -> i64 {
    let error = |rank: u32| common_clock.lines[rank as usize].error(at);
    error(one).saturating_add(error(other))
}

/// The spread of the rounds' durations.
pub fn spread(rounds: &[&Round]) -> Option<TimeSpread> {
    TimeSpread::of(rounds.iter().map(|round| round.duration()))
}

fn place(account: &Account, at: RankSite) -> (String, String) {
    let place = &account.places[at.place.number()];
    (place.function.clone(), place.site.clone())
}

fn of_round(account: &Account, round: &Round) -> RoundSeries {
    let first = round.deliveries().min_by_key(|delivery| delivery.begin);
    let (function, site) = first.map_or_else(Default::default, |first| place(account, first.from));
    let question = round.trips.first().and_then(|trip| trip.question).map(|question| question.bytes);
    let mut answers = round.trips.iter().map(|trip| trip.answer.map(|answer| answer.bytes));
    let one = answers.next().flatten();
    let answer = one.filter(|_| answers.all(|answer| answer == one));
    RoundSeries { kind: round.kind, root: round.root, function, site, question, answer }
}
