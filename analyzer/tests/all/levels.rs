//! Timelines agree with reports, at every level of detail and call by call.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use examples::fixture;
use model::levels::{self, Grid, RankBins, RankCalls};
use model::matching::{Follow, Settled, WaitKey, WaitSum, settled};
use model::rank::is_nested;
use model::{Choice, Rank, Run};
use pictures::charts;
use pictures::timeline::contents as timeline;
use traces::calls::Call;
use traces::file::{FileHeader, Mode, Stop};
use traces::progress::Depth;

use crate::common::{BEGIN, Folder, SECOND, header, rank, signature};

/// Every recorded run with single calls, unpacked once for all tests.
static RECORDED: LazyLock<Vec<(String, Run)>> = LazyLock::new(|| {
    let unpacked = |name: String| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-levels-{}", std::process::id()));
        let fixture = fixture::unpack(&name, &folder);
        let run = Run::select(&fixture.run, &Choice { no_cache: true, ..Choice::default() });
        (name, run)
    };
    let runs = fixture::names().into_iter().map(unpacked);
    runs.filter_map(|(name, run)| Some((name, run.ok()?))).filter(|(_, run)| run.records_calls()).collect()
});

fn grid(run: &Run, settled: &Settled, count: usize) -> Grid {
    let (from, to) = timeline::interval(run, &settled.common_clock, None, None);
    Grid { keeps_outside: true, ..Grid::over(from, to, count) }
}

/// Ticks by function in a rank's bins.
fn by_function(bins: &RankBins) -> BTreeMap<u16, u64> {
    let mut sums = BTreeMap::new();
    for time in bins.cells.iter().flat_map(|cell| bins.times(cell)) {
        *sums.entry(time.function).or_insert(0) += time.ticks;
    }
    sums
}

/// Ticks by function in reports.
fn reported(rank: &Rank) -> BTreeMap<u16, u64> {
    let mut sums = BTreeMap::new();
    for entry in rank.entries().filter(|entry| !is_nested(entry) && entry.total > 0) {
        *sums.entry(entry.signature.call).or_insert(0) += entry.total;
    }
    sums
}

#[test]
fn bins_add_up_to_what_reports_say_at_every_level() {
    let (mut ran, mut productive) = (0, 0);
    for (name, run) in RECORDED.iter() {
        let settled = settled(run, Follow::SPANS | Follow::DELIVERIES);
        for count in [1, 7, 60, 4096] {
            let grid = grid(run, &settled, count);
            let all = levels::bins(run, &settled.common_clock, &grid, &settled.account.spans);
            for (rank, bins) in run.ranks.iter().zip(all).filter(|(rank, _)| rank.is_asked && !rank.is_profile()) {
                let said = reported(rank);
                assert_eq!(by_function(&bins), said, "{name}, rank {:?}, {count} bins", rank.number());
                let folded = bins.folded().folded();
                assert_eq!(by_function(&folded), said, "{name}, rank {:?}, {count} bins folded", rank.number());
                let calls = |bins: &RankBins| bins.cells.iter().map(|cell| cell.calls).sum::<u64>();
                assert_eq!(calls(&folded), calls(&bins), "{name}");
                let entries: u64 = bins.cells.iter().map(|cell| cell.productive).sum();
                let known: u64 = rank.entries().map(|entry| entry.engine.productive).sum();
                assert!(rank.progress < Depth::Events || entries >= known, "{name}: {entries} of {known}");
                productive += known;
                ran += 1;
            }
        }
    }
    assert!(ran > 200 && productive > 0, "{ran} {productive}");
}

#[test]
fn single_calls_are_those_of_the_reports_whatever_parts_they_are_read_in() {
    let (mut ran, mut failures) = (0, 0);
    for (name, run) in RECORDED.iter() {
        let settled = settled(run, Follow::empty());
        let lives = levels::lives(run, &settled.common_clock);
        for (at, rank) in run.ranks.iter().enumerate().filter(|(_, rank)| rank.is_asked && !rank.is_profile()) {
            let contents = rank.contents();
            let mut calls = RankCalls::new(rank, &contents, &settled.common_clock.lines[at]);
            let mut counts: BTreeMap<u16, [u64; 2]> = BTreeMap::new();
            let length = lives[at].end - lives[at].begin;
            for part in (1..=5).map(|part| lives[at].begin + length * part / 5).chain([i64::MAX]) {
                let (calls, _) = calls.until(part);
                assert!(calls.is_sorted_by_key(|call| call.start), "{name}");
                assert!(calls.iter().all(|call| call.start < part && call.start <= call.end), "{name}");
                for call in &calls {
                    let [calls, failed] = counts.entry(call.signature.call).or_default();
                    *calls += call.count;
                    *failed += u64::from(call.failed);
                }
            }
            let mut said: BTreeMap<u16, [u64; 2]> = BTreeMap::new();
            for entry in rank.entries().filter(|entry| !is_nested(entry) && entry.count > 0) {
                let [calls, failed] = said.entry(entry.signature.call).or_default();
                *calls += entry.count;
                *failed += entry.failed;
            }
            assert_eq!(counts, said, "{name}, rank {:?}: calls, failed ones", rank.number());
            ran += 1;
            failures += said.values().map(|[_, failed]| failed).sum::<u64>();
        }
    }
    assert!(ran > 50 && failures > 0, "{ran} {failures}");
}

