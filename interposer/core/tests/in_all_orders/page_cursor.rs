//! A thread that writes records and one that reads them, in every order that loom finds: `cargo xtask tables`.

use std::ptr::NonNull;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering::*};
use loom::thread;
use recorder_core::page_cursor::PageCursor;

/// A cursor that one thread writes with, while others ask how much was written.
struct Watched(PageCursor);

// SAFETY: the other threads of these tests only ask for words, which are atomic.
unsafe impl Sync for Watched {}

fn page(words: usize) -> &'static [AtomicU64] {
    Box::leak((0..words).map(|_| AtomicU64::new(0)).collect::<Box<[_]>>())
}

fn turn(cursor: &PageCursor, page: &'static [AtomicU64]) {
    // SAFETY: the page has this many words, and is never freed.
    unsafe { cursor.turn_to(NonNull::from(page).cast(), page.len()) };
}

#[test]
fn whoever_finds_the_first_word_of_a_record_finds_the_others() {
    loom::model(|| {
        let page = page(3);
        let reader = thread::spawn(move || {
            if page[0].load(Acquire) != 0 {
                assert_eq!([1, 2].map(|at: usize| page[at].load(Relaxed)), [2, 3]);
            }
        });
        let cursor = PageCursor::new();
        turn(&cursor, page);
        assert!(cursor.write(&[1, 2, 3]));
        reader.join().unwrap();
    });
}

#[test]
fn whoever_asks_while_a_page_is_turned_gets_no_count_or_one_that_was_right() {
    loom::model(|| {
        let cursor = Arc::new(Watched(PageCursor::new()));
        let (first, second) = (page(2), page(2));
        turn(&cursor.0, first);
        assert!(cursor.0.write(&[1, 2]));
        let reader = {
            let cursor = Arc::clone(&cursor);
            thread::spawn(move || {
                let counts = [cursor.0.written.words(), cursor.0.written.words()];
                assert!(counts.iter().flatten().all(|count| (2..=4).contains(count)), "{counts:?}");
                assert!(counts.is_sorted() || counts[1].is_none(), "{counts:?}");
            })
        };
        turn(&cursor.0, second);
        assert!(cursor.0.put(3) && cursor.0.put(4));
        reader.join().unwrap();
        assert_eq!(cursor.0.written.words(), Some(4));
    });
}
