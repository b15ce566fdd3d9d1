//! The objects loaded into the process: what they define, and the slots through which they call what others define.

mod exports;
mod listing;
mod object;
mod of_mpi;

use std::ffi::{CStr, c_void};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::program_headers;
pub use exports::SymbolName;
#[cfg(not(feature = "archive"))]
pub use listing::look;
pub use listing::{Settled, begin, is_put_off, with_settled};
pub use object::LoadedObject;
pub use of_mpi::is_of_mpi;

/// Numbers of objects that the loader has added and removed so far. Cheap.
pub fn changes() -> (u64, u64) {
    program_headers::find(|first| Some(first.changes())).unwrap_or_default()
}

/// The address of the MPI library in memory; 0 while none is known.
static MPI: AtomicUsize = AtomicUsize::new(0);

/// Makes [`find_function`] search the MPI library and what it needs before other libraries that were loaded later than
/// the program.
pub fn search_first(address: usize) {
    MPI.store(address, Relaxed);
}

/// The address of a function: the first in the order in which the loader searches, or the first behind ours. Unlike
/// `dlsym` it does not wait while another thread loads a library, and finds functions of libraries that were loaded for
/// another library alone.
pub fn find_function(name: &CStr, behind_ours: bool) -> Option<usize> {
    let name = SymbolName::new(name);
    program_headers::hold(|| {
        let objects = listing::list();
        let own = objects.iter().position(LoadedObject::is_own);
        let begin = own.filter(|_| behind_ours).map_or(0, |own| own + 1);
        let mpi = objects.iter().position(|object| object.range.contains(&MPI.load(Relaxed)));
        let of_mpi = mpi.map(|mpi| listing::with_needed(&objects, mpi)).unwrap_or_default();
        let in_order = listing::at_start(&objects).iter().skip(begin);
        let others = of_mpi.iter().filter_map(|place| objects.get(*place)).chain(&objects);
        let all = in_order.chain(others.filter(|object| !object.is_own()));
        // SAFETY: no object is unmapped meanwhile.
        all.into_iter().find_map(|object| unsafe { object.exports()?.find(&name) })
    })
    .flatten()
}

/// The memory of the program itself.
pub fn program() -> Option<Range<usize>> {
    program_headers::find(|headers| Some(headers.memory()))
}

/// The path of the object that defines a symbol.
pub fn path_of_definer(name: &CStr) -> Option<String> {
    program_headers::find(|headers| {
        let object = LoadedObject::from_headers(headers).filter(|object| !object.is_own())?;
        // SAFETY: no object is unmapped meanwhile.
        unsafe { object.defines(name) }.map(|_| object.name)
    })
}

/// The object around an address and the name of the symbol that begins there, if one does.
pub fn describe(address: usize) -> Option<(LoadedObject, Option<String>)> {
    program_headers::find(|headers| {
        let object = LoadedObject::from_headers(headers).filter(|object| object.range.contains(&address))?;
        // SAFETY: no object is unmapped meanwhile.
        let symbol = unsafe { object.exports().and_then(|exports| exports.name_at(address)) };
        Some((object, symbol))
    })
}

/// Visits the objects that may be touched and whose number is higher than `last`, which is the last visited then. The
/// C library's calls of its own functions are left alone, as are ours.
pub fn patch_new(last: &AtomicU64, mut visit: impl FnMut(&LoadedObject)) {
    with_settled(&[], |settled| {
        for object in settled.after(last.load(Relaxed)) {
            if !object.is_own() && !object.is_of_the_c_library() {
                visit(object);
            }
        }
        last.store(settled.last(), Relaxed);
    });
}

/// An address in the object whose handle the program has from `dlopen`; 0 if the handle stands for no object.
///
/// # Safety
/// The program must be about to pass the handle to the C library.
#[cfg(not(feature = "archive"))]
pub unsafe fn address_of_handle(handle: *mut c_void) -> usize {
    if [libc::RTLD_DEFAULT, libc::RTLD_NEXT].contains(&handle) {
        return 0;
    }
    // SAFETY: a handle is a `struct link_map` (link.h): load address, name, and the address of the dynamic section.
    unsafe { handle.cast::<[usize; 3]>().read()[2] }
}
