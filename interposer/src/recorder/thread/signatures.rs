//! A thread's pages of signatures.

use std::sync::atomic::{AtomicU32, Ordering::*};

use traces::file::{PageHeader, PageKind, Stop};
use traces::signature::Signature;

use crate::recorder::file::pages::{NO_PAGE, Output, Page, UNIT};

/// See the module.
pub struct SignaturePages {
    page: Option<Page>,
    used: usize,
    pages: u32,
    thread: u32,
}

/// Bytes of the first of these pages, and of the second; then they grow.
const FIRST: usize = 1 << 10;

impl SignaturePages {
    /// No page yet.
    pub fn begin(thread: u32) -> SignaturePages {
        SignaturePages { page: None, used: 0, pages: 0, thread }
    }

    /// Whether there is room for one more signature.
    pub fn has_room(&self) -> bool {
        self.page.is_some_and(|page| self.used < page.body::<Signature>().1)
    }

    /// Takes a page if there is none.
    pub fn make_room(&mut self, output: &Output) -> Result<(), Stop> {
        if self.has_room() {
            return Ok(());
        }
        let header = PageHeader { thread: self.thread, sequence: self.pages, ..NO_PAGE };
        let bytes = FIRST << self.pages.saturating_sub(1).min(6);
        let page = output.take(header, PageKind::Signatures, bytes, UNIT)?;
        if let Some(full) = self.page.replace(page) {
            output.give_back(full);
        }
        self.pages += 1;
        self.used = 0;
        Ok(())
    }

    /// Writes a signature, if there is room.
    pub fn define(&mut self, signature: &Signature) {
        let Some((first, _)) = self.page.map(|page| page.body::<Signature>()).filter(|body| self.used < body.1) else {
            return;
        };
        // SAFETY: `used` is below what the page holds. The number goes last: it says that the rest is there.
        unsafe {
            let place = first.add(self.used);
            place.write(Signature { number: 0, ..*signature });
            AtomicU32::from_ptr(place.cast().as_ptr()).store(signature.number, Release);
        }
        self.used += 1;
    }
}
