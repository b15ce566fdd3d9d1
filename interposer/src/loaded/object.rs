//! A loaded object: what it defines, what it needs, and the slots through which it calls what others define.

use std::ffi::{CStr, c_char, c_void};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::exports::{Exports, SymbolName};
use crate::program_headers::ProgramHeaders;

pub struct LoadedObject {
    /// The object's path; empty for the program itself.
    pub name: String,
    /// The object's memory.
    pub range: Range<usize>,
    /// Its number in the list; 0 if it has none.
    pub number: u64,
    /// True once it was taken as relocated with all that it needs.
    pub(super) is_settled: bool,
    /// The load address, which the object's own addresses are relative to.
    pub base: usize,
    dynamic: usize,
    /// The pages that the loader made read-only after relocation.
    relro: Range<usize>,
}

fn page_of(address: usize) -> usize {
    // SAFETY: reads a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    address & !(page - 1)
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
const DT_NEEDED: i64 = 1;
const DT_PLTRELSZ: i64 = 2;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_SONAME: i64 = 14;
const DT_JMPREL: i64 = 23;
const DT_GNU_HASH: i64 = 0x6fff_fef5;
const DT_RELACOUNT: i64 = 0x6fff_fff9;
const DT_VERSYM: i64 = 0x6fff_fff0;
/// Relocation types of slots that hold a function's address: JUMP_SLOT, GLOB_DAT and an absolute address.
#[cfg(target_arch = "x86_64")]
const SLOTS: [u32; 3] = [7, 6, 1];
#[cfg(target_arch = "aarch64")]
const SLOTS: [u32; 3] = [1026, 1025, 257];

impl LoadedObject {
    /// `None` for objects with nothing to patch: the kernel's vDSO, and objects that are not dynamically linked.
    pub(super) fn from_headers(headers: &ProgramHeaders) -> Option<LoadedObject> {
        let name = headers.name();
        let dynamic = headers.parts(libc::PT_DYNAMIC).next().filter(|_| !name.starts_with("linux-vdso"))?.start;
        // The last page stays writable if RELRO covers it only in part.
        let relro = headers.parts(libc::PT_GNU_RELRO).next().map(|part| page_of(part.start)..page_of(part.end));
        let relro = relro.unwrap_or_default();
        Some(LoadedObject {
            name,
            range: headers.memory(),
            number: 0,
            is_settled: false,
            base: headers.base(),
            dynamic,
            relro,
        })
    }

    /// True for the object that holds the recorder.
    pub fn is_own(&self) -> bool {
        self.range.contains(&(page_of as *const () as usize))
    }

    pub(super) fn is_at_place_of(&self, other: &LoadedObject) -> bool {
        (self.base, self.dynamic) == (other.base, other.dynamic)
    }

    /// True for the C library and the loader.
    pub fn is_of_the_c_library(&self) -> bool {
        ["libc.so", "ld-linux", "libpthread"].iter().any(|name| self.file_name().starts_with(name))
    }

    /// The names of the objects that this one needs. The loader must be held.
    pub(super) fn needed(&self) -> impl Iterator<Item = &CStr> {
        // SAFETY: no object is unmapped meanwhile, and its dynamic section and strings are complete.
        let (strings, entries) = unsafe { (self.address(DT_STRTAB), self.entries()) };
        let needed = entries.filter(move |entry| entry.tag == DT_NEEDED && strings != 0);
        // SAFETY: as above.
        needed.map(move |entry| unsafe { CStr::from_ptr((strings + entry.value as usize) as *const c_char) })
    }

    /// True if the loader takes the object where another needs this name. The loader must be held.
    pub(super) fn is_named(&self, name: &CStr) -> bool {
        // SAFETY: as above.
        let (strings, own) = unsafe { (self.address(DT_STRTAB), self.entry(DT_SONAME)) };
        if strings == 0 || own == 0 {
            let of_file = if name.to_bytes().contains(&b'/') { self.name.as_str() } else { self.file_name() };
            return of_file.as_bytes() == name.to_bytes();
        }
        // SAFETY: as above.
        name == unsafe { CStr::from_ptr((strings + own) as *const c_char) }
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
        unsafe {
            let (table, versions) = (self.address(DT_GNU_HASH), self.address(DT_VERSYM));
            Exports::from_tables(table, self.base, self.symbols(), self.address(DT_STRTAB), versions)
        }
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
    /// The loader must have relocated the object, and must be held.
    pub unsafe fn patch(&self, begins: &[&[u8]], other: &mut dyn FnMut(&CStr) -> Option<usize>) {
        // SAFETY: the caller's promise.
        unsafe { self.patch_some(begins, &mut |name, _| other(name)) };
    }

    /// Like [`patch`](Self::patch), where `other` also gets the address that the slot holds. A slot that is bound late holds
    /// one in the object itself.
    ///
    /// # Safety
    /// As for `patch`.
    pub unsafe fn patch_some(&self, begins: &[&[u8]], other: &mut dyn FnMut(&CStr, usize) -> Option<usize>) {
        // SAFETY: the caller's promise; only slots of this object are visited.
        unsafe {
            self.slots(begins, &mut |name, slot| {
                if let Some(function) = other(name, *slot) {
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

    /// The entries of the dynamic section.
    unsafe fn entries(&self) -> impl Iterator<Item = Dynamic> {
        let dynamic = self.dynamic as *const Dynamic;
        // SAFETY: the object is loaded, and its dynamic section ends with a zero tag.
        (0..).map(move |at| unsafe { *dynamic.add(at) }).take_while(|entry| entry.tag != 0)
    }

    /// The value of a tag in the dynamic section, 0 if it is missing.
    unsafe fn entry(&self, tag: i64) -> usize {
        // SAFETY: the object is loaded.
        unsafe { self.entries() }.find(|entry| entry.tag == tag).map_or(0, |entry| entry.value as usize)
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
            // Other threads may call through it meanwhile.
            AtomicUsize::from_ptr(slot).store(function, Relaxed);
            if read_only {
                libc::mprotect(page, size_of::<usize>(), libc::PROT_READ);
            }
        }
    }
}
