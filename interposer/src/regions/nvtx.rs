//! Ranges of NVTX, NVIDIA's interface for programs to name parts of their run.
//!
//! The NVTX code in a program loads the library that `NVTX_INJECTION64_PATH` names, calls [`InitializeInjectionNvtx2`],
//! and from then on calls the functions that this one put into its tables. Only the names of ranges are recorded;
//! domains serve to match pushes and pops.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::*};

use traces::record::RecordKind;

use super::names;
use super::recorded;
use recorder_core::region_names::RegionName;

// From nvtxTypes.h.
const CALLBACKS: u32 = 1;
const CORE: c_int = 1;
const CORE2: c_int = 5;
/// The result of a push that is not recorded.
const NO_PUSH_POP_TRACKING: c_int = -2;

type GetExportTable = unsafe extern "C" fn(u32) -> *const Callbacks;
/// A table whose entries point to NVTX's function pointers.
type FunctionTable = *const *mut *const c_void;

#[repr(C)]
pub struct Callbacks {
    size: usize,
    module: Option<unsafe extern "C" fn(c_int, *mut FunctionTable, *mut c_uint) -> c_int>,
}

/// `nvtxEventAttributes_t`: a range's name and more.
#[repr(C)]
pub struct Attributes {
    version: u16,
    size: u16,
    category: u32,
    color_type: i32,
    color: u32,
    payload_type: i32,
    reserved: i32,
    payload: u64,
    message_type: i32,
    message: *const c_void,
}

/// Puts our functions into NVTX's tables. Returns 1 on success, 0 otherwise.
///
/// # Safety
/// Only NVTX may call it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn InitializeInjectionNvtx2(get_export_table: Option<GetExportTable>) -> c_int {
    let Some(get_export_table) = get_export_table else { return 0 };
    // SAFETY: NVTX's function, called as its header says.
    let Some(callbacks) = (unsafe { get_export_table(CALLBACKS).as_ref() }) else { return 0 };
    let Some(module) = callbacks.module.filter(|_| callbacks.size >= size_of::<Callbacks>()) else { return 0 };
    let core: [(usize, *const c_void); 8] = [
        (4, start_ex as _),
        (5, start_a as _),
        (6, start_w as _),
        (7, end as _),
        (8, push_ex as _),
        (9, push_a as _),
        (10, push_w as _),
        (11, pop as _),
    ];
    let core2: [(usize, *const c_void); 8] = [
        (2, domain_start_ex as _),
        (3, domain_end as _),
        (4, domain_push_ex as _),
        (5, domain_pop as _),
        (10, register_a as _),
        (11, register_w as _),
        (12, create_domain as _),
        (13, create_domain as _),
    ];
    for (number, functions) in [(CORE, core), (CORE2, core2)] {
        let (mut table, mut size): (FunctionTable, c_uint) = (std::ptr::null(), 0);
        // SAFETY: as above; it writes the table's address and its number of entries.
        if unsafe { module(number, &mut table, &mut size) } == 0 || table.is_null() {
            return 0;
        }
        for (at, function) in functions.into_iter().filter(|(at, _)| *at < size as usize) {
            // SAFETY: the table has that entry, which is null or points to a place for a function.
            if let Some(place) = unsafe { (*table.add(at)).as_mut() } {
                *place = function;
            }
        }
    }
    1
}

/// Enters a range that this thread will pop from the same domain. Returns its depth in the domain.
fn push(domain: usize, name: Option<&RegionName>) -> c_int {
    let depth = name.and_then(|name| recorded(|thread| thread.enter_region(domain, names::number_of(name))));
    depth.unwrap_or(NO_PUSH_POP_TRACKING)
}

/// Begins a range that any thread may end, by the number that this returns.
fn start(name: Option<&RegionName>) -> u64 {
    let Some(number) = name.map(names::number_of) else { return 0 };
    recorded(|thread| thread.mark_region(RecordKind::RegionBegin, number)).map_or(0, |()| number.into())
}

/// The default domain.
const DEFAULT: usize = 0;

unsafe extern "C-unwind" fn push_a(name: *const c_char) -> c_int {
    // SAFETY: what the program passes to nvtxRangePushA.
    push(DEFAULT, unsafe { narrow(name) })
}

unsafe extern "C-unwind" fn push_w(name: *const u32) -> c_int {
    // SAFETY: what the program passes to nvtxRangePushW.
    push(DEFAULT, unsafe { wide(name) })
}

