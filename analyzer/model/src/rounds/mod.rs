//! Finds rounds: messages from one rank, the root, to several others, and back.
//!
//! In: [`Delivery`]s, which are matched messages and the data of collective calls from and to a root. Out: [`Round`]s. Functions,
//! sites and loops do not matter, only which data a rank had when it sent.
//!
//! A *question* is a message from the root to a peer. Its *answer* is the next message from that peer to the root, if the peer
//! began to send it after it had received the question. Two messages *cross* if each was sent before the other arrived: both
//! belong to an exchange, such as a halo's, and to no round. All of this compares times of one rank only, so clock errors do not
//! matter.
//!
//! A round begins where the root enters the call that sends the first question, and ends where it returns from the call that
//! completes the last answer. Its questions have one size. It takes no further question once all of its questions are answered,
//! or at a question to a peer already in it, a question of another size, or a message that crosses. It is discarded if a question
//! is never answered, or if the root meanwhile receives a message that it did not ask for.
//!
//! Messages in no such round of three or more ranks may form a one-way round: a rank sends messages of one size to several
//! others, receives nothing between and sends to none of them twice; or the reverse. There the first and the last time are of
//! different ranks. The remaining messages may form rounds of two ranks.

mod round_trips;

use rustc_hash::FxHashMap;

use super::matching::Delivery;
use round_trips::Candidates;

/// Direction of the messages of a round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RoundKind {
    /// From the root to its peers and back.
    RoundTrip,
    /// From the root to its peers.
    ToPeers,
    /// From the peers to the root.
    FromPeers,
}

/// A peer's part in a round.
#[derive(Clone, Copy, Debug)]
pub struct Trip {
    /// Message from the root.
    pub question: Option<Delivery>,
    /// Message to the root.
    pub answer: Option<Delivery>,
}

/// Messages from or to a root.
#[derive(Clone, Debug)]
pub struct Round {
    pub kind: RoundKind,
    /// The root, by place in [`Run::ranks`](super::Run::ranks).
    pub root: u32,
    /// One trip for each peer, in the order of the first messages.
    pub trips: Vec<Trip>,
}

/// The rounds of a run, and counts of its messages.
#[derive(Default)]
pub struct Rounds {
    /// In the order of the common clock.
    pub rounds: Vec<Round>,
    pub messages: u64,
    /// Messages that belong to a round.
    pub in_rounds: u64,
    /// Messages that cross another one.
    pub crossed: u64,
}

impl Trip {
    pub fn deliveries(&self) -> impl Iterator<Item = Delivery> + use<> {
        self.question.into_iter().chain(self.answer)
    }

    /// The peer, by place in the run.
    pub fn peer(&self) -> u32 {
        let of_answer = self.answer.map(|answer| answer.from.rank);
        self.question.map(|question| question.to.rank).or(of_answer).unwrap_or(0)
    }

    /// Arrival of its last message.
    pub fn end(&self) -> i64 {
        self.deliveries().map(|delivery| delivery.end).max().unwrap_or(0)
    }
}

impl Round {
    /// Begin of its first message.
    pub fn begin(&self) -> i64 {
        self.deliveries().map(|delivery| delivery.begin).min().unwrap_or(0)
    }

    /// Arrival of its last message.
    pub fn end(&self) -> i64 {
        self.trips.iter().map(Trip::end).max().unwrap_or(0)
    }

    /// From the begin to the end, nanoseconds.
    pub fn duration(&self) -> i64 {
        self.end().saturating_sub(self.begin())
    }

    pub fn deliveries(&self) -> impl Iterator<Item = Delivery> + '_ {
        self.trips.iter().flat_map(Trip::deliveries)
    }

    /// The trip that ended last.
    pub fn last(&self) -> Option<&Trip> {
        self.trips.iter().max_by_key(|trip| trip.end())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RankEvent {
    at: i64,
    /// Sorts a receive that ends where a send begins first.
    is_send: bool,
    delivery: usize,
}

/// Events of each rank, in order.
type RankEvents = FxHashMap<u32, Vec<RankEvent>>;

/// Finds the rounds. The deliveries may be in any order.
pub fn rounds(mut deliveries: Vec<Delivery>) -> Rounds {
    deliveries.sort_unstable();
    let crossed = round_trips::crossed(&deliveries);
    let events = events(&deliveries);
    let mut used = crossed.clone();
    let candidates = Candidates::of(&deliveries, &events, &crossed);
    let mut rounds = candidates.rounds(2.., &mut used);
    rounds.extend(round_trips::find(&deliveries, &events, &mut used));
    // Clients whose server answers only when all have asked are no roots of rounds of two.
    rounds.extend(candidates.rounds(..2, &mut used));
    rounds.sort_by_cached_key(|round| (round.begin(), round.root));
    let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count() as u64;
    let crossed = count(&crossed);
    Rounds { rounds, messages: deliveries.len() as u64, in_rounds: count(&used) - crossed, crossed }
}

fn events(deliveries: &[Delivery]) -> RankEvents {
    let mut events = RankEvents::default();
    for (number, delivery) in deliveries.iter().enumerate() {
        let sent = RankEvent { at: delivery.begin, is_send: true, delivery: number };
        let got = RankEvent { at: delivery.end, is_send: false, delivery: number };
        events.entry(delivery.from.rank).or_default().push(sent);
        events.entry(delivery.to.rank).or_default().push(got);
    }
    for events in events.values_mut() {
        events.sort_unstable();
    }
    events
}
