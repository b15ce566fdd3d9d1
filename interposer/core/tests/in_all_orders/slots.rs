//! Threads that add to the same slots, in every order that loom finds: `cargo xtask tables`.

use loom::sync::Arc;
use loom::thread;
use recorder_core::slots::Slots;

#[test]
fn two_threads_that_add_the_same_agree_on_one_number() {
    loom::model(|| {
        let slots = Arc::new(Slots::new(1).unwrap());
        let other = {
            let slots = Arc::clone(&slots);
            thread::spawn(move || slots.add(0, 1, |_| true))
        };
        let own = slots.add(0, 2, |_| true);
        assert_eq!(other.join().unwrap(), own);
        assert_eq!(slots.find(0, |_| true), Some(own));
    });
}

#[test]
fn two_threads_that_add_different_numbers_to_one_slot_find_their_own() {
    loom::model(|| {
        let slots = Arc::new(Slots::new(2).unwrap());
        let other = {
            let slots = Arc::clone(&slots);
            thread::spawn(move || {
                slots.add(0, 1, |number| number == 1);
                assert_eq!(slots.find(0, |number| number == 1), Some(1));
            })
        };
        slots.add(0, 2, |number| number == 2);
        assert_eq!(slots.find(0, |number| number == 2), Some(2));
        other.join().unwrap();
        assert_eq!([1, 2].map(|own| slots.find(0, |number| number == own)), [Some(1), Some(2)]);
    });
}
