//! A thread that records and a process that reads its file meanwhile, in every order that loom finds: `cargo xtask tables`.

use std::ptr::NonNull;

use loom::sync::Arc;
use loom::sync::atomic::AtomicU64;
use loom::thread;
use recorder_core::page_cursor::PageCursor;
use traces::file::Level;
use traces::live::{LiveCalls, LiveWords, see_published};
use traces::read::{EventPage, Visitor, Walk};
use traces::record;

fn page(words: usize) -> &'static [AtomicU64] {
    Box::leak((0..words).map(|_| AtomicU64::new(0)).collect::<Box<[_]>>())
}

fn cursor(page: &'static [AtomicU64]) -> PageCursor {
    let cursor = PageCursor::new();
    // SAFETY: the page has this many words, and is never freed.
    unsafe { cursor.turn_to(NonNull::from(page).cast(), page.len()) };
    cursor
}

/// The calls of a page: signature, start and duration.
#[derive(Default)]
struct Calls(Vec<(u32, u64, u64)>);

impl Visitor for Calls {
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        self.0.push((signature, start, duration));
    }
}

#[test]
fn a_reader_finds_each_record_whole_or_not_at_all_and_then_its_signature() {
    loom::model(|| {
        let (signatures, records) = (page(2), page(6));
        let reader = thread::spawn(move || {
            let mut calls = Calls::default();
            let mut walk = Walk::new(&EventPage::of_words(LiveWords::new(records)));
            walk.step(&mut calls, usize::MAX).unwrap();
            let all = [(7, 1 << 40, 1 << 50), (7, (1 << 40) + (1 << 50) + (1 << 41), 3)];
            assert_eq!(calls.0, all[..calls.0.len()]);
            let signatures = LiveWords::new(signatures);
            if !calls.0.is_empty() {
                assert_eq!([0, 1].map(|at| signatures.get(at)), [Some(7), Some(8)]);
            }
        });
        assert!(cursor(signatures).write(&[7, 8]));
        let cursor = cursor(records);
        assert!(cursor.write(&record::long(7, 1 << 40, 1 << 50)));
        assert!(cursor.write(&record::long(7, 1 << 41, 3)));
        reader.join().unwrap();
    });
}

#[test]
fn a_reader_finds_the_first_word_of_an_item_with_all_others() {
    loom::model(|| {
        let page = page(4);
        let reader = thread::spawn(move || {
            let words = LiveWords::new(page);
            if words.published(1).is_some() {
                assert_eq!([1, 2, 3].map(|at| words.get(at)), [Some(2), Some(3), Some(4)]);
            }
            if words.get(1) == Some(2) {
                see_published();
                assert_eq!(words.get(0), Some(1), "the item before");
            }
        });
        let cursor = cursor(page);
        assert!(cursor.put(1) && cursor.write(&[2, 3, 4]));
        reader.join().unwrap();
    });
}

const CALLS: [Level; 3] =
    [Level { start: 10, signature: 1 }, Level { start: 20, signature: 2 }, Level { start: 30, signature: 1 }];

#[test]
fn a_reader_of_the_block_finds_a_call_with_its_own_start_and_signature() {
    loom::model(|| {
        let block = Arc::new(LiveCalls::new());
        let reader = {
            let block = Arc::clone(&block);
            thread::spawn(move || {
                let calls = block.copy();
                match calls.depth {
                    0 => {}
                    1 => assert!(CALLS.contains(&calls.levels[0]), "{calls:?}"),
                    depth => panic!("{depth} calls are open: {calls:?}"),
                }
            })
        };
        for call in CALLS {
            block.enter_first(call);
            block.set_depth(0);
        }
        reader.join().unwrap();
    });
}

#[test]
fn a_reader_of_the_block_finds_a_call_inside_another_beside_that_one() {
    loom::model(|| {
        let block = Arc::new(LiveCalls::new());
        let reader = {
            let block = Arc::clone(&block);
            thread::spawn(move || {
                let calls = block.copy();
                let open = &calls.levels[..calls.depth as usize];
                let [first, inside, second] = CALLS;
                let could_be: [&[Level]; 4] = [&[], &[first], &[first, inside], &[second]];
                assert!(could_be.contains(&open), "{calls:?}");
            })
        };
        let [first, inside, second] = CALLS;
        block.enter_first(first);
        block.set_level(1, || inside);
        block.set_depth(2);
        block.set_depth(1);
        block.set_depth(0);
        block.enter_first(second);
        reader.join().unwrap();
    });
}
