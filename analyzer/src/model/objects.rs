//! Which communicators, windows and files of different ranks are the same, and who is in them.
//!
//! In: what each rank's file says of its own. Out: one number for each of the run. An object is known by the one it was made
//! from, by how many had been made from that before, and by its processes; one that only its own processes made, by how
//! many of the same processes came before it. What has processes of several [`worlds`] is put together from what each knows.

mod worlds;

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use traces::definitions::{self, Object, ObjectKind, Span};

use super::{Rank, Run};
use worlds::Worlds;

/// A process that has no file in this folder, or is of another world and nothing tells which it is.
pub const ELSEWHERE: u32 = u32::MAX;

/// The ordinal of an object in whose making only its own processes took part.
const ALONE: u32 = u32::MAX;

/// See the module.
pub struct Objects {
    /// By number.
    pub groups: Vec<Group>,
    by_rank: Vec<FxHashMap<u32, u32>>,
    made_alone: Vec<Vec<u32>>,
    /// By rank and its number of the group.
    opened_to: FxHashMap<(u32, u32), Vec<u32>>,
    /// By rank and the run's number of the communicator.
    neighbors: FxHashMap<(u32, u32), Neighbors>,
}

/// A rank's neighbours in a communicator's topology, all by their ranks in the communicator.
#[derive(Clone, Default, Debug)]
pub struct Neighbors {
    /// Itself.
    pub own: u32,
    /// Those it receives from.
    pub sources: Vec<u32>,
    /// Those it sends to.
    pub destinations: Vec<u32>,
}

/// The processes of an object, by their places in [`Run::ranks`].
#[derive(Debug)]
pub struct Group {
    /// Its name, as the first rank has it.
    pub name: String,
    /// The group; of an intercommunicator, that with the lower ranks.
    members: Vec<u32>,
    /// The other group of an intercommunicator.
    others: Vec<u32>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
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
        let worlds = Worlds::of(run);
        let mut finder = Finder { known: HashMap::new(), places: places(run), groups: Vec::new(), worlds };
        let by_rank: Vec<_> = run.ranks.iter().enumerate().map(|(at, rank)| finder.rank(at, rank)).collect();
        let made_alone = run.ranks.iter().zip(&by_rank).map(|(rank, numbers)| made_alone(rank, numbers)).collect();
        let opened_to = (0..).zip(&run.ranks).flat_map(|(at, rank)| finder.opened_to(at, rank)).collect();
        let ranks = (0..).zip(run.ranks.iter().zip(&by_rank));
        let neighbors = ranks.flat_map(|(at, (rank, numbers))| finder.neighbors(at, rank, numbers)).collect();
        Objects { groups: finder.groups, by_rank, made_alone, opened_to, neighbors }
    }

    /// The processes that a rank opened a window to, by its own number of their group.
    pub fn opened_to(&self, rank: u32, group: u32) -> Option<&[u32]> {
        self.opened_to.get(&(rank, group)).map(Vec::as_slice)
    }

    /// A rank's neighbours in a communicator.
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

impl Group {
    /// How many processes take part in its collective calls.
    pub fn size(&self) -> usize {
        self.members.len() + self.others.len()
    }

    /// Whether it is known of all its processes who they are, and they are in this folder.
    pub fn is_here(&self) -> bool {
        !self.members.iter().chain(&self.others).any(|member| *member == ELSEWHERE)
    }

    /// The processes of its group; of an intercommunicator, of that with the lower ranks.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// Whom a rank calls by this number: of its own group, or of the other one in an intercommunicator.
    pub fn peer(&self, rank: usize, number: i32) -> Option<u32> {
        let place = usize::try_from(number).ok()?;
        let there = match !self.others.is_empty() && self.members.contains(&(rank as u32)) {
            true => self.others.get(place)?,
            false => self.members.get(place)?,
        };
        (*there != ELSEWHERE).then_some(*there)
    }

    /// A rank's own number.
    pub fn own(&self, rank: usize) -> Option<u32> {
        let place = |group: &Vec<u32>| group.iter().position(|member| *member == rank as u32);
        place(&self.members).or_else(|| place(&self.others)).map(|place| place as u32)
    }
}

/// Places in [`Run::ranks`] by world and rank.
fn places(run: &Run) -> HashMap<(u32, u32), u32> {
    let place = |(at, rank): (usize, &Rank)| Some(((rank.header.world, rank.number()?), at as u32));
    run.ranks.iter().enumerate().filter_map(place).collect()
}

fn made_alone(rank: &Rank, numbers: &FxHashMap<u32, u32>) -> Vec<u32> {
    let alone = rank.origins.values().filter(|origin| origin.ordinal == ALONE);
    let mut alone: Vec<u32> = alone.map(|origin| origin.number).collect();
    alone.sort_unstable();
    alone.into_iter().filter_map(|number| numbers.get(&number).copied()).collect()
}

struct Finder {
    known: HashMap<Key, u32>,
    places: HashMap<(u32, u32), u32>,
    groups: Vec<Group>,
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
        let parents = members.remote.iter().map(|span| span.count as usize).sum();
        self.groups[number as usize].complete_half(half, parents).then_some(number)
    }

    fn number(&mut self, key: Key, rank: &Rank, own: u32) -> u32 {
        if let Some(number) = self.known.get(&key) {
            return *number;
        }
        let all = |spans: &[Span]| self.all(key.world, spans);
        let name = rank.communicators.get(&own).map(|communicator| communicator.name.clone()).unwrap_or_default();
        let group = Group { name, members: all(&key.members), others: all(&key.others) };
        let number = self.worlds.half(&key, &group, &mut self.groups).unwrap_or_else(|| {
            self.groups.push(group);
            self.groups.len() as u32 - 1
        });
        self.known.insert(key, number);
        number
    }

    /// The processes of spans, by their places in [`Run::ranks`].
    fn all(&self, world: u32, spans: &[Span]) -> Vec<u32> {
        let place = |at| u32::try_from(Span::rank(spans, at)?).ok();
        let count = spans.iter().map(|span| span.count).sum();
        let found = |at| Some(*self.places.get(&(world, place(at)?))?);
        (0..count).map(|at| found(at).unwrap_or(ELSEWHERE)).collect()
    }

    fn opened_to(&self, at: u32, rank: &Rank) -> Vec<((u32, u32), Vec<u32>)> {
        let group = |group: &definitions::Group| ((at, group.number), self.all(rank.header.world, &group.members));
        rank.groups.values().map(group).collect()
    }

    fn neighbors(&self, at: u32, rank: &Rank, numbers: &FxHashMap<u32, u32>) -> Vec<((u32, u32), Neighbors)> {
        let all = |spans: &[Span]| self.all(rank.header.world, spans);
        let neighbors = |known: &definitions::Neighbors| {
            let number = *numbers.get(&known.communicator)?;
            let own: FxHashMap<u32, u32> = self.groups[number as usize].members.iter().copied().zip(0..).collect();
            let places = |spans| all(spans).iter().filter_map(|place| own.get(place).copied()).collect();
            let (sources, destinations) = (places(&known.sources), places(&known.destinations));
            Some(((at, number), Neighbors { own: *own.get(&at)?, sources, destinations }))
        };
        rank.neighbors.values().filter_map(neighbors).collect()
    }
}

/// What a rank's object is known by; nothing where its processes are not known.
fn key(rank: &Rank, number: u32, known: &FxHashMap<u32, u32>) -> Option<Key> {
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
    Some(Key { world: rank.header.world, kind, origin, members: one, others: other, occurrence: 0 })
}
