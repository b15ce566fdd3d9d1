//! Loads OTF2's own library when a run is exported, so that overhear builds and starts without it.
//!
//! Types are those of `otf2/*.h` of version 3.0: references are integers, enumerations are bytes, times are ticks of the clock
//! that the definitions state.
//!
//! The callbacks that OTF2's library requires of writers: memory, whether to flush, and locks.
//!
//! Threads write different ranks, and the library locks what these share.
//!
//! Each writer gets one chunk at a time. By default the library takes 128 MiB first, and reports a full disk only at the end.

use std::ffi::{CStr, OsString, c_char, c_int, c_void};
use std::path::Path;
use std::{env, ptr};

use libloading::Library;

use model::error::Error;

/// Environment variable with the library's path, if the system does not find it.
pub const VARIABLE: &str = "OVERHEAR_OTF2";
/// File names of Debian and Score-P. The number changed with the arguments of functions in version 3.0.
const NAMES: [&str; 2] = ["libotf2.so.10", "libopen-trace-format2.so.10"];

/// Return code of the library; 0 is success.
pub type Code = c_int;

/// Opaque pointer to an archive, writer or list of the library.
pub type Handle = *mut c_void;

/// Swallows error messages, which the library would print to stderr: the return codes are reported instead.
extern "C" fn take(
    _: *mut c_void,
    _: *const c_char,
    _: u64,
    _: *const c_char,
    code: Code,
    _: *const c_char,
    _: *mut c_void,
) -> Code {
    code
}

type TakeError = extern "C" fn(
    *mut c_void,
    *const c_char,
    u64,
    *const c_char,
    Code,
    *const c_char,
    // A `va_list`, passed by address on all supported machines.
    *mut c_void,
) -> Code;

