//! The finding on messages that nothing moves while the ranks compute, on runs made by hand.

use traces::calls::Call;
use traces::definitions::{Definition, SourcePlace};
use traces::signature::{STARTS, Signature, peer};

use crate::common::recorded::ask;
use crate::common::requests::Planted;
use crate::common::{Folder, signature};

/// The kinds of the findings on sends of so many bytes, each of which is waited for for 3 ms after 6 ms of computation.
fn kinds(bytes: u64) -> Vec<String> {
    let place = |site| Definition::Place(SourcePlace { site, file: "a.c".into(), line: site, function: "f".into() });
    let post = Signature { site: 1, flags: STARTS, ..signature(0, Call::Isend, 0, bytes, 0) };
    let wait = Signature { site: 2, ..signature(0, Call::Wait, peer::NONE, 0, 0) };
    let folder = Folder::new();
    for rank in 0..2 {
        let mut planted = Planted { more: vec![place(1), place(2)], ..Planted::default() };
        for _ in 0..100 {
            planted.call(post, 2_000).entered(1).compute(6_000_000);
            planted.call(wait, 3_000_000).entered(1).completed(1, 1).compute(5_000);
        }
        planted.write(&folder, rank, 2);
    }
    let answer = ask(&folder.0, "diagnose", &["--no-cache"]);
    answer.rows("findings").iter().map(|row| row["kind"].as_str().unwrap().to_string()).collect()
}

#[test]
fn messages_that_are_sent_at_once_need_no_progress_however_long_their_waits_take() {
    assert!(kinds(1 << 20).contains(&"unprogressed".into()), "{:?}", kinds(1 << 20));
    assert!(!kinds(900).contains(&"unprogressed".into()), "{:?}", kinds(900));
}
