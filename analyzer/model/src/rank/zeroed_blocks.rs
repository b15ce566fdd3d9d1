//! Finds blocks of threads that end in zeros, as the crash of a machine leaves them.

use std::sync::atomic::Ordering::Relaxed;

use traces::definitions::Process;
use traces::error::Damage;
use traces::file::{FINALIZED, FileHeader};
use traces::live::LiveBlock;
use traces::read::{Contents, ThreadPages};

/// The damage of such blocks: a recorder has measured its own time off the straight line by the first record.
pub fn damage(header: &FileHeader, process: &Process, contents: &Contents<'_>) -> Vec<Damage> {
    if process.recorder.is_empty() {
        return Vec::new();
    }
    let is_over = header.state & FINALIZED != 0;
    let has_records = |thread: &ThreadPages<'_>| thread.pages.iter().any(|page| page.words.get(0) != Some(0));
    let is_zeroed = |block: &LiveBlock| block.off_line.load(Relaxed) == 0;
    let zeroed = |thread: &&ThreadPages<'_>| (is_over || has_records(thread)) && thread.block.is_some_and(is_zeroed);
    contents.threads.iter().filter(zeroed).map(|thread| Damage::ZeroedBlock { thread: thread.number }).collect()
}
