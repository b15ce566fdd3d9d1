//! Ranks with different clocks are moved onto a common one.

use std::path::Path;

use crate::common::{Folder, definitions};
use model::common_clock::{ClockLine, CommonClock, Slack, Source};
use model::{Choice, Run};
use traces::clock::ClockSample;
use traces::definitions::{Definition, Occasion, SameClock, Sync};
use traces::file::{FINALIZED, FileHeader, INITIALIZED};
use traces::write::{FileWriter, blank_header};

const MILLISECOND: u64 = 1_000_000;
/// Begin and end of recording and of MPI, in true nanoseconds.
const BEGIN: u64 = 1_000 * MILLISECOND;
const INIT: u64 = 1_300 * MILLISECOND;
const FINALIZE: u64 = 4_300 * MILLISECOND;
const END: u64 = 4_400 * MILLISECOND;

/// A host's clock: its ticks and its system time are nanoseconds, with an offset and a drift in millionths.
#[derive(Clone, Copy)]
struct Clock {
    offset: u64,
    drift: i64,
}

const TRUE: Clock = Clock { offset: 0, drift: 0 };
const FAST: Clock = Clock { offset: 77_000_000_000, drift: 40 };
/// This clock passes zero while MPI is in use.
const LATE: Clock = Clock { offset: 0u64.wrapping_sub(2_000 * MILLISECOND), drift: -60 };

impl Clock {
    fn ticks(&self, time: u64) -> u64 {
        self.offset.wrapping_add(time).wrapping_add_signed(time as i64 * self.drift / 1_000_000)
    }

    fn sample(&self, time: u64) -> ClockSample {
        let system = self.ticks(time).wrapping_sub(self.offset);
        ClockSample { ticks: self.ticks(time), width: 20, monotonic: system, realtime: system }
    }

    /// Reads this clock against another with a round trip of twice `half`, asymmetric by `uneven`.
    fn sync(&self, when: Occasion, time: u64, peer: u32, other: &Clock, half: u64, uneven: i64) -> Definition {
        let (before, after) = (self.ticks(time - half), self.ticks(time + half));
        let there = other.ticks(time.wrapping_add_signed(uneven));
        Definition::Sync(Sync { when, peer, before, there, after, exchanges: 150 })
    }

    /// Such readings at MPI_Init and MPI_Finalize.
    fn syncs(&self, peer: u32, other: &Clock, half: u64) -> Vec<Definition> {
        let sync = |when, time| self.sync(when, time, peer, other, half, half as i64 / 2);
        vec![sync(Occasion::Init, INIT), sync(Occasion::Finalize, FINALIZE)]
    }
}

fn same(peer: u32) -> Vec<Definition> {
    let same = |when| Definition::SameClock(SameClock { when, peer, within: 60 });
    [Occasion::Init, Occasion::Finalize].map(same).to_vec()
}

fn write_world(folder: &Folder, world: u32, rank: u32, clock: &Clock, compared: &[Definition]) {
    let header = FileHeader {
        rank,
        size: 8,
        world,
        run: [7; 16],
        state: INITIALIZED | FINALIZED,
        begin: clock.sample(BEGIN),
        ready: clock.sample(INIT),
        end: clock.sample(END),
        ..blank_header()
    };
    write_as(folder, header, compared);
}

fn write_as(folder: &Folder, header: FileHeader, compared: &[Definition]) {
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.definitions(&definitions(header.size, header.rank as i32)).unwrap();
    file.definitions(compared).unwrap();
    folder.write(&traces::folder::file_name(header.world, header.rank), &file.into_inner());
}

fn write(folder: &Folder, rank: u32, clock: &Clock, compared: &[Definition]) {
    write_world(folder, 0, rank, clock, compared);
}

fn common_clock(folder: &Path) -> CommonClock {
    Run::load(folder).unwrap().common_clock()
}

/// A line's error at a true time, and the bound it gives for it.
fn off(line: &ClockLine, clock: &Clock, time: u64) -> (i64, i64) {
    let at = line.nanoseconds_at(clock.ticks(time));
    ((at - (time - BEGIN) as i64).abs(), line.error(at))
}

