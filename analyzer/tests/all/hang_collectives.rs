//! `overhear hang` on runs made by hand whose ranks made different collective calls, or left some out; on windows and
//! files, too.

use model::Run;
use model::deadlock::{Need, deadlocked};
use model::standing::Standing;
use model::wait_for::{Sighting, WaitFor};
use traces::calls::Call;
use traces::signature::{Signature, lock, peer, tag};

use crate::common::recorded::ask;
use crate::common::stories::{
    Story, begun, collective, completing, created, inside, on_object, outside, receive, run, to,
};
use crate::hang::{goes_on, hangs, hangs_if_it_waited, is_unknown};

fn rooted(call: Call, root: i32) -> Signature {
    Signature { peer: root, ..collective(call) }
}

fn barrier() -> Signature {
    collective(Call::Barrier)
}

/// Two ranks in two different calls.
fn both(one: Signature, other: Signature) -> Vec<Story> {
    vec![inside(&[], one), inside(&[], other)]
}

#[test]
fn roots_that_differ_are_a_mismatch() {
    hangs(both(rooted(Call::Gather, 0), rooted(Call::Gather, 1)), "mismatch", "rank 1");
    let detail = |stories| {
        let said = ask(&run(stories).0, "hang", &["--no-cache"]);
        said.rows("reasons")[0]["detail"].as_str().unwrap().to_string()
    };
    let said = detail(both(rooted(Call::Gather, 0), rooted(Call::Gather, 1)));
    assert!(
        said.contains("MPI_Gather, collective call 1 of MPI_COMM_WORLD with root 0, and rank 1 is in it with root 1"),
        "{said}"
    );
    // The root of a broadcast sends, and MPI may buffer that.
    let large = |root| Signature { sent: 4 << 20, ..rooted(Call::Bcast, root) };
    assert_eq!(hangs_if_it_waited(both(large(0), large(1))), vec![("mismatch".into(), "rank 1".into())]);
    goes_on(both(rooted(Call::Gather, 0), rooted(Call::Gather, 0)));
}

#[test]
fn the_call_of_a_rank_that_moved_since_its_records_were_read_is_no_mismatch() {
    let folder = run(both(rooted(Call::Reduce, 0), rooted(Call::Bcast, 0)));
    let standing = Standing::of(&Run::load(&folder.0).unwrap());
    let is_deadlocked = |moved: bool| {
        let sightings = [Sighting { moved, ..Sighting::default() }, Sighting::default()];
        let need = WaitFor::of(&standing, &sightings).needs.swap_remove(1);
        deadlocked(&[Need::Unknown, need], None)[1]
    };
    assert_eq!([false, true].map(is_deadlocked), [true, false]);
}

#[test]
fn a_root_that_does_not_exist_is_an_error_by_which_mpi_ends_the_run() {
    for call in [Call::Bcast, Call::Gather] {
        goes_on(both(rooted(call, 0), rooted(call, 7)));
    }
    goes_on(both(to(Call::Send, 7, 1), receive(0, 1)));
}

#[test]
fn sizes_that_differ_are_a_mismatch_that_some_libraries_forgive() {
    let gather = |sent| Signature { sent, ..rooted(Call::Gather, 0) };
    let root = Signature { received: 16, ..gather(8) };
    goes_on(both(root, gather(8)));
    assert_eq!(hangs_if_it_waited(both(root, gather(12))), vec![("mismatch".into(), "rank 1".into())]);
    // Sizes are compared neither for unknown calls nor for calls whose parts may differ.
    goes_on(both(root, gather(0)));
    goes_on(both(
        Signature { sent: 8, ..collective(Call::Alltoallv) },
        Signature { sent: 80, ..collective(Call::Alltoallv) },
    ));
}

#[test]
fn blocking_and_nonblocking_calls_of_one_name_do_not_match() {
    let iscan = || inside(&[begun(Call::Iscan, peer::NONE, tag::NONE)], completing(Call::Wait, 1));
    let scan = || inside(&[], collective(Call::Scan));
    hangs(vec![scan(), iscan()], "mismatch", "rank 0");
    hangs(vec![iscan(), scan()], "mismatch", "rank 0");
    goes_on(vec![iscan(), iscan()]);
    goes_on(vec![scan(), scan()]);
}

#[test]
fn calls_that_differ_and_that_both_have_gone_past_are_found() {
    let past = |call| inside(&[rooted(call, 0)], barrier());
    let reasons = hangs_if_it_waited(vec![past(Call::Bcast), past(Call::Reduce)]);
    assert_eq!(reasons, [("mismatch".into(), "ranks 0-1".into())]);
    goes_on(vec![past(Call::Bcast), past(Call::Bcast)]);
    let said = ask(&run(vec![past(Call::Bcast), past(Call::Reduce)]).0, "hang", &["--no-cache"]);
    let detail = said.rows("reasons")[0]["detail"].as_str().unwrap();
    let differ = "rank 0 made MPI_Bcast (root 0, 8 bytes of each rank) as collective call 1 of MPI_COMM_WORLD, and rank 1 MPI_Reduce";
    assert!(detail.contains(differ), "{detail}");
}

#[test]
fn a_rank_that_is_left_behind_by_a_rooted_call_may_yet_go_on() {
    // Rank 0 has sent as the root and proceeded, rank 1 is in a barrier that comes before.
    let stories = vec![inside(&[rooted(Call::Bcast, 0)], barrier()), inside(&[], barrier())];
    hangs_if_it_waited(stories);
}

