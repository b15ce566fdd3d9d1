//! Launches of several programs.

use crate::common::{Folder, definitions, header, report, stdout};
use traces::definitions::{Definition, Process};
use traces::file::{FileHeader, NO_RANK};
use traces::write::{FileWriter, blank_block};

/// Trace of a process that made no call.
fn of_program(header: FileHeader, program: &str) -> Vec<u8> {
    let mut all = definitions(header.size, header.rank as i32);
    let arguments = vec![program.into(), "10".into()];
    all[0] = Definition::Process(Process { program: program.into(), arguments, ..Process::default() });
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.thread(0, &blank_block()).unwrap();
    file.definitions(&all).unwrap();
    file.into_inner()
}

#[test]
fn the_ranks_of_each_program_are_named_and_those_of_other_worlds_apart() {
    let folder = Folder::new();
    let write = |name: &str, header, program| folder.write(&format!("{name}.ovh"), &of_program(header, program));
    for (rank, program) in [(0, "/bin/a"), (1, "/bin/b"), (2, "/bin/b"), (3, "/bin/b"), (4, "/bin/a"), (5, "/bin/b")] {
        write(&format!("rank-{rank}"), header(rank, 6), program);
    }
    (0..2).for_each(|rank| write(&format!("world-{rank}"), FileHeader { world: 1, ..header(rank, 2) }, "/bin/a"));
    (0..2).for_each(|pid| write(&format!("pid-{pid}"), FileHeader { pid, ..header(NO_RANK, 6) }, "/bin/b"));
    let said = stdout(&report(&folder.0, &[])).replace("\n           ", " ");
    let a = "a 10: ranks 0, 4, ranks 0-1 of spawned world 1";
    let b = "b 10: ranks 1-3, 5, 2 processes without a rank";
    assert!(said.contains(&format!("{a}; {b}")), "{said}");
}
