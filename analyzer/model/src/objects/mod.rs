//! Which communicators, windows and files of different ranks are the same, and who is in them.
//!
//! In: what each rank's file says of its own. Out: one number for each of the run. An object is known by the one it was made
//! from, by how many had been made from that before, and by its processes; one that only its own processes made, by how
//! many of the same processes came before it. What has processes of several [`worlds`] is put together from what each knows.

mod members;
mod worlds;

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use traces::definitions::{self, Object, ObjectKind, Span};

use super::{Rank, Run};
use members::Members;
use worlds::Worlds;

/// The ordinal of an object in whose making only its own processes took part.
const ALONE: u32 = u32::MAX;
/// Neighbors that are told apart by their places in a rank's buffers. More are a damaged file's.
const MOST_NEIGHBORS: usize = 1 << 16;

/// See the module.
pub struct Objects {
    /// By number.
    pub groups: Vec<ProcessGroup>,
    by_rank: Vec<FxHashMap<u32, u32>>,
    made_alone: Vec<Vec<u32>>,
    /// By rank and its number of the group.
    opened_to: FxHashMap<(u32, u32), Vec<u32>>,
    /// By rank and the run's number of the communicator.
    neighbors: FxHashMap<(u32, u32), Neighbors>,
}

/// A rank's neighbors in a communicator's topology, all by their places among those of its processes that have files here.
#[derive(Clone, Default, Debug)]
pub struct Neighbors {
    /// Itself.
    pub own: u32,
    /// Those it receives from.
    pub sources: Vec<u32>,
    /// Those it sends to.
    pub destinations: Vec<u32>,
    /// The same in the order of its buffers, each as often as it stands there, by places in [`Run::ranks`]; `None` for
    /// MPI_PROC_NULL and those that have no file here.
    pub receivers: Vec<Option<u32>>,
}

/// The processes of an object.
#[derive(Debug)]
pub struct ProcessGroup {
    /// Its name, as the first rank has it.
    pub name: String,
    /// The group; of an intercommunicator, that with the lower ranks.
    members: Members,
    /// The other group of an intercommunicator.
    others: Members,
    /// The world whose ranks these are, and the ranks of both.
    world: u32,
    ranks: [Vec<Span>; 2],
}

/// A process of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Member {
    /// By its place in [`Run::ranks`].
    Here(u32),
    /// One of the launch's world that has no file here, by its rank.
    Absent(u32),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct ObjectIdentity {
    world: u32,
    kind: u32,
    /// The parent and the ordinal on it; neither where only the object's own processes took part.
    origin: Option<(u32, u32)>,
    members: Vec<Span>,
    others: Vec<Span>,
    /// How many of this rank's objects with the same key came before.
    occurrence: u32,
}

impl Objects {
    /// Finds out for all ranks of a run.
    pub fn of(run: &Run) -> Objects {
        Objects::of_ranks(&run.ranks)
    }

    /// The same for ranks in the order of a run.
    pub fn of_ranks(ranks: &[Rank]) -> Objects {
        let worlds = Worlds::of(ranks);
        let mut finder = Finder { known: HashMap::new(), places: places(ranks), groups: Vec::new(), worlds };
        let by_rank: Vec<_> = ranks.iter().enumerate().map(|(at, rank)| finder.rank(at, rank)).collect();
        let made_alone = ranks.iter().zip(&by_rank).map(|(rank, numbers)| made_alone(rank, numbers)).collect();
        let opened_to = (0..).zip(ranks).flat_map(|(at, rank)| finder.opened_to(at, rank)).collect();
        let ranks = (0..).zip(ranks.iter().zip(&by_rank));
        let neighbors = ranks.flat_map(|(at, (rank, numbers))| finder.neighbors(at, rank, numbers)).collect();
        Objects { groups: finder.groups, by_rank, made_alone, opened_to, neighbors }
    }

    /// The processes that a rank opened a window to, by its own number of their group.
    pub fn opened_to(&self, rank: u32, group: u32) -> Option<&[u32]> {
        self.opened_to.get(&(rank, group)).map(Vec::as_slice)
    }

    /// A rank's neighbors in a communicator.
    pub fn neighbors(&self, rank: u32, communicator: u32) -> Option<&Neighbors> {
        self.neighbors.get(&(rank, communicator))
    }

    /// The object that a rank's calls in which only its own processes take part have made, by how many came before.
    pub fn made_alone(&self, rank: usize, before: usize) -> Option<u32> {
        self.made_alone[rank].get(before).copied()
    }

    /// The run's number for an object of a rank, by the rank's place in [`Run::ranks`] and its own number.
    pub fn number(&self, rank: usize, own: u32) -> Option<u32> {
        self.by_rank[rank].get(&own).copied()
    }
}