#[test]
fn a_broadcast_needs_its_root_and_other_ranks_maybe() {
    let bcast = || rooted(Call::Bcast, 0);
    hangs(vec![inside(&[], receive(1, 3)), inside(&[], bcast())], "missing", "rank 0");
    // Rank 2 waits for rank 1, which has the root's data: some libraries proceed, others do not.
    let stories = vec![outside(&[bcast()]), inside(&[], bcast()), inside(&[], receive(1, 3))];
    hangs_if_it_waited(stories);
}

#[test]
fn a_persistent_collective_call_needs_as_many_starts_of_all() {
    let create = created(Call::Barrier_init, peer::NONE, tag::NONE);
    let start = completing(Call::Start, 1);
    let once = || outside(&[create]).then(start).started(1);
    let waits = |story: Story| story.entering(completing(Call::Wait, 1));
    goes_on(vec![waits(once()), waits(once())]);
    hangs(vec![waits(once()), outside(&[create]).entering(receive(0, 3))], "missing", "rank 1");
    let twice = || once().then(completing(Call::Wait, 1)).completed(1).then(start).started(2);
    goes_on(vec![waits(twice()), waits(twice())]);
    hangs(vec![waits(twice()), once().entering(receive(0, 3))], "missing", "rank 1");
}

#[test]
fn neighbors_that_do_not_name_each_other_wait_for_ever() {
    let shares = |source, destination| inside(&[], collective(Call::Neighbor_allgather)).between(source, destination);
    goes_on(vec![shares(2, 1), shares(0, 2), shares(1, 0)]);
    // The first rank expects data from the last one, which sends it to the second.
    hangs(vec![shares(2, 1), shares(0, 2), shares(1, 1)], "mismatch", "rank 0");
}

#[test]
fn a_window_is_fenced_and_freed_by_all() {
    let (fence, free) = (on_object(collective(Call::Win_fence)), on_object(collective(Call::Win_free)));
    let create = collective(Call::Win_create);
    let stories = |second| vec![inside(&[create, fence], fence), inside(&[create, fence], second)];
    hangs(stories(free), "mismatch", "rank 1");
    goes_on(stories(fence));
    let freeing = |other| vec![inside(&[create], free), inside(&[create], other)];
    goes_on(freeing(free));
    hangs(freeing(receive(0, 3)), "missing", "rank 1");
}

#[test]
fn a_rank_that_is_missing_in_a_collective_call_on_a_file_is_named_but_libraries_need_not_wait_for_it() {
    let (open, write) = (collective(Call::File_open), on_object(collective(Call::File_write_all)));
    let stories = |other| vec![inside(&[open], write), other];
    let reasons = hangs_if_it_waited(stories(inside(&[open], receive(0, 3))));
    assert_eq!(reasons, [("missing".into(), "rank 1".into())]);
    // All ranks have come, and write.
    is_unknown(stories(inside(&[open], write)));
    is_unknown(stories(outside(&[open])));
}

#[test]
fn an_intercommunicator_that_one_group_does_not_make_waits_for_ever() {
    let create = Signature { object: 1, ..collective(Call::Comm_create_group) };
    hangs_if_it_waited(vec![inside(&[], create), inside(&[], receive(0, 3))]);
    is_unknown(vec![inside(&[], create), outside(&[barrier()])]);
    is_unknown(vec![inside(&[], create), inside(&[], create)]);
}

fn on_window(call: Call, target: i32, kind: i32) -> Signature {
    on_object(Signature { source_tag: kind, ..to(call, target, tag::NONE) })
}

#[test]
fn a_lock_that_is_held_over_a_barrier_is_named() {
    let locked = |kind| [collective(Call::Win_create), on_window(Call::Win_lock, 1, kind)];
    let holder = |kind| inside(&locked(kind), barrier());
    let waits = |kind| inside(&locked(kind), on_window(Call::Win_unlock, 1, tag::NONE));
    let reasons = hangs_if_it_waited(vec![holder(lock::EXCLUSIVE), waits(lock::EXCLUSIVE)]);
    assert!(reasons.contains(&("lock".into(), "rank 0".into())), "{reasons:?}");
    hangs_if_it_waited(vec![holder(lock::SHARED), waits(lock::EXCLUSIVE)]);
    is_unknown(vec![holder(lock::SHARED), waits(lock::SHARED)]);
    // The lock was released.
    let returned =
        inside(&[&locked(lock::EXCLUSIVE)[..], &[on_window(Call::Win_unlock, 1, tag::NONE)]].concat(), barrier());
    is_unknown(vec![returned, waits(lock::EXCLUSIVE)]);
}

#[test]
fn a_lock_of_all_ranks_windows_keeps_exclusive_ones_out_until_it_is_released() {
    let call = |call| on_object(collective(call));
    let holder = |over: &[Signature]| {
        inside(&[&[collective(Call::Win_create), call(Call::Win_lock_all)], over].concat(), barrier())
    };
    let waits = |kind| inside(&[collective(Call::Win_create)], on_window(Call::Win_lock, 1, kind));
    let reasons = hangs_if_it_waited(vec![holder(&[]), waits(lock::EXCLUSIVE)]);
    assert!(reasons.contains(&("lock".into(), "rank 0".into())), "{reasons:?}");
    is_unknown(vec![holder(&[]), waits(lock::SHARED)]);
    is_unknown(vec![holder(&[call(Call::Win_unlock_all)]), waits(lock::EXCLUSIVE)]);
}
