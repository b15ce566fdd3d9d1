//! The shared memory in which a host's ranks meet.

use std::process::Command;

use crate::common::{case, quick, two_families};
use examples::run::{Case, finish, fresh_folder, overhear};

#[test]
fn shared_memory_of_a_job_that_was_killed_in_mpi_init_is_removed_by_the_next_run() {
    for mpi in two_families() {
        let folder = fresh_folder(&format!("{}-left-in-memory", mpi.name));
        let killed = case("never_begins", &mpi, 2, &[folder.to_str().unwrap()]);
        let next = quick(&mpi, &[]);
        let record = |folder: &str, case: &Case<'_>| {
            format!("{} record --dir {folder} {} >/dev/null", overhear().display(), case.words().join(" "))
        };
        let list = "ls /dev/shm | grep -c '^overhear-'";
        let script = format!(
            "mount -t tmpfs none /dev/shm; {}; {list}; {}; {list}; true",
            record(&folder.display().to_string(), &killed),
            record(&format!("{}-next", folder.display()), &next),
        );
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
        killed.prepare(&mut command);
        let output = finish(&mut command);
        assert_eq!(output.stdout, "1\n0\n", "{}: {}", mpi.name, output.stderr);
    }
}
