//! A region's name has one number, which is the same for all threads and never changes.

use std::collections::{HashMap, HashSet};

use recorder_core::region_names::RegionNames;

#[test]
fn a_name_has_a_number_of_its_own_and_says_what_it_said() {
    let names = RegionNames::new().unwrap();
    let texts: Vec<String> = (0..2_000).map(|number| format!("step {number}")).chain([String::new()]).collect();
    let numbers: HashMap<&str, u32> =
        texts.iter().map(|text| (text.as_str(), names.find(text.as_bytes()).number())).collect();
    assert_eq!(numbers.values().collect::<HashSet<_>>().len(), texts.len());
    assert!(!numbers.values().any(|number| *number == 0));
    for text in &texts {
        let name = names.find(text.as_bytes());
        assert_eq!((name.number(), name.text()), (numbers[text.as_str()], text.as_bytes()));
    }
}

#[test]
fn names_are_the_same_that_differ_behind_255_bytes_only() {
    let names = RegionNames::new().unwrap();
    let mut long = vec![b'x'; 300];
    let number = names.find(&long).number();
    long[255] = b'y';
    assert_eq!(names.find(&long).number(), number);
    assert_eq!(names.find(&long).text(), [b'x'; 255]);
    long[254] = b'y';
    assert_ne!(names.find(&long).number(), number);
    assert_ne!(names.find(&long[..254]).number(), number);
}

#[test]
fn a_program_that_makes_up_ever_new_names_has_one_number_for_all_further_ones() {
    let names = RegionNames::new().unwrap();
    let number = |at: u32| names.find(format!("name {at}").as_bytes()).number();
    let numbers: Vec<u32> = (0..3_000).map(number).collect();
    let others = names.find(b"(other regions)");
    assert_eq!(numbers.iter().filter(|number| **number == others.number()).count(), 3_000 - 2_048);
    assert_eq!(names.find(b"name 2999").text(), b"(other regions)");
    // The first names keep their numbers.
    assert_eq!((0..2_048).map(number).collect::<Vec<_>>(), numbers[..2_048]);
}

#[test]
fn a_name_is_told_once() {
    let names = RegionNames::new().unwrap();
    let told = |text: &[u8]| names.find(text).is_untold();
    assert_eq!(
        [told(b"a"), told(b"b"), told(b"a"), told(b"b"), told(b"(other regions)")],
        [true, true, false, false, true]
    );
}

#[test]
fn threads_that_meet_the_same_names_agree_on_their_numbers() {
    let names = RegionNames::new().unwrap();
    let all = || (0..400).map(|at| names.find(format!("name {at}").as_bytes()).number()).collect::<Vec<_>>();
    let numbers: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(all)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(numbers.iter().all(|of_thread| *of_thread == all()));
    assert_eq!(all().into_iter().collect::<HashSet<_>>().len(), 400);
}
