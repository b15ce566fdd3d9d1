//! MPI for the benchmark programs, by its names and with Rust's slices.
//!
//! Every function panics where MPI returns an error, which its default error handler prevents anyway.

pub mod statistics;

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use mpi_sys::{MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request};

/// A program's place among its processes.
#[derive(Clone, Copy, Debug)]
pub struct World {
    /// Its rank.
    pub rank: usize,
    /// Number of processes.
    pub size: usize,
}

/// Initializes MPI.
pub fn init() -> World {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: MPI_Init takes null for both, and the others write one int each.
    unsafe {
        check(mpi_sys::MPI_Init(null_mut(), null_mut()));
        check(mpi_sys::MPI_Comm_rank(comm_world(), &mut rank));
        check(mpi_sys::MPI_Comm_size(comm_world(), &mut size));
    }
    World { rank: rank as usize, size: size as usize }
}

impl World {
    /// Columns and rows of a grid of all processes that is as square as their number allows.
    pub fn grid(&self) -> (usize, usize) {
        let rows = (1..=self.size.isqrt()).rev().find(|rows| self.size.is_multiple_of(*rows)).unwrap_or(1);
        (self.size / rows, rows)
    }
}

/// Finalizes MPI.
pub fn finalize() {
    // SAFETY: nothing of MPI is used afterwards.
    check(unsafe { mpi_sys::MPI_Finalize() });
}

/// Seconds since some moment.
pub fn wtime() -> f64 {
    // SAFETY: takes nothing.
    unsafe { mpi_sys::MPI_Wtime() }
}

/// `MPI_COMM_WORLD`.
pub fn comm_world() -> MPI_Comm {
    // SAFETY: a constant of the library.
    unsafe { mpi_sys::RSMPI_COMM_WORLD }
}

/// An element that MPI has a datatype for.
pub trait Element: Copy + Default {
    fn datatype() -> MPI_Datatype;
}

impl Element for i32 {
    fn datatype() -> MPI_Datatype {
        // SAFETY: a constant of the library.
        unsafe { mpi_sys::RSMPI_INT32_T }
    }
}

impl Element for u8 {
    fn datatype() -> MPI_Datatype {
        // SAFETY: a constant of the library.
        unsafe { mpi_sys::RSMPI_UINT8_T }
    }
}

impl Element for f64 {
    fn datatype() -> MPI_Datatype {
        // SAFETY: a constant of the library.
        unsafe { mpi_sys::RSMPI_DOUBLE }
    }
}

fn sum() -> MPI_Op {
    // SAFETY: a constant of the library.
    unsafe { mpi_sys::RSMPI_SUM }
}

/// Waits for all.
pub fn barrier() {
    // SAFETY: the communicator is valid.
    check(unsafe { mpi_sys::MPI_Barrier(comm_world()) });
}

/// The sum of every process's values, place by place, to all.
pub fn allreduce_sum<T: Element>(values: &[T]) -> Vec<T> {
    let mut sums = vec![T::default(); values.len()];
    // SAFETY: both hold as many elements as is said.
    check(unsafe {
        mpi_sys::MPI_Allreduce(
            address(values),
            address_mut(&mut sums),
            count(values),
            T::datatype(),
            sum(),
            comm_world(),
        )
    });
    sums
}

/// The sum of every process's values, place by place; it means something on `root`.
pub fn reduce_sum<T: Element>(values: &[T], root: usize) -> Vec<T> {
    let mut sums = vec![T::default(); values.len()];
    // SAFETY: both hold as many elements as is said.
    check(unsafe {
        let (from, to) = (address(values), address_mut(&mut sums));
        mpi_sys::MPI_Reduce(from, to, count(values), T::datatype(), sum(), root as c_int, comm_world())
    });
    sums
}

/// One value from every process to every process.
pub fn alltoall<T: Element>(values: &[T]) -> Vec<T> {
    let mut received = vec![T::default(); values.len()];
    // SAFETY: both hold one element for each process.
    check(unsafe {
        let (from, to) = (address(values), address_mut(&mut received));
        mpi_sys::MPI_Alltoall(from, 1, T::datatype(), to, 1, T::datatype(), comm_world())
    });
    received
}

