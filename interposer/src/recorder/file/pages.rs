//! The file of this process, and the pages threads take from it.
//!
//! Pages follow each other closely: the first ones of a thread are small, and share memory pages with others.
//!
//! A page is written with zeros before it is mapped. On ext4 that costs an eighth of touching a mapping reserved by
//! `fallocate` (one system call fills the page cache in large pieces where each touch of a mapping enters the file
//! system), and a full disk shows as an error here instead of SIGBUS in the program.

use std::cell::UnsafeCell;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

use traces::clock::ClockSample;
use traces::file::{FIRST_PAGE, FileHeader, PageHeader, PageKind, ProfileEntry, SHARED_TOTALS, Stop};

use super::header::Header;
use super::trace_file::{self, TraceFile};
use crate::clock;
use crate::messages;
use recorder_core::memory;

/// The largest page, in bytes. Long enough that turning it costs little a record, short enough to fill at once.
pub const LARGEST: usize = 256 << 10;

/// Never written. In a cell so that it is memory the system gives zeroed, not 256 KiB of the library's file.
struct Zeros(UnsafeCell<[u8; LARGEST]>);

// SAFETY: never written.
unsafe impl Sync for Zeros {}

static ZEROS: Zeros = Zeros(UnsafeCell::new([0; LARGEST]));

/// The pages of this process, and the file they are in.
pub struct Output {
    pub file: TraceFile,
    /// What the system maps: its memory page.
    mapped: usize,
    next: AtomicU64,
    limit: u64,
    /// Bytes that the profiles of all threads will need when events have to stop.
    kept: AtomicU64,
    /// The file system cannot share mappings: pages are memory, and written when they are full or saved.
    buffered: AtomicBool,
    unsaved: Mutex<Vec<Page>>,
    header: NonNull<FileHeader>,
}

/// The header of a page of which nothing is known.
pub const NO_PAGE: PageHeader = PageHeader {
    kind: 0,
    units: 0,
    thread: 0,
    sequence: 0,
    base: 0,
    requests: 0,
    sample: ClockSample { ticks: 0, width: 0, monotonic: 0, realtime: 0 },
};

/// Bytes of which pages are multiples.
pub const UNIT: usize = 512;

/// A page in memory. Dropping it does nothing; [`Output::give_back`] does.
#[derive(Clone, Copy)]
pub struct Page {
    base: NonNull<u8>,
    /// Bytes of the mapping before it, where others may be.
    before: usize,
    bytes: usize,
    offset: u64,
}

// SAFETY: pages are memory that any thread may write out.
unsafe impl Send for Page {}
// SAFETY: all but the address of the header is made for any thread, and that is only handed out as a `Header`.
unsafe impl Send for Output {}
// SAFETY: as above.
unsafe impl Sync for Output {}

impl Output {
    /// Creates the file, which must not exist, and maps its header.
    pub fn create(path: &Path, limit: u64) -> Result<Output, std::io::Error> {
        let file = TraceFile::create(path)?;
        // SAFETY: reads a constant of the system.
        let mapped = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let header = NonNull::dangling();
        let mut output = Output {
            file,
            mapped,
            next: AtomicU64::new(0),
            limit,
            kept: AtomicU64::new(0),
            buffered: AtomicBool::new(false),
            unsaved: Mutex::new(Vec::new()),
            header,
        };
        let page =
            output.map(output.next.fetch_add(FIRST_PAGE as u64, Relaxed), FIRST_PAGE).map_err(|stop| match stop {
                Stop::NoSpace => std::io::Error::from_raw_os_error(libc::ENOSPC),
                Stop::SizeLimit => std::io::Error::from_raw_os_error(libc::EFBIG),
                _ => std::io::Error::last_os_error(),
            })?;
        output.header = page.base.cast();
        Ok(output)
    }

    /// The header, as it will be seen by readers.
    pub fn header(&self) -> Header {
        // SAFETY: mapped as long as the process lives.
        unsafe { Header::at(self.header) }
    }

    /// How long the file may be, and why it may not be longer. The program may change the system's limit.
    fn limit(&self) -> (u64, Stop) {
        let system = trace_file::size_limit();
        if system < self.limit { (system, Stop::SizeLimit) } else { (self.limit, Stop::MaxBytes) }
    }

    /// The totals that all threads share, behind the header.
    pub fn shared_totals(&self) -> NonNull<ProfileEntry> {
        // SAFETY: they are in front of the first page, as the header is.
        unsafe { self.header.cast::<u8>().add(SHARED_TOTALS) }.cast()
    }

    /// Events are to leave so many bytes more to profiles; less, where that is negative.
    pub fn keep(&self, bytes: i64) {
        self.kept.fetch_add(bytes as u64, Relaxed);
    }

