//! What the progress engine did over time.

use std::path::Path;

use analyzer::metrics::engine::rates;
use analyzer::model::{Choice, Run, engine};

use crate::common::recorded::ask;

#[test]
fn entries_over_time_add_up_to_those_of_the_ledger() {
    for sample in ["integer_sort-openmpi", "integer_sort-mpich"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples").join(sample);
        let run = Run::select(&folder, &Choice { no_cache: true, ..Choice::default() }).unwrap();
        let engines: Vec<_> = run.ranks.iter().map(engine::of_rank).collect();
        let rates = rates(&run, &engines);
        let slice = rates.wall / rates.all.len() as f64;
        let answer = ask(&folder, "progress", &["--no-cache"]);
        for (over_time, key) in [(&rates.all, "entries"), (&rates.productive, "productive_entries")] {
            let entries: f64 = answer.rows("ledger").iter().map(|row| row[key].as_f64().unwrap()).sum();
            let sum = over_time.iter().sum::<f64>() * slice;
            assert!(entries > 0.0 && (sum / entries - 1.0).abs() < 1e-6, "{sample}: {sum} of {entries} {key}");
        }
    }
}
