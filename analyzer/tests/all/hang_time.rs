//! Time refines the verdict of `overhear hang`: runs made by hand whose processes sleep, are stopped, or are gone.

use std::fs;

use examples::answer::Answer;
use metrics::hang::{Findings, Verdict};
use model::Run;
use model::standing::{Look, Standing};
use traces::calls::Call;
use traces::file::FileHeader;
use traces::signature::Signature;

use crate::common::recorded::ask;
use crate::common::stories::{
    Sleeper, Story, asking, asleep, collective, completing, gone, inside, outside, receive, run, run_by, this_host, to,
};
use crate::common::{Folder, SECOND, header};
use crate::hang::judged;

pub fn verdict(folder: &Folder) -> (String, String, u64) {
    let answer = ask(&folder.0, "hang", &["--no-cache"]);
    let run = &answer.json["run"];
    let text = |key: &str| run[key].as_str().unwrap().to_string();
    (text("hangs"), text("rests_on"), answer.status as u64)
}

/// Checks the verdict on ranks that are one sleeping process, whose recording began `ago` seconds ago.
#[track_caller]
fn is(stories: Vec<Story>, ago: u64, expected: &str, rests_on: &str) {
    let sleeper = Sleeper::new();
    let (found, found_on, status) = verdict(&asleep(stories, &sleeper, ago));
    let expected_status = match expected {
        "unknown" => 5,
        expected => u64::from(["certain", "likely"].contains(&expected)),
    };
    assert_eq!((&*found, status), (expected, expected_status), "{found_on}");
    assert!(found_on.contains(rests_on), "{found_on}");
}

#[test]
fn a_start_before_this_machine_booted_is_as_long_ago_as_it_says() {
    let day = 86_400;
    let since_boot = model::clock::clocks().0 as u64 / SECOND;
    let starts = || vec![inside(&[], initializing()), inside(&[], initializing())];
    // Whole minutes now, so that the test may take half of one.
    let quiet = (since_boot + day).next_multiple_of(60);
    is(starts(), quiet + 2, "likely", &format!("no rank has moved for {} minutes", quiet / 60));
}

fn barrier() -> Signature {
    collective(Call::Barrier)
}

fn initializing() -> Signature {
    Signature { object: 0, ..collective(Call::Init) }
}

#[test]
fn a_run_that_starts_is_given_minutes() {
    let starts = || vec![inside(&[], initializing()), inside(&[], initializing())];
    is(starts(), 100, "unknown", "it is starting: rank 0 has been in MPI_Init (8 bytes) for ");
    is(starts(), 700, "likely", "no rank has moved for 12 minutes");
    // The ranks have called nothing since, and sleep.
    let started = || vec![outside(&[initializing()]), outside(&[initializing()])];
    is(started(), 100, "unknown", "it is starting: rank 0 has been outside MPI for ");
    is(started(), 700, "likely", "no rank has moved");
}

#[test]
fn a_rank_that_sleeps_outside_mpi_is_named_and_after_a_minute_the_run_hangs() {
    let stories = || vec![inside(&[barrier()], barrier()), outside(&[barrier()])];
    is(stories(), 40, "unknown", "rank 1 has been outside MPI for ");
    is(stories(), 70, "likely", "no rank has moved for");
}

#[test]
fn a_deadlock_is_certain_at_once_and_one_that_libraries_may_resolve_after_ten_seconds() {
    let cycle = |call: fn(i32) -> Signature| vec![inside(&[], call(1)), inside(&[], call(0))];
    is(cycle(|other| receive(other, 1)), 3, "certain", "none of them moved between two looks");
    let bcast = |root| Signature { peer: root, sent: 4 << 20, ..collective(Call::Bcast) };
    is(cycle(bcast), 20, "likely", "MPI lets ranks 0-1 wait for what can never come");
}

#[test]
fn ranks_that_nothing_frees_hang_unless_mpi_moved_data_in_one_of_them_between_the_looks() {
    let (sleeper, folder) = (Sleeper::new(), Folder::new());
    let header = sleeper.header(100);
    let look = |moved: u64| {
        let stories = [(1, moved), (0, 0)].map(|(other, moved)| inside(&[], receive(other, 1)).moved(moved));
        run_by(&folder, stories.into(), header, |_| sleeper.process());
        Look::of(&folder.0).unwrap()
    };
    let first = look(0);
    let run = Run::load(&folder.0).unwrap();
    let judged = |last: Look| Findings::of(&run, &Standing::of(&run), &first, &last).judgement;
    assert_eq!(judged(look(0)).verdict, Verdict::Certain);
    let moves = judged(look(1));
    assert_eq!(moves.verdict, Verdict::No);
    assert!(moves.rests_on.starts_with("MPI moved data in rank 0 between two looks"), "{}", moves.rests_on);
}

#[test]
fn a_send_that_a_sleeping_rank_stays_in_is_not_buffered() {
    let send = |other| inside(&[barrier()], to(Call::Send, other, 1));
    is(vec![send(1), send(0)], 5, "certain", "moved between two looks 1.");
}

