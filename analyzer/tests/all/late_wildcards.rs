//! Receives from any source that complete in another order than they were posted.

use crate::common::made::{account, told};
use crate::common::{BEGIN, Folder, definitions, header, signature};
use model::Run;
use model::matching::Follow;
use traces::calls::Call;
use traces::definitions::{Definition, Members, Occasion, SameClock, Span};
use traces::folder::file_name;
use traces::record::{self, Arrived, Fate, RecordKind};
use traces::signature::{STARTS, Signature, peer};
use traces::write::{FileWriter, blank_block, call};

/// With this many receives, quadratic time would exceed the test's limit.
const RECEIVES: u64 = 100_000;

fn write(folder: &Folder, rank: u32, calls: &[Signature], words: &[u64]) {
    let mut file = FileWriter::begin(Vec::new(), header(rank, 2)).unwrap();
    file.thread(0, &blank_block()).unwrap();
    let local = vec![Span { first: 0, count: 2, step: 1 }];
    let mut known = definitions(2, rank as i32);
    known.push(Definition::Members(Members { communicator: 1, local, remote: Vec::new() }));
    if rank > 0 {
        known.extend(
            [Occasion::Init, Occasion::Finalize]
                .map(|when| Definition::SameClock(SameClock { when, peer: 0, within: 0 })),
        );
    }
    file.definitions(&known).unwrap();
    file.signatures(0, 0, calls).unwrap();
    file.events(0, 0, BEGIN, words).unwrap();
    folder.write(&file_name(0, rank), &file.into_inner());
}

#[test]
fn a_hundred_thousand_receives_from_any_source_that_complete_last_first_are_all_matched() {
    let folder = Folder::new();
    let (mut words, mut last) = (Vec::new(), BEGIN);
    for receive in 0..RECEIVES {
        last = call(&mut words, last, 1, BEGIN + receive * 100, 50);
    }
    let waits_begin = BEGIN + RECEIVES * 100;
    for wait in 0..RECEIVES {
        last = call(&mut words, last, 3, waits_begin + wait * 100, 50);
        words.push(record::requests(RecordKind::Completed, 1, wait + 1));
        words.extend(Arrived { source: 1, tag: 5, bytes: RECEIVES - wait, fate: Fate::Whole }.words());
    }
    let receive = Signature { flags: STARTS, ..signature(1, Call::Irecv, peer::ANY, 0, 1 << 20) };
    let wait = Signature { peer: peer::NONE, object: 0, ..signature(3, Call::Wait, peer::NONE, 0, 0) };
    write(&folder, 0, &[receive, wait], &words);

    // The first wait completes the last receive, whose message is sent 30 ns into the wait.
    let (mut words, mut last) = (Vec::new(), BEGIN);
    for sent in 1..RECEIVES {
        last = call(&mut words, last, 1, BEGIN + sent * 100, 50);
    }
    call(&mut words, last, 1, waits_begin + 30, 5);
    write(&folder, 1, &[signature(1, Call::Send, 0, 8, 0)], &words);

    let run = Run::load(&folder.0).unwrap();
    let account = account(&run, Follow::empty());
    let pair = account.pairs[&(1, 0)];
    assert_eq!((pair.messages, pair.received), (RECEIVES, RECEIVES * (RECEIVES + 1) / 2));
    let waits: Vec<(u32, u32, i64)> =
        told(&run, &account).into_iter().map(|(_, waiter, _, by, _, time)| (waiter, by, time)).collect();
    assert_eq!(waits, [(0, 1, 30)]);
}
