//! Keeps only the newest pages of records, if the user sets OVERHEAR_KEEP.
//!
//! In: the pages that threads have filled, in the order they were filled. Out: a page for a thread that needs one. It
//! is the oldest full page, if all its records are older than the time to keep or the file has reached its size; else
//! it is new.
//!
//! A page is reused in three steps. After each step a reader finds every record once, however the process ends:
//! 1. The page's records are added to the account of its thread's dropped pages, which is written to two pages in turn.
//!    From then on readers skip the page, since the account says how many were dropped.
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
    /// The page's header, which counting its records needs.
    header: PageHeader,
    /// Time when the page was full: the system's monotonic clock, nanoseconds.
    full_at: u64,
}

/// Counts of a thread's dropped pages.
#[derive(Default)]
struct ThreadDrops {
    /// By number; number 0 is no signature.
    signatures: Vec<CountedSignature>,
    account: DropAccount,
    /// The two pages that the account is written to, in turn.
    pages: [Option<Page>; 2],
    /// Number of times that the account was written.
    written: u64,
}

/// A page for a thread's next records.
pub struct RingPage {
    pub page: Page,
    /// True if the page held other records before.
    pub is_again: bool,
}

/// Begins to reuse full pages, as `keep` allows.
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
    /// The signatures of a thread by number. The thread adds those that its next page may have; other threads'
    /// signatures stay as they are.
    pub fn signatures(&mut self, thread: u32) -> &mut Vec<CountedSignature> {
        &mut self.thread(thread).signatures
    }

    /// Adds a page that a thread has filled. The thread may still have it mapped, but no longer writes to it.
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

    /// Counts a page's records, and writes to the file that they are dropped. If that fails, the page stays as it is
    /// until a later page of its thread is dropped.
    fn drop_records(&mut self, output: &Output, oldest: &FullPage) -> Result<Page, Stop> {
        let page = output.again(oldest.page)?;
        let thread = oldest.header.thread;
        let ThreadDrops { signatures, account, .. } = self.thread(thread);
        // Damage would be a bug of ours; the records before it are counted.
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
    /// Writes the account to the page that holds the older of two states.
    fn write(&mut self, output: &Output, thread: u32) -> Result<(), Stop> {
        let body = self.account.body(&self.signatures);
        let bytes = size_of::<PageHeader>() + body.len();
        let [first, second] = &mut self.pages;
        let place = if self.written.is_multiple_of(2) { first } else { second };
        let page = match place {
            Some(page) if page.len() >= bytes => *page,
            _ => {
                // Twice the needed size, so that all outgrown pages together are no larger than the one in use.
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

/// True if the account of dropped records would get too large: its size is proportional to the number of signatures.
pub fn is_too_varied(signatures: u32) -> bool {
    is_on() && signatures > MOST_SIGNATURES
}

/// Limit on the signatures of a thread whose records are dropped.
const MOST_SIGNATURES: u32 = 1 << 14;