#[test]
fn clocks_compared_twice_keep_within_half_a_round_trip_whatever_they_drift() {
    for clock in [FAST, LATE] {
        let folder = Folder::new();
        write(&folder, 0, &TRUE, &[]);
        write(&folder, 1, &clock, &clock.syncs(0, &TRUE, 3_000));
        let common_clock = common_clock(&folder.0);
        let line = &common_clock.lines[1];
        assert_eq!((common_clock.lines[0].source, line.source), (Source::SharedClock, Source::InitAndFinalize));
        for time in [INIT, 2_000 * MILLISECOND, FINALIZE] {
            let (off, error) = off(line, &clock, time);
            assert!(off <= 1_502 && (3_000..=3_002).contains(&error), "at {time}: {off} of {error}");
        }
        for time in [BEGIN, END] {
            let (off, error) = off(line, &clock, time);
            assert!(off <= 1_502 && (3_000..4_000).contains(&error), "at {time}: {off} of {error}");
        }
    }
}

#[test]
fn a_part_of_the_run_is_the_same_time_on_all_clocks_though_names_of_files_sort_otherwise() {
    let folder = Folder::new();
    // By its name, the file of rank 10,000 comes before that of rank 9,999.
    write(&folder, 9_999, &TRUE, &[]);
    write(&folder, 10_000, &FAST, &FAST.syncs(9_999, &TRUE, 3_000));
    let [from, to] = [2_000, 3_000].map(|milliseconds| milliseconds * MILLISECOND);
    let choice = Choice { from: Some(from as i64), to: Some(to as i64), no_cache: true, ..Choice::default() };
    let run = Run::select(&folder.0, &choice).unwrap();
    for (rank, clock) in run.ranks.iter().zip([TRUE, FAST]) {
        let [_, begin, end] = *rank.stretches(0) else { panic!("{:?}", rank.stretches(0)) };
        for ((tick, _), time) in [(begin, from), (end, to)] {
            let off = tick.abs_diff(clock.ticks(BEGIN + time));
            assert!(off <= 1_502, "{}: {off} ns at {time}", rank.file);
        }
    }
}

#[test]
fn clocks_compared_once_may_be_off_by_more_the_longer_that_is_ago() {
    let folder = Folder::new();
    write(&folder, 0, &TRUE, &[]);
    write(&folder, 1, &FAST, &FAST.syncs(0, &TRUE, 3_000)[..1]);
    let lines = common_clock(&folder.0).lines;
    assert_eq!(lines[1].source, Source::Once);
    let [init, finalize] = [INIT, FINALIZE].map(|time| {
        let at = lines[1].nanoseconds_at(FAST.ticks(time));
        (at - lines[0].nanoseconds_at(TRUE.ticks(time)), lines[1].error(at))
    });
    assert!(init.0.abs() <= 1_501 && init.1 <= 3_001, "{init:?}");
    // Error of 40 ppm over 3 s, bound of twice 50 ppm.
    assert!((118_000..122_000).contains(&finalize.0) && (303_000..303_100).contains(&finalize.1), "{finalize:?}");
}

#[test]
fn comparisons_too_close_to_each_other_say_nothing_of_the_drift() {
    let folder = Folder::new();
    write(&folder, 0, &TRUE, &[]);
    let first = TRUE.sync(Occasion::Init, INIT, 0, &TRUE, 500_000, 400_000);
    let second = TRUE.sync(Occasion::Finalize, INIT + 2 * MILLISECOND, 0, &TRUE, 1_000, 0);
    write(&folder, 1, &TRUE, &[first, second]);
    let line = common_clock(&folder.0).lines[1];
    assert_eq!(line.source, Source::Once);
    assert!(off(&line, &TRUE, BEGIN).0 <= 1, "{line:?}");
}

