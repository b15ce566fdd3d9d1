//! The file of this process, and the pages that threads take from it.
//!
//! Pages are contiguous in the file. The first ones of a thread are small, and share the system's memory pages with
//! others.
//!
//! A page is written with zeros before it is mapped. On ext4 that costs an eighth of touching a mapping reserved by
//! `fallocate` (one system call fills the page cache in large pieces, while each touch of a mapping enters the file
//! system), and a full disk shows as an error here instead of SIGBUS in the program.

use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*, fence};

use traces::clock::ClockSample;
use traces::file::{FIRST_PAGE, FileHeader, PageHeader, PageKind, ProfileEntry, SHARED_TOTALS, Stop};
use traces::live::LiveWords;

use super::header::Header;
use super::trace_file::{self, TraceFile};
use crate::clock;
use crate::notes;
use recorder_core::memory;

/// The largest page, in bytes: long enough that turning it costs little per record, short enough to fill with zeros at
/// once.
pub const LARGEST: usize = 256 << 10;

/// Never written. In a cell, so that the linker puts it into .bss instead of adding 256 KiB of zeros to the library's
/// file.
struct Zeros(UnsafeCell<[u8; LARGEST]>);

// SAFETY: the zeros are never written.
unsafe impl Sync for Zeros {}

static ZEROS: Zeros = Zeros(UnsafeCell::new([0; LARGEST]));

/// The pages of this process, and the file they are in.
pub struct Output {
    pub file: TraceFile,
    /// Bytes of the system's memory pages.
    mapped: usize,
    /// Offset of the next page in the file.
    next: AtomicU64,
    /// The user's limit of the file, in bytes.
    limit: u64,
    /// True if old pages of records are dropped.
    drops: bool,
    /// Bytes that the profiles of all threads will need when events have to stop.
    kept: AtomicU64,
    /// Set if the file system has no shared mappings: then pages are private memory, and written when full or saved.
    buffered: AtomicBool,
    unsaved: Mutex<Vec<Page>>,
    header: NonNull<FileHeader>,
}

/// A page header with nothing filled in.
pub const NO_PAGE: PageHeader = PageHeader {
    kind: 0,
    units: 0,
    thread: 0,
    sequence: 0,
    base: 0,
    requests: 0,
    sample: ClockSample { ticks: 0, width: 0, monotonic: 0, realtime: 0 },
};

/// A page is a multiple of this many bytes.
pub const UNIT: usize = 512;

/// A page in memory. Dropping it does nothing; [`Output::give_back`] does.
#[derive(Clone, Copy)]
pub struct Page {
    base: NonNull<u8>,
    /// Bytes of the mapping before the page, which may belong to other pages.
    before: usize,
    bytes: usize,
    offset: u64,
}

/// A part of the file for a page that has not begun. It is filled with zeros from its start on, and mapped once it is
/// full.
#[derive(Clone, Copy)]
pub struct Reserved {
    offset: u64,
    bytes: usize,
    filled: usize,
    page: Option<Page>,
    /// Bytes of the mapping whose memory is there.
    populated: usize,
}

// SAFETY: any thread may write out a page's memory.
unsafe impl Send for Page {}
// SAFETY: all fields but the header's address are shareable, and the address is only handed out as a `Header`.
unsafe impl Send for Output {}
// SAFETY: as above.
unsafe impl Sync for Output {}

impl Output {
    /// Maps the header of a new file.
    pub fn begin(file: TraceFile, limit: u64, drops: bool) -> Result<Output, std::io::Error> {
        // SAFETY: reads a constant of the system.
        let mapped = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let header = NonNull::dangling();
        let mut output = Output {
            file,
            mapped,
            next: AtomicU64::new(0),
            limit,
            drops,
            kept: AtomicU64::new(0),
            buffered: AtomicBool::new(false),
            unsaved: Mutex::new(Vec::new()),
            header,
        };
        let offset = output.next.fetch_add(FIRST_PAGE as u64, Relaxed);
        let header = output.fill(Reserved::new(offset, FIRST_PAGE), FIRST_PAGE);
        let page = header.and_then(|header| output.map(header)).map_err(|stop| match stop {
            Stop::NoSpace => std::io::Error::from_raw_os_error(libc::ENOSPC),
            Stop::SizeLimit => std::io::Error::from_raw_os_error(libc::EFBIG),
            _ => std::io::Error::last_os_error(),
        })?;
        output.header = page.base.cast();
        Ok(output)
    }

