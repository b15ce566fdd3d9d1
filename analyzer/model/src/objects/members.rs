//! The processes of a group that have files here. The others take no memory, since a damaged file may name any number of them.

use rustc_hash::FxHashSet;
use traces::definitions::Span;

/// Places in [`Run::ranks`](crate::Run::ranks) by rank of one world, in order.
pub type Places = [(u32, u32)];

/// A group of processes, some of which have files here.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Members {
    /// Number of processes in the group.
    size: u64,
    /// Pairs of a number in the group and a place in [`Run::ranks`](crate::Run::ranks), in order.
    here: Vec<(u32, u32)>,
}

impl Members {
    /// The group of these spans of ranks.
    pub fn of(spans: &[Span], places: &Places) -> Members {
        let mut members = Members::default();
        let mut seen = FxHashSet::default();
        for span in spans {
            let before = members.size;
            let mut add = |number: u32, place: u32| {
                // A damaged file may list a process twice.
                let number = u32::try_from(before + u64::from(number));
                members.here.extend(number.ok().filter(|_| seen.insert(place)).map(|number| (number, place)));
            };
            if span.count as usize <= places.len() {
                let rank = |at| u32::try_from(span.rank_at(at)?).ok();
                let place = |rank| places.binary_search_by_key(&rank, |place| place.0).ok();
                let found = (0..span.count).filter_map(|at| Some((at, places[place(rank(at)?)?].1)));
                for (number, place) in found {
                    add(number, place);
                }
            } else {
                let number = |rank: u32| span.place(i32::try_from(rank).ok()?);
                let found = places.iter().filter_map(|(rank, place)| Some((number(*rank)?, *place)));
                for (number, place) in found {
                    add(number, place);
                }
            }
            members.size += u64::from(span.count);
        }
        members.here.sort_unstable();
        members
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// Processes that have files here, in order.
    pub fn here(&self) -> impl ExactSizeIterator<Item = u32> {
        self.here.iter().map(|(_, place)| *place)
    }

    /// True if all processes have files here.
    pub fn are_here(&self) -> bool {
        self.here.len() as u64 == self.size
    }

    /// The process with this number in the group.
    pub fn get(&self, number: u32) -> Option<u32> {
        let at = match self.are_here() {
            true => number as usize,
            false => self.here.binary_search_by_key(&number, |member| member.0).ok()?,
        };
        self.here.get(at).map(|member| member.1)
    }

    pub fn number(&self, rank: u32) -> Option<u32> {
        self.here.iter().find(|(_, place)| *place == rank).map(|(number, _)| *number)
    }

    /// True if the two may be one group, each with processes that the other lacks.
    pub fn fit(&self, other: &Members) -> bool {
        self.size == other.size && !other.here.iter().any(|(number, _)| self.get(*number).is_some())
    }

    /// Adds the processes of another view of the same group.
    pub fn complete(&mut self, other: &Members) {
        self.here.extend(&other.here);
        self.here.sort_unstable();
    }
}