#[test]
fn ranks_of_one_clock_are_off_by_what_the_check_cannot_see() {
    let folder = Folder::new();
    write(&folder, 0, &TRUE, &[]);
    write(&folder, 1, &TRUE, &same(0));
    write(&folder, 2, &FAST, &FAST.syncs(0, &TRUE, 3_000));
    write(&folder, 3, &FAST, &same(2));
    let lines = common_clock(&folder.0).lines;
    assert_eq!(
        lines.iter().map(|line| line.source).collect::<Vec<_>>()[1..],
        [Source::SharedClock, Source::InitAndFinalize, Source::InitAndFinalize]
    );
    assert_eq!(off(&lines[1], &TRUE, FINALIZE), (0, 60));
    let ticks = FAST.ticks(2_000 * MILLISECOND);
    assert_eq!(lines[2].nanoseconds_at(ticks), lines[3].nanoseconds_at(ticks));
    let at = lines[2].nanoseconds_at(ticks);
    assert_eq!(lines[3].error(at) - lines[2].error(at), 60);
}

#[test]
fn errors_add_up_along_the_rounds() {
    let folder = Folder::new();
    write(&folder, 0, &TRUE, &[]);
    write(&folder, 2, &FAST, &FAST.syncs(0, &TRUE, 3_000));
    write(&folder, 3, &LATE, &LATE.syncs(2, &FAST, 5_000));
    let lines = common_clock(&folder.0).lines;
    let (off, error) = off(&lines[2], &LATE, FINALIZE);
    assert!(off <= 4_003 && (8_000..=8_003).contains(&error), "{off} of {error}");
}

#[test]
fn a_rank_without_a_file_still_joins_those_that_were_compared_with_it() {
    let folder = Folder::new();
    // Rank 0, whose clock is true, has no file.
    write(&folder, 1, &FAST, &FAST.syncs(0, &TRUE, 3_000));
    write(&folder, 2, &LATE, &LATE.syncs(0, &TRUE, 4_000));
    write(&folder, 4, &FAST, &same(1));
    let lines = common_clock(&folder.0).lines;
    let sources = lines.iter().map(|line| line.source).collect::<Vec<_>>();
    assert_eq!(sources, [Source::SharedClock, Source::InitAndFinalize, Source::SharedClock]);
    let [first, second] =
        [lines[0].nanoseconds_at(FAST.ticks(FINALIZE)), lines[1].nanoseconds_at(LATE.ticks(FINALIZE))];
    assert!((first - second).abs() <= 3_502, "{first} and {second}");
    assert!((7_000..=7_003).contains(&lines[1].error(second)), "{}", lines[1].error(second));
}

#[test]
fn a_rank_without_a_file_that_shares_a_clock_is_off_by_what_the_check_cannot_see() {
    let folder = Folder::new();
    // Rank 0 has no file. Rank 1 has its clock, which ticks every half nanosecond, within 60 ticks.
    let twice = |time: u64| ClockSample { ticks: 2 * time, width: 20, monotonic: time, realtime: time };
    let (begin, ready, end) = (twice(BEGIN), twice(INIT), twice(END));
    write_as(&folder, FileHeader { rank: 1, size: 8, run: [7; 16], begin, ready, end, ..blank_header() }, &same(0));
    let sync = |when, time| {
        Definition::Sync(Sync {
            when,
            peer: 0,
            before: time - 4_000,
            there: 2 * time,
            after: time + 4_000,
            exchanges: 9,
        })
    };
    write(&folder, 2, &TRUE, &[sync(Occasion::Init, INIT), sync(Occasion::Finalize, FINALIZE)]);
    let (off, error) = off(&common_clock(&folder.0).lines[1], &TRUE, FINALIZE);
    assert_eq!((off, error), (0, 4_030));
}

