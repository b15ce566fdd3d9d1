//! A thread's pages of signatures.

use traces::file::{PageKind, Stop};
use traces::signature::Signature;
use zerocopy::transmute;

use crate::recorder::file::page_series::PageSeries;
use crate::recorder::file::pages::{NO_PAGE, Output, UNIT};

pub struct SignaturePages(PageSeries);

/// Bytes of the first two pages; further ones double, up to 64 times this.
const FIRST: usize = 1 << 10;
/// Words of a signature. The first has its number; it is written last, and tells readers that the rest is there.
const WORDS: usize = size_of::<Signature>() / size_of::<u64>();

impl SignaturePages {
    pub fn begin(thread: u32) -> SignaturePages {
        SignaturePages(PageSeries::new(PageKind::Signatures, thread))
    }

    pub fn has_room(&self) -> bool {
        self.0.cursor.room() >= WORDS
    }

    /// Takes a page if the current one has no room for a signature.
    pub fn make_room(&mut self, output: &Output) -> Result<(), Stop> {
        if self.has_room() {
            return Ok(());
        }
        let bytes = FIRST << self.0.count().saturating_sub(1).min(6);
        self.0.turn(output, NO_PAGE, bytes, UNIT)
    }

    /// Writes a signature, if there is room.
    pub fn define(&mut self, signature: &Signature) {
        let words: [u64; WORDS] = transmute!(*signature);
        self.0.cursor.write(&words);
    }
}