/// Sends `sent[i]` elements to process i and receives `received[i]` from it; `values` holds the parts one after the other.
pub fn alltoallv<T: Element>(values: &[T], sent: &[i32], received: &[i32]) -> Vec<T> {
    let mut all = vec![T::default(); received.iter().sum::<i32>() as usize];
    let (from, to) = (places(sent), places(received));
    // SAFETY: both hold as many elements as the counts say.
    check(unsafe {
        mpi_sys::MPI_Alltoallv(
            address(values),
            sent.as_ptr(),
            from.as_ptr(),
            T::datatype(),
            address_mut(&mut all),
            received.as_ptr(),
            to.as_ptr(),
            T::datatype(),
            comm_world(),
        )
    });
    all
}

/// Sends to the next process and receives from the one before; processes at the ends do one of the two.
pub fn to_next<T: Element>(world: World, value: T) -> Option<T> {
    let mut from_previous = [T::default()];
    let tag = 1000;
    // SAFETY: buffers hold one element each and outlive the request, which is waited for.
    unsafe {
        let mut request = mpi_sys::RSMPI_REQUEST_NULL;
        if world.rank > 0 {
            let (buffer, source) = (address_mut(&mut from_previous), world.rank as c_int - 1);
            check(mpi_sys::MPI_Irecv(buffer, 1, T::datatype(), source, tag, comm_world(), &mut request));
        }
        if world.rank + 1 < world.size {
            let (buffer, dest) = ([value], world.rank as c_int + 1);
            check(mpi_sys::MPI_Send(address(&buffer), 1, T::datatype(), dest, tag, comm_world()));
        }
        check(mpi_sys::MPI_Wait(&mut request, mpi_sys::RSMPI_STATUS_IGNORE));
    }
    (world.rank > 0).then_some(from_previous[0])
}

/// Sends.
pub fn send<T: Element>(values: &[T], dest: usize, tag: i32) {
    let (from, dest) = (address(values), dest as c_int);
    // SAFETY: pointer and count are those of `values`.
    check(unsafe { mpi_sys::MPI_Send(from, count(values), T::datatype(), dest, tag, comm_world()) });
}

/// Receives as many as there is room for.
pub fn receive<T: Element>(values: &mut [T], source: usize, tag: i32) {
    let (count, to, source) = (count(values), address_mut(values), source as c_int);
    // SAFETY: there is room for `count` values, and no status is wanted.
    check(unsafe {
        mpi_sys::MPI_Recv(to, count, T::datatype(), source, tag, comm_world(), mpi_sys::RSMPI_STATUS_IGNORE)
    });
}

/// Begins to send.
///
/// # Safety
/// The values must stay where and as they are until the request is complete.
pub unsafe fn isend<T: Element>(values: &[T], dest: usize, tag: i32) -> MPI_Request {
    // SAFETY: by the contract.
    unsafe {
        let mut request = mpi_sys::RSMPI_REQUEST_NULL;
        let (from, dest) = (address(values), dest as c_int);
        check(mpi_sys::MPI_Isend(from, count(values), T::datatype(), dest, tag, comm_world(), &mut request));
        request
    }
}

/// Begins to receive, from any process if there is no `source`.
///
/// # Safety
/// The values must stay where they are, and must not be accessed, until the request is complete.
pub unsafe fn irecv<T: Element>(values: &mut [T], source: Option<usize>, tag: i32) -> MPI_Request {
    // SAFETY: by the contract.
    unsafe {
        let mut request = mpi_sys::RSMPI_REQUEST_NULL;
        let source = source.map_or(mpi_sys::RSMPI_ANY_SOURCE, |source| source as c_int);
        let (count, to) = (count(values), address_mut(values));
        check(mpi_sys::MPI_Irecv(to, count, T::datatype(), source, tag, comm_world(), &mut request));
        request
    }
}

/// Waits for a request.
pub fn wait(request: &mut MPI_Request) {
    // SAFETY: one request; no status is wanted.
    check(unsafe { mpi_sys::MPI_Wait(request, mpi_sys::RSMPI_STATUS_IGNORE) });
}

pub fn test(request: &mut MPI_Request) -> bool {
    let mut flag = 0;
    // SAFETY: one request, and room for one flag; no status is wanted.
    check(unsafe { mpi_sys::MPI_Test(request, &mut flag, mpi_sys::RSMPI_STATUS_IGNORE) });
    flag != 0
}

/// Waits for all requests.
pub fn waitall(requests: &mut [MPI_Request]) {
    // SAFETY: pointer and count are those of `requests`; no status is wanted.
    check(unsafe { mpi_sys::MPI_Waitall(count(requests), requests.as_mut_ptr(), mpi_sys::RSMPI_STATUSES_IGNORE) });
}

