//! `overhear hang` on runs made by hand that ended by themselves, or in which only the library keeps a call from completing.

use serde_json::{Value, json};
use traces::calls::Call;
use traces::signature::Signature;

use crate::common::recorded::ask;
use crate::common::stories::{Sleeper, Story, asleep, collective, inside, outside, receive, run};
use crate::common::{Folder, overhear, stdout};
use crate::hang_time::verdict;
use crate::run_ends::{begin, event, signal, write_log};

fn barrier() -> Signature {
    collective(Call::Barrier)
}

/// A run whose launcher ended with this status.
fn ended_with(status: i32, stories: Vec<Story>) -> Folder {
    let folder = run(stories);
    write_log(&folder, &[begin(), event("end", 2.6, json!({ "status": status }))]);
    folder
}

fn reasons(folder: &Folder) -> Vec<String> {
    let answer = ask(&folder.0, "hang", &["--no-cache"]);
    answer.rows("reasons").iter().map(|row| row["reason"].as_str().unwrap().to_string()).collect()
}

fn waits_for_ever(folder: &Folder) -> Vec<Value> {
    let answer = ask(&folder.0, "hang", &["--no-cache"]);
    answer.rows("standing").iter().map(|row| row["waits_for_ever"].clone()).collect()
}

#[test]
fn a_call_that_all_members_are_in_can_complete_and_the_library_does_not() {
    let sleeper = Sleeper::new();
    let judged = |ago| {
        let folder = asleep(vec![inside(&[barrier()], barrier()), inside(&[barrier()], barrier())], &sleeper, ago);
        (verdict(&folder), reasons(&folder))
    };
    for ago in [3, 15] {
        let ((found, rests_on, status), reasons) = judged(ago);
        assert_eq!((&*found, status, reasons.len()), ("unknown", 5, 0), "{rests_on}");
        let said = "all 2 members of MPI_COMM_WORLD are in MPI_Barrier, collective call 2 of it: it can complete, and the \
                    library has not completed it; no rank has moved for ";
        assert!(rests_on.starts_with(said), "{rests_on}");
    }
    let ((found, rests_on, status), reasons) = judged(70);
    assert_eq!((&*found, status), ("likely", 1), "{rests_on}");
    assert_eq!(reasons, ["complete"]);
}

#[test]
fn nothing_that_stands_still_is_said_not_to_hang() {
    // The message that rank 1 waits for is there.
    let stories =
        || vec![inside(&[crate::common::stories::to(Call::Send, 1, 1)], barrier()), inside(&[], receive(0, 1))];
    let (found, rests_on, _) = verdict(&asleep(stories(), &Sleeper::new(), 5));
    assert_eq!(found, "unknown");
    assert!(rests_on.starts_with("what each rank waits for has come, or can; no rank has moved for "), "{rests_on}");
}

#[test]
fn calls_that_do_not_fit_and_that_mpi_ended_at_once_were_not_hanging() {
    let stories = || vec![inside(&[], barrier()), inside(&[], collective(Call::Allreduce))];
    assert_eq!(verdict(&run(stories())).0, "certain", "as far as anybody knows");
    let folder = ended_with(16, stories());
    let (found, rests_on, status) = verdict(&folder);
    assert_eq!((&*found, status), ("no", 0));
    assert!(rests_on.starts_with("the calls of ranks 0-1 do not fit, and MPI ended it, "), "{rests_on}");
    assert_eq!(reasons(&folder), ["mismatch"]);
    assert_eq!(waits_for_ever(&folder), ["no", "no"]);
    let first = ask(&folder.0, "diagnose", &["--no-cache"]).rows("findings")[0].clone();
    assert_eq!(first["kind"], "aborted");
    let headline = first["headline"].as_str().unwrap();
    assert!(headline.starts_with("The calls of ranks 0-1 do not fit, and MPI ended it, "), "{headline}");
    assert!(first["detail"].as_str().unwrap().contains("with status 16"), "{first}");
}

#[test]
fn a_hang_that_was_ended_from_outside_or_after_a_while_was_one() {
    let stories = |waited| {
        vec![receive(1, 1), receive(0, 1)].into_iter().map(|call| inside(&[], call).waited_for(waited)).collect()
    };
    let judged = |events: &[Value], waited| {
        let folder = run(stories(waited));
        write_log(&folder, events);
        verdict(&folder).0
    };
    let ended = event("end", 2.7, json!({"status": 1}));
    assert_eq!(judged(&[begin(), signal(2.6, json!({})), ended.clone()], 0), "certain");
    assert_eq!(judged(&[begin(), ended.clone()], 5), "certain", "it waited for 5 s");
    assert_eq!(judged(&[begin(), ended], 0), "no");
    let mut by_timeout = begin();
    by_timeout["launcher"] = "timeout".into();
    assert_eq!(judged(&[by_timeout, event("end", 2.7, json!({"status": 124}))], 0), "certain");
}

#[test]
fn an_error_in_a_call_ended_a_run_in_which_all_could_have_gone_on() {
    let folder = ended_with(15, vec![inside(&[], barrier()), inside(&[], barrier())]);
    let (found, rests_on, _) = verdict(&folder);
    assert_eq!(found, "no");
    assert!(rests_on.starts_with("it ended by itself, by an error of MPI or a crash in a call, "), "{rests_on}");
    let text = stdout(&overhear("hang", &folder.0, &["--no-cache"]));
    assert!(text.starts_with("mpirun ended 2.60 s after its start with status 15."), "{text}");
}

#[test]
fn a_rank_that_the_others_outlived_did_not_end_with_the_job() {
    let stories = || vec![outside(&[barrier()]).finalized(), outside(&[barrier()])];
    for (status, is_on_its_own) in [(0, true), (139, true), (3, false)] {
        let (found, rests_on, _) = verdict(&ended_with(status, stories()));
        assert_eq!((found == "no", !rests_on.contains("with the job")), (is_on_its_own, is_on_its_own), "{rests_on}");
    }
    assert_eq!(verdict(&run(stories())).0, "unknown", "nobody saw its end");
}

#[test]
fn a_rank_that_has_finalized_mpi_does_not_wait_for_ever() {
    let folder = run(vec![inside(&[], receive(1, 1)), outside(&[barrier()]).finalized()]);
    assert_eq!(verdict(&folder).0, "certain");
    assert_eq!(waits_for_ever(&folder), ["yes", "no"]);
}
