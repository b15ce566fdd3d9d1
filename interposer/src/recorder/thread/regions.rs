//! The program's regions among a thread's records.

use traces::record::{self, RecordKind};

use super::recording::Thread;

impl Thread {
    /// Enters a region that the next [`leave_region`](Self::leave_region) of its owner leaves. Returns how deep that was.
    pub fn enter_region(&self, owner: usize, number: u32) -> i32 {
        let (depth, recorded) = (self.regions.lend().depth_of(owner), self.regions.lend().push(owner, number));
        if recorded {
            self.mark_region(RecordKind::RegionBegin, number);
        }
        depth
    }

    /// Leaves the region that its owner entered last, if there is one. Returns how deep that was.
    pub fn leave_region(&self, owner: usize) -> Option<i32> {
        let left = self.regions.lend().pop(owner)?;
        left.number.into_iter().for_each(|number| self.mark_region(RecordKind::RegionEnd, number));
        Some(self.regions.lend().depth_of(owner))
    }

    /// The thread ends: leaves all regions that it is in.
    pub fn leave_regions(&self) {
        while let Some(left) = self.regions.lend().pop_innermost() {
            left.number.into_iter().for_each(|number| self.mark_region(RecordKind::RegionEnd, number));
        }
    }

    /// Writes down that a region begins or ends here.
    pub fn mark_region(&self, kind: RecordKind, number: u32) {
        // Calls that asked in vain are counted together only as long as they are in one region.
        self.mark(|gap| record::region(kind, gap, number));
    }
}
