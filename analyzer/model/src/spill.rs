//! Stores records by rank that may not fit into memory: beyond a bound they go to temporary files.
//!
//! In: records of all ranks, in any order. Out: [`Sorted`] ones. Whenever the bound is reached, the records are sorted and written to a
//! file as a run, and each run is mapped, so its pages belong to the page cache. Without room on the disk the records stay in memory.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::mem::size_of;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use rustix::fs::OFlags;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Bytes of the records that are kept in memory.
pub const KEPT: usize = 32 << 20;
/// One in this many records is sampled to divide them.
const SAMPLED: usize = 64;

pub trait RankRecord: Copy + FromBytes + IntoBytes + Immutable {
    /// Place of its rank in [`Run::ranks`](crate::Run::ranks).
    fn rank(&self) -> u32;
    /// Order among the records of the rank.
    fn order(&self) -> impl Ord;
}

pub struct Spill<T> {
    ranks: usize,
    /// Records that are in no run yet.
    records: Vec<T>,
    /// Maximum number of `records`.
    most: usize,
    sorted: Sorted<T>,
}

/// Records in sorted runs.
pub struct Sorted<T> {
    runs: Vec<SortedRun<T>>,
}

struct SortedRun<T> {
    place: RunPlace<T>,
    /// Index of each rank's first record, and the number of all.
    firsts: Vec<u32>,
}

enum RunPlace<T> {
    Memory(Vec<T>),
    Mapped(Mmap),
}

impl<T> Default for Sorted<T> {
    fn default() -> Sorted<T> {
        Sorted { runs: Vec::new() }
    }
}

impl<T: RankRecord> Spill<T> {
    pub fn new(ranks: usize) -> Spill<T> {
        Spill::keeping(ranks, KEPT / size_of::<T>())
    }

    /// Keeps at most `most` records in memory.
    fn keeping(ranks: usize, most: usize) -> Spill<T> {
        Spill { ranks, records: Vec::new(), most, sorted: Sorted::default() }
    }

    pub fn add(&mut self, records: impl IntoIterator<Item = T>) {
        for record in records {
            if self.records.len() >= self.most {
                self.spill();
            }
            self.records.push(record);
        }
    }

    pub fn finish(mut self) -> Sorted<T> {
        if !self.records.is_empty() {
            let run = self.sort();
            self.sorted.runs.push(SortedRun { place: RunPlace::Memory(self.records), ..run });
        }
        self.sorted
    }

    fn spill(&mut self) {
        let run = self.sort();
        match mapped(self.records.as_slice().as_bytes()) {
            Ok(map) => {
                self.sorted.runs.push(SortedRun { place: RunPlace::Mapped(map), ..run });
                self.records.clear();
            }
            Err(_) => {
                let records = std::mem::take(&mut self.records);
                self.sorted.runs.push(SortedRun { place: RunPlace::Memory(records), ..run });
            }
        }
    }

    /// Sorts the records. Returns their run, which does not hold them yet.
    fn sort(&mut self) -> SortedRun<T> {
        self.records.sort_by(|one, other| (one.rank(), one.order()).cmp(&(other.rank(), other.order())));
        let mut firsts = vec![0; self.ranks + 1];
        for record in &self.records {
            firsts[record.rank() as usize + 1] += 1;
        }
        for at in 0..self.ranks {
            firsts[at + 1] += firsts[at];
        }
        SortedRun { place: RunPlace::Memory(Vec::new()), firsts }
    }
}

impl<T: RankRecord> Sorted<T> {
    /// Records of a rank in one of the runs.
    fn of_run(&self, run: usize, rank: usize) -> &[T] {
        let run = &self.runs[run];
        &run.all()[run.firsts[rank] as usize..run.firsts[rank + 1] as usize]
    }

    /// Values that divide the records into parts of about `count`, by a sample.
    pub fn divided(&self, count: usize, value: impl Fn(&T) -> i64) -> Vec<i64> {
        let mut values = Vec::new();
        for run in &self.runs {
            values.extend(run.all().iter().step_by(SAMPLED).map(&value));
        }
        values.sort_unstable();
        let each = (count / SAMPLED).max(1);
        let mut bounds: Vec<i64> = values.into_iter().step_by(each).skip(1).collect();
        bounds.dedup();
        bounds
    }

    /// Goes forward through the records of each rank.
    pub fn forward(&self, ranks: usize) -> Forward<'_, T> {
        Forward { sorted: self, taken: vec![vec![0; ranks]; self.runs.len()] }
    }

    /// Runs of a rank's records, in the order in which they were filled.
    pub fn runs(&self, rank: usize) -> impl DoubleEndedIterator<Item = &[T]> {
        (0..self.runs.len()).map(move |run| self.of_run(run, rank))
    }

    /// Goes back through the records of each rank.
    pub fn backward(&self, ranks: usize) -> Backward<'_, T> {
        let left = |run: usize| (0..ranks).map(|rank| self.of_run(run, rank).len() as u32).collect();
        Backward { sorted: self, left: (0..self.runs.len()).map(left).collect() }
    }
}

impl<T: RankRecord> SortedRun<T> {
    fn all(&self) -> &[T] {
        match &self.place {
            RunPlace::Memory(records) => records,
            RunPlace::Mapped(map) => <[T]>::ref_from_bytes(map).unwrap_or_default(),
        }
    }
}

