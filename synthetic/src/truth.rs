//! The truth about a run: the calls of its ranks, and how long they waited.

use std::ops::AddAssign;

/// The totals of a run's files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// The sum over all ranks.
    pub total: KnownTotals,
    pub ranks: Vec<KnownTotals>,
}

/// Totals of calls and waits. A tick is a nanosecond.
///
/// Only waits of a known length are included. `MPI_Comm_split` has none, since all ranks enter it at the same moment;
/// those in `MPI_Init` and `MPI_Finalize` are not counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct KnownTotals {
    /// The number of calls, including `MPI_Init` and `MPI_Finalize`.
    pub calls: u64,
    pub in_mpi: u64,
    /// Point-to-point messages sent.
    pub messages: u64,
    /// Bytes in these messages.
    pub bytes: u64,
    /// Waits from the begin of `MPI_Recv` or `MPI_Waitall` to the begin of the send; of several, the latest.
    pub late_sender: KnownWaits,
    /// Waits from the begin of `MPI_Allreduce` to its begin on the last rank.
    pub wait_at_nxn: KnownWaits,
    /// Waits from the begin of `MPI_Bcast` to its begin at the root.
    pub late_broadcast: KnownWaits,
    /// Waits from the begin of `MPI_Barrier` to its begin on the communicator's last rank.
    pub wait_at_barrier: KnownWaits,
}

/// Waits in calls of one pattern.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct KnownWaits {
    pub calls: u64,
    /// The time that they waited, in ticks.
    pub ticks: u64,
}

impl KnownWaits {
    /// Adds a call that began at `begin` and waited for something at `until`, if that was later.
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
