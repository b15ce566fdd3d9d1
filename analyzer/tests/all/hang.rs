//! `overhear hang` on runs made by hand that ended before MPI_Finalize: it tells who waits for whom, and if that could
//! have ended.

use serde_json::Value;
use traces::calls::Call;
use traces::file::{FileHeader, Stop};
use traces::signature::{Signature, peer, tag};

use crate::common::recorded::ask;
use crate::common::stories::{
    Story, asking, begun, collective, completing, gone, inside, on_object, outside, receive, run, run_by, this_host, to,
};
use crate::common::{Folder, header, overhear, stdout};

/// Verdict, and each reason with its ranks.
pub fn judged(stories: Vec<Story>) -> (String, Vec<(String, String)>) {
    judged_of(&run(stories))
}

pub fn judged_of(folder: &Folder) -> (String, Vec<(String, String)>) {
    let output = overhear("hang", &folder.0, &["--format", "json", "--no-cache"]);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let verdict = said["run"]["hangs"].as_str().unwrap().to_string();
    // The last sign of life was two seconds after the begin.
    assert!(said["run"]["quiet_s"].as_f64().is_none_or(|quiet| (0.0..=2.0).contains(&quiet)), "{said:#}");
    let status = match &*verdict {
        "certain" | "likely" => 1,
        "unknown" => 5,
        _ => 0,
    };
    assert_eq!(output.status.code(), Some(status), "{said:#}");
    assert!(!said["run"]["rests_on"].as_str().unwrap().is_empty(), "{said:#}");
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_string();
    let reasons = said["reasons"].as_array().unwrap().iter().map(|row| (text(row, "reason"), text(row, "ranks")));
    (verdict, reasons.collect())
}

#[track_caller]
pub fn hangs(stories: Vec<Story>, reason: &str, ranks: &str) {
    assert_eq!(judged(stories), ("certain".into(), vec![(reason.into(), ranks.into())]));
}

#[track_caller]
pub fn goes_on(stories: Vec<Story>) {
    assert_eq!(judged(stories), ("no".into(), Vec::new()));
}

/// The verdict must be that the evidence does not decide.
#[track_caller]
pub fn is_unknown(stories: Vec<Story>) {
    assert_eq!(judged(stories), ("unknown".into(), Vec::new()));
}

/// Ranks that some libraries let proceed: they hang if their files tell that they waited. Returns the reasons.
#[track_caller]
pub fn hangs_if_it_waited(stories: Vec<Story>) -> Vec<(String, String)> {
    assert_eq!(judged(stories.clone()).0, "unknown");
    let (verdict, reasons) = judged(stories.into_iter().map(Story::waited).collect());
    assert_eq!(verdict, "likely");
    reasons
}

/// Makes a message too large for any library to buffer.
pub fn large(call: Signature) -> Signature {
    Signature { sent: 1 << 20, ..call }
}

#[test]
fn receives_in_a_circle_are_a_cycle_and_sends_in_a_circle_too() {
    let circle = |call: fn(i32) -> Signature| (0..3).map(|rank| inside(&[], call((rank + 1) % 3))).collect();
    hangs(circle(|other| receive(other, 1)), "cycle", "ranks 0-2");
    hangs(circle(|other| large(to(Call::Send, other, 1))), "cycle", "ranks 0-2");
    hangs(circle(|other| to(Call::Ssend, other, 1)), "cycle", "ranks 0-2");
    // MPI may buffer these.
    is_unknown(circle(|other| to(Call::Send, other, 1)));
    goes_on(circle(|other| to(Call::Bsend, other, 1)));
}

#[test]
fn of_a_large_circle_four_ranks_are_told_and_how_many_more_there_are() {
    for (size, more) in [(4, None), (7, Some("; and 3 more."))] {
        let folder = run((0..size).map(|rank| inside(&[], receive((rank + 1) % size, 1))).collect());
        let said = ask(&folder.0, "hang", &["--no-cache"]);
        let [reason] = said.rows("reasons") else { panic!("{:#}", said.json) };
        let detail = reason["detail"].as_str().unwrap();
        assert_eq!(detail.matches("MPI_Recv").count(), 4, "{detail}");
        assert!(more.map_or(!detail.contains("more"), |more| detail.ends_with(more)), "{detail}");
    }
}