#[test]
fn a_clock_that_seems_to_run_backwards_places_nobody() {
    let folder = Folder::new();
    // Rank 0 has no file. Rank 1 has seen its clock at a later time first.
    let seen = |when, time, there| FAST.sync(when, time, 0, &Clock { offset: there, drift: 0 }, 3_000, 0);
    let (first, second) =
        (seen(Occasion::Init, INIT, END), seen(Occasion::Finalize, FINALIZE, 0u64.wrapping_sub(INIT)));
    write(&folder, 1, &FAST, &[first, second]);
    write(&folder, 2, &LATE, &LATE.syncs(0, &TRUE, 4_000));
    let sources: Vec<Source> = common_clock(&folder.0).lines.iter().map(|line| line.source).collect();
    assert_eq!(sources, [Source::SharedClock, Source::WallClock]);
}

#[test]
fn between_two_comparisons_the_error_goes_from_that_of_one_to_that_of_the_other() {
    let folder = Folder::new();
    write(&folder, 0, &TRUE, &[]);
    let sync = |when, time, half| FAST.sync(when, time, 0, &TRUE, half, 0);
    write(&folder, 1, &FAST, &[sync(Occasion::Init, INIT, 1_000), sync(Occasion::Finalize, FINALIZE, 9_000)]);
    let line = common_clock(&folder.0).lines[1];
    let [first, middle, last] = [INIT, (INIT + FINALIZE) / 2, FINALIZE].map(|time| off(&line, &FAST, time).1);
    assert!((1_000..=1_002).contains(&first), "{first}");
    assert!((5_000..=5_002).contains(&middle), "{middle}");
    assert!((9_000..=9_002).contains(&last), "{last}");
}

#[test]
fn ticks_of_whatever_length_are_found_again_from_their_times() {
    let folder = Folder::new();
    let twice = |time: u64| ClockSample { ticks: 2 * time, width: 20, monotonic: time, realtime: time };
    let (begin, ready, end) = (twice(BEGIN), twice(INIT), twice(END));
    let sync = |when, time| {
        let (before, there, after) = (2 * (time - 3_000), TRUE.ticks(time), 2 * (time + 3_000));
        Definition::Sync(Sync { when, peer: 0, before, there, after, exchanges: 150 })
    };
    let compared = [sync(Occasion::Init, INIT), sync(Occasion::Finalize, FINALIZE)];
    write(&folder, 0, &TRUE, &[]);
    write_as(&folder, FileHeader { rank: 1, size: 8, run: [7; 16], begin, ready, end, ..blank_header() }, &compared);
    let line = common_clock(&folder.0).lines[1];
    assert_eq!(line.source, Source::InitAndFinalize);
    for time in [BEGIN, INIT, 2_000 * MILLISECOND, FINALIZE, END, 9_000 * MILLISECOND] {
        let ticks = 2 * time;
        assert!(line.nanoseconds_at(ticks).abs_diff((time - BEGIN) as i64) <= 1, "{time}: {line:?}");
        assert!(line.ticks_at(line.nanoseconds_at(ticks)).abs_diff(ticks) <= 2, "{time}: {line:?}");
    }
}

#[test]
fn worlds_that_were_not_compared_stand_by_the_clocks_of_their_hosts() {
    let folder = Folder::new();
    write(&folder, 0, &TRUE, &[]);
    write_world(&folder, 1, 0, &FAST, &[]);
    write_world(&folder, 1, 1, &FAST, &same(0));
    let lines = common_clock(&folder.0).lines;
    assert_eq!((lines[1].source, lines[2].source), (Source::WallClock, Source::WallClock));
    assert!(lines[1].source.in_words().contains("the hosts' clocks"));
    let (off, error) = off(&lines[1], &FAST, END);
    assert!(off < error && (10_000_000..11_000_000).contains(&error), "{off} of {error}");
    assert_eq!(lines[1].nanoseconds_at(FAST.ticks(END)), lines[2].nanoseconds_at(FAST.ticks(END)));
}

