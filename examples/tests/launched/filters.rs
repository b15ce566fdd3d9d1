//! A program that sets a seccomp filter meets no system calls of the recorder but those that the guide names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::common::{both_families, calls, case};
use examples::run::Output;
use examples::workspace;

/// The system calls in the guide's list, by number.
fn listed() -> BTreeSet<i64> {
    let known: BTreeMap<&str, i64> = [
        ("brk", libc::SYS_brk),
        ("clock_gettime", libc::SYS_clock_gettime),
        ("clock_nanosleep", libc::SYS_clock_nanosleep),
        ("close", libc::SYS_close),
        ("fcntl", libc::SYS_fcntl),
        ("fstat", libc::SYS_fstat),
        ("futex", libc::SYS_futex),
        ("madvise", libc::SYS_madvise),
        ("mmap", libc::SYS_mmap),
        ("mprotect", libc::SYS_mprotect),
        ("mremap", libc::SYS_mremap),
        ("munmap", libc::SYS_munmap),
        ("newfstatat", libc::SYS_newfstatat),
        ("openat", libc::SYS_openat),
        ("pread64", libc::SYS_pread64),
        ("prlimit64", libc::SYS_prlimit64),
        ("pwrite64", libc::SYS_pwrite64),
        ("read", libc::SYS_read),
        ("rt_sigprocmask", libc::SYS_rt_sigprocmask),
        ("sigaltstack", libc::SYS_sigaltstack),
        ("write", libc::SYS_write),
    ]
    .into();
    let guide = fs::read_to_string(workspace().join("docs/guide/limits.md")).unwrap();
    let list = guide.split_once("only these system calls: ").expect("the guide has a list").1;
    let names = list.split_once(". ").unwrap().0.split('`').skip(1).step_by(2);
    names.map(|name| *known.get(name).unwrap_or_else(|| panic!("{name} has no number here"))).collect()
}

/// The calls that the filter did not let pass, by number.
fn others(output: &Output) -> BTreeSet<i64> {
    output.stdout.lines().filter_map(|line| line.strip_prefix("other ")?.parse().ok()).collect()
}

#[test]
fn a_program_that_filters_system_calls_meets_only_those_that_the_guide_names() {
    let listed = listed();
    assert!(listed.len() > 10, "{listed:?}");
    for mpi in both_families() {
        // Those that the program and MPI make by themselves.
        let plain: BTreeSet<i64> = (0..2).flat_map(|_| others(&case("filtered", &mpi, 2, &[]).plain())).collect();
        assert!(!plain.is_empty(), "{}: there is no filter here", mpi.name);
        let numbers: Vec<String> = plain.union(&listed).map(i64::to_string).collect();
        let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
        for sampled in ["off", "10ms"] {
            let case = case("filtered", &mpi, 2, &numbers).with("OVERHEAR_SAMPLE", sampled);
            let (output, run) = case.recorded(&format!("filtered-{sampled}"));
            assert_eq!((others(&output), output.status), (BTreeSet::new(), 0), "{} {sampled}: {output:?}", mpi.name);
            assert_eq!(calls(&run, "MPI_Iprobe"), 2 * 3 * 3000, "{} {sampled}", mpi.name);
        }
    }
}
