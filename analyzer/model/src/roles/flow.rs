//! Derives from a collective call's arguments which ranks depend on which.

use traces::calls::ArgumentKind::{
    self, BcastCount, Comm, ExclusivePrefixOp, NewComm, NewFile, NewWin, PrefixOp, ReduceCount, RootRecvCounts,
    RootRecvEach, RootSendCounts, RootSendEach, SendBufOrInPlace,
};
use traces::calls::{Call, Class};

/// Dependency between the ranks of a collective call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Flow {
    /// Everyone on everyone, with no data: MPI_Barrier, and MPI_Win_free, which has the semantics of one.
    Barrier,
    /// Everyone on everyone: MPI_Allreduce, MPI_Alltoall and the like.
    All,
    /// Everyone on the root: MPI_Bcast, MPI_Scatter.
    FromRoot,
    /// The root on everyone: MPI_Reduce, MPI_Gather.
    ToRoot,
    /// Each on the lower ranks: MPI_Scan, MPI_Exscan.
    Prefix,
    /// Everyone on everyone: MPI_Win_fence.
    Fence,
    /// Everyone on everyone: making communicators, windows and files, and spawning processes.
    Create,
    /// Each on those it receives from: MPI_Neighbor_alltoall and the like.
    Neighbors,
}

impl Flow {
    /// Flow of a collective call; `None` if not all processes of the object take part.
    pub fn of(call: Call) -> Option<Flow> {
        match call.class() {
            Class::Collective => Some(Flow::of_data(call)),
            Class::Neighborhood => Some(Flow::Neighbors),
            Class::Window if call == Call::Win_free => Some(Flow::Barrier),
            Class::Communicator | Class::Topology | Class::Window | Class::File => {
                let creates = has_any(call, &[NewComm, NewWin, NewFile]) && call.has(Comm) && !call.makes_alone();
                creates.then_some(Flow::Create)
            }
            Class::Process if [Call::Comm_spawn, Call::Comm_spawn_multiple].contains(&call) => Some(Flow::Create),
            Class::Rma if call == Call::Win_fence => Some(Flow::Fence),
            _ => None,
        }
    }

    /// Flow of a call that all processes of its object must make in the same order, including calls whose waits are not analyzed.
    pub fn in_order(call: Call) -> Option<Flow> {
        Flow::of(call).or_else(|| is_joint(call).then_some(Flow::Create))
    }

    fn of_data(call: Call) -> Flow {
        if has_any(call, &[BcastCount, RootSendEach, RootSendCounts]) {
            Flow::FromRoot
        } else if has_any(call, &[ReduceCount, RootRecvEach, RootRecvCounts]) {
            Flow::ToRoot
        } else if has_any(call, &[PrefixOp, ExclusivePrefixOp]) {
            Flow::Prefix
        } else if call.has(SendBufOrInPlace) {
            Flow::All
        } else {
            Flow::Barrier
        }
    }

    pub fn has_root(self) -> bool {
        matches!(self, Flow::FromRoot | Flow::ToRoot)
    }
}

/// True for calls of all processes that neither exchange data nor make an object of their own.
fn is_joint(call: Call) -> bool {
    const JOINT: [Call; 5] =
        [Call::Comm_free, Call::Comm_disconnect, Call::Comm_accept, Call::Comm_connect, Call::Intercomm_create];
    JOINT.contains(&call) || call.is_collective_on_file()
}

fn has_any(call: Call, kinds: &[ArgumentKind]) -> bool {
    kinds.iter().any(|kind| call.has(*kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOWS: &[(Flow, &[&str])] = &[
        (Flow::Barrier, &["Barrier"]),
        (Flow::FromRoot, &["Bcast", "Scatter", "Scatterv"]),
        (Flow::ToRoot, &["Reduce", "Gather", "Gatherv"]),
        (Flow::Prefix, &["Scan", "Exscan"]),
        (Flow::All, &["Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw"]),
        (Flow::All, &["Allreduce", "Reduce_scatter", "Reduce_scatter_block"]),
        (Flow::Neighbors, &["Neighbor_allgather", "Neighbor_allgatherv"]),
        (Flow::Neighbors, &["Neighbor_alltoall", "Neighbor_alltoallv", "Neighbor_alltoallw"]),
    ];

    /// Functions by which all processes of a communicator make an object from it.
    const CREATING: &[&str] = &[
        "Cart_create",
        "Cart_sub",
        "Comm_create",
        "Comm_dup",
        "Comm_dup_with_info",
        "Comm_idup",
        "Comm_idup_with_info",
        "Comm_spawn",
        "Comm_spawn_multiple",
        "Comm_split",
        "Comm_split_type",
        "Dist_graph_create",
        "Dist_graph_create_adjacent",
        "File_open",
        "Graph_create",
        "Intercomm_merge",
        "Win_allocate",
        "Win_allocate_shared",
        "Win_create",
        "Win_create_dynamic",
    ];

    /// The blocking, nonblocking and persistent forms of a function, each with its large-count form.
    fn forms(name: &str) -> Vec<Call> {
        let nonblocking = format!("I{}", name[..1].to_lowercase() + &name[1..]);
        let names = [name.into(), nonblocking, format!("{name}_init")];
        let small = names.iter().map(|name| Call::named(name).unwrap());
        small.flat_map(|call| [call].into_iter().chain(call.row().large.then(|| call.large()))).collect()
    }

    #[test]
    fn every_call_of_the_table_has_the_flow_that_the_standard_gives_it() {
        let of_data =
            FLOWS.iter().flat_map(|(flow, names)| names.iter().flat_map(|name| forms(name)).map(|call| (call, *flow)));
        let large = |call: Call| [call].into_iter().chain(call.row().large.then(|| call.large()));
        let creating =
            CREATING.iter().flat_map(|name| large(Call::named(name).unwrap())).map(|call| (call, Flow::Create));
        let mut expected: Vec<(Call, Flow)> = of_data.chain(creating).collect();
        expected.extend([(Call::Win_fence, Flow::Fence), (Call::Win_free, Flow::Barrier)]);
        expected.sort_by_key(|(call, _)| *call);
        let mut found: Vec<(Call, Flow)> = Call::all().filter_map(|call| Some((call, Flow::of(call)?))).collect();
        found.sort_by_key(|(call, _)| *call);
        assert_eq!(found, expected);
    }

    #[test]
    fn calls_on_files_by_all_processes_are_in_order_and_those_of_one_process_are_not() {
        let in_order = |name: &str| Flow::in_order(Call::named(name).unwrap()).is_some();
        let of_all =
            ["File_write_all", "File_read_at_all", "File_iwrite_all", "File_read_ordered_end", "File_write_all_begin"];
        for name in of_all.into_iter().chain(["File_set_atomicity", "File_set_info", "File_sync", "File_set_view"]) {
            assert!(in_order(name), "{name}");
        }
        for name in ["File_write", "File_read_at", "File_iread_shared", "File_seek", "Win_lock_all", "Comm_set_info"] {
            assert!(!in_order(name), "{name}");
        }
        assert!(Call::all().all(|call| Flow::of(call).is_none() || Flow::in_order(call) == Flow::of(call)));
    }
}
