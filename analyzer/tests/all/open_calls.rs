//! Calls that have not returned wait for what has not happened, as far as the rank depends on it.

use model::Run;
use model::matching::{Follow, WaitState};
use model::standing::{Position, Standing};
use model::thread_calls::{Extras, ThreadCalls};
use traces::calls::Call;
use traces::file::{FileHeader, INITIALIZED, ThreadBlock};
use traces::record::UNNUMBERED;
use traces::signature::{NESTED, Signature, peer, tag};

use crate::common::made::{account, told};
use crate::common::stories::{Story, collective, epoch, inside, on_object, outside, receive, run, to};
use crate::common::{Folder, header, in_call, rank_with};

/// Wait states of the ranks. The open calls are known to have lasted half a second.
fn waits(stories: Vec<Story>) -> Vec<(WaitState, u32)> {
    let folder = run(stories);
    let run = Run::load(&folder.0).unwrap();
    let account = account(&run, Follow::empty());
    let told = told(&run, &account);
    assert!(told.iter().all(|wait| wait.5 == 500_000_000), "{told:?}");
    told.into_iter().map(|wait| (wait.0, wait.1)).collect()
}

#[test]
fn a_root_waits_for_those_that_send_to_it_and_others_wait_for_the_root_that_sends_to_them() {
    let rooted = |call, root| to(call, root, tag::NONE);
    let waits = |call, root| waits(vec![inside(&[], rooted(call, root)), outside(&[])]);
    assert_eq!(waits(Call::Reduce, 0), [(WaitState::EarlyReduce, 0)]);
    assert_eq!(waits(Call::Reduce, 1), []);
    assert_eq!(waits(Call::Bcast, 1), [(WaitState::LateBroadcast, 0)]);
    assert_eq!(waits(Call::Bcast, 0), []);
    assert_eq!(waits(Call::Allreduce, peer::NONE), [(WaitState::WaitAtNxn, 0)]);
}

#[test]
fn where_the_root_has_come_nobody_waits_for_the_others_that_get_its_data() {
    let bcast = || inside(&[], to(Call::Bcast, 1, tag::NONE));
    assert_eq!(waits(vec![bcast(), bcast(), outside(&[])]), []);
    assert_eq!(
        waits(vec![bcast(), outside(&[]), bcast()]),
        [(WaitState::LateBroadcast, 0), (WaitState::LateBroadcast, 2)]
    );
}

#[test]
fn a_scan_waits_for_lower_ranks_and_a_call_among_neighbors_for_those_it_receives_from() {
    let scan = || inside(&[], collective(Call::Scan));
    assert_eq!(waits(vec![outside(&[]), scan(), scan()]), [(WaitState::EarlyScan, 1), (WaitState::EarlyScan, 2)]);
    assert_eq!(waits(vec![scan(), outside(&[]), scan()]), [(WaitState::EarlyScan, 2)]);
    assert_eq!(waits(vec![scan(), scan(), outside(&[])]), []);
    // Rank 0 receives from rank 1, and sends to rank 2.
    let exchange = || inside(&[], collective(Call::Neighbor_alltoall)).between(1, 2);
    let away = || outside(&[]).between(2, 0);
    let last = || inside(&[], collective(Call::Neighbor_alltoall)).between(0, 1);
    assert_eq!(waits(vec![exchange(), away(), last()]), [(WaitState::WaitAtNeighbors, 0)]);
    let middle = || inside(&[], collective(Call::Neighbor_alltoall)).between(2, 0);
    assert_eq!(waits(vec![exchange(), middle(), outside(&[]).between(0, 1)]), [(WaitState::WaitAtNeighbors, 1)]);
}

#[test]
fn a_send_waits_for_its_receive_and_a_receive_for_its_send() {
    let send = || inside(&[], to(Call::Ssend, 1, 7));
    assert_eq!(waits(vec![send(), outside(&[])]), [(WaitState::LateReceiver, 0)]);
    assert_eq!(waits(vec![inside(&[], receive(1, 7)), outside(&[])]), [(WaitState::LateSender, 0)]);
    // Both have come: the message is under way.
    assert_eq!(waits(vec![send(), inside(&[], receive(0, 7))]), []);
}

#[test]
fn the_end_of_an_epoch_waits_for_the_partner_that_has_not_come() {
    let call = |call| on_object(collective(call));
    let exposed = |of| inside(&[epoch(Call::Win_post, of)], call(Call::Win_wait));
    let accessed = |over: &[Signature]| outside(&[&[epoch(Call::Win_start, 0)], over].concat());
    assert_eq!(waits(vec![exposed(1), accessed(&[])]), [(WaitState::EarlyWait, 0)]);
    assert_eq!(waits(vec![exposed(1), accessed(&[call(Call::Win_complete)])]), []);
    let starts = || inside(&[], epoch(Call::Win_start, 1));
    assert_eq!(waits(vec![starts(), outside(&[])]), [(WaitState::LatePost, 0)]);
    assert_eq!(waits(vec![starts(), outside(&[epoch(Call::Win_post, 0)])]), []);
}

#[test]
fn a_call_that_found_no_number_is_open_too_unless_another_one_made_it() {
    for (flags, expected) in [(0, 1), (NESTED, 0)] {
        let folder = Folder::new();
        let block = ThreadBlock {
            unnumbered: Signature { number: UNNUMBERED, flags, ..receive(1, 7) },
            ..in_call(UNNUMBERED.into(), 5_000)
        };
        let header = FileHeader { state: INITIALIZED, ..header(0, 2) };
        folder.write("rank-0000.ovh", &rank_with(header, &block, &[], |_| ()));
        let run = Run::load(&folder.0).unwrap();
        let contents = run.ranks[0].contents();
        let calls = ThreadCalls::whole(&contents.threads[0], Extras::empty());
        assert_eq!(calls.peek().iter().filter(|call| call.open).count(), expected);
    }
}

#[test]
fn a_rank_outside_mpi_is_there_since_the_end_of_its_last_call() {
    let folder = run(vec![outside(&[collective(Call::Barrier)])]);
    let run = Run::load(&folder.0).unwrap();
    let standing = Standing::of(&run);
    let Position::Outside { since, .. } = standing.ranks[0].position() else { panic!() };
    // The call began after a millisecond, and took a microsecond.
    assert!((since - 1.001e-3).abs() < 1e-9, "{since}");
}
