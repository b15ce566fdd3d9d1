//! Reads elements of a datatype in the order of its type map, to take their checksum.
//!
//! MPI itself knows the layout, for every constructor and in every ABI: MPI_Pack copies the bytes unchanged, in the
//! order of the type map. The recorder packs a pattern to find elements whose bytes already are in that order; it reads
//! those in place.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use crc32fast::Hasher;
use traces::calls::Call;
use traces::record::UntakenReason;

use super::memory;
use crate::abi::Family;
use crate::real;

static KNOWN: LazyLock<Mutex<HashMap<u64, Arc<Datatype>>>> = LazyLock::new(Mutex::default);

/// Communicator for MPI_Pack; 0 if there is none. Its error handler returns errors, independent of the program's
/// handlers.
static COMMUNICATOR: AtomicU64 = AtomicU64::new(0);

/// Bytes between the address passed to MPI_Pack and the element: MPICH 4 refuses to pack from MPI_BOTTOM, which
/// datatypes of absolute addresses need.
const SHIFT: usize = 4096;
/// Bytes that are packed at a time: they stay in the cache between packing and reading.
const CHUNK: u64 = 64 << 10;
/// Largest element, in bytes, for which a buffer is allocated.
const LARGEST: u64 = 64 << 20;
/// Largest element, in bytes, whose byte order a pattern of two bytes can show.
const PATTERN: u64 = 1 << 16;

pub struct Datatype {
    /// Bytes of an element, without its gaps.
    pub size: u64,
    /// Bytes from one element to the next.
    pub extent: i64,
    packing: Packing,
}

enum Packing {
    /// The bytes already are in the order of the type map.
    InPlace,
    /// MPI packs the elements with our datatype `handle`, whose elements begin [`SHIFT`] bytes before the address
    /// passed.
    ByMpi { handle: u64, comm: u64 },
    /// There is no communicator to pack in.
    Unknown,
}

/// Makes the communicator and examines the datatypes that programs use most, once MPI is initialized with a world.
pub fn begin(family: &Family) {
    let (mut comm, own) = (0u64, family.comm_self as usize);
    // SAFETY: the process is alone in the communicator, and the one made from it is ours.
    let made = unsafe { real::invoke(Call::Comm_split, [own, 0, 0, &raw mut comm as usize]) };
    // SAFETY: as above.
    let returns = || unsafe {
        real::invoke(Call::Comm_set_errhandler, [family.handle(comm as usize) as usize, family.errors_return as usize])
    };
    if made == 0 && returns() == 0 {
        COMMUNICATOR.store(family.handle(comm as usize), Relaxed);
    }
    for datatype in &family.common_datatypes {
        learn(family, *datatype);
    }
}

/// Looks up the datatype of a handle that MPI has accepted, and examines it if it is new. `None` if MPI does not
/// describe it.
pub fn learn(family: &Family, handle: u64) -> Option<Arc<Datatype>> {
    if let Some(datatype) = known(handle) {
        return Some(datatype);
    }
    if family.is_null(handle) {
        return None;
    }
    let datatype = Arc::new(Datatype::examine(handle)?);
    table().insert(handle, datatype.clone());
    Some(datatype)
}

/// The datatype of a handle, if it was examined before.
pub fn known(handle: u64) -> Option<Arc<Datatype>> {
    table().get(&handle).cloned()
}

/// Forgets a datatype that is about to be freed, since MPI may reuse its handle.
pub fn forget(handle: u64) {
    // The lock is released before the datatype is dropped, which calls MPI.
    let forgotten = table().remove(&handle);
    drop(forgotten);
}

