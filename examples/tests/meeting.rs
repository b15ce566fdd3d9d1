//! The page in which a host's recorded ranks meet, with processes that end too early.
//!
//! The recorder is a library for programs, so this test compiles in only these files of it.

#![allow(dead_code)]

use std::fs::{self, File};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use examples::run::fresh_folder;

#[path = "../../interposer/src/lifecycle/together/page.rs"]
mod page;
#[path = "../../interposer/src/lifecycle/together/process.rs"]
mod process;
#[path = "../../interposer/src/lifecycle/together/wait.rs"]
mod wait;

use page::{BEGINNING, COMPARING, ENDING, MeetingPage, Patience, ProcessSlot, SHOWN};
use process::ProcessId;
use wait::{LONGEST, Liveness};

/// File of a new page.
fn fresh(name: &str) -> PathBuf {
    let path = fresh_folder(&format!("meeting-{name}"));
    let _ = fs::remove_file(&path);
    path
}

fn open(path: &PathBuf) -> (File, MeetingPage) {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path).unwrap();
    let page = MeetingPage::of(&file).unwrap();
    (file, page)
}

fn announced(path: &PathBuf) -> (File, ProcessSlot) {
    let (file, page) = open(path);
    (file, page.announce(ProcessId::own()).unwrap())
}

/// Runs `work` in a child process, which then exits. Returns its id; the child is a zombie until [`wait_for`] asks for
/// its end.
fn in_a_child(work: impl FnOnce()) -> i32 {
    // SAFETY: the child does its work and ends.
    match unsafe { libc::fork() } {
        0 => {
            let done = panic::catch_unwind(AssertUnwindSafe(work));
            // SAFETY: ends the child.
            unsafe { libc::_exit(done.is_err().into()) }
        }
        child => child,
    }
}

fn wait_for(child: i32) {
    let mut status = -1;
    // SAFETY: the child was forked here.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "the child failed");
}

fn nothing() {}

#[test]
fn a_rank_that_ends_before_it_tells_is_waited_for_no_longer() {
    let path = fresh("tells");
    let (file, own) = announced(&path);
    let first = in_a_child(|| {
        let (_, place) = announced(&path);
        assert_eq!(place.counted(0, 3, None, nothing), Some(vec![0, 1]));
    });
    assert_eq!(own.counted(1, 3, None, nothing), Some(vec![0, 1]));
    let began = Instant::now();
    // The child was not waited for: it is a zombie.
    assert_eq!(own.told(&file), None);
    assert!(began.elapsed() < LONGEST / 2, "{:?}", began.elapsed());
    wait_for(first);
}

#[test]
fn what_a_rank_told_before_it_ended_counts() {
    let path = fresh("told");
    let (file, own) = announced(&path);
    let first = in_a_child(|| {
        let (file, place) = announced(&path);
        place.counted(0, 2, None, nothing);
        place.tell(&file, b"all");
    });
    assert!(own.counted(1, 2, None, nothing).is_some());
    wait_for(first);
    assert_eq!(own.told(&file).as_deref(), Some(&b"all"[..]));
}

#[test]
fn a_rank_that_announces_itself_and_ends_does_not_keep_the_list_open() {
    let path = fresh("announced");
    let (_, own) = announced(&path);
    wait_for(in_a_child(|| drop(announced(&path))));
    let began = Instant::now();
    assert_eq!(own.counted(0, 2, Some(2), nothing), Some(vec![0]));
    assert!(began.elapsed() < LONGEST / 2, "{:?}", began.elapsed());
}

#[test]
fn ranks_that_come_one_after_another_are_all_counted_however_long_that_takes_together() {
    const RANKS: u32 = 5;
    let path = fresh("slowly");
    thread::scope(|scope| {
        for rank in 0..RANKS {
            let (_, mut place) = announced(&path);
            place.patience = Patience { unannounced: Duration::from_secs(2), announced: Duration::from_secs(2) };
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(700) * rank);
                // A sixth is not recorded.
                assert_eq!(place.counted(rank, RANKS + 1, None, nothing), Some((0..RANKS).collect()));
            });
        }
    });
}

#[test]
fn ranks_of_two_worlds_that_meet_in_one_page_are_not_taken_for_one_world() {
    let path = fresh("two-worlds");
    let [first, second, other_first, other_second] = [(); 4].map(|()| announced(&path).1);
    // The first to arrive are of different worlds, and have different ranks.
    first.arrive(0);
    other_second.arrive(1);
    for (rank, place) in [(0, first), (1, other_second), (1, second), (0, other_first)] {
        assert_eq!(place.counted(rank, 2, Some(2), nothing), None);
    }
}

