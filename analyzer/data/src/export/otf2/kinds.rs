//! Maps MPI's functions to OTF2's names.

use traces::calls::{Call, Class};

use model::roles::Flow;

/// `OTF2_REGION_ROLE_*`.
mod role {
    pub const FUNCTION: u8 = 1;
    pub const BARRIER: u8 = 15;
    pub const ONE_TO_ALL: u8 = 23;
    pub const ALL_TO_ONE: u8 = 24;
    pub const ALL_TO_ALL: u8 = 25;
    pub const OTHER_COLLECTIVE: u8 = 26;
    pub const FILE: u8 = 27;
    pub const POINT_TO_POINT: u8 = 28;
    pub const ONE_SIDED: u8 = 29;
}

/// `OTF2_REGION_ROLE_CODE`: a named part of the program.
pub const CODE: u8 = 4;
/// `OTF2_PARADIGM_USER`.
pub const USER: u8 = 1;
/// `OTF2_PARADIGM_MPI`.
pub const MPI: u8 = 4;

/// `OTF2_COLLECTIVE_OP_CREATE_HANDLE`.
const CREATE: u8 = 17;

/// `OTF2_COLLECTIVE_OP_*` of functions that move data: blocking, nonblocking and persistent.
const OPERATIONS: [([Call; 3], u8); 17] = [
    ([Call::Barrier, Call::Ibarrier, Call::Barrier_init], 0),
    ([Call::Bcast, Call::Ibcast, Call::Bcast_init], 1),
    ([Call::Gather, Call::Igather, Call::Gather_init], 2),
    ([Call::Gatherv, Call::Igatherv, Call::Gatherv_init], 3),
    ([Call::Scatter, Call::Iscatter, Call::Scatter_init], 4),
    ([Call::Scatterv, Call::Iscatterv, Call::Scatterv_init], 5),
    ([Call::Allgather, Call::Iallgather, Call::Allgather_init], 6),
    ([Call::Allgatherv, Call::Iallgatherv, Call::Allgatherv_init], 7),
    ([Call::Alltoall, Call::Ialltoall, Call::Alltoall_init], 8),
    ([Call::Alltoallv, Call::Ialltoallv, Call::Alltoallv_init], 9),
    ([Call::Alltoallw, Call::Ialltoallw, Call::Alltoallw_init], 10),
    ([Call::Allreduce, Call::Iallreduce, Call::Allreduce_init], 11),
    ([Call::Reduce, Call::Ireduce, Call::Reduce_init], 12),
    ([Call::Reduce_scatter, Call::Ireduce_scatter, Call::Reduce_scatter_init], 13),
    ([Call::Scan, Call::Iscan, Call::Scan_init], 14),
    ([Call::Exscan, Call::Iexscan, Call::Exscan_init], 15),
    ([Call::Reduce_scatter_block, Call::Ireduce_scatter_block, Call::Reduce_scatter_block_init], 16),
];

/// Region role of a function.
pub fn role(call: Option<Call>) -> u8 {
    let Some(call) = call else { return role::FUNCTION };
    match Flow::of(call) {
        Some(Flow::Barrier) => return role::BARRIER,
        Some(Flow::FromRoot) => return role::ONE_TO_ALL,
        Some(Flow::ToRoot) => return role::ALL_TO_ONE,
        Some(Flow::All) => return role::ALL_TO_ALL,
        Some(Flow::Prefix | Flow::Create | Flow::Neighbors) => return role::OTHER_COLLECTIVE,
        Some(Flow::Fence) | None => {}
    }
    match call.class() {
        Class::PointToPoint | Class::Completion | Class::Probe => role::POINT_TO_POINT,
        Class::Rma | Class::Window => role::ONE_SIDED,
        Class::Io | Class::File => role::FILE,
        _ => role::FUNCTION,
    }
}

/// Collective operation of a function; `None` if OTF2 has no name for it, as for neighborhood collectives.
pub fn operation(call: Call) -> Option<u8> {
    if Flow::of(call)? == Flow::Create {
        return Some(CREATE);
    }
    // The large-count form has the same row of the table of calls.
    let is_it = |form: &Call| form.row().id == call.row().id;
    OPERATIONS.iter().find(|(forms, _)| forms.iter().any(is_it)).map(|(_, operation)| *operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_collective_function_is_an_operation_but_neighborhood_collectives_and_fences() {
        let mut ran = 0;
        for (call, flow) in Call::all().filter_map(|call| Some((call, Flow::of(call)?))) {
            let is_unnamed = matches!(flow, Flow::Neighbors | Flow::Fence);
            assert_eq!(operation(call).is_none(), is_unnamed, "{}", call.mpi_name());
            ran += 1;
        }
        assert!(ran > 100, "{ran}");
        assert_eq!(operation(Call::Iscatterv.large()), Some(5));
    }
}
