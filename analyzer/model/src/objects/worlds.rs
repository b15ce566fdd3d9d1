//! Joins objects with processes of several worlds: intercommunicators between parents and spawned processes, and objects made
//! from them.
//!
//! A process knows only the processes of its own world, so each side's file has one half of such an object. No file names the call
//! that spawned a world. If one rank took part in all spawning calls, their order identifies the worlds, since a world begins before
//! the call returns; otherwise nothing is joined.

use std::collections::{BTreeMap, HashMap};

use traces::definitions::{self, Origin, Span};

use super::members::Members;
use super::{ObjectIdentity, ProcessGroup};
use crate::Rank;

/// The world that the launcher started.
const FIRST: u32 = 0;

/// The spawned worlds of a run, and the objects that span several worlds.
pub struct Worlds {
    /// Spawned worlds in the order they began.
    spawned: Vec<u32>,
    /// The first world's intercommunicators with processes that its calls spawned, by the run's number. Each has the ranks that know
    /// it, with their own numbers for it.
    leaving: BTreeMap<u32, BTreeMap<usize, u32>>,
    /// Objects with members in other worlds, by kind, parent and ordinal.
    halves: HashMap<(u32, u32, u32), Vec<Halves>>,
}

/// An object joined from halves.
struct Halves {
    /// The run's number for it.
    number: u32,
    /// Worlds whose half is known.
    worlds: Vec<u32>,
}

impl Worlds {
    pub fn of(ranks: &[Rank]) -> Worlds {
        let mut begins: BTreeMap<u32, u64> = BTreeMap::new();
        let mut nested = false;
        for rank in ranks.iter().filter(|rank| rank.header.world != FIRST) {
            let begin = begins.entry(rank.header.world).or_insert(u64::MAX);
            *begin = rank.header.begin.realtime.min(*begin);
            nested |= rank.origins.keys().any(|own| is_made_with_another(rank, *own));
        }
        // World numbers follow the order of leaving MPI_Init, begins the order of entering it. If the two agree, they are in the order
        // of the calls.
        let certain = !nested && begins.values().is_sorted();
        let spawned = if certain { begins.into_keys().collect() } else { Vec::new() };
        Worlds { spawned, leaving: BTreeMap::new(), halves: HashMap::new() }
    }

    /// Registers a rank's object under its number in the run.
    pub fn meet(&mut self, at: usize, rank: &Rank, own: u32, number: u32) {
        if rank.header.world == FIRST && is_made_with_another(rank, own) {
            self.leaving.entry(number).or_default().insert(at, own);
        }
    }

    /// Number in the run, and processes, of a spawned process's intercommunicator with its parents. `None` if `own` is another object,
    /// or if the call that spawned the process is unknown.
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

    /// Completes the object that `key` is the other half of, and returns its number. If there is none, registers this half under the
    /// next number of `groups`, and returns `None`.
    pub fn half(&mut self, key: &ObjectIdentity, group: &ProcessGroup, groups: &mut [ProcessGroup]) -> Option<u32> {
        let outside = |span: &Span| span.first < 0;
        // The groups of an intercommunicator can be told apart only if all processes of one belong to other worlds.
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

/// Processes of an intercommunicator whose other group is of another world.
fn members(rank: &Rank, own: u32) -> Option<&definitions::Members> {
    let members = rank.members.get(&own)?;
    (!members.remote.is_empty() && members.remote.iter().all(|span| span.first < 0)).then_some(members)
}

/// True if the object was made with another world by a call, not from such an object.
fn is_made_with_another(rank: &Rank, own: u32) -> bool {
    let is_first = |origin: &Origin| members(rank, origin.parent).is_none();
    rank.origins.get(&own).is_some_and(is_first) && members(rank, own).is_some()
}

impl ProcessGroup {
    /// Adds one half of an intercommunicator whose other half has `other` processes. Returns whether it has these processes now.
    pub(super) fn complete_half(&mut self, half: Members, other: u64) -> bool {
        if self.members.here().len() == 0 && (self.members.size(), self.others.size()) == (half.size(), other) {
            self.members = half;
            return true;
        }
        self.members == half && self.others.size() == other
    }

    /// True if `other` knows only processes that this one lacks.
    fn is_completed_by(&self, other: &ProcessGroup) -> bool {
        let (members, others) = other.turned();
        self.members.fit(members) && self.others.fit(others)
    }

    fn complete(&mut self, other: &ProcessGroup) {
        let (members, others) = other.turned();
        self.members.complete(members);
        self.others.complete(others);
    }

    /// The groups in the other side's order: the one of another world first.
    fn turned(&self) -> (&Members, &Members) {
        if self.others.size() == 0 { (&self.members, &self.others) } else { (&self.others, &self.members) }
    }
}
