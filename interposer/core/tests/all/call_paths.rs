//! A call path is found as long as the stack holds its return addresses.

use std::sync::{Mutex, MutexGuard, PoisonError};

use recorder_core::call_paths::{CallPaths, StackWord, forget_all};

/// Code that is unloaded voids the paths of all threads: the tests run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A stack of words, and the words of a path on it.
fn path_on(stack: &[usize], places: &[usize]) -> Vec<StackWord> {
    places.iter().map(|at| StackWord { at: &raw const stack[*at] as usize, holds: stack[*at] }).collect()
}

fn add(paths: &mut CallPaths, place: usize, frame: usize, words: &[StackWord], path: u32) {
    // SAFETY: as for `find`.
    unsafe { paths.add(place, frame, words, path) };
}

fn find(paths: &CallPaths, place: usize, frame: usize) -> u32 {
    // SAFETY: the tests' stacks live as long as they are looked at.
    unsafe { paths.find(place, frame) }
}

#[test]
fn a_path_is_found_as_long_as_the_stack_holds_all_of_its_return_addresses() {
    let _alone = alone();
    let mut stack = vec![0, 11, 0, 22, 33];
    let mut paths = CallPaths::new().unwrap();
    add(&mut paths, 5, 100, &path_on(&stack, &[1, 3, 4]), 7);
    assert_eq!(find(&paths, 5, 100), 7);
    assert_eq!([find(&paths, 6, 100), find(&paths, 5, 101)], [0, 0]);
    stack[2] = 99;
    assert_eq!(find(&paths, 5, 100), 7);
    stack[4] = 34;
    assert_eq!(find(&paths, 5, 100), 0);
}

#[test]
fn paths_that_take_turns_at_one_place_are_each_found() {
    let _alone = alone();
    let mut stack = vec![0; 2];
    let mut paths = CallPaths::new().unwrap();
    for caller in 1..=20 {
        stack[1] = caller;
        add(&mut paths, 5, 100, &path_on(&stack, &[1]), caller as u32);
    }
    for turn in 0..100 {
        stack[1] = turn * 7 % 20 + 1;
        assert_eq!(find(&paths, 5, 100), stack[1] as u32);
    }
}

#[test]
fn paths_that_differ_in_any_of_their_words_are_told_apart() {
    let _alone = alone();
    let mut stack = vec![0; 7];
    let mut paths = CallPaths::new().unwrap();
    let all = |stack: &mut Vec<usize>, number: usize| {
        for (bit, word) in stack.iter_mut().enumerate() {
            *word = number >> bit & 1;
        }
    };
    for number in 0..128 {
        all(&mut stack, number);
        let words = path_on(&stack, &[0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(find(&paths, 5, 100), 0);
        add(&mut paths, 5, 100, &words, number as u32 + 1);
    }
    for number in (0..128).rev() {
        all(&mut stack, number);
        assert_eq!(find(&paths, 5, 100), number as u32 + 1);
    }
}

#[test]
fn when_code_is_unloaded_all_paths_are_forgotten() {
    let _alone = alone();
    let stack = vec![11];
    let mut paths = CallPaths::new().unwrap();
    add(&mut paths, 5, 100, &path_on(&stack, &[0]), 7);
    forget_all();
    assert_eq!(find(&paths, 5, 100), 0);
    add(&mut paths, 6, 100, &path_on(&stack, &[0]), 8);
    assert_eq!([find(&paths, 5, 100), find(&paths, 6, 100)], [0, 8]);
}

#[test]
fn beyond_the_room_for_paths_the_newest_are_found() {
    let _alone = alone();
    let stack: Vec<usize> = (1..=128).collect();
    let all: Vec<usize> = (0..128).collect();
    let words = path_on(&stack, &all);
    let mut paths = CallPaths::new().unwrap();
    for frame in 0..2000 {
        add(&mut paths, 5, frame, &words, frame as u32 + 1);
        assert_eq!(find(&paths, 5, frame), frame as u32 + 1);
    }
    assert_eq!(find(&paths, 5, 0), 0);
}
