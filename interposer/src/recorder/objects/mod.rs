//! Communicators, windows and files by their handles, and the sizes and layouts of datatypes.
//!
//! The recorder queries a handle only after MPI has accepted it in the program's own call, so a program that passes a
//! bad handle gets exactly MPI's own error.

mod datatype_layout;
pub mod groups;
mod info;
mod topology;
pub mod world;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use traces::calls::{ArgumentKind, Call, Class};
use traces::definitions::{Communicator, Definition, Members, Neighbors, Object, ObjectKind, Origin};
use traces::layout::BYTES;
use traces::signature::UNKNOWN_BYTES;

use crate::abi::Family;
use crate::real;
use crate::recorder::file::shared;
use info::ask;
pub use info::{Info, NO_OBJECT};
use recorder_core::handles::{Handles, Keep};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandleKind {
    Communicator,
    Window,
    File,
}

impl HandleKind {
    /// The handle at an address.
    ///
    /// # Safety
    /// The program must have a handle there.
    #[inline(always)]
    pub unsafe fn handle_at(self, family: &Family, address: usize) -> u64 {
        // SAFETY: by the contract. A file is a pointer in every ABI.
        unsafe {
            match self {
                HandleKind::File => (address as *const u64).read_unaligned(),
                _ => family.handle_at(address),
            }
        }
    }
}

static OBJECTS: Handles<Info> = Handles::new();
static DATATYPES: Handles<KnownDatatype> = Handles::new();
/// By communicator: the number of collective calls that have made objects from it.
static CHILDREN: Handles<u32> = Handles::new();
static ORIGINS: Handles<ObjectOrigin> = Handles::new();
/// Objects that a call is freeing now.
static FREED: Handles<FreedObject> = Handles::new();
static NEXT: AtomicU32 = AtomicU32::new(1);

/// The origin of an object that is not examined yet.
#[derive(Clone, Copy)]
struct ObjectOrigin {
    /// The number of the communicator that it was made from.
    parent: u32,
    /// Collective calls on the parent that made objects, up to this one; `u32::MAX` if the process made it alone.
    ordinal: u32,
    /// True if a request must complete before the recorder may query the object: otherwise MPICH 4 aborts.
    by_request: bool,
    /// The communicator that it duplicates.
    duplicate_of: Option<Info>,
}

/// All that is known of an object, in case it cannot be freed.
#[derive(Clone, Copy)]
struct FreedObject {
    info: Option<Info>,
    children: Option<u32>,
    origin: Option<ObjectOrigin>,
}

/// The processes of the communicator that was duplicated last: programs duplicate one repeatedly, and asking MPI each
/// time would need its group.
static DUPLICATED: Mutex<Option<Processes>> = Mutex::new(None);

#[derive(Clone)]
struct Processes {
    communicator: u32,
    members: Option<Members>,
    neighbors: Option<Neighbors>,
}

/// The object of a handle; `None` if it was not examined yet.
#[inline(always)]
pub fn get(handle: u64) -> Option<Info> {
    if handle == 0 { Some(NO_OBJECT) } else { OBJECTS.get(handle) }
}

/// Notes that a call has made an object from a communicator. Every process of the communicator counts the call, even
/// one that got no object.
pub fn made(family: &Family, call: Call, parent: u64, handle: u64) {
    let alone = call.makes_alone();
    if !alone && parent == 0 {
        // Not made but returned: the communicator of the parents.
        return;
    }
    let mut ordinal = u32::MAX;
    if !alone {
        let children = CHILDREN.visit(parent, |children| {
            *children += 1;
            Keep::Yes
        });
        ordinal = children.unwrap_or(0);
        if children.is_none() {
            CHILDREN.share(parent, 1);
        }
    }
    if !family.is_null(handle) {
        let info = get(parent);
        ORIGINS.remove(handle);
        let origin = ObjectOrigin {
            parent: info.map_or(0, |info| info.number),
            ordinal,
            by_request: call.has(ArgumentKind::NewRequest),
            duplicate_of: info.filter(|_| call.duplicates()),
        };
        ORIGINS.share(handle, origin);
    }
}

/// True if the recorder may query an object that MPI has accepted in this call. A program may give a name, attributes
/// or an error handler to an object that is still being made; before it communicates, it must have completed the
/// request.
pub fn is_whole(handle: u64, call: Call) -> bool {
    let is_local = matches!(
        call.class(),
        Class::Attribute | Class::Buffer | Class::Errhandler | Class::Group | Class::Info | Class::Query
    );
    let uses = !is_local && (call.class() != Class::Communicator || call.has(ArgumentKind::NewComm));
    uses || !ORIGINS.get(handle).is_some_and(|made| made.by_request)
}

/// Examines and defines an object that MPI has accepted or just made, if it is new.
pub fn learn(family: &Family, handle: u64, kind: HandleKind) {
    if family.is_null(handle) || OBJECTS.get(handle).is_some() {
        return;
    }
    let number = NEXT.fetch_add(1, Relaxed);
    let made = ORIGINS.remove(handle);
    let info = match kind {
        HandleKind::Communicator => match made.and_then(|made| made.duplicate_of) {
            Some(original) => duplicate(family, handle, number, original),
            None => communicator(family, handle, number),
        },
        HandleKind::Window => object(number, ObjectKind::Window),
        HandleKind::File => object(number, ObjectKind::File),
    };
    if let Some(ObjectOrigin { parent, ordinal, .. }) = made {
        shared::define(&Definition::Origin(Origin { number, parent, ordinal }));
    }
    OBJECTS.share(handle, info);
}

