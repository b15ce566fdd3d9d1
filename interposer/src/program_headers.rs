//! The objects loaded into the process, by their program headers (`dl_iterate_phdr`).
//!
//! While objects are visited, the loader adds and unmaps none: its list is locked. It relocates objects, and runs their
//! constructors and destructors, without that lock, so a visited object may be in the middle of these. Whoever visits
//! must not call `dlopen`, `dlsym` or `dladdr`: their lock comes before this one.

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;

use crate::forks::Visit;

/// A loaded object, valid while it is visited.
pub struct ProgramHeaders<'a> {
    info: &'a libc::dl_phdr_info,
    headers: &'a [libc::Elf64_Phdr],
}

/// Visits the loaded objects in the loader's search order until `visit` returns something.
pub fn find<R>(mut visit: impl FnMut(&ProgramHeaders) -> Option<R>) -> Option<R> {
    let mut search = HeaderSearch { visit: &mut visit, found: None };
    let during = Visit::begin();
    // SAFETY: `step` matches the callback's type, and `search` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(step::<R>), (&raw mut search).cast()) };
    drop(during);
    search.found
}

/// Does `work` while the loader adds and unmaps no object. `None` in a process without any.
pub fn hold<R>(work: impl FnOnce() -> R) -> Option<R> {
    let mut work = Some(work);
    find(|_| work.take().map(|work| work()))
}

struct HeaderSearch<'a, R> {
    visit: &'a mut dyn FnMut(&ProgramHeaders) -> Option<R>,
    found: Option<R>,
}

unsafe extern "C" fn step<R>(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: the loader passes a valid record and the number of its headers; `search` is the one that `find` passes.
    let (info, search, headers) = unsafe {
        let headers = std::slice::from_raw_parts((*info).dlpi_phdr, (*info).dlpi_phnum as usize);
        (&*info, &mut *search.cast::<HeaderSearch<R>>(), headers)
    };
    search.found = (search.visit)(&ProgramHeaders { info, headers });
    search.found.is_some().into()
}

impl ProgramHeaders<'_> {
    /// The object's load address, which its own addresses are relative to.
    pub fn base(&self) -> usize {
        self.info.dlpi_addr as usize
    }

    /// The object's path; empty for the program itself.
    pub fn name(&self) -> String {
        // SAFETY: the loader's names are terminated.
        unsafe { CStr::from_ptr(self.info.dlpi_name) }.to_string_lossy().into_owned()
    }

    /// The memory of the segments of a type, such as `PT_LOAD`.
    pub fn parts(&self, of_type: u32) -> impl Iterator<Item = Range<usize>> {
        self.headers.iter().filter(move |header| header.p_type == of_type).map(|header| {
            let begin = self.base() + header.p_vaddr as usize;
            begin..begin + header.p_memsz as usize
        })
    }

    /// The object's memory, from its first segment to its last.
    pub fn memory(&self) -> Range<usize> {
        let segments = self.parts(libc::PT_LOAD);
        segments.reduce(|all, part| all.start.min(part.start)..all.end.max(part.end)).unwrap_or_default()
    }

    /// Numbers of objects that the loader has added and removed so far.
    pub fn changes(&self) -> (u64, u64) {
        (self.info.dlpi_adds, self.info.dlpi_subs)
    }
}