#[test]
fn a_circle_in_which_one_message_is_there_goes_on() {
    let mut stories: Vec<Story> = (0..3).map(|rank| inside(&[], receive((rank + 1) % 3, 1))).collect();
    stories[1] = inside(&[to(Call::Send, 0, 1)], receive(2, 1));
    goes_on(stories);
    // A send and its receive, both open.
    goes_on(vec![inside(&[], to(Call::Send, 1, 1)), inside(&[], receive(0, tag::ANY))]);
    goes_on(vec![inside(&[], to(Call::Send, 1, 1)), inside(&[begun(Call::Irecv, 0, 1)], completing(Call::Wait, 1))]);
}

#[test]
fn a_call_that_sends_and_receives_needs_both() {
    // The first rank's send is being received, its receive has no send.
    let both =
        |other| inside(&[], Signature { source: other, source_tag: 1, received: 8, ..to(Call::Sendrecv, other, 1) });
    let other = inside(&[begun(Call::Irecv, 0, 1)], receive(0, 2));
    assert_eq!(judged(vec![both(1), other]).0, "certain");
    goes_on(vec![both(1), both(0)]);
}

#[test]
fn a_probe_waits_for_a_message_as_a_receive_does() {
    let probe = |other| Signature { sent: 0, ..to(Call::Probe, other, 1) };
    hangs((0..3).map(|rank| inside(&[], probe((rank + 1) % 3))).collect(), "cycle", "ranks 0-2");
    goes_on(vec![inside(&[], probe(1)), inside(&[to(Call::Send, 0, 1)], receive(0, 1))]);
}

#[test]
fn a_wildcard_is_free_as_long_as_one_rank_may_send_and_a_knot_if_none_does() {
    let any = || receive(peer::ANY, 1);
    is_unknown(vec![inside(&[], any()), inside(&[], receive(0, 1)), outside(&[collective(Call::Barrier)])]);
    hangs((0..3).map(|_| inside(&[], any())).collect(), "knot", "ranks 0-2");
}

#[test]
fn who_leaves_a_collective_call_out_is_named_and_what_it_does_instead() {
    let barrier = || collective(Call::Barrier);
    let late = inside(&[barrier()], receive(0, 3));
    let others = || inside(&[barrier()], barrier());
    hangs(vec![others(), late, others()], "missing", "rank 1");
    is_unknown(vec![others(), outside(&[barrier()]), others()]);
    goes_on(vec![others(), others(), others()]);
}

#[test]
fn a_broadcast_waits_for_somebody_and_a_reduction_at_its_root_for_everybody() {
    let rooted = |call, root| inside(&[], Signature { peer: root, ..collective(call) });
    // Rank 0 may still come; rank 2 cannot before rank 1 proceeds.
    let others = |middle| vec![outside(&[]), middle, inside(&[], receive(1, 1))];
    is_unknown(others(rooted(Call::Bcast, 0)));
    is_unknown(others(rooted(Call::Reduce, 0)));
    assert_eq!(judged(others(rooted(Call::Reduce, 1))).0, "certain");
    assert_eq!(judged(others(rooted(Call::Allreduce, 1))).0, "certain");
}

#[test]
fn collective_calls_in_each_others_place_are_a_mismatch() {
    let barrier = || inside(&[], collective(Call::Barrier));
    hangs(vec![barrier(), inside(&[], collective(Call::Allreduce)), barrier()], "mismatch", "rank 1");
    // This rank has made the other call, and proceeded.
    let gone_on = inside(&[collective(Call::Allreduce)], receive(0, 1));
    assert_eq!(judged(vec![barrier(), gone_on, barrier()]).0, "certain");
}

#[test]
fn a_message_with_another_tag_is_named_to_the_rank_that_waits() {
    let sender = inside(&[to(Call::Send, 1, 8)], receive(1, 9));
    hangs(vec![sender, inside(&[], receive(0, 7))], "tag", "rank 1");
    // The message is still being sent.
    hangs(vec![inside(&[], large(to(Call::Send, 1, 8))), inside(&[], receive(0, 7))], "tag", "rank 1");
}

#[test]
fn a_call_that_completes_requests_waits_for_all_of_them_or_for_one() {
    let both = |call, requests| {
        let pending = [begun(Call::Irecv, 1, 1), begun(Call::Irecv, 2, 1)];
        let first = inside(&pending, completing(call, requests));
        vec![first, inside(&[], receive(0, 1)), outside(&[to(Call::Send, 0, 1)])]
    };
    hangs(both(Call::Waitall, 2), "cycle", "ranks 0-1");
    is_unknown(both(Call::Waitany, 2));
    // The trace does not tell which of the two it waits for.
    is_unknown(both(Call::Wait, 1));
}