    pub fn header(&self) -> Header {
        // SAFETY: the header is mapped while the process lives.
        unsafe { Header::at(self.header) }
    }

    /// The limit of the file in bytes, and the reason to stop there. The program may change the system's limit at any
    /// time.
    fn limit(&self) -> (u64, Stop) {
        let system = trace_file::size_limit();
        if system < self.limit { (system, Stop::SizeLimit) } else { (self.limit, Stop::MaxBytes) }
    }

    /// True if pages are memory that is written when they are full.
    pub fn is_buffered(&self) -> bool {
        self.buffered.load(Relaxed)
    }

    /// The first of the totals that all threads share, after the header.
    pub fn shared_totals(&self) -> NonNull<ProfileEntry> {
        // SAFETY: they are in the mapping of the header.
        unsafe { self.header.cast::<u8>().add(SHARED_TOTALS) }.cast()
    }

    /// Reserves bytes for profiles that events must not use; a negative number releases them.
    pub fn keep(&self, bytes: i64) {
        self.kept.fetch_add(bytes as u64, Relaxed);
    }

    /// Takes a page with this header, of `wanted` bytes; near the file's limit it may have as few as `least`.
    pub fn take(&self, header: PageHeader, kind: PageKind, wanted: usize, least: usize) -> Result<Page, Stop> {
        self.begin_reserved(self.reserve(kind, wanted, least)?, header, kind)
    }

    /// Reserves `wanted` bytes for a page; near the file's limit as few as `least`.
    pub fn reserve(&self, kind: PageKind, wanted: usize, least: usize) -> Result<Reserved, Stop> {
        let (limit, stop) = self.limit();
        // Keep at most a quarter of the limit: the profile of a very large dictionary would leave no room for events.
        // If old records are dropped, events take all they may, and the quarter is for later pages of other kinds.
        let quarter = limit / 4;
        let kept = match kind {
            PageKind::Events if self.drops => quarter,
            PageKind::Events => self.kept.load(Relaxed).min(quarter),
            _ => 0,
        };
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
        Ok(Reserved::new(offset, bytes))
    }

    /// Begins a page that was reserved.
    pub fn begin_reserved(&self, reserved: Reserved, header: PageHeader, kind: PageKind) -> Result<Page, Stop> {
        let page = self.fill(reserved, reserved.bytes).and_then(|filled| self.map(filled));
        let page = page.inspect_err(|_| self.release(reserved))?;
        let header = PageHeader { kind: 0, units: (page.bytes / UNIT) as u32, sample: clock::sample(), ..header };
        // SAFETY: a fresh mapping, larger than a header; the kind goes last, so that no reader sees half a header.
        unsafe { page.base.cast::<PageHeader>().write(header) };
        page.publish(kind);
        Ok(page)
    }

    /// Fills at most so many further bytes of a reserved page with zeros.
    pub fn fill(&self, reserved: Reserved, bytes: usize) -> Result<Reserved, Stop> {
        let Reserved { offset, filled, .. } = reserved;
        let end = (filled + bytes).min(reserved.bytes);
        for at in (filled..end).step_by(LARGEST) {
            let zeros = NonNull::from(&ZEROS.0).cast();
            // SAFETY: `ZEROS` has `LARGEST` bytes.
            unsafe { self.file.write(zeros, (end - at).min(LARGEST), offset + at as u64)? };
        }
        Ok(Reserved { filled: end, ..reserved })
    }

    /// Makes at most so many further bytes ready: zeros first, then the memory of the mapping.
    pub fn prepare(&self, reserved: Reserved, bytes: usize) -> Result<Reserved, Stop> {
        if reserved.filled < reserved.bytes {
            return self.fill(reserved, bytes);
        }
        let Some(page) = self.map_existing(reserved)? else { return Ok(reserved) };
        Ok(Output::populate(Reserved { page: Some(page), ..reserved }, page, bytes))
    }

