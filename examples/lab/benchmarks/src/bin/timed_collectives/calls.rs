//! The calls themselves, on a group of ranks, with rank 0 as the root.

use std::ffi::{c_int, c_void};

use benchmarks::{Element, World, comm_world};
use mpi_sys::{MPI_Comm, MPI_Request};

use crate::functions::Function;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Barrier,
    Broadcast,
    Gather,
    Scatter,
    Reduce,
    Allreduce,
    Allgather,
    Alltoall,
}

/// A communicator and this process in it.
#[derive(Clone, Copy)]
pub struct Group {
    pub communicator: MPI_Comm,
    pub rank: usize,
    pub size: usize,
}

impl Group {
    /// The first `size` ranks of the world; the others get their own group. All ranks call it.
    pub fn of_first(world: World, size: usize) -> Group {
        if size == world.size {
            return Group { communicator: comm_world(), rank: world.rank, size };
        }
        let mut communicator = comm_world();
        let (color, key) = (c_int::from(world.rank >= size), world.rank as c_int);
        // SAFETY: room for one communicator.
        check(unsafe { mpi_sys::MPI_Comm_split(comm_world(), color, key, &mut communicator) });
        Group { communicator, rank: world.rank, size }
    }

    /// From the root to all.
    pub fn broadcast(self, values: &mut [f64]) {
        let (to, count) = (values.as_mut_ptr().cast(), values.len() as c_int);
        // SAFETY: the pointer has `count` values.
        check(unsafe { mpi_sys::MPI_Bcast(to, count, f64::datatype(), 0, self.communicator) });
    }

    /// Gathers every rank's values at the root, rank after rank.
    pub fn gather(self, values: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; values.len() * self.size];
        let (from, to, count) = (values.as_ptr().cast(), all.as_mut_ptr().cast(), values.len() as c_int);
        let double = f64::datatype();
        // SAFETY: `from` has `count` values, and `to` has room for those of all ranks.
        check(unsafe { mpi_sys::MPI_Gather(from, count, double, to, count, double, 0, self.communicator) });
        all
    }

    /// The largest of the ranks' values.
    pub fn most(self, value: f64) -> f64 {
        let mut all = [self.gather(&[value]).into_iter().fold(value, f64::max)];
        self.broadcast(&mut all);
        all[0]
    }
}

pub struct Buffers {
    from: Vec<i32>,
    to: Vec<i32>,
    /// Elements of a message.
    count: c_int,
}

impl Buffers {
    /// Buffers for messages of this many bytes.
    pub fn new(function: &Function, bytes: usize, group: Group) -> Buffers {
        let parts = if function.has_parts { group.size } else { 1 };
        let count = bytes.div_ceil(size_of::<i32>());
        Buffers { from: vec![1; count * parts], to: vec![0; count * parts], count: count as c_int }
    }

    /// Bytes of a message.
    pub fn message_bytes(&self) -> usize {
        self.count as usize * size_of::<i32>()
    }

    /// Bytes of the largest buffer of a rank.
    pub fn bytes(&self) -> usize {
        self.from.len() * size_of::<i32>()
    }

    /// The blocking function.
    pub fn complete(&mut self, operation: Operation, Group { communicator, .. }: Group) {
        let (from, to, n, int): (*const c_void, *mut c_void, _, _) =
            (self.from.as_ptr().cast(), self.to.as_mut_ptr().cast(), self.count, i32::datatype());
        // SAFETY: a constant of the library.
        let sum = unsafe { mpi_sys::RSMPI_SUM };
        // SAFETY: both hold a message for each rank where the function wants that, and else one.
        check(unsafe {
            match operation {
                Operation::Barrier => mpi_sys::MPI_Barrier(communicator),
                Operation::Broadcast => mpi_sys::MPI_Bcast(to, n, int, 0, communicator),
                Operation::Gather => mpi_sys::MPI_Gather(from, n, int, to, n, int, 0, communicator),
                Operation::Scatter => mpi_sys::MPI_Scatter(from, n, int, to, n, int, 0, communicator),
                Operation::Reduce => mpi_sys::MPI_Reduce(from, to, n, int, sum, 0, communicator),
                Operation::Allreduce => mpi_sys::MPI_Allreduce(from, to, n, int, sum, communicator),
                Operation::Allgather => mpi_sys::MPI_Allgather(from, n, int, to, n, int, communicator),
                Operation::Alltoall => mpi_sys::MPI_Alltoall(from, n, int, to, n, int, communicator),
            }
        });
    }

    /// Begins the nonblocking function.
    ///
    /// # Safety
    /// The buffers must stay where they are, and must not be accessed, until the request is complete.
    pub unsafe fn begin(&mut self, operation: Operation, Group { communicator, .. }: Group) -> MPI_Request {
        let (from, to, n, int): (*const c_void, *mut c_void, _, _) =
            (self.from.as_ptr().cast(), self.to.as_mut_ptr().cast(), self.count, i32::datatype());
        // SAFETY: as above, and by the contract.
        unsafe {
            let (sum, mut request) = (mpi_sys::RSMPI_SUM, mpi_sys::RSMPI_REQUEST_NULL);
            let made = &mut request;
            check(match operation {
                Operation::Barrier => mpi_sys::MPI_Ibarrier(communicator, made),
                Operation::Broadcast => mpi_sys::MPI_Ibcast(to, n, int, 0, communicator, made),
                Operation::Gather => mpi_sys::MPI_Igather(from, n, int, to, n, int, 0, communicator, made),
                Operation::Scatter => mpi_sys::MPI_Iscatter(from, n, int, to, n, int, 0, communicator, made),
                Operation::Reduce => mpi_sys::MPI_Ireduce(from, to, n, int, sum, 0, communicator, made),
                Operation::Allreduce => mpi_sys::MPI_Iallreduce(from, to, n, int, sum, communicator, made),
                Operation::Allgather => mpi_sys::MPI_Iallgather(from, n, int, to, n, int, communicator, made),
                Operation::Alltoall => mpi_sys::MPI_Ialltoall(from, n, int, to, n, int, communicator, made),
            });
            request
        }
    }
}

fn check(code: c_int) {
    assert_eq!(code, 0, "an MPI function failed");
}