/// The records of each rank, from its first to its last.
pub struct Forward<'a, T> {
    sorted: &'a Sorted<T>,
    /// Number of records that were taken, by run and rank.
    taken: Vec<Vec<u32>>,
}

impl<T: RankRecord> Forward<'_, T> {
    /// Takes a rank's next records up to those that are `beyond`.
    pub fn take(&mut self, rank: usize, beyond: impl Fn(&T) -> bool) -> Vec<T> {
        let mut records = Vec::new();
        for (run, taken) in self.taken.iter_mut().enumerate() {
            let left = &self.sorted.of_run(run, rank)[taken[rank] as usize..];
            let count = left.iter().take_while(|record| !beyond(record)).count();
            taken[rank] += count as u32;
            records.extend_from_slice(&left[..count]);
        }
        records.sort_by(|one, other| one.order().cmp(&other.order()));
        records
    }
}

/// The records of each rank, from its last to its first.
pub struct Backward<'a, T> {
    sorted: &'a Sorted<T>,
    /// Number of records that were not taken yet, by run and rank.
    left: Vec<Vec<u32>>,
}

impl<T: RankRecord> Backward<'_, T> {
    /// Takes the last record of a rank, after all that are `past`.
    pub fn take(&mut self, rank: usize, past: impl Fn(&T) -> bool) -> Option<T> {
        let mut last: Option<(usize, T)> = None;
        for (run, left) in self.left.iter_mut().enumerate() {
            let (left, records) = (&mut left[rank], self.sorted.of_run(run, rank));
            while *left > 0 && past(&records[*left as usize - 1]) {
                *left -= 1;
            }
            let Some(record) = left.checked_sub(1).map(|at| records[at as usize]) else { continue };
            if last.is_none_or(|(_, last)| last.order() < record.order()) {
                last = Some((run, record));
            }
        }
        let (run, record) = last?;
        self.left[run][rank] -= 1;
        Some(record)
    }
}

/// Writes bytes to a temporary file, and maps it.
pub fn mapped(bytes: &[u8]) -> io::Result<Mmap> {
    let mut file = temporary_file(&temporary_folder())?;
    file.write_all(bytes)?;
    // SAFETY: the file has no name, so no other process changes or truncates it.
    unsafe { Mmap::map(&file) }
}

/// The folder for large temporary files. `/tmp` lies in memory on many systems.
fn temporary_folder() -> PathBuf {
    std::env::var_os("TMPDIR").map_or_else(|| PathBuf::from("/var/tmp"), PathBuf::from)
}

/// A file without a name, which is gone with its last user.
fn temporary_file(folder: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true);
    match options.clone().custom_flags(OFlags::TMPFILE.bits() as i32).open(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {}
        opened => return opened,
    }
    // Some file systems do not support files without a name.
    let path = folder.join(format!("overhear-{}-{:x}", std::process::id(), &raw const options as usize));
    let file = options.create_new(true).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, FromBytes, IntoBytes, Immutable)]
    #[repr(C)]
    struct Record {
        rank: u64,
        at: i64,
    }

    impl RankRecord for Record {
        fn rank(&self) -> u32 {
            self.rank as u32
        }

        fn order(&self) -> impl Ord {
            self.at
        }
    }

    /// Records of three ranks, almost in the order of time.
    fn records() -> Vec<Record> {
        (0..1000).map(|number: i64| Record { rank: number as u64 * 7 % 3, at: number ^ 5 }).collect()
    }

    fn of_rank(rank: u64) -> Vec<Record> {
        let mut records: Vec<Record> = records().into_iter().filter(|record| record.rank == rank).collect();
        records.sort();
        records
    }

    fn spilled(most: usize) -> Sorted<Record> {
        let mut spill = Spill::keeping(3, most);
        spill.add(records());
        spill.finish()
    }

    #[test]
    fn records_come_back_sorted_in_either_direction_whether_they_lie_in_memory_or_in_a_file() {
        for (most, runs) in [(2000, 1), (1000, 1), (64, 16)] {
            let sorted = spilled(most);
            assert_eq!(sorted.runs.len(), runs);
            let in_files = sorted.runs.iter().filter(|run| matches!(run.place, RunPlace::Mapped(_))).count();
            assert_eq!(in_files, runs - 1);
            let (mut forward, mut backward) = (sorted.forward(3), sorted.backward(3));
            for rank in 0..3 {
                let mut expected = of_rank(rank as u64);
                let mut read = forward.take(rank, |record| record.at >= 400);
                assert!(!read.is_empty() && read.iter().all(|record| record.at < 400));
                read.extend(forward.take(rank, |_| false));
                assert_eq!(read, expected);
                expected.retain(|record| record.at <= 600);
                let back = std::iter::from_fn(|| backward.take(rank, |record| record.at > 600));
                assert!(back.eq(expected.into_iter().rev()));
            }
        }
    }

    #[test]
    fn records_are_divided_into_parts_of_about_the_same_size() {
        let bounds = spilled(64).divided(256, |record| record.at);
        assert_eq!(bounds.len(), 3, "{bounds:?}");
        for (bound, expected) in bounds.into_iter().zip([250, 500, 750]) {
            assert!((bound - expected).abs() <= SAMPLED as i64, "{bound} for {expected}");
        }
        assert!(spilled(64).divided(2000, |record| record.at).is_empty());
    }
}
