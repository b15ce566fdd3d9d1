//! A key has one number, which means the same for as long as the thread lives.

use std::panic::{AssertUnwindSafe, catch_unwind};

use recorder_core::dictionary::{Dictionary, Key};
use traces::record::MAX_SHORT;
use traces::signature::STARTS;

fn key(tag: i32, flags: u16) -> Key {
    Key { address: 0x5555_5555_0000, call: 7, flags, tag, peer: tag % 16, sent: 8, ..Key::EMPTY }
}

#[test]
fn every_key_has_a_number_of_its_own_and_a_start_has_two() {
    let mut dictionary = Dictionary::new().unwrap();
    assert_eq!(dictionary.add(&key(1, 0), |_| ()), Some(1));
    assert_eq!(dictionary.add(&key(2, STARTS), |_| ()), Some(2));
    assert_eq!(dictionary.add(&key(3, 0), |_| ()), Some(4));
    assert_eq!(
        [1, 2, 3].map(|tag| dictionary.find(&key(tag, if tag == 2 { STARTS } else { 0 }))),
        [Some(1), Some(2), Some(4)]
    );
    assert_eq!(dictionary.find(&key(4, 0)), None);
    // The next number is the same call whose request completed at once.
    assert_eq!(dictionary.key(3).tag, 2);
}

#[test]
fn numbers_and_keys_stay_what_they_are_while_the_dictionary_grows() {
    let mut dictionary = Dictionary::new().unwrap();
    let first = dictionary.add(&key(0, 0), |_| ()).map(|number| dictionary.key(number)).unwrap();
    let many = 2 * MAX_SHORT as i32;
    for tag in 1..many {
        assert_eq!(dictionary.add(&key(tag, 0), |_| ()), Some(tag as u32 + 1));
    }
    assert!((0..many).all(|tag| dictionary.find(&key(tag, 0)) == Some(tag as u32 + 1)));
    assert!((0..many).all(|tag| dictionary.key(tag as u32 + 1).tag == tag));
    assert!(std::ptr::eq(first, dictionary.key(1)));
}

#[test]
fn a_number_is_told_before_it_is_given_and_again_where_the_telling_was_left() {
    let mut dictionary = Dictionary::new().unwrap();
    let mut told = Vec::new();
    // Stands for a signal handler that leaves by longjmp.
    let left = catch_unwind(AssertUnwindSafe(|| {
        dictionary.add(&key(1, 0), |number| {
            told.push((number, 1));
            std::panic::resume_unwind(Box::new(()));
        })
    }));
    assert!(left.is_err());
    assert_eq!(dictionary.find(&key(1, 0)), None);
    let number = dictionary.add(&key(2, 0), |number| told.push((number, 2)));
    // Readers take the later definition.
    assert_eq!((number, &told[..]), (Some(1), &[(1, 1), (1, 2)][..]));
    assert_eq!((dictionary.find(&key(2, 0)), dictionary.find(&key(1, 0))), (Some(1), None));
}

#[test]
fn keys_that_differ_by_one_field_are_told_apart() {
    let plain = key(1, 0);
    let others = [
        Key { address: plain.address + 1, ..plain },
        Key { call: 8, ..plain },
        Key { flags: 1, ..plain },
        Key { object: 1, ..plain },
        Key { peer: 2, ..plain },
        Key { tag: 2, ..plain },
        Key { source: 3, ..plain },
        Key { source_tag: 3, ..plain },
        Key { sent: 9, ..plain },
        Key { received: 9, ..plain },
        Key { requests: 1, ..plain },
    ];
    let mut dictionary = Dictionary::new().unwrap();
    dictionary.add(&plain, |_| ()).unwrap();
    for other in others {
        assert_eq!(dictionary.find(&other), None);
        let number = dictionary.add(&other, |_| ());
        assert_eq!((dictionary.find(&other), dictionary.find(&plain)), (number, Some(1)));
    }
}
