//! Bytes per call in the trace, with and without engine records: bytes are time.

use std::os::unix::fs::MetadataExt;

use crate::common::{Turns, case, libraries, one_at_most, with_programs_in_rust};
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::run::{Case, Run};
use examples::{target, workspace};
use traces::progress::Polls;
use traces::read::{RankFile, Visitor, walk};

#[derive(Default)]
struct Calls(u64);

impl Visitor for Calls {
    fn call(&mut self, _: u32, _: u64, _: u64) {
        self.0 += 1;
    }

    fn polls(&mut self, polls: &Polls) {
        self.0 += polls.count;
    }
}

/// Calls of a run, and the bytes of their records.
fn calls_and_bytes(run: &Run) -> (u64, u64) {
    let (mut calls, mut bytes) = (Calls::default(), 0);
    for file in run.files() {
        let file = RankFile::open(&file).unwrap();
        for page in file.contents().threads.iter().flat_map(|thread| &thread.pages) {
            let written = (0..page.words.len()).rfind(|at| page.words.get(*at) != Some(0));
            bytes += written.map_or(0, |last| 8 * (last as u64 + 1));
            walk(page, &mut calls).unwrap();
        }
    }
    (calls.0, bytes)
}

/// The benchmark mix: calls.c, with everything recorded.
fn mix(mpi: &Mpi) -> Run {
    let source = workspace().join("examples/benches/wrapper/calls.c");
    let path = target().join("programs").join(mpi.built_as).join("calls");
    examples::program::compile(mpi, &source, &path, &[]);
    let case = Case { mpi, path, arguments: Vec::new(), ranks: 1, variables: Vec::new() };
    case.with("OVERHEAR_FILTER", "all").with("OVERHEAR_PROGRESS", "off").recorded("mix").1
}

fn integer_sort(mpi: &Mpi) -> Run {
    crate::common::in_rust("integer_sort", mpi).with("OVERHEAR_PROGRESS", "off").recorded("integer-sort-bytes").1
}

#[test]
fn a_rank_that_makes_twenty_calls_takes_twenty_four_kibibytes_of_the_disk_at_most_and_the_first_one_the_librarys_settings()
 {
    for mpi in libraries() {
        let (output, run) = case("quick", &mpi, 2, &["calls", "8"]).recorded("twenty-calls");
        assert_eq!((output.status, calls_and_bytes(&run).0), (0, 40), "{}: {}", mpi.name, output.stderr);
        for file in run.files() {
            let bytes = 512 * file.metadata().unwrap().blocks();
            let settings = if file.ends_with("rank-0000.ovh") { 32 << 10 } else { 0 };
            assert!(bytes <= (24 << 10) + settings, "{}: {bytes} bytes of {}", mpi.name, file.display());
        }
    }
}

#[test]
fn a_repeated_blocking_call_takes_eight_bytes() {
    for mpi in libraries() {
        let (_, run) =
            case("quick", &mpi, 2, &["calls", "100000"]).with("OVERHEAR_PROGRESS", "off").recorded("eight-bytes");
        let (calls, bytes) = calls_and_bytes(&run);
        // A few calls wait longer than the short form can hold.
        assert!(calls > 200_000 && bytes < 8 * calls + 1_000, "{}: {bytes} bytes for {calls} calls", mpi.name);
    }
}

#[test]
fn the_benchmark_mix_and_an_integer_sort_take_twelve_bytes_a_call_at_most() {
    for mpi in one_at_most(with_programs_in_rust(), "bytes") {
        let (first, second) = (calls_and_bytes(&mix(&mpi)), calls_and_bytes(&integer_sort(&mpi)));
        let (calls, bytes) = (first.0 + second.0, first.1 + second.1);
        println!("{}: mix {first:?}, integer sort {second:?}", mpi.name);
        assert!(bytes <= 12 * calls, "{}: {bytes} bytes for {calls} calls", mpi.name);
    }
}

#[test]
fn a_pipelined_sweep_takes_twelve_bytes_a_call_and_a_halo_with_reductions_sixteen_and_no_entry_is_lost() {
    let _alone = alone();
    for mpi in one_at_most(with_programs_in_rust(), "bytes") {
        for (program, arguments, most) in
            [("sweep", ["--cells=128", "--iterations=10"], 12), ("halo", ["--steps=1000", "--cells=64"], 16)]
        {
            let arguments = arguments.map(String::from).into();
            let case = Case { arguments, ranks: 2, ..crate::common::in_rust(program, &mpi) };
            // On a busy machine, ranks wait longer than the short forms can hold.
            let fits = (0..crate::common::ATTEMPTS).any(|_| {
                let (output, run) = case.recorded(&format!("{program}-bytes"));
                assert!(output.stdout.contains("verified"), "{program} under {}: {output:?}", mpi.name);
                let (turns, ledger) = Turns::of_run(&run);
                assert_eq!((turns.said, turns.placed), (ledger, ledger.productive), "{program} under {}", mpi.name);
                let (calls, bytes) = calls_and_bytes(&run);
                println!("{}: {program} {:.2} bytes a call", mpi.name, bytes as f64 / calls as f64);
                calls > 8_000 && bytes <= most * calls
            });
            assert!(fits, "{program} under {}: more than {most} bytes a call", mpi.name);
        }
    }
}
