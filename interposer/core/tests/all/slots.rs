//! A number that was added is found, in whatever slot it ended up.

use recorder_core::slots::Slots;

const BITS: u32 = 6;
const HALF: u32 = 1 << (BITS - 1);

#[test]
fn numbers_that_prefer_one_slot_are_all_found_also_behind_the_last() {
    for hash in [0, 1 << 63, u64::MAX] {
        let slots = Slots::new(BITS).unwrap();
        for number in 1..=HALF {
            assert_eq!(slots.find(hash, |other| other == number), None);
            assert_eq!(slots.add(hash, number, |other| other == number), number);
        }
        assert!((1..=HALF).all(|number| slots.find(hash, |other| other == number) == Some(number)));
    }
}

#[test]
fn what_another_thread_has_added_meanwhile_is_the_one() {
    let slots = Slots::new(BITS).unwrap();
    assert_eq!(slots.add(7, 1, |_| false), 1);
    // Numbers 1 and 2 stand for the same thing.
    assert_eq!(slots.add(7, 2, |other| other == 1), 1);
    assert_eq!(slots.find(7, |_| true), Some(1));
}

#[test]
fn slots_that_grow_keep_all_numbers() {
    let hash = |number: u32| u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut slots = Slots::new(1).unwrap();
    for number in 1..=10_000 {
        if !slots.hold(number) {
            slots.grow(hash).unwrap();
        }
        assert!(slots.hold(number));
        slots.add(hash(number), number, |_| false);
    }
    assert!((1..=10_000).all(|number| slots.find(hash(number), |other| other == number) == Some(number)));
    assert_eq!(slots.find(hash(10_001), |other| other == 10_001), None);
}
