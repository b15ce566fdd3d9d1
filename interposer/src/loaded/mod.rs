//! The objects loaded into the process: what they define, and the slots through which they call what others define.

mod exports;

use std::ffi::{CStr, c_void};
use std::ops::Range;
use std::sync::OnceLock;

use crate::program_headers::{self, ProgramHeaders};
use crate::symbol;
pub use exports::{Exports, SymbolName};

/// Numbers of objects that the loader has added and removed so far. Cheap.
pub fn changes() -> (u64, u64) {
    program_headers::find(|first| Some(first.changes())).unwrap_or_default()
}

/// All loaded objects but this library, in the loader's search order.
pub fn objects() -> Vec<LoadedObject> {
    let (own, mut objects) = (own_base(), Vec::new());
    program_headers::find(|headers| {
        objects.extend(LoadedObject::from_headers(headers).filter(|object| object.range.start != own));
        None::<()>
    });
    objects
}

/// The MPI library's handle: [`find_anywhere`] searches its scope first.
static MPI: OnceLock<usize> = OnceLock::new();

/// Makes [`find_anywhere`] search the scope of the MPI library's handle first.
pub fn search_first(handle: usize) {
    let _ = MPI.set(handle);
}

/// Finds a function that is in no scope that dlsym searches by itself: in the MPI library and its dependencies, or else
/// in any loaded object.
pub fn find_anywhere(name: &CStr) -> Option<usize> {
    let of_mpi = MPI.get().and_then(|handle| symbol::lookup(*handle as *mut c_void, name));
    // SAFETY: objects that are loaded now stay so while the program uses them.
    of_mpi.or_else(|| objects().iter().find_map(|object| unsafe { object.defines(name) }))
}

pub struct LoadedObject {
    /// The object's path; empty for the program itself.
    pub name: String,
    /// The object's memory.
    pub range: Range<usize>,
    /// The load address, which the object's own addresses are relative to.
    base: usize,
    dynamic: usize,
    /// The pages that the loader made read-only after relocation.
    relro: Range<usize>,
}

fn page_of(address: usize) -> usize {
    // SAFETY: reads a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    address & !(page - 1)
}

