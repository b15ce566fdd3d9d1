//! Launches in which only some ranks are recorded.

mod common;

use std::process::Command;

use common::{case, libraries};
use examples::run::{finish, fresh_folder, overhear};

/// They wait for each other for ever, which nobody is to find out by a debugger.
#[test]
fn a_rank_that_waits_for_others_to_be_recorded_says_so() {
    for (mpi, first) in libraries().iter().zip([true, false]) {
        let case = case("quick", mpi, 1, &[]);
        let folder = fresh_folder(&format!("{}-partly", mpi.name));
        let mut words = case.words();
        let program = words.pop().unwrap();
        let recorded = [overhear(), "record".into(), "--dir".into(), folder, "--".into(), program.clone().into()];
        let recorded = recorded.map(|word| word.to_string_lossy().into_owned());
        let plain = [program];
        let (one, other) = if first { (&recorded[..], &plain[..]) } else { (&plain[..], &recorded[..]) };
        let mut command = Command::new("timeout");
        command.args(["--signal=INT", "20"]).args(&words).args(one).args([":", "-n", "1"]).args(other);
        case.prepare(&mut command);
        let said = finish(&mut command).stderr;
        let rank = if first { 0 } else { 1 };
        let waits = format!("overhear: rank {rank} has waited 10 s in MPI_Init for all 2 ranks to be recorded");
        assert!(said.contains(&waits), "{}: {said}", mpi.name);
    }
}
