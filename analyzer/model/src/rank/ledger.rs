//! The ledger of a rank's progress engine: 3 KiB, and most runs have none.

use std::ops::Deref;

use traces::file::ThreadBlock;
use traces::progress::{Entries, LINES, LedgerLine};

/// Lines by number.
#[derive(Default)]
pub struct Ledger(Option<Box<[LedgerLine; LINES]>>);

const NOTHING: LedgerLine = LedgerLine {
    calls: Entries { entries: 0, productive: 0, ticks: 0 },
    events: 0,
    ready_to_receive: 0,
    ready_to_send: 0,
};

static EMPTY: [LedgerLine; LINES] = [NOTHING; LINES];

impl Ledger {
    /// Sum of the ledgers of all threads.
    pub fn of(blocks: &[ThreadBlock]) -> Ledger {
        let mut sum = Ledger::default();
        for block in blocks.iter().filter(|block| block.ledger != EMPTY) {
            let lines = sum.0.get_or_insert_with(|| Box::new(EMPTY));
            for (sum, line) in lines.iter_mut().zip(&block.ledger) {
                *sum += *line;
            }
        }
        sum
    }
}

impl Deref for Ledger {
    type Target = [LedgerLine; LINES];

    fn deref(&self) -> &[LedgerLine; LINES] {
        self.0.as_deref().unwrap_or(&EMPTY)
    }
}
