//! Finds rounds: one rank, the root, to several others, and back.
//!
//! In: [`Delivery`]s, that is messages that were matched, and what collective calls from and to a root hand over. Out: [`Round`]s.
//! No function, site or loop is looked at, only who had what when it sent.
//!
//! A *question* is a message from the root to a peer. Its *answer* is the next message from that peer to the root, if the peer
//! began to send it after it had got the question. Two messages *cross* if each was sent before the other arrived: both are parts of an
//! exchange, such as a halo's, and in no round. All of this compares times of one rank with each other, so clocks do not matter.
//!
//! A round begins where the root enters the call that sends the first question, and ends where it returns from the call that
//! completes the last answer. Its questions have one size. What closes it to further questions: that all it has are answered, a
//! question to a peer already in it, one of another size, and a message that crosses. It is none if a question is never answered, or if
//! the root gets a message meanwhile that it did not ask for.
//!
//! What is in no such round of three ranks or more may be part of a round of one way: a rank sends messages of one size to several others,
//! and neither gets anything between nor sends to one of them twice; or the same the other way round. There the first and the last
//! time are of different ranks. What is left may be rounds of two ranks.

mod crossing;
mod one_way;
mod round_trips;

use rustc_hash::FxHashMap;

use super::matching::Delivery;
use round_trips::Candidates;

/// Which ways the messages of a round go.
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
    /// What the root sent it.
    pub question: Option<Delivery>,
    /// What it sent to the root.
    pub answer: Option<Delivery>,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Round {
    /// Which ways.
    pub kind: RoundKind,
    /// The root, by its place in [`Run::ranks`](super::Run::ranks).
    pub root: u32,
    /// One for each peer, in the order of the first message.
    pub trips: Vec<Trip>,
}

/// The rounds of a run, and what is in none.
#[derive(Default)]
pub struct Rounds {
    /// In the order of the common clock.
    pub rounds: Vec<Round>,
    /// Messages that were looked at.
    pub messages: u64,
    /// Those of them that are in rounds.
    pub in_rounds: u64,
    /// Those that cross another one.
    pub crossed: u64,
}

impl Trip {
    /// Its messages.
    pub fn deliveries(&self) -> impl Iterator<Item = Delivery> + use<> {
        self.question.into_iter().chain(self.answer)
    }

    /// The rank at the other end, by its place in the run.
    pub fn peer(&self) -> u32 {
        let of_answer = self.answer.map(|answer| answer.from.rank);
        self.question.map(|question| question.to.rank).or(of_answer).unwrap_or(0)
    }

    /// When its last message had come.
    pub fn end(&self) -> i64 {
        self.deliveries().map(|delivery| delivery.end).max().unwrap_or(0)
    }
}

impl Round {
    /// When its first message was sent.
    pub fn begin(&self) -> i64 {
        self.deliveries().map(|delivery| delivery.begin).min().unwrap_or(0)
    }

    /// When its last message had come.
    pub fn end(&self) -> i64 {
        self.trips.iter().map(Trip::end).max().unwrap_or(0)
    }

    /// From the one to the other, nanoseconds.
    pub fn duration(&self) -> i64 {
        self.end().saturating_sub(self.begin())
    }

    /// Its messages.
    pub fn deliveries(&self) -> impl Iterator<Item = Delivery> + '_ {
        self.trips.iter().flat_map(Trip::deliveries)
    }

    /// The trip that was over last.
    pub fn last(&self) -> Option<&Trip> {
        self.trips.iter().max_by_key(|trip| trip.end())
    }
}

/// Something a rank did: it sent or got a delivery, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RankEvent {
    at: i64,
    /// A call that ends where another begins came first.
    is_send: bool,
    delivery: usize,
}

/// What each rank did, in order.
type RankEvents = FxHashMap<u32, Vec<RankEvent>>;

/// Finds the rounds. The deliveries may be in any order.
pub fn rounds(mut deliveries: Vec<Delivery>) -> Rounds {
    deliveries.sort_unstable();
    let crossed = crossing::crossed(&deliveries);
    let events = events(&deliveries);
    let mut used = crossed.clone();
    let candidates = Candidates::of(&deliveries, &events, &crossed);
    let mut rounds = candidates.rounds(2.., &mut used);
    rounds.extend(one_way::find(&deliveries, &events, &mut used));
    // Clients whose server answers all when all have asked are no roots of rounds of two.
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
    events.values_mut().for_each(|events| events.sort_unstable());
    events
}
