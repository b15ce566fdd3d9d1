//! Rounds by what is the same about them.

use std::collections::BTreeMap;

use super::spread::TimeSpread;
use crate::totals::world_rank;
use model::Run;
use model::matching::{Account, RankSite};
use model::rounds::{Round, RoundKind, Rounds};
use model::timeline::Timeline;
use tables::{Label, WorldRank};

/// What rounds of any number of ranks have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RoundSeries {
    /// Which ways the messages go.
    pub kind: RoundKind,
    /// The root, by its place in the run.
    pub root: u32,
    /// What sends from the root, or to it where it sends nothing.
    pub function: String,
    /// Where the first message of a round is sent.
    pub site: String,
    /// Bytes from the root to each peer; none where it sends nothing.
    pub question: Option<u64>,
    /// Bytes from each peer to the root; none where those differ, or nothing comes back.
    pub answer: Option<u64>,
}

impl RoundSeries {
    /// The size that it is known by.
    pub fn bytes(&self) -> u64 {
        self.question.or(self.answer).unwrap_or(0)
    }

    /// Which ways, in words.
    pub fn way(&self) -> Label {
        let (key, name) = match self.kind {
            RoundKind::RoundTrip => ("round_trip", "1:n n:1"),
            RoundKind::ToPeers => ("to_peers", "1:n"),
            RoundKind::FromPeers => ("from_peers", "n:1"),
        };
        Label { key, name, depth: 0 }
    }
}

/// Rounds by their number of ranks, with the root.
pub type ByRanks<'a> = BTreeMap<u64, Vec<&'a Round>>;

/// The rounds of a run.
pub struct GatheredRounds<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its ranks' time.
    pub timeline: &'a Timeline,
    /// The calls that took part.
    pub account: &'a Account,
    /// What was found.
    pub rounds: &'a Rounds,
    /// By what is the same about them; those of one number of ranks in the order of time.
    pub series: BTreeMap<RoundSeries, ByRanks<'a>>,
    /// Of rounds that one of the same kind follows, from the begin of the one to that of the other, nanoseconds.
    until_next: BTreeMap<(RoundSeries, u64), Vec<i64>>,
}

impl<'a> GatheredRounds<'a> {
    /// Puts together what belongs together.
    pub fn of(run: &'a Run, timeline: &'a Timeline, account: &'a Account, rounds: &'a Rounds) -> GatheredRounds<'a> {
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
        GatheredRounds { run, timeline, account, rounds, series, until_next }
    }

    /// From the begin of a round of a kind to that of the next of the kind, nanoseconds, in the order of time.
    pub fn until_next(&self, series: &RoundSeries, ranks: u64) -> &[i64] {
        self.until_next.get(&(series.clone(), ranks)).map_or(&[], Vec::as_slice)
    }

    /// One row for each series and number of ranks.
    pub fn rows<'s>(&'s self) -> impl Iterator<Item = (&'s RoundSeries, u64, &'s [&'a Round])> {
        let of_series = |(series, by_ranks): (&'s RoundSeries, &'s ByRanks<'a>)| {
            by_ranks.iter().map(move |(ranks, rounds)| (series, *ranks, rounds.as_slice()))
        };
        self.series.iter().flat_map(of_series)
    }

    /// The number of a rank in its world.
    pub fn rank(&self, place: u32) -> WorldRank {
        world_rank(&self.run.ranks[place as usize])
    }

    /// Function and call site.
    pub fn place(&self, at: RankSite) -> (String, String) {
        place(self.account, at)
    }

    /// By how many nanoseconds a round's time may be off: nothing where the root's clock alone was read.
    pub fn error(&self, round: &Round) -> i64 {
        if round.kind == RoundKind::RoundTrip {
            return 0;
        }
        let of_trip = |peer: u32, at: i64| between(self.timeline, round.root, peer, at);
        round.trips.iter().map(|trip| of_trip(trip.peer(), trip.end())).max().unwrap_or(0)
    }
}

/// By how many nanoseconds a time between two ranks may be off.
pub fn between(timeline: &Timeline, one: u32, other: u32, at: i64) -> i64 {
    let error = |rank: u32| timeline.lines[rank as usize].error(at);
    error(one).saturating_add(error(other))
}

/// How rounds of one kind are spread.
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