#[test]
fn a_nonblocking_collective_call_counts_as_one_that_the_rank_came_to() {
    let ibarrier = || begun(Call::Ibarrier, peer::NONE, tag::NONE);
    let waits = || inside(&[ibarrier()], completing(Call::Wait, 1));
    goes_on(vec![waits(), inside(&[ibarrier()], receive(0, 1))]);
    hangs(vec![waits(), inside(&[], receive(0, 1))], "missing", "rank 1");
    hangs(vec![waits(), inside(&[], completing(Call::Finalize, 0)), waits()], "missing", "rank 1");
}

#[test]
fn a_finished_run_is_said_to_be_finished() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../traces/samples/integer_sort-openmpi");
    let output = overhear("hang", sample.as_ref(), &["--no-cache"]);
    let said = stdout(&output);
    assert!(output.status.success() && said.contains("all its ranks have finalized MPI"), "{said}");
}

#[test]
fn what_rests_on_calls_that_are_known_in_part_cannot_be_told() {
    let circle = || (0..3).map(|rank| inside(&[], receive((rank + 1) % 3, 1))).collect();
    for (stop, verdict) in [(Stop::No, "certain"), (Stop::MaxBytes, "unknown")] {
        let (folder, like) = (Folder::new(), FileHeader { stop: stop as u32, ..header(0, 0) });
        run_by(&folder, circle(), like, |_| gone(this_host()));
        assert_eq!(judged_of(&folder).0, verdict);
    }
}

#[test]
fn a_call_is_told_with_its_requests_where_it_has_some() {
    let detail = |call: Signature| {
        let folder = run(vec![inside(&[begun(Call::Irecv, 1, 1)], call), inside(&[], receive(0, 1))]);
        let said = ask(&folder.0, "hang", &["--no-cache"]);
        let [reason] = said.rows("reasons") else { panic!("{:#}", said.json) };
        reason["detail"].as_str().unwrap().to_string()
    };
    assert!(detail(completing(Call::Waitall, 1)).contains("MPI_Waitall (8 bytes, 1 request)"));
    assert!(detail(completing(Call::Waitall, 2)).contains("2 requests"));
    assert!(!detail(receive(1, 1)).contains("request"));
}

#[test]
fn a_file_that_is_being_given_its_final_name_is_one_rank() {
    let folder = run(vec![inside(&[], collective(Call::Barrier)), inside(&[], collective(Call::Barrier))]);
    std::fs::hard_link(folder.0.join("rank-0001.ovh"), folder.0.join("process-17.ovh")).unwrap();
    let answer = ask(&folder.0, "hang", &[]);
    assert_eq!(answer.json["standing"].as_array().unwrap().len(), 2, "{:#}", answer.json);
}

#[test]
fn a_rank_without_a_file_is_warned_of() {
    let folder = run((0..3).map(|_| inside(&[], collective(Call::Barrier))).collect());
    std::fs::remove_file(folder.0.join("rank-0001.ovh")).unwrap();
    let warnings = ask(&folder.0, "hang", &["--no-cache"]).json["warnings"].to_string();
    assert!(warnings.contains("no file from rank 1"), "{warnings}");
}

/// What people read, on one line.
fn said(stories: Vec<Story>) -> String {
    let text = stdout(&overhear("hang", &run(stories).0, &["--no-cache"]));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_rank_that_polls_for_any_message_waits_for_others_and_not_for_itself() {
    let polls = || asking(to(Call::Iprobe, peer::ANY, 0));
    let barrier = || inside(&[], collective(Call::Barrier));
    let text = said(vec![polls(), outside(&[to(Call::Send, 0, 9)]), barrier()]);
    assert!(text.contains("Ranks 0, 2 waited for rank 1, which ended outside MPI, without MPI_Finalize"), "{text}");
    let text = said(vec![polls(), barrier()]);
    assert!(text.contains("Rank 1 waited for rank 0, which polls by MPI_Iprobe"), "{text}");
}

#[test]
fn an_object_has_one_name_in_all_sentences_and_tables() {
    let fence = || inside(&[], on_object(collective(Call::Win_fence)));
    let text = said(vec![fence(), inside(&[], collective(Call::Barrier))]);
    let names: Vec<&str> = text.match_indices("window ").map(|(at, _)| &text[at..at + 8]).collect();
    assert!(names.len() > 2 && names.iter().all(|name| *name == names[0]), "{text}");
    assert!(!text.contains("communicator 1") && !text.contains("communicator 2"), "{text}");
}