impl ProcessGroup {
    /// How many processes take part in its collective calls.
    pub fn size(&self) -> u64 {
        self.members.size() + self.others.size()
    }

    /// Whether it has two groups.
    pub fn is_inter(&self) -> bool {
        self.others.size() > 0
    }

    /// Whether it is known of all its processes who they are, and they are in this folder.
    pub fn is_here(&self) -> bool {
        self.members.are_here() && self.others.are_here()
    }

    /// How many of its processes have files here.
    pub fn number_here(&self) -> u64 {
        (self.members.here().len() + self.others.here().len()) as u64
    }

    /// The processes of its group that have files here; of an intercommunicator, of that with the lower ranks.
    pub fn here(&self) -> impl ExactSizeIterator<Item = u32> {
        self.members.here()
    }

    /// The same of both groups.
    pub fn everybody(&self) -> impl Iterator<Item = u32> {
        self.members.here().chain(self.others.here())
    }

    /// Whom a rank calls by this number: of its own group, or of the other one in an intercommunicator.
    pub fn peer(&self, rank: usize, number: i32) -> Option<u32> {
        let number = u32::try_from(number).ok()?;
        if self.calls_others(rank) { self.others.get(number) } else { self.members.get(number) }
    }

    /// Its rank in `MPI_COMM_WORLD`, where that is the world that the launcher started.
    pub fn rank_of_peer(&self, rank: usize, number: i32) -> Option<u32> {
        let ranks = &self.ranks[usize::from(self.calls_others(rank))];
        let found = Span::rank(ranks, u32::try_from(number).ok()?).filter(|_| self.world == 0);
        u32::try_from(found?).ok()
    }

    /// All its processes by their numbers; of an intercommunicator, of the group with the lower ranks and the other, which is
    /// empty elsewhere. `None` where one is not known, or there are more than `most`.
    pub fn processes(&self, most: u64) -> Option<[Vec<Member>; 2]> {
        let absent = |ranks: &[Span], number| {
            let rank = Span::rank(ranks, number).filter(|_| self.world == 0)?;
            Some(Member::Absent(u32::try_from(rank).ok()?))
        };
        let all = |members: &Members, ranks: &[Span]| -> Option<Vec<Member>> {
            let member = |number| members.get(number).map(Member::Here).or_else(|| absent(ranks, number));
            (0..u32::try_from(members.size()).ok()?).map(member).collect()
        };
        if self.size() > most {
            return None;
        }
        Some([all(&self.members, &self.ranks[0])?, all(&self.others, &self.ranks[1])?])
    }

    fn calls_others(&self, rank: usize) -> bool {
        self.others.size() > 0 && self.members.number(rank as u32).is_some()
    }

    /// A rank's own number.
    pub fn own(&self, rank: usize) -> Option<u32> {
        self.members.number(rank as u32).or_else(|| self.others.number(rank as u32))
    }
}

/// Places in [`Run::ranks`] by rank, for each world.
fn places(all: &[Rank]) -> HashMap<u32, Vec<(u32, u32)>> {
    let mut places: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
    for (at, rank) in (0..).zip(all) {
        places.entry(rank.header.world).or_default().extend(rank.number().map(|number| (number, at)));
    }
    for ranks in places.values_mut() {
        ranks.sort_unstable();
        ranks.dedup_by_key(|(rank, _)| *rank);
    }
    places
}

fn made_alone(rank: &Rank, numbers: &FxHashMap<u32, u32>) -> Vec<u32> {
    let alone = rank.origins.values().filter(|origin| origin.ordinal == ALONE);
    let mut alone: Vec<u32> = alone.map(|origin| origin.number).collect();
    alone.sort_unstable();
    alone.into_iter().filter_map(|number| numbers.get(&number).copied()).collect()
}

struct Finder {
    known: HashMap<ObjectIdentity, u32>,
    places: HashMap<u32, Vec<(u32, u32)>>,
    groups: Vec<ProcessGroup>,
    worlds: Worlds,
}

impl Finder {
    fn rank(&mut self, at: usize, rank: &Rank) -> FxHashMap<u32, u32> {
        let mut own: Vec<u32> = rank.communicators.keys().chain(rank.objects.keys()).copied().collect();
        // What an object was made from has a lower number.
        own.sort_unstable();
        let mut numbers = FxHashMap::default();
        let mut occurrences: HashMap<u32, u32> = HashMap::new();
        for number in own {
            if let Some(with_parents) = self.with_parents(rank, number) {
                numbers.insert(number, with_parents);
                continue;
            }
            let Some(mut key) = key(rank, number, &numbers) else { continue };
            if key.origin.is_none() {
                let first = self.number(key.clone(), rank, number);
                let before = occurrences.entry(first).or_default();
                key.occurrence = *before;
                *before += 1;
            }
            let of_run = self.number(key, rank, number);
            self.worlds.meet(at, rank, number, of_run);
            numbers.insert(number, of_run);
        }
        numbers
    }

