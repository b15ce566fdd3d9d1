//! The programs and libraries loaded into the process, by the addresses they hold.

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;

/// A loaded program or library.
pub struct Loaded {
    /// Its path.
    pub path: String,
    /// The linker's build id, empty where it has none.
    pub build_id: Vec<u8>,
    /// What its addresses count from.
    pub base: u64,
    segments: Vec<Range<u64>>,
}

impl Loaded {
    /// Whether an address lies in it.
    pub fn holds(&self, address: u64) -> bool {
        self.segments.iter().any(|segment| segment.contains(&address))
    }
}

/// The module that holds an address.
pub fn holding(address: u64) -> Option<Loaded> {
    let mut search = (address, None);
    // SAFETY: `visit` matches the callback's type, and `search` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.1
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: the loader passes a valid record, and `search` is the pair above.
    let (info, (address, found)) = unsafe { (&*info, &mut *search.cast::<(u64, Option<Loaded>)>()) };
    let base = info.dlpi_addr;
    // SAFETY: the loader says how many there are.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize) };
    let range = |header: &libc::Elf64_Phdr| {
        let start = base + header.p_vaddr;
        start..start + header.p_memsz
    };
    let segments: Vec<_> = headers.iter().filter(|header| header.p_type == libc::PT_LOAD).map(range).collect();
    if !segments.iter().any(|segment| segment.contains(address)) {
        return 0;
    }
    // SAFETY: the loader's names are terminated.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy().into_owned();
    // The program itself has no name here.
    let path = if name.is_empty() { executable() } else { name };
    let notes = headers.iter().filter(|header| header.p_type == libc::PT_NOTE).map(range);
    // SAFETY: note segments are mapped and readable.
    let build_id = notes.into_iter().find_map(|range| unsafe { build_id(range) }).unwrap_or_default();
    *found = Some(Loaded { path, build_id, base, segments });
    1
}

/// Path of the program.
pub fn executable() -> String {
    std::fs::read_link("/proc/self/exe").map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The build id among the notes in a range of memory.
unsafe fn build_id(mut notes: Range<u64>) -> Option<Vec<u8>> {
    const BUILD_ID: u32 = 3;
    while notes.end - notes.start >= 12 {
        // SAFETY: the note's header lies in the segment.
        let [name, size, kind] = unsafe { (notes.start as *const [u32; 3]).read_unaligned() };
        let at = notes.start + 12 + (name as u64).next_multiple_of(4);
        let end = at + (size as u64).next_multiple_of(4);
        if end > notes.end {
            return None;
        }
        // SAFETY: name and content lie in the segment.
        let owner = unsafe { std::slice::from_raw_parts((notes.start + 12) as *const u8, name as usize) };
        if kind == BUILD_ID && owner == b"GNU\0" {
            // SAFETY: as above.
            return Some(unsafe { std::slice::from_raw_parts(at as *const u8, size as usize) }.to_vec());
        }
        notes.start = end;
    }
    None
}
