//! Lists of the objects that a rank's file numbers: communicators, call sites and the like.

use litemap::LiteMap;

use super::Rank;

/// Most ranks have a few of each, of which a run may have 100,000: a sorted list takes a third of a hash table.
pub type ByNumber<T> = LiteMap<u32, T>;

impl Rank {
    /// Gives back spare memory.
    pub(super) fn trim(&mut self) {
        fn trimmed<T>(map: &mut ByNumber<T>) {
            let mut list = std::mem::take(map).into_tuple_vec();
            list.shrink_to_fit();
            *map = ByNumber::from_sorted_store_unchecked(list);
        }
        trimmed(&mut self.communicators);
        trimmed(&mut self.members);
        trimmed(&mut self.neighbors);
        trimmed(&mut self.origins);
        trimmed(&mut self.sites);
        trimmed(&mut self.modules);
        trimmed(&mut self.callers);
        trimmed(&mut self.places);
        self.usages.shrink_to_fit();
        self.throttlings.shrink_to_fit();
        self.steps.shrink_to_fit();
        self.syncs.shrink_to_fit();
        self.same_clocks.shrink_to_fit();
    }
}
