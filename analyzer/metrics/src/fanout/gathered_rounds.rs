//! Groups the rounds of a run by kind, root, function, call site and size.

use std::collections::BTreeMap;
use tables::number::whole;

use super::time_spread::TimeSpread;
use crate::meaning;
use crate::totals::world_rank;
use crate::words::{plural, verb};
use model::Run;
use model::common_clock::CommonClock;
use model::matching::{Account, RankSite};
use model::rounds::{Round, RoundKind, Rounds};
use tables::{Fact, Label, Value, WorldRank, facts};

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
    /// The size that names the group: the question's, else the answer's.
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

/// Rounds of one group and number of ranks, in order of time.
pub struct RoundGroup<'a> {
    pub rounds: Vec<&'a Round>,
    pub spread: TimeSpread,
}

/// Rounds by their number of ranks, the root included.
pub type ByRanks<'a> = BTreeMap<u64, RoundGroup<'a>>;

/// The rounds of a run, in groups.
pub struct GatheredRounds<'a> {
    pub run: &'a Run,
    pub common_clock: &'a CommonClock,
    pub account: &'a Account,
    /// The rounds, and counts of messages in and outside them.
    pub rounds: &'a Rounds,
    /// The groups.
    pub series: BTreeMap<RoundSeries, ByRanks<'a>>,
    /// For rounds that are followed by one of the same group and number of ranks: nanoseconds from the begin of one to
    /// the begin of the next.
    until_next: BTreeMap<(RoundSeries, u64), Vec<i64>>,
}

impl<'a> GatheredRounds<'a> {
    pub fn of(
        run: &'a Run,
        common_clock: &'a CommonClock,
        account: &'a Account,
        rounds: &'a Rounds,
    ) -> GatheredRounds<'a> {
        let mut series: BTreeMap<RoundSeries, BTreeMap<u64, Vec<&Round>>> = BTreeMap::new();
        let mut until_next: BTreeMap<(RoundSeries, u64), Vec<i64>> = BTreeMap::new();
        let mut last: BTreeMap<u32, ((RoundSeries, u64), i64)> = BTreeMap::new();
        for round in &rounds.rounds {
            let (kind, ranks, begin) = (of_round(run, round), round.trips.len() as u64 + 1, round.begin());
            let key = (kind.clone(), ranks);
            if let Some((before, begun)) = last.insert(round.root, (key.clone(), begin))
                && before == key
            {
                until_next.entry(key).or_default().push(begin.saturating_sub(begun));
            }
            series.entry(kind).or_default().entry(ranks).or_default().push(round);
        }
        let group = |(ranks, rounds): (u64, Vec<&'a Round>)| {
            let spread = TimeSpread::of(rounds.iter().map(|round| round.duration()))?;
            Some((ranks, RoundGroup { rounds, spread }))
        };
        let with_spreads = |(series, by_ranks): (RoundSeries, BTreeMap<u64, Vec<&'a Round>>)| {
            (series, by_ranks.into_iter().filter_map(group).collect())
        };
        let series = series.into_iter().map(with_spreads).collect();
        GatheredRounds { run, common_clock, account, rounds, series, until_next }
    }

    /// Nanoseconds from the begin of each round to the begin of the next of the same group, in order of time.
    pub fn until_next(&self, series: &RoundSeries, ranks: u64) -> &[i64] {
        self.until_next.get(&(series.clone(), ranks)).map_or(&[], Vec::as_slice)
    }

    /// The rounds by group and number of ranks.
    pub fn rows<'s>(&'s self) -> impl Iterator<Item = (&'s RoundSeries, u64, &'s RoundGroup<'a>)> {
        let of_series = |(series, by_ranks): (&'s RoundSeries, &'s ByRanks<'a>)| {
            by_ranks.iter().map(move |(ranks, group)| (series, *ranks, group))
        };
        self.series.iter().flat_map(of_series)
    }

    pub fn rank(&self, place: u32) -> WorldRank {
        world_rank(&self.run.ranks[place as usize])
    }

    /// The function and the call site.
    pub fn place(&self, at: RankSite) -> (String, String) {
        place(self.run, at)
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

fn place(run: &Run, at: RankSite) -> (String, String) {
    let place = &run.call_sites()[at.place.number()];
    (place.function.clone(), place.site.clone())
}

fn of_round(run: &Run, round: &Round) -> RoundSeries {
    let first = round.deliveries().min_by_key(|delivery| delivery.begin);
    let (function, site) = first.map_or_else(Default::default, |first| place(run, first.from));
    let question = round.trips.first().and_then(|trip| trip.question).map(|question| question.bytes);
    let mut answers = round.trips.iter().map(|trip| trip.answer.map(|answer| answer.bytes));
    let one = answers.next().flatten();
    let answer = one.filter(|_| answers.all(|answer| answer == one));
    RoundSeries { kind: round.kind, root: round.root, function, site, question, answer }
}

facts! {
    ROUNDS = "rounds_found", Count, always, "Rounds of one rank to several others and back that were found.";
    MESSAGES = "messages", Count, always, meaning::MESSAGES;
    IN_ROUNDS = "messages_in_rounds", Count, always, "Messages that are part of such a round.";
    CROSSED = "messages_crossed", Count, always,
        "Messages that crossed another one on the way, so that they belong to no round.";
}

/// The number of rounds, and of messages in and outside them.
pub fn facts(all: &GatheredRounds<'_>) -> Vec<Fact> {
    let rounds = all.rounds;
    let [inside, all_messages, crossed] = [rounds.in_rounds, rounds.messages, rounds.crossed].map(whole);
    let note = format!(": {inside} of {all_messages} messages are in one, {crossed} cross another");
    vec![
        Fact::new(ROUNDS, "rounds", Value::Count(rounds.rounds.len() as u64)).note(note),
        Fact::hidden(MESSAGES, Value::Count(rounds.messages)),
        Fact::hidden(IN_ROUNDS, Value::Count(rounds.in_rounds)),
        Fact::hidden(CROSSED, Value::Count(rounds.crossed)),
    ]
}

/// Notes on messages that are in no round, and on the clocks behind one-way rounds.
pub fn unseen(all: &GatheredRounds<'_>) -> Vec<String> {
    let mut said = Vec::new();
    let rounds = all.rounds;
    if rounds.messages == 0 {
        said.push("no message is in what is asked about".into());
    } else if rounds.rounds.is_empty() {
        said.push(format!(
            "no round: a rank has to send one size to several and get an answer from each, or one of the two. Of {}, {} {} \
             sent before what the other rank had sent arrived, as in a halo; the others answer nothing, as in a ring, or send \
             as many messages as they answer",
            plural(rounds.messages, "message"), whole(rounds.crossed), verb(rounds.crossed, "was", "were")
        ));
    }
    if all.account.undelivered > 0 {
        said.push(format!(
            "{} of nonblocking collective calls left out: the end is in another call",
            plural(all.account.undelivered, "part")
        ));
    }
    if all.series.keys().any(|series| series.question.is_none() || series.answer.is_none()) {
        said.push(
            "rounds of one way are timed from one rank's clock to another's: error_s says how far off that may be"
                .into(),
        );
    }
    said
}
