//! Traces of published benchmarks' loops give the figures that the benchmarks print, by their own definitions.

use std::path::Path;

use crate::common::requests::Planted;
use crate::common::{Folder, overhear, signature, stdout};
use serde_json::Value;
use traces::calls::Call;
use traces::signature::{STARTS, Signature, peer};

fn said(planted: &Planted) -> Value {
    let folder = Folder::new();
    planted.write(&folder, 0, 1);
    ask(&folder.0)
}

fn ask(folder: &Path) -> Value {
    let output = overhear("overlap", folder, &["--format", "json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The table's only row.
fn only<'a>(said: &'a Value, table: &str) -> &'a Value {
    let [row] = &said[table].as_array().unwrap()[..] else { panic!("{said:#}") };
    row
}

fn near(row: &Value, column: &str, expected: f64, within: f64) {
    let value = row[column].as_f64().unwrap_or_else(|| panic!("no {column} in {row:#}"));
    assert!((value - expected).abs() <= within, "{column} {value}, not {expected}: {row:#}");
}

fn of(function: Call) -> Signature {
    signature(0, function, peer::NONE, 0, 0)
}

fn isend(bytes: u64) -> Signature {
    Signature { flags: STARTS, ..signature(0, Call::Isend, 0, bytes, 0) }
}

fn irecv(bytes: u64) -> Signature {
    Signature { flags: STARTS, ..signature(0, Call::Irecv, 0, 0, bytes) }
}

fn iallreduce() -> Signature {
    Signature { flags: STARTS, ..signature(0, Call::Iallreduce, peer::NONE, 64, 64) }
}

const ITERATIONS: u64 = 10;

/// Sandia's loop: a barrier of 2 µs, or of 12 where a level begins, a post of 1, and a wait of at least 2; the transfer ends 8 µs
/// after the post. Work doubles until an iteration takes 22 µs, against 12 without work; then the work is measured alone, or not.
fn sandias(sends: bool, alone: WorkAlone) -> Planted {
    let mut planted = Planted::default();
    add_sandias(&mut planted, sends, alone);
    planted
}

/// The work of the last level, timed behind it.
#[derive(Clone, Copy, PartialEq)]
enum WorkAlone {
    None,
    InOneStretch,
    /// With a barrier of 2.5 µs in each iteration, at a call site of its own, as the benchmark does.
    WithBarriers,
}

fn add_sandias(planted: &mut Planted, sends: bool, alone: WorkAlone) {
    for work in [1_000, 2_000, 4_000, 8_000, 16_000] {
        for iteration in 0..ITERATIONS {
            let barrier = if iteration == 0 { 12_000 } else { 2_000 };
            let wait = if work < 6_000 { 8_000 - work } else { 2_000 };
            match sends {
                true => planted.call(of(Call::Barrier), barrier).call(isend(512), 1_000),
                false => planted.call(irecv(512), 1_000).call(of(Call::Barrier), barrier),
            };
            planted.compute(work).call(of(Call::Wait), wait).completed(1, 1);
        }
        let is_last = work == 16_000;
        planted.compute(if is_last && alone == WorkAlone::InOneStretch { ITERATIONS * work } else { 100 });
        planted.call(of(Call::Bcast), 3_000).compute(100);
        for _ in 0..if is_last && alone == WorkAlone::WithBarriers { ITERATIONS } else { 0 } {
            planted.call(Signature { site: 9, ..of(Call::Barrier) }, 2_500).compute(work);
        }
        planted.compute(200).call(of(Call::Barrier), 3_000).compute(30);
    }
}

#[test]
fn base_overhead_and_availability_of_sandias_loop_are_its_own() {
    // An iteration of the last level takes 22 µs, its work 16, or 18.5 with the barrier.
    for (alone, overhead) in [(WorkAlone::InOneStretch, 6.0), (WorkAlone::WithBarriers, 3.5)] {
        for sends in [true, false] {
            let said = said(&sandias(sends, alone));
            let row = only(&said, "messages");
            near(row, "smb_base_s", 12e-6, 0.2e-6);
            near(row, "smb_overhead_s", overhead * 1e-6, 0.2e-6);
            near(row, "smb_availability_percent", 100.0 * (1.0 - overhead / 12.0), 2.0);
            let counts = [&row["smb_levels"], &row["smb_iterations"], &row["smb_work"]];
            assert_eq!(counts.map(Value::to_string), ["5", "10", "\"alone\""], "{row:#}");
        }
    }
    let inside = said(&sandias(true, WorkAlone::None));
    assert_eq!(only(&inside, "messages")["smb_work"], "in the loop");
}

#[test]
fn the_rank_to_which_sandias_loop_sends_has_no_figures_and_the_reason() {
    let mut planted = Planted::default();
    for (gap, wait) in [(40, 1_000), (45, 1_000), (60, 2_000), (90, 20_000)] {
        for _ in 0..ITERATIONS {
            planted.call(irecv(512), 1_000).compute(30).call(of(Call::Barrier), 2_000).compute(gap);
            planted.call(of(Call::Wait), wait).completed(1, 1).compute(30);
        }
        planted.call(of(Call::Bcast), 3_000).compute(100);
    }
    let said = said(&planted);
    let row = only(&said, "messages");
    let figures = ["smb_base_s", "smb_overhead_s", "smb_availability_percent"].map(|figure| &row[figure]);
    assert_eq!(figures, [&Value::Null; 3], "{row:#}");
    assert_eq!(row["smb_work"], "no figures: its own work does not lengthen the iterations");
}

#[test]
fn whether_a_request_is_complete_at_once_ends_no_level() {
    let mut planted = Planted::default();
    let wait = Signature { requests: 1, ..of(Call::Wait) };
    for work in [1_000, 2_000, 4_000, 8_000, 16_000] {
        for iteration in 0..ITERATIONS {
            planted.call(of(Call::Barrier), 2_000).call(isend(512), 1_000);
            if iteration % 3 == 1 {
                // The next number says that the request was complete.
                *planted.words.last_mut().unwrap() += 2;
                planted.compute(work).call(wait, 8_000u64.saturating_sub(work).max(2_000));
            } else {
                planted.compute(work).call(of(Call::Wait), 8_000u64.saturating_sub(work).max(2_000)).completed(1, 1);
            }
        }
        planted.compute(100).call(of(Call::Bcast), 3_000).compute(100);
    }
    let said = said(&planted);
    near(only(&said, "messages"), "smb_base_s", 11e-6, 0.3e-6);
}

#[test]
fn a_loop_that_begins_again_with_little_work_is_another_one_of_which_the_last_counts() {
    let mut planted = sandias(true, WorkAlone::None);
    add_sandias(&mut planted, true, WorkAlone::InOneStretch);
    let said = said(&planted);
    let row = only(&said, "messages");
    assert_eq!((&row["smb_levels"], &row["smb_work"]), (&5.into(), &"alone".into()), "{row:#}");
    near(row, "smb_base_s", 12e-6, 0.2e-6);
}

#[test]
fn a_loop_whose_work_stays_the_same_is_not_sandias() {
    let mut planted = Planted::default();
    for _ in 0..5 {
        for _ in 0..ITERATIONS {
            planted.call(isend(512), 1_000).compute(8_000).call(of(Call::Wait), 2_000).completed(1, 1);
        }
        planted.call(of(Call::Barrier), 1_000);
    }
    assert_eq!(only(&said(&planted), "messages")["smb_base_s"], Value::Null);
}

/// Operations of 40.1 µs alone, and as many with 60 µs of computation, of which posting and waiting take 10; the next
/// call follows after 50 ns, which the timers include. Both lie at one call site or at two.
#[test]
fn osus_overlap_is_a_share_of_the_time_alone_and_imbs_of_the_longer_of_that_and_computation() {
    for site in [0, 7] {
        let mut planted = Planted::default();
        for (computing, site, wait) in [(100, site, 36_000), (60_000, 0, 6_000)] {
            let post = Signature { site, ..iallreduce() };
            for _ in 0..33 {
                planted.call(post, 4_000).compute(computing).call(of(Call::Wait), wait).completed(1, 1);
                planted.compute(50).call(of(Call::Barrier), 1_000).compute(50);
            }
        }
        let said = said(&planted);
        let row = &said["collectives"].as_array().unwrap()[0];
        for (column, expected) in [
            ("osu_pure_s", 40.15e-6),
            ("osu_overall_s", 70.1e-6),
            ("osu_init_s", 4.1e-6),
            ("osu_wait_s", 6e-6),
            ("imb_pure_s", 40.15e-6),
            ("imb_overlapped_s", 70.05e-6),
            // Two of the gaps, and the one between post and wait, are within the timers and beside the computation.
            ("imb_computation_s", 59.85e-6),
            ("recording_s", 130e-9),
        ] {
            near(row, column, expected, 0.06e-6);
        }
        // OSU's loop has four gaps there.
        near(row, "osu_overlap_percent", 100.0 * (1.0 - 10.3 / 40.15), 0.1);
        near(row, "imb_overlap_percent", 100.0 * (40.15 + 59.85 - 70.05) / 59.85, 0.1);
    }
}

#[test]
fn rows_without_the_figures_of_benchmarks_say_why() {
    let of = |ways: &[[u64; 3]]| {
        let mut planted = Planted::default();
        for _ in 0..20 {
            for way in ways {
                planted.request(isend(1_000), *way);
            }
        }
        let said = said(&planted);
        let row = only(&said, "messages");
        assert_eq!(row["smb_work"], "no figures: no loop works longer from level to level");
        assert_eq!(row["benchmark_reason"].is_null(), row["osu_pure_s"].is_number(), "{row:#}");
        row["benchmark_reason"].as_str().unwrap_or_default().to_string()
    };
    let alone = [1_000, 0, 99_000];
    assert_eq!(of(&[alone]), "all were waited for right after their post");
    let never_alone = "none of this size was waited for right after its post, so the time alone is not known";
    assert_eq!(of(&[[1_000, 90_000, 9_000]]), never_alone);
    assert_eq!(of(&[alone, [1_000, 20_000, 79_000]]), "too little was computed between post and wait");
    assert_eq!(of(&[alone, [1_000, 200_000, 9_000]]), "");
}

#[test]
fn text_has_the_mean_that_benchmarks_print_beside_the_median() {
    let mut planted = Planted::default();
    for number in 0..44 {
        let wait = if number % 4 == 3 { 49_000 } else { 9_000 };
        planted.request(iallreduce(), [1_000, 0, wait]);
    }
    let folder = Folder::new();
    planted.write(&folder, 0, 1);
    let text = stdout(&overhear("overlap", &folder.0, &[]));
    let row = text.lines().find(|line| line.starts_with("MPI_Iallreduce ")).unwrap_or_else(|| panic!("{text}"));
    assert!(text.contains("alone µs  mean µs"), "{text}");
    assert!(row.contains("    10.000   20.000 "), "{text}");
}

#[test]
fn three_requests_of_many_make_no_availability() {
    let mut planted = Planted::default();
    for number in 0..500 {
        let is_interrupted = number % 200 == 7;
        planted.request(isend(1_000), if is_interrupted { [1_000, 90_000, 100] } else { [1_000, 0, 9_000] });
    }
    let said = said(&planted);
    let row = only(&said, "messages");
    assert_eq!((&row["availability_percent"], &row["availability_requests"]), (&Value::Null, &Value::Null), "{row:#}");
    near(row, "transfer_s", 10e-6, 1e-9);
    near(row, "overhead_s", 10e-6, 1e-9);
}

#[test]
fn requests_that_computed_for_less_than_a_third_of_a_transfer_make_no_availability_however_long_they_took() {
    let availability = |computing| {
        let mut planted = Planted::default();
        for _ in 0..5 {
            planted.request(isend(1_000), [1_000, 0, 99_000]).request(isend(1_000), [1_000, computing, 149_000]);
        }
        only(&said(&planted), "messages")["availability_percent"].clone()
    };
    assert_eq!([30_000, 40_000].map(availability), [Value::Null, 0.0.into()]);
}

#[test]
fn an_availability_says_on_how_many_requests_it_rests_and_how_sure_it_is() {
    let mut planted = Planted::default();
    for number in 0..40 {
        planted.request(isend(1_000), [1_000, 0, 9_000 + 10 * number]);
        planted.request(isend(1_000), [1_000, 50_000, 1_000 + 10 * number]);
    }
    let said = said(&planted);
    let row = only(&said, "messages");
    assert_eq!(row["availability_requests"], 40);
    let bound = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{row:#}"));
    let (least, most) = (bound("availability_least_percent"), bound("availability_most_percent"));
    assert!(least < bound("availability_percent") && bound("availability_percent") < most, "{row:#}");
    assert!(most - least < 5.0, "{row:#}");
}

#[test]
fn a_barrier_between_post_and_wait_is_not_computation() {
    let mut planted = Planted::default();
    let barrier = |planted: &mut Planted, computing, waiting| {
        planted.call(irecv(1_000), 1_000).call(of(Call::Barrier), 5_000).compute(computing);
        planted.call(of(Call::Wait), waiting).completed(1, 1).compute(5_000);
    };
    for _ in 0..6 {
        barrier(&mut planted, 0, 4_000);
        barrier(&mut planted, 30_000, 2_000);
    }
    let said = said(&planted);
    assert_eq!(said["run"]["waited_right_after"], 6);
    let row = only(&said, "messages");
    near(row, "transfer_s", 10e-6, 1e-9);
    near(row, "availability_percent", 20.0, 1e-6);
    near(row, "overhead_mean_s", 8e-6, 1e-9);
}

#[test]
fn a_barrier_before_an_interrupted_wait_is_one_all_the_same() {
    let mut planted = Planted::default();
    for number in 0..60 {
        let waiting = if number % 10 == 3 { 4_000_000 } else { 500 };
        planted.call(irecv(1_000), 300).call(of(Call::Barrier), 1_000);
        planted.call(of(Call::Wait), waiting).completed(1, 1).compute(5_000);
    }
    let said = said(&planted);
    near(only(&said, "messages"), "transfer_s", 1.8e-6, 1e-9);
}

#[test]
fn availability_lies_within_its_bounds_where_another_site_or_the_requests_themselves_say_less() {
    // Equal requests at another site take 2 µs, here 10; of some it is seen that they were over when they were posted.
    let elsewhere = Signature { site: 7, ..isend(1_000) };
    for is_over_at_once in [false, true] {
        let mut planted = Planted::default();
        for _ in 0..20 {
            planted.request(elsewhere, [1_000, 0, 1_000]).request(isend(1_000), [1_000, 0, 9_000]);
            planted.call(isend(1_000), 1_000);
            if is_over_at_once {
                planted.entered(1);
            }
            planted.compute(30_000).call(of(Call::Wait), 2_000).completed(1, 1).compute(5_000);
        }
        let said = said(&planted);
        let rows = said["messages"].as_array().unwrap();
        let row = rows.iter().find(|row| row["availability_percent"].is_number()).unwrap();
        let bound = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{row:#}"));
        let (least, available) = (bound("hidden_least_percent"), bound("availability_percent"));
        assert!(least <= available && available <= bound("hidden_most_percent"), "{row:#}");
        let interval = [bound("availability_least_percent"), bound("availability_most_percent")];
        assert!(interval[0] <= available && available <= interval[1], "{row:#}");
        assert_eq!(available, if is_over_at_once { 0.0 } else { 70.0 });
    }
}

#[test]
fn warm_up_at_another_call_site_and_passes_before_the_last_are_not_in_what_benchmarks_print() {
    // Ten slow operations at a site of their own, and at the other site two, a slow pass, and the pass that is printed.
    let warm_up = Signature { site: 7, ..iallreduce() };
    let passes =
        [(warm_up, 10, 400_000), (iallreduce(), 2, 300_000), (iallreduce(), 100, 90_000), (iallreduce(), 100, 36_000)];
    let mut planted = Planted::default();
    for (computing, is_alone) in [(100, true), (60_000, false)] {
        for (post, count, wait) in passes {
            for _ in 0..count {
                planted
                    .call(post, 4_000)
                    .compute(computing)
                    .call(of(Call::Wait), if is_alone { wait } else { wait / 6 });
                planted.completed(1, 1).compute(50).call(of(Call::Barrier), 1_000).compute(50);
            }
            planted.call(of(Call::Bcast), 1_000).compute(50);
        }
    }
    let said = said(&planted);
    let rows = said["collectives"].as_array().unwrap();
    let row = rows.iter().max_by_key(|row| row["requests"].as_u64()).unwrap();
    for (column, expected) in
        [("osu_pure_s", 40.15e-6), ("imb_pure_s", 40.15e-6), ("osu_overall_s", 70.1e-6), ("imb_overlapped_s", 70.05e-6)]
    {
        near(row, column, expected, 0.06e-6);
    }
    // A site that warms up by requests that it waits for at once has the time of the other one.
    let mut planted = Planted::default();
    for (post, count, computing, wait) in
        [(iallreduce(), 100, 100, 36_000), (warm_up, 10, 100, 400_000), (warm_up, 100, 60_000, 6_000)]
    {
        for _ in 0..count {
            planted.call(post, 4_000).compute(computing).call(of(Call::Wait), wait).completed(1, 1).compute(50);
            planted.call(of(Call::Barrier), 1_000).compute(50);
        }
    }
    let said = self::said(&planted);
    let rows = said["collectives"].as_array().unwrap();
    let row = rows.iter().find(|row| row["transfer_from"] == "another site").unwrap_or_else(|| panic!("{rows:#?}"));
    near(row, "osu_pure_s", 40.15e-6, 0.06e-6);
}

#[test]
fn a_gap_that_cold_caches_lengthen_is_none_beside_a_long_wait() {
    let mut planted = Planted::default();
    for number in 0..30 {
        planted.request(isend(1_000), [1_000, if number % 2 == 0 { 200 } else { 4_000 }, 15_000_000]);
    }
    assert_eq!(said(&planted)["run"]["waited_right_after"], 30);
}
