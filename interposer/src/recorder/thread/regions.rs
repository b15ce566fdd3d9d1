//! The program's regions among a thread's records.

use traces::record::{self, RecordKind};

use super::recording::Thread;

impl Thread {
    /// Enters a region, until the matching [`leave_region`](Self::leave_region) of its owner. Returns its depth, from
    /// 0, among the owner's.
    pub fn enter_region(&self, owner: usize, number: u32) -> i32 {
        let depth = self.regions.lend().depth_of(owner);
        let recorded = self.regions.lend().push(owner, number);
        if recorded {
            self.mark_region(RecordKind::RegionBegin, number);
        }
        depth
    }

    /// Leaves the region that its owner entered last, if there is one. Returns its depth.
    pub fn leave_region(&self, owner: usize) -> Option<i32> {
        let left = self.regions.lend().pop(owner)?;
        left.number.into_iter().for_each(|number| self.mark_region(RecordKind::RegionEnd, number));
        Some(self.regions.lend().depth_of(owner))
    }

    /// Leaves all regions, since the thread ends.
    pub fn leave_regions(&self) {
        loop {
            let Some(left) = self.regions.lend().pop_innermost() else { return };
            left.number.into_iter().for_each(|number| self.mark_region(RecordKind::RegionEnd, number));
        }
    }

    /// Records that a region begins or ends now.
    pub fn mark_region(&self, kind: RecordKind, number: u32) {
        // `mark` also ends the run of polls, since a run must not cross a region's bound.
        self.mark(|gap| [record::region(kind, gap, number)]);
    }
}
