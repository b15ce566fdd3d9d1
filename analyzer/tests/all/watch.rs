//! Runs that are watched while they grow: reading in pieces gives the same as reading at once, in whatever order the
//! ranks write.

use std::fs;
use std::path::Path;

use examples::fixture;
use model::rank::is_nested;
use model::sites::Sites;
use model::standing::Spot;
use model::watch::Watch;
use model::{Choice, Rank, Run};
use synthetic::{Shape, Topology};
use tables::Sheet;
use traces::calls::Call;
use traces::file::{FIRST_PAGE, FileHeader, INITIALIZED, Mode, ProfileEntry};
use traces::signature::{CREATES, NESTED, STARTS, Signature, peer};
use traces::write::{FileWriter, blank_block};

use crate::common::made::{Calls, on_nobody, receive, send};
use crate::common::stories::{collective, completing, inside, outside, receiving, run, run_in, run_on};
use crate::common::{BEGIN, Folder, definitions, header, in_call, rank_with, signature};

fn watched(folder: &Path) -> Watch {
    let mut watch = Watch::new(folder);
    watch.look().unwrap();
    watch
}

/// Sent bytes of a rank's threads, and their seconds in MPI, without nested calls.
fn of_report(rank: &Rank) -> (u64, f64) {
    let entries = || rank.threads.iter().flat_map(|thread| &thread.entries).filter(|entry| !is_nested(entry));
    let ticks: u64 = entries().map(|entry| entry.total).sum();
    (entries().map(|entry| entry.sent).sum(), rank.clock.seconds(ticks))
}

#[test]
fn bytes_and_time_in_mpi_of_every_recorded_program_are_those_of_the_report() {
    let names = fixture::names();
    let mut compared = 0;
    for name in names {
        let folder = Folder::new();
        let fixture = fixture::unpack(&name, &folder.0);
        let (run, watch) =
            (Run::select(&fixture.run, &Choice { whole: true, ..Choice::default() }).unwrap(), watched(&fixture.run));
        assert_eq!(watch.ranks.len(), run.ranks.len(), "{name}");
        // A report omits what MPI_Pcontrol switches off.
        let whole = run.ranks.iter().zip(&watch.views).filter(|(rank, _)| rank.selection.is_none());
        for (rank, view) in whole {
            compared += 1;
            let (sent, seconds) = of_report(rank);
            assert_eq!(view.sum.sent, sent, "{name} {}", rank.file);
            let is_over = matches!(view.spot, Spot::Finalized);
            let off = (view.sum.in_mpi - seconds).abs();
            assert!(!is_over || off <= 1e-9 + 1e-6 * seconds, "{name} {}: {off} s of {seconds}", rank.file);
        }
    }
    assert!(compared > 0);
}

/// Sent bytes and pending requests of each rank at a look.
fn seen(watch: &Watch) -> Vec<(u64, u64)> {
    watch.views.iter().map(|view| (view.sum.sent, view.pending)).collect()
}

#[test]
fn files_that_grow_by_pages_are_read_to_the_same_end() {
    let (whole, grown) = (Folder::new(), Folder::new());
    synthetic::run(&whole.0, &Shape { ranks: 3, calls: 60_000, topology: Topology::Ring, seed: 1 }).unwrap();
    let files = || (0..3).map(|rank| format!("rank-{rank:04}.ovh"));
    let mut watch = Watch::new(&grown.0);
    for part in 1..=16 {
        for file in files() {
            let bytes = fs::read(whole.0.join(&file)).unwrap();
            let here = fs::OpenOptions::new().create(true).append(true).open(grown.0.join(&file)).unwrap();
            let (from, to) = (here.metadata().unwrap().len() as usize, bytes.len() * part / 16);
            std::io::Write::write_all(&mut &here, &bytes[from..to]).unwrap();
        }
        watch.look().unwrap();
    }
    let fresh = watched(&whole.0);
    assert!(fresh.views.iter().all(|view| view.sum.sent > 0));
    assert_eq!(seen(&watch), seen(&fresh));
}

