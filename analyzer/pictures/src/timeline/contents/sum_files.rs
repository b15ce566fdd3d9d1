//! What the chunks of a run come to, eight by eight, and eight times eight by eight times eight: a page needs few of these files for a
//! time of any length.

use crate::timeline::{ChunkSums, PageSums};
use model::error::Error;

/// How many of one level make one of the next.
const EACH: usize = 8;

/// See the module.
#[derive(Default)]
pub struct SumFiles {
    levels: Vec<Level>,
    /// Name and text of those that were not written yet.
    full: Vec<(String, String)>,
}

#[derive(Default)]
struct Level {
    /// What came since the last file, and how many chunks that is.
    sums: ChunkSums,
    chunks: usize,
    files: Vec<String>,
}

impl SumFiles {
    /// Adds the next chunk.
    pub fn add(&mut self, chunk: &ChunkSums) {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let first = &mut self.levels[0];
        first.sums.merge(chunk);
        first.chunks += 1;
        let mut at = 0;
        while self.levels[at].chunks == size(at) {
            self.close(at);
            at += 1;
        }
    }

    /// Keeps what a level has as a file, and hands it up.
    fn close(&mut self, at: usize) {
        if self.levels.len() == at + 1 {
            self.levels.push(Level::default());
        }
        let level = &mut self.levels[at];
        let (sums, chunks) = (std::mem::take(&mut level.sums), std::mem::take(&mut level.chunks));
        let name = format!("sums-{}-{:05}", size(at), level.files.len());
        level.files.push(name.clone());
        self.full.push((name, sums.bytes().text()));
        let next = &mut self.levels[at + 1];
        next.sums.merge(&sums);
        next.chunks += chunks;
    }

    /// Writes what was kept.
    pub fn write(&mut self, write: &mut dyn FnMut(&str, &str) -> Result<(), Error>) -> Result<(), Error> {
        self.full.drain(..).try_for_each(|(name, text)| write(&name, &text))
    }

    /// Keeps what is left, of fewer chunks; up to the level that has all in one file.
    pub fn finish(&mut self) {
        let mut at = 0;
        while at < self.levels.len() {
            if self.levels[at].chunks > 0 {
                self.close(at);
            }
            if self.levels[at].files.len() <= 1 {
                self.levels.truncate(at + 1);
            }
            at += 1;
        }
    }

    /// The names of all files.
    pub fn list(self) -> Vec<PageSums> {
        let level = |(at, level): (usize, Level)| PageSums { each: size(at), files: level.files };
        self.levels.into_iter().enumerate().map(level).collect()
    }
}

/// Chunks of a file of a level.
fn size(level: usize) -> usize {
    EACH.saturating_pow(level as u32 + 1)
}
