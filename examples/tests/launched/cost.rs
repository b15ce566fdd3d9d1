//! The recorder's estimate of its own cost is true.

use crate::common::{case, one};
use examples::launch_turns::alone;
use examples::run::{Case, Output};

/// Seconds that the ranks report, summed.
fn took(output: &Output) -> f64 {
    assert_eq!(output.status, 0, "{}", output.stderr);
    let figures = output.stdout.lines().filter_map(|line| line.strip_prefix("took ")?.parse::<f64>().ok());
    figures.sum::<f64>() / 1e9
}

/// Difference in time, and in estimated cost, between two runs of which one makes more communicators.
fn claimed(few: &Case, many: &Case) -> (f64, f64) {
    let run = |case: &Case, name: &str| {
        let (output, run) = case.recorded(name);
        let report = run.report("function");
        (took(&output), report.json["run"]["overhear_cost_s"].as_f64().expect("the report says it"))
    };
    let (few, many) = (run(few, "cost-few"), run(many, "cost-many"));
    (many.0 - few.0, many.1 - few.1)
}

#[test]
fn the_cost_of_calls_with_new_objects_is_claimed_as_the_program_measures_it() {
    let _alone = alone();
    let mut ran = 0;
    for mpi in [one()] {
        let of = |count: &str, mode: &str| case("made_and_freed", &mpi, 2, &[count]).with("OVERHEAR_MODE", mode);
        let mut seen = Vec::new();
        // A busy machine delays one of the runs.
        for _ in 0..crate::common::ATTEMPTS {
            let (with, claimed) = claimed(&of("100", "trace"), &of("10000", "trace"));
            let null = |count: &str| took(&of(count, "null").recorded("cost-null").0);
            let measured = with - (null("10000") - null("100"));
            seen.push((claimed, measured));
            if claimed > measured / 2.0 && claimed < measured * 2.0 {
                break;
            }
        }
        let (claimed, measured) = seen[seen.len() - 1];
        assert!(claimed > measured / 2.0 && claimed < measured * 2.0, "{}: claimed, measured: {seen:?}", mpi.name);
        ran += 1;
    }
    assert!(ran > 0);
}