#[test]
fn a_page_that_a_launch_left_when_it_was_killed_serves_the_next_one_of_its_name() {
    let path = fresh("left");
    // All of them were there, and none has closed the list.
    wait_for(in_a_child(|| {
        announced(&path).1.arrive(0);
        announced(&path).1.arrive(1);
    }));
    let other = in_a_child(|| {
        let (_, place) = announced(&path);
        assert_eq!(place.counted(1, 2, None, nothing), Some(vec![0, 1]));
        place.all_reach(ENDING, thread::yield_now);
    });
    let (_, own) = announced(&path);
    assert_eq!(own.counted(0, 2, None, nothing), Some(vec![0, 1]));
    assert!(own.all_reach(ENDING, thread::yield_now));
    wait_for(other);
}

#[test]
fn the_end_of_a_rank_that_has_ended_is_not_waited_for_and_all_others_agree_on_that() {
    let path = fresh("end");
    let places: Vec<ProcessSlot> = (0..2).map(|_| announced(&path).1).collect();
    let ended = in_a_child(|| {
        let (_, place) = announced(&path);
        place.counted(2, 3, None, nothing);
    });
    for (rank, place) in places.iter().enumerate() {
        place.arrive(rank as u32);
    }
    for (rank, place) in places.iter().enumerate() {
        assert_eq!(place.counted(rank as u32, 3, None, nothing), Some(vec![0, 1, 2]));
    }
    thread::scope(|scope| {
        for place in places {
            scope.spawn(move || {
                let mut turned = 0;
                assert!(!place.all_reach(ENDING, || turned += 1));
                assert!(turned > 0, "messages move on while one waits");
            });
        }
    });
    wait_for(ended);
}

#[test]
fn ranks_show_each_other_words_in_the_order_of_ranks_and_the_lowest_passes_bytes() {
    let path = fresh("shown");
    let places = [2, 0, 1].map(|rank| (rank, announced(&path).1));
    for (rank, place) in &places {
        place.arrive(*rank);
    }
    thread::scope(|scope| {
        for (rank, place) in places {
            scope.spawn(move || {
                assert_eq!(place.counted(rank, 3, None, nothing), Some(vec![0, 1, 2]));
                let mut bytes = [rank as u8; 3];
                assert!(place.pass(&mut bytes, rank == 0));
                assert_eq!(bytes, [0; 3]);
                for (stage, first) in [(BEGINNING, 10), (COMPARING, 20)] {
                    assert!(place.all_reach(stage, thread::yield_now));
                    let shown = place.show(stage, [first + u64::from(rank); SHOWN]);
                    assert_eq!(shown, Some([first, first + 1, first + 2].map(|word| [word; SHOWN]).into()));
                }
            });
        }
    });
}

#[test]
fn words_of_a_rank_that_has_ended_are_not_waited_for() {
    let path = fresh("not-shown");
    let (_, own) = announced(&path);
    let ended = in_a_child(|| {
        let (_, place) = announced(&path);
        place.counted(1, 2, None, nothing);
        place.all_reach(BEGINNING, thread::yield_now);
    });
    own.counted(0, 2, None, nothing);
    own.all_reach(BEGINNING, thread::yield_now);
    assert_eq!(own.show(BEGINNING, [1; SHOWN]), None);
    wait_for(ended);
}

#[test]
fn ranks_that_live_are_waited_for_until_they_end() {
    let path = fresh("slow");
    let (_, own) = announced(&path);
    let slow = in_a_child(|| {
        let (_, place) = announced(&path);
        place.counted(1, 2, None, nothing);
        thread::sleep(Duration::from_millis(600));
        place.all_reach(ENDING, thread::yield_now);
    });
    own.counted(0, 2, None, nothing);
    assert!(own.all_reach(ENDING, thread::yield_now));
    wait_for(slow);
}

#[test]
fn a_process_that_has_the_number_of_one_that_ended_is_not_taken_for_it() {
    let own = ProcessId::own();
    assert_eq!(own.fate(), Liveness::Lives);
    assert_eq!(ProcessId { stamp: own.stamp + (1 << 24), ..own }.fate(), Liveness::Gone);
    // A process of another container is unknown.
    assert_eq!(ProcessId { stamp: own.stamp ^ 1, ..own }.fate(), Liveness::Unknown);
}

#[test]
fn a_page_is_abandoned_once_all_its_processes_have_ended_and_a_process_that_comes_then_begins_another() {
    let path = fresh("abandoned");
    let (_, page) = open(&path);
    assert!(!page.close_if_abandoned(), "a page that was just made");
    let (_, own) = announced(&path);
    let child = in_a_child(|| drop(announced(&path)));
    wait_for(child);
    assert!(!open(&path).1.close_if_abandoned(), "one process of two lives");
    drop(own);
    let path = fresh("abandoned-by-all");
    for _ in 0..2 {
        wait_for(in_a_child(|| drop(announced(&path))));
    }
    let (_, late) = open(&path);
    assert!(open(&path).1.close_if_abandoned());
    assert!(late.is_closed() && late.announce(ProcessId::own()).is_none());
}