    /// Has the system find memory for at most so many further bytes of a mapping.
    fn populate(reserved: Reserved, page: Page, bytes: usize) -> Reserved {
        let end = (reserved.populated + bytes).min(page.mapped());
        // Populating at once costs a third of the page faults. MAP_POPULATE would map shared pages for reading
        // only; kernels before 5.14 lack this advice, and take the faults.
        // SAFETY: a part of the mapping, which begins `before` bytes before the page.
        unsafe {
            let begin = page.base.as_ptr().sub(page.before).add(reserved.populated);
            libc::madvise(begin.cast(), end - reserved.populated, libc::MADV_POPULATE_WRITE);
        }
        Reserved { populated: end, ..reserved }
    }

    /// Gives the range back, if no other follows it: on a full disk each attempt would otherwise add a hole to the file.
    pub fn release(&self, Reserved { offset, bytes, page, .. }: Reserved) {
        if let Some(page) = page {
            self.give_back(page);
        }
        let _ = self.next.compare_exchange(offset + bytes as u64, offset, Relaxed, Relaxed);
    }

    /// True if a thread's next page may be reserved before it is needed.
    pub fn reserves_ahead(&self) -> bool {
        !self.drops && !self.is_buffered()
    }

    /// Bytes of the largest page of records. If old pages are dropped, a page is a small part of the records that are
    /// kept.
    pub fn largest(&self) -> usize {
        if !self.drops || self.limit >= 64 * LARGEST as u64 {
            return LARGEST;
        }
        ((self.limit / 64) as usize).next_multiple_of(UNIT)
    }

    /// Maps a page that was given back, with its contents.
    pub fn again(&self, page: Page) -> Result<Page, Stop> {
        let Page { bytes, offset, .. } = page;
        if !self.buffered.load(Relaxed) {
            let there = Reserved::new(offset, bytes);
            let Some(page) = self.map_existing(there)? else { return Err(Stop::Io) };
            Output::populate(there, page, page.mapped());
            return Ok(page);
        }
        let page = self.in_memory(offset, bytes)?;
        // SAFETY: the page's own memory.
        unsafe { self.file.read(page.base, bytes, offset)? };
        Ok(page)
    }

    /// Writes pages that are only in memory to the file, if pages are buffered.
    pub fn save_if_buffered(&self) {
        if self.is_buffered() {
            self.save_all();
        }
    }

    /// Unmaps a page that will not be written again, after its bytes are in the file.
    pub fn give_back(&self, page: Page) {
        if self.buffered.load(Relaxed) {
            let mut unsaved = self.unsaved.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if let Some(at) = unsaved.iter().position(|other| other.offset == page.offset) {
                self.save(unsaved.swap_remove(at));
            }
        }
        // SAFETY: the mapping begins `before` bytes before the page.
        trace_file::unmap(unsafe { page.base.sub(page.before) }, page.mapped());
    }

    /// Writes pages that are only in memory to the file, if the file system has no shared mappings.
    pub fn save_all(&self) {
        let unsaved = self.unsaved.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        unsaved.iter().for_each(|page| self.save(*page));
    }

    /// Writes all pages to the disk.
    pub fn sync(&self) {
        self.save_all();
        self.file.sync();
    }

    fn save(&self, page: Page) {
        // SAFETY: the page is mapped. Its owner may be writing a word: then the file gets the old or the new one.
        let _ = unsafe { self.file.write(page.base, page.bytes, page.offset) };
    }

    /// Maps a page that is filled with zeros.
    fn map(&self, reserved: Reserved) -> Result<Page, Stop> {
        if !self.buffered.load(Relaxed) {
            if let Some(page) = self.map_existing(reserved)? {
                Output::populate(reserved, page, page.mapped());
                return Ok(page);
            }
            self.buffered.store(true, Relaxed);
            notes::add(
                "the file system of the run folder has no shared mappings: records were written a page at a time, \
                 and a killed process loses its last ones",
            );
        }
        self.in_memory(reserved.offset, reserved.bytes)
    }