#[test]
fn records_in_a_page_that_was_read_before_are_each_read_once() {
    let folder = Folder::new();
    let isend = || Signature { flags: STARTS, ..send(Call::Isend, 1, 100) };
    let with = |calls: u64, completed: bool| {
        let begun = (0..calls).fold(Calls::default(), |calls, at| calls.call(isend(), 1_000 * at, 10));
        let all = if completed { begun.call(on_nobody(Call::Wait), 500_000, 10).completed(2) } else { begun };
        all.write(&folder, 0, 1);
    };
    let mut watch = Watch::new(&folder.0);
    for (calls, completed, expected) in [(3, false, (300, 3)), (5, false, (500, 5)), (5, true, (500, 4))] {
        with(calls, completed);
        watch.look().unwrap();
        assert_eq!((watch.views[0].sum.sent, watch.views[0].pending), expected);
    }
    // The oldest began at the very start.
    let (rank, view) = (&watch.ranks[0], &watch.views[0]);
    assert!((view.oldest().unwrap() - view.age).abs() < 1e-6, "{:?} of {}", view.oldest(), view.age);
    let listed = Sheet::from(metrics::top::requests(rank, view, &Sites::load(&folder.0, &watch.ranks, false)));
    let age = listed.number(0, "age_s").unwrap();
    assert!((age - view.age).abs() < 1e-6, "{age} of {}", view.age);
    let open = watch.views[0].requests.iter().map(|request| request.call.call);
    assert_eq!(open.collect::<Vec<u16>>(), [Call::Isend.number(); 4]);
}

#[test]
fn a_persistent_request_is_pending_from_its_start_to_its_completion() {
    let folder = Folder::new();
    let create = Signature { flags: CREATES, ..send(Call::Send_init, 1, 100) };
    let started = |starts: u64| {
        let created = Calls::default().call(create, 1_000, 10);
        (0..starts)
            .fold(created, |calls, at| calls.call(on_nobody(Call::Start), 2_000 + 1_000 * at, 10).started(1 + at))
    };
    let begun = [started(0), started(1), started(2), started(2).call(on_nobody(Call::Wait), 9_000, 10).completed(1)];
    for (calls, expected) in begun.into_iter().zip([(0, 0), (100, 1), (200, 2), (200, 1)]) {
        calls.write(&folder, 0, 1);
        assert_eq!(seen(&watched(&folder.0)), [expected]);
    }
}

#[test]
fn a_thread_that_has_not_called_mpi_is_none_of_the_ranks_threads() {
    let folder = Folder::new();
    let mut file = FileWriter::begin(Vec::new(), FileHeader { state: INITIALIZED, ..header(0, 2) }).unwrap();
    file.definitions(&definitions(2, 0)).unwrap();
    for (thread, block) in [(0, in_call(1, 5_000)), (1, blank_block())] {
        file.thread(thread, &block).unwrap();
        file.signatures(thread, 0, &[signature(1, Call::Recv, 1, 0, 8)]).unwrap();
    }
    folder.write("rank-0000.ovh", &file.into_inner());
    let watch = watched(&folder.0);
    assert_eq!((watch.views[0].sum.threads, watch.views[0].threads.len()), (1, 1));
}

#[test]
fn requests_of_a_ranks_threads_are_told_apart() {
    let waits = |from, tag| inside(&[receiving(from, tag)], completing(Call::Waitall, 1));
    let folder = run(vec![waits(1, 7).beside(waits(1, 8)), outside(&[])]);
    let view = &watched(&folder.0).views[0];
    let mut tags: Vec<i32> = view.requests.iter().map(|request| request.call.tag).collect();
    tags.sort_unstable();
    assert_eq!((view.pending, tags), (2, vec![7, 8]));
}

