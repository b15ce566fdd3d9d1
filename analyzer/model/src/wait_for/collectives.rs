//! Finds the needs of collective calls: ranks that have not come, and ranks that made another call instead.

use rustc_hash::FxHashMap;

use super::{Graph, Sighting, makes_alone};
use crate::deadlock::{Doubt, Need};
use crate::roles::Flow;
use crate::standing::{Awaited, CollectiveDifference, CollectiveKey, CollectiveKind, CollectivePart, Standing};

/// Reason why a rank takes no part in a collective call that another rank is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absence {
    /// It has not come yet.
    Late,
    /// It is in a call with the same ordinal that differs.
    In(CollectiveDifference),
    /// It has made a call with the same ordinal that differs, and has gone on.
    Past(CollectiveDifference),
}

/// For each collective call, the ranks that take no part in it.
pub type Absences = FxHashMap<CollectiveKey, Vec<(usize, Absence)>>;

/// The ranks that take no part in a collective call, with the reason.
fn absences(standing: &Standing, part: &CollectivePart) -> Vec<(usize, Absence)> {
    let members = standing.objects.groups[part.object as usize].everybody();
    members.filter_map(|rank| Some((rank as usize, absence(standing, rank as usize, part)?))).collect()
}

fn absence(standing: &Standing, rank: usize, part: &CollectivePart) -> Option<Absence> {
    if let Some(before) = part.starts {
        let started = standing.ranks[rank].past.started.get(&(part.object, part.ordinal)).copied().unwrap_or(0);
        return (started <= before).then_some(Absence::Late);
    }
    let reach = standing.reach(rank, part.object);
    if reach.count() <= part.ordinal {
        return Some(Absence::Late);
    }
    let difference = reach.kind(part.ordinal)?.difference(&part.kind)?;
    let is_same = |other: CollectivePart| other.object == part.object && other.ordinal == part.ordinal;
    let mut pending = standing.ranks[rank].past.pending.values().flat_map(|request| &request.awaits);
    let is_in = reach.is_in(part.ordinal) || pending.any(|awaits| awaits.collective().is_some_and(is_same));
    Some(if is_in { Absence::In(difference) } else { Absence::Past(difference) })
}

/// Absences of all calls that ranks are in or have pending.
pub fn all_absences(standing: &Standing) -> Absences {
    let mut all = Absences::default();
    for part in standing.ranks.iter().flat_map(|rank| rank.awaits()).filter_map(Awaited::collective) {
        all.entry(part.key()).or_insert_with(|| absences(standing, &part));
    }
    all
}

pub fn absences_of<'a>(all: &'a Absences, part: &CollectivePart) -> &'a [(usize, Absence)] {
    all.get(&part.key()).map_or(&[], Vec::as_slice)
}

/// True if ranks of an object have made collective calls of it that did not match, sizes included; considers only ranks with
/// complete recordings.
pub fn has_diverged(standing: &Standing, sightings: &[Sighting], object: u32) -> bool {
    let made = |rank: u32| {
        let made = standing.ranks[rank as usize].past.made.get(&object);
        made.filter(|_| !sightings[rank as usize].is_partial)
    };
    let mut all = standing.objects.groups[object as usize].everybody().filter_map(made);
    all.next().is_some_and(|first| all.any(|other| first.has_diverged(other)))
}

/// A neighbor that a rank receives from, and that does not list the rank among its destinations.
pub fn silent_neighbor(standing: &Standing, at: usize, object: u32) -> Option<usize> {
    let (objects, group) = (&standing.objects, &standing.objects.groups[object as usize]);
    let known = objects.neighbors(at as u32, object)?;
    let mut sources = known.sources.iter().filter_map(|source| group.here().nth(*source as usize));
    let is_silent = |source: &u32| {
        let its = objects.neighbors(*source, object);
        its.is_some_and(|its| !its.destinations.contains(&known.own))
    };
    sources.find(is_silent).map(|source| source as usize)
}

