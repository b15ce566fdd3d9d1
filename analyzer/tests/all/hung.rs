//! Golden output of `overhear hang` and `overhear top` on recorded programs that hung, under both families of MPI.
//!
//! The runs were recorded on another host; from here
//! no verdict is certain.

use std::path::Path;

use examples::fixture::Fixture;
use serde_json::Value;

use crate::common::golden::{GoldenFiles, kept};
use crate::common::recorded::{ask, recorded};
use crate::common::{overhear, stdout};

/// Programs that hang whatever happens to their processes.
const HUNG: [&str; 6] = ["cycle", "knot", "mismatch", "missing", "nonblocking", "tag"];
/// Fields that do not change from one look to the next.
const STEADY: [&str; 8] = ["rank", "host", "state", "function", "partner", "tag", "communicator", "site"];

/// Each fixture with the name of its library.
fn all() -> impl Iterator<Item = (Fixture, String)> {
    let named = |fixture: Fixture| {
        let library = ask(&fixture.run, "report", &[]).json["run"]["mpi_library"].as_str().unwrap().to_string();
        (fixture, if library.starts_with("Open MPI") { "openmpi".into() } else { "mpich".into() })
    };
    HUNG.into_iter().flat_map(recorded).map(named)
}

#[test]
fn a_run_that_hung_elsewhere_probably_hangs_for_the_reason_that_its_program_states() {
    let mut judged = 0;
    for (fixture, library) in all() {
        let answer = ask(&fixture.run, "hang", &["--no-cache"]);
        let first = &answer.rows("reasons")[0];
        let found = ["reason", "ranks"].map(|key| first[key].as_str().unwrap()).join(" ");
        let name = format!("{} under {library}", fixture.program.name);
        assert_eq!(fixture.program.hangs, Some(format!("certain {found}")), "{name}");
        assert_eq!((answer.json["run"]["hangs"].as_str(), answer.status), (Some("likely"), 1), "{name}");
        judged += 1;
    }
    assert_eq!(judged, 2 * HUNG.len());
}

#[test]
fn the_first_screen_of_a_run_that_hung_begins_with_the_verdict_and_reason_of_hang() {
    let mut seen = 0;
    for (fixture, library) in all() {
        let reason = ask(&fixture.run, "hang", &["--no-cache"]).rows("reasons")[0]["detail"].clone();
        let first = ask(&fixture.run, "diagnose", &["--no-cache"]).rows("findings")[0].clone();
        let name = format!("{} under {library}", fixture.program.name);
        assert_eq!(first["kind"], "stuck", "{name}");
        assert!(
            first["headline"].as_str().unwrap().starts_with("By its files the run hangs (likely)"),
            "{name}: {first}"
        );
        assert!(first["detail"].as_str().unwrap().starts_with(reason.as_str().unwrap()), "{name}: {first}");
        seen += 1;
    }
    assert_eq!(seen, 2 * HUNG.len());
}

#[test]
fn hang_and_top_say_of_runs_that_hung_what_they_said() {
    let mut comparison = GoldenFiles::default();
    for (fixture, library) in all() {
        let hang = stdout(&overhear("hang", &fixture.run, &["--no-cache"]));
        let text = format!("$ overhear hang\n{hang}\n$ overhear top --once\n{}", top(&fixture.run));
        comparison.text(&kept(&format!("hung/{}-{library}", fixture.program.name)), &text);
    }
    comparison.finish();
}

/// A line for each rank, ordered by number: `top` itself orders by age, which depends on the clock.
fn top(run: &Path) -> String {
    let answer = ask(run, "top", &["--once", "--no-cache"]);
    let mut rows = answer.rows("top").to_vec();
    rows.sort_by_key(|row| row["rank"].as_u64());
    let value = |row: &Value, key: &str| row[key].as_str().map_or_else(|| row[key].to_string(), String::from);
    let line = |row: &Value| STEADY.map(|key| format!("{key} {}", value(row, key))).join(", ") + "\n";
    rows.iter().map(line).collect()
}
