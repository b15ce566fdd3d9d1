//! The differences between MPI ABIs: handles, statuses, constants. Nothing outside this folder knows them.
//!
//! One [`Family`] is chosen before the first call is recorded, from the symbols that the loaded library exports, not
//! from its file name. Everywhere else a handle is a word as wide as a register.

pub mod combiners;
pub mod completion;
mod mpich;
mod openmpi;
mod standard;
pub mod variables;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use traces::calls::Call;
use traces::file::Abi;
use traces::signature::{lock, peer, tag};

use crate::real::{self, MpiLibrary};

/// The conventions of one ABI. Fields without a comment are the MPI constants that they are named after.
#[derive(Debug)]
pub struct Family {
    pub abi: Abi,
    /// The bits of a register that a handle argument occupies.
    pub handle_mask: u64,
    /// Bytes of a handle in memory.
    pub handle_size: usize,
    pub status_size: usize,
    /// Offsets in bytes of MPI_SOURCE, MPI_TAG and MPI_ERROR in a status.
    source_at: usize,
    tag_at: usize,
    error_at: usize,
    count: CountAt,
    any_source: i32,
    any_tag: i32,
    proc_null: i32,
    root: i32,
    pub err_truncate: u16,
    pub err_in_status: u16,
    pub in_place: usize,
    /// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE.
    pub status_ignore: usize,
    pub comm_world: u64,
    pub comm_self: u64,
    pub request_null: u64,
    pub byte: u64,
    pub errors_return: u64,
    pub info_null: u64,
    pub common_datatypes: Vec<u64>,
    pub message_no_proc: u64,
    /// The null handles of all types of object: nothing is looked up or stored for them.
    pub nulls: Vec<u64>,
    /// The handles of sends and of receives that complete at once, 0 if each gets its own.
    shared_requests: [AtomicU64; 2],
    /// MPI_T_PVAR_CLASS_TIMER and MPI_T_PVAR_CLASS_COUNTER.
    pub idle_classes: [usize; 2],
    /// MPI_T_BIND_NO_OBJECT.
    bound_to_none: i32,
    /// MPI_GRAPH, MPI_CART and MPI_DIST_GRAPH.
    pub topologies: [i32; 3],
    /// MPI_LOCK_EXCLUSIVE and MPI_LOCK_SHARED.
    locks: [i32; 2],
    /// The distance between thread levels, which are 0 to 3 times this.
    pub thread_step: i32,
}

/// The initial value of [`Family::shared_requests`], which are unknown before MPI is initialized.
fn no_requests() -> [AtomicU64; 2] {
    [const { AtomicU64::new(0) }; 2]
}

/// The form in which a status holds the message's bytes, with the offset in the status.
#[derive(Clone, Copy, Debug)]
enum CountAt {
    /// A size_t.
    Word(usize),
    /// The low 32 bits, then the high bits shifted left by one over the "cancelled" bit.
    Split(usize),
    /// Like `Split` if [`standard::SPLIT`] is set; otherwise the library is asked.
    SplitIfSettled(usize),
}

static FAMILY: OnceLock<Family> = OnceLock::new();

/// Determines which ABI the library follows.
pub fn detect(library: &'static MpiLibrary) -> &'static Family {
    FAMILY.get_or_init(|| {
        if standard_version(library) >= 1 {
            standard::family()
        } else if library.find("ompi_mpi_comm_world").is_some() {
            openmpi::family(library)
        } else {
            mpich::family()
        }
    })
}

/// The family in use.
///
/// # Safety
/// [`detect`] must have been called, as it was if a call is being recorded.
#[inline(always)]
pub unsafe fn family() -> &'static Family {
    // SAFETY: by the contract.
    unsafe { FAMILY.get().unwrap_unchecked() }
}

/// The major version of the standard ABI that the library follows, -1 if it follows another. That the function exists
/// proves nothing: libraries of other ABIs have it too, and return -1.
fn standard_version(library: &MpiLibrary) -> i32 {
    if library.find("PMPI_Abi_get_version").is_none() {
        return -1;
    }
    let (mut major, mut minor) = (-1i32, -1i32);
    // SAFETY: the function may be called before MPI_Init, and writes two integers.
    let code = unsafe { real::invoke(Call::Abi_get_version, [&raw mut major as usize, &raw mut minor as usize]) };
    if code == 0 { major } else { -1 }
}

impl Family {
    /// A handle argument, without the other bits of its register.
    #[inline(always)]
    pub fn handle(&self, word: usize) -> u64 {
        word as u64 & self.handle_mask
    }

    /// The handle at `address`.
    ///
    /// # Safety
    /// The program must have a handle there.
    #[inline(always)]
    pub unsafe fn handle_at(&self, address: usize) -> u64 {
        // SAFETY: by the contract. Unaligned, since the program may have packed its structures.
        unsafe {
            match self.handle_size {
                4 => (address as *const u32).read_unaligned() as u64,
                _ => (address as *const u64).read_unaligned(),
            }
        }
    }

    pub fn is_null(&self, handle: u64) -> bool {
        self.nulls.contains(&handle)
    }

    /// A rank argument in the trace's numbering.
    #[inline(always)]
    pub fn peer(&self, rank: i32) -> i32 {
        if rank >= 0 { rank } else { self.special_peer(rank) }
    }

    #[cold]
    fn special_peer(&self, rank: i32) -> i32 {
        match rank {
            _ if rank == self.any_source => peer::ANY,
            _ if rank == self.proc_null => peer::PROC_NULL,
            _ if rank == self.root => peer::ROOT,
            _ => rank,
        }
    }