/// Waits for one of the requests. Returns which, and from where its message came.
pub fn waitany(requests: &mut [MPI_Request]) -> (usize, usize) {
    let mut index = 0;
    // SAFETY: a status is plain numbers, which MPI fills.
    let mut status: mpi_sys::MPI_Status = unsafe { std::mem::zeroed() };
    // SAFETY: pointer and count are those of `requests`, and there is room for one index and status.
    check(unsafe { mpi_sys::MPI_Waitany(count(requests), requests.as_mut_ptr(), &mut index, &mut status) });
    (index as usize, status.MPI_SOURCE as usize)
}

/// Begin of each process's elements.
fn places(counts: &[i32]) -> Vec<i32> {
    counts.iter().scan(0, |next, count| Some(std::mem::replace(next, *next + count))).collect()
}

fn address<T>(values: &[T]) -> *const c_void {
    values.as_ptr().cast()
}

fn address_mut<T>(values: &mut [T]) -> *mut c_void {
    values.as_mut_ptr().cast()
}

fn count<T>(values: &[T]) -> c_int {
    values.len() as c_int
}

fn check(code: c_int) {
    assert_eq!(code, 0, "an MPI function failed");
}

/// Mode of a send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendMode {
    /// MPI_Send, MPI_Isend.
    Standard,
    /// MPI_Bsend: a buffer has to be [attached](attach).
    Buffered,
    /// MPI_Rsend: the receive has to be posted.
    Ready,
    /// MPI_Ssend: complete when the receive has begun.
    Synchronous,
}

/// Sends in a mode.
pub fn send_by<T: Element>(mode: SendMode, values: &[T], dest: usize, tag: i32) {
    let (from, count, dest, comm) = (address(values), count(values), dest as c_int, comm_world());
    // SAFETY: pointer and count are those of `values`.
    check(unsafe {
        match mode {
            SendMode::Standard => mpi_sys::MPI_Send(from, count, T::datatype(), dest, tag, comm),
            SendMode::Buffered => mpi_sys::MPI_Bsend(from, count, T::datatype(), dest, tag, comm),
            SendMode::Ready => mpi_sys::MPI_Rsend(from, count, T::datatype(), dest, tag, comm),
            SendMode::Synchronous => mpi_sys::MPI_Ssend(from, count, T::datatype(), dest, tag, comm),
        }
    });
}

/// Begins to send in a mode.
///
/// # Safety
/// The contract of [`isend`].
pub unsafe fn isend_by<T: Element>(mode: SendMode, values: &[T], dest: usize, tag: i32) -> MPI_Request {
    let (from, count, dest, comm) = (address(values), count(values), dest as c_int, comm_world());
    // SAFETY: by the contract.
    unsafe {
        let mut request = mpi_sys::RSMPI_REQUEST_NULL;
        let to = &mut request;
        check(match mode {
            SendMode::Standard => mpi_sys::MPI_Isend(from, count, T::datatype(), dest, tag, comm, to),
            SendMode::Buffered => mpi_sys::MPI_Ibsend(from, count, T::datatype(), dest, tag, comm, to),
            SendMode::Ready => mpi_sys::MPI_Irsend(from, count, T::datatype(), dest, tag, comm, to),
            SendMode::Synchronous => mpi_sys::MPI_Issend(from, count, T::datatype(), dest, tag, comm, to),
        });
        request
    }
}

/// Sends to a process and receives as many values from it.
pub fn sendrecv<T: Element>(values: &[T], received: &mut [T], peer: usize, tag: i32) {
    let (sent, room, peer, comm) = (count(values), count(received), peer as c_int, comm_world());
    // SAFETY: pointers and counts are those of `values` and `received`; no status is wanted.
    check(unsafe {
        let (from, to, status) = (address(values), address_mut(received), mpi_sys::RSMPI_STATUS_IGNORE);
        let datatype = T::datatype();
        mpi_sys::MPI_Sendrecv(from, sent, datatype, peer, tag, to, room, datatype, peer, tag, comm, status)
    });
}

/// Gives MPI this many bytes to keep buffered messages in, for good.
pub fn attach(bytes: usize) {
    let buffer = Vec::leak(vec![0u8; bytes]);
    // SAFETY: the buffer is leaked, and has no other user.
    check(unsafe { mpi_sys::MPI_Buffer_attach(address_mut(buffer).cast(), count(buffer)) });
}

/// A communicator of the processes that name this color.
pub fn split(color: i32) -> MPI_Comm {
    let mut comm = comm_world();
    // SAFETY: room for one communicator.
    check(unsafe { mpi_sys::MPI_Comm_split(comm_world(), color, 0, &mut comm) });
    comm
}

