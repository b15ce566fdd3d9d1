//! Sites on paths are found by their callers and addresses.

use recorder_core::path_numbers::{MOST, PathNumbers};

#[test]
fn a_place_has_a_number_for_each_caller() {
    let paths = PathNumbers::new().unwrap();
    assert!(paths.add(0, 0x1000, 1) && paths.add(4, 0x1000, 2) && paths.add(4, 0x2000, 3));
    let found =
        [(0, 0x1000), (4, 0x1000), (4, 0x2000), (0, 0x2000)].map(|(caller, address)| paths.find(caller, address));
    assert_eq!(found, [Some(1), Some(2), Some(3), None]);
}

#[test]
fn what_is_unloaded_is_forgotten_and_the_rest_is_found() {
    let paths = PathNumbers::new().unwrap();
    for number in 1..=10_000 {
        assert!(paths.add(number % 7, u64::from(number), number));
    }
    paths.forget(|address| address % 2 == 0);
    for number in 1..=10_000 {
        let found = paths.find(number % 7, u64::from(number));
        assert_eq!(found, (number % 2 == 1).then_some(number));
    }
    assert!(paths.add(2, 2, 7));
    assert_eq!(paths.find(2, 2), Some(7));
}

#[test]
fn a_full_tree_takes_no_more_and_keeps_what_it_has() {
    let paths = PathNumbers::new().unwrap();
    for number in 1..=MOST as u32 {
        assert!(paths.add(number, 0x1000, number));
    }
    assert!(!paths.add(0, 1, 1));
    assert_eq!((paths.find(0, 1), paths.find(77, 0x1000), paths.used()), (None, Some(77), MOST));
}