    fn with_parents(&mut self, rank: &Rank, own: u32) -> Option<u32> {
        let (number, members) = self.worlds.with_parents(rank, own)?;
        let half = self.all(rank.header.world, &members.local);
        let parents = members.remote.iter().map(|span| u64::from(span.count)).sum();
        self.groups[number as usize].complete_half(half, parents).then_some(number)
    }

    fn number(&mut self, key: ObjectIdentity, rank: &Rank, own: u32) -> u32 {
        if let Some(number) = self.known.get(&key) {
            return *number;
        }
        let all = |spans: &[Span]| self.all(key.world, spans);
        let name = rank.communicators.get(&own).map(|communicator| communicator.name.clone()).unwrap_or_default();
        let ranks = [key.members.clone(), key.others.clone()];
        let group =
            ProcessGroup { name, members: all(&key.members), others: all(&key.others), world: key.world, ranks };
        let number = self.worlds.half(&key, &group, &mut self.groups).unwrap_or_else(|| {
            self.groups.push(group);
            self.groups.len() as u32 - 1
        });
        self.known.insert(key, number);
        number
    }

    /// The processes of a world's spans.
    fn all(&self, world: u32, spans: &[Span]) -> Members {
        Members::of(spans, self.places.get(&world).map_or(&[], Vec::as_slice))
    }

    fn opened_to(&self, at: u32, rank: &Rank) -> Vec<((u32, u32), Vec<u32>)> {
        let members = |group: &definitions::Group| self.all(rank.header.world, &group.members).here().collect();
        let group = |group: &definitions::Group| ((at, group.number), members(group));
        rank.groups.values().map(group).collect()
    }

    fn receivers(&self, world: u32, destinations: &[Span]) -> Vec<Option<u32>> {
        let places = self.places.get(&world).map_or(&[][..], Vec::as_slice);
        let place = |rank| Some(places[places.binary_search_by_key(&rank, |place| place.0).ok()?].1);
        let ranks = destinations.iter().flat_map(|span| (0..span.count).map(|at| span.rank_at(at)));
        ranks.take(MOST_NEIGHBORS).map(|rank| place(u32::try_from(rank?).ok()?)).collect()
    }

    fn neighbors(&self, at: u32, rank: &Rank, numbers: &FxHashMap<u32, u32>) -> Vec<((u32, u32), Neighbors)> {
        let all = |spans: &[Span]| self.all(rank.header.world, spans);
        let neighbors = |known: &definitions::Neighbors| {
            let number = *numbers.get(&known.communicator)?;
            let own: FxHashMap<u32, u32> = self.groups[number as usize].here().zip(0..).collect();
            let places = |spans| all(spans).here().filter_map(|place| own.get(&place).copied()).collect();
            let (sources, destinations) = (places(&known.sources), places(&known.destinations));
            let receivers = self.receivers(rank.header.world, &known.destinations);
            Some(((at, number), Neighbors { own: *own.get(&at)?, sources, destinations, receivers }))
        };
        rank.neighbors.values().filter_map(neighbors).collect()
    }
}

/// What a rank's object is known by; nothing where its processes are not known.
fn key(rank: &Rank, number: u32, known: &FxHashMap<u32, u32>) -> Option<ObjectIdentity> {
    let origin = rank.origins.get(&number);
    let communicator = match rank.objects.get(&number) {
        None => number,
        Some(_) => origin?.parent,
    };
    let kind = match rank.objects.get(&number) {
        None => 0,
        Some(Object { kind: ObjectKind::Window, .. }) => 1,
        Some(Object { kind: ObjectKind::File, .. }) => 2,
    };
    let members = rank.members.get(&communicator)?;
    let (mut one, mut other) = (members.local.clone(), members.remote.clone());
    // Both sides of an intercommunicator are to call it the same.
    if !other.is_empty() && (Span::rank(&other, 0), other.len()) < (Span::rank(&one, 0), one.len()) {
        std::mem::swap(&mut one, &mut other);
    }
    let origin = origin.filter(|origin| origin.ordinal != ALONE);
    let origin = origin.and_then(|origin| Some((*known.get(&origin.parent)?, origin.ordinal)));
    Some(ObjectIdentity { world: rank.header.world, kind, origin, members: one, others: other, occurrence: 0 })
}