/// Waits for all of a communicator.
pub fn barrier_of(comm: MPI_Comm) {
    // SAFETY: the communicator is valid.
    check(unsafe { mpi_sys::MPI_Barrier(comm) });
}

/// Lets MPI progress pending operations.
pub fn progress() {
    let mut flag = 0;
    // SAFETY: room for one flag; no status is wanted.
    check(unsafe {
        let any = mpi_sys::RSMPI_ANY_SOURCE;
        mpi_sys::MPI_Iprobe(any, i32::MAX >> 8, comm_world(), &mut flag, mpi_sys::RSMPI_STATUS_IGNORE)
    });
}

/// A communicator of the first `size` processes; nothing for the others.
pub fn first_processes(world: World, size: usize) -> Option<MPI_Comm> {
    let is_in = world.rank < size;
    // SAFETY: all processes of the world call it; room for one communicator.
    unsafe {
        let mut made = mpi_sys::RSMPI_COMM_NULL;
        let color = if is_in { 0 } else { mpi_sys::RSMPI_UNDEFINED };
        check(mpi_sys::MPI_Comm_split(comm_world(), color, world.rank as c_int, &mut made));
        is_in.then_some(made)
    }
}

/// From process 0 to all of a communicator.
pub fn broadcast<T: Element>(values: &mut [T], communicator: MPI_Comm) {
    // SAFETY: pointer and count are those of `values`, and the communicator is valid.
    check(unsafe { mpi_sys::MPI_Bcast(address_mut(values), count(values), T::datatype(), 0, communicator) });
}

/// Memory that all processes read and write, in one epoch from begin to end.
pub struct Window {
    window: mpi_sys::MPI_Win,
    memory: *mut u8,
    bytes: usize,
}

impl Window {
    /// All processes call it, each with the bytes that it offers.
    pub fn new(bytes: usize) -> Window {
        let mut memory: *mut u8 = null_mut();
        // SAFETY: the window is not used before MPI has made it; MPI_Win_allocate writes the address of the memory, which it owns.
        unsafe {
            let (mut window, info) = (mpi_sys::RSMPI_WIN_NULL, mpi_sys::RSMPI_INFO_NULL);
            let to: *mut *mut u8 = &mut memory;
            check(mpi_sys::MPI_Win_allocate(bytes as _, 1, info, comm_world(), to.cast(), &mut window));
            std::ptr::write_bytes(memory, 0, bytes);
            check(mpi_sys::MPI_Win_lock_all(0, window));
            check(mpi_sys::MPI_Win_sync(window));
            Window { window, memory, bytes }
        }
    }

    /// Begins to write to another process.
    ///
    /// # Safety
    /// The values must stay where and as they are until [`flush`](Self::flush).
    pub unsafe fn put(&self, values: &[u8], target: usize, place: usize) {
        let (from, length, target) = (address(values), count(values), target as c_int);
        // SAFETY: by the contract; MPI checks the place.
        check(unsafe {
            let byte = u8::datatype();
            mpi_sys::MPI_Put(from, length, byte, target, place as _, length, byte, self.window)
        });
    }

    /// Begins to read from another process.
    ///
    /// # Safety
    /// The values must stay where they are, and must not be accessed, until [`flush`](Self::flush).
    pub unsafe fn get(&self, values: &mut [u8], target: usize, place: usize) {
        let (length, to, target) = (count(values), address_mut(values), target as c_int);
        // SAFETY: by the contract; MPI checks the place.
        check(unsafe {
            let byte = u8::datatype();
            mpi_sys::MPI_Get(to, length, byte, target, place as _, length, byte, self.window)
        });
    }

    /// Waits until all is done that this process has begun with another.
    pub fn flush(&self, target: usize) {
        // SAFETY: the window is open.
        check(unsafe { mpi_sys::MPI_Win_flush(target as c_int, self.window) });
    }

    /// Reads the byte at `place` of this process's memory.
    pub fn byte(&self, place: usize) -> u8 {
        assert!(place < self.bytes);
        // SAFETY: the window is open, and the place within its memory. Another process may write it: MPI_Win_sync makes that visible.
        unsafe {
            check(mpi_sys::MPI_Win_sync(self.window));
            self.memory.add(place).read_volatile()
        }
    }

    /// All processes call it.
    pub fn free(mut self) {
        // SAFETY: the window is not used afterwards.
        unsafe {
            check(mpi_sys::MPI_Win_unlock_all(self.window));
            check(mpi_sys::MPI_Win_free(&mut self.window));
        }
    }
}
