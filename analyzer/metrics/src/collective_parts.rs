//! One rank's part in collective calls: who takes part, and the bytes for each.

use crate::totals::world_rank;
use model::objects::{Objects, ProcessGroup};
use model::{Rank, Run};
use tables::WorldRank;
use traces::definitions::EqualParts;
use traces::signature::Signature;

/// Maximum number of processes of a call with a part for each. Larger numbers come from damaged files.
const MOST_PARTS: u64 = 1 << 20;

/// A rank's calls with one signature.
pub struct CollectivePart<'a> {
    pub run: &'a Run,
    pub objects: &'a Objects,
    /// The rank's place in the run.
    pub at: usize,
    pub signature: &'a Signature,
    /// Number of calls.
    pub times: u64,
    /// The communicator's number of processes, and the run's number for it.
    pub size: u32,
    pub number: u32,
}

impl<'a> CollectivePart<'a> {
    fn group(&self) -> &'a ProcessGroup {
        &self.objects.groups[self.number as usize]
    }

    fn of(&self) -> &'a Rank {
        &self.run.ranks[self.at]
    }

    /// The rank at a place in the run.
    pub fn rank(&self, place: u32) -> WorldRank {
        world_rank(&self.run.ranks[place as usize])
    }

    pub fn own(&self) -> Option<WorldRank> {
        Some(world_rank(self.of()))
    }

    /// The process with this number in the communicator, if it is known.
    pub fn peer(&self, number: i32) -> Option<WorldRank> {
        self.group().peer(self.at, number).map(|place| self.rank(place))
    }

    /// Places of the neighbors that the rank sends to, if they are known.
    pub fn neighbors(&self) -> &'a [Option<u32>] {
        self.objects.neighbors(self.at as u32, self.number).map_or(&[], |neighbors| &neighbors.receivers)
    }

    /// The bytes that a call hands to each of so many processes or neighbors, if the file has them.
    pub fn parts(&self, processes: usize) -> Option<Vec<u64>> {
        let runs = self.of().parts(self.signature)?;
        let count: u64 = runs.iter().map(|run| u64::from(run.count)).sum();
        let each = |run: &EqualParts| std::iter::repeat_n(run.bytes, run.count as usize);
        (count <= MOST_PARTS && count == processes as u64).then(|| runs.iter().flat_map(each).collect())
    }

    /// The bytes that a call hands to the rank itself, if the file has them.
    pub fn to_itself(&self) -> Option<u64> {
        let (own, mut before) = (self.group().own(self.at)?, 0);
        let part = self.of().parts(self.signature)?.iter().find(|run| {
            before += u64::from(run.count);
            u64::from(own) < before
        });
        part.map(|run| run.bytes)
    }
}