unsafe extern "C-unwind" fn push_ex(attributes: *const Attributes) -> c_int {
    // SAFETY: what the program passes to nvtxRangePushEx.
    push(DEFAULT, unsafe { message(attributes) })
}

unsafe extern "C-unwind" fn domain_push_ex(domain: usize, attributes: *const Attributes) -> c_int {
    // SAFETY: what the program passes to nvtxDomainRangePushEx.
    push(domain, unsafe { message(attributes) })
}

extern "C-unwind" fn pop() -> c_int {
    domain_pop(DEFAULT)
}

extern "C-unwind" fn domain_pop(domain: usize) -> c_int {
    recorded(|thread| thread.leave_region(domain)).flatten().unwrap_or(NO_PUSH_POP_TRACKING)
}

unsafe extern "C-unwind" fn start_a(name: *const c_char) -> u64 {
    // SAFETY: what the program passes to nvtxRangeStartA.
    start(unsafe { narrow(name) })
}

unsafe extern "C-unwind" fn start_w(name: *const u32) -> u64 {
    // SAFETY: what the program passes to nvtxRangeStartW.
    start(unsafe { wide(name) })
}

unsafe extern "C-unwind" fn start_ex(attributes: *const Attributes) -> u64 {
    // SAFETY: what the program passes to nvtxRangeStartEx.
    start(unsafe { message(attributes) })
}

unsafe extern "C-unwind" fn domain_start_ex(_domain: usize, attributes: *const Attributes) -> u64 {
    // SAFETY: what the program passes to nvtxDomainRangeStartEx.
    start(unsafe { message(attributes) })
}

extern "C-unwind" fn end(range: u64) {
    if range != 0 {
        recorded(|thread| thread.mark_region(RecordKind::RegionEnd, range as u32));
    }
}

extern "C-unwind" fn domain_end(_domain: usize, range: u64) {
    end(range);
}

unsafe extern "C-unwind" fn register_a(_domain: usize, name: *const c_char) -> Option<&'static RegionName> {
    // SAFETY: what the program passes to nvtxDomainRegisterStringA.
    unsafe { narrow(name) }
}

unsafe extern "C-unwind" fn register_w(_domain: usize, name: *const u32) -> Option<&'static RegionName> {
    // SAFETY: what the program passes to nvtxDomainRegisterStringW.
    unsafe { wide(name) }
}

/// Returns a new handle, which is all that a domain is here.
extern "C-unwind" fn create_domain(_name: *const c_void) -> usize {
    static DOMAINS: AtomicUsize = AtomicUsize::new(DEFAULT);
    DOMAINS.fetch_add(1, Relaxed) + 1
}

/// The name of ranges without a message.
const UNNAMED: &[u8] = b"(unnamed)";

unsafe fn message(attributes: *const Attributes) -> Option<&'static RegionName> {
    const NARROW: i32 = 1;
    const WIDE: i32 = 2;
    const REGISTERED: i32 = 3;
    // SAFETY: the program passes null or attributes of at least this size, whose message is of the type that they name.
    unsafe {
        let attributes = attributes.as_ref()?;
        match attributes.message_type {
            NARROW => narrow(attributes.message.cast()),
            WIDE => wide(attributes.message.cast()),
            // A string that was registered before our functions were in the tables is null.
            REGISTERED => attributes.message.cast::<RegionName>().as_ref().or_else(|| names::find(UNNAMED)),
            _ => names::find(UNNAMED),
        }
    }
}

unsafe fn narrow(name: *const c_char) -> Option<&'static RegionName> {
    // SAFETY: the program passes null, or a name that ends with a zero.
    names::find(if name.is_null() { UNNAMED } else { unsafe { CStr::from_ptr(name) }.to_bytes() })
}

/// A name in wide characters, which have 32 bits on Linux.
unsafe fn wide(name: *const u32) -> Option<&'static RegionName> {
    let (mut bytes, mut used) = ([0; 256], 0);
    // SAFETY: the program passes null, or a name that ends with a zero.
    let characters = (0..).map(|at| unsafe { *name.add(at) }).take_while(|character| *character != 0);
    for character in characters.take(if name.is_null() { 0 } else { bytes.len() }) {
        let character = char::from_u32(character).unwrap_or(char::REPLACEMENT_CHARACTER);
        let Some(room) = bytes.get_mut(used..used + character.len_utf8()) else { break };
        used += character.encode_utf8(room).len();
    }
    names::find(bytes.get(..used).filter(|_| !name.is_null()).unwrap_or(UNNAMED))
}
