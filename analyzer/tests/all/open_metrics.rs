//! Prometheus' own OpenMetrics parser reads from `overhear top --metrics` what the watch says.

use std::path::Path;
use std::sync::Once;

use examples::wheel::OPEN_METRICS;
use model::watch::Watch;
use serde_json::Value;
use traces::calls::Call;

use crate::common::python::python;
use crate::common::recorded::recorded;
use crate::common::stories::{collective, inside, run_on};
use crate::common::{Folder, overhear, stdout};

/// Prints each family with its samples as a line of JSON. Invalid OpenMetrics text ends it.
const SCRIPT: &str = r#"
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
for family in text_string_to_metric_families(sys.stdin.read()):
    samples = [{"name": sample.name, "labels": sample.labels, "value": sample.value} for sample in family.samples]
    print(json.dumps({"name": family.name, "type": family.type, "unit": family.unit, "samples": samples}))
"#;

/// Families in the parser's order.
fn parsed(run: &Path) -> Vec<Value> {
    static READY: Once = Once::new();
    READY.call_once(|| OPEN_METRICS.install().unwrap());
    let text = stdout(&overhear("top", run, &["--metrics"]));
    let said = python(&OPEN_METRICS, SCRIPT, &text);
    said.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A family's values by rank.
fn values(families: &[Value], name: &str, sample: &str) -> Vec<(String, f64)> {
    let family = families.iter().find(|family| family["name"] == name);
    let samples = family.unwrap_or_else(|| panic!("no {name}: {families:#?}"))["samples"].as_array().unwrap();
    assert!(samples.iter().all(|found| found["name"] == sample), "{samples:#?}");
    let value =
        |found: &Value| (found["labels"]["rank"].as_str().unwrap().to_string(), found["value"].as_f64().unwrap());
    samples.iter().map(value).collect()
}

#[test]
fn prometheus_reads_the_totals_of_each_rank() {
    let mut compared = 0;
    for fixture in ["persistent_halo", "wildcard", "nonblocking_collectives"].iter().flat_map(|name| recorded(name)) {
        let families = parsed(&fixture.run);
        let mut watch = Watch::new(&fixture.run);
        watch.look().unwrap();
        let expected = |value: fn(&model::watch::RankView) -> f64| {
            let views = watch.ranks.iter().zip(&watch.views);
            views.map(|(rank, view)| (rank.number().unwrap().to_string(), value(view))).collect::<Vec<_>>()
        };
        let total = |name: &str| values(&families, name, &format!("{name}_total"));
        assert_eq!(total("overhear_sent_bytes"), expected(|view| view.sum.sent as f64));
        assert_eq!(total("overhear_empty_entries"), expected(|view| view.sum.empty_entries as f64));
        assert_eq!(total("overhear_mpi_seconds"), expected(|view| view.sum.in_mpi));
        let pending = values(&families, "overhear_pending_requests", "overhear_pending_requests");
        assert_eq!(pending, expected(|view| view.pending as f64));
        compared += pending.len();
    }
    assert!(compared > 4, "{compared}");
}

#[test]
fn prometheus_reads_types_units_and_labels_whatever_a_host_is_called() {
    let run = Folder::new();
    let host = "a \\ \"host\"\nof two lines";
    run_on(&run, vec![inside(&[], collective(Call::Barrier))], |_| host);
    let families = parsed(&run.0);
    let text = |family: &Value| ["name", "type", "unit"].map(|key| family[key].as_str().unwrap().to_string()).join(" ");
    let heads: Vec<String> = families.iter().map(text).collect();
    let expected = [
        "overhear_since_seconds gauge seconds",
        "overhear_mpi_seconds counter seconds",
        "overhear_sent_bytes counter bytes",
        "overhear_empty_entries counter ",
        "overhear_pending_requests gauge ",
        "overhear_oldest_request_seconds gauge seconds",
        "overhear_data_age_seconds gauge seconds",
    ];
    assert_eq!(heads, expected);
    let labels = &families[0]["samples"][0]["labels"];
    assert_eq!((&labels["host"], &labels["function"]), (&Value::from(host), &Value::from("MPI_Barrier")));
    assert_eq!(labels["state"], "in_mpi");
}