/// The load address of this library.
pub fn own_base() -> usize {
    symbol::definer(own_base as fn() -> usize as usize).map_or(0, |(_, base)| base)
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
const DT_GNU_HASH: i64 = 0x6fff_fef5;
const DT_RELACOUNT: i64 = 0x6fff_fff9;
/// Relocation types of slots that hold a function's address: JUMP_SLOT, GLOB_DAT and an absolute address.
#[cfg(target_arch = "x86_64")]
const SLOTS: [u32; 3] = [7, 6, 1];
#[cfg(target_arch = "aarch64")]
const SLOTS: [u32; 3] = [1026, 1025, 257];

impl LoadedObject {
    /// `None` for objects with nothing to patch: the kernel's vDSO, and objects that are not dynamically linked.
    fn from_headers(headers: &ProgramHeaders) -> Option<LoadedObject> {
        let name = headers.name();
        let dynamic = headers.parts(libc::PT_DYNAMIC).next().filter(|_| !name.starts_with("linux-vdso"))?.start;
        // The last page stays writable if RELRO covers it only in part.
        let relro = headers.parts(libc::PT_GNU_RELRO).next().map(|part| page_of(part.start)..page_of(part.end));
        let relro = relro.unwrap_or_default();
        Some(LoadedObject { name, range: headers.memory(), base: headers.base(), dynamic, relro })
    }

    pub fn is_program(&self) -> bool {
        self.name.is_empty()
    }

    /// The file's name without its folder.
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// The symbols that the object itself defines; `None` if it has no GNU hash table.
    ///
    /// # Safety
    /// The object must still be loaded.
    pub unsafe fn exports(&self) -> Option<Exports> {
        // SAFETY: the object is loaded, by the caller's promise, and these are its tables.
        unsafe { Exports::from_tables(self.address(DT_GNU_HASH), self.base, self.symbols(), self.address(DT_STRTAB)) }
    }

    /// The address of a symbol that the object itself defines.
    ///
    /// # Safety
    /// The object must still be loaded.
    pub unsafe fn defines(&self, name: &CStr) -> Option<usize> {
        // SAFETY: the caller's promise.
        unsafe { self.exports()?.find(&SymbolName::new(name)) }
    }

    /// For every slot of a function whose name begins with one of `begins`: writes the address that `other` returns for
    /// the name, if any.
    ///
    /// # Safety
    /// The object must still be loaded, and stay so while the program runs code in it.
    pub unsafe fn patch(&self, begins: &[&[u8]], other: &mut dyn FnMut(&CStr) -> Option<usize>) {
        // SAFETY: the caller's promise; only slots of this object are visited.
        unsafe {
            self.slots(begins, &mut |name, slot| {
                if let Some(function) = other(name) {
                    self.write(slot, function);
                }
            });
        }
    }

    /// Visits every slot that holds the address of a function whose name begins with one of `begins`.
    ///
    /// # Safety
    /// The object must still be loaded.
    pub unsafe fn slots(&self, begins: &[&[u8]], visit: &mut dyn FnMut(&CStr, *mut usize)) {
        // SAFETY: the tables of a loaded object are mapped.
        unsafe {
            let (strings, symbols) = (self.address(DT_STRTAB), self.symbols());
            if strings == 0 || symbols.is_null() {
                return;
            }
            let firsts =
                begins.iter().filter_map(|begin| begin.first()).fold(0u128, |set, first| set | 1 << (first & 127));
            // Relocations that have no symbol come first.
            let nameless = self.entry(DT_RELACOUNT);
            for (table, size, from) in [(DT_JMPREL, DT_PLTRELSZ, 0), (DT_RELA, DT_RELASZ, nameless)] {
                let (table, size) = (self.address(table) as *const Relocation, self.entry(size));
                let count = if table.is_null() { 0 } else { size / size_of::<Relocation>() };
                for at in from..count {
                    let relocation = *table.add(at);
                    let symbol = (relocation.info >> 32) as usize;
                    if symbol == 0 || !SLOTS.contains(&(relocation.info as u32)) {
                        continue;
                    }
                    let name = (strings + (*symbols.add(symbol)).st_name as usize) as *const u8;
                    // A quick test: there are tens of thousands of slots, and few are wanted.
                    if (firsts >> (*name & 127)) & 1 == 0 {
                        continue;
                    }
                    // A name that is shorter than `begin` ends with a zero, where the comparison stops.
                    let is_wanted = |begin: &&[u8]| begin.iter().zip(0..).all(|(byte, at)| *byte == *name.add(at));
                    if begins.iter().any(is_wanted) {
                        visit(CStr::from_ptr(name.cast()), (self.base + relocation.offset as usize) as *mut usize);
                    }
                }
            }
        }
    }

    unsafe fn symbols(&self) -> *const libc::Elf64_Sym {
        // SAFETY: the object is loaded.
        unsafe { self.address(DT_SYMTAB) as *const libc::Elf64_Sym }
    }

    /// The value of a tag in the dynamic section, 0 if it is missing.
    unsafe fn entry(&self, tag: i64) -> usize {
        let mut at = self.dynamic as *const Dynamic;
        // SAFETY: a loaded object's dynamic section ends with a zero tag.
        unsafe {
            while (*at).tag != 0 {
                if (*at).tag == tag {
                    return (*at).value as usize;
                }
                at = at.add(1);
            }
        }
        0
    }

    /// The value of a tag that is an address. glibc has already added the load address, other loaders have not.
    unsafe fn address(&self, tag: i64) -> usize {
        // SAFETY: the object is loaded.
        match unsafe { self.entry(tag) } {
            0 => 0,
            value if value < self.base => self.base + value,
            value => value,
        }
    }

    unsafe fn write(&self, slot: *mut usize, function: usize) {
        // A weak reference that found nothing stays null.
        // SAFETY: the slot is mapped, and holds a function's address.
        unsafe {
            if *slot == function || *slot == 0 {
                return;
            }
            let read_only = self.relro.contains(&(slot as usize));
            let page = page_of(slot as usize) as *mut c_void;
            let writable = libc::PROT_READ | libc::PROT_WRITE;
            if read_only && libc::mprotect(page, size_of::<usize>(), writable) != 0 {
                return;
            }
            slot.write(function);
            if read_only {
                libc::mprotect(page, size_of::<usize>(), libc::PROT_READ);
            }
        }
    }
}
