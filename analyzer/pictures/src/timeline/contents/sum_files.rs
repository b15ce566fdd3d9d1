//! Sums of 8 chunks, of 8 x 8, and so on, in files: a page needs few of them for a time of any length.

use crate::timeline::{ChunkSums, PageSums, WritePart};
use model::error::Error;

/// Files of one level that make one of the next.
const EACH: usize = 8;

#[derive(Default)]
pub struct SumFiles {
    levels: Vec<Level>,
    /// Name and text of files that are still to be written.
    full: Vec<(String, String)>,
}

#[derive(Default)]
struct Level {
    /// Sums since the last file, and their number of chunks.
    sums: ChunkSums,
    chunks: usize,
    files: Vec<String>,
}

impl SumFiles {
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

    /// Turns a level's sums into a file, and adds them to the next level.
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

    /// Writes the pending files.
    pub fn write(&mut self, write: WritePart<'_>) -> Result<(), Error> {
        self.full.drain(..).try_for_each(|(name, text)| write(&name, &text))
    }

    /// Closes incomplete levels, up to the one that holds everything in one file.
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

    /// Names of all files, by level.
    pub fn list(self) -> Vec<PageSums> {
        let level = |(at, level): (usize, Level)| PageSums { each: size(at), files: level.files };
        self.levels.into_iter().enumerate().map(level).collect()
    }
}

/// Chunks per file of a level.
fn size(level: usize) -> usize {
    EACH.saturating_pow(level as u32 + 1)
}
