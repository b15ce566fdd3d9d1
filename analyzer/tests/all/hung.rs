//! What `overhear hang` and `overhear top` say of recorded programs that hung, under both families of MPI, to the letter.
//!
//! `GOLDEN=write cargo test -p overhear hung::` writes the texts anew. The runs were recorded on a host that is not this one, from
//! where no verdict is certain.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use examples::fixture::Fixture;
use serde_json::Value;

use crate::common::recorded::{ask, recorded};
use crate::common::terminal::InTerminal;
use crate::common::{overhear, stdout};

/// Programs that hang whatever becomes of their processes.
const HUNG: [&str; 6] = ["cycle", "knot", "mismatch", "missing", "nonblocking", "tag"];
/// What does not change from one look to the next.
const STEADY: [&str; 8] = ["rank", "host", "state", "function", "partner", "tag", "communicator", "site"];

/// Each with the name of its library.
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
fn hang_and_top_say_of_runs_that_hung_what_they_said() {
    for (fixture, library) in all() {
        let hang = stdout(&overhear("hang", &fixture.run, &["--no-cache"]));
        let text = format!("$ overhear hang\n{hang}\n$ overhear top --once\n{}", top(&fixture.run));
        compare(&format!("{}-{library}", fixture.program.name), &text);
    }
}

#[test]
fn the_screen_of_top_is_what_it_was_in_terminals_of_80_and_of_40_columns() {
    let fixtures: Vec<(Fixture, String)> = all().filter(|(fixture, _)| fixture.program.name == "cycle").collect();
    for columns in [80, 40] {
        for (fixture, library) in &fixtures {
            let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
            command.args(["top", "--no-cache", "."]).current_dir(&fixture.run).env("TERM", "xterm");
            let mut top = InTerminal::begin(&mut command, columns);
            top.shows("quits");
            let screen = top.screen();
            top.keyboard.write_all(b"q").unwrap();
            assert_eq!(top.status(), 0);
            compare(&format!("screen-{columns}-{library}"), &ageless(&screen));
        }
    }
}

/// Without times, which grow from day to day, and without the room they take.
fn ageless(screen: &str) -> String {
    let word =
        |word: &str| if word.contains('.') && word.parse::<f64>().is_ok() { "#".into() } else { word.to_string() };
    let line = |line: &str| line.split(' ').filter(|word| !word.is_empty()).map(word).collect::<Vec<_>>().join(" ");
    screen.lines().map(|text| line(text) + "\n").collect()
}

/// Compares, or writes.
fn compare(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/hung").join(format!("{name}.txt"));
    if std::env::var_os("GOLDEN").is_some_and(|value| value == "write") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(golden == text, "{}: was\n{golden}\nis\n{text}", path.display());
}

/// A line for each rank, by number: those who are longest where they are come first elsewhere, and age by the clock.
fn top(run: &Path) -> String {
    let answer = ask(run, "top", &["--once", "--no-cache"]);
    let mut rows = answer.rows("top").to_vec();
    rows.sort_by_key(|row| row["rank"].as_u64());
    let value = |row: &Value, key: &str| row[key].as_str().map_or_else(|| row[key].to_string(), String::from);
    let line = |row: &Value| STEADY.map(|key| format!("{key} {}", value(row, key))).join(", ") + "\n";
    rows.iter().map(line).collect()
}
