//! The functions, one row each.

use mpi_sys::MPI_Request;

use crate::calls::{Buffers, Group, Operation};

/// A function, and its operation.
pub struct Function {
    /// Its name on the command line.
    pub name: &'static str,
    pub operation: Operation,
    /// It only begins the operation.
    pub is_nonblocking: bool,
    /// It moves data.
    pub has_data: bool,
    /// A rank's buffer holds a part for each rank.
    pub has_parts: bool,
}

const fn function(name: &'static str, operation: Operation, is_nonblocking: bool) -> Function {
    let has_parts =
        matches!(operation, Operation::Gather | Operation::Scatter | Operation::Allgather | Operation::Alltoall);
    Function { name, operation, is_nonblocking, has_data: !matches!(operation, Operation::Barrier), has_parts }
}

/// All functions.
pub const FUNCTIONS: &[Function] = &[
    function("barrier", Operation::Barrier, false),
    function("bcast", Operation::Broadcast, false),
    function("gather", Operation::Gather, false),
    function("scatter", Operation::Scatter, false),
    function("reduce", Operation::Reduce, false),
    function("allreduce", Operation::Allreduce, false),
    function("allgather", Operation::Allgather, false),
    function("alltoall", Operation::Alltoall, false),
    function("ibarrier", Operation::Barrier, true),
    function("ibcast", Operation::Broadcast, true),
    function("igather", Operation::Gather, true),
    function("iscatter", Operation::Scatter, true),
    function("ireduce", Operation::Reduce, true),
    function("iallreduce", Operation::Allreduce, true),
    function("iallgather", Operation::Allgather, true),
    function("ialltoall", Operation::Alltoall, true),
];

impl Function {
    /// The MPI function.
    pub fn mpi_name(&self) -> String {
        format!("MPI_{}{}", self.name[..1].to_uppercase(), &self.name[1..])
    }

    /// Begins the operation.
    ///
    /// # Safety
    /// The buffers must stay where they are, and must not be accessed, until the request is complete.
    pub unsafe fn begin(&self, buffers: &mut Buffers, group: Group) -> MPI_Request {
        // SAFETY: by the contract.
        unsafe { buffers.begin(self.operation, group) }
    }

    /// The whole operation; of a nonblocking function, with the wait right after. Returns the seconds in the two calls.
    pub fn complete(&self, buffers: &mut Buffers, group: Group) -> f64 {
        let begin = std::time::Instant::now();
        match self.is_nonblocking {
            // SAFETY: the buffers stay until the request is complete, which is waited for.
            true => benchmarks::wait(&mut unsafe { self.begin(buffers, group) }),
            false => buffers.complete(self.operation, group),
        }
        begin.elapsed().as_secs_f64()
    }
}
