//! Datatypes by their handles: where the bytes of an element lie.
//!
//! MPI itself knows that, for every constructor and in every ABI, and packs bytes of one kind of processor as they are, in the order of
//! the type map. Elements whose bytes already lie in that order are read in place, as one pattern that is packed has shown.

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

/// The communicator to pack in, 0 for none. Its errors are returned, whatever the program has MPI do with others.
static COMMUNICATOR: AtomicU64 = AtomicU64::new(0);

/// MPICH 4 refuses to pack from MPI_BOTTOM, where absolute addresses count from.
const SHIFT: usize = 4096;
/// Bytes that are packed at a time: they stay in the cache between packing and reading.
const CHUNK: u64 = 64 << 10;
/// The largest element that memory is taken for.
const LARGEST: u64 = 64 << 20;
/// The largest element that a pattern of two bytes tells the order of.
const PATTERN: u64 = 1 << 16;

/// What is known of a datatype.
pub struct Datatype {
    /// Bytes of an element, without its gaps.
    pub size: u64,
    /// From one element to the next.
    pub extent: i64,
    packing: Packing,
}

enum Packing {
    /// The bytes lie as they are packed.
    InPlace,
    /// MPI packs them by this handle of our own, from [`SHIFT`] behind where they begin.
    ByMpi { handle: u64, comm: u64 },
    /// There is no communicator to pack in.
    Unknown,
}

/// MPI is initialized, with a world: gets to know the datatypes that programs use most.
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
    family.common_datatypes.iter().for_each(|datatype| drop(learn(family, *datatype)));
}

/// A datatype that MPI has accepted. `None` where MPI does not describe it.
pub fn learn(family: &Family, handle: u64) -> Option<Arc<Datatype>> {
    if let Some(datatype) = known(handle) {
        return Some(datatype);
    }
    if family.is_null(handle) {
        return None;
    }
    let datatype = Arc::new(Datatype::of(handle)?);
    table().insert(handle, datatype.clone());
    Some(datatype)
}

/// A datatype that was met before.
pub fn known(handle: u64) -> Option<Arc<Datatype>> {
    table().get(&handle).cloned()
}

/// Forgets a datatype that is about to be freed: its handle may come again for another.
pub fn forget(handle: u64) {
    let forgotten = table().remove(&handle);
    drop(forgotten);
}

fn table() -> MutexGuard<'static, HashMap<u64, Arc<Datatype>>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Datatype {
    fn of(handle: u64) -> Option<Datatype> {
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

    /// The checksum of the first so many bytes of so many elements.
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
        // One piece, or one for each element.
        let (pieces, length) = if self.extent == self.size as i64 { (1, bytes) } else { (count, self.size) };
        let (mut hasher, mut left) = (Hasher::new(), bytes);
        for piece in 0..pieces {
            let begin = address.wrapping_add_signed((piece as i64).wrapping_mul(self.extent) as isize);
            let part = length.min(left);
            if part > 0 && !memory::is_readable(begin, part) {
                return Err(UntakenReason::Memory);
            }
            // SAFETY: MPI has accepted the buffer, and its ends can be read.
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
            // SAFETY: a datatype of our own.
            unsafe { real::invoke(Call::Type_free, [&raw mut *handle as usize]) };
        }
    }
}

/// The lower bound and the extent that a function `(MPI_Datatype, MPI_Aint *, MPI_Aint *)` writes.
fn ask(call: Call, handle: u64) -> Option<(i64, i64)> {
    let (mut lower, mut extent) = (0i64, 0i64);
    let arguments = [handle as usize, &raw mut lower as usize, &raw mut extent as usize];
    // SAFETY: MPI has accepted the datatype.
    (unsafe { real::invoke(call, arguments) } == 0).then_some((lower, extent))
}

/// A datatype of our own with the same elements, each [`SHIFT`] earlier: the program may free its own while a request is pending. A
/// duplicate would have the program's attributes copied, by functions of the program.
fn shifted(handle: u64) -> Option<u64> {
    let (mut made, earlier) = (0u64, -(SHIFT as i64));
    let place = &raw mut made as usize;
    let arguments = [1, 1, &raw const earlier as usize, handle as usize, place];
    // SAFETY: MPI has accepted the datatype.
    let code = unsafe { real::invoke(Call::Type_create_hindexed_block, arguments) };
    // SAFETY: it was just made.
    (code == 0 && unsafe { real::invoke(Call::Type_commit, [place]) } == 0).then_some(made)
}

/// Whether the bytes of an element lie in the order in which they are packed.
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

/// Packs so many elements, which have to fill the room.
fn pack(from: usize, elements: u64, handle: u64, room: &mut [u8], comm: u64) -> Option<()> {
    let mut position = 0i32;
    let (to, length) = (room.as_mut_ptr() as usize, room.len());
    let arguments = [from, elements as usize, handle as usize, to, length, &raw mut position as usize, comm as usize];
    // SAFETY: MPI has accepted such elements there, and is told the length of the room.
    let code = unsafe { real::invoke(Call::Pack, arguments) };
    (code == 0 && position as usize == length).then_some(())
}
