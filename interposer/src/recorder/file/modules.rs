//! The program and the libraries that contain call sites.

use std::ops::Range;
use std::sync::OnceLock;

use crate::program_headers;

pub struct Loaded {
    pub path: String,
    /// The linker's build id; empty if there is none.
    pub build_id: Vec<u8>,
    /// The load address, which the module's own addresses are relative to.
    pub base: u64,
    segments: Vec<Range<u64>>,
}

impl Loaded {
    /// True if the module is still loaded where it was.
    pub fn is_there(&self) -> bool {
        let first = self.segments.first().map_or(0, |segment| segment.start);
        holding(first)
            .is_some_and(|now| now.base == self.base && now.path == self.path && now.build_id == self.build_id)
    }

    pub fn holds(&self, address: u64) -> bool {
        self.segments.iter().any(|segment| segment.contains(&address))
    }
}

pub fn holding(address: u64) -> Option<Loaded> {
    program_headers::find(|headers| {
        let range = |part: Range<usize>| part.start as u64..part.end as u64;
        let segments: Vec<_> = headers.parts(libc::PT_LOAD).map(range).collect();
        if !segments.iter().any(|segment| segment.contains(&address)) {
            return None;
        }
        let name = headers.name();
        // The loader has no name for the program itself.
        let path = if name.is_empty() { executable() } else { name };
        // SAFETY: note segments are mapped and readable.
        let build_id = headers.parts(libc::PT_NOTE).map(range).find_map(|range| unsafe { build_id(range) });
        Some(Loaded { path, build_id: build_id.unwrap_or_default(), base: headers.base() as u64, segments })
    })
}

/// The program's path, which is read once: later the program may have forbidden it to itself.
pub fn executable() -> String {
    static PATH: OnceLock<String> = OnceLock::new();
    let read = || std::fs::read_link("/proc/self/exe").map(|path| path.to_string_lossy().into_owned());
    PATH.get_or_init(|| read().unwrap_or_default()).clone()
}

/// The build id among the ELF notes in a range of memory.
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
