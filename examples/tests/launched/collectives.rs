//! Analyses reconstruct times of collective operations and their overlap as programs measure them in the same run.

use crate::common::agreement::{Differences, agree_everywhere, agree_in_every_row, differences_of_waiting, recorded};
use crate::common::{case, in_rust, libraries};
use examples::answer::{Answer, number, whole};
use examples::mpi::Mpi;
use examples::program::Program;
use examples::run::Case;
use examples::workspace;
use serde_json::{Value, json};

/// Allowed difference of times: a share, and seconds.
const TIME: (f64, f64) = (0.05, 0.3e-6);
/// Allowed difference of hidden shares, in percentage points; in short operations, the share of [`TIME`]'s seconds.
const HIDDEN: f64 = 3.0;

/// Output of the benchmark with these words on 2 ranks, and of an analysis of its trace.
fn measured(mpi: &Mpi, variables: &[(&str, &str)], words: &[&str], analysis: &[&str]) -> (Value, Answer) {
    let arguments = ["--json", "--min-bytes", "256", "--max-bytes", "16384"].iter().chain(words);
    let arguments = arguments.map(|word| word.to_string()).collect();
    let case = Case { arguments, ranks: 2, ..in_rust("timed_collectives", mpi) };
    let (output, run) = recorded(case, variables, "timed_collectives");
    (serde_json::from_str(&output).unwrap(), run.ask(analysis[0], &analysis[1..]))
}

/// A figure that a program measures, with its bounds.
#[derive(Clone, Copy)]
struct Measured {
    least: f64,
    figure: f64,
    most: f64,
}

impl Measured {
    /// Gives a figure without bounds those of another one.
    fn as_sure_as(figure: f64, other: Measured) -> Measured {
        Measured { least: figure - (other.figure - other.least), figure, most: figure + (other.most - other.figure) }
    }

    /// The median with its 95 % interval, from order statistics.
    fn median(values: &Value) -> Measured {
        let mut values: Vec<f64> = values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        let last = values.len() - 1;
        let aside = (values.len() as f64 / 2.0 - 0.98 * (values.len() as f64).sqrt()).floor().max(0.0) as usize;
        let figure = (values[last / 2] + values[values.len() / 2]) / 2.0;
        Measured { least: values[aside], figure, most: values[last - aside] }
    }

    /// Describes the difference from the trace's figure. The program's may include up to `more` seconds that the trace
    /// does not.
    fn differs(self, name: &str, trace: &Value, more: f64) -> Option<String> {
        let may = TIME.1 + TIME.0 * self.figure;
        match trace.as_f64() {
            Some(trace) if (self.least - may - more..=self.most + may).contains(&trace) => None,
            _ => Some(format!("{name} is {} and not {trace}", self.figure)),
        }
    }
}

#[test]
fn the_times_of_blocking_operations_are_reconstructed_as_the_program_measures_them() {
    agree_everywhere(|mpi, variables| {
        let words = ["--functions", "barrier,bcast,gather,allreduce,alltoall"];
        let (program, said) = measured(mpi, variables, &words, &["report", "--by", "collective"]);
        let error = number(&program, "clock_error_s");
        let rows = program["blocking"].as_array().unwrap();
        assert_eq!(rows.len(), 17);
        rows.iter().filter_map(|row| blocking(row, error, &said)).collect::<Differences>()
    });
}

/// Describes the difference of a row.
fn blocking(row: &Value, error: f64, said: &Answer) -> Option<(String, String)> {
    let windows = &row["windows"];
    let of = [("function", row["function"].clone()), ("size_bytes", row["buffer_bytes"].clone())];
    // Four operations warm up first. Set-up calls collectives of its own, at other sites.
    let count = windows["missed"].as_array().unwrap().len() as u64 + 4;
    let found = said.matching("operations", &of).into_iter().find(|found| whole(found, "operations") == count);
    let found = found.unwrap_or_else(|| panic!("no {count} of {row:#} in {:#}", said.json));
    let figures = [("first_to_last_s", error), ("rank_median_s", 0.0), ("rank_max_s", 0.0)];
    let differs = |(name, more): (&str, f64)| Measured::median(&windows[name]).differs(name, &found[name], more);
    let differences: Vec<String> = figures.into_iter().filter_map(differs).collect();
    let name = format!("{} of {}", row["function"], row["message_bytes"]);
    (!differences.is_empty()).then(|| (name, format!("{differences:?}: {found}")))
}

#[test]
fn what_nonblocking_operations_cost_and_hide_is_reconstructed_as_the_program_measures_it() {
    agree_everywhere(|mpi, variables| {
        let nonblocking = |every: &'static str| {
            let words = ["--functions", "ibarrier,iallreduce,ialltoall", "--scheme", "time", "--test-every", every];
            let (program, said) = measured(mpi, variables, &words, &["overlap"]);
            let rows = program["nonblocking"].as_array().unwrap();
            assert_eq!(rows.len(), 9);
            let differs = |row| nonblocking(row, every, &said);
            rows.iter().filter_map(differs).collect::<Vec<(String, String)>>()
        };
        ["0", "1024"].into_iter().flat_map(nonblocking).collect::<Differences>()
    });
}

