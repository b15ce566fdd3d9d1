//! The real MPI functions: looked up once, and the only way to call MPI.
//!
//! In: the libraries loaded into the process. Out: pointers for every row of the table of calls, by PMPI_ name if the
//! library has it. A function that the library lacks returns an error instead of crashing.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use traces::calls::Call;

use crate::call_site::{CallSite, CalledBy};
use crate::linked;
use crate::loaded;
use crate::notes;
use crate::symbol;
use recorder_core::each_call::EachCall;

/// The library that defines PMPI_*.
pub struct MpiLibrary {
    pub path: PathBuf,
    pub base: usize,
    handle: usize,
}

static LIBRARY: OnceLock<MpiLibrary> = OnceLock::new();

/// Two pointers for each call: the next `MPI_X` after our wrapper in the order of linking, and the MPI library's own
/// function. If the process has no MPI library, both are the former.
pub static POINTERS: EachCall<[AtomicUsize; 2]> =
    EachCall::new([const { [const { AtomicUsize::new(0) }; 2] }; Call::LIMIT]);
const BEHIND: usize = 0;
const OWN: usize = 1;

/// The MPI library; the first call that finds it also looks up its functions. `None` while the process has none. Python
/// loads its MPI late, so the next call searches again.
pub fn library() -> Option<&'static MpiLibrary> {
    if let Some(library) = LIBRARY.get() {
        return Some(library);
    }
    let library = linked_in().or_else(global).or_else(hidden)?;
    set_pointers(Some(&library));
    loaded::search_first(library.base);
    Some(LIBRARY.get_or_init(|| library))
}

/// True if [`library`] need not look for one.
pub fn is_found() -> bool {
    LIBRARY.get().is_some()
}

/// Makes sure that there are functions to call, even if the process has no MPI library.
pub fn resolve() {
    if library().is_none() {
        set_pointers(None);
    }
}

fn set_pointers(library: Option<&MpiLibrary>) {
    for call in Call::all() {
        let name = call.mpi_name();
        // MPICH's libmpi_abi.so has ten removed functions without a PMPI_ twin.
        let symbol = |library: &MpiLibrary| library.find(&format!("P{name}")).or_else(|| library.find(&name));
        let own = library.and_then(symbol);
        let behind = other(library, &name).or(own).unwrap_or_else(|| substitute(call));
        let pointers = POINTERS.of(call);
        pointers[OWN].store(own.unwrap_or(behind), Relaxed);
        pointers[BEHIND].store(behind, Relaxed);
    }
}

/// True if an MPI library is in the global scope, as in a program that is linked with one.
pub fn is_linked() -> bool {
    linked_in().or_else(global).is_some()
}

/// The MPI library's own function, or one that returns an error if the library has none. 0 before [`library`] has found
/// one.
fn address(call: Call) -> usize {
    POINTERS.of(call)[OWN].load(Relaxed)
}

/// The function that a wrapper must call for a call from `site`: the library's own if MPI was called by its profiling
/// name; otherwise the next `MPI_X` after ours, which may be another tool's.
#[inline(always)]
pub fn behind(call: Call, site: CallSite) -> usize {
    let which = site.is_by_profiling_name() as usize;
    POINTERS.of(call).get(which).map_or(0, |pointer| pointer.load(Relaxed))
}

/// The byte offset in [`POINTERS`] of the pointer that [`behind`] returns.
pub const fn offset(call: Call, by: CalledBy) -> usize {
    let which = if matches!(by, CalledBy::ProfilingName) { OWN } else { BEHIND };
    call.number() as usize * size_of::<[AtomicUsize; 2]>() + which * size_of::<AtomicUsize>()
}

/// The next `MPI_X` after ours if it is not the library's: another tool's, or that of a library of stubs. `None` if MPI
/// is linked together with us, since nothing is then in between.
fn other(library: Option<&MpiLibrary>, name: &str) -> Option<usize> {
    if linked::find("PMPI_Init").is_some() {
        return None;
    }
    let next = symbol::next(&CString::new(name).ok()?)?;
    let Some(library) = library else { return Some(next) };
    // Compare by name first: finding the object that holds an address takes a thousand times longer.
    if library.find(name) == Some(next) {
        return None;
    }
    symbol::definer(next).is_some_and(|(_, base)| base != library.base).then_some(next)
}

pub fn exists(call: Call) -> bool {
    ![0, substitute(call)].contains(&address(call))
}

