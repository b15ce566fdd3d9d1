//! The cost of recording, of ranks with known counts: a tick is a nanosecond.

use crate::common::made::{Calls, made};
use crate::common::recorded::ask;
use crate::common::{BEGIN, Folder, definitions, header, signature};
use metrics::starting;
use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{CompletionTest, Definition, Step, StepKind};
use traces::file::{FileHeader, ThreadBlock};
use traces::folder::file_name;
use traces::progress::{INSIDE, OUTSIDE};
use traces::signature::peer;
use traces::write::{FileWriter, blank_block, call};

const MICROSECOND: u64 = 1_000;

/// A rank that makes ten calls, of 30 ns of recording each; an empty entry takes 10 ns, a productive one 50 ns.
fn rank(number: u32, block: &ThreadBlock, more: &[Definition]) -> Vec<u8> {
    let header = FileHeader { wrapper_cost: 30_000, entry_cost: 10_000, productive_cost: 50_000, ..header(number, 2) };
    let (mut words, mut last) = (Vec::new(), BEGIN);
    for at in 0..10 {
        last = call(&mut words, last, 1, BEGIN + at * MICROSECOND, 100);
    }
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.thread(0, block).unwrap();
    file.definitions(&definitions(2, number as i32)).unwrap();
    file.definitions(more).unwrap();
    file.signatures(0, 0, &[signature(1, Call::Test, peer::NONE, 0, 0)]).unwrap();
    file.events(0, 0, BEGIN, &words).unwrap();
    file.into_inner()
}

/// Nanoseconds of a figure of a run whose ranks have these blocks.
fn figures(blocks: [ThreadBlock; 2], more: &[Definition]) -> impl Fn(&str) -> f64 {
    let folder = Folder::new();
    for (block, number) in blocks.iter().zip(0..) {
        folder.write(&file_name(0, number), &rank(number, block, more));
    }
    let run: Value = ask(&folder.0, "report", &["--no-cache"]).json["run"].clone();
    move |key| (run[key].as_f64().unwrap_or(f64::NAN) * 1e9).round()
}

/// A block with empty and productive entries, in calls and between them.
fn entered(empty: u64, productive: u64) -> ThreadBlock {
    let mut block = blank_block();
    block.ledger[INSIDE].calls.entries = empty;
    block.ledger[OUTSIDE].calls.entries = productive;
    block.ledger[OUTSIDE].calls.productive = productive;
    block
}

#[test]
fn of_the_empty_entries_one_for_each_call_delays_and_the_others_fell_into_waits() {
    let of = figures([entered(1_000, 3), entered(4, 0)], &[]);
    assert_eq!(of("overhear_delay_s"), 10.0 * 30.0 + 3.0 * 50.0 + 10.0 * 10.0);
    assert_eq!(of("overhear_while_waiting_s"), 990.0 * 10.0);
    // The other 999,999,450 ns of the rank's second are its time without recording.
    assert_eq!(of("overhear_delay_percent"), 100.0 * 550.0);
    let longer = figures([ThreadBlock { off_line: 2_000_000_000, ..entered(0, 0) }, entered(0, 0)], &[]);
    assert!(longer("overhear_delay_percent").is_nan(), "no time is left that it could be a share of");
}

#[test]
fn work_at_the_start_and_the_end_is_no_delay_and_is_that_of_the_rank_that_waited_least() {
    let at = |met| ThreadBlock { off_line: 700, starting: 500, met, ..entered(0, 0) };
    let of = figures([at(9_000), at(100)], &[]);
    assert_eq!(of("overhear_delay_s"), 300.0 + 200.0);
    assert_eq!(of("overhear_start_end_s"), 600.0);
    assert_eq!(of("overhear_cost_s"), 2.0 * (300.0 + 200.0 + 500.0));
}

#[test]
fn polls_in_vain_right_after_another_fell_into_waits_with_the_questions_in_them() {
    let polls = || ThreadBlock { off_line: 5_000, idle_polls: 8, ..entered(0, 0) };
    let of = figures([polls(), polls()], &[]);
    assert_eq!(of("overhear_delay_s"), 2.0 * 30.0 + 5_000.0);
    let of = figures([polls(), polls()], &[Definition::Asked(CompletionTest::Word)]);
    assert_eq!(of("overhear_delay_s"), 2.0 * 30.0 + 1_000.0);
    assert_eq!(of("overhear_while_waiting_s"), 2.0 * (8.0 * 30.0 + 4_000.0));
}

#[test]
fn no_more_work_fell_into_waits_than_there_was_time() {
    let of = figures([entered(1_000_000_000, 0), entered(0, 0)], &[]);
    assert_eq!(of("overhear_while_waiting_s"), 1e9);
}

#[test]
fn the_recorders_part_of_starting_and_ending_mpi_is_told_by_its_steps() {
    let steps = |all: &[(StepKind, u64)]| {
        let step = |(kind, milliseconds): &(StepKind, u64)| Step { kind: *kind, ticks: milliseconds * 1_000_000 };
        Calls::default().defines(vec![Definition::Steps(all.iter().map(step).collect())])
    };
    let start = |begin| [(StepKind::Begin, begin), (StepKind::Learn, 1), (StepKind::ClocksAtInit, 10)];
    let ends = steps(&[&start(20)[..], &[(StepKind::ClocksAtFinalize, 4)]].concat());
    let run = made(vec![steps(&start(49)), ends, steps(&start(29))], 3).1;
    let [began, ended] = starting::in_words(&run).map(Option::unwrap);
    let expected = "40.000 ms in MPI_Init (median of ranks; 60.000 ms in rank 0): 29.000 ms to make the file, 10.000 ms to compare clocks";
    assert_eq!(began, expected, "a step of a millisecond is none of its own");
    assert!(ended.contains("in MPI_Finalize") && ended.contains("in rank 1"), "{ended}");
    assert_eq!(starting::in_words(&made(vec![Calls::default()], 1).1), [None, None]);
}
