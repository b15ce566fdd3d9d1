//! Following a file whose oldest pages are reused.

use std::fs;
use std::os::unix::fs::FileExt;

use crate::common::header;
use traces::file::{FileHeader, PageKind};
use traces::read::{EventPage, Follower};
use traces::record;
use traces::write::FileWriter;

/// A file that keeps only its newest records, with one page of them. `sequence` is the page's place among the thread's
/// pages, and `ticks` the duration of its call.
fn kept(sequence: u32, ticks: u64) -> Vec<u8> {
    let mut file = FileWriter::begin(Vec::new(), FileHeader { keep_bytes: 1 << 20, ..header(0) }).unwrap();
    file.events(0, sequence, 0, &[record::short(1, 0, ticks).unwrap()]).unwrap();
    file.into_inner()
}

#[test]
fn a_page_that_was_taken_again_is_not_read_as_the_one_that_it_was() {
    let path = std::env::temp_dir().join(format!("overhear-follow-{}.ovh", std::process::id()));
    fs::write(&path, kept(0, 3)).unwrap();
    let mut follower = Follower::open(&path).unwrap();
    let first = follower.find();
    let mut room = Vec::new();
    let word = |page: EventPage<'_>| page.words.get(0);
    assert_eq!(follower.events(&first[0], &mut room).map(word), Some(record::short(1, 0, 3)));
    fs::File::options().write(true).open(&path).unwrap().write_all_at(&kept(4, 5), 0).unwrap();
    assert!(follower.events(&first[0], &mut room).is_none());
    let second = follower.find();
    assert_eq!(second.iter().map(|page| (page.kind, page.sequence)).collect::<Vec<_>>(), [(PageKind::Events, 4)]);
    assert_eq!(follower.events(&second[0], &mut room).map(word), Some(record::short(1, 0, 5)));
    fs::remove_file(&path).unwrap();
}