#[test]
fn a_rank_that_sleeps_between_polls_may_do_something_else_until_a_minute_has_passed() {
    let probes = |other| asking(Signature { call: Call::Iprobe.number(), ..receive(other, 1) });
    is(vec![probes(1), probes(0)], 30, "unknown", "no rank has moved for");
    is(vec![probes(1), probes(0)], 90, "likely", "no rank has moved for");
}

#[test]
fn a_stopped_rank_is_stopped_and_nothing_is_certain() {
    let sleeper = Sleeper::new();
    let stop = |signal| {
        // SAFETY: stops a child of this test, or has it go on.
        unsafe { libc::kill(sleeper.0.id() as i32, signal) };
    };
    stop(libc::SIGSTOP);
    while model::process::Process::of(sleeper.0.id()).unwrap().state != model::process::ProcessState::Stopped {
        std::thread::yield_now();
    }
    let answer = |stories| ask(&asleep(stories, &sleeper, 100).0, "hang", &["--no-cache"]);
    let reasons = |answer: &Answer| answer.rows("reasons").iter().map(|row| row["reason"].clone()).collect::<Vec<_>>();
    let waiting = answer(vec![inside(&[], barrier()), outside(&[barrier()])]);
    assert_eq!((waiting.json["run"]["hangs"].as_str(), waiting.status), (Some("unknown"), 5), "{:#}", waiting.json);
    assert!(
        waiting.json["run"]["rests_on"].as_str().unwrap().starts_with("ranks 0-1 are stopped"),
        "{:#}",
        waiting.json
    );
    assert!(reasons(&waiting).iter().all(|reason| reason == "stopped"), "{:#}", waiting.json);
    // One rank waits for the stopped one, or sleeps beside it, where nobody waits for that.
    let awake = Sleeper::new();
    let rests_on = |first: Story| {
        let folder = Folder::new();
        for (rank, sleeper) in [&awake, &sleeper].into_iter().enumerate() {
            let own = Folder::new();
            run_by(&own, vec![first.clone(), outside(&[barrier()])], sleeper.header(100), |_| sleeper.process());
            let name = format!("rank-{rank:04}.ovh");
            fs::copy(own.0.join(&name), folder.0.join(&name)).unwrap();
        }
        verdict(&folder).1
    };
    assert!(rests_on(inside(&[barrier()], barrier())).starts_with("rank 1 is stopped, by a signal or a debugger"));
    assert!(rests_on(outside(&[barrier()])).starts_with("no rank has moved"));
    // A deadlock stays one while a debugger holds its ranks.
    let stuck = answer(vec![inside(&[], receive(1, 1)), inside(&[], receive(0, 1))]);
    assert_eq!(stuck.json["run"]["hangs"], "certain", "{:#}", stuck.json);
    stop(libc::SIGCONT);
}

#[test]
fn a_run_that_mpi_aborted_does_not_hang() {
    let abort = || inside(&[], Signature { object: 1, ..collective(Call::Abort) });
    let stories = || vec![inside(&[], receive(1, 1)), inside(&[], receive(0, 1)), abort()];
    assert_eq!(judged(stories()), ("no".into(), Vec::new()));
    let (found, rests_on, status) = verdict(&run(stories()));
    assert_eq!((&*found, status), ("no", 0));
    assert_eq!(rests_on, "rank 2 ended it by MPI_Abort");
}

#[test]
fn a_rank_that_went_on_after_it_called_mpi_abort_ended_the_run_as_well() {
    let abort = Signature { object: 1, ..collective(Call::Abort) };
    for later in [outside(&[abort]), inside(&[abort], barrier())] {
        let (found, rests_on, _) = verdict(&run(vec![inside(&[], receive(1, 1)), inside(&[], receive(0, 1)), later]));
        assert_eq!((&*found, &*rests_on), ("no", "rank 2 ended it by MPI_Abort"));
    }
    // While the run goes on, ranks that MPI_Abort has not ended hang.
    let sleeper = Sleeper::new();
    let stories = vec![inside(&[], receive(1, 1)), inside(&[], receive(0, 1)), outside(&[abort])];
    assert_eq!(verdict(&asleep(stories, &sleeper, 100)).0, "certain");
}

#[test]
fn after_the_end_nobody_can_tell_what_a_rank_outside_mpi_did() {
    let (found, rests_on, _) = verdict(&run(vec![inside(&[barrier()], barrier()), outside(&[barrier()])]));
    assert_eq!(found, "unknown");
    assert!(rests_on.contains("rank 1 ended outside MPI, without MPI_Finalize"), "{rests_on}");
    let (found, rests_on, _) = verdict(&run(vec![inside(&[], barrier()), inside(&[], barrier())]));
    assert_eq!(found, "no", "{rests_on}");
}