impl Graph<'_> {
    pub(super) fn collective(&self, at: usize, part: &CollectivePart) -> Need {
        let group = &self.standing.objects.groups[part.object as usize];
        if !group.is_here() {
            return Need::Unknown;
        }
        // MPI reports an error and ends most such runs.
        if self.has_no_root(part.object, &part.kind) {
            return Need::Unknown;
        }
        let absences = absences_of(&self.absences, part);
        if part.flow == Flow::Neighbors && silent_neighbor(self.standing, at, part.object).is_some() {
            return Need::Impossible;
        }
        let need = self.by_flow(at, part, absences);
        if need.is_met_already() && self.diverged.contains(&part.object) {
            return Need::Impossible.doubted(Doubt::Library);
        }
        if part.is_loose() { need.doubted(Doubt::Library) } else { need }
    }

    fn by_flow(&self, at: usize, part: &CollectivePart, absences: &[(usize, Absence)]) -> Need {
        let group = &self.standing.objects.groups[part.object as usize];
        let needs = |is_needed: &dyn Fn(usize) -> bool| -> (Vec<Need>, Vec<Need>) {
            let (needed, others): (Vec<_>, Vec<_>) = absences.iter().partition(|(rank, _)| is_needed(*rank));
            let need = |(rank, absence): &(usize, Absence)| self.absent(*rank, *absence, part);
            (needed.iter().map(need).collect(), others.iter().map(need).collect())
        };
        let (needed, others) = match part.flow {
            Flow::Barrier | Flow::All | Flow::Fence | Flow::Create => needs(&|_| true),
            Flow::ToRoot => needs(&|_| part.is_root),
            Flow::FromRoot => {
                let root = part.root.and_then(|root| group.peer(at, root)).map(|root| root as usize);
                needs(&|rank| Some(rank) == root)
            }
            Flow::Prefix => {
                let own = group.own(at);
                needs(&|rank| group.own(rank) < own)
            }
            Flow::Neighbors => {
                let known = self.standing.objects.neighbors(at as u32, part.object);
                let place = |rank: usize| group.here().position(|member| member as usize == rank);
                let is_source =
                    |rank| known.zip(place(rank)).is_some_and(|(known, at)| known.sources.contains(&(at as u32)));
                needs(&is_source)
            }
        };
        // With tree algorithms, some ranks go on before others have come: if nothing else holds the rank, it may wait for one of
        // those.
        let maybe = (needed.is_empty() && !others.is_empty()).then(|| Need::any(others).doubted(Doubt::Library));
        Need::all(needed.into_iter().chain(maybe).collect())
    }

    /// True if a call names a root that the object does not have.
    fn has_no_root(&self, object: u32, kind: &CollectiveKind) -> bool {
        let size = self.standing.objects.groups[object as usize].size();
        kind.root.is_some_and(|root| root as u64 >= size)
    }

    /// The need of a call towards a rank that takes no part in it.
    fn absent(&self, rank: usize, absence: Absence, part: &CollectivePart) -> Need {
        let kind = self.standing.reach(rank, part.object).kind(part.ordinal);
        match absence {
            Absence::Late => Need::Rank(rank),
            // Its records were read before the call that it is in now: others may lie between.
            Absence::In(_) if self.sightings[rank].moved => Need::Rank(rank),
            Absence::In(_) if kind.is_some_and(|kind| self.has_no_root(part.object, &kind)) => Need::Rank(rank),
            // The rank's part may arrive in messages that match.
            Absence::In(CollectiveDifference::Bytes) | Absence::Past(CollectiveDifference::Bytes) => {
                Need::Impossible.doubted(Doubt::Library)
            }
            Absence::In(CollectiveDifference::Root) if part.flow == Flow::FromRoot => {
                Need::Impossible.doubted(Doubt::Library)
            }
            Absence::In(_) => Need::Impossible,
            Absence::Past(_) if self.is_left_early(rank, part) => Need::Impossible.doubted(Doubt::Library),
            Absence::Past(_) => Need::Impossible,
        }
    }

    /// True if the call that a rank made instead may end before others have come.
    fn is_left_early(&self, rank: usize, part: &CollectivePart) -> bool {
        let kind = self.standing.reach(rank, part.object).kind(part.ordinal);
        let call = kind.and_then(|kind| traces::calls::Call::from_number(kind.function));
        call.is_none_or(|call| {
            let flow = Flow::of(call);
            let waits = matches!(flow, Some(Flow::Barrier | Flow::All | Flow::Fence | Flow::Create));
            !waits || call.has(traces::calls::ArgumentKind::NewRequest)
        })
    }

    /// The need of a rank that makes a communicator with unrecorded partners: some rank that is not making one already.
    pub(super) fn makers(&self, at: usize) -> Need {
        let ranks = &self.standing.ranks;
        let makes = |other: usize| ranks[other].entered().any(|(_, entered)| makes_alone(entered.call()));
        let others: Vec<Need> =
            (0..ranks.len()).filter(|other| *other != at && !makes(*other)).map(Need::Rank).collect();
        match self.standing.is_whole && !others.is_empty() {
            true => Need::any(others).doubted(Doubt::Library),
            false => Need::Unknown,
        }
    }
}
