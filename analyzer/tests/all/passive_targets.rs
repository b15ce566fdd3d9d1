//! One-sided accesses that wait for their target's next call, on runs made by hand.

use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{Definition, Object, ObjectKind, Origin};
use traces::signature::Signature;

use crate::common::made::{Calls, made, on_nobody};
use crate::common::recorded::ask;
use crate::common::signature;

const MICROSECOND: u64 = 1_000;

/// The finding on 100 locks of rank 0 that take so long, from 1 us behind a barrier on, while rank 1 computes for so long between two calls.
fn finding(lock_us: u64, computes_us: u64) -> Option<Value> {
    let window = || {
        vec![
            Definition::Object(Object { number: 2, kind: ObjectKind::Window }),
            Definition::Origin(Origin { number: 2, parent: 1, ordinal: 0 }),
        ]
    };
    let lock = Signature { object: 2, ..signature(0, Call::Win_lock, 1, 0, 0) };
    let unlock = Signature { object: 2, ..signature(0, Call::Win_unlock, 1, 0, 0) };
    let step = 2_000 * MICROSECOND;
    let (mut origin, mut target) = (Calls::default().defines(window()), Calls::default().defines(window()));
    for at in (1..=100).map(|number| number * step) {
        origin = origin.call(on_nobody(Call::Barrier), at, 100).call(lock, at + MICROSECOND, lock_us * MICROSECOND);
        origin = origin.call(unlock, at + (lock_us + 2) * MICROSECOND, 500);
        target = target.call(on_nobody(Call::Barrier), at, 100);
        let mut probes = at + computes_us * MICROSECOND;
        while probes < at + 1_900 * MICROSECOND {
            target = target.call(on_nobody(Call::Iprobe), probes, 200);
            probes += computes_us * MICROSECOND;
        }
    }
    let (folder, _run) = made(vec![origin, target], 2);
    let answer = ask(&folder.0, "diagnose", &["--no-cache"]);
    answer.rows("findings").iter().find(|row| row["kind"] == "unprogressed").cloned()
}

#[test]
fn a_lock_that_ends_when_its_target_calls_mpi_waits_for_that() {
    let found = finding(900, 899).expect("the target computes until just before the lock is granted");
    let headline = found["headline"].as_str().unwrap();
    assert!(headline.contains("waits until rank 1 calls MPI again, 100 times"), "{headline}");
    assert_eq!(found["ranks"], "1");
    assert!(found["advice"].as_str().unwrap().contains("MPI_Iprobe, about every 90 µs"), "{found:#}");
    // 898 us of each lock, on one of two ranks.
    assert!((found["at_most_s"].as_f64().unwrap() - 0.0449).abs() < 1e-4, "{found:#}");
}

#[test]
fn a_lock_that_takes_as_long_whatever_its_target_does_waits_for_something_else() {
    for (lock_us, computes_us) in [(900, 300), (900, 50), (300, 1_500)] {
        assert_eq!(finding(lock_us, computes_us), None, "{lock_us} us beside computations of {computes_us} us");
    }
}
