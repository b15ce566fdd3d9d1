//! Records are contiguous and whole, and nothing is written beyond the page.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use recorder_core::page_cursor::PageCursor;

/// Words after the page, which must stay zero.
const BEHIND: usize = 4;

struct Memory(Vec<AtomicU64>);

impl Memory {
    fn new(words: usize) -> Memory {
        Memory((0..words + BEHIND).map(|_| AtomicU64::new(0)).collect())
    }

    fn turn(&self, cursor: &PageCursor) {
        // SAFETY: the page has this many words, and they outlive the cursor.
        unsafe { cursor.turn_to(NonNull::from(&self.0[0]), self.0.len() - BEHIND) };
    }

    fn words(&self) -> Vec<u64> {
        let (page, behind) = self.0.split_at(self.0.len() - BEHIND);
        assert!(behind.iter().all(|word| word.load(Relaxed) == 0), "something lies behind the page");
        page.iter().map(|word| word.load(Relaxed)).collect()
    }
}

#[test]
fn without_a_page_there_is_no_room() {
    let cursor = PageCursor::new();
    assert!(!cursor.put(1) && !cursor.write(&[1, 2]) && cursor.reserve(1).is_none());
    assert_eq!((cursor.room(), cursor.written.words()), (0, Some(0)));
}

#[test]
fn a_page_takes_records_until_it_is_full_and_not_a_word_more() {
    let (memory, cursor) = (Memory::new(6), PageCursor::new());
    memory.turn(&cursor);
    assert!(cursor.put(1) && cursor.write(&[2, 3]) && cursor.write_all(4, [5, 6].into_iter()));
    assert!(!cursor.put(7) && !cursor.write(&[7]) && !cursor.write_all(7, std::iter::empty()));
    assert!(cursor.reserve(1).is_none());
    assert_eq!((memory.words(), cursor.room()), (vec![1, 2, 3, 4, 5, 6], 0));
}

#[test]
fn a_record_that_does_not_fit_leaves_the_room_to_one_that_does() {
    let (memory, cursor) = (Memory::new(4), PageCursor::new());
    memory.turn(&cursor);
    assert!(cursor.write(&[1, 2]));
    assert!(!cursor.write(&[9, 9, 9]) && !cursor.write_all(9, [9, 9].into_iter()) && cursor.reserve(3).is_none());
    assert_eq!((memory.words(), cursor.room()), (vec![1, 2, 0, 0], 2));
    assert!(cursor.write(&[3, 4]));
    assert_eq!(memory.words(), [1, 2, 3, 4]);
}

#[test]
fn what_was_reserved_is_left_alone() {
    let (memory, cursor) = (Memory::new(5), PageCursor::new());
    memory.turn(&cursor);
    let place = cursor.reserve(3).unwrap();
    assert_eq!(place.as_ptr().cast_const(), memory.0.as_ptr());
    assert!(cursor.put(4));
    assert_eq!(memory.words(), [0, 0, 0, 4, 0]);
}

#[test]
fn words_are_counted_over_all_pages_wherever_those_lie() {
    let cursor = PageCursor::new();
    let pages: Vec<Memory> = (0..3).map(|_| Memory::new(3)).collect();
    for (number, page) in [2, 0, 1].into_iter().map(|at| &pages[at]).enumerate() {
        page.turn(&cursor);
        assert!(cursor.write(&[1, 2]));
        // The last word stays free.
        assert_eq!(cursor.written.words(), Some(2 * (number as u64 + 1)));
    }
}

#[test]
fn a_cursor_that_has_ended_takes_nothing_until_it_gets_a_page() {
    let (first, second, cursor) = (Memory::new(4), Memory::new(4), PageCursor::new());
    first.turn(&cursor);
    assert!(cursor.put(1));
    cursor.end();
    assert!(!cursor.put(2) && cursor.reserve(1).is_none());
    second.turn(&cursor);
    assert!(cursor.put(3));
    assert_eq!((first.words(), second.words()), (vec![1, 0, 0, 0], vec![3, 0, 0, 0]));
}
