//! Finds the events that ranks wait for on windows, after earlier calls there, and after calls that failed or were
//! cancelled.

use model::Run;
use model::standing::{CollectiveKind, Made, Standing};
use traces::calls::Call;
use traces::record::Fate;
use traces::signature::Signature;

use crate::common::stories::{
    Sleeper, Story, asleep, begun, collective, completing, epoch, inside, on_object, outside, receive, receiving, run,
};
use crate::hang_time::verdict;

/// The verdict on ranks that are one sleeping process, which began to record 20 seconds ago.
fn hangs(stories: Vec<Story>) -> String {
    let sleeper = Sleeper::new();
    verdict(&asleep(stories, &sleeper, 20)).0
}

#[test]
fn a_start_for_unknown_ranks_waits_for_one_of_the_others_unless_one_has_posted() {
    let starts = || inside(&[], epoch(Call::Win_start, 99));
    assert_eq!(hangs(vec![starts(), inside(&[], receive(0, 7))]), "likely");
    assert_eq!(hangs(vec![starts(), inside(&[epoch(Call::Win_post, 0)], receive(0, 7))]), "unknown");
}

#[test]
fn the_end_of_an_exposure_waits_for_those_that_have_not_completed_their_access() {
    let call = |call| on_object(collective(call));
    let exposed = || inside(&[epoch(Call::Win_post, 1)], call(Call::Win_wait));
    let accessed = |over: &[Signature]| inside(&[&[epoch(Call::Win_start, 0)], over].concat(), receive(0, 7));
    assert_eq!(hangs(vec![exposed(), accessed(&[])]), "certain");
    assert_eq!(hangs(vec![exposed(), accessed(&[call(Call::Win_complete)])]), "unknown");
}

#[test]
fn a_request_that_may_be_cancelled_is_not_known_to_be_awaited() {
    let waits = |over: &[Signature]| inside(&[&[receiving(1, 7)], over].concat(), completing(Call::Waitall, 1));
    let other = || inside(&[], receive(0, 7));
    assert_eq!(hangs(vec![waits(&[]), other()]), "certain");
    assert_eq!(hangs(vec![waits(&[completing(Call::Cancel, 0)]), other()]), "unknown");
}

#[test]
fn requests_may_be_cancelled_until_as_many_were_as_were_to_be_or_none_is_pending() {
    let may_be = |story| {
        let folder = run(vec![story, outside(&[])]);
        Standing::of(&Run::load(&folder.0).unwrap()).ranks[0].past.may_be_cancelled()
    };
    let ended = |story: Story, age, fate| story.then(completing(Call::Wait, 1)).completed(age).got(1, 7, fate);
    for begin in [receiving(1, 7), begun(Call::Issend, 1, 7)] {
        let cancelled = |requests: usize| {
            let cancel = completing(Call::Cancel, 0);
            outside(&[vec![begin; requests], vec![cancel; requests]].concat())
        };
        assert!(may_be(cancelled(1)) && may_be(ended(cancelled(2), 2, Fate::Whole)));
        assert!(!may_be(ended(cancelled(1), 1, Fate::Cancelled)) && !may_be(ended(cancelled(1), 1, Fate::Whole)));
        let one_is = || ended(cancelled(2), 2, Fate::Cancelled);
        assert!(may_be(one_is()) && !may_be(ended(one_is(), 1, Fate::Cancelled)));
        // A request that began later is still pending.
        assert!(!may_be(ended(outside(&[begin, begin, completing(Call::Cancel, 0)]), 2, Fate::Cancelled)));
    }
}

#[test]
fn a_collective_call_that_failed_was_not_made() {
    let kind = |function| CollectiveKind { function, root: None, bytes: None };
    let mut made = Made::default();
    made.make(kind(1));
    made.make(kind(2));
    made.take_back();
    made.make(kind(3));
    assert_eq!([made.kind(0), made.kind(1), made.kind(2)], [Some(kind(1)), Some(kind(3)), None]);
}

#[test]
fn a_run_is_whole_only_if_no_rank_is_missing() {
    let folder = run(vec![outside(&[collective(Call::Barrier)]), outside(&[collective(Call::Barrier)])]);
    let is_whole = || Standing::of(&Run::load(&folder.0).unwrap()).is_whole;
    assert!(is_whole());
    std::fs::remove_file(folder.0.join("rank-0001.ovh")).unwrap();
    assert!(!is_whole());
}
