//! Functions that must not be exported are reached by the slots through which objects call them.
//!
//! Those that some MPI library lacks: a program that tests for them would believe in them. In: the tables of every
//! loaded object. Out: slots that name a `late` function of the table, which the MPI library has, point to our wrapper.
//! Our own slots and the library's stay as they are.
//!
//! And those of the C library, which are listened to in other libraries only.

use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_void};
use std::sync::{Mutex, OnceLock};

use traces::calls::Call;

use crate::real;
use crate::symbol;
use crate::wrappers;

/// How often the loader had added objects when they were last patched.
static ADDED: Mutex<u64> = Mutex::new(0);

/// Patches all objects, unless none was loaded since the last time. Returns whether there were.
pub fn patch() -> bool {
    let Some(library) = real::library() else { return false };
    let mut added = ADDED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let scan = Scan::of_objects(*added);
    *added = scan.added;
    for object in scan.objects.iter().filter(|object| object.begin != library.base) {
        // SAFETY: the object is loaded, and stays so while the program runs code in it.
        unsafe { object.patch(&late_wrapper) };
    }
    !scan.objects.is_empty()
}

/// Puts our functions into the slots of these names in all libraries, and not in the program.
pub fn patch_libraries(functions: &[(&str, unsafe extern "C-unwind" fn())]) {
    let functions: HashMap<&[u8], usize> =
        functions.iter().map(|(name, function)| (name.as_bytes(), *function as usize)).collect();
    let ours = |name: &CStr| functions.get(name.to_bytes()).copied();
    for object in Scan::of_objects(NONE).objects.iter().filter(|object| !object.is_program && !object.is_system) {
        // SAFETY: as above.
        unsafe { object.patch(&ours) };
    }
}

/// Whether an address is in this library.
pub fn is_own(address: usize) -> bool {
    symbol::describe(address).is_some_and(|(_, base, _)| base == own_base())
}

/// No number of objects.
const NONE: u64 = u64::MAX;

struct Scan {
    own: usize,
    known: u64,
    added: u64,
    objects: Vec<Object>,
}

impl Scan {
    /// All loaded objects but this one; none, if their number is that `known`.
    fn of_objects(known: u64) -> Scan {
        let mut scan = Scan { own: own_base(), known, added: known, objects: Vec::new() };
        // SAFETY: `visit` matches the callback's type, and `scan` outlives the call.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut scan).cast()) };
        scan
    }
}

/// What of a loaded object is needed to patch it.
struct Object {
    base: usize,
    begin: usize,
    is_program: bool,
    /// The C library and its loader, which call their own functions.
    is_system: bool,
    dynamic: usize,
    /// What the loader made read-only after relocation.
    relro: (usize, usize),
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, scan: *mut c_void) -> c_int {
    // SAFETY: the loader passes a valid record, and `scan` is the one above.
    let (info, scan) = unsafe { (&*info, &mut *scan.cast::<Scan>()) };
    scan.added = info.dlpi_adds;
    if info.dlpi_adds == scan.known {
        return 1;
    }
    let base = info.dlpi_addr as usize;
    // SAFETY: the loader says how many there are.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize) };
    let find = |kind| headers.iter().find(|header| header.p_type == kind);
    let first = headers.iter().filter(|header| header.p_type == libc::PT_LOAD).map(|h| h.p_vaddr as usize).min();
    let begin = base + first.unwrap_or(0);
    // SAFETY: the loader's names are terminated.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
    let is_kernel = name.starts_with(b"linux-vdso");
    let file = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
    let is_system = ["libc.so", "ld-linux", "libpthread"].iter().any(|system| file.starts_with(system.as_bytes()));
    if let (Some(dynamic), false) = (find(libc::PT_DYNAMIC), begin == scan.own || is_kernel) {
        let relro = find(libc::PT_GNU_RELRO).map_or((0, 0), |header| {
            let start = base + header.p_vaddr as usize;
            // A page it covers in part stays writable.
            (page_of(start), page_of(start + header.p_memsz as usize))
        });
        let dynamic = base + dynamic.p_vaddr as usize;
        scan.objects.push(Object { base, begin, is_program: name.is_empty(), is_system, dynamic, relro });
    }
    0
}

