//! MPI libraries have the names that people use.

use traces::definitions::Library;

#[test]
fn libraries_are_named_by_what_they_say_of_themselves() {
    let said = [
        ("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022", "Open MPI 4.1.4"),
        ("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022", "MPICH 4.0.2"),
        ("MPICH Version:      5.0.2\nMPICH ABI:          18:0:6", "MPICH 5.0.2"),
        ("Intel(R) MPI Library 2021.18.1 for Linux* OS\n", "Intel MPI 2021.18.1"),
        ("something nobody knows", "MPI of unknown version"),
    ];
    for (version, name) in said {
        assert_eq!(Library { version: version.into(), path: String::new() }.name(), name);
    }
}
