//! The program of `cargo lab demo` sorts, and the first finding about it is the one it states.

use crate::common::one_that_runs;
use examples::diagnosis::is_found_first;
use examples::launch_turns::alone;
use examples::program::Program;
use examples::run::Case;
use examples::workspace;

/// Attempts: other work on the machine may keep rank 1 from its core as long as rank 0 sorts more.
const GOES: usize = 5;

#[test]
fn the_demo_says_that_rank_0_sorts_more_than_the_others() {
    let _alone = alone();
    let program = Program::read_in(&workspace().join("examples/demo"), "bucket_sort");
    let mut ran = 0;
    for mpi in one_that_runs(&program) {
        let mut found = Vec::new();
        for _ in 0..GOES {
            let (output, run) = Case::of(&program, &mpi).recorded("demo");
            let said = "1048576 integers on 2 ranks are sorted: rank 0 sorts 70 % of them\n";
            assert_eq!((output.stdout.as_str(), output.status), (said, 0), "{}: {}", mpi.name, output.stderr);
            found = run.ask("diagnose", &["--no-cache"]).rows("findings").to_vec();
            ran += 1;
            if is_found_first(&program, program.ranks, &found) {
                break;
            }
        }
        assert!(is_found_first(&program, program.ranks, &found), "{}: {found:?}", mpi.name);
    }
    assert!(ran > 0);
}