/// Calls an MPI function on the recorder's behalf, with up to ten arguments of register width. Returns its error
/// code.
///
/// # Safety
/// The arguments must be what the function takes, and [`library`] must have been found.
pub unsafe fn invoke<const N: usize>(call: Call, arguments: [usize; N]) -> c_int {
    const { assert!(N <= 10) }
    let a: [usize; 10] = std::array::from_fn(|at| arguments.get(at).copied().unwrap_or(0));
    type Function = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize, usize, usize) -> c_int;
    // SAFETY: every row takes integers and pointers only; surplus arguments are ignored by the calling conventions
    // of x86-64 and arm64.
    unsafe {
        let function: Function = std::mem::transmute::<usize, Function>(address(call));
        function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9])
    }
}

/// Asks MPICH's `MPIX_Request_is_complete`, at the address `function`, whether a request is complete.
///
/// # Safety
/// `function` must be that function's address, and the request one that MPI has not freed.
pub unsafe fn is_complete(function: usize, request: u64) -> bool {
    type Function = unsafe extern "C" fn(usize) -> c_int;
    // SAFETY: by the contract. A handle is as wide as a register or less.
    unsafe { std::mem::transmute::<usize, Function>(function)(request as usize) != 0 }
}

impl MpiLibrary {
    /// The address of a symbol of this library or of its dependencies.
    pub fn find(&self, symbol: &str) -> Option<usize> {
        linked::find(symbol).or_else(|| symbol::lookup(self.handle as *mut c_void, &CString::new(symbol).ok()?))
    }

    fn open(path: &CStr) -> Option<MpiLibrary> {
        // SAFETY: with RTLD_NOLOAD nothing is loaded, and no constructor runs.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if handle.is_null() {
            return None;
        }
        let mut library = MpiLibrary { path: PathBuf::new(), base: 0, handle: handle as usize };
        let (path, base) = symbol::definer(library.find("PMPI_Init")?)?;
        (library.path, library.base) = (PathBuf::from(path.to_string_lossy().as_ref()), base);
        Some(library)
    }
}

/// The library that we were linked together with. It has no handle, so other symbols are looked up in the whole
/// process.
fn linked_in() -> Option<MpiLibrary> {
    // In a fully static program the loader knows no objects.
    let (path, base) = symbol::definer(linked::find("PMPI_Init")?).unwrap_or((c"", 0));
    Some(MpiLibrary { path: PathBuf::from(path.to_string_lossy().as_ref()), base, handle: libc::RTLD_DEFAULT as usize })
}

/// The MPI library in the global scope.
fn global() -> Option<MpiLibrary> {
    MpiLibrary::open(symbol::definer(symbol::first(c"PMPI_Init")?)?.0)
}

/// An MPI library that was loaded with RTLD_LOCAL, as by Python, and so is in no scope that dlsym searches.
fn hidden() -> Option<MpiLibrary> {
    MpiLibrary::open(&CString::new(loaded::path_of_definer(c"PMPI_Init")?).ok()?)
}

/// Stands in for a function that the MPI library lacks, or for any function if there is no library: MPI_Initialized and
/// MPI_Finalized answer no, all others return an error.
fn substitute(call: Call) -> usize {
    match call {
        Call::Initialized | Call::Finalized => no as unsafe extern "C" fn(*mut c_int) -> c_int as usize,
        _ => missing as unsafe extern "C" fn() -> c_int as usize,
    }
}

unsafe extern "C" fn no(flag: *mut c_int) -> c_int {
    // SAFETY: the program passes the address of an int.
    unsafe { *flag = 0 };
    0
}

unsafe extern "C" fn missing() -> c_int {
    notes::add("the program called an MPI function that its MPI library lacks; it got an error back");
    // MPI_ERR_OTHER is 15 or 16 in all MPIs; any value other than success would do.
    16
}

/// The text that an MPI function with the parameters `(..., char *text, int *length)` returns; `leading` are the
/// arguments before these, at most one.
pub fn text(call: Call, leading: &[usize]) -> Option<String> {
    // MPI_MAX_LIBRARY_VERSION_STRING is at most 8192; all other limits are lower.
    let mut buffer: Vec<u8> = Vec::with_capacity(8192 + 1);
    buffer.push(0);
    let mut length: c_int = 0;
    let (text, size) = (buffer.as_mut_ptr() as usize, &raw mut length as usize);
    // SAFETY: the buffer is as large as any MPI library's longest string.
    let code = unsafe {
        match leading {
            [] => invoke(call, [text, size]),
            [first] => invoke(call, [*first, text, size]),
            _ => return None,
        }
    };
    if code != 0 {
        return None;
    }
    // SAFETY: MPI terminates the string; if it wrote none, the buffer begins with a zero.
    let text = unsafe { CStr::from_ptr(buffer.as_ptr().cast::<c_char>()) };
    Some(text.to_string_lossy().trim_end().to_string())
}
