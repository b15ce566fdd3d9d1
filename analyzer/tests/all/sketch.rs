//! Some pages of a rank suffice to know its number of calls, and how its recording ended.

use std::path::Path;
use std::sync::Arc;

use crate::common::dropped::drop_oldest;
use crate::common::{BEGIN, Folder, header, overhear, signature};
use model::{Choice, End, Rank, Sketch};
use synthetic::{Shape, Topology, run};
use traces::calls::Call;
use traces::file::{FileHeader, INITIALIZED, ThreadBlock};
use traces::progress::{self, Polls};
use traces::read::RankFile;
use traces::write::{FileWriter, blank_block, call};

fn load(path: &Path) -> Rank {
    Rank::load(Arc::new(RankFile::open(path).unwrap()), &Choice { whole: true, ..Choice::default() }, None, 0, |_| ())
}

fn calls(path: &Path) -> u64 {
    load(path).entries().map(|entry| entry.count).sum()
}

/// A rank with pages of `calls` calls each, the last of them a poll that stands for a thousand, and 300 polls without a
/// record.
fn with_pages(header: FileHeader, pages: u32, calls: u64) -> Folder {
    let folder = Folder::new();
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.signatures(0, 0, &[signature(1, Call::Test, 0, 0, 0)]).unwrap();
    let mut last = BEGIN;
    for page in 0..pages {
        let (mut words, base) = (Vec::new(), last);
        for _ in 1..calls {
            last = call(&mut words, last, 1, last + 10, 5);
        }
        let end = last + 100_000;
        let polls = Polls {
            start: last,
            end,
            count: 1_000,
            total: 5_000,
            gaps: [10, 200],
            durations: [5, 5],
            signature: 1,
            last: end - 5,
        };
        words.extend(progress::polls(&polls, 0));
        last = end;
        file.events(0, page, base, &words).unwrap();
    }
    let polls =
        Polls { start: last + 10, end: last + 20_000, count: 300, total: 1_500, signature: 1, ..Polls::default() };
    file.thread(0, &ThreadBlock { polls, ..blank_block() }).unwrap();
    folder.write("rank-0000.ovh", &file.into_inner());
    folder
}

#[test]
fn a_sketch_that_reads_all_pages_has_the_calls_and_the_end_of_the_whole() {
    let folder = Folder::new();
    run(&folder.0, &Shape { ranks: 3, calls: 20_000, topology: Topology::Ring, seed: 1 }).unwrap();
    for rank in 0..3 {
        let path = folder.0.join(format!("rank-{rank:04}.ovh"));
        let sketch = Sketch::read(&path, 1).unwrap();
        assert_eq!(sketch.calls, calls(&path));
        assert!(sketch.calls > 10_000 && matches!(sketch.rank.end, End::Finalized));
    }
}

#[test]
fn a_sketch_that_passes_pages_over_takes_those_it_reads_for_the_others() {
    let killed = FileHeader { state: INITIALIZED, ..header(0, 1) };
    let folder = with_pages(killed, 50, 200);
    let path = folder.0.join("rank-0000.ovh");
    let whole = load(&path);
    let all = 50 * 1_199 + 300;
    // The first 20 pages were dropped, and their calls counted.
    let kept = Folder::new();
    let rest = kept.0.join("rank-0000.ovh");
    assert_eq!(drop_oldest(&path, &rest, 0.4), 20 * 200);
    assert_eq!((calls(&path), calls(&rest)), (all, all));
    for one_in in [1, 2, 7, 1_000] {
        let sketch = Sketch::read(&path, one_in).unwrap();
        assert_eq!((sketch.calls, Sketch::read(&rest, one_in).unwrap().calls), (all, all), "one in {one_in}");
        // A killed rank lasted until its last call.
        assert!((sketch.rank.wall_of_threads() - whole.wall_of_threads()).abs() < 1e-9, "one in {one_in}");
    }
    assert_eq!(overhear("report", &folder.0, &[]).status.code(), Some(4));
}
