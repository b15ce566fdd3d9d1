//! libfabric: reads of completion queues, by which MPICH's netmod ofi and Open MPI's mtl/ofi make progress.
//!
//! The functions are in tables that the objects point to: a fabric's table opens domains, a domain's opens queues, a
//! queue's reads. Each object gets a copy of its table with our function in it, followed by the address of the original
//! table. Layouts are those of rdma/fabric.h, fi_domain.h and fi_eq.h, which only ever append.

use std::ffi::{c_int, c_void};

use traces::definitions::Interception;

use super::{Achieved, Listener};
use crate::function::Function;
use crate::recorder::guard;

type OpenFabric = unsafe extern "C-unwind" fn(*mut c_void, *mut *mut c_void, *mut c_void) -> c_int;

// SAFETY: its type, by fabric.h.
static FABRIC: Function<OpenFabric> = unsafe { Function::behind_ours("fi_fabric") };
static LISTENER: Listener = Listener::new();

/// The common head of fabrics, domains and queues.
#[repr(C)]
struct Object {
    class: usize,
    context: *mut c_void,
    general: *mut c_void,
    table: *mut usize,
}

/// Indices of functions in the tables, in words. Word 0 is the table's size in bytes.
const DOMAIN: usize = 1;
const DOMAIN2: usize = 6;
const OPEN_QUEUE: usize = 2;
const READ: usize = 1;
const READ_FROM: usize = 2;

/// The provider's own function at an index of the object's table.
///
/// # Safety
/// The object's table must be a copy made by [`listen`], and `F` the pointer type of the function at this index.
unsafe fn original<F: Copy>(object: *const Object, place: usize) -> F {
    const { assert!(size_of::<F>() == size_of::<usize>()) }
    // SAFETY: the word after the copy is the original table's address.
    unsafe {
        let table = (*object).table;
        let words = *table / size_of::<usize>();
        (*table.add(words) as *const F).add(place).read()
    }
}

/// Gives the object a copy of its table with our functions at the given indices, if the table has functions there.
unsafe fn listen(object: *mut Object, ours: &[(usize, usize)]) {
    guard::run(|| {
        // SAFETY: a provider's object, just made; its table begins with its size.
        unsafe {
            let table = (*object).table;
            let words = *table / size_of::<usize>();
            let mut copy: Vec<usize> = std::slice::from_raw_parts(table, words).to_vec();
            for (place, function) in ours {
                if let Some(word) = copy.get_mut(*place).filter(|word| **word != 0) {
                    *word = *function;
                }
            }
            copy.push(table as usize);
            (*object).table = Box::leak(copy.into_boxed_slice()).as_mut_ptr();
        }
    });
}

/// Opens a fabric, whose domains are then opened by [`domain`] and [`domain2`].
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn fi_fabric(attr: *mut c_void, fabric: *mut *mut c_void, context: *mut c_void) -> c_int {
    // SAFETY: passes on the caller's arguments.
    let code = unsafe { FABRIC.get()(attr, fabric, context) };
    if code == 0 && super::is_on() {
        // SAFETY: the call has succeeded, so a fabric is there.
        unsafe {
            listen(
                (*fabric).cast(),
                &[(DOMAIN, domain as *const () as usize), (DOMAIN2, domain2 as *const () as usize)],
            )
        };
        LISTENER.line(described);
    }
    code
}

fn described() -> (Interception, String) {
    (Interception::Libfabric, "fi_cq_read".into())
}

unsafe extern "C-unwind" fn domain(fabric: *mut Object, info: usize, made: *mut *mut Object, context: usize) -> c_int {
    type Open = unsafe extern "C-unwind" fn(*mut Object, usize, *mut *mut Object, usize) -> c_int;
    // SAFETY: passes on the caller's arguments, to the function that this one stands for.
    let real = unsafe { original::<Open>(fabric, DOMAIN) };
    // SAFETY: as above.
    let code = unsafe { real(fabric, info, made, context) };
    if code == 0 {
        // SAFETY: the call has succeeded, so a domain is there.
        unsafe { listen(*made, &[(OPEN_QUEUE, open_queue as *const () as usize)]) };
    }
    code
}

unsafe extern "C-unwind" fn domain2(
    fabric: *mut Object,
    info: usize,
    made: *mut *mut Object,
    flags: u64,
    context: usize,
) -> c_int {
    type Open = unsafe extern "C-unwind" fn(*mut Object, usize, *mut *mut Object, u64, usize) -> c_int;
    // SAFETY: as in `domain`.
    let real = unsafe { original::<Open>(fabric, DOMAIN2) };
    // SAFETY: as in `domain`.
    let code = unsafe { real(fabric, info, made, flags, context) };
    if code == 0 {
        // SAFETY: as in `domain`.
        unsafe { listen(*made, &[(OPEN_QUEUE, open_queue as *const () as usize)]) };
    }
    code
}

unsafe extern "C-unwind" fn open_queue(
    domain: *mut Object,
    attr: usize,
    made: *mut *mut Object,
    context: usize,
) -> c_int {
    type Open = unsafe extern "C-unwind" fn(*mut Object, usize, *mut *mut Object, usize) -> c_int;
    // SAFETY: as in `domain`.
    let real = unsafe { original::<Open>(domain, OPEN_QUEUE) };
    // SAFETY: as in `domain`.
    let code = unsafe { real(domain, attr, made, context) };
    if code == 0 {
        // SAFETY: the call has succeeded, so a queue is there.
        unsafe { listen(*made, &[(READ, read as *const () as usize), (READ_FROM, read_from as *const () as usize)]) };
    }
    code
}

unsafe extern "C-unwind" fn read(queue: *mut Object, buffer: usize, count: usize) -> isize {
    type Read = unsafe extern "C-unwind" fn(*mut Object, usize, usize) -> isize;
    // SAFETY: as in `domain`.
    entered(|| unsafe { original::<Read>(queue, READ)(queue, buffer, count) })
}

unsafe extern "C-unwind" fn read_from(queue: *mut Object, buffer: usize, count: usize, from: usize) -> isize {
    type Read = unsafe extern "C-unwind" fn(*mut Object, usize, usize, usize) -> isize;
    // SAFETY: as in `domain`.
    entered(|| unsafe { original::<Read>(queue, READ_FROM)(queue, buffer, count, from) })
}

/// Records a read of a queue. Its result is negative for no completions (-FI_EAGAIN) and for errors.
#[inline(always)]
fn entered(real: impl FnOnce() -> isize) -> isize {
    let Some(heard) = super::heard() else { return real() };
    let Some(line) = LISTENER.line(described) else { return real() };
    super::entry(heard, line, real, |events| Achieved::events((*events).max(0) as u64))
}