#[test]
fn a_rank_that_turns_out_to_be_on_another_host_is_shown_no_longer() {
    let (whole, here) = (Folder::new(), Folder::new());
    let barrier = || inside(&[], collective(Call::Barrier));
    run_on(&whole, vec![barrier(), barrier()], |rank| if rank == 0 { "there" } else { "here" });
    let [zero, one] = ["rank-0000.ovh", "rank-0001.ovh"].map(|name| fs::read(whole.0.join(name)).unwrap());
    // Which host rank 0 is on is in none of its pages yet.
    here.write("rank-0000.ovh", &zero[..FIRST_PAGE]);
    here.write("rank-0001.ovh", &one);
    let mut watch = Watch::of_host(&here.0, "here");
    let mut shown = || {
        watch.look().unwrap();
        let ranks = watch.ranks.iter().zip(&watch.views);
        ranks.map(|(rank, view)| (rank.header.rank, view.came)).collect::<Vec<_>>()
    };
    assert_eq!(shown(), [(0, None), (1, Some((1, 2)))]);
    here.write("rank-0000.ovh", &zero);
    assert_eq!(shown(), [(0, Some((2, 2))), (1, Some((2, 2)))]);
    assert_eq!(shown(), [(1, Some((1, 2)))]);
    assert_eq!(shown(), [(1, Some((1, 2)))]);
}

#[test]
fn what_a_watch_tells_is_all_that_another_one_needs() {
    let (mut told, mut hosts) = (0, 0);
    for name in fixture::names() {
        let (folder, here) = (Folder::new(), Folder::new());
        let fixture = fixture::unpack(&name, &folder.0);
        let mut direct = watched(&fixture.run);
        // Only the headers are visible from here.
        for rank in &direct.ranks {
            let bytes = fs::read(fixture.run.join(&rank.file)).unwrap();
            here.write(&rank.file, &bytes[..FIRST_PAGE]);
        }
        let mut heard = watched(&here.0);
        let of: std::collections::BTreeSet<String> =
            direct.ranks.iter().map(|rank| rank.process.host.clone()).collect();
        hosts += of.len();
        for host in of {
            let mut reader = Watch::of_host(&fixture.run, &host);
            reader.look().unwrap();
            let line = serde_json::to_string(&reader.news()).unwrap();
            heard.hear(&host, serde_json::from_str(&line).unwrap());
            // Data that only grows is sent once.
            reader.look().unwrap();
            let again = serde_json::to_string(&reader.news()).unwrap();
            assert!(again.len() < line.len(), "{name}: {again}");
            heard.hear(&host, serde_json::from_str(&again).unwrap());
        }
        direct.look().unwrap();
        heard.look().unwrap();
        let all = |watch: &Watch| {
            let ranks = watch.ranks.iter().zip(&watch.views);
            let one = |(rank, view): (&Rank, &model::watch::RankView)| {
                let known = (rank.sites.len(), rank.modules.len(), rank.communicators.len(), rank.members.len());
                format!(
                    "{} {:?} {:?} {:?} {} {:?}",
                    rank.file, view.spot, known, view.sum.sent, view.pending, view.came
                )
            };
            ranks.map(one).collect::<Vec<_>>()
        };
        assert_eq!(all(&heard), all(&direct), "{name}");
        told += heard.ranks.len();
    }
    assert!(told > hosts && hosts > 0);
}

#[test]
fn who_has_passed_a_collective_call_has_come_to_it() {
    let barrier = || collective(Call::Barrier);
    let folder = Folder::new();
    // The last rank has passed the barrier that the first is in, and the second has not come.
    run_in(&folder, vec![inside(&[], barrier()), inside(&[], receive(0)), inside(&[barrier()], barrier())]);
    let came: Vec<_> = watched(&folder.0).views.iter().map(|view| view.came).collect();
    assert_eq!(came, [Some((2, 3)), None, Some((1, 3))]);
}

