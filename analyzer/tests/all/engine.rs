//! Activity of the progress engine over time.

use std::path::Path;

use metrics::engine::unseen;
use model::engine::Starved;
use model::{Choice, Run, engine};
use pictures::charts::entry_rates as rates;
use traces::calls::Call;
use traces::progress::Polls;

use crate::common::made::{self, Calls, receive};
use crate::common::recorded::ask;
use crate::common::requests::Planted;
use crate::common::{Folder, signature};

#[test]
fn entries_over_time_add_up_to_those_of_the_ledger() {
    for sample in ["integer_sort-openmpi", "integer_sort-mpich"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples").join(sample);
        let run = Run::select(&folder, &Choice { no_cache: true, ..Choice::default() }).unwrap();
        let engines: Vec<_> = run.ranks.iter().map(|rank| engine::of_rank(&run, rank)).collect();
        let rates = rates(&run, &engines);
        let slice = rates.wall / rates.all.len() as f64;
        let answer = ask(&folder, "progress", &["--no-cache"]);
        for (over_time, key) in [(&rates.all, "entries"), (&rates.productive, "productive_entries")] {
            let entries: f64 = answer.rows("ledger").iter().map(|row| row[key].as_f64().unwrap()).sum();
            let sum = over_time.iter().sum::<f64>() * slice;
            assert!(entries > 0.0 && (sum / entries - 1.0).abs() < 1e-6, "{sample}: {sum} of {entries} {key}");
        }
    }
}

#[test]
fn the_gaps_between_polls_that_got_no_are_the_longest_one_and_the_mean_of_the_others() {
    let (polls, each, gap, longest) = (102, 5, 100, 1_000);
    let span = polls * each + (polls - 2) * gap + longest;
    let made = Calls::default().call(receive(1), 1_000, 100).polls(Polls {
        end: span,
        count: polls,
        total: polls * each,
        gaps: [gap as u32, longest as u32],
        durations: [each as u32; 2],
        ..Polls::default()
    });
    let (_folder, run) = made::made(vec![made], 2);
    let starved: Vec<Starved> = engine::of_rank(&run, &run.ranks[0])[0].starved.values().cloned().collect();
    let [starved] = starved.as_slice() else { panic!("{starved:?}") };
    assert_eq!((starved.count(), starved.longest, starved.pending), (polls - 1, longest, 1));
    // The histogram is accurate to 2 %, and rounds up.
    assert!((gap..=gap + 2).contains(&starved.percentile_99()), "{starved:?}");
}

#[test]
fn ranks_whose_engine_was_not_observed_are_counted() {
    let of = |ranks: usize| unseen(&made::made((0..ranks).map(|_| Calls::default()).collect(), ranks as u32).1);
    assert_eq!(of(1), ["rank 0: recorded with OVERHEAR_PROGRESS=off, so the engine was not observed"]);
    assert_eq!(of(3), ["rank 0 and 2 more: recorded with OVERHEAR_PROGRESS=off, so the engine was not observed"]);
}

#[test]
fn components_that_were_never_called_are_not_among_what_was_seen() {
    let folder = Folder::new();
    let mut sends = Planted::default();
    sends.call(signature(0, Call::Send, 0, 100, 0), 2_000).write(&folder, 0, 1);
    let [said] = &unseen(&Run::load(&folder.0).unwrap())[..] else { panic!() };
    assert!(said.contains("is not observable on") && said.ends_with("seen instead: nothing"), "{said}");
}
