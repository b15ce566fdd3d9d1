//! A cached call is found by its words, until an object that its meaning depends on is freed.

use std::sync::Mutex;

use recorder_core::cache::{self, Cache, Dependence, Words};

/// `forget` voids entries in all caches of the process, so the tests run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// The words of a call with the argument `number`, for the large table if `many`.
fn words(many: bool, number: u64) -> Words {
    let mut words = Words::new(7, 0x5555_5555_0000);
    words.push(number);
    (0..if many { 10 } else { 2 }).for_each(|word| words.push(word));
    words
}

#[test]
fn a_call_is_found_at_once_with_few_words_and_with_many() {
    let _alone = ALONE.lock();
    let mut cache = Cache::new().unwrap();
    for many in [false, true] {
        assert_eq!(cache.find(&words(many, 1)), None);
        cache.insert(&words(many, 1), 17, Dependence::default(), true);
        assert_eq!((cache.find(&words(many, 1)), cache.find(&words(many, 2))), (Some(17), None));
    }
}

#[test]
fn a_call_that_is_not_to_be_found_at_once_is_found_around() {
    let _alone = ALONE.lock();
    let mut cache = Cache::new().unwrap();
    cache.insert(&words(false, 1), 40_000, Dependence::default(), false);
    assert_eq!((cache.find(&words(false, 1)), cache.find_around(&words(false, 1))), (None, Some(40_000)));
}

#[test]
fn what_is_freed_voids_what_depends_on_it_and_nothing_else() {
    let _alone = ALONE.lock();
    let mut cache = Cache::new().unwrap();
    let (freed, other) = (0x7000, 0x7040);
    cache.insert(&words(false, 1), 1, Dependence::default().on(freed), true);
    cache.insert(&words(false, 2), 2, Dependence::default().on(other), true);
    cache.insert(&words(false, 3), 3, Dependence::default(), true);
    cache::forget(freed);
    // Each is checked once more, and then found at once again.
    assert_eq!([1, 2, 3].map(|number| cache.find(&words(false, number))), [None; 3]);
    assert_eq!([1, 2, 3].map(|number| cache.find_around(&words(false, number))), [None, Some(2), Some(3)]);
    assert_eq!([1, 2, 3].map(|number| cache.find(&words(false, number))), [None, Some(2), Some(3)]);
    cache.insert(&words(false, 1), 4, Dependence::default().on(freed), true);
    assert_eq!(cache.find(&words(false, 1)), Some(4));
}

#[test]
fn a_program_with_fifty_thousand_tags_finds_them_all() {
    let _alone = ALONE.lock();
    let mut cache = Cache::new().unwrap();
    for tag in 0..50_000 {
        cache.insert(&words(false, tag), tag as u32 + 1, Dependence::default(), true);
    }
    assert!((0..50_000).all(|tag| cache.find_around(&words(false, tag)) == Some(tag as u32 + 1)));
}

#[test]
fn halves_of_a_word_and_bits_tell_calls_apart() {
    let _alone = ALONE.lock();
    let with = |first: u32, second: u32, bit: bool| {
        let mut words = Words::new(7, 0x5555_5555_0000);
        words.push_half(first);
        words.push_half(second);
        words.push_bit(bit);
        words
    };
    let mut cache = Cache::new().unwrap();
    cache.insert(&with(1, 2, false), 1, Dependence::default(), true);
    let others = [with(2, 1, false), with(1, 2, true), with(1, 3, false)];
    assert!(others.iter().all(|words| cache.find_around(words).is_none()));
    assert_eq!(cache.find(&with(1, 2, false)), Some(1));
}

#[test]
fn a_call_that_is_kept_off_the_straight_line_is_told_from_one_by_the_profiling_name() {
    let _alone = ALONE.lock();
    // The highest bits of a call site say how the call came.
    for way in [0, 1 << 62, 1 << 63] {
        let site = 0x5555_5555_0000 | way;
        let mut kept = Words::new(7, site);
        kept.keep_around();
        let mut cache = Cache::new().unwrap();
        cache.insert(&kept, 1, Dependence::default(), true);
        assert_eq!((cache.find(&Words::new(7, site)), cache.find(&kept)), (None, Some(1)), "{way:#x}");
    }
}