/// Describes the difference of a row.
fn nonblocking(row: &Value, every: &str, said: &Answer) -> Option<(String, String)> {
    let of = [("function", row["function"].clone()), ("size_bytes", row["buffer_bytes"].clone())];
    let found = said.matching("collectives", &of);
    let [found] = found[..] else { panic!("{row} is {found:#?}") };
    let (recording, alone) = (number(found, "recording_s"), number(row, "alone_s"));
    let overhead = Measured {
        least: number(row, "overhead_least_s"),
        figure: number(row, "overhead_s"),
        most: number(row, "overhead_most_s"),
    };
    let part = |name: &str| Measured::as_sure_as(number(row, name), overhead);
    let pairs =
        [("post_s", part("begin_s")), ("test_s", part("test_s")), ("wait_s", part("wait_s")), ("overhead_s", overhead)];
    let differs = |(name, figure): (&str, Measured)| figure.differs(name, &found[name], recording);
    let hidden = |overhead: f64| 100.0 * (1.0 - overhead / alone);
    let hidden =
        Measured { least: hidden(overhead.most), figure: number(row, "hidden_percent"), most: hidden(overhead.least) };
    let differences: Vec<String> = pairs
        .into_iter()
        .filter_map(differs)
        .chain(not_as_alone(alone, found))
        .chain(not_as_hidden(hidden, alone, found))
        .collect();
    let name = format!("{} of {}, a test every {every}", row["function"], row["message_bytes"]);
    (!differences.is_empty()).then(|| (name, format!("{differences:?}: {found} {row}")))
}

/// Describes the difference of the time alone: the trace has bounds, and the program also sees the recorder.
fn not_as_alone(alone: f64, found: &Value) -> Option<String> {
    let bound = |name: &str| found[name].as_f64().or(found["transfer_s"].as_f64());
    let may = TIME.1 + TIME.0 * alone;
    match (bound("transfer_least_s"), bound("transfer_most_s")) {
        (Some(least), Some(most)) if (least - may..=most + may + number(found, "recording_s")).contains(&alone) => None,
        bounds => Some(format!("alone it takes {alone} and not {bounds:?}")),
    }
}

/// Describes the difference of the hidden share: both have bounds.
fn not_as_hidden(program: Measured, alone: f64, found: &Value) -> Option<String> {
    let bounds = ["overlap_least_percent", "overlap_most_percent"].map(|bound| found[bound].as_f64());
    let of = |percent: f64| percent.clamp(0.0, 100.0);
    let may = HIDDEN.max(100.0 * TIME.1 / alone);
    match bounds {
        [Some(least), Some(most)] if of(program.least) <= most + may && of(program.most) >= least - may => None,
        bounds => Some(format!("{} % are hidden and not {bounds:?}", program.figure)),
    }
}

#[test]
fn the_overlap_that_a_program_of_another_shape_prints_is_reconstructed() {
    agree_everywhere(|mpi, variables| {
        ["0", "5"].into_iter().flat_map(|tests| other_shape(mpi, variables, tests)).collect::<Differences>()
    });
}

fn other_shape(mpi: &Mpi, variables: &[(&str, &str)], tests: &str) -> Vec<(String, String)> {
    let case = case("iallreduce_overlap", mpi, 2, &[tests]);
    let (output, run) = recorded(case, variables, "iallreduce_overlap");
    let said = run.ask("overlap", &["--rank", "0"]);
    let rows: Vec<&str> = output.lines().collect();
    assert_eq!(rows.len(), 3, "{output}");
    let difference = |line: &str| {
        let figures: Vec<f64> = line.split(' ').map(|figure| figure.parse().unwrap()).collect();
        let [bytes, alone, hidden] = figures[..] else { panic!("{line}") };
        let of = [("function", json!("MPI_Iallreduce")), ("size_bytes", json!(bytes as u64))];
        let found = said.matching("collectives", &of);
        let [found] = found[..] else { panic!("{}: {line} is {found:#?}", mpi.name) };
        let alone = alone / 1e6;
        let hidden = Measured { least: hidden, figure: hidden, most: hidden };
        let differences: Vec<String> =
            not_as_alone(alone, found).into_iter().chain(not_as_hidden(hidden, alone, found)).collect();
        (!differences.is_empty())
            .then(|| (format!("{bytes} B with {tests} tests"), format!("{differences:?}: {found}")))
    };
    rows.into_iter().filter_map(difference).collect()
}

#[test]
fn a_collective_operation_waited_for_at_once_is_told_from_a_postponed_one_with_and_without_progress() {
    let program = Program::read_in(&workspace().join("examples/tests/programs"), "false_overlap_of_collectives");
    let site = |mark: &str| format!("{}.c:{}", program.name, program.line_marked(mark, "MPI_Iallreduce"));
    let differences = |mpi: &Mpi| -> Differences {
        let (_, run) = recorded(case(&program.name, mpi, 2, &[]), &[], &program.name);
        let said = run.ask("overlap", &[]);
        // Each rank makes ten.
        differences_of_waiting(&said, 20, site)
    };
    let mut ran = 0;
    for mpi in libraries() {
        agree_in_every_row(mpi.name, || differences(&mpi));
        ran += 1;
    }
    assert!(ran > 0);
}
