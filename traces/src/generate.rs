//! Synthetic runs: what ranks that exchange halos would have left in a folder, and how long they waited for each other.
//!
//! In: a folder and a [`Shape`]. Out: a file for each rank, as the recorder writes them, and the [`Truth`] about them.
//! All ranks go through the program together, step by step, each with a clock of its own. What a rank waits for is
//! then known before its own call ends, and no more of a file than its latest records has to be in memory.

mod output;
mod program;
mod random;
mod steps;

use std::io;
use std::ops::AddAssign;
use std::path::Path;

use steps::Steps;

/// How large a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Ranks, at least one.
    pub ranks: u32,
    /// Calls that each rank makes, less than one step's more or fewer.
    pub calls: u64,
    /// Whom a rank exchanges halos with.
    pub neighbours: Neighbours,
    /// Runs of the same shape and seed are the same to the byte.
    pub seed: u64,
}

/// Whom a rank exchanges halos with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Neighbours {
    /// The rank before and the one behind it.
    Ring,
    /// The four around it on a grid that is as square as the number of ranks allows.
    Torus,
}

/// What is in the files of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// Of all ranks together.
    pub total: Totals,
    /// Of each rank.
    pub ranks: Vec<Totals>,
}

/// What ranks did and waited for. A tick is a nanosecond.
///
/// Only the waits named here are of an amount that is known; there are none in `MPI_Comm_split`, which all ranks enter
/// at one moment, and those in `MPI_Init` and `MPI_Finalize` are not counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Totals {
    /// Calls, `MPI_Init` and `MPI_Finalize` among them.
    pub calls: u64,
    /// Ticks in these calls.
    pub in_mpi: u64,
    /// Point-to-point messages sent.
    pub messages: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// From the begin of `MPI_Recv` or `MPI_Waitall` to the begin of the send; of several, the latest.
    pub late_sender: Waiting,
    /// From the begin of `MPI_Allreduce` to its begin on the last rank.
    pub wait_at_nxn: Waiting,
    /// From the begin of `MPI_Bcast` to its begin at the root.
    pub late_broadcast: Waiting,
    /// From the begin of `MPI_Barrier` to its begin on the communicator's last rank.
    pub wait_at_barrier: Waiting,
}

/// Waiting in calls of one pattern.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Waiting {
    /// Calls that waited.
    pub calls: u64,
    /// How long, in ticks.
    pub ticks: u64,
}

/// Writes a run of this shape into a folder that exists.
///
/// Sends are buffered: no sender waits. No file stays open, so there may be more ranks than a process may open files.
pub fn run(folder: &Path, shape: &Shape) -> io::Result<Truth> {
    let mut steps = Steps::begin(folder, shape)?;
    for step in 0.. {
        if steps.calls() >= shape.calls {
            break;
        }
        steps.step(step)?;
    }
    let ranks = steps.end()?;
    let mut total = Totals::default();
    ranks.iter().for_each(|rank| total += *rank);
    Ok(Truth { total, ranks })
}

impl Waiting {
    /// A call that began at `begin` waited for what came at `until`, if that was later.
    fn add(&mut self, begin: u64, until: u64) {
        if until > begin {
            *self += Waiting { calls: 1, ticks: until - begin };
        }
    }
}

impl AddAssign for Waiting {
    fn add_assign(&mut self, other: Waiting) {
        self.calls += other.calls;
        self.ticks += other.ticks;
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.calls += other.calls;
        self.in_mpi += other.in_mpi;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.late_sender += other.late_sender;
        self.wait_at_nxn += other.wait_at_nxn;
        self.late_broadcast += other.late_broadcast;
        self.wait_at_barrier += other.wait_at_barrier;
    }
}
