//! Keeps only the newest pages of records, where the user asks for that (OVERHEAR_KEEP).
//!
//! In: the pages that threads have filled, in the order they were filled. Out: for a thread that needs a page, the oldest of them
//! once all its records are older than the time to keep, or once the file has reached its size; else a new one.
//!
//! A page is taken again in three steps, after each of which a reader finds everything once, however the process ends:
//! 1. Its records are added to what its thread's dropped pages held, which goes into one of two pages in turn. From then on
//!    readers pass over it, since that page says how many were dropped.
//! 2. Its header says that it is free, and its words become zeros.
//! 3. It gets the header of its new owner, the kind last.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, OnceLock};

use traces::drop_account::{CountedSignature, DropAccount, OtherRequests};
use traces::file::{PageHeader, PageKind, Stop};
use traces::settings::Keep;

use super::pages::{NO_PAGE, Output, Page, UNIT};
use crate::clock;

static RING: OnceLock<Mutex<Ring>> = OnceLock::new();

/// The full pages of all threads.
pub struct Ring {
    keep: Keep,
    /// The oldest first.
    full: VecDeque<FullPage>,
    /// By number.
    threads: BTreeMap<u32, ThreadDrops>,
}

struct FullPage {
    page: Page,
    /// Its header, by which it can be counted.
    header: PageHeader,
    /// When it was full: the system's monotonic clock, nanoseconds.
    full_at: u64,
}

/// Counts of a thread's dropped pages.
#[derive(Default)]
struct ThreadDrops {
    /// By number; the first is none.
    signatures: Vec<CountedSignature>,
    account: DropAccount,
    /// The pages that say it, in turn.
    pages: [Option<Page>; 2],
    /// The number of times that they were written.
    written: u64,
}

/// A page for a thread's next records.
pub struct RingPage {
    pub page: Page,
    /// It held other records before.
    pub is_again: bool,
}

/// Has full pages taken again, as the user asks.
pub fn begin(keep: Keep) {
    let _ = RING.set(Mutex::new(Ring { keep, full: VecDeque::new(), threads: BTreeMap::new() }));
}

/// True if old pages are dropped.
pub fn is_on() -> bool {
    RING.get().is_some()
}

/// The ring, if there is one. Only threads that need a page, off the straight line, wait for each other here.
pub fn lock() -> Option<MutexGuard<'static, Ring>> {
    RING.get().map(|ring| ring.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

impl Ring {
    /// The signatures of a thread by number, to which it adds those that its next page may have. Those of others stay as they are.
    pub fn signatures(&mut self, thread: u32) -> &mut Vec<CountedSignature> {
        &mut self.thread(thread).signatures
    }

    /// Adds a page that a thread has filled. The thread may still have it mapped, but writes to it no more.
    pub fn filled(&mut self, page: Page) {
        let full_at = clock::sample().monotonic;
        self.full.push_back(FullPage { page, header: page.header(), full_at });
    }

    /// Takes a page of `wanted` bytes for the records of a thread, or an old one of any size.
    pub fn take(&mut self, output: &Output, header: PageHeader, wanted: usize) -> Result<RingPage, Stop> {
        if !self.is_oldest_over() {
            match output.take(header, PageKind::Events, wanted, wanted / 2) {
                Ok(page) => return Ok(RingPage { page, is_again: false }),
                Err(stop) if self.full.is_empty() => return Err(stop),
                Err(_) => {}
            }
        }
        let Some(oldest) = self.full.pop_front() else { return Err(Stop::MaxBytes) };
        let page = self.drop_records(output, &oldest)?;
        page.begin_again(header, PageKind::Events);
        Ok(RingPage { page, is_again: true })
    }

    /// True if all records of the oldest page are older than the time to keep.
    fn is_oldest_over(&self) -> bool {
        let now = clock::sample().monotonic;
        let is_over = |oldest: &FullPage| oldest.full_at.saturating_add(self.keep.time) < now;
        self.keep.time > 0 && self.full.front().is_some_and(is_over)
    }

    /// Counts a page's records, and writes that they are dropped. Where that fails, the page stays as it is until a later page of
    /// its thread is dropped.
    fn drop_records(&mut self, output: &Output, oldest: &FullPage) -> Result<Page, Stop> {
        let page = output.again(oldest.page)?;
        let thread = oldest.header.thread;
        let ThreadDrops { signatures, account, .. } = self.thread(thread);
        // Damage would be a defect of ours; what came before it is counted.
        let (others, _) = account.add(&oldest.header, page.words(), signatures);
        let written = self.tell_others(output, &others).and_then(|()| self.thread(thread).write(output, thread));
        written.inspect_err(|_| output.give_back(page))?;
        output.save_if_buffered();
        Ok(page)
    }

    /// Notes that requests of other threads are complete.
    fn tell_others(&mut self, output: &Output, others: &[OtherRequests]) -> Result<(), Stop> {
        for OtherRequests { thread, first, count } in others {
            let other = self.thread(*thread);
            other.account.completed_elsewhere(*first, *count);
            other.write(output, *thread)?;
        }
        Ok(())
    }

    fn thread(&mut self, number: u32) -> &mut ThreadDrops {
        self.threads.entry(number).or_default()
    }
}

impl ThreadDrops {
    /// Writes what was dropped into the page that holds the older of two states.
    fn write(&mut self, output: &Output, thread: u32) -> Result<(), Stop> {
        let body = self.account.body(&self.signatures);
        let bytes = size_of::<PageHeader>() + body.len();
        let [first, second] = &mut self.pages;
        let place = if self.written.is_multiple_of(2) { first } else { second };
        let page = match place {
            Some(page) if page.len() >= bytes => *page,
            _ => {
                // Twice as long as it must be, so that pages that have become too short are no more than the one in use.
                let wanted = (2 * bytes).next_multiple_of(UNIT);
                let page = output.take(PageHeader { thread, ..NO_PAGE }, PageKind::Free, wanted, bytes)?;
                if let Some(short) = place.replace(page) {
                    short.free();
                    output.give_back(short);
                }
                page
            }
        };
        self.written += 1;
        let header = PageHeader { thread, sequence: self.account.pages(), requests: self.written, ..NO_PAGE };
        page.rewrite(header, PageKind::Dropped, &body);
        Ok(())
    }
}

/// True if there are so many signatures that what was dropped would take more than it may: its size is in proportion to them.
pub fn is_too_varied(signatures: u32) -> bool {
    is_on() && signatures > MOST_SIGNATURES
}

/// Most signatures of a thread whose records are dropped.
const MOST_SIGNATURES: u32 = 1 << 14;