    /// Takes a page with this header, of `wanted` bytes or of what is left, but of no less than `least`.
    pub fn take(&self, header: PageHeader, kind: PageKind, wanted: usize, least: usize) -> Result<Page, Stop> {
        let (limit, stop) = self.limit();
        // A dictionary may be so large that its profile would leave no room for what it is the profile of.
        let kept = if kind == PageKind::Events { self.kept.load(Relaxed).min(limit / 4) } else { 0 };
        let least = least.next_multiple_of(UNIT);
        let mut bytes = wanted.next_multiple_of(UNIT).max(least);
        let offset = loop {
            let fits = |next: u64| {
                let end = next.checked_add(bytes as u64)?;
                (end.saturating_add(kept) <= limit).then_some(end)
            };
            match self.next.try_update(Relaxed, Relaxed, fits) {
                Ok(offset) => break offset,
                Err(_) if bytes > least => bytes = (bytes / 2).next_multiple_of(UNIT).max(least),
                Err(_) => return Err(stop),
            }
        };
        let page = self.map(offset, bytes)?;
        let header = PageHeader { kind: 0, units: (bytes / UNIT) as u32, sample: clock::sample(), ..header };
        // SAFETY: a fresh mapping, larger than a header; the kind goes last, so that no reader sees half a header.
        unsafe {
            page.base.cast::<PageHeader>().write(header);
            std::sync::atomic::AtomicU32::from_ptr(page.base.cast().as_ptr()).store(kind as u32, Release);
        }
        Ok(page)
    }

    /// Unmaps a page that will not be written again. Its bytes are in the file.
    pub fn give_back(&self, page: Page) {
        if self.buffered.load(Relaxed) {
            let mut unsaved = self.unsaved.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if let Some(at) = unsaved.iter().position(|other| other.offset == page.offset) {
                self.save(unsaved.swap_remove(at));
            }
        }
        // SAFETY: the mapping begins there.
        trace_file::unmap(unsafe { page.base.sub(page.before) }, page.before + page.bytes);
    }

    /// Brings what is only in memory into the file, where the file system has no shared mappings.
    pub fn save_all(&self) {
        let unsaved = self.unsaved.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        unsaved.iter().for_each(|page| self.save(*page));
    }

    /// Brings all there is to where it outlives the machine.
    pub fn sync(&self) {
        self.save_all();
        self.file.sync();
    }

    fn save(&self, page: Page) {
        // SAFETY: the page is mapped. Its owner may be writing: then the file gets it one way or the other.
        let _ = unsafe { self.file.write(page.base, page.bytes, page.offset) };
    }

    fn map(&self, offset: u64, bytes: usize) -> Result<Page, Stop> {
        let page = self.map_at(offset, bytes);
        if page.is_err() {
            // A full disk would be asked for more and more, and the file have a hole of all that.
            let _ = self.next.compare_exchange(offset + bytes as u64, offset, Relaxed, Relaxed);
        }
        page
    }

    fn map_at(&self, offset: u64, bytes: usize) -> Result<Page, Stop> {
        for at in (0..bytes).step_by(LARGEST) {
            let zeros = NonNull::from(&ZEROS.0).cast();
            // SAFETY: there are so many.
            unsafe { self.file.write(zeros, (bytes - at).min(LARGEST), offset + at as u64)? };
        }
        if !self.buffered.load(Relaxed) {
            let before = (offset % self.mapped as u64) as usize;
            let mapped = before + bytes;
            if let Some(base) = self.file.map(mapped, offset - before as u64)? {
                // All at once for a third of what the faults would cost. MAP_POPULATE maps shared pages for reading
                // only, and kernels before 5.14 have no such advice: then there are the faults.
                // SAFETY: the mapping just made.
                unsafe { libc::madvise(base.as_ptr().cast(), mapped, libc::MADV_POPULATE_WRITE) };
                // SAFETY: in that mapping.
                let base = unsafe { base.add(before) };
                return Ok(Page { base, before, bytes, offset });
            }
            self.buffered.store(true, Relaxed);
            messages::once(
                "the file system of the run folder has no shared mappings: records are written a page at a time, \
                 and a killed process loses its last ones",
            );
        }
        let base = memory::zeroed::<u8>(bytes).ok_or(Stop::NoMemory)?;
        let page = Page { base, before: 0, bytes, offset };
        self.unsaved.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(page);
        Ok(page)
    }
}

impl Page {
    /// The address behind the page's header, aligned for `T`, and how many `T` fit there.
    pub fn body<T>(&self) -> (NonNull<T>, usize) {
        const HEADER: usize = size_of::<PageHeader>();
        const { assert!(align_of::<T>() <= HEADER) }
        // SAFETY: a page is longer than its header.
        (unsafe { self.base.add(HEADER) }.cast(), (self.bytes - HEADER) / size_of::<T>())
    }
}
