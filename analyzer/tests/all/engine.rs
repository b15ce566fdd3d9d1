//! Activity of the progress engine over time.

use std::path::Path;

use metrics::engine::unseen;
use model::engine::{SlicedTime, Starved};
use model::{Choice, Run, engine};
use pictures::charts::entry_rates;
use traces::calls::Call;
use traces::progress::Polls;

use crate::common::made::{self, Calls, receive};
use crate::common::recorded::ask;
use crate::common::requests::Planted;
use crate::common::{Folder, signature};

#[test]
fn entries_over_time_add_up_to_those_of_the_ledger_of_a_run_and_of_a_part() {
    let samples = [("integer_sort-openmpi", (160, 200)), ("integer_sort-mpich", (300, 500))];
    for (sample, (from, to)) in samples {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples").join(sample);
        let [begin, end] = [from, to].map(|at| format!("{at}ms"));
        let whole = Choice { no_cache: true, ..Choice::default() };
        let part = Choice { from: Some(from * 1_000_000), to: Some(to * 1_000_000), ..whole.clone() };
        let of_part = ["--no-cache", "--from", &begin, "--to", &end];
        // A call at an edge of the part may be in it without its productive entries.
        for (choice, words, error) in [(whole, &of_part[..1], 1e-6), (part, &of_part[..], 0.02)] {
            let run = Run::select(&folder, &choice).unwrap();
            let time = SlicedTime::of(&run);
            let engines: Vec<_> = run.ranks.iter().map(|rank| engine::of_rank(&run, rank, &time)).collect();
            let chart = entry_rates(&run, &engines);
            let shown = [&chart.series[0].points[0], chart.series[0].points.last().unwrap()].map(|point| point.0);
            let length = if words.len() > 1 { (to - from) as f64 / 1e3 } else { run.first().wall() };
            assert!(
                ((shown[1] - shown[0]) / length - 1.0).abs() < 0.05 && (shown[0] > 0.0) == (words.len() > 1),
                "{shown:?}"
            );
            let answer = ask(&folder, "progress", words);
            for (line, key) in chart.series.iter().zip(["entries", "productive_entries"]) {
                let entries: f64 = answer.rows("ledger").iter().map(|row| row[key].as_f64().unwrap()).sum();
                // Each slice is a step from one point to the next; those without an entry are drawn at 0.5.
                let steps = line.points.chunks(2).filter(|step| step[0].1 > 0.5);
                let sum: f64 = steps.map(|step| step[0].1 * (step[1].0 - step[0].0)).sum();
                assert!(entries > 0.0 && (sum / entries - 1.0).abs() < error, "{sample}: {sum} of {entries} {key}");
            }
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
    let starved: Vec<Starved> =
        engine::of_rank(&run, &run.ranks[0], &SlicedTime::of(&run))[0].starved.values().cloned().collect();
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