#[test]
fn another_run_in_the_folder_is_followed_from_its_start() {
    let folder = Folder::new();
    let write = |run: u8, begin: u64, name: &str, sent: u64| {
        let mut header = FileHeader { run: [run; 16], pid: u32::from(run), ..header(0, 1) };
        header.begin.realtime = begin;
        let calls = [signature(1, Call::Send, 0, sent, 0)];
        folder.write(
            name,
            &rank_with(header, &blank_block(), &calls, |words| {
                traces::write::call(words, BEGIN, 1, BEGIN + 5, 10);
            }),
        );
    };
    write(1, 1_000, "rank-0000.ovh", 100);
    let mut watch = watched(&folder.0);
    assert_eq!(watch.views[0].sum.sent, 100);
    // Another process writes the same file, then a later run adds one.
    write(2, 2_000, "rank-0000.ovh", 7);
    watch.look().unwrap();
    assert_eq!(watch.views[0].sum.sent, 7);
    write(3, 3_000, "rank-0000-1.ovh", 9);
    watch.look().unwrap();
    let sent: Vec<u64> = watch.views.iter().map(|view| view.sum.sent).collect();
    assert_eq!(sent, [9]);
    fs::remove_file(folder.0.join("rank-0000-1.ovh")).unwrap();
    watch.look().unwrap();
    assert_eq!(watch.views[0].sum.sent, 7);
}

#[test]
fn a_rank_of_another_host_is_shown_without_a_process_and_its_data_grows_old() {
    let folder = Folder::new();
    let calls = [signature(1, Call::Recv, 1, 0, 8)];
    let is_open = FileHeader { state: INITIALIZED, ..header(0, 2) };
    folder.write("rank-0000.ovh", &rank_with(is_open, &in_call(1, 5_000), &calls, |_| ()));
    let mut watch = watched(&folder.0);
    let first = watch.views[0].data_age;
    std::thread::sleep(std::time::Duration::from_millis(20));
    watch.look().unwrap();
    let view = &watch.views[0];
    assert!(view.process.is_none() && view.since().is_some_and(|since| since > 1.0), "{:?}", view.spot);
    assert!(view.data_age >= first + 0.02, "{first} s, then {} s", view.data_age);
    assert_eq!(view.rates.unwrap().in_mpi, 1.0, "it is in a call all the time");
}

#[test]
fn the_call_that_a_rank_is_in_counts_from_when_it_began() {
    let folder = Folder::new();
    run_in(&folder, vec![inside(&[collective(Call::Barrier)], collective(Call::Barrier))]);
    let view = &watched(&folder.0).views[0];
    // The first call took a microsecond; the second began two seconds after the begin.
    let in_mpi = 1e-6 + view.age - 2.0;
    assert!((view.sum.in_mpi - in_mpi).abs() < 1e-3, "{} of {in_mpi}", view.sum.in_mpi);
}

/// A profiled rank of two, which sends to the other.
pub fn profiled() -> Folder {
    let folder = Folder::new();
    let header = FileHeader { state: INITIALIZED, mode: Mode::Profile as u16, ..header(0, 2) };
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.thread(0, &in_call(1, 5_000)).unwrap();
    file.definitions(&definitions(2, 0)).unwrap();
    let inner = Signature { flags: NESTED, ..signature(2, Call::Barrier, peer::NONE, 0, 0) };
    file.signatures(0, 0, &[signature(1, Call::Send, 1, 100, 0), inner]).unwrap();
    let entry = ProfileEntry { signature: 1, count: 4, total: 4_000, sent: 400, ..blank_entry() };
    file.profile(0, 0, &[entry, ProfileEntry { signature: 2, count: 1, total: 300, ..blank_entry() }]).unwrap();
    folder.write("rank-0000.ovh", &file.into_inner());
    folder
}

#[test]
fn a_profile_says_where_the_rank_is_and_what_its_calls_add_up_to() {
    let folder = profiled();
    let watch = watched(&folder.0);
    let view = &watch.views[0];
    assert!(matches!(&view.spot, Spot::Inside(call, _) if call.call == Call::Send.number()), "{:?}", view.spot);
    assert_eq!(view.sum.sent, 400);
    // It has been in the open call since 5 µs after its begin.
    let in_mpi = 4e-6 + view.age - 5e-6;
    assert!((view.sum.in_mpi - in_mpi).abs() < 1e-8, "{} of {in_mpi}", view.sum.in_mpi);
}

fn blank_entry() -> ProfileEntry {
    zerocopy::FromZeros::new_zeroed()
}
