//! Findings on sends that wait for their receive, on runs made by hand: what a setting says of the limit, and what the wait costs.

use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{Definition, SourcePlace};
use traces::signature::Signature;

use crate::common::made::{Calls, made, send};
use crate::common::recorded::ask;
use crate::common::signature;

const MICROSECOND: u64 = 1_000;

fn receive(from: i32) -> Signature {
    signature(0, Call::Recv, from, 0, 8_000)
}

/// A call from one microsecond of a step to another.
fn at(calls: Calls, call: Signature, step: u64, [begin, end]: [u64; 2]) -> Calls {
    calls.call(call, (1_000 + step + begin) * MICROSECOND, (end - begin) * MICROSECOND)
}

fn found(ranks: Vec<Calls>) -> Vec<Value> {
    let size = ranks.len() as u32;
    ask(&made(ranks, size).0.0, "diagnose", &["--no-cache"]).rows("findings").to_vec()
}

/// The finding on sends of 900 B that wait while rank 1 computes for 5 ms of 20.
fn with_setting(setting: &str) -> Value {
    let steps = || (0..48).map(|step| 20_000 * step);
    let sends = steps().fold(Calls::default(), |calls, step| {
        let calls = at(calls, Signature { site: 7, ..send(Call::Send, 1, 900) }, step, [0, 5_001]);
        at(calls, send(Call::Rsend, 1, 8), step, [15_000, 15_001])
    });
    let receives = steps().fold(Calls::default(), |calls, step| {
        let calls = at(calls, receive(0), step, [5_000, 5_002]);
        at(calls, receive(0), step, [5_100, 15_002])
    });
    let line = SourcePlace { site: 7, file: "a.c".into(), line: 7, function: "f".into() };
    let settings = vec![Definition::Settings(vec![setting.into()]), Definition::Place(line)];
    let found = found(vec![sends.defines(settings), receives]);
    let of_sends = |row: &&Value| row["kind"] == "eager_limit" || row["kind"] == "late_receiver";
    found.iter().find(of_sends).unwrap_or_else(|| panic!("{found:#?}")).clone()
}

#[test]
fn messages_above_the_limit_that_a_setting_names_wait_for_their_receive_however_short_they_are() {
    let of_library = with_setting("OMPI_MCA_btl_vader_eager_limit=4096");
    assert_eq!(of_library["kind"], "late_receiver");
    assert!(of_library["sites"].as_str().unwrap().contains("a.c:7"), "the send is among the lines: {of_library}");
    assert!(of_library["advice"].as_str().unwrap().contains("A receive posted earlier does not help"), "{of_library}");
    let named = with_setting("OMPI_MCA_btl_vader_eager_limit=512");
    assert_eq!(named["kind"], "eager_limit");
    let said =
        "messages above the eager limit (these are 900 B, OMPI_MCA_btl_vader_eager_limit=512) are sent only then.";
    assert!(named["detail"].as_str().unwrap().contains(said), "{named}");
    let advice = named["advice"].as_str().unwrap();
    assert!(advice.contains("--mca btl_vader_eager_limit 2048") && advice.contains("post the receive"), "{advice}");
}

/// The kinds of the findings on rank 0, which computes for 4 ms with rank 1's part, 4 ms late, before it takes that of rank 2, and then for
/// 4 ms before the broadcast, for which rank 2 is there after so many microseconds.
fn kinds(computes: u64) -> Vec<String> {
    let steps = || (0..80).map(|step| 12_000 * step);
    let everyone = signature(0, Call::Bcast, 0, 8, 8);
    let gathers = steps().fold(Calls::default(), |calls, step| {
        let calls = at(calls, receive(1), step, [10, 4_001]);
        let calls = at(calls, receive(2), step, [8_000, 8_002]);
        at(calls, everyone, step, [11_990, 11_991])
    });
    let sends = |begin: u64, end: u64, computes: u64| {
        steps().fold(Calls::default(), |calls, step| {
            let calls = at(calls, send(Call::Send, 0, 8_000), step, [begin, end]);
            at(calls, everyone, step, [end + computes, 11_992])
        })
    };
    let found = found(vec![gathers, sends(4_000, 4_001, 1), sends(1_000, 8_001, computes)]);
    found.iter().filter(|row| row["ranks"] == "0").map(|row| row["kind"].as_str().unwrap().to_string()).collect()
}

#[test]
fn a_send_that_waits_for_a_rank_which_its_next_call_would_wait_for_costs_nothing() {
    assert_eq!(kinds(1), ["serial_work", "wrong_order"]);
    assert!(kinds(3_000).iter().any(|kind| kind == "eager_limit"), "{:?}", kinds(3_000));
}
