//! Ranks without a file: some were recorded, others not, and messages go to and from them.

use crate::common::made::{Calls, account, command, made, moved, send, told};
use crate::common::{Folder, header, rank, signature, stdout};
use model::matching::{Follow, WaitState};
use traces::calls::Call;
use traces::file::FileHeader;
use traces::signature::{Signature, peer, tag};

#[test]
fn messages_to_and_from_a_rank_without_a_file_are_said_to_be_elsewhere() {
    let sends = Calls::default().call(send(Call::Send, 2, 100), 10_000, 500).call(send(Call::Send, 1, 7), 11_000, 500);
    let receives = Calls::default().call(signature(0, Call::Recv, 0, 0, 7), 100, 20_000).call(
        signature(0, Call::Recv, 2, 0, 100),
        30_000,
        500,
    );
    let (folder, run) = made(vec![sends, receives], 3);
    let account = account(&run, Follow::empty());
    assert_eq!((account.elsewhere, moved(&account)), (2, vec![((0, 1), [1, 7, 7])]));
    assert_eq!(told(&run, &account), [(WaitState::LateSender, 1, "MPI_Recv", 0, "MPI_Send", 10_900)]);
    let output = command(&folder.0, "waits");
    let said = stdout(&output).replace("\n  ", " ");
    assert!(said.contains("2 messages to or from processes that are unknown or not in this folder"), "{said}");
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn ranks_that_were_not_recorded_are_not_missing_and_their_messages_are_theirs() {
    let sends = Calls::default().recorded_with(&[0, 1]).call(send(Call::Send, 2, 100), 10_000, 500).call(
        send(Call::Send, 1, 7),
        11_000,
        500,
    );
    let any = Signature { tag: tag::ANY, ..signature(0, Call::Recv, peer::ANY, 0, 999) };
    let receives = Calls::default().recorded_with(&[0, 1]).call(any, 5_000, 4_000).got(3, 100).call(
        signature(0, Call::Recv, 0, 0, 7),
        10_000,
        20_000,
    );
    let (folder, run) = made(vec![sends, receives], 5);
    assert_eq!((&run.missing[..], &run.unrecorded[..]), (&[][..], &[2..=4][..]));
    let account = account(&run, Follow::empty());
    assert_eq!((account.elsewhere, account.unrecorded, moved(&account)), (0, 2, vec![((0, 1), [1, 7, 7])]));
    assert!(account.unsent.is_empty() && account.unreceived.is_empty());
    let output = command(&folder.0, "check");
    let said = stdout(&output).replace("\n  ", " ");
    assert!(said.contains("ranks 0-1; ranks 2-4 not"), "{said}");
    assert!(said.contains("2 messages to or from ranks 2-4, not recorded"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn a_rank_that_recorded_and_left_no_file_is_missing_beside_those_that_were_not_recorded() {
    let sends = Calls::default().recorded_with(&[0, 2]).call(send(Call::Send, 1, 100), 10_000, 500);
    let (folder, run) = made(vec![sends], 4);
    assert_eq!((&run.missing[..], &run.unrecorded[..]), (&[2..=2][..], &[1..=1, 3..=3][..]));
    assert_eq!(command(&folder.0, "report").status.code(), Some(4));
}

#[test]
fn ranks_whose_engine_was_not_listened_to_are_counted_and_the_first_is_named() {
    for (ranks, who) in [(1, "rank 0: "), (2, "rank 0 and 1 more: "), (3, "rank 0 and 2 more: ")] {
        let (folder, _) = made((0..ranks).map(|_| Calls::default()).collect(), ranks);
        let said = stdout(&command(&folder.0, "progress")).replace("\n  ", " ");
        assert!(said.contains(&format!("{who}recorded with OVERHEAR_PROGRESS=off")), "{ranks} ranks: {said}");
    }
}

#[test]
fn messages_to_a_spawned_world_that_is_here_are_not_said_to_be_of_processes_that_are_not() {
    let folder = Folder::new();
    let between = Signature { object: 9, ..send(Call::Send, 0, 100) };
    let rank = |header, call: Signature| rank(header, &[Signature { number: 1, ..call }], &[(1, 10, 1_000)]);
    folder.write("rank-0000.ovh", &rank(header(0, 1), between));
    folder.write("world-1-rank-0000.ovh", &rank(FileHeader { world: 1, ..header(0, 1) }, between));
    let said = stdout(&command(&folder.0, "waits")).replace("\n  ", " ");
    let expected = "2 messages between spawned worlds: the files do not tell which call spawned which world";
    assert!(said.contains(expected) && !said.contains("not in this folder"), "{said}");
}