    /// A tag argument in the trace's numbering.
    #[inline(always)]
    pub fn tag(&self, value: i32) -> i32 {
        if value == self.any_tag { tag::ANY } else { value }
    }

    /// A lock type in the trace's numbering.
    pub fn lock(&self, kind: i32) -> i32 {
        let [exclusive, shared] = self.locks;
        match kind {
            _ if kind == exclusive => lock::EXCLUSIVE,
            _ if kind == shared => lock::SHARED,
            _ => tag::NONE,
        }
    }

    /// Source and tag of a status, in the trace's numbering.
    ///
    /// # Safety
    /// `status` must be the address of a status that MPI has filled.
    #[inline(always)]
    pub unsafe fn source_and_tag(&self, status: usize) -> (i32, i32) {
        // SAFETY: by the contract.
        let (source, tag) = unsafe {
            (
                ((status + self.source_at) as *const i32).read_unaligned(),
                ((status + self.tag_at) as *const i32).read_unaligned(),
            )
        };
        (self.peer(source), self.tag(tag))
    }

    /// The error in a status.
    ///
    /// # Safety
    /// `status` must be the address of a status.
    pub unsafe fn error(&self, status: usize) -> i32 {
        // SAFETY: by the contract.
        unsafe { ((status + self.error_at) as *const i32).read_unaligned() }
    }

    /// Bytes of the message that a status describes.
    ///
    /// # Safety
    /// `status` must be the address of a status that MPI has filled.
    #[inline(always)]
    pub unsafe fn bytes(&self, status: usize) -> u64 {
        // SAFETY: by the contract.
        unsafe {
            match self.count {
                CountAt::Word(at) => ((status + at) as *const u64).read_unaligned(),
                CountAt::Split(at) => split(status + at),
                CountAt::SplitIfSettled(at) if standard::SPLIT.load(Relaxed) => split(status + at),
                CountAt::SplitIfSettled(_) => self.ask_bytes(status),
            }
        }
    }

    #[cold]
    fn ask_bytes(&self, status: usize) -> u64 {
        let mut count = -1i64;
        // SAFETY: only libraries of the standard ABI are asked, and these have the function.
        let code =
            unsafe { real::invoke(Call::Get_count.large(), [status, self.byte as usize, &raw mut count as usize]) };
        if code == 0 && count >= 0 { count as u64 } else { traces::signature::UNKNOWN_BYTES }
    }

    /// Learns the properties that only an initialized library reveals. `world`: true if MPI_COMM_WORLD exists.
    pub fn learn_from_library(&self, world: bool) {
        if self.abi == Abi::Standard {
            standard::learn_status_layout();
        }
        // Without a world there is no communicator to begin requests on.
        if world && self.abi != Abi::Mpich {
            let learned = [(Call::Isend, self.proc_null), (Call::Irecv, self.proc_null)]
                .map(|(call, peer)| self.shared_request(call, peer).unwrap_or(0));
            for (place, handle) in self.shared_requests.iter().zip(learned) {
                place.store(handle, Relaxed);
            }
        }
    }

    /// The handle that the library gives to every request that completes at once; `None` if each gets its own. Begins
    /// two requests whose peer is MPI_PROC_NULL, so nothing is sent, and compares their handles.
    fn shared_request(&self, call: Call, peer: i32) -> Option<u64> {
        let mut requests = [0u64; 2];
        for request in &mut requests {
            let (peer, comm) = (peer as usize, self.comm_self as usize);
            // SAFETY: MPI is initialized, and zero bytes need no buffer.
            let code =
                unsafe { real::invoke(call, [0, 0, self.byte as usize, peer, 0, comm, (&raw mut *request) as usize]) };
            if code != 0 {
                return None;
            }
        }
        let handles = requests;
        for request in &mut requests {
            // SAFETY: the request was begun above.
            unsafe { real::invoke(Call::Wait, [(&raw mut *request) as usize, self.status_ignore]) };
        }
        (handles[0] == handles[1]).then_some(handles[0])
    }

    /// True if a request that was just begun is already complete: libraries give all such requests one special handle.
    #[inline(always)]
    pub fn complete_at_once(&self, request: u64) -> bool {
        match self.abi {
            Abi::Mpich => mpich::is_builtin(request),
            _ => self.shared_requests.iter().any(|shared| shared.load(Relaxed) == request),
        }
    }

    /// The size of a datatype in bytes, if its handle contains it.
    #[inline(always)]
    pub fn datatype_size(&self, datatype: u64) -> Option<u64> {
        match self.abi {
            Abi::Mpich => mpich::datatype_size(datatype),
            _ => None,
        }
    }

    /// True if a status says that its request was cancelled.
    ///
    /// # Safety
    /// `status` must be the address of a status that MPI has filled.
    pub unsafe fn cancelled(&self, status: usize) -> bool {
        let mut flag = 0i32;
        // SAFETY: by the contract.
        unsafe { real::invoke(Call::Test_cancelled, [status, &raw mut flag as usize]) };
        flag != 0
    }

    /// The thread level in the trace's numbering, 0 to 3.
    pub fn thread_level(&self, level: i32) -> u16 {
        (level / self.thread_step).clamp(0, 3) as u16
    }
}

/// Reads a count as [`CountAt::Split`] stores it.
///
/// # Safety
/// The two halves must be at `address`.
#[inline(always)]
unsafe fn split(address: usize) -> u64 {
    // SAFETY: by the contract.
    let (low, high) =
        unsafe { ((address as *const u32).read_unaligned(), ((address + 4) as *const u32).read_unaligned()) };
    low as u64 | (high as u64 >> 1) << 32
}