#[test]
fn waits_one_by_one_add_up_to_the_wait_states() {
    let (mut ran, mut states) = (0, BTreeSet::new());
    for (name, run) in RECORDED.iter() {
        let settled = settled(run, Follow::SPANS | Follow::DELIVERIES);
        drawn(name, run, &settled);
        let account = settled.account;
        let mut sums: BTreeMap<WaitKey, (i64, u64)> = BTreeMap::new();
        for span in account.spans.iter().flatten() {
            let sum = sums.entry(span.key).or_default();
            *sum = (sum.0 + span.until - span.from, sum.1 + 1);
            states.insert(span.key.state);
            ran += 1;
        }
        let figures = |sum: &WaitSum| (sum.time, sum.count);
        let said: BTreeMap<_, _> = account.waits.sums.iter().map(|(key, sum)| (*key, figures(sum))).collect();
        assert_eq!(sums, said, "{name}");
    }
    assert!(ran > 100 && states.len() > 8, "{ran} {states:?}");
}

/// Areas in the picture of waits over time equal the wait states' times within the selected time, which it shows.
fn drawn(name: &str, run: &Run, settled: &Settled) {
    let clocks = run.ranks.iter().zip(&settled.common_clock.lines);
    let ends = clocks.map(|(rank, line)| line.nanoseconds_at(rank.selected_ends().1));
    let end = ends.max().unwrap() as f64 / 1e9;
    for line in charts::waits_over_time(run, settled).series {
        let [(first, _), (second, _), .., (last, _)] = line.points[..] else { panic!("{name}") };
        let length = second - first;
        assert!((last + length / 2.0 - end).abs() < 1e-6 * end, "{name}: {last} of {end}");
        let shares: f64 = line.points.iter().map(|point| point.1 / 100.0).sum();
        let spans = settled.account.spans.iter().flatten().filter(|span| span.key.state.name() == line.name);
        let waited = spans.map(|span| span.until - span.from).sum::<i64>() as f64 / 1e9;
        let drawn = shares * length * run.asked().count() as f64;
        assert!((drawn - waited).abs() < 1e-6 * end, "{name}, {}: {drawn} of {waited}", line.name);
    }
}

#[test]
fn what_a_rank_did_is_known_until_it_stopped_recording_single_calls() {
    let of = |like: FileHeader| {
        let folder = Folder::new();
        folder.write("rank-0000.ovh", &rank(like, &[signature(1, Call::Barrier, -1, 0, 0)], &[(1, 10_000, 5_000)]));
        let run = Run::load(&folder.0).unwrap();
        levels::lives(&run, &run.common_clock()).remove(0).spans
    };
    let second = SECOND as i64;
    assert_eq!(of(header(0, 1)), [(0, second)]);
    let stopped = FileHeader { stop: Stop::MaxBytes as u32, stopped_at: BEGIN + 400_000, ..header(0, 1) };
    assert_eq!(of(stopped), [(0, 400_000)]);
    assert_eq!(of(FileHeader { mode: Mode::Profile as u16, ..header(0, 1) }), []);
}

#[test]
fn an_interval_shows_what_began_before_it_and_cuts_it_there() {
    let (_, run) = RECORDED.iter().find(|(name, _)| name.starts_with("persistent_halo")).unwrap();
    let settled = settled(run, Follow::SPANS | Follow::DELIVERIES);
    let whole = grid(run, &settled, 64);
    let part = Grid { from: whole.from + 16 * whole.width, count: 16, keeps_outside: false, ..whole };
    let all = levels::bins(run, &settled.common_clock, &whole, &settled.account.spans);
    let some = levels::bins(run, &settled.common_clock, &part, &settled.account.spans);
    let mut ran = 0;
    for (all, some) in all.iter().zip(&some) {
        for cell in &some.cells {
            let same = all.cells.iter().find(|whole| whole.bin == cell.bin + 16).unwrap();
            let ticks =
                |bins: &RankBins, cell| bins.times(cell).iter().map(|time| (time.function, time.ticks)).collect();
            let (of_all, of_some): (Vec<_>, Vec<_>) = (ticks(all, same), ticks(some, cell));
            assert_eq!((of_some, cell.waited), (of_all, same.waited));
            ran += 1;
        }
    }
    assert!(ran > 20, "{ran}");
}
