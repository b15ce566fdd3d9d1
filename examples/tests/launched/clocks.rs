//! The ranks' clocks are aligned to a common one.

use std::collections::BTreeSet;

use crate::common::{ATTEMPTS, assert_planted, case, every_library, libraries, one, one_at_most};
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::program::Program;
use examples::rota;
use model::common_clock::{ClockLine, CommonClock, Source};
use model::{Rank, Run};
use traces::clock::ClockSample;
use traces::definitions::{Occasion, Sync};
use traces::file::Stop;

const OCCASIONS: [Occasion; 2] = [Occasion::Init, Occasion::Finalize];

/// Runs a program that sleeps 50 ms between MPI_Init and MPI_Finalize, and does something else.
fn recorded(mpi: &Mpi, ranks: u32, also: &str, variables: &[(&str, &str)]) -> Run {
    let case = case("compared", mpi, ranks, &["50", also]);
    let case = variables.iter().fold(case, |case, (name, value)| case.with(name, value));
    let (output, run) = case.recorded(&format!("clocks-{ranks}"));
    assert_eq!((output.status, output.stdout.as_str()), (0, ""), "{}: {}", mpi.name, output.stderr);
    let run = Run::load(&run.folder).unwrap();
    assert_eq!(run.ranks.len(), ranks as usize, "{}", mpi.name);
    run
}

/// Records with clocks that are wrong by these seconds and millionths.
fn recorded_with(mpi: &Mpi, clocks: &str) -> Run {
    recorded(mpi, clocks.split(',').count() as u32, "", &[("OVERHEAR_TEST_CLOCK", clocks)])
}

/// Converts a rank's ticks to nanoseconds.
fn nanoseconds(rank: &Rank, ticks: u64) -> f64 {
    rank.clock.seconds(ticks) * 1e9
}

/// Error of a rank's line at these ticks, and the uncertainty of that error, in nanoseconds. On one host all ranks
/// share CLOCK_MONOTONIC, which this rank read at `sample`.
fn off(run: &Run, common_clock: &CommonClock, rank: usize, ticks: u64, sample: ClockSample) -> (f64, f64) {
    let (first, own) = (&run.ranks[0].header.begin, &run.ranks[rank]);
    let zero = common_clock.lines[0].nanoseconds_at(first.ticks) - first.monotonic as i64;
    let since = ticks.wrapping_sub(sample.ticks) as i64;
    let since = nanoseconds(own, since.unsigned_abs()) * since.signum() as f64;
    let expected = (zero + sample.monotonic as i64) as f64 + since;
    let misread = nanoseconds(own, first.width + sample.width) + 2.0;
    ((common_clock.lines[rank].nanoseconds_at(ticks) as f64 - expected).abs(), misread)
}

/// A rank's comparison with another clock.
fn reading(run: &Run, rank: u32, when: Occasion) -> Option<&Sync> {
    run.ranks[rank as usize].syncs.iter().find(|sync| sync.when == when)
}

/// Half the sum of the round trips between a rank and rank 0, in nanoseconds.
fn half_round_trips(run: &Run, rank: u32, when: Occasion) -> f64 {
    let Some(sync) = reading(run, rank, when) else { return 0.0 };
    let own = nanoseconds(&run.ranks[rank as usize], sync.after.wrapping_sub(sync.before)) / 2.0;
    own + half_round_trips(run, sync.peer, when)
}

