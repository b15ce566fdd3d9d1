//! The processes of a group that have files here. The others take no room, since their number comes from a file and may be
//! anything.

use rustc_hash::FxHashSet;
use traces::definitions::Span;

/// Places in [`Run::ranks`](crate::Run::ranks) by ranks of one world, in order.
pub type Places = [(u32, u32)];

/// See the module.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Members {
    /// How many processes the group has.
    size: u64,
    /// By their numbers in the group, in order: their places in [`Run::ranks`](crate::Run::ranks).
    here: Vec<(u32, u32)>,
}

impl Members {
    /// Those of spans of ranks.
    pub fn of(spans: &[Span], places: &Places) -> Members {
        let mut members = Members::default();
        let mut seen = FxHashSet::default();
        for span in spans {
            let before = members.size;
            let mut add = |number: u32, place: u32| {
                // A process is in a group once, whatever a damaged file says.
                let number = u32::try_from(before + u64::from(number));
                members.here.extend(number.ok().filter(|_| seen.insert(place)).map(|number| (number, place)));
            };
            if span.count as usize <= places.len() {
                let rank = |at| u32::try_from(span.rank_at(at)?).ok();
                let place = |rank| places.binary_search_by_key(&rank, |place| place.0).ok();
                let found = (0..span.count).filter_map(|at| Some((at, places[place(rank(at)?)?].1)));
                found.for_each(|(number, place)| add(number, place));
            } else {
                let number = |rank: u32| span.place(i32::try_from(rank).ok()?);
                let found = places.iter().filter_map(|(rank, place)| Some((number(*rank)?, *place)));
                found.for_each(|(number, place)| add(number, place));
            }
            members.size += u64::from(span.count);
        }
        members.here.sort_unstable();
        members
    }

    /// How many processes the group has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Those that have files here, in order.
    pub fn here(&self) -> impl ExactSizeIterator<Item = u32> {
        self.here.iter().map(|(_, place)| *place)
    }

    /// Whether all have.
    pub fn are_here(&self) -> bool {
        self.here.len() as u64 == self.size
    }

    /// Whom the group calls by a number.
    pub fn get(&self, number: u32) -> Option<u32> {
        let at = match self.are_here() {
            true => number as usize,
            false => self.here.binary_search_by_key(&number, |member| member.0).ok()?,
        };
        self.here.get(at).map(|member| member.1)
    }

    /// The number of a rank in the group.
    pub fn number(&self, rank: u32) -> Option<u32> {
        self.here.iter().find(|(_, place)| *place == rank).map(|(number, _)| *number)
    }

    /// Whether the two may be one group, of which each knows processes that the other does not.
    pub fn fit(&self, other: &Members) -> bool {
        self.size == other.size && !other.here.iter().any(|(number, _)| self.get(*number).is_some())
    }

    /// Takes what another knows of the same group.
    pub fn complete(&mut self, other: &Members) {
        self.here.extend(&other.here);
        self.here.sort_unstable();
    }
}