    /// Maps a part of the file that exists, unless it is mapped. `None` if the file system has no shared mappings.
    fn map_existing(&self, Reserved { offset, bytes, page, .. }: Reserved) -> Result<Option<Page>, Stop> {
        if page.is_some() {
            return Ok(page);
        }
        let before = (offset % self.mapped as u64) as usize;
        let Some(base) = self.file.map(before + bytes, offset - before as u64)? else { return Ok(None) };
        // SAFETY: the page lies in that mapping.
        let base = unsafe { base.add(before) };
        Ok(Some(Page { base, before, bytes, offset }))
    }

    /// A page in memory, which is written when it is full or saved.
    fn in_memory(&self, offset: u64, bytes: usize) -> Result<Page, Stop> {
        let base = memory::zeroed::<u8>(bytes).ok_or(Stop::NoMemory)?;
        let page = Page { base, before: 0, bytes, offset };
        self.unsaved.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(page);
        Ok(page)
    }
}

impl Reserved {
    fn new(offset: u64, bytes: usize) -> Reserved {
        Reserved { offset, bytes, filled: 0, page: None, populated: 0 }
    }
}

impl Page {
    /// Bytes of the mapping that the page lies at the end of.
    fn mapped(&self) -> usize {
        self.before + self.bytes
    }

    pub fn len(&self) -> usize {
        self.bytes
    }

    pub fn header(&self) -> PageHeader {
        // SAFETY: a page begins with a header.
        unsafe { self.base.cast::<PageHeader>().read() }
    }

    /// The words after the page's header.
    pub fn words(&self) -> LiveWords<'_> {
        let (first, words) = self.body::<u64>();
        // SAFETY: the page's memory; no thread writes to it until the page is taken again.
        unsafe { LiveWords::at(first.as_ptr().cast(), words * size_of::<u64>()) }
    }

    /// Marks the page as holding nothing.
    pub fn free(&self) {
        self.publish(PageKind::Free);
    }

    /// Zeroes an old page, and gives it another header.
    pub fn begin_again(&self, header: PageHeader, kind: PageKind) {
        self.free();
        let (first, bytes) = self.body::<u8>();
        // SAFETY: the page's memory, to which this process has no reference.
        unsafe { first.write_bytes(0, bytes) };
        self.head(header);
        self.publish(kind);
    }

    /// Replaces the page's contents by a body that fits.
    pub fn rewrite(&self, header: PageHeader, kind: PageKind, body: &[u8]) {
        self.free();
        let (first, bytes) = self.body::<u8>();
        // SAFETY: as above; no more bytes than the page has.
        unsafe { first.copy_from_nonoverlapping(NonNull::from(body).cast(), body.len().min(bytes)) };
        self.head(header);
        self.publish(kind);
    }

    /// Writes a header without publishing it.
    fn head(&self, header: PageHeader) {
        let (kind, units) = (PageKind::Free as u32, (self.bytes / UNIT) as u32);
        let header = PageHeader { kind, units, sample: clock::sample(), ..header };
        // Readers that see a later header or the new words also see that the page was free.
        fence(Release);
        // SAFETY: a page begins with a header.
        unsafe { self.base.cast::<PageHeader>().write(header) };
    }

    fn publish(&self, kind: PageKind) {
        // SAFETY: the first word of the page's header.
        unsafe { AtomicU32::from_ptr(self.base.cast().as_ptr()) }.store(kind as u32, Release);
        fence(Release);
    }

    /// The address after the page's header, aligned for `T`, and the number of `T`s that fit there.
    pub fn body<T>(&self) -> (NonNull<T>, usize) {
        const HEADER: usize = size_of::<PageHeader>();
        const { assert!(align_of::<T>() <= HEADER) }
        // SAFETY: a page is longer than its header.
        (unsafe { self.base.add(HEADER) }.cast(), (self.bytes - HEADER) / size_of::<T>())
    }
}
