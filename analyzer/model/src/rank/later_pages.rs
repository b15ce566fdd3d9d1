//! Finds threads that went on in pages which began after a file's pages were listed.

use traces::read::{Contents, RankFile, ThreadPages};

use crate::tally::ReadThread;

/// Ends the open calls of threads that have begun a page since their pages were listed: records that were not read come
/// before these calls.
pub fn end_calls_of_later_pages(trace: &RankFile, threads: &mut [ReadThread<'_>], listed: &Contents<'_>) {
    if !threads.iter().any(|read| read.is_full && read.tail.outermost().is_some()) {
        return;
    }
    let Ok(now) = RankFile::open(trace.path()) else { return };
    let now = now.contents();
    for (read, listed) in threads.iter_mut().zip(&listed.threads) {
        let newest = |thread: &ThreadPages<'_>| thread.pages.last().map(|page| page.sequence);
        let later = now.threads.iter().find(|thread| thread.number == listed.number);
        if read.is_full && later.is_some_and(|later| newest(later) > newest(listed)) {
            read.tail.calls.clear();
        }
    }
}
