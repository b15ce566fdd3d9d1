//! A table of handles agrees with a HashMap, however many handles there are.

use std::collections::HashMap;

use recorder_core::handles::{Handles, Keep};

/// Pseudorandom numbers (xorshift), the same in every run.
fn numbers(count: usize) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(0x2545_f491_4f6c_dd1du64), |last| {
        let mut next = *last;
        next ^= next << 13;
        next ^= next >> 7;
        next ^= next << 17;
        Some(next)
    })
    .take(count)
}

#[test]
fn a_table_knows_what_a_map_knows() {
    let (table, mut map) = (Handles::new(), HashMap::new());
    for (step, number) in numbers(200_000).enumerate() {
        // Like an MPI's handles: addresses that are multiples of 64, some of which are reused.
        let handle = 0x7f00_0000_0000 + (number % 5_000) * 64;
        match number >> 32 & 3 {
            0 => assert_eq!(table.remove(handle), map.remove(&handle), "step {step}"),
            1 => {
                let change = |value: &mut u64| {
                    *value += 1;
                    if value.is_multiple_of(7) { Keep::No } else { Keep::Yes }
                };
                assert_eq!(table.visit(handle, change), map.get(&handle).copied(), "step {step}");
                if let Some(value) = map.get_mut(&handle) {
                    *value += 1;
                    if value.is_multiple_of(7) {
                        map.remove(&handle);
                    }
                }
            }
            _ if map.contains_key(&handle) => {}
            _ => {
                // SAFETY: no other thread knows the table.
                assert!(unsafe { table.insert(handle, number) });
                map.insert(handle, number);
            }
        }
        assert_eq!(table.get(handle), map.get(&handle).copied(), "step {step}");
    }
    assert!(map.len() > 1_000);
    assert!(map.iter().all(|(handle, value)| table.get(*handle) == Some(*value)));
}

#[test]
fn a_handle_that_comes_again_unforgotten_has_its_new_value() {
    let table = Handles::new();
    for value in 0..3 {
        for handle in 1..10_000u64 {
            // SAFETY: no other thread knows the table.
            assert!(unsafe { table.insert(handle << 4, value) });
            if handle % 3 == 0 {
                table.remove((handle / 3) << 4);
            }
        }
        assert!((3_334..10_000u64).all(|handle| table.get(handle << 4) == Some(value)));
    }
    (1..10_000u64).for_each(|handle| assert!(table.remove(handle << 4).is_none() || table.get(handle << 4).is_none()));
    assert!((1..10_000u64).all(|handle| table.get(handle << 4).is_none()));
}

#[test]
fn a_hundred_thousand_handles_that_live_at_once_are_all_known() {
    let table = Handles::new();
    for handle in 1..=100_000u64 {
        assert!(table.share(handle << 4, handle));
    }
    assert!((1..=100_000u64).all(|handle| table.get(handle << 4) == Some(handle)));
    assert!((1..=100_000u64).all(|handle| table.remove(handle << 4) == Some(handle)));
    assert!((1..=100_000u64).all(|handle| table.get(handle << 4).is_none()));
}

#[test]
fn a_handle_that_two_threads_met_at_once_is_forgotten_at_once() {
    let table = Handles::new();
    assert!(table.share(64, 1) && table.share(64, 1));
    assert_eq!((table.get(64), table.remove(64), table.get(64)), (Some(1), Some(1), None));
}

#[test]
fn threads_that_share_a_table_lose_none_of_each_others_handles() {
    const EACH: u64 = 20_000;
    let table = Handles::new();
    let of = |thread: u64| (1..=EACH).map(move |number| (thread << 32 | number) << 4);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let table = &table;
            scope.spawn(move || {
                for handle in of(thread) {
                    assert!(table.share(handle, handle));
                    assert_eq!(table.get(handle), Some(handle));
                }
            });
        }
    });
    assert!((0..4).flat_map(of).all(|handle| table.get(handle) == Some(handle)));
}

#[test]
fn nothing_is_known_of_0_which_is_no_handle() {
    let table = Handles::new();
    // SAFETY: no other thread knows the table.
    assert!(unsafe { table.insert(64, 1u64) });
    for _ in 0..2 {
        assert_eq!(table.get(0), None);
        assert_eq!(table.remove(0), None);
        assert_eq!(table.visit(0, |_| Keep::No), None);
        // SAFETY: as above.
        assert!(unsafe { table.insert(0, 2) } && table.share(0, 3));
    }
    assert_eq!(table.get(64), Some(1));
}
