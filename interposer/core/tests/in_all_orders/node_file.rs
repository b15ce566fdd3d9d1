//! Processes that write a node file and one that reads it meanwhile, in every order that loom finds: `cargo xtask tables`.

use loom::sync::atomic::{AtomicU64, Ordering::*};
use loom::thread;
use traces::live::LiveWords;
use traces::node::{
    EXTENTS, FIRST_EXTENT, HEAD_BYTES, HEADER_BYTES, HeadWords, MemberHead, MemberName, claim, extent_start,
};
use traces::read::member_head;

const NAME: MemberName = MemberName { world: 0, rank: 3 };

fn words(words: usize) -> &'static [AtomicU64] {
    Box::leak((0..words).map(|_| AtomicU64::new(0)).collect::<Box<[_]>>())
}

fn head() -> &'static [AtomicU64] {
    words(size_of::<MemberHead>() / size_of::<u64>())
}

fn end_of_file() -> &'static AtomicU64 {
    Box::leak(Box::new(AtomicU64::new(HEADER_BYTES as u64)))
}

/// Extents that the length of a member reaches into.
fn reached(head: &MemberHead) -> &[u64] {
    let reached = (0..EXTENTS).take_while(|extent| extent_start(*extent) < head.used).count();
    &head.extents[..reached]
}

#[test]
fn a_reader_finds_each_extent_that_a_members_length_reaches_into_and_a_named_members_whole_length() {
    loom::model(|| {
        let (end, head) = (end_of_file(), head());
        let reader = thread::spawn(move || {
            let head = member_head(LiveWords::new(head)).unwrap();
            assert!(reached(&head).iter().all(|at| *at != 0), "{head:?}");
            assert!(reached(&head).is_sorted(), "{head:?}");
            if head.name == NAME.word() {
                assert_eq!(head.used, 2 * FIRST_EXTENT);
            }
        });
        let words = HeadWords::new(end, head).unwrap();
        words.begin(claim(end, HEAD_BYTES + FIRST_EXTENT).unwrap(), 1);
        assert_eq!(words.place(FIRST_EXTENT), None);
        words.claim_up_to(FIRST_EXTENT).unwrap();
        words.reach(2 * FIRST_EXTENT);
        words.rename(NAME);
        reader.join().unwrap();
    });
}

#[test]
fn processes_that_join_at_once_have_places_apart_and_a_reader_of_the_table_finds_each_with_its_process() {
    loom::model(|| {
        let (end, table, heads) = (end_of_file(), words(2), [head(), head()]);
        let join = move |process: usize| {
            let at = claim(end, HEAD_BYTES + FIRST_EXTENT).unwrap();
            HeadWords::new(end, heads[process]).unwrap().begin(at, process as u32 + 1);
            table[process].store(at, Release);
        };
        let other = thread::spawn(move || join(1));
        let reader = thread::spawn(move || {
            let found = [0, 1].map(|process| {
                let at = LiveWords::new(table).published(process)?;
                let head = member_head(LiveWords::new(heads[process])).unwrap();
                assert_eq!((head.pid, head.extents[0]), (process as u32 + 1, at + HEAD_BYTES));
                Some(at)
            });
            if let [Some(one), Some(other)] = found {
                assert!(one.abs_diff(other) >= HEAD_BYTES + FIRST_EXTENT);
            }
        });
        join(0);
        other.join().unwrap();
        reader.join().unwrap();
    });
}
