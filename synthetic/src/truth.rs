//! What is known of a run: how much its ranks did, and how long they waited.

use std::ops::AddAssign;

/// What is in the files of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// Of all ranks together.
    pub total: KnownTotals,
    /// Of each rank.
    pub ranks: Vec<KnownTotals>,
}

/// What ranks did and waited for. A tick is a nanosecond.
///
/// Only the waits named here are of an amount that is known; there are none in `MPI_Comm_split`, which all ranks enter
/// at one moment, and those in `MPI_Init` and `MPI_Finalize` are not counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct KnownTotals {
    /// Calls, `MPI_Init` and `MPI_Finalize` among them.
    pub calls: u64,
    /// Ticks in these calls.
    pub in_mpi: u64,
    /// Point-to-point messages sent.
    pub messages: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// From the begin of `MPI_Recv` or `MPI_Waitall` to the begin of the send; of several, the latest.
    pub late_sender: KnownWaits,
    /// From the begin of `MPI_Allreduce` to its begin on the last rank.
    pub wait_at_nxn: KnownWaits,
    /// From the begin of `MPI_Bcast` to its begin at the root.
    pub late_broadcast: KnownWaits,
    /// From the begin of `MPI_Barrier` to its begin on the communicator's last rank.
    pub wait_at_barrier: KnownWaits,
}

/// Waits in calls of one pattern.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct KnownWaits {
    /// Calls that waited.
    pub calls: u64,
    /// How long, in ticks.
    pub ticks: u64,
}

impl KnownWaits {
    /// A call that began at `begin` waited for what came at `until`, if that was later.
    pub(crate) fn add(&mut self, begin: u64, until: u64) {
        if until > begin {
            *self += KnownWaits { calls: 1, ticks: until - begin };
        }
    }
}

impl AddAssign for KnownWaits {
    fn add_assign(&mut self, other: KnownWaits) {
        self.calls += other.calls;
        self.ticks += other.ticks;
    }
}

impl AddAssign for KnownTotals {
    fn add_assign(&mut self, other: KnownTotals) {
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
