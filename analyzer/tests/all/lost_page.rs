//! Requests keep their numbers after an unreadable page: later completions are paired as if nothing were lost.

use std::path::Path;

use crate::common::made::{Calls, account, made, on_nobody, receive, send, told};
use crate::common::{Folder, overhear, stderr, stdout};
use crate::dataset::rows;
use metrics::messages::{DifferenceKind, compare};
use model::matching::{Follow, WaitState};
use model::messages::{Way, of_rank};
use model::standing::Standing;
use serde_json::Value;
use traces::calls::Call;
use traces::signature::{STARTS, Signature};

/// Two receives are posted; the next page begins two sends to a rank without a file; the third posts another receive
/// and completes all.
fn receiver(is_damaged: bool) -> Calls {
    let posted = Calls::default().call(receive(1), 0, 100).call(receive(1), 1_000, 100).page(2);
    let posted = if is_damaged { posted.damaged() } else { posted };
    let isend = || Signature { flags: STARTS, ..send(Call::Isend, 2, 8) };
    let lost = posted.call(isend(), 2_000, 100).call(isend(), 3_000, 100).page(4);
    let calls = lost.call(receive(1), 4_000, 100);
    // Completes requests 0, 1 and 4; ages count begins since, their own included.
    [(5, 10, 10_000), (4, 20, 20_000), (1, 30, 30_000)].into_iter().fold(calls, |calls, (age, bytes, at)| {
        calls.call(on_nobody(Call::Wait), at, 5_000).completed(age).got(1, bytes)
    })
}

fn sender() -> Calls {
    [(10, 12_000), (20, 23_000), (30, 34_000)]
        .into_iter()
        .fold(Calls::default(), |calls, (bytes, at)| calls.call(send(Call::Send, 0, bytes), at, 500))
}

#[test]
fn waits_messages_and_overlap_pair_behind_a_damaged_page_as_without_the_damage() {
    let [whole, damaged] = [false, true].map(|is_damaged| made(vec![receiver(is_damaged), sender()], 3));

    let waits = [&whole.1, &damaged.1].map(|run| account(run, Follow::empty()));
    let late = [(WaitState::LateSender, 0, "MPI_Wait", 1, "MPI_Send", 2_000 + 3_000 + 4_000)];
    assert_eq!((told(&whole.1, &waits[0]), told(&damaged.1, &waits[1])), (late.to_vec(), late.to_vec()));

    let received = |run: &model::Run| -> Vec<u64> {
        let messages = of_rank(&run.ranks[0]);
        let received = messages.channels.into_iter().filter(|(channel, _)| channel.way == Way::Received);
        received.flat_map(|(_, all)| all).map(|message| message.received).collect()
    };
    assert_eq!((received(&whole.1), received(&damaged.1)), (vec![10, 20, 30], vec![10, 20, 30]));

    // A request's size and life come from its own records, and from none of the lost page.
    let overlap = |run: &(Folder, _)| -> Vec<[Value; 3]> {
        let said: Value = serde_json::from_str(&stdout(&overhear("overlap", &run.0.0, &["--format", "json"]))).unwrap();
        let rows = said["messages"].as_array().unwrap().iter();
        rows.map(|row| ["size_bytes", "requests", "life_s"].map(|key| row[key].clone())).collect()
    };
    assert_eq!((overlap(&whole).len(), overlap(&damaged)), (3, overlap(&whole)));
}

fn table(command: &str, run: &Path, name: &str) -> Vec<Value> {
    let output = overhear(command, run, &["--format", "json"]);
    assert!(matches!(output.status.code(), Some(0 | 4)), "{command}: {}", stderr(&output));
    let said: Value = serde_json::from_str(&stdout(&output)).unwrap();
    said[name].as_array().unwrap_or_else(|| panic!("{command} has no {name}: {said}")).clone()
}

/// A table of a run's data set, without the calls of the lost page.
fn exported(run: &Path, name: &str) -> Vec<Value> {
    let out = Folder::new();
    let to = out.0.join("out");
    let words = [to.to_str().unwrap(), "--no-cache", "--to", "json", "--tables", name];
    let output = overhear("export", run, &words);
    assert!(matches!(output.status.code(), Some(0 | 4)), "{name}: {}", stderr(&output));
    let mut all = rows(&to, name);
    all.retain(|row| row["function"] != "MPI_Isend");
    all
}

#[test]
fn every_command_that_pairs_requests_says_the_same_of_them_with_and_without_the_damage() {
    let [whole, damaged] = [false, true].map(|is_damaged| made(vec![receiver(is_damaged), sender()], 3));
    let folders = [&whole.0.0, &damaged.0.0].map(|folder| folder.as_path());

    for (command, name) in [("waits", "waits"), ("check", "pairs")] {
        let [of_whole, of_damaged] = folders.map(|folder| table(command, folder, name));
        assert!(!of_whole.is_empty(), "{command}");
        assert_eq!(of_whole, of_damaged, "{command}");
    }
    for name in ["requests", "messages", "waits", "calls"] {
        let [of_whole, of_damaged] = folders.map(|folder| exported(folder, name));
        assert!(of_whole.len() >= if name == "waits" { 1 } else { 3 }, "{name}: {of_whole:?}");
        assert_eq!(of_whole, of_damaged, "{name}");
    }

    // By message, the two lost sends are the only difference.
    let [of_whole, of_damaged] = [&whole.1, &damaged.1].map(|run| of_rank(&run.ranks[0]));
    let found = compare(&of_whole, &of_damaged);
    assert_eq!(found.counts, [[2, 3, 0], [0, 3, 0]]);
    let first = found.first.unwrap();
    assert_eq!((first.channel.way, first.kind), (Way::Sent, DifferenceKind::OnlyA));

    // No receive is pending. The lost sends may be, so nothing is said about them.
    let pending = |run: &model::Run| -> Vec<u64> {
        let standing = Standing::of(run);
        let mut numbers: Vec<u64> = standing.ranks[0].past.pending.keys().map(|(_, number)| *number).collect();
        numbers.sort_unstable();
        numbers
    };
    assert_eq!((pending(&whole.1), pending(&damaged.1)), (vec![2, 3], vec![]));
}

#[test]
fn the_analyses_of_messages_and_requests_say_that_a_ranks_file_is_missing() {
    let folder = made(vec![receiver(false), sender()], 3).0;
    for command in ["network", "overlap", "fanout", "diagnose"] {
        let said = stdout(&overhear(command, &folder.0, &[]));
        assert!(said.contains("no file from rank 2: no figure includes what they did"), "{command}: {said}");
    }
}