/// Forgets an object that is about to be freed, since MPI may reuse its handle. Returns whether it was known. The call
/// must say afterwards whether it [was freed](freed).
pub fn forget(handle: u64) -> bool {
    let freed =
        FreedObject { info: OBJECTS.remove(handle), children: CHILDREN.remove(handle), origin: ORIGINS.remove(handle) };
    FREED.share(handle, freed);
    freed.info.is_some()
}

/// Ends what [`forget`] has begun. An object that MPI `refused` to free is known again, by its number.
pub fn freed(handle: u64, refused: bool) {
    let Some(FreedObject { info, children, origin }) = FREED.remove(handle).filter(|_| refused) else { return };
    if let Some(info) = info {
        OBJECTS.share(handle, info);
    }
    if let Some(children) = children {
        CHILDREN.share(handle, children);
    }
    if let Some(origin) = origin {
        ORIGINS.share(handle, origin);
    }
}

#[derive(Clone, Copy)]
struct KnownDatatype {
    size: u64,
    /// The number of its definition, see [`layouts`](crate::recorder::file::layouts).
    layout: u32,
}

/// The size of a datatype in bytes; `None` if [`learn_datatype`] has not seen it.
#[inline(always)]
pub fn size_of(family: &Family, datatype: u64) -> Option<u64> {
    family.datatype_size(datatype).or_else(|| DATATYPES.get(datatype).map(|known| known.size))
}

/// The number of a datatype's definition; 0 if it is unknown.
pub fn layout_of(family: &Family, datatype: u64) -> u32 {
    match family.datatype_size(datatype) {
        Some(_) => BYTES,
        None => DATATYPES.get(datatype).map_or(0, |known| known.layout),
    }
}

/// Queries the size and the layout of a datatype that MPI has accepted, if it is new.
pub fn learn_datatype(family: &Family, datatype: u64) {
    if family.is_null(datatype) || size_of(family, datatype).is_some() {
        return;
    }
    let mut size = -1i64;
    // SAFETY: the datatype was just accepted by MPI.
    let code = unsafe { real::invoke(Call::Type_size_x, [datatype as usize, &raw mut size as usize]) };
    let size = if code == 0 && size >= 0 { size as u64 } else { UNKNOWN_BYTES };
    let layout = if size == UNKNOWN_BYTES { 0 } else { datatype_layout::define(family, datatype, size) };
    DATATYPES.share(datatype, KnownDatatype { size, layout });
}

/// Forgets a datatype that is about to be freed. Returns whether it was known.
pub fn forget_datatype(datatype: u64) -> bool {
    DATATYPES.remove(datatype).is_some()
}

fn object(number: u32, kind: ObjectKind) -> Info {
    shared::define(&Definition::Object(Object { number, kind }));
    Info { number, ..NO_OBJECT }
}

fn communicator(family: &Family, handle: u64, number: u32) -> Info {
    let inter = ask(Call::Comm_test_inter, handle, []) != 0;
    let size = ask(if inter { Call::Comm_remote_size } else { Call::Comm_size }, handle, []) as u32;
    let rank = ask(Call::Comm_rank, handle, []);
    let degrees = if inter { (0, 0) } else { topology::degrees(family, handle, rank) };
    let info = Info { number, size, rank, inter, degrees };
    define(handle, &info, Processes::ask(family, handle, &info));
    info
}

/// Defines a communicator that has the processes and the topology of another.
fn duplicate(family: &Family, handle: u64, number: u32, original: Info) -> Info {
    let info = Info { number, ..original };
    let mut last = DUPLICATED.lock().unwrap_or_else(PoisonError::into_inner);
    let processes = match &*last {
        Some(processes) if processes.communicator == original.number => processes.clone(),
        _ => Processes { communicator: original.number, ..Processes::ask(family, handle, &info) },
    };
    // Without a world the members are unknown, but may be known at the next duplicate.
    *last = Some(processes.clone()).filter(|processes| processes.members.is_some());
    define(handle, &info, processes);
    info
}

fn define(handle: u64, info: &Info, processes: Processes) {
    let Processes { members, neighbors, .. } = processes;
    let communicator = info.number;
    shared::define(&named(handle, info));
    if let Some(members) = members {
        shared::define(&Definition::Members(Members { communicator, ..members }));
    }
    if let Some(neighbors) = neighbors {
        shared::define(&Definition::Neighbors(Neighbors { communicator, ..neighbors }));
    }
}

impl Processes {
    /// Asks MPI for the processes of a communicator. They are unknown if there is no world to number them by.
    fn ask(family: &Family, handle: u64, info: &Info) -> Processes {
        let members = members(handle, info);
        Processes { communicator: info.number, members, neighbors: topology::neighbors(family, handle, info) }
    }
}

/// The definition of a communicator, with its current name.
fn named(handle: u64, info: &Info) -> Definition {
    let name = real::text(Call::Comm_get_name, &[handle as usize]).unwrap_or_default();
    let Info { number, size, rank, inter, .. } = *info;
    Definition::Communicator(Communicator { number, rank, size, inter, name })
}

/// Defines a communicator again, since the program has given it another name.
pub fn renamed(handle: u64) {
    if let Some(info) = OBJECTS.get(handle) {
        shared::define(&named(handle, &info));
    }
}

/// The members of a communicator; `None` if there is no world to number them by.
fn members(handle: u64, info: &Info) -> Option<Members> {
    let group = |call| world::with_group(call, handle, world::everyone);
    let remote = if info.inter { group(Call::Comm_remote_group)? } else { Vec::new() };
    Some(Members { communicator: info.number, local: group(Call::Comm_group)?, remote })
}
