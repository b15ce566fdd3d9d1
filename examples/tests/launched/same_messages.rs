//! `overhear diff --messages` shows two MPIs equal, and names the message that differs.

use crate::common::{in_rust, with_programs_in_rust};
use examples::mpi::Mpi;
use examples::run::{Case, Run};
use serde_json::Value;

fn sorted(mpi: &Mpi, name: &str, more: &[&str]) -> Run {
    let arguments = ["--keys=16", "--iterations=4"].iter().chain(more).map(|word| word.to_string()).collect();
    let case = Case { arguments, ..in_rust("integer_sort", mpi) }.with("OVERHEAR_CHECKSUM", "crc32");
    let (output, run) = case.recorded(name);
    assert!(output.stdout.contains("verified"), "{}: {output:?}", mpi.name);
    run
}

fn compare(a: &Run, b: &Run) -> (i32, Value) {
    let answer = a.ask("diff", &[b.folder.to_str().unwrap(), "--messages"]);
    (answer.status, answer.json)
}

#[test]
fn an_integer_sort_exchanges_the_same_messages_under_every_mpi_and_a_changed_key_is_found() {
    let libraries = with_programs_in_rust();
    let first = sorted(&libraries[0], "messages-a", &[]);
    for mpi in &libraries {
        let (status, said) = compare(&first, &sorted(mpi, "messages-b", &[]));
        assert_eq!((status, &said["run"]["verdict"]), (0, &Value::from("identical")), "{}: {said:#}", mpi.name);
        // A barrier, and in each iteration an Allreduce, an Alltoall and an Alltoallv with its parts; three messages at
        // the end.
        assert!(said["run"]["checksums_compared"].as_u64().unwrap() > 4 * 4 * (2 + 8 + 8), "{}", mpi.name);
        assert_eq!(said["run"]["messages"], 3, "{}", mpi.name);

        let (status, said) = compare(&first, &sorted(mpi, "messages-c", &["--change-key=2"]));
        assert_eq!((status, &said["run"]["verdict"]), (1, &Value::from("different")), "{}", mpi.name);
        let found = &said["first_differences"][0];
        let named = ["rank", "what", "way", "ordinal", "function"].map(|key| found[key].clone());
        let expected: [Value; 5] = [3.into(), "content".into(), "sent".into(), 10.into(), "MPI_Alltoallv".into()];
        assert_eq!(named, expected, "{}: {said:#}", mpi.name);
        assert!(found["site"].as_str().unwrap().contains("lib.rs:"), "{}: {found:#}", mpi.name);
        assert_ne!(found["a_checksum"], found["b_checksum"]);
    }
}