#[test]
fn false_clocks_are_set_right_to_within_half_a_round_trip() {
    // A rank's own rate is taken from two readings, of which other launches may delay one: 15 us were seen.
    let _alone = alone();
    for mpi in libraries() {
        for clocks in ["-3:100,7200.5:-100", "0:0,2:50,-5:-100,0.001:100"] {
            let run = recorded_with(&mpi, clocks);
            let common_clock = run.common_clock();
            for (index, rank) in run.ranks.iter().enumerate() {
                let under = format!("rank {index} of {clocks} under {}", mpi.name);
                for sample in [rank.header.begin, rank.header.ready, rank.header.end] {
                    let (off, misread) = off(&run, &common_clock, index, sample.ticks, sample);
                    let line = &common_clock.lines[index];
                    let error = line.error(line.nanoseconds_at(sample.ticks)) as f64;
                    assert!(off <= error + misread, "{under}: off by {off} ns, and says {error} ns");
                }
                for (when, sample) in OCCASIONS.into_iter().zip([rank.header.ready, rank.header.end]) {
                    let Some(sync) = reading(&run, index as u32, when) else { continue };
                    let middle = sync.before.wrapping_add(sync.after.wrapping_sub(sync.before) / 2);
                    let (off, misread) = off(&run, &common_clock, index, middle, sample);
                    let half = half_round_trips(&run, index as u32, when);
                    assert!(off < half + misread, "{under}: off by {off} ns, half a round trip is {half} ns");
                }
            }
        }
    }
}

#[test]
fn every_clock_but_the_first_is_read_once_an_occasion_by_messages() {
    for mpi in libraries() {
        // Ranks 2 and 3 share a clock, as on a host of their own.
        let run = recorded_with(&mpi, "0:0,0:0,5:10,5:10");
        let peers = |rank: usize| {
            let rank = &run.ranks[rank];
            let synchronized: Vec<_> = rank.syncs.iter().map(|sync| (sync.when, sync.peer)).collect();
            let same: Vec<_> = rank.same_clocks.iter().map(|same| (same.when, same.peer)).collect();
            (synchronized, same)
        };
        let with = |peer: u32| OCCASIONS.map(|when| (when, peer)).to_vec();
        let all = [(vec![], vec![]), (vec![], with(0)), (with(0), vec![]), (vec![], with(2))];
        assert_eq!([0, 1, 2, 3].map(peers), all, "{}", mpi.name);
        assert!(run.ranks[2].syncs.iter().all(|sync| sync.exchanges > 0 && sync.after != sync.before), "{}", mpi.name);
    }
}

#[test]
fn ranks_of_one_host_have_one_clock_and_exchange_no_messages() {
    for mpi in libraries() {
        let run = recorded(&mpi, 4, "handler", &[]);
        let common_clock = run.common_clock();
        assert!(run.ranks.iter().all(|rank| rank.syncs.is_empty()), "{}", mpi.name);
        for (index, rank) in run.ranks.iter().enumerate() {
            let line = &common_clock.lines[index];
            assert_eq!(line.source, Source::SharedClock, "rank {index} under {}", mpi.name);
            assert_eq!(rank.same_clocks.len(), if index == 0 { 0 } else { 2 }, "rank {index} under {}", mpi.name);
            let (off, misread) = off(&run, &common_clock, index, rank.header.end.ticks, rank.header.end);
            let error = line.error(line.nanoseconds_at(rank.header.end.ticks)) as f64;
            assert!(off <= error + misread, "rank {index} under {}: off by {off} ns of {error} ns", mpi.name);
        }
    }
}

#[test]
fn clocks_are_compared_when_the_user_says() {
    for mpi in libraries() {
        let when = |sync: &str| {
            let clocks = ("OVERHEAR_TEST_CLOCK", "0:0,1:1");
            let run = recorded(&mpi, 2, "", &[("OVERHEAR_SYNC", sync), clocks]);
            let occasions: Vec<Occasion> = run.ranks[1].syncs.iter().map(|sync| sync.when).collect();
            (occasions, run.common_clock().lines[1].source)
        };
        assert_eq!(when("off"), (vec![], Source::HostClock), "{}", mpi.name);
        assert_eq!(when("init"), (vec![Occasion::Init], Source::Once), "{}", mpi.name);
    }
}

