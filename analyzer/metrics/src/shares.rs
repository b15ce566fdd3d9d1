//! The bytes that collective calls move from rank to rank, by their definition in the standard; the library's algorithm
//! is not visible.
//!
//! A rank's file has the bytes that a call hands out and receives in all. Where the definition gives every process the
//! same, the parts follow; for MPI_Alltoallv and its like the file has them too, up to a bound. Reductions to all ranks
//! and scans have no pairs: every rank's result depends on every rank's part.

use traces::calls::ArgumentKind::{
    self, BcastCount, NeighborSendCounts, NeighborSendEach, RecvCounts, RecvEach, ReduceCount, RootRecvCounts,
    RootRecvEach, RootSendCounts, RootSendEach, SendCount, SendCounts, SendEach,
};
use traces::calls::{Call, Class};
use traces::signature::Signature;

/// The bytes of a rank's part in a collective call, and where they go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// Bytes to the root.
    ToRoot(u64),
    /// Bytes from the root.
    FromRoot(u64),
    /// Bytes to each process.
    ToEach(u64),
    /// Bytes to all processes together, in parts that may differ.
    ToAll(u64),
    /// Bytes to each neighbor that the rank sends to.
    ToNeighbors(u64),
    /// Bytes to all these neighbors together, in parts that may differ.
    ToAllNeighbors(u64),
    /// Bytes that belong to no pair of ranks.
    Nowhere(u64),
}

/// The share of a call with this signature on a communicator of `processes`; `None` for calls that are not collective.
pub fn share(call: Call, signature: &Signature, processes: u64) -> Option<Share> {
    let (sent, received) = signature.moves();
    let has = |kinds: &[ArgumentKind]| kinds.iter().any(|kind| call.has(*kind));
    Some(match call.class() {
        Class::Neighborhood if has(&[NeighborSendEach, NeighborSendCounts]) => Share::ToAllNeighbors(sent),
        Class::Neighborhood => Share::ToNeighbors(sent),
        Class::Collective if has(&[BcastCount, RootSendEach, RootSendCounts]) => Share::FromRoot(received),
        Class::Collective if has(&[ReduceCount, RootRecvEach, RootRecvCounts]) => Share::ToRoot(sent),
        Class::Collective if has(&[SendEach]) => Share::ToEach(sent / processes.max(1)),
        Class::Collective if has(&[SendCounts]) => Share::ToAll(sent),
        Class::Collective if has(&[SendCount]) && has(&[RecvEach, RecvCounts]) => Share::ToEach(sent),
        Class::Collective => Share::Nowhere(sent),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Share, share};
    use traces::calls::{Call, Class};
    use traces::signature::Signature;

    const MOVED: Signature = Signature { sent: 80, received: 240, ..Signature::EMPTY };

    #[test]
    fn every_collective_call_of_the_table_has_the_share_that_the_standard_gives_it() {
        let shares = [
            (Share::FromRoot(240), vec!["Bcast", "Scatter", "Scatterv"]),
            (Share::ToRoot(80), vec!["Reduce", "Gather", "Gatherv"]),
            (Share::ToEach(20), vec!["Alltoall"]),
            (Share::ToEach(80), vec!["Allgather", "Allgatherv"]),
            (Share::ToAll(80), vec!["Alltoallv", "Alltoallw"]),
            (Share::ToNeighbors(80), vec!["Neighbor_allgather", "Neighbor_allgatherv"]),
            (Share::ToAllNeighbors(80), vec!["Neighbor_alltoall", "Neighbor_alltoallv", "Neighbor_alltoallw"]),
            (
                Share::Nowhere(80),
                vec!["Barrier", "Allreduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Exscan"],
            ),
        ];
        let mut looked_at = 0;
        for call in Call::all().filter(|call| matches!(call.class(), Class::Collective | Class::Neighborhood)) {
            // `Ibcast`, `Bcast_init` and the large-count forms move the same bytes as `Bcast`.
            let name = call.row().name.trim_end_matches("_init");
            let is = |listed: &&str| {
                *listed == name
                    || name.strip_prefix('I').is_some_and(|name| listed.to_lowercase() == name.to_lowercase())
            };
            let expected = shares.iter().find(|(_, names)| names.iter().any(&is));
            let (expected, _) = expected.unwrap_or_else(|| panic!("{name} is not in the list"));
            assert_eq!(share(call, &MOVED, 4), Some(*expected), "{name}");
            looked_at += 1;
        }
        assert!(looked_at > 50, "{looked_at}");
        assert_eq!(share(Call::Send, &MOVED, 4), None);
    }
}