#[test]
fn the_rank_whose_signs_of_life_ceased_while_the_others_waited_ended_first() {
    let ended = |first: u64, other: u64| {
        let folder = run([first, other, other].map(|time| inside(&[], barrier()).waited_for(time)).into());
        let finding = ask(&folder.0, "diagnose", &["--no-cache"]).rows("findings")[0].clone();
        (verdict(&folder).1, finding["headline"].as_str().unwrap().to_string())
    };
    let (rests_on, headline) = ended(1, 3);
    assert_eq!(rests_on, "rank 0 probably ended first, 2.000 s before the others, which still waited");
    assert!(headline.starts_with("Rank 0 probably ended first, in MPI_Barrier"), "{headline}");
    let (rests_on, headline) = ended(1, 1);
    assert!(rests_on.ends_with("it could complete") && headline.starts_with("3 of 3 ranks"), "{rests_on} {headline}");
}

#[test]
fn with_thread_multiple_a_thread_that_has_not_called_mpi_may_send() {
    let multiple = FileHeader { thread_level: 3, ..header(0, 0) };
    let cycle = || vec![inside(&[], receive(1, 1)).waited(), inside(&[], receive(0, 1)).waited()];
    let folder = Folder::new();
    run_by(&folder, cycle(), multiple, |_| gone(this_host()));
    assert_eq!(verdict(&folder).0, "likely");
    // Its only thread is known.
    let sleeper = Sleeper::new();
    let folder = Folder::new();
    run_by(&folder, cycle(), FileHeader { thread_level: 3, ..sleeper.header(3) }, |_| sleeper.process());
    assert_eq!(verdict(&folder).0, "certain");
}

#[test]
fn a_dead_rank_is_one_only_if_it_was_before_the_first_look_and_others_have_waited_for_it() {
    let sleeper = Sleeper::new();
    let run_of = |ago| {
        let folder = Folder::new();
        let stories = vec![inside(&[barrier()], barrier()), inside(&[barrier()], completing(Call::Waitall, 0))];
        run_by(&folder, stories, sleeper.header(ago), |rank| match rank {
            0 => sleeper.process(),
            _ => gone(this_host()),
        });
        folder
    };
    let folder = run_of(20);
    // The second rank's process id belongs to no process.
    let path = folder.0.join("rank-0001.ovh");
    let mut bytes = fs::read(&path).unwrap();
    bytes[44..48].copy_from_slice(&(u32::MAX - 1).to_le_bytes());
    fs::write(&path, bytes).unwrap();
    let (found, rests_on, _) = verdict(&folder);
    assert_eq!(found, "certain", "{rests_on}");
    assert!(rests_on.contains("a dead rank"), "{rests_on}");
}

#[test]
fn a_run_whose_ranks_were_all_in_mpi_for_far_too_long_hung_for_a_reason_that_nobody_knows() {
    let makes = |seconds| inside(&[], collective(Call::Comm_create_group)).waited_for(seconds);
    let after = |stories| verdict(&run(stories));
    let (found, rests_on, _) = after(vec![makes(70), makes(70)]);
    assert_eq!(found, "likely", "{rests_on}");
    assert!(rests_on.starts_with("all ranks are in MPI, and none has moved for 70.0 s"), "{rests_on}");
    assert_eq!(after(vec![makes(50), makes(50)]).0, "unknown");
    // This rank may have computed.
    assert_eq!(after(vec![makes(70), outside(&[barrier()])]).0, "unknown");
}

#[test]
fn only_a_silence_far_longer_than_any_pause_before_it_is_a_hang() {
    // A call has taken eight seconds.
    let makes = |seconds| inside(&[barrier()], collective(Call::Comm_create_group)).taking(8).waited_for(seconds);
    let after = |seconds| verdict(&run(vec![makes(seconds), makes(seconds)])).0;
    assert_eq!([70, 90].map(after), ["unknown", "likely"]);
    let sleeps = vec![inside(&[barrier()], barrier()).taking(8), outside(&[barrier()]).taking(8)];
    is(sleeps, 80, "unknown", "80.0 s would tell");
}

#[test]
fn a_rank_that_polled_without_a_pause_waited_and_one_that_paused_may_have_done_something_else() {
    let probes = |other| asking(Signature { call: Call::Iprobe.number(), ..receive(other, 1) });
    let after = |[polled, in_mpi]: [u64; 2]| {
        let (found, rests_on, _) = verdict(&run([1, 0].map(|other| probes(other).polled_for(polled, in_mpi)).into()));
        (found, rests_on.contains("rank 0 polled, and its file does not tell"))
    };
    assert_eq!(after([20, 20]), ("likely".into(), false));
    assert_eq!(after([20, 10]), ("unknown".into(), true));
    assert_eq!(after([5, 5]), ("unknown".into(), true));
}

#[test]
fn a_rank_outside_mpi_on_another_host_may_compute_however_long_nothing_moves() {
    let (sleeper, folder) = (Sleeper::new(), Folder::new());
    let stories = vec![inside(&[barrier()], barrier()), outside(&[barrier()])];
    let process = |rank| if rank == 0 { sleeper.process() } else { gone("elsewhere".into()) };
    run_by(&folder, stories, sleeper.header(90), process);
    let (found, rests_on, _) = verdict(&folder);
    assert_eq!(found, "unknown");
    assert_eq!(rests_on, "rank 1 is outside MPI, and whether it computes there can only be seen on its host");
}