#[test]
fn clocks_are_compared_by_all_ranks_where_the_recording_of_one_has_stopped() {
    for mpi in libraries() {
        let clocks = ("OVERHEAR_TEST_CLOCK", "0:0,1:1");
        let run = recorded(&mpi, 2, "busy", &[("OVERHEAR_MAX_BYTES", "1M"), clocks]);
        let stops: Vec<u32> = run.ranks.iter().map(|rank| rank.header.stop).collect();
        assert_eq!(stops, [Stop::No as u32, Stop::MaxBytes as u32], "{}", mpi.name);
        assert!(OCCASIONS.iter().all(|when| reading(&run, 1, *when).is_some()), "{}", mpi.name);
    }
}

#[test]
fn a_rank_that_cannot_record_keeps_no_other_waiting() {
    for mpi in libraries() {
        let (output, run) = case("compared", &mpi, 2, &["0", "fails"]).recorded("clocks-fails");
        assert_eq!((output.status, output.stdout.as_str()), (0, ""), "{}: {}", mpi.name, output.stderr);
        // Other launchers end the job if they cannot pass stderr on, so there only the other rank's file tells.
        let (told, what) = match mpi.is_openmpi() {
            true => (output.stderr, "The program runs unrecorded."),
            false => (run.report("rank").warnings(), "no file from rank 0"),
        };
        assert!(told.contains(what), "{}: {told}", mpi.name);
    }
}

#[test]
fn the_rounds_are_as_many_as_the_logarithm_of_the_number_of_clocks() {
    let mpi = &one();
    let all: Vec<u32> = (2..=16).collect();
    // Sixteen ranks on two cores take their time.
    for ranks in if rota::is_all() { all } else { vec![2, 3, 8] } {
        let clocks: Vec<String> = (0..ranks).map(|rank| format!("{rank}:0")).collect();
        let clocks = ("OVERHEAR_TEST_CLOCK", &*clocks.join(","));
        let run = recorded(mpi, ranks, "", &[("OVERHEAR_SYNC", "init"), clocks]);
        let counts: Vec<usize> = run.ranks.iter().map(|rank| rank.syncs.len()).collect();
        assert!(counts[0] == 0 && counts[1..].iter().all(|count| *count == 1), "{ranks} ranks: {counts:?}");
        // All exchanges of a round have the same distance.
        let distances = (1..ranks).map(|rank| rank - reading(&run, rank, Occasion::Init).unwrap().peer);
        let distances: BTreeSet<u32> = distances.collect();
        let rounds = ranks.next_power_of_two().trailing_zeros();
        let expected: BTreeSet<u32> = (0..rounds).map(|round| 1 << round).collect();
        assert_eq!(distances, expected, "{ranks} ranks");
    }
}

#[test]
fn waits_are_found_as_they_were_planted_though_clocks_are_wrong() {
    for name in ["late_broadcast", "late_sender", "nxn", "persistent_halo"] {
        let program = Program::read(name);
        for mpi in one_at_most(every_library(), name) {
            let clocks = if program.ranks == 2 { "-3:100,7200.5:-100" } else { "0.7:-60,-5:100,3600.25:-100" };
            // If ranks wait for a processor while clocks are compared, one end of the run is poorly known, and clocks
            // are moved no further than the other end allows.
            let backwards = (0..ATTEMPTS).map(|_| backwards(&program, &mpi, clocks)).find(|count| *count == 0);
            assert_eq!(backwards, Some(0), "{name} under {}", mpi.name);
        }
    }
}

/// Messages that arrive before they are sent, in a run with such clocks in which the planted waits are found.
fn backwards(program: &Program, mpi: &Mpi, clocks: &str) -> u64 {
    let run = assert_planted(program, mpi, &[("OVERHEAR_TEST_CLOCK", clocks)]);
    let lines = Run::load(&run.folder).unwrap().common_clock().lines;
    // On a busy machine one of the two comparisons may be too poor to use.
    let is_compared = |line: &ClockLine| matches!(line.source, Source::InitAndFinalize | Source::Once);
    assert!(lines[1..].iter().all(is_compared), "{} under {}: {lines:?}", program.name, mpi.name);
    run.ask("check", &[]).json["run"]["backwards"].as_u64().unwrap()
}