fn page_of(address: usize) -> usize {
    // SAFETY: reads a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    address & !(page - 1)
}

fn own_base() -> usize {
    // SAFETY: dladdr only writes to `info`.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(own_base as fn() -> usize as *const c_void, &mut info);
        info.dli_fbase as usize
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Dynamic {
    tag: i64,
    value: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

// From elf.h, which the libc crate does not have.
const DT_PLTRELSZ: i64 = 2;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_JMPREL: i64 = 23;
/// Relocation types of slots that hold a function's address: through the PLT, a pointer, an absolute address.
#[cfg(target_arch = "x86_64")]
const SLOTS: [u32; 3] = [7, 6, 1];
#[cfg(target_arch = "aarch64")]
const SLOTS: [u32; 3] = [1026, 1025, 257];

impl Object {
    unsafe fn patch(&self, wrapper_of: &dyn Fn(&CStr) -> Option<usize>) {
        // SAFETY: a loaded object's dynamic section ends with a zero tag, and what it points to is mapped. glibc has
        // added the load address to the pointers in it, other loaders have not.
        unsafe {
            let entry = |tag| {
                let mut at = self.dynamic as *const Dynamic;
                while (*at).tag != 0 {
                    if (*at).tag == tag {
                        return (*at).value as usize;
                    }
                    at = at.add(1);
                }
                0
            };
            let address = |tag| match entry(tag) {
                0 => 0,
                value if value < self.base => self.base + value,
                value => value,
            };
            let (strings, symbols) = (address(DT_STRTAB), address(DT_SYMTAB) as *const libc::Elf64_Sym);
            if strings == 0 || symbols.is_null() {
                return;
            }
            for (table, size) in [(DT_JMPREL, DT_PLTRELSZ), (DT_RELA, DT_RELASZ)] {
                let (table, size) = (address(table) as *const Relocation, entry(size));
                let count = if table.is_null() { 0 } else { size / size_of::<Relocation>() };
                for at in 0..count {
                    let relocation = *table.add(at);
                    let symbol = (relocation.info >> 32) as usize;
                    if symbol == 0 || !SLOTS.contains(&(relocation.info as u32)) {
                        continue;
                    }
                    let name = CStr::from_ptr((strings + (*symbols.add(symbol)).st_name as usize) as *const _);
                    if let Some(wrapper) = wrapper_of(name) {
                        self.write((self.base + relocation.offset as usize) as *mut usize, wrapper);
                    }
                }
            }
        }
    }

    unsafe fn write(&self, slot: *mut usize, wrapper: usize) {
        // SAFETY: the slot is mapped, and holds a function's address. A weak reference that found nothing stays
        // nothing.
        unsafe {
            if *slot == wrapper || *slot == 0 {
                return;
            }
            let read_only = (self.relro.0..self.relro.1).contains(&(slot as usize));
            let page = page_of(slot as usize) as *mut c_void;
            let writable = libc::PROT_READ | libc::PROT_WRITE;
            if read_only && libc::mprotect(page, size_of::<usize>(), writable) != 0 {
                return;
            }
            slot.write(wrapper);
            if read_only {
                libc::mprotect(page, size_of::<usize>(), libc::PROT_READ);
            }
        }
    }
}

/// Our wrappers of functions that are reached by slots, by C symbol.
fn late_wrappers() -> &'static HashMap<String, (Call, usize)> {
    static LATE: OnceLock<HashMap<String, (Call, usize)>> = OnceLock::new();
    LATE.get_or_init(|| wrappers::late().into_iter().map(|late| (late.0.mpi_name(), late)).collect())
}

/// Our wrapper for a symbol, if it is reached by slots and the MPI library has the function.
fn late_wrapper(symbol: &CStr) -> Option<usize> {
    let symbol = symbol.to_str().ok().filter(|symbol| symbol.starts_with("MPI_"))?;
    let (call, wrapper) = late_wrappers().get(symbol)?;
    real::exists(*call).then_some(*wrapper)
}
