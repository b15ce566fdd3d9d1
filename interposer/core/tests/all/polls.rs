//! A run of polls counts calls of one signature, and only those whose times one record can hold.

use recorder_core::polls::{PollRun, durations};
use traces::live::LivePolls;
use traces::progress::Polls;

/// Passes an empty run to `work`.
fn with_run(work: impl FnOnce(PollRun)) {
    work(PollRun(&LivePolls::default()));
}

#[test]
fn polls_of_one_signature_make_one_run() {
    with_run(|run| {
        assert!(run.is_empty() && !run.join(7, 100, 110), "there is no run to join");
        assert!(run.begin(7, 100, 110));
        assert!(run.join(7, 115, 120) && run.join(7, 150, 180));
        let expected = Polls {
            start: 100,
            end: 180,
            count: 3,
            total: 45,
            gaps: [5, 30],
            durations: [5, 30],
            signature: 7,
            last: 150,
        };
        assert_eq!(run.read(), expected);
        run.end();
        assert!(run.is_empty() && !run.join(7, 190, 200));
    });
}

#[test]
fn a_poll_of_another_signature_joins_nothing() {
    with_run(|run| {
        run.begin(7, 100, 110);
        let before = run.read();
        assert!(!run.join(8, 120, 130));
        assert_eq!(run.read(), before);
    });
}

#[test]
fn times_that_32_bits_do_not_hold_are_in_no_run() {
    const LONG: u64 = 1 << 32;
    with_run(|run| {
        assert!(!run.begin(7, 100, 100 + LONG) && run.is_empty());
        assert!(run.begin(7, 100, 100 + LONG - 1));
        let (before, end) = (run.read(), 100 + LONG - 1);
        assert!(!run.join(7, end + LONG, end + LONG + 1), "too long after the last");
        assert!(!run.join(7, end + 1, end + 1 + LONG), "took too long itself");
        assert_eq!(run.read(), before);
        assert!(run.join(7, end + LONG - 1, end + LONG));
    });
}

#[test]
fn the_times_of_polls_that_are_counted_one_by_one_add_up() {
    for (count, total) in [(1, 10), (2, 11), (3, 100), (7, 6)] {
        let polls = Polls { count, total, ..Polls::default() };
        let each: Vec<u64> = durations(&polls).collect();
        assert_eq!((each.len() as u64, each.iter().sum::<u64>()), (count, total));
        assert!(each.iter().max().unwrap() - each.iter().min().unwrap() < count);
    }
    assert_eq!(durations(&Polls::default()).count(), 0);
}
