//! Runs whose single calls end early, and runs whose ranks left no sign of their last work.

use serde_json::Value;
use traces::calls::Call;
use traces::file::{FileHeader, INITIALIZED, Stop};
use traces::signature::{Signature, peer};

use crate::common::made::{Calls, made, on_nobody, send};
use crate::common::recorded::ask;
use crate::common::{BEGIN, Folder, overhear, signature, stdout};
use zerocopy::FromBytes;

const MILLISECOND: u64 = 1_000_000;

/// Two ranks whose headers are changed.
fn changed(ranks: [Calls; 2], change: impl Fn(&mut FileHeader)) -> Folder {
    let (folder, _) = made(ranks.into(), 2);
    for name in ["rank-0000.ovh", "rank-0001.ovh"] {
        let mut bytes = std::fs::read(folder.0.join(name)).unwrap();
        change(FileHeader::mut_from_prefix(&mut bytes).unwrap().0);
        folder.write(name, &bytes);
    }
    folder
}

fn findings(folder: &Folder) -> Vec<Value> {
    ask(&folder.0, "diagnose", &["--no-cache"]).rows("findings").to_vec()
}

/// `count` calls of 1 ms, one directly after another.
fn in_a_row(of: Signature, count: u64) -> Calls {
    (1..=count).fold(Calls::default(), |calls, number| calls.call(of, number * MILLISECOND, MILLISECOND - 100))
}

#[test]
fn calls_without_a_partner_are_no_fault_where_single_calls_are_not_recorded_to_the_end() {
    for (stop, status) in [(Stop::No, 1), (Stop::MaxBytes, 0)] {
        let ranks = [in_a_row(send(Call::Send, 1, 8), 200), in_a_row(signature(0, Call::Recv, 0, 0, 8), 150)];
        let folder = changed(ranks, |header| {
            (header.stop, header.stopped_at) = (stop as u32, BEGIN + 250 * MILLISECOND);
        });
        let checked = overhear("check", &folder.0, &["--no-cache"]);
        assert_eq!(checked.status.code(), Some(status), "{checked:?}");
        let said = stdout(&checked).replace("\n  ", " ");
        let blamed = said.contains("50 messages sent and not received");
        let explained = said.contains("50 sends, receives or collective calls have no partner among the single calls");
        assert_eq!((blamed, explained), (status == 1, status == 0), "{said}");
        let first = findings(&folder).remove(0);
        let headline = first["headline"].as_str().unwrap();
        assert_eq!(headline.starts_with("75.0 % of the ranks' time has no single calls"), status == 0, "{headline}");
        let dated = said.contains("the first after 250.00 ms, and 75.0 % of the ranks' time has no single calls");
        assert_eq!(dated, status == 0, "{said}");
    }
}

#[test]
fn a_rank_without_a_sign_of_what_it_did_last_is_not_said_to_compute_less() {
    let barrier = on_nobody(Call::Barrier);
    let both = || Calls::default().call(barrier, MILLISECOND, MILLISECOND);
    let write = signature(0, Call::File_write, peer::NONE, 8, 0);
    let writes = both().call(write, 3 * MILLISECOND, 50 * MILLISECOND);
    for (other, is_known) in [(both(), false), (writes, true)] {
        let computes = both().call(write, 52 * MILLISECOND, MILLISECOND);
        let folder = changed([computes, other], |header| header.state = INITIALIZED);
        let uneven = findings(&folder).iter().any(|finding| finding["kind"] == "late_rank");
        let has_efficiency = stdout(&overhear("diagnose", &folder.0, &["--no-cache"])).contains("\nefficiency");
        // Where it is known that the other wrote, no rank has waited for the one that computed.
        assert_eq!((uneven, has_efficiency), (false, is_known));
    }
}
