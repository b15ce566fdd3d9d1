//! Attribution of time: entries add up to each rank's life, to the nanosecond, and are the time that other analyses add up.

use std::collections::BTreeMap;
use std::path::Path;

use examples::fixture;
use model::Run;
use model::attribution::{Attribution, RankTimes, other_threads};
use model::matching::{Account, Follow, WaitState, settled};
use model::origins::Activity;
use model::shared_walk::SharedWalk;
use synthetic::{Shape, Topology};

use crate::common::Folder;

/// Checks a run. `false` if it has no single calls.
fn adds_up(folder: &Path, name: &str) -> bool {
    let run = match Run::load(folder) {
        Ok(run) if run.needs_calls("why").is_ok() => run,
        _ => return false,
    };
    let mut settled = settled(&run, Follow::ORIGINS | Follow::JUMPS | Follow::DEPENDENCIES);
    let found = found_waits(&settled.account);
    let attribution = SharedWalk::by_iteration(&run, &mut settled).attribution;
    for (at, (times, phases)) in attribution.ranks.iter().zip(&settled.account.phases).enumerate() {
        let all: i64 = times.times.values().sum();
        assert_eq!(all, times.life, "{name}, rank {at}: {times:?}");
        assert!(times.times.values().all(|time| *time > 0), "{name}, rank {at}: {times:?}");
        let life: i64 = phases.iter().map(|phase| phase.time).sum();
        let useful: i64 = phases.iter().map(|phase| phase.useful).sum();
        let outside = times.of(|key| !key.spent.is_in_mpi());
        // Its session lasts longer than MPI, and pop goes on behind MPI_Finalize.
        if !name.starts_with("session_around") {
            assert_eq!((times.life, outside), (life, useful), "{name}, rank {at}: as pop has them");
        }
        assert!(times.read <= times.life, "{name}, rank {at}");
        for (state, waited) in waits_of(times) {
            // Where a call waits for several at once, a moment is one wait.
            let found = found.get(&(at as u32, state)).copied().unwrap_or(0);
            let is_known = (found - found / 10..=found).contains(&waited);
            assert!(is_known, "{name}, rank {at}: {waited} ns of {found} in {}", state.name());
        }
    }
    for thread in other_threads(&run, &settled.common_clock) {
        let (rank, number, times) = (thread.rank, thread.thread, &thread.times);
        let all: i64 = times.times.values().sum();
        assert_eq!(all, times.life, "{name}, rank {rank}, thread {number}");
    }
    causes_are_waits(&attribution, name);
    true
}

/// Nanoseconds of waits by rank and state, as `waits` adds them up.
fn found_waits(account: &Account) -> BTreeMap<(u32, WaitState), i64> {
    let mut found = BTreeMap::new();
    for (key, sum) in &account.waits.sums {
        *found.entry((key.waiter.rank, key.state)).or_insert(0) += sum.time;
    }
    found
}

fn waits_of(times: &RankTimes) -> BTreeMap<WaitState, i64> {
    let mut waits = BTreeMap::new();
    for (key, time) in &times.times {
        if let Some(state) = key.spent.waits() {
            *waits.entry(state).or_insert(0) += time;
        }
    }
    waits
}

/// Each wait has its causes, and what has none is unresolved.
fn causes_are_waits(attribution: &Attribution, name: &str) {
    let mut waited = BTreeMap::new();
    for times in &attribution.ranks {
        for (key, time) in &times.times {
            if let (Some(Activity::In(site)), Some(state)) = (key.place, key.spent.waits()) {
                *waited.entry((site, state)).or_insert(0) += time;
            }
        }
    }
    let mut explained = BTreeMap::new();
    for (key, wait) in &attribution.causes {
        assert!(0 < wait.time && 0 <= wait.indirect && wait.indirect <= wait.time, "{name}: {key:?} {wait:?}");
        *explained.entry((key.waiting.site, key.waiting.state)).or_insert(0) += wait.time;
    }
    for (place, time) in &attribution.unresolved {
        assert!(*time > 0, "{name}: {time} ns of {place:?} are caused but were not waited");
        *explained.entry((place.site, place.state)).or_insert(0) += time;
    }
    assert_eq!(explained, waited, "{name}");
}

#[test]
fn the_time_of_every_recorded_run_lies_in_exactly_one_entry() {
    let mut ran = 0;
    for name in fixture::names().into_iter().chain(fixture::diagnosis_names()) {
        let folder = Folder::new();
        let fixture = fixture::unpack(&name, &folder.0.join("run"));
        ran += u32::from(adds_up(&fixture.run, &name));
    }
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples");
    for sample in std::fs::read_dir(samples).unwrap().flatten() {
        ran += u32::from(adds_up(&sample.path(), &sample.file_name().to_string_lossy()));
    }
    assert!(ran > 100, "{ran} runs");
}

#[test]
fn generated_runs_wait_as_long_as_they_were_made_to() {
    for seed in 1..=12 {
        let folder = Folder::new();
        let shape = Shape { seed, ranks: 2 + seed as u32 % 7, calls: 3_000, topology: Topology::Ring };
        let truth = synthetic::run(&folder.0, &shape).unwrap();
        assert!(adds_up(&folder.0, &format!("seed {seed}")));
        let run = Run::load(&folder.0).unwrap();
        let mut settled = settled(&run, Follow::ORIGINS | Follow::JUMPS);
        let attribution = SharedWalk::by_iteration(&run, &mut settled).attribution;
        for (states, known) in [
            // A wait is as long whether the sender was late or its message not the next one.
            (&[WaitState::LateSender, WaitState::WrongOrder][..], truth.total.late_sender),
            (&[WaitState::WaitAtNxn], truth.total.wait_at_nxn),
            (&[WaitState::LateBroadcast], truth.total.late_broadcast),
            (&[WaitState::WaitAtBarrier], truth.total.wait_at_barrier),
        ] {
            let all = attribution.ranks.iter().flat_map(waits_of);
            let waited: i64 = all.filter(|(state, _)| states.contains(state)).map(|(_, time)| time).sum();
            assert_eq!(waited, known.ticks as i64, "seed {seed}, {}", states[0].name());
        }
    }
}