fn table() -> MutexGuard<'static, HashMap<u64, Arc<Datatype>>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Datatype {
    fn examine(handle: u64) -> Option<Datatype> {
        let mut size = 0i64;
        // SAFETY: MPI has accepted the datatype.
        let code = unsafe { real::invoke(Call::Type_size_x, [handle as usize, &raw mut size as usize]) };
        let (_, extent) = ask(Call::Type_get_extent, handle)?;
        let (begin, length) = ask(Call::Type_get_true_extent, handle)?;
        let size = u64::try_from(size).ok().filter(|_| code == 0)?;
        let comm = COMMUNICATOR.load(Relaxed);
        let packing = if comm == 0 {
            Packing::Unknown
        } else if begin == 0 && length as u64 == size && (is_in_order(handle, comm, size) == Some(true)) {
            Packing::InPlace
        } else {
            Packing::ByMpi { handle: shifted(handle)?, comm }
        };
        Some(Datatype { size, extent, packing })
    }

    /// The checksum of the first `bytes` bytes of `count` elements at `address`.
    pub fn checksum(&self, address: usize, count: u64, bytes: u64) -> Result<u32, UntakenReason> {
        if bytes == 0 {
            return Ok(0);
        }
        match self.packing {
            Packing::InPlace => self.in_place(address, count, bytes),
            Packing::ByMpi { .. } if self.size > LARGEST => Err(UntakenReason::Size),
            Packing::ByMpi { handle, comm } => self.packed(handle, comm, address, count, bytes),
            Packing::Unknown => Err(UntakenReason::Packing),
        }
    }

    fn in_place(&self, address: usize, count: u64, bytes: u64) -> Result<u32, UntakenReason> {
        // Contiguous elements are one piece, others one each.
        let (pieces, length) = if self.extent == self.size as i64 { (1, bytes) } else { (count, self.size) };
        let (mut hasher, mut left) = (Hasher::new(), bytes);
        for piece in 0..pieces {
            let begin = address.wrapping_add_signed((piece as i64).wrapping_mul(self.extent) as isize);
            let part = length.min(left);
            if part > 0 && !memory::is_readable(begin, part) {
                return Err(UntakenReason::Memory);
            }
            // SAFETY: MPI has accepted the buffer, and its first and last byte can be read.
            hasher.update(unsafe { std::slice::from_raw_parts(begin as *const u8, part as usize) });
            left -= part;
        }
        Ok(hasher.finalize())
    }

    fn packed(&self, handle: u64, comm: u64, address: usize, count: u64, bytes: u64) -> Result<u32, UntakenReason> {
        let at_once = (CHUNK / self.size.max(1)).clamp(1, count);
        let mut packed = vec![0u8; (at_once * self.size) as usize];
        let (mut hasher, mut done, mut left) = (Hasher::new(), 0, bytes);
        while left > 0 {
            let elements = at_once.min(count - done);
            let begin = address.wrapping_add_signed((done as i64).wrapping_mul(self.extent) as isize);
            let room = packed.get_mut(..(elements * self.size) as usize).ok_or(UntakenReason::Packing)?;
            pack(begin.wrapping_add(SHIFT), elements, handle, room, comm).ok_or(UntakenReason::Packing)?;
            let wanted = room.get(..left as usize).unwrap_or(room);
            hasher.update(wanted);
            (done, left) = (done + elements, left - wanted.len() as u64);
        }
        Ok(hasher.finalize())
    }
}

impl Drop for Datatype {
    fn drop(&mut self) {
        if let Packing::ByMpi { handle, .. } = &mut self.packing {
            // SAFETY: the datatype is ours.
            unsafe { real::invoke(Call::Type_free, [&raw mut *handle as usize]) };
        }
    }
}

/// The lower bound and the extent that an MPI function `(MPI_Datatype, MPI_Aint *, MPI_Aint *)` returns.
fn ask(call: Call, handle: u64) -> Option<(i64, i64)> {
    let (mut lower, mut extent) = (0i64, 0i64);
    let arguments = [handle as usize, &raw mut lower as usize, &raw mut extent as usize];
    // SAFETY: MPI has accepted the datatype.
    (unsafe { real::invoke(call, arguments) } == 0).then_some((lower, extent))
}

/// Makes a datatype of ours with the same elements, each [`SHIFT`] bytes earlier, since the program may free its own
/// while a request is pending. MPI_Type_dup is no alternative: it copies the program's attributes by calling the
/// program's functions.
fn shifted(handle: u64) -> Option<u64> {
    let (mut made, earlier) = (0u64, -(SHIFT as i64));
    let place = &raw mut made as usize;
    let arguments = [1, 1, &raw const earlier as usize, handle as usize, place];
    // SAFETY: MPI has accepted the datatype.
    let code = unsafe { real::invoke(Call::Type_create_hindexed_block, arguments) };
    // SAFETY: it was just made.
    (code == 0 && unsafe { real::invoke(Call::Type_commit, [place]) } == 0).then_some(made)
}

/// True if packing keeps an element's bytes in their order. `None` if that cannot be tested.
fn is_in_order(handle: u64, comm: u64, size: u64) -> Option<bool> {
    let places = 0..(size <= PATTERN).then_some(size as usize)?;
    let order = |byte: u32| -> Option<bool> {
        let pattern: Vec<u8> = places.clone().map(|place| (place >> (8 * byte)) as u8).collect();
        let mut packed = vec![0; pattern.len()];
        pack(pattern.as_ptr() as usize, 1, handle, &mut packed, comm)?;
        Some(pattern == packed)
    };
    Some(order(0)? && order(1)?)
}

/// Packs elements into `room`. `None` unless they fill it exactly.
fn pack(from: usize, elements: u64, handle: u64, room: &mut [u8], comm: u64) -> Option<()> {
    let mut position = 0i32;
    let (to, length) = (room.as_mut_ptr() as usize, room.len());
    let arguments = [from, elements as usize, handle as usize, to, length, &raw mut position as usize, comm as usize];
    // SAFETY: MPI has accepted such elements at this address, and gets the length of the room.
    let code = unsafe { real::invoke(Call::Pack, arguments) };
    (code == 0 && position as usize == length).then_some(())
}
