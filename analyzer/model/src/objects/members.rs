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
    /// Indices of `here` in the order of the places; empty if that is the order of the numbers.
    by_place: Vec<u32>,
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
        members.sort();
        members
    }

    fn sort(&mut self) {
        self.here.sort_unstable();
        self.by_place.clear();
        if !self.here.is_sorted_by_key(|(_, place)| *place) {
            self.by_place.extend(0..self.here.len() as u32);
            self.by_place.sort_by_key(|at| self.here[*at as usize].1);
        }
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
        self.position(rank).map(|at| self.here[at].0)
    }

    /// Index of a process among those that have files here.
    pub fn position(&self, rank: u32) -> Option<usize> {
        if self.by_place.is_empty() {
            return self.here.binary_search_by_key(&rank, |(_, place)| *place).ok();
        }
        let at = self.by_place.binary_search_by_key(&rank, |at| self.here[*at as usize].1).ok()?;
        Some(self.by_place[at] as usize)
    }

    /// True if the two may be views of one group, each with processes that the other lacks.
    pub fn fit(&self, other: &Members) -> bool {
        self.size == other.size && !other.here.iter().any(|(number, _)| self.get(*number).is_some())
    }

    /// Adds the processes of another view of the same group.
    pub fn complete(&mut self, other: &Members) {
        self.here.extend(&other.here);
        self.sort();
    }
}

#[cfg(test)]
mod tests {
    use super::Members;
    use traces::definitions::Span;

    #[test]
    fn a_process_is_found_by_its_place_in_groups_of_any_order() {
        let places: Vec<(u32, u32)> = (0..6).map(|rank| (rank, rank)).collect();
        let in_order = Members::of(&[Span { first: 1, count: 3, step: 1 }], &places);
        let backwards = Members::of(&[Span { first: 5, count: 3, step: -2 }], &places);
        for members in [in_order, backwards] {
            for (number, place) in (0..).zip(members.here()) {
                assert_eq!(members.number(place), Some(number));
                assert_eq!(members.position(place), Some(number as usize));
            }
            assert_eq!(members.number(0), None);
        }
    }
}