#[test]
fn damaged_comparisons_harm_nobody() {
    let folder = Folder::new();
    write(&folder, 0, &TRUE, &[]);
    for (rank, when) in (1..).zip([Occasion::Init, Occasion::Finalize]) {
        let own = Definition::Sync(Sync { when, peer: rank, before: 9, there: 5, after: 0, exchanges: 0 });
        let backwards =
            |peer| Definition::Sync(Sync { when, peer, before: u64::MAX, there: 0, after: 1, exchanges: 1 });
        let missing = Definition::Sync(Sync { when, peer: 7, before: 5, there: u64::MAX, after: 5, exchanges: 1 });
        write(&folder, rank, &FAST, &[own, backwards(0), backwards(7), missing]);
    }
    let mut common_clock = common_clock(&folder.0);
    common_clock.respect(&[
        Slack { from: 0, to: 1, least: i64::MIN },
        Slack { from: 1, to: 2, least: i64::MIN / 2 },
        Slack { from: 2, to: 1, least: i64::MAX },
    ]);
    for line in &common_clock.lines {
        line.error(line.nanoseconds_at(0));
        line.error(line.nanoseconds_at(u64::MAX / 2));
    }
}

/// Three clocks, the second and third compared with the first to within 3 and 5 µs; rank 3 has the third's.
fn three_clocks() -> CommonClock {
    let folder = Folder::new();
    write(&folder, 0, &TRUE, &[]);
    write(&folder, 1, &FAST, &FAST.syncs(0, &TRUE, 3_000));
    write(&folder, 2, &LATE, &LATE.syncs(0, &TRUE, 5_000));
    write(&folder, 3, &LATE, &same(2));
    common_clock(&folder.0)
}

/// Nanoseconds by which each rank was moved.
fn moved(slacks: &[Slack]) -> Vec<i64> {
    let before = three_clocks();
    let mut after = three_clocks();
    let is_any = after.respect(slacks);
    let ticks = [TRUE, FAST, LATE, LATE].map(|clock| clock.ticks(INIT));
    let lines = after.lines.iter().zip(&before.lines).zip(ticks);
    let moved: Vec<i64> =
        lines.map(|((after, before), ticks)| after.nanoseconds_at(ticks) - before.nanoseconds_at(ticks)).collect();
    assert_eq!(is_any, moved != [0; 4]);
    moved
}

#[test]
fn clocks_are_moved_until_no_message_arrives_before_it_is_sent() {
    // The reference cannot be moved.
    assert_eq!(moved(&[Slack { from: 0, to: 1, least: -1_000 }]), [0, 1_000, 0, 0]);
    assert_eq!(moved(&[Slack { from: 1, to: 0, least: -1_000 }]), [0, -1_000, 0, 0]);
    let at_once = [Slack { from: 0, to: 1, least: -1_000 }, Slack { from: 1, to: 0, least: 1_000 }];
    assert_eq!(moved(&at_once), [0, 1_000, 0, 0]);
    assert_eq!(moved(&[Slack { from: 0, to: 1, least: 0 }, Slack { from: 1, to: 3, least: 40 }]), [0; 4]);
    // Both clocks yield by their share, and ranks of one clock move together.
    let slacks = [Slack { from: 1, to: 3, least: -1_600 }, Slack { from: 3, to: 1, least: 9_000 }];
    let both = moved(&slacks);
    assert_eq!((both[0], both[2], both[2] - both[1]), (0, both[3], 1_600));
    assert!((-601..=-599).contains(&both[1]), "{both:?}");
    // Ranks that move for one message keep the others in order.
    let chain = moved(&[
        Slack { from: 0, to: 1, least: -2_000 },
        Slack { from: 1, to: 2, least: 500 },
        Slack { from: 2, to: 0, least: 1_500 },
    ]);
    assert!(chain[1] >= 2_000 && chain[2] - chain[1] >= -500 && chain[2] <= 1_500, "{chain:?}");
}

#[test]
fn clocks_are_not_moved_farther_than_they_may_be_off() {
    assert_eq!(moved(&[Slack { from: 0, to: 1, least: -4_000 }]), [0; 4]);
    let both_ways = [Slack { from: 0, to: 1, least: -500 }, Slack { from: 1, to: 0, least: 400 }];
    assert_eq!(moved(&both_ways), [0; 4]);
}
