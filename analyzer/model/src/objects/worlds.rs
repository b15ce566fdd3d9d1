//! What several worlds have in common: the intercommunicators between one and those that it spawned, and what was made from
//! these.
//!
//! A process knows by name only those of its own world. So each side knows one half of such an object, and this joins
//! the halves. No file says which call spawned a world. If one rank took part in all such calls, their order tells, since a
//! world begins before the call returns; otherwise nothing is joined.

use std::collections::{BTreeMap, HashMap};

use traces::definitions::{self, Origin, Span};

use super::members::Members;
use super::{ObjectIdentity, ProcessGroup};
use crate::Rank;

/// The world that the launcher started.
const FIRST: u32 = 0;

/// See the module.
pub struct Worlds {
    /// The worlds that were spawned, in the order they began.
    spawned: Vec<u32>,
    /// The first world's intercommunicators with processes of another, by the run's number; by the places of the ranks
    /// that have it, their own numbers.
    leaving: BTreeMap<u32, BTreeMap<usize, u32>>,
    /// What has members in other worlds, by its kind and what it was made from.
    halves: HashMap<(u32, u32, u32), Vec<Halves>>,
}

/// An object that is put together.
struct Halves {
    /// The run's number.
    number: u32,
    /// The worlds whose part is known.
    worlds: Vec<u32>,
}

impl Worlds {
    /// Those of a run's ranks.
    pub fn of(ranks: &[Rank]) -> Worlds {
        let mut begins: BTreeMap<u32, u64> = BTreeMap::new();
        let mut nested = false;
        for rank in ranks.iter().filter(|rank| rank.header.world != FIRST) {
            let begin = begins.entry(rank.header.world).or_insert(u64::MAX);
            *begin = rank.header.begin.realtime.min(*begin);
            nested |= rank.origins.keys().any(|own| is_made_with_another(rank, *own));
        }
        // Worlds are numbered as they come out of MPI_Init.
        let certain = !nested && begins.values().is_sorted();
        let spawned = if certain { begins.into_keys().collect() } else { Vec::new() };
        Worlds { spawned, leaving: BTreeMap::new(), halves: HashMap::new() }
    }

    /// A rank has an object of this number.
    pub fn meet(&mut self, at: usize, rank: &Rank, own: u32, number: u32) {
        if rank.header.world == FIRST && is_made_with_another(rank, own) {
            self.leaving.entry(number).or_default().insert(at, own);
        }
    }

    /// The number of the intercommunicator with its parents that a spawned process asks for, and who is in it.
    pub fn with_parents<'a>(&self, rank: &'a Rank, own: u32) -> Option<(u32, &'a definitions::Members)> {
        if rank.header.world == FIRST || rank.origins.contains_key(&own) {
            return None;
        }
        let members = members(rank, own)?;
        let in_all = |root: &&usize| self.leaving.values().all(|known| known.contains_key(root));
        let root = self.leaving.values().next()?.keys().find(in_all)?;
        let mut calls: Vec<(u32, u32)> = self.leaving.iter().map(|(number, known)| (known[root], *number)).collect();
        if calls.len() != self.spawned.len() {
            return None;
        }
        calls.sort_unstable();
        let which = self.spawned.iter().position(|world| *world == rank.header.world)?;
        Some((calls[which].1, members))
    }

    /// The number of the object that a key is another half of, to be completed; or, where there is none, leaves the number it
    /// will have.
    pub fn half(&mut self, key: &ObjectIdentity, group: &ProcessGroup, groups: &mut [ProcessGroup]) -> Option<u32> {
        let outside = |span: &Span| span.first < 0;
        // Which group of an intercommunicator is which is known where each is of one world.
        let is_half = match key.others.is_empty() {
            true => key.members.iter().any(outside),
            false => key.members.iter().all(outside),
        };
        let (parent, ordinal) = key.origin.filter(|_| is_half)?;
        let halves = self.halves.entry((key.kind, parent, ordinal)).or_default();
        let fits = |known: &&mut Halves| {
            !known.worlds.contains(&key.world) && groups[known.number as usize].is_completed_by(group)
        };
        let mut fitting: Vec<_> = halves.iter_mut().filter(fits).collect();
        if let [known] = &mut fitting[..] {
            known.worlds.push(key.world);
            groups[known.number as usize].complete(group);
            return Some(known.number);
        }
        halves.push(Halves { number: groups.len() as u32, worlds: vec![key.world] });
        None
    }
}

/// Who is in an intercommunicator whose other group is of another world.
fn members(rank: &Rank, own: u32) -> Option<&definitions::Members> {
    let members = rank.members.get(&own)?;
    (!members.remote.is_empty() && members.remote.iter().all(|span| span.first < 0)).then_some(members)
}

/// Whether an object is one that a call made with another world, and not made from such a one.
fn is_made_with_another(rank: &Rank, own: u32) -> bool {
    let is_first = |origin: &Origin| members(rank, origin.parent).is_none();
    rank.origins.get(&own).is_some_and(is_first) && members(rank, own).is_some()
}

impl ProcessGroup {
    /// Takes the processes of one half of an intercommunicator whose other half, of so many, is known. Whether it has these.
    pub(super) fn complete_half(&mut self, half: Members, other: u64) -> bool {
        if self.members.here().len() == 0 && (self.members.size(), self.others.size()) == (half.size(), other) {
            self.members = half;
            return true;
        }
        self.members == half && self.others.size() == other
    }

    /// Whether another knows only of processes that this one does not.
    fn is_completed_by(&self, other: &ProcessGroup) -> bool {
        let (members, others) = other.turned();
        self.members.fit(members) && self.others.fit(others)
    }

    fn complete(&mut self, other: &ProcessGroup) {
        let (members, others) = other.turned();
        self.members.complete(members);
        self.others.complete(others);
    }

    /// The groups in the order in which the other side has them: that of another world comes first.
    fn turned(&self) -> (&Members, &Members) {
        if self.others.size() == 0 { (&self.members, &self.others) } else { (&self.others, &self.members) }
    }
}