/// Declares the library's functions with their symbols.
macro_rules! functions {
    ($($name:ident = $symbol:literal($($argument:ty),*) -> $result:ty;)*) => {
        pub struct Functions {
            $(#[doc = "See its symbol."] pub $name: unsafe extern "C" fn($($argument),*) -> $result,)*
            /// Keeps the functions mapped.
            _library: Library,
        }

        impl Functions {
            fn of(library: Library) -> Result<Functions, libloading::Error> {
                // SAFETY: each type is taken from the headers of version 3.0.
                unsafe { Ok(Functions { $($name: *library.get($symbol)?,)* _library: library }) }
            }
        }
    };
}

functions! {
    describe = b"OTF2_Error_GetDescription\0"(Code) -> *const c_char;
    take_errors = b"OTF2_Error_RegisterCallback\0"(TakeError, *mut c_void) -> *mut c_void;

    open = b"OTF2_Archive_Open\0"(*const c_char, *const c_char, u8, u64, u64, u8, u8) -> Handle;
    close = b"OTF2_Archive_Close\0"(Handle) -> Code;
    set_creator = b"OTF2_Archive_SetCreator\0"(Handle, *const c_char) -> Code;
    set_flush_callbacks = b"OTF2_Archive_SetFlushCallbacks\0"(Handle, *const FlushCallbacks, *mut c_void) -> Code;
    set_memory_callbacks = b"OTF2_Archive_SetMemoryCallbacks\0"(Handle, *const MemoryCallbacks, *mut c_void) -> Code;
    set_locks = b"OTF2_Archive_SetLockingCallbacks\0"(Handle, *const LockCallbacks, *mut c_void) -> Code;
    set_serial = b"OTF2_Archive_SetSerialCollectiveCallbacks\0"(Handle) -> Code;
    open_event_files = b"OTF2_Archive_OpenEvtFiles\0"(Handle) -> Code;
    close_event_files = b"OTF2_Archive_CloseEvtFiles\0"(Handle) -> Code;
    event_writer = b"OTF2_Archive_GetEvtWriter\0"(Handle, u64) -> Handle;
    close_event_writer = b"OTF2_Archive_CloseEvtWriter\0"(Handle, Handle) -> Code;
    count_events = b"OTF2_EvtWriter_GetNumberOfEvents\0"(Handle, *mut u64) -> Code;
    open_definition_files = b"OTF2_Archive_OpenDefFiles\0"(Handle) -> Code;
    close_definition_files = b"OTF2_Archive_CloseDefFiles\0"(Handle) -> Code;
    definition_writer = b"OTF2_Archive_GetDefWriter\0"(Handle, u64) -> Handle;
    close_definition_writer = b"OTF2_Archive_CloseDefWriter\0"(Handle, Handle) -> Code;
    global_writer = b"OTF2_Archive_GetGlobalDefWriter\0"(Handle) -> Handle;
    close_global_writer = b"OTF2_Archive_CloseGlobalDefWriter\0"(Handle, Handle) -> Code;

    new_attributes = b"OTF2_AttributeList_New\0"() -> Handle;
    delete_attributes = b"OTF2_AttributeList_Delete\0"(Handle) -> Code;
    add_whole = b"OTF2_AttributeList_AddUint64\0"(Handle, u32, u64) -> Code;
    add_context = b"OTF2_AttributeList_AddCallingContextRef\0"(Handle, u32, u32) -> Code;
    add_source_location = b"OTF2_AttributeList_AddSourceCodeLocationRef\0"(Handle, u32, u32) -> Code;

    enter = b"OTF2_EvtWriter_Enter\0"(Handle, Handle, u64, u32) -> Code;
    leave = b"OTF2_EvtWriter_Leave\0"(Handle, Handle, u64, u32) -> Code;
    send = b"OTF2_EvtWriter_MpiSend\0"(Handle, Handle, u64, u32, u32, u32, u64) -> Code;
    isend = b"OTF2_EvtWriter_MpiIsend\0"(Handle, Handle, u64, u32, u32, u32, u64, u64) -> Code;
    isend_complete = b"OTF2_EvtWriter_MpiIsendComplete\0"(Handle, Handle, u64, u64) -> Code;
    irecv_request = b"OTF2_EvtWriter_MpiIrecvRequest\0"(Handle, Handle, u64, u64) -> Code;
    recv = b"OTF2_EvtWriter_MpiRecv\0"(Handle, Handle, u64, u32, u32, u32, u64) -> Code;
    irecv = b"OTF2_EvtWriter_MpiIrecv\0"(Handle, Handle, u64, u32, u32, u32, u64, u64) -> Code;
    request_cancelled = b"OTF2_EvtWriter_MpiRequestCancelled\0"(Handle, Handle, u64, u64) -> Code;
    collective_begin = b"OTF2_EvtWriter_MpiCollectiveBegin\0"(Handle, Handle, u64) -> Code;
    collective_end = b"OTF2_EvtWriter_MpiCollectiveEnd\0"(Handle, Handle, u64, u8, u32, u32, u64, u64) -> Code;
    // New in version 3.0.
    collective_request = b"OTF2_EvtWriter_NonBlockingCollectiveRequest\0"(Handle, Handle, u64, u64) -> Code;
    collective_complete =
        b"OTF2_EvtWriter_NonBlockingCollectiveComplete\0"(Handle, Handle, u64, u8, u32, u32, u64, u64, u64) -> Code;

    write_clock = b"OTF2_GlobalDefWriter_WriteClockProperties\0"(Handle, u64, u64, u64, u64) -> Code;
    write_string = b"OTF2_GlobalDefWriter_WriteString\0"(Handle, u32, *const c_char) -> Code;
    write_paradigm = b"OTF2_GlobalDefWriter_WriteParadigm\0"(Handle, u8, u32, u8) -> Code;
    write_attribute = b"OTF2_GlobalDefWriter_WriteAttribute\0"(Handle, u32, u32, u32, u8) -> Code;
    write_tree_node = b"OTF2_GlobalDefWriter_WriteSystemTreeNode\0"(Handle, u32, u32, u32, u32) -> Code;
    write_domain = b"OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain\0"(Handle, u32, u8) -> Code;
    write_location_group = b"OTF2_GlobalDefWriter_WriteLocationGroup\0"(Handle, u32, u32, u8, u32, u32) -> Code;
    write_location = b"OTF2_GlobalDefWriter_WriteLocation\0"(Handle, u64, u32, u8, u64, u32) -> Code;
    write_region = b"OTF2_GlobalDefWriter_WriteRegion\0"(Handle, u32, u32, u32, u32, u8, u8, u32, u32, u32, u32) -> Code;
    write_group = b"OTF2_GlobalDefWriter_WriteGroup\0"(Handle, u32, u32, u8, u8, u32, u32, *const u64) -> Code;
    write_communicator = b"OTF2_GlobalDefWriter_WriteComm\0"(Handle, u32, u32, u32, u32, u32) -> Code;
    sample = b"OTF2_EvtWriter_CallingContextSample\0"(Handle, Handle, u64, u32, u32, u32) -> Code;

    write_generator = b"OTF2_GlobalDefWriter_WriteInterruptGenerator\0"(Handle, u32, u32, u8, u8, i64, u64) -> Code;
    write_context = b"OTF2_GlobalDefWriter_WriteCallingContext\0"(Handle, u32, u32, u32, u32) -> Code;
    write_source_location = b"OTF2_GlobalDefWriter_WriteSourceCodeLocation\0"(Handle, u32, u32, u32) -> Code;
}

pub fn load() -> Result<Functions, Error> {
    let named = env::var_os(VARIABLE).filter(|name| !name.is_empty());
    let names: Vec<OsString> = named.clone().map_or_else(|| NAMES.map(OsString::from).into(), |name| vec![name]);
    let mut reason = None;
    for name in &names {
        // SAFETY: the library's initializers, if any, rely on nothing of ours.
        match unsafe { Library::new(name) } {
            Ok(library) => return use_it(library, name.as_ref()),
            Err(error) => _ = reason.get_or_insert(error),
        }
    }
    let how = "install it, as by apt install libopen-trace-format2-10, or name its file by";
    Err(Error::Other(match (named, reason) {
        (Some(name), Some(reason)) => {
            format!("{}: not OTF2's library, which {VARIABLE} is to name: {reason}", Path::new(&name).display())
        }
        _ => format!("OTF2's library, version 3.0 or later, is not here ({}): {how} {VARIABLE}", NAMES[0]),
    }))
}

fn use_it(library: Library, name: &Path) -> Result<Functions, Error> {
    let functions = Functions::of(library).map_err(|error| {
        Error::Other(format!("{}: not OTF2's library of version 3.0 or later: {error}", name.display()))
    })?;
    // SAFETY: the callback lives as long as the program, and reads nothing.
    unsafe { (functions.take_errors)(take, std::ptr::null_mut()) };
    Ok(functions)
}

impl Functions {
    pub fn meaning(&self, code: Code) -> String {
        // SAFETY: the function accepts any code, and returns null or a constant string.
        let text = unsafe { (self.describe)(code) };
        if text.is_null() {
            return format!("OTF2's error {code}");
        }
        // SAFETY: the string is constant and ends in zero.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

/// The library's flush callbacks, called when a writer has no free chunk.
#[repr(C)]
pub struct FlushCallbacks {
    before: extern "C" fn(*mut c_void, u8, u64, *mut c_void, bool) -> u8,
    after: Option<extern "C" fn(*mut c_void, u8, u64) -> u64>,
}

/// The library's callbacks for chunks of memory.
#[repr(C)]
pub struct MemoryCallbacks {
    allocate: unsafe extern "C" fn(*mut c_void, u8, u64, *mut *mut c_void, u64) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, u8, u64, *mut *mut c_void, bool),
}

/// Always writes a full chunk, without a flush event in the trace.
pub static FLUSH: FlushCallbacks = FlushCallbacks { before: flush, after: None };

/// Gives each writer a single chunk.
pub static MEMORY: MemoryCallbacks = MemoryCallbacks { allocate, free };

extern "C" fn flush(_: *mut c_void, _: u8, _: u64, _: *mut c_void, _: bool) -> u8 {
    1
}

/// Allocates a writer's chunk; null if the writer has it already.
unsafe extern "C" fn allocate(_: *mut c_void, _: u8, _: u64, chunk: *mut *mut c_void, bytes: u64) -> *mut c_void {
    // SAFETY: the library keeps a word for each writer, which is null at first.
    unsafe {
        if !(*chunk).is_null() {
            return ptr::null_mut();
        }
        *chunk = libc::malloc(bytes as usize);
        *chunk
    }
}

/// Frees a writer's chunk.
unsafe extern "C" fn free(_: *mut c_void, _: u8, _: u64, chunk: *mut *mut c_void, _: bool) {
    // SAFETY: the word holds a pointer from `allocate`, or null.
    unsafe {
        libc::free(*chunk);
        *chunk = ptr::null_mut();
    }
}

/// The library's callbacks for locks.
#[repr(C)]
pub struct LockCallbacks {
    release: Option<extern "C" fn(*mut c_void)>,
    create: unsafe extern "C" fn(*mut c_void, *mut Handle) -> Code,
    destroy: unsafe extern "C" fn(*mut c_void, Handle) -> Code,
    lock: unsafe extern "C" fn(*mut c_void, Handle) -> Code,
    unlock: unsafe extern "C" fn(*mut c_void, Handle) -> Code,
}

pub static LOCKS: LockCallbacks =
    LockCallbacks { release: None, create: create_lock, destroy: destroy_lock, lock, unlock };

unsafe extern "C" fn create_lock(_: *mut c_void, made: *mut Handle) -> Code {
    let lock = Box::new(libc::PTHREAD_MUTEX_INITIALIZER);
    // SAFETY: the library passes a place for the lock.
    unsafe { *made = Box::into_raw(lock).cast() };
    0
}

unsafe extern "C" fn destroy_lock(_: *mut c_void, lock: Handle) -> Code {
    // SAFETY: the lock is one of `create_lock`, and the library destroys each once, unlocked.
    drop(unsafe { Box::from_raw(lock.cast::<libc::pthread_mutex_t>()) });
    0
}

unsafe extern "C" fn lock(_: *mut c_void, lock: Handle) -> Code {
    // SAFETY: the lock is one of `create_lock`.
    unsafe { libc::pthread_mutex_lock(lock.cast()) }
}

unsafe extern "C" fn unlock(_: *mut c_void, lock: Handle) -> Code {
    // SAFETY: the lock is one of `create_lock`, and the calling thread's.
    unsafe { libc::pthread_mutex_unlock(lock.cast()) }
}
