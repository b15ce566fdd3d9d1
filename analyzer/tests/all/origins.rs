//! Origins of waiting: the rank and the computation that a program states as the delay.

use std::collections::HashMap;
use std::path::Path;

use crate::common::recorded::{all_measured, ask, recorded};
use model::Run;
use model::critical::CriticalPath;
use model::matching::{Follow, settled};
use model::origins::Activity;
use model::shared_walk::{SharedWalk, critical_path};

/// Seconds that others waited because of a rank's computation after a function.
fn blamed(run: &Path, rank: u32, function: &str) -> f64 {
    let run = Run::load(run).unwrap();
    let walk = SharedWalk::of(&run, &mut settled(&run, Follow::ORIGINS | Follow::JUMPS));
    let is_of = |site: u32| run.call_sites()[site as usize].function == function;
    let of_rank = walk
        .origins
        .activities
        .iter()
        .filter(|((one, activity), _)| *one == rank && matches!(activity, Activity::Between(_, to) if is_of(*to)));
    of_rank.map(|(_, times)| times.blamed).sum::<i64>() as f64 / 1e9
}

#[test]
fn ranks_wait_for_the_computation_of_the_one_that_has_most_to_do() {
    let mut ran = 0;
    for fixture in recorded("imbalance") {
        let stated: f64 =
            all_measured(&fixture).iter().filter(|(name, _)| name.contains("wait_at_nxn")).map(|(_, time)| time).sum();
        let found = blamed(&fixture.run, 3, "MPI_Allreduce");
        assert!((found - stated).abs() < 0.02 * stated, "{found} s where the program says {stated} s");
        ran += 1;
    }
    assert!(ran > 0);
}

#[test]
fn the_waiting_that_is_followed_is_all_that_was_found() {
    let mut ran = 0;
    for program in ["imbalance", "late_sender", "late_receiver", "neighbor_late"] {
        for fixture in recorded(program) {
            let run = Run::load(&fixture.run).unwrap();
            let mut settled = settled(&run, Follow::ORIGINS | Follow::JUMPS);
            let waited: i64 = settled.account.waits.sums.values().map(|sum| sum.time).sum();
            let origins = SharedWalk::of(&run, &mut settled).origins;
            let followed = origins.activities.values().map(|times| times.blamed).sum::<i64>() + origins.unknown;
            // A call that waits in two states is followed in either.
            assert!((followed - waited).abs() as f64 <= 0.05 * waited as f64, "{program}: {followed} of {waited} ns");
            ran += 1;
        }
    }
    assert!(ran > 0);
}

#[test]
fn the_walk_for_all_analyses_finds_the_critical_path_of_the_walk_for_that_alone() {
    let mut ran = 0;
    for fixture in recorded("late_sender") {
        let run = Run::load(&fixture.run).unwrap();
        let [mut for_all, mut alone] = [Follow::ORIGINS | Follow::JUMPS, Follow::JUMPS].map(|what| settled(&run, what));
        let [one, other] = [SharedWalk::of(&run, &mut for_all).path, critical_path(&run, &mut alone)];
        let times = |path: &CriticalPath| -> HashMap<_, _> {
            let all = path.places.iter();
            all.map(|(place, time)| (*place, (time.on_path.clone(), time.total, time.is_open))).collect()
        };
        assert_eq!((one.stretches, &one.ranks, times(&one)), (other.stretches, &other.ranks, times(&other)));
        let on_path: i64 = one.places.values().flat_map(|time| time.on_path.values()).sum();
        assert!(on_path > 0 && on_path == one.ranks.values().sum::<i64>(), "{on_path} of {:?}", one.ranks);
        ran += 1;
    }
    assert!(ran > 0);
}

#[test]
fn the_first_finding_names_the_late_rank_with_what_all_ranks_together_could_save() {
    let mut ran = 0;
    for fixture in recorded("imbalance") {
        let answer = ask(&fixture.run, "diagnose", &["--no-cache"]);
        let first = &answer.rows("findings")[0];
        assert_eq!((&first["kind"], &first["ranks"]), (&"late_rank".into(), &"3".into()), "{first:#}");
        let stated: f64 =
            all_measured(&fixture).iter().filter(|(name, _)| name.contains("wait_at_nxn")).map(|(_, time)| time).sum();
        let cost = first["at_most_s"].as_f64().unwrap();
        assert!((cost - stated / 4.0).abs() < 0.02 * stated, "{cost} s, of {stated} s that four ranks waited");
        ran += 1;
    }
    assert!(ran > 0);
}
