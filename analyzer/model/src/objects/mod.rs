//! Identifies communicators, windows and files across ranks, with the processes in them.
//!
//! In: the objects in each rank's file. Out: one number per object of the run. An object is identified by its parent, by the
//! number of objects made from that before, and by its processes; one made by its own processes alone, by the number of earlier
//! ones with the same processes. Objects with processes of several [`worlds`] are joined from each world's part.

mod members;
mod worlds;

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use traces::definitions::{self, Object, ObjectKind, Span};

use super::{Rank, Run};
use members::Members;
use worlds::Worlds;

/// The ordinal of an object that its own processes made alone.
pub const ALONE: u32 = u32::MAX;
/// Maximum number of neighbors of a rank; a damaged file may list more.
const MOST_NEIGHBORS: usize = 1 << 16;

pub struct Objects {
    /// Groups by the object's number.
    pub groups: Vec<ProcessGroup>,
    by_rank: Vec<FxHashMap<u32, u32>>,
    made_alone: Vec<Vec<u32>>,
    /// By rank and the rank's number for the group.
    opened_to: FxHashMap<(u32, u32), Vec<u32>>,
    /// By rank and the run's number for the communicator.
    neighbors: FxHashMap<(u32, u32), Neighbors>,
}

/// A rank's neighbors in a communicator's topology. Numbers count the communicator's processes with files here.
#[derive(Clone, Default, Debug)]
pub struct Neighbors {
    /// The rank's own number.
    pub own: u32,
    /// Ranks it receives from.
    pub sources: Vec<u32>,
    /// Ranks it sends to.
    pub destinations: Vec<u32>,
    /// Destinations in the order of its buffers, with repeats, by place in [`Run::ranks`]; `None` for MPI_PROC_NULL and for ranks
    /// without a file here.
    pub receivers: Vec<Option<u32>>,
}

#[derive(Debug)]
pub struct ProcessGroup {
    /// Its name in the first rank's file.
    pub name: String,
    /// The group; in an intercommunicator, the one with the lower ranks.
    members: Members,
    /// The other group of an intercommunicator.
    others: Members,
    /// The world of these ranks, and the ranks of both groups.
    world: u32,
    ranks: [Vec<Span>; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Member {
    /// Place in [`Run::ranks`].
    Here(u32),
    /// Rank in the launched world, without a file here.
    Absent(u32),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct ObjectIdentity {
    world: u32,
    kind: u32,
    /// The parent and the ordinal on it; `None` if the object's own processes made it alone.
    origin: Option<(u32, u32)>,
    members: Vec<Span>,
    others: Vec<Span>,
    /// Number of this rank's earlier objects with the same identity.
    occurrence: u32,
}

impl Objects {
    pub fn of(run: &Run) -> Objects {
        Objects::of_ranks(&run.ranks)
    }

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

    /// Processes that a rank opened a window to, by its own number for their group.
    pub fn opened_to(&self, rank: u32, group: u32) -> Option<&[u32]> {
        self.opened_to.get(&(rank, group)).map(Vec::as_slice)
    }

    pub fn neighbors(&self, rank: u32, communicator: u32) -> Option<&Neighbors> {
        self.neighbors.get(&(rank, communicator))
    }

    /// Communicators in which a rank has neighbors, in order, with the neighbors.
    pub fn neighborhoods(&self, rank: u32) -> Vec<(u32, &Neighbors)> {
        let numbers = self.by_rank[rank as usize].values().copied();
        let mut found: Vec<_> = numbers.filter_map(|number| Some((number, self.neighbors(rank, number)?))).collect();
        found.sort_unstable_by_key(|(number, _)| *number);
        found
    }

    /// The object that a rank's processes made alone, after `before` others.
    pub fn made_alone(&self, rank: usize, before: usize) -> Option<u32> {
        self.made_alone[rank].get(before).copied()
    }

    /// A rank's own numbers for its objects, each with the run's.
    pub fn numbers(&self, rank: usize) -> impl Iterator<Item = (u32, u32)> {
        self.by_rank[rank].iter().map(|(own, number)| (*own, *number))
    }

    /// True if the processes of an object are known, and some have no files here.
    pub fn lacks_some(&self, object: Option<u32>) -> bool {
        object.is_some_and(|object| !self.groups[object as usize].is_here())
    }

    /// The run's number for an object, by the rank's place in [`Run::ranks`] and its own number.
    pub fn number(&self, rank: usize, own: u32) -> Option<u32> {
        self.by_rank[rank].get(&own).copied()
    }
}

impl ProcessGroup {
    /// The number of processes in its collective calls.
    pub fn size(&self) -> u64 {
        self.members.size() + self.others.size()
    }

    pub fn is_inter(&self) -> bool {
        self.others.size() > 0
    }

    /// True if all its processes are known and have files here.
    pub fn is_here(&self) -> bool {
        self.members.are_here() && self.others.are_here()
    }

    /// Number of processes with files here.
    pub fn number_here(&self) -> u64 {
        (self.members.here().len() + self.others.here().len()) as u64
    }

    /// Processes of its group that have files here; in an intercommunicator, of the group with the lower ranks.
    pub fn here(&self) -> impl ExactSizeIterator<Item = u32> {
        self.members.here()
    }

    /// Processes of both groups that have files here.
    pub fn everybody(&self) -> impl Iterator<Item = u32> {
        self.members.here().chain(self.others.here())
    }

    /// The process that `rank` calls `number`: of its own group, or of the other group in an intercommunicator.
    pub fn peer(&self, rank: usize, number: i32) -> Option<u32> {
        let number = u32::try_from(number).ok()?;
        if self.calls_others(rank) { self.others.get(number) } else { self.members.get(number) }
    }

    /// Rank in `MPI_COMM_WORLD` of the process that `rank` calls `number`; `None` outside the launched world.
    pub fn rank_of_peer(&self, rank: usize, number: i32) -> Option<u32> {
        let ranks = &self.ranks[usize::from(self.calls_others(rank))];
        let found = Span::rank(ranks, u32::try_from(number).ok()?).filter(|_| self.world == 0);
        u32::try_from(found?).ok()
    }

    /// All processes by number, in the group with the lower ranks and the other group, which is empty in an intracommunicator.
    /// `None` if one is unknown, or if there are more than `most`.
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

    /// A rank's number in its own group.
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
        // A parent has a lower number than its objects.
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
            let group = &self.groups[number as usize].members;
            let own = |place| Some(group.position(place)? as u32);
            let places = |spans| all(spans).here().filter_map(own).collect();
            let (sources, destinations) = (places(&known.sources), places(&known.destinations));
            let receivers = self.receivers(rank.header.world, &known.destinations);
            Some(((at, number), Neighbors { own: own(at)?, sources, destinations, receivers }))
        };
        rank.neighbors.values().filter_map(neighbors).collect()
    }
}

/// Identity of a rank's object; `None` if its processes are unknown.
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
    // Both sides of an intercommunicator need the same identity.
    if !other.is_empty() && (Span::rank(&other, 0), other.len()) < (Span::rank(&one, 0), one.len()) {
        std::mem::swap(&mut one, &mut other);
    }
    let origin = origin.filter(|origin| origin.ordinal != ALONE);
    let origin = origin.and_then(|origin| Some((*known.get(&origin.parent)?, origin.ordinal)));
    Some(ObjectIdentity { world: rank.header.world, kind, origin, members: one, others: other, occurrence: 0 })
}
