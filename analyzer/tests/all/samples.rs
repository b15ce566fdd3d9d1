//! The samples in `traces/samples` show the analyzer at work without MPI.

use std::path::Path;

use crate::common::{json, report, stdout};
use serde_json::json as value;

const SAMPLES: [&str; 2] = ["integer_sort-openmpi", "integer_sort-mpich"];

fn sample(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples").join(name)
}

#[test]
fn samples_have_the_calls_and_bytes_of_the_sort() {
    for name in SAMPLES {
        let report = json(&sample(name), "function");
        let row =
            report["functions"].as_array().unwrap().iter().find(|row| row["function"] == "MPI_Alltoallv").unwrap();
        // 20 iterations on 4 ranks, every key of four bytes sent and received once in each.
        assert_eq!(row["calls"], 80, "{name}");
        assert_eq!(row["sent_bytes"], value!(20 * 4 * (1 << 18)), "{name}");
        assert_eq!(row["received_bytes"], row["sent_bytes"], "{name}");
        assert_eq!(report["run"]["ranks"], 4, "{name}");
    }
}

#[test]
fn samples_name_their_call_sites_without_the_program() {
    for name in SAMPLES {
        let report = json(&sample(name), "site");
        let row = report["sites"].as_array().unwrap().iter().find(|row| row["function"] == "MPI_Alltoallv").unwrap();
        let site = row["site"].as_str().unwrap();
        assert!(site.contains("alltoallv") && site.contains("(lib.rs:"), "{name}: {site}");
    }
}

#[test]
fn samples_are_whole() {
    for name in SAMPLES {
        let output = report(&sample(name), &[]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stdout(&output));
    }
}
