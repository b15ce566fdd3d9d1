//! The objects loaded into the process by their program headers, as the loader tells them.

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;

/// A loaded object, while it is visited.
pub struct ProgramHeaders<'a> {
    info: &'a libc::dl_phdr_info,
    headers: &'a [libc::Elf64_Phdr],
}

/// Visits the loaded objects in the order in which the loader looks for what they define, until one gives something. The
/// loader's lock is held meanwhile.
pub fn find<R>(mut visit: impl FnMut(&ProgramHeaders) -> Option<R>) -> Option<R> {
    let mut search = HeaderSearch { visit: &mut visit, found: None };
    // SAFETY: `step` matches the callback's type, and `search` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(step::<R>), (&raw mut search).cast()) };
    search.found
}

struct HeaderSearch<'a, R> {
    visit: &'a mut dyn FnMut(&ProgramHeaders) -> Option<R>,
    found: Option<R>,
}

unsafe extern "C" fn step<R>(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: the loader passes a valid record and says how many headers it has; `search` is the one above.
    let (info, search, headers) = unsafe {
        let headers = std::slice::from_raw_parts((*info).dlpi_phdr, (*info).dlpi_phnum as usize);
        (&*info, &mut *search.cast::<HeaderSearch<R>>(), headers)
    };
    search.found = (search.visit)(&ProgramHeaders { info, headers });
    search.found.is_some().into()
}

impl ProgramHeaders<'_> {
    /// What the object's addresses count from.
    pub fn base(&self) -> usize {
        self.info.dlpi_addr as usize
    }

    /// The object's path; the program itself has none.
    pub fn name(&self) -> String {
        // SAFETY: the loader's names are terminated.
        unsafe { CStr::from_ptr(self.info.dlpi_name) }.to_string_lossy().into_owned()
    }

    /// Where the parts of a type lie.
    pub fn parts(&self, of_type: u32) -> impl Iterator<Item = Range<usize>> {
        self.headers.iter().filter(move |header| header.p_type == of_type).map(|header| {
            let begin = self.base() + header.p_vaddr as usize;
            begin..begin + header.p_memsz as usize
        })
    }

    /// How often the loader had added and removed objects.
    pub fn changes(&self) -> (u64, u64) {
        (self.info.dlpi_adds, self.info.dlpi_subs)
    }
}
